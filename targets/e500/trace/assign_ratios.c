/* Keeps the events of a ratio in one turn where possible: a ratio of two counts from the same time has no error from
 * changes in the program's behaviour. A want moves only if the turn has room for it (counters, threshold events), and
 * if more ratios become whole or more pairs of a ratio share a turn. */
#include <string.h>

#include "targets/e500/trace/assign.h"
#include "base/util.h"

/* Numbers of events; 0 ends a row. Source: AN3636 Rev. 2, Table 1, and similar ratios. Rows for one core use that
 * core's events: other cores lack them, or have other events with these numbers. */
static const struct { uint8_t cores; uint16_t event[PT_E500_RATIO_EVENTS]; } table[] = {
#define OLD (1 << PT_E500_V1 | 1 << PT_E500_V2 | MC)
#define MC (1 << PT_E500_MC | 1 << PT_E500_E5500)
#define E6 (1 << PT_E500_E6500)
#define ALL (OLD | E6)
	{ ALL, { 2, 1 } }, { ALL, { 12, 17 } }, { ALL, { 12, 2 } }, { ALL, { 15, 12 } }, { ALL, { 60, 2 } },
	{ ALL, { 41, 9, 10 } }, { ALL, { 18, 1 } }, { ALL, { 19, 1 } }, { ALL, { 20, 1 } }, { ALL, { 3, 2 } },
	{ ALL, { 66, 2 } }, { ALL, { 21, 1 } }, { ALL, { 22, 1 } }, { ALL, { 23, 1 } }, { ALL, { 24, 1 } },
	{ ALL, { 25, 1 } }, { MC, { 111, 110 } }, { MC, { 113, 112 } }, { MC, { 115, 114 } },
	{ E6, { 221, 9, 10 } }, { E6, { 222, 9 } }, { E6, { 223, 10 } }, { E6, { 254, 2 } }, { E6, { 456, 457 } },
	{ E6, { 465, 466 } }, { E6, { 463, 461 } }, { E6, { 464, 462 } },
};

struct search {
	const struct pt_e500_want *wants;
	size_t n_wants, n_turns, n_ratios;
	unsigned n_pmcs;
	uint16_t *turn;
	struct pt_e500_ratio ratio[PT_E500_RATIOS_MAX];
};

/* --- ratios of a list */

static int find_want(const struct pt_e500_want *wants, size_t n_wants, uint8_t cores, uint16_t number)
{
	for (size_t i = 0; i < n_wants; i++)
		if (wants[i].event->number == number && !wants[i].apart && (wants[i].event->cores & cores) != 0)
			return (int)i;
	return -1;
}

size_t pt_e500_find_ratios(const struct pt_e500_want *wants, size_t n_wants, struct pt_e500_ratio *ratios)
{
	size_t n = 0;

	for (size_t i = 0; i < PT_LEN(table) && n < PT_E500_RATIOS_MAX; i++) {
		struct pt_e500_ratio ratio = { .n = 0 };
		bool all = true;

		for (size_t k = 0; k < PT_E500_RATIO_EVENTS && table[i].event[k] != 0; k++) {
			int want = find_want(wants, n_wants, table[i].cores, table[i].event[k]);

			all &= want >= 0;
			ratio.want[ratio.n++] = (uint16_t)(all ? want : 0);
		}
		if (all)
			ratios[n++] = ratio;
	}
	return n;
}

/* --- moving */

static unsigned halves_of(const struct pt_e500_want *want)
{
	return want->chained ? 2 : 1;
}

static bool turn_holds(const struct search *s, size_t turn)
{
	unsigned halves = 0, thresholds = 0;

	for (size_t i = 0; i < s->n_wants; i++) {
		if (s->turn[i] != turn)
			continue;
		halves += halves_of(&s->wants[i]);
		thresholds += s->wants[i].event->threshold;
	}
	return halves <= s->n_pmcs && thresholds <= 2;
}

/* A whole ratio outweighs any number of pairs. */
static unsigned score(const struct search *s)
{
	unsigned sum = 0;

	for (size_t i = 0; i < s->n_ratios; i++) {
		const struct pt_e500_ratio *r = &s->ratio[i];
		unsigned pairs = 0, most = r->n * (r->n - 1u) / 2;

		for (unsigned a = 0; a < r->n; a++)
			for (unsigned b = a + 1; b < r->n; b++)
				pairs += s->turn[r->want[a]] == s->turn[r->want[b]];
		sum += pairs + (pairs == most ? 256u : 0u);
	}
	return sum;
}

