/* Counters: a row for each, and a row for each requested metric. */
#include <math.h>

#include "profile/analyses/counters/counters.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "report/views/times.h"
#include "base/util.h"

extern const struct pt_view pt_view_counters;

static const struct pt_column columns[] = {
	{ "name", "counter", PT_UNIT_NONE, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "readings", "readings", PT_UNIT_COUNT, PT_IF_MUCH_ROOM },
	{ "unknown", "ambiguous", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "per_s.avg", "per s", PT_UNIT_PER_S, PT_ALWAYS },
	{ "per_s.min", "per s min", PT_UNIT_PER_S, PT_IF_MUCH_ROOM },
	{ "per_s.max", "per s max", PT_UNIT_PER_S, PT_IF_MUCH_ROOM },
	{ "last", "last", PT_UNIT_REAL, PT_IF_MUCH_ROOM },		/* of the last readings: value of a metric; of
									 * counters: per second */
	{ "value", "value", PT_UNIT_REAL, PT_ALWAYS },
	{ "least", "least", PT_UNIT_REAL, PT_ALWAYS },
	{ "most", "most", PT_UNIT_REAL, PT_ALWAYS },
	{ "scaled.count", "scaled", PT_UNIT_REAL, PT_ALWAYS },	/* of a multiplexed counter: extrapolated to all the
								 * time */
	{ "scaled.error95", "+-95 %", PT_UNIT_REAL, PT_ALWAYS },
	{ "active", "active %", PT_UNIT_SHARE, PT_IF_MUCH_ROOM },
	{ "formula", "formula", PT_UNIT_NONE, PT_IF_ROOM },
	{ "note", "what it counts", PT_UNIT_NONE, PT_IF_ROOM },
	PT_CORE_COLUMN,
};

static const struct pt_counters *counters_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->counters;
}

static size_t n_rows(const void *subject)
{
	const struct pt_counters *c = counters_of(subject);

	return c != NULL ? c->n_counters + c->n_metrics : (size_t)PT_NOT_MADE;
}

static const struct pt_profile_source *source_of(const struct pt_profile *p, uint16_t source)
{
	for (size_t i = 0; i < p->n_sources; i++)
		if (p->sources[i].number == source)
			return &p->sources[i];
	return NULL;
}

static struct pt_value count(uint64_t n)
{
	return (struct pt_value){ .u = n, .basis = n != PT_UNKNOWN ? PT_BASIS_EXACT : PT_BASIS_NONE };
}

static struct pt_value real(double f)
{
	return (struct pt_value){ .f = f, .basis = isnan(f) ? PT_BASIS_NONE : PT_BASIS_EXACT };
}

/* The result of a division: three digits are enough for a reader. */
static struct pt_value quotient(double f)
{
	struct pt_value value = real(f);

	value.rough = true;
	return value;
}

/* A rate over a time with an error of error_ns, at most longest_ns long: blank if the error is too large; else with
 * limits, by the longest and the shortest possible time. */
static struct pt_value rate(double f, uint64_t ns, uint64_t error_ns, uint64_t longest_ns)
{
	struct pt_value known = pt_time_value(ns, error_ns), value = quotient(f);

	if (known.undecided_ns != 0)
		return (struct pt_value){ .f = NAN, .undecided_ns = known.undecided_ns };
	value.basis = isnan(f) ? PT_BASIS_NONE : known.basis;
	if (value.basis == PT_BASIS_ESTIMATED) {
		value.bounds = true;
		value.lo = f * (double)ns / (double)longest_ns;
		value.hi = f * (double)ns / (double)(ns - error_ns);
	}
	return value;
}

/* The number of times in which the core may have run unobserved: the first packet after each may include counts from
 * it. */
static uint64_t holes_of(const struct pt_loss_sum *loss)
{
	uint64_t n = 0;

	for (int cause = 0; cause < PT_N_LOSSES; cause++)
		if (loss->by[cause].ns > 0 && !pt_loss_nothing_ran((enum pt_loss)cause))
			n += loss->by[cause].events;
	return n;
}

/* The rate from counts and observed time, each with its limits. The time in which the core was halted is an upper
 * bound; missing packets contain counts, too. */
static struct pt_value rough_rate(const struct pt_profile *p, const struct pt_counter_row *c)
{
	const struct pt_profile_source *s = source_of(p, c->source);
	const struct pt_loss_sum *loss = s != NULL ? &s->loss : &p->loss;
	double n = (double)c->total, rest = (double)c->rest, s_per_ns = 1e-9;
	double unseen = c->lost > 0 ? (double)holes_of(loss) : 0;
	uint64_t edges_ns = s != NULL ? s->cost.edges_ns : 0;
	struct pt_value value;

