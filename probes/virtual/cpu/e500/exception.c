/* Interrupts: entry, return, and which is next. Source: E500CORERM chapter 5; Power ISA 2.06 Book III-E, chapter 7 */
#include "probes/virtual/cpu/e500/core.h"

enum { TSR_DIS = 0x08000000, TSR_FIS = 0x04000000, TCR_DIE = 0x04000000, TCR_FIE = 0x00800000 };

static bool is_critical(unsigned interrupt)
{
	return interrupt == PT_VE500_CRITICAL || interrupt == PT_VE500_WATCHDOG || interrupt == PT_VE500_DEBUG;
}

static uint32_t vector(const struct pt_ve500 *cpu, unsigned interrupt)
{
	unsigned ivor = interrupt < 32 ? SPR_IVOR0 + interrupt : SPR_IVOR32 + interrupt - 32;

	return (cpu->spr[SPR_IVPR] & 0xffff0000) | (cpu->spr[ivor] & 0xfff0);
}

/* What of MSR an interrupt leaves: its own class stays masked, the others as they were. */
static uint32_t kept(unsigned interrupt)
{
	if (interrupt == PT_VE500_MACHINE_CHECK)
		return 0;
	return is_critical(interrupt) ? PT_VE500_MSR_ME : PT_VE500_MSR_ME | PT_VE500_MSR_CE | PT_VE500_MSR_DE;
}

/* --- MSR */

static void since(uint64_t *at, bool now_enabled, uint64_t cycle)
{
	if (!now_enabled)
		*at = PT_VNEVER;
	else if (*at == PT_VNEVER)
		*at = cycle;
}

void pt_e5_masks_changed(struct pt_ve500 *cpu)
{
	since(&cpu->external_enabled_since, cpu->external && (cpu->msr & PT_VE500_MSR_EE) != 0, cpu->core.cycle);
	since(&cpu->critical_enabled_since, cpu->critical && (cpu->msr & PT_VE500_MSR_CE) != 0, cpu->core.cycle);
	pt_vcore_attend(&cpu->core);
}

void pt_e5_write_msr(struct pt_ve500 *cpu, uint32_t value)
{
	uint32_t bits = cpu->kind->qoriq ? MSR_BITS_QORIQ : MSR_BITS, changed = cpu->msr ^ (value & bits);

	cpu->msr = value & bits;
	if ((changed & (PT_VE500_MSR_IS | PT_VE500_MSR_DS)) != 0)
		pt_e5_forget_pages(cpu);
	if ((cpu->msr & PT_VE500_MSR_WE) != 0) {
		cpu->state = PT_VE500_DOZE;
		cpu->msr &= ~(uint32_t)PT_VE500_MSR_WE;	/* what an interrupt saves is without it: it resumes behind */
	}
	if (changed != 0)
		pt_e5_masks_changed(cpu);
}

/* --- entry and return */

void pt_e5_enter(struct pt_ve500 *cpu, unsigned interrupt, uint32_t return_addr)
{
	unsigned save = interrupt == PT_VE500_MACHINE_CHECK ? SPR_MCSRR0
			: is_critical(interrupt)	    ? SPR_CSRR0
							    : SPR_SRR0;

	cpu->spr[save] = return_addr;
	cpu->spr[save + 1] = cpu->msr;
	cpu->state = PT_VE500_RUN;
	cpu->reserved = false;
	pt_e5_write_msr(cpu, cpu->msr & kept(interrupt));
	cpu->core.cycle += cpu->timing.interrupt;
	cpu->events[EV_INTERRUPTS]++;
	cpu->events[EV_EXTERNAL] += interrupt == PT_VE500_EXTERNAL;
	cpu->events[EV_CRITICAL] += interrupt == PT_VE500_CRITICAL;
	pt_e5_jump(cpu, PT_VJUMP_EXCEPTION, return_addr, interrupt, vector(cpu, interrupt));
	pt_vcore_attend(&cpu->core);
}

