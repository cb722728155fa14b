/* Shares from bursts: cutting by hand, and the promise itself: over many seeded experiments on a core that mostly
 * sleeps, the printed 95 % intervals hold the truth as often as they say. */
#include <math.h>
#include <stdlib.h>

#include "harness.h"
#include "profile/flow/bursts.h"

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
		.name = "bursts", .segments = &segment, .n_segments = 1, .functions = functions,
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

static struct pt_bursts *fresh(void)
{
	const struct pt_flow_settings settings = { .exception_entry_cycles = 15, .tail_chain_cycles = 6 };
	struct pt_bursts *b = pt_bursts_new(N_IDS, map, &settings);

	ck_assert_ptr_nonnull(b);
	return b;
}

static struct pt_run run_of(uint16_t id, uint32_t cycles)
{
	uint64_t begin = functions[id - 1].address + 0x20;

	return (struct pt_run){ .begin = begin, .end = begin + 2, .next = begin, .instructions = cycles, .cycles = cycles,
				.function = id, .next_function = id, .left = PT_LEFT_BRANCH };
}

static void feed(struct pt_bursts *b, uint16_t id, uint32_t cycles)
{
	struct pt_run run = run_of(id, cycles);

	pt_bursts_feed(b, &run, 1);
}

/* The wake-up as the buffer has it: an exception before the instruction at addr. */
static void wake_at(struct pt_bursts *b, uint64_t addr)
{
	struct pt_run run = { .begin = addr, .end = addr, .next = 0x400, .cycles = 15, .function = IDLE, .next_function = ISR,
			      .left = PT_LEFT_EXCEPTION };

	pt_bursts_feed(b, &run, 1);
}

/* Two bursts: early 100 and late 500 cycles, then early 300 and late 100. The longest length both reach is 362 of the
 * levels 256, 304, 362, 431: early has 100 and 300 of it. */
START_TEST(cut_by_hand)
{
	struct pt_bursts *b = fresh();
	struct pt_bursts_summary s;

	pt_bursts_begin(b, PT_BURST_BEGINNING);
	feed(b, EARLY, 100);
	feed(b, LATE, 500);
	pt_bursts_end(b, true);
	pt_bursts_begin(b, PT_BURST_BEGINNING);
	feed(b, EARLY, 300);
	feed(b, LATE, 100);
	pt_bursts_end(b, true);
	s = pt_bursts_summary(b);
	ck_assert_uint_eq(s.all, 2);
	ck_assert_uint_eq(s.used, 2);
	ck_assert_uint_eq(s.cycles, 362);
	ck_assert_double_eq_tol(pt_bursts_share(b, EARLY).share, 400.0 / 724, 1e-9);
	ck_assert_double_eq_tol(pt_bursts_share(b, LATE).share, 324.0 / 724, 1e-9);
	ck_assert_double_eq(pt_bursts_share(b, SPIN).share, 0);
	pt_bursts_free(b);
}
END_TEST

/* Code with few branches gives long bursts: pooled whole, spin would have 5 of 6; it is half. */
START_TEST(long_bursts_count_no_more)
{
	struct pt_bursts *b = fresh();

	for (int i = 0; i < 200; i++) {
		pt_bursts_begin(b, PT_BURST_BEGINNING);
		for (int k = 0; k < 100; k++)
			feed(b, i % 2 == 0 ? SPIN : EARLY, i % 2 == 0 ? 50 : 10);
		pt_bursts_end(b, true);
	}
	ck_assert_double_eq_tol(pt_bursts_share(b, SPIN).share, 0.5, 1e-9);
	ck_assert_double_eq_tol(pt_bursts_share(b, SPIN).hi - pt_bursts_share(b, SPIN).lo, 2 * 0.069, 0.005);
	pt_bursts_free(b);
}
END_TEST

/* As cut_by_hand, from the other end: of the last 362 cycles of the two bursts early has 0 and 262. */
START_TEST(cut_from_the_end_by_hand)
{
	struct pt_bursts *b = fresh();

	pt_bursts_begin(b, PT_BURST_END);
	feed(b, EARLY, 100);
	feed(b, LATE, 500);
	pt_bursts_end(b, true);
	pt_bursts_begin(b, PT_BURST_END);
	feed(b, EARLY, 300);
	feed(b, LATE, 100);
	pt_bursts_end(b, true);
	ck_assert_uint_eq(pt_bursts_summary(b).used, 2);
	ck_assert_uint_eq(pt_bursts_summary(b).cycles, 362);
	ck_assert_double_eq_tol(pt_bursts_share(b, EARLY).share, 262.0 / 724, 1e-9);
	ck_assert_double_eq_tol(pt_bursts_share(b, LATE).share, 462.0 / 724, 1e-9);
	pt_bursts_free(b);
}
END_TEST

