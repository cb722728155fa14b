/* Variables: a row for each quantity, and a row for each value of a state. */
#include <stdio.h>
#include <string.h>

#include "profile/analyses/signals/data.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/times.h"
#include "base/util.h"

extern const struct pt_view pt_view_data;

enum { RATE_AVG = 21, RATE_MAX };	/* columns */

static const struct pt_column columns[] = {
	{ "name", "variable", PT_UNIT_NONE, PT_ALWAYS },
	{ "value", "value", PT_UNIT_NONE, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },	/* of a value: how often it was entered; of a quantity:
							 * writes */
	{ "partial", "partial", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "duration_ns.total", "total", PT_UNIT_NS, PT_IF_MUCH_ROOM },
	{ "duration_ns.min", "min", PT_UNIT_NS, PT_IF_ROOM },
	{ "duration_ns.avg", "avg", PT_UNIT_NS_MEAN, PT_ALWAYS },
	{ "duration_ns.max", "max", PT_UNIT_NS, PT_IF_ROOM },
	{ "duration_ns.p50", "p50", PT_UNIT_NS, PT_IF_WIDE },
	{ "duration_ns.p90", "p90", PT_UNIT_NS, PT_IF_WIDE },
	{ "duration_ns.p99", "p99", PT_UNIT_NS, PT_IF_WIDE },
	{ "share", "share %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "period_ns.min", "per min", PT_UNIT_NS, PT_IF_ROOM },
	{ "period_ns.avg", "per avg", PT_UNIT_NS_MEAN, PT_ALWAYS },
	{ "period_ns.max", "per max", PT_UNIT_NS, PT_IF_ROOM },
	{ "changes", "changes", PT_UNIT_COUNT, PT_IF_ROOM },
	{ "reads", "reads", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "least", "least", PT_UNIT_REAL, PT_IF_ROOM },
	{ "avg", "average", PT_UNIT_REAL, PT_ALWAYS },
	{ "most", "most", PT_UNIT_REAL, PT_IF_ROOM },
	{ "last", "last", PT_UNIT_REAL, PT_IF_MUCH_ROOM },
	[RATE_AVG] = { "rate.avg", "per s avg", PT_UNIT_REAL, PT_IF_WIDE },
	[RATE_MAX] = { "rate.max", "per s max", PT_UNIT_REAL, PT_IF_MUCH_ROOM },
	{ "change_period_ns.min", "chg min", PT_UNIT_NS, PT_IF_MUCH_ROOM },
	{ "change_period_ns.avg", "chg avg", PT_UNIT_NS_MEAN, PT_IF_MUCH_ROOM },
	{ "change_period_ns.max", "chg max", PT_UNIT_NS, PT_IF_MUCH_ROOM },
};

static const struct pt_data *data_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->data;
}

static size_t n_rows(const void *subject)
{
	const struct pt_data *data = data_of(subject);

	return data != NULL ? data->n_quantities + data->n_states : (size_t)PT_NOT_MADE;
}

static struct pt_value count(uint64_t n)
{
	return (struct pt_value){ .u = n, .basis = n != PT_UNKNOWN ? PT_BASIS_EXACT : PT_BASIS_NONE };
}

static struct pt_value real(double f)
{
	return (struct pt_value){ .f = f, .basis = isnan(f) ? PT_BASIS_NONE : PT_BASIS_EXACT };
}

static double known_ns(const struct pt_data_state *st)
{
	return (double)(st->duration.n > 0 ? st->duration.total : 0) + (double)st->partial_ns;
}

/* The error of known_ns(). */
static uint64_t known_error_ns(const struct pt_data_state *st)
{
	uint64_t error_ns = pt_time_sum_error(st->error_ns, st->duration.n + st->partial) + st->partial_error_ns;

	return error_ns < PT_NO_BOUND_NS ? error_ns : PT_NO_BOUND_NS;
}

