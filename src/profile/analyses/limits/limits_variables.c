/* Rules on variables. Where writes were seen, a figure is exact unless some may be missing. Where a variable was looked at
 * now and then, a share is an estimate with its interval, a change or a state that was found is one of at least so many,
 * and how long a state lasts is not known. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "profile/analyses/limits/limits_judge.h"
#include "profile/analyses/signals/data.h"
#include "profile/analyses/signals/watched.h"

static const char by_looks[] = "looks do not see what comes and goes between two of them";

/* "g_state=RUN": how much of it is the variable's name. */
static size_t variable_bytes(const struct pt_rule *rule)
{
	const char *equals = strrchr(rule->name, '=');

	return rule->subject == PT_RULE_STATE && equals != NULL ? (size_t)(equals - rule->name) : strlen(rule->name);
}

static bool is_variable(const struct pt_rule *rule, const struct pt_signal_definition *d)
{
	size_t len = variable_bytes(rule);

	return strlen(d->name) == len && strncmp(d->name, rule->name, len) == 0;
}

static bool is_state(const struct pt_rule *rule, const struct pt_signal_definition *d, const char *name, uint64_t value)
{
	char number[40];

	pt_signal_print(d, value, number, sizeof(number));
	rule = is_variable(rule, d) ? rule : NULL;
	return rule != NULL && (strcmp(rule->name + variable_bytes(rule) + 1, name) == 0 ||
				strcmp(rule->name + variable_bytes(rule) + 1, number) == 0);
}

/* How long and how often, by writes. */
static void judge_written_state(struct pt_limit *l, const struct pt_profile *p, const struct pt_data_state *st)
{
	const char *missing = pt_limit_missing(p, st->missing);
	char text[60];

	if (l->rule->figure == PT_RULE_COUNT) {
		pt_limit_count(l, st->count, "seen", missing);
		if (l->verdict == PT_VERDICT_FAILED && st->duration.n > 0)
			pt_limit_note(l, st->duration.min_at, st->error_ns, st->duration.min, 0);
	} else if (l->rule->figure != PT_RULE_SHARE) {
		pt_limit_times(l, &(struct pt_limit_times){
					  .stat = l->rule->figure == PT_RULE_STAY ? &st->duration : &st->period,
					  .reported = "seen",
					  .missing = missing,
					  .error_ns = st->error_ns,
				  });
	} else if (missing != NULL && !l->rule->seen) {
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "%.2f %% of what was seen; %s", st->share * 100, missing);
	} else {
		snprintf(text, sizeof(text), "%.2f %%", st->share * 100);
		pt_limit_within(l, st->share, st->share, text);
	}
}

/* The variable was followed, and never had this value. */
static void judge_no_state(struct pt_limit *l, const char *missing, double most)
{
	char text[80];

	snprintf(text, sizeof(text), "0 %%, at most %.2f %%", most * 100);
	if (l->rule->figure == PT_RULE_COUNT)
		pt_limit_count(l, 0, "seen", missing);
	else if (l->rule->figure == PT_RULE_SHARE)
		pt_limit_within(l, 0, most, text);
	else
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "the variable was never seen with this value");
}

static bool judge_written(struct pt_limit *l, const struct pt_profile *p)
{
	const struct pt_data *data = p->data;
	bool followed = false, some = false;

	for (size_t i = 0; data != NULL && i < data->n_states; i++) {
		const struct pt_data_state *st = &data->state[i];
		const struct pt_signal_definition *d = &data->signals->definition[st->variable];

		followed |= is_variable(l->rule, d);
		some |= is_variable(l->rule, d) && st->missing;
		if (st->others || !is_state(l->rule, d, st->name, st->value))
			continue;
		judge_written_state(l, p, st);
		return true;
	}
	if (followed)
		judge_no_state(l, pt_limit_missing(p, some), pt_limit_missing(p, some) != NULL ? 1 : 0);
	return followed;
}

static void judge_looked_at_state(struct pt_limit *l, const struct pt_watched_state *st)
{
	char text[80];

	snprintf(text, sizeof(text), "%.2f %% (%.2f to %.2f)", st->share.share * 100, st->share.lo * 100,
		 st->share.hi * 100);
	if (l->rule->figure == PT_RULE_SHARE)
		pt_limit_within(l, st->share.lo, st->share.hi, text);
	else if (l->rule->figure == PT_RULE_COUNT)
		pt_limit_count(l, st->found, "found by looks", by_looks);
	else
		pt_limit_say(l, PT_VERDICT_UNDECIDED,
			     "looks do not show how long a state lasts: a source that sees "
			     "writes does");
	if (l->verdict == PT_VERDICT_FAILED)
		pt_limit_note(l, st->first.ns, st->first.error_ns, PT_UNKNOWN, 0);
}

static bool judge_looked_at(struct pt_limit *l, const struct pt_profile *p)
{
	const struct pt_watched *w = p->watched;

	for (size_t i = 0; w != NULL && i < w->n_variables; i++) {
		const struct pt_watched_variable *v = &w->variable[i];
		const struct pt_signal_definition *d = &w->signals->definition[v->variable];

		if (!is_variable(l->rule, d) || v->looks == 0)
			continue;
		for (size_t k = 0; k < v->n_states; k++)
			if (!v->state[k].others && is_state(l->rule, d, v->state[k].name, v->state[k].value)) {
				judge_looked_at_state(l, &v->state[k]);
				return true;
			}
		judge_no_state(l, by_looks, v->n_states > PT_WATCHED_STATES || v->n_states == 0 ? 1 : v->unseen);
		return true;
	}
	return false;
}

