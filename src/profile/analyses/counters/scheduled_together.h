/* What counters have counted while others counted, too: for figures made of several that take turns, which are right
 * only where all of them are of one time. Pure.
 *
 * Readings of one source that begin and end at the same moments belong together; each set of counters that were read
 * so is summed up by itself, as each turn of the hardware's counters is such a set. */
#ifndef PT_PROFILE_TOGETHER_H
#define PT_PROFILE_TOGETHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_TOGETHER_SETS = 64, PT_TOGETHER_COUNTERS = 64 };

/* All zero: nothing counted yet. */
struct pt_together {
	struct pt_together_set {
		uint16_t source;
		uint64_t members;	/* bit n: counter n */
		double count[PT_TOGETHER_COUNTERS], ns;
	} set[PT_TOGETHER_SETS], now;	/* now: of the readings that come, not yet in its set */
	size_t n_sets;
	uint64_t from_ns, to_ns;	/* of now */
	bool full;			/* more sets than there is room for: nothing is known */
};

/* counter: its number, below PT_TOGETHER_COUNTERS; others are not taken, and are together with nothing. */
void pt_together_add(struct pt_together *t, uint16_t source, size_t counter, uint64_t from_ns, uint64_t to_ns,
		     uint64_t counted);
/* Sums over all sets that have all of members: count[n] of counter n, and the time. False: there is no such set. */
bool pt_together_sum(const struct pt_together *t, uint16_t source, uint64_t members, double *count, double *ns);

#endif
