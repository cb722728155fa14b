/* Windows in bursts: cutting by hand, and the promise itself: over many seeded experiments on a core that mostly sleeps,
 * the printed 95 % intervals hold the truth as often as they say. */
#include <math.h>
#include <stdlib.h>

#include "harness.h"
#include "profile/flow/windows.h"

enum { IDLE = 1, EARLY, LATE, ISR, SPIN, N_IDS };
enum { WAIT = 0x100, BEHIND_WAIT = 0x102, FAR_BEHIND = 0x140 };

static const struct pt_function functions[] = {
	{ "idle", 0x100, 0x80, NULL, 0, NULL }, { "early", 0x200, 0x100, NULL, 0, NULL },
	{ "late", 0x300, 0x100, NULL, 0, NULL },
	{ "isr", 0x400, 0x100, NULL, 0, NULL }, { "spin", 0x500, 0x100, NULL, 0, NULL },
};

static struct pt_codemap *map;

/* idle is wfi and then nops; all else is nops. */
static void build(void)
{
	static uint8_t bytes[0x600];
	const struct pt_segment segment = { .addr = 0, .size = sizeof(bytes), .bytes = bytes, .code = true };
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "windows", .segments = &segment, .n_segments = 1, .functions = functions,
		.n_functions = PT_LEN(functions), .vectors = PT_UNKNOWN,
	};
	struct pt_program *program;

	for (size_t i = 0; i < sizeof(bytes); i += 2)
		pt_put_le16(bytes + i, i == WAIT ? 0xbf30 : 0xbf00);
	program = pt_program_from_desc(&desc);
	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	pt_program_unref(program);
}

static void drop(void)
{
	pt_codemap_free(map);
}

static struct pt_windows *fresh(void)
{
	const struct pt_flow_settings settings = { .clock = PT_FLOW_CYCLES, .exception_entry_cycles = 15, .tail_chain_cycles = 6 };
	return pt_windows_new(N_IDS, map, &settings);
}

static struct pt_run run_of(uint16_t id, uint32_t cycles)
{
	uint64_t begin = functions[id - 1].address + 0x20;

	return (struct pt_run){ .begin = begin, .end = begin + 2, .next = begin, .instructions = cycles, .cycles = cycles,
				.function = id, .next_function = id, .left = PT_LEFT_BRANCH };
}

/* As a lane feeds it: what lies behind the end of a window comes again. */
static void feed_run(struct pt_windows *w, const struct pt_run *run)
{
	bool ends;

	if (pt_windows_holds(w))
		ck_assert_uint_eq(pt_windows_hold(w, run, 1), 1);
	else if (pt_windows_take(w, run, 1, &ends) == 0)
		ck_assert_uint_eq(pt_windows_take(w, run, 1, &ends), 1);
}

static void feed(struct pt_windows *w, uint16_t id, uint32_t cycles)
{
	struct pt_run run = run_of(id, cycles);

	feed_run(w, &run);
}

static void begin(struct pt_windows *w)
{
	pt_windows_begin(w, PT_WINDOW_BEGINNING, 1);
}

static void end_held(struct pt_windows *w)
{
	size_t n, first;

	pt_windows_held(w, true, &n, &first);
}

static void burst(struct pt_windows *w, uint16_t id, uint32_t cycles, uint32_t each)
{
	begin(w);
	for (uint32_t at = 0; at < cycles; at += each)
		feed(w, id, each);
	pt_windows_end(w, true);
}

/* The wake-up as the buffer has it: an exception before the instruction at addr. */
static void wake_at(struct pt_windows *w, uint64_t addr)
{
	struct pt_run run = { .begin = addr, .end = addr, .next = 0x400, .cycles = 15, .function = IDLE, .next_function = ISR,
			      .left = PT_LEFT_EXCEPTION };

	feed_run(w, &run);
}

