/* Merge: orders the events of several sources by the probe's time, as far as their clocks allow. Events of one source
 * stay in its order, whatever their stamps say.
 *
 * A source is waited for until it has an event to compare, or its last chunk shows that nothing earlier can come. Its
 * own stamps are turned into moments when the next anchor has come, so that they lie between two. All waiting is
 * bounded: by PT_MERGE_WAIT_NS of the other sources' time for one that is silent, and by PT_MERGE_EVENTS held of one
 * source; what then comes too late goes out when it comes, and is counted. Pure; one thread at a time. */
#ifndef PT_PROFILE_MERGE_H
#define PT_PROFILE_MERGE_H

#include "profile/flow/clock.h"
#include "trace/event.h"

enum { PT_MERGE_LANES = 32, PT_MERGE_EVENTS = 262144 };
#define PT_MERGE_WAIT_NS PT_NS_PER_S
/* Event kinds from here on are the caller's own remarks: they stand between events, have no time, and are never
 * waited for. */
enum { PT_MERGE_REMARK = 128 };

struct pt_merge;

struct pt_merge *pt_merge_new(void);
void pt_merge_free(struct pt_merge *merge);

/* A source: number below PT_MERGE_LANES, opened (or opened anew: what is held of it stays). */
void pt_merge_open(struct pt_merge *merge, size_t lane, const struct pt_clock *clock, uint64_t from_ns);
/* The next events of a source, without or with ticks. */
void pt_merge_put(struct pt_merge *merge, size_t lane, const struct pt_event *event, size_t n);
/* What was put since the call before is of this time, and nothing earlier than to_ns follows. Events without ticks lie
 * evenly spread in it. */
void pt_merge_span(struct pt_merge *merge, size_t lane, uint64_t from_ns, uint64_t to_ns);
void pt_merge_anchor(struct pt_merge *merge, size_t lane, uint64_t ticks, uint64_t ns, uint64_t error_ns);
void pt_merge_end(struct pt_merge *merge, size_t lane);	/* nothing follows, unless it is opened anew */

/* While it is on, pt_merge_take() gives all that is held, in order of what is known of it: before the meaning of what
 * is held changes. */
void pt_merge_flush(struct pt_merge *merge, bool on);

/* The next events in order, at most max of one source (max > 0), with their moments. Returns how many; 0: nothing
 * more can be told yet. Call until then after each span, anchor and end. */
size_t pt_merge_take(struct pt_merge *merge, size_t *lane, struct pt_event *event, struct pt_timestamp *at, size_t max);

/* Events that came out behind later ones of other sources, although the clocks could tell. */
uint64_t pt_merge_late(const struct pt_merge *merge);

#endif
