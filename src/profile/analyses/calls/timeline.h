/* The timeline: what happened, in order: functions entered and left, tasks, values, lines, gaps. A ring of stated
 * depth: the last events are there, how many there were is counted. Every column "min at" and "max at" of another table
 * is a time to look up here. */
#ifndef PT_PROFILE_TIMELINE_H
#define PT_PROFILE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/flow/timestamp.h"
#include "profile/flow/signals.h"

enum pt_timeline_kind {
	PT_TIMELINE_CALL = 1, PT_TIMELINE_TAIL_CALL, PT_TIMELINE_EXCEPTION, PT_TIMELINE_UNSEEN,	/* entered, how */
	PT_TIMELINE_LEAVE,	/* value: call time on the profile's clock */
	PT_TIMELINE_CUT,	/* the same, without having been seen to end, or to begin */
	PT_TIMELINE_SWITCH,	/* task runs */
	PT_TIMELINE_GAP,	/* what comes after is not measured from what came before */
	PT_TIMELINE_VIOLATION,	/* of a timing rule, whose number is id; value: ticks, or PT_UNKNOWN */
	PT_TIMELINE_SIGNAL,	/* signal says what kind, id is its definition */
	PT_TIMELINE_BLIND,	/* from here on the core was not observed, for value ns; id is the cause (loss.h) */
	PT_N_TIMELINE_KINDS,
};

struct pt_timeline_event {
	struct pt_timestamp at;
	uint64_t clock;		/* of the profile; of a signal: PT_UNKNOWN */
	uint64_t value;
	uint16_t id;		/* function, definition of a signal, or rule */
	uint16_t stack, task, core;	/* stack, of a signal: the number of its source */
	uint16_t depth;		/* of the stack, with this invocation */
	uint8_t kind;		/* enum pt_timeline_kind */
	uint8_t signal;		/* enum pt_signal_kind */
	bool enters;		/* as in struct pt_signal */
	bool astray;
};

struct pt_timeline {
	const struct pt_timeline_event *ring;
	size_t room, first, n;	/* the oldest is ring[first]; n of them are there */
	uint64_t seen;		/* in all */
	const struct pt_signal_set *signals;
};

enum { PT_TIMELINE_EVENTS = 65536 };	/* unless timeline=N says otherwise */

/* Puts events of several cores in order of time. */
void pt_timeline_order(struct pt_timeline_event *event, size_t n);

static inline const struct pt_timeline_event *pt_timeline_at(const struct pt_timeline *t, size_t i)
{
	size_t at = t->first + i;

	return &t->ring[at < t->room ? at : at - t->room];
}

#endif