/* The lower bound of the seen time: less the error of its ends. If the ends are uncertain, so is the begin of a gap,
 * and partial times do not count. */
static uint64_t least_ns(const struct pt_data_state *st)
{
	uint64_t error_ns = pt_time_sum_error(st->error_ns, st->duration.n) + st->partial_error_ns;
	uint64_t ns = (st->duration.n > 0 ? st->duration.total : 0) + (st->error_ns == 0 ? st->partial_ns : 0);

	return ns > error_ns ? ns - error_ns : 0;
}

/* The share of the time in which the variable's value was known. If something was lost, the variable may have had this
 * value meanwhile: then the share is of the whole time, between the seen time alone and the seen time plus all that was
 * lost. */
static struct pt_value share(const struct pt_profile *p, const struct pt_data_state *st)
{
	double all = 0, error_ns = 0, least = 0, lost, known, total = (double)pt_profile_run_ns(p);

	if (isnan(st->share))
		return real(NAN);
	for (size_t i = 0; i < p->data->n_states; i++) {
		const struct pt_data_state *one = &p->data->state[i];

		if (one->variable != st->variable)
			continue;
		all += known_ns(one);
		error_ns += (double)known_error_ns(one);
		least += (double)least_ns(one);
	}
	if (pt_profile_lost_share(p) <= 0 && !st->missing)
		return pt_time_share(known_ns(st), (double)known_error_ns(st), all, error_ns);
	lost = fmax(0, total - all);
	if (total <= 0 || lost <= 0)
		return real(NAN);
	known = (double)least_ns(st) / (all + lost);
	return (struct pt_value){ .f = known, .lo = known, .hi = ((double)least_ns(st) + all + lost - least) / (all + lost),
				  .at_least = true, .bounds = true, .basis = PT_BASIS_ESTIMATED };
}

static void state_row(const struct pt_profile *p, const struct pt_data_state *st, struct pt_value *out)
{
	const struct pt_data *data = p->data;

	*out++ = (struct pt_value){ .text = data->signals->definition[st->variable].name };
	*out++ = (struct pt_value){ .text = st->name };
	*out++ = pt_count_seen(st->count - (st->missing ? st->unsure : 0), st->missing);
	*out++ = count(st->partial);
	*out = pt_time_total(&st->duration, st->partial_ns, st->error_ns);
	if (st->partial_error_ns > 0 && out->u != PT_UNKNOWN)
		*out = pt_time_within(*out, (double)out->u, known_error_ns(st));
	if (st->missing)
		*out = pt_count_seen(least_ns(st), true);
	out++;
	out = pt_time_seen(out, &st->duration, st->error_ns, st->missing);
	out = pt_time_quantiles(out, st->missing ? NULL : &st->duration, st->error_ns);
	*out++ = share(p, st);
	out = pt_time_seen(out, &st->period, st->error_ns, st->missing);
	*out++ = count(PT_UNKNOWN);
	*out++ = count(PT_UNKNOWN);
	for (int i = 0; i < 6; i++)
		*out++ = real(NAN);
	pt_time_columns(out, NULL, 0);
}

/* Unknown if the clock is too coarse. */
static struct pt_value rate(const struct pt_data_quantity *q, double per_s)
{
	const struct pt_stat *period = q->period.n > 0 ? &q->period : &q->change_period;
	uint64_t undecided_ns = period->n > 0 ? pt_time_mean(pt_stat_avg(period), q->error_ns).undecided_ns : 0;

	if (undecided_ns != 0)
		return (struct pt_value){ .f = NAN, .undecided_ns = undecided_ns };
	return real(per_s);
}

