/* Estimates from clusters: bursts, snapshots, batches of samples. Clusters are independent of each other, what is in one
 * is not: the number of clusters is the sample size. Each cluster k has a weight y, what it stands for, and of it a row
 * (a function, a line, a call chain, ...) had x: so z = x / y is its share there, and the estimate is sum x / sum y.
 * Sums only, so memory does not grow; clusters in which a row had nothing need no call for it.
 *
 * Intervals are 95 %. That of a share is a padded beta: half a cluster more, that the row had nothing of (lower limit)
 * or all of (upper limit), then the Bayesian bootstrap's distribution of a mean of values in 0..1, replaced by the beta
 * of the same mean and variance, or, where few clusters lack the row, by one between 0 and what the others have of it.
 * It holds for few clusters and for clusters that all agree, where intervals that know only the spread that was seen do
 * not (Gaffke 2005; with values 0 or 1 and a whole cluster more it is Clopper-Pearson).
 * Pure. */
#ifndef PT_PROFILE_ESTIMATE_H
#define PT_PROFILE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/stats/distributions.h"

struct pt_cluster_total {	/* all clusters */
	uint64_t n;
	double y, yy;
	double unknown;		/* what clusters with unknown contents stand for; not in y. They may be unlike
				 * the others: a share may be 0 or 1 in them, and there is no rate */
};
struct pt_cluster_sum { double x, xx, xy; };		/* of one row */

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
	double lo, hi;		/* 95 % interval; 0 and 1 when the clusters cannot say: none, or one */
	double effective;	/* independent samples that would give the same variance */
};

/* x <= y in each cluster. */
struct pt_share pt_cluster_share(const struct pt_cluster_total *total, const struct pt_cluster_sum *sum);

/* The share of a row that was in none of n equal clusters is at most this (95 %, one-sided: the rule of three). */
double pt_cluster_unseen(const struct pt_cluster_total *total);

struct pt_estimate { double value, lo, hi; };	/* value NAN: none; lo and hi: 95 % interval */

/* A rate: what happened x times in the y units of a cluster. most: the largest x / y of a cluster so far; or, if there
 * was none, what one event in a cluster would be. At least PT_RATE_CLUSTERS, or there is none. */
enum { PT_RATE_CLUSTERS = 10 };
struct pt_estimate pt_cluster_rate(const struct pt_cluster_total *total, const struct pt_cluster_sum *sum, double most);

/* The same per unit of all time, of which only the part that was not asleep had any: as sure as both are together. They
 * are independent: which part of the time awake a row has says nothing of how long that was. */
struct pt_estimate pt_estimate_of_all_time(struct pt_estimate awake, const struct pt_share *asleep);

/* A mean per event, as a ratio of two rows of the same clusters: time (z) over events (e). */
struct pt_ratio_sum {
	double z, e;		/* sums */
	double zz, ee, ze;
	double most_z, most_e;	/* the largest of a cluster */
	uint64_t n;		/* clusters with an event */
};

static inline void pt_ratio_add(struct pt_ratio_sum *sum, double z, double e)
{
	sum->z += z;
	sum->e += e;
	sum->zz += z * z;
	sum->ee += e * e;
	sum->ze += z * e;
	sum->most_z = z > sum->most_z ? z : sum->most_z;
	sum->most_e = e > sum->most_e ? e : sum->most_e;
	sum->n += e > 0;
}

/* clusters: all of them; at least PT_RATE_CLUSTERS, three of them with an event, or there is none. */
struct pt_estimate pt_cluster_ratio(uint64_t clusters, const struct pt_ratio_sum *sum);

#endif
