/* monitor history [calls|back] [top=N]: the branch history as text. GDB's own record function-call-history is flat,
 * because on most instruction sets GDB cannot tell calls from jumps. */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "control/commands.h"
#include "profile/analyses/calls/history.h"

enum { USUAL_LINES = 60 };

static bool take_word(const char *word, enum pt_branches *how, size_t *top)
{
	char *end;

	if (strcmp(word, "calls") == 0) {
		*how = PT_BRANCHES_CALLS;
	} else if (strcmp(word, "back") == 0) {
		*how = PT_BRANCHES_BACK;
	} else if (strncmp(word, "top=", 4) == 0) {
		*top = strtoul(word + 4, &end, 10);
		return end != word + 4 && *end == '\0';
	} else {
		return false;
	}
	return true;
}

static void history(struct pt_command *cmd)
{
	const struct pt_door_ops *ops = cmd->ctx->ops;
	uint16_t core = ops->core != NULL ? ops->core(cmd->ctx->door) : (uint16_t)PT_HISTORY_ANY;
	enum pt_branches how = PT_BRANCHES_CALLS;
	size_t top = USUAL_LINES;
	struct pt_question question;

	for (size_t i = 0; i < cmd->n_words; i++) {
		if (!take_word(cmd->words[i], &how, &top)) {
			pt_command_fail(
				cmd, PT_EARG,
				"history takes calls, back and top=N, not %.40s%sfor instance: history back top=20",
				cmd->words[i], pt_did_you_mean(cmd->words[i], "calls back", &question));
			return;
		}
	}
	if (ops->is_single) {
		pt_command_fail(
			cmd, PT_ESTATE,
			"history: this command ends its session, and the history is of one: in GDB, monitor profile "
			"start mode=ring, continue up to a halt, monitor history; without GDB, proftap profile "
			"--mode ring reports what ran last");
		return;
	}
	pt_recorder_branches(cmd->ctx->recorder, how, core, top, pt_command_session_reply, cmd);
}

const struct pt_command_row pt_commands_history[] = {
	{ .name = "history", .usage = "[calls|back] [top=N]",
	  .help = "the last branches: who called whom, or how it got to where it is (record btrace bts, or "
		  "profile start mode=ring)",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = history },
	{ 0 },
};
