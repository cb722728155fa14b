/* How long things last, from windows that cut them: a worked example, what must always hold, and simulated programs
 * whose truth is known, of fixed seeds. */
#include <math.h>
#include <stdlib.h>

#include "harness.h"
#include "profile/stats/survivals.h"

/* --- a worked example: one value in each of many clusters, so that all are at risk */

static const struct { uint64_t ticks; bool ended; } lengths[] = {
	{ 100, true }, { 150, true }, { 150, false }, { 200, true },
	{ 250, true }, { 300, false }, { 400, true }, { 500, false },
};

static const struct { double at, part, deviation; } curve[] = {
	{ 100, .875, .116927 }, { 150, .75, .153093 }, { 200, .6, .181659 }, { 250, .45, .188249 }, { 400, .225, .184856 },
};

/* Each length in `copies` clusters of its own, weights w. */
static struct pt_survival example(size_t copies, double w)
{
	struct pt_survival s = { 0 };

	for (size_t i = 0; i < PT_LEN(lengths) * copies; i++) {
		pt_survival_add(&s, lengths[i / copies].ticks, w, lengths[i / copies].ended);
		pt_survival_cluster(&s, w);
	}
	return s;
}

START_TEST(curve_is_the_worked_example)
{
	const size_t copies = 5;	/* five clusters at risk everywhere; each stands for a fifth */
	struct pt_survival s = example(copies, 3.5);
	struct pt_survival_step step[PT_SURVIVAL_BUCKETS];
	double area = 0, from = 0, part = 1;
	uint64_t reach;

	ck_assert_uint_eq(pt_survival_curve(&s, step, &reach), PT_LEN(curve));
	for (size_t i = 0; i < PT_LEN(curve); i++) {
		double deviation = step[i].part * sqrt(step[i].greenwood * (double)copies);

		ck_assert_double_eq_tol(step[i].at, curve[i].at, 1e-9);
		ck_assert_double_eq_tol(step[i].part, curve[i].part, 1e-9);
		ck_assert_double_eq_tol(deviation, curve[i].deviation, 1e-6);
		ck_assert(step[i].from <= curve[i].at && curve[i].at <= step[i].to);
		area += part * (step[i].at - from);
		from = step[i].at;
		part = step[i].part;
	}
	ck_assert_double_eq_tol(area + part * (500 - from), 301.25, 1e-9);
	ck_assert_uint_eq(reach, 496);	/* where the bucket of 500 begins */
	ck_assert_uint_eq(s.longest, 500);
	pt_survival_fini(&s);
}
END_TEST

/* --- where nothing can be said */

START_TEST(few_clusters_say_nothing)
{
	struct pt_survival s = { 0 };
	struct pt_lengths d;

	for (size_t i = 0; i < PT_SURVIVAL_CLUSTERS - 1; i++) {
		for (size_t k = 0; k < 1000; k++)
			pt_survival_add(&s, 50, 1, true);
		pt_survival_cluster(&s, 1);
	}
	d = pt_survival_lengths(&s);
	ck_assert(isnan(d.quantile[PT_DURATION_P50].value) && isnan(d.quantile[PT_DURATION_P50].lo) && isnan(d.mean));
	ck_assert_uint_eq(d.longest, 50);
	pt_survival_fini(&s);
}
END_TEST

/* A call that never ends in a window: nothing but a bound. */
START_TEST(what_never_ends_has_a_bound)
{
	struct pt_survival s = { 0 };
	struct pt_lengths d;

	for (size_t i = 0; i < 40; i++) {
		pt_survival_add(&s, 64 * (i + 1), 1, false);
		pt_survival_cluster(&s, 1);
	}
	d = pt_survival_lengths(&s);
	for (size_t i = 0; i < PT_N_DURATION_QUANTILES; i++) {
		ck_assert(isnan(d.quantile[i].value) && isnan(d.quantile[i].hi));
		ck_assert_double_eq(d.quantile[i].lo, 64 * 36);	/* what five reached */
	}
	ck_assert(d.mean > 0.85 * 64 * 36 && d.mean < 64 * 36);
	ck_assert_uint_eq(d.longest, 64 * 40);
	pt_survival_fini(&s);
}
END_TEST

