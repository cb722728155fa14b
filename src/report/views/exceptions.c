/* One row per exception that the chip reported. */
#include <math.h>

#include "profile/analyses/signals/exceptions.h"
#include "report/views/core_column.h"
#include "report/views/span_columns.h"

extern const struct pt_view pt_view_exceptions, pt_view_exceptions_sum;

static const struct pt_column columns[] = {
	PT_SPAN_COLUMNS("exception", "_ns", PT_UNIT_NS, PT_UNIT_NS_MEAN),
	{ "number", "number", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "handler", "handler", PT_UNIT_NONE, PT_ALWAYS },
	PT_SPAN_ERROR_COLUMNS,
	PT_CORE_COLUMN,
};

static const struct pt_exceptions *exceptions_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->exceptions;
}

static size_t n_rows(const void *subject)
{
	const struct pt_exceptions *x = exceptions_of(subject);

	return x != NULL ? x->spans.n_spans : (size_t)PT_NOT_MADE;
}

/* The share as a lower bound: this exception may also have run unobserved. */
static void bound_share(struct pt_value *v, const struct pt_profile *p, const struct pt_span_figures *span)
{
	double observed = (double)pt_span_observed(&p->exceptions->spans, span->core), net = (double)span->run.cycles;
	double all = fmax((double)pt_profile_run_ns(p), observed);

	*v = (struct pt_value){ .f = NAN };
	if (net > 0)
		*v = (struct pt_value){ .f = net / all, .at_least = true, .basis = PT_BASIS_ESTIMATED };
}

/* The share of the observed time, whose end is uncertain because nothing was reported. */
static void share_with_silence(struct pt_value *v, const struct pt_profile *p, const struct pt_span_figures *span)
{
	const struct pt_span_core *core = pt_spans_core(&p->exceptions->spans, span->core);

	if (core != NULL && core->observed_error_ns > 0)
		*v = pt_time_share((double)span->run.cycles, (double)pt_span_sum_error(span), (double)core->observed,
				   (double)core->observed_error_ns);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_exceptions *x = p->exceptions;
	const struct pt_span_figures *span = &x->spans.span[i];
	const struct pt_function *handler = span->function;
	enum pt_basis times = pt_exceptions_missing(p) == NULL ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED;
	struct pt_value *first = out;

	out = pt_span_values(out, p, span, span->run.cycles, pt_span_observed(&x->spans, span->core), times);
	if (times == PT_BASIS_EXACT)
		share_with_silence(&first[PT_SPAN_SHARE], p, span);
	if (x->lost + x->late > 0) {
		pt_span_bound_times(first, span);
		bound_share(&first[PT_SPAN_SHARE], p, span);
	}
	first[PT_SPAN_COUNT].at_least = x->lost > 0;
	*out++ = pt_whole_value(span->id, PT_BASIS_EXACT);
	*out++ = (struct pt_value){ .text = handler != NULL ? handler->name : NULL };
	out = pt_span_error_values(out, span);
	*out++ = pt_core_value(p->n_cores, span->core);
	pt_times_by_clock(first, columns, PT_LEN(columns), p->stamps_wrong);
}

static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	const struct pt_exceptions *x = exceptions_of(subject);
	const struct pt_profile *p = subject;

	(void)shown;
	if (x == NULL || (x->lost + x->late == 0 && (pt_exceptions_missing(p) == NULL || x->spans.n_spans == 0)))
		return false;
	if (x->lost > 0)
		snprintf(out, room,
			 "reports of the chip are missing in %llu place%s: counts and times are at least these",
			 (unsigned long long)x->lost, x->lost == 1 ? "" : "s");
	else if (x->late == 0)
		snprintf(out, room, "counts and times are of the reports that were recorded: %s",
			 pt_exceptions_missing(p));
	else
		snprintf(out, room, "%llu of the chip's reports ha%s no time: times are at least these",
			 (unsigned long long)x->late, x->late == 1 ? "s" : "ve");
	return true;
}

