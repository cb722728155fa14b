/* The core as its chip sees it: power, debug and observers, and what the frame asks of it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/cpu/cortexm/memory.h"

const struct pt_vcpu_model pt_vcpu_m0plus = {
	.cpuid = 0x410cc601,	/* r0p1 */
	.priority_bits = 2, .n_irqs = 32, .reference_divider = 16,
	.entry = 15, .tail_chain = 6, .exception_return = 13, .muls = 1, .taken = 1,
	.ioport_base = 0xf8000000, .ioport_bytes = 0x1000,	/* FGPIO */
};

/* Entry and tail-chaining as in the facts of ARMv7-M, 4.4; the return UNVERIFIED (10 or 12). */
const struct pt_vcpu_model pt_vcpu_m4f = {
	.cpuid = 0x410fc241,	/* r0p1 */
	.mainline = true, .fpu = PT_VFPU_V4, .priority_bits = 4, .n_irqs = 96, .mpu_regions = 8,
	.entry = 12, .tail_chain = 6, .exception_return = 10, .muls = 1, .taken = 2,
};

/* It executes what an M4F does, and says that it is an M33: for units of ARMv8-M around it. */
const struct pt_vcpu_model pt_vcpu_m4f_as_m33 = {
	.cpuid = 0x410fd213,	/* r0p3 */
	.mainline = true, .fpu = PT_VFPU_V4, .priority_bits = 4, .n_irqs = 96, .mpu_regions = 8,
	.entry = 12, .tail_chain = 6, .exception_return = 10, .muls = 1, .taken = 2,
};

const struct pt_vcpu_model pt_vcpu_m7f = {
	.cpuid = 0x411fc272,	/* r1p2 */
	.mainline = true, .fpu = PT_VFPU_V5, .caches = true, .second_fpb = true, .priority_bits = 4, .n_irqs = 96, .mpu_regions = 8,
	.entry = 12, .tail_chain = 6, .exception_return = 12, .muls = 1, .taken = 2,
};

static void on_changed(void *arg, uint32_t addr, uint32_t size_bytes)
{
	pt_cpu_code_changed(arg, addr, size_bytes);
}

static bool join_bus(struct pt_vcpu *cpu, struct pt_vbus *bus)
{
	struct pt_vregion scs = {
		.base = PT_CPU_SCS_BASE, .size = PT_CPU_SCS_BYTES, .ops = &pt_cpu_scs_ops, .unit = cpu,
	};

	cpu->core.bus = bus;
	if (!pt_cpu_make_windows(cpu) || !pt_vbus_add(bus, &scs))
		return false;
	pt_vcore_join(&cpu->core, bus, on_changed);
	return true;
}

struct pt_vcpu *pt_vcpu_new(struct pt_vbus *bus, const struct pt_vcpu_model *model)
{
	struct pt_vcpu *cpu = pt_alloc(sizeof(*cpu));

	cpu->model = model;
	cpu->state = PT_VCPU_HELD;
	if (!join_bus(cpu, bus)) {
		pt_vcpu_free(cpu);
		return NULL;
	}
	cpu->code = cpu->ram;
	return cpu;
}

void pt_vcpu_free(struct pt_vcpu *cpu)
{
	if (cpu == NULL)
		return;
	pt_cpu_free_windows(cpu);
	free(cpu);
}

const struct pt_vcpu_model *pt_vcpu_model(const struct pt_vcpu *cpu)
{
	return cpu->model;
}

void pt_vcpu_set_hooks(struct pt_vcpu *cpu, const struct pt_vcpu_hooks *hooks)
{
	cpu->hooks = *hooks;
}

/* --- reset */

/* Registers that the architecture leaves unknown are 0, so that two runs are alike. */
static void clear_registers(struct pt_vcpu *cpu)
{
	memset(cpu->r, 0, sizeof(cpu->r));
	cpu->r[LR] = 0xffffffff;
	cpu->bank[0] = cpu->bank[1] = 0;
	cpu->on_psp = cpu->spsel = cpu->unprivileged = cpu->primask = cpu->event = false;
	cpu->faultmask = cpu->exclusive = cpu->fpu.active = false;
	cpu->basepri = 0;
	cpu->ipsr = 0;
	pt_cpu_set_xpsr(cpu, 0);
	memset(cpu->fpu.s, 0, sizeof(cpu->fpu.s));
}

static void load_vectors(struct pt_vcpu *cpu)
{
	uint32_t sp, pc;

	if (!pt_cpu_load_vector(cpu, 0, &sp) || !pt_cpu_load_vector(cpu, 4, &pc)) {
		pt_cpu_lockup(cpu);
		return;
	}
	cpu->r[SP] = sp & ~3u;
	cpu->pc = pc & ~1u;
	cpu->thumb = pc & 1;
}

