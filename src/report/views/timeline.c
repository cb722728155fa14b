/* One row per event, oldest first. from=, to= and name= select. */
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "profile/result/profile.h"
#include "profile/stack/call_event.h"
#include "profile/analyses/calls/timeline.h"
#include "profile/analyses/limits/limits.h"
#include "report/table/names.h"
#include "report/table/query.h"
#include "report/table/view.h"
#include "base/util.h"

extern const struct pt_view pt_view_timeline;

static const struct pt_column columns[] = {
	{ "time_ns", "time", PT_UNIT_STAMP, PT_ALWAYS },
	{ "time_error_ns", "+-", PT_UNIT_NS, PT_IF_WIDE },
	{ "clock", "clock", PT_UNIT_TICKS, PT_IF_WIDE },
	{ "what", "what", PT_UNIT_NONE, PT_ALWAYS },
	{ "name", "name", PT_UNIT_NONE, PT_ALWAYS },
	{ "value", "value", PT_UNIT_REAL, PT_ALWAYS },
	{ "state", "state", PT_UNIT_NONE, PT_ALWAYS },
	{ "call", "call", PT_UNIT_TICKS, PT_IF_ROOM },
	{ "blind_ns", "blind", PT_UNIT_NS, PT_IF_ROOM },
	{ "depth", "depth", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "task", "task", PT_UNIT_COUNT, PT_IF_ROOM },
	{ "core", "core", PT_UNIT_COUNT, PT_IF_CORES },
};

static size_t n_rows(const void *subject)
{
	const struct pt_timeline *timeline = ((const struct pt_profile *)subject)->timeline;

	return timeline != NULL ? timeline->n : (size_t)PT_NOT_MADE;
}

static const char *what(const struct pt_timeline_event *event)
{
	static const char *const kinds[PT_N_TIMELINE_KINDS] = {
		[PT_TIMELINE_CALL] = "call", [PT_TIMELINE_TAIL_CALL] = "tail call",
		[PT_TIMELINE_EXCEPTION] = "exception", [PT_TIMELINE_UNSEEN] = "running",
		[PT_TIMELINE_LEAVE] = "leave", [PT_TIMELINE_CUT] = "cut off",
		[PT_TIMELINE_SWITCH] = "switch", [PT_TIMELINE_GAP] = "gap",
		[PT_TIMELINE_VIOLATION] = "violation",
	};
	static const char *const signals[] = {
		[PT_SIGNAL_TASK] = "task", [PT_SIGNAL_ISR] = "isr", [PT_SIGNAL_SERVICE] = "service",
		[PT_SIGNAL_SPAN] = "span", [PT_SIGNAL_STATE] = "state", [PT_SIGNAL_VALUE] = "value",
		[PT_SIGNAL_LEVEL] = "level", [PT_SIGNAL_LOOK] = "look",
		[PT_SIGNAL_WRITTEN] = "written", [PT_SIGNAL_GAP] = "gap",
	};

	if (event->kind == PT_TIMELINE_BLIND)
		return pt_loss_is_fault((enum pt_loss)event->id) ? "lost" : "unobserved";
	if (event->kind == PT_TIMELINE_SIGNAL)
		return event->signal < PT_LEN(signals) ? signals[event->signal] : "?";
	return event->kind < PT_N_TIMELINE_KINDS ? kinds[event->kind] : "?";
}

static const struct pt_signal_definition *definition(const struct pt_profile *p, const struct pt_timeline_event *event)
{
	const struct pt_signal_set *set = p->timeline->signals;

	if (event->kind != PT_TIMELINE_SIGNAL || set == NULL || event->id >= set->n_definitions)
		return NULL;
	return &set->definition[event->id];
}

static const char *name(const struct pt_profile *p, const struct pt_timeline_event *event)
{
	const struct pt_signal_definition *d = definition(p, event);

	if (d != NULL)
		return d->name;
	if (event->kind == PT_TIMELINE_BLIND)
		return pt_loss_name((enum pt_loss)event->id);
	if (event->kind == PT_TIMELINE_VIOLATION)
		return p->limits != NULL && event->id < p->limits->n_limits ? p->limits->limit[event->id].rule->text
									    : NULL;
	return event->kind == PT_TIMELINE_GAP || event->kind == PT_TIMELINE_SWITCH || event->kind == PT_TIMELINE_SIGNAL
		       ? NULL
		       : pt_name_of_function(p, event->id);
}

static double value(const struct pt_timeline_event *event, const struct pt_signal_definition *d)
{
	bool none = pt_signal_of_system(d) ? event->value >= PT_SIGNAL_UNLISTED
					   : event->signal == PT_SIGNAL_LEVEL && event->value == PT_UNKNOWN;

	return none ? NAN : pt_signal_real(d, event->value);
}

static bool match(const void *subject, size_t i, const struct pt_query *query)
{
	const struct pt_profile *p = subject;
	const struct pt_timeline_event *event = pt_timeline_at(p->timeline, i);
	const char *is = name(p, event);

	if ((query->from_ns != 0 || query->to_ns != 0) && event->at.ns == PT_UNKNOWN)
		return false;
	if (event->at.ns < query->from_ns || (query->to_ns != 0 && event->at.ns > query->to_ns))
		return false;
	return query->name[0] == '\0' || (is != NULL && fnmatch(query->name, is, 0) == 0);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_timeline_event *event = pt_timeline_at(p->timeline, i);
	const struct pt_signal_definition *d = definition(p, event);
	bool blind = event->kind == PT_TIMELINE_BLIND;
	bool leaves = event->kind == PT_TIMELINE_LEAVE || event->kind == PT_TIMELINE_CUT;
	uint16_t indent = event->depth > 0 && d == NULL ? event->depth - 1u : 0;

	*out++ = (struct pt_value){ .u = event->at.ns, .basis = PT_BASIS_MODELLED };
	*out++ = (struct pt_value){ .u = pt_timestamp_error(event->at) };
	*out++ = (struct pt_value){ .u = event->clock, .basis = p->times };
	*out++ = (struct pt_value){ .text = what(event) };
	*out++ = (struct pt_value){ .text = name(p, event), .indent = (uint8_t)(indent < 20 ? indent : 20) };
	*out++ = (struct pt_value){ .f = d != NULL ? value(event, d) : NAN, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .text = d != NULL ? pt_signal_value_name(d, event->value) : NULL };
	*out++ = (struct pt_value){ .u = leaves ? event->value : PT_UNKNOWN, .basis = p->times };
	*out++ = (struct pt_value){ .u = blind ? event->value : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = event->depth != 0 ? event->depth : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = event->task != PT_NO_TASK ? event->task : PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = event->core };
}

/* Says that older events were dropped: the timeline is a ring buffer. */
static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	const struct pt_profile *p = subject;
	const struct pt_timeline *t = p->timeline;
	char from[40] = "";

	(void)shown;
	if (t == NULL || t->n == 0 || t->seen <= t->n)
		return false;
	if (pt_timeline_at(t, 0)->at.ns != PT_UNKNOWN && !p->no_clock)
		snprintf(from, sizeof(from), ", from %.6f ms", (double)pt_timeline_at(t, 0)->at.ns / 1e6);
	snprintf(out, room, "the last %zu of %" PRIu64 " events%s; timeline=N keeps more", t->n, t->seen, from);
	return true;
}

const struct pt_view pt_view_timeline = {
	.name = "timeline", .help = "what happened, in order; from=TIME to=TIME name=PATTERN zoom", .needs = "timeline",
	.bulky = true, .tail = 50, .match = match, .remark = remark,
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
