/* What flow makes of events and code: a run is a stretch that executed in a straight line. */
#ifndef PT_PROFILE_RUN_H
#define PT_PROFILE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a run was left. Modelled time is the sum of what runs took, from the first run or the one behind PT_LEFT_GAP on:
 * it never continues over a gap. */
enum pt_left {
	PT_LEFT_BRANCH = 1,	/* a jump or a taken conditional branch */
	PT_LEFT_CALL,		/* end is the return address */
	PT_LEFT_RETURN,
	PT_LEFT_EXCEPTION,	/* an exception was taken before the instruction at end, where it will return to */
	PT_LEFT_EXCEPTION_RETURN,	/* the last instruction returned from an exception */
	PT_LEFT_TAIL_CHAIN,	/* the last instruction returned from an exception straight into the next handler: what
				 * was interrupted is still interrupted */
	PT_LEFT_DEBUG,		/* stopped before end; next is end, or where the debugger moved the pc to */
	PT_LEFT_GAP,		/* what came after is not known; next is PT_UNKNOWN and its function none. Every stretch
				 * ends with such a run, if need be an empty one; so may one that knew nothing else */
	PT_LEFT_NEXT,		/* went straight on, at end, into code of another function: a run is one function's */
};

/* An empty run that is left by PT_LEFT_BRANCH to where it began is time and nothing else: so many cycles passed at the
 * instruction there, as the target's own stamps say (silent_time.c). */
struct pt_run {			/* [begin, end) ran, then went to next; empty (end == begin) if it was left at once */
	uint64_t begin, end;
	uint64_t next;
	uint16_t assumed;	/* 1: an assumption was made to resolve it */
	uint16_t instructions;	/* of [begin, end) */
	uint32_t cycles;	/* modelled, those of leaving it included */
	uint16_t function;	/* id (codemap.h) of all of it */
	uint8_t left;		/* enum pt_left */
	uint16_t next_function;	/* id of next */
};

static inline bool pt_run_is_time(const struct pt_run *run)
{
	return run->end == run->begin && run->left == PT_LEFT_BRANCH;
}

/* Of one source on one core, in order. Small enough to stay in the first-level cache together with the events. */
enum { PT_BATCH_RUNS = 256 };

struct pt_run_batch {
	uint16_t source, core;
	size_t n_runs;
	struct pt_run run[PT_BATCH_RUNS];
};

#endif
