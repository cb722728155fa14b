/* The descriptor is polled only while the loop has the grant. */
#include "board/upstream.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct pt_upstream {
	struct pt_rsp_stream *stream;
	struct pt_upstream_user user;
	uv_async_t async;
	uv_poll_t poll;
	uv_timer_t ack;			/* how long an acknowledgement waits for a packet to go with it */
	unsigned n_handles;
	int events;			/* to poll for; 0: the board has the grant */
	bool turn, lost, closing;
	void (*on_closed)(void *arg);
	void *on_closed_arg;
};

enum { ACK_MS = 2 };

struct pt_rsp_stream *pt_upstream_of(struct pt_target *target)
{
	for (struct pt_probe *probe = target->probe; probe != NULL; probe = pt_probe_next(probe)) {
		struct pt_rsp_stream *stream = pt_rsp_link_stream(pt_probe_link(probe));

		if (stream != NULL)
			return pt_rsp_stream_ref(stream);
	}
	return NULL;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

static void on_ready(uv_poll_t *poll, int status, int events);

static void listen_for(struct pt_upstream *u, int events)
{
	if (events != u->events && events != 0)
		uv_poll_start(&u->poll, events, on_ready);
	else if (events == 0 && u->events != 0)
		uv_poll_stop(&u->poll);
	u->events = events;
}

static void lose(struct pt_upstream *u)
{
	char why[160];

	if (u->lost)
		return;
	u->lost = true;
	listen_for(u, 0);
	pt_rsp_stream_why(u->stream, why, sizeof(why));
	u->user.on_lost(u->user.arg, why);
}

void pt_upstream_flush(struct pt_upstream *u)
{
	bool all = pt_rsp_stream_flush(u->stream);

	if (u->turn && !u->closing)
		listen_for(u, all ? UV_READABLE : UV_READABLE | UV_WRITABLE);
}

static void on_ack_due(uv_timer_t *timer)
{
	struct pt_upstream *u = timer->data;

	if (u->turn && !u->closing && !u->lost)
		pt_rsp_stream_ack(u->stream);
}

/* Frames that have arrived are taken before the grant is given back. */
static void take_frames(struct pt_upstream *u)
{
	enum pt_rsp_frame_kind kind = PT_RSP_FRAME_NONE;
	struct pt_rsp_raw raw;

	while (u->turn && !u->closing && (kind = pt_rsp_stream_next(u->stream, &raw)) != PT_RSP_FRAME_NONE &&
	       kind != PT_RSP_FRAME_LOST)
		u->user.on_frame(u->user.arg, kind, &raw);
	if (u->closing)
		return;
	if (kind == PT_RSP_FRAME_LOST)
		lose(u);
	else if (pt_rsp_stream_owes_ack(u->stream) && !uv_is_active((uv_handle_t *)&u->ack))
		uv_timer_start(&u->ack, on_ack_due, ACK_MS, 0);
}

void pt_upstream_idle(struct pt_upstream *u)
{
	if (!u->turn || u->lost || u->closing || !pt_rsp_stream_wanted(u->stream) || u->user.is_busy(u->user.arg))
		return;
	pt_rsp_stream_ack(u->stream);
	if (!pt_rsp_stream_flush(u->stream))
		return;		/* half a packet has been sent */
	u->turn = false;
	listen_for(u, 0);
	pt_rsp_stream_yield(u->stream);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	struct pt_upstream *u = poll->data;

	(void)status;
	if ((events & UV_WRITABLE) != 0)
		pt_upstream_flush(u);
	take_frames(u);
	pt_upstream_idle(u);
}

/* Delivers, in order, the frames for the loop that the board has received. */
static void take_passed(struct pt_upstream *u)
{
	size_t len, at = 0;
	uint8_t *bytes = pt_rsp_stream_take_passed(u->stream, &len);

	while (bytes != NULL && at < len && !u->closing) {
		const uint8_t *end = memchr(bytes + at, '#', len - at);
		struct pt_rsp_raw raw = { bytes + at, end != NULL ? (size_t)(end - bytes) + 3 - at : 0 };

		if (end == NULL || at + raw.len_bytes > len)
			break;
		u->user.on_frame(u->user.arg, bytes[at] == '%' ? PT_RSP_FRAME_NOTE : PT_RSP_FRAME_PACKET, &raw);
		at += raw.len_bytes;
	}
	free(bytes);
}

static void on_nudge(uv_async_t *async)
{
	struct pt_upstream *u = async->data;

	if (u->closing || u->lost)
		return;
	if (!u->turn && pt_rsp_stream_has_turn(u->stream)) {
		u->turn = true;
		listen_for(u, UV_READABLE);
		take_passed(u);
		take_frames(u);	/* the board may have received more than it used */
		if (!u->closing && !u->lost)
			u->user.on_turn(u->user.arg);
	}
	pt_upstream_idle(u);
}

static void nudge(void *arg)		/* any thread */
{
	uv_async_send(&((struct pt_upstream *)arg)->async);
}

bool pt_upstream_has_turn(const struct pt_upstream *u)
{
	return u->turn && !u->lost;
}

struct pt_rsp_stream *pt_upstream_stream(struct pt_upstream *u)
{
	return u->stream;
}

void pt_upstream_send(struct pt_upstream *u, const void *payload, size_t len_bytes)
{
	pt_rsp_stream_send(u->stream, payload, len_bytes);
	pt_upstream_flush(u);
}

void pt_upstream_queue(struct pt_upstream *u, const void *payload, size_t len_bytes)
{
	pt_rsp_stream_queue(u->stream, payload, len_bytes);
}

void pt_upstream_set_ahead(struct pt_upstream *u, bool ahead)
{
	pt_rsp_stream_set_ahead(u->stream, ahead);
}

void pt_upstream_interrupt(struct pt_upstream *u)
{
	pt_rsp_stream_interrupt(u->stream);
	pt_upstream_flush(u);
}

/* --- coming and going --------------------------------------------------------------------------------------------- */

static void on_handle_closed(uv_handle_t *handle)
{
	struct pt_upstream *u = handle->data;

	if (--u->n_handles > 0)
		return;
	pt_rsp_stream_unref(u->stream);
	if (u->on_closed != NULL)
		u->on_closed(u->on_closed_arg);
	free(u);
}

static void close_handles(struct pt_upstream *u)
{
	if (u->n_handles > 2)
		uv_close((uv_handle_t *)&u->poll, on_handle_closed);
	uv_close((uv_handle_t *)&u->ack, on_handle_closed);
	uv_close((uv_handle_t *)&u->async, on_handle_closed);
}

struct pt_upstream *pt_upstream_new(uv_loop_t *loop, struct pt_rsp_stream *stream, const struct pt_upstream_user *user)
{
	int fd = pt_rsp_stream_fd(stream);
	struct pt_upstream *u;

	if (fd < 0) {
		pt_rsp_stream_unref(stream);
		return NULL;
	}
	u = pt_alloc(sizeof(*u));
	u->stream = stream;
	u->user = *user;
	uv_async_init(loop, &u->async, on_nudge);
	uv_timer_init(loop, &u->ack);
	u->async.data = u->poll.data = u->ack.data = u;
	u->n_handles = 2;
	if (uv_poll_init(loop, &u->poll, fd) == 0)
		u->n_handles = 3;
	if (u->n_handles == 3 && pt_rsp_stream_attach(stream, nudge, u))
		return u;
	u->closing = true;
	close_handles(u);
	return NULL;
}

void pt_upstream_close(struct pt_upstream *u, void (*on_closed)(void *arg), void *arg)
{
	u->closing = true;
	u->on_closed = on_closed;
	u->on_closed_arg = arg;
	listen_for(u, 0);
	if (u->turn)
		pt_rsp_stream_ack(u->stream);
	pt_rsp_stream_detach(u->stream);
	close_handles(u);
}
