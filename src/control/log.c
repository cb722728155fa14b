/* monitor log [top=N]: which client changed what in the target, and when. */
#include <stdlib.h>
#include <string.h>

#include "control/changes.h"
#include "control/commands.h"

enum { USUAL_LINES = 40 };

static void show_log(struct pt_command *cmd)
{
	size_t n = USUAL_LINES;
	char *end;

	for (size_t i = 0; i < cmd->n_words; i++) {
		const char *word = cmd->words[i];

		n = strncmp(word, "top=", 4) == 0 ? strtoul(word + 4, &end, 10) : 0;
		if (n == 0 || *end != '\0') {
			pt_command_fail(cmd, PT_EARG, "log takes top=N, not %.40s; for instance: log top=100", word);
			return;
		}
	}
	pt_changes_print(cmd->ctx->changes, n, &cmd->out);
	pt_command_done(cmd, 0, NULL);
}

const struct pt_command_row pt_commands_log[] = {
	{ .name = "log", .usage = "[top=N]",
	  .help = "who had what changed in the target, and when: writes, breakpoints, resumes, resets, loads",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = show_log },
	{ 0 },
};
