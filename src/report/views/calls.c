/* One row per call edge: caller, callee, how often, how long. */
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "report/views/flow_share.h"
#include "base/util.h"

extern const struct pt_view pt_view_calls;

static const struct pt_column columns[] = {
	{ "from", "caller", PT_UNIT_NONE, PT_ALWAYS },
	{ "to", "callee", PT_UNIT_NONE, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "gross", "total", PT_UNIT_TICKS, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static size_t n_rows(const void *subject)
{
	return ((const struct pt_profile *)subject)->n_edges;
}

static const char *name_of(const struct pt_profile *p, uint16_t id, const char *nobody)
{
	if (id == PT_NO_FUNCTION)
		return nobody;
	return id < p->n_ids && p->by_id[id] != NULL ? p->by_id[id]->function->name : "(not shown)";
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_edge *edge = &p->edge[i];

	out[0] = (struct pt_value){ .text = name_of(p, edge->from, "(exception)") };
	out[1] = (struct pt_value){ .text = name_of(p, edge->to, "(no symbol)") };
	out[2] = (struct pt_value){ .u = edge->count, .basis = edge->count != PT_UNKNOWN ? p->counts : PT_BASIS_NONE,
				    .lo = (double)edge->count_lo, .hi = (double)edge->count_hi,
				    .at_least = edge->count != PT_UNKNOWN && pt_profile_tallied(p, edge->core) };
	out[3] = pt_flow_number(p, edge->core, edge->gross, p->times);
	out[3].at_least |= pt_profile_windowed(p, edge->core) != NULL;
	out[4] = pt_core_value(p->n_cores, edge->core);
}

const struct pt_view pt_view_calls = {
	.name = "calls", .help = "who called whom, how often and for how long", .sort = "gross",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
