#include "report/laws/laws_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/limits/limits.h"

/* --- 4: the clock ------------------------------------------------------------------------------------------------- */

/* Modelled cycles have an error, but a core cannot run more cycles than its clock has in that time. */
static void check_cycles(struct pt_law_check *check)
{
	enum { SLACK_CYCLES = 10000 };
	const struct pt_profile *p = check->profile;
	double most, seen = (double)p->cycles;

	for (size_t i = 0; i < p->n_sources; i++)
		if (p->sources[i].beyond_ns > 0 && p->contradiction == NULL && p->core_hz != 0 && p->n_cores == 1 &&
		    !p->by_instructions && !p->opt_in_model)
			pt_law_violated(check, PT_LAW_CLOCK, p->sources[i].source,
					"a burst has cycles of %" PRIu64 " ns more than it took, and nothing says so",
					p->sources[i].beyond_ns);
	for (size_t i = 0; p->counters != NULL && p->core_hz != 0 && i < p->counters->n_counters; i++)
		if (pt_counter_is_too_fast(&p->counters->counter[i]) && p->contradiction == NULL)
			pt_law_violated(check, PT_LAW_CLOCK, p->counters->counter[i].name,
					"it counted more than core-clock allows, and nothing says so");
	if (p->core_hz == 0 || p->n_cores > 1 || p->n_sources != 1 || p->by_instructions || p->opt_in_model ||
	    (p->by_bins && p->bins->older))
		return;
	for (size_t i = 0; p->by_bins && p->bins->by_cycles && i < p->bins->n_cores; i++)
		seen = (double)p->bins->core[i].hits;
	most = (double)(p->by_bins ? p->sources[0].loss.total_ns : p->sources[0].loss.observed_ns) * 1e-9 *
	       (double)p->core_hz;
	if (seen > most * 1.02 + SLACK_CYCLES && p->contradiction == NULL)
		pt_law_violated(check, PT_LAW_CLOCK, "profile", "%.0f cycles in the time of %.0f, and nothing says so",
				seen, most);
}

/* --- 5: rules ----------------------------------------------------------------------------------------------------- */

static bool is_open(const struct pt_rule *rule)	/* there is no upper limit */
{
	return isinf(rule->hi) && !rule->excludes;
}

static void check_rules(struct pt_law_check *check)
{
	const struct pt_profile *p = check->profile;

	for (size_t i = 0; p->limits != NULL && i < p->limits->n_limits; i++) {
		const struct pt_limit *limit = &p->limits->limit[i];
		const struct pt_rule *rule = limit->rule;
		bool whole = p->incomplete == NULL && !p->no_end;

		if (limit->verdict != PT_VERDICT_PASSED || rule->seen || whole)
			continue;
		if (rule->figure == PT_RULE_COUNT && !is_open(rule))
			pt_law_violated(check, PT_LAW_RULES, "limits", "%s: passed (%s), but %s", rule->text,
					limit->why, p->incomplete);
		else if (rule->of == PT_RULE_EACH && rule->subject == PT_RULE_FUNCTION &&
			 rule->figure <= PT_RULE_INACTIVE)
			pt_law_violated(check, PT_LAW_RULES, "limits", "%s: passed (%s), but %s", rule->text,
					limit->why, p->incomplete);
		else if (p->no_end && rule->subject == PT_RULE_PROFILE)
			pt_law_violated(check, PT_LAW_RULES, "limits", "%s: passed (%s), but there is no end",
					rule->text, limit->why);
	}
}

size_t pt_laws_check(const struct pt_profile *profile, const struct pt_law_clock *clock, pt_law_report report,
		     void *arg)
{
	struct pt_law_check check = { profile, clock, report, arg, 0 };

	pt_law_sums(&check);
	pt_law_shares(&check);
	pt_law_exact(&check);
	check_cycles(&check);
	check_rules(&check);
	pt_law_sources(&check);
	return check.n;
}