/* T is the length of the shortest burst before: of 600 cycles in all, then of 400, of 400 each. */
START_TEST(cut_by_hand)
{
	struct pt_windows *w = fresh();

	begin(w);
	feed(w, EARLY, 150);
	feed(w, LATE, 450);
	ck_assert(pt_windows_end(w, true));	/* the window ends with the burst */
	ck_assert_uint_eq(pt_windows_last(w)->ticks, 600);
	ck_assert_uint_eq(pt_windows_summary(w).cycles, 600);
	burst(w, EARLY, 400, 100);		/* a shorter one */
	ck_assert_uint_eq(pt_windows_summary(w).cycles, 400);
	begin(w);
	feed(w, EARLY, 100);
	feed(w, LATE, 300);
	ck_assert_uint_eq(pt_windows_last(w)->ticks, 400);	/* it ends at T, the burst goes on */
	feed(w, SPIN, 5000);
	ck_assert(!pt_windows_end(w, true));
	burst(w, EARLY, 400, 100);
	ck_assert(!pt_windows_summary(w).estimated);
	ck_assert(isnan(pt_windows_share(w, EARLY).share));
	burst(w, LATE, 400, 100);
	ck_assert(pt_windows_summary(w).estimated);
	ck_assert_double_eq_tol(pt_windows_share(w, EARLY).share, (0.25 + 1 + 0.25 + 1 + 0) / 5, 1e-9);
	ck_assert_double_eq_tol(pt_windows_share(w, LATE).share, (0.75 + 0 + 0.75 + 0 + 1) / 5, 1e-9);
	ck_assert_double_eq(pt_windows_share(w, SPIN).share, 0);
	pt_windows_free(w);
}
END_TEST

/* The program chose both ends of a burst: it has no window, and widens what the others say. */
START_TEST(a_burst_without_a_random_end_only_widens)
{
	struct pt_windows *w = fresh();
	double lo;

	for (unsigned i = 0; i < 9; i++)
		burst(w, EARLY, 400, 100);
	lo = pt_windows_share(w, EARLY).lo;
	pt_windows_begin(w, PT_WINDOW_NEITHER, 1);
	ck_assert(!pt_windows_wants(w) && !pt_windows_holds(w));
	ck_assert(!pt_windows_end(w, true));
	ck_assert_uint_eq(pt_windows_summary(w).all, 10);
	ck_assert_uint_eq(pt_windows_summary(w).unchosen, 1);
	ck_assert_uint_eq(pt_windows_summary(w).awake.n, 9);
	ck_assert_double_eq_tol(pt_windows_share(w, EARLY).lo, 0.9 * lo, 1e-9);
	ck_assert_double_eq(pt_windows_share(w, EARLY).share, 1);
	pt_windows_free(w);
}
END_TEST

/* Code with few branches gives long bursts: pooled whole, spin would have 5 of 6; it is half. */
START_TEST(long_bursts_count_no_more)
{
	struct pt_windows *w = fresh();

	for (int i = 0; i < 200; i++)
		burst(w, i % 2 == 0 ? SPIN : EARLY, i % 2 == 0 ? 5000 : 1000, i % 2 == 0 ? 50 : 10);
	ck_assert_double_eq_tol(pt_windows_share(w, SPIN).share, 0.5, 1e-9);
	ck_assert_double_eq_tol(pt_windows_share(w, SPIN).hi - pt_windows_share(w, SPIN).lo, 2 * 0.069, 0.005);
	pt_windows_free(w);
}
END_TEST

