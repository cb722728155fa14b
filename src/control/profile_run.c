/* monitor profile run TIME: start, resume, wait, stop, halt the cores that were halted before, report. The steps follow
 * each other by callbacks; if one fails, the profile is stopped and what was collected is shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "control/commands.h"
#include "base/util.h"

struct run {
	struct pt_command *cmd;
	uint64_t for_ns, begun_ns;
	uint32_t resumed;		/* one bit per core that was halted before */
	bool waiting, stopped_itself, halted_again;
	struct pt_query query;		/* for the report at the end */
	struct pt_err first;		/* the first error; code 0: none */
	char started[1536];		/* what the source does to the target: shown with the first progress */
	bool warned;			/* warnings known at the start: the report shows them */
	char warning[256];		/* found later */
	struct pt_board_listener listener;
};

static void keep_first(struct run *run, int rc, const char *text, size_t len_bytes)
{
	if (rc < 0 && run->first.code == 0)
		pt_fail(&run->first, rc, "profile run: %.*s", (int)len_bytes, text);
}

/* --- the end, step by step ---------------------------------------------------------------------------------------- */

static void on_report(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_command *cmd = arg;
	struct run *run = cmd->data;
	const char *hint = pt_command_hint(cmd, PT_COMMAND_HALTED_AGAIN);

	keep_first(run, rc, text, len_bytes);
	pt_board_unlisten(cmd->ctx->board, &run->listener);
	if (run->stopped_itself)
		pt_command_say(cmd, "the core halted by itself before the time was over");
	if (rc == 0)
		pt_text_bytes(&cmd->out, text, len_bytes);
	if (run->warning[0] != '\0')
		pt_command_say(cmd, "%s", run->warning);
	if (run->halted_again)
		pt_command_say(cmd, "The core is halted again%s%s", hint != NULL ? "; " : "", hint != NULL ? hint : "");
	pt_command_done(cmd, run->first.code, &run->first);
}

static void report(struct pt_command *cmd)
{
	struct run *run = cmd->data;

	if (!cmd->ctx->ops->is_single && run->query.format[0] == '\0')	/* profile report has all rows */
		run->query.first = PT_COMMAND_FIRST_ROWS;
	pt_session_report(cmd->ctx->session, &run->query, on_report, cmd);
}

static void after_halt(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	struct run *run = cmd->data;

	run->halted_again = rc == 0;
	if (rc < 0 && run->first.code == 0)
		pt_fail(&run->first, rc, "profile run: halt the core again: %s", err->msg);
	else if (rc < 0)
		pt_command_say(cmd, "the core is not halted again: %s", err->msg);
	report(cmd);
}

static int halt(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);
	struct run *run = cmd->data;

	for (unsigned core = 0; core < n; core++)
		if ((run->resumed & UINT32_C(1) << core) != 0 && pt_board_halt(board, core, err) < 0)
			return err->code;
	return 0;
}

/* The line that begins with "warning: ", or NULL. */
static const char *find_warning(const char *text)
{
	static const char begin[] = "warning: ";
	const char *at = strstr(text, begin);

	while (at != NULL && at != text && at[-1] != '\n')
		at = strstr(at + 1, begin);
	return at;
}

static void on_stopped(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_command *cmd = arg;
	struct run *run = cmd->data;
	const char *ended = pt_session_why_ended(cmd->ctx->session);
	const char *warning = rc == 0 && !run->warned ? find_warning(text) : NULL;

	if (warning != NULL)
		snprintf(run->warning, sizeof(run->warning), "%.*s", (int)strcspn(warning, "\n"), warning);
	keep_first(run, rc, text, len_bytes);
	keep_first(run, ended[0] != '\0' ? PT_EIO : 0, ended, strlen(ended));
	if (run->resumed != 0)
		pt_command_on_board(cmd, halt, after_halt);
	else
		report(cmd);
}

