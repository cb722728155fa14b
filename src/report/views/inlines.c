/* One row per inlined call that was seen executing: a function whose body the compiler put into its caller. */
#include <math.h>

#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "report/table/names.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "report/views/core_rows.h"
#include "report/views/flow_share.h"
#include "base/util.h"

extern const struct pt_view pt_view_inlines;

static const struct pt_column columns[] = {
	{ "name", "inlined function", PT_UNIT_NONE, PT_ALWAYS },
	{ "in", "in", PT_UNIT_NONE, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "instructions", "instructions", PT_UNIT_INSTRUCTIONS, PT_IF_WIDE },
	{ "net", "self", PT_UNIT_TICKS, PT_IF_ROOM },
	{ "net_share", "self %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "gross_cycles", "with inlined", PT_UNIT_CYCLES, PT_IF_WIDE },
	{ "file", "called from", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "line", "line", PT_UNIT_COUNT, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static size_t n_inlined(const struct pt_lines *lines)
{
	return lines->n_inlined;
}

static size_t n_rows(const void *subject)
{
	const struct pt_lines *lines = ((const struct pt_profile *)subject)->lines;

	return lines != NULL ? pt_core_rows(lines, n_inlined) : (size_t)PT_NOT_MADE;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_lines *lines = pt_core_row(p->lines, n_inlined, &i);
	const struct pt_lines_inline *sum = &lines->inlined[i];
	size_t n;
	const struct pt_inline *call = &pt_inlines_calls(p->lines->inlines, &n)[sum->id];
	const struct pt_source_file *file = pt_inlines_file(p->lines->inlines, call->call_file);
	uint64_t ticks = p->by_instructions ? sum->instructions : sum->cycles;
	uint64_t all = pt_profile_ticks(p, lines->core);

	*out++ = (struct pt_value){ .text = call->name };
	*out++ = (struct pt_value){ .text = pt_name_of_function(p, sum->function) };
	*out++ = pt_flow_count(p, lines->core, sum->count, &sum->executed);
	*out++ = pt_flow_count(p, lines->core, sum->instructions, &sum->executed);
	*out++ = pt_flow_ticks_of(p, lines->core, ticks, &sum->share);
	*out++ = pt_flow_share(p, lines->core, ticks, all, &sum->share);
	*out++ = pt_flow_number(p, lines->core, p->timing != NULL ? sum->cycles_inside : PT_UNKNOWN, p->times);
	*out++ = (struct pt_value){ .text = file != NULL ? file->path : NULL };
	*out++ = (struct pt_value){ .u = call->call_line != 0 ? call->call_line : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
	*out++ = pt_core_value(p->lines->n_cores, lines->core);
}

const struct pt_view pt_view_inlines = {
	.name = "inlines", .help = "inlined calls: how often, how long", .needs = "lines", .sort = "net",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
