/* The connection to another GDB server, and who has it: the board thread as a link, the loop to pass packets through.
 *
 * The one that has the turn reads and writes, and the other touches no bytes. The board thread takes it for each packet
 * and its answer (pt_rsp_stream_hold), and as long as the loop is attached it is the loop's otherwise. Frames are
 * looked at where they were received: what is passed through is never copied into another form. */
#ifndef PT_PROBES_LINKS_RSP_STREAM_H
#define PT_PROBES_LINKS_RSP_STREAM_H

#include "probes/wires/link.h"
#include "probes/rsp/rsp_stops.h"
#include "probes/wires/rsp.h"

enum {
	PT_RSP_STREAM_BYTES = 512 * 1024,	/* the largest frame, with all that comes behind it in one go */
	PT_RSP_STREAM_PATIENCE_MS = 900,	/* for an answer, and for a turn, unless the user says otherwise */
	PT_RSP_RESUME_BYTES = 256,
	PT_RSP_KNOWN_BYTES = 2048,
};

struct pt_rsp_stream;

enum pt_rsp_frame_kind {
	PT_RSP_FRAME_NONE,	/* nothing whole is there yet */
	PT_RSP_FRAME_PACKET,	/* "$...#cs" */
	PT_RSP_FRAME_NOTE,	/* "%...#cs" */
	PT_RSP_FRAME_DAMAGED,	/* wrong checksum; with acknowledgements it has been asked
				 * for again, and this is not seen */
	PT_RSP_FRAME_LOST,	/* the connection has ended: pt_rsp_stream_why */
};

/* As it came, from its mark to its checksum. In the stream's buffer: valid until the next call of next. */
struct pt_rsp_raw { const uint8_t *bytes; size_t len_bytes; };

/* --- either thread, with the turn --- */

/* Takes what has arrived, without waiting. Where packets are acknowledged, that goes ahead of the next one that is
 * sent, or is sent by pt_rsp_stream_ack: soon, because a server may wait for it. */
enum pt_rsp_frame_kind pt_rsp_stream_next(struct pt_rsp_stream *s, struct pt_rsp_raw *out);
void pt_rsp_stream_ack(struct pt_rsp_stream *s);
bool pt_rsp_stream_owes_ack(const struct pt_rsp_stream *s);
/* Frames and sends. What does not go at once is kept, and goes with pt_rsp_stream_flush (false: some is still left). */
void pt_rsp_stream_send(struct pt_rsp_stream *s, const void *payload, size_t len_bytes);
/* The same, but all of it is kept until the next flush. */
void pt_rsp_stream_queue(struct pt_rsp_stream *s, const void *payload, size_t len_bytes);
/* True: several packets are under way whose answers come in their order. Each of them stands for the acknowledgement of
 * the answers before it, and one that comes damaged cannot be asked for again. */
void pt_rsp_stream_set_ahead(struct pt_rsp_stream *s, bool ahead);
void pt_rsp_stream_interrupt(struct pt_rsp_stream *s);		/* 0x03 */
bool pt_rsp_stream_flush(struct pt_rsp_stream *s);
int pt_rsp_stream_fd(const struct pt_rsp_stream *s);		/* to wait for; -1 when it has ended */
/* The payload of a frame: escapes undone, runs expanded. Its length, or PT_EPROTO when it has more
 * than room_bytes - 1. */
int pt_rsp_raw_payload(const struct pt_rsp_raw *raw, uint8_t *out, size_t room_bytes);

/* --- what both threads know: any thread --- */

uint32_t pt_rsp_stream_patience_ms(const struct pt_rsp_stream *s);

