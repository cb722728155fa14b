/* The core as its chip sees it: power, debug and observers, and what the frame asks of it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/cpu/s12z/memory.h"

static void on_changed(void *arg, uint32_t addr, uint32_t size_bytes)
{
	pt_z_forget(arg, addr, size_bytes);
}

static bool join_bus(struct pt_vs12z *cpu, struct pt_vbus *bus)
{
	cpu->core.bus = bus;
	if (!pt_z_make_windows(cpu))
		return false;
	cpu->code = &cpu->nowhere;
	pt_vcore_join(&cpu->core, bus, on_changed);
	return true;
}

struct pt_vs12z *pt_vs12z_new(struct pt_vbus *bus, const struct pt_vs12z_options *options)
{
	struct pt_vs12z *cpu = pt_alloc(sizeof(*cpu));

	if (options != NULL)
		cpu->options = *options;
	cpu->state = PT_VS12Z_HELD;
	if (!join_bus(cpu, bus)) {
		pt_vs12z_free(cpu);
		return NULL;
	}
	return cpu;
}

void pt_vs12z_free(struct pt_vs12z *cpu)
{
	if (cpu == NULL)
		return;
	pt_z_free_windows(cpu);
	free(cpu);
}

void pt_vs12z_set_hooks(struct pt_vs12z *cpu, const struct pt_vs12z_hooks *hooks)
{
	cpu->hooks = *hooks;
}

/* --- reset */

void pt_vs12z_reset(struct pt_vs12z *cpu, bool power_on, bool into_bdm)
{
	if (power_on) {
		pt_vcore_power_on(&cpu->core);
		memset(cpu->r, 0, sizeof(cpu->r));
	}
	cpu->flags = 0;
	cpu->system = PT_VS12Z_S_STOP | PT_VS12Z_X_MASK | PT_VS12Z_I_MASK;
	cpu->irqs_from = 0;
	cpu->ivbr = 0xfffe;
	memset(cpu->priority, 1, sizeof(cpu->priority));
	cpu->machine_pending = cpu->swi_wanted = cpu->stepping = cpu->passes_tag = false;
	cpu->halt_wanted = into_bdm ? PT_VS12Z_HALT_RESET : 0;
	cpu->state = PT_VS12Z_RUN;
	pt_z_reset_vector(cpu);
	pt_vobservers_tell_reset(&cpu->core.observers, cpu->pc);
	pt_vcore_attend(&cpu->core);
}

void pt_vs12z_hold(struct pt_vs12z *cpu)
{
	cpu->state = PT_VS12Z_HELD;
	pt_vcore_attend(&cpu->core);
}

/* --- time */

static void enter_bdm(struct pt_vs12z *cpu)
{
	uint32_t why = cpu->halt_wanted;

	cpu->halt_wanted = 0;
	cpu->swi_wanted = cpu->stepping = false;
	cpu->state = PT_VS12Z_BDM;
	if (cpu->hooks.halted != NULL)
		cpu->hooks.halted(cpu->hooks.arg, why);
}

static bool asleep(const struct pt_vs12z *cpu)
{
	return cpu->state == PT_VS12Z_WAIT || cpu->state == PT_VS12Z_STOP;
}

static void wake(struct pt_vs12z *cpu)
{
	cpu->state = PT_VS12Z_RUN;
	if (cpu->hooks.asleep != NULL)
		cpu->hooks.asleep(cpu->hooks.arg, PT_VS12Z_RUN);
}

/* Enter the exception that is due. */
static bool take_exception(struct pt_vs12z *cpu)
{
	unsigned vector;

	if (cpu->swi_wanted) {
		cpu->swi_wanted = false;
		vector = PT_VS12Z_SWI;
	} else {
		vector = pt_z_pick(cpu, false);
		if (vector >= PT_VS12Z_IRQ && cpu->core.instructions < cpu->irqs_from)
			return false;
	}
	if (vector == 0)
		return false;
	cpu->core.cycle += CYCLES_STEP;
	if (vector == PT_VS12Z_MACHINE)
		pt_z_machine(cpu, cpu->pc);
	else
		pt_z_enter(cpu, vector, cpu->pc);
	return true;
}

/* STEP1 allows one instruction or one exception entry. */
static void end_step(struct pt_vs12z *cpu)
{
	if (cpu->stepping && cpu->halt_wanted == 0)
		pt_vs12z_request_halt(cpu, PT_VS12Z_HALT_STEP);
}

/* Everything that can happen between two instructions, in order of urgency. */
static void attend(void *arg)
{
	struct pt_vs12z *cpu = arg;

	if (cpu->state == PT_VS12Z_HELD || cpu->state == PT_VS12Z_BDM)
		return;
	if (asleep(cpu) && pt_z_pick(cpu, true) != 0)
		wake(cpu);
	if (asleep(cpu))
		return;
	if (cpu->halt_wanted != 0)
		enter_bdm(cpu);
	else if (take_exception(cpu))
		end_step(cpu);
}

static enum pt_vcore_activity activity(const void *arg)
{
	const struct pt_vs12z *cpu = arg;

