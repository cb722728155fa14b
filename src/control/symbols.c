/* monitor symbols [FILE [KEY=VALUE...]]: sets the program that names addresses. An ELF may be large and its disk slow,
 * so it is read as an errand (errand.h). */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "control/changes.h"
#include "control/commands.h"
#include "host/errand.h"
#include "program/model/settings.h"

struct reading {
	unsigned elf_machine;		/* of the target; 0: unknown, any ELF is accepted */
	char path[PT_COMMAND_LINE_BYTES];
	struct pt_params *settings;
	struct pt_program *program;
	struct pt_err err;
};

static void say_program(struct pt_command *cmd, const struct pt_program *program)
{
	const char *warning = pt_program_warning(program);
	size_t n;

	pt_program_functions(program, &n);
	pt_command_say(cmd, "%s: %zu functions", pt_program_shown_path(program), n);
	if (pt_program_unnamed(program) > 0)
		pt_command_say(cmd,
			       "%zu of them have no symbol; they were found from the vectors and by the code's calls, "
			       "their names are their addresses, and where they end is a guess",
			       pt_program_unnamed(program));
	if (pt_program_debug_path(program) != NULL)
		pt_command_say(cmd, "what it lacks is from %s", pt_program_debug_path(program));
	if (pt_program_build_id(program)[0] != '\0')
		pt_command_say(cmd, "build id %s", pt_program_build_id(program));
	if (warning != NULL)
		pt_command_say(cmd, "warning: %s", warning);
}

static void show(struct pt_command *cmd)
{
	const struct pt_program *program = pt_session_program(cmd->ctx->session);

	if (program == NULL)
		pt_command_say(cmd, "%s",
			       cmd->ctx->ops->is_single ? "no symbols: --elf FILE gives them"
							: "no symbols yet: monitor symbols FILE");
	else
		say_program(cmd, program);
	pt_command_done(cmd, 0, NULL);
}

/* Whether the error is about opening the file. Messages about its content say themselves what to do. */
static bool is_about_its_file(const struct pt_err *err)
{
	return err->code == PT_EIO || strstr(err->msg, "is not a file") != NULL;
}

static void forget(void *data)
{
	struct reading *reading = data;

	pt_program_unref(reading->program);
	pt_params_free(reading->settings);
	free(reading);
}

static void read_file(void *data)
{
	struct reading *reading = data;

	reading->program = pt_program_open_with(reading->path, reading->elf_machine, reading->settings, &reading->err);
}

static void after_read(void *data, void *arg, bool late)
{
	struct pt_command *cmd = arg;
	struct reading *reading = data;
	struct pt_err *err = &reading->err, local;

	if (late) {
		pt_errand_late(&local, "symbols");
		pt_command_done(cmd, local.code, &local);
		return;
	}
	if (reading->program == NULL)
		pt_command_fail(cmd, err->code, "symbols: %s%s", err->msg,
				err->code == PT_EIO && !cmd->ctx->ops->is_single
					? "; it is looked for on the host where proftap runs: "
					  "remote put FILE firmware.elf sends one from GDB's"
				: is_about_its_file(err) ? "; name the file that the linker wrote"
							 : "");
	else if (pt_session_set_program(cmd->ctx->session, reading->program, err) < 0)
		pt_command_fail(cmd, err->code, "symbols: %s", err->msg);
	else {
		pt_changes_program(cmd->ctx->changes, cmd->ctx->user, reading->program);
		say_program(cmd, reading->program);
		pt_command_done(cmd, 0, NULL);
	}
	forget(reading);
}

static const struct pt_errand_kind reading_kind = { read_file, after_read, forget, .timeout_ms = PT_ERRAND_MS };

static int machine_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target,
			    struct pt_err *err)
{
	struct reading *reading = cmd->data;

	(void)board;
	(void)err;
	reading->elf_machine = target->ops->arch.elf_machine;
	return 0;
}

/* Without a target any ELF is accepted. */
static void start_reading(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	struct reading *reading = cmd->data;
	struct pt_err failed;

	(void)rc;
	(void)err;
	cmd->data = NULL;		/* outlives the command */
	if (pt_errand_start(cmd->ctx->loop, &reading_kind, reading, cmd, &failed) < 0) {
		forget(reading);
		pt_command_fail(cmd, failed.code, "symbols: %s", failed.msg);
	}
}

/* The daemon's settings for programs, and those given after FILE. */
static int take_settings(struct reading *reading, const struct pt_command *cmd, struct pt_err *err)
{
	reading->settings = pt_params_copy(cmd->ctx->symbols);
	if (reading->settings == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory");
	for (size_t i = 1; i < cmd->n_words; i++)
		if (pt_params_add(reading->settings, pt_program_params, PT_N_PROGRAM_PARAMS, cmd->words[i], err) < 0)
			return err->code;
	return 0;
}

/* debug-dir=, source-path= */
static bool names_folders(const struct pt_command *cmd)
{
	for (size_t i = 1; i < cmd->n_words; i++)
		if (pt_program_names_folders(cmd->words[i]))
			return true;
	return false;
}

static void symbols(struct pt_command *cmd)
{
	struct reading *reading;
	const char *name;
	struct pt_err err;

	if (cmd->n_words == 0) {
		pt_command_find_program(cmd, show);
		return;
	}
	name = pt_command_name_file(cmd, cmd->words[0]);
	if (name == NULL || (names_folders(cmd) && !pt_command_need_own(cmd, "debug-dir and source-path")))
		return;
	reading = pt_alloc(sizeof(*reading));
	if (take_settings(reading, cmd, &err) < 0) {
		forget(reading);
		pt_command_fail(cmd, err.code, "symbols FILE (without spaces in its path): %s", err.msg);
		return;
	}
	strcpy(reading->path, name);
	cmd->data = reading;
	pt_command_on_board(cmd, machine_on_board, start_reading);
}

static const struct pt_param *symbols_param(size_t i)
{
	return i < PT_N_PROGRAM_PARAMS ? &pt_program_params[i] : NULL;
}

const struct pt_command_row pt_commands_symbols[] = {
	{ .name = "symbols", .usage = "[FILE [KEY=VALUE...]]",
	  .help = "read an ELF on the daemon's host, or tell which is in use (keys: help symbols)",
	  .flags = PT_COMMAND_CHANGES | PT_COMMAND_ASKS | PT_COMMAND_NAMES_FILE, .param = symbols_param,
	  .run = symbols },
	{ 0 },
};
