#include "profile/analyses/limits/limits_timeline.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "profile/stack/call_event.h"

static int by_time(const void *a, const void *b)
{
	const struct pt_timeline_event *x = a, *y = b;

	return (x->at.ns > y->at.ns) - (x->at.ns < y->at.ns);
}

/* What is older than the first event is not in the timeline, unless that has all. Returns how many. */
static size_t collect(const struct pt_timeline *t, const struct pt_limits *limits, struct pt_timeline_event *out)
{
	uint64_t from_ns = t->seen > t->n && t->n > 0 ? pt_timeline_at(t, 0)->at.ns : 0;
	size_t n = 0;

	for (size_t i = 0; i < limits->n_violations; i++) {
		const struct pt_violation *v = &limits->violation[i];

		if (v->at.ns == PT_UNKNOWN || v->at.ns < from_ns)
			continue;
		out[n++] = (struct pt_timeline_event){
			.at = v->at, .clock = v->clock, .value = v->value, .id = (uint16_t)v->rule, .task = PT_NO_TASK,
			.core = v->core, .kind = PT_TIMELINE_VIOLATION,
		};
	}
	return n;
}

/* From the end: one without a moment stays behind the event that it came after. */
static void merge(struct pt_timeline_event *out, const struct pt_timeline *t, const struct pt_timeline_event *violation,
		  size_t n)
{
	size_t left = t->n;

	while (n > 0) {
		const struct pt_timeline_event *event = left > 0 ? pt_timeline_at(t, left - 1) : NULL;

		if (event != NULL && (event->at.ns == PT_UNKNOWN || event->at.ns > violation[n - 1].at.ns)) {
			out[n + left - 1] = *event;
			left--;
		} else {
			out[n + left - 1] = violation[n - 1];
			n--;
		}
	}
	while (left-- > 0)
		out[left] = *pt_timeline_at(t, left);
}

const struct pt_timeline *pt_marked_timeline_make(struct pt_marked_timeline *marked, const struct pt_timeline *timeline,
						  const struct pt_limits *limits)
{
	struct pt_timeline_event *violation;
	size_t n;

	if (timeline == NULL || limits->n_violations == 0)
		return timeline;
	violation = pt_alloc_array(limits->n_violations, sizeof(*violation));
	n = collect(timeline, limits, violation);
	qsort(violation, n, sizeof(*violation), by_time);
	if (timeline->n + n > marked->room) {
		marked->room = timeline->n + PT_VIOLATIONS;
		marked->made = pt_realloc_array(marked->made, marked->room, sizeof(*marked->made));
	}
	merge(marked->made, timeline, violation, n);
	free(violation);
	marked->timeline = *timeline;
	marked->timeline.ring = marked->made;
	marked->timeline.first = 0;
	marked->timeline.room = marked->room;
	marked->timeline.n = timeline->n + n;
	marked->timeline.seen = timeline->seen + n;
	return &marked->timeline;
}

void pt_marked_timeline_fini(struct pt_marked_timeline *marked)
{
	free(marked->made);
}
