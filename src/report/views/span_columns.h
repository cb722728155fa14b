/* The columns of functions for spans and ranges: on the profile's clock, or in ns. For views alone. */
#ifndef PT_REPORT_VIEWS_SPAN_COLUMNS_H
#define PT_REPORT_VIEWS_SPAN_COLUMNS_H

#include <stdio.h>

#include "profile/result/profile.h"
#include "profile/analyses/calls/spans.h"
#include "report/table/view.h"
#include "report/views/duration_values.h"
#include "report/views/flow_share.h"
#include "report/views/times.h"
#include "base/util.h"

#define PT_SPAN_SPREAD(kind, suffix, heading, unit, mean, rank, quantile_rank) \
	{ kind suffix ".min", heading "min", unit, rank }, { kind suffix ".avg", heading "avg", mean, rank }, \
	{ kind suffix ".max", heading "max", unit, rank }, { kind suffix ".p50", heading "p50", unit, quantile_rank }, \
	{ kind suffix ".p90", heading "p90", unit, quantile_rank }, \
	{ kind suffix ".p99", heading "p99", unit, PT_IF_WIDE }, \
	{ kind suffix ".min_at_ns", heading "min at", PT_UNIT_STAMP, PT_IF_WIDE }, \
	{ kind suffix ".max_at_ns", heading "max at", PT_UNIT_STAMP, PT_IF_WIDE }

#define PT_SPAN_COLUMNS(what, suffix, unit, mean) \
	{ "name", what, PT_UNIT_NONE, PT_ALWAYS }, { "count", "count", PT_UNIT_COUNT, PT_ALWAYS }, \
	{ "partial", "partial", PT_UNIT_COUNT, PT_IF_WIDE }, { "net" suffix ".total", "self", unit, PT_ALWAYS }, \
	{ "net_share", "self %", PT_UNIT_SHARE, PT_ALWAYS }, { "gross" suffix ".total", "total", unit, PT_IF_ROOM }, \
	PT_SPAN_SPREAD("gross", suffix, "", unit, mean, PT_IF_ROOM, PT_IF_WINDOWED), \
	PT_SPAN_SPREAD("period", suffix, "per ", unit, mean, PT_IF_MUCH_ROOM, PT_IF_WINDOWED), \
	PT_SPAN_SPREAD("net", suffix, "self ", unit, mean, PT_IF_WINDOWED, PT_IF_WINDOWED), \
	{ "call" suffix ".total", "call", unit, PT_IF_WIDE }, \
	PT_SPAN_SPREAD("call", suffix, "call ", unit, mean, PT_IF_WIDE, PT_IF_WIDE), \
	{ "inactive" suffix ".total", "inactive", unit, PT_IF_WIDE }, \
	PT_SPAN_SPREAD("inactive", suffix, "inactive ", unit, mean, PT_IF_WIDE, PT_IF_WIDE)

enum { PT_SPAN_COUNT = 1, PT_SPAN_SELF = 3, PT_SPAN_SHARE, PT_SPAN_TOTAL };	/* columns */

/* A time between two moments, with the error of the span; on the profile's clock without an error. */
static inline struct pt_value pt_span_time(uint64_t u, const struct pt_span_figures *span, enum pt_basis basis)
{
	return span->error_ns != 0 ? pt_time_value(u, span->error_ns) : pt_whole_value(u, basis);
}

static inline uint64_t pt_span_sum_error(const struct pt_span_figures *span)
{
	uint64_t error_ns = pt_time_sum_error(span->error_ns, span->run.count + span->run.partial);

	return error_ns < PT_NO_BOUND_NS - span->open_error_ns ? error_ns + span->open_error_ns : PT_NO_BOUND_NS;
}

/* A sum of such times. */
static inline struct pt_value pt_span_sum(uint64_t u, const struct pt_span_figures *span, enum pt_basis basis)
{
	struct pt_value v = pt_span_time(u, span, basis);

	if (v.u == PT_UNKNOWN || (!v.bounds && span->open_error_ns == 0))
		return v;
	return pt_time_within(v, (double)u, pt_span_sum_error(span));
}

