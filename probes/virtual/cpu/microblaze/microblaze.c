/* The core as its board sees it: power, debug and observers, and what the frame asks of it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/cpu/microblaze/memory.h"

const struct pt_vmb_options pt_vmb_full_options = {
	.use_barrel = true, .use_div = true, .use_pcmp = true, .use_msr_instr = true, .use_reorder = true,
	.use_hw_mul = 2, .unaligned_exceptions = true, .ill_opcode_exception = true, .div_zero_exception = true,
	.opcode_0x0_illegal = true, .i_bus_exception = true, .d_bus_exception = true, .debug_enabled = 2, .pvr = 2,
	.timing = { .taken = 3, .taken_with_slot = 2, .load = 1, .store = 1, .multiply = 1, .divide = 32, .barrel = 1,
		    .vector = 4 },
};

static void on_changed(void *arg, uint32_t addr, uint32_t size_bytes)
{
	pt_mb_forget(arg, addr, size_bytes);
}

struct pt_vmb *pt_vmb_new(struct pt_vbus *bus, const struct pt_vmb_options *options)
{
	struct pt_vmb *cpu = pt_alloc(sizeof(*cpu));

	cpu->options = *options;
	cpu->state = PT_VMB_HELD;
	cpu->core.bus = bus;
	if (!pt_mb_make_windows(cpu)) {
		pt_vmb_free(cpu);
		return NULL;
	}
	pt_vcore_join(&cpu->core, bus, on_changed);
	return cpu;
}

void pt_vmb_free(struct pt_vmb *cpu)
{
	if (cpu == NULL)
		return;
	pt_mb_free_windows(cpu);
	free(cpu);
}

void pt_vmb_set_hooks(struct pt_vmb *cpu, const struct pt_vmb_hooks *hooks)
{
	cpu->hooks = *hooks;
}

void pt_vmb_observe(struct pt_vmb *cpu, bool on)
{
	cpu->observing = on && cpu->hooks.retired != NULL;
}

/* --- reset */

void pt_vmb_reset(struct pt_vmb *cpu, bool power_on, bool into_halt)
{
	if (power_on) {
		pt_vcore_power_on(&cpu->core);
		memset(cpu->r, 0, sizeof(cpu->r));
	}
	cpu->carry = cpu->in_slot = cpu->prefixed = cpu->reserved = false;
	cpu->slot_returns = 0;
	cpu->msr = cpu->options.pvr > 0 ? PT_VMB_PVR : 0;
	cpu->ear = cpu->esr = cpu->btr = cpu->edr = cpu->pid = cpu->zpr = 0;
	cpu->slr = 0;
	cpu->shr = cpu->options.use_stack_protection ? UINT32_MAX : 0;
	cpu->pc = cpu->last_pc = cpu->options.base_vectors + PT_VMB_RESET;
	cpu->stepping = cpu->passes_breakpoint = cpu->nm_brk = false;
	cpu->halt_wanted = into_halt ? PT_VMB_HALT_RESET : 0;
	cpu->state = PT_VMB_RUN;
	pt_vobservers_tell_reset(&cpu->core.observers, cpu->pc);
	pt_vcore_attend(&cpu->core);
}

void pt_vmb_hold(struct pt_vmb *cpu)
{
	cpu->state = PT_VMB_HELD;
	pt_vcore_attend(&cpu->core);
}

/* --- time */

static void enter_halt(struct pt_vmb *cpu)
{
	uint32_t why = cpu->halt_wanted;

	cpu->halt_wanted = 0;
	cpu->stepping = false;
	cpu->state = PT_VMB_HALT;
	if (cpu->hooks.halted != NULL)
		cpu->hooks.halted(cpu->hooks.arg, why);
}

static bool may_halt(const struct pt_vmb *cpu)
{
	return !cpu->prefixed && (!cpu->in_slot || cpu->options.step_into_slot);
}

/* One instruction, or one entry to a vector. */
static void end_step(struct pt_vmb *cpu)
{
	if (cpu->stepping && cpu->halt_wanted == 0)
		pt_vmb_request_halt(cpu, PT_VMB_HALT_STEP);
}

