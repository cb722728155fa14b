/* Two clocks by an event that both have recorded: an edge of a line on one, the entry of a function on the other.
 *
 * Which edge belongs to which entry is decided by the distances alone: an alignment is possible if each entry in the time
 * of the edges has one edge. If several alignments are possible, as with edges at equal distances, nothing is decided.
 *
 * The fit is no regression. Each pair bounds the line of one clock against the other from both sides, by how long the entry
 * may come after its edge; the result is what all lines between all bounds have in common. It holds if the delay does. */
#ifndef PT_PROFILE_CLOCK_FIT_H
#define PT_PROFILE_CLOCK_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PT_FIT_PAIRS = 6, PT_FIT_PPM = 1000 };	/* the fewest pairs; how far apart the rates of two clocks may be */

struct pt_fit_mark { uint64_t ns, error_ns; };

struct pt_fit_wanted {
	const struct pt_fit_mark *edge, *entry;	/* each in order; edges have no error */
	size_t n_edges, n_entries;
	uint64_t from_ns, to_ns;	/* the recording of the edges, on their clock */
	bool has_delay;			/* least_ns and most_ns say how long after its edge an entry comes; else as far as
					 * the next edge, either way */
	double least_ns, most_ns;
};

struct pt_clock_fit {
	/* Time of the entries = time of the edges + offset, a straight line through the two times. */
	struct pt_fit_anchor { uint64_t at_ns; double offset_ns, error_ns; } anchor[2];
	double ppm, ppm_error;		/* the edges' clock is so much slower */
	double least_ns, most_ns;	/* the delay that this rests on */
	size_t n_pairs, n_alone;	/* edges between the first and last pair that no entry belongs to */
};

/* PT_EARG: it cannot be identified; the sentence says why. */
int pt_clock_fit(const struct pt_fit_wanted *wanted, struct pt_clock_fit *fit, struct pt_err *err);

#endif
