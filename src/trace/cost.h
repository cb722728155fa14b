/* The measured overhead of a source so far, as in COST chunks (formats.h). A source that uses several access methods, one
 * after the other or together, has a part for each. */
#ifndef PT_TRACE_COST_H
#define PT_TRACE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_COST_PARTS = 4, PT_COST_METHOD_BYTES = 120 };

struct pt_cost_halts { uint64_t n, ns, shortest_ns, longest_ns; };	/* ns: of all of them */

struct pt_cost_part {
	char way[PT_COST_METHOD_BYTES];	/* the access method: "scratch code at 0x00fff000" */
	uint64_t samples, packets;	/* samples of the profile, and packets on the link for them; 0: not counted */
	struct pt_cost_halts sampling;	/* halts for samples */
	struct pt_cost_halts setup;	/* halts before and after, for setting up and putting back */
};

struct pt_cost {
	uint64_t time_ns;		/* since the beginning of the source */
	struct pt_cost_part part[PT_COST_PARTS];
	size_t n_parts;			/* 0: nothing was measured */
	bool counts_missed;		/* the source knows how many samples the hardware took */
	uint64_t missed;		/* at most this many of them did not arrive */
	uint64_t edges_ns;		/* by so much its observed time may be off, as each time when it was turned on and off is known
					 * so well and no better; of a source that does not say: 0 */
	bool damaged;			/* the last record was damaged: the overhead is at least this */
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
