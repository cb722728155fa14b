/* What the core is to do before its next instruction: exceptions that are pending and which of them goes first, and a
 * halt that was asked for. Source: DDI 0419, B1.5. */
#include "probes/virtual/cpu/armv6m/core.h"

int pt_cpu_priority(const struct pt_vcpu *cpu, bool with_primask)
{
	int lowest = PRIORITY_THREAD;

	for (uint64_t rest = cpu->active; rest != 0; rest &= rest - 1) {
		int priority = cpu->priority[__builtin_ctzll(rest)];

		if (priority < lowest)
			lowest = priority;
	}
	return with_primask && cpu->primask && lowest > 0 ? 0 : lowest;
}

/* Lowest priority value first, then lowest number. */
unsigned pt_cpu_pick(const struct pt_vcpu *cpu, uint64_t candidates)
{
	unsigned best = 0;

	for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
		unsigned n = (unsigned)__builtin_ctzll(rest);

		if (best == 0 || cpu->priority[n] < cpu->priority[best])
			best = n;
	}
	return best;
}

uint64_t pt_cpu_candidates(const struct pt_vcpu *cpu)
{
	uint64_t held_back = cpu->mask_interrupts || cpu->imposed != NULL ? MASKABLE : 0;

	return cpu->pending & cpu->enabled & ~held_back;
}

/* A level that stays high pends again as soon as its handler is not active. */
void pt_cpu_set_pending(struct pt_vcpu *cpu, unsigned exception, bool pending)
{
	uint64_t bit = BIT(exception);

	if (pending && (cpu->pending & bit) == 0 && (cpu->scr & 0x10) != 0)
		cpu->event = true;	/* SCR.SEVONPEND */
	if (pending)
		cpu->pending |= bit;
	else
		cpu->pending &= ~bit;
	pt_vcore_attend(&cpu->core);
}

void pt_vcpu_request_halt(struct pt_vcpu *cpu, uint32_t why)
{
	if (cpu->state == PT_VCPU_HALT)
		return;
	cpu->halt_wanted |= why;
	pt_vcore_attend(&cpu->core);
}