void pt_vcpu_reset(struct pt_vcpu *cpu, bool power_on)
{
	if (power_on) {
		pt_vcore_power_on(&cpu->core);
		cpu->exception_cycles = cpu->memory_cycles = 0;
	}
	clear_registers(cpu);
	pt_cpu_nvic_reset(cpu);
	pt_cpu_system_reset(cpu);
	pt_cpu_systick_reset(cpu);
	cpu->halt_wanted = 0;
	cpu->stepping = cpu->reset_wanted = cpu->core_reset_wanted = false;
	cpu->state = cpu->held ? PT_VCPU_HELD : PT_VCPU_RUN;
	load_vectors(cpu);
	pt_vobservers_tell_reset(&cpu->core.observers, cpu->pc);
	pt_vcore_attend(&cpu->core);
}

void pt_vcpu_hold(struct pt_vcpu *cpu, bool held)
{
	bool let_go = cpu->held && !held;

	cpu->held = held;
	if (held)
		cpu->state = PT_VCPU_HELD;
	else if (let_go)
		pt_vcpu_reset(cpu, false);
	pt_vcore_attend(&cpu->core);
}

/* --- time */

static void enter_debug(struct pt_vcpu *cpu)
{
	uint32_t why = cpu->halt_wanted;

	pt_cpu_systick_sync(cpu);
	cpu->halt_wanted = 0;
	cpu->stepping = false;
	cpu->state = PT_VCPU_HALT;
	cpu->event = true;
	if (cpu->hooks.halted != NULL)
		cpu->hooks.halted(cpu->hooks.arg, why);
}

/* A sleeping core wakes for an exception that it would take if PRIMASK were clear; from WFE also for an event. */
static bool wakes(struct pt_vcpu *cpu)
{
	unsigned first = pt_cpu_next(cpu);

	if (cpu->imposed != NULL)
		return true;	/* the schedule says what happens here, not the sleep */
	if (cpu->waits_for_event && cpu->event) {
		cpu->event = false;
		return true;
	}
	return first != 0 && pt_cpu_preempts(cpu, first, false);
}

/* Enter the exception that is due. */
static bool take_exception(struct pt_vcpu *cpu)
{
	unsigned due = pt_cpu_take_due(cpu);

	if (due != 0)
		pt_cpu_enter(cpu, due, cpu->pc);
	return due != 0;
}

/* C_STEP allows one instruction or one exception entry. */
static void end_step(struct pt_vcpu *cpu)
{
	if (cpu->stepping && cpu->halt_wanted == 0)
		pt_vcpu_request_halt(cpu, PT_VHALT_HALTED);
}

static void ask_for_reset(struct pt_vcpu *cpu)
{
	void (*request)(void *arg) = cpu->reset_wanted ? cpu->hooks.reset_request : cpu->hooks.core_reset_request;

	cpu->reset_wanted = cpu->core_reset_wanted = false;
	if (request != NULL)
		request(cpu->hooks.arg);
}

/* Everything that can happen between two instructions, in order of urgency. */
static void attend(void *arg)
{
	struct pt_vcpu *cpu = arg;

	if ((cpu->reset_wanted || cpu->core_reset_wanted) && !cpu->held)
		ask_for_reset(cpu);
	if (cpu->held || cpu->state == PT_VCPU_HALT)
		return;
	if (cpu->halt_wanted != 0) {
		enter_debug(cpu);
		return;
	}
	if (cpu->state == PT_VCPU_SLEEP && wakes(cpu))
		cpu->state = PT_VCPU_RUN;
	if (cpu->state == PT_VCPU_SLEEP)
		return;
	if (take_exception(cpu)) {
		end_step(cpu);
	} else if (cpu->state == PT_VCPU_RUN && !cpu->thumb) {
		cpu->core.cycle++;
		cpu->it_here = cpu->it;
		pt_cpu_fails(cpu, INVSTATE);
		pt_cpu_raise(cpu, cpu->pc);
		end_step(cpu);
	}
}

static enum pt_vcore_activity activity(const void *arg)
{
	const struct pt_vcpu *cpu = arg;

	switch (cpu->state) {
	case PT_VCPU_RUN: return PT_VCORE_RUNS;
	case PT_VCPU_SLEEP: return PT_VCORE_SLEEPS;
	case PT_VCPU_HALT: return PT_VCORE_HALTED;
	default: return PT_VCORE_RESTS;
	}
}

static bool steps_singly(const void *arg)
{
	const struct pt_vcpu *cpu = arg;

	return cpu->stepping || cpu->imposed != NULL;
}

static void execute(void *arg)
{
	pt_cpu_execute(arg);
	end_step(arg);
}

