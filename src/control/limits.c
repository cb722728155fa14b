/* monitor profile limits [FILE|off]: timing rules that profiles are checked against while they run. The file is small,
 * but its disk may not answer, so an errand reads it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "control/commands.h"
#include "host/errand.h"
#include "session/limits_file.h"

struct reading {
	char path[PT_COMMAND_LINE_BYTES];
	char *word;
	struct pt_err err;
};

static void read_file(void *data)
{
	struct reading *reading = data;

	reading->word = pt_limits_word(reading->path, false, &reading->err);
}

static void forget(void *data)
{
	struct reading *reading = data;

	free(reading->word);
	free(reading);
}

static void after_read(void *data, void *arg, bool late)
{
	struct pt_command *cmd = arg;
	struct reading *reading = data;
	struct pt_err err;

	if (late) {
		pt_errand_late(&err, "profile limits");
		pt_command_done(cmd, err.code, &err);
		return;
	}
	if (reading->word == NULL)
		pt_command_fail(cmd, PT_EIO, "profile limits: %s", reading->err.msg);
	else
		pt_session_set_limits(cmd->ctx->session, reading->word, pt_command_session_reply, cmd);
	forget(reading);
}

static const struct pt_errand_kind reading_kind = { read_file, after_read, forget, .timeout_ms = PT_ERRAND_MS };

static void limits(struct pt_command *cmd)
{
	struct reading *reading;
	const char *name;
	struct pt_err err;

	if (cmd->n_words != 1) {
		pt_command_fail(cmd, PT_EARG,
				"profile limits FILE|off: a file of rules on the host where proftap runs");
		return;
	}
	if (strcmp(cmd->words[0], "off") == 0) {
		pt_session_set_limits(cmd->ctx->session, NULL, pt_command_session_reply, cmd);
		return;
	}
	name = pt_command_name_file(cmd, cmd->words[0]);
	if (name == NULL)
		return;
	reading = pt_alloc(sizeof(*reading));
	strcpy(reading->path, name);
	if (pt_errand_start(cmd->ctx->loop, &reading_kind, reading, cmd, &err) == 0)
		return;
	free(reading);
	pt_command_fail(cmd, err.code, "profile limits: %s", err.msg);
}

const struct pt_command_row pt_commands_limits[] = {
	{ .name = "profile limits", .usage = "FILE|off",
	  .help = "check timing rules, one a line: gross(adc_convert) in 5us..7us",
	  .flags = PT_COMMAND_CHANGES | PT_COMMAND_ASKS | PT_COMMAND_NAMES_FILE, .run = limits },
	{ 0 },
};
