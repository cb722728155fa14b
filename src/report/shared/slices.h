/* The timeline as trace viewers need it: nested slices on tracks, time that never goes back, values of counters. If
 * only a later return shows the lower frames of a stack, they begin where the stack was first seen. Pure. */
#ifndef PT_REPORT_SLICES_H
#define PT_REPORT_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/result/profile.h"
#include "profile/analyses/calls/timeline.h"

enum pt_track_kind {
	PT_TRACK_STACK,		/* functions, nested; number is the stack */
	PT_TRACK_STATES,	/* values of a definition, one slice each */
	PT_TRACK_SPANS,		/* spans and services, nested */
	PT_TRACK_COUNTER,	/* numbers of a definition */
	PT_TRACK_BLIND,		/* when the core was not observed: a slice has the cause's name */
};

struct pt_track {
	enum pt_track_kind kind;
	uint16_t number;	/* stack or definition */
	uint16_t core;
	uint16_t task;		/* of a stack, if it was reported; PT_NO_TASK */
	const char *name;	/* of a definition; NULL: a stack */
	uint16_t source;	/* of the definition's values */
	unsigned depth;		/* slices open */
	uint64_t *open;		/* SPANS: the ids of open spans, room for PT_SLICE_DEPTH; NULL: none yet */
};

enum pt_slice_kind { PT_SLICE_BEGIN = 1, PT_SLICE_END, PT_SLICE_COUNTER, PT_SLICE_GAP };

struct pt_slice {
	enum pt_slice_kind kind;
	uint64_t time;		/* on the clock of the slices */
	size_t track;		/* unused for a GAP, which belongs to the core */
	uint16_t core;
	const char *name;	/* BEGIN; NULL: real is the value instead */
	double real;		/* COUNTER; BEGIN without a name */
	bool exception;		/* BEGIN */
	bool unseen;		/* BEGIN: it was running already; END: it was still running */
	const struct pt_timeline_event *event;
};

/* Frames that were on a stack when it was first seen, as a later return revealed. */
struct pt_revealed { size_t before, at; uint16_t id; };	/* events of the timeline: the stack's first, and the one that
							 * revealed the frame */

enum { PT_TRACKS = 1024, PT_SLICE_DEPTH = 256 };	/* deeper spans have no slices */

enum pt_slice_clock {
	PT_SLICES_NS,		/* of the probe's clock */
	PT_SLICES_FROM_BEGIN,	/* ns since the first event, whose time is unknown */
	PT_SLICES_CYCLES, PT_SLICES_INSTRUCTIONS,	/* of the profile's clock */
};

struct pt_slices {
	const struct pt_profile *profile;
	enum pt_slice_clock clock;	/* of all times */
	struct pt_track *track;
	size_t n_tracks;
	size_t next;		/* next event of the timeline */
	uint64_t time;
	size_t n_ending;	/* slices that the next event still ends */
	bool again;		/* it has been taken before */
	struct pt_revealed *revealed;	/* in order of before, and the outermost first */
	size_t n_revealed, next_revealed;
	uint8_t *told;			/* by event: it only reveals such a frame, and begins none */
	bool was_blind;		/* the stretch of this event has begun, and ends next */
};

static inline bool pt_slices_in_ns(const struct pt_slices *slices)
{
	return slices->clock <= PT_SLICES_FROM_BEGIN;
}

/* PT_ESTATE: there is no timeline; or its functions are timed in ticks and its signals in ns, and the length of a tick
 * is unknown. */
int pt_slices_begin(struct pt_slices *slices, const struct pt_profile *profile, struct pt_err *err);
/* The next slice; false: there is none. A track is in the list before its first slice. */
bool pt_slices_next(struct pt_slices *slices, struct pt_slice *out);
void pt_slices_end(struct pt_slices *slices);

/* For slices.c, in revealed.c: sets revealed and told. */
void pt_slices_find_revealed(struct pt_slices *slices);

#endif
