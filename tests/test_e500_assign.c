/* Events on counters: lists with their places by hand, and all lists of up to seven against an exhaustive search. */
#include <string.h>

#include "harness.h"
#include "targets/e500/trace/assign.h"

enum { NO = PT_E500_NO_PMC, LONGEST = 7, MASK_BITS = 24 };

struct item { uint16_t number; bool chained; struct { uint16_t turn; uint8_t pmc, high_pmc; } want; };

static const struct {
	const char *name;
	enum pt_e500_core core;
	size_t n_items, n_turns;
	struct item item[9];
} lists[] = {
	{ "none", PT_E500_V2, 0, 0, { { 0 } } },
	{ "G1", PT_E500_V2, 4, 1, { { 1, false, { 0, 3, NO } }, { 2, false, { 0, 2, NO } }, { 12, false, { 0, 1, NO } },
		{ 17, false, { 0, 0, NO } } } },
	{ "G2", PT_E500_V2, 5, 2, {	/* 2 with 60, and 41 with 9 and 10 */
		{ 2, false, { 1, 3, NO } }, { 60, false, { 1, 2, NO } }, { 41, false, { 0, 3, NO } },
		{ 9, false, { 0, 2, NO } }, { 10, false, { 0, 1, NO } } } },
	{ "a threshold last", PT_E500_V1, 4, 1, { { 1, false, { 0, 3, NO } }, { 2, false, { 0, 2, NO } },
		{ 12, false, { 0, 1, NO } }, { 76, false, { 0, 0, NO } } } },
	{ "one event by three thresholds", PT_E500_V2, 3, 2, { { 78, false, { 0, 0, NO } }, { 78, false, { 0, 1, NO } },
		{ 78, false, { 1, 0, NO } } } },
	{ "chains", PT_E500_V2, 3, 2, {
		{ 1, true, { 0, 3, 2 } }, { 2, true, { 0, 1, 0 } }, { 12, true, { 1, 3, 2 } } } },
	{ "a chain between single ones", PT_E500_V2, 3, 1, { { 1, false, { 0, 1, NO } }, { 2, true, { 0, 3, 2 } },
		{ 12, false, { 0, 0, NO } } } },
	{ "a chained threshold", PT_E500_MC, 3, 1, { { 76, true, { 0, 0, 3 } }, { 77, false, { 0, 1, NO } },
		{ 1, false, { 0, 2, NO } } } },
	{ "a chained threshold stays alone", PT_E500_V2, 5, 2, { { 76, true, { 0, 0, 3 } }, { 77, false, { 1, 0, NO } },
		{ 78, false, { 1, 1, NO } }, { 1, true, { 0, 2, 1 } }, { 2, true, { 1, 3, 2 } } } },
	{ "six counters", PT_E500_E6500, 7, 2, { { 1, false, { 0, 5, NO } }, { 2, false, { 0, 4, NO } },
		{ 3, false, { 0, 3, NO } }, { 5, false, { 0, 2, NO } }, { 8, false, { 0, 1, NO } },
		{ 9, false, { 0, 0, NO } }, { 10, false, { 1, 5, NO } } } },
};

START_TEST(places_by_hand)
{
	struct pt_e500_want wants[9] = { { 0 } };
	struct pt_e500_place places[9];
	size_t n_turns = 99;

	for (size_t i = 0; i < lists[_i].n_items; i++) {
		wants[i].event = pt_e500_event_numbered(lists[_i].core, lists[_i].item[i].number);
		wants[i].chained = lists[_i].item[i].chained;
	}
	ck_assert_int_eq(pt_e500_assign(lists[_i].core, pt_e500_kinds[lists[_i].core].n_pmcs, wants, lists[_i].n_items,
					places, &n_turns, NULL),
			 0);
	ck_assert_msg(n_turns == lists[_i].n_turns, "%s: %zu turns", lists[_i].name, n_turns);
	for (size_t i = 0; i < lists[_i].n_items; i++) {
		const struct item *item = &lists[_i].item[i];

		ck_assert_uint_eq(places[i].want, i);
		ck_assert_msg(places[i].turn == item->want.turn && places[i].pmc == item->want.pmc &&
				      places[i].high_pmc == item->want.high_pmc,
			      "%s: event %zu on turn %u, PMC%u, %u", lists[_i].name, i, places[i].turn, places[i].pmc,
			      places[i].high_pmc);
	}
}
END_TEST

