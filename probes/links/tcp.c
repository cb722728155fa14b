/* Packets over a byte stream, TCP or a unix socket. Either each has a header that says how long it is (CMSIS-DAP over
 * TCP: 8 bytes before each request and response), or the request says how long its response will be (struct
 * pt_framing). A stream that lost its framing cannot be trusted again, so the connection ends there. Source: OpenOCD
 * cmsis_dap_tcp.c; every deadline is at least 150 ms away, as it asks for. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "probes/links/dial.h"
#include "probes/links/links.h"
#include "host/clock.h"
#include "probes/links/wake.h"
#include "base/util.h"

enum { HEADER_BYTES = 8, TYPE_REQUEST = 1, TYPE_RESPONSE = 2, LEAST_MS = 150, DEPTH = 64, MAX_LINE_BYTES = 256 };

static const uint8_t signature[4] = { 'D', 'A', 'P', 0 };

struct tcp_link {
	int fd;		/* -1: the connection has ended */
	char end[256];	/* and this is why, for all calls that come later */
	const struct pt_framing *framing;	/* NULL: headers */
	struct pt_wake wake;
	size_t expected[DEPTH];	/* framing: of the responses outstanding, a ring */
	size_t oldest, n_expected;
	char where[64];
	uint8_t in[HEADER_BYTES + PT_LINK_MAX_PACKET_BYTES];
	size_t in_bytes;
	uint8_t out[HEADER_BYTES + PT_LINK_MAX_PACKET_BYTES];	/* PT_FRAMING_HEAD is no more than HEADER_BYTES */
};

static void hang_up(struct tcp_link *tcp)
{
	if (tcp->fd >= 0)
		close(tcp->fd);
	tcp->fd = -1;
}

static int not_connected(const struct tcp_link *tcp, struct pt_err *err)
{
	return pt_fail(err, PT_EIO, "%s", tcp->end);
}

static int lost(struct tcp_link *tcp, const char *why, struct pt_err *err)
{
	hang_up(tcp);
	snprintf(tcp->end, sizeof(tcp->end), "probe at %s: %.170s", tcp->where, why);
	return not_connected(tcp, err);
}

/* What it says is not what the protocol allows. */
static int broken(struct tcp_link *tcp, const char *how, struct pt_err *err)
{
	lost(tcp, how, err);
	return pt_fail(err, PT_EPROTO, "%s", tcp->end);
}

static uint64_t not_too_soon(uint64_t deadline_ns)
{
	uint64_t least_ns = pt_host_now_ns() + LEAST_MS * PT_NS_PER_MS;

	return deadline_ns > least_ns ? deadline_ns : least_ns;
}

/* --- out --------------------------------------------------------------------------------------------------------- */

static int send_all(struct tcp_link *tcp, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	size_t sent = 0;

	while (sent < len_bytes) {
		struct pollfd fd = { .fd = tcp->fd, .events = POLLOUT };
		ssize_t n = send(tcp->fd, tcp->out + sent, len_bytes - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0) {
			sent += (size_t)n;
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return lost(tcp, strerror(errno), err);
		if (pt_host_now_ns() >= deadline_ns)	/* half a request may be out: no way back */
			return sent == 0 ? pt_fail(err, PT_ETIMEOUT, "probe at %s takes nothing", tcp->where)
					 : lost(tcp, "it stopped taking a request", err);
		poll(&fd, 1, pt_host_ms_until(deadline_ns));
	}
	return 0;
}

static int submit_framed(struct tcp_link *tcp, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns,
			 struct pt_err *err)
{
	const struct pt_framing *framing = tcp->framing;
	int rc;

	if (tcp->n_expected == DEPTH)	/* only receive makes room */
		return pt_fail(err, PT_ETIMEOUT, "probe at %s owes %d answers", tcp->where, DEPTH);
	if (framing->head_bytes > 0)
		memcpy(tcp->out, framing->head, framing->head_bytes);
	memcpy(tcp->out + framing->head_bytes, packet, len_bytes);
	rc = send_all(tcp, framing->head_bytes + len_bytes, deadline_ns, err);
	if (rc == 0 && !framing->unframed)
		tcp->expected[(tcp->oldest + tcp->n_expected++) % DEPTH] = framing->answer_bytes(packet, len_bytes);
	return rc;
}

static int tcp_submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct tcp_link *tcp = state;

	if (tcp->fd < 0)
		return not_connected(tcp, err);
	if (len_bytes > PT_LINK_MAX_PACKET_BYTES)
		return pt_fail(err, PT_EARG, "a packet of %zu bytes", len_bytes);
	if (tcp->framing != NULL)
		return submit_framed(tcp, packet, len_bytes, not_too_soon(deadline_ns), err);
	memcpy(tcp->out, signature, sizeof(signature));
	pt_put_le16(tcp->out + 4, (uint16_t)len_bytes);
	tcp->out[6] = TYPE_REQUEST;
	tcp->out[7] = 0;
	memcpy(tcp->out + HEADER_BYTES, packet, len_bytes);
	return send_all(tcp, HEADER_BYTES + len_bytes, not_too_soon(deadline_ns), err);
}