	switch (cpu->state) {
	case PT_VS12Z_RUN: return PT_VCORE_RUNS;
	case PT_VS12Z_WAIT: case PT_VS12Z_STOP: return PT_VCORE_SLEEPS;
	case PT_VS12Z_BDM: return PT_VCORE_HALTED;
	default: return PT_VCORE_RESTS;
	}
}

static bool steps_singly(const void *arg)
{
	const struct pt_vs12z *cpu = arg;

	return cpu->stepping || cpu->core.instructions < cpu->irqs_from;
}

static void execute(void *arg)
{
	pt_z_execute(arg);
	end_step(arg);
}

static const struct pt_vcore_ops frame_ops = {
	.attend = attend, .activity = activity, .steps_singly = steps_singly, .execute = execute,
};

void pt_vs12z_run(struct pt_vs12z *cpu, uint64_t until_cycle)
{
	pt_vcore_run(&cpu->core, &frame_ops, until_cycle);
}

/* --- what is known of it */

enum pt_vs12z_state pt_vs12z_state(const struct pt_vs12z *cpu)
{
	return cpu->state;
}

uint64_t pt_vs12z_cycle(const struct pt_vs12z *cpu)
{
	return cpu->core.cycle;
}

uint64_t pt_vs12z_sleep_cycles(const struct pt_vs12z *cpu)
{
	return cpu->core.sleep_cycles;
}

uint64_t pt_vs12z_halt_cycles(const struct pt_vs12z *cpu)
{
	return cpu->core.halt_cycles;
}

uint64_t pt_vs12z_instructions(const struct pt_vs12z *cpu)
{
	return cpu->core.instructions;
}

uint32_t pt_vs12z_sync_pc(const struct pt_vs12z *cpu)
{
	return cpu->state == PT_VS12Z_RUN ? cpu->last_pc : cpu->pc;
}

uint32_t pt_vs12z_pc(const struct pt_vs12z *cpu)
{
	return cpu->pc;
}

/* --- debug */

void pt_vs12z_request_halt(struct pt_vs12z *cpu, uint32_t why)
{
	if (cpu->state == PT_VS12Z_BDM)
		return;
	cpu->halt_wanted |= why;
	pt_vcore_attend(&cpu->core);
}

void pt_vs12z_cancel_halt(struct pt_vs12z *cpu, uint32_t why)
{
	cpu->halt_wanted &= ~why;
}

void pt_vs12z_request_swi(struct pt_vs12z *cpu)
{
	if (cpu->state == PT_VS12Z_BDM)
		return;
	cpu->swi_wanted = true;
	pt_vcore_attend(&cpu->core);
}

void pt_vs12z_resume(struct pt_vs12z *cpu, bool step)
{
	if (cpu->state != PT_VS12Z_BDM)
		return;
	cpu->stepping = step;
	cpu->passes_tag = true;
	cpu->state = PT_VS12Z_RUN;
	pt_vcore_attend(&cpu->core);
}

void pt_vs12z_watch(struct pt_vs12z *cpu, bool on)
{
	cpu->watching = on;
}

/* BDC numbers to op-code numbers. */
static const uint8_t crn[PT_VS12Z_REGS] = {
	R_D0, R_D1, R_D2, R_D3, R_D4, R_D5, R_D6, R_D7, R_X, R_Y, R_S, R_P, R_CCW,
};

uint32_t pt_vs12z_reg(const struct pt_vs12z *cpu, unsigned reg)
{
	if (reg >= PT_VS12Z_REGS)
		return 0;
	return reg == PT_VS12Z_P ? cpu->pc : pt_z_get(cpu, crn[reg]);
}

/* The debugger is no program: it may write every bit of CCW. */
static void write_ccw(struct pt_vs12z *cpu, uint32_t value)
{
	cpu->flags = value & (PT_VS12Z_N | PT_VS12Z_Z | PT_VS12Z_V | PT_VS12Z_C);
	cpu->system = value & (PT_VS12Z_U | PT_VS12Z_IPL | PT_VS12Z_S_STOP | PT_VS12Z_X_MASK | PT_VS12Z_I_MASK);
	pt_vcore_attend(&cpu->core);
}

void pt_vs12z_set_reg(struct pt_vs12z *cpu, unsigned reg, uint32_t value)
{
	uint32_t from = cpu->pc;

	if (reg >= PT_VS12Z_REGS)
		return;
	if (reg == PT_VS12Z_CCW) {
		write_ccw(cpu, value);
	} else if (reg != PT_VS12Z_P) {
		pt_z_put(cpu, crn[reg], value);
	} else {
		cpu->pc = value & ADDR_MASK;
		if (cpu->core.observers.jump && cpu->pc != from)
			pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_DEBUG, from, 0, cpu->pc);
	}
}

/* --- observers */

void pt_vs12z_taps_changed(struct pt_vs12z *cpu)
{
	pt_vobservers_changed(&cpu->core.observers);
}

void pt_vs12z_add_observer(struct pt_vs12z *cpu, struct pt_vobserver *observer)
{
	pt_vobservers_add(&cpu->core.observers, observer);
}

void pt_vs12z_remove_observer(struct pt_vs12z *cpu, struct pt_vobserver *observer)
{
	pt_vobservers_remove(&cpu->core.observers, observer);
}
