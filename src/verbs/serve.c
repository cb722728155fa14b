/* proftap serve: the daemon. A board, its session, and the door for GDB; ends on SIGINT or SIGTERM. */
#include <stdio.h>
#include <string.h>

#include "gdbstub/gdbstub.h"
#include "log.h"
#include "rig.h"
#include "util.h"
#include "verbs/verbs.h"

struct serve {
	struct pt_rig rig;
	struct pt_gdbstub *gdb;
	struct pt_board_listener listener;
	uv_signal_t interrupt, terminate;
};

static void on_board_state(void *arg, enum pt_board_state state, const char *why)
{
	(void)arg;
	if (state == PT_BOARD_READY)
		pt_info("board: attached: %s", why);
	else if (state == PT_BOARD_LOCKED)
		pt_warn("board: locked: %s", why);
	else if (state == PT_BOARD_CLOSED)
		pt_warn("board: %s (looking for it again)", why);
}

static void stop(struct serve *s)
{
	uv_stop(&s->rig.loop);
}

static void on_signal(uv_signal_t *handle, int signum)
{
	(void)signum;
	stop(handle->data);
}

static void on_quit(void *arg)
{
	stop(arg);
}

static int parse_attach(const char *word, enum pt_attach *out, struct pt_err *err)
{
	static const char *const names[] = {
		[PT_ATTACH_AUTO] = "auto", [PT_ATTACH_RUN] = "run", [PT_ATTACH_HALT] = "halt"
	};

	*out = PT_ATTACH_AUTO;
	for (size_t i = 0; word != NULL && i < PT_LEN(names); i++) {
		if (strcmp(word, names[i]) == 0) {
			*out = (enum pt_attach)i;
			return 0;
		}
	}
	return word == NULL ? 0 : pt_fail(err, PT_EARG, "--attach takes auto, run or halt, not %s", word);
}

static void watch_signal(struct serve *s, uv_signal_t *handle, int signum)
{
	uv_signal_init(&s->rig.loop, handle);
	handle->data = s;
	uv_signal_start(handle, on_signal, signum);
}

static int open_doors(struct serve *s, const struct pt_options *options, struct pt_err *err)
{
	struct pt_gdbstub_config config = {
		.address = options->gdb != NULL ? options->gdb : "127.0.0.1:3333",
		.board = s->rig.board, .session = s->rig.session, .on_quit = on_quit, .arg = s,
	};

	if (parse_attach(options->attach, &config.attach, err) < 0)
		return err->code;
	s->gdb = pt_gdbstub_new(&s->rig.loop, &config, err);
	if (s->gdb == NULL)
		return err->code;
	if (options->print_ports) {
		printf("gdb %s\n", pt_gdbstub_address(s->gdb));
		fflush(stdout);
	}
	pt_info("gdb: listening on %s", pt_gdbstub_address(s->gdb));
	return 0;
}

static int run_serve(const struct pt_options *options)
{
	struct pt_rig_kind kind = { .virtual_clock = "wall", .reopen = true, .demo = true };
	struct serve s = { .gdb = NULL };
	struct pt_err err = { 0 };
	int status = pt_rig_open(&s.rig, options, &kind, &err);

	if (status == PT_EXIT_DONE) {
		s.listener = (struct pt_board_listener){ .arg = &s, .on_state = on_board_state };
		pt_board_listen(s.rig.board, &s.listener);
		watch_signal(&s, &s.interrupt, SIGINT);
		watch_signal(&s, &s.terminate, SIGTERM);
		if (open_doors(&s, options, &err) < 0)
			status = PT_EXIT_USAGE;
		else
			uv_run(&s.rig.loop, UV_RUN_DEFAULT);
		if (s.gdb != NULL)
			pt_gdbstub_close(s.gdb, NULL, NULL);
		uv_close((uv_handle_t *)&s.interrupt, NULL);
		uv_close((uv_handle_t *)&s.terminate, NULL);
		pt_board_unlisten(s.rig.board, &s.listener);
		pt_rig_close(&s.rig);
	}
	if (status != PT_EXIT_DONE)
		pt_error("%s", err.msg);
	return status;
}

const struct pt_verb pt_verb_serve = { "serve", "", "the daemon that GDB connects to (the standard verb)", run_serve };
