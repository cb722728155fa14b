/* Where clients come from: a TCP port or a unix socket, named as the user writes it. For every server of the daemon. */
#ifndef PT_LISTEN_H
#define PT_LISTEN_H

#include <stdbool.h>
#include <uv.h>

#include "base/error.h"
#include "host/peers.h"

union pt_stream {			/* either kind; which one: handle.type */
	uv_handle_t handle;
	uv_stream_t stream;
	uv_tcp_t tcp;
	uv_pipe_t pipe;
};

/* All zero before the first use. */
struct pt_listener {
	union pt_stream socket;
	bool open;		/* the handle is the loop's until it is closed */
	char *address;		/* as the user would write it, with the real port; NULL when not listening */
	struct pt_socket_file *file;	/* unix: removed at the end, if it is still the same one */
	/* unix: which other users may connect; set before pt_listen(), the caller's. NULL: none */
	const struct pt_peers *peers;
	bool allow_remote;	/* set before pt_listen(): an address that other machines may reach is no error */
	bool is_remote;		/* it is such an address */
	bool peer_is_own;	/* it is the daemon's own user (pt_peer_is_own()) */
	char peer[PT_PEER_TEXT];	/* unix: the peer of the last pt_listener_accept() */
};

/* Loop thread. address: "HOST:PORT", "[IPV6]:PORT" (port 0: any free one), "unix:PATH". on_connection is libuv's, with
 * data in the stream's handle. A unix socket file that no process serves any more is replaced. TCP is for this machine
 * alone, unless allow_remote is set: PT_EARG else.
 * PT_EARG not an address, PT_EBUSY in use, PT_EPERM; after an error, too, a listener that is open is to be closed. */
int pt_listen(struct pt_listener *listener, uv_loop_t *loop, const char *address, uv_connection_cb on_connection,
	      void *data, struct pt_err *err);

/* Whether it is such an address, as it is written: nothing is opened or looked up. PT_EARG. */
int pt_listen_check(const char *address, struct pt_err *err);

/* Makes peer of the listener's kind, with data in its handle, and accepts into it. An error of libuv, UV_EACCES for who
 * may not connect; the handle is to be closed in either case. */
int pt_listener_accept(struct pt_listener *listener, union pt_stream *peer, void *data);

/* Any thread, when the process ends without closing its listeners: their socket files are removed. Blocks for as long
 * as their disks take. */
void pt_listen_remove_files(void);

/* Stops listening and frees what the listener owns; on_closed as libuv calls it. Only when it is open. */
void pt_listener_close(struct pt_listener *listener, uv_close_cb on_closed);

#endif
