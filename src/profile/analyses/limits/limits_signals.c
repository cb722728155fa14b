/* Rules on what signals and counters say: external lines, tasks, ISR2s, services. A figure is exact unless something of its
 * kind may be missing. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/analyses/calls/spans.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/limits/limits_judge.h"
#include "profile/analyses/signals/external_lines.h"
#include "profile/analyses/signals/tasks.h"

const char *pt_limit_missing(const struct pt_profile *p, bool some)
{
	return some || pt_profile_lost_share(p) > 0 ? "some may be missing"
	       : p->no_end			    ? "there is no end: what came after it is not known"
						    : NULL;
}

/* --- external lines */

static void judge_line(struct pt_limit *l, const struct pt_profile *p, const struct pt_aux_line *line)
{
	const char *missing = pt_limit_missing(p, line->missing);
	double high = line->high.n > 0 ? (double)line->high.total : 0,
	       low = line->low.n > 0 ? (double)line->low.total : 0;
	char text[60];

	if (l->rule->figure == PT_RULE_COUNT) {
		pt_limit_count(l, line->rises, "seen", missing);
	} else if (l->rule->figure != PT_RULE_SHARE) {
		pt_limit_times(l, &(struct pt_limit_times){
					  .stat = l->rule->figure == PT_RULE_HIGH  ? &line->high
						  : l->rule->figure == PT_RULE_LOW ? &line->low
										   : &line->period,
					  .reported = "seen",
					  .missing = missing,
					  .error_ns = line->error_ns,
				  });
	} else if (high + low <= 0 || (missing != NULL && !l->rule->seen)) {
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "%s", missing != NULL ? missing : "no whole pulse was seen");
	} else {
		snprintf(text, sizeof(text), "%.2f %% of the whole pulses", high / (high + low) * 100);
		pt_limit_within(l, high / (high + low), high / (high + low), text);
	}
}

static void judge_lines(struct pt_limit *l, const struct pt_profile *p)
{
	for (size_t i = 0; p->aux != NULL && i < p->aux->n_lines; i++)
		if (strcmp(p->aux->signals->definition[p->aux->line[i].line].name, l->rule->name) == 0) {
			judge_line(l, p, &p->aux->line[i]);
			return;
		}
	pt_limit_say(l, PT_VERDICT_UNDECIDED, "nothing was seen of line %s", l->rule->name);
}

static void judge_latency(struct pt_limit *l, const struct pt_profile *p)
{
	for (size_t i = 0; p->aux != NULL && i < p->aux->n_latencies; i++) {
		const struct pt_aux_latency *a = &p->aux->latency[i];
		bool some = a->missing || a->undecided > 0 || a->unanswered > 0;

		if (strcmp(a->name, l->rule->name) != 0)
			continue;
		pt_limit_times(l, &(struct pt_limit_times){
					  .stat = &a->time,
					  .reported = "seen",
					  .missing = pt_limit_missing(p, some),
					  .error_ns = a->error_ns,
				  });
		return;
	}
	pt_limit_say(l, PT_VERDICT_UNDECIDED, "it was not measured: latency=%.100s does", l->rule->name);
}

/* --- tasks, ISR2s, services, spans */

static struct pt_stat scaled(const struct pt_stat *stat, double ns)
{
	return (struct pt_stat){
		.n = stat->n, .total = (uint64_t)((double)stat->total * ns), .min_at = PT_UNKNOWN, .max_at = PT_UNKNOWN,
		.min = stat->n > 0 ? (uint64_t)((double)stat->min * ns) : PT_UNKNOWN,
		.max = (uint64_t)((double)stat->max * ns), .unended = (uint64_t)((double)stat->unended * ns),
	};
}

/* By signals in ns; else on the profile's clock, by flow. */
static void judge_task(struct pt_limit *l, const struct pt_profile *p, const struct pt_task *task, double ns_per_tick)
{
	bool signals = p->tasks->by_signals && task->kind != PT_TASK_FOUND;
	bool some = signals ? task->missing : p->counts != PT_BASIS_EXACT;
	const struct pt_stat *of = l->rule->figure == PT_RULE_PERIOD ? &task->period : &task->slice;
	struct pt_stat stat = signals ? *of : scaled(of, ns_per_tick);

	if (l->rule->figure == PT_RULE_COUNT)
		pt_limit_count(l, task->activations, "seen", pt_limit_missing(p, some));
	else if (!signals && ns_per_tick <= 0)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "the core clock, which turns cycles into time, is not known");
	else if (!signals && p->windowed)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "bursts do not show whole slices");
	else
		pt_limit_times(l, &(struct pt_limit_times){
					  .stat = &stat,
					  .reported = "seen",
					  .missing = pt_limit_missing(p, some),
					  .core = task->core,
					  .error_ns = signals ? task->error : 0,
				  });
}