static void stop(struct pt_command *cmd)
{
	pt_recorder_stop_profile(cmd->ctx->recorder, on_stopped, cmd);
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static void end_wait(struct pt_command *cmd)
{
	struct run *run = cmd->data;

	if (run->waiting)
		pt_session_cancel_wait(cmd->ctx->session);	/* answers with PT_EINTERRUPTED */
}

static void on_time(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_command *cmd = arg;
	struct run *run = cmd->data;

	run->waiting = false;
	cmd->cancel = NULL;
	if (rc != PT_EINTERRUPTED)
		keep_first(run, rc, text, len_bytes);
	stop(cmd);
}

static void on_core_stop(void *arg, unsigned core, const struct pt_core_status *status)
{
	struct run *run = arg;

	(void)core;
	if (!run->waiting || status->state != PT_HALTED || status->reason == PT_HALT_TRACE)
		return;
	run->stopped_itself = true;
	end_wait(run->cmd);
}

static void put_progress(struct pt_command *cmd, struct pt_text *out)
{
	struct run *run = cmd->data;
	double for_s = (double)run->for_ns / 1e9;
	double s = run->begun_ns > 0 ? (double)(uv_hrtime() - run->begun_ns) / 1e9 : 0;

	if (run->started[0] != '\0')
		pt_command_add_lines(cmd, run->started, strlen(run->started), out);
	run->started[0] = '\0';
	if (run->waiting || run->begun_ns == 0)
		pt_text_add(out, "profile run: %.0f s so far; it ends when the core has run for %.3g s%s\n", s, for_s,
			    s > for_s + 1 ? " (while it is halted it does not)" : "");
	else
		pt_text_add(out, "profile run: the time is over, the result is being fetched and printed\n");
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

static void after_resume(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	struct run *run = cmd->data;

	keep_first(run, rc, err->msg, sizeof(err->msg));
	if (rc < 0 || cmd->cancelled) {
		stop(cmd);
		return;
	}
	run->waiting = true;
	run->begun_ns = uv_hrtime();
	cmd->cancel = end_wait;
	pt_session_wait(cmd->ctx->session, run->for_ns, on_time, cmd);
}

static int resume(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);
	struct run *run = cmd->data;

	for (unsigned core = 0; core < n; core++) {
		struct pt_core_status status;

		if (target->ops->status(target->state, core, &status, err) < 0)
			return err->code;
		if (status.state != PT_HALTED)
			continue;
		run->resumed |= UINT32_C(1) << core;
		if (pt_board_resume(board, core, err) < 0)
			return err->code;
	}
	return 0;
}

static void on_started(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_command *cmd = arg;
	struct run *run = cmd->data;

	cmd->cancel = NULL;
	if (rc < 0) {
		pt_board_unlisten(cmd->ctx->board, &run->listener);
		pt_command_fail(cmd, rc, "profile run: %.*s", (int)len_bytes, text);
		return;
	}
	snprintf(run->started, sizeof(run->started), "%.*s", (int)len_bytes, text);
	run->warned = find_warning(text) != NULL;
	pt_command_on_board(cmd, resume, after_resume);
}

static void start_now(struct pt_command *cmd)
{
	struct run *run = cmd->data;

	run->cmd = cmd;
	run->listener = (struct pt_board_listener){ .arg = run, .on_stop = on_core_stop };
	pt_board_listen(cmd->ctx->board, &run->listener);
	cmd->progress = put_progress;
	cmd->cancel = pt_command_cancel_start;
	pt_recorder_start_profile(cmd->ctx->recorder, cmd->words, cmd->n_words, on_started, cmd);
}

void pt_command_run_for(struct pt_command *cmd, const char *time)
{
	struct pt_session *session = cmd->ctx->session;
	struct run *run = pt_alloc(sizeof(*run));
	struct pt_err err;

	cmd->data = run;
	if (time == NULL && cmd->n_words > 0)
		time = cmd->words[0];	/* not a time: gives the error */
	if (time == NULL) {
		pt_command_fail(cmd, PT_EARG, "profile run for how long? For instance: %s profile run 2s",
				cmd->ctx->ops->name);
	} else if (pt_params_parse_seconds(time, &run->for_ns, &err) < 0 ||
		   pt_command_take_query(cmd, 0, &run->query, &err) < 0) {
		pt_command_fail(cmd, PT_EARG, "profile run: %s", err.msg);
	} else if (run->for_ns == 0) {
		pt_command_fail(cmd, PT_EARG, "profile run: no time at all; for instance: %s profile run 2s",
				cmd->ctx->ops->name);
	} else if (pt_session_get_state(session) != PT_SESSION_IDLE) {
		pt_command_fail(cmd, PT_EBUSY, "profile run: a profile is running already: %s profile stop ends it",
				cmd->ctx->ops->name);
	} else if (pt_command_is_text(cmd, &run->query) && pt_command_name_files(cmd)) {
		pt_command_find_program(cmd, start_now);
	}
}

static void run_for(struct pt_command *cmd)
{
	pt_command_run_for(cmd, pt_command_take_time(cmd));
}

const struct pt_command_row pt_commands_profile_run[] = {
	{ .name = "profile run", .usage = "TIME [KEY=VALUE...] [VIEW] [sort=KEY] [top=N]",
	  .help = "start, let the core run for TIME, stop, report; 500ms, 2s; 2 is 2s",
	  .flags = PT_COMMAND_CONTROLS | PT_COMMAND_NAMES_FILE, .param = pt_command_start_param, .run = run_for,
	  .details = pt_command_start_details },
	{ 0 },
};