/* More than is kept: only its end matters. */
START_TEST(a_long_burst_cut_from_the_end)
{
	struct pt_bursts *b = fresh();

	for (int i = 0; i < 2; i++) {
		pt_bursts_begin(b, PT_BURST_END);
		for (int k = 0; k < 3 * PT_BURST_KEPT; k++)
			feed(b, SPIN, 1);
		for (int k = 0; k < 100; k++)
			feed(b, LATE, 1);
		pt_bursts_end(b, true);
	}
	ck_assert_uint_eq(pt_bursts_summary(b).cycles, 8192);	/* all that is kept */
	ck_assert_double_eq_tol(pt_bursts_share(b, LATE).share, 100.0 / 8192, 1e-9);
	pt_bursts_free(b);
}
END_TEST

/* The last that is known stands straight before the wait: it slept when the clock came. */
START_TEST(one_that_ended_asleep_is_left_out)
{
	struct pt_bursts *b = fresh();
	struct pt_run run = run_of(EARLY, 400);

	for (int i = 0; i < 6; i++) {
		pt_bursts_begin(b, PT_BURST_END);
		run.next = i % 2 == 0 ? WAIT : FAR_BEHIND;
		pt_bursts_feed(b, &run, 1);
		pt_bursts_end(b, true);
	}
	ck_assert_uint_eq(pt_bursts_summary(b).all, 6);
	ck_assert_uint_eq(pt_bursts_summary(b).asleep, 3);
	ck_assert_uint_eq(pt_bursts_summary(b).used, 3);
	pt_bursts_free(b);
}
END_TEST

START_TEST(an_interrupted_burst_has_no_say_in_the_cut)
{
	struct pt_bursts *b = fresh();

	for (int i = 0; i < 10; i++) {
		pt_bursts_begin(b, PT_BURST_BEGINNING);
		feed(b, EARLY, 5000);
		pt_bursts_end(b, true);
	}
	pt_bursts_begin(b, PT_BURST_BEGINNING);
	feed(b, LATE, 300);
	pt_bursts_end(b, false);
	ck_assert_uint_ge(pt_bursts_summary(b).cycles, 4096);
	ck_assert_uint_eq(pt_bursts_summary(b).used, 10);
	ck_assert_uint_eq(pt_bursts_summary(b).cut_short, 1);
	pt_bursts_free(b);
}
END_TEST

START_TEST(entering_a_handler_is_the_handlers)
{
	struct pt_bursts *b = fresh();

	for (int i = 0; i < 2; i++) {
		struct pt_run run = run_of(EARLY, 115);

		pt_bursts_begin(b, PT_BURST_BEGINNING);
		run.left = PT_LEFT_EXCEPTION;
		run.next_function = ISR;
		pt_bursts_feed(b, &run, 1);
		feed(b, ISR, 141);
		pt_bursts_end(b, true);
	}
	ck_assert_uint_eq(pt_bursts_summary(b).cycles, 256);
	ck_assert_double_eq_tol(pt_bursts_share(b, EARLY).share, 100.0 / 256, 1e-9);
	ck_assert_double_eq_tol(pt_bursts_share(b, ISR).share, 156.0 / 256, 1e-9);
	pt_bursts_free(b);
}
END_TEST

/* Bursts that are all interrupted, as by overruns: those armed awake still are what shares come from. */
START_TEST(waking_periods_are_a_last_resort)
{
	struct pt_bursts *b = fresh();

	for (int i = 0; i < 40; i++) {
		struct pt_run wait = { .begin = WAIT, .end = BEHIND_WAIT, .next = BEHIND_WAIT, .instructions = 1, .cycles = 2,
				       .function = IDLE, .next_function = IDLE, .left = PT_LEFT_BRANCH };

		pt_bursts_begin(b, PT_BURST_BEGINNING);
		if (i % 2 == 0)
			wake_at(b, BEHIND_WAIT);
		feed(b, i % 2 == 0 ? ISR : LATE, 500);
		if (i % 2 == 0)
			pt_bursts_feed(b, &wait, 1);
		pt_bursts_end(b, false);
	}
	ck_assert(!pt_bursts_summary(b).by_wakeups);
	ck_assert_double_eq_tol(pt_bursts_share(b, LATE).share, 1, 1e-9);
	pt_bursts_free(b);
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
	struct pt_bursts *b = fresh();

	pt_bursts_begin(b, PT_BURST_BEGINNING);
	wake_at(b, wakes[_i].addr);
	feed(b, ISR, 1000);
	pt_bursts_end(b, true);
	ck_assert_msg(pt_bursts_summary(b).asleep == wakes[_i].asleep, "%s", wakes[_i].name);
	pt_bursts_free(b);
}
END_TEST

