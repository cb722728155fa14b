/* What execution makes of runs: steps of the shadow stacks. Whoever wants to know the order of calls (call tree,
 * timeline, tables per task, rules) consumes steps; what only needs code consumes runs.
 *
 * Between two steps of one core the time belongs to the invocation on top of the stack that runs, unless ELSEWHERE
 * says otherwise. A consumer that follows the steps knows the whole stack: ENTER pushes, LEAVE pops, SWITCH goes to
 * another stack, FORGET empties all of them. Every LEAVE pops exactly the top.
 * Clock: that of the profile (modelled cycles or instructions); it stands still over a gap. */
#ifndef PT_PROFILE_STEP_H
#define PT_PROFILE_STEP_H

#include <stddef.h>
#include <stdint.h>

#include "profile/moment.h"

enum pt_step_kind {
	PT_STEP_ENTER = 1,	/* function was entered, as entry says */
	PT_STEP_LEAVE,		/* the top invocation ended; figures are its own */
	PT_STEP_SWITCH,		/* stack runs from here on; task is known or PT_NO_TASK */
	PT_STEP_ELSEWHERE,	/* ticks before this step ran in code of function though another is on top: shared tails,
				 * cold parts, code in front of the first entry that was seen */
	PT_STEP_FORGET,		/* a gap: what was open on any stack of the core ended as unknown; nothing is open now */
	PT_STEP_CLOCK,		/* nothing happened; comes before results are asked for, so that time is charged up to now */
};

enum pt_step_entry {
	PT_ENTRY_CALL = 1,
	PT_ENTRY_TAIL,		/* a jump: returns to the caller's caller, and leaves together with the frame below */
	PT_ENTRY_EXCEPTION,	/* preempts what is below */
	PT_ENTRY_UNSEEN,	/* was running already when it was first seen */
};

enum { PT_NO_TASK = UINT16_MAX };

struct pt_step {
	uint64_t clock;		/* of the profile */
	struct pt_moment at;	/* the same on the probe's clock, as far as it is known */
	uint64_t net, gross, call;	/* LEAVE: of the invocation; ELSEWHERE: net is the time */
	uint64_t period;	/* ENTER: entry to entry of this function, PT_UNKNOWN: not known */
	uint64_t site;		/* ENTER: the address it will return to; PT_UNKNOWN: not seen */
	uint16_t function;	/* id (codemap.h) */
	uint16_t caller;	/* ENTER: function of the frame below; PT_NO_FUNCTION: nobody's call */
	uint16_t stack;		/* SWITCH: a number below PT_STEP_STACKS, used again for the same stack only */
	uint16_t task;		/* SWITCH: index in the task map, or PT_NO_TASK */
	uint16_t core;
	uint8_t kind;		/* enum pt_step_kind */
	uint8_t entry;		/* ENTER, LEAVE: enum pt_step_entry of the invocation */
	uint8_t partial;	/* LEAVE: entry or exit not seen; figures are what was seen of it */
	uint8_t reserved[3];
};

enum { PT_STEP_STACKS = 320, PT_BATCH_STEPS = 256 };	/* 64 anonymous contexts and 256 tasks */

struct pt_step_batch {
	size_t n_steps;
	struct pt_step step[PT_BATCH_STEPS];
};

#endif
