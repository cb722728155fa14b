/* The command that repeats a profile. Pure. */
#ifndef PT_REPORT_ORIGIN_H
#define PT_REPORT_ORIGIN_H

#include "base/text.h"
#include "profile/result/profile.h"

/* Quoted for a shell: "proftap profile --probe 'virtual:kl27?clock=virtual' --for 2s". False: the capture does not
 * contain all that the command needs. Settings of the probe or the target (--set swclk=1000000) are not included. */
bool pt_origin_command(const struct pt_profile *profile, struct pt_text *out);

#endif
