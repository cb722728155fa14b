/* The events of each function, if samples are taken by several events: the function's share of each. */
#include <math.h>

#include "profile/result/profile.h"
#include "profile/analyses/code/sampled.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "base/util.h"

extern const struct pt_view pt_view_events;

static const struct pt_column columns[] = {
	{ "name", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "event", "event", PT_UNIT_NONE, PT_ALWAYS },
	{ "samples", "samples", PT_UNIT_COUNT, PT_ALWAYS },
	{ "share", "share %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "every", "one per", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "file", "file", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "line", "line", PT_UNIT_COUNT, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static size_t n_rows(const void *subject)
{
	const struct pt_sampled *s = ((const struct pt_profile *)subject)->sampled;

	return s != NULL ? s->n_rows : (size_t)PT_NOT_MADE;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_sampled_row *r = &p->sampled->row[i];
	const struct pt_sampled_event *event = &p->sampled->event[r->event];
	const struct pt_function *f = r->function;
	bool line = f != NULL && f->line != 0;

	*out++ = (struct pt_value){ .text = f != NULL ? f->name : "(no symbol)" };
	*out++ = (struct pt_value){ .text = event->name };
	*out++ = (struct pt_value){ .u = r->samples, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .f = r->share.share, .lo = r->share.lo, .hi = r->share.hi,
				    .basis = PT_BASIS_ESTIMATED };
	*out++ = (struct pt_value){ .u = event->every != 0 ? event->every : PT_UNKNOWN,
				    .basis = event->every != 0 ? PT_BASIS_EXACT : PT_BASIS_NONE };
	*out++ = (struct pt_value){ .text = f != NULL ? f->file : NULL };
	*out++ = (struct pt_value){ .u = line ? f->line : PT_UNKNOWN, .basis = line ? PT_BASIS_EXACT : PT_BASIS_NONE };
	*out++ = pt_core_value(p->n_cores, event->core);
}

const struct pt_view pt_view_events = {
	.empty = "it is of samples by several events (e500: source=pc-sampling event=A,B); of those by one the view "
		 "functions has all",
	.name = "events",
	.help = "which functions take which event, where samples are taken by several",
	.needs = "sampled",
	.note = "share: of the event's samples, with its 95 % interval",
	.columns = columns,
	.n_columns = PT_LEN(columns),
	.n_rows = n_rows,
	.row = row,
};
