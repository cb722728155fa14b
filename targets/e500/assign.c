/* Why the number of turns is the least: a turn holds P counters, P even, and two threshold events. It cannot be fewer
 * than all halves / P, nor than threshold events / 2. So many suffice: threshold events are paired so that at most one
 * turn has an odd number of counters left; chains then fill the rest two by two, and what is odd is for single ones. */
#include "targets/e500/assign.h"

struct plan {
	const struct pt_e500_want *wants;
	struct pt_e500_place *places;
	size_t n_wants, n_turns;
	unsigned n_pmcs;
	uint8_t used[PT_E500_WANTS_MAX];	/* of each turn: bit n, PMCn is taken */
};

static unsigned free_pmcs(const struct plan *plan, size_t turn)
{
	return plan->n_pmcs - (unsigned)__builtin_popcount(plan->used[turn]);
}

/* The last free counter. There is one. */
static uint8_t take_last(struct plan *plan, size_t turn)
{
	uint8_t pmc = (uint8_t)(plan->n_pmcs - 1);

	while ((plan->used[turn] >> pmc & 1) != 0)
		pmc--;
	plan->used[turn] |= (uint8_t)(1u << pmc);
	return pmc;
}

static void place(struct plan *plan, size_t want, size_t turn)
{
	struct pt_e500_place *place = &plan->places[want];

	place->turn = (uint16_t)turn;
	if (plan->wants[want].event->threshold) {
		place->pmc = (plan->used[turn] & 1) != 0;
		plan->used[turn] |= (uint8_t)(1u << place->pmc);
	} else {
		place->pmc = take_last(plan, turn);
	}
	place->high_pmc = plan->wants[want].chained ? take_last(plan, turn) : PT_E500_NO_PMC;
	if (turn >= plan->n_turns)
		plan->n_turns = turn + 1;
}

static bool is(const struct plan *plan, size_t want, bool threshold, bool chained)
{
	return plan->wants[want].event->threshold == threshold && plan->wants[want].chained == chained;
}

/* Two in a turn, chains with chains; where one chain and an even number of others remain it stays alone. */
static void place_thresholds(struct plan *plan)
{
	size_t n_chained = 0, n_single = 0, at = 0;

	for (size_t i = 0; i < plan->n_wants; i++) {
		n_chained += is(plan, i, true, true);
		n_single += is(plan, i, true, false);
	}
	for (size_t i = 0; i < plan->n_wants; i++)
		if (is(plan, i, true, true))
			place(plan, i, at++ / 2);
	if (n_chained % 2 == 1 && n_single % 2 == 0)
		at++;
	for (size_t i = 0; i < plan->n_wants; i++)
		if (is(plan, i, true, false))
			place(plan, i, at++ / 2);
}

/* In the first turn that has room. */
static void place_others(struct plan *plan, bool chained)
{
	size_t turn = 0;

	for (size_t i = 0; i < plan->n_wants; i++) {
		if (!is(plan, i, false, chained))
			continue;
		while (free_pmcs(plan, turn) < (chained ? 2u : 1u))
			turn++;
		place(plan, i, turn);
	}
}

static int check(enum pt_e500_core core, const struct pt_e500_want *wants, size_t n_wants, struct pt_err *err)
{
	if (n_wants > PT_E500_WANTS_MAX)
		return pt_fail(err, PT_ENOMEM, "%zu events: no more than %d at a time", n_wants, PT_E500_WANTS_MAX);
	for (size_t i = 0; i < n_wants; i++) {
		const struct pt_e500_event *event = wants[i].event;

		if (!pt_e500_has(event, core))
			return pt_fail(err, PT_EUNSUPPORTED, "%s does not count event %u, %s", pt_e500_kinds[core].name,
				event->number, event->name);
		for (unsigned pmc = 0; pmc < pt_e500_kinds[core].n_pmcs; pmc++)
			if (pt_e500_overflow_event(core, pmc) == event->number)
				return pt_fail(err, PT_EARG, "event %u counts overflows of PMC%u: ask for a chain of "
					"the event that PMC%u would count", event->number, pmc, pmc);
	}
	return 0;
}

int pt_e500_assign(enum pt_e500_core core, const struct pt_e500_want *wants, size_t n_wants,
	struct pt_e500_place *places, size_t *n_turns, struct pt_err *err)
{
	struct plan plan = { wants, places, n_wants, 0, pt_e500_kinds[core].n_pmcs, { 0 } };
	int rc = check(core, wants, n_wants, err);

	if (rc < 0)
		return rc;
	place_thresholds(&plan);
	place_others(&plan, true);
	place_others(&plan, false);
	*n_turns = plan.n_turns;
	return 0;
}
