/* A station: one board of the daemon, its session, and its doors. The daemon has a list of stations; if one fails or is
 * configured wrongly, the others go on. Loop thread. */
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
	const char *name;		/* of its section; "": the board without a section */
	const struct pt_options *options;
	struct pt_app app;		/* app.board NULL: opening failed */
	struct pt_changes *changes;
	struct pt_gdbstub *gdb;		/* NULL: it has no door */
	struct pt_swo_door *swo;	/* the same */
	struct pt_err err;		/* why the board cannot be served; code 0: it is */
	char path[256];			/* "unix:PATH" of a named board's own door */
	/* Called when a mistake in its options is found, possibly later; err has the message. NULL: no call */
	void (*on_wrong)(void *arg);
	void (*on_quit)(void *arg);	/* GDB on standard input has left */
	void (*on_state)(void *arg);	/* of the board: it was attached, lost, ... NULL: nothing is to be done */
	void *arg;
	bool is_only;			/* the daemon has no other board */
	/* station.c's */
	char label[PT_BOARD_NAME + 2];	/* " NAME", for messages; "": it has none */
	struct pt_board_listener listener;
	struct pt_job claim_job;
	struct pt_lock_file *lock[PT_BOARD_PROBES];	/* used by the job that creates them; NULL: no note of this
							 * daemon */
	char address[256];				/* of the GDB server, for the note: the server may be closed by
							 * then */
	struct pt_peers allow;				/* clients that the GDB server accepts */
	struct pt_token token;				/* the same */
	bool claiming, gdb_closed, closing;
};

/* name and options must exist as long as the station. */
struct pt_station *pt_station_new(const char *name, const struct pt_options *options);
/* Opens the board; returns an exit status, as pt_app_open(). */
int pt_station_open(struct pt_station *station, uv_loop_t *loop, struct pt_err *err);
int pt_station_open_doors(struct pt_station *station, struct pt_err *err);
/* Clients use the session, so doors are closed first. This begins to close them; pt_station_has_clients() says whether
 * GDB clients remain. */
void pt_station_close_doors(struct pt_station *station);
bool pt_station_has_clients(const struct pt_station *station);
/* Call it when all doors are closed: restores the target and closes the board while the loop runs. */
void pt_station_close(struct pt_station *station);
/* For --print-ports: "OF DOOR ADDRESS", or without the first word where it is "". PT_EIO: it could not be printed; a
 * script would wait for it in vain. */
int pt_station_print_address(const char *of, const char *door, const char *address, struct pt_err *err);
void pt_station_free(struct pt_station *station);	/* when no handles are left; removes its notes */

#endif
