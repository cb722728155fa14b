/* What --help and `proftap help` print: an overview, or a subcommand on one screen. */
#ifndef PT_CLI_HELP_H
#define PT_CLI_HELP_H

#include "cli/subcommands.h"

void pt_help(const struct pt_subcommand *const *all);	/* NULL behind the last */
void pt_help_subcommand(const struct pt_subcommand *subcommand);

#endif
