/* proftap serve: the daemon. A board, its session, and the door for GDB; ends on SIGINT, SIGTERM or SIGHUP. With
 * --gdb stdio a daemon that has the probe already is joined: bytes go to and fro between GDB and it. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "base/nearest.h"
#include "cli/lock_file.h"
#include "cli/ending.h"
#include "control/changes.h"
#include "gdbstub/gdbstub.h"
#include "host/log.h"
#include "host/named_file.h"
#include "probes/registry.h"
#include "cli/stdio_bridge.h"
#include "cli/app.h"
#include "base/util.h"
#include "cli/subcommands.h"
#include "swodoor/swo_door.h"
#include "web/web.h"

struct serve {
	struct pt_app app;
	struct pt_gdbstub *gdb;
	struct pt_swo_door *swo;
	struct pt_web *web;
	struct pt_board_listener listener;
	struct pt_ending *ending;
	struct pt_changes *changes;
	struct pt_job claim_job;
	struct pt_lock_file *lock[PT_BOARD_PROBES];	/* the job's while claiming; NULL: no note of ours */
	char address[256];				/* of the GDB server, for the claim: it may be gone by then */
	struct pt_peers allow;				/* the GDB server's */
	struct pt_token token;				/* the same */
	bool claiming, gdb_closed, web_closed;
	int status;
};

static void stop(struct serve *s)
{
	uv_stop(&s->app.loop);
}

/* --- a note for other proftaps ------------------------------------------------------------------------------------ */

/* On the board thread, because it knows and may wait for files. That there is no note harms nobody. */
static int write_claim(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct serve *s = (struct serve *)((char *)job - offsetof(struct serve, claim_job));
	struct pt_probe *probe = target != NULL ? target->probe : NULL;
	struct pt_link_info info;
	struct pt_err why = { 0 };

	(void)board;
	(void)err;
	for (size_t i = 0; probe != NULL && i < PT_BOARD_PROBES; i++, probe = pt_probe_next(probe)) {
		pt_link_info(pt_probe_link(probe), &info);
		if (info.is_virtual || s->lock[i] != NULL)
			continue;
		s->lock[i] = pt_lock_file_new(info.where, s->address, &why);
		if (s->lock[i] == NULL)
			pt_debug(PT_LOG_USB, "no note for other proftaps: %s", why.msg);
	}
	return 0;
}

static void claimed(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct serve *s = (struct serve *)((char *)job - offsetof(struct serve, claim_job));

	(void)rc;
	(void)err;
	s->claiming = false;
}

static void lock(struct serve *s)
{
	if (s->claiming || s->gdb == NULL)
		return;
	s->claiming = true;
	s->claim_job = (struct pt_job){ .run = write_claim, .done = claimed, .even_locked = true };
	pt_board_post(s->app.board, &s->claim_job);
}

static void drop_claim(struct serve *s)
{
	if (s->claiming)
		return;
	for (size_t i = 0; i < PT_BOARD_PROBES; i++) {
		pt_lock_file_free(s->lock[i]);
		s->lock[i] = NULL;
	}
}

/* The address of the first probe; "": whichever is plugged in first. */
static const char *first_probe(const struct pt_options *options, char *room, size_t room_bytes)
{
	struct pt_err ignored;
	const struct pt_named_board *named;

	if (options->probe[0] != NULL)
		return options->probe[0];
	room[0] = '\0';
	named = options->board != NULL ? pt_named_board_find(options->board, &ignored) : NULL;
	if (named != NULL)
		pt_named_board_uri(named, room, room_bytes, &ignored);
	return room;
}

/* GDB on standard input, and a daemon of ours has the probe already: then that one serves it. False: there is none. */
static bool join(const struct pt_options *options, int *status)
{
	char where[64], address[256], board[200];
	const char *uri = first_probe(options, board, sizeof(board));
	struct pt_err err = { 0 };
	int fd;

	if (options->gdb == NULL || strcmp(options->gdb, "stdio") != 0 || !pt_probe_where(uri, where, sizeof(where)) ||
	    !pt_lock_file_find(where, address, sizeof(address)))
		return false;
	*status = PT_EXIT_DEVICE;
	if (strcmp(address, "stdio") == 0) {
		pt_error("the probe at %s is in use by a proftap that serves its own standard input", where);
		return true;
	}
	fd = pt_stdio_bridge_connect(address, &err);
	if (fd >= 0) {
		pt_info("gdb: joining the daemon at %s, which has the probe at %s%s", address, where,
			options->elf != NULL || options->n_words > 0 ? "; its --elf and settings stay as they are"
								     : "");
		signal(SIGPIPE, SIG_IGN);
		signal(SIGINT, SIG_IGN);	/* Ctrl-C is for GDB */
		if (pt_stdio_bridge(0, 1, fd, &err) == 0)
			*status = PT_EXIT_DONE;
	}
	if (err.code != 0)
		pt_error("join the daemon that has the probe at %s: %s", where, err.msg);
	return true;
}

