/* One row per function: how often, how long, how far apart. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/result/profile.h"
#include "report/table/facts.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "report/views/duration_values.h"
#include "report/views/flow_share.h"
#include "report/views/rest_rows.h"
#include "base/util.h"

extern const struct pt_view pt_view_functions;

#define SPREAD(kind, heading, rank, avg_rank, quantile_rank) \
	{ kind ".min", heading "min", PT_UNIT_TICKS, rank }, { kind ".avg", heading "avg", PT_UNIT_MEAN, avg_rank }, \
	{ kind ".max", heading "max", PT_UNIT_TICKS, rank }, { kind ".p50", heading "p50", PT_UNIT_TICKS, quantile_rank }, \
	{ kind ".p90", heading "p90", PT_UNIT_TICKS, quantile_rank }, \
	{ kind ".p99", heading "p99", PT_UNIT_TICKS, PT_IF_WIDE }, \
	{ kind ".min_at_ns", heading "min at", PT_UNIT_STAMP, PT_IF_WIDE }, \
	{ kind ".max_at_ns", heading "max at", PT_UNIT_STAMP, PT_IF_WIDE }

static const struct pt_column columns[] = {
	{ "name", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "address", "address", PT_UNIT_ADDRESS, PT_IF_WIDE },
	{ "size", "size", PT_UNIT_BYTES, PT_IF_WIDE },
	{ "samples", "samples", PT_UNIT_COUNT, PT_IF_ROOM },
	{ "count", "count", PT_UNIT_COUNT, PT_UNLESS_WINDOWED },
	{ "partial", "partial", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "net_instructions", "instructions", PT_UNIT_INSTRUCTIONS, PT_IF_WIDE },
	{ "net.total", "self", PT_UNIT_TICKS, PT_UNLESS_WINDOWED },
	{ "net_share", "self %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "gross.total", "total", PT_UNIT_TICKS, PT_UNLESS_WINDOWED },
	{ "gross_share", "total %", PT_UNIT_SHARE, PT_IF_ROOM },
	SPREAD("gross", "", PT_IF_MUCH_ROOM, PT_IF_ROOM, PT_IF_WINDOWED),
	{ "call.total", "call", PT_UNIT_TICKS, PT_IF_WIDE },
	SPREAD("period", "per ", PT_IF_MUCH_ROOM, PT_IF_MUCH_ROOM, PT_IF_WINDOWED),
	SPREAD("net", "self ", PT_IF_WIDE, PT_IF_WIDE, PT_IF_WIDE),
	SPREAD("call", "call ", PT_IF_WIDE, PT_IF_WIDE, PT_IF_WIDE),
	{ "period.total", "periods", PT_UNIT_TICKS, PT_IF_WIDE },
	{ "inactive.total", "inactive", PT_UNIT_TICKS, PT_IF_WIDE },
	SPREAD("inactive", "inactive ", PT_IF_WIDE, PT_IF_WIDE, PT_IF_WIDE),
	/* of windowed cores only */
	{ "calls_per_s", "calls/s", PT_UNIT_PER_S, PT_IF_ROOM },
	{ "self_per_call", "self/call", PT_UNIT_MEAN, PT_IF_MUCH_ROOM },
	{ "period_mean_ns", "period", PT_UNIT_NS_MEAN, PT_IF_MUCH_ROOM },
	{ "seen", "seen", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "file", "source", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "line", "line", PT_UNIT_COUNT, PT_IF_MUCH_ROOM },
	PT_CORE_COLUMN,
};

static size_t n_rows(const void *subject)
{
	return ((const struct pt_profile *)subject)->n_functions + pt_rest_rows(subject);
}

static struct pt_value number(uint64_t u, enum pt_basis basis)
{
	return (struct pt_value){ .u = u, .basis = u == PT_UNKNOWN ? PT_BASIS_NONE : basis };
}

static struct pt_value text(const char *t)
{
	return (struct pt_value){ .text = t };
}

static struct pt_value *lengths(struct pt_value *out, const struct pt_profile *p, const struct pt_profile_function *f,
				enum pt_tally_kind kind)
{
	if (f->run != NULL && pt_duration_is_cut(p, f->core))
		return pt_duration_of_function(out, p, f, kind, PT_DURATION_VALUES);
	return pt_duration_all_seen(out, f->run != NULL ? &f->run->stat[kind] : NULL, p->times, PT_DURATION_VALUES);
}

static struct pt_value total(const struct pt_stat *stat, enum pt_basis basis)
{
	return number(stat != NULL && stat->n > 0 ? stat->total : PT_UNKNOWN, basis);
}

/* Rates, and figures computed from them; blank without estimates. Returns behind them. */
static struct pt_value *rates(struct pt_value *out, const struct pt_profile *p, const struct pt_profile_function *f)
{
	bool windowed = pt_profile_windowed(p, f->core) != NULL;
	struct pt_estimate s = f->per_second, c = f->per_call;
	enum pt_basis basis = windowed ? PT_BASIS_ESTIMATED : PT_BASIS_NONE;
	bool rate = windowed && !isnan(s.value), call = windowed && !isnan(c.value);

