/* The core as its chip sees it: power, debug and observers, and what the frame asks of it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/cpu/e500/core.h"

const struct pt_ve500_timing pt_ve500_default_timing = {
	.load_hit = 0, .multiply = 3, .divide = 18, .mispredict = 5, .interrupt = 8, .l1_miss = 20, .fetch_miss = 12,
	.l2_hit = 6, .tb_cycles = 8,
};

const struct pt_ve500_kind pt_ve500_kinds[PT_VE500_CORES] = {
	[PT_VE500_CORE_V1] = { .name = "e500v1", .word = "v1", .pvr = 0x80200020, .tlb1_entries = 16, .line_shift = 5, .n_pmcs = 4,
			       .event_bits = 7 },
	[PT_VE500_CORE_V2] = { .name = "e500v2", .word = "v2", .pvr = 0x80210030, .tlb1_entries = 16, .line_shift = 5, .n_pmcs = 4,
			       .event_bits = 7, .time_events = true },
	[PT_VE500_CORE_MC] = { .name = "e500mc", .word = "mc", .pvr = 0x80230020, .qoriq = true, .tlb1_entries = 64, .line_shift = 6,
			       .l2_kib = 128, .l2_ways = 8, .n_pmcs = 4, .event_bits = 8, .time_events = true },
	[PT_VE500_CORE_E5500] = { .name = "e5500", .word = "e5500", .pvr = 0x80240020, .qoriq = true, .tlb1_entries = 64,
				  .line_shift = 6, .l2_kib = 512, .l2_ways = 8, .n_pmcs = 4, .event_bits = 8,
				  .time_events = true },
	[PT_VE500_CORE_E6500] = { .name = "e6500", .word = "e6500", .pvr = 0x80400020, .qoriq = true, .tlb1_entries = 64,
				  .line_shift = 6, .l2_kib = 2048, .l2_ways = 16, .writes_through = true, .n_pmcs = 6,
				  .event_bits = 9, .time_events = true },
};

static bool join_bus(struct pt_ve500 *cpu, struct pt_vbus *bus)
{
	cpu->core.bus = bus;
	for (size_t i = 0; i < bus->n_regions; i++) {
		const struct pt_vregion *region = &bus->region[i];

		if (region->bytes == NULL)
			continue;
		if (cpu->n_windows == MAX_WINDOWS)
			return false;
		cpu->window[cpu->n_windows++] =
			(struct window){ region->base, region->size, region->bytes, region->read_only };
	}
	pt_vcore_join(&cpu->core, bus, NULL);
	return cpu->n_windows > 0;
}

struct pt_ve500 *pt_ve500_new(struct pt_vbus *bus, enum pt_ve500_core core, const struct pt_ve500_timing *timing)
{
	struct pt_ve500 *cpu = pt_alloc(sizeof(*cpu));

	cpu->variant = core;
	cpu->kind = &pt_ve500_kinds[core];
	cpu->timing = timing != NULL ? *timing : pt_ve500_default_timing;
	cpu->state = PT_VE500_HELD;
	pt_e5_reset_sprs(cpu);
	if (!pt_e5_caches_new(cpu) || !join_bus(cpu, bus)) {
		pt_ve500_free(cpu);
		return NULL;
	}
	return cpu;
}

void pt_ve500_free(struct pt_ve500 *cpu)
{
	if (cpu != NULL)
		pt_e5_caches_free(cpu);
	free(cpu);
}

void pt_ve500_set_number(struct pt_ve500 *cpu, uint32_t pir)
{
	cpu->number = pir;
	cpu->spr[SPR_PIR] = pir;
}

void pt_ve500_set_hooks(struct pt_ve500 *cpu, const struct pt_ve500_hooks *hooks)
{
	cpu->hooks = *hooks;
}

void pt_ve500_set_watcher(struct pt_ve500 *cpu, const struct pt_ve500_watcher *watcher)
{
	cpu->watcher = *watcher;
}

/* --- reset */