/* --- the daemon --------------------------------------------------------------------------------------------------- */

/* What is wrong with the command line does not get better by waiting. */
static void on_board_state(void *arg, enum pt_board_state state, const char *why)
{
	struct serve *s = arg;

	if (state == PT_BOARD_READY) {
		pt_info("board: attached: %s", why);
		lock(s);
	} else if (state == PT_BOARD_LOCKED) {
		pt_warn("board: locked: %s", why);
		lock(s);
	} else if (state == PT_BOARD_CLOSED && pt_board_get_error(s->app.board) == PT_EARG) {
		pt_error("%s", why);
		s->status = PT_EXIT_USAGE;
		stop(s);
	} else if (state == PT_BOARD_CLOSED) {
		pt_warn("board: %s (looking for it again)", why);
	}
	if (state == PT_BOARD_CLOSED)
		drop_claim(s);
}

static void on_change(void *arg, const char *text)
{
	struct serve *s = arg;

	pt_changes_note(s->changes, "proftap", "%s", text);
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

	struct pt_question question;

	*out = PT_ATTACH_AUTO;
	for (size_t i = 0; word != NULL && i < PT_LEN(names); i++) {
		if (strcmp(word, names[i]) == 0) {
			*out = (enum pt_attach)i;
			return 0;
		}
	}
	return word == NULL ? 0
			    : pt_fail(err, PT_EARG, "--attach takes auto, run or halt, not %s%sauto is the default",
				      word, pt_did_you_mean(word, "auto run halt", &question));
}

static int parse_second(const char *word, bool *watch, struct pt_err *err)
{
	struct pt_question question;

	*watch = word == NULL || strcmp(word, "watch") == 0;
	return *watch || strcmp(word, "none") == 0
		       ? 0
		       : pt_fail(err, PT_EARG, "--second takes none or watch, not %s%swatch is the default", word,
				 pt_did_you_mean(word, "none watch", &question));
}

static int print_address(const char *name, const char *address, struct pt_err *err)
{
	if (printf("%s %s\n", name, address) < 0 || fflush(stdout) != 0)	/* a script would wait for it in vain */
		return pt_fail(err, PT_EIO, "the address cannot be printed to standard output: %s", strerror(errno));
	return 0;
}

static int open_swo(struct serve *s, const struct pt_options *options, struct pt_err *err)
{
	const struct pt_swo_door_config config = { .raw = options->swo, .text = options->swo_text,
						   .allow = options->allow != NULL ? &s->allow : NULL };

	if (options->swo == NULL && options->swo_text == NULL)
		return 0;
	s->swo = pt_swo_door_new(&s->app.loop);
	if (pt_swo_door_open(s->swo, &config, err) < 0)
		return err->code;
	pt_session_set_tap(s->app.session, pt_swo_door_take, s->swo);
	for (size_t i = 0; i < 2; i++) {
		const char *name = i == 0 ? "swo" : "swo-text";
		const char *at = i == 0 ? pt_swo_door_raw(s->swo) : pt_swo_door_text(s->swo);

		if (at == NULL)
			continue;
		pt_info("%s: listening on %s", name, at);
		if (options->print_ports && print_address(name, at, err) < 0)
			return err->code;
	}
	return 0;
}

static int open_web(struct serve *s, const struct pt_options *options, struct pt_err *err)
{
	const struct pt_web_config config = {
		.address = options->http, .hosts = options->http_host, .allow = options->allow != NULL ? &s->allow : NULL,
		.token = options->token_file != NULL ? &s->token : NULL, .allow_remote = options->allow_remote,
	};
	const struct pt_web_board_config board = {
		.name = options->board != NULL ? options->board : "board", .board = s->app.board, .session = s->app.session,
		.recorder = s->app.recorder, .tasks = s->app.tasks, .changes = s->changes, .symbols = s->app.symbols,
	};

	if (options->http == NULL)
		return 0;
	s->web = pt_web_new(&s->app.loop, &config, err);
	if (s->web == NULL)
		return pt_wrap(err, "--http");
	pt_web_add(s->web, &board);
	pt_info("http: listening on %s", pt_web_address(s->web));
	if (pt_web_warning(s->web) != NULL)
		pt_warn("http: %s: %s", pt_web_address(s->web), pt_web_warning(s->web));
	return options->print_ports ? print_address("http", pt_web_address(s->web), err) : 0;
}

