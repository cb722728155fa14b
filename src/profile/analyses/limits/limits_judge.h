/* The verdict on one rule, apart from how invocations are looked at (limits.c). */
#ifndef PT_PROFILE_LIMITS_JUDGE_H
#define PT_PROFILE_LIMITS_JUDGE_H

#include "profile/result/analysis.h"
#include "profile/analyses/limits/limits.h"

/* Sets verdict and why of limit, from what was looked at and from the rest of the profile. ns_per_tick 0: not known. */
void pt_limit_judge(struct pt_limit *limit, const struct pt_profile *profile, double ns_per_tick);

/* limits_sleep.c. A modelled clock counts what was executed: it stands still while the core sleeps, so whatever lasts
 * from before to after a WFI is longer than it says, and it is not known by how much. */
bool pt_limits_slept(const struct pt_profile *profile);

#endif