	if (loss->observed_ns <= edges_ns || (s != NULL && s->no_clock))
		return (struct pt_value){ .f = NAN };
	value = quotient(n / ((double)loss->observed_ns * s_per_ns));
	value.lo = fmax(0, n - rest * (1 + unseen)) /
		   ((double)(loss->observed_ns + loss->by[PT_LOSS_HALTED].ns + edges_ns) * s_per_ns);
	value.hi = (n + rest) / ((double)(loss->observed_ns - edges_ns) * s_per_ns);
	value.basis = PT_BASIS_ESTIMATED;
	value.bounds = c->lost == 0;
	value.at_least = c->lost > 0;
	if (c->lost > 0)
		value.f = value.lo;
	return value;
}

static struct pt_value timed_rate(const struct pt_counter_row *c)
{
	return rate(c->timed_ns > 0 ? (double)c->timed * 1e9 / (double)c->timed_ns : NAN, c->timed_ns,
		    c->timed_error_ns, pt_counter_longest_ns(c));
}

static struct pt_value rate_between_two(const struct pt_counter_row *c, double f)
{
	return rate(f, c->least_ns, c->error_ns, c->least_ns + c->error_ns);
}

/* The error is in a separate column. */
static struct pt_value estimate(double f, double error)
{
	struct pt_value value = { .f = f, .basis = isnan(f) ? PT_BASIS_NONE : PT_BASIS_ESTIMATED };

	if (isnan(f) || isnan(error) || error <= 0)
		return value;
	value.lo = fmax(0, f - error);
	value.hi = f + error;
	value.interval_beside = true;
	return value;
}

/* Each packet represents many counts: parts of the first and the last may be missing, and more if packets are lost. */
static struct pt_value rough_count(const struct pt_counter_row *c)
{
	uint64_t least = c->total > c->rest ? c->total - c->rest : 0;

	if (c->lost > 0)
		return (struct pt_value){ .u = least, .at_least = true, .basis = PT_BASIS_ESTIMATED };
	return (struct pt_value){ .u = c->total, .lo = (double)least, .hi = (double)(c->total + c->rest), .bounds = true,
				  .basis = PT_BASIS_ESTIMATED };
}

static void counter_row(const struct pt_profile *p, const struct pt_counter_row *c, struct pt_value *out)
{
	size_t n_cores = p->counters->n_cores;

	*out++ = (struct pt_value){ .text = c->name };
	*out = count(c->is_value ? PT_UNKNOWN : c->total);
	if (c->rest > 0)
		*out = rough_count(c);
	if (c->unknown > 0)
		out->basis = PT_BASIS_ESTIMATED; /* a lower bound: counts of ambiguous readings are not
							 * included */
	out++;
	*out++ = count(c->readings);
	*out++ = count(c->unknown);
	*out++ = c->rest > 0 ? rough_rate(p, c) : timed_rate(c);
	*out++ = rate_between_two(c, c->rate_min);
	*out++ = rate_between_two(c, c->rate_max);
	*out++ = rate_between_two(c, c->rate_last);
	*out++ = real(c->is_value && c->value != PT_UNKNOWN ? (double)c->value : NAN);
	*out++ = real(NAN);
	*out++ = real(NAN);
	*out++ = estimate(c->scaled, c->scaled_error);
	*out++ = quotient(c->scaled_error);
	*out++ = real(c->active);
	*out++ = (struct pt_value){ .text = NULL };
	*out++ = (struct pt_value){ .text = c->note };
	*out++ = pt_core_value(n_cores, c->core);
}

static void metric_row(const struct pt_metric_row *m, size_t n_cores, struct pt_value *out)
{
	*out++ = (struct pt_value){ .text = m->name };
	*out++ = count(PT_UNKNOWN);
	*out++ = count(PT_UNKNOWN);
	*out++ = count(PT_UNKNOWN);
	*out++ = real(NAN);
	*out++ = real(NAN);
	*out++ = real(NAN);
	*out++ = quotient(m->last);
	*out++ = isnan(m->value) ? (struct pt_value){ .f = NAN, .not_there = true } : quotient(m->value);
	*out++ = quotient(m->min);
	*out++ = quotient(m->max);
	*out++ = real(NAN);
	*out++ = real(NAN);
	*out++ = real(NAN);
	*out++ = (struct pt_value){ .text = m->formula };
	*out++ = (struct pt_value){ .text = NULL };
	*out++ = pt_core_value(n_cores, m->core);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_counters *c = counters_of(subject);

	if (i < c->n_counters)
		counter_row(subject, &c->counter[i], out);
	else
		metric_row(&c->metric[i - c->n_counters], c->n_cores, out);
}

/* Rows whose figure is not a count. */
static bool is_figure(const void *subject, size_t i)
{
	const struct pt_counters *c = counters_of(subject);

	return i >= c->n_counters || c->counter[i].is_value;
}

const struct pt_view pt_view_counters = {
	.in_second = is_figure, .second_heading = "figure",
	.empty = "no source of this profile reads counters (proftap monitor sources lists them)",
	.empty_in_gdb = "no source of this profile reads counters (monitor sources lists them)",
	.whole = true,
	.name = "counters", .help = "counters: totals, rates, derived metrics", .needs = "counters", .columns = columns,
	.name_columns = 36,
	.also = "durations",
	.n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
