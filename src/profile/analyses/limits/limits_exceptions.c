/* Rules on exceptions that the chip reported. What was reported whole was between two reports of a stretch without a gap,
 * so that a violation decides, unless reports may be missing without a sign. */
#include <inttypes.h>
#include <math.h>

#include "profile/analyses/limits/limits_judge.h"
#include "profile/analyses/signals/exceptions.h"

struct found {			/* of one core */
	const struct pt_span_figures *span;
	uint64_t observed_ns;
	const char *why;	/* what was not reported may be of this exception; NULL: all was reported */
	bool true_lengths;	/* what was reported whole is what it was */
};

/* --- figures */

static void judge_share(struct pt_limit *l, const struct found *found)
{
	double share = found->observed_ns > 0 ? (double)found->span->run.cycles / (double)found->observed_ns : NAN;

	if (isnan(share))
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "nothing was seen between two reports");
	else if (found->why == NULL || l->rule->seen)
		pt_limit_say(l, pt_rule_allows(l->rule, share) ? PT_VERDICT_PASSED : PT_VERDICT_FAILED, "%.2f %%",
			     share * 100);
	else
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "%.2f %% of what was seen; %s", share * 100, found->why);
}

/* --- cores */

static void judge_core(struct pt_limit *l, const struct found *found)
{
	static const enum pt_tally_kind kinds[] = {
		[PT_RULE_NET] = PT_TALLY_NET, [PT_RULE_GROSS] = PT_TALLY_GROSS, [PT_RULE_CALL] = PT_TALLY_CALL,
		[PT_RULE_PERIOD] = PT_TALLY_PERIOD, [PT_RULE_INACTIVE] = PT_TALLY_INACTIVE,
	};

	if (l->rule->figure == PT_RULE_SHARE)
		judge_share(l, found);
	else
		pt_limit_times(l, &(struct pt_limit_times){
					  .stat = &found->span->run.stat[kinds[l->rule->figure]],
					  .reported = "reported",
					  .missing = found->why,
					  .untrue = !found->true_lengths,
					  .core = found->span->core,
				  });
}

static bool find(const struct pt_profile *p, const struct pt_rule *rule, size_t *from, struct found *found)
{
	const struct pt_spans *spans = &p->exceptions->spans;

	for (; *from < spans->n_spans; ++*from) {
		const struct pt_span_core *core = pt_spans_core(spans, spans->span[*from].core);

		if (spans->span[*from].id != rule->exception)
			continue;
		*found = (struct found){
			.span = &spans->span[*from], .observed_ns = core != NULL ? core->observed : 0,
			.why = pt_exceptions_missing(p), .true_lengths = !p->exceptions->silent,
		};
		++*from;
		return true;
	}
	return false;
}

/* Each core has to keep to the rule. The verdict is that of the first core that fails, else of the first that cannot be
 * decided. */
static void judge_cores(struct pt_limit *limit, const struct pt_profile *p)
{
	static const int badness[] = {
		[PT_VERDICT_PASSED] = 1, [PT_VERDICT_UNDECIDED] = 2, [PT_VERDICT_FAILED] = 3,
	};
	struct pt_limit worst = *limit, one;
	struct found found;
	int worst_badness = 0;

	for (size_t at = 0; find(p, limit->rule, &at, &found);) {
		one = *limit;
		judge_core(&one, &found);
		if (badness[one.verdict] <= worst_badness)
			continue;
		worst = one;
		worst_badness = badness[one.verdict];
		if (p->exceptions->spans.n_cores > 1)
			pt_limit_say(&worst, one.verdict, "core %u: %.180s", found.span->core, one.why);
	}
	if (worst_badness == 0)
		pt_limit_say(&worst, PT_VERDICT_UNDECIDED, "none was reported");
	*limit = worst;
}

void pt_limit_judge_exception(struct pt_limit *limit, const struct pt_profile *p)
{
	struct found found;
	uint64_t n = 0;

	if (p->exceptions == NULL || p->exceptions->spans.n_spans == 0) {
		pt_limit_say(limit, PT_VERDICT_UNDECIDED,
			     "the chip reported no exception: source=swo does, or input=swo");
		return;
	}
	if (limit->rule->figure != PT_RULE_COUNT) {
		judge_cores(limit, p);
		return;
	}
	for (size_t at = 0; find(p, limit->rule, &at, &found);)
		n += found.span->run.count;
	pt_limit_count(limit, n, "reported", pt_exceptions_missing(p));
}
