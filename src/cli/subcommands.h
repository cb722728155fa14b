/* The subcommands of the command line, one file each; one word in PT_SUBCOMMANDS. A subcommand returns the exit status. */
#ifndef PT_SUBCOMMANDS_H
#define PT_SUBCOMMANDS_H

#include "cli/options.h"

struct pt_subcommand {
	const char *name, *arguments, *help;
	const char *examples;		/* two: a command a line, and under it, indented, what it is for */
	int (*run)(const struct pt_options *options);
};

#define PT_SUBCOMMANDS(X) X(serve) X(probes) X(drivers) X(boards) X(board) X(events) X(monitor) X(profile) X(decode) X(check) X(diff) X(restore)
#define X(subcommand) extern const struct pt_subcommand pt_subcommand_##subcommand;
PT_SUBCOMMANDS(X)
#undef X

#endif
