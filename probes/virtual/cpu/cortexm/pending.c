/* What the core is to do before its next instruction: exceptions that are pending and which of them goes first, and a
 * halt that was asked for. Source: DDI 0403, B1.5 (ARMv6-M: without groups, BASEPRI and FAULTMASK). */
#include "probes/virtual/cpu/cortexm/core.h"

int pt_cpu_group(const struct pt_vcpu *cpu, int priority)
{
	return priority > 0 && priority < PRIORITY_THREAD ? priority & (int)(0xfffffffe << cpu->priority_group)
							  : priority;
}

static int active_priority(const struct pt_vcpu *cpu)
{
	int lowest = PRIORITY_THREAD;

	for (unsigned n = pt_vset_next(&cpu->active, 0); n < PT_VSET_END; n = pt_vset_next(&cpu->active, n + 1)) {
		int priority = pt_cpu_group(cpu, cpu->priority[n]);

		if (priority < lowest)
			lowest = priority;
	}
	return lowest;
}

int pt_cpu_priority(const struct pt_vcpu *cpu, bool with_primask)
{
	int priority = active_priority(cpu), boosted = PRIORITY_THREAD;

	if (cpu->basepri != 0)
		boosted = pt_cpu_group(cpu, cpu->basepri);
	if (with_primask && cpu->primask && boosted > 0)
		boosted = 0;
	if (cpu->faultmask)
		boosted = -1;
	return boosted < priority ? boosted : priority;
}

bool pt_cpu_preempts(const struct pt_vcpu *cpu, unsigned exception, bool with_primask)
{
	return pt_cpu_group(cpu, cpu->priority[exception]) < pt_cpu_priority(cpu, with_primask);
}

/* Lowest priority value first, then lowest number. */
unsigned pt_cpu_pick(const struct pt_vcpu *cpu, const struct pt_vset *candidates)
{
	unsigned best = 0;

	for (unsigned n = pt_vset_next(candidates, 0); n < PT_VSET_END; n = pt_vset_next(candidates, n + 1))
		if (best == 0 || cpu->priority[n] < cpu->priority[best])
			best = n;
	return best;
}

/* Exceptions that C_MASKINTS keeps pending, and that an imposed schedule replaces. */
static const struct pt_vset maskable = {
	{ UINT64_C(0xffffffffffff0000) | 1 << PT_VEX_PENDSV | 1 << PT_VEX_SYSTICK, UINT64_MAX, UINT64_MAX, UINT64_MAX },
};

/* DEMCR.MON_PEND pends DebugMonitor whether it is enabled or not. Source: DDI 0403, C1.6.5 */
static const struct pt_vset taken_anyway = { { 1 << PT_VEX_DEBUGMON } };

unsigned pt_cpu_next(const struct pt_vcpu *cpu)
{
	bool held_back = cpu->mask_interrupts || cpu->imposed != NULL;
	struct pt_vset candidates;

	for (unsigned i = 0; i < PT_VSET_WORDS; i++) {
		candidates.word[i] = cpu->pending.word[i] & (cpu->enabled.word[i] | taken_anyway.word[i]);
		if (held_back)
			candidates.word[i] &= ~maskable.word[i];
	}
	return pt_cpu_pick(cpu, &candidates);
}

unsigned pt_cpu_take_due(struct pt_vcpu *cpu)
{
	unsigned next = pt_cpu_next(cpu);

	if (cpu->n_imposed > 0 && cpu->imposed->insn == cpu->core.instructions) {
		cpu->n_imposed--;
		return cpu->imposed++->vector;
	}
	return next != 0 && pt_cpu_preempts(cpu, next, true) ? next : 0;
}

/* A level that stays high pends again as soon as its handler is not active. */
void pt_cpu_set_pending(struct pt_vcpu *cpu, unsigned exception, bool pending)
{
	if (pending && !pt_vset_has(&cpu->pending, exception) && (cpu->scr & 0x10) != 0)
		cpu->event = true;	/* SCR.SEVONPEND */
	pt_vset_put(&cpu->pending, exception, pending);
	pt_vcore_attend(&cpu->core);
}

void pt_vcpu_pend_monitor(struct pt_vcpu *cpu, bool pending)
{
	pt_cpu_set_pending(cpu, PT_VEX_DEBUGMON, pending);
}

void pt_vcpu_enable_monitor(struct pt_vcpu *cpu, bool enabled)
{
	pt_vset_put(&cpu->enabled, PT_VEX_DEBUGMON, enabled);
}

bool pt_vcpu_monitor_pends(const struct pt_vcpu *cpu)
{
	return pt_vset_has(&cpu->pending, PT_VEX_DEBUGMON);
}

bool pt_vcpu_monitor(struct pt_vcpu *cpu, uint32_t why)
{
	if (!cpu->model->mainline || cpu->hooks.monitor == NULL || !pt_cpu_preempts(cpu, PT_VEX_DEBUGMON, true) ||
	    !cpu->hooks.monitor(cpu->hooks.arg, why))
		return false;
	pt_vcpu_pend_monitor(cpu, true);
	return true;
}

void pt_vcpu_request_halt(struct pt_vcpu *cpu, uint32_t why)
{
	if (cpu->state == PT_VCPU_HALT)
		return;
	cpu->halt_wanted |= why;
	pt_vcore_attend(&cpu->core);
}

void pt_cpu_sleep_until(struct pt_vcpu *cpu, bool event)
{
	if (event && cpu->event) {
		cpu->event = false;
		return;
	}
	cpu->waits_for_event = event;
	cpu->state = PT_VCPU_SLEEP;
	pt_vcore_attend(&cpu->core);
}