static bool is_free(const struct search *s, size_t want)
{
	return s->wants[want].together == 0;
}

static bool is_member(const struct pt_e500_ratio *r, size_t want)
{
	for (unsigned k = 0; k < r->n; k++)
		if (r->want[k] == want)
			return true;
	return false;
}

/* Moves the want to the turn. If the turn is full, swaps it with a want outside the ratio: the one that leaves the best
 * score. False: impossible; nothing was changed. */
static bool bring(struct search *s, const struct pt_e500_ratio *r, size_t want, uint16_t to)
{
	uint16_t from = s->turn[want];
	size_t best = s->n_wants;
	unsigned best_score = 0;

	s->turn[want] = to;
	if (turn_holds(s, to))
		return true;
	for (size_t i = 0; i < s->n_wants; i++) {
		if (s->turn[i] != to || i == want || is_member(r, i) || !is_free(s, i))
			continue;
		s->turn[i] = from;
		if (turn_holds(s, to) && turn_holds(s, from) && (best == s->n_wants || score(s) > best_score)) {
			best = i;
			best_score = score(s);
		}
		s->turn[i] = to;
	}
	if (best == s->n_wants) {
		s->turn[want] = from;
		return false;
	}
	s->turn[best] = from;
	return true;
}

/* Moves all of a ratio to one turn. True: the score is better; else nothing was changed. */
static bool gather(struct search *s, const struct pt_e500_ratio *r, uint16_t to)
{
	uint16_t before[PT_E500_WANTS_MAX];
	unsigned was = score(s);
	bool all = true;

	memcpy(before, s->turn, s->n_wants * sizeof(before[0]));
	for (unsigned k = 0; all && k < r->n; k++)
		if (s->turn[r->want[k]] != to)
			all = is_free(s, r->want[k]) && bring(s, r, r->want[k], to);
	if (all && score(s) > was)
		return true;
	memcpy(s->turn, before, s->n_wants * sizeof(before[0]));
	return false;
}

/* Swaps two wants if that raises the score. */
static bool swap(struct search *s)
{
	unsigned was = score(s);

	for (size_t a = 0; a < s->n_wants; a++)
		for (size_t b = a + 1; b < s->n_wants; b++) {
			uint16_t of_a = s->turn[a], of_b = s->turn[b];

			if (of_a == of_b || !is_free(s, a) || !is_free(s, b))
				continue;
			s->turn[a] = of_b;
			s->turn[b] = of_a;
			if (turn_holds(s, of_a) && turn_holds(s, of_b) && score(s) > was)
				return true;
			s->turn[a] = of_a;
			s->turn[b] = of_b;
		}
	return false;
}

/* Ends: the score rises each time, and is bounded. */
static void climb(struct search *s, size_t first)
{
	bool better = true;

	while (better) {
		better = false;
		for (size_t i = 0; i < s->n_ratios; i++)
			for (uint16_t to = 0; to < s->n_turns; to++)
				better |= gather(s, &s->ratio[(first + i) % s->n_ratios], to);
		better = better || swap(s);
	}
}

/* Climbs from the same start once with each ratio first, and keeps the best result. */
void pt_e500_gather(unsigned n_pmcs, const struct pt_e500_want *wants, size_t n_wants, uint16_t *turn, size_t n_turns)
{
	struct search s = { .wants = wants, .n_wants = n_wants, .n_turns = n_turns, .n_pmcs = n_pmcs, .turn = turn };
	uint16_t start[PT_E500_WANTS_MAX], best[PT_E500_WANTS_MAX];
	size_t size = n_wants * sizeof(best[0]);
	unsigned best_score;

	s.n_ratios = n_turns > 1 ? pt_e500_find_ratios(wants, n_wants, s.ratio) : 0;
	memcpy(start, turn, size);
	memcpy(best, turn, size);
	best_score = score(&s);
	for (size_t first = 0; first < s.n_ratios; first++) {
		memcpy(turn, start, size);
		climb(&s, first);
		if (score(&s) <= best_score)
			continue;
		best_score = score(&s);
		memcpy(best, turn, size);
	}
	memcpy(turn, best, size);
}
