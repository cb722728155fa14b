/* monitor symbols [FILE [KEY=VALUE...]]: what the addresses mean. An ELF may be large and its disk slow, so it is read
 * as an errand (errand.h). */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/rights.h"
#include "host/errand.h"
#include "program/model/settings.h"

struct reading {
	unsigned elf_machine;		/* of the target; 0: unknown, any will do */
	char path[PT_MONITOR_LINE_BYTES];
	struct pt_params *settings;
	struct pt_program *program;
	struct pt_err err;
};

static void say_program(struct pt_monitor_call *call, const struct pt_program *program)
{
	const char *warning = pt_program_warning(program);
	size_t n;

	pt_program_functions(program, &n);
	pt_monitor_say(call, "%s: %zu functions", pt_program_path(program), n);
	if (pt_program_unnamed(program) > 0)
		pt_monitor_say(call,
			       "%zu of them have no symbol; they were found from the vectors and by the code's calls, "
			       "their names are their addresses, and where they end is a guess",
			       pt_program_unnamed(program));
	if (pt_program_debug_path(program) != NULL)
		pt_monitor_say(call, "what it lacks is from %s", pt_program_debug_path(program));
	if (pt_program_build_id(program)[0] != '\0')
		pt_monitor_say(call, "build id %s", pt_program_build_id(program));
	if (warning != NULL)
		pt_monitor_say(call, "warning: %s", warning);
}

static void show(struct pt_monitor_call *call)
{
	const struct pt_program *program = pt_session_program(pt_monitor_session(call));

	if (program == NULL)
		pt_monitor_say(call, "no symbols yet: monitor symbols FILE, or --elf FILE");
	else
		say_program(call, program);
	pt_monitor_done(call, 0, NULL);
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
	struct pt_monitor_call *call = arg;
	struct reading *reading = data;
	struct pt_err *err = &reading->err, local;

	if (late) {
		pt_errand_late(&local, "symbols");
		pt_monitor_done(call, local.code, &local);
		return;
	}
	if (reading->program == NULL ||
		 pt_session_set_program(pt_monitor_session(call), reading->program, err) < 0)
		pt_monitor_fail(call, err->code, "symbols: %s", err->msg);
	else {
		say_program(call, reading->program);
		pt_monitor_done(call, 0, NULL);
	}
	forget(reading);
}

static const struct pt_errand_kind reading_kind = { read_file, after_read, forget, PT_ERRAND_MS };

static int machine_on_board(struct pt_monitor_call *call, struct pt_board *board, struct pt_target *target,
			    struct pt_err *err)
{
	struct reading *reading = call->data;

	(void)board;
	(void)err;
	reading->elf_machine = target->ops->elf_machine;
	return 0;
}

/* Without a target any ELF will do. */
static void start_reading(struct pt_monitor_call *call, int rc, const struct pt_err *err)
{
	struct reading *reading = call->data;
	struct pt_err failed;

	(void)rc;
	(void)err;
	call->data = NULL;		/* outlives the call */
	if (pt_errand_start(call->client->stub->loop, &reading_kind, reading, call, &failed) < 0) {
		forget(reading);
		pt_monitor_fail(call, failed.code, "symbols: %s", failed.msg);
	}
}

/* The daemon's settings, and what the words behind FILE say. */
static int take_settings(struct reading *reading, const struct pt_monitor_call *call, struct pt_err *err)
{
	reading->settings = pt_params_copy(call->client->stub->config.symbols);
	if (reading->settings == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory");
	for (size_t i = 1; i < call->n_words; i++)
		if (pt_params_add(reading->settings, pt_program_params, PT_N_PROGRAM_PARAMS, call->words[i], err) < 0)
			return err->code;
	return 0;
}

/* debug-dir=, source-path= */
static bool names_folders(const struct pt_monitor_call *call)
{
	for (size_t i = 1; i < call->n_words; i++)
		if (pt_program_names_folders(call->words[i]))
			return true;
	return false;
}

static void symbols(struct pt_monitor_call *call)
{
	struct reading *reading;
	const char *name;
	struct pt_err err;

	if (call->n_words == 0) {
		show(call);
		return;
	}
	name = pt_monitor_name_file(call, call->words[0]);
	if (name == NULL || (names_folders(call) && !pt_monitor_need_own(call, "debug-dir and source-path")))
		return;
	reading = calloc(1, sizeof(*reading));
	if (reading == NULL) {
		pt_monitor_fail(call, PT_ENOMEM, "no memory");
		return;
	}
	if (take_settings(reading, call, &err) < 0) {
		forget(reading);
		pt_monitor_fail(call, err.code, "symbols FILE (without spaces in its path): %s", err.msg);
		return;
	}
	strcpy(reading->path, name);
	call->data = reading;
	pt_monitor_on_board(call, machine_on_board, start_reading);
}

static void say_line(void *arg, const char *line)
{
	pt_monitor_say(arg, "%s", line);
}

static void symbols_details(struct pt_monitor_call *call)
{
	pt_params_help(pt_program_params, PT_N_PROGRAM_PARAMS, say_line, call);
}

const struct pt_monitor_word pt_monitor_symbols_words[] = {
	{ "symbols", "[FILE [KEY=VALUE...]]",
	  "read an ELF on the daemon's host, or tell which is in use (keys: help symbols)",
	  symbols, symbols_details, PT_MONITOR_CHANGES | PT_MONITOR_ASKS },
	{ 0 },
};
