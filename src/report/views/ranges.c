/* Time by the address range of the pc. */
#include "report/views/core_column.h"
#include "report/views/span_columns.h"

extern const struct pt_view pt_view_ranges;

static const struct pt_column columns[] = {
	PT_SPAN_COLUMNS("body of", "", PT_UNIT_TICKS, PT_UNIT_MEAN),
	{ "net_instructions", "instructions", PT_UNIT_INSTRUCTIONS, PT_IF_WIDE },
	{ "begin", "begin", PT_UNIT_ADDRESS, PT_IF_WIDE },
	{ "end", "end", PT_UNIT_ADDRESS, PT_IF_WIDE },
	{ "file", "file", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "line", "line", PT_UNIT_COUNT, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static size_t n_rows(const void *subject)
{
	const struct pt_profile *p = subject;

	return p->ranges != NULL ? p->ranges->n_spans : (size_t)PT_NOT_MADE;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_span_figures *span = &p->ranges->span[i];
	uint64_t net = p->by_instructions ? span->run.instructions : span->run.cycles;
	const struct pt_function *f = span->function;

	out = pt_span_run_values(out, p, span, net, pt_span_observed(p->ranges, span->core));
	*out++ = pt_whole_value(pt_profile_windowed(p, span->core) != NULL ? PT_UNKNOWN : span->run.instructions,
				p->counts);
	*out++ = pt_whole_value(span->begin, PT_BASIS_EXACT);
	*out++ = pt_whole_value(span->end, PT_BASIS_EXACT);
	*out++ = (struct pt_value){ .text = f != NULL ? f->file : NULL };
	*out++ = pt_whole_value(f != NULL && f->line != 0 ? f->line : PT_UNKNOWN, PT_BASIS_EXACT);
	*out++ = pt_core_value(p->n_cores, span->core);
}

static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	(void)shown;
	return pt_span_remark(subject, out, room);
}

const struct pt_view pt_view_ranges = {
	.name = "ranges",
	.help = "time by whose code ran, without calls; shared tails are charged to the function that owns them",
	.note = "time by whose code ran; an entry is a call, a return or an interrupt's return into it; shared tails "
		"are their owner's",
	.needs = "range", .sort = "net_share", .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows,
	.row = row, .remark = remark,
};
