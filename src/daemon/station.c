/* The parts of a board are opened in the order of their dependences: board and session, then doors. */
#include "daemon/station.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/util.h"
#include "host/log.h"
#include "host/probe_notes.h"
#include "host/service.h"

/* --- a note for other proftaps ------------------------------------------------------------------------------------ */

/* Runs on the board thread, which knows the link and may wait for files. If the note cannot be written, the daemon
 * still works. */
static int write_claim(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct pt_station *s = (struct pt_station *)((char *)job - offsetof(struct pt_station, claim_job));
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
	struct pt_station *s = (struct pt_station *)((char *)job - offsetof(struct pt_station, claim_job));

	(void)rc;
	(void)err;
	s->claiming = false;
}

static void lock(struct pt_station *s)
{
	if (s->claiming || s->gdb == NULL)
		return;
	s->claiming = true;
	s->claim_job = (struct pt_job){ .run = write_claim, .done = claimed, .even_locked = true };
	pt_board_post(s->app.board, &s->claim_job);
}

static void drop_claim(struct pt_station *s)
{
	if (s->claiming)
		return;
	for (size_t i = 0; i < PT_BOARD_PROBES; i++) {
		pt_lock_file_free(s->lock[i]);
		s->lock[i] = NULL;
	}
}

/* --- the board ---------------------------------------------------------------------------------------------------- */

/* A mistake in the options does not go away by waiting. */
static void on_board_state(void *arg, enum pt_board_state state, const char *why)
{
	struct pt_station *s = arg;

	if (state == PT_BOARD_READY) {
		pt_info("board%s: attached: %s", s->label, why);
		lock(s);
	} else if (state == PT_BOARD_LOCKED) {
		pt_warn("board%s: locked: %s", s->label, why);
		lock(s);
	} else if (state == PT_BOARD_CLOSED && pt_board_get_error(s->app.board) == PT_EARG) {
		pt_error("%s%s%s", s->name, s->name[0] != '\0' ? ": " : "", why);
		pt_fail(&s->err, PT_EARG, "%s", why);
		if (s->on_wrong != NULL)
			s->on_wrong(s->arg);
	} else if (state == PT_BOARD_CLOSED) {
		pt_warn("board%s: %s (looking for it again)", s->label, why);
	}
	if (state == PT_BOARD_CLOSED)
		drop_claim(s);
	if (s->on_state != NULL)
		s->on_state(s->arg);
}

static void on_change(void *arg, const char *text)
{
	struct pt_station *s = arg;

	pt_changes_note(s->changes, "proftap", "%s", text);
}

struct pt_station *pt_station_new(const char *name, const struct pt_options *options)
{
	struct pt_station *s = pt_alloc(sizeof(*s));

	s->name = name;
	s->options = options;
	if (name[0] != '\0')
		snprintf(s->label, sizeof(s->label), " %s", name);
	return s;
}

int pt_station_open(struct pt_station *s, uv_loop_t *loop, struct pt_err *err)
{
	struct pt_app_kind kind = { .loop = loop, .name = s->name, .virtual_clock = "wall", .reopen = true, .demo = true };
	int status = pt_app_open(&s->app, s->options, &kind, err);

	if (status != PT_EXIT_DONE)
		return status;
	s->listener = (struct pt_board_listener){ .arg = s, .on_state = on_board_state, .on_change = on_change };
	s->changes = pt_changes_new(loop);
	pt_board_listen(s->app.board, &s->listener);
	return PT_EXIT_DONE;
}

/* --- doors -------------------------------------------------------------------------------------------------------- */

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

int pt_station_print_address(const char *of, const char *door, const char *address, struct pt_err *err)
{
	if (printf("%s%s%s %s\n", of, of[0] != '\0' ? " " : "", door, address) < 0 ||
	    fflush(stdout) != 0) /* a script would wait for the address in vain */
		return pt_fail(err, PT_EIO, "the address cannot be printed to standard output: %s", strerror(errno));
	return 0;
}

static int open_swo(struct pt_station *s, struct pt_err *err)
{
	const struct pt_options *options = s->options;
	const struct pt_swo_door_config config = { .raw = options->swo, .text = options->swo_text,
						   .allow = options->allow != NULL ? &s->allow : NULL };

	if (options->swo == NULL && options->swo_text == NULL)
		return 0;
	s->swo = pt_swo_door_new(s->app.loop);
	if (pt_swo_door_open(s->swo, &config, err) < 0)
		return err->code;
	pt_session_set_tap(s->app.session, pt_swo_door_take, s->swo);
	for (size_t i = 0; i < 2; i++) {
		const char *name = i == 0 ? "swo" : "swo-text";
		const char *at = i == 0 ? pt_swo_door_raw(s->swo) : pt_swo_door_text(s->swo);

		if (at == NULL)
			continue;
		pt_info("%s%s: listening on %s", name, s->label, at);
		if (options->print_ports && pt_station_print_address(s->name, name, at, err) < 0)
			return err->code;
	}
	return 0;
}