/* As many windows of one length as there are multiples of the golden ratio: the run across the end is in three of ten. */
START_TEST(a_run_across_the_end_is_in_by_chance)
{
	struct pt_windows *w = fresh();
	unsigned in = 0;

	for (int i = 0; i < PT_WINDOWS_PILOT; i++)
		burst(w, EARLY, 1000, 10);
	for (int i = 0; i < 1000; i++) {
		begin(w);
		for (int k = 0; k < 97; k++)
			feed(w, EARLY, 10);
		feed(w, LATE, 100);		/* from 970 to 1070 */
		in += pt_windows_last(w)->ticks == 1070;
		pt_windows_end(w, true);
	}
	ck_assert_uint_ge(in, 295);
	ck_assert_uint_le(in, 305);
	ck_assert_uint_eq(pt_windows_summary(w).cycles, 1000);
	pt_windows_free(w);
}
END_TEST

START_TEST(what_is_odd_has_no_say_in_the_cut)
{
	struct pt_windows *w = fresh();

	for (int i = 0; i < 3 * PT_WINDOWS_PILOT; i++)
		burst(w, EARLY, i % 16 == 9 ? 20 : 1000, 10);
	ck_assert_uint_eq(pt_windows_summary(w).cycles, 1000);
	ck_assert_uint_eq(pt_windows_summary(w).awake.n, 3 * PT_WINDOWS_PILOT);
	pt_windows_free(w);
}
END_TEST

/* Bursts of a later phase are shorter: no longer odd. */
START_TEST(a_change_of_the_program_changes_the_cut)
{
	struct pt_windows *w = fresh();

	for (int i = 0; i < 2 * PT_WINDOWS_PILOT; i++)
		burst(w, EARLY, 1000, 10);
	ck_assert_uint_eq(pt_windows_summary(w).cycles, 1000);
	for (int i = 0; i < PT_WINDOWS_PILOT; i++)
		burst(w, LATE, 600 + 10 * (i % 7), 10);
	ck_assert_uint_eq(pt_windows_summary(w).cycles, 600);
	pt_windows_free(w);
}
END_TEST

START_TEST(weights_are_time)
{
	struct pt_windows *w = fresh();

	for (int i = 0; i < 20; i++) {
		pt_windows_begin(w, PT_WINDOW_BEGINNING, i % 2 == 0 ? 3000 : 1000);
		feed(w, i % 2 == 0 ? EARLY : LATE, 500);
		pt_windows_end(w, true);
	}
	ck_assert_double_eq_tol(pt_windows_share(w, EARLY).share, 0.75, 1e-9);
	pt_windows_free(w);
}
END_TEST

/* T is 400: of the last 400 cycles early has 0 and 300, and late the rest. */
START_TEST(cut_from_the_end_by_hand)
{
	struct pt_windows *w = fresh();
	size_t n, first;

	for (int i = 0; i < 3; i++)
		burst(w, SPIN, 400, 100);
	for (int i = 0; i < 2; i++) {
		pt_windows_begin(w, PT_WINDOW_END, 1);
		for (int k = 0; k < 6; k++)
			feed(w, k < (i == 0 ? 1 : 5) ? EARLY : LATE, 100);
		pt_windows_held(w, true, &n, &first);
		ck_assert_uint_eq(n, 6);
		ck_assert_uint_eq(first, 2);
		ck_assert_uint_eq(pt_windows_last(w)->ticks, 400);
	}
	ck_assert_uint_eq(pt_windows_summary(w).cycles, 400);
	ck_assert_double_eq_tol(pt_windows_share(w, EARLY).share, 0.75 / 5, 1e-9);
	ck_assert_double_eq_tol(pt_windows_share(w, LATE).share, 1.25 / 5, 1e-9);
	pt_windows_free(w);
}
END_TEST

