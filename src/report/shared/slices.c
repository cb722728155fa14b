#include "report/shared/slices.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/door.h"
#include "profile/stack/call_event.h"
#include "report/table/names.h"
#include "report/table/order.h"

/* Events of code have times in ticks, signals have times in ns. If the length of a tick is unknown, there is no common
 * clock. */
static int choose_clock(struct pt_slices *s, struct pt_err *err)
{
	const struct pt_profile *p = s->profile;
	bool runs = false, signals = false, known = p->core_hz != 0 && !p->by_instructions;

	for (size_t i = 0; i < p->timeline->n; i++) {
		const struct pt_timeline_event *event = pt_timeline_at(p->timeline, i);

		runs |= event->kind != PT_TIMELINE_SIGNAL && event->kind != PT_TIMELINE_BLIND;
		signals |= event->kind == PT_TIMELINE_SIGNAL && event->signal != PT_SIGNAL_GAP;
	}
	if (runs && signals && !known)
		return pt_fail(err, PT_ESTATE,
			       "functions are timed in %s here, and values and lines in ns: %s puts both on one clock; "
			       "%snone,timeline leaves out the functions",
			       p->by_instructions ? "instructions" : "cycles",
			       pt_by_door("--core-clock HZ (and --set clock=cycles)",
					  "core-clock=HZ (and clock=cycles)"),
			       pt_by_door("--analysis ", "analysis="));
	s->clock = known || !runs	? (p->no_clock ? PT_SLICES_FROM_BEGIN : PT_SLICES_NS)
		   : p->by_instructions ? PT_SLICES_INSTRUCTIONS
					: PT_SLICES_CYCLES;
	return 0;
}

int pt_slices_begin(struct pt_slices *s, const struct pt_profile *profile, struct pt_err *err)
{
	*s = (struct pt_slices){ .profile = profile };
	if (profile->timeline == NULL)
		return pt_report_lacks("this format", "timeline", err);
	if (profile->timeline->n == 0 &&
	    (pt_report_needs_code(profile, NULL) < 0 || (profile->samples != 0 && profile->branches == 0)))
		return pt_fail(
			err, PT_ESTATE,
			"the timeline is empty: it needs a source that tells in what order code ran, or values with "
			"signal= or variables=; the format cmsis.ctf shows what came by SWO");
	if (choose_clock(s, err) < 0)
		return err != NULL ? err->code : PT_ESTATE;
	s->track = pt_alloc_array(PT_TRACKS, sizeof(*s->track));
	pt_slices_find_revealed(s);
	return 0;
}

void pt_slices_end(struct pt_slices *s)
{
	for (size_t i = 0; i < s->n_tracks; i++)
		free(s->track[i].open);
	free(s->track);
	free(s->revealed);
	free(s->told);
	*s = (struct pt_slices){ 0 };
}

/* --- tracks */

/* Tracks beyond the limit share the last one. */
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
		.source = event->stack,
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
	out->unseen = out->event->kind == PT_TIMELINE_CUT || out->event->kind == PT_TIMELINE_GAP ||
		      (out->event->kind == PT_TIMELINE_SIGNAL && out->event->signal == PT_SIGNAL_GAP);
	return true;
}

/* Ends n slices of the track at this event: one per call, so the event is taken again for each. */
static bool end_some(struct pt_slices *s, size_t at, size_t n, struct pt_slice *out)
{
	if (!s->again)
		s->n_ending = n;
	s->again = s->n_ending > 1;
	if (s->n_ending == 0)
		return false;
	s->n_ending--;
	s->next -= s->again;
	return end(s, at, out);
}

/* The number of spans that end when value becomes active again (0: none), by the rules of spans.h. */
static size_t n_left(const struct pt_track *t, uint64_t value)
{
	size_t n = 0;

	if (t->depth > 1 ? t->open[t->depth - 2] == value : t->depth == 1 && value == 0)
		return 1;
	while (n < t->depth && t->open[t->depth - 1 - n] != value)
		n++;
	return n;
}

static bool enter_span(struct pt_slices *s, size_t at, const struct pt_signal_definition *d,
		       const struct pt_timeline_event *event, struct pt_slice *out)
{
	struct pt_track *t = &s->track[at];
	const char *name = pt_signal_value_name(d, event->value);

	if (t->open == NULL)
		t->open = pt_alloc_array(PT_SLICE_DEPTH, sizeof(*t->open));
	if (t->depth == PT_SLICE_DEPTH)
		return false;
	t->open[t->depth] = event->value;
	return begin(s, at, d->form == PT_FORM_TWO_POINT ? d->name : name, (double)event->value, out);
}

/* A two-point definition has at most one open span: an entry ends it, too. */
static bool span(struct pt_slices *s, size_t at, const struct pt_signal_definition *d,
		 const struct pt_timeline_event *event, struct pt_slice *out)
{
	if (d->form == PT_FORM_TWO_POINT && event->enters && s->track[at].depth > 0) {
		s->next--;
		return end(s, at, out);
	}
	if (event->enters)
		return enter_span(s, at, d, event, out);
	return end_some(s, at, d->form == PT_FORM_TWO_POINT ? s->track[at].depth : n_left(&s->track[at], event->value),
			out);
}

