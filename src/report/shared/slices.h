/* The timeline as trace viewers want it: slices that nest on tracks, time that never goes back, values of counters.
 * A stack whose lower frames are known by a later return alone has them from where it was first seen. Pure. */
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
	uint16_t task;		/* of a stack, as far as it was told; PT_NO_TASK */
	const char *name;	/* of a definition; NULL: a stack */
	uint16_t source;	/* of a definition's values */
	unsigned depth;		/* slices open */
	uint64_t *open;		/* SPANS: the ids of those, PT_SLICE_DEPTH of them; NULL: none yet */
};

enum pt_slice_kind { PT_SLICE_BEGIN = 1, PT_SLICE_END, PT_SLICE_COUNTER, PT_SLICE_GAP };

struct pt_slice {
	enum pt_slice_kind kind;
	uint64_t time;		/* on the clock of the slices */
	size_t track;		/* not of a GAP, which is of the core */
	uint16_t core;
	const char *name;	/* BEGIN: or NULL, then real is it */
	double real;		/* COUNTER; BEGIN without a name */
	bool exception;		/* BEGIN */
	bool unseen;		/* BEGIN: it was running already; END: it was still running */
	const struct pt_timeline_event *event;
};

/* Frames that were on a stack when it was first seen, and that only a later return told of. */
struct pt_revealed { size_t before, at; uint16_t id; };	/* events of the timeline: the stack's first, and the one that told */

enum { PT_TRACKS = 1024, PT_SLICE_DEPTH = 256 };	/* deeper spans have no slices */

enum pt_slice_clock {
	PT_SLICES_NS,		/* of the probe's clock */
	PT_SLICES_FROM_BEGIN,	/* ns since the first that was seen: nobody knows when that was */
	PT_SLICES_CYCLES, PT_SLICES_INSTRUCTIONS,	/* of the profile's clock */
};

struct pt_slices {
	const struct pt_profile *profile;
	enum pt_slice_clock clock;	/* of all times */
	struct pt_track *track;
	size_t n_tracks;
	size_t next;		/* event of the timeline that comes next */
	uint64_t time;
	size_t n_ending;	/* slices that the next event still ends */
	bool again;		/* it has been looked at before */
	struct pt_revealed *revealed;	/* in order of before, and the outermost first */
	size_t n_revealed, next_revealed;
	uint8_t *told;			/* by event: it tells of such a frame, and begins no other */
	bool was_blind;		/* the event's stretch has begun, and ends next */
};

static inline bool pt_slices_in_ns(const struct pt_slices *slices)
{
	return slices->clock <= PT_SLICES_FROM_BEGIN;
}

/* PT_ESTATE: there is no timeline; or its functions are timed in ticks and its signals in ns, and nothing says how long
 * a tick is. */
int pt_slices_begin(struct pt_slices *slices, const struct pt_profile *profile, struct pt_err *err);
/* The next slice; false: there is none. A track is in the list before its first slice. */
bool pt_slices_next(struct pt_slices *slices, struct pt_slice *out);
void pt_slices_end(struct pt_slices *slices);

/* For slices.c: finds revealed and told. (revealed.c) */
void pt_slices_find_revealed(struct pt_slices *slices);

#endif