/* More than is kept: the oldest go, and only the end matters. */
START_TEST(a_long_burst_cut_from_the_end)
{
	struct pt_windows *w = fresh();
	size_t n, first, gone = 0, old;

	for (int i = 0; i < 5; i++) {
		pt_windows_begin(w, PT_WINDOW_END, 1);
		for (int k = 0; k < 3 * PT_WINDOWS_HELD + 100; k++) {
			struct pt_run run = run_of(k < 3 * PT_WINDOWS_HELD ? SPIN : LATE, 1);

			if (pt_windows_hold(w, &run, 1) == 1)
				continue;
			pt_windows_oldest(w, &old);
			gone += old;
			ck_assert_uint_eq(pt_windows_hold(w, &run, 1), 1);
		}
		pt_windows_held(w, true, &n, &first);
		gone += n;
		ck_assert_uint_eq(n - first, PT_WINDOWS_HELD);
	}
	ck_assert_uint_eq(gone, 5 * (3 * PT_WINDOWS_HELD + 100));
	ck_assert_double_eq_tol(pt_windows_share(w, LATE).share, 100.0 / PT_WINDOWS_HELD, 1e-9);
	pt_windows_free(w);
}
END_TEST

/* The last that is known stands straight before the wait: it slept when the clock came. */
START_TEST(one_that_ended_asleep_is_left_out)
{
	struct pt_windows *w = fresh();
	struct pt_run run = run_of(EARLY, 400);

	for (int i = 0; i < 6; i++) {
		pt_windows_begin(w, PT_WINDOW_END, 1);
		run.next = i % 2 == 0 ? WAIT : FAR_BEHIND;
		feed_run(w, &run);
		end_held(w);
	}
	ck_assert_uint_eq(pt_windows_summary(w).all, 6);
	ck_assert_uint_eq(pt_windows_summary(w).asleep, 3);
	ck_assert_uint_eq(pt_windows_summary(w).awake.n, 3);
	ck_assert_double_eq_tol(pt_windows_asleep(w).share, 0.5, 1e-9);
	pt_windows_free(w);
}
END_TEST

START_TEST(an_interrupted_burst_counts_if_it_is_long_enough)
{
	struct pt_windows *w = fresh();

	for (int i = 0; i < 10; i++)
		burst(w, EARLY, 5000, 10);
	begin(w);
	feed(w, LATE, 300);
	ck_assert(!pt_windows_end(w, false));
	ck_assert_uint_eq(pt_windows_summary(w).cycles, 5000);
	ck_assert_uint_eq(pt_windows_summary(w).awake.n, 10);
	ck_assert_uint_eq(pt_windows_summary(w).cut_short, 1);
	begin(w);
	feed(w, LATE, 5000);
	ck_assert(!pt_windows_end(w, false));
	ck_assert_uint_eq(pt_windows_summary(w).awake.n, 11);
	pt_windows_free(w);
}
END_TEST

START_TEST(entering_a_handler_is_the_handlers)
{
	struct pt_windows *w = fresh();

	for (int i = 0; i < PT_WINDOWS_FEW; i++) {
		struct pt_run run = run_of(EARLY, 115);

		begin(w);
		run.left = PT_LEFT_EXCEPTION;
		run.next_function = ISR;
		feed_run(w, &run);
		feed(w, ISR, 141);
		pt_windows_end(w, true);
	}
	ck_assert_double_eq_tol(pt_windows_share(w, EARLY).share, 100.0 / 256, 1e-9);
	ck_assert_double_eq_tol(pt_windows_share(w, ISR).share, 156.0 / 256, 1e-9);
	pt_windows_free(w);
}
END_TEST

static const struct { const char *name; uint64_t addr; bool asleep; } wakes[] = {
	{ "behind the wait", BEHIND_WAIT, true },
	{ "a few instructions on", BEHIND_WAIT + 6, true },
	{ "at the wait: it did not sleep yet", WAIT, false },
	{ "far behind it", FAR_BEHIND, false },
	{ "elsewhere", 0x220, false },
};

START_TEST(wake_case)
{
	struct pt_windows *w = fresh();

	begin(w);
	wake_at(w, wakes[_i].addr);
	feed(w, ISR, 1000);
	pt_windows_end(w, true);
	ck_assert_msg(pt_windows_summary(w).asleep == wakes[_i].asleep, "%s", wakes[_i].name);
	ck_assert_msg(pt_windows_summary(w).awake.n == !wakes[_i].asleep, "%s", wakes[_i].name);
	pt_windows_free(w);
}
END_TEST

