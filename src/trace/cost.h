/* What a source has cost the program so far, as it was measured: COST chunks carry it (formats.h). A source that works
 * by several ways, one after the other or side by side, has a part for each. */
#ifndef PT_TRACE_COST_H
#define PT_TRACE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_COST_PARTS = 4, PT_COST_METHOD_BYTES = 120 };

struct pt_cost_halts { uint64_t n, ns, shortest_ns, longest_ns; };	/* ns: of all of them */

struct pt_cost_part {
	char way[PT_COST_METHOD_BYTES];	/* "scratch code at 0x00fff000" */
	uint64_t samples, packets;	/* taken for the profile; of the link, for these: 0 where they are not counted */
	struct pt_cost_halts sampling;	/* the program stood still, for samples */
	struct pt_cost_halts setup;	/* before them and behind them: to set up, and to put everything back */
};

struct pt_cost {
	uint64_t time_ns;		/* of which all this is, from the source's beginning */
	struct pt_cost_part part[PT_COST_PARTS];
	size_t n_parts;			/* 0: nothing was measured */
	bool counts_missed;		/* the source knows how many samples were taken, whether or not they came */
	uint64_t missed;		/* of those at most so many did not come */
	bool damaged;			/* the last record of it was: it is at least this */
};

static inline void pt_cost_halt(struct pt_cost_halts *halts, uint64_t ns)
{
	if (halts->n == 0 || ns < halts->shortest_ns)
		halts->shortest_ns = ns;
	if (ns > halts->longest_ns)
		halts->longest_ns = ns;
	halts->n++;
	halts->ns += ns;
}

#endif
