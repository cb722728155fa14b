/* The life of the connection, and what goes out. What the server does not take at once is kept and goes first. */
#include "probes/rsp/rsp_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "probes/links/child.h"
#include "probes/links/serial.h"
#include "base/util.h"

/* --- the beginning and the end ------------------------------------------------------------------------------------ */

struct pt_rsp_stream *pt_rsp_stream_new(const char *address, struct pt_err *err)
{
	struct pt_rsp_stream *s = pt_alloc(sizeof(*s));
	pthread_condattr_t clock;

	if (pt_wake_init(&s->wake, err) < 0) {
		free(s);
		return NULL;
	}
	atomic_init(&s->refs, 1);
	atomic_init(&s->fd, -1);
	s->socket = -1;
	s->patience_ms = PT_RSP_STREAM_PATIENCE_MS;
	snprintf(s->where, sizeof(s->where), "%s", address);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&s->turned, &clock);
	pthread_condattr_destroy(&clock);
	return s;
}

void pt_rsp_stream_end(struct pt_rsp_stream *s, const char *why)
{
	pthread_mutex_lock(&s->lock);
	if (s->why[0] == '\0')
		snprintf(s->why, sizeof(s->why), "%s: %s", s->where, why);
	atomic_store(&s->fd, -1);
	shutdown(s->socket, SHUT_RDWR);
	pthread_cond_broadcast(&s->turned);
	pthread_mutex_unlock(&s->lock);
	pt_wake_set(&s->wake);		/* the board is to notice at once */
}

void pt_rsp_stream_hung_up(struct pt_rsp_stream *s)
{
	pt_rsp_stream_end(s, s->serial != NULL ? "the serial port is gone; plug the probe in again"
					       : "it closed the connection");
}

void pt_rsp_stream_why(struct pt_rsp_stream *s, char *why, size_t room)
{
	pthread_mutex_lock(&s->lock);
	snprintf(why, room, "%s", s->why);
	pthread_mutex_unlock(&s->lock);
}

struct pt_rsp_stream *pt_rsp_stream_ref(struct pt_rsp_stream *s)
{
	atomic_fetch_add(&s->refs, 1);
	return s;
}

void pt_rsp_stream_unref(struct pt_rsp_stream *s)
{
	if (s == NULL || atomic_fetch_sub(&s->refs, 1) > 1)
		return;
	if (s->socket >= 0)
		close(s->socket);
	if (s->child > 0)
		pt_child_reap(s->child);
	pt_serial_stop(s->serial);
	if (s->release != NULL)
		s->release(s->server);
	pt_wake_fini(&s->wake);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->turned);
	pt_rsp_free(&s->frame);
	free(s->unsent);
	free(s->passed);
	free(s);
}

int pt_rsp_stream_fd(const struct pt_rsp_stream *s)
{
	return atomic_load(&s->fd);
}

/* --- out ---------------------------------------------------------------------------------------------------------- */

static void keep(struct pt_rsp_stream *s, const uint8_t *bytes, size_t len_bytes)
{
	if (s->unsent_bytes + len_bytes > s->unsent_room) {
		size_t need = s->unsent_bytes + len_bytes;
		uint8_t *room = need <= PT_RSP_STREAM_BYTES ? realloc(s->unsent, need) : NULL;

		if (room == NULL) {
			pt_rsp_stream_end(s, "it takes nothing");
			return;
		}
		s->unsent = room;
		s->unsent_room = need;
	}
	memcpy(s->unsent + s->unsent_bytes, bytes, len_bytes);
	s->unsent_bytes += len_bytes;
}

/* Behind what is still unsent nothing may overtake. */
void pt_rsp_stream_put(struct pt_rsp_stream *s, const uint8_t *bytes, size_t len_bytes)
{
	ssize_t n = 0;
	int fd = atomic_load(&s->fd);

	if (fd < 0)
		return;
	if (s->unsent_bytes == 0)
		n = send(fd, bytes, len_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		pt_rsp_stream_end(s, strerror(errno));
		return;
	}
	n = n < 0 ? 0 : n;
	if ((size_t)n < len_bytes)
		keep(s, bytes + n, len_bytes - (size_t)n);
}

bool pt_rsp_stream_flush(struct pt_rsp_stream *s)
{
	int fd = atomic_load(&s->fd);
	ssize_t n;

	if (s->unsent_bytes == 0 || fd < 0)
		return true;
	n = send(fd, s->unsent, s->unsent_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		pt_rsp_stream_end(s, strerror(errno));
	if (n > 0) {
		s->unsent_bytes -= (size_t)n;
		memmove(s->unsent, s->unsent + n, s->unsent_bytes);
	}
	return s->unsent_bytes == 0;
}

/* An acknowledgement that goes with the next packet wakes the server once, not twice. */
static void put_behind_ack(struct pt_rsp_stream *s, const uint8_t *bytes, size_t len_bytes)
{
	uint8_t both[64];

	if (!s->ack_owed || len_bytes >= sizeof(both)) {
		pt_rsp_stream_ack(s);
		pt_rsp_stream_put(s, bytes, len_bytes);
		return;
	}
	both[0] = '+';
	memcpy(both + 1, bytes, len_bytes);
	s->ack_owed = false;
	pt_rsp_stream_put(s, both, len_bytes + 1);
}

static bool frame(struct pt_rsp_stream *s, const void *payload, size_t len_bytes)
{
	bool command = len_bytes > 6 && memcmp(payload, "qRcmd,", 6) == 0;

	if (command || (len_bytes > 0 && memchr("PGMXv", *(const char *)payload, 5) != NULL)) {
		pthread_mutex_lock(&s->lock);
		s->shared.run.fresh = false;
		pthread_mutex_unlock(&s->lock);
	}
	pt_rsp_begin(&s->frame, '$');
	pt_rsp_binary(&s->frame, payload, len_bytes);
	return pt_rsp_end(&s->frame);
}

void pt_rsp_stream_send(struct pt_rsp_stream *s, const void *payload, size_t len_bytes)
{
	if (frame(s, payload, len_bytes))
		put_behind_ack(s, s->frame.bytes, s->frame.len_bytes);
}

void pt_rsp_stream_queue(struct pt_rsp_stream *s, const void *payload, size_t len_bytes)
{
	if (!frame(s, payload, len_bytes) || atomic_load(&s->fd) < 0)
		return;
	if (s->ack_owed)
		keep(s, (const uint8_t *)"+", 1);
	s->ack_owed = false;
	keep(s, s->frame.bytes, s->frame.len_bytes);
}

void pt_rsp_stream_set_ahead(struct pt_rsp_stream *s, bool ahead)
{
	s->ahead = ahead;
}

void pt_rsp_stream_interrupt(struct pt_rsp_stream *s)
{
	static const uint8_t etx = 0x03;

	pt_rsp_stream_ack(s);
	pt_rsp_stream_put(s, &etx, 1);
}

bool pt_rsp_stream_owes_ack(const struct pt_rsp_stream *s)
{
	return s->ack_owed;
}

void pt_rsp_stream_ack(struct pt_rsp_stream *s)
{
	if (s->ack_owed)
		pt_rsp_stream_put(s, (const uint8_t *)"+", 1);
	s->ack_owed = false;
}
