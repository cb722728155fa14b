/* What was open when the profile ended, or at a gap. What it lasted until then is a lower bound of what it lasts, so it may be
 * beyond a rule already, or keep to one that asks for more. */
#include <inttypes.h>
#include <math.h>

#include "profile/analyses/limits/limits_judge.h"

static bool is_beyond(const struct pt_rule *rule, double least)
{
	return !rule->excludes && !isinf(rule->hi) && least >= rule->hi && !pt_rule_allows(rule, least);
}

bool pt_limit_unended_violates(const struct pt_rule *rule, const struct pt_stat *stat, double unit)
{
	double others = rule->of == PT_RULE_TOTAL ? (double)stat->total * unit : 0;

	if (rule->of != PT_RULE_EACH && rule->of != PT_RULE_MAX && rule->of != PT_RULE_TOTAL)
		return false;
	return stat->unended > 0 && is_beyond(rule, (double)stat->unended * unit + others);
}

/* The longest lasts longer than was seen. */
static void judge_longest(struct pt_limit *l, double unended, const char *text)
{
	if (isinf(l->rule->hi) && pt_rule_allows(l->rule, unended))
		pt_limit_say(l, PT_VERDICT_PASSED, "one took at least %s, without an end being seen", text);
	else if (l->verdict == PT_VERDICT_FAILED && !is_beyond(l->rule, unended))
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "one took at least %s, without an end being seen", text);
}

void pt_limit_unended(struct pt_limit *l, const struct pt_stat *stat, double unit, const char *text)
{
	double unended = (double)stat->unended * unit, mean;

	if (pt_limit_unended_violates(l->rule, stat, unit)) {
		if (l->verdict == PT_VERDICT_FAILED && (l->rule->of == PT_RULE_EACH || stat->max > stat->unended))
			return;		/* a whole one says more */
		pt_limit_say(l, PT_VERDICT_FAILED, "one took at least %s, without an end being seen", text);
		l->n_extremes = 0;
	} else if (l->rule->of == PT_RULE_MAX && !l->rule->excludes && pt_stat_longest_is_bound(stat, 0)) {
		judge_longest(l, unended, text);
	} else if (l->rule->of == PT_RULE_AVG && l->verdict == PT_VERDICT_PASSED && stat->unended > 0) {
		mean = ((double)stat->total * unit + unended) / ((double)stat->n + 1);
		if (is_beyond(l->rule, mean))
			pt_limit_say(l, PT_VERDICT_UNDECIDED,
				     "the %" PRIu64 " whole ones keep to it, but one without an end took at least %s",
				     stat->n, text);
	}
}