const struct pt_view pt_view_exceptions = {
	.empty = "the chip itself reports them, on pin SWO: profile with --source swo, if proftap monitor sources lists it, or "
		 "run proftap decode FILE exceptions --set input=swo on a recording of the pin",
	.empty_in_gdb = "the chip itself reports them, on pin SWO: profile with source=swo, if monitor sources lists it, or run "
			"proftap decode FILE exceptions --set input=swo in a shell, on a recording of the pin",
	.name = "exceptions", .help = "exceptions as the chip reported them: how often, how long, how far apart",
	.needs = "exceptions", .sort = "net_share", .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows,
	.row = row, .remark = remark, .also = "exceptions_sum",
};

/* --- all of them together: a row for each core ------------------------------------------------------------------- */

enum { SUM_COUNT = 1, SUM_SELF, SUM_SHARE };

static const struct pt_column sum_columns[] = {
	{ "name", "exception", PT_UNIT_NONE, PT_ALWAYS },
	[SUM_COUNT] = { "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	[SUM_SELF] = { "net_ns.total", "self", PT_UNIT_NS, PT_ALWAYS },
	[SUM_SHARE] = { "net_share", "self %", PT_UNIT_SHARE, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static size_t n_sums(const void *subject)
{
	const struct pt_exceptions *x = exceptions_of(subject);

	if (x == NULL)
		return (size_t)PT_NOT_MADE;
	return x->spans.n_spans > 0 ? x->spans.n_cores : 0;
}

/* Self of one is no part of self of another, so they add up; and so does what each may be off, at most. */
static struct pt_span_figures sum_of(const struct pt_spans *spans, uint16_t core)
{
	struct pt_span_figures sum = { .name = "(all)", .core = core };

	for (size_t i = 0; i < spans->n_spans; i++) {
		const struct pt_span_figures *span = &spans->span[i];

		if (span->core != core)
			continue;
		sum.run.count += span->run.count;
		sum.run.partial += span->run.partial;
		sum.run.cycles += span->run.cycles;
		sum.open_error_ns += span->open_error_ns;
		sum.error_ns = span->error_ns > sum.error_ns ? span->error_ns : sum.error_ns;
	}
	return sum;
}

static void sum_row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_exceptions *x = p->exceptions;
	const struct pt_span_figures sum = sum_of(&x->spans, x->spans.core[i].core);
	uint64_t observed = pt_span_observed(&x->spans, sum.core);
	bool exact = pt_exceptions_missing(p) == NULL;
	enum pt_basis times = exact ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED;

	out[0] = (struct pt_value){ .text = sum.name };
	out[SUM_COUNT] = pt_whole_value(sum.run.count, p->counts);
	out[SUM_COUNT].at_least = x->lost > 0;
	out[SUM_SELF] = pt_span_sum(sum.run.cycles, &sum, times);
	out[SUM_SHARE] = (struct pt_value){ .f = observed != 0 ? (double)sum.run.cycles / (double)observed : NAN,
					    .basis = observed != 0 ? times : PT_BASIS_NONE };
	if (exact)
		share_with_silence(&out[SUM_SHARE], p, &sum);
	if (x->lost + x->late > 0) {
		pt_span_at_least(&out[SUM_SELF], pt_span_sum_error(&sum));
		bound_share(&out[SUM_SHARE], p, &sum);
	}
	out[SUM_SHARE + 1] = pt_core_value(p->n_cores, sum.core);
	pt_times_by_clock(out, sum_columns, PT_LEN(sum_columns), p->stamps_wrong);
}

const struct pt_view pt_view_exceptions_sum = {
	.name = "exceptions_sum", .help = "all exceptions together: how often, and how much of the time",
	.needs = "exceptions", .columns = sum_columns, .n_columns = PT_LEN(sum_columns), .n_rows = n_sums, .row = sum_row,
};
