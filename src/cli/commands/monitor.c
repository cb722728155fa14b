/* proftap monitor WORDS: one command of monitor (control/command.h) without a GDB: attach, call it, print its answer,
 * detach. SIGINT (SIGTERM, SIGHUP) ends the command early; a second one kills the process. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "control/commands.h"
#include "host/log.h"
#include "cli/app.h"
#include "cli/output.h"
#include "cli/waiting.h"
#include "base/util.h"
#include "cli/subcommands.h"

struct monitor {
	struct pt_app app;
	struct pt_board_listener listener;
	struct pt_command_ctx ctx;
	struct pt_command *cmd;
	uv_signal_t signals[3];
	struct pt_waiting progress;
	bool begun, done;
	int status;
};

static void fit(void *door, struct pt_query *query)
{
	(void)door;
	pt_output_fit_terminal(query);
}

static const struct pt_door_ops door_ops = { .name = "proftap monitor", .is_single = true, .fit = fit };

static int exit_status(int rc)
{
	return rc >= 0 ? PT_EXIT_DONE : rc == PT_EARG ? PT_EXIT_USAGE : PT_EXIT_DEVICE;
}

static void on_done(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	struct monitor *m = cmd->caller;

	pt_progress("%s", "");
	if (cmd->out.len_bytes > 0)
		fwrite(cmd->out.bytes, 1, cmd->out.len_bytes, stdout);
	if (rc < 0)
		pt_error("%s", err->msg);
	m->status = exit_status(rc);
	m->done = true;
	uv_stop(m->app.loop);
}

/* Some commands work without a target; the others say why there is none. */
static void on_board_state(void *arg, enum pt_board_state state, const char *why)
{
	struct monitor *m = arg;

	if (m->begun || state == PT_BOARD_OPENING)
		return;
	m->begun = true;
	if (state == PT_BOARD_READY)
		pt_info("attached: %s", why);
	if (state == PT_BOARD_CLOSED && pt_board_get_error(m->app.board) == PT_EARG) {
		pt_error("%s", why);
		m->status = PT_EXIT_USAGE;
		uv_stop(m->app.loop);
		return;
	}
	pt_command_run(m->cmd);
}

static void on_signal(uv_signal_t *handle, int signum)
{
	struct monitor *m = handle->data;

	(void)signum;
	uv_signal_stop(handle);
	if (!m->begun)
		uv_stop(m->app.loop);
	else if (!m->done)
		pt_command_cancel(m->cmd);
}

static void watch_signals(struct monitor *m)
{
	static const int signums[PT_LEN(m->signals)] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < PT_LEN(signums); i++) {
		uv_signal_init(m->app.loop, &m->signals[i]);
		m->signals[i].data = m;
		uv_signal_start(&m->signals[i], on_signal, signums[i]);
	}
}

static void say_progress(void *arg)
{
	struct monitor *m = arg;
	struct pt_text line = { 0 };
	const char *at;

	if (m->begun && !m->done)
		pt_command_progress(m->cmd, &line);
	else if (!m->done)
		pt_text_add(&line, "waiting for the target to answer; Ctrl-C ends it");
	at = line.bytes != NULL ? line.bytes : "";
	for (const char *end; (end = strchr(at, '\n')) != NULL && end[1] != '\0'; at = end + 1)
		pt_info("%.*s", (int)(end - at), at);	/* all lines but the last are printed once */
	pt_progress("%s", at);
	pt_text_free(&line);
}

static void call(struct monitor *m)
{
	m->ctx = (struct pt_command_ctx){
		.loop = m->app.loop, .board = m->app.board, .session = m->app.session, .recorder = m->app.recorder,
		.tasks = m->app.tasks, .symbols = m->app.symbols, .options = pt_options_each, .own = true, .ops = &door_ops,
	};
	m->listener = (struct pt_board_listener){ .arg = m, .on_state = on_board_state };
	pt_board_listen(m->app.board, &m->listener);
	watch_signals(m);
	pt_waiting_begin(&m->progress, m->app.loop, say_progress, m);
	uv_run(m->app.loop, UV_RUN_DEFAULT);
	pt_waiting_end(&m->progress);
	pt_board_unlisten(m->app.board, &m->listener);
	for (size_t i = 0; i < PT_LEN(m->signals); i++)
		uv_close((uv_handle_t *)&m->signals[i], NULL);
}

/* One argument may be a whole line in quotes, as in GDB's scripts. */
static struct pt_command *new_command(struct monitor *m, const struct pt_options *options)
{
	if (options->n_rest == 1)
		return pt_command_new(&m->ctx, options->rest[0], strlen(options->rest[0]), on_done, m);
	return pt_command_new_words(&m->ctx, options->rest, options->n_rest, on_done, m);
}

/* Help needs no target, but a target adds words. */
static bool asks_for_help(const struct pt_options *options)
{
	return strncmp(options->rest[0], "help", strlen("help")) == 0;
}

static int run_monitor(const struct pt_options *options)
{
	struct pt_app_kind kind = { .virtual_clock = "virtual" };
	struct monitor m = { .ctx = { .ops = &door_ops } };
	struct pt_err err = { 0 };

	if (options->n_rest == 0) {
		pt_error(
			"monitor takes a command, such as: proftap monitor profile run 2s; proftap monitor help lists all");
		return PT_EXIT_USAGE;
	}
	pt_door_set(PT_DOOR_WORDS);
	m.cmd = new_command(&m, options);
	if (m.cmd == NULL) {
		pt_error("monitor: a command has at most %d words, and %d characters", PT_COMMAND_WORDS,
			 PT_COMMAND_LINE_BYTES - 1);
		return PT_EXIT_USAGE;
	}
	m.status = pt_app_open(&m.app, options, &kind, &err);
	if (m.status == PT_EXIT_DONE) {
		m.status = PT_EXIT_DEVICE;
		call(&m);
		pt_app_close(&m.app);
	} else if (options->probe[0] == NULL && asks_for_help(options)) {
		pt_command_run(m.cmd);
	} else {
		pt_error("%s", err.msg);
	}
	pt_command_free(m.cmd);
	return m.status;
}

const struct pt_subcommand pt_subcommand_monitor = { "monitor", "COMMAND [WORD...]",
					 "attach, execute a monitor command, print its answer, detach",

	"proftap monitor status\n"
	"    what is connected, and what was changed in the target\n"
	"proftap monitor sources --probe virtual:kl27\n"
	"    where a profile of that chip can come from, and its settings\n",
	run_monitor };