void pt_ve500_reset(struct pt_ve500 *cpu, bool power_on, uint32_t entry)
{
	if (power_on) {
		pt_vcore_power_on(&cpu->core);
		memset(cpu->events, 0, sizeof(cpu->events));
		memset(cpu->r, 0, sizeof(cpu->r));
		memset(cpu->high, 0, sizeof(cpu->high));
		memset(cpu->fpr, 0, sizeof(cpu->fpr));
		cpu->acc = cpu->fpscr = 0;
		cpu->cr = cpu->lr = cpu->ctr = cpu->xer = 0;
	}
	pt_e5_caches_reset(cpu);
	memset(&cpu->btb, 0, sizeof(cpu->btb));
	pt_e5_reset_sprs(cpu);
	pt_e5_tlb_fixed(cpu, entry);
	pt_e5_time_reset(cpu);
	cpu->msr = 0;
	cpu->external_enabled_since = cpu->critical_enabled_since = PT_VNEVER;
	cpu->reserved = cpu->halt_wanted = cpu->stepping = cpu->passes_breakpoint = false;
	cpu->at_watchpoint = cpu->passes_watchpoint = false;
	cpu->pc = cpu->at = entry;
	cpu->state = PT_VE500_RUN;
	pt_vobservers_tell_reset(&cpu->core.observers, cpu->pc);
	pt_vcore_attend(&cpu->core);
}

void pt_ve500_hold(struct pt_ve500 *cpu)
{
	cpu->state = PT_VE500_HELD;
	pt_vcore_attend(&cpu->core);
}

/* --- time */

static void halt(struct pt_ve500 *cpu)
{
	cpu->halt_wanted = cpu->stepping = false;
	cpu->state = PT_VE500_HALT;
	if (cpu->hooks.halted != NULL)
		cpu->hooks.halted(cpu->hooks.arg);
}

static bool at_breakpoint(struct pt_ve500 *cpu)
{
	if (cpu->passes_breakpoint)
		return false;
	for (unsigned i = 0; i < PT_VE500_BREAKPOINTS; i++)
		if (cpu->breakpoint_on[i] && cpu->breakpoint[i] == cpu->pc)
			return true;
	return false;
}

/* Everything that can happen between two instructions, in order of urgency. */
static void attend(void *arg)
{
	struct pt_ve500 *cpu = arg;

	if (cpu->state == PT_VE500_HELD || cpu->state == PT_VE500_HALT)
		return;
	pt_e5_time_pass(cpu);
	if (cpu->halt_wanted) {
		halt(cpu);
	} else if (cpu->stepping && cpu->masks_steps) {
		return;		/* what is pending is taken by the next instruction that is no step */
	} else if (pt_e5_take_interrupt(cpu) && cpu->stepping) {
		halt(cpu);	/* a step is one instruction, or the entry of one interrupt */
	}
}

static enum pt_vcore_activity activity(const void *arg)
{
	const struct pt_ve500 *cpu = arg;

	switch (cpu->state) {
	case PT_VE500_RUN: return PT_VCORE_RUNS;
	case PT_VE500_DOZE: return PT_VCORE_SLEEPS;
	case PT_VE500_HALT: return PT_VCORE_HALTED;
	default: return PT_VCORE_RESTS;
	}
}

static bool steps_singly(const void *arg)
{
	const struct pt_ve500 *cpu = arg;

	return cpu->stepping;
}

static void execute(void *arg)
{
	struct pt_ve500 *cpu = arg;

	do {
		if (cpu->any_breakpoint && at_breakpoint(cpu)) {
			cpu->halt_wanted = true;
			cpu->core.attention = true;
			return;
		}
		cpu->passes_breakpoint = false;
		pt_e5_execute(cpu);
		cpu->passes_watchpoint = false;
	} while (cpu->core.cycle < cpu->core.deadline);
	if (cpu->stepping)
		pt_ve500_request_halt(cpu);
}

