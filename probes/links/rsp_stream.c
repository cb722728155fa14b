/* One pass over each byte that comes in finds the frame and its checksum. A frame is never moved unless the buffer's
 * end is near. A server that never ends a packet fills the buffer, and is let go. */
#define _GNU_SOURCE	/* memrchr */
#include "probes/links/rsp_stream.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "probes/links/child.h"
#include "probes/links/dial.h"
#include "probes/links/wake.h"
#include "rsp.h"
#include "util.h"

enum { READ_BYTES = 64 * 1024, PASSED_BYTES = 256 * 1024, MAX_DAMAGED = 3, FRAME_EXTRA = 4 };
enum turn { BOARDS, LOOPS };

struct pt_rsp_stream {
	atomic_uint refs;
	atomic_int fd;				/* -1: it has ended */
	int socket;				/* the same, until it is closed with the last reference */
	pid_t child;				/* 0: none */
	void (*release)(void *server);		/* NULL: the server is not ours */
	void *server;
	char where[64];
	struct pt_wake wake;
	/* in: [begin, end) has not been taken; [begin, scanned) has been looked at */
	uint8_t in[PT_RSP_STREAM_BYTES];
	size_t begin, scanned, end;
	uint8_t sum;
	unsigned n_damaged, n_naks;		/* in a row */
	bool no_ack, ack_owed;
	uint32_t patience_ms;
	/* out */
	struct pt_rsp_frame frame;		/* the last packet, for a server that asks for it again */
	uint8_t *unsent;
	size_t unsent_bytes, unsent_room;

	pthread_mutex_t lock;
	pthread_cond_t turned;			/* of the monotonic clock */
	struct pt_rsp_shared shared;
	enum turn turn;
	unsigned holds;				/* the board's */
	bool wanted;				/* by the board */
	void (*nudge)(void *arg);
	void *nudge_arg;
	char why[160];
	uint8_t *passed;
	size_t passed_bytes;
};

/* --- the end ------------------------------------------------------------------------------------------------------ */

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

/* Behind what is still unsent nothing may overtake. */
static void put(struct pt_rsp_stream *s, const uint8_t *bytes, size_t len_bytes)
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
	if ((size_t)n == len_bytes)
		return;
	len_bytes -= (size_t)n;
	if (s->unsent_bytes + len_bytes > s->unsent_room) {
		uint8_t *room = s->unsent_bytes + len_bytes <= PT_RSP_STREAM_BYTES
					? realloc(s->unsent, s->unsent_bytes + len_bytes) : NULL;

		if (room == NULL) {
			pt_rsp_stream_end(s, "it takes nothing");
			return;
		}
		s->unsent = room;
		s->unsent_room = s->unsent_bytes + len_bytes;
	}
	memcpy(s->unsent + s->unsent_bytes, bytes + n, len_bytes);
	s->unsent_bytes += len_bytes;
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
		put(s, bytes, len_bytes);
		return;
	}
	both[0] = '+';
	memcpy(both + 1, bytes, len_bytes);
	s->ack_owed = false;
	put(s, both, len_bytes + 1);
}

void pt_rsp_stream_send(struct pt_rsp_stream *s, const void *payload, size_t len_bytes)
{
	if (len_bytes > 0 && memchr("PGMXv", *(const char *)payload, 5) != NULL) {
		pthread_mutex_lock(&s->lock);
		s->shared.run.fresh = false;
		pthread_mutex_unlock(&s->lock);
	}
	pt_rsp_begin(&s->frame, '$');
	pt_rsp_binary(&s->frame, payload, len_bytes);
	if (pt_rsp_end(&s->frame))
		put_behind_ack(s, s->frame.bytes, s->frame.len_bytes);
}

void pt_rsp_stream_interrupt(struct pt_rsp_stream *s)
{
	static const uint8_t etx = 0x03;

	pt_rsp_stream_ack(s);
	put(s, &etx, 1);
}

bool pt_rsp_stream_owes_ack(const struct pt_rsp_stream *s)
{
	return s->ack_owed;
}

void pt_rsp_stream_ack(struct pt_rsp_stream *s)
{
	if (s->ack_owed)
		put(s, (const uint8_t *)"+", 1);
	s->ack_owed = false;
}