/* The slice of the previous value ends first; then the event is taken again. */
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

/* Ends all open slices of the source's values, then reports the gap. A gap of flow has an event of its own. */
static bool source_gap(struct pt_slices *s, const struct pt_timeline_event *event, struct pt_slice *out)
{
	for (size_t i = 0; i < s->n_tracks; i++)
		if ((s->track[i].kind == PT_TRACK_STATES || s->track[i].kind == PT_TRACK_SPANS) &&
		    s->track[i].source == event->stack && s->track[i].depth > 0) {
			s->next--;
			return end(s, i, out);
		}
	out->kind = PT_SLICE_GAP;
	return s->profile->no_code;
}

static bool signal(struct pt_slices *s, const struct pt_timeline_event *event, struct pt_slice *out)
{
	const struct pt_signal_definition *d = definition(s, event);
	size_t at;

	if (event->signal == PT_SIGNAL_GAP)
		return source_gap(s, event, out);
	if (d == NULL)
		return false;
	switch (event->signal) {
	case PT_SIGNAL_TASK: case PT_SIGNAL_ISR: case PT_SIGNAL_STATE:
		return next_state(s, track(s, PT_TRACK_STATES, event, event->id, d->name), d, event, out);
	case PT_SIGNAL_SPAN:
		return span(s, track(s, PT_TRACK_SPANS, event, event->id, d->name), d, event, out);
	case PT_SIGNAL_SERVICE:
		at = track(s, PT_TRACK_SPANS, event, event->id, d->name);
		return event->enters ? begin(s, at, pt_signal_value_name(d, event->value), (double)event->value, out)
				     : end(s, at, out);
	case PT_SIGNAL_VALUE: case PT_SIGNAL_LEVEL: case PT_SIGNAL_LOOK:
		if (event->value == PT_UNKNOWN && event->signal != PT_SIGNAL_VALUE)
			return false;
		out->kind = PT_SLICE_COUNTER;
		out->track = track(s, PT_TRACK_COUNTER, event, event->id, d->name);
		out->real = pt_signal_real(d, event->value);
		return true;
	default:
		return false;
	}
}

/* Ends all open slices on the core's stacks, then reports the gap. */
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

/* One event gives both ends of the slice: it is taken twice. On the profile's clock, which stops meanwhile, there is
 * nothing to show. */
static bool blind(struct pt_slices *s, const struct pt_timeline_event *event, struct pt_slice *out)
{
	size_t at;

	if (!pt_slices_in_ns(s) || event->at.ns == PT_UNKNOWN || event->value == PT_UNKNOWN)
		return false;
	at = track(s, PT_TRACK_BLIND, event, 0, "not observed");
	if (!s->was_blind) {
		s->was_blind = true;
		s->next--;
		return begin(s, at, pt_loss_name((enum pt_loss)event->id), 0, out);
	}
	s->was_blind = false;
	if (event->at.ns + event->value > s->time)
		s->time = out->time = event->at.ns + event->value;
	return end(s, at, out);
}

/* Frames that were on the stack before its first event begin before that event. */
static bool begin_revealed(struct pt_slices *s, const struct pt_timeline_event *event, struct pt_slice *out)
{
	const struct pt_revealed *r = &s->revealed[s->next_revealed];

	if (s->next_revealed == s->n_revealed || r->before != s->next - 1)
		return false;
	s->next_revealed++;
	s->next--;
	out->unseen = true;
	return begin(s, track(s, PT_TRACK_STACK, event, event->stack, NULL), pt_name_of_function(s->profile, r->id),
		     r->id, out);
}

static bool take(struct pt_slices *s, const struct pt_timeline_event *event, struct pt_slice *out)
{
	size_t at;

	if (begin_revealed(s, event, out))
		return true;
	if (s->told[s->next - 1] != 0)
		return false;
	switch (event->kind) {
	case PT_TIMELINE_CALL: case PT_TIMELINE_TAIL_CALL: case PT_TIMELINE_EXCEPTION: case PT_TIMELINE_UNSEEN:
		out->exception = event->kind == PT_TIMELINE_EXCEPTION;
		out->unseen = event->kind == PT_TIMELINE_UNSEEN;
		at = track(s, PT_TRACK_STACK, event, event->stack, NULL);
		return begin(s, at, pt_name_of_function(s->profile, event->id), event->id, out);
	case PT_TIMELINE_LEAVE: case PT_TIMELINE_CUT:
		return end(s, track(s, PT_TRACK_STACK, event, event->stack, NULL), out);
	case PT_TIMELINE_GAP:
		return gap(s, event, out);
	case PT_TIMELINE_SIGNAL:
		return signal(s, event, out);
	case PT_TIMELINE_BLIND:
		return blind(s, event, out);
	default:
		return false;
	}
}

/* Time as the viewer sees it. Estimates of neighbouring chunks may overlap a little: time never goes back. */
static uint64_t time_of(struct pt_slices *s, const struct pt_timeline_event *event)
{
	uint64_t time = pt_slices_in_ns(s) ? event->at.ns : event->clock;

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
