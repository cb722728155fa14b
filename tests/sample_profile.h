/* A profile by hand with something in every table, for the tests of formats: small enough to check by eye. */
#ifndef PT_TESTS_SAMPLE_PROFILE_H
#define PT_TESTS_SAMPLE_PROFILE_H

#include "profile/result/profile.h"

/* Constant, and the same one each time; the caller may change its copy. 48 MHz; cycles. */
struct pt_profile sample_profile(void);

#endif