/* --- in ----------------------------------------------------------------------------------------------------------- */

/* False: nothing new. */
static bool fill(struct pt_rsp_stream *s)
{
	int fd = atomic_load(&s->fd);
	ssize_t n;

	if (fd < 0)
		return false;
	if (s->begin == s->end) {
		s->begin = s->scanned = s->end = 0;
	} else if (sizeof(s->in) - s->end < READ_BYTES) {
		memmove(s->in, s->in + s->begin, s->end - s->begin);
		s->scanned -= s->begin;
		s->end -= s->begin;
		s->begin = 0;
	}
	if (s->end == sizeof(s->in)) {
		pt_rsp_stream_end(s,
				  "it sends a packet without an end; this is no GDB server, or it is out of its mind");
		return false;
	}
	n = recv(fd, s->in + s->end, sizeof(s->in) - s->end, MSG_DONTWAIT);
	if (n == 0)
		pt_rsp_stream_end(s, "it closed the connection");
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		pt_rsp_stream_end(s, strerror(errno));
	s->end += n > 0 ? (size_t)n : 0;
	return n > 0;
}

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Between packets only marks count. */
static void skip_noise(struct pt_rsp_stream *s)
{
	while (s->begin < s->end && s->in[s->begin] != '$' && s->in[s->begin] != '%') {
		if (s->in[s->begin] == '-' && !s->no_ack && s->frame.len_bytes > 0 && s->n_naks++ < MAX_DAMAGED)
			put(s, s->frame.bytes, s->frame.len_bytes);
		s->begin++;
	}
	s->scanned = s->begin;
	s->sum = 0;
}

/* Modulo 256. Eight bytes at a time, in four lanes that are emptied before they can overflow. */
static uint8_t sum_of(const uint8_t *bytes, size_t n)
{
	enum { LANES_HOLD = 128 };
	const uint64_t low = UINT64_C(0x00ff00ff00ff00ff);
	uint64_t total = 0, lanes, word;

	while (n >= sizeof(word)) {
		lanes = 0;
		for (unsigned k = 0; k < LANES_HOLD && n >= sizeof(word);
		     k++, bytes += sizeof(word), n -= sizeof(word)) {
			memcpy(&word, bytes, sizeof(word));
			lanes += (word & low) + (word >> 8 & low);
		}
		total += (lanes & 0xffff) + (lanes >> 16 & 0xffff) + (lanes >> 32 & 0xffff) + (lanes >> 48);
	}
	for (; n > 0; n--)
		total += *bytes++;
	return (uint8_t)total;
}

/* True: a frame is whole, [begin, scanned). */
static bool scan(struct pt_rsp_stream *s)
{
	size_t at = s->scanned + (s->scanned == s->begin && s->begin < s->end);	/* its mark does not count */
	const uint8_t *hash = memchr(s->in + at, '#', s->end - at);
	size_t stop = hash != NULL ? (size_t)(hash - s->in) : s->end;
	const uint8_t *again = memrchr(s->in + at, '$', stop - at);

	if (again != NULL) {		/* the end of the one before was lost */
		s->begin = (size_t)(again - s->in);
		s->sum = 0;
		at = s->begin + 1;
	}
	s->sum = (uint8_t)(s->sum + sum_of(s->in + at, stop - at));
	s->scanned = stop;
	if (hash == NULL || stop + 3 > s->end)
		return false;
	s->scanned = stop + 3;
	return true;
}

static bool sum_fits(const struct pt_rsp_stream *s)
{
	int high = digit(s->in[s->scanned - 2]), low = digit(s->in[s->scanned - 1]);

	return high >= 0 && low >= 0 && (high << 4 | low) == s->sum;
}

