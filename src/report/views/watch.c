/* Variables that a probe reads periodically: a row for each, and below it a row for each value that was found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/analyses/signals/watched.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "base/util.h"

extern const struct pt_view pt_view_watch;

static const struct pt_column columns[] = {
	{ "name", "variable", PT_UNIT_NONE, PT_ALWAYS },
	{ "value", "value", PT_UNIT_NONE, PT_ALWAYS },
	{ "looks", "looks", PT_UNIT_COUNT, PT_ALWAYS },
	{ "share", "share %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "changes", "changes", PT_UNIT_COUNT, PT_ALWAYS },	/* between two successive looks */
	/* least of the looks, exact for these; between two looks the variable may have been outside */
	{ "seen.least", "seen least", PT_UNIT_REAL, PT_IF_ROOM },
	{ "seen.avg", "seen avg", PT_UNIT_REAL, PT_IF_ROOM },
	{ "seen.most", "seen most", PT_UNIT_REAL, PT_IF_ROOM },
	{ "seen.last", "seen last", PT_UNIT_REAL, PT_IF_MUCH_ROOM },
	/* average time between two looks, as fast as the link allows */
	{ "apart_ns.avg", "apart", PT_UNIT_NS_MEAN, PT_ALWAYS },
	{ "apart_ns.max", "apart max", PT_UNIT_NS, PT_ALWAYS },
	{ "torn", "torn", PT_UNIT_COUNT, PT_IF_WIDE },
};

static const struct pt_watched *watched_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->watched;
}

static size_t n_rows(const void *subject)
{
	const struct pt_watched *w = watched_of(subject);
	size_t n = 0;

	for (size_t i = 0; w != NULL && i < w->n_variables; i++)
		n += 1 + w->variable[i].n_states;
	return w != NULL ? n : (size_t)PT_NOT_MADE;
}

static struct pt_value count(uint64_t n)
{
	return (struct pt_value){ .u = n, .basis = n != PT_UNKNOWN ? PT_BASIS_EXACT : PT_BASIS_NONE };
}

static struct pt_value real(double f)
{
	return (struct pt_value){ .f = f, .basis = isnan(f) ? PT_BASIS_NONE : PT_BASIS_EXACT };
}

/* A value that comes and goes between two looks is not counted. */
static struct pt_value changes(const struct pt_watched_variable *v)
{
	return (struct pt_value){ .u = v->changes, .basis = PT_BASIS_EXACT, .at_least = true };
}

static struct pt_value share(const struct pt_share *share)
{
	return (struct pt_value){ .f = share->share, .lo = share->lo, .hi = share->hi,
				  .basis = isnan(share->share) ? PT_BASIS_NONE : PT_BASIS_ESTIMATED };
}

static void variable_row(const struct pt_watched_variable *v, struct pt_value *out)
{
	*out++ = (struct pt_value){ .text = NULL };
	*out++ = count(v->looks);
	*out++ = real(NAN);
	*out++ = changes(v);
	*out++ = real(v->least);
	*out++ = real(v->numbers > 0 ? v->sum / (double)v->numbers : NAN);
	*out++ = real(v->most);
	*out++ = real(v->last);
	*out++ = real(v->mean_ns != PT_UNKNOWN ? (double)v->mean_ns : NAN);
	*out++ = count(v->longest_ns);
	*out++ = count(v->torn);
}

static void state_row(const struct pt_watched_state *st, struct pt_value *out)
{
	*out++ = (struct pt_value){ .text = st->name };
	*out++ = count(st->looks);
	*out++ = share(&st->share);
	*out++ = count(PT_UNKNOWN);
	for (int i = 0; i < 5; i++)
		*out++ = real(NAN);
	*out++ = count(PT_UNKNOWN);
	*out++ = count(PT_UNKNOWN);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_watched *w = watched_of(subject);
	const struct pt_watched_variable *v = w->variable;

	for (; i > v->n_states; v++)
		i -= 1 + v->n_states;
	*out++ = (struct pt_value){ .text = w->signals->definition[v->variable].name };
	if (i == 0)
		variable_row(v, out);
	else
		state_row(&v->state[i - 1], out);
}

static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	(void)subject;
	(void)shown;
	snprintf(out, room,
		 "changes, seen: as the looks found them; what lasts longer than apart max cannot "
		 "have been missed");
	return true;
}

const struct pt_view pt_view_watch = {
	.name = "watch", .help = "variables that are looked at while the program runs: the time in each state, and what they were",
	.empty = "--source watch --set variables=g_state,motor.mode looks at some while the program runs",
	.empty_in_gdb = "profile start source=watch variables=g_state,motor.mode looks at some while the program runs",
	.remark = remark,
	.needs = "watch", .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
