#include "report/shared/slices.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "profile/stack/call_event.h"
#include "report/table/names.h"
#include "report/table/order.h"

int pt_slices_begin(struct pt_slices *s, const struct pt_profile *profile, struct pt_err *err)
{
	*s = (struct pt_slices){ .profile = profile };
	if (profile->timeline == NULL)
		return pt_report_lacks("this format", "timeline", err);
	s->in_ns = profile->core_hz != 0 && !profile->by_instructions;
	s->track = pt_alloc_array(PT_TRACKS, sizeof(*s->track));
	return 0;
}

void pt_slices_end(struct pt_slices *s)
{
	free(s->track);
	*s = (struct pt_slices){ 0 };
}

/* --- tracks */

/* More tracks than there is room for share the last one. */
static size_t track(struct pt_slices *s, enum pt_track_kind kind, const struct pt_timeline_event *event,
		    uint16_t number, const char *name)
{
	for (size_t i = 0; i < s->n_tracks; i++)
		if (s->track[i].kind == kind && s->track[i].number == number && s->track[i].core == event->core)
			return i;
	if (s->n_tracks == PT_TRACKS)
		return PT_TRACKS - 1;
	s->track[s->n_tracks] = (struct pt_track){
		.kind = kind, .number = number, .core = event->core, .name = name, .task = event->task,
	};
	return s->n_tracks++;
}

static const struct pt_signal_definition *definition(const struct pt_slices *s, const struct pt_timeline_event *event)
{
	const struct pt_signal_set *set = s->profile->timeline->signals;

	return set != NULL && event->id < set->n_definitions ? &set->definition[event->id] : NULL;
}

/* --- events */

static bool begin(struct pt_slices *s, size_t at, const char *name, double number, struct pt_slice *out)
{
	s->track[at].depth++;
	out->kind = PT_SLICE_BEGIN;
	out->track = at;
	out->name = name;
	out->real = number;
	return true;
}

static bool end(struct pt_slices *s, size_t at, struct pt_slice *out)
{
	if (s->track[at].depth == 0)
		return false;
	s->track[at].depth--;
	out->kind = PT_SLICE_END;
	out->track = at;
	return true;
}

/* One value after the other: the slice of the one before ends first, and the event is looked at again. */
static bool next_state(struct pt_slices *s, size_t at, const struct pt_signal_definition *d,
		       const struct pt_timeline_event *event, struct pt_slice *out)
{
	if (s->track[at].depth > 0) {
		s->next--;
		return end(s, at, out);
	}
	if (pt_signal_of_system(d) && event->value == PT_SIGNAL_NONE)
		return false;
	return begin(s, at, pt_signal_value_name(d, event->value), pt_signal_real(d, event->value), out);
}

static bool signal(struct pt_slices *s, const struct pt_timeline_event *event, struct pt_slice *out)
{
	const struct pt_signal_definition *d = definition(s, event);
	size_t at;

	if (d == NULL)
		return false;
	switch (event->signal) {
	case PT_SIGNAL_TASK: case PT_SIGNAL_ISR: case PT_SIGNAL_STATE:
		return next_state(s, track(s, PT_TRACK_STATES, event, event->id, d->name), d, event, out);
	case PT_SIGNAL_SERVICE: case PT_SIGNAL_SPAN:
		at = track(s, PT_TRACK_SPANS, event, event->id, d->name);
		return event->enters ? begin(s, at, pt_signal_value_name(d, event->value), (double)event->value, out)
				     : end(s, at, out);
	case PT_SIGNAL_VALUE: case PT_SIGNAL_LEVEL:
		if (event->value == PT_UNKNOWN && event->signal == PT_SIGNAL_LEVEL)
			return false;
		out->kind = PT_SLICE_COUNTER;
		out->track = track(s, PT_TRACK_COUNTER, event, event->id, d->name);
		out->real = pt_signal_real(d, event->value);
		return true;
	default:
		return false;
	}
}

/* Whatever is still open on the core's stacks ends before the gap is told. */
static bool gap(struct pt_slices *s, const struct pt_timeline_event *event, struct pt_slice *out)
{
	for (size_t i = 0; i < s->n_tracks; i++)
		if (s->track[i].kind == PT_TRACK_STACK && s->track[i].core == event->core && s->track[i].depth > 0) {
			s->next--;
			return end(s, i, out);
		}
	out->kind = PT_SLICE_GAP;
	return true;
}

static bool take(struct pt_slices *s, const struct pt_timeline_event *event, struct pt_slice *out)
{
	size_t at;

	switch (event->kind) {
	case PT_TIMELINE_CALL: case PT_TIMELINE_TAIL_CALL: case PT_TIMELINE_EXCEPTION: case PT_TIMELINE_UNSEEN:
		out->exception = event->kind == PT_TIMELINE_EXCEPTION;
		at = track(s, PT_TRACK_STACK, event, event->stack, NULL);
		return begin(s, at, pt_name_of_function(s->profile, event->id), event->id, out);
	case PT_TIMELINE_LEAVE: case PT_TIMELINE_CUT:
		return end(s, track(s, PT_TRACK_STACK, event, event->stack, NULL), out);
	case PT_TIMELINE_GAP:
		return gap(s, event, out);
	case PT_TIMELINE_SIGNAL:
		return signal(s, event, out);
	default:
		return false;
	}
}

/* Time as the viewer sees it. Estimates of neighbouring chunks may overlap a little: they are not allowed to go
 * back. */
static uint64_t time_of(struct pt_slices *s, const struct pt_timeline_event *event)
{
	uint64_t time = s->in_ns ? event->at.ns : event->clock;

	if (time != PT_UNKNOWN && time > s->time)
		s->time = time;
	return s->time;
}

bool pt_slices_next(struct pt_slices *s, struct pt_slice *out)
{
	while (s->next < s->profile->timeline->n) {
		const struct pt_timeline_event *event = pt_timeline_at(s->profile->timeline, s->next++);

		*out = (struct pt_slice){ .time = time_of(s, event), .core = event->core, .event = event };
		if (take(s, event, out))
			return true;
	}
	return false;
}
