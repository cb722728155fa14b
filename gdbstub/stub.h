/* Inside gdbstub: the listener and its list of clients. Loop thread. */
#ifndef PT_GDBSTUB_STUB_H
#define PT_GDBSTUB_STUB_H

#include <uv.h>

#include "gdbstub/gdbstub.h"

struct pt_gdb_client;

union pt_gdb_handle {
	uv_handle_t handle;
	uv_stream_t stream;
	uv_tcp_t tcp;
	uv_pipe_t pipe;
};

struct pt_gdbstub {
	uv_loop_t *loop;
	struct pt_gdbstub_config config;
	char *address;			/* as the user would write it, with the real port */
	char *socket_path;		/* unix: to be removed at the end; else NULL */
	union pt_gdb_handle listener;
	bool listens;			/* the listener handle is open */
	struct pt_gdb_client *clients;
	struct pt_gdb_client *owner;	/* who has the inferior; NULL: nobody */
	bool closing;
	void (*on_closed)(void *arg);
	void *on_closed_arg;
};

/* A client is gone, or the listener is: ends a closing stub when both are, and answers those who waited for the core. */
void pt_gdbstub_check(struct pt_gdbstub *stub);

#endif
