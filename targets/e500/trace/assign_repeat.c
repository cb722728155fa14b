/* Counts some events a second time on unused counters. */
#include "targets/e500/trace/assign.h"

struct fill {
	const struct pt_e500_want *wants;
	size_t n_wants;
	struct pt_e500_place *places;
	size_t n_places, n_turns;
	unsigned n_pmcs;
};

static uint8_t used_in(const struct fill *f, size_t turn)
{
	uint8_t used = 0;

	for (size_t i = 0; i < f->n_places; i++) {
		if (f->places[i].turn != turn)
			continue;
		used |= (uint8_t)(1u << f->places[i].pmc);
		if (f->places[i].high_pmc != PT_E500_NO_PMC)
			used |= (uint8_t)(1u << f->places[i].high_pmc);
	}
	return used;
}

static bool is_in(const struct fill *f, size_t want, size_t turn)
{
	for (size_t i = 0; i < f->n_places; i++)
		if (f->places[i].want == want && f->places[i].turn == turn)
			return true;
	return false;
}

/* Takes the last free counter, or for a threshold event one of the first two. PT_E500_NO_PMC: none. */
static uint8_t take(uint8_t *used, unsigned n_pmcs, bool threshold)
{
	for (unsigned pmc = threshold ? 2 : n_pmcs; pmc-- > 0;)
		if ((*used >> pmc & 1) == 0) {
			*used |= (uint8_t)(1u << pmc);
			return (uint8_t)pmc;
		}
	return PT_E500_NO_PMC;
}

/* False: the turn has no free counter for it; nothing was done. */
static bool add(struct fill *f, size_t want, size_t turn)
{
	uint8_t used = used_in(f, turn);
	struct pt_e500_place at = { .want = (uint16_t)want, .turn = (uint16_t)turn, .high_pmc = PT_E500_NO_PMC };
	bool chained = f->wants[want].chained;

	at.pmc = take(&used, f->n_pmcs, f->wants[want].event->threshold);
	if (at.pmc != PT_E500_NO_PMC && chained)
		at.high_pmc = take(&used, f->n_pmcs, false);
	if (at.pmc == PT_E500_NO_PMC || (chained && at.high_pmc == PT_E500_NO_PMC) || f->n_places == PT_E500_PLACES_MAX)
		return false;
	f->places[f->n_places++] = at;
	return true;
}

static bool is_whole(const struct fill *f, const struct pt_e500_ratio *r)
{
	for (size_t turn = 0; turn < f->n_turns; turn++) {
		bool all = true;

		for (unsigned k = 0; all && k < r->n; k++)
			all = is_in(f, r->want[k], turn);
		if (all)
			return true;
	}
	return false;
}

/* Adds the ratio's missing events to the turn, all of them or none. */
static bool complete(struct fill *f, const struct pt_e500_ratio *r, size_t turn)
{
	size_t was = f->n_places;

	for (unsigned k = 0; k < r->n; k++)
		if (!is_in(f, r->want[k], turn) && !add(f, r->want[k], turn)) {
			f->n_places = was;
			return false;
		}
	return true;
}

/* The number of counters that the ratio's missing events need in the turn. */
static unsigned missing(const struct fill *f, const struct pt_e500_ratio *r, size_t turn)
{
	unsigned n = 0;

	for (unsigned k = 0; k < r->n; k++)
		n += is_in(f, r->want[k], turn) ? 0 : f->wants[r->want[k]].chained ? 2 : 1;
	return n;
}

/* Ratios that need the fewest counters come first, to leave more for the others. */
static void complete_ratios(struct fill *f, const struct pt_e500_ratio *ratio, size_t n)
{
	for (unsigned lacking = 1; lacking <= 2 * PT_E500_RATIO_EVENTS; lacking++)
		for (size_t i = 0; i < n; i++)
			for (size_t turn = 0; turn < f->n_turns && !is_whole(f, &ratio[i]); turn++)
				if (missing(f, &ratio[i], turn) == lacking)
					complete(f, &ratio[i], turn);
}

static void add_turns(struct fill *f, const struct pt_e500_ratio *ratio, size_t n)
{
	for (size_t i = 0; i < n && f->n_turns < PT_E500_WANTS_MAX; i++) {
		if (is_whole(f, &ratio[i]))
			continue;
		if (!complete(f, &ratio[i], f->n_turns))
			continue;		/* it does not fit in a turn */
		f->n_turns++;
		complete_ratios(f, ratio, n);
	}
}

size_t pt_e500_repeat(unsigned n_pmcs, const struct pt_e500_want *wants, size_t n_wants, bool whole,
		      struct pt_e500_place *places, size_t n_places, size_t *n_turns)
{
	struct fill f = { wants, n_wants, places, n_places, *n_turns, n_pmcs };
	struct pt_e500_ratio ratio[PT_E500_RATIOS_MAX];
	size_t n = pt_e500_find_ratios(wants, n_wants, ratio);

	if (f.n_turns < 2)
		return n_places;
	complete_ratios(&f, ratio, n);
	if (whole)
		add_turns(&f, ratio, n);
	for (size_t turn = 0; turn < f.n_turns; turn++)
		for (size_t want = 0; want < n_wants; want++)
			if (!is_in(&f, want, turn))
				add(&f, want, turn);
	*n_turns = f.n_turns;
	return f.n_places;
}

size_t pt_e500_ratios(const struct pt_e500_want *wants, size_t n_wants, const struct pt_e500_place *places,
		      size_t n_places, size_t n_turns, size_t *n_whole)
{
	struct pt_e500_place copy[PT_E500_PLACES_MAX];
	struct fill f = { wants, n_wants, copy, n_places < PT_E500_PLACES_MAX ? n_places : PT_E500_PLACES_MAX, n_turns,
			  0 };
	struct pt_e500_ratio ratio[PT_E500_RATIOS_MAX];
	size_t n = pt_e500_find_ratios(wants, n_wants, ratio);

	for (size_t i = 0; i < f.n_places; i++)
		copy[i] = places[i];
	*n_whole = 0;
	for (size_t i = 0; i < n; i++)
		*n_whole += is_whole(&f, &ratio[i]);
	return n;
}