struct pt_rsp_shared {
	struct pt_rsp_run run;
	bool unheard;				/* non-stop: a stop may wait for vStopped, and no client is there */
	char resume[PT_RSP_RESUME_BYTES];	/* the packet that made it run */
	char thread[PT_RSP_THREAD_BYTES + 2];	/* what a client has chosen, "Hg..."; "" nothing */
	bool client_interrupts;			/* its Ctrl-C has been sent, and nothing has stopped since */
	unsigned owed;				/* answers that came too late, to be thrown away when they come */
	uint64_t silent_since_ns;		/* of the host's clock, while something is owed */
	/* An answer may never come. The last qSupported and how its answer begins: that one is known when it comes,
	 * and whatever was asked before it will not be answered any more. */
	char known_question[PT_RSP_KNOWN_BYTES], known_answer[12];
	bool asked_known;			/* it has been asked, because something is owed */
};
struct pt_rsp_shared *pt_rsp_stream_lock(struct pt_rsp_stream *s);
void pt_rsp_stream_unlock(struct pt_rsp_stream *s);
/* The next two with the turn, while something is owed. Asks what is known, once. */
void pt_rsp_stream_ask_known(struct pt_rsp_stream *s);
/* This answer has come, late or not. True: nothing is owed any more. */
bool pt_rsp_stream_settle(struct pt_rsp_stream *s, const void *payload, size_t len_bytes);
void pt_rsp_stream_why(struct pt_rsp_stream *s, char *why, size_t room);	/* it ended; "" when it has not */
void pt_rsp_stream_end(struct pt_rsp_stream *s, const char *why);		/* it cannot be used any more */
void pt_rsp_stream_unref(struct pt_rsp_stream *s);				/* NULL is fine */

/* --- board thread --- */

/* Connects within 2 s: "HOST:PORT", "unix:PATH", "|COMMAND". As a link its packets are payloads: out, or the single
 * byte 0x03; in, with the mark ("$" or "%") ahead. PT_EARG, PT_EIO. */
struct pt_link *pt_rsp_link_open(const char *address, struct pt_err *err);
/* A server on a serial port: PT_EARG, PT_EIO, PT_EPERM, PT_EBUSY. */
struct pt_link *pt_rsp_link_open_port(const char *path, uint32_t baud, struct pt_err *err);
/* rsp_serial.c: "/dev/ttyACM0[?baud=N]", "serial=S[&baud=N]", "usb=BUS-PORT[&baud=N]". */
bool pt_rsp_is_serial(const char *address);
struct pt_link *pt_rsp_serial_open(const char *address, struct pt_err *err);
/* Where else the server may be, when nothing answers at this port. */
void pt_rsp_serial_advice(const char *path, char *advice, size_t room);
/* The server at the other end is a model in this process, called where, and goes with the connection: released when
 * nobody has that any more. */
void pt_rsp_link_own(struct pt_link *link, const char *where, void (*release)(void *server), void *server);
struct pt_rsp_stream *pt_rsp_link_stream(struct pt_link *link);	/* NULL: it is a link of another kind */
struct pt_rsp_stream *pt_rsp_stream_ref(struct pt_rsp_stream *s);
void pt_rsp_stream_set_no_ack(struct pt_rsp_stream *s);	/* with the turn, before the first packet without "+" */
void pt_rsp_stream_set_patience(struct pt_rsp_stream *s, uint32_t ms);	/* before anybody else has it */
int pt_rsp_stream_hold(struct pt_rsp_stream *s, struct pt_err *err);	/* PT_EBUSY, PT_EIO */
void pt_rsp_stream_release(struct pt_rsp_stream *s);
/* What came in the board's turn and is for the client: it gets it with the next turn. False: there is no client. */
bool pt_rsp_stream_pass(struct pt_rsp_stream *s, const struct pt_rsp_raw *raw);

/* --- loop thread --- */

/* From now on nudge is called, on any thread, when there is something to do: look at pt_rsp_stream_has_turn. One user
 * at a time; false: there is another. */
bool pt_rsp_stream_attach(struct pt_rsp_stream *s, void (*nudge)(void *arg), void *arg);
void pt_rsp_stream_detach(struct pt_rsp_stream *s);
bool pt_rsp_stream_has_turn(struct pt_rsp_stream *s);
bool pt_rsp_stream_wanted(struct pt_rsp_stream *s);	/* the board waits for its turn */
void pt_rsp_stream_yield(struct pt_rsp_stream *s);	/* it gets it */
/* What the board left for the client: frames one behind the other, the caller's to free. NULL: nothing. */
uint8_t *pt_rsp_stream_take_passed(struct pt_rsp_stream *s, size_t *len_bytes);

#endif