/* All alike: the value itself. That no longer one was seen in 40 windows says something of the median, not of p99. */
START_TEST(what_is_constant_is_exact)
{
	struct pt_survival s = { 0 };
	struct pt_lengths d;

	for (size_t i = 0; i < 40; i++) {
		pt_survival_add(&s, 230, 1, true);
		pt_survival_cluster(&s, 1);
	}
	d = pt_survival_lengths(&s);
	ck_assert_double_eq(d.quantile[PT_DURATION_P50].value, 230);
	ck_assert_double_eq(d.quantile[PT_DURATION_P90].value, 230);
	ck_assert(d.quantile[PT_DURATION_P90].lo == 228 && d.quantile[PT_DURATION_P90].hi == 231);
	ck_assert(isnan(d.quantile[PT_DURATION_P99].value) && d.quantile[PT_DURATION_P99].lo == 228);
	ck_assert(d.mean > 210 && d.mean <= 230);
	pt_survival_fini(&s);
}
END_TEST

START_TEST(scale_of_weights_changes_nothing)
{
	struct pt_survival a = example(7, 1), b = example(7, 1e-9);
	struct pt_lengths x = pt_survival_lengths(&a), y = pt_survival_lengths(&b);

	for (size_t i = 0; i < PT_N_DURATION_QUANTILES; i++) {
		ck_assert_double_eq_tol(x.quantile[i].lo, y.quantile[i].lo, 1e-6);
		ck_assert(isnan(x.quantile[i].value) == isnan(y.quantile[i].value));
	}
	ck_assert_double_eq_tol(x.mean, y.mean, 1e-6);
	pt_survival_fini(&a);
	pt_survival_fini(&b);
}
END_TEST

/* --- the cut of a window */

static const struct {
	const char *name;
	uint64_t ticks, at;
	enum pt_survival_end end;
	uint64_t longest;	/* at a cut of 1000; 0: it does not count */
} cuts[] = {
	{ "ended before", 300, 999, PT_SURVIVAL_ENDED, 300 },
	{ "ended there", 300, 1000, PT_SURVIVAL_ENDED, 300 },
	{ "ended behind", 300, 1010, PT_SURVIVAL_ENDED, 290 },
	{ "went on at the end, which is before", 300, 990, PT_SURVIVAL_GOES_ON, 310 },
	{ "went on at the end, which is behind", 300, 1010, PT_SURVIVAL_GOES_ON, 290 },
	{ "rested at the end", 300, 990, PT_SURVIVAL_RESTS, 300 },
	{ "began behind", 5, 1010, PT_SURVIVAL_GOES_ON, 0 },
};

START_TEST(cut_case)
{
	struct pt_survivals *s = pt_survivals_new(2, 3);
	struct pt_lengths d;

	pt_survivals_note(s, 1, 2, 7777, 7777, PT_SURVIVAL_ENDED);	/* in no window */
	pt_survivals_begin(s);
	pt_survivals_note(s, 1, 2, 5555, 7777, PT_SURVIVAL_ENDED);	/* in one that is none */
	pt_survivals_begin(s);
	pt_survivals_note(s, 1, 2, cuts[_i].ticks, cuts[_i].at, cuts[_i].end);
	pt_survivals_end(s, 1000, 0.5);
	d = pt_survivals_lengths(s, 1, 2);
	ck_assert_msg(d.longest == cuts[_i].longest, "%s: %d", cuts[_i].name, (int)d.longest);
	ck_assert_uint_eq(pt_survivals_lengths(s, 1, 1).longest, 0);
	pt_survivals_free(s);
}
END_TEST

/* --- simulated programs: coverage of intervals, and no bias */

static uint64_t random_state;

static double random_real(void)	/* (0, 1) */
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

enum { T = 2500, REPLICATIONS = 500 };

struct law {
	const char *name;
	/* A length of the phase that a random number chose; and its quantiles. */
	double (*length)(double phase);
	double p50, p90;
};

static double exponential(double phase)
{
	(void)phase;
	return -600 * log(random_real());
}

/* Two kinds of calls; the long ones are longer than any window. */
static double mixed(double phase)
{
	(void)phase;
	return random_real() < 0.7 ? 40 + 20 * random_real() : 5000;
}

