/* Compact call events. What a program does nearly all the time is to call and to return; for that one of
 * call_event.h is a third of its size, and comes by the batch: no call, and no field that is the same for
 * all of them, costs anything for each.
 *
 * What those before say already is not repeated: a compact ENTER has no period.
 *
 * Each stands for exactly one call event of the stack that runs: ENTER by PT_ENTRY_CALL, or LEAVE of an invocation so
 * entered, seen to its end. All that is not of this kind comes as a call event, in its place between two batches. */
#ifndef PT_PROFILE_COMPACT_EVENTS_H
#define PT_PROFILE_COMPACT_EVENTS_H

#include "profile/stack/call_event.h"

enum { PT_BATCH_COMPACT = 256 };

struct pt_compact_event {
	uint32_t ticks;		/* of the profile's clock, behind that of the batch */
	uint32_t net;		/* left: of the invocation; entered: 0 */
	union {
		uint32_t gross;	/* left */
		uint32_t site;	/* entered: the address it will return to */
	};
	uint32_t call;		/* left */
	uint16_t function, caller;	/* as in a call event */
	uint32_t left;		/* 1: LEAVE; 0: ENTER */
};

struct pt_compact_batch {
	uint64_t clock;		/* of the profile, not behind the first one */
	uint64_t anchor, anchor_ns, anchor_error_ns;	/* what timestamps are made of; anchor may "be negative" */
	double ns_per_tick;	/* 0: not known */
	uint16_t stack, task, core;	/* of all of them */
	uint8_t told;
	size_t n_compact, n_left;	/* n_left: of them are LEAVE */
	size_t n_below;		/* so many invocations that were open before the first one are left at most at a time */
	struct pt_compact_event compact[PT_BATCH_COMPACT];
};

/* The timestamp of a clock not before the batch's anchor. */
struct pt_timestamp pt_compact_timestamp(const struct pt_compact_batch *batch, uint64_t clock);
/* The call event that event i of the batch stands for; its period is PT_UNKNOWN. */
struct pt_call_event pt_compact_call_event(const struct pt_compact_batch *batch, size_t i);

#endif
