#include "profile/analyses/limits/limits_judge.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profile/analyses/code/bins.h"
#include "profile/analyses/code/lines.h"
#include "profile/analyses/calls/spans.h"
#include "profile/analyses/signals/tasks.h"

static const char so_far[] = "so far, but there is no end: what came after it is not known";

struct judge {
	struct pt_limit *limit;
	const struct pt_profile *profile;
	double ns_per_tick;
	uint16_t core;		/* whose figures are looked at */
};

/* Nothing that ran was missed. */
static bool complete(const struct judge *j)
{
	return j->profile->counts == PT_BASIS_EXACT && !j->profile->no_end;
}

/* Ticks in the unit of the rule, as text. */
static void print(const struct judge *j, double ticks, char *out, size_t size)
{
	if (j->limit->rule->unit == PT_RULE_NS)
		pt_limit_print_ns(ticks * j->ns_per_tick, out, size);
	else
		snprintf(out, size, "%.0f %s", ticks, j->profile->by_instructions ? "instructions" : "cycles");
}

static const struct pt_profile_function *function_of(const struct judge *j)	/* NULL: it was not seen */
{
	const struct pt_profile *p = j->profile;
	const char *name = j->limit->rule->name;

	for (size_t i = 0; i < p->n_functions; i++)
		if (p->function[i].core == j->core && p->function[i].function != NULL &&
		    pt_function_is(p->function[i].function, name, strlen(name)))
			return &p->function[i];
	return NULL;
}

/* The figures of a function or span on the core; NULL: it was not seen. Signalled spans are in ns. */
static const struct pt_execution_function *figures_of(struct judge *j)
{
	const struct pt_spans *of[] = { j->profile->spans, j->profile->signalled };
	const struct pt_profile_function *f;

	if (j->limit->rule->subject == PT_RULE_FUNCTION) {
		f = function_of(j);
		return f != NULL ? f->seen : NULL;
	}
	for (size_t k = 0; k < PT_LEN(of); k++)
		for (size_t i = 0; of[k] != NULL && i < of[k]->n_spans; i++)
			if (of[k]->span[i].name != NULL && strcmp(of[k]->span[i].name, j->limit->rule->name) == 0 &&
			    (of[k]->span[i].core == j->core || of[k] == j->profile->signalled)) {
				if (of[k] == j->profile->signalled)
					j->ns_per_tick = 1;
				return &of[k]->span[i].run;
			}
	return NULL;
}

static const struct pt_stat *stat_of(struct judge *j)
{
	static const enum pt_tally_kind kinds[] = {
		[PT_RULE_NET] = PT_TALLY_NET, [PT_RULE_GROSS] = PT_TALLY_GROSS, [PT_RULE_CALL] = PT_TALLY_CALL,
		[PT_RULE_PERIOD] = PT_TALLY_PERIOD, [PT_RULE_INACTIVE] = PT_TALLY_INACTIVE,
	};
	const struct pt_execution_function *run = figures_of(j);

	return run != NULL ? &run->stat[kinds[j->limit->rule->figure]] : NULL;
}

/* --- sleep */

/* Net and gross are time that the core spent; the others go by the clock on the wall. */
static bool spans_sleep(const struct judge *j)
{
	enum pt_rule_figure figure = j->limit->rule->figure;

	return j->limit->rule->subject == PT_RULE_FUNCTION &&
	       (figure == PT_RULE_CALL || figure == PT_RULE_PERIOD || figure == PT_RULE_INACTIVE) &&
	       pt_limits_slept(j->profile);
}

/* --- cores */

static bool is_of_cores(const struct judge *j)	/* else signals tell of it, which are of no core in particular */
{
	const struct pt_spans *spans = j->profile->spans;
	bool found = j->limit->rule->subject == PT_RULE_FUNCTION;

	for (size_t i = 0; spans != NULL && i < spans->n_spans && !found; i++)
		found = spans->span[i].name != NULL && strcmp(spans->span[i].name, j->limit->rule->name) == 0;
	return found && j->profile->n_cores > 1;
}