/* Counters that go on in a halted core. */
static void rests(void *arg, uint64_t n_cycles)
{
	struct pt_ve500 *cpu = arg;

	if (cpu->state != PT_VE500_HALT || !cpu->counts_halted)
		return;
	pt_e5_count_cycles(cpu, n_cycles, 0);
	pt_e5_tell_step(cpu, cpu->msr);
}

/* Timers and the performance monitor. Dozing cycles are no processor cycles: the clock of the counters stands. */
static uint64_t next_due(const void *arg)
{
	const struct pt_ve500 *cpu = arg;
	uint64_t timers = cpu->state != PT_VE500_HALT ? pt_e5_time_next(cpu) : PT_VNEVER, watcher = PT_VNEVER;

	if (cpu->watcher.next != NULL)
		watcher = cpu->watcher.next(cpu->watcher.arg, cpu->core.cycle);
	return watcher < timers ? watcher : timers;
}

static const struct pt_vcore_ops frame_ops = {
	.attend = attend, .activity = activity, .steps_singly = steps_singly, .execute = execute,
	.next_due = next_due, .rests = rests,
};

void pt_ve500_run(struct pt_ve500 *cpu, uint64_t until_cycle)
{
	pt_vcore_run(&cpu->core, &frame_ops, until_cycle);
}

void pt_ve500_stop(struct pt_ve500 *cpu)
{
	pt_vcore_stop(&cpu->core);
}

void pt_ve500_lose_reservation(struct pt_ve500 *cpu)
{
	cpu->reserved = false;
}

/* --- what is known of it */

enum pt_ve500_state pt_ve500_state(const struct pt_ve500 *cpu) { return cpu->state; }
uint64_t pt_ve500_cycle(const struct pt_ve500 *cpu) { return cpu->core.cycle; }
uint64_t pt_ve500_idle_cycles(const struct pt_ve500 *cpu) { return cpu->core.sleep_cycles; }
uint64_t pt_ve500_halt_cycles(const struct pt_ve500 *cpu) { return cpu->core.halt_cycles; }
uint64_t pt_ve500_instructions(const struct pt_ve500 *cpu) { return cpu->core.instructions; }
uint32_t pt_ve500_pc(const struct pt_ve500 *cpu) { return cpu->pc; }
const uint64_t *pt_ve500_events(const struct pt_ve500 *cpu) { return cpu->events; }
enum pt_ve500_core pt_ve500_core(const struct pt_ve500 *cpu) { return cpu->variant; }

/* --- debug */

void pt_ve500_resume(struct pt_ve500 *cpu, bool step)
{
	if (cpu->state != PT_VE500_HALT)
		return;
	cpu->stepping = step;
	cpu->passes_breakpoint = true;
	cpu->passes_watchpoint = cpu->at_watchpoint && cpu->pc == cpu->at;
	cpu->at_watchpoint = false;
	cpu->state = PT_VE500_RUN;
	pt_vcore_attend(&cpu->core);
}

static uint32_t *word(struct pt_ve500 *cpu, unsigned reg)
{
	if (reg < 32)
		return &cpu->r[reg];
	if (reg < 64)
		return cpu->kind->qoriq ? NULL : &cpu->high[reg - 32];
	switch (reg) {
	case PT_VE500_CR: return &cpu->cr;
	case PT_VE500_LR: return &cpu->lr;
	case PT_VE500_CTR: return &cpu->ctr;
	case PT_VE500_XER: return &cpu->xer;
	case PT_VE500_SPEFSCR: return cpu->kind->qoriq ? NULL : &cpu->spr[SPR_SPEFSCR];
	case PT_VE500_FPSCR: return cpu->kind->qoriq ? &cpu->fpscr : NULL;
	default: return NULL;
	}
}

