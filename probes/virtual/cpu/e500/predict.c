/* The branch target buffer. A hit is a branch that it knows, or one that it does not know and that was not taken.
 * Source: E500CORERM Rev. 1, 4.3.2; events 15 to 17: OProfile's event files */
#include "probes/virtual/cpu/e500/core.h"

static unsigned way_of(const struct btb *btb, unsigned set, uint32_t from)
{
	unsigned way = 0;

	while (way < BTB_WAYS && !(btb->entry[set][way].valid && btb->entry[set][way].from == from))
		way++;
	return way;
}

static void learn(struct btb *btb, unsigned set, uint32_t from, uint32_t to)
{
	unsigned way = btb->oldest[set]++ % BTB_WAYS;

	btb->entry[set][way].valid = true;
	btb->entry[set][way].from = from;
	btb->entry[set][way].to = to;
	btb->entry[set][way].counter = 2;
}

static void count_unknown(struct pt_ve500 *cpu, bool taken, bool conditional)
{
	cpu->events[EV_TAKEN_UNKNOWN] += taken;
	cpu->events[EV_BTB_UNKNOWN] += !conditional;
}

void pt_e5_predict(struct pt_ve500 *cpu, uint32_t from, uint32_t to, bool taken, bool conditional)
{
	unsigned set = from >> 2 & (BTB_SETS - 1), way = way_of(&cpu->btb, set, from);
	bool known = way < BTB_WAYS, guess = false, right_target = false;

	if (known) {
		guess = cpu->btb.entry[set][way].counter >= 2;
		right_target = cpu->btb.entry[set][way].to == to;
		if (taken)
			cpu->btb.entry[set][way].to = to;
		if (taken && cpu->btb.entry[set][way].counter < 3)
			cpu->btb.entry[set][way].counter++;
		else if (!taken && cpu->btb.entry[set][way].counter > 0)
			cpu->btb.entry[set][way].counter--;
	} else if (taken) {
		learn(&cpu->btb, set, from, to);
	}
	if (!known && cpu->variant == PT_VE500_CORE_E6500)
		count_unknown(cpu, taken, conditional);
	cpu->events[EV_BTB_HITS] += known || !taken;
	cpu->events[EV_MISPREDICTED_DIRECTION] += guess != taken;
	if (guess == taken && (!taken || right_target))
		return;
	if (cpu->variant == PT_VE500_CORE_E6500)
		cpu->events[EV_BTB_TARGET] += guess && taken;
	cpu->events[EV_MISPREDICTED]++;
	cpu->events[EV_REDIRECTS]++;
	cpu->core.cycle += cpu->timing.mispredict;
}