START_TEST(nothing_to_say)
{
	struct pt_windows *w = fresh();

	pt_windows_end(w, true);	/* without a begin */
	begin(w);
	pt_windows_end(w, true);	/* empty */
	feed(w, EARLY, 1000);		/* outside any */
	ck_assert_uint_eq(pt_windows_summary(w).all, 0);
	ck_assert(!pt_windows_summary(w).estimated);
	ck_assert(isnan(pt_windows_share(w, EARLY).share));
	pt_windows_free(w);
}
END_TEST

/* --- experiments */

static uint64_t state;

static double uniform(void)	/* splitmix64 */
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) / (double)(UINT64_C(1) << 53);
}

/* One waking period: isr 60 cycles, early 40 to 440 in runs of 4, late 200 to 1000 in runs of 10, spin 0 to 400 in runs
 * of 40. Then it sleeps. */
struct period { uint32_t early, late, spin; };

static struct period draw(void)
{
	return (struct period){ 40 + 4 * (uint32_t)(uniform() * 100), 200 + 10 * (uint32_t)(uniform() * 80),
				40 * (uint32_t)(uniform() * 11) };
}

static const double mean_all = 60 + 238 + 595 + 200, mean_early = 238, mean_late = 595, mean_spin = 200;

struct walker { struct period period; uint32_t done; };

/* The next run of the walker; false: it falls asleep. */
static bool step(struct walker *w, struct pt_run *run)
{
	uint32_t isr = 60, early = isr + w->period.early, late = early + w->period.late, spin = late + w->period.spin;

	if (w->done >= spin)
		return false;
	*run = w->done < isr	 ? run_of(ISR, 6)
	       : w->done < early ? run_of(EARLY, 4)
	       : w->done < late	 ? run_of(LATE, 10)
				 : run_of(SPIN, 40);
	w->done += run->cycles;
	return true;
}

/* Armed awake: somewhere in a period, chosen by its length; what is left of the run under way is not seen. */
static struct walker armed_awake(void)
{
	struct walker w;
	struct pt_run run;
	uint32_t at;

	do {
		w = (struct walker){ draw(), 0 };
		at = (uint32_t)(uniform() * 1900);
	} while (at >= 60 + w.period.early + w.period.late + w.period.spin);
	while (w.done <= at && step(&w, &run))
		;
	return w;
}

static void one_burst(struct pt_windows *w, double asleep, unsigned n_runs)
{
	bool slept = uniform() < asleep;
	struct walker walker = slept ? (struct walker){ draw(), 0 } : armed_awake();
	struct pt_run run;

	begin(w);
	if (slept)
		wake_at(w, BEHIND_WAIT);
	while (n_runs-- > 0) {
		if (!step(&walker, &run)) {
			run = run_of(IDLE, 2);	/* into the wait, which an exception ends */
			run.begin = WAIT;
			run.end = BEHIND_WAIT;
			run.cycles = 2;
			walker = (struct walker){ draw(), 0 };
		}
		feed_run(w, &run);
	}
	pt_windows_end(w, true);
}

/* How wide: the mean width over 2 * 1.96 standard deviations of the estimates, so that 1 is what a profile would need that knew
 * them. A ceiling of how often intervals hold (99.7 %) would notice 1.5 times too wide and no less. Where bursts differ, the
 * spread makes the width, and the ceiling is near 1. Bursts of 500 runs are longer than a period and agree: half a burst of
 * padding, which stands for what the next one may be, is then most of the width, the more the fewer are awake (50, 14, 18). */
