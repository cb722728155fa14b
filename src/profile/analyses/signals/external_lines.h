/* External lines: how long high, how long low, how far apart; and how long after an edge a function was entered, or
 * another line had an edge.
 *
 * Widths and periods are differences of one source's stamps. A latency compares two sources: where their clocks do
 * not show which of the two came first, it is undecided, counted, and in no figure. Between lines of one source its
 * stamps decide; two edges at the same stamp are undecided. The words:
 *	latency=LINE:rise->FUNCTION	or fall; from an edge to the first entry behind it
 *	latency=LINE:rise->LINE:fall	to the first edge of another line behind it; a function of this name comes first
 * A gap on either side ends what is open as unknown. A latency over a gap, or over a time in which the core was held, is
 * undecided, too: the function may have been entered unseen, or have been kept from it. */
#ifndef PT_PROFILE_AUX_H
#define PT_PROFILE_AUX_H

#include "profile/flow/signals.h"
#include "profile/stats/stat.h"

enum { PT_AUX_LATENCIES = 32 };

struct pt_aux_line {
	uint16_t line;		/* index of its definition */
	uint64_t rises, falls;
	uint64_t partial;	/* pulses with an end that was not seen; the open one included */
	bool missing;		/* edges may be, somewhere: figures are lower bounds */
	uint64_t level;		/* now; PT_UNKNOWN */
	struct pt_stat high, low;	/* widths, ns; at: ns of the edge that begins it */
	struct pt_stat period;	/* rise to rise, ns */
	uint64_t high_ns;	/* out of period.total: how long it was high */
	uint64_t error_ns;	/* of these times, at worst: 0 where the source stamps them itself */
};

struct pt_aux_latency {
	const char *name;	/* as it was asked for */
	bool found;		/* there are such lines; else nothing was measured */
	struct pt_stat time;	/* ns, with a histogram; at: ns of the edge */
	uint64_t unanswered;	/* edges that another edge followed before the answer: the entry, or the other line's edge */
	uint64_t partial;	/* 1: an edge that waits */
	uint64_t undecided;	/* answers whose order with the edge the clocks do not tell */
	uint64_t over_gap;	/* edges with a gap between them and the next answer that was seen; undecided as well */
	bool missing;		/* there are such, or edges may be missing: only short ones may have been seen whole */
	uint64_t error_ns;	/* of the times, at worst; of what is undecided, if that is all there is */
};

struct pt_aux {
	uint64_t lost;		/* times that edges may be missing */
	const struct pt_aux_line *line;
	const struct pt_aux_latency *latency;
	size_t n_lines, n_latencies;
	const struct pt_signal_set *signals;
};

#endif
