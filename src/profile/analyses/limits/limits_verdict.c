/* What verdicts are made of, whatever the rule is about: sentences, figures out of statistics, and counts. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "profile/analyses/limits/limits_judge.h"

const char *pt_verdict_name(enum pt_verdict verdict)
{
	return verdict == PT_VERDICT_PASSED ? "passed" : verdict == PT_VERDICT_FAILED ? "failed" : "undecided";
}

void pt_limit_say(struct pt_limit *limit, enum pt_verdict verdict, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	limit->verdict = verdict;
	vsnprintf(limit->why, sizeof(limit->why), fmt, args);
	va_end(args);
}

void pt_limit_print_ns(double ns, char *out, size_t size)
{
	static const struct { double ns; const char *unit; } units[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" },
	};
	size_t i = 0;

	while (i < 3 && ns < units[i].ns)
		i++;
	snprintf(out, size, "%.4g %s", ns / units[i].ns, units[i].unit);
}

static struct pt_estimate exactly(double value)
{
	return (struct pt_estimate){ value, value, value };
}

struct pt_estimate pt_limit_stat(const struct pt_stat *stat, enum pt_rule_of of)
{
	static const double quantiles[] = { [PT_RULE_P50] = 0.5, [PT_RULE_P90] = 0.9, [PT_RULE_P99] = 0.99 };

	switch (of) {
	case PT_RULE_MIN:
		return exactly((double)stat->min);
	case PT_RULE_AVG:
		return exactly(pt_stat_avg(stat));
	case PT_RULE_MAX:
		return exactly((double)stat->max);
	case PT_RULE_TOTAL:
		return exactly((double)stat->total);
	default:
		return pt_stat_quantile_within(stat, quantiles[of]);
	}
}

bool pt_limit_decides_alone(const struct pt_rule *rule, double value, bool allowed)
{
	bool grows = rule->of == PT_RULE_MAX || rule->of == PT_RULE_TOTAL, shrinks = rule->of == PT_RULE_MIN;

	if (rule->excludes)
		return false;
	if (!allowed)
		return (grows && value >= rule->hi) || (shrinks && value <= rule->lo);
	return (grows && isinf(rule->hi)) || (shrinks && isinf(rule->lo));
}

void pt_limit_count(struct pt_limit *limit, uint64_t n, const char *seen, const char *missing)
{
	const struct pt_rule *rule = limit->rule;
	bool allowed = pt_rule_allows(rule, (double)n);
	bool more_would_too = allowed && isinf(rule->hi) && !rule->excludes;
	bool more_would_not = !allowed && !isinf(rule->hi) && !rule->excludes && (double)n >= rule->hi;

	if (missing == NULL || rule->seen || more_would_too || more_would_not)
		pt_limit_say(limit, allowed ? PT_VERDICT_PASSED : PT_VERDICT_FAILED, "%" PRIu64 " %s", n,
			     missing == NULL ? "in all" : seen);
	else
		pt_limit_say(limit, PT_VERDICT_UNDECIDED, "%" PRIu64 " %s; %s", n, seen, missing);
}
