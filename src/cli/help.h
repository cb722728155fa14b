/* The output of --help and `proftap help`: an overview, or one subcommand on one screen. */
#ifndef PT_CLI_HELP_H
#define PT_CLI_HELP_H

#include "cli/subcommands.h"

void pt_help(const struct pt_subcommand *const *all);	/* NULL behind the last */
void pt_help_subcommand(const struct pt_subcommand *subcommand);

#endif
