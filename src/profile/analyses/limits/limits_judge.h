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
double pt_limit_stat(const struct pt_stat *stat, enum pt_rule_of of);	/* NAN: it is not known */
/* What was not seen can only make the least smaller, and the most and the total larger. value: in the rule's unit. */
bool pt_limit_decides_alone(const struct pt_rule *rule, double value, bool allowed);

/* limits_exceptions.c. The same for a rule on an exception that the chip reported, whose times are in ns. */
void pt_limit_judge_exception(struct pt_limit *limit, const struct pt_profile *profile);

/* limits_unended.c. In ticks, what the longest invocation without an end took until then, at least, by net, gross or call; 0:
 * there is none, or it is not known. Of net it may be of code that other functions jumped into. */
double pt_limit_unended(const struct pt_rule *rule, const struct pt_profile *profile);

/* limits_sleep.c. A modelled clock counts what was executed: it stands still while the core sleeps, so whatever lasts
 * from before to after a WFI is longer than it says, and it is not known by how much. */
bool pt_limits_slept(const struct pt_profile *profile);

#endif
