/* A station: one board of the daemon, its session, and its doors. The daemon has a list of them; a station that fails or is
 * configured wrongly leaves the others as they are. Loop thread. */
#ifndef PT_STATION_H
#define PT_STATION_H

#include "cli/app.h"
#include "cli/lock_file.h"
#include "control/changes.h"
#include "gdbstub/gdbstub.h"
#include "host/token.h"
#include "swodoor/swo_door.h"

struct pt_station {
	struct pt_station *next;
	const char *name;		/* of its section; "": the only board, which has no name */
	const struct pt_options *options;
	struct pt_app app;		/* app.board NULL: it could not be opened */
	struct pt_changes *changes;
	struct pt_gdbstub *gdb;		/* NULL: it has no door */
	struct pt_swo_door *swo;	/* the same */
	struct pt_err err;		/* why the board cannot be served; code 0: it is */
	char path[256];			/* "unix:PATH" of a named board's own door */
	/* A mistake in its options was found, by now or later; what was said of it is in err. NULL: nothing is to be done */
	void (*on_wrong)(void *arg);
	void (*on_quit)(void *arg);	/* GDB on standard input has left */
	void *arg;
	bool is_only;			/* the daemon has no other */
	/* station.c's */
	char label[PT_BOARD_NAME + 2];	/* " NAME", for messages; "": it has none */
	struct pt_board_listener listener;
	struct pt_job claim_job;
	struct pt_lock_file *lock[PT_BOARD_PROBES];	/* the job's while claiming; NULL: no note of ours */
	char address[256];				/* of the GDB server, for the claim: it may be gone by then */
	struct pt_peers allow;				/* the GDB server's */
	struct pt_token token;				/* the same */
	bool claiming, gdb_closed, closing;
};

/* name and options are the caller's, for as long as the station is there. */
struct pt_station *pt_station_new(const char *name, const struct pt_options *options);
/* The board; an exit status, as pt_app_open(). */
int pt_station_open(struct pt_station *station, uv_loop_t *loop, struct pt_err *err);
int pt_station_open_doors(struct pt_station *station, struct pt_err *err);
/* Clients use the session, so doors go first. Begins to close them; the next call asks whether GDB clients are left. */
void pt_station_close_doors(struct pt_station *station);
bool pt_station_has_clients(const struct pt_station *station);
/* With no door any more: the board is put back and closed while the loop runs. */
void pt_station_close(struct pt_station *station);
/* For --print-ports: "OF DOOR ADDRESS", or without the first word where it is "". PT_EIO: a script would wait for it in vain. */
int pt_station_print_address(const char *of, const char *door, const char *address, struct pt_err *err);
void pt_station_free(struct pt_station *station);	/* when the loop has nothing left of it; takes its notes away */

#endif