static const char by_looks[] = "looks do not see what comes and goes between two of them";

static void judge_count_of_states(struct pt_limit *l, const struct pt_profile *p, const struct pt_task_states *s)
{
	bool activations = l->rule->figure == PT_RULE_ACTIVATIONS;
	uint64_t n = activations ? s->activations : s->preemptions;
	uint64_t more = activations ? s->either + s->unsure : s->unsure_preemptions;
	const char *missing = !s->writes ? by_looks : pt_limit_missing(p, s->missing);
	char text[80];

	if (missing != NULL || more == 0 || l->rule->seen) {
		pt_limit_count(l, n, s->writes ? "seen" : "found by looks", missing);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64 " to %" PRIu64, n, n + more);
	pt_limit_within(l, (double)n, (double)(n + more), text);
}

/* Activations, preemptions and responses of a task, by its states. */
static void judge_states(struct pt_limit *l, const struct pt_profile *p, const struct pt_task *task)
{
	const struct pt_task_states *s = task->states;

	if (s == NULL)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "nothing was seen of its states");
	else if (!s->writes && l->rule->figure != PT_RULE_ACTIVATIONS)
		pt_limit_say(l, PT_VERDICT_UNDECIDED,
			     "looks at its state do not show it: a source that sees the writes does");
	else if (l->rule->figure == PT_RULE_PREEMPTIONS && !s->runs)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "its states do not say when it ran, nor does a signal");
	else if (l->rule->figure != PT_RULE_RESPONSE)
		judge_count_of_states(l, p, s);
	else
		pt_limit_times(l, &(struct pt_limit_times){
					  .stat = &s->response,
					  .reported = "seen",
					  .missing = pt_limit_missing(p, s->missing),
					  .core = task->core,
					  .error_ns = s->error_ns,
				  });
}

bool pt_limit_is_of_states(const struct pt_rule *rule)
{
	return rule->figure == PT_RULE_RESPONSE || rule->figure == PT_RULE_ACTIVATIONS ||
	       rule->figure == PT_RULE_PREEMPTIONS;
}

static void judge_tasks(struct pt_limit *l, const struct pt_profile *p, double ns_per_tick)
{
	for (size_t i = 0; p->tasks != NULL && i < p->tasks->n_tasks; i++)
		if (p->tasks->task[i].name != NULL && strcmp(p->tasks->task[i].name, l->rule->name) == 0) {
			if (pt_limit_is_of_states(l->rule))
				judge_states(l, p, &p->tasks->task[i]);
			else if (p->tasks->task[i].kind == PT_TASK_BY_STATE)
				pt_limit_say(l, PT_VERDICT_UNDECIDED, "its state alone was seen, not when it ran");
			else
				judge_task(l, p, &p->tasks->task[i], ns_per_tick);
			return;
		}
	pt_limit_say(l, PT_VERDICT_UNDECIDED, "no task '%s' was seen", l->rule->name);
}

static const struct pt_span_figures *span_of(const struct pt_rule *rule, const struct pt_profile *p)
{
	static const enum pt_span_by by[PT_N_RULE_SUBJECTS] = {
		[PT_RULE_SPAN] = PT_SPAN_BY_SIGNAL, [PT_RULE_ISR] = PT_SPAN_BY_ISR, [PT_RULE_SERVICE] = PT_SPAN_BY_SERVICE,
	};

	for (size_t i = 0; p->signalled != NULL && i < p->signalled->n_spans; i++)
		if (p->signalled->span[i].by == by[rule->subject] && p->signalled->span[i].name != NULL &&
		    strcmp(p->signalled->span[i].name, rule->name) == 0)
			return &p->signalled->span[i];
	return NULL;
}

bool pt_limit_is_signalled(const struct pt_rule *rule, const struct pt_profile *profile)
{
	return rule->subject > PT_RULE_EXCEPTION || (rule->subject == PT_RULE_TASK && rule->figure != PT_RULE_LOAD) ||
	       (rule->subject == PT_RULE_SPAN && span_of(rule, profile) != NULL);
}

