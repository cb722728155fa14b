/* Exceptions: entry, return, tail-chaining, lockup. Source: DDI 0419 and DDI 0403, B1.5. */
#include "probes/virtual/cpu/cortexm/alu.h"
#include "probes/virtual/cpu/cortexm/memory.h"

enum { LOCKUP_PC = 0xfffffffe };
/* EXC_RETURN, with an extended frame's bit set as for a basic one */
enum { TO_HANDLER = 0xfffffff1, TO_MAIN = 0xfffffff9, TO_PROCESS = 0xfffffffd, BASIC_FRAME = 0x10 };
enum { CCR_NONBASETHRDENA = 1, VECTTBL = 2, FORCED = 1 << 30 };	/* CCR; HFSR */

static void deactivate(struct pt_vcpu *cpu, unsigned exception)
{
	pt_vset_put(&cpu->active, exception, false);
	if (pt_vset_has(&cpu->level, exception))
		pt_cpu_set_pending(cpu, exception, true);
	if (exception != PT_VEX_NMI)
		cpu->faultmask = false;
}

/* pc is not where code is: 0xfffffffe, and time passes. */
void pt_cpu_lockup(struct pt_vcpu *cpu)
{
	cpu->state = PT_VCPU_LOCKUP;
	cpu->pc = LOCKUP_PC;
	pt_vcore_attend(&cpu->core);
}

static uint32_t exc_return_now(const struct pt_vcpu *cpu, bool extended)
{
	uint32_t basic = cpu->ipsr != 0 ? TO_HANDLER : cpu->spsel ? TO_PROCESS : TO_MAIN;

	return extended ? basic & ~(uint32_t)BASIC_FRAME : basic;
}

/* The handler begins. A vector that cannot be read is a HardFault, and lockup if it is HardFault's own or NMI's. */
static void start_handler(struct pt_vcpu *cpu, unsigned exception)
{
	uint32_t vector;

	cpu->ipsr = exception;
	pt_cpu_use_sp(cpu, false);
	cpu->spsel = cpu->fpu.active = cpu->exclusive = false;
	cpu->it = cpu->it_here = 0;
	pt_vset_put(&cpu->active, exception, true);
	pt_vset_put(&cpu->pending, exception, false);
	cpu->event = true;
	cpu->state = PT_VCPU_RUN;
	pt_cpu_mpu_changed(cpu);
	if (!pt_cpu_load_vector(cpu, cpu->vtor + 4 * exception, &vector)) {
		if (cpu->priority[exception] < 0) {
			pt_cpu_lockup(cpu);
			return;
		}
		cpu->fault.hfsr |= VECTTBL;
		pt_vset_put(&cpu->pending, PT_VEX_HARDFAULT, true);
		vector = 1;
	}
	cpu->pc = vector & ~1u;
	cpu->thumb = vector & 1;
	if (cpu->hooks.vector_catch != NULL && cpu->hooks.vector_catch(cpu->hooks.arg, exception))
		pt_vcpu_request_halt(cpu, PT_VHALT_VCATCH);
	pt_vcore_attend(&cpu->core);
}

/* A frame that cannot be written is a fault of its own, which goes first if it is more urgent. 0: neither can be. */
static unsigned after_stack_fault(struct pt_vcpu *cpu, unsigned exception)
{
	unsigned derived;

	if (cpu->priority[exception] < 0)
		return 0;
	derived = pt_cpu_pend_fault(cpu);
	return derived != 0 && cpu->priority[derived] < cpu->priority[exception] ? derived
	       : derived == 0							 ? 0
										 : exception;
}

/* One that is more urgent and comes while the frame is written takes the entry; the other stays pending. Source: DDI 0403,
 * B1.5.12. ARMv6-M may, too; that one does not here. */
static unsigned after_late_arrival(struct pt_vcpu *cpu, unsigned exception)
{
	unsigned next;

	if (!cpu->model->mainline)
		return exception;
	pt_vbus_tick_due(cpu->core.bus, cpu->core.cycle);
	next = pt_cpu_next(cpu);
	if (next == 0 || pt_cpu_group(cpu, cpu->priority[next]) >= pt_cpu_group(cpu, cpu->priority[exception]) ||
	    !pt_cpu_preempts(cpu, next, true))
		return exception;
	pt_vset_put(&cpu->pending, exception, true);
	return next;
}

