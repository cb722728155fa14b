/* One connection to a GDB: bytes, packets in strict order, acknowledge, resend, send. It knows no packet by name and no
 * board: what a packet means is its handler's. Loop thread.
 *
 * The life of a packet: read, queued, handed to the handler, and finished, at once or later; only then the next one is
 * handed over. 0x03 overtakes the queue.
 *
 * The end: when the peer is gone, or is sent away, nothing is read or sent any more. What was begun for it elsewhere
 * (board, pool, session) holds the connection; once the last hold is released the handler puts back what the client
 * had, and closes. That happens on a later turn of the loop, so that a callback may release first and answer then. */
#ifndef PT_GDBSTUB_RSP_CONNECTION_H
#define PT_GDBSTUB_RSP_CONNECTION_H

#include <uv.h>

#include "base/error.h"
#include "base/rsp_frame.h"
#include "host/listen.h"
#include "host/sparing.h"

enum {
	PT_RSP_PAYLOAD_BYTES = 0x4000,	/* PacketSize: the largest payload in either direction */
	PT_RSP_READ_BYTES = 4096,
	PT_RSP_PEER_BYTES = 64,
};

struct pt_rsp_packet {
	struct pt_rsp_packet *next;
	enum pt_rsp_item item;		/* PACKET, DAMAGED or OVERSIZE */
	size_t len_bytes;
	uint8_t bytes[];		/* and a NUL */
};

/* What a connection calls. All on the loop; none is NULL. */
struct pt_rsp_handler {
	void (*known)(void *arg);	/* its first bytes were GDB's: admit.h */
	void (*packet)(void *arg);	/* connection->current, one at a time; ends in pt_rsp_finish() */
	void (*arrived)(void *arg);	/* another one came in behind it */
	void (*interrupt)(void *arg);	/* 0x03 */
	void (*alive)(void *arg);	/* "-" with nothing to send again: GDB still waits */
	/* why: the end has begun. NULL: the last hold is gone; either holds anew, or pt_rsp_close(). */
	void (*hangup)(void *arg, const char *why);
};

struct pt_rsp_connection {
	const struct pt_rsp_handler *handler;
	void *arg;			/* its */
	uv_loop_t *loop;
	char peer[PT_RSP_PEER_BYTES];	/* who it is, for messages */
	bool own;			/* the daemon's own user is at the other end: the kernel says so */
	bool secret;			/* a token may be among its first bytes: they are not shown */
	struct pt_sparing *sparing;	/* the server's; NULL: everything is said */
	bool known;			/* its first bytes were GDB's: admit.h */
	size_t n_first;			/* before that: bytes in read_bytes */
	unsigned n_stray;		/* bytes since the last packet that mean nothing */

	union pt_stream in, out;	/* out: stdio only */
	uv_stream_t *to;		/* in's or out's */
	uv_timer_t ending;		/* a turn of the loop behind the last release */
	uv_timer_t patience;		/* until it is known, or has given the token */
	unsigned n_handles, holds;
	bool closing;			/* nothing is read or sent any more */
	bool closed;			/* the handles are being closed */
	void (*on_closed)(void *arg);

	struct pt_rsp parser;
	uint8_t payload[PT_RSP_PAYLOAD_BYTES + 1];
	uint8_t read_bytes[PT_RSP_READ_BYTES];
	struct pt_rsp_frame frame;	/* the reply being built */
	struct pt_rsp_frame unacked;	/* ack mode: the last one sent, until its "+" */
	bool no_ack;

	struct pt_rsp_packet *queue, **queue_tail;
	size_t queued_bytes;
	struct pt_rsp_packet *current;	/* being answered */
	bool pumping;
};

/* --- connection.c ------------------------------------------------------------------------------------------------- */

void pt_rsp_connection_init(struct pt_rsp_connection *c, uv_loop_t *loop, const struct pt_rsp_handler *handler,
			    void *arg);
/* Who waits at the listener; or our own standard input and output. After an error the connection is to be closed, too.
 * PT_EPERM: the peer may not connect; PT_EARG, PT_EIO. */
int pt_rsp_accept(struct pt_rsp_connection *c, struct pt_listener *listener, struct pt_err *err);
int pt_rsp_open_stdio(struct pt_rsp_connection *c, struct pt_err *err);
bool pt_rsp_is_stdio(const struct pt_rsp_connection *c);
void pt_rsp_close(struct pt_rsp_connection *c, void (*on_closed)(void *arg));	/* frees what it owns */
/* Another buffer for packets that come in: bytes of it, one of them for a NUL; NULL: its own again. Drops what is half
 * received. */
void pt_rsp_set_capacity(struct pt_rsp_connection *c, uint8_t *payload, size_t bytes);

/* --- holds.c ------------------------------------------------------------------------------------------------------ */

void pt_rsp_hang_up(struct pt_rsp_connection *c, const char *why);	/* safe to call again */
void pt_rsp_hold(struct pt_rsp_connection *c);	/* something of this client is under way elsewhere */
void pt_rsp_release(struct pt_rsp_connection *c);

/* --- order.c ------------------------------------------------------------------------------------------------------ */

void pt_rsp_enqueue(struct pt_rsp_connection *c, enum pt_rsp_item item);	/* what the parser has */
void pt_rsp_finish(struct pt_rsp_connection *c);	/* the current packet is dealt with: on to the next */
/* The handler gets the current packet again: what it waited for has come. Nothing where there is none any more. */
void pt_rsp_redeliver(struct pt_rsp_connection *c);
void pt_rsp_drop_packets(struct pt_rsp_connection *c);

/* --- send.c ------------------------------------------------------------------------------------------------------- */

/* Ends the frame and sends it, as a packet by itself: the current one stays to be answered. */
void pt_rsp_send(struct pt_rsp_connection *c, struct pt_rsp_frame *frame);
void pt_rsp_send_raw(struct pt_rsp_connection *c, const uint8_t *bytes,
		     size_t len_bytes); /* as another server made it */
void pt_rsp_acknowledge(struct pt_rsp_connection *c, const char *mark);	/* "+" or "-" */
bool pt_rsp_resend(struct pt_rsp_connection *c);	/* the frame that has no "+" yet. False: there is none */
bool pt_rsp_may_send(const struct pt_rsp_connection *c);	/* the peer keeps up with what it was sent */
void pt_rsp_log_packet(const char *way, const uint8_t *bytes, size_t len_bytes);	/* to the log's gdb channel */

#endif
