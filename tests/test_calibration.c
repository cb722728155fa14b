/* Samples calibrate bursts: figures that were computed by hand. */
#include <math.h>

#include "harness.h"
#include "profile/stats/calibration.h"

enum { F, G, H, N };	/* two functions, and a handler that interrupts F */

/* Four windows of weight 1; of each what F, G and H had of it, and the cycles of entering H. */
static const struct { double f, g, h, entry; } window[] = {
	{ 0.6, 0.3, 0.1, 0.04 }, { 0.5, 0.4, 0.1, 0.04 }, { 0.7, 0.2, 0.1, 0.04 }, { 0.6, 0.3, 0.1, 0.04 },
};

static void add(struct pt_window_function *w, double own, double shift, double entered)
{
	pt_cluster_add(&w->own, own, 1);
	pt_cluster_add(&w->as_sampled, own - shift, 1);
	pt_cluster_add(&w->shift, shift, 1);
	w->entered += entered;
	w->most = fmax(w->most, own);
	w->n += own > 0;
}

static struct pt_cluster_total make(struct pt_calibration c[N], double f, double g, double h)
{
	const double share[N] = { f, g, h };
	struct pt_cluster_total windows = { 0 };

	for (size_t i = 0; i < N; i++)
		c[i] = (struct pt_calibration){ .by_samples = { share[i], share[i] - 0.02, share[i] + 0.02, 100 } };
	for (size_t i = 0; i < PT_LEN(window); i++) {
		pt_cluster_add_total(&windows, 1);
		add(&c[F].windows, window[i].f, -window[i].entry, 0);
		add(&c[G].windows, window[i].g, 0, 0);
		add(&c[H].windows, window[i].h, window[i].entry, window[i].entry);
	}
	pt_calibration_make(c, N, &windows);
	return windows;
}

static void near(double is, double wanted)
{
	ck_assert_msg(fabs(is - wanted) < 1e-6, "%.8f, not %.8f", is, wanted);
}

/* Samples find F where H is being entered: 4 % go from one to the other, and all are 100 %. */
START_TEST(entering_is_the_handlers)
{
	struct pt_calibration c[N];

	make(c, 0.66, 0.28, 0.06);
	near(c[F].share.share, 0.62);
	near(c[G].share.share, 0.28);
	near(c[H].share.share, 0.10);
	near(c[F].share.lo, 0.60);	/* as wide as the samples': windows agree on the 4 % */
	near(c[H].share.hi, 0.12);
	near(c[F].kept, 0.62 / 0.66);
	near(c[H].entered, 0.04);
	near(c[F].by_bursts.share, 0.64);
	near(c[H].by_bursts.share, 0.06);
}
END_TEST

/* Less was sampled of F than H was entered from it: nothing is below 0, and all are 100 %. */
START_TEST(no_share_is_below_nothing)
{
	struct pt_calibration c[N];

	make(c, 0.02, 0.9, 0.08);
	near(c[F].share.share, 0);
	near(c[F].share.share + c[G].share.share + c[H].share.share, 1);
	ck_assert_double_ge(c[F].share.lo, 0);
}
END_TEST

/* Two rows that are all of G add up to it; one that is all of it has its interval. */
START_TEST(rows_add_up_to_their_function)
{
	struct pt_calibration c[N];
	struct pt_cluster_total windows = make(c, 0.66, 0.28, 0.06);
	struct pt_cluster_sum part[2] = { { .x = 0 }, { .x = 0 } };
	double with_own[2] = { 0 };
	struct pt_share share[2], whole;

	for (size_t i = 0; i < PT_LEN(window); i++) {
		double x = window[i].g * (i % 2 == 0 ? 0.25 : 0.5);

		pt_cluster_add(&part[0], x, 1);
		pt_cluster_add(&part[1], window[i].g - x, 1);
		with_own[0] += x * window[i].g;
		with_own[1] += (window[i].g - x) * window[i].g;
	}
	for (int i = 0; i < 2; i++)
		share[i] = pt_calibrated_share(&c[G], &windows, &part[i], with_own[i]);
	near(share[0].share + share[1].share, c[G].share.share);
	near(share[0].lo, 0);	/* four windows say nothing of how a function divides */
	near(share[0].hi, c[G].share.hi);
	windows.n = PT_CALIBRATION_WINDOWS;
	share[0] = pt_calibrated_share(&c[G], &windows, &part[0], with_own[0]);
	/* q = 0.475 / 1.2; residuals^2 0.00265625 + ...: relative 0.2379 of q, 0.0364 of the function, t of 3 degrees */
	ck_assert_double_gt(share[0].lo, 0.02);
	ck_assert_double_lt(share[0].lo, share[0].share);
	ck_assert_double_le(share[0].hi, c[G].share.hi);
	whole = pt_calibrated_share(&c[G], &windows, &c[G].windows.own, c[G].windows.own.xx);
	near(whole.share, 0.28);
	near(whole.hi, c[G].share.hi);
	ck_assert_double_lt(whole.hi - whole.lo, 0.06);
}
END_TEST

