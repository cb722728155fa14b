/* The board's end of the connection, as a link: packets are payloads, and waiting is possible. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "host/clock.h"
#include "probes/links/child.h"
#include "probes/links/dial.h"
#include "probes/links/serial.h"
#include "probes/rsp/rsp_parts.h"
#include "base/util.h"

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
			return n >= 0 ? n + 1
				      : pt_fail(err, PT_EPROTO, "%s: a packet of %zu bytes", s->where, raw.len_bytes);
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
		pt_rsp_stream_hung_up(s);
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

void pt_rsp_link_own(struct pt_link *link, const char *where, void (*release)(void *server), void *server)
{
	struct pt_rsp_stream *s = pt_rsp_link_stream(link);

	s->release = release;
	s->server = server;
	snprintf(s->where, sizeof(s->where), "%s (virtual)", where);
}

struct pt_link *pt_rsp_link_open(const char *address, struct pt_err *err)
{
	struct pt_rsp_stream *s = pt_rsp_stream_new(address, err);

	if (s == NULL)
		return NULL;
	if (address[0] == '|')
		s->socket = pt_child_start(address + 1, &s->child, err);
	else
		s->socket = pt_dial(address, 0, err);
	atomic_store(&s->fd, s->socket);
	if (s->socket >= 0)
		return pt_link_new(&link_ops, s);
	pt_rsp_stream_unref(s);
	return NULL;
}

struct pt_link *pt_rsp_link_open_port(const char *path, uint32_t baud, struct pt_err *err)
{
	struct pt_rsp_stream *s = pt_rsp_stream_new(path, err);

	if (s == NULL)
		return NULL;
	s->socket = pt_serial_start(path, baud, &s->serial, err);
	atomic_store(&s->fd, s->socket);
	if (s->socket >= 0)
		return pt_link_new(&link_ops, s);
	pt_rsp_stream_unref(s);
	return NULL;
}
