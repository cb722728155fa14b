/* One connection to a GDB: bytes, packets in strict order, acknowledge, resend, send. It knows neither packet names nor
 * the board: the handler gives packets their meaning. Loop thread.
 *
 * The life of a packet: read, queued, passed to the handler, and finished, at once or later; only then the next one is
 * passed. 0x03 overtakes the queue.
 *
 * The end: after the peer has closed, or was disconnected, nothing is read or sent any more. Work for this client
 * elsewhere (board, pool, session) holds the connection; after the last hold is released the handler restores what the
 * client had changed, and closes. This happens in a later iteration of the loop, so a callback may release first and
 * answer then. */
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

/* The functions that a connection calls. Loop thread; none is NULL. */
struct pt_rsp_handler {
	void (*known)(void *arg);	/* its first bytes were GDB's: admit.h */
	void (*packet)(void *arg);	/* connection->current, one at a time; ends in pt_rsp_finish() */
	void (*arrived)(void *arg);	/* another packet was queued behind the current one */
	void (*interrupt)(void *arg);	/* 0x03 */
	void (*alive)(void *arg);	/* "-" with nothing to resend: GDB still waits */
	/* why: the connection starts to end. NULL: the last hold was released; either hold again, or call
	 * pt_rsp_close(). */
	void (*hangup)(void *arg, const char *why);
};

struct pt_rsp_connection {
	const struct pt_rsp_handler *handler;
	void *arg;			/* its */
	uv_loop_t *loop;
	char peer[PT_RSP_PEER_BYTES];	/* the peer's address, for messages */
	bool own;			/* the kernel says that the peer is the daemon's own user */
	bool secret;			/* its first bytes may contain a token: they are not logged */
	struct pt_sparing *sparing;	/* the server's; NULL: everything is logged */
	bool known;			/* its first bytes were GDB's: admit.h */
	size_t n_first;			/* before that: number of bytes in read_bytes */
	unsigned n_stray;		/* meaningless bytes since the last packet */

	union pt_stream in, out;	/* out: stdio only */
	uv_stream_t *to;		/* in's or out's */
	uv_timer_t ending;		/* runs in the loop iteration after the last release */
	uv_timer_t patience;		/* limits the time until the first packet, or the token */
	unsigned n_handles, holds;
	bool closing;			/* nothing is read or sent any more */
	bool closed;			/* the handles are being closed */
	void (*on_closed)(void *arg);

	struct pt_rsp parser;
	uint8_t payload[PT_RSP_PAYLOAD_BYTES + 1];
	uint8_t read_bytes[PT_RSP_READ_BYTES];
	struct pt_rsp_frame frame;	/* the reply being built */
	struct pt_rsp_frame unacked;	/* ack mode: the last frame sent, until its "+" */
	bool no_ack;

	struct pt_rsp_packet *queue, **queue_tail;
	size_t queued_bytes;
	struct pt_rsp_packet *current;	/* being answered */
	bool pumping;
};

/* --- connection.c ------------------------------------------------------------------------------------------------- */

void pt_rsp_connection_init(struct pt_rsp_connection *c, uv_loop_t *loop, const struct pt_rsp_handler *handler,
			    void *arg);
/* Accepts the connection that waits at the listener; or takes standard input and output. After an error, close the
 * connection, too. PT_EPERM: the peer may not connect; PT_EARG, PT_EIO. */
int pt_rsp_accept(struct pt_rsp_connection *c, struct pt_listener *listener, struct pt_err *err);
int pt_rsp_open_stdio(struct pt_rsp_connection *c, struct pt_err *err);
bool pt_rsp_is_stdio(const struct pt_rsp_connection *c);
void pt_rsp_close(struct pt_rsp_connection *c, void (*on_closed)(void *arg));	/* frees what it owns */
/* Sets another buffer for incoming packets: room of it, with one byte for a NUL; NULL: back to its own. Drops a packet
 * that is half received. */
void pt_rsp_set_capacity(struct pt_rsp_connection *c, uint8_t *payload, size_t bytes);

/* --- holds.c ------------------------------------------------------------------------------------------------------ */

void pt_rsp_hang_up(struct pt_rsp_connection *c, const char *why);	/* safe to call again */
void pt_rsp_hold(struct pt_rsp_connection *c);	/* work for this client has begun elsewhere */
void pt_rsp_release(struct pt_rsp_connection *c);

/* --- order.c ------------------------------------------------------------------------------------------------------ */

void pt_rsp_enqueue(struct pt_rsp_connection *c, enum pt_rsp_item item);	/* an item from the parser */
void pt_rsp_finish(struct pt_rsp_connection *c);	/* the current packet is done: continue with the next */
/* The handler gets the current packet again, because what it waited for has happened. Does nothing if there is no
 * current packet. */
void pt_rsp_redeliver(struct pt_rsp_connection *c);
void pt_rsp_drop_packets(struct pt_rsp_connection *c);

/* --- send.c ------------------------------------------------------------------------------------------------------- */

/* Completes the frame and sends it as a separate packet: the current one still needs its reply. */
void pt_rsp_send(struct pt_rsp_connection *c, struct pt_rsp_frame *frame);
void pt_rsp_send_raw(struct pt_rsp_connection *c, const uint8_t *bytes,
		     size_t len_bytes); /* as received from another server */
void pt_rsp_acknowledge(struct pt_rsp_connection *c, const char *mark);	/* "+" or "-" */
bool pt_rsp_resend(struct pt_rsp_connection *c); /* resends the frame that has no "+" yet. False: there is no
							 * such frame */
bool pt_rsp_may_send(const struct pt_rsp_connection *c);	/* whether the peer reads fast enough for more */
void pt_rsp_log_packet(const char *way, const uint8_t *bytes, size_t len_bytes);	/* to the log's gdb channel */

#endif
