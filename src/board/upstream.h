/* The loop thread's end of a connection to another GDB server: sends and receives frames unchanged, while it has the
 * grant. The board uses the same connection by the wire rsp; frames for the loop that arrive meanwhile are delivered
 * with the loop's next grant.
 *
 * Loop thread only. One user at a time. */
#ifndef PT_UPSTREAM_H
#define PT_UPSTREAM_H

#include <stdbool.h>
#include <uv.h>

#include "board/board.h"
#include "probes/rsp/rsp_stream.h"

struct pt_upstream;

struct pt_upstream_user {
	void *arg;
	/* A packet, a notification, or a damaged frame. bytes: as received, valid during the call only. */
	void (*on_frame)(void *arg, enum pt_rsp_frame_kind kind, const struct pt_rsp_raw *raw);
	void (*on_turn)(void *arg);			/* the grant has come (again): send what is waiting */
	bool (*is_busy)(void *arg);			/* an answer is expected: the grant cannot be given back */
	void (*on_lost)(void *arg, const char *why);	/* called once; no callback follows */
};

/* Board thread, in a job: the connection of this target, with a reference for the caller. NULL: the target has none. */
struct pt_rsp_stream *pt_upstream_of(struct pt_target *target);

/* Owns the reference from now on, also on failure. NULL: it has another user, or the loop cannot watch it. */
struct pt_upstream *pt_upstream_new(uv_loop_t *loop, struct pt_rsp_stream *stream, const struct pt_upstream_user *user);
/* The board alone uses the connection from now on; on_closed (may be NULL) is called when all is freed. No other
 * callback follows. */
void pt_upstream_close(struct pt_upstream *upstream, void (*on_closed)(void *arg), void *arg);

bool pt_upstream_has_turn(const struct pt_upstream *upstream);
/* call it with the grant */
void pt_upstream_send(struct pt_upstream *upstream, const void *payload, size_t len_bytes);
/* The same, but buffered until the flush, so that several frames are sent together. */
void pt_upstream_queue(struct pt_upstream *upstream, const void *payload, size_t len_bytes);
void pt_upstream_flush(struct pt_upstream *upstream);
/* True: several packets may await answers, see pt_rsp_stream_set_ahead(). */
void pt_upstream_set_ahead(struct pt_upstream *upstream, bool ahead);
void pt_upstream_interrupt(struct pt_upstream *upstream);					/* the same */
void pt_upstream_idle(struct pt_upstream *upstream); /* call it when is_busy has become false: the board may want the
							 * grant */
struct pt_rsp_stream *pt_upstream_stream(struct pt_upstream *upstream);

#endif
