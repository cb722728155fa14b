/* proftap boards: lists the virtual boards, and the names that --board accepts. */
#include "cli/named_boards.h"
#include "probes/virtual/boards.h"
#include "cli/app.h"
#include "cli/output.h"
#include "cli/subcommands.h"

/* "probe=rsp, xvc or bitbang"; nothing if there is only one kind. */
static void add_probes(const char *const *probes, struct pt_text *out)
{
	for (size_t i = 0; probes[0] != NULL && probes[1] != NULL && probes[i] != NULL; i++)
		pt_text_add(out, "%s%s", i == 0 ? "; probe=" : probes[i + 1] != NULL ? ", " : " or ", probes[i]);
}

static void add_line(void *out, const char *line)
{
	pt_text_add(out, "  %s\n", line);
}

static void add_own(const struct pt_vboard_ops *board, struct pt_text *out)
{
	if (board->n_params == 0)
		return;
	pt_text_add(out, "\nkeys of virtual:%s alone\n", board->name);
	pt_vboard_help(board, add_line, out);
}

static void add_named(const struct pt_named_board *board, struct pt_text *out)
{
	pt_text_add(out, "  %-19s  %-24s  %s%s%s%s\n", board->name, board->chip != NULL ? board->chip : "(not checked)",
		    board->probe->name, pt_named_board_is_driven(board) ? "" : " *",
		    board->core_clock != NULL ? "; core-clock=" : "",
		    board->core_clock != NULL ? board->core_clock : "");
}

static void add_all_named(struct pt_text *out)
{
	bool all_driven = true;

	pt_text_add(out, "\nboards by name (--board NAME): name, chip, probe\n");
	for (size_t i = 0; i < pt_n_named_boards; i++) {
		add_named(&pt_named_boards[i], out);
		all_driven &= pt_named_board_is_driven(&pt_named_boards[i]);
	}
	if (!all_driven)
		pt_text_add(
			out,
			"* This version has no driver for the probe on the board: connect a probe that proftap probes "
			"lists to its debug pins, and add --probe usb: to the command.\n");
}

static int run_boards(const struct pt_options *options)
{
	struct pt_text out = { 0 };

	(void)options;
	pt_text_add(&out, "virtual boards (--probe virtual:NAME)\n");
	for (size_t i = 0; i < pt_n_vboards; i++) {
		pt_text_add(&out, "%-10s  %s", pt_vboards[i]->name, pt_vboards[i]->help);
		add_probes(pt_vboards[i]->probes, &out);
		pt_text_add(&out, "\n");
	}
	pt_text_add(&out, "\nkeys of virtual:NAME?KEY=VALUE&...\n");
	pt_vboard_help(NULL, add_line, &out);
	for (size_t i = 0; i < pt_n_vboards; i++)
		add_own(pt_vboards[i], &out);
	add_all_named(&out);
	pt_output_lines(&out);
	pt_text_free(&out);
	return PT_EXIT_DONE;
}

const struct pt_subcommand pt_subcommand_boards = { "boards", "", "list the virtual boards and their keys, and the names of --board",
	"proftap boards\n"
	"    what virtual:NAME and --board NAME may be\n"
	"proftap profile --probe virtual:kl27 --for 2s\n"
	"    one of them at work\n",
	run_boards };