enum pt_rsp_frame_kind pt_rsp_stream_next(struct pt_rsp_stream *s, struct pt_rsp_raw *out)
{
	for (;;) {
		bool note, fits;

		skip_noise(s);
		if (s->begin == s->end || !scan(s)) {
			if (fill(s))
				continue;
			return atomic_load(&s->fd) < 0 ? PT_RSP_FRAME_LOST : PT_RSP_FRAME_NONE;
		}
		pt_rsp_stream_ack(s);	/* of the one before, if nothing was sent since */
		note = s->in[s->begin] == '%';
		fits = sum_fits(s);
		*out = (struct pt_rsp_raw){ s->in + s->begin, s->scanned - s->begin };
		s->begin = s->scanned;
		s->sum = 0;
		s->ack_owed = !note && !s->no_ack && fits;
		if (!note && !s->no_ack && !fits)
			put(s, (const uint8_t *)"-", 1);
		if (fits) {
			s->n_damaged = s->n_naks = 0;
			return note ? PT_RSP_FRAME_NOTE : PT_RSP_FRAME_PACKET;
		}
		if (note)
			continue;
		if (s->no_ack || ++s->n_damaged > MAX_DAMAGED)
			return PT_RSP_FRAME_DAMAGED;
	}
}

int pt_rsp_raw_payload(const struct pt_rsp_raw *raw, uint8_t *out, size_t room_bytes)
{
	enum pt_rsp_item item;
	struct pt_rsp rsp;

	pt_rsp_init(&rsp, out, room_bytes);
	pt_rsp_feed(&rsp, raw->bytes, raw->len_bytes, &item);
	return item == PT_RSP_PACKET || item == PT_RSP_NOTIFICATION ? (int)rsp.len_bytes : PT_EPROTO;
}

bool pt_rsp_stop_read(struct pt_rsp_run *run, const uint8_t *payload, size_t len_bytes)
{
	int high, low;

	if (len_bytes == 0 || strchr("TSWXN", payload[0]) == NULL)
		return false;
	if (payload[0] == 'N' && len_bytes > 1)
		return false;
	high = len_bytes > 2 ? digit(payload[1]) : -1;
	low = len_bytes > 2 ? digit(payload[2]) : -1;
	run->running = false;
	run->fresh = true;
	run->signal = strchr("TS", payload[0]) != NULL && high >= 0 && low >= 0 ? (uint8_t)(high << 4 | low) : 0;
	snprintf(run->stop, sizeof(run->stop), "%.*s",
		 (int)(len_bytes < sizeof(run->stop) ? len_bytes : sizeof(run->stop)), (const char *)payload);
	return true;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

struct pt_rsp_shared *pt_rsp_stream_lock(struct pt_rsp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	return &s->shared;
}

void pt_rsp_stream_unlock(struct pt_rsp_stream *s)
{
	pthread_mutex_unlock(&s->lock);
}

void pt_rsp_stream_set_no_ack(struct pt_rsp_stream *s)
{
	s->no_ack = true;
}

uint32_t pt_rsp_stream_patience_ms(const struct pt_rsp_stream *s)
{
	return s->patience_ms;
}

void pt_rsp_stream_set_patience(struct pt_rsp_stream *s, uint32_t ms)
{
	s->patience_ms = ms;
}

static struct timespec patience(const struct pt_rsp_stream *s)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += s->patience_ms / 1000;
	until.tv_nsec += s->patience_ms % 1000 * (long)PT_NS_PER_MS;
	until.tv_sec += until.tv_nsec / (long)PT_NS_PER_S;
	until.tv_nsec %= (long)PT_NS_PER_S;
	return until;
}