/* A window is of one phase of the program: what is in it is alike. */
static double phased(double phase)
{
	return (phase < 0.5 ? 100 : 300) * (1 + random_real());
}

static const struct law laws[] = {
	{ "exponential", exponential, 415.888, 1381.55 },	/* 600 ln 2, 600 ln 10 */
	{ "mixed", mixed, 54.2857, 5000 },			/* 40 + 20 * 5 / 7 */
	/* of a call each 370 ticks, 100..200 long, and of one each 670, 300..600 long */
	{ "phased", phased, 177.6, 515.7 },
};

/* One window of a program that calls again and again, some time apart. Which calls are met, and when, is random: time
 * passes unseen before it begins. */
static void simulate_window(struct pt_survivals *s, const struct law *law)
{
	double phase = random_real(), at = -20000 * random_real(), weight = 1 + random_real();

	pt_survivals_begin(s);
	while (at < T) {
		double length = floor(law->length(phase)), end = at + length;

		if (at >= 0)
			pt_survivals_note(s, 0, 0, (uint64_t)(end < T ? length : T - at), (uint64_t)(end < T ? end : T),
					  end < T ? PT_SURVIVAL_ENDED : PT_SURVIVAL_GOES_ON);
		at = end + 20 - 200 * log(random_real());
	}
	pt_survivals_end(s, T, weight);
}

struct tally { unsigned held, given, bounded; double values[REPLICATIONS]; };

static void count_interval(struct tally *t, const struct pt_estimate *e, double lo_truth, double hi_truth)
{
	if (!isnan(e->value))
		t->values[t->given++] = e->value;
	else
		t->bounded++;
	t->held += (isnan(e->lo) || e->lo <= hi_truth) && (isnan(e->hi) || e->hi >= lo_truth);
}

static void expect_coverage(const struct law *law, const char *what, const struct tally *t, size_t windows)
{
	/* 95 % of 500 are 475; 14 less is beyond what chance does in one of a thousand */
	ck_assert_msg(t->held >= 461, "%s, %s, %d windows: %d of %d hold", law->name, what, (int)windows, (int)t->held,
		      REPLICATIONS);
}

START_TEST(simulated_program)
{
	static const size_t windows[] = { 15, 40, 120 };
	const struct law *law = &laws[_i / (int)PT_LEN(windows)];
	size_t n = windows[_i % (int)PT_LEN(windows)];
	static struct tally p50, p90;

	p50 = p90 = (struct tally){ 0 };
	random_state = 88172645463325252u + (uint64_t)_i;
	for (size_t i = 0; i < REPLICATIONS; i++) {
		struct pt_survivals *s = pt_survivals_new(1, 1);
		struct pt_lengths d;

		for (size_t k = 0; k < n; k++)
			simulate_window(s, law);
		d = pt_survivals_lengths(s, 0, 0);
		count_interval(&p50, &d.quantile[PT_DURATION_P50], law->p50 - 1, law->p50);
		count_interval(&p90, &d.quantile[PT_DURATION_P90], law->p90 - 1, law->p90);
		pt_survivals_free(s);
	}
	expect_coverage(law, "p50", &p50, n);
	expect_coverage(law, "p90", &p90, n);
	if (strcmp(law->name, "mixed") == 0)	/* longer than a window: never a number */
		ck_assert_uint_eq(p90.given, 0);
	if (strcmp(law->name, "exponential") == 0 && n == 120) {
		double sum = 0;

		for (size_t i = 0; i < p50.given; i++)
			sum += p50.values[i];
		ck_assert_uint_eq(p50.given, REPLICATIONS);
		ck_assert_double_eq_tol(sum / REPLICATIONS, law->p50, 0.02 * law->p50);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("survival");
	TCase *tc = tcase_create("all");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, curve_is_the_worked_example);
	tcase_add_test(tc, few_clusters_say_nothing);
	tcase_add_test(tc, what_never_ends_has_a_bound);
	tcase_add_test(tc, what_is_constant_is_exact);
	tcase_add_test(tc, scale_of_weights_changes_nothing);
	tcase_add_loop_test(tc, cut_case, 0, PT_LEN(cuts));
	tcase_add_loop_test(tc, simulated_program, 0, 3 * PT_LEN(laws));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
