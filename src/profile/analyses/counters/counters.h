/* Counters over time, and what is derived from them. Decoders make 64-bit counts of narrow counters; here they are
 * totals and rates.
 *
 * A count lies between two readings of its counter, evenly spread: over time it is put into the buckets of one grid
 * that all counters share, so that formulas over several have values over time, too. What is not known (behind a gap,
 * or when a counter may have wrapped twice) is in no figure. The word:
 *	metric=IPC:instructions/cycles,load:busy/seconds	names of counters; seconds: the time counted in
 * Common figures are made without being asked for, where their counters are there (metrics.h).
 *
 * Where there are more counters than places for them in the hardware, they take turns. Such a counter was counting for
 * a part of the time only: its total is what it counted then, `scaled` what it would have counted all the time, with
 * the 95 % interval that the spread between its turns gives (ratio estimator, as of clusters in stat.h, with the finite
 * population's correction; a time in which nothing ran is none of it). Formulas take what
 * their counters counted in the turns that have them all (scheduled_together.h); where there is no such turn, rates. */
#ifndef PT_PROFILE_COUNTERS_H
#define PT_PROFILE_COUNTERS_H

#include <stdbool.h>

#include "profile/stats/series.h"
#include "base/util.h"

enum { PT_COUNTERS_MAX = 320, PT_METRICS_MAX = 128 };	/* 32 cores with 10 each, of one MDM */

struct pt_counter_row {		/* a counter */
	const char *name;
	const char *note;	/* what it counts; NULL: its name says that */
	const char *of;		/* it counts those of this that last longer than over; NULL: it has no threshold */
	uint64_t over;
	uint64_t max_hz;	/* its source says that it counts so fast at most; 0: it does not */
	uint16_t source, core;
	uint64_t total;		/* all that was counted */
	uint64_t rest;		/* so much more may have been counted, and is not in total; 0 */
	uint64_t lost;		/* with a rest: times that something of it was not seen */
	uint64_t readings, unknown;	/* unknown: out of them, with a number that is not known */
	uint64_t timed, timed_ns;	/* part of total between two readings with moments,
					 * and the time between these */
	uint64_t timed_error_ns;	/* of timed_ns, at worst: the moments at both ends of each stretch that was
					 * counted without a gap have one; those in between cancel out */
	uint64_t timed_from_ns, timed_to_ns;	/* the earliest that the first began, modulo 2^64, and the latest that the
						 * last ended: timed_ns is no longer than from one to the other */
	double rate_min, rate_max;	/* per second, between two readings, of which the second did not come much
					 * earlier than is usual; NAN: none */
	uint64_t rate_min_at, rate_max_at;	/* ns; the second reading */
	double rate_last;	/* between the last two such readings; NAN: none */
	bool shared;		/* it took turns: total is of timed_ns only */
	uint64_t turns;		/* that have ended */
	double scaled, scaled_error;	/* NAN: it is not shared; error: 95 %, plus or minus; NAN: too few turns */
	double active;		/* share of the time in which it counted */
	bool is_value;		/* it does not count: value is the least, or the most, of something */
	uint64_t value;		/* PT_UNKNOWN: none yet */
	uint64_t least_ns;	/* the shortest time between two readings; PT_UNKNOWN */
	uint64_t error_ns;	/* of such a time, at worst */
	const struct pt_series *series;	/* rate per second over time */
};

/* The longest that timed_ns may have been. */
static inline uint64_t pt_counter_longest_ns(const struct pt_counter_row *c)
{
	uint64_t by_ends = c->timed_ns + c->timed_error_ns, by_span = c->timed_to_ns - c->timed_from_ns;

	return by_span >= c->timed_ns && by_span < by_ends ? by_span : by_ends;
}

/* More than its source says can come in the longest time that this may have been. */
static inline bool pt_counter_is_too_fast(const struct pt_counter_row *c)
{
	double most_s = (double)pt_counter_longest_ns(c) * 1e-9;

	return c->max_hz != 0 && c->timed_ns != 0 && !c->is_value &&
	       (double)c->timed > (double)c->max_hz * most_s * 1.02;
}

struct pt_duration_row {	/* how many of something lasted so long */
	const char *of;
	uint16_t core;
	/* ticks: longer than over, and not longer than up_to; PT_UNKNOWN: as long as you like */
	uint64_t over, up_to;
	double count, error;	/* 95 %, plus or minus; 0: exact; NAN: too few turns */
	/* of all that were counted: these, and these with all shorter ones; NAN: there were none */
	double share, shorter;
};

struct pt_metric_row {		/* a formula */
	const char *name, *formula;
	uint16_t core;		/* whose counters these are */
	double value;		/* over all; NAN: not known */
	double min, max;	/* of the buckets in which all its counters counted; NAN: it is a sum, and no ratio */
	double last;		/* of the last readings; NAN: not known, or a sum */
	const struct pt_series *series;
};

struct pt_counters {
	const struct pt_counter_row *counter;	/* as they came */
	const struct pt_metric_row *metric;	/* as they were asked for */
	size_t n_counters, n_metrics;
	uint64_t refused;	/* counts of counters that found no room */
	/* of counters with thresholds, by what they are of, the shortest first */
	const struct pt_duration_row *duration;
	size_t n_durations;
	size_t n_cores;		/* that counters are of: with several, each metric is there for each of them */
};

/* Some of their counts lie between limits, as a packet stands for many. NULL: there are none. */
static inline bool pt_counters_are_rough(const struct pt_counters *c)
{
	bool any = false;

	for (size_t i = 0; c != NULL && i < c->n_counters; i++)
		any |= c->counter[i].rest > 0;
	return any;
}

#endif
