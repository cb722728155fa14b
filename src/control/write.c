/* monitor profile write NAME VALUE: writes a variable that the profile follows, while the program runs. */
#include "control/commands.h"

static void write_variable(struct pt_command *cmd)
{
	if (cmd->n_words != 2) {
		pt_command_fail(cmd, PT_EARG,
				"profile write NAME VALUE: a variable that the profile follows, and a number or "
				"the name of an enumerator");
		return;
	}
	pt_session_write(cmd->ctx->session, cmd->words[0], cmd->words[1], pt_command_session_reply, cmd);
}

const struct pt_command_row pt_commands_write[] = {
	{ .name = "profile write", .usage = "NAME VALUE",
	  .help = "write a variable that the profile follows, while the program runs; the timeline shows when",
	  .flags = PT_COMMAND_CONTROLS, .run = write_variable },
	{ 0 },
};
