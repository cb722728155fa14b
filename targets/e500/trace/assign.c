/* Why this finds the least number of turns: a turn has P counters, P even and 4 or more, and room for two threshold
 * events. There cannot be fewer turns than all halves / P, nor than threshold events / 2. That many are enough:
 * threshold events are paired so that at most one turn has an odd number of counters left. Chains then take the free
 * counters in pairs, and single events take the odd ones. Events that are moved later are checked against the same two
 * limits; any set within them fits in a turn. */
#include "targets/e500/trace/assign.h"

struct plan {
	const struct pt_e500_want *wants;
	size_t n_wants, n_turns;
	unsigned n_pmcs;
	uint16_t turn[PT_E500_WANTS_MAX];	/* of each want */
	uint8_t halves[PT_E500_WANTS_MAX], thresholds[PT_E500_WANTS_MAX];	/* in each turn */
};

static unsigned halves_of(const struct pt_e500_want *want)
{
	return want->chained ? 2 : 1;
}

static void put(struct plan *plan, size_t want, size_t turn)
{
	plan->turn[want] = (uint16_t)turn;
	plan->halves[turn] = (uint8_t)(plan->halves[turn] + halves_of(&plan->wants[want]));
	plan->thresholds[turn] = (uint8_t)(plan->thresholds[turn] + plan->wants[want].event->threshold);
	if (turn >= plan->n_turns)
		plan->n_turns = turn + 1;
}

/* --- which turn */

static bool is(const struct plan *plan, size_t want, bool threshold, bool chained)
{
	return plan->wants[want].event->threshold == threshold && plan->wants[want].chained == chained;
}

/* Puts two in each turn, chains with chains; if one chain and an even number of others remain, the chain gets a turn
 * without another threshold event. */
static void put_thresholds(struct plan *plan)
{
	size_t n_chained = 0, n_single = 0, at = 0;

	for (size_t i = 0; i < plan->n_wants; i++) {
		n_chained += is(plan, i, true, true);
		n_single += is(plan, i, true, false);
	}
	for (size_t i = 0; i < plan->n_wants; i++)
		if (is(plan, i, true, true))
			put(plan, i, at++ / 2);
	if (n_chained % 2 == 1 && n_single % 2 == 0)
		at++;
	for (size_t i = 0; i < plan->n_wants; i++)
		if (is(plan, i, true, false))
			put(plan, i, at++ / 2);
}

/* Puts each in the first turn with enough free counters. */
static void put_others(struct plan *plan, bool chained)
{
	size_t turn = 0;

	for (size_t i = 0; i < plan->n_wants; i++) {
		if (!is(plan, i, false, chained))
			continue;
		while (plan->halves[turn] + (chained ? 2u : 1u) > plan->n_pmcs)
			turn++;
		put(plan, i, turn);
	}
}

/* Counters and threshold events of the group of want i, itself included; false: an earlier want is the group's
 * first. */
static bool with(const struct plan *plan, size_t i, unsigned *halves, unsigned *thresholds)
{
	uint8_t together = plan->wants[i].together;

	*halves = *thresholds = 0;
	for (size_t k = 0; k < plan->n_wants; k++) {
		if (k != i && (together == 0 || plan->wants[k].together != together))
			continue;
		if (k < i)
			return false;
		*halves += halves_of(&plan->wants[k]);
		*thresholds += plan->wants[k].event->threshold;
	}
	return true;
}

static void put_with(struct plan *plan, size_t i, size_t turn)
{
	uint8_t together = plan->wants[i].together;

	for (size_t k = i; k < plan->n_wants; k++)
		if (k == i || (together != 0 && plan->wants[k].together == together))
			put(plan, k, turn);
}

/* First fit, for grouped events or few counters: the largest group first, each in the first turn with room. */
static void put_together(struct plan *plan)
{
	unsigned halves, thresholds;

	for (unsigned size = plan->n_pmcs; size > 0; size--)
		for (size_t i = 0; i < plan->n_wants; i++) {
			size_t turn = 0;

			if (!with(plan, i, &halves, &thresholds) || halves != size)
				continue;
			while (plan->halves[turn] + halves > plan->n_pmcs || plan->thresholds[turn] + thresholds > 2)
				turn++;
			put_with(plan, i, turn);
		}
}