/* Durations of a span in code that bursts or pieces cut. */
static inline struct pt_value *pt_span_cut(struct pt_value *out, const struct pt_profile *p,
					   const struct pt_span_figures *span, enum pt_tally_kind kind)
{
	const struct pt_profile_core *core = pt_profile_windowed(p, span->core);
	const struct pt_lengths *d = core != NULL && span->lengths != NULL ? &span->lengths[kind] : NULL;
	uint64_t longest = pt_stat_longest(&span->run.stat[kind], 0);

	if (d != NULL && d->longest > longest)
		longest = d->longest;
	if (core != NULL && core->sleeps && (kind == PT_TALLY_PERIOD || kind == PT_TALLY_INACTIVE))
		d = NULL;
	return pt_duration_values(out, longest, d, PT_DURATION_VALUES);
}

static inline struct pt_value *pt_span_spread(struct pt_value *out, const struct pt_profile *p,
					      const struct pt_span_figures *span, enum pt_tally_kind kind,
					      enum pt_basis basis)
{
	const struct pt_stat *stat = &span->run.stat[kind];
	struct pt_value *first = out;

	if (span->by < PT_SPAN_BY_SIGNAL && pt_duration_is_cut(p, span->core))
		return pt_span_cut(out, p, span, kind);
	out = pt_duration_all_seen(out, stat, basis, PT_DURATION_VALUES);
	if (span->error_ns == 0)
		return out;
	pt_time_columns(first, stat, span->error_ns);
	out[-1] = pt_duration_longest_at(stat, span->error_ns, basis);
	return out;
}

static inline uint64_t pt_span_total(const struct pt_stat *stat)
{
	return stat->n > 0 ? stat->total : PT_UNKNOWN;
}

/* The time of which the self times of a core's spans are shares; 0: unknown. */
static inline uint64_t pt_span_observed(const struct pt_spans *spans, uint16_t core)
{
	const struct pt_span_core *of = pt_spans_core(spans, core);

	return of != NULL ? of->observed : 0;
}

/* The values of PT_SPAN_COLUMNS. all: the time of which net is a share; 0: unknown. Returns behind them. */
static inline struct pt_value *pt_span_values(struct pt_value *out, const struct pt_profile *p,
					      const struct pt_span_figures *span, uint64_t net, uint64_t all,
					      enum pt_basis basis)
{
	const struct pt_stat *stat = span->run.stat;

	*out++ = (struct pt_value){ .text = span->name };
	*out++ = pt_whole_value(span->run.count, p->counts);
	*out++ = pt_whole_value(span->run.partial, p->counts);
	*out++ = pt_span_sum(net, span, basis);
	*out++ = (struct pt_value){ .f = all != 0 ? (double)net / (double)all : NAN,
				    .basis = all != 0 ? basis : PT_BASIS_NONE };
	*out++ = pt_span_sum(span->run.gross_total, span, basis);
	out = pt_span_spread(out, p, span, PT_TALLY_GROSS, basis);
	out = pt_span_spread(out, p, span, PT_TALLY_PERIOD, basis);
	out = pt_span_spread(out, p, span, PT_TALLY_NET, basis);
	*out++ = pt_span_sum(pt_span_total(&stat[PT_TALLY_CALL]), span, basis);
	out = pt_span_spread(out, p, span, PT_TALLY_CALL, basis);
	*out++ = pt_span_sum(pt_span_total(&stat[PT_TALLY_INACTIVE]), span, basis);
	return pt_span_spread(out, p, span, PT_TALLY_INACTIVE, basis);
}

/* The same for spans in code, made of runs. On a windowed core only durations are estimated: the self time in bursts
 * has another base than that of functions. */
