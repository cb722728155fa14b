/* Two profiles side by side. A change is called one only if it is larger than what either profile spreads over its own
 * blocks of time (blocks.h), or what its intervals leave open, can explain, at 99 % for all functions together (Holm's correction: of a thousand functions
 * that did not change, ten would "change" otherwise), and larger than a threshold that the user cares about.
 * Shares are those of all other tables. Of samples and of too few bursts there are no times of calls; how shares of bins
 * spread is not known. */
#ifndef PT_PROFILE_DIFF_H
#define PT_PROFILE_DIFF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/result/profile.h"

enum pt_change {		/* in the order of the table */
	PT_CHANGE_SLOWER, PT_CHANGE_FASTER,	/* gross time of an invocation */
	PT_CHANGE_MORE, PT_CHANGE_LESS,		/* share of the time, its invocations taking as long as before */
	/* seen in one of them only, which nothing but chance need explain */
	PT_CHANGE_ONLY_B, PT_CHANGE_ONLY_A,
	PT_CHANGE_UNKNOWN,	/* too little was seen for an interval */
	PT_CHANGE_NONE,		/* no difference was shown, but a larger one than the threshold may hide in the interval */
	PT_CHANGE_SAME,		/* shown to be smaller than the threshold */
};

struct pt_figure {
	double value;		/* NAN: not known */
	double lo, hi;		/* its 95 % interval, or bounds; NAN: it is what happened */
	bool bounds;		/* lo and hi are the least and most that it can be */
};

struct pt_figure_pair {
	struct pt_figure a, b;
	double change;		/* b / a - 1; NAN */
	double change_lo, change_hi;	/* its 95 % interval; NAN: not known */
	double p;		/* probability that chance alone makes this difference; NAN: nobody can say */
};

struct pt_count {
	uint64_t n;		/* PT_UNKNOWN: not known */
	double lo, hi;		/* 95 % interval; both 0: none */
	bool at_least;		/* n is of what bursts happened to see */
};

struct pt_diff_function {
	const char *name, *file;
	uint32_t line;
	struct pt_count count_a, count_b;	/* invocations; of samples: how many */
	bool seen_a, seen_b;		/* it ran, or was sampled */
	struct pt_figure_pair share;	/* of the time, as all tables have it; 0..1 */
	struct pt_figure_pair gross, net;	/* of an invocation, in ticks; not known where calls are seen in pieces */
	enum pt_change change;
};

struct pt_diff {
	const struct pt_profile *a;	/* what B is compared with; whose it was */
	struct pt_diff_function *function;	/* those that changed first; of the same change, who took most time */
	size_t n_functions;
	size_t n_slower, n_faster;
	bool different_clocks;		/* their ticks are not the same: times are not compared */
	double threshold;
};

/* Both were made with the analysis blocks. threshold: a relative change of less than this is none, 0.01. What texts
 * point to lives as long as both programs. NULL: PT_ESTATE. */
struct pt_diff *pt_diff_new(const struct pt_profile *a, const struct pt_profile *b, double threshold,
			    struct pt_err *err);
void pt_diff_free(struct pt_diff *diff);

/* Whether the calls of a profile (of its first core) were seen whole, or only what bursts and samples saw of them. */
bool pt_diff_whole_calls(const struct pt_profile *profile);

const char *pt_change_name(enum pt_change change);

#endif
