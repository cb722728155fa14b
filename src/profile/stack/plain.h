/* The short way from a trace to call statistics, and to analyses that want runs, and compact call events. */
#ifndef PT_PROFILE_PLAIN_H
#define PT_PROFILE_PLAIN_H

#include "profile/stack/compact_events.h"
#include "profile/stack/execution.h"
#include "profile/flow/flow.h"
#include "profile/flow/branch_block.h"

struct pt_plain_sink {		/* who takes what the execution's own sink does not; either may be NULL */
	/* call events, in order with those of the other sink */
	void (*compact)(void *arg, const struct pt_compact_batch *batch);
	void (*piece)(void *arg, const struct pt_piece *piece);	/* runs, behind the call events that they made */
	void *arg;
};

/* n pairs of 32-bit addresses, little-endian: an instruction there led to there. Take as many as stand at the head,
 * have bit 0 clear, lie below `below`, and are plain in the code map, with exactly the effect of pt_flow_feed() of the
 * events that they are, and of pt_execution_feed() of its runs. (One difference: of more call edges than the tally can
 * tell apart, this way tells more.) Returns how many: each was one run. flow and execution belong together: all runs
 * of the one have gone to the other. 0 while execution has a sink that wants whole call events, and none takes compact
 * ones, and for instruction sets with other than 2-byte units. sink NULL: nobody. Threads as theirs. */
size_t pt_plain_feed(struct pt_flow *flow, struct pt_execution *execution, const uint8_t *pairs, size_t n,
		     uint64_t below, const struct pt_plain_sink *sink);

#endif