static int open_doors(struct serve *s, const struct pt_options *options, struct pt_err *err)
{
	struct pt_gdbstub_config config = {
		.address = options->gdb != NULL ? options->gdb : "127.0.0.1:3333",
		.board = s->app.board, .session = s->app.session, .recorder = s->app.recorder,
		.tasks = s->app.tasks, .changes = s->changes, .symbols = s->app.symbols, .options = pt_options_each,
		.on_quit = on_quit, .arg = s, .allow_remote = options->allow_remote,
	};

	if (parse_attach(options->attach, &config.attach, err) < 0 ||
	    parse_second(options->second, &config.watch, err) < 0)
		return err->code;
	if (options->allow != NULL && pt_peers_parse(&s->allow, options->allow, err) < 0)
		return pt_wrap(err, "--allow");
	if (pt_named_set_folder(options->files, err) < 0)
		return pt_wrap(err, "--files");
	config.restricted = options->restricted;
	config.allow = options->allow != NULL ? &s->allow : NULL;
	if (options->token_file != NULL && pt_token_read(&s->token, options->token_file, err) < 0)
		return pt_wrap(err, "--token-file");
	config.token = options->token_file != NULL ? &s->token : NULL;
	s->gdb = pt_gdbstub_new(&s->app.loop, &config, err);
	if (s->gdb == NULL)
		return err->code;
	snprintf(s->address, sizeof(s->address), "%s", pt_gdbstub_address(s->gdb));
	if (options->print_ports && strcmp(config.address, "stdio") != 0) {	/* there standard output is GDB's */
		if (print_address("gdb", s->address, err) < 0)
			return err->code;
	}
	pt_log_add_times();
	pt_info("gdb: listening on %s", pt_gdbstub_address(s->gdb));
	if (s->app.told[0] != '\0')
		pt_info("%.*s knows its own settings, which --set gives for hardware:%s",
			(int)strcspn(s->app.virtual_uri, "?"), s->app.virtual_uri, s->app.told);
	if (pt_gdbstub_warning(s->gdb) != NULL)
		pt_warn("gdb: %s: %s", pt_gdbstub_address(s->gdb), pt_gdbstub_warning(s->gdb));
	return open_swo(s, options, err) < 0 ? err->code : open_web(s, options, err);
}

static void on_gdb_closed(void *arg)
{
	((struct serve *)arg)->gdb_closed = true;
}

static void on_web_closed(void *arg)
{
	((struct serve *)arg)->web_closed = true;
}

/* Clients use the session, so they go first. */
static void close_doors(struct serve *s)
{
	if (s->web != NULL)
		pt_web_close(s->web, on_web_closed, s);
	if (s->gdb != NULL)
		pt_gdbstub_close(s->gdb, on_gdb_closed, s);
	while ((s->gdb != NULL && !s->gdb_closed) || (s->web != NULL && !s->web_closed))
		uv_run(&s->app.loop, UV_RUN_ONCE);
	if (s->swo != NULL)
		pt_swo_door_close(s->swo);
	if (s->ending != NULL)
		pt_ending_close(s->ending);
	pt_board_unlisten(s->app.board, &s->listener);
}

static int run_serve(const struct pt_options *options)
{
	struct pt_app_kind kind = { .virtual_clock = "wall", .reopen = true, .demo = true };
	struct serve s = { .gdb = NULL };
	struct pt_err err = { 0 };

	if (join(options, &s.status))
		return s.status;
	pt_door_set(PT_DOOR_GDB);
	s.status = pt_app_open(&s.app, options, &kind, &err);
	if (s.status != PT_EXIT_DONE) {
		pt_error("%s", err.msg);
		return s.status;
	}
	s.listener = (struct pt_board_listener){ .arg = &s, .on_state = on_board_state, .on_change = on_change };
	s.changes = pt_changes_new(&s.app.loop);
	pt_board_listen(s.app.board, &s.listener);
	s.ending = pt_ending_new(&s.app.loop, s.app.board, on_quit, &s, &err);
	if (s.ending != NULL && open_doors(&s, options, &err) == 0) {
		uv_run(&s.app.loop, UV_RUN_DEFAULT);
	} else {
		pt_error("%s", err.msg);
		s.status = PT_EXIT_USAGE;
	}
	close_doors(&s);
	pt_changes_close(s.changes);
	pt_app_close(&s.app);
	pt_swo_door_free(s.swo);
	drop_claim(&s);
	pt_ending_free(s.ending);
	return s.status;
}

const struct pt_subcommand pt_subcommand_serve = {
	"serve", "", "the daemon that GDB connects to (the default)",
	"proftap --elf fw.elf\n"
	"    waits for GDB at 127.0.0.1:3333; there: target extended-remote :3333\n"
	"proftap --probe usb:serial=066CFF3031 --gdb unix:/run/user/1000/bench\n"
	"    the probe with that serial number, for the users of this machine alone\n",
	run_serve,
};