void pt_e5_fault(struct pt_ve500 *cpu, unsigned interrupt, uint32_t esr)
{
	cpu->failed = true;
	cpu->spr[SPR_ESR] = esr;
	pt_e5_enter(cpu, interrupt, cpu->at);
}

void pt_e5_return(struct pt_ve500 *cpu, uint32_t to, uint32_t msr)
{
	pt_e5_write_msr(cpu, msr);
	cpu->events[EV_BRANCHES]++;
	pt_e5_jump(cpu, PT_VJUMP_EXC_RETURN, cpu->at, 0, to & ~3u);
}

/* --- which is next */

static bool performance(const struct pt_ve500 *cpu)
{
	return cpu->watcher.interrupt != NULL && cpu->watcher.interrupt(cpu->watcher.arg);
}

/* The one to take now, by the architecture's order; PT_VE500_IVORS: none. */
static unsigned pick(const struct pt_ve500 *cpu)
{
	uint32_t tsr = cpu->spr[SPR_TSR], tcr = cpu->spr[SPR_TCR];

	if (cpu->critical && (cpu->msr & PT_VE500_MSR_CE) != 0)
		return PT_VE500_CRITICAL;
	if ((cpu->msr & PT_VE500_MSR_EE) == 0)
		return PT_VE500_IVORS;
	if (cpu->external)
		return PT_VE500_EXTERNAL;
	if ((tsr & TSR_DIS) != 0 && (tcr & TCR_DIE) != 0)
		return PT_VE500_DECREMENTER;
	if ((tsr & TSR_FIS) != 0 && (tcr & TCR_FIE) != 0)
		return PT_VE500_FIXED_INTERVAL;
	return performance(cpu) ? PT_VE500_PERFORMANCE : PT_VE500_IVORS;
}

static void lasted(struct pt_ve500 *cpu, unsigned event, uint64_t since)
{
	if (cpu->watcher.lasted != NULL && since <= cpu->core.cycle)
		cpu->watcher.lasted(cpu->watcher.arg, event, (uint32_t)(cpu->core.cycle - since), cpu->msr);
}

/* Pending: since the input was asserted. Latency: since it was asserted and enabled. Source: OProfile's event files */
static void tell_waiting(struct pt_ve500 *cpu, unsigned interrupt)
{
	if (interrupt == PT_VE500_EXTERNAL) {
		lasted(cpu, EV_LONG_EXTERNAL_PENDING, cpu->external_since);
		lasted(cpu, EV_LONG_EXTERNAL, cpu->external_enabled_since);
	} else if (interrupt == PT_VE500_CRITICAL) {
		lasted(cpu, EV_LONG_CRITICAL_PENDING, cpu->critical_since);
		lasted(cpu, EV_LONG_CRITICAL, cpu->critical_enabled_since);
	}
}

bool pt_e5_take_interrupt(struct pt_ve500 *cpu)
{
	unsigned interrupt = pick(cpu);
	uint64_t began = cpu->core.cycle;
	uint32_t msr = cpu->msr;

	if (interrupt == PT_VE500_IVORS)
		return false;
	tell_waiting(cpu, interrupt);
	pt_e5_enter(cpu, interrupt, cpu->pc);
	pt_e5_count_cycles(cpu, cpu->core.cycle - began, 0);
	pt_e5_tell_step(cpu, msr);
	return true;
}

/* --- inputs */

void pt_ve500_set_external(struct pt_ve500 *cpu, bool asserted)
{
	if (asserted && !cpu->external)
		cpu->external_since = cpu->core.cycle;
	cpu->external = asserted;
	pt_e5_masks_changed(cpu);
}

void pt_ve500_set_critical(struct pt_ve500 *cpu, bool asserted)
{
	if (asserted && !cpu->critical)
		cpu->critical_since = cpu->core.cycle;
	cpu->critical = asserted;
	pt_e5_masks_changed(cpu);
}