/* Everything that can happen between two instructions, in order of urgency. */
static void attend(void *arg)
{
	struct pt_vmb *cpu = arg;

	if (cpu->state == PT_VMB_HELD || cpu->state == PT_VMB_HALT)
		return;
	if (cpu->halt_wanted != 0 && may_halt(cpu)) {
		enter_halt(cpu);
		return;
	}
	if (cpu->state == PT_VMB_SLEEP && (cpu->interrupt || cpu->brk || cpu->nm_brk || cpu->imposing))
		cpu->state = PT_VMB_RUN;	/* whether MSR lets it in or not: UNVERIFIED */
	if (cpu->state == PT_VMB_SLEEP)
		return;
	cpu->deferred = cpu->in_slot || cpu->prefixed;
	if (!cpu->deferred && pt_mb_take_interrupt(cpu)) {
		cpu->core.attention = false;
		end_step(cpu);
	}
}

static enum pt_vcore_activity activity(const void *arg)
{
	const struct pt_vmb *cpu = arg;

	switch (cpu->state) {
	case PT_VMB_RUN: return PT_VCORE_RUNS;
	case PT_VMB_SLEEP: return PT_VCORE_SLEEPS;
	case PT_VMB_HALT: return PT_VCORE_HALTED;
	default: return PT_VCORE_RESTS;
	}
}

static bool steps_singly(const void *arg)
{
	const struct pt_vmb *cpu = arg;

	return cpu->stepping || cpu->deferred || cpu->imposing;
}

static void execute(void *arg)
{
	pt_mb_execute(arg);
	end_step(arg);
}

static const struct pt_vcore_ops frame_ops = {
	.attend = attend, .activity = activity, .steps_singly = steps_singly, .execute = execute,
};

void pt_vmb_run(struct pt_vmb *cpu, uint64_t until_cycle)
{
	pt_vcore_run(&cpu->core, &frame_ops, until_cycle);
}

void pt_vmb_stop(struct pt_vmb *cpu)
{
	pt_vcore_stop(&cpu->core);
}

/* --- what is known of it */

enum pt_vmb_state pt_vmb_state(const struct pt_vmb *cpu)
{
	return cpu->state;
}

uint64_t pt_vmb_cycle(const struct pt_vmb *cpu)
{
	return cpu->core.cycle;
}

uint64_t pt_vmb_sleep_cycles(const struct pt_vmb *cpu)
{
	return cpu->core.sleep_cycles;
}

uint64_t pt_vmb_halt_cycles(const struct pt_vmb *cpu)
{
	return cpu->core.halt_cycles;
}

uint64_t pt_vmb_instructions(const struct pt_vmb *cpu)
{
	return cpu->core.instructions;
}

const struct pt_vmb_options *pt_vmb_options(const struct pt_vmb *cpu)
{
	return &cpu->options;
}

/* --- debug */

void pt_vmb_request_halt(struct pt_vmb *cpu, uint32_t why)
{
	if (cpu->state == PT_VMB_HALT || cpu->state == PT_VMB_HELD)
		return;
	cpu->halt_wanted |= why;
	pt_vcore_attend(&cpu->core);
}

void pt_vmb_resume(struct pt_vmb *cpu, bool step)
{
	if (cpu->state != PT_VMB_HALT)
		return;
	cpu->stepping = step;
	cpu->passes_breakpoint = true;
	cpu->state = PT_VMB_RUN;
	pt_vcore_attend(&cpu->core);
}

void pt_vmb_set_breakpoint(struct pt_vmb *cpu, unsigned slot, bool enabled, uint32_t addr)
{
	if (slot >= PT_VMB_BREAKPOINTS)
		return;
	cpu->breakpoint[slot] = addr & ~3u;
	cpu->breakpoints = (uint16_t)((cpu->breakpoints & ~(1u << slot)) | (unsigned)enabled << slot);
}

/* --- observers */

void pt_vmb_add_observer(struct pt_vmb *cpu, struct pt_vobserver *observer)
{
	pt_vobservers_add(&cpu->core.observers, observer);
}

void pt_vmb_remove_observer(struct pt_vmb *cpu, struct pt_vobserver *observer)
{
	pt_vobservers_remove(&cpu->core.observers, observer);
}
