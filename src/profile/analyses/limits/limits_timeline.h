/* Violations where they happened: among the events of the timeline. */
#ifndef PT_PROFILE_LIMITS_TIMELINE_H
#define PT_PROFILE_LIMITS_TIMELINE_H

#include "profile/analyses/calls/timeline.h"
#include "profile/analyses/limits/limits.h"

struct pt_marked_timeline {	/* all zero: none yet */
	struct pt_timeline timeline;
	struct pt_timeline_event *made;
	size_t room;
};

/* The timeline with a VIOLATION for each of the limits' that has a moment in it. Valid until the next call. */
const struct pt_timeline *pt_marked_timeline_make(struct pt_marked_timeline *marked, const struct pt_timeline *timeline,
						  const struct pt_limits *limits);
void pt_marked_timeline_fini(struct pt_marked_timeline *marked);

#endif
