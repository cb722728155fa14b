/* Variables that a probe looks at now and then, while the program goes on: what they were found to be, and of how much of
 * the time that speaks. What happened between two looks is not known: a state may have come and gone, a value may have been
 * less or more. So a state's part of the time is an estimate, a change is one that was seen, and the longest time without a
 * look says how long a state must last to be seen for sure.
 *
 * Looks of a batch follow each other closely and are like each other; the batch, at a random time, is what an interval is
 * made of (stats/estimate.h). Bounded: PT_WATCHED_STATES values of a variable; further ones are one row together, or none where
 * the values are numbers: then it is a quantity. */
#ifndef PT_PROFILE_WATCHED_H
#define PT_PROFILE_WATCHED_H

#include "profile/flow/signals.h"
#include "profile/stats/estimate.h"
#include "profile/stats/series.h"

enum { PT_WATCHED_STATES = 64 };

struct pt_watched_state {	/* one value of one variable */
	uint64_t value;		/* as signals have it */
	bool others;		/* all values that found no row of their own */
	uint64_t looks;		/* that found it */
	uint64_t found;		/* out of them that found another value before, or were the first: it was entered at least so often */
	struct pt_timestamp first;	/* look that found it; ns PT_UNKNOWN */
	struct pt_share share;	/* of the time in which the program ran */
	const char *name;	/* enumerator, task or number; lives as long as the result */
	char number[24];
};

struct pt_watched_variable {
	uint16_t variable;	/* index of its definition */
	uint64_t looks;		/* with a value */
	uint64_t torn;		/* without: it changed while it was read */
	uint64_t changes;	/* looks that found another value than the look before: at least so many there were */
	bool counts;		/* its values are numbers: least to last mean something */
	uint64_t numbers;	/* looks that found a finite one */
	double least, most, sum, last;	/* of these; NAN: none */
	uint64_t mean_ns;	/* from look to look; PT_UNKNOWN: fewer than two */
	uint64_t longest_ns;	/* what lasted longer than this was seen; PT_UNKNOWN */
	const struct pt_series *series;	/* the looks over time */
	const struct pt_watched_state *state;	/* by value */
	size_t n_states;	/* 0: there are too many */
	double unseen;		/* of a value that no look found, the share is at most this (95 %) */
};

struct pt_watched {
	const struct pt_watched_variable *variable;	/* in the order of definitions */
	size_t n_variables;
	const struct pt_signal_set *signals;
};

#endif