int pt_rsp_stream_hold(struct pt_rsp_stream *s, struct pt_err *err)
{
	struct timespec until = patience(s);
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	if (s->holds == 0 && s->turn != BOARDS) {
		s->wanted = true;
		s->nudge(s->nudge_arg);
		while (s->turn != BOARDS && s->why[0] == '\0' && rc == 0)
			rc = pthread_cond_timedwait(&s->turned, &s->lock, &until);
		s->wanted = false;
	}
	if (s->why[0] != '\0')
		rc = pt_fail(err, PT_EIO, "%s", s->why);
	else if (s->holds == 0 && s->turn != BOARDS)
		rc = pt_fail(err, PT_EBUSY, "%s: a debugger's packet is not answered yet", s->where);
	else
		rc = 0;
	s->holds += rc == 0;
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static void give(struct pt_rsp_stream *s)	/* under the lock */
{
	if (s->holds > 0 || s->nudge == NULL || s->turn == LOOPS)
		return;
	s->turn = LOOPS;
	s->nudge(s->nudge_arg);
}

void pt_rsp_stream_release(struct pt_rsp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->holds--;
	give(s);
	pthread_mutex_unlock(&s->lock);
}

bool pt_rsp_stream_pass(struct pt_rsp_stream *s, const struct pt_rsp_raw *raw)
{
	uint8_t *room = NULL;

	pthread_mutex_lock(&s->lock);
	if (s->nudge != NULL && s->passed_bytes + raw->len_bytes <= PASSED_BYTES)
		room = realloc(s->passed, s->passed_bytes + raw->len_bytes);
	if (room != NULL) {
		s->passed = room;
		memcpy(room + s->passed_bytes, raw->bytes, raw->len_bytes);
		s->passed_bytes += raw->len_bytes;
	}
	pthread_mutex_unlock(&s->lock);
	return room != NULL;
}

bool pt_rsp_stream_attach(struct pt_rsp_stream *s, void (*nudge)(void *arg), void *arg)
{
	bool free_now;

	pthread_mutex_lock(&s->lock);
	free_now = s->nudge == NULL;
	if (free_now) {
		s->nudge = nudge;
		s->nudge_arg = arg;
		give(s);
	}
	pthread_mutex_unlock(&s->lock);
	return free_now;
}

void pt_rsp_stream_detach(struct pt_rsp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->nudge = NULL;
	s->turn = BOARDS;
	s->passed_bytes = 0;
	s->shared.thread[0] = '\0';
	s->shared.run.client_waits = s->shared.client_interrupts = false;
	pthread_cond_broadcast(&s->turned);
	pthread_mutex_unlock(&s->lock);
}

bool pt_rsp_stream_has_turn(struct pt_rsp_stream *s)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = s->turn == LOOPS;
	pthread_mutex_unlock(&s->lock);
	return has;
}

bool pt_rsp_stream_wanted(struct pt_rsp_stream *s)
{
	bool wanted;

	pthread_mutex_lock(&s->lock);
	wanted = s->wanted;
	pthread_mutex_unlock(&s->lock);
	return wanted;
}

void pt_rsp_stream_yield(struct pt_rsp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->turn = BOARDS;
	pthread_cond_broadcast(&s->turned);
	pthread_mutex_unlock(&s->lock);
}

uint8_t *pt_rsp_stream_take_passed(struct pt_rsp_stream *s, size_t *len_bytes)
{
	uint8_t *bytes;

	pthread_mutex_lock(&s->lock);
	bytes = s->passed;
	*len_bytes = s->passed_bytes;
	s->passed = NULL;
	s->passed_bytes = 0;
	pthread_mutex_unlock(&s->lock);
	return bytes;
}

/* --- the board's end, as a link ----------------------------------------------------------------------------------- */

static int is_lost(struct pt_rsp_stream *s, struct pt_err *err)
{
	char why[160];

	pt_rsp_stream_why(s, why, sizeof(why));
	return pt_fail(err, PT_EIO, "%s", why[0] != '\0' ? why : "the connection has ended");
}

static void link_close(void *state)
{
	struct pt_rsp_stream *s = state;

	pt_rsp_stream_end(s, "the connection was closed");
	pt_rsp_stream_unref(s);
}

static void link_info(void *state, struct pt_link_info *out)
{
	struct pt_rsp_stream *s = state;

	strcpy(out->transport, "rsp");
	if (s->release != NULL) {
		out->is_virtual = true;
		strcpy(out->product, PT_LINK_VIRTUAL_PRODUCT " GDB server");
	}
	memcpy(out->where, s->where, sizeof(out->where));
	out->packet_bytes = PT_LINK_MAX_PACKET_BYTES;
	out->depth = 1;
}

static int link_submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct pt_rsp_stream *s = state;

	if (len_bytes == 1 && packet[0] == 0x03)
		pt_rsp_stream_interrupt(s);
	else
		pt_rsp_stream_send(s, packet, len_bytes);
	while (atomic_load(&s->fd) >= 0 && !pt_rsp_stream_flush(s)) {
		struct pollfd fd = { .fd = atomic_load(&s->fd), .events = POLLOUT };

		if (pt_host_now_ns() >= deadline_ns)
			pt_rsp_stream_end(s, "it takes nothing");
		else
			poll(&fd, 1, pt_host_ms_until(deadline_ns));
	}
	return atomic_load(&s->fd) < 0 ? is_lost(s, err) : 0;
}