	*out++ = (struct pt_value){ .f = rate ? s.value : NAN, .lo = s.lo, .hi = s.hi, .basis = rate ? basis : 0 };
	*out++ = (struct pt_value){ .f = call ? c.value : NAN, .lo = c.lo, .hi = c.hi, .basis = call ? basis : 0 };
	*out++ = (struct pt_value){ .f = rate ? 1e9 / s.value : NAN, .lo = rate ? 1e9 / s.hi : 0,
				    .hi = rate ? 1e9 / s.lo : 0, .basis = rate ? basis : 0 };
	*out++ = number(windowed || (f->run != NULL && pt_profile_tallied(p, f->core)) ? f->seen->count : PT_UNKNOWN,
			PT_BASIS_EXACT);
	return out;
}

/* People see the interval of an estimated count in the column calls/s, if there is one. */
static struct pt_value count_of(const struct pt_profile *p, const struct pt_profile_function *f,
				const struct pt_execution_function *run)
{
	struct pt_value v = number(run != NULL ? run->count : PT_UNKNOWN, p->counts);

	v.at_least = v.u != PT_UNKNOWN && pt_profile_tallied(p, f->core);
	if (v.u == PT_UNKNOWN || pt_profile_windowed(p, f->core) == NULL)
		return v;
	v.lo = f->count.lo;
	v.hi = f->count.hi;
	v.interval_beside = !isnan(f->per_second.value);
	return v;
}

/* Windows give estimates of time, but the number of instructions would have no interval: it is blank. */
static struct pt_value instructions_of(const struct pt_profile *p, const struct pt_profile_function *f,
				       const struct pt_execution_function *run)
{
	bool known = run != NULL && (p->by_instructions || pt_profile_windowed(p, f->core) == NULL);
	struct pt_value v = number(known ? run->instructions : PT_UNKNOWN, p->counts);

	v.at_least = v.u != PT_UNKNOWN && pt_profile_tallied(p, f->core);
	return v;
}

static struct pt_value net_of(const struct pt_profile *p, const struct pt_profile_function *f)
{
	uint64_t ticks = p->by_instructions ? f->run->instructions : f->run->cycles;

	return pt_flow_ticks(p, f->core, ticks, &f->net);
}

static struct pt_value gross_of(const struct pt_profile *p, const struct pt_profile_function *f)
{
	struct pt_value v = number(f->run != NULL ? f->run->gross_total : PT_UNKNOWN, p->times);
	uint64_t net = f->run == NULL ? 0 : p->by_instructions ? f->run->instructions : f->run->cycles;

	/* If its beginning was not seen, the total is at least the self time. Not with windows: there the self time is
	 * an estimate, and no bound. */
	if (v.u != PT_UNKNOWN && v.u < net && pt_profile_windowed(p, f->core) == NULL)
		v.u = net;
	v.at_least = v.u != PT_UNKNOWN && (pt_profile_windowed(p, f->core) != NULL || pt_profile_tallied(p, f->core));
	return v;
}

/* The share of the total, with the same base as that of self. */
static struct pt_value gross_share_of(const struct pt_profile *p, const struct pt_profile_function *f)
{
	struct pt_value gross = gross_of(p, f);
	uint64_t all = pt_profile_ticks(p, f->core);
	double seen = pt_profile_seen_part(p, f->core), gross_share;
	struct pt_share bounded;

	if (pt_profile_windowed(p, f->core) != NULL && f->run != NULL)
		return (struct pt_value){ .f = f->gross_share, .basis = PT_BASIS_ESTIMATED,
					  .at_least = !isnan(f->gross_share) };
	if (gross.u == PT_UNKNOWN || all == 0 || p->by_bins || isnan(f->share.share))
		return (struct pt_value){ .f = NAN };
	if (pt_profile_calibrated(p, f->core) != NULL && pt_profile_windowed(p, f->core) == NULL)
		return (struct pt_value){ .f = NAN };	/* the share comes from samples, the total from few bursts */
	gross_share = fmin((double)gross.u / (double)all, 1);
	if (seen > 0) {		/* the unseen rest may belong to this row entirely, or not at all */
		bounded = pt_profile_bounded(seen, gross_share);
		return (struct pt_value){ .f = gross_share, .lo = bounded.lo, .hi = bounded.hi, .bounds = true,
					  .basis = PT_BASIS_ESTIMATED };
	}
	return (struct pt_value){ .f = gross_share, .basis = gross.basis, .at_least = gross.at_least };
}

/* Whether the few bursts of a core with figures from samples did not show the function: then its figures are unknown,
 * not 0. */
static bool was_not_seen(const struct pt_profile *p, const struct pt_profile_function *f)
{
	const struct pt_execution_function *run = f->run;

	return run != NULL && run->count == 0 && run->instructions == 0 && pt_profile_calibrated(p, f->core) != NULL &&
	       pt_profile_windowed(p, f->core) == NULL;
}