static void rests(void *arg, uint64_t n_cycles)
{
	const struct pt_vcpu *cpu = arg;

	if (cpu->state == PT_VCPU_SLEEP && cpu->hooks.sleeps != NULL)
		cpu->hooks.sleeps(cpu->hooks.arg, n_cycles);
}

static const struct pt_vcore_ops frame_ops = {
	.attend = attend, .activity = activity, .steps_singly = steps_singly, .execute = execute, .rests = rests,
};

void pt_vcpu_run(struct pt_vcpu *cpu, uint64_t until_cycle)
{
	pt_vcore_run(&cpu->core, &frame_ops, until_cycle);
}

void pt_vcpu_stop(struct pt_vcpu *cpu)
{
	pt_vcore_stop(&cpu->core);
}

/* --- what is known of it */

enum pt_vcpu_state pt_vcpu_state(const struct pt_vcpu *cpu)
{
	return cpu->state;
}

bool pt_vcpu_deep_sleep(const struct pt_vcpu *cpu)
{
	return cpu->state == PT_VCPU_SLEEP && (cpu->scr & 4) != 0;
}

uint64_t pt_vcpu_cycle(const struct pt_vcpu *cpu)
{
	return cpu->core.cycle;
}

uint64_t pt_vcpu_sleep_cycles(const struct pt_vcpu *cpu)
{
	return cpu->core.sleep_cycles;
}

uint64_t pt_vcpu_halt_cycles(const struct pt_vcpu *cpu)
{
	return cpu->core.halt_cycles;
}

uint64_t pt_vcpu_awake_cycles(const struct pt_vcpu *cpu)
{
	return cpu->core.cycle - cpu->core.sleep_cycles - cpu->core.halt_cycles;
}

uint64_t pt_vcpu_instructions(const struct pt_vcpu *cpu)
{
	return cpu->core.instructions;
}

/* No instruction is folded here: each takes a cycle at least. */
uint64_t pt_vcpu_events(const struct pt_vcpu *cpu, enum pt_vevent event)
{
	switch (event) {
	case PT_VEVENT_CPI:
		return pt_vcpu_awake_cycles(cpu) - cpu->core.instructions - cpu->exception_cycles - cpu->memory_cycles;
	case PT_VEVENT_EXCEPTIONS: return cpu->exception_cycles;
	case PT_VEVENT_SLEEP: return cpu->core.sleep_cycles;
	case PT_VEVENT_LSU: return cpu->memory_cycles;
	default: return 0;
	}
}

uint32_t pt_vcpu_last_pc(const struct pt_vcpu *cpu)
{
	return cpu->last_pc;
}

uint32_t pt_vcpu_pc(const struct pt_vcpu *cpu)
{
	return cpu->pc;
}

/* --- debug */

void pt_vcpu_cancel_halt(struct pt_vcpu *cpu, uint32_t why)
{
	cpu->halt_wanted &= ~why;
}

void pt_vcpu_resume(struct pt_vcpu *cpu, bool step, bool mask_interrupts)
{
	cpu->mask_interrupts = mask_interrupts;
	if (cpu->state != PT_VCPU_HALT)
		return;
	pt_cpu_systick_sync(cpu);	/* it stood still until now */
	cpu->stepping = step;
	cpu->state = PT_VCPU_RUN;
	pt_vcore_attend(&cpu->core);
}

void pt_vcpu_set_breakpoint(struct pt_vcpu *cpu, unsigned slot, bool enabled, uint32_t addr)
{
	if (slot >= PT_VCPU_BREAKPOINTS)
		return;
	if (cpu->breakpoint_on[slot])
		pt_cpu_forget(cpu, cpu->breakpoint[slot], 2);
	cpu->breakpoint_on[slot] = enabled;
	cpu->breakpoint[slot] = addr;
	if (enabled)
		pt_cpu_forget(cpu, addr, 2);
}

void pt_vcpu_impose(struct pt_vcpu *cpu, const struct pt_vimposed *list, size_t n_entries)
{
	cpu->imposed = list;
	cpu->n_imposed = list != NULL ? n_entries : 0;
	pt_vcore_attend(&cpu->core);
}

/* --- observers: the inner loop was chosen by what is observed */

void pt_vcpu_taps_changed(struct pt_vcpu *cpu)
{
	pt_vobservers_changed(&cpu->core.observers);
	pt_vcore_attend(&cpu->core);
}

void pt_vcpu_add_observer(struct pt_vcpu *cpu, struct pt_vobserver *observer)
{
	pt_vobservers_add(&cpu->core.observers, observer);
	pt_vcore_attend(&cpu->core);
}

void pt_vcpu_remove_observer(struct pt_vcpu *cpu, struct pt_vobserver *observer)
{
	pt_vobservers_remove(&cpu->core.observers, observer);
	pt_vcore_attend(&cpu->core);
}
