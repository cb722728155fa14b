/* What turns the core from its way: a jump, and a halt that it comes to before the next instruction. */
#include "probes/virtual/cpu/e500/core.h"

void pt_e5_jump(struct pt_ve500 *cpu, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	cpu->pc = to;
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, how, from, detail, to);
}

void pt_ve500_request_halt(struct pt_ve500 *cpu)
{
	if (cpu->state == PT_VE500_HALT)
		return;
	cpu->halt_wanted = true;
	pt_vcore_attend(&cpu->core);
}

bool pt_e5_watched(struct pt_ve500 *cpu, uint32_t ea, unsigned size, enum access access)
{
	if (!cpu->any_watchpoint || cpu->passes_watchpoint)
		return false;
	for (unsigned i = 0; i < PT_VE500_WATCHPOINTS; i++) {
		if (!(access == STORE ? cpu->watchpoint[i].stores : cpu->watchpoint[i].loads) ||
		    (ea - cpu->watchpoint[i].addr >= cpu->watchpoint[i].len_bytes &&
		     cpu->watchpoint[i].addr - ea >= size))
			continue;
		cpu->pc = cpu->at;
		cpu->failed = cpu->at_watchpoint = true;
		cpu->watchpoint_hit = i;
		pt_ve500_request_halt(cpu);
		return true;
	}
	return false;
}
