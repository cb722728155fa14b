/* What execution makes of runs: call events of the shadow stacks. What needs the order of calls (call tree, timeline,
 * tables per task, rules) consumes call events; what only needs code consumes runs.
 *
 * Each concerns one stack: ENTER pushes an invocation on it, LEAVE pops its top, SWITCH makes it the one that
 * runs. Between two of one core the time belongs to the invocation on top of the stack that runs, unless
 * ELSEWHERE says otherwise; where that stack is empty, no time passes. A stack that does not run is left (as partial)
 * only when it is given up. Every ENTER has its LEAVE, at the latest before the next FORGET: what is open
 * when the stream ends stays open. Before the first SWITCH stack 0 runs.
 * Clock: that of the profile (modelled cycles or instructions); it stands still over a gap. */
#ifndef PT_PROFILE_CALL_EVENT_H
#define PT_PROFILE_CALL_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "profile/flow/timestamp.h"

enum pt_call_event_kind {
	PT_CALL_ENTER = 1,	/* function was entered, as entry says */
	PT_CALL_LEAVE,		/* function, the top invocation, ended; figures are its own */
	PT_CALL_SWITCH,		/* stack runs from here on; it is task's. To the stack that runs already: now it is
				 * known whose it is, and was since it runs; or, behind a gap, not known any more */
	PT_CALL_ELSEWHERE,	/* net ticks before it ran in code of function though another is on top: shared
				 * tails, cold parts */
	PT_CALL_FORGET,		/* a gap. All that was open on any stack has been left as partial; what follows is not
				 * measured from anything before */
	PT_CALL_CLOCK,		/* nothing happened; comes before results are asked for: time is charged up to now */
};

enum pt_call_entry {
	PT_ENTRY_CALL = 1,
	PT_ENTRY_TAIL,		/* a jump: returns to the caller's caller, and leaves together with the frame below */
	PT_ENTRY_EXCEPTION,	/* preempts what is below */
	PT_ENTRY_UNSEEN,	/* was running already when it was first seen: no call is counted */
	PT_ENTRY_UNCALLED,	/* its first instruction was seen, but not who called */
};

enum { PT_NO_TASK = UINT16_MAX };

struct pt_call_event {
	uint64_t clock;		/* of the profile: how much of it all runs before took */
	struct pt_timestamp at;	/* the same on the probe's clock, as far as it is known; SWITCH with an error: whose
				 * what ran within it is, nobody can say */
	uint64_t net, gross, call;	/* LEAVE: of the invocation; ELSEWHERE: net is the time */
	uint64_t period;	/* ENTER: entry to entry of this function, PT_UNKNOWN: not known */
	uint64_t site;		/* ENTER: the address it will return to; PT_UNKNOWN: not seen */
	uint16_t function;	/* ENTER, LEAVE, ELSEWHERE: id (codemap.h) */
	uint16_t caller;	/* ENTER, LEAVE: function whose code called, as in the call edges: that of the frame
				 * below, but for calls out of shared code; PT_NO_FUNCTION: no call */
	uint16_t stack;		/* below PT_CALL_STACKS; used again only after all on it has been left */
	uint16_t task;		/* of stack: index in the task map; PT_NO_TASK: not known, or none */
	uint16_t core;
	uint8_t kind;		/* enum pt_call_event_kind */
	uint8_t entry;		/* ENTER, LEAVE: enum pt_call_entry of the invocation */
	uint8_t partial;	/* LEAVE: entry or exit not seen; figures are what was seen of it */
	uint8_t told;		/* 1: task is what a signal told (PT_NO_TASK: none runs); 0: nobody told */
	uint8_t called;		/* SWITCH: 1: it is not known whose stack it is, but what runs now was called: the first
				 * function seen on it is not the one at its bottom */
	uint8_t reserved[1];
};

enum { PT_CALL_STACKS = 320, PT_BATCH_CALL_EVENTS = 256 };	/* 256 tasks, none, and 63 that nobody told of */

struct pt_call_batch {
	size_t n_steps;
	struct pt_call_event step[PT_BATCH_CALL_EVENTS];
};

/* Who takes call events: a batch at a time, in order, of one core. May not call back into execution. */
struct pt_call_sink {
	void (*take)(void *arg, const struct pt_call_event *event, size_t n);
	void *arg;
};

#endif
