/* Shared by the subcommands that use a board: a loop, one board, its session and its symbols, made from the options. */
#ifndef PT_APP_H
#define PT_APP_H

#include <stdbool.h>
#include <uv.h>

#include "board/board.h"
#include "cli/named_boards.h"
#include "cli/options.h"
#include "session/os_tasks.h"
#include "session/recorder.h"
#include "session/session.h"

enum pt_exit { PT_EXIT_DONE = 0, PT_EXIT_CHECK_FAILED = 1, PT_EXIT_USAGE = 2, PT_EXIT_DEVICE = 3, PT_EXIT_LOSS = 4 };

enum { PT_TOLD_BYTES = 400 };

struct pt_app {
	uv_loop_t *loop, own_loop;	/* loop: &own_loop, or that of struct pt_app_kind */
	struct pt_board *board;
	struct pt_session *session;
	struct pt_recorder *recorder;
	struct pt_os_tasks *tasks;
	struct pt_program *program;	/* or NULL */
	struct pt_params *symbols;	/* settings of programs (program/model/settings.h) */
	/* complete addresses of the probes; "" behind the last, or for the first that is plugged in */
	char uri[PT_BOARD_PROBES][640];
	const char *virtual_uri;	/* the first of a virtual board; NULL: there is none */
	const struct pt_named_board *named;	/* --board; NULL: not given */
	char told[PT_TOLD_BYTES];	/* settings that the board itself provides, each after a blank */
	void (*on_closed)(void *arg);
	void *closed_arg;
};

struct pt_app_kind {
	uv_loop_t *loop;		/* NULL: makes its own */
	const char *name;		/* of the board, for messages; NULL: it has none */
	const char *virtual_clock;	/* for a virtual board whose URI does not set it: "wall" or "virtual" */
	bool reopen;			/* wait for a probe that is missing or lost */
	bool replace_capture;		/* --capture FILE replaces an older one; otherwise FILE.1, FILE.2 ... are
					 * created */
	bool demo;			/* if no probe is plugged in and a terminal is used: take the virtual board */
};

/* Begins a loop. PT_ENOMEM: too few file descriptors for any command; libuv would end the process without a message, or
 * fail later. */
int pt_loop_begin(uv_loop_t *loop, struct pt_err *err);

/* Returns an exit status: PT_EXIT_DONE, or err says why not. */
int pt_app_open(struct pt_app *app, const struct pt_options *options, const struct pt_app_kind *kind,
		struct pt_err *err);
/* Closes session and board, runs the loop until all handles are gone. All other users of the loop must be closed
 * already. */
void pt_app_close(struct pt_app *app);
/* The same if another part runs the loop: on_closed is called when session and board are closed. */
void pt_app_begin_close(struct pt_app *app, void (*on_closed)(void *arg), void *arg);

#endif
