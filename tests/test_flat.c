/* The flat profile of pc samples: sums by hand, and intervals that hold the truth although samples in a batch agree
 * with one another. */
#include <stdbool.h>

#include "harness.h"
#include "profile/stats/flat.h"

enum { NONE, WORK, REST, N_IDS };

/* Three batches: work 3 of 4, 1 of 4 and, beside two asleep, 2 of 2. */
START_TEST(sums_by_hand)
{
	static const struct { unsigned work, rest, asleep; } batches[] = { { 3, 1, 0 }, { 1, 3, 0 }, { 2, 0, 2 } };
	struct pt_flat *flat = pt_flat_new(N_IDS);
	struct pt_flat_summary s;

	for (size_t i = 0; i < PT_LEN(batches); i++) {
		for (unsigned k = 0; k < batches[i].work; k++)
			pt_flat_sample(flat, WORK);
		for (unsigned k = 0; k < batches[i].rest; k++)
			pt_flat_sample(flat, REST);
		for (unsigned k = 0; k < batches[i].asleep; k++)
			pt_flat_asleep(flat);
		pt_flat_end_batch(flat);
	}
	pt_flat_refused(flat, 5);
	pt_flat_end_batch(flat);	/* empty */
	s = pt_flat_summary(flat);
	ck_assert_uint_eq(s.samples, 12);
	ck_assert_uint_eq(s.asleep, 2);
	ck_assert_uint_eq(s.refused, 5);
	ck_assert_uint_eq(s.batches, 3);
	ck_assert_uint_eq(pt_flat_samples(flat, WORK), 6);
	ck_assert_double_eq_tol(pt_flat_share(flat, WORK).share, 0.6, 1e-12);
	ck_assert_double_eq_tol(pt_flat_share(flat, REST).share, 0.4, 1e-12);
	/* Residuals of work: 3 - 2.4, 1 - 2.4, 2 - 1.2; squares 0.36 + 1.96 + 0.64 = 2.96; variance 2.96 * 3/2 /
	 * 100. */
	ck_assert_double_eq_tol(pt_flat_share(flat, WORK).effective, 0.24 / 0.0444, 1e-9);
	pt_flat_free(flat);
}
END_TEST

/* Ten batches of ten: eight of WORK, two of REST, a handler; entering it took as long as one of the eight. */
START_TEST(whom_exceptions_interrupt_is_left_open)
{
	const uint16_t handler = REST;
	struct pt_flat *flat = pt_flat_new(N_IDS);
	struct pt_share work, rest, none;

	for (unsigned i = 0; i < 10; i++) {
		for (unsigned k = 0; k < 10; k++)
			pt_flat_sample(flat, k < 8 ? WORK : REST);
		pt_flat_entered(flat, REST, 1);
		pt_flat_end_batch(flat);
	}
	work = pt_flat_bounded(flat, pt_flat_share(flat, WORK), NULL);
	rest = pt_flat_bounded(flat, pt_flat_share(flat, REST), &handler);
	ck_assert_double_eq_tol(work.share, 0.8, 1e-12);
	ck_assert_double_eq_tol(work.lo, pt_flat_share(flat, WORK).lo - 0.1, 1e-12);
	ck_assert_double_eq_tol(work.hi, pt_flat_share(flat, WORK).hi, 1e-12);
	ck_assert_double_eq_tol(rest.share, 0.2, 1e-12);
	ck_assert_double_eq_tol(rest.lo, pt_flat_share(flat, REST).lo, 1e-12);	/* it does not interrupt itself */
	ck_assert_double_gt(rest.hi, pt_flat_share(flat, REST).hi + 0.1);
	pt_flat_free(flat);
	flat = pt_flat_new(N_IDS);	/* nothing is entered */
	for (unsigned i = 0; i < 10; i++) {
		pt_flat_sample(flat, WORK);
		pt_flat_end_batch(flat);
	}
	none = pt_flat_bounded(flat, pt_flat_share(flat, WORK), NULL);
	ck_assert_double_eq(none.lo, pt_flat_share(flat, WORK).lo);
	pt_flat_free(flat);
}
END_TEST

/* Of a hundred samples WORK has thirty, eight of them doubtful; five that others have may be WORK's, or of a function that no
 * sample found. */
START_TEST(doubtful_samples_widen_both_limits)
{
	const struct pt_cluster_total total = { .n = 100, .y = 100, .yy = 100 };
	struct pt_flat *flat = pt_flat_new(N_IDS);
	struct pt_share s;

	for (unsigned i = 0; i < 100; i++) {
		pt_flat_sample(flat, i < 30 ? WORK : REST);
		pt_flat_end_batch(flat);
	}
	pt_flat_doubt(flat, WORK, 8, 5);
	pt_flat_doubt(flat, NONE, 0, 5);
	s = pt_flat_share(flat, WORK);
	ck_assert_double_eq_tol(s.share, 0.3, 1e-12);
	ck_assert_double_eq_tol(s.lo, pt_cluster_share(&total, &(struct pt_cluster_sum){ 22, 22, 22 }).lo, 1e-12);
	ck_assert_double_eq_tol(s.hi, pt_cluster_share(&total, &(struct pt_cluster_sum){ 35, 35, 35 }).hi, 1e-12);
	s = pt_cluster_share(&total, &(struct pt_cluster_sum){ 5, 5, 5 });
	ck_assert_double_eq_tol(pt_flat_unseen(flat), s.hi, 1e-12);
	pt_flat_doubt(flat, WORK, 30, 0);
	ck_assert_double_eq(pt_flat_share(flat, WORK).lo, 0);
	pt_flat_free(flat);
}
END_TEST