/* Sampled, and in no window: nobody knows how it divides. */
START_TEST(never_in_a_window)
{
	struct pt_calibration c = { .share = { 0.1, 0.08, 0.12, 100 } };
	const struct pt_cluster_total windows = { .n = 40, .y = 40, .yy = 40 };
	const struct pt_cluster_sum none = { .x = 0 };
	struct pt_share share = pt_calibrated_share(&c, &windows, &none, 0);

	near(share.share, 0);
	near(share.hi, 0.12);
}
END_TEST

static const struct { struct pt_share a, b; size_t n; bool differ; } pairs[] = {
	{ { 0.50, 0.48, 0.52, 0 }, { 0.53, 0.50, 0.56, 0 }, 1, false },	/* 0.03 of 0.0605 */
	{ { 0.50, 0.48, 0.52, 0 }, { 0.57, 0.54, 0.60, 0 }, 1, true },	/* 0.07 */
	{ { 0.50, 0.48, 0.52, 0 }, { 0.57, 0.54, 0.60, 0 }, 40, false },	/* of so many pairs: 0.0813 */
	{ { 0.50, 0.48, 0.52, 0 }, { 0.60, 0.57, 0.63, 0 }, 40, true },
	{ { 0.60, 0.57, 0.63, 0 }, { 0.50, 0.48, 0.52, 0 }, 40, true },
	{ { 0.00, 0.00, 0.02, 0 }, { 0.05, 0.02, 0.30, 0 }, 1, false },	/* the sides that face each other count */
	{ { 0.00, 0.00, 0.02, 0 }, { 0.08, 0.06, 0.10, 0 }, 1, true },
};

START_TEST(differ_by_more_than_chance)
{
	ck_assert_int_eq(pt_shares_differ(&pairs[_i].a, &pairs[_i].b, pairs[_i].n), pairs[_i].differ);
}
END_TEST

static const struct { struct pt_estimate a, b; size_t n; bool differ; } rates[] = {
	{ { 100, 80, 125 }, { 150, 120, 180 }, 1, false },	/* 0.405 of 0.53 */
	{ { 100, 80, 125 }, { 200, 160, 240 }, 1, true },	/* 0.693 */
	{ { 100, 80, 125 }, { 200, 160, 240 }, 40, false },	/* of so many: 0.711 */
	{ { 240, 200, 290 }, { 100, 80, 125 }, 40, true },
	{ { 100, 80, 125 }, { NAN, NAN, NAN }, 1, false },
	{ { 0, 0, 10 }, { 200, 160, 240 }, 1, false },
};

START_TEST(rates_differ)
{
	ck_assert_int_eq(pt_estimates_differ(&rates[_i].a, &rates[_i].b, rates[_i].n), rates[_i].differ);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("calibration");
	TCase *tc = tcase_create("calibration");

	tcase_add_test(tc, entering_is_the_handlers);
	tcase_add_test(tc, no_share_is_below_nothing);
	tcase_add_test(tc, rows_add_up_to_their_function);
	tcase_add_test(tc, never_in_a_window);
	tcase_add_loop_test(tc, differ_by_more_than_chance, 0, PT_LEN(pairs));
	tcase_add_loop_test(tc, rates_differ, 0, PT_LEN(rates));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
