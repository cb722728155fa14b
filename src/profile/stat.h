/* Numbers about numbers: total, least, most and average with the moments of the extremes; quantiles from a histogram
 * of bounded size; 95 % intervals of shares from clustered samples. Pure. */
#ifndef PT_PROFILE_STAT_H
#define PT_PROFILE_STAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util.h"

/* 8 buckets per power of two up to 2^40, so values below 16 have one each. A quantile is the middle of its bucket: at
 * most 1/16 = 6.25 % off the true one, and never outside [least, most]. */
enum { PT_HIST_MAX_BITS = 40, PT_HIST_BUCKETS = PT_HIST_MAX_BITS * 8 + 1, PT_HIST_BIAS = 127 * 8 - 1 };

struct pt_hist {
	uint64_t n;		/* values in the buckets; halved with them when a bucket might overflow */
	uint32_t bucket[PT_HIST_BUCKETS];
};

struct pt_stat {
	uint64_t n, total;
	uint64_t min, max;	/* PT_UNKNOWN and 0 while n == 0 */
	uint64_t min_at, max_at;	/* stamps given with them: the first of equal ones */
	struct pt_hist *hist;	/* the caller's, may be shared by nobody else; NULL: no quantiles */
};

static inline struct pt_stat pt_stat_empty(void)
{
	return (struct pt_stat){ .min = PT_UNKNOWN, .min_at = PT_UNKNOWN, .max_at = PT_UNKNOWN };
}

/* The bucket of a value, from its bits as a float: exponent and three digits of the fraction are eighths of a power of
 * two already. (Rounding to 24 bits may lift a value at a bucket's end into the next.) */
static inline size_t pt_hist_index(uint64_t value)
{
	float f = (float)value;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	bits >>= 20;
	if (bits <= PT_HIST_BIAS)	/* only 0 is */
		return 0;
	return bits - PT_HIST_BIAS < PT_HIST_BUCKETS ? bits - PT_HIST_BIAS : PT_HIST_BUCKETS - 1;
}

void pt_hist_add(struct pt_hist *hist, uint64_t value);
void pt_stat_add(struct pt_stat *stat, uint64_t value, uint64_t at);
double pt_stat_avg(const struct pt_stat *stat);	/* 0 without values */
/* q in 0..1. PT_UNKNOWN without a histogram or values. */
uint64_t pt_stat_quantile(const struct pt_stat *stat, double q);

/* A share estimated from clusters (bursts, batches of samples) that are independent of each other, while what is in
 * one cluster is not. x of the cluster's y units had the property. Sums only: add up cluster by cluster; clusters
 * with x = 0 need no call for x. */
struct pt_cluster_total { uint64_t n; double y, yy; };	/* all clusters */
struct pt_cluster_sum { double x, xx, xy; };		/* one property */

static inline void pt_cluster_add_total(struct pt_cluster_total *total, double y)
{
	total->n++;
	total->y += y;
	total->yy += y * y;
}

static inline void pt_cluster_add(struct pt_cluster_sum *sum, double x, double y)
{
	sum->x += x;
	sum->xx += x * x;
	sum->xy += x * y;
}

struct pt_share {
	double share;		/* sum of x / sum of y */
	double lo, hi;		/* 95 % interval; 0 and 1 when the clusters cannot say: fewer than two */
	double effective;	/* independent samples that would give the same variance */
};

/* Ratio estimator: the variance of x / y comes from the residuals x - share * y between clusters (Cochran, Sampling
 * Techniques, chapter 6). The interval is Wilson's for the effective sample size share (1 - share) / variance, with
 * Student's t for n - 1 degrees of freedom in place of the normal quantile: right for few clusters and near 0 and 1,
 * where the plain "plus or minus two sigma" is too short and leaves [0, 1]. */
struct pt_share pt_cluster_share(const struct pt_cluster_total *total, const struct pt_cluster_sum *sum);

/* Two-sided 95 % quantile of Student's t: 12.706 for one degree of freedom, 1.960 for very many. */
double pt_student_95(uint64_t degrees);

#endif