static bool judge_changes(struct pt_limit *l, const struct pt_profile *p)
{
	const struct pt_data *data = p->data;
	const struct pt_watched *w = p->watched;
	uint64_t entered = 0;
	bool states = false, some = false;

	for (size_t i = 0; data != NULL && i < data->n_quantities; i++)
		if (is_variable(l->rule, &data->signals->definition[data->quantity[i].variable])) {
			pt_limit_count(l, data->quantity[i].changes, "seen",
				       pt_limit_missing(p, data->quantity[i].missing));
			return true;
		}
	for (size_t i = 0; data != NULL && i < data->n_states; i++)
		if (is_variable(l->rule, &data->signals->definition[data->state[i].variable])) {
			entered += data->state[i].count;
			some |= data->state[i].missing;
			states = true;
		}
	if (states) {	/* what it was first is no change */
		pt_limit_count(l, entered > 0 ? entered - 1 : 0, "seen", pt_limit_missing(p, some));
		return true;
	}
	for (size_t i = 0; w != NULL && i < w->n_variables; i++)
		if (is_variable(l->rule, &w->signals->definition[w->variable[i].variable])) {
			pt_limit_count(l, w->variable[i].changes, "found by looks", by_looks);
			return true;
		}
	return false;
}

void pt_limit_judge_variable(struct pt_limit *l, const struct pt_profile *p)
{
	bool judged =
		l->rule->figure == PT_RULE_CHANGES ? judge_changes(l, p) : judge_written(l, p) || judge_looked_at(l, p);

	if (!judged)
		pt_limit_say(l, PT_VERDICT_UNDECIDED, "nothing was seen of %.*s", (int)variable_bytes(l->rule),
			     l->rule->name);
}

/* --- at the start */

static int check_value(const struct pt_rule *rule, const struct pt_signal_definition *d, struct pt_err *err)
{
	const char *value = rule->name + variable_bytes(rule) + 1;
	char question[PT_NEAREST_QUESTION], *end;
	struct pt_nearest near;

	strtod(value, &end);
	if (end != value && *end == '\0')
		return 0;
	pt_nearest_init(&near, value, strlen(value));
	for (size_t i = 0; i < d->n_values; i++) {
		if (strcmp(d->values[i].name, value) == 0)
			return 0;
		pt_nearest_offer(&near, d->values[i].name);
	}
	for (size_t i = 0; d->tasks != NULL && i < d->tasks->n_tasks; i++) {
		if (strcmp(d->tasks->task[i].name, value) == 0)
			return 0;
		pt_nearest_offer(&near, d->tasks->task[i].name);
	}
	return pt_fail(err, PT_EARG, "line %u: %s has no value '%s'%sname one of its enumeration, or a number",
		       rule->line, d->name, value, pt_nearest_question(&near, question, sizeof(question)));
}

/* A task whose states are followed. */
static int check_task(const struct pt_rule *rule, const struct pt_signal_set *signals, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;

	pt_nearest_init(&near, rule->name, strlen(rule->name));
	for (size_t i = 0; i < signals->n_definitions; i++) {
		const char *task = signals->definition[i].task;

		if (task != NULL && strcmp(task, rule->name) == 0)
			return 0;
		if (task != NULL)
			pt_nearest_offer(&near, task);
	}
	return pt_fail(err, PT_EARG,
		       "line %u: the state of task '%s' is not followed%san ORTI file that has STATE of it says how",
		       rule->line, rule->name, pt_nearest_question(&near, question, sizeof(question)));
}

int pt_limit_check_signal(const struct pt_rule *rule, const struct pt_signal_set *signals, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];
	size_t len = variable_bytes(rule);
	struct pt_nearest near;

	if (signals != NULL && pt_limit_is_of_states(rule))
		return check_task(rule, signals, err);
	if (signals == NULL || (rule->subject != PT_RULE_STATE && rule->subject != PT_RULE_VARIABLE))
		return 0;
	if (rule->subject == PT_RULE_STATE && rule->name[len] != '=')
		return pt_fail(err, PT_EARG, "line %u: a state is NAME=VALUE, as in share(state %.60s=1) < 5%%",
			       rule->line, rule->name);
	pt_nearest_init(&near, rule->name, len);
	for (size_t i = 0; i < signals->n_definitions; i++) {
		if (is_variable(rule, &signals->definition[i]))
			return rule->subject == PT_RULE_STATE ? check_value(rule, &signals->definition[i], err) : 0;
		pt_nearest_offer(&near, signals->definition[i].name);
	}
	return pt_fail(err, PT_EARG, "line %u: variable '%.*s' is not followed%svariables=%.*s follows it", rule->line,
		       (int)len, rule->name, pt_nearest_question(&near, question, sizeof(question)), (int)len,
		       rule->name);
}
