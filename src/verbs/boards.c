/* proftap boards: the virtual boards there are. */
#include <stdio.h>

#include "probes/virtual/board.h"
#include "rig.h"
#include "verbs/verbs.h"

static void print_line(void *arg, const char *line)
{
	(void)arg;
	printf("  %s\n", line);
}

static int run_boards(const struct pt_options *options)
{
	(void)options;
#define X(board) printf("%-8s %s\n", pt_vboard_##board.name, pt_vboard_##board.help);
	PT_VBOARDS(X)
#undef X
	printf("\nkeys of virtual:NAME?KEY=VALUE&...\n");
	pt_params_help(pt_vboard_params, pt_n_vboard_params, print_line, NULL);
	return PT_EXIT_DONE;
}

const struct pt_verb pt_verb_boards = { "boards", "", "list the virtual boards and their keys", run_boards };