/* --- which counter */

/* The last free counter. There is one. */
static uint8_t take_last(uint8_t *used, unsigned n_pmcs)
{
	uint8_t pmc = (uint8_t)(n_pmcs - 1);

	while ((*used >> pmc & 1) != 0)
		pmc--;
	*used |= (uint8_t)(1u << pmc);
	return pmc;
}

static struct pt_e500_place place(const struct plan *plan, size_t want, uint8_t *used)
{
	struct pt_e500_place at = { .want = (uint16_t)want, .turn = plan->turn[want] };

	if (plan->wants[want].event->threshold) {
		at.pmc = (*used & 1) != 0;
		*used |= (uint8_t)(1u << at.pmc);
	} else {
		at.pmc = take_last(used, plan->n_pmcs);
	}
	at.high_pmc = plan->wants[want].chained ? take_last(used, plan->n_pmcs) : PT_E500_NO_PMC;
	return at;
}

static void place_all(const struct plan *plan, struct pt_e500_place *places)
{
	uint8_t used[PT_E500_WANTS_MAX] = { 0 };

	for (int kind = 3; kind >= 0; kind--)	/* the most constrained events first */
		for (size_t i = 0; i < plan->n_wants; i++)
			if (is(plan, i, kind >= 2, kind % 2 == 1))
				places[i] = place(plan, i, &used[plan->turn[i]]);
}

/* --- all of it */

static int check_event(enum pt_e500_core core, const struct pt_e500_event *event, struct pt_err *err)
{
	if (!pt_e500_has(event, core))
		return pt_fail(err, PT_EUNSUPPORTED, "%s does not count event %u, %s", pt_e500_kinds[core].name,
			       event->number, event->name);
	for (unsigned pmc = 0; pmc < pt_e500_kinds[core].n_pmcs; pmc++)
		if (pt_e500_overflow_event(core, pmc) == event->number)
			return pt_fail(err, PT_EARG,
				       "event %u counts overflows of PMC%u: ask for a chain of "
				       "the event that PMC%u would count",
				       event->number, pmc, pmc);
	return 0;
}

static int check(enum pt_e500_core core, const struct plan *plan, bool *together, struct pt_err *err)
{
	unsigned halves, thresholds;

	if (plan->n_wants > PT_E500_WANTS_MAX)
		return pt_fail(err, PT_ENOMEM, "%zu events: no more than %d at a time", plan->n_wants,
			       PT_E500_WANTS_MAX);
	for (size_t i = 0; i < plan->n_wants; i++) {
		if (check_event(core, plan->wants[i].event, err) < 0)
			return err->code;
		*together |= plan->wants[i].together != 0;
		if (with(plan, i, &halves, &thresholds) && (halves > plan->n_pmcs || thresholds > 2))
			return pt_fail(err, PT_EARG,
				       "%s and what is to be counted with it take %u counters, %u of them with a "
				       "threshold; there are %u, and 2 with one",
				       plan->wants[i].event->name, halves, thresholds, plan->n_pmcs);
	}
	return 0;
}

int pt_e500_assign(enum pt_e500_core core, unsigned n_pmcs, const struct pt_e500_want *wants, size_t n_wants,
		   struct pt_e500_place *places, size_t *n_turns, struct pt_err *err)
{
	struct plan plan = { .wants = wants, .n_wants = n_wants, .n_pmcs = n_pmcs };
	struct pt_err own = { 0 };
	bool together = false;

	if (check(core, &plan, &together, err != NULL ? err : &own) < 0)
		return err != NULL ? err->code : own.code;
	if (together || n_pmcs < 4) {
		put_together(&plan);
	} else {
		put_thresholds(&plan);
		put_others(&plan, true);
		put_others(&plan, false);
	}
	pt_e500_gather(plan.n_pmcs, wants, n_wants, plan.turn, plan.n_turns);
	place_all(&plan, places);
	*n_turns = plan.n_turns;
	return 0;
}
