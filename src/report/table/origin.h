/* The command that makes a profile again. Pure. */
#ifndef PT_REPORT_ORIGIN_H
#define PT_REPORT_ORIGIN_H

#include "base/text.h"
#include "profile/result/profile.h"

/* As a shell takes it: "proftap profile --probe 'virtual:kl27?clock=virtual' --for 2s". False: the capture does not say
 * which probe it was. What is about the probe or the target and not about profiles (--set swclk=1000000) is not in it. */
bool pt_origin_command(const struct pt_profile *profile, struct pt_text *out);

#endif
