/* One row per exception whose entry had a timestamp, and one for timestamps alone: how many bus cycles earlier the last
 * change of flow was recorded. */
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/duration_values.h"

extern const struct pt_view pt_view_cof;

static const struct pt_column columns[] = {
	{ "exception", "exception", PT_UNIT_NONE, PT_ALWAYS },
	{ "handler", "handler", PT_UNIT_NONE, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "since.min", "min cycles", PT_UNIT_CYCLES, PT_ALWAYS },
	{ "since.avg", "avg", PT_UNIT_REAL, PT_ALWAYS },
	{ "since.max", "max cycles", PT_UNIT_CYCLES, PT_ALWAYS },
	{ "since.total", "total cycles", PT_UNIT_CYCLES, PT_IF_MUCH_ROOM },
};

static size_t n_rows(const void *subject)
{
	return ((const struct pt_profile *)subject)->n_since;
}

static struct pt_value sum(const struct pt_profile *p, uint64_t n)
{
	return p->counts == PT_BASIS_EXACT ? pt_whole_value(n, PT_BASIS_EXACT) : pt_duration_at_least((double)n);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_profile_since *since = &p->since[i];

	*out++ = (struct pt_value){ .text = since->exception };
	*out++ = (struct pt_value){ .text = since->handler != NULL ? since->handler->name : NULL };
	*out++ = sum(p, since->cycles.n);
	out = pt_duration_of_stamps(out, p, &since->cycles);
	*out++ = sum(p, since->cycles.total);
}

const struct pt_view pt_view_cof = {
	.name = "cof", .help = "bus cycles between the last change of flow and an exception's entry",
	.sort = "since.total",
	.note = "By the target's own time stamps: bus cycles from the last branch, call or return that was recorded to "
		"the entry",
	.columns = columns, .n_columns = sizeof(columns) / sizeof(columns[0]), .n_rows = n_rows, .row = row,
};
