/* Steps within a window become lengths of calls, whole or cut: what was entered before it is of no known length, handlers
 * and other stacks are not in gross, and what ended behind the cut had not ended there. */
#include <math.h>

#include "harness.h"
#include "profile/analyses/calls/call_durations.h"
#include "profile/stack/tally.h"

enum { NONE, MAIN, LEAF, ISR, OTHER, N_FUNCTIONS };

/* Steps of one window, which begins at 1000; the longest length of each kind of one function, whole or not. */
struct scene {
	const char *name;
	struct pt_call_event step[8];
	uint64_t end, cut;	/* clock; ticks from the beginning */
	uint16_t function;
	uint64_t gross, call, period;	/* 0: none is known */
	bool ended;		/* the call did */
};

#define ENTER(at, f, how) { .clock = at, .kind = PT_CALL_ENTER, .function = f, .entry = how }
#define LEAVE(at, f, g, c) { .clock = at, .kind = PT_CALL_LEAVE, .function = f, .gross = g, .call = c }
#define ABANDON(at, f, g, s) \
	{ .clock = at, .kind = PT_CALL_LEAVE, .function = f, .stack = s, .gross = g, .call = g, .partial = 1 }
#define SWITCH(at, s) { .clock = at, .kind = PT_CALL_SWITCH, .stack = s }

static const struct scene scenes[] = {
	{ "a whole call", { ENTER(1100, LEAF, PT_ENTRY_CALL), LEAVE(1150, LEAF, 50, 50) }, 2000, 1000, LEAF, 50, 50, 900, true },
	{ "one that goes on", { ENTER(1100, LEAF, PT_ENTRY_CALL) }, 1990, 1000, LEAF, 900, 900, 900, false },
	{ "one that ended behind the cut", { ENTER(1100, LEAF, PT_ENTRY_CALL), LEAVE(2010, LEAF, 910, 910) }, 2010, 1000,
	  LEAF, 900, 900, 900, false },
	{ "entered before the window", { LEAVE(1150, LEAF, 5000, 5000) }, 2000, 1000, LEAF, 0, 0, 0, false },
	{ "running when it was first seen", { ENTER(1000, LEAF, PT_ENTRY_UNSEEN) }, 2000, 1000, LEAF, 0, 0, 0, false },
	{ "interrupted, and over", { ENTER(1100, LEAF, PT_ENTRY_CALL), ENTER(1200, ISR, PT_ENTRY_EXCEPTION),
				     LEAVE(1260, ISR, 60, 60), LEAVE(1300, LEAF, 140, 200) }, 2000, 1000, LEAF, 140, 200, 900, true },
	{ "interrupted, and goes on", { ENTER(1100, LEAF, PT_ENTRY_CALL), ENTER(1200, ISR, PT_ENTRY_EXCEPTION),
					LEAVE(1260, ISR, 60, 60) }, 1990, 1000, LEAF, 840, 900, 900, false },
	{ "in the handler at the end", { ENTER(1100, LEAF, PT_ENTRY_CALL), ENTER(1900, ISR, PT_ENTRY_EXCEPTION) },
	  1990, 1000, LEAF, 800, 900, 900, false },
	{ "the handler itself", { ENTER(1100, LEAF, PT_ENTRY_CALL), ENTER(1900, ISR, PT_ENTRY_EXCEPTION) },
	  1990, 1000, ISR, 100, 100, 100, false },
	{ "another stack runs for a while", { ENTER(1100, LEAF, PT_ENTRY_CALL), SWITCH(1200, 1), SWITCH(1300, 0) },
	  2000, 1000, LEAF, 800, 900, 900, false },
	{ "another stack runs at the end", { ENTER(1100, LEAF, PT_ENTRY_CALL), SWITCH(1200, 1) },
	  2000, 1000, LEAF, 100, 900, 900, false },
	{ "abandoned by a long jump", { ENTER(1100, LEAF, PT_ENTRY_CALL), ABANDON(1500, LEAF, 400, 0) },
	  2000, 1000, LEAF, 400, 400, 900, true },
	{ "open at a gap", { ENTER(1100, LEAF, PT_ENTRY_CALL), ABANDON(1500, LEAF, 400, 0),
			     { .clock = 1500, .kind = PT_CALL_FORGET } }, 2000, 1000, LEAF, 400, 400, 900, false },
	{ "on a stack that nobody believes in", { ENTER(1100, LEAF, PT_ENTRY_CALL), SWITCH(1200, 1), ABANDON(1500, LEAF, 100, 0) },
	  2000, 1000, LEAF, 100, 100, 900, false },
	{ "a nested call", { ENTER(1100, MAIN, PT_ENTRY_CALL), ENTER(1200, LEAF, PT_ENTRY_CALL),
			     LEAVE(1250, LEAF, 50, 50) }, 2000, 1000, MAIN, 900, 900, 900, false },
	{ "another", { ENTER(1100, MAIN, PT_ENTRY_CALL) }, 2000, 1000, OTHER, 0, 0, 0, false },
	{ "entry to entry", { ENTER(1600, LEAF, PT_ENTRY_CALL), LEAVE(1610, LEAF, 10, 10), ENTER(1800, LEAF, PT_ENTRY_TAIL) },
	  1900, 900, LEAF, 100, 100, 200, false },
};

static uint64_t longest(const struct pt_lengths *all, uint16_t function, enum pt_tally_kind kind)
{
	return all[function * PT_N_TALLY_KINDS + (unsigned)kind].longest;
}

/* As many times as it takes to say something. */
static void run_scene(struct pt_call_durations *d, const struct scene *s)
{
	const struct pt_time_window window = { .weight = 1, .ticks = s->end - 1000, .cut = s->cut, .scale = 1 };
	const struct pt_call_event stale = ENTER(900, s->function, PT_ENTRY_CALL);

	for (size_t i = 0; i < 2 * PT_SURVIVAL_CLUSTERS; i++) {
		pt_call_durations_step(d, &stale);	/* in no window */
		pt_call_durations_edge(d, 500, NULL);
		pt_call_durations_step(d, &stale);	/* in one that was none */
		pt_call_durations_edge(d, 1000, NULL);
		for (size_t k = 0; k < PT_LEN(s->step) && s->step[k].kind != 0; k++)
			pt_call_durations_step(d, &s->step[k]);
		pt_call_durations_edge(d, s->end, &window);
	}
}

START_TEST(window_case)
{
	const struct scene *s = &scenes[_i];
	struct pt_call_durations *d = pt_call_durations_new(N_FUNCTIONS);
	const struct pt_lengths *got;

	run_scene(d, s);
	got = pt_call_durations_give(d);
	ck_assert_msg(longest(got, s->function, PT_TALLY_GROSS) == s->gross, "%s: gross %d", s->name,
		      (int)longest(got, s->function, PT_TALLY_GROSS));
	ck_assert_msg(longest(got, s->function, PT_TALLY_CALL) == s->call, "%s: call %d", s->name,
		      (int)longest(got, s->function, PT_TALLY_CALL));
	ck_assert_msg(longest(got, s->function, PT_TALLY_PERIOD) == s->period, "%s: period %d", s->name,
		      (int)longest(got, s->function, PT_TALLY_PERIOD));
	got += s->function * PT_N_TALLY_KINDS;
	ck_assert_msg(isnan(got[PT_TALLY_GROSS].quantile[PT_DURATION_P50].value) == !s->ended, "%s: ended?", s->name);
	pt_call_durations_free(d);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call_durations");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, window_case, 0, PT_LEN(scenes));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
