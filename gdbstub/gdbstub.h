/* The GDB side: listens on an address, speaks RSP with each client, turns its packets into board jobs and session
 * requests. Loop thread; never blocks. Everything a client sends is untrusted. */
#ifndef PT_GDBSTUB_H
#define PT_GDBSTUB_H

#include <uv.h>

#include "board/board.h"
#include "base/error.h"
#include "host/peers.h"
#include "session/session.h"
#include "host/token.h"

struct pt_gdbstub;

enum pt_attach { PT_ATTACH_AUTO, PT_ATTACH_RUN, PT_ATTACH_HALT };	/* --attach */

struct pt_gdbstub_config {
	const char *address;		/* "HOST:PORT" (port 0: any), "unix:PATH", "stdio" */
	bool allow_remote;		/* an address that other machines may reach */
	const struct pt_peers *allow;	/* unix: who else may connect (peers.h); the caller's. NULL: nobody */
	enum pt_attach attach;
	const struct pt_token *token;	/* a client has to give it first; the caller's. NULL: none is wanted */
	uint32_t patience_ms;		/* for the first bytes of a connection; 0: PT_FIRST_PATIENCE_MS (firstbytes.h) */
	bool restricted;		/* clients may look, and change nothing (rights.h) */
	bool watch;			/* a second all-stop GDB may read memory (attach.c) */
	struct pt_board *board;
	struct pt_session *session;
	const struct pt_params *symbols;	/* settings for programs (program/model/settings.h); NULL: all standards */
	void (*on_quit)(void *arg);	/* stdio: the client left. May be NULL */
	void *arg;
};

/* PT_EBUSY: the address is taken (says by what to do), PT_EPERM, PT_EARG. */
struct pt_gdbstub *pt_gdbstub_new(uv_loop_t *loop, const struct pt_gdbstub_config *config, struct pt_err *err);
const char *pt_gdbstub_address(const struct pt_gdbstub *stub);	/* with the real port */
/* What a user has to know of the address; NULL: this machine alone reaches it. */
const char *pt_gdbstub_warning(const struct pt_gdbstub *stub);
void pt_gdbstub_close(struct pt_gdbstub *stub, void (*on_closed)(void *arg), void *arg);

#endif
