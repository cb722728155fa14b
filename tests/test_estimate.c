/* Estimates from clusters, against figures that were worked out by other means (a worked example of six bursts that were
 * armed awake and three asleep; Clopper and Pearson's table; R's qbeta and qgamma), and against what must always hold. */
#include <math.h>
#include <string.h>

#include "harness.h"
#include "profile/stats/estimate.h"

/* Six windows: what a row got of each (z), entries per 1000 cycles (y). */
static const double z[] = { 1, 0.5, 0, 0.5, 0.2, 0 };
static const double entries[] = { 3 / 2.5, 1 / 2.5, 0, 2 / 2.4, 1 / 2.5, 0 };
static const double weights[] = { 30, 40, 35, 80, 30, 45 };

enum { SIX = 6 };

static struct pt_share share_of(const double *values, const double *weight, size_t n, size_t n_more)
{
	struct pt_cluster_total total = { 0 };
	struct pt_cluster_sum sum = { 0 };

	for (size_t i = 0; i < n; i++) {
		double y = weight != NULL ? weight[i] : 1;

		pt_cluster_add_total(&total, y);
		pt_cluster_add(&sum, values[i] * y, y);
	}
	for (size_t i = 0; i < n_more; i++)
		pt_cluster_add_total(&total, 1);
	return pt_cluster_share(&total, &sum);
}

static const double three_of_ten[10] = { 1, 1, 1 }, alike[12] = { .9, .9, .9, .9, .9, .9, .9, .9, .9, .9, .9, .9 };
static const double ones[3] = { 1, 1, 1 }, nothing[2] = { 0, 0 };

static const struct {
	const char *name;
	const double *values, *weight;
	size_t n, n_more;
	double share, lo, hi;
} shares[] = {
	{ "of the time awake", z, NULL, SIX, 0, .366667, .101911, .720083 },
	{ "of all time", z, NULL, SIX, 3, .244444, .064588, .548050 },
	{ "asleep", ones, NULL, 3, 6, .333333, .079705, .677814 },
	{ "weighted", z, weights, SIX, 0, .369231, .118182, .712983 },
	{ "three of ten", three_of_ten, NULL, 10, 0, .3, .070563, .628248 },
	{ "met in one of ten", ones, NULL, 1, 9, .1, 0, .397219 },
	{ "all alike", alike, NULL, 12, 0, .9, .726866, .919237 },
	{ "seen nowhere", nothing, NULL, 2, 0, 0, 0, NAN },
	{ "one says nothing of the spread", ones, NULL, 1, 0, 1, 0, 1 },
};

START_TEST(share_case)
{
	struct pt_share s = share_of(shares[_i].values, shares[_i].weight, shares[_i].n, shares[_i].n_more);

	ck_assert_msg(fabs(s.share - shares[_i].share) < 1e-6, "%s: %g", shares[_i].name, s.share);
	ck_assert_msg(fabs(s.lo - shares[_i].lo) < 2e-6, "%s: from %.7f", shares[_i].name, s.lo);
	ck_assert_msg(isnan(shares[_i].hi) || fabs(s.hi - shares[_i].hi) < 2e-6, "%s: to %.7f", shares[_i].name, s.hi);
}
END_TEST

/* Of n clusters each has the row, c of it, in `part` of the cases: how often the limits hold among those that met it, by
 * adding up the chances; rest: of what the row leaves. */
static double part_that_holds(unsigned n, double part, double c, bool rest)
{
	struct pt_cluster_total total = { .n = n, .y = n, .yy = n };
	double held = 0, met = 0, truth = rest ? 1 - part * c : part * c;

	for (unsigned k = rest ? 0 : 1; k <= n; k++) {
		double chance = exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(part) +
				    (n - k) * log1p(-part));
		double one = rest ? 1 - c : c, other = rest ? 1 : 0;
		struct pt_cluster_sum sum = { .x = k * one + (n - k) * other, .xx = k * one * one + (n - k) * other };
		struct pt_share s;

		sum.xy = sum.x;
		if (sum.x <= 0)
			continue;
		s = pt_cluster_share(&total, &sum);
		met += chance;
		held += s.lo - 1e-12 <= truth && truth <= s.hi + 1e-12 ? chance : 0;
	}
	return held / met;
}

/* Few clusters, of which few lack the row or few have it, each about as much: a handler's calls, a phase. No limits from
 * whole counts hold in 95 % for each of them, as the count is one or the next; by the beta between 0 and 1 alone 150 of
 * the 864 did not, at worst 83.2 %. */
START_TEST(few_that_have_or_lack_a_row)
{
	static const unsigned n[] = { 5, 9, 12, 20, 30, 60, 100, 200 };
	static const double part[] = { .04, .1, .3, .5, .7, .8, .9, .96, .99 }, c[] = { .02, .1, .3, .6, .9, 1 };
	unsigned below = 0;

	for (size_t i = 0; i < PT_LEN(n) * PT_LEN(part) * PT_LEN(c) * 2; i++) {
		size_t of = i / 2;
		double holds = part_that_holds(n[of % PT_LEN(n)], part[of / PT_LEN(n) % PT_LEN(part)],
					       c[of / PT_LEN(n) / PT_LEN(part)], i % 2 != 0);

		ck_assert_msg(holds > 0.9, "case %zu: %.3f", i, holds);
		below += holds < 0.9499;
	}
	ck_assert_uint_le(below, 49);
}
END_TEST