static inline struct pt_value *pt_span_run_values(struct pt_value *out, const struct pt_profile *p,
						  const struct pt_span_figures *span, uint64_t net, uint64_t all)
{
	struct pt_span_figures cut = *span;
	struct pt_value *share = out + PT_SPAN_SHARE;

	if (pt_profile_windowed(p, span->core) == NULL) {
		out = pt_span_values(out, p, span, net, 0, p->times);
		*share = pt_flow_share(p, span->core, net, all, NULL);
		return out;
	}
	cut.run.count = cut.run.partial = cut.run.gross_total = PT_UNKNOWN;
	cut.run.stat[PT_TALLY_CALL].n = cut.run.stat[PT_TALLY_INACTIVE].n = 0;	/* no totals */
	return pt_span_values(out, p, &cut, PT_UNKNOWN, 0, p->times);
}

static inline bool pt_span_remark(const struct pt_profile *p, char *out, size_t room)
{
	snprintf(out, room, "bursts do not show spans whole: how long they last is estimated, how often is not known");
	return p->windowed;
}

/* Makes v a lower bound. less: its uncertain part. */
static inline void pt_span_at_least(struct pt_value *v, uint64_t less)
{
	bool known = v->u != PT_UNKNOWN && v->u > less;

	*v = (struct pt_value){ .u = known ? v->u - less : PT_UNKNOWN, .basis = known ? v->basis : PT_BASIS_NONE,
				.at_least = known };
}

/* Makes the values at out lower bounds: reports are missing, or have no time, so that only a part was seen. Of the
 * durations only the longest is shown. */
static inline void pt_span_bound_times(struct pt_value *out, const struct pt_span_figures *span)
{
	static const struct { enum pt_tally_kind kind; bool has_total; } spreads[] = {
		{ PT_TALLY_GROSS, false }, { PT_TALLY_PERIOD, false }, { PT_TALLY_NET, false },
		{ PT_TALLY_CALL, true }, { PT_TALLY_INACTIVE, true },
	};
	uint64_t unsure = pt_span_sum_error(span);

	pt_span_at_least(&out[PT_SPAN_SELF], unsure);
	pt_span_at_least(&out[PT_SPAN_TOTAL], unsure);
	out += PT_SPAN_TOTAL + 1;
	for (size_t i = 0; i < PT_LEN(spreads); i++) {
		const struct pt_stat *stat = &span->run.stat[spreads[i].kind];

		if (spreads[i].has_total)
			pt_span_at_least(out++, unsure);
		out = pt_duration_values(out, pt_stat_longest(stat, span->error_ns), NULL, PT_DURATION_VALUES);
	}
}

#define PT_SPAN_ERROR_COLUMNS                                                                                       \
	{ "errors", "errors", PT_UNIT_COUNT, PT_ALWAYS }, { "last_error", "last error", PT_UNIT_NONE, PT_ALWAYS },            \
	{ "last_error_at_ns", "error at", PT_UNIT_STAMP, PT_IF_WIDE },                                                   \
	{ "last_error_address", "error address", PT_UNIT_ADDRESS, PT_IF_WIDE },                                          \
	{ "skipped_exits", "skipped exits", PT_UNIT_COUNT, PT_IF_WIDE },                                                 \
	{ "unmatched_exits", "unmatched exits", PT_UNIT_COUNT, PT_IF_WIDE },                                             \
	{ "entered_again", "entered again", PT_UNIT_COUNT, PT_IF_WIDE }, { "too_deep", "too deep", PT_UNIT_COUNT, PT_IF_WIDE }

static inline struct pt_value *pt_span_error_values(struct pt_value *out, const struct pt_span_figures *span)
{
	uint64_t n = 0;

	for (size_t i = 0; i < PT_N_SPAN_ERRORS; i++)
		n += span->errors[i];
	*out++ = pt_whole_value(n, PT_BASIS_EXACT);
	*out++ = (struct pt_value){ .text = n > 0 ? pt_span_error_name(span->last) : NULL };
	*out++ = pt_whole_value(n > 0 ? span->last_ns : PT_UNKNOWN, PT_BASIS_EXACT);
	*out++ = pt_whole_value(n > 0 ? span->last_address : PT_UNKNOWN, PT_BASIS_EXACT);
	for (size_t i = 0; i < PT_N_SPAN_ERRORS; i++)
		*out++ = pt_whole_value(span->errors[i], PT_BASIS_EXACT);
	return out;
}

#endif