/* Keeps the verdict on another core, or by another source (named in the sentence), if it is worse than those before:
 * failed above undecided. */
static void keep_worse(struct judge *j, struct pt_limit *worst, bool first, const char *source)
{
	static const int badness[] = {
		[PT_VERDICT_PASSED] = 0, [PT_VERDICT_UNDECIDED] = 1, [PT_VERDICT_FAILED] = 2,
	};
	char why[sizeof(worst->why)];

	if (!first && badness[j->limit->verdict] <= badness[worst->verdict])
		return;
	memcpy(why, j->limit->why, sizeof(why));
	if (source != NULL)
		pt_limit_say(j->limit, j->limit->verdict, "%.15s of core %u: %.*s", source, j->core,
			     (int)sizeof(why) - 36, why);
	else
		pt_limit_say(j->limit, j->limit->verdict, "core %u: %.*s", j->core, (int)sizeof(why) - 16, why);
	*worst = *j->limit;
}

/* A rule about a function is one about it on each core that has figures to judge; what is told is the worst of them. */
static void judge_cores(struct judge *j, bool (*has_figures)(struct judge *j), void (*judge_one)(struct judge *j))
{
	struct pt_limit worst = *j->limit;
	bool any = false;

	for (size_t i = 0; is_of_cores(j) && i < j->profile->n_cores; i++) {
		j->core = j->profile->core[i].core;
		if (!has_figures(j))
			continue;
		judge_one(j);
		keep_worse(j, &worst, !any, NULL);
		any = true;
	}
	if (any)
		*j->limit = worst;
	else
		judge_one(j);
}

/* --- one rule */

static double unit_of(const struct judge *j)	/* a tick, in that of the rule */
{
	return j->limit->rule->unit == PT_RULE_NS ? j->ns_per_tick : 1;
}

static bool was_seen(struct judge *j)
{
	const struct pt_stat *stat = stat_of(j);

	return stat != NULL && (stat->n > 0 || pt_limit_unended_violates(j->limit->rule, stat, unit_of(j)));
}

/* Spans are not looked at one by one: the least and the most of them say whether each keeps to it. */
static void look_at_extremes(struct judge *j)
{
	const struct pt_stat *stat = stat_of(j);
	struct pt_limit *l = j->limit;
	double unit = l->rule->unit == PT_RULE_NS ? j->ns_per_tick : 1;

	l->looked_at = stat != NULL ? stat->n : 0;
	if (l->looked_at == 0)
		return;
	l->least = stat->min;
	l->most = stat->max;
	l->violations = !pt_rule_allows(l->rule, (double)stat->min * unit) +
			(uint64_t)!pt_rule_allows(l->rule, (double)stat->max * unit);
}

/* Invocations of functions were looked at as they came, on all cores. */
static bool is_judged_by_core(struct judge *j)
{
	return j->limit->rule->subject == PT_RULE_SPAN && was_seen(j);
}

/* What one that has not ended changes of the verdict. */
static void judge_unended(struct judge *j)
{
	const struct pt_stat *stat = stat_of(j);
	char text[40];

	if (stat == NULL)
		return;
	print(j, (double)stat->unended, text, sizeof(text));
	pt_limit_unended(j->limit, stat, unit_of(j), text);
}

/* Invocations of functions were looked at as they came, on all cores. */
static void judge_unended_on_all(struct judge *j)
{
	const struct pt_profile *p = j->profile;

	judge_unended(j);
	for (size_t i = 0; j->limit->rule->subject == PT_RULE_FUNCTION && i < p->n_cores; i++) {
		j->core = p->core[i].core;
		judge_unended(j);
	}
}

