/* proftap restore: restores what a killed proftap had changed in the target (targets/contract/pending.h), and prints
 * it. Each command that opens the board does this; restore does nothing else. */
#include <stddef.h>
#include <stdio.h>

#include "board/board.h"
#include "cli/app.h"
#include "cli/subcommands.h"
#include "host/log.h"

struct restore {
	struct pt_app app;
	struct pt_board_listener listener;
	struct pt_job job;
	int status;
};

static int print_it(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const char *lines = pt_board_put_back(board);
	struct restore *r = (struct restore *)((char *)job - offsetof(struct restore, job));

	if (target == NULL)
		return pt_fail(err, PT_EIO, "the board is gone");
	printf("%s: %s", target->ops->chip(target->state),
	       lines[0] != '\0' ? "a proftap that was killed had changed something:\n"
				: "nothing is noted that would have to be put back\n");
	fputs(lines, stdout);
	if (pt_board_stays_noted(board))
		r->status = PT_EXIT_DEVICE;
	return 0;
}

static void printed(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct restore *r = (struct restore *)((char *)job - offsetof(struct restore, job));

	if (rc < 0) {
		pt_error("%s", err->msg);
		r->status = PT_EXIT_DEVICE;
	}
	uv_stop(r->app.loop);
}

static void on_state(void *arg, enum pt_board_state state, const char *why)
{
	struct restore *r = arg;

	if (state == PT_BOARD_READY) {
		r->job = (struct pt_job){ .run = print_it, .done = printed };
		pt_board_post(r->app.board, &r->job);
	} else if (state == PT_BOARD_LOCKED || state == PT_BOARD_CLOSED) {
		pt_error("%s", why);
		r->status = PT_EXIT_DEVICE;
		uv_stop(r->app.loop);
	}
}

static int run_restore(const struct pt_options *options)
{
	struct pt_app_kind kind = { .virtual_clock = "virtual" };
	struct restore r = { .status = PT_EXIT_DONE };
	struct pt_err err = { 0 };
	int rc = pt_app_open(&r.app, options, &kind, &err);

	if (rc != PT_EXIT_DONE) {
		pt_error("%s", err.msg);
		return rc;
	}
	r.listener = (struct pt_board_listener){ .arg = &r, .on_state = on_state };
	pt_board_listen(r.app.board, &r.listener);
	uv_run(r.app.loop, UV_RUN_DEFAULT);
	pt_board_unlisten(r.app.board, &r.listener);
	pt_app_close(&r.app);
	return r.status;
}

const struct pt_subcommand pt_subcommand_restore = {
	"restore", "", "put back what a killed proftap had changed in the target",
	"proftap restore\n"
	"    of the chip behind the probe that is plugged in\n"
	"proftap restore --probe usb:serial=066CFF3031\n"
	"    of the one behind that probe\n",
	run_restore,
};