void pt_cpu_enter(struct pt_vcpu *cpu, unsigned exception, uint32_t return_addr)
{
	uint32_t exc_return;
	bool extended;

	pt_cpu_spend(cpu, cpu->model->entry);
	if (!pt_cpu_push_frame(cpu, return_addr, &extended))
		exception = after_stack_fault(cpu, exception);
	if (exception == 0) {
		pt_cpu_lockup(cpu);
		return;
	}
	exc_return = exc_return_now(cpu, extended);
	cpu->r[LR] = exc_return;
	start_handler(cpu, after_late_arrival(cpu, exception));
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_EXCEPTION, return_addr, exc_return, cpu->pc);
}

/* SVC is taken at once or is a HardFault; something more urgent that is pending goes first. Escalated it keeps its
 * return address, as all faults do (note in DDI 0403, B1.5.6; QEMU agrees). */
void pt_cpu_svc(struct pt_vcpu *cpu, uint32_t return_addr)
{
	if (pt_cpu_preempts(cpu, PT_VEX_SVCALL, true)) {
		pt_vset_put(&cpu->pending, PT_VEX_SVCALL, true);
		pt_cpu_enter(cpu, pt_cpu_next(cpu), return_addr);
		return;
	}
	cpu->core.cycle++;
	cpu->fault.hfsr |= FORCED;
	if (pt_cpu_priority(cpu, true) < 0)
		pt_cpu_lockup(cpu);
	else
		pt_cpu_enter(cpu, PT_VEX_HARDFAULT, return_addr);
}

/* Where exc_return goes, or false: a value, or a nesting, that is a fault. Source: DDI 0403, B1.5.8; UNPREDICTABLE in
 * ARMv6-M. */
static bool check_return(const struct pt_vcpu *cpu, uint32_t exc_return, bool *to_handler, bool *to_psp)
{
	uint32_t basic = exc_return | (cpu->model->fpu ? BASIC_FRAME : 0);
	bool nested = pt_vset_count(&cpu->active) > 1;

	*to_handler = basic == TO_HANDLER;
	*to_psp = basic == TO_PROCESS;
	if (!pt_vset_has(&cpu->active, cpu->ipsr))
		return false;
	if (*to_handler)
		return nested;
	return (basic == TO_MAIN || *to_psp) && (!nested || (cpu->ccr & CCR_NONBASETHRDENA) != 0);
}

/* The next handler takes over the frame that is on the stack. */
static bool tail_chain(struct pt_vcpu *cpu, uint32_t exc_return, uint32_t from)
{
	unsigned next = pt_cpu_take_due(cpu);

	if (next == 0)
		return false;
	pt_cpu_spend(cpu, cpu->model->tail_chain);
	cpu->r[LR] = exc_return;
	start_handler(cpu, next);
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_TAIL_CHAIN, from, exc_return, cpu->pc);
	return true;
}

static void return_fault(struct pt_vcpu *cpu, uint32_t exc_return, uint32_t from)
{
	if (pt_cpu_pend_fault(cpu) == 0 || !tail_chain(cpu, exc_return, from))
		pt_cpu_lockup(cpu);
}

static void resume(struct pt_vcpu *cpu, uint32_t exc_return, uint32_t from, bool to_handler)
{
	pt_cpu_spend(cpu, cpu->model->exception_return);
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_EXC_RETURN, from, exc_return, cpu->pc);
	if (!to_handler && (cpu->scr & 2) != 0) {	/* SCR.SLEEPONEXIT */
		cpu->state = PT_VCPU_SLEEP;
		cpu->waits_for_event = false;
	}
}

void pt_cpu_return(struct pt_vcpu *cpu, uint32_t exc_return, uint32_t from)
{
	bool to_handler, to_psp, sound = check_return(cpu, exc_return, &to_handler, &to_psp);

	deactivate(cpu, cpu->ipsr);
	pt_vcore_attend(&cpu->core);
	cpu->event = true;
	cpu->exclusive = false;
	if (!sound) {
		pt_cpu_fails(cpu, INVPC);
		return_fault(cpu, exc_return, from);
		return;
	}
	if (tail_chain(cpu, exc_return, from))
		return;
	cpu->spsel = to_psp;
	pt_cpu_use_sp(cpu, to_psp);
	if (!pt_cpu_pop_frame(cpu, to_handler, (exc_return & BASIC_FRAME) == 0)) {
		return_fault(cpu, exc_return, from);
		return;
	}
	pt_cpu_mpu_changed(cpu);
	resume(cpu, exc_return, from, to_handler);
}

void pt_cpu_jump_interworking(struct pt_vcpu *cpu, uint32_t from, uint32_t to)
{
	if (cpu->ipsr != 0 && to >> 28 == 15) {
		pt_cpu_return(cpu, to, from);
		return;
	}
	cpu->thumb = to & 1;
	if (!cpu->thumb)
		pt_vcore_attend(&cpu->core);
	jump(cpu, from, to & ~1u);
}
