/* proftap boards: the virtual boards there are. */
#include <stdio.h>

#include "probes/virtual/board.h"
#include "cli/app.h"
#include "cli/subcommands.h"

static void print_line(void *arg, const char *line)
{
	(void)arg;
	printf("  %s\n", line);
}

static void print_own(const struct pt_vboard_ops *board)
{
	if (board->n_params == 0)
		return;
	printf("\nkeys of virtual:%s alone\n", board->name);
	pt_params_help(board->params, board->n_params, print_line, NULL);
}

static int run_boards(const struct pt_options *options)
{
	(void)options;
#define X(board) printf("%-8s %s\n", pt_vboard_##board.name, pt_vboard_##board.help);
	PT_VBOARDS(X)
#undef X
	printf("\nkeys of virtual:NAME?KEY=VALUE&...\n");
	pt_params_help(pt_vboard_params, pt_n_vboard_params, print_line, NULL);
#define X(board) print_own(&pt_vboard_##board);
	PT_VBOARDS(X)
#undef X
	return PT_EXIT_DONE;
}

const struct pt_verb pt_verb_boards = { "boards", "", "list the virtual boards and their keys", run_boards };
