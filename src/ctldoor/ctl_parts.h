/* The inside of the control door. Loop thread. */
#ifndef PT_CTL_PARTS_H
#define PT_CTL_PARTS_H

#include "ctldoor/ctl_door.h"
#include "host/listen.h"
#include "host/sparing.h"

enum {
	PT_CTL_CONNECTIONS = 32,
	PT_CTL_LINE_BYTES = 8192,
	PT_CTL_PATIENCE_MS = 10000,	/* for a request */
	PT_CTL_STALL_MS = 30000,	/* a client that does not read its answer */
	PT_CTL_PROGRESS_MS = 1000,
};

struct pt_ctl_connection {
	struct pt_ctl_connection *next;
	struct pt_ctl_door *door;
	union pt_stream peer;
	uv_timer_t timer;
	unsigned n_handles;
	char who[PT_PEER_TEXT];
	bool own, closing;
	char line[PT_CTL_LINE_BYTES];
	size_t len_bytes;
	unsigned n_writes;		/* that the client has not read */
	uint64_t since_ms;		/* of the request, or of what it does not read */
	/* the command at work */
	struct pt_command_ctx ctx;
	struct pt_command *command;	/* NULL: none */
	struct pt_ctl_board board;
	uint16_t columns;
};

struct pt_ctl_door {
	uv_loop_t *loop;
	struct pt_ctl_config config;
	struct pt_listener listener;
	struct pt_sparing *sparing;
	struct pt_ctl_connection *connections;
	size_t n_connections;
	bool closing, listener_closed;
	void (*on_closed)(void *arg);
	void *closed_arg;
};

/* --- call.c: a request; takes it over */
void pt_ctl_request(struct pt_ctl_connection *connection, json_t *request);
void pt_ctl_progress(struct pt_ctl_connection *connection);	/* while a command is at work */

/* --- send.c: one line; takes reply over */
void pt_ctl_send(struct pt_ctl_connection *connection, json_t *reply);
void pt_ctl_refuse(struct pt_ctl_connection *connection, int code, const char *sentence);

/* --- ctl_door.c: closes, as soon as no command is at work */
void pt_ctl_hang_up(struct pt_ctl_connection *connection);
void pt_ctl_go_on_closing(struct pt_ctl_connection *connection);

#endif
