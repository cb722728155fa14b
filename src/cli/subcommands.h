/* The subcommands of the command line, one file each; one word in PT_SUBCOMMANDS. A subcommand returns the exit status. */
#ifndef PT_SUBCOMMANDS_H
#define PT_SUBCOMMANDS_H

#include "cli/options.h"
#include "control/command.h"

struct pt_subcommand {
	const char *name, *arguments, *help;
	const char *examples;		/* two: each a command line, and under it, indented, its purpose */
	int (*run)(const struct pt_options *options);
};

/* Tables of other folders, set by main, for the subcommands that print them (manual, complete). */
struct pt_tables {
	const struct pt_subcommand *const *subcommands;	/* NULL behind the last */
	const struct pt_command_row *gdb_rows;	/* of monitor, for GDB clients only; ended by one without a name */
};

#define PT_SUBCOMMANDS(X) X(serve) X(probes) X(drivers) X(boards) X(board) X(events) X(status) X(ctl) X(monitor) X(profile) X(top) X(decode) X(check) X(diff) X(restore) X(selftest) X(manual) X(complete)
#define X(subcommand) extern const struct pt_subcommand pt_subcommand_##subcommand;
PT_SUBCOMMANDS(X)
#undef X

#endif