/* Of a hundred samples WORK has thirty; ten more never came, and may all have been WORK, or none. */
START_TEST(what_was_missed_may_be_of_anything)
{
	struct pt_flat *flat = pt_flat_new(N_IDS);
	struct pt_share seen, all, unknown;

	ck_assert_double_eq(pt_flat_unseen(flat), 1);	/* nothing was looked at */
	for (unsigned i = 0; i < 10; i++) {
		for (unsigned k = 0; k < 10; k++)
			pt_flat_sample(flat, k < 2 + i % 3 ? WORK : REST);
		pt_flat_end_batch(flat);
	}
	seen = pt_flat_bounded(flat, pt_flat_share(flat, WORK), NULL);
	ck_assert_double_le(pt_flat_unseen(flat), 0.5);
	pt_flat_missed(flat, 10);
	all = pt_flat_bounded(flat, pt_flat_share(flat, WORK), NULL);
	ck_assert_double_eq_tol(all.share, seen.share, 1e-12);
	ck_assert_double_eq_tol(all.lo, seen.lo * 100 / 110, 1e-12);
	ck_assert_double_eq_tol(all.hi, (seen.hi * 100 + 10) / 110, 1e-12);
	ck_assert_double_ge(pt_flat_unseen(flat), 10.0 / 110);
	pt_flat_missed(flat, PT_UNKNOWN);
	unknown = pt_flat_bounded(flat, pt_flat_share(flat, WORK), NULL);
	ck_assert_double_le(unknown.hi, unknown.lo);
	ck_assert_double_eq(pt_flat_unseen(flat), 1);
	pt_flat_free(flat);
}
END_TEST

START_TEST(a_core_that_only_sleeps)
{
	struct pt_flat *flat = pt_flat_new(N_IDS);

	for (int i = 0; i < 100; i++) {
		pt_flat_asleep(flat);
		pt_flat_end_batch(flat);
	}
	ck_assert_uint_eq(pt_flat_summary(flat).batches, 100);
	ck_assert_uint_eq(pt_flat_summary(flat).asleep, 100);
	ck_assert_double_eq(pt_flat_summary(flat).effective, 0);
	ck_assert_double_eq(pt_flat_share(flat, WORK).lo, 0);
	ck_assert_double_eq(pt_flat_share(flat, WORK).hi, 1);
	pt_flat_free(flat);
}
END_TEST

static uint64_t state;

static double uniform(void)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(state >> 11) / (double)(UINT64_C(1) << 53);
}

/* n samples at the start of which the core works with probability p; it changes its mind between two with 5 %. */
static void batch(struct pt_flat *flat, unsigned n, double p)
{
	bool work = uniform() < p;

	while (n-- > 0) {
		pt_flat_sample(flat, work ? WORK : REST);
		if (uniform() < 0.05)
			work = uniform() < p;
	}
	pt_flat_end_batch(flat);
}

static const struct { unsigned n_batches, n_samples; double p; } experiments[] = {
	{ 200, 32, 0.5 }, { 200, 128, 0.1 }, { 20, 64, 0.3 }, { 1000, 8, 0.02 },
};

START_TEST(intervals_hold_the_truth)
{
	enum { TIMES = 500 };
	unsigned hits = 0;
	double worth = 0;

	state = (uint64_t)_i + 7;
	for (int time = 0; time < TIMES; time++) {
		struct pt_flat *flat = pt_flat_new(N_IDS);
		struct pt_share s;

		for (unsigned i = 0; i < experiments[_i].n_batches; i++)
			batch(flat, experiments[_i].n_samples, experiments[_i].p);
		s = pt_flat_share(flat, WORK);
		hits += s.lo <= experiments[_i].p && experiments[_i].p <= s.hi;
		worth += pt_flat_summary(flat).effective / TIMES;
		pt_flat_free(flat);
	}
	ck_assert_msg(hits >= TIMES * 0.92 && hits <= TIMES * 0.98, "%u of %d", hits, TIMES);
	ck_assert_double_lt(worth, experiments[_i].n_batches * experiments[_i].n_samples / 2.0);
	ck_assert_double_gt(worth, experiments[_i].n_batches);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flat");
	TCase *tc = tcase_create("flat");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, sums_by_hand);
	tcase_add_test(tc, whom_exceptions_interrupt_is_left_open);
	tcase_add_test(tc, what_was_missed_may_be_of_anything);
	tcase_add_test(tc, doubtful_samples_widen_both_limits);
	tcase_add_test(tc, a_core_that_only_sleeps);
	tcase_add_loop_test(tc, intervals_hold_the_truth, 0, PT_LEN(experiments));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
