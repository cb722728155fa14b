/* How long calls last, and how far apart they are, of a core whose calls are seen in windows (flow/windows.h): steps
 * become lengths of what was entered in a window, whole or not, for survival.h. A call's own stack is followed from the
 * beginning of a window on; what was entered before is of no length that is known.
 * gross is without interrupts and other stacks, call with them, period is entry to entry on any stack. Pure. */
#ifndef PT_PROFILE_CALL_DURATIONS_H
#define PT_PROFILE_CALL_DURATIONS_H

#include "profile/flow/windows.h"
#include "profile/stack/call_event.h"
#include "profile/stats/survivals.h"

struct pt_call_durations;	/* of one core */

struct pt_call_durations *pt_call_durations_new(size_t n_functions);
void pt_call_durations_free(struct pt_call_durations *d);
/* window NULL: one begins; else it has ended. clock: of the profile, at the edge. */
void pt_call_durations_edge(struct pt_call_durations *d, uint64_t clock, const struct pt_time_window *window);
void pt_call_durations_step(struct pt_call_durations *d,
			    const struct pt_call_event *step); /* outside windows: nothing */
/* Of each function (id) those of each kind (enum pt_tally_kind); of net and inactive nothing is known. Valid until the
 * next call. */
const struct pt_lengths *pt_call_durations_give(struct pt_call_durations *d);

#endif
