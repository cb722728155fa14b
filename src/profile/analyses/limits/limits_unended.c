/* Invocations without an end: those that were open when the profile ended, or at a gap. What they took until then is a lower
 * bound of what they take. */
#include <math.h>
#include <string.h>

#include "profile/analyses/calls/spans.h"
#include "profile/analyses/limits/limits_judge.h"

/* Of n invocations that took so long together one took the n-th part or more. A recursion is once in the total, and each of
 * its calls in what the whole ones took: then this is less than it could be. */
static double at_least(const struct pt_execution_function *run, double total, enum pt_tally_kind kind)
{
	return run->partial > 0 ? fmax(0, total - (double)run->stat[kind].total) / (double)run->partial : 0;
}

static double longest(const struct pt_execution_function *run, const struct pt_profile *p, bool net)
{
	if (net)
		return at_least(run, (double)(p->by_instructions ? run->instructions : run->cycles), PT_TALLY_NET);
	return at_least(run, (double)run->gross_total, PT_TALLY_GROSS);
}

double pt_limit_unended(const struct pt_rule *rule, const struct pt_profile *p)
{
	const struct pt_spans *spans = p->spans;
	bool net = rule->figure == PT_RULE_NET;
	double most = 0;

	if (!net && rule->figure != PT_RULE_GROSS && rule->figure != PT_RULE_CALL)
		return 0;
	for (size_t i = 0; rule->subject == PT_RULE_FUNCTION && i < p->n_functions; i++) {
		const struct pt_profile_function *f = &p->function[i];

		if (f->function != NULL && f->seen != NULL &&
		    pt_function_is(f->function, rule->name, strlen(rule->name)))
			most = fmax(most, longest(f->seen, p, net));
	}
	for (size_t i = 0; rule->subject == PT_RULE_SPAN && spans != NULL && i < spans->n_spans; i++)
		if (spans->span[i].name != NULL && strcmp(spans->span[i].name, rule->name) == 0)
			most = fmax(most, longest(&spans->span[i].run, p, net));
	return most;
}