static bool is_fpr(const struct pt_ve500 *cpu, unsigned reg)
{
	return cpu->kind->qoriq && reg >= PT_VE500_F0 && reg < PT_VE500_F0 + 32;
}

uint64_t pt_ve500_reg(const struct pt_ve500 *cpu, unsigned reg)
{
	struct pt_ve500 *same = (struct pt_ve500 *)(uintptr_t)cpu;	/* word() serves both ways; it is only read */

	if (is_fpr(cpu, reg))
		return cpu->fpr[reg - PT_VE500_F0];
	switch (reg) {
	case PT_VE500_PC: return cpu->pc;
	case PT_VE500_MSR: return cpu->msr;
	case PT_VE500_ACC: return cpu->acc;
	case PT_VE500_PVR: return cpu->kind->pvr;
	default: return word(same, reg) != NULL ? *word(same, reg) : 0;
	}
}

static void write_pc(struct pt_ve500 *cpu, uint32_t value)
{
	uint32_t from = cpu->pc;

	if ((value & ~3u) != from)
		pt_e5_jump(cpu, PT_VJUMP_DEBUG, from, 0, value & ~3u);
}

void pt_ve500_set_reg(struct pt_ve500 *cpu, unsigned reg, uint64_t value)
{
	if (reg == PT_VE500_PC)
		write_pc(cpu, (uint32_t)value);
	else if (reg == PT_VE500_MSR)
		pt_e5_write_msr(cpu, (uint32_t)value & ~(uint32_t)PT_VE500_MSR_WE);
	else if (reg == PT_VE500_ACC && !cpu->kind->qoriq)
		cpu->acc = value;
	else if (is_fpr(cpu, reg))
		cpu->fpr[reg - PT_VE500_F0] = value;
	else if (word(cpu, reg) != NULL)
		*word(cpu, reg) = (uint32_t)value;
}

void pt_ve500_set_breakpoint(struct pt_ve500 *cpu, unsigned slot, bool enabled, uint32_t addr)
{
	if (slot >= PT_VE500_BREAKPOINTS)
		return;
	cpu->breakpoint_on[slot] = enabled;
	cpu->breakpoint[slot] = addr & ~3u;
	cpu->any_breakpoint = false;
	for (unsigned i = 0; i < PT_VE500_BREAKPOINTS; i++)
		cpu->any_breakpoint |= cpu->breakpoint_on[i];
}

void pt_ve500_mask_steps(struct pt_ve500 *cpu, bool on)
{
	cpu->masks_steps = on;
}

void pt_ve500_count_halted(struct pt_ve500 *cpu, bool on)
{
	cpu->counts_halted = on;
}

/* --- data address compares */

void pt_ve500_set_watchpoint(struct pt_ve500 *cpu, unsigned slot, bool loads, bool stores, uint32_t addr,
			     uint32_t len_bytes)
{
	if (slot >= PT_VE500_WATCHPOINTS)
		return;
	cpu->watchpoint[slot].loads = loads;
	cpu->watchpoint[slot].stores = stores;
	cpu->watchpoint[slot].addr = addr;
	cpu->watchpoint[slot].len_bytes = len_bytes;
	cpu->any_watchpoint = false;
	for (unsigned i = 0; i < PT_VE500_WATCHPOINTS; i++)
		cpu->any_watchpoint |= cpu->watchpoint[i].loads || cpu->watchpoint[i].stores;
}

bool pt_ve500_at_watchpoint(const struct pt_ve500 *cpu, unsigned *slot)
{
	*slot = cpu->watchpoint_hit;
	return cpu->at_watchpoint;
}

/* --- observers */

void pt_ve500_add_observer(struct pt_ve500 *cpu, struct pt_vobserver *observer)
{
	pt_vobservers_add(&cpu->core.observers, observer);
}

void pt_ve500_remove_observer(struct pt_ve500 *cpu, struct pt_vobserver *observer)
{
	pt_vobservers_remove(&cpu->core.observers, observer);
}
