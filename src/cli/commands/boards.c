/* proftap boards: the virtual boards there are. */
#include <stdio.h>

#include "probes/virtual/boards.h"
#include "cli/app.h"
#include "cli/subcommands.h"

/* "probe=rsp, xvc or bitbang"; nothing where it can have but one. */
static void print_probes(const char *const *probes)
{
	for (size_t i = 0; probes[0] != NULL && probes[1] != NULL && probes[i] != NULL; i++)
		printf("%s%s", i == 0 ? "; probe=" : probes[i + 1] != NULL ? ", " : " or ", probes[i]);
}

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
	pt_vboard_help(board, print_line, NULL);
}

static int run_boards(const struct pt_options *options)
{
	(void)options;
	for (size_t i = 0; i < pt_n_vboards; i++) {
		printf("%-10s %s", pt_vboards[i]->name, pt_vboards[i]->help);
		print_probes(pt_vboards[i]->probes);
		printf("\n");
	}
	printf("\nkeys of virtual:NAME?KEY=VALUE&...\n");
	pt_vboard_help(NULL, print_line, NULL);
	for (size_t i = 0; i < pt_n_vboards; i++)
		print_own(pt_vboards[i]);
	return PT_EXIT_DONE;
}

const struct pt_verb pt_verb_boards = { "boards", "", "list the virtual boards and their keys", run_boards };
