/* Data profiling: what variables were, how often, how long; how quantities went. From signals.
 *
 * Times are differences of moments; between two values of one source that stamps them, only its clock's rate matters,
 * so they are taken as they are. Where values have no timestamps, a time is known to the sum of both errors only, and
 * error_ns of a row says the worst of them. A state that was open at a gap, or at the end, is partial: in count and
 * in the total, as far as its source saw, but not in least, most and average. Bounded: PT_DATA_STATES values per
 * variable; further ones are one row together. */
#ifndef PT_PROFILE_DATA_H
#define PT_PROFILE_DATA_H

#include "profile/stats/series.h"
#include "profile/flow/signals.h"
#include "profile/stats/stat.h"
#include "profile/analyses/signals/writers.h"

enum { PT_DATA_STATES = 64 };

struct pt_data_state {		/* one value of one variable */
	uint16_t variable;	/* index of its definition */
	bool others;		/* all values that found no row of their own */
	uint64_t value;		/* as signals have it */
	const char *name;	/* of the value: enumerator, or number; lives as long as the result */
	char number[24];
	uint64_t count;		/* times it was entered */
	uint64_t unsure;	/* out of them first seen behind a gap: it may have been this before */
	bool missing;		/* writes of its variable may be, somewhere */
	uint64_t partial;	/* out of them without a known end or beginning; open ones included */
	uint64_t partial_ns;	/* how long these were seen */
	uint64_t partial_error_ns;	/* of that, beside error_ns: where it ends in silence */
	struct pt_stat duration;	/* ns, of whole ones, with a histogram; at: ns of its beginning */
	struct pt_stat period;	/* ns, entered to entered again */
	uint64_t error_ns;	/* of these times, at worst */
	/* of the time in which the variable's state was known, partial ones included; NAN: none */
	double share;
};

struct pt_data_quantity {	/* one variable */
	uint16_t variable;
	bool missing;		/* writes may be, somewhere */
	bool silent;		/* nothing came of it */
	bool broken;		/* it is a float: least and most are not whole numbers */
	uint64_t writes, reads;	/* reads: it was looked at. A line: writes is 0, as only its changes show */
	uint64_t changes;	/* writes of another value than the one before */
	uint64_t unordered;	/* infinite, or not a number: in no figure of values */
	uint64_t values;	/* all others, written or read */
	double least, most, sum, last;	/* of these; NAN: none */
	uint64_t least_at, most_at;	/* ns */
	double rate_most, rate_sum;	/* |change| per second: the steepest; sum of |change| */
	uint64_t rate_ns;	/* the time between the writes that rate_sum is of */
	struct pt_stat period;	/* ns between writes */
	struct pt_stat change_period;	/* ns between changes */
	uint64_t error_ns;
	const struct pt_series *series;	/* value over time */
};

struct pt_data {
	const struct pt_data_state *state;	/* by variable, then by value; others last */
	const struct pt_data_quantity *quantity;	/* by variable */
	size_t n_states, n_quantities;
	const struct pt_writer *writer;	/* by variable; of a state: of its changes */
	size_t n_writers;
	uint64_t undated;	/* values whose time is known by the probe's clock alone */
	uint64_t lost;		/* times that writes of these may be missing */
	const struct pt_signal_set *signals;
};

#endif