/* On a clock that stands still while the core sleeps. What is too long by it is so in truth. */
static void judge_slept(struct judge *j, uint64_t violations, const char *since, const char *least, const char *most)
{
	struct pt_limit *l = j->limit;

	if (violations > 0)
		pt_limit_say(l, PT_VERDICT_FAILED,
			     "%" PRIu64 " of %" PRIu64 "%s violate it: %s to %s, without what the core slept in them",
			     violations, l->looked_at, since, least, most);
	else
		pt_limit_say(l, PT_VERDICT_UNDECIDED,
			     "in %" PRIu64 " of %" PRIu64
			     "%s the core may have slept: awake alone they took %s to %s (net and gross can be judged)",
			     l->may_have_slept, l->looked_at, since, least, most);
}

static void judge_whole_ones(struct judge *j)
{
	struct pt_limit *l = j->limit;
	bool late = l->late && l->rule->subject == PT_RULE_FUNCTION;
	const char *since = late ? " since the rule came" : "";
	uint64_t violations;
	char least[40], most[40];

	l->slept = spans_sleep(j) && l->may_have_slept > 0;
	if (l->rule->subject == PT_RULE_SPAN)
		look_at_extremes(j);
	if (l->looked_at == 0) {
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "no whole invocation was seen%s", since);
		return;
	}
	print(j, (double)l->least, least, sizeof(least));
	print(j, (double)l->most, most, sizeof(most));
	violations = l->violations - (l->slept ? l->doubtful : 0);
	if (l->slept)
		judge_slept(j, violations, since, least, most);
	else if (violations > 0)
		pt_limit_say(j->limit, PT_VERDICT_FAILED, "%s%" PRIu64 " of %" PRIu64 "%s violate it: %s to %s",
			     l->rule->subject == PT_RULE_SPAN ? "at least " : "", violations, l->looked_at, since,
			     least, most);
	else if (complete(j) || l->rule->seen)
		pt_limit_say(j->limit, PT_VERDICT_PASSED, "all %" PRIu64 " seen%s: %s to %s", l->looked_at, since,
			     least, most);
	else
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED,
			     "all %" PRIu64 " seen%s keep to it (%s to %s), but not all that ran was seen",
			     l->looked_at, since, least, most);
}

static void judge_each(struct judge *j)
{
	judge_whole_ones(j);
	if (!j->limit->late || j->limit->rule->subject != PT_RULE_FUNCTION)
		judge_unended_on_all(j);
}

static void judge_summary_of_whole_ones(struct judge *j)
{
	const struct pt_rule *rule = j->limit->rule;
	const struct pt_stat *stat = stat_of(j);
	struct pt_estimate ticks = { NAN, NAN, NAN };
	double unit = rule->unit == PT_RULE_NS ? j->ns_per_tick : 1, measured;
	bool allowed;
	char value[40], least[40], most[40];

	if (stat != NULL && stat->n > 0)
		ticks = pt_limit_stat(stat, rule->of);
	if (isnan(ticks.value)) {
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "no whole invocation was seen");
		return;
	}
	measured = ticks.value * unit;
	allowed = pt_rule_allows(rule, measured);
	print(j, ticks.value, value, sizeof(value));
	print(j, ticks.lo, least, sizeof(least));
	print(j, ticks.hi, most, sizeof(most));
	if (pt_rule_allows(rule, ticks.lo * unit) != allowed || pt_rule_allows(rule, ticks.hi * unit) != allowed)
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED,
			     "between %s and %s, of %" PRIu64 ": the histogram does not tell them apart", least, most,
			     stat->n);
	else if (complete(j) || rule->seen || pt_limit_decides_alone(rule, measured, allowed))
		pt_limit_say(j->limit, allowed ? PT_VERDICT_PASSED : PT_VERDICT_FAILED, "%s, of %" PRIu64, value,
			     stat->n);
	else
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "%s, of %" PRIu64 " seen; not all that ran was seen",
			     value, stat->n);
}

