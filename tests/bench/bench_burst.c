/* Are the 95 % intervals of mode burst, or stream, what they say? Many profiles of the demo firmware, each from another
 * start of the board and with another jitter; the truth of each is what the model executed meanwhile. 4 KiB.
 *
 *   bench_burst [SEEDS [MILLISECONDS [LINK [MODE]]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/inline_profile.h"
#include "base/util.h"

#define LEAST_SHARE 0.02

enum { SEEDS = 100, PROFILE_MS = 1500, MOST_FUNCTIONS = 256, MOST_INTERVALS = 100000 };

struct function {
	const char *name;
	unsigned profiles, covered;	/* in which its true share is large enough; in which the interval holds it */
	double truth, bias;		/* sums over profiles */
};

static struct function functions[MOST_FUNCTIONS];
static double half_width[MOST_INTERVALS];
static size_t n_intervals;
static uint64_t bursts, bursts_used, cut_cycles;

/* --- one profile -------------------------------------------------------------------------------------------------- */

static void judge(void *arg, size_t id, const char *name, struct pt_share share, double truth)
{
	struct function *f = &functions[id];

	(void)arg;
	if (truth < LEAST_SHARE || id >= MOST_FUNCTIONS)
		return;
	f->name = f->name != NULL ? f->name : strdup(name);
	f->profiles++;
	f->covered += share.lo <= truth && truth <= share.hi;
	f->truth += truth;
	f->bias += share.share - truth;
	if (n_intervals < MOST_INTERVALS)
		half_width[n_intervals++] = (share.hi - share.lo) / 2;
}

static void judge_all(struct inline_profile *p)
{
	const struct pt_profile *profile = pt_pipeline_profile(p->pipeline);

	inline_shares(p, judge, NULL);
	bursts += profile->bursts;
	bursts_used += profile->bursts_used;
	cut_cycles += profile->burst_cycles;
}

static void one(uint64_t seed, uint64_t ms, const char *link, const char *mode)
{
	struct inline_setup setup = {
		.link = link, .words = { strcmp(mode, "stream") == 0 ? "mode=stream" : "mode=burst", "mtb-size=4096" },
		.seed = seed, .truth = true,
	};
	struct inline_profile p;

	inline_open(&p, &setup);
	inline_start(&p, &setup);
	inline_drain(&p, ms * PT_NS_PER_MS);
	inline_stop(&p);
	judge_all(&p);
	inline_close(&p);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double percent(unsigned part, unsigned all)
{
	return all != 0 ? 100.0 * part / all : 0;
}

static void print_functions(void)
{
	printf("  %-20s %8s %8s %9s %8s\n", "function", "profiles", "share", "coverage", "bias");
	for (size_t i = 0; i < MOST_FUNCTIONS; i++) {
		const struct function *f = &functions[i];

		if (f->profiles != 0)
			printf("  %-20s %8u %6.2f %% %7.1f %% %+5.2f pt\n", f->name, f->profiles,
			       100 * f->truth / f->profiles, percent(f->covered, f->profiles),
			       100 * f->bias / f->profiles);
	}
}

static void print_summary(unsigned seeds)
{
	const struct function *worst = NULL;
	unsigned profiles = 0, covered = 0;

	for (size_t i = 0; i < MOST_FUNCTIONS; i++) {
		const struct function *f = &functions[i];

		profiles += f->profiles;
		covered += f->covered;
		if (f->profiles >= seeds / 2 && f->profiles != 0 &&
		    (worst == NULL || percent(f->covered, f->profiles) < percent(worst->covered, worst->profiles)))
			worst = f;
	}
	qsort(half_width, n_intervals, sizeof(half_width[0]), ascending);
	printf("coverage of the 95 %% intervals, pooled: %.1f %% (goal 92 to 98); worst function: %s %.1f %% (goal "
	       "85)\n",
	       percent(covered, profiles), worst != NULL ? worst->name : "none",
	       worst != NULL ? percent(worst->covered, worst->profiles) : 0);
	printf("median half-width: %.2f points (goal 5)\n", n_intervals > 0 ? 100 * half_width[n_intervals / 2] : NAN);
}

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : SEEDS;
	uint64_t ms = argc > 2 ? (uint64_t)atoi(argv[2]) : PROFILE_MS;
	const char *link = argc > 3 ? argv[3] : "bulk-hs", *mode = argc > 4 ? argv[4] : "burst";
	clock_t before = clock();

	for (uint64_t seed = 1; seed <= seeds; seed++)
		one(seed, ms, link, mode);
	print_functions();
	print_summary(seeds);
	printf("%u profiles of %llu ms: %.1f bursts each, %.1f of them pooled, cut to %.0f cycles; took %.1f s\n",
	       seeds, (unsigned long long)ms, (double)bursts / seeds, (double)bursts_used / seeds,
	       (double)cut_cycles / seeds, (double)(clock() - before) / CLOCKS_PER_SEC);
	return 0;
}
