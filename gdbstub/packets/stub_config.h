/* The daemon's settings for a new GDB server. */
#ifndef PT_GDBSTUB_CONFIG_H
#define PT_GDBSTUB_CONFIG_H

#include <stdbool.h>

#include "board/board.h"
#include "host/peers.h"
#include "session/os_tasks.h"
#include "session/recorder.h"
#include "session/session.h"

struct pt_changes;

enum pt_attach { PT_ATTACH_AUTO, PT_ATTACH_RUN, PT_ATTACH_HALT };	/* --attach */

struct pt_gdbstub_config {
	const char *address;		/* "HOST:PORT" (port 0: any), "unix:PATH", "stdio" */
	const char *also;		/* a second address, as the first; NULL: none */
	bool allow_remote;		/* other machines may reach the address */
	const struct pt_peers *allow;	/* unix: which other users may connect (peers.h); owned by the caller. NULL:
					 * none */
	enum pt_attach attach;
	const struct pt_token *token;	/* clients must give it first; owned by the caller. NULL: not required */
	uint32_t patience_ms;		/* for the first bytes of a connection; 0: PT_FIRST_PATIENCE_MS (first_bytes.h) */
	bool restricted;		/* clients may look, but change nothing (packet.h: LOOKS) */
	bool watch;			/* a second all-stop GDB may read memory (attach.c) */
	struct pt_board *board;
	struct pt_session *session;
	struct pt_recorder *recorder;	/* for this session, as are the tasks */
	struct pt_os_tasks *tasks;
	struct pt_changes *changes;	/* for this board (control/changes.h); owned by the caller. NULL: there is no
					 * log */
	const struct pt_params *symbols;	/* settings for programs (program/model/settings.h); NULL: all
						 * defaults */
	/* As in pt_command_ctx (control/command.h); NULL: none */
	void (*options)(void (*each)(void *arg, const char *name, const char *help), void *arg);
	void (*on_quit)(void *arg);	/* stdio: the client has left. May be NULL */
	void *arg;
};

#endif