/* Each of them is a lower bound. What is a sum, or the longest, may be beyond the rule already. */
static void take_back_if_slept(struct judge *j)
{
	struct pt_limit *l = j->limit;
	char seen[sizeof(l->why)];
	bool grows = l->rule->of == PT_RULE_MAX || l->rule->of == PT_RULE_TOTAL || l->rule->of == PT_RULE_AVG;

	if (!spans_sleep(j) || l->verdict == PT_VERDICT_UNDECIDED ||
	    (l->verdict == PT_VERDICT_FAILED && grows && isinf(l->rule->lo) && !l->rule->excludes))
		return;
	memcpy(seen, l->why, sizeof(seen));
	pt_limit_say(l, PT_VERDICT_UNDECIDED,
		     "%.200s without what the core slept meanwhile: net and gross can be judged", seen);
}

static void judge_summary(struct judge *j)
{
	judge_summary_of_whole_ones(j);
	take_back_if_slept(j);
	judge_unended(j);
}

/* On all cores. */
static uint64_t count_of(struct judge *j)
{
	const struct pt_execution_function *run = figures_of(j);
	uint64_t n = 0;

	if (!is_of_cores(j))
		return run != NULL ? run->count : 0;
	for (size_t i = 0; i < j->profile->n_cores; i++) {
		j->core = j->profile->core[i].core;
		run = figures_of(j);
		n += run != NULL ? run->count : 0;
	}
	return n;
}

static void judge_share(struct judge *j, const struct pt_share *share, enum pt_basis basis)
{
	const struct pt_rule *rule = j->limit->rule;
	bool lo = pt_rule_allows(rule, share->lo), hi = pt_rule_allows(rule, share->hi);
	bool allowed = pt_rule_allows(rule, share->share);

	if (j->profile->no_end && !rule->seen)
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "%.2f %% %s", share->share * 100, so_far);
	else if (basis == PT_BASIS_EXACT || basis == PT_BASIS_MODELLED || rule->seen)
		pt_limit_say(j->limit, allowed ? PT_VERDICT_PASSED : PT_VERDICT_FAILED, "%.2f %%", share->share * 100);
	else if (share->hi <= share->lo)
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "%.2f %%, too few samples for an interval",
			     share->share * 100);
	else if (lo == hi && allowed == lo && !rule->excludes)
		pt_limit_say(j->limit, allowed ? PT_VERDICT_PASSED : PT_VERDICT_FAILED, "%.2f %% (%.2f to %.2f)",
			     share->share * 100, share->lo * 100, share->hi * 100);
	else
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED,
			     "%.2f %%, but the interval, %.2f to %.2f, lies on both sides", share->share * 100,
			     share->lo * 100, share->hi * 100);
}

/* Counted exactly, whatever became of functions that share a bin: those without hits, if their code
 * was counted at all. */
static enum pt_basis bins_basis(const struct judge *j, const struct pt_profile_function *f)
{
	const struct pt_bins *bins = j->profile->bins;
	const char *name = j->limit->rule->name;
	size_t n = 0;
	const struct pt_program *program = j->profile->program;
	const struct pt_function *functions = program != NULL ? pt_program_functions(program, &n) : NULL;

	if (f != NULL)
		return f->share.hi == 0 && bins->exact ? PT_BASIS_EXACT : j->profile->shares;
	for (size_t i = 0; i < n && bins->exact; i++)
		if (pt_function_is(&functions[i], name, strlen(name)))
			return functions[i].address >= bins->low && functions[i].address <= bins->high ? PT_BASIS_EXACT
												       : PT_BASIS_NONE;
	return PT_BASIS_NONE;
}

static void judge_function_share(struct judge *j)
{
	const struct pt_profile_function *f = function_of(j);
	const struct pt_share none = { .share = 0, .lo = 0, .hi = j->profile->unseen.hi };
	enum pt_basis basis = j->profile->by_bins ? bins_basis(j, f) : j->profile->shares;

	if (j->profile->by_bins && basis == PT_BASIS_NONE)
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "its code is not among the addresses that were counted");
	else if (j->profile->by_bins)
		judge_share(j, f != NULL ? &f->share : &none, basis);
	else if (j->profile->shares == PT_BASIS_NONE || (j->profile->branches == 0 && j->profile->samples == 0))
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "nothing was seen");
	else
		judge_share(j, f != NULL ? &f->share : &none, j->profile->shares);
}

