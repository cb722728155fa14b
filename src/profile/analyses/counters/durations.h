/* How long something lasted, of counters that count what is longer than a threshold: the difference of two of them is
 * how many lasted in between. Pure. Source: E500CORERM Rev. 1, 7.6.2. */
#ifndef PT_PROFILE_DURATIONS_H
#define PT_PROFILE_DURATIONS_H

#include "profile/analyses/counters/counters.h"

struct pt_durations {
	struct pt_duration_row row[PT_COUNTERS_MAX];
	size_t n;
};

/* From the rows of counters, whose names the result keeps. Where two thresholds took turns, the longer one may
 * have counted more by chance: then there were 0 in between, with their error, and no fewer beyond the shorter one. */
void pt_durations_make(struct pt_durations *durations, const struct pt_counter_row *counters, size_t n_counters);

/* The mean of those of row `first`, the first of what they are of, lies between these two. most: NAN: some lasted
 * longer than the longest threshold. Both NAN: there were none. Returns the row behind the last of them. */
size_t pt_durations_mean(const struct pt_durations *durations, size_t first, double *least, double *most);

#endif
