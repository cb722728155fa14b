/* Faults: what is recorded of them, which exception they are, and what becomes of one that cannot be taken. In ARMv6-M
 * each is a HardFault. Source: DDI 0403, B1.5.14. */
#include "probes/virtual/cpu/cortexm/core.h"

#define FORCED (UINT32_C(1) << 30)	/* HFSR */
#define DEBUGEVT (UINT32_C(1) << 31)
enum { MEMMANAGE_BITS = 0xff, BUSFAULT_BITS = 0xff00 };

static unsigned exception_of(uint32_t cause)
{
	if ((cause & MEMMANAGE_BITS) != 0)
		return PT_VEX_MEMMANAGE;
	return (cause & BUSFAULT_BITS) != 0 ? PT_VEX_BUSFAULT : PT_VEX_USAGEFAULT;
}

unsigned pt_cpu_record_fault(struct pt_vcpu *cpu)
{
	struct faults *f = &cpu->fault;
	uint32_t cause = f->cause;

	f->cause = 0;
	if (!cpu->model->mainline)
		return PT_VEX_HARDFAULT;
	if ((cause & DACCVIOL) != 0) {
		f->mmfar = f->addr;
		cause |= MMARVALID;
	}
	if ((cause & PRECISERR) != 0) {
		f->bfar = f->addr;
		cause |= BFARVALID;
	}
	f->cfsr |= cause;
	return exception_of(cause);
}

unsigned pt_cpu_pend_fault(struct pt_vcpu *cpu)
{
	unsigned exception = pt_cpu_record_fault(cpu);

	if (exception != PT_VEX_HARDFAULT &&
	    (!pt_vset_has(&cpu->enabled, exception) || !pt_cpu_preempts(cpu, exception, true))) {
		exception = PT_VEX_HARDFAULT;
		cpu->fault.hfsr |= FORCED;
	}
	if (pt_cpu_priority(cpu, true) < 0 && exception == PT_VEX_HARDFAULT)
		return 0;
	pt_vset_put(&cpu->pending, exception, true);
	return exception;
}

/* The instruction did not happen: an IT block goes on with it. */
void pt_cpu_raise(struct pt_vcpu *cpu, uint32_t return_addr)
{
	unsigned exception = pt_cpu_pend_fault(cpu);

	cpu->it = cpu->it_here;
	if (exception == 0)
		pt_cpu_lockup(cpu);
	else
		pt_cpu_enter(cpu, exception, return_addr);
}

/* BKPT and no debugger that takes it. Source: DDI 0403, C1.6.1 */
void pt_cpu_bkpt(struct pt_vcpu *cpu, uint32_t pc)
{
	cpu->it = cpu->it_here;
	cpu->fault.hfsr |= DEBUGEVT;
	if (pt_cpu_priority(cpu, true) < 0)
		pt_cpu_lockup(cpu);
	else
		pt_cpu_enter(cpu, PT_VEX_HARDFAULT, pc);
}
