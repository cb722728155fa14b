/* proftap serve: the daemon. It has a list of boards, each with its session and doors (station.h); ends on SIGINT,
 * SIGTERM or SIGHUP. With --gdb stdio, if a daemon has the probe already, proftap only passes bytes between GDB and
 * that daemon. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "base/util.h"
#include "cli/app.h"
#include "cli/ending.h"
#include "cli/lock_file.h"
#include "cli/stdio_bridge.h"
#include "cli/subcommands.h"
#include "daemon/control.h"
#include "daemon/station.h"
#include "daemon/watchdog.h"
#include "host/log.h"
#include "host/named_file.h"
#include "host/service.h"
#include "probes/registry.h"
#include "web/web.h"

struct serve {
	uv_loop_t loop;
	const struct pt_options *options;
	struct pt_station *stations;
	struct pt_ending *ending;
	struct pt_web *web;
	struct pt_control *control;	/* NULL: there is no control socket */
	struct pt_watchdog *watchdog;
	struct pt_peers allow;		/* clients that the HTTP door accepts */
	struct pt_token token;		/* the same */
	bool web_closed, control_closed, is_serving;
	int status;
};

/* The address of the first probe; "": the first that is plugged in. */
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

/* If GDB is on standard input and another daemon of this user has the probe, that daemon serves GDB. False: there is no
 * such daemon. */
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

static void on_quit(void *arg)
{
	uv_stop(&((struct serve *)arg)->loop);
}

/* What `systemctl status` shows. */
static void tell_manager(void *arg)
{
	const struct serve *s = arg;
	unsigned n_boards = 0, n_attached = 0;
	char text[80];

	for (const struct pt_station *station = s->stations; station != NULL; station = station->next) {
		n_boards++;
		n_attached += station->gdb != NULL && pt_board_get_state(station->app.board, NULL) == PT_BOARD_READY;
	}
	snprintf(text, sizeof(text), "%u of %u board%s attached", n_attached, n_boards, n_boards == 1 ? "" : "s");
	if (s->is_serving)
		pt_service_ready(text);
}

static void on_wrong(void *arg)
{
	struct serve *s = arg;

	if (s->options->n_boards > 1)
		return;		/* the other boards go on */
	s->status = PT_EXIT_USAGE;
	uv_stop(&s->loop);
}

/* Returns an exit status; errors have been printed. */
static int open_station(struct serve *s, struct pt_station *station)
{
	struct pt_err err = station->options->fault;
	int status = err.code != 0 ? PT_EXIT_USAGE : pt_station_open(station, &s->loop, &err);

	pt_log_board(station->name);
	if (status == PT_EXIT_DONE) {
		pt_ending_add(s->ending, station->app.board);
		pt_watchdog_add(s->watchdog, station->app.board);
		if (pt_station_open_doors(station, &err) == 0)
			return PT_EXIT_DONE;
		status = PT_EXIT_USAGE;
		if (s->options->n_boards > 1 && station->gdb == NULL)
			pt_station_close(station);	/* the daemon that uses the address may also use the probe */
	}
	station->err = err;
	pt_error("%s%s%s", station->name, station->name[0] != '\0' ? ": " : "", err.msg);
	return status;
}

static struct pt_station *add_station(struct serve *s, const char *name, const struct pt_options *options)
{
	struct pt_station **at = &s->stations;

	while (*at != NULL)
		at = &(*at)->next;
	*at = pt_station_new(name, options);
	(*at)->on_wrong = on_wrong;
	(*at)->on_quit = on_quit;
	(*at)->on_state = tell_manager;
	(*at)->arg = s;
	(*at)->is_only = s->options->n_boards <= 1;
	return *at;
}

/* Returns an exit status. If one of several boards cannot be served, the others still are. */
static int open_stations(struct serve *s)
{
	const struct pt_options *options = s->options;

	if (options->n_boards <= 1)
		return open_station(s, add_station(s, options->name != NULL ? options->name : "", options));
	for (size_t i = 0; i < options->n_boards; i++)
		open_station(s, add_station(s, options->boards[i]->name, options->boards[i]));
	pt_log_board("");
	return PT_EXIT_DONE;
}

static void add_to_web(struct serve *s, const struct pt_station *station)
{
	const struct pt_web_board_config board = {
		.name = station->name[0] != '\0' ? station->name : station->options->board != NULL ? station->options->board : "board",
		.board = station->app.board, .session = station->app.session, .recorder = station->app.recorder,
		.tasks = station->app.tasks, .changes = station->changes, .symbols = station->app.symbols,
	};

	if (station->gdb != NULL)
		pt_web_add(s->web, &board);
}