static bool always(struct judge *j)
{
	(void)j;
	return true;
}

static void judge_task(struct judge *j, const struct pt_task *task)
{
	const struct pt_tasks *tasks = j->profile->tasks;
	const struct pt_rule *rule = j->limit->rule;
	double load = pt_task_load(tasks, task);
	bool whole = j->profile->loss.lost_ns == 0 && !pt_loss_any_untimed(&j->profile->loss) && !j->profile->no_end &&
		     (tasks->by_signals || complete(j));

	if (whole || rule->seen)
		pt_limit_say(j->limit, pt_rule_allows(rule, load) ? PT_VERDICT_PASSED : PT_VERDICT_FAILED, "%.2f %%",
			     load * 100);
	else
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "%.2f %% of what was seen; not all that ran was seen",
			     load * 100);
}

static bool has_load(const struct pt_task *task, const char *name)
{
	return task->kind != PT_TASK_BY_STATE && task->name != NULL && strcmp(task->name, name) == 0;
}

/* Of the time in which it is known what ran; a task that several cores ran has to keep to it on each. */
static void judge_load(struct judge *j)
{
	const struct pt_tasks *tasks = j->profile->tasks;
	const char *name = j->limit->rule->name;
	struct pt_limit worst = *j->limit;
	size_t n = 0, found = 0;

	for (size_t i = 0; tasks != NULL && tasks->observed != 0 && i < tasks->n_tasks; i++)
		n += has_load(&tasks->task[i], name);
	for (size_t i = 0; n > 0 && i < tasks->n_tasks; i++) {
		const struct pt_task *task = &tasks->task[i];

		if (!has_load(task, name))
			continue;
		judge_task(j, task);
		j->core = task->core;
		if (n > 1)
			keep_worse(j, &worst, found++ == 0, NULL);
	}
	if (n > 1)
		*j->limit = worst;
	if (n == 0)
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED,
			     tasks == NULL ? "tasks were not analysed: analysis=tasks" : "no task '%s' was seen", name);
}

/* Of one account of time. */
static void judge_time(struct judge *j, const struct pt_loss_sum *sum, bool observed_is_bound)
{
	const struct pt_rule *rule = j->limit->rule;
	uint64_t part_ns = rule->figure == PT_RULE_LOST ? sum->lost_ns : sum->observed_ns;
	double share = sum->total_ns > 0 ? (double)part_ns / (double)sum->total_ns : NAN;
	bool least = rule->figure == PT_RULE_LOST &&
		     pt_loss_any_untimed(sum); /* the part may be anything above what is known */
	bool most = rule->figure == PT_RULE_OBSERVED && observed_is_bound;
	double lo = most ? 0 : least && share <= 0 ? DBL_MIN : share, hi = least ? 1 : share;
	bool allowed = pt_rule_allows(rule, lo);

	if (isnan(share))
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "no time has passed");
	else if (j->profile->no_end && !j->limit->rule->seen)
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "%.4g %% %s", share * 100, so_far);
	else if ((least || most) && (allowed != pt_rule_allows(rule, hi) || rule->excludes) && !rule->seen)
		pt_limit_say(j->limit, PT_VERDICT_UNDECIDED, "%s %.4g %%, and how much is not known",
			     least ? "more than" : "at most", share * 100);
	else if (least || most)
		pt_limit_say(j->limit, allowed ? PT_VERDICT_PASSED : PT_VERDICT_FAILED, "%s %.4g %%",
			     least ? "more than" : "at most", share * 100);
	else
		pt_limit_say(j->limit, pt_rule_allows(j->limit->rule, share) ? PT_VERDICT_PASSED : PT_VERDICT_FAILED,
			     "%.4g %%", share * 100);
}

/* Each source of several has to keep to it. */
static void judge_times(struct judge *j)
{
	const struct pt_profile *p = j->profile;
	struct pt_limit worst = *j->limit;

	if (p->n_sources < 2) {
		judge_time(j, &p->loss, p->observed_is_bound);
		return;
	}
	for (size_t i = 0; i < p->n_sources; i++) {
		judge_time(j, &p->sources[i].loss, p->sources[i].observed_is_bound);
		j->core = p->sources[i].core;
		keep_worse(j, &worst, i == 0, p->sources[i].source);
	}
	*j->limit = worst;
}

