/* Chosen functions and named spans, by their entries and exits; and spans that the program signals. */
#include "report/views/core_column.h"
#include "report/views/span_columns.h"

extern const struct pt_view pt_view_spans, pt_view_signalled;

/* --- by code */

static const struct pt_column span_columns[] = {
	PT_SPAN_COLUMNS("span", "", PT_UNIT_TICKS, PT_UNIT_MEAN),
	PT_SPAN_ERROR_COLUMNS,
	{ "refetched", "refetched", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "begin", "begin", PT_UNIT_ADDRESS, PT_IF_WIDE },
	{ "end", "end", PT_UNIT_ADDRESS, PT_IF_WIDE },
	{ "file", "file", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "line", "line", PT_UNIT_COUNT, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static const struct pt_spans *spans_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->spans;
}

static size_t n_spans(const void *subject)
{
	return spans_of(subject) != NULL ? spans_of(subject)->n_spans : (size_t)PT_NOT_MADE;
}

static void span_row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_span_figures *span = &p->spans->span[i];
	const struct pt_function *f = span->by == PT_SPAN_BY_FUNCTION ? span->function : NULL;

	out = pt_span_run_values(out, p, span, span->run.cycles, pt_span_observed(p->spans, span->core));
	out = pt_span_error_values(out, span);
	*out++ = pt_whole_value(span->refetched, p->counts);
	*out++ = pt_whole_value(span->begin, PT_BASIS_EXACT);
	*out++ = pt_whole_value(span->end, PT_BASIS_EXACT);
	*out++ = (struct pt_value){ .text = f != NULL ? f->file : NULL };
	*out++ = pt_whole_value(f != NULL && f->line != 0 ? f->line : PT_UNKNOWN, PT_BASIS_EXACT);
	*out++ = pt_core_value(p->n_cores, span->core);
}

static bool span_remark(const void *subject, const bool *shown, char *out, size_t room)
{
	(void)shown;
	return pt_span_remark(subject, out, room);
}

const struct pt_view pt_view_spans = {
	.name = "spans", .help = "chosen functions and named spans, by entries and exits alone", .needs = "entry-exit",
	.note = "net is without the spans below alone: what else was called is in it",
	.sort = "net_share", .columns = span_columns, .n_columns = PT_LEN(span_columns), .n_rows = n_spans,
	.row = span_row, .remark = span_remark,
};

/* --- by signals */

static const struct pt_column signalled_columns[] = {
	PT_SPAN_COLUMNS("span", "_ns", PT_UNIT_NS, PT_UNIT_NS_MEAN),
	PT_SPAN_ERROR_COLUMNS,
	{ "kind", "kind", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
};

static size_t n_signalled(const void *subject)
{
	const struct pt_spans *spans = ((const struct pt_profile *)subject)->signalled;

	return spans != NULL ? spans->n_spans : (size_t)PT_NOT_MADE;
}

static void signalled_row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_span_figures *span = &p->signalled->span[i];

	struct pt_value *first = out;

	out = pt_span_values(out, p, span, span->run.cycles, 0, PT_BASIS_EXACT);
	if (p->signalled->lost > 0) {
		pt_span_bound_times(first, span);
		pt_span_at_least(&first[PT_SPAN_COUNT], 0);
	}
	out = pt_span_error_values(out, span);
	*out = (struct pt_value){ .text = span->by == PT_SPAN_BY_ISR	   ? "isr2"
					  : span->by == PT_SPAN_BY_SERVICE ? "service"
									   : "span" };
	pt_times_by_clock(first, signalled_columns, PT_LEN(signalled_columns), p->stamps_wrong);
}

static bool signalled_remark(const void *subject, const bool *shown, char *out, size_t room)
{
	const struct pt_spans *spans = ((const struct pt_profile *)subject)->signalled;

	(void)shown;
	if (spans == NULL || spans->lost == 0)
		return false;
	snprintf(out, room, "signals may be missing in %llu place%s: counts and times are at least these",
		 (unsigned long long)spans->lost, spans->lost == 1 ? "" : "s");
	return true;
}

const struct pt_view pt_view_signalled = {
	.name = "signalled",
	.help = "spans that the program signals: nested ids, two-point timing, ISR2s and services of its OS",
	.needs = "signalled", .sort = "net_share", .columns = signalled_columns, .n_columns = PT_LEN(signalled_columns),
	.n_rows = n_signalled, .row = signalled_row, .remark = signalled_remark,
};
