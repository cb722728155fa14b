/* The loop's end of the connection to another GDB server: frames come and go as they are, in the loop's turns. The
 * board has its own, through the wire rsp; whatever came for us in those comes with the next of ours.
 *
 * Loop thread, all of it. One user at a time. */
#ifndef PT_UPSTREAM_H
#define PT_UPSTREAM_H

#include <stdbool.h>
#include <uv.h>

#include "board/board.h"
#include "probes/rsp/rsp_stream.h"

struct pt_upstream;

struct pt_upstream_user {
	void *arg;
	/* A packet, a notification, or one that came damaged. bytes: as they came, only during the call. */
	void (*on_frame)(void *arg, enum pt_rsp_frame_kind kind, const struct pt_rsp_raw *raw);
	void (*on_turn)(void *arg);			/* it is ours (again): send what has to be sent */
	bool (*is_busy)(void *arg);			/* an answer is on its way: the turn cannot be given away */
	void (*on_lost)(void *arg, const char *why);	/* once; nothing follows */
};

/* Board thread, in a job: the connection behind this target, with a reference of the caller's. NULL: there is none. */
struct pt_rsp_stream *pt_upstream_of(struct pt_target *target);

/* Takes over the reference, also on failure. NULL: another user has it, or the loop cannot watch it. */
struct pt_upstream *pt_upstream_new(uv_loop_t *loop, struct pt_rsp_stream *stream, const struct pt_upstream_user *user);
/* The board has it alone from here on; on_closed (NULL is fine) when all is gone. No callback of the user's follows. */
void pt_upstream_close(struct pt_upstream *upstream, void (*on_closed)(void *arg), void *arg);

bool pt_upstream_has_turn(const struct pt_upstream *upstream);
void pt_upstream_send(struct pt_upstream *upstream, const void *payload, size_t len_bytes);	/* with the turn */
/* The same, but it stays here until the flush: several go at once. */
void pt_upstream_queue(struct pt_upstream *upstream, const void *payload, size_t len_bytes);
void pt_upstream_flush(struct pt_upstream *upstream);
/* True: answers to several packets are under way, see pt_rsp_stream_set_ahead(). */
void pt_upstream_set_ahead(struct pt_upstream *upstream, bool ahead);
void pt_upstream_interrupt(struct pt_upstream *upstream);					/* the same */
void pt_upstream_idle(struct pt_upstream *upstream);	/* is_busy has become false: the board may want its turn */
struct pt_rsp_stream *pt_upstream_stream(struct pt_upstream *upstream);

#endif