/* What a span that is signalled takes, or a task that is, is measured; all others are counted by the cycle model. */
static bool rests_on_opt_in_model(struct judge *j)
{
	const struct pt_rule *rule = j->limit->rule;
	struct judge look = *j;

	if (!j->profile->opt_in_model || rule->figure == PT_RULE_COUNT || rule->figure == PT_RULE_LOST ||
	    rule->figure == PT_RULE_OBSERVED)
		return false;
	if (rule->figure == PT_RULE_LOAD)
		return j->profile->tasks == NULL || !j->profile->tasks->by_signals;
	if (rule->subject == PT_RULE_SPAN && rule->figure != PT_RULE_SHARE && figures_of(&look) != NULL)
		return look.ns_per_tick != 1;
	return true;
}

/* Of what is signalled times are known without the core's clock. */
static bool lacks_clock(const struct judge *j)
{
	struct judge look = *j;

	if (j->limit->rule->unit != PT_RULE_NS || j->ns_per_tick > 0)
		return false;
	figures_of(&look);
	return look.ns_per_tick <= 0;
}

static void judge_rule(struct pt_limit *limit, const struct pt_profile *profile, double ns_per_tick)
{
	struct judge j = { limit, profile, ns_per_tick, profile->n_functions > 0 ? profile->function[0].core : 0 };
	const struct pt_rule *rule = limit->rule;

	if (rule->subject == PT_RULE_EXCEPTION)
		pt_limit_judge_exception(limit, profile);
	else if (pt_limit_is_signalled(rule, profile))
		pt_limit_judge_signal(limit, profile, ns_per_tick);
	else if (rests_on_opt_in_model(&j))
		pt_limit_say(limit, PT_VERDICT_UNDECIDED,
			     "cycles=model is not verified, so that no rule is judged by it");
	else if (lacks_clock(&j))
		pt_limit_say(limit, PT_VERDICT_UNDECIDED, "the core clock, which turns cycles into time, is not known");
	else if (rule->figure == PT_RULE_LOAD)
		judge_load(&j);
	else if (rule->figure == PT_RULE_LOST || rule->figure == PT_RULE_OBSERVED)
		judge_times(&j);
	else if (rule->figure == PT_RULE_COUNT)
		pt_limit_count(limit, count_of(&j), "seen", complete(&j) ? NULL : "not all that ran was seen");
	else if (rule->figure == PT_RULE_SHARE && rule->subject == PT_RULE_FUNCTION)
		judge_cores(&j, always, judge_function_share);
	else if (rule->figure == PT_RULE_SHARE)
		pt_limit_say(limit, PT_VERDICT_UNDECIDED, "shares are of functions; spans have none");
	else if (rule->of == PT_RULE_EACH)
		judge_cores(&j, is_judged_by_core, judge_each);
	else
		judge_cores(&j, was_seen, judge_summary);
}

/* Else its times are of stamps. */
static bool is_on_clock(struct judge *j)
{
	const struct pt_rule *rule = j->limit->rule;
	struct judge look = *j;

	if (rule->subject == PT_RULE_FUNCTION)
		return true;
	if (rule->subject == PT_RULE_TASK)
		return j->profile->tasks != NULL && !j->profile->tasks->by_signals && !pt_limit_is_of_states(rule);
	return rule->subject == PT_RULE_SPAN && figures_of(&look) != NULL && look.ns_per_tick == j->ns_per_tick;
}

void pt_limit_judge(struct pt_limit *limit, const struct pt_profile *profile, double ns_per_tick)
{
	struct judge j = { limit, profile, ns_per_tick, 0 };

	limit->slept = false;
	judge_rule(limit, profile, ns_per_tick);
	pt_limit_basis(limit, profile, is_on_clock(&j));
}
