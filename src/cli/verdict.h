/* Shared by subcommands with timing rules: the exit status, and the report for CI systems. */
#ifndef PT_CLI_VERDICT_H
#define PT_CLI_VERDICT_H

#include <stddef.h>

#include "cli/options.h"

/* PT_EXIT_CHECK_FAILED if a rule was violated, or undecided without --lenient; prints which. Else PT_EXIT_DONE. */
int pt_verdict_status(const struct pt_options *options, size_t failed, size_t undecided);

/* lost: the part that was lost to faults, 0..1; what --max-loss says of it. */
int pt_verdict_of_loss(const struct pt_options *options, double lost);
/* A report of before would look like one of now: --junit FILE is removed at the start, and says that there is no verdict
 * where proftap ends with an error. A capture, or what is no file, is left alone. */
void pt_verdict_forget(const struct pt_options *options);
int pt_verdict_end(const struct pt_options *options, int status);	/* returns status */

#endif
