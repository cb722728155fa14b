/* Two profiles side by side. A change is called one only if it is larger than what either profile spreads over its own
 * blocks of time can explain (blocks.h), at 99 % for all functions together (Holm's correction: of a thousand functions
 * that did not change, ten would "change" otherwise), and larger than a threshold that the user cares about.
 * Of samples there are shares alone, which spread as their batches do; of bins not even that is known. */
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
	PT_CHANGE_UNKNOWN,	/* too little was seen to say */
	PT_CHANGE_NONE,		/* within noise, or too small to care */
};

struct pt_figure_pair {
	double a, b;		/* NAN: not known */
	double change;		/* b / a - 1; NAN */
	double p;		/* probability that chance alone makes this difference; NAN: nobody can say */
};

struct pt_diff_function {
	const char *name, *file;
	uint32_t line;
	uint64_t count_a, count_b;	/* invocations; of samples: how many */
	struct pt_figure_pair share;	/* of the time seen; 0..1 */
	struct pt_figure_pair gross, net;	/* of an invocation, in ticks */
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

const char *pt_change_name(enum pt_change change);

#endif
