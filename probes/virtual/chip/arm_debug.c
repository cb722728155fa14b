#include "probes/virtual/chip/arm_debug.h"

void pt_varm_irq(void *debug, unsigned line, bool level)
{
	pt_vcpu_set_irq(((struct pt_varm_debug *)debug)->cpu, line, level);
}

void pt_varm_taps_changed(void *debug)
{
	pt_vcpu_taps_changed(((struct pt_varm_debug *)debug)->cpu);
}

static void on_debug_enabled(void *debug, bool traced, bool debugging)
{
	pt_vdwt_enable(((struct pt_varm_debug *)debug)->dwt, traced, debugging);
}

void pt_varm_reset_core(struct pt_varm_debug *debug)
{
	pt_vcpu_reset(debug->cpu, false);
	pt_vscs_debug_after_reset(debug->scs);
}

/* The core's hooks lead to the debug unit. */
static void on_reset_request(void *scs)
{
	const struct pt_varm_debug *debug = ((struct pt_vscs_debug *)scs)->arg;

	debug->reset(debug->arg);
}

static void on_core_reset_request(void *scs)
{
	pt_vscs_debug_ops.reset(scs, false);
	pt_varm_reset_core(((struct pt_vscs_debug *)scs)->arg);
}

static void on_sleep(void *scs, uint64_t n_cycles)
{
	const struct pt_varm_debug *debug = ((struct pt_vscs_debug *)scs)->arg;

	debug->sleeps(debug->arg, n_cycles);
}

void pt_varm_debug_init(struct pt_varm_debug *debug, struct pt_vwires *wires)
{
	const struct pt_vcpu_hooks hooks = {
		.arg = debug->scs, .bkpt = pt_vscs_debug_bkpt, .breakpoint = pt_vscs_debug_bkpt,
		.vector_catch = pt_vscs_debug_vector_catch, .halted = pt_vscs_debug_halted,
		.monitor = pt_vscs_debug_monitor,
		.reset_request = on_reset_request, .core_reset_request = on_core_reset_request,
		.sleeps = debug->sleeps != NULL ? on_sleep : NULL,
	};

	pt_vcpu_set_hooks(debug->cpu, &hooks);
	pt_vdwt_init(debug->dwt, wires, debug->cpu);
	pt_vbpu_init(debug->bpu, debug->cpu);
	pt_vscs_debug_init(debug->scs, wires, debug->cpu, debug->skid);
	debug->scs->arg = debug;
	debug->scs->enabled = on_debug_enabled;
	pt_vcpu_add_observer(debug->cpu, &debug->scs->observer);
	pt_vcpu_add_observer(debug->cpu, &debug->dwt->observer);
}

struct pt_vrom_table pt_varm_rom_table(uint16_t part, const uint32_t *entries, size_t n_entries)
{
	return (struct pt_vrom_table){
		{ .pidr4 = 0x04, .part = part, .jep106 = 0x3b, .class = 1 }, entries, n_entries,
	};
}