static const struct {
	const char *name;
	double asleep;		/* share of bursts that are armed asleep */
	unsigned n_bursts, n_runs;
	double width;		/* of the intervals, over what the spread of the estimates needs: no more than that */
} experiments[] = {
	{ "never asleep, short bursts", 0, 100, 60, 1.15 },
	{ "half asleep, short bursts", 0.5, 200, 60, 1.15 },
	{ "mostly asleep, short bursts", 0.9, 1000, 60, 1.15 },
	{ "half asleep, long bursts", 0.5, 100, 500, 2 },
	{ "few bursts", 0.3, 20, 200, 2 },
	{ "nearly always asleep, long bursts", 0.97, 600, 500, 2.8 },
};

enum { TIMES = 400 };

START_TEST(intervals_hold_the_truth)
{
	const double truth[N_IDS] = { [EARLY] = mean_early / (mean_all + 2), [LATE] = mean_late / (mean_all + 2),
				      [SPIN] = mean_spin / (mean_all + 2) };
	struct { double n, x, xx, width; } row[N_IDS] = { 0 };
	unsigned hits = 0, of = 0;
	double bias = 0, width = 0, needed = 0;

	state = (uint64_t)_i + 1;
	for (int time = 0; time < TIMES; time++) {
		struct pt_windows *w = fresh();

		for (unsigned i = 0; i < experiments[_i].n_bursts; i++)
			one_burst(w, experiments[_i].asleep, experiments[_i].n_runs);
		for (uint16_t id = EARLY; id < N_IDS && pt_windows_summary(w).estimated; id++) {
			struct pt_share share = pt_windows_share(w, id);

			if (id == ISR)
				continue;
			hits += share.lo <= truth[id] && truth[id] <= share.hi;
			bias += id == LATE ? (share.share - truth[id]) / TIMES : 0;
			row[id].n++;
			row[id].x += share.share;
			row[id].xx += share.share * share.share;
			row[id].width += share.hi - share.lo;
			of++;
		}
		pt_windows_free(w);
	}
	for (uint16_t id = 0; id < N_IDS; id++) {
		if (row[id].n == 0)
			continue;
		width += row[id].width / row[id].n;
		needed += 2 * 1.96 * sqrt((row[id].xx - row[id].x * row[id].x / row[id].n) / (row[id].n - 1));
	}
	width /= needed;
	ck_assert_uint_ge(of, 3 * TIMES * 9 / 10);
	ck_assert_msg(
		hits >= of * 0.935 && width <= experiments[_i].width,
		"%s: %.1f %% of %u intervals hold the truth, %.2f times as wide as the spread needs, bias of late %+.2f",
		experiments[_i].name, 100.0 * hits / of, of, width, 100 * bias);
	ck_assert_msg(fabs(bias) < 0.015, "%s: bias %+.2f points", experiments[_i].name, 100 * bias);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("windows");
	TCase *tc = tcase_create("windows");

	tcase_add_checked_fixture(tc, build, drop);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, cut_by_hand);
	tcase_add_test(tc, a_burst_without_a_random_end_only_widens);
	tcase_add_test(tc, long_bursts_count_no_more);
	tcase_add_test(tc, cut_from_the_end_by_hand);
	tcase_add_test(tc, a_long_burst_cut_from_the_end);
	tcase_add_test(tc, one_that_ended_asleep_is_left_out);
	tcase_add_test(tc, an_interrupted_burst_counts_if_it_is_long_enough);
	tcase_add_test(tc, a_run_across_the_end_is_in_by_chance);
	tcase_add_test(tc, what_is_odd_has_no_say_in_the_cut);
	tcase_add_test(tc, a_change_of_the_program_changes_the_cut);
	tcase_add_test(tc, weights_are_time);
	tcase_add_test(tc, entering_a_handler_is_the_handlers);
	tcase_add_loop_test(tc, wake_case, 0, PT_LEN(wakes));
	tcase_add_test(tc, nothing_to_say);
	tcase_add_loop_test(tc, intervals_hold_the_truth, 0, PT_LEN(experiments));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