/* --- all lists of up to LONGEST events of the four sorts, against a search of every possible placing --- */

struct search {
	const struct pt_e500_want *wants;
	size_t n_wants;
	unsigned n_pmcs, n_turns;
	uint8_t seen[LONGEST + 1][(1u << MASK_BITS) / 8];	/* states that lead nowhere */
};
static struct search search;

/* Can wants from i on be placed, with the counters of used taken (n_pmcs bits a turn)? Tries each for each half. */
static bool placeable(size_t i, uint32_t used)
{
	const struct pt_e500_want *want = &search.wants[i];
	unsigned n_bits = search.n_pmcs * search.n_turns;

	if (i == search.n_wants)
		return true;
	if ((search.seen[i][used / 8] >> used % 8 & 1) != 0)
		return false;
	search.seen[i][used / 8] |= (uint8_t)(1u << used % 8);
	for (unsigned low = 0; low < n_bits; low++) {
		if ((used >> low & 1) != 0 || (want->event->pmcs >> low % search.n_pmcs & 1) == 0)
			continue;
		if (!want->chained && placeable(i + 1, used | 1u << low))
			return true;
		for (unsigned high = 0; want->chained && high < n_bits; high++)
			if (((used | 1u << low) >> high & 1) == 0 && high / search.n_pmcs == low / search.n_pmcs &&
			    placeable(i + 1, used | 1u << low | 1u << high))
				return true;
	}
	return false;
}

static bool fits(enum pt_e500_core core, const struct pt_e500_want *wants, size_t n_wants, size_t n_turns)
{
	search.wants = wants;
	search.n_wants = n_wants;
	search.n_pmcs = pt_e500_kinds[core].n_pmcs;
	search.n_turns = (unsigned)n_turns;
	ck_assert_uint_le(search.n_pmcs * search.n_turns, MASK_BITS);
	for (size_t i = 0; i < n_wants; i++)
		memset(search.seen[i], 0, (1u << search.n_pmcs * search.n_turns) / 8 + 1);
	return placeable(0, 0);
}

/* Each place is allowed, and none is taken twice. */
static void check_places(enum pt_e500_core core, const struct pt_e500_want *wants, size_t n_wants,
			 const struct pt_e500_place *places, size_t n_turns)
{
	uint8_t used[LONGEST] = { 0 };

	for (size_t i = 0; i < n_wants; i++) {
		const uint8_t halves[] = { places[i].pmc, places[i].high_pmc };

		ck_assert_uint_lt(places[i].turn, n_turns);
		ck_assert(wants[i].event->pmcs >> places[i].pmc & 1);
		ck_assert_int_eq(places[i].high_pmc == NO, !wants[i].chained);
		for (size_t half = 0; half < (wants[i].chained ? 2u : 1u); half++) {
			ck_assert_uint_lt(halves[half], pt_e500_kinds[core].n_pmcs);
			ck_assert_uint_eq(used[places[i].turn] >> halves[half] & 1, 0);
			used[places[i].turn] |= (uint8_t)(1u << halves[half]);
		}
	}
}

/* Sorts: bit 0 a chain, bit 1 a threshold event, which e6500 does not have. Both ways: order must not matter. */
static void check_list(enum pt_e500_core core, const unsigned *sorts, size_t n)
{
	struct pt_e500_want wants[LONGEST] = { { 0 } };
	struct pt_e500_place places[LONGEST];
	size_t n_turns, n_forward = 0;

	for (int reversed = 0; reversed < 2; reversed++) {
		for (size_t i = 0; i < n; i++) {
			unsigned sort = sorts[reversed ? n - 1 - i : i];

			wants[i].event = pt_e500_event_numbered(core, sort >= 2 ? 76 : 12);
			wants[i].chained = (sort & 1) != 0;
		}
		ck_assert_int_eq(pt_e500_assign(core, pt_e500_kinds[core].n_pmcs, wants, n, places, &n_turns, NULL), 0);
		check_places(core, wants, n, places, n_turns);
		if (reversed)
			ck_assert_uint_eq(n_turns, n_forward);
		n_forward = n_turns;
	}
	ck_assert_msg(n_turns == 1 || !fits(core, wants, n, n_turns - 1), "%zu events in %zu turns: fewer would do", n,
		      n_turns);
}

