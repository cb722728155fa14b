/* Numbers about numbers: total, least, most and average with the moments of the extremes; quantiles from a histogram
 * of bounded size. Pure. */
#ifndef PT_PROFILE_STAT_H
#define PT_PROFILE_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/stats/estimate.h"
#include "profile/stats/histogram_memory.h"
#include "base/util.h"

/* Buckets of a log-linear histogram: one for each value below 64, above 32 per power of two. A quantile is the middle
 * of its bucket: at most 1/64 = 1.6 % off the true one, and never outside [least, most]. */
enum { PT_HIST_BITS = 5, PT_HIST_BUCKETS = (64 - PT_HIST_BITS + 1) << PT_HIST_BITS };

/* All zero, but for the room: no values. Memory: only for the buckets between the least and the most, rounded to powers
 * of two, and for each only as much as the fullest one needs: most histograms have few values, and so they stay in the
 * cache. */
struct pt_hist {
	void *bucket;		/* owned; pt_hist_fini() gives it back */
	struct pt_histogram_memory *room;	/* whose memory that is; NULL: the heap's */
	uint16_t first, n_buckets;	/* which ones it has */
	uint8_t bytes;		/* of each: 1, 2 or 4; 0: it has none */
};

struct pt_stat {
	uint64_t n, total;
	uint64_t min, max;	/* PT_UNKNOWN and 0 while n == 0 */
	uint64_t min_at, max_at;	/* stamps given with them: the first of equal ones */
	uint64_t unended;	/* one of which an end was not seen lasted so much at least; 0: not known. It is in none of the
				 * above */
	struct pt_hist *hist;	/* the caller's, not to be shared; NULL: no quantiles */
};

static inline struct pt_stat pt_stat_empty(void)
{
	return (struct pt_stat){ .min = PT_UNKNOWN, .min_at = PT_UNKNOWN, .max_at = PT_UNKNOWN };
}

static inline size_t pt_hist_index(uint64_t value)
{
	unsigned shift = 63 - PT_HIST_BITS - (unsigned)__builtin_clzll(value | 1 << PT_HIST_BITS);

	return ((size_t)shift << PT_HIST_BITS) + (size_t)(value >> shift);
}

/* For pt_hist_add(): index may have been out of range, or its bucket full. */
void pt_hist_make_room(struct pt_hist *hist, size_t index);

/* Values in bucket i of those it has. */
static inline uint32_t pt_hist_count(const struct pt_hist *hist, size_t i)
{
	if (hist->bytes == 1)
		return ((const uint8_t *)hist->bucket)[i];
	return hist->bytes == 2 ? ((const uint16_t *)hist->bucket)[i] : ((const uint32_t *)hist->bucket)[i];
}

/* It will be wanted soon: all of its buckets. */
static inline void pt_hist_fetch(const struct pt_hist *hist)
{
	for (size_t at = 0; at < (size_t)hist->n_buckets * hist->bytes; at += 64)
		__builtin_prefetch((const char *)hist->bucket + at, 1);
}

/* n values by their pt_hist_index(), each `step` places behind the one before. */
void pt_hist_add_all(struct pt_hist *hist, const uint16_t *index, size_t n, size_t step);
/* All that other has, too. */
void pt_hist_add_hist(struct pt_hist *hist, const struct pt_hist *other);
void pt_hist_add(struct pt_hist *hist, uint64_t value);

void pt_hist_fini(struct pt_hist *hist);	/* as it began */
void pt_stat_add(struct pt_stat *stat, uint64_t value, uint64_t at);
/* One of which an end was not seen, or another one's that ends about then, as far as it is sure: value, less its error. */
static inline void pt_stat_add_unended(struct pt_stat *stat, uint64_t value, uint64_t error)
{
	if (value > error && value - error > stat->unended)
		stat->unended = value - error;
}

/* The longest of the whole ones, as far as it is sure: each may be off by that error. */
static inline uint64_t pt_stat_longest_whole(const struct pt_stat *stat, uint64_t error)
{
	return stat->n > 0 && stat->max > error ? stat->max - error : 0;
}

/* Whether the longest of all is known as a lower bound alone, as it may be the one without an end. */
static inline bool pt_stat_longest_is_bound(const struct pt_stat *stat, uint64_t error)
{
	return stat->unended > pt_stat_longest_whole(stat, error);
}

/* The longest of all, with an end or without, lasted so much at least. */
static inline uint64_t pt_stat_longest(const struct pt_stat *stat, uint64_t error)
{
	return pt_stat_longest_is_bound(stat, error) ? stat->unended : pt_stat_longest_whole(stat, error);
}

double pt_stat_avg(const struct pt_stat *stat);	/* 0 without values */
/* q in 0..1. PT_UNKNOWN without a histogram or values. */
uint64_t pt_stat_quantile(const struct pt_stat *stat, double q);
/* The same, and the least and the most that the true one can be. NAN. */
struct pt_estimate pt_stat_quantile_within(const struct pt_stat *stat, double q);

#endif
