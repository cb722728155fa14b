/* sync=LINE:FUNCTION of decode and check: the files are read once ahead, for the edges of the line and the entries of the
 * function; what the two say of the clocks (profile/stats/clock_fit.h) becomes the clock of the line's file. */
#ifndef PT_CLI_SYNCHRONISE_H
#define PT_CLI_SYNCHRONISE_H

#include "cli/commands/rerun.h"

/* Behind the settings and the program, before inputs are read. Does nothing without sync=. PT_EARG: the clocks cannot be
 * identified; the sentence says why. */
int pt_synchronise(struct pt_rerun *rerun, struct pt_err *err);

#endif