/* A row has a line because it was met: of rows that are too rare for this, those that have one are chance's choice. So it
 * is those that must hold. 8 looks of 25 samples each, and 4000 rows of a fourth of a thousandth. */
START_TEST(rare_rows_that_were_met_hold)
{
	enum { ROWS = 4000, LOOKS = 8, SAMPLES = 25 };
	static unsigned met[ROWS][LOOKS];
	struct pt_cluster_total total = { 0 };
	unsigned shown = 0, held = 0;
	uint64_t random = 88172645463325252u;

	memset(met, 0, sizeof(met));
	for (unsigned i = 0; i < LOOKS * SAMPLES; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		met[random % ROWS][i / SAMPLES]++;
	}
	for (unsigned k = 0; k < LOOKS; k++)
		pt_cluster_add_total(&total, SAMPLES);
	for (unsigned row = 0; row < ROWS; row++) {
		struct pt_cluster_sum sum = { 0 };
		struct pt_share s;

		for (unsigned k = 0; k < LOOKS; k++)
			pt_cluster_add(&sum, met[row][k], SAMPLES);
		s = pt_cluster_share(&total, &sum);
		shown += s.share > 0;
		held += s.share > 0 && s.lo <= 1.0 / ROWS && 1.0 / ROWS <= s.hi;
	}
	ck_assert_uint_gt(shown, 150);
	ck_assert_msg(held >= 0.95 * shown, "%u of %u intervals hold the truth", held, shown);
}
END_TEST

static const struct { uint64_t n; double most; } unseen[] = { { 6, .393038 }, { 30, .095034 }, { 0, 1 } };

START_TEST(unseen_case)
{
	struct pt_cluster_total total = { unseen[_i].n, (double)unseen[_i].n, (double)unseen[_i].n, 0 };

	ck_assert_double_eq_tol(pt_cluster_unseen(&total), unseen[_i].most, 1e-6);
}
END_TEST

/* A tenth of the time is of clusters that nobody could look into: a share may be 0 or 1 there, and there is no rate. */
START_TEST(unknown_clusters_widen)
{
	struct pt_cluster_total total = { 0 };
	struct pt_cluster_sum sum = { 0 };
	struct pt_share known, widened;

	for (unsigned i = 0; i < 18; i++) {
		pt_cluster_add_total(&total, 1);
		pt_cluster_add(&sum, i % 2 == 0 ? 0.5 : 0.25, 1);
	}
	known = pt_cluster_share(&total, &sum);
	ck_assert(!isnan(pt_cluster_rate(&total, &sum, 0.5).value));
	total.unknown = 2;
	widened = pt_cluster_share(&total, &sum);
	ck_assert_double_eq(widened.share, known.share);
	ck_assert_double_eq_tol(widened.lo, 0.9 * known.lo, 1e-9);
	ck_assert_double_eq_tol(widened.hi, 0.9 * known.hi + 0.1, 1e-9);
	ck_assert_double_eq_tol(pt_cluster_unseen(&total), 0.9 * (1 - pow(0.05, 1.0 / 18)) + 0.1, 1e-9);
	ck_assert(isnan(pt_cluster_rate(&total, &sum, 0.5).value));
}
END_TEST

/* qbeta(p, a, b) and qgamma(p, shape, scale = s) */
static const struct { double a, b, p, want; } betas[] = {
	{ 4.306383, 8.417021, 0.025, .117526 }, { 4.938693, 6.950754, 0.975, .692078 }, { 1, 1, 0.3, 0.3 },
	{ 0.5, 0.5, 0.5, 0.5 }, { 2, 30, 0.975, 0.167021 }, { 3, 8, 0.025, 0.066739 },
};

START_TEST(beta_case)
{
	ck_assert_double_eq_tol(pt_beta_quantile(betas[_i].a, betas[_i].b, betas[_i].p), betas[_i].want, 2e-6);
}
END_TEST

static const struct { double shape, scale, p, want; } gammas[] = {
	{ 1, 1, 0.5, 0.693147 }, { 10, 1, 0.025, 4.795389 }, { 10, 1, 0.975, 17.08480 }, { 0.5, 2, 0.95, 3.841459 },
	{ 4, 0.5, 0.5, 1.836030 },
};

START_TEST(gamma_case)
{
	ck_assert_double_eq_tol(pt_gamma_quantile(gammas[_i].shape, gammas[_i].scale, gammas[_i].p), gammas[_i].want,
				1e-4);
}
END_TEST

