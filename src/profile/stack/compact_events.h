/* Steps in brief. What a program does nearly all the time is to call and to return; for that a step (call_event.h) is a
 * third of its size, and comes by the batch: no call, and no field that is the same for all of them, costs anything
 * for each.
 *
 * What the steps before say already is not repeated: an ENTER in brief has no period.
 *
 * Each stands for exactly one step of the stack that runs: ENTER by PT_ENTRY_CALL, or LEAVE of an invocation so
 * entered, seen to its end. All that is not of this kind comes as a step, in its place between two batches. */
#ifndef PT_PROFILE_BRIEF_H
#define PT_PROFILE_BRIEF_H

#include "profile/stack/call_event.h"

enum { PT_BATCH_BRIEFS = 256 };

struct pt_brief {
	uint32_t ticks;		/* of the profile's clock, behind that of the batch */
	uint32_t net;		/* left: of the invocation; entered: 0 */
	union {
		uint32_t gross;	/* left */
		uint32_t site;	/* entered: the address it will return to */
	};
	uint32_t call;		/* left */
	uint16_t function, caller;	/* as in a step */
	uint32_t left;		/* 1: LEAVE; 0: ENTER */
};

struct pt_brief_batch {
	uint64_t clock;		/* of the profile, not behind the first one */
	uint64_t anchor, anchor_ns, anchor_error_ns;	/* what moments are made of; anchor may "be negative" */
	double ns_per_tick;	/* 0: not known */
	uint16_t stack, task, core;	/* of all of them */
	uint8_t told;
	size_t n_briefs, n_left;	/* n_left: of them are LEAVE */
	size_t n_below;		/* so many invocations that were open before the first one are left at most at a time */
	struct pt_brief brief[PT_BATCH_BRIEFS];
};

/* The moment of a clock not before the batch's anchor. */
struct pt_moment pt_brief_moment(const struct pt_brief_batch *batch, uint64_t clock);
/* The step that brief i stands for; its period is PT_UNKNOWN. */
struct pt_step pt_brief_step(const struct pt_brief_batch *batch, size_t i);

#endif