static void function_row(const struct pt_profile *p, const struct pt_profile_function *f, struct pt_value *out)
{
	const struct pt_execution_function *run = was_not_seen(p, f) ? NULL : f->run;
	const struct pt_execution_function *counts = p->by_bins ? NULL : run;	/* bins do not record calls */
	const struct pt_stat *stat = run != NULL ? run->stat : NULL;
#define STAT(kind) (stat != NULL ? &stat[PT_TALLY_##kind] : NULL)

	*out++ = text(f->function != NULL ? f->function->name : "(no symbol)");
	*out++ = number(f->function != NULL ? f->function->address : PT_UNKNOWN, PT_BASIS_EXACT);
	*out++ = number(f->function != NULL ? f->function->size : PT_UNKNOWN, PT_BASIS_EXACT);
	*out++ = number(f->run == NULL ? f->samples : PT_UNKNOWN, PT_BASIS_EXACT);
	*out++ = count_of(p, f, counts);
	*out++ = number(counts != NULL ? counts->partial : PT_UNKNOWN, p->counts);
	*out++ = instructions_of(p, f, counts);
	*out++ = run != NULL ? net_of(p, f) : number(PT_UNKNOWN, p->times);
	*out++ = pt_function_share(p, f);
	*out++ = run != NULL ? gross_of(p, f) : number(PT_UNKNOWN, p->times);
	*out++ = gross_share_of(p, f);
	out = lengths(out, p, f, PT_TALLY_GROSS);
	*out++ = total(STAT(CALL), p->times);
	out = lengths(out, p, f, PT_TALLY_PERIOD);
	out = lengths(out, p, f, PT_TALLY_NET);
	out = lengths(out, p, f, PT_TALLY_CALL);
	*out++ = total(STAT(PERIOD), p->times);
	*out++ = total(STAT(INACTIVE), p->times);
	out = lengths(out, p, f, PT_TALLY_INACTIVE);
	out = rates(out, p, f);
	*out++ = text(f->function != NULL ? f->function->file : NULL);
	*out++ = number(f->function != NULL && f->function->line != 0 ? f->function->line : PT_UNKNOWN, PT_BASIS_EXACT);
	*out++ = pt_core_value(p->n_cores, f->core);
#undef STAT
}

/* The core clock's cycles in the observed time, less the counted ones. */
static void rest_row(const struct pt_profile *p, const struct pt_profile_core *core, struct pt_value *out)
{
	for (size_t i = 0; i < PT_LEN(columns); i++) {
		if (columns[i].unit == PT_UNIT_NONE)
			out[i] = text(strcmp(columns[i].key, "name") == 0 ? pt_rest_name(p) : NULL);
		else if (strcmp(columns[i].key, "net.total") == 0)
			out[i] = number(core->rest_cycles, PT_BASIS_ESTIMATED);
		else if (pt_unit_is_real(columns[i].unit))
			out[i] = (struct pt_value){ .f = NAN };
		else
			out[i] = number(PT_UNKNOWN, PT_BASIS_NONE);
	}
	out[PT_LEN(columns) - 1] = pt_core_value(p->n_cores, core->core);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;

	if (i < p->n_functions)
		function_row(p, &p->function[i], out);
	else
		rest_row(p, pt_rest_core(p, i - p->n_functions), out);
}

/* "calls/s, period": the headings of shown columns that are about all time, awake or asleep; "": none. */
static void list_rates(const bool *shown, char *out, size_t room)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; shown != NULL && i < PT_LEN(columns) && at < room; i++)
		if (shown[i] &&
		    (strcmp(columns[i].key, "calls_per_s") == 0 || strcmp(columns[i].key, "period_mean_ns") == 0))
			at += (size_t)snprintf(out + at, room - at, "%s%s", at > 0 ? ", " : "", columns[i].heading);
}

/* Explains times of exceptions, and why calls/s times self/call is not self %. */
static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	const struct pt_profile *p = subject;
	const struct pt_profile_core *core = p->n_cores == 1 ? pt_profile_windowed(p, p->core[0].core) : NULL;
	char rates[40];

	if (pt_entries_are_elsewhere(p) && p->n_functions > 0) {
		snprintf(out, room,
			 "Samples show the entry of an exception as the interrupted code: intervals allow for that");
		return true;
	}
	list_rates(shown, rates, sizeof(rates));
	if (core == NULL || p->core_hz == 0 || !(core->asleep.share > 0.005) || rates[0] == '\0')
		return false;
	snprintf(out, room, "%s: of all time, of which the core slept %.0f %%; self %%: of time awake", rates,
		 100 * core->asleep.share);
	return true;
}

const struct pt_view pt_view_functions = {
	.name = "functions", .help = "how often, how long and how far apart each function ran", .sort = "net_share",
	.also = "events",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
	.remark = remark,
};
