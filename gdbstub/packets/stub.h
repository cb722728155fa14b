/* State shared by all clients of a board. gdbstub/server.c creates it. Loop thread. */
#ifndef PT_GDBSTUB_PACKETS_STUB_H
#define PT_GDBSTUB_PACKETS_STUB_H

#include <uv.h>

#include "gdbstub/packets/stub_config.h"
#include "host/listen.h"
#include "targets/contract/progress.h"

struct pt_door_ops;
struct pt_files;
struct pt_gdb_client;

extern const struct pt_door_ops pt_gdb_door;	/* door.c */

struct pt_packet_row;
struct pt_packet_filter;

struct pt_gdbstub {
	uv_loop_t *loop;
	const struct pt_packet_row *const *packets;	/* tables of packets; NULL at the end */
	const struct pt_packet_filter *filter;		/* tried before the tables */
	struct pt_gdbstub_config config;
	const struct pt_door_ops *door;	/* for monitor */
	struct pt_listener listener, also;	/* for the two addresses of the config */
	unsigned listeners_closing;
	struct pt_gdb_client *clients;
	struct pt_gdb_proxy *proxy;	/* to another GDB server; NULL: not needed yet */
	struct pt_gdb_client *owner;	/* the client that has the inferior; NULL: none */
	struct pt_program *found_program;	/* set by find_program.c: a program that no user has named; NULL:
						 * none */
	struct pt_files *files;	/* the board's directory; owned by the server */
	bool finishes_load;	/* the board thread completes a load and does nothing else; progress: */
	struct pt_progress load_progress;
	struct pt_err load;	/* why the last load failed, because GDB shows its own sentence; code 0: it did not */
	uv_timer_t wake;	/* runs in the next iteration of the loop */
	uv_timer_cb on_wake;	/* the server's */
	struct pt_sparing *sparing;	/* limits log lines that strangers cause */
	bool closing;
	void (*on_closed)(void *arg);
	void *on_closed_arg;
};

/* Call it when something ended that a packet, or the end of the server, may wait for: both are checked in the next
 * iteration of the loop. */
void pt_gdbstub_wake(struct pt_gdbstub *stub);

#endif
