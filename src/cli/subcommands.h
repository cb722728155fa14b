/* The verbs of the command line, one file each; one word in PT_VERBS. A verb returns the exit status. */
#ifndef PT_VERBS_H
#define PT_VERBS_H

#include "cli/options.h"

struct pt_verb {
	const char *name, *arguments, *help;
	int (*run)(const struct pt_options *options);
};

#define PT_VERBS(X) X(serve) X(probes) X(drivers) X(boards) X(board) X(events) X(monitor) X(profile) X(decode) X(check) X(diff) X(restore)
#define X(verb) extern const struct pt_verb pt_verb_##verb;
PT_VERBS(X)
#undef X

#endif
