/* The rate of a counter that wraps, from readings whose moments are uncertain: whatever comes out holds the truth. */
#include <math.h>

#include "base/count_rate.h"
#include "harness.h"
#include "base/util.h"

static uint32_t state;

static double uniform(void)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) / 16777216.0;
}

static const struct { const char *name; double hz, period, trip_ns; bool known; } cases[] = {
	{ "SysTick of 1 ms, a quick probe", 48e6, 48000, 100e3, true },
	{ "SysTick of 1 ms, a slow core, a very quick probe", 12.000123e6, 12000, 20e3, true },
	{ "the virtual probe", 48e6, 48000, 158e3, true },
	{ "a fast core with a tick of 0.1 ms would fit, too", 12.000123e6, 12000, 100e3, false },
	{ "SysTick of 10 ms, a HID probe", 96e6, 960000, 2e6, true },
	{ "CYCCNT", 168e6, 4294967296.0, 2e6, true },
	{ "a trip longer than the period says nothing", 48e6, 48000, 2e6, false },
};

/* Readings at irregular times over half a second, each somewhere inside of a trip. */
START_TEST(holds_the_truth)
{
	unsigned n_known = 0;

	for (unsigned seed = 1; seed <= 8; seed++) {
		struct pt_count_rate r;
		double at = 1e6, hz = 0, error = 0, phase;

		state = seed;
		phase = uniform() * cases[_i].period;
		pt_count_rate_begin(&r, cases[_i].period, 1e3, 200e6);
		for (unsigned i = 0; i < 400 && at < 0.5e9; i++) {
			double read = at + uniform() * cases[_i].trip_ns;

			pt_count_rate_add(&r, (uint64_t)at, (uint64_t)(at + cases[_i].trip_ns),
					  (uint32_t)fmod(phase + cases[_i].hz * read / 1e9, cases[_i].period));
			at += cases[_i].trip_ns * (1 + 2 * uniform()) * (1 + i / 20.0);
		}
		pt_count_rate_settle(&r);
		ck_assert_msg(pt_count_rate_fits(&r, cases[_i].hz, cases[_i].hz), "%s, seed %u", cases[_i].name, seed);
		if (cases[_i].known)
			ck_assert(!pt_count_rate_fits(&r, cases[_i].hz * 2, cases[_i].hz * 2));
		if (!pt_count_rate_known(&r, 1e-2, &hz, &error))
			continue;
		n_known++;
		ck_assert_msg(fabs(hz - cases[_i].hz) <= error, "%s, seed %u: %.0f +- %.0f", cases[_i].name, seed, hz,
			      error);
	}
	ck_assert_msg(cases[_i].known ? n_known >= 7 : n_known == 0, "%s: known for %u of 8", cases[_i].name, n_known);
}
END_TEST

START_TEST(what_is_not_steady_fits_no_rate)
{
	struct pt_count_rate r;
	double hz, error;

	pt_count_rate_begin(&r, 4294967296.0, 1e3, 1e9);
	pt_count_rate_add(&r, 0, 1000, 0);
	pt_count_rate_add(&r, 10000000, 10001000, 480000);
	pt_count_rate_add(&r, 20000000, 20001000, 480000);	/* it slept */
	ck_assert_uint_eq(r.n_bands, 0);
	ck_assert(!pt_count_rate_known(&r, 1, &hz, &error));
}
END_TEST

/* The first reading is vague, so that each of the others by itself leaves much open. Between those two 4 ms passed to
 * within 0.1 us: that is known of all readings together alone. */
START_TEST(what_fits_each_reading_may_not_fit_all)
{
	const double hz = 48e6, period = 48000;
	struct pt_count_rate r;

	pt_count_rate_begin(&r, period, 1e3, 200e6);
	pt_count_rate_add(&r, 0, 300000, (uint32_t)fmod(hz * 150e-6, period));
	pt_count_rate_add(&r, 700000, 700100, (uint32_t)fmod(hz * 700.05e-6, period));
	pt_count_rate_add(&r, 4700000, 4700100, (uint32_t)fmod(hz * 4700.05e-6, period));
	ck_assert(pt_count_rate_fits(&r, 46.6e6, 46.6e6) && pt_count_rate_fits(&r, 49.4e6, 49.4e6));
	pt_count_rate_settle(&r);
	ck_assert(pt_count_rate_fits(&r, hz, hz));
	ck_assert(!pt_count_rate_fits(&r, 46.6e6, 46.6e6) && !pt_count_rate_fits(&r, 49.4e6, 49.4e6));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("count_rate");
	TCase *tc = tcase_create("rate");

	tcase_add_test(tc, what_fits_each_reading_may_not_fit_all);
	tcase_add_loop_test(tc, holds_the_truth, 0, PT_LEN(cases));
	tcase_add_test(tc, what_is_not_steady_fits_no_rate);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
