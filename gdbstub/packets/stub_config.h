/* What the daemon says of a GDB server when it makes one. */
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
	bool allow_remote;		/* an address that other machines may reach */
	const struct pt_peers *allow;	/* unix: which other users may connect (peers.h); the caller's. NULL: none */
	enum pt_attach attach;
	const struct pt_token *token;	/* a client has to give it first; the caller's. NULL: none is wanted */
	uint32_t patience_ms;		/* for the first bytes of a connection; 0: PT_FIRST_PATIENCE_MS (first_bytes.h) */
	bool restricted;		/* clients may look, and change nothing (packet.h: LOOKS) */
	bool watch;			/* a second all-stop GDB may read memory (attach.c) */
	struct pt_board *board;
	struct pt_session *session;
	struct pt_recorder *recorder;	/* of this session, as the tasks are */
	struct pt_os_tasks *tasks;
	struct pt_changes *changes;	/* of this board (control/changes.h); the caller's. NULL: there is no log of changes */
	const struct pt_params *symbols;	/* settings for programs (program/model/settings.h); NULL: all standards */
	/* As pt_command_ctx has it (control/command.h); NULL: none */
	void (*options)(void (*each)(void *arg, const char *name, const char *help), void *arg);
	void (*on_quit)(void *arg);	/* stdio: the client left. May be NULL */
	void *arg;
};

#endif
