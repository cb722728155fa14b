/* monitor semihost [on|off|gdb|console]: which side serves the program's requests by BKPT 0xAB. The folder for its
 * files is set on the command line only: a client that writes memory could make the program write any file in it. */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/alloc.h"
#include "control/commands.h"

struct asked {
	enum pt_host_mode mode;
	bool show;
};

static const char *const modes[] = {
	[PT_HOST_OFF] = "off", [PT_HOST_CONSOLE] = "console", [PT_HOST_GDB] = "gdb"
};

static int on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const struct asked *asked = cmd->data;
	const struct pt_host *sh = pt_board_host(board);

	(void)target;
	if (!asked->show && pt_board_host_set(board, asked->mode, err) < 0)
		return err->code;
	switch (sh->mode) {
	case PT_HOST_OFF:
		pt_command_say(cmd, "semihosting off: BKPT 0xAB is a breakpoint like others");
		break;
	case PT_HOST_CONSOLE:
		pt_command_say(cmd, "semihosting console: text comes as messages, %s%s",
			       sh->dir[0] != '\0' ? "files are in " : "there are no files", sh->dir);
		break;
	default:
		pt_command_say(cmd, "semihosting gdb: an all-stop GDB that waits serves it, with its files; without "
				    "one, the console");
		break;
	}
	if (sh->ended)
		pt_command_say(cmd, "the program has ended: exit status %u", (unsigned)sh->status);
	return 0;
}

static void semihost(struct pt_command *cmd)
{
	struct asked *asked = pt_alloc(sizeof(*asked));
	struct pt_question question;
	size_t mode = 0;

	cmd->data = asked;
	asked->show = cmd->n_words == 0;
	if (cmd->n_words > 0 && strcmp(cmd->words[0], "on") == 0)
		mode = PT_HOST_GDB;
	else
		while (cmd->n_words > 0 && mode < PT_HOST_GDB + 1u && strcmp(cmd->words[0], modes[mode]) != 0)
			mode++;
	asked->mode = (enum pt_host_mode)mode;
	if (mode > PT_HOST_GDB)
		pt_command_fail(cmd, PT_EARG, "semihost takes on, off, gdb or console%salone it says what is set",
				pt_did_you_mean(cmd->words[0], "on off gdb console", &question));
	else if (cmd->n_words > 1)
		pt_command_fail(cmd, PT_EPERM,
				"semihost: the folder for the program's files is named where proftap is started: "
				"proftap --semihost-dir DIR, or semihost-dir = DIR in its configuration");
	else
		pt_command_on_board(cmd, on_board, NULL);
}

const struct pt_command_row pt_commands_semihost[] = {
	{ .name = "semihost", .usage = "[on|off|gdb|console]",
	  .help = "serve what the program asks by BKPT 0xAB: text, files (--semihost-dir, or GDB's), time, its end",
	  .flags = PT_COMMAND_CONTROLS | PT_COMMAND_ASKS, .run = semihost },
	{ 0 },
};