static void each_list(enum pt_e500_core core, unsigned *sorts, size_t n, unsigned n_sorts)
{
	if (n > 0)
		check_list(core, sorts, n);
	for (unsigned sort = n > 0 ? sorts[n - 1] : 0; n < LONGEST && sort < n_sorts; sort++) {
		sorts[n] = sort;
		each_list(core, sorts, n + 1, n_sorts);
	}
}

START_TEST(turns_are_the_fewest_there_can_be)
{
	unsigned sorts[LONGEST];

	each_list(_i == 0 ? PT_E500_V2 : PT_E500_E6500, sorts, 0, _i == 0 ? 4 : 2);
}
END_TEST

static const struct { enum pt_e500_core of; uint16_t number; size_t n; int rc; const char *message; } refused[] = {
	{ PT_E500_MC, 111, 1, PT_EUNSUPPORTED, "e500v2 does not count event 111, L2_HIT_ACCESS" },
	{ PT_E500_V2, 83, 1, PT_EARG,
		"event 83 counts overflows of PMC1: ask for a chain of the event that PMC1 would count" },
	{ PT_E500_V2, 1, PT_E500_WANTS_MAX + 1, PT_ENOMEM, "257 events: no more than 256 at a time" },
};

START_TEST(refuses)
{
	struct pt_e500_want wants[PT_E500_WANTS_MAX + 1];
	struct pt_e500_place places[PT_E500_WANTS_MAX + 1];
	struct pt_err err = { 0 };
	size_t n_turns = 99;

	for (size_t i = 0; i < refused[_i].n; i++)
		wants[i] = (struct pt_e500_want){ .event = pt_e500_event_numbered(refused[_i].of,
			refused[_i].number) };
	ck_assert_int_eq(pt_e500_assign(PT_E500_V2, 4, wants, refused[_i].n, places, &n_turns, &err), refused[_i].rc);
	ck_assert_str_eq(err.msg, refused[_i].message);
	ck_assert_uint_eq(n_turns, 99);
}
END_TEST

/* The longest list there may be: threshold events, each a chain, take two a turn. */
START_TEST(takes_as_many_as_it_says)
{
	static const struct { uint16_t number; size_t n_turns; } rows[] = { { 76, 128 }, { 12, 128 } };
	struct pt_e500_want wants[PT_E500_WANTS_MAX];
	struct pt_e500_place places[PT_E500_WANTS_MAX];
	size_t n_turns = 0;

	for (size_t i = 0; i < PT_E500_WANTS_MAX; i++)
		wants[i] = (struct pt_e500_want){ .event = pt_e500_event_numbered(PT_E500_V2, rows[_i].number),
			.chained = true };
	ck_assert_int_eq(pt_e500_assign(PT_E500_V2, 4, wants, PT_E500_WANTS_MAX, places, &n_turns, NULL), 0);
	ck_assert_uint_eq(n_turns, rows[_i].n_turns);
}
END_TEST

/* --- ratios */

static struct pt_e500_want list[16];
static struct pt_e500_place at[PT_E500_PLACES_MAX];

static void make_list(const uint16_t *number, size_t n)
{
	for (size_t i = 0; i < n; i++)
		list[i] = (struct pt_e500_want){ .event = pt_e500_event_numbered(PT_E500_V2, number[i]) };
}

/* The most ratios that any division of the list into turns of four has whole: each is tried. */
static size_t most_whole(size_t n, size_t n_turns, size_t i, unsigned *in_turn, size_t used)
{
	size_t best = 0, n_whole;

	if (i == n) {
		pt_e500_ratios(list, n, at, n, n_turns, &n_whole);
		return n_whole;
	}
	for (size_t turn = 0; turn < n_turns && turn <= used; turn++) {
		if (in_turn[turn] == 4)
			continue;
		in_turn[turn]++;
		at[i].want = (uint16_t)i;
		at[i].turn = (uint16_t)turn;
		n_whole = most_whole(n, n_turns, i + 1, in_turn, turn == used ? used + 1 : used);
		best = n_whole > best ? n_whole : best;
		in_turn[turn]--;
	}
	return best;
}

