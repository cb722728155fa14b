/* proftap serve: the daemon. A board, its session, and the door for GDB; ends on SIGINT, SIGTERM or SIGHUP. */
#include <signal.h>
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
	uv_signal_t signals[3];
	bool gdb_closed;
	int status;
};

static void stop(struct serve *s)
{
	uv_stop(&s->rig.loop);
}

/* What is wrong with the command line does not get better by waiting. */
static void on_board_state(void *arg, enum pt_board_state state, const char *why)
{
	struct serve *s = arg;

	if (state == PT_BOARD_READY) {
		pt_info("board: attached: %s", why);
	} else if (state == PT_BOARD_LOCKED) {
		pt_warn("board: locked: %s", why);
	} else if (state == PT_BOARD_CLOSED && pt_board_get_error(s->rig.board) == PT_EARG) {
		pt_error("%s", why);
		s->status = PT_EXIT_USAGE;
		stop(s);
	} else if (state == PT_BOARD_CLOSED) {
		pt_warn("board: %s (looking for it again)", why);
	}
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

static void watch_signals(struct serve *s)
{
	static const int signums[PT_LEN(s->signals)] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < PT_LEN(signums); i++) {
		uv_signal_init(&s->rig.loop, &s->signals[i]);
		s->signals[i].data = s;
		uv_signal_start(&s->signals[i], on_signal, signums[i]);
	}
}

static int open_doors(struct serve *s, const struct pt_options *options, struct pt_err *err)
{
	struct pt_gdbstub_config config = {
		.address = options->gdb != NULL ? options->gdb : "127.0.0.1:3333",
		.board = s->rig.board, .session = s->rig.session, .symbols = s->rig.symbols,
		.on_quit = on_quit, .arg = s,
	};

	if (parse_attach(options->attach, &config.attach, err) < 0)
		return err->code;
	s->gdb = pt_gdbstub_new(&s->rig.loop, &config, err);
	if (s->gdb == NULL)
		return err->code;
	if (options->print_ports && strcmp(config.address, "stdio") != 0) {	/* there standard output is GDB's */
		printf("gdb %s\n", pt_gdbstub_address(s->gdb));
		fflush(stdout);
	}
	pt_info("gdb: listening on %s", pt_gdbstub_address(s->gdb));
	return 0;
}

static void on_gdb_closed(void *arg)
{
	((struct serve *)arg)->gdb_closed = true;
}

/* Clients use the session, so they go first. */
static void close_doors(struct serve *s)
{
	if (s->gdb != NULL)
		pt_gdbstub_close(s->gdb, on_gdb_closed, s);
	while (s->gdb != NULL && !s->gdb_closed)
		uv_run(&s->rig.loop, UV_RUN_ONCE);
	for (size_t i = 0; i < PT_LEN(s->signals); i++)
		uv_close((uv_handle_t *)&s->signals[i], NULL);
	pt_board_unlisten(s->rig.board, &s->listener);
}

static int run_serve(const struct pt_options *options)
{
	struct pt_rig_kind kind = { .virtual_clock = "wall", .reopen = true, .demo = true };
	struct serve s = { .gdb = NULL };
	struct pt_err err = { 0 };

	s.status = pt_rig_open(&s.rig, options, &kind, &err);
	if (s.status != PT_EXIT_DONE) {
		pt_error("%s", err.msg);
		return s.status;
	}
	s.listener = (struct pt_board_listener){ .arg = &s, .on_state = on_board_state };
	pt_board_listen(s.rig.board, &s.listener);
	watch_signals(&s);
	if (open_doors(&s, options, &err) == 0) {
		uv_run(&s.rig.loop, UV_RUN_DEFAULT);
	} else {
		pt_error("%s", err.msg);
		s.status = PT_EXIT_USAGE;
	}
	close_doors(&s);
	pt_rig_close(&s.rig);
	return s.status;
}

const struct pt_verb pt_verb_serve = { "serve", "", "the daemon that GDB connects to (the standard verb)", run_serve };