static int open_web(struct serve *s, struct pt_err *err)
{
	const struct pt_options *options = s->options;
	const struct pt_web_config config = {
		.address = options->http, .hosts = options->http_host, .allow = options->allow != NULL ? &s->allow : NULL,
		.token = options->token_file != NULL ? &s->token : NULL, .allow_remote = options->allow_remote,
	};

	if (options->http == NULL)
		return 0;
	if (options->allow != NULL && pt_peers_parse(&s->allow, options->allow, err) < 0)
		return pt_wrap(err, "--allow");
	if (options->token_file != NULL && pt_token_read(&s->token, options->token_file, err) < 0)
		return pt_wrap(err, "--token-file");
	s->web = pt_web_new(&s->loop, &config, err);
	if (s->web == NULL)
		return pt_wrap(err, "--http");
	for (struct pt_station *station = s->stations; station != NULL; station = station->next)
		add_to_web(s, station);
	pt_info("http: listening on %s", pt_web_address(s->web));
	if (pt_web_warning(s->web) != NULL)
		pt_warn("http: %s: %s", pt_web_address(s->web), pt_web_warning(s->web));
	return options->print_ports ? pt_station_print_address(s->stations->name[0] != '\0' ? "-" : "", "http",
							       pt_web_address(s->web), err)
				    : 0;
}

static void on_control_closed(void *arg)
{
	((struct serve *)arg)->control_closed = true;
}

static void on_web_closed(void *arg)
{
	((struct serve *)arg)->web_closed = true;
}

static void close_stations(struct serve *s)
{
	struct pt_station *station;

	if (s->web != NULL)
		pt_web_close(s->web, on_web_closed, s);
	if (s->control != NULL)
		pt_control_close(s->control, on_control_closed, s);

	for (station = s->stations; station != NULL; station = station->next)
		pt_station_close_doors(station);
	for (station = s->stations; station != NULL; station = station->next)
		while (pt_station_has_clients(station))
			uv_run(&s->loop, UV_RUN_ONCE);
	while ((s->web != NULL && !s->web_closed) || (s->control != NULL && !s->control_closed))
		uv_run(&s->loop, UV_RUN_ONCE);
	for (station = s->stations; station != NULL; station = station->next)
		pt_station_close(station);
}

static void free_stations(struct serve *s)
{
	struct pt_station *next;

	for (struct pt_station *station = s->stations; station != NULL; station = next) {
		next = station->next;
		pt_station_free(station);
	}
}

/* An option given on the command line that can apply to one board only; NULL: there is none. */
static const char *board_option(const struct pt_options *options)
{
	static const char *const names[] = { "probe", "board", "gdb", "swo", "swo-text", "elf", "target" };

	for (size_t i = 0; i < PT_LEN(names); i++)
		if (pt_options_given(options, names[i]))
			return names[i];
	return NULL;
}

static int begin(struct serve *s, struct pt_err *err)
{
	if (pt_named_set_folder(s->options->files, err) < 0) {
		pt_wrap(err, "--files");
		return PT_EXIT_USAGE;
	}
	if (pt_loop_begin(&s->loop, err) < 0)
		return PT_EXIT_DEVICE;
	s->watchdog = pt_watchdog_new(&s->loop);
	s->ending = pt_ending_new(&s->loop, on_quit, s, err);
	return s->ending != NULL ? PT_EXIT_DONE : PT_EXIT_USAGE;
}

static void run(struct serve *s)
{
	const char *untaken;

	for (unsigned i = 0; (untaken = pt_service_untaken(i)) != NULL; i++)
		pt_warn("systemd passed a socket \"%s\" that no board has: gdb.NAME is that of the section [board NAME], any "
			"other one belongs to a line such as http = systemd:%s",
			untaken, untaken);
	s->is_serving = true;
	tell_manager(s);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	s->is_serving = false;
	pt_service_stopping();
}

static int run_serve(const struct pt_options *options)
{
	struct serve s = { .options = options };
	struct pt_err err = { 0 };

	if (options->n_boards > 1 && board_option(options) != NULL) {
		pt_error(
			"--%s is of one board, and the configuration file has %u: put it into a section, or name another "
			"file with --config (/dev/null: none)",
			board_option(options), options->n_boards);
		return PT_EXIT_USAGE;
	}
	if (options->n_boards <= 1 && join(options, &s.status))
		return s.status;
	pt_door_set(PT_DOOR_GDB);
	pt_service_begin();
	s.status = begin(&s, &err);
	if (s.status != PT_EXIT_DONE) {
		pt_error("%s", err.msg);
		return s.status;
	}
	s.status = open_stations(&s);
	if (s.status == PT_EXIT_DONE &&
	    (open_web(&s, &err) < 0 || pt_control_open(&s.control, &s.loop, options, &s.stations, &err) < 0)) {
		pt_error("%s", err.msg);
		s.status = PT_EXIT_USAGE;
	}
	if (s.status == PT_EXIT_DONE)
		run(&s);
	pt_watchdog_close(s.watchdog);
	close_stations(&s);
	pt_ending_close(s.ending);
	uv_run(&s.loop, UV_RUN_DEFAULT);
	uv_loop_close(&s.loop);
	free_stations(&s);
	pt_watchdog_free(s.watchdog);
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