/* The six windows twice: a rate needs ten. */
START_TEST(rate_and_self_time_per_call)
{
	struct pt_cluster_total total = { 0 };
	struct pt_cluster_sum sum = { 0 };
	struct pt_ratio_sum ratio = { 0 };
	struct pt_estimate e;

	for (size_t i = 0; i < 2 * SIX; i++) {
		pt_cluster_add_total(&total, 1);
		pt_cluster_add(&sum, entries[i % SIX], 1);
		pt_ratio_add(&ratio, z[i % SIX], entries[i % SIX] / 1000);
		if (i == SIX - 1) {
			ck_assert(isnan(pt_cluster_rate(&total, &sum, 1.2).value));
			ck_assert(isnan(pt_cluster_ratio(SIX, &ratio).value));
		}
	}
	e = pt_cluster_rate(&total, &sum, 1.2);
	ck_assert_double_eq_tol(e.value, .472222, 1e-6);
	ck_assert_msg(e.lo > 0.2 && e.lo < 0.3 && e.hi > 0.7 && e.hi < 0.95, "%g..%g", e.lo, e.hi);
	e = pt_cluster_ratio(2 * SIX, &ratio);
	ck_assert_double_eq_tol(e.value, 776.4706, 1e-3);
	ck_assert_msg(e.lo > 400 && e.lo < 600 && e.hi > 1000 && e.hi < 1500, "%g..%g", e.lo, e.hi);
}
END_TEST

/* --- what must always hold, over random clusters */

static uint64_t state = 1;

static double uniform(void)	/* splitmix64 */
{
	uint64_t mixed = state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((mixed ^ mixed >> 31) >> 11) / (double)(UINT64_C(1) << 53);
}

START_TEST(laws)
{
	double values[60], rest[60], weight[60], scaled[60];
	size_t n = 2 + (size_t)(uniform() * 58);
	struct pt_share a, b;

	for (size_t i = 0; i < n; i++) {
		values[i] = uniform() < 0.3 ? 0 : uniform() < 0.2 ? 1 : uniform();
		rest[i] = 1 - values[i];
		weight[i] = 0.1 + uniform();
		scaled[i] = 1000 * weight[i];
	}
	a = share_of(values, weight, n, 0);
	b = share_of(rest, weight, n, 0);
	ck_assert(a.lo >= 0 && a.lo <= a.share && a.share <= a.hi && a.hi <= 1);
	ck_assert_double_eq_tol(a.share + b.share, 1, 1e-9);	/* rows that share the time add up */
	ck_assert_double_eq_tol(a.lo, 1 - b.hi, 1e-6);
	b = share_of(values, scaled, n, 0);			/* units of weight do not matter */
	ck_assert(fabs(a.lo - b.lo) < 1e-7 && fabs(a.hi - b.hi) < 1e-7);
	for (size_t i = 0; i < n; i++)
		weight[i] = 1;
	a = share_of(values, weight, n, 0);
	b = share_of(values, NULL, n, 0);
	ck_assert(a.lo == b.lo && a.hi == b.hi);
}
END_TEST

/* Per tick of all time: as sure as the rate and the part awake are together, and no more than either allows. */
START_TEST(of_all_time)
{
	const struct pt_estimate rate = { 0.4, 0.2, 0.8 }, sure = { 0.4, 0.4, 0.4 };
	const struct pt_share half = { .share = 0.5, .lo = 0.25, .hi = 0.75 }, none = { .share = 0.5 };
	struct pt_estimate e = pt_estimate_of_all_time(rate, &half);

	ck_assert_double_eq_tol(e.value, 0.2, 1e-12);
	ck_assert_double_eq_tol(e.lo, 0.2 * pow(2, -sqrt(2)), 1e-9);
	ck_assert_double_eq_tol(e.hi, 0.2 * exp(hypot(log(2), log(1.5))), 1e-9);
	e = pt_estimate_of_all_time(sure, &half);
	ck_assert_double_eq_tol(e.lo, 0.1, 1e-9);
	ck_assert_double_eq_tol(e.hi, 0.3, 1e-9);
	e = pt_estimate_of_all_time(rate, &none);	/* how long it slept is known */
	ck_assert_double_eq_tol(e.lo, 0.1, 1e-9);
	ck_assert_double_eq_tol(e.hi, 0.4, 1e-9);
	e = pt_estimate_of_all_time((struct pt_estimate){ 0, 0, 0.1 }, &half);
	ck_assert(e.value == 0 && e.lo == 0 && fabs(e.hi - 0.075) < 1e-9);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("estimate");
	TCase *tc = tcase_create("estimate");

	tcase_add_test(tc, of_all_time);
	tcase_add_test(tc, rare_rows_that_were_met_hold);
	tcase_add_test(tc, few_that_have_or_lack_a_row);
	tcase_add_loop_test(tc, share_case, 0, PT_LEN(shares));
	tcase_add_loop_test(tc, unseen_case, 0, PT_LEN(unseen));
	tcase_add_test(tc, unknown_clusters_widen);
	tcase_add_loop_test(tc, beta_case, 0, PT_LEN(betas));
	tcase_add_loop_test(tc, gamma_case, 0, PT_LEN(gammas));
	tcase_add_test(tc, rate_and_self_time_per_call);
	tcase_add_loop_test(tc, laws, 0, 200);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
