/* Rules about times that a source reported: each of them, or the least, the most, the mean. What is within the error of a
 * bound does not decide. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "profile/analyses/limits/limits_judge.h"

/* All of lo..hi: -1 violates it, 1 keeps to it; 0: some of it does. */
static int where(const struct pt_rule *rule, double lo, double hi)
{
	bool first = pt_rule_allows(rule, lo), last = pt_rule_allows(rule, hi);

	if (rule->excludes && hi > lo)
		return rule->lo < lo || rule->lo > hi;
	if (first && last)
		return 1;
	return first || last || (lo < rule->lo && hi > rule->hi) ? 0 : -1;
}

static int where_is(const struct pt_rule *rule, uint64_t ns, uint64_t error_ns)
{
	return where(rule, ns > error_ns ? (double)(ns - error_ns) : 0, (double)ns + (double)error_ns);
}

void pt_limit_note(struct pt_limit *limit, uint64_t at_ns, uint64_t error_ns, uint64_t value_ns, uint16_t core)
{
	struct pt_violation *v = &limit->extreme[limit->n_extremes];

	if (at_ns == PT_UNKNOWN || limit->n_extremes == PT_LEN(limit->extreme))
		return;
	limit->n_extremes++;
	*v = (struct pt_violation){
		.at = { at_ns, error_ns }, .clock = PT_UNKNOWN, .value = PT_UNKNOWN, .value_ns = value_ns, .core = core,
	};
	if (value_ns != PT_UNKNOWN)
		pt_limit_print_ns((double)value_ns, v->path, sizeof(v->path));
}

static void note_extremes(struct pt_limit *l, const struct pt_limit_times *t, int least, int most)
{
	l->violations = (uint64_t)(least < 0) + (uint64_t)(most < 0 && t->stat->n > 1);
	if (least < 0)
		pt_limit_note(l, t->stat->min_at, t->error_ns, t->stat->min, t->core);
	if (most < 0 && t->stat->max_at != t->stat->min_at)
		pt_limit_note(l, t->stat->max_at, t->error_ns, t->stat->max, t->core);
}

static void judge_each(struct pt_limit *l, const struct pt_limit_times *t)
{
	const struct pt_stat *stat = t->stat;
	int least = where_is(l->rule, stat->min, t->error_ns), most = where_is(l->rule, stat->max, t->error_ns);
	bool kept = least > 0 && most > 0, all = t->missing == NULL || l->rule->seen;
	char from[40], to[40];

	l->looked_at = stat->n;
	l->least = stat->min;
	l->most = stat->max;
	note_extremes(l, t, least, most);
	pt_limit_print_ns((double)stat->min, from, sizeof(from));
	pt_limit_print_ns((double)stat->max, to, sizeof(to));
	if (kept && all)
		pt_limit_say(l, PT_VERDICT_PASSED, "all %" PRIu64 " %s: %s to %s", stat->n, t->reported, from, to);
	else if (l->violations > 0 && (all || !t->untrue))
		pt_limit_say(l, PT_VERDICT_FAILED, "at least %" PRIu64 " of %" PRIu64 " violate it: %s to %s",
			     l->violations, stat->n, from, to);
	else if (!kept && l->violations == 0)
		pt_limit_say(l, PT_VERDICT_UNDECIDED,
			     "%" PRIu64 " %s, %s to %s; moments are uncertain by %" PRIu64 " ns", stat->n, t->reported,
			     from, to, t->error_ns);
	else
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "%" PRIu64 " %s, %s to %s; %s", stat->n, t->reported, from, to,
			     t->missing);
}

static void note_summary(struct pt_limit *l, const struct pt_limit_times *t)
{
	if (l->verdict != PT_VERDICT_FAILED)
		return;
	if (l->rule->of == PT_RULE_MIN)
		pt_limit_note(l, t->stat->min_at, t->error_ns, t->stat->min, t->core);
	else if (l->rule->of == PT_RULE_MAX)
		pt_limit_note(l, t->stat->max_at, t->error_ns, t->stat->max, t->core);
}

static void judge_summary(struct pt_limit *l, const struct pt_limit_times *t)
{
	struct pt_estimate within = pt_limit_stat(t->stat, l->rule->of);
	double ns = within.value, error = (double)t->error_ns, sure;
	int kept;
	char value[40];

	if (l->rule->of == PT_RULE_TOTAL)
		error *= (double)t->stat->n;
	kept = where(l->rule, fmax(0, within.lo - error), within.hi + error);
	sure = l->rule->of == PT_RULE_MIN ? ns + error : ns - error;
	pt_limit_print_ns(ns, value, sizeof(value));
	if (isnan(ns))
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "of these there is no such figure");
	else if (kept == 0)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "%s, of %" PRIu64 "; %s uncertain by %.0f ns", value, t->stat->n,
			     within.lo < within.hi ? "that is" : "moments are",
			     fmax(ns - within.lo, within.hi - ns) + error);
	else if (t->missing == NULL || l->rule->seen || (!t->untrue && pt_limit_decides_alone(l->rule, sure, kept > 0)))
		pt_limit_say(l, kept > 0 ? PT_VERDICT_PASSED : PT_VERDICT_FAILED, "%s, of %" PRIu64, value, t->stat->n);
	else
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "%s, of %" PRIu64 " %s; %s", value, t->stat->n, t->reported,
			     t->missing);
	note_summary(l, t);
}

void pt_limit_times(struct pt_limit *limit, const struct pt_limit_times *times)
{
	char unended[40];

	limit->n_extremes = 0;
	if (times->stat->n == 0)
		pt_limit_say(limit, PT_VERDICT_UNDECIDED, "no whole one was %s", times->reported);
	else if (limit->rule->of == PT_RULE_EACH)
		judge_each(limit, times);
	else
		judge_summary(limit, times);
	pt_limit_print_ns((double)times->stat->unended, unended, sizeof(unended));
	if (!times->untrue)
		pt_limit_unended(limit, times->stat, 1, unended);
}

void pt_limit_within(struct pt_limit *limit, double lo, double hi, const char *text)
{
	int kept = where(limit->rule, lo, hi);

	if (kept != 0)
		pt_limit_say(limit, kept > 0 ? PT_VERDICT_PASSED : PT_VERDICT_FAILED, "%s", text);
	else
		pt_limit_say(limit, PT_VERDICT_UNDECIDED, "%s lies on both sides of the limit", text);
}