/* The door of a named board's own, in s->path: the socket that systemd passed for it, or a unix socket: in the folder that a service has
 * for all to see, else in the user's own. Source: systemd.exec(5), RUNTIME_DIRECTORY. */
static int find_own_door(struct pt_station *s, struct pt_err *err)
{
	const char *folder = getenv("RUNTIME_DIRECTORY");
	int n;

	snprintf(s->path, sizeof(s->path), "systemd:gdb.%s", s->name);
	if (pt_service_has_socket(s->path + strlen("systemd:")))
		return 0;
	n = snprintf(s->path, sizeof(s->path), "unix:%s/%s.gdb", folder != NULL ? folder : "", s->name);
	if (folder != NULL && folder[0] == '/' && n < (int)sizeof(s->path))
		return 0;
	if (!pt_note_path(s->name, ".gdb", s->path + strlen("unix:"), sizeof(s->path) - strlen("unix:"), true))
		return pt_fail(err, PT_EIO, "no folder of one's own for the socket of board %s (XDG_RUNTIME_DIR)",
			       s->name);
	return 0;
}

/* A named board has a door with its name, and the address in its section; a board without a name also the
 * default address. */
static int name_doors(struct pt_station *s, struct pt_gdbstub_config *config, struct pt_err *err)
{
	if (strcmp(config->address, "stdio") == 0)
		return 0;
	if (find_own_door(s, err) < 0)
		return err->code;
	if (s->options->gdb != NULL || s->is_only)
		config->also = config->address;
	config->address = s->path;
	return 0;
}

int pt_station_open_doors(struct pt_station *s, struct pt_err *err)
{
	const struct pt_options *options = s->options;
	struct pt_gdbstub_config config = {
		.address = options->gdb != NULL ? options->gdb : "127.0.0.1:3333",
		.board = s->app.board, .session = s->app.session, .recorder = s->app.recorder,
		.tasks = s->app.tasks, .changes = s->changes, .symbols = s->app.symbols, .options = pt_options_each,
		.on_quit = s->on_quit, .arg = s->arg, .allow_remote = options->allow_remote,
	};

	if (parse_attach(options->attach, &config.attach, err) < 0 ||
	    parse_second(options->second, &config.watch, err) < 0)
		return err->code;
	if (options->allow != NULL && pt_peers_parse(&s->allow, options->allow, err) < 0)
		return pt_wrap(err, "--allow");
	config.restricted = options->restricted;
	config.allow = options->allow != NULL ? &s->allow : NULL;
	if (options->token_file != NULL && pt_token_read(&s->token, options->token_file, err) < 0)
		return pt_wrap(err, "--token-file");
	config.token = options->token_file != NULL ? &s->token : NULL;
	if (s->name[0] != '\0' && name_doors(s, &config, err) < 0)
		return err->code;
	s->gdb = pt_gdbstub_new(s->app.loop, &config, err);
	if (s->gdb == NULL)
		return err->code;
	snprintf(s->address, sizeof(s->address), "%s", pt_gdbstub_address(s->gdb));
	/* standard output belongs to GDB there */
	if (options->print_ports && strcmp(config.address, "stdio") != 0) {
		if (pt_station_print_address(s->name, "gdb", s->address, err) < 0)
			return err->code;
		if (pt_gdbstub_also(s->gdb) != NULL &&
		    pt_station_print_address(s->name, "gdb", pt_gdbstub_also(s->gdb), err) < 0)
			return err->code;
	}
	pt_log_add_times();
	pt_info("gdb%s: listening on %s%s%s", s->label, pt_gdbstub_address(s->gdb),
		pt_gdbstub_also(s->gdb) != NULL ? " and " : "",
		pt_gdbstub_also(s->gdb) != NULL ? pt_gdbstub_also(s->gdb) : "");
	if (s->app.told[0] != '\0')
		pt_info("%.*s knows its own settings, which --set gives for hardware:%s",
			(int)strcspn(s->app.virtual_uri, "?"), s->app.virtual_uri, s->app.told);
	if (pt_gdbstub_warning(s->gdb) != NULL)
		pt_warn("gdb: %s: %s", pt_gdbstub_address(s->gdb), pt_gdbstub_warning(s->gdb));
	return open_swo(s, err);
}

static void on_gdb_closed(void *arg)
{
	((struct pt_station *)arg)->gdb_closed = true;
}

void pt_station_close_doors(struct pt_station *s)
{
	if (s->gdb != NULL)
		pt_gdbstub_close(s->gdb, on_gdb_closed, s);
}

bool pt_station_has_clients(const struct pt_station *s)
{
	return s->gdb != NULL && !s->gdb_closed;
}

void pt_station_close(struct pt_station *s)
{
	if (s->swo != NULL)
		pt_swo_door_close(s->swo);
	if (s->app.board == NULL || s->closing)
		return;
	s->closing = true;
	pt_board_unlisten(s->app.board, &s->listener);
	pt_changes_close(s->changes);
	pt_app_begin_close(&s->app, NULL, NULL);
}

void pt_station_free(struct pt_station *s)
{
	pt_swo_door_free(s->swo);
	drop_claim(s);
	free(s);
}
