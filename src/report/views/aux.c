/* External lines: a row for each, and a row for each requested latency. */
#include <stdio.h>

#include "profile/analyses/signals/external_lines.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/times.h"
#include "base/util.h"

extern const struct pt_view pt_view_aux;

static const struct pt_column columns[] = {
	{ "name", "line", PT_UNIT_NONE, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },	/* of a line: rising edges; of a latency: measured ones */
	{ "falls", "falls", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "partial", "partial", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "unanswered", "missed", PT_UNIT_COUNT, PT_ALWAYS },
	/* because the clocks are too inexact, or a gap lies in between */
	{ "undecided", "undecided", PT_UNIT_COUNT, PT_ALWAYS },
	{ "high_ns.min", "high min", PT_UNIT_NS, PT_IF_ROOM },
	{ "high_ns.avg", "high avg", PT_UNIT_NS_MEAN, PT_IF_MUCH_ROOM },
	{ "high_ns.max", "high max", PT_UNIT_NS, PT_IF_ROOM },
	{ "low_ns.min", "low min", PT_UNIT_NS, PT_IF_MUCH_ROOM },
	{ "low_ns.avg", "low avg", PT_UNIT_NS_MEAN, PT_IF_MUCH_ROOM },
	{ "low_ns.max", "low max", PT_UNIT_NS, PT_IF_MUCH_ROOM },
	{ "period_ns.min", "per min", PT_UNIT_NS, PT_IF_MUCH_ROOM },
	{ "period_ns.avg", "per avg", PT_UNIT_NS_MEAN, PT_ALWAYS },
	{ "period_ns.max", "per max", PT_UNIT_NS, PT_IF_MUCH_ROOM },
	{ "duty", "duty %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "latency_ns.min", "min", PT_UNIT_NS, PT_IF_ROOM },
	{ "latency_ns.avg", "avg", PT_UNIT_NS_MEAN, PT_ALWAYS },
	{ "latency_ns.max", "max", PT_UNIT_NS, PT_IF_ROOM },
	{ "latency_ns.p50", "p50", PT_UNIT_NS, PT_IF_MUCH_ROOM },
	{ "latency_ns.p90", "p90", PT_UNIT_NS, PT_IF_WIDE },
	{ "latency_ns.p99", "p99", PT_UNIT_NS, PT_IF_MUCH_ROOM },
};

static const struct pt_aux *aux_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->aux;
}

static size_t n_rows(const void *subject)
{
	const struct pt_aux *aux = aux_of(subject);

	return aux != NULL ? aux->n_lines + aux->n_latencies : (size_t)PT_NOT_MADE;
}

static struct pt_value count(uint64_t n)
{
	return (struct pt_value){ .u = n, .basis = n != PT_UNKNOWN ? PT_BASIS_EXACT : PT_BASIS_NONE };
}

/* Computed from whole periods, so that it does not depend on the ends of the observation. */
static struct pt_value duty(const struct pt_aux_line *line)
{
	if (line->period.n == 0 || line->period.total == 0 || line->missing)
		return (struct pt_value){ .f = NAN };
	if (pt_time_mean(pt_stat_avg(&line->high), line->error_ns).undecided_ns != 0)
		return pt_time_mean(0, line->error_ns);
	return (struct pt_value){ .f = (double)line->high_ns / (double)line->period.total, .basis = PT_BASIS_EXACT };
}

static void line_row(const struct pt_aux *aux, const struct pt_aux_line *line, struct pt_value *out)
{
	*out++ = (struct pt_value){ .text = aux->signals->definition[line->line].name };
	*out++ = pt_count_seen(line->rises, line->missing);
	*out++ = pt_count_seen(line->falls, line->missing);
	*out++ = count(line->partial);
	*out++ = count(PT_UNKNOWN);
	*out++ = count(PT_UNKNOWN);
	out = pt_time_seen(out, &line->high, line->error_ns, line->missing);
	out = pt_time_seen(out, &line->low, line->error_ns, line->missing);
	out = pt_time_seen(out, &line->period, line->error_ns, line->missing);
	*out++ = duty(line);
	out = pt_time_columns(out, NULL, 0);
	for (int i = 0; i < 3; i++)
		*out++ = count(PT_UNKNOWN);
}

/* If the order of the edges was never known, the row shows the error of the clocks instead. */
static void latency_row(const struct pt_aux_latency *l, struct pt_value *out)
{
	bool only_undecided = l->time.n == 0 && l->undecided > 0;
	uint64_t error_ns = l->error_ns != 0 ? l->error_ns : 1;

	*out++ = (struct pt_value){ .text = l->name };
	*out++ = count(l->found ? l->time.n : PT_UNKNOWN);
	*out++ = count(PT_UNKNOWN);
	*out++ = count(l->found ? l->partial : PT_UNKNOWN);
	*out++ = count(l->found ? l->unanswered : PT_UNKNOWN);
	*out++ = count(l->found ? l->undecided + l->over_gap : PT_UNKNOWN);
	out = pt_time_columns(out, NULL, 0);
	out = pt_time_columns(out, NULL, 0);
	out = pt_time_columns(out, NULL, 0);
	*out++ = (struct pt_value){ .f = NAN };
	if (only_undecided) {
		*out++ = pt_time_value(0, error_ns);
		*out++ = pt_time_mean(0, error_ns);
		*out++ = pt_time_value(0, error_ns);
	} else {
		out = pt_time_seen(out, &l->time, l->error_ns, l->missing);
	}
	if (!only_undecided)
		pt_time_quantiles(out, l->missing ? NULL : &l->time, l->error_ns);
	else
		for (int i = 0; i < 3; i++)
			*out++ = pt_time_value(0, error_ns);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_aux *aux = aux_of(subject);

	if (i < aux->n_lines)
		line_row(aux, &aux->line[i], out);
	else
		latency_row(&aux->latency[i - aux->n_lines], out);
}

/* A latency whose line had no edge: its name may be mistyped, or lack the name of the module. */
static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	const struct pt_aux *aux = aux_of(subject);

	(void)shown;
	if (aux == NULL)
		return false;
	if (aux->lost > 0) {
		snprintf(out, room, "edges may be missing in %llu place%s: counts and times are at least these",
			 (unsigned long long)aux->lost, aux->lost == 1 ? "" : "s");
		return true;
	}
	for (size_t i = 0; i < aux->n_latencies; i++)
		if (!aux->latency[i].found) {
			snprintf(out, room,
				 "%.60s: a line that it names had no edge; lines have the names in this table",
				 aux->latency[i].name);
			return true;
		}
	return false;
}

const struct pt_view pt_view_aux = {
	.empty = "give a file with external lines beside it: proftap decode run.ptcap lines.vcd",
	.name = "aux", .help = "external lines: widths, periods, time to a function or an edge", .needs = "aux",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
	.remark = remark,
};