/* --- in ---------------------------------------------------------------------------------------------------------- */

/* What stands in `in`: its header and its length. */
struct frame {
	size_t header_bytes, len_bytes;
};

/* 1: a whole response stands in `in`; 0: not yet; PT_EPROTO: never again. */
static int look_for_header(struct tcp_link *tcp, struct frame *frame, struct pt_err *err)
{
	if (tcp->in_bytes < HEADER_BYTES)
		return 0;
	*frame = (struct frame){ HEADER_BYTES, pt_le16(tcp->in + 4) };
	if (memcmp(tcp->in, signature, sizeof(signature)) != 0 || tcp->in[6] != TYPE_RESPONSE ||
	    frame->len_bytes > PT_LINK_MAX_PACKET_BYTES)
		return broken(tcp, "it does not speak CMSIS-DAP over TCP", err);
	return tcp->in_bytes >= HEADER_BYTES + frame->len_bytes;
}

static int look_for_answer(struct tcp_link *tcp, size_t most_bytes, struct frame *frame, struct pt_err *err)
{
	const struct pt_framing *framing = tcp->framing;
	size_t line_bytes = framing->line_bytes != 0 ? framing->line_bytes : MAX_LINE_BYTES;
	const uint8_t *end;
	char how[128];

	if (tcp->in_bytes == 0)
		return 0;
	if (framing->unframed) {
		*frame = (struct frame){ 0, tcp->in_bytes < most_bytes ? tcp->in_bytes : most_bytes };
		return 1;
	}
	if (tcp->n_expected == 0)
		return broken(tcp, "it sends without being asked", err);
	*frame = (struct frame){ 0, tcp->expected[tcp->oldest] };
	if (frame->len_bytes != PT_FRAMING_LINE)
		return tcp->in_bytes >= frame->len_bytes;
	end = memchr(tcp->in, framing->line_end != 0 ? framing->line_end : '\n', tcp->in_bytes);
	frame->len_bytes = end != NULL ? (size_t)(end - tcp->in) + 1 : 0;
	if (end != NULL || tcp->in_bytes < line_bytes)
		return end != NULL;
	snprintf(how, sizeof(how), "it does not speak %s: it says %zu bytes without the end of a line",
		 framing->protocol, tcp->in_bytes);
	return broken(tcp, how, err);
}

static int look(struct tcp_link *tcp, size_t most_bytes, struct frame *frame, struct pt_err *err)
{
	return tcp->framing == NULL ? look_for_header(tcp, frame, err) : look_for_answer(tcp, most_bytes, frame, err);
}

/* How much of the oldest answer has come, for a sentence that says that no more does; "" if that is nothing to tell. */
static const char *so_far(struct tcp_link *tcp, char *out, size_t room)
{
	size_t whole = tcp->n_expected > 0 ? tcp->expected[tcp->oldest] : 0;

	out[0] = '\0';
	if (whole == PT_FRAMING_LINE && tcp->in_bytes > 0)
		snprintf(out, room, ", after %zu bytes of a line without its end", tcp->in_bytes);
	else if (whole > 0 && whole != PT_FRAMING_LINE)
		snprintf(out, room, ", after %zu of %zu bytes of an answer", tcp->in_bytes, whole);
	return out;
}

static int ended(struct tcp_link *tcp, const char *how, struct pt_err *err)
{
	char why[160], came[64];

	snprintf(why, sizeof(why), "%.90s%s", how, so_far(tcp, came, sizeof(came)));
	return lost(tcp, why, err);
}

static int silent(struct tcp_link *tcp, struct pt_err *err)
{
	char came[64];

	return pt_fail(err, PT_ETIMEOUT, "probe at %s does not answer%s", tcp->where,
		       tcp->in_bytes > 0 ? so_far(tcp, came, sizeof(came))
					 : "; it may have another client, which would have to end");
}

static int deliver(struct tcp_link *tcp, const struct frame *frame, uint8_t *buf, size_t buf_bytes, struct pt_err *err)
{
	size_t len = frame->len_bytes, whole = frame->header_bytes + len;

	if (len <= buf_bytes)
		memcpy(buf, tcp->in + frame->header_bytes, len);
	tcp->in_bytes -= whole;
	memmove(tcp->in, tcp->in + whole, tcp->in_bytes);
	if (tcp->n_expected > 0) {
		tcp->oldest = (tcp->oldest + 1) % DEPTH;
		tcp->n_expected--;
	}
	return len <= buf_bytes ? (int)len : pt_fail(err, PT_EPROTO, "a response of %zu bytes", len);
}