START_TEST(nothing_to_say)
{
	struct pt_bursts *b = fresh();

	ck_assert(!pt_bursts_summary(b).estimated);
	pt_bursts_end(b, true);		/* without a begin */
	pt_bursts_begin(b, PT_BURST_BEGINNING);
	pt_bursts_end(b, true);		/* empty */
	feed(b, EARLY, 1000);		/* outside any */
	ck_assert_uint_eq(pt_bursts_summary(b).all, 0);
	ck_assert(isnan(pt_bursts_share(b, EARLY).share));
	pt_bursts_begin(b, PT_BURST_BEGINNING);
	feed(b, EARLY, 1000);
	pt_bursts_end(b, true);
	ck_assert(!pt_bursts_summary(b).estimated);	/* one says nothing about the spread */
	pt_bursts_free(b);
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

static void one_burst(struct pt_bursts *b, double asleep, unsigned n_runs)
{
	bool slept = uniform() < asleep;
	struct walker w = slept ? (struct walker){ draw(), 0 } : armed_awake();
	struct pt_run run;

	pt_bursts_begin(b, PT_BURST_BEGINNING);
	if (slept)
		wake_at(b, BEHIND_WAIT);
	while (n_runs-- > 0) {
		if (!step(&w, &run)) {
			run = run_of(IDLE, 2);	/* into the wait, which an exception ends */
			run.begin = WAIT;
			run.end = BEHIND_WAIT;
			run.cycles = 2;
			w = (struct walker){ draw(), 0 };
		}
		pt_bursts_feed(b, &run, 1);
	}
	pt_bursts_end(b, true);
}

static const struct {
	const char *name;
	double asleep;		/* share of bursts that are armed asleep */
	unsigned n_bursts, n_runs;
	bool by_wakeups;
} experiments[] = {
	{ "never asleep, short bursts", 0, 100, 60, false },
	{ "half asleep, short bursts", 0.5, 200, 60, false },
	{ "mostly asleep, short bursts", 0.9, 1000, 60, false },
	{ "half asleep, long bursts", 0.5, 100, 500, false },
	{ "few bursts", 0.3, 20, 200, false },
	{ "nearly always asleep, long bursts", 0.99, 200, 500, true },
};

enum { TIMES = 400 };

START_TEST(intervals_hold_the_truth)
{
	const double truth[N_IDS] = { [EARLY] = mean_early / (mean_all + 2), [LATE] = mean_late / (mean_all + 2),
				      [SPIN] = mean_spin / (mean_all + 2) };
	unsigned hits = 0, of = 0, by_wakeups = 0;
	double bias = 0;

	state = (uint64_t)_i + 1;
	for (int time = 0; time < TIMES; time++) {
		struct pt_bursts *b = fresh();

		for (unsigned i = 0; i < experiments[_i].n_bursts; i++)
			one_burst(b, experiments[_i].asleep, experiments[_i].n_runs);
		by_wakeups += pt_bursts_summary(b).by_wakeups;
		for (uint16_t id = EARLY; id < N_IDS; id++) {
			struct pt_share share = pt_bursts_share(b, id);

			if (id == ISR)
				continue;
			hits += share.lo <= truth[id] && truth[id] <= share.hi;
			bias += id == LATE ? (share.share - truth[id]) / TIMES : 0;
			of++;
		}
		pt_bursts_free(b);
	}
	ck_assert_msg(hits >= of * 0.92 && hits <= of * 0.98,
		      "%s: %.1f %% of %u intervals hold the truth, bias of late %+.2f "
		      "points",
		      experiments[_i].name, 100.0 * hits / of, of, 100 * bias);
	ck_assert_msg(fabs(bias) < 0.015, "%s: bias %+.2f points", experiments[_i].name, 100 * bias);
	if (experiments[_i].by_wakeups)
		ck_assert_uint_gt(by_wakeups, TIMES * 9 / 10);
	else
		ck_assert_uint_le(by_wakeups, TIMES / 50);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bursts");
	TCase *tc = tcase_create("bursts");

	tcase_add_checked_fixture(tc, build, drop);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, cut_by_hand);
	tcase_add_test(tc, long_bursts_count_no_more);
	tcase_add_test(tc, cut_from_the_end_by_hand);
	tcase_add_test(tc, a_long_burst_cut_from_the_end);
	tcase_add_test(tc, one_that_ended_asleep_is_left_out);
	tcase_add_test(tc, an_interrupted_burst_has_no_say_in_the_cut);
	tcase_add_test(tc, entering_a_handler_is_the_handlers);
	tcase_add_loop_test(tc, wake_case, 0, PT_LEN(wakes));
	tcase_add_test(tc, nothing_to_say);
	tcase_add_test(tc, waking_periods_are_a_last_resort);
	tcase_add_loop_test(tc, intervals_hold_the_truth, 0, PT_LEN(experiments));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
