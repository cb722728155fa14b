/* Exceptions: entry, return, tail-chaining, escalation, lockup. Source: DDI 0419, B1.5. */
#include "probes/virtual/cpu/armv6m/memory.h"

enum { FRAME_BYTES = 32, LOCKUP_PC = 0xfffffffe };
enum { ALIGNED = 1 << 9 };	/* in the stacked xPSR: four bytes were skipped to align the frame to eight */
enum { EXC_RETURN_HANDLER = 0xfffffff1, EXC_RETURN_MAIN = 0xfffffff9, EXC_RETURN_PROCESS = 0xfffffffd };

static void deactivate(struct pt_vcpu *cpu, unsigned exception)
{
	cpu->active &= ~BIT(exception);
	if (exception >= PT_VEX_IRQ0 && (cpu->level >> (exception - PT_VEX_IRQ0) & 1) != 0)
		pt_cpu_set_pending(cpu, exception, true);
}

/* pc is not where code is: 0xfffffffe, and time passes. */
void pt_cpu_lockup(struct pt_vcpu *cpu)
{
	cpu->state = PT_VCPU_LOCKUP;
	cpu->pc = LOCKUP_PC;
	pt_vcore_attend(&cpu->core);
}

static bool push_frame(struct pt_vcpu *cpu, uint32_t return_addr)
{
	uint32_t skipped = cpu->r[SP] & 4, xpsr = pt_cpu_xpsr(cpu) | (skipped != 0 ? ALIGNED : 0);
	uint32_t frame[8] = { cpu->r[0], cpu->r[1], cpu->r[2], cpu->r[3], cpu->r[12], cpu->r[LR], return_addr, xpsr };
	bool done = true;

	cpu->r[SP] = cpu->r[SP] - skipped - FRAME_BYTES;
	for (unsigned i = 0; i < 8; i++)
		done &= pt_cpu_store(cpu, cpu->r[SP] + 4 * i, 4, frame[i]);
	return done;
}

static uint32_t exc_return_now(const struct pt_vcpu *cpu)
{
	if (cpu->ipsr != 0)
		return EXC_RETURN_HANDLER;
	return cpu->spsel ? EXC_RETURN_PROCESS : EXC_RETURN_MAIN;
}

/* The handler begins. A vector that cannot be read is a HardFault, and lockup if it is HardFault's own or NMI's. */
static void start_handler(struct pt_vcpu *cpu, unsigned exception)
{
	uint32_t vector;

	cpu->ipsr = exception;
	pt_cpu_use_sp(cpu, false);
	cpu->spsel = false;
	cpu->active |= BIT(exception);
	cpu->pending &= ~BIT(exception);
	cpu->event = true;
	cpu->state = PT_VCPU_RUN;
	if (!pt_cpu_load(cpu, cpu->vtor + 4 * exception, 4, &vector)) {
		if (cpu->priority[exception] < 0) {
			pt_cpu_lockup(cpu);
			return;
		}
		cpu->pending |= BIT(PT_VEX_HARDFAULT);
		vector = 1;
	}
	cpu->pc = vector & ~1u;
	cpu->thumb = vector & 1;
	if (cpu->hooks.vector_catch != NULL && cpu->hooks.vector_catch(cpu->hooks.arg, exception))
		pt_vcpu_request_halt(cpu, PT_VHALT_VCATCH);
	pt_vcore_attend(&cpu->core);
}

/* A frame that cannot be written is a HardFault instead, or lockup where that cannot be taken. */
void pt_cpu_enter(struct pt_vcpu *cpu, unsigned exception, uint32_t return_addr)
{
	uint32_t exc_return = exc_return_now(cpu);

	cpu->core.cycle += cpu->timing.entry;
	if (!push_frame(cpu, return_addr)) {
		if (pt_cpu_priority(cpu, false) < 0 || cpu->priority[exception] < 0) {
			pt_cpu_lockup(cpu);
			return;
		}
		exception = PT_VEX_HARDFAULT;
	}
	cpu->r[LR] = exc_return;
	start_handler(cpu, exception);
	if (cpu->core.taps.jump)
		pt_vtaps_tell_jump(&cpu->core.taps, PT_VJUMP_EXCEPTION, return_addr, exc_return, cpu->pc);
}

void pt_cpu_hardfault(struct pt_vcpu *cpu, uint32_t return_addr)
{
	if (pt_cpu_priority(cpu, false) < 0) {
		pt_cpu_lockup(cpu);
		return;
	}
	pt_cpu_enter(cpu, PT_VEX_HARDFAULT, return_addr);
}

