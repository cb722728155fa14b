/* proftap profile: attach, profile for some time, report, detach. Headless; a chain of callbacks on one loop, each step
 * started by the end of the one before. SIGINT (SIGTERM, SIGHUP) ends the wait: stop, report, exit 0; a second one ends
 * the process at once. The board is always left as it was found, before the report is written, because standard output
 * may be a pager that waits for its user. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/log.h"
#include "cli/app.h"
#include "base/util.h"
#include "cli/output.h"
#include "cli/starting.h"
#include "cli/verdict.h"
#include "cli/waiting.h"
#include "cli/subcommands.h"

struct report { char *text; size_t len_bytes; };	/* text NULL: none */

struct profile {
	struct pt_app app;
	const struct pt_options *options;
	struct pt_board_listener listener;
	struct pt_query query, junit;
	struct report report, junit_report;
	uv_signal_t signals[3];
	struct pt_starting starting;
	struct pt_waiting progress;
	uint64_t begun_ns;
	int status, verdict;		/* verdict: exit status by the timing rules, used if there was no error */
	bool begun, waiting, interrupted;
	bool halted_itself;	/* the core was resumed, and halted by itself: the time would never be over */
	bool over;		/* later callbacks are ignored */
};

static void finish(struct profile *p, int status)
{
	p->status = status;
	p->over = true;
	pt_starting_cancel(&p->starting);
	uv_stop(p->app.loop);
}

static void fail(struct profile *p, int status, const char *why)
{
	pt_error("%s", why);
	finish(p, status);
}

/* --- report ------------------------------------------------------------------------------------------------------- */

static void end(struct profile *p)
{
	size_t failed, undecided;

	pt_session_limits(p->app.session, &failed, &undecided);
	p->verdict = pt_verdict_status(p->options, failed, undecided);
	if (p->verdict == PT_EXIT_DONE)
		p->verdict = pt_verdict_of_loss(p->options, pt_session_loss(p->app.session));
	finish(p, p->status);
}

static void keep_report(struct report *report, const char *text, size_t len_bytes)
{
	report->text = pt_alloc(len_bytes + 1);
	memcpy(report->text, text, len_bytes);
	report->len_bytes = len_bytes;
}

static void on_junit(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct profile *p = arg;

	if (p->over)
		return;
	if (rc < 0) {
		fail(p, PT_EXIT_USAGE, text);
		return;
	}
	keep_report(&p->junit_report, text, len_bytes);
	end(p);
}

static void on_report(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct profile *p = arg;

	if (p->over)
		return;
	if (rc < 0) {
		fail(p, PT_EXIT_USAGE, text);
		return;
	}
	keep_report(&p->report, text, len_bytes);
	if (p->options->junit != NULL)
		pt_session_report(p->app.session, &p->junit, on_junit, p);
	else
		end(p);
}

/* The board is closed already. Returns the exit status of the whole command. */
static int write_reports(struct profile *p)
{
	const struct report *report = &p->report, *junit = &p->junit_report;
	int status = p->status, written = PT_EXIT_DONE;

	if (report->text != NULL)
		written = pt_output_write(&p->query, p->options->output, report->text, report->len_bytes);
	if (written == PT_EXIT_DONE && junit->text != NULL)
		written = pt_output_write(&p->junit, p->options->junit, junit->text, junit->len_bytes);
	if (status == PT_EXIT_DONE)
		status = written != PT_EXIT_DONE ? written : p->verdict;
	free(p->report.text);
	free(p->junit_report.text);
	return status;
}

/* After any error, what was collected is reported. */
static void on_stopped(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct profile *p = arg;
	const char *ended;
	char captured[600];

	(void)len_bytes;
	if (p->over)
		return;
	ended = pt_session_why_ended(p->app.session);
	if (rc < 0)
		pt_error("profile stop: %s", text);
	else if (ended[0] != '\0')
		pt_error("the profile ended by itself: %s", ended);
	if (rc < 0 || ended[0] != '\0')
		p->status = PT_EXIT_DEVICE;
	else if (!pt_session_captured(p->app.session, captured, sizeof(captured)))
		p->status = PT_EXIT_USAGE;	/* said already */
	else if (captured[0] != '\0')
		pt_info("%.*s", (int)strcspn(captured, "\n"), captured);
	pt_session_report(p->app.session, &p->query, on_report, p);
}

static void stop(struct profile *p)
{
	pt_session_stop(p->app.session, on_stopped, p);
}

static void say_halted(struct profile *p)
{
	if (p->halted_itself)
		pt_warn("the core halted by itself: the report is of the time until then");
}

static void on_time_up(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct profile *p = arg;

	(void)rc;
	(void)text;
	(void)len_bytes;
	p->waiting = false;
	if (p->over)
		return;
	say_halted(p);
	stop(p);
}

/* For example at a breakpoint instruction, or at the end of the program. */
static void on_core_stop(void *arg, unsigned core, const struct pt_core_status *status)
{
	struct profile *p = arg;

	(void)core;
	if (!p->starting.runs || p->halted_itself || status->state != PT_HALTED || status->reason == PT_HALT_TRACE)
		return;
	p->halted_itself = true;
	if (p->waiting)
		pt_session_cancel_wait(p->app.session);	/* answers */
}