static int link_receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct pt_rsp_stream *s = state;
	struct pt_rsp_raw raw;
	int n;

	for (;;) {
		enum pt_rsp_frame_kind kind = pt_rsp_stream_next(s, &raw);
		struct pollfd fds[2] = { { .fd = atomic_load(&s->fd), .events = POLLIN },
					 { .fd = s->wake.fd, .events = POLLIN } };

		if (kind == PT_RSP_FRAME_LOST)
			return is_lost(s, err);
		if (kind == PT_RSP_FRAME_DAMAGED)
			return pt_fail(err, PT_EPROTO, "%s: a packet with a wrong checksum", s->where);
		pt_rsp_stream_ack(s);
		if (kind != PT_RSP_FRAME_NONE) {
			buf[0] = raw.bytes[0];
			n = pt_rsp_raw_payload(&raw, buf + 1, buf_bytes - 1);
			return n >= 0 ? n + 1 : pt_fail(err, PT_EPROTO, "%s: a packet of %zu bytes", s->where, raw.len_bytes);
		}
		if (pt_wake_take(&s->wake))
			return pt_fail(err, PT_EINTERRUPTED, "interrupted");
		if (pt_host_now_ns() >= deadline_ns)
			return pt_fail(err, PT_ETIMEOUT, "%s does not answer", s->where);
		poll(fds, 2, pt_host_ms_until(deadline_ns));
	}
}

static uint64_t link_now(void *state)
{
	(void)state;
	return pt_host_now_ns();
}

static int link_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct pt_rsp_stream *s = state;
	int rc = pt_wake_sleep(&s->wake, until_ns, err), fd = atomic_load(&s->fd);
	uint8_t byte;

	if (fd >= 0 && recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		pt_rsp_stream_end(s, "it closed the connection");
	return atomic_load(&s->fd) < 0 ? is_lost(s, err) : rc;
}

static void link_interrupt(void *state)
{
	pt_wake_set(&((struct pt_rsp_stream *)state)->wake);
}

static void link_set_packet_bytes(void *state, size_t packet_bytes)
{
	(void)state;
	(void)packet_bytes;
}

static const struct pt_link_ops link_ops = {
	.name = "rsp",
	.close = link_close,
	.info = link_info,
	.submit = link_submit,
	.receive = link_receive,
	.now_ns = link_now,
	.wait = link_wait,
	.interrupt = link_interrupt,
	.set_packet_bytes = link_set_packet_bytes,
};

struct pt_rsp_stream *pt_rsp_link_stream(struct pt_link *link)
{
	return pt_link_state(link, &link_ops);
}

static struct pt_rsp_stream *new_stream(const char *address, struct pt_err *err)
{
	struct pt_rsp_stream *s = calloc(1, sizeof(*s));
	pthread_condattr_t clock;

	if (s == NULL) {
		pt_fail(err, PT_ENOMEM, "no memory for a connection");
		return NULL;
	}
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

void pt_rsp_link_own(struct pt_link *link, const char *where, void (*release)(void *server), void *server)
{
	struct pt_rsp_stream *s = pt_rsp_link_stream(link);

	s->release = release;
	s->server = server;
	snprintf(s->where, sizeof(s->where), "%s (virtual)", where);
}

struct pt_link *pt_rsp_link_open(const char *address, struct pt_err *err)
{
	struct pt_rsp_stream *s = new_stream(address, err);
	struct pt_link *link;

	if (s == NULL)
		return NULL;
	if (address[0] == '|')
		s->socket = pt_child_start(address + 1, &s->child, err);
	else
		s->socket = pt_dial(address, 0, err);
	atomic_store(&s->fd, s->socket);
	link = s->socket >= 0 ? pt_link_new(&link_ops, s) : NULL;
	if (link == NULL) {
		if (s->socket >= 0)
			pt_fail(err, PT_ENOMEM, "no memory for a connection");
		pt_rsp_stream_unref(s);
	}
	return link;
}
