/* Two clocks by edges and entries: made with a known offset, drift and delays, which must lie in what the fit says. */
#include <math.h>
#include <stdlib.h>

#include "harness.h"
#include "profile/stats/clock_fit.h"

enum { MOST = 400 };

static const struct {
	const char *name;
	size_t n;
	double distance_ns, irregular;		/* a distance is up to so many times longer */
	double offset_ns, ppm;
	double least_ns, most_ns;		/* the true delays */
	bool has_delay;				/* they are given */
	double missing;				/* the part of entries that the trace did not see */
	size_t skip_edges, skip_entries;	/* one recording begins so much later */
	uint64_t error_ns;			/* of entries */
	const char *refused;			/* a part of the sentence; NULL: it is identified */
} cases[] = {
	{ "behind", 200, 1e6, 1, 12345678, 37.5, 300, 2300, true, 0, 0, 0, 0, NULL },
	{ "before, slower", 200, 1e6, 1, -987654321, -180, 0, 5000, true, 0, 0, 0, 100, NULL },
	{ "entries are missing", 300, 1e6, 1, 5e6, 20, 0, 5000, true, 0.4, 0, 0, 0, NULL },
	{ "edges begin later", 300, 1e6, 1, 5e6, 20, 0, 5000, true, 0, 60, 0, 0, NULL },
	{ "entries begin later", 300, 1e6, 1, 5e6, 20, 0, 5000, true, 0.1, 0, 80, 0, NULL },
	{ "the function drives the line", 100, 1e6, 1, 4e8, 20, -800, -200, true, 0, 0, 0, 0, NULL },
	{ "the delay is not given", 200, 1e6, 1, 7e7, 20, 1000, 30000, false, 0, 0, 0, 0, NULL },
	{ "exact", 50, 1e5, 1, 1000, 0, 0, 0, true, 0, 0, 0, 0, NULL },
	{ "equal distances", 200, 1e6, 0, 12345678, 37.5, 300, 2300, true, 0, 0, 0, 0, "fit in several ways" },
	{ "longer delays than given", 200, 1e6, 1, 1000, 10, 0, 60000, true, 0, 0, 0, 0, "do not fit together" },
	{ "rates too far apart", 200, 1e6, 1, 1000, 5000, 0, 5000, true, 0, 0, 0, 0, "do not fit together" },
	{ "few", 5, 1e6, 1, 1000, 10, 0, 5000, true, 0, 0, 0, 0, "too few" },
	{ "vague entries", 200, 1e6, 1, 1000, 10, 0, 5000, true, 0, 0, 0, 400000, "does not say precisely enough" },
};

static double part(void)
{
	return (double)rand() / RAND_MAX;
}

struct marks { struct pt_fit_mark edge[MOST], entry[MOST]; size_t n_edges, n_entries; uint64_t begin_ns, end_ns; };

/* The edges' clock is the true one here, from 2 s on. */
static void make(size_t i, unsigned seed, struct marks *m)
{
	double at = 2e9;

	srand(seed);
	*m = (struct marks){ .begin_ns = (uint64_t)at };
	for (size_t k = 0; k < cases[i].n; k++) {
		double delay = cases[i].least_ns + part() * (cases[i].most_ns - cases[i].least_ns);
		double wrong = (2 * part() - 1) * (double)cases[i].error_ns;
		double entry = at + cases[i].offset_ns + (at - 2e9) * cases[i].ppm * 1e-6 + delay + wrong;

		if (k >= cases[i].skip_edges)
			m->edge[m->n_edges++] = (struct pt_fit_mark){ (uint64_t)(at + .5), 0 };
		if (k >= cases[i].skip_entries && part() >= cases[i].missing)
			m->entry[m->n_entries++] = (struct pt_fit_mark){ (uint64_t)(entry + .5), cases[i].error_ns };
		m->end_ns = (uint64_t)at;
		at += cases[i].distance_ns * (1 + cases[i].irregular * part());
	}
}

/* "longer delays than given": 5 us are. */
static struct pt_fit_wanted wanted(size_t i, const struct marks *m)
{
	double most = cases[i].most_ns < 10000 ? cases[i].most_ns : 5000;

	return (struct pt_fit_wanted){ m->edge, m->entry, m->n_edges, m->n_entries, m->begin_ns, m->end_ns,
				       cases[i].has_delay, cases[i].least_ns, most };
}

START_TEST(truth_lies_within)
{
	const char *refused = cases[_i].refused;
	struct marks m;

	for (unsigned seed = 1; seed <= 20; seed++) {
		struct pt_clock_fit fit;
		struct pt_err err = { 0 };

		make(_i, seed, &m);
		const struct pt_fit_wanted want = wanted(_i, &m);
		int rc = pt_clock_fit(&want, &fit, &err);

		if (refused != NULL) {
			ck_assert_msg(rc < 0 && strstr(err.msg, refused) != NULL, "%s: %s", cases[_i].name, err.msg);
			continue;
		}
		ck_assert_msg(rc == 0, "%s, seed %u: %s", cases[_i].name, seed, err.msg);
		for (unsigned k = 0; k < 2; k++) {
			double at = (double)fit.anchor[k].at_ns;
			double truth = cases[_i].offset_ns + (at - 2e9) * cases[_i].ppm * 1e-6;

			ck_assert_msg(fabs(fit.anchor[k].offset_ns - truth) <= fit.anchor[k].error_ns,
				      "%s, seed %u: offset %f +- %f, true %f", cases[_i].name, seed,
				      fit.anchor[k].offset_ns, fit.anchor[k].error_ns, truth);
			ck_assert_msg(fit.anchor[k].error_ns < (cases[_i].has_delay ? 3500 : 1.6e6), "%s: %f",
				      cases[_i].name, fit.anchor[k].error_ns);
		}
		ck_assert_msg(fabs(fit.ppm - cases[_i].ppm) <= fit.ppm_error, "%s, seed %u: drift %f +- %f",
			      cases[_i].name, seed, fit.ppm, fit.ppm_error);
		ck_assert_uint_ge(fit.n_pairs, m.n_entries * 7 / 10 - 1);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("clock_fit");
	TCase *tc = tcase_create("all");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, truth_lies_within, 0, PT_LEN(cases));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