static void say_progress(void *arg)
{
	const struct profile *p = arg;
	double s = (double)(uv_hrtime() - p->begun_ns) / 1e9;

	if (p->over)
		return;
	if (!p->begun)
		pt_progress("waiting for the target to answer: %.0f s; Ctrl-C ends it", s);
	else if (p->waiting && p->options->for_ns != 0)
		pt_progress("profiling: %.0f s so far; it ends when the core has run for %.3g s, or on Ctrl-C", s,
			    (double)p->options->for_ns / 1e9);
	else if (p->waiting)
		pt_progress("profiling: %.0f s; Ctrl-C ends it and reports", s);
	else
		pt_progress("making the report: %.0f s since the start", s);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static void on_started(void *arg, int status)
{
	struct profile *p = arg;

	if (status != PT_EXIT_DONE) {
		finish(p, status);
		return;
	}
	if (p->interrupted || p->halted_itself || pt_session_get_state(p->app.session) != PT_SESSION_RUNNING) {
		say_halted(p);
		stop(p);
		return;
	}
	p->waiting = true;
	p->begun_ns = uv_hrtime();
	pt_session_wait(p->app.session, p->options->for_ns != 0 ? 0 : PT_UNKNOWN, on_time_up, p);
}

static void end_before_start(struct profile *p)
{
	pt_info("interrupted before the profile began");
	finish(p, p->status);
}

static void on_board_state(void *arg, enum pt_board_state state, const char *why)
{
	struct profile *p = arg;

	if (p->begun || p->over)
		return;		/* the session reports a loss itself */
	if (state == PT_BOARD_CLOSED || state == PT_BOARD_LOCKED) {
		fail(p, pt_board_get_error(p->app.board) == PT_EARG ? PT_EXIT_USAGE : PT_EXIT_DEVICE, why);
	} else if (state == PT_BOARD_READY) {
		p->begun = true;
		pt_info("attached: %s", why);
		pt_starting_begin(&p->starting, &p->app, p->options, pt_output_analyses(&p->query, p->options, NULL),
				  on_started, p);
	}
}

static void on_signal(uv_signal_t *handle, int signum)
{
	struct profile *p = handle->data;

	(void)signum;
	if (p->interrupted)
		finish(p, p->status);
	else if (!p->begun)
		end_before_start(p);
	p->interrupted = true;
	if (p->waiting)
		pt_session_cancel_wait(p->app.session);
}

static void watch_signals(struct profile *p)
{
	static const int signums[PT_LEN(p->signals)] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < PT_LEN(signums); i++) {
		uv_signal_init(p->app.loop, &p->signals[i]);
		p->signals[i].data = p;
		uv_signal_start(&p->signals[i], on_signal, signums[i]);
	}
}

static int run_profile(const struct pt_options *options)
{
	struct pt_app_kind kind = { .virtual_clock = "virtual", .replace_capture = options->replace };
	struct profile p = { .options = options, .junit = { .format = "junit", .lenient = options->lenient } };
	struct pt_err err = { 0 };

	if (pt_output_query(&p.query, options, options->rest, options->n_rest, &err) < 0) {
		pt_error("%s", err.msg);
		return PT_EXIT_USAGE;
	}
	p.status = pt_output_try(&p.query, options);
	if (p.status != PT_EXIT_DONE)
		return p.status;
	if (pt_starting_would_overwrite(options, &err)) {
		pt_error("%s", err.msg);
		return PT_EXIT_USAGE;
	}
	p.status = pt_app_open(&p.app, options, &kind, &err);
	if (p.status != PT_EXIT_DONE) {
		pt_error("%s", err.msg);
		return p.status;
	}
	p.listener = (struct pt_board_listener){ .arg = &p, .on_state = on_board_state, .on_stop = on_core_stop };
	pt_board_listen(p.app.board, &p.listener);
	watch_signals(&p);
	p.begun_ns = uv_hrtime();
	pt_waiting_begin(&p.progress, p.app.loop, say_progress, &p);
	uv_run(p.app.loop, UV_RUN_DEFAULT);
	pt_waiting_end(&p.progress);
	pt_board_unlisten(p.app.board, &p.listener);
	for (size_t i = 0; i < PT_LEN(p.signals); i++)
		uv_close((uv_handle_t *)&p.signals[i], NULL);
	pt_app_close(&p.app);
	return write_reports(&p);
}

const struct pt_subcommand pt_subcommand_profile = { "profile", "[VIEW] [sort=KEY] [top=N]",
					 "profile for a while (--for, or until Ctrl-C), and report",

	"proftap profile --elf fw.elf --core-clock 48M --for 2s\n"
	"    where the time goes, function by function, while the program runs\n"
	"proftap profile --elf fw.elf --for 10s -o profile.html\n"
	"    a page with tables, flame graph and timeline, for a browser\n",
	run_profile };
