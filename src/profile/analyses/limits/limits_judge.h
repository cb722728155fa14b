/* The verdict on one rule, apart from how invocations are looked at (limits.c). */
#ifndef PT_PROFILE_LIMITS_JUDGE_H
#define PT_PROFILE_LIMITS_JUDGE_H

#include "profile/result/analysis.h"
#include "profile/analyses/limits/limits.h"

/* Sets verdict and why of limit, from what was looked at and from the rest of the profile. ns_per_tick 0: not known. */
void pt_limit_judge(struct pt_limit *limit, const struct pt_profile *profile, double ns_per_tick);

/* --- limits_verdict.c */

void pt_limit_say(struct pt_limit *limit, enum pt_verdict verdict, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void pt_limit_print_ns(double ns, char *out, size_t size);	/* "9.8 us" */
/* There were n, which is how many were seen, or reported; missing: why there may have been more, NULL: there were not. */
void pt_limit_count(struct pt_limit *limit, uint64_t n, const char *seen, const char *missing);
/* And between which limits it is: quantiles come from a histogram. NAN: it is not known. */
struct pt_estimate pt_limit_stat(const struct pt_stat *stat, enum pt_rule_of of);
/* What was not seen can only make the least smaller, and the most and the total larger. value: in the rule's unit. */
bool pt_limit_decides_alone(const struct pt_rule *rule, double value, bool allowed);

/* --- limits_times.c: rules about each of something, or about the least, the most, ... of it, by what a source reported */

struct pt_limit_times {
	const struct pt_stat *stat;	/* ns */
	const char *reported;	/* "reported", "seen" */
	const char *missing;	/* why there may have been more; NULL: there were not */
	bool untrue;		/* one may be two, of which the end and the beginning are missing: nothing decides */
	uint64_t error_ns;	/* of each, at worst */
	uint16_t core;
};

void pt_limit_times(struct pt_limit *limit, const struct pt_limit_times *times);
/* It happened then, and violates the rule. */
void pt_limit_note(struct pt_limit *limit, uint64_t at_ns, uint64_t error_ns, uint64_t value_ns, uint16_t core);
/* A figure within lo..hi (95 %, or bounds); as text, in words. */
void pt_limit_within(struct pt_limit *limit, double lo, double hi, const char *text);

/* Why there may be more than was reported; NULL: there is not. */
const char *pt_limit_missing(const struct pt_profile *profile, bool some);

/* limits_variables.c. States of variables, and their changes. */
void pt_limit_judge_variable(struct pt_limit *limit, const struct pt_profile *profile);
/* Errors: PT_EARG, such a variable or value is not followed. */
int pt_limit_check_signal(const struct pt_rule *rule, const struct pt_signal_set *signals, struct pt_err *err);

/* limits_signals.c. All of these, lines, latencies, ISR2s and services, signalled spans, tasks and
 * counters. ns_per_tick: as above. */
void pt_limit_judge_signal(struct pt_limit *limit, const struct pt_profile *profile, double ns_per_tick);
/* Whether the rule is about a task's activations, preemptions or responses. */
bool pt_limit_is_of_states(const struct pt_rule *rule);
/* Whether the rule is one about a span that is signalled. */
bool pt_limit_is_signalled(const struct pt_rule *rule, const struct pt_profile *profile);

/* limits_exceptions.c. The same for a rule on an exception that the chip reported, whose times are in ns. */
void pt_limit_judge_exception(struct pt_limit *limit, const struct pt_profile *profile);

/* limits_unended.c. What one without an end changes of the verdict on the whole ones; unit: a tick in the rule's unit, text: the
 * longest such one. And whether it violates the rule. */
void pt_limit_unended(struct pt_limit *limit, const struct pt_stat *stat, double unit, const char *text);
bool pt_limit_unended_violates(const struct pt_rule *rule, const struct pt_stat *stat, double unit);

/* limits_sleep.c. A modelled clock counts what was executed: it stands still while the core sleeps, so whatever lasts
 * from before to after a WFI is longer than it says, and it is not known by how much. */
bool pt_limits_slept(const struct pt_profile *profile);
/* Per id: code of the function could put the core to sleep, or is not known. id 0, no function, is not known. To be freed. */
bool *pt_limits_sleepers(const struct pt_program *program, const struct pt_function *functions, size_t n_ids);

/* limits_basis.c. Makes a verdict undecided if the ELF, the clock or the mode that it depends on is known to be wrong, and adds to
 * the others what was not checked.
 * on_clock: its times are of the profile's clock. */
void pt_limit_basis(struct pt_limit *limit, const struct pt_profile *profile, bool on_clock);

#endif
