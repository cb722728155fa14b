/* Shared by subcommands with timing rules: the exit status, and the report for CI systems. */
#ifndef PT_CLI_VERDICT_H
#define PT_CLI_VERDICT_H

#include <stddef.h>

#include "cli/options.h"

/* PT_EXIT_CHECK_FAILED if a rule was violated, or undecided without --lenient; prints which. Else PT_EXIT_DONE. */
int pt_verdict_status(const struct pt_options *options, size_t failed, size_t undecided);

#endif