static void judge_span(struct pt_limit *l, const struct pt_profile *p)
{
	static const enum pt_tally_kind kinds[] = {
		[PT_RULE_NET] = PT_TALLY_NET, [PT_RULE_GROSS] = PT_TALLY_GROSS, [PT_RULE_CALL] = PT_TALLY_CALL,
		[PT_RULE_PERIOD] = PT_TALLY_PERIOD, [PT_RULE_INACTIVE] = PT_TALLY_INACTIVE,
	};
	const struct pt_span_figures *span = span_of(l->rule, p);
	const char *missing = pt_limit_missing(p, p->signalled != NULL && p->signalled->lost > 0);

	if (l->rule->figure == PT_RULE_SHARE)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "shares are of functions; spans have none");
	else if (l->rule->figure == PT_RULE_COUNT)
		pt_limit_count(l, span != NULL ? span->run.count : 0, "seen",
			       p->signalled == NULL || p->signalled->n_spans == 0 ? "nothing signalled any" : missing);
	else if (span == NULL)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "no whole one was seen");
	else
		pt_limit_times(l, &(struct pt_limit_times){
					  .stat = &span->run.stat[kinds[l->rule->figure]],
					  .reported = "seen",
					  .missing = missing,
					  .error_ns = span->error_ns,
					  .core = span->core,
				  });
}

/* --- counters */

static void judge_counted(struct pt_limit *l, const struct pt_counter_row *c)
{
	double lo = (double)c->total, hi = lo + (double)c->rest;
	char text[60];

	if (c->shared) {
		lo = c->scaled - c->scaled_error;
		hi = c->scaled + c->scaled_error;
	}
	if (c->is_value)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "%s does not count", c->name);
	else if (c->unknown > 0 || isnan(lo) || isnan(hi))
		pt_limit_count(l, c->total, "counted", "some may be missing");
	else if (!c->shared && c->rest == 0)
		pt_limit_count(l, c->total, "counted", NULL);
	else {
		snprintf(text, sizeof(text), "%.0f to %.0f", lo, hi);
		pt_limit_within(l, lo, hi, text);
	}
}

/* The mean of the time in which it was counted. */
static void judge_rate(struct pt_limit *l, const struct pt_counter_row *c)
{
	double shortest = c->timed_ns > c->timed_error_ns ? (double)(c->timed_ns - c->timed_error_ns) : 0;
	double longest = (double)pt_counter_longest_ns(c), n = (double)c->timed;
	char text[80];

	if (c->is_value || c->timed_ns == 0 || shortest <= 0) {
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "no rate of it is known");
		return;
	}
	snprintf(text, sizeof(text), "%.4g per second", n * 1e9 / (double)c->timed_ns);
	pt_limit_within(l, n * 1e9 / longest, n * 1e9 / shortest, text);
	if (l->verdict != PT_VERDICT_UNDECIDED && (c->unknown > 0 || c->shared) && !l->rule->seen)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "%s, of the time in which it was counted", text);
	else if (l->verdict == PT_VERDICT_FAILED)
		pt_limit_note(l, c->rate_max_at, c->error_ns, PT_UNKNOWN, c->core);
}

static void judge_counter(struct pt_limit *l, const struct pt_profile *p)
{
	for (size_t i = 0; p->counters != NULL && i < p->counters->n_counters; i++) {
		const struct pt_counter_row *c = &p->counters->counter[i];

		if (strcmp(c->name, l->rule->name) != 0)
			continue;
		if (l->rule->figure == PT_RULE_RATE)
			judge_rate(l, c);
		else
			judge_counted(l, c);
		return;
	}
	pt_limit_say(l, PT_VERDICT_UNDECIDED, "there is no counter '%s'", l->rule->name);
}

void pt_limit_judge_signal(struct pt_limit *limit, const struct pt_profile *profile, double ns_per_tick)
{
	limit->n_extremes = 0;
	switch (limit->rule->subject) {
	case PT_RULE_STATE: case PT_RULE_VARIABLE:
		pt_limit_judge_variable(limit, profile);
		break;
	case PT_RULE_LINE:
		judge_lines(limit, profile);
		break;
	case PT_RULE_LATENCY:
		judge_latency(limit, profile);
		break;
	case PT_RULE_TASK:
		judge_tasks(limit, profile, ns_per_tick);
		break;
	case PT_RULE_COUNTER:
		judge_counter(limit, profile);
		break;
	default:
		judge_span(limit, profile);
		break;
	}
}
