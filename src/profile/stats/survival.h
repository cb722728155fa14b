/* How long something lasts (a call, a period), from windows that see only a part of it: the estimator of Kaplan and
 * Meier. What began in a window and ended in it counts with its length; what did not end counts as longer than what was
 * seen of it. What ran when a window began does not count: its beginning was not seen. That the long ones are cut
 * more often is accounted for so; the mean of those that were seen whole would be too short, and their maximum too.
 *
 * Windows are clusters (estimate.h): what is in one is one observation, however much it is. Each value has a weight,
 * what it stands for; only ratios of weights matter.
 * An estimate is given as far as the data reach: where PT_SURVIVAL_AT_RISK clusters or more saw something last that
 * long. Beyond, and where an interval has no upper end there, only a lower bound is known (95 %).
 *
 * Memory: buckets as those of a histogram (stat.h): a value is in one with all that are at most 1/32 longer. Those in a
 * bucket count as ending together, at their mean; limits of intervals are the bucket's. Values beyond PT_SURVIVAL_MOST
 * count as longer than that. Pure.
 * Source: Kaplan and Meier 1958; Greenwood 1926; Brookmeyer and Crowley 1982; Kish 1965 for weights. */
#ifndef PT_PROFILE_SURVIVAL_H
#define PT_PROFILE_SURVIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/stats/estimate.h"

enum {
	PT_SURVIVAL_AT_RISK = 5,
	PT_SURVIVAL_CLUSTERS = 10,	/* with fewer that have a value there is no estimate and no bound */
	PT_SURVIVAL_MOST = (1 << 20) - 1,
	PT_SURVIVAL_BUCKETS = 512,	/* more than there are up to it */
};

struct pt_survival_bucket;

struct pt_survival {		/* zero: nothing was seen */
	struct pt_survival_bucket *bucket;	/* owned; those below n_buckets */
	size_t n_buckets;
	uint64_t n_clusters;	/* with a value */
	double y, yy;		/* sums over them: of their weights, and of the squares */
	uint64_t longest;	/* whole or not */
	size_t last;		/* of the cluster so far: its longest value's bucket + 1; 0: it has none */
};

void pt_survival_fini(struct pt_survival *s);
/* In the cluster: something lasted for ticks and ended; or not yet. */
void pt_survival_add(struct pt_survival *s, uint64_t ticks, double weight, bool ended);
/* The cluster ends. weight: of its values. */
void pt_survival_cluster(struct pt_survival *s, double weight);

struct pt_survival_step {	/* the part that lasts longer falls, at a bucket */
	double at;		/* mean length of what ended in the bucket */
	uint64_t from, to;	/* lengths in it */
	double part;		/* that lasts longer */
	double greenwood;	/* the variance of part is this times its square */
};

/* Up to the end of what is known. Returns how many; *reach: something was seen to last this long by enough clusters. */
size_t pt_survival_curve(const struct pt_survival *s, struct pt_survival_step out[PT_SURVIVAL_BUCKETS],
			 uint64_t *reach);

enum pt_duration_quantile { PT_DURATION_P50, PT_DURATION_P90, PT_DURATION_P99, PT_N_DURATION_QUANTILES };

struct pt_lengths {
	/* value NAN: at least lo, or, with lo NAN, nothing is known */
	struct pt_estimate quantile[PT_N_DURATION_QUANTILES];
	double mean;		/* at least; NAN: nothing is known */
	uint64_t longest;	/* that was seen; 0: none */
};

struct pt_lengths pt_survival_lengths(const struct pt_survival *s);

#endif