/* Take what is there, or wait for it. 0: look again. */
static int fill(struct tcp_link *tcp, uint64_t deadline_ns, struct pt_err *err)
{
	struct pollfd fds[2] = { { .fd = tcp->fd, .events = POLLIN }, { .fd = tcp->wake.fd, .events = POLLIN } };
	ssize_t n = recv(tcp->fd, tcp->in + tcp->in_bytes, sizeof(tcp->in) - tcp->in_bytes, MSG_DONTWAIT);

	if (n > 0) {
		tcp->in_bytes += (size_t)n;
		return 0;
	}
	if (n == 0)
		return ended(tcp, "it closed the connection", err);
	if (errno != EAGAIN && errno != EINTR)
		return ended(tcp, strerror(errno), err);
	if (pt_wake_take(&tcp->wake))
		return pt_fail(err, PT_EINTERRUPTED, "interrupted");
	if (pt_host_now_ns() >= deadline_ns)
		return silent(tcp, err);
	poll(fds, 2, pt_host_ms_until(deadline_ns));
	return 0;
}

static int tcp_receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct tcp_link *tcp = state;
	struct frame frame = { 0 };
	int rc;

	if (pt_wake_take(&tcp->wake))
		return pt_fail(err, PT_EINTERRUPTED, "interrupted");
	deadline_ns = not_too_soon(deadline_ns);
	for (;;) {
		if (tcp->fd < 0)
			return not_connected(tcp, err);
		rc = look(tcp, buf_bytes, &frame, err);
		if (rc == 1)
			return deliver(tcp, &frame, buf, buf_bytes, err);
		if (rc == 0)
			rc = fill(tcp, deadline_ns, err);
		if (rc < 0)
			return rc;
	}
}

/* --- the rest of a link ------------------------------------------------------------------------------------------ */

static void tcp_close(void *state)
{
	struct tcp_link *tcp = state;

	hang_up(tcp);
	pt_wake_fini(&tcp->wake);
	free(tcp);
}

static void tcp_info(void *state, struct pt_link_info *out)
{
	struct tcp_link *tcp = state;

	strcpy(out->transport, strncmp(tcp->where, "unix:", 5) == 0 ? "unix" : "tcp");
	memcpy(out->where, tcp->where, sizeof(out->where));
	out->packet_bytes = PT_LINK_MAX_PACKET_BYTES;
	out->depth = DEPTH;
}

static uint64_t tcp_now(void *state)
{
	(void)state;
	return pt_host_now_ns();
}

static int tcp_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct tcp_link *tcp = state;
	int rc = pt_wake_sleep(&tcp->wake, until_ns, err);
	uint8_t byte;

	if (rc == 0 && tcp->fd >= 0 && recv(tcp->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		return lost(tcp, "it closed the connection", err);
	return rc == 0 && tcp->fd < 0 ? not_connected(tcp, err) : rc;
}

static void tcp_interrupt(void *state)
{
	pt_wake_set(&((struct tcp_link *)state)->wake);
}

static void tcp_set_packet_bytes(void *state, size_t packet_bytes)
{
	(void)state;	/* a stream has no packets of its own */
	(void)packet_bytes;
}

static const struct pt_link_ops tcp_ops = {
	.name = "tcp",
	.close = tcp_close,
	.info = tcp_info,
	.submit = tcp_submit,
	.receive = tcp_receive,
	.now_ns = tcp_now,
	.wait = tcp_wait,
	.interrupt = tcp_interrupt,
	.set_packet_bytes = tcp_set_packet_bytes,
};

struct pt_link *pt_stream_link_open(const char *address, const struct pt_framing *framing, struct pt_err *err)
{
	struct tcp_link *tcp = pt_alloc(sizeof(*tcp));

	tcp->framing = framing;
	snprintf(tcp->where, sizeof(tcp->where), "%s", address);
	if (pt_wake_init(&tcp->wake, err) < 0)
		goto free_tcp;
	tcp->fd = pt_dial(address, framing != NULL ? framing->port : PT_TCP_PORT, err);
	if (tcp->fd < 0)
		goto fini_wake;
	return pt_link_new(&tcp_ops, tcp);
fini_wake:
	pt_wake_fini(&tcp->wake);
free_tcp:
	free(tcp);
	return NULL;
}

struct pt_link *pt_tcp_link_open(const char *host_port, struct pt_err *err)
{
	return pt_stream_link_open(host_port, NULL, err);
}