static void quantity_row(const struct pt_data *data, const struct pt_data_quantity *q, struct pt_value *out)
{
	bool line = data->signals->definition[q->variable].space == PT_SPACE_LINE;

	*out++ = (struct pt_value){ .text = data->signals->definition[q->variable].name };
	*out++ = (struct pt_value){ .text = NULL };
	*out++ = line ? count(PT_UNKNOWN) : pt_count_seen(q->writes, q->missing);
	*out++ = count(PT_UNKNOWN);
	*out++ = count(PT_UNKNOWN);
	out = pt_time_columns(out, NULL, 0);
	out = pt_time_quantiles(out, NULL, 0);
	*out++ = real(NAN);
	out = pt_time_seen(out, &q->period, q->error_ns, q->missing);
	*out++ = pt_count_seen(q->changes, q->missing);
	*out++ = count(q->reads);
	*out++ = real(q->missing ? NAN : q->least);
	*out++ = real(q->values > 0 && !q->missing ? q->sum / (double)q->values : NAN);
	*out = real(q->most);
	out++->at_least = q->missing && !isnan(q->most);
	*out++ = real(q->missing ? NAN : q->last);
	*out++ = q->missing ? real(NAN) : rate(q, q->rate_ns > 0 ? q->rate_sum * 1e9 / (double)q->rate_ns : NAN);
	*out = rate(q, q->rate_ns > 0 ? q->rate_most : NAN);
	out->at_least = q->missing && out->undecided_ns == 0 && !isnan(out->f);
	out++;
	pt_time_seen(out, &q->change_period, q->error_ns, q->missing);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_data *data = p->data;

	if (i < data->n_quantities)
		quantity_row(data, &data->quantity[i], out);
	else
		state_row(p, &data->state[i - data->n_quantities], out);
	pt_times_by_clock(out, columns, PT_LEN(columns), p->stamps_wrong);
	out[RATE_AVG] = pt_time_by_clock(out[RATE_AVG], PT_UNIT_REAL, p->stamps_wrong);
	out[RATE_MAX] = pt_time_by_clock(out[RATE_MAX], PT_UNIT_REAL, p->stamps_wrong);
}

static bool shows(const bool *shown, const char *key)
{
	for (size_t i = 0; i < PT_LEN(columns); i++)
		if (shown != NULL && shown[i] && strncmp(columns[i].key, key, strlen(key)) == 0)
			return true;
	return false;
}

/* "; nothing came of g_a, g_b" */
static size_t put_silent(const struct pt_data *data, char *out, size_t room)
{
	size_t len = 0;

	for (size_t i = 0; data != NULL && i < data->n_quantities && len + 40 < room; i++)
		if (data->quantity[i].silent)
			len += (size_t)snprintf(out + len, room - len, "%s%.30s", len > 0 ? ", " : "nothing came of ",
						data->signals->definition[data->quantity[i].variable].name);
	return len;
}

static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	bool periods = shows(shown, "period_ns."), changes = shows(shown, "change_period_ns.");

	const struct pt_data *data = data_of(subject);
	size_t len = put_silent(data, out, room / 2);

	if (len > 0 && ((data->lost > 0) || periods || changes))
		len += (size_t)snprintf(out + len, room - len, "; ");
	if (data != NULL && data->lost > 0)
		len += (size_t)snprintf(out + len, room - len,
					"writes may be missing in %llu place%s: counts and times are at least these%s",
					(unsigned long long)data->lost, data->lost == 1 ? "" : "s",
					periods || changes ? "; " : "");
	if (periods || changes)
		snprintf(out + len, room - len, "%s%s%s",
			 periods ? "per: write to write; of a value, entry to entry" : "",
			 periods && changes ? "; " : "", changes ? "chg: change to change" : "");
	return len > 0 || periods || changes;
}

const struct pt_view pt_view_data = {
	.empty = "--set variables=g_state,motor.mode names some, and a source that sees writes, or a log of values, tells of "
		 "them; --source watch looks at them now and then (table watch)",
	.empty_in_gdb = "variables=g_state,motor.mode names some, and a source that sees writes, or a log of values, tells "
			"of them; source=watch looks at them now and then (report watch)",
	.name = "data", .help = "variables: how long in which state, quantities and how fast they change",
	.remark = remark, .also = "writers",
	.needs = "data", .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
