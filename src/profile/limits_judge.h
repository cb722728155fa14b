/* The verdict on one rule, apart from how invocations are looked at (limits.c). */
#ifndef PT_PROFILE_LIMITS_JUDGE_H
#define PT_PROFILE_LIMITS_JUDGE_H

#include "profile/analysis.h"
#include "profile/limits.h"

/* Sets verdict and why of limit, from what was looked at and from the rest of the profile. ns_per_tick 0: not known. */
void pt_limit_judge(struct pt_limit *limit, const struct pt_profile *profile, double ns_per_tick);

#endif