/* SVC is taken at once or is a HardFault; something more urgent that is pending goes first. Escalated it keeps its
 * return address, as all faults do (note in DDI 0403, B1.5.6; QEMU agrees). */
void pt_cpu_svc(struct pt_vcpu *cpu, uint32_t return_addr)
{
	unsigned first;

	if (cpu->priority[PT_VEX_SVCALL] >= pt_cpu_priority(cpu, true)) {
		cpu->core.cycle++;
		pt_cpu_hardfault(cpu, return_addr);
		return;
	}
	cpu->pending |= BIT(PT_VEX_SVCALL);
	first = pt_cpu_pick(cpu, pt_cpu_candidates(cpu));
	pt_cpu_enter(cpu, first, return_addr);
}

/* Where exc_return goes, or false: a value, or a nesting, that the architecture calls UNPREDICTABLE; here a HardFault.
 * Source: DDI 0419, B1.5.8 */
static bool check_return(const struct pt_vcpu *cpu, uint32_t exc_return, bool *to_handler, bool *to_psp)
{
	bool nested = (cpu->active & (cpu->active - 1)) != 0;

	*to_handler = exc_return == EXC_RETURN_HANDLER;
	*to_psp = exc_return == EXC_RETURN_PROCESS;
	if ((cpu->active & BIT(cpu->ipsr)) == 0)
		return false;
	if (*to_handler)
		return nested;
	return (exc_return == EXC_RETURN_MAIN || *to_psp) && !nested;
}

static bool pop_frame(struct pt_vcpu *cpu, bool to_handler)
{
	uint32_t frame[8], sp = cpu->r[SP];

	for (unsigned i = 0; i < 8; i++)
		if (!pt_cpu_load(cpu, sp + 4 * i, 4, &frame[i]))
			return false;
	if (((frame[7] & 0x3f) != 0) != to_handler)
		return false;
	for (unsigned i = 0; i < 4; i++)
		cpu->r[i] = frame[i];
	cpu->r[12] = frame[4];
	cpu->r[LR] = frame[5];
	cpu->pc = frame[6] & ~1u;
	cpu->r[SP] = sp + FRAME_BYTES + ((frame[7] & ALIGNED) != 0 ? 4 : 0);
	pt_cpu_set_apsr(cpu, frame[7]);
	cpu->thumb = frame[7] >> 24 & 1;
	cpu->ipsr = frame[7] & 0x3f;
	return true;
}

/* The next handler takes over the frame that is on the stack. */
static bool tail_chain(struct pt_vcpu *cpu, uint32_t exc_return, uint32_t from)
{
	unsigned next = pt_cpu_pick(cpu, pt_cpu_candidates(cpu));

	if (next == 0 || cpu->priority[next] >= pt_cpu_priority(cpu, true))
		return false;
	cpu->core.cycle += cpu->timing.tail_chain;
	cpu->r[LR] = exc_return;
	start_handler(cpu, next);
	if (cpu->core.taps.jump)
		pt_vtaps_tell_jump(&cpu->core.taps, PT_VJUMP_TAIL_CHAIN, from, exc_return, cpu->pc);
	return true;
}

static void return_fault(struct pt_vcpu *cpu, uint32_t exc_return, uint32_t from)
{
	cpu->pending |= BIT(PT_VEX_HARDFAULT);
	if (pt_cpu_priority(cpu, false) < 0) {
		pt_cpu_lockup(cpu);
		return;
	}
	tail_chain(cpu, exc_return, from);
}

void pt_cpu_return(struct pt_vcpu *cpu, uint32_t exc_return, uint32_t from)
{
	unsigned exception = cpu->ipsr;
	bool to_handler, to_psp, sound = check_return(cpu, exc_return, &to_handler, &to_psp);

	deactivate(cpu, exception);
	pt_vcore_attend(&cpu->core);
	cpu->event = true;
	if (!sound) {
		return_fault(cpu, exc_return, from);
		return;
	}
	if (tail_chain(cpu, exc_return, from))
		return;
	cpu->spsel = to_psp;
	pt_cpu_use_sp(cpu, to_psp);
	if (!pop_frame(cpu, to_handler)) {
		return_fault(cpu, exc_return, from);
		return;
	}
	cpu->core.cycle += cpu->timing.exception_return;
	if (cpu->core.taps.jump)
		pt_vtaps_tell_jump(&cpu->core.taps, PT_VJUMP_EXC_RETURN, from, exc_return, cpu->pc);
	if (!to_handler && (cpu->scr & 2) != 0) {	/* SCR.SLEEPONEXIT */
		cpu->state = PT_VCPU_SLEEP;
		cpu->waits_for_event = false;
	}
}
