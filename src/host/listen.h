/* A TCP port or unix socket on which a server of the daemon listens, with its address as the user writes it. */
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
	bool open;		/* the handle belongs to the loop until it is closed */
	char *address;		/* as the user would write it, with the real port; NULL when not listening */
	struct pt_socket_file *file;	/* unix: removed when the listener closes, if it is still the same file */
	/* unix: which other users may connect; set before pt_listen(), the caller's. NULL: none */
	const struct pt_peers *peers;
	bool allow_remote;	/* set before pt_listen(): accept an address that other machines can reach */
	bool is_remote;		/* other machines can reach the address */
	/* of the last pt_listener_accept() */
	bool peer_is_own;	/* the peer is the daemon's own user (pt_peer_is_own()) */
	char peer[PT_PEER_TEXT];	/* unix: the peer, for messages */
};

/* Loop thread. address: "HOST:PORT", "[IPV6]:PORT" (port 0: any free one), "unix:PATH". on_connection is libuv's, with
 * data in the stream's handle. A unix socket file that no process serves any more is replaced.
 * PT_EARG: not an address, or one that other machines can reach and allow_remote is not set; PT_EBUSY: in use; PT_EPERM.
 * Also after an error the caller closes the listener if open is set. */
int pt_listen(struct pt_listener *listener, uv_loop_t *loop, const char *address, uv_connection_cb on_connection,
	      void *data, struct pt_err *err);

/* Checks the notation of an address only: opens nothing and resolves nothing. PT_EARG. */
int pt_listen_check(const char *address, struct pt_err *err);

/* Initialises peer as a stream of the listener's kind, with data in its handle, and accepts the connection into it.
 * Returns 0 or an error of libuv (UV_EACCES: this user may not connect). The caller closes the handle in any case. */
int pt_listener_accept(struct pt_listener *listener, union pt_stream *peer, void *data);

/* Removes the socket files of all open listeners; for a process that ends without closing them. Any thread. Blocks as
 * long as the disks take. */
void pt_listen_remove_files(void);

/* Stops listening and frees what the listener owns; libuv calls on_closed. Only if open is set. */
void pt_listener_close(struct pt_listener *listener, uv_close_cb on_closed);

#endif