/* Lists drawn from the events of ratios: as many whole as there can be in that number of turns, or nearly. */
START_TEST(ratios_are_whole_where_they_can)
{
	static const uint16_t events[] = { 1, 2, 3, 9, 10, 12, 15, 17, 18, 19, 20, 41, 60, 66 };
	size_t n_missed = 0, n_lists = 0;
	uint32_t random = 7;

	for (size_t n = 5; n <= 10; n++)
		for (unsigned k = 0; k < 12; k++) {
			uint16_t number[PT_LEN(events)];
			unsigned in_turn[4] = { 0 };
			size_t n_turns, found, best;

			memcpy(number, events, sizeof(events));
			for (size_t i = 0; i < n; i++) {	/* the first n of an order drawn by lot */
				size_t with =
					i + (random = random * 1664525 + 1013904223) / 65536 % (PT_LEN(events) - i);
				uint16_t was = number[i];

				number[i] = number[with];
				number[with] = was;
			}
			make_list(number, n);
			ck_assert_int_eq(pt_e500_assign(PT_E500_V2, 4, list, n, at, &n_turns, NULL), 0);
			ck_assert_uint_eq(n_turns, (n + 3) / 4);
			pt_e500_ratios(list, n, at, n, n_turns, &found);
			best = most_whole(n, n_turns, 0, in_turn, 0);
			ck_assert_uint_le(found, best);
			n_missed += found < best;
			n_lists++;
		}
	ck_assert_msg(n_missed * 20 <= n_lists, "%zu of %zu are not as good as can be", n_missed, n_lists);
}
END_TEST

/* All of facts 5 but the L2: fourteen events, ten of their eleven ratios whole in four turns; a fifth has them all. */
static const struct { bool whole; size_t n_turns, n_whole; } all_of[] = { { false, 4, 10 }, { true, 5, 11 } };

START_TEST(what_is_left_over_makes_more_whole)
{
	static const uint16_t events[] = { 1, 2, 3, 9, 10, 12, 15, 17, 18, 19, 20, 41, 60, 66 };
	size_t n = PT_LEN(events), n_turns, n_whole, n_places;
	uint8_t used[8] = { 0 };

	make_list(events, n);
	ck_assert_int_eq(pt_e500_assign(PT_E500_V2, 4, list, n, at, &n_turns, NULL), 0);
	n_places = pt_e500_repeat(4, list, n, all_of[_i].whole, at, n, &n_turns);
	ck_assert_uint_eq(n_turns, all_of[_i].n_turns);
	ck_assert_uint_eq(n_places, 4 * n_turns);	/* none is left over */
	ck_assert_uint_eq(pt_e500_ratios(list, n, at, n_places, n_turns, &n_whole), 11);
	ck_assert_uint_eq(n_whole, all_of[_i].n_whole);
	for (size_t i = 0; i < n_places; i++) {
		ck_assert_uint_eq(used[at[i].turn] >> at[i].pmc & 1, 0);
		used[at[i].turn] |= (uint8_t)(1u << at[i].pmc);
		for (size_t k = 0; k < i; k++)
			ck_assert(at[k].want != at[i].want || at[k].turn != at[i].turn);
	}
}
END_TEST

START_TEST(stays_together_as_asked)
{
	static const uint16_t events[] = { 1, 2, 3, 9, 10, 12 };
	size_t n_turns;
	struct pt_err err = { 0 };

	make_list(events, 6);
	list[0].together = list[3].together = list[5].together = 1;
	list[1].together = list[2].together = 2;
	ck_assert_int_eq(pt_e500_assign(PT_E500_V2, 4, list, 6, at, &n_turns, &err), 0);
	ck_assert_uint_eq(n_turns, 2);
	ck_assert(at[0].turn == at[3].turn && at[0].turn == at[5].turn && at[1].turn == at[2].turn);
	list[1].together = list[2].together = 1;
	ck_assert_int_eq(pt_e500_assign(PT_E500_V2, 4, list, 6, at, &n_turns, &err), PT_EARG);
	ck_assert_str_eq(err.msg, "CPU_CLK and what is to be counted with it take 5 counters, 0 of them with a "
				  "threshold; there are 4, and 2 with one");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_assign");
	TCase *tc = tcase_create("assign");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, places_by_hand, 0, PT_LEN(lists));
	tcase_add_loop_test(tc, turns_are_the_fewest_there_can_be, 0, 2);
	tcase_add_loop_test(tc, refuses, 0, PT_LEN(refused));
	tcase_add_loop_test(tc, takes_as_many_as_it_says, 0, 2);
	tcase_add_test(tc, ratios_are_whole_where_they_can);
	tcase_add_loop_test(tc, what_is_left_over_makes_more_whole, 0, PT_LEN(all_of));
	tcase_add_test(tc, stays_together_as_asked);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
