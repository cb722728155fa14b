/* CMSIS-DAP packets over TCP: 8 bytes of header before each request and response. A stream that lost its framing cannot
 * be trusted again, so the connection ends there.
 * Source: OpenOCD cmsis_dap_tcp.c; every deadline is at least 150 ms away, as it asks for. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probes/links/aside.h"
#include "probes/links/links.h"
#include "probes/links/wake.h"
#include "util.h"

enum { HEADER_BYTES = 8, TYPE_REQUEST = 1, TYPE_RESPONSE = 2, CONNECT_MS = 2000, LEAST_MS = 150, DEPTH = 64 };

static const uint8_t signature[4] = { 'D', 'A', 'P', 0 };

struct tcp_link {
	int fd;		/* -1: the connection has ended */
	struct pt_wake wake;
	char where[64];
	uint8_t in[HEADER_BYTES + PT_LINK_MAX_PACKET_BYTES];
	size_t in_bytes;
	uint8_t out[HEADER_BYTES + PT_LINK_MAX_PACKET_BYTES];
};

static void hang_up(struct tcp_link *tcp)
{
	if (tcp->fd >= 0)
		close(tcp->fd);
	tcp->fd = -1;
}

static int lost(struct tcp_link *tcp, const char *why, struct pt_err *err)
{
	hang_up(tcp);
	return pt_fail(err, PT_EIO, "probe at %s: %s", tcp->where, why);
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

static int tcp_submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct tcp_link *tcp = state;

	if (tcp->fd < 0)
		return lost(tcp, "not connected any more", err);
	if (len_bytes > PT_LINK_MAX_PACKET_BYTES)
		return pt_fail(err, PT_EARG, "a packet of %zu bytes", len_bytes);
	memcpy(tcp->out, signature, sizeof(signature));
	pt_put_le16(tcp->out + 4, (uint16_t)len_bytes);
	tcp->out[6] = TYPE_REQUEST;
	tcp->out[7] = 0;
	memcpy(tcp->out + HEADER_BYTES, packet, len_bytes);
	return send_all(tcp, HEADER_BYTES + len_bytes, not_too_soon(deadline_ns), err);
}

/* --- in ---------------------------------------------------------------------------------------------------------- */

/* 1: a whole response stands in `in`; 0: not yet; PT_EPROTO: never again. */
static int look(struct tcp_link *tcp, struct pt_err *err)
{
	size_t len;

	if (tcp->in_bytes < HEADER_BYTES)
		return 0;
	len = pt_le16(tcp->in + 4);
	if (memcmp(tcp->in, signature, sizeof(signature)) != 0 || tcp->in[6] != TYPE_RESPONSE ||
	    len > PT_LINK_MAX_PACKET_BYTES) {
		hang_up(tcp);
		return pt_fail(err, PT_EPROTO, "probe at %s does not speak CMSIS-DAP over TCP", tcp->where);
	}
	return tcp->in_bytes >= HEADER_BYTES + len;
}

static int deliver(struct tcp_link *tcp, uint8_t *buf, size_t buf_bytes, struct pt_err *err)
{
	size_t len = pt_le16(tcp->in + 4), whole = HEADER_BYTES + len;

	if (len <= buf_bytes)
		memcpy(buf, tcp->in + HEADER_BYTES, len);
	tcp->in_bytes -= whole;
	memmove(tcp->in, tcp->in + whole, tcp->in_bytes);
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
		return lost(tcp, "it closed the connection", err);
	if (errno != EAGAIN && errno != EINTR)
		return lost(tcp, strerror(errno), err);
	if (pt_wake_take(&tcp->wake))
		return pt_fail(err, PT_EINTERRUPTED, "interrupted");
	if (pt_host_now_ns() >= deadline_ns)
		return pt_fail(err, PT_ETIMEOUT, "probe at %s does not answer", tcp->where);
	poll(fds, 2, pt_host_ms_until(deadline_ns));
	return 0;
}

static int tcp_receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	struct tcp_link *tcp = state;
	int rc;

	if (pt_wake_take(&tcp->wake))
		return pt_fail(err, PT_EINTERRUPTED, "interrupted");
	deadline_ns = not_too_soon(deadline_ns);
	for (;;) {
		if (tcp->fd < 0)
			return lost(tcp, "not connected any more", err);
		rc = look(tcp, err);
		if (rc == 1)
			return deliver(tcp, buf, buf_bytes, err);
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

	strcpy(out->transport, "tcp");
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
	return rc == 0 && tcp->fd < 0 ? lost(tcp, "not connected any more", err) : rc;
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

/* --- connecting -------------------------------------------------------------------------------------------------- */

/* "HOST:PORT" into its halves; an address in brackets may have colons of its own. */
static bool split(const char *host_port, char *host, size_t host_bytes, char *port, size_t port_bytes)
{
	const char *begin = host_port, *end, *colon;

	if (*begin == '[') {
		end = strchr(++begin, ']');
		colon = end != NULL ? end + 1 : NULL;
	} else {
		end = colon = begin + strcspn(begin, ":");
	}
	if (end == NULL || end == begin || (size_t)(end - begin) >= host_bytes || (*colon != 0 && *colon != ':'))
		return false;
	memcpy(host, begin, (size_t)(end - begin));
	host[end - begin] = 0;
	if (*colon == 0)
		return (size_t)snprintf(port, port_bytes, "%d", PT_TCP_PORT) < port_bytes;
	return colon[1] != 0 && (size_t)snprintf(port, port_bytes, "%s", colon + 1) < port_bytes;
}

static int finish_connect(int fd, uint64_t deadline_ns)
{
	struct pollfd wait_for = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int error = 0;

	while (poll(&wait_for, 1, pt_host_ms_until(deadline_ns)) == 0)
		if (pt_host_now_ns() >= deadline_ns)
			return ETIMEDOUT;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 ? errno : error;
}

/* A connected socket, or -1 with errno. */
static int connect_one(const struct addrinfo *to, uint64_t deadline_ns)
{
	int fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol);
	int one = 1, error = 0;

	if (fd < 0)
		return -1;
	if (connect(fd, to->ai_addr, to->ai_addrlen) < 0)
		error = errno == EINPROGRESS ? finish_connect(fd, deadline_ns) : errno;
	if (error != 0) {
		close(fd);
		errno = error;
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	return fd;
}

struct question {
	char host[256], port[16];
	int rc;
	struct addrinfo *found;		/* NULL: nothing, or somebody has taken it */
};

static void resolve(void *arg)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct question *question = arg;

	question->rc = getaddrinfo(question->host, question->port, &hints, &question->found);
}

static void drop_question(void *arg)
{
	struct question *question = arg;

	if (question->found != NULL)
		freeaddrinfo(question->found);
	free(question);
}

/* Addresses, the caller's to free. Name servers may be silent for longer than anybody wants to wait. */
static int look_up(const char *host_port, uint64_t deadline_ns, struct addrinfo **found, struct pt_err *err)
{
	struct question *question = calloc(1, sizeof(*question));
	struct pt_aside *aside;
	int rc;

	if (question == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for a link");
	if (!split(host_port, question->host, sizeof(question->host), question->port, sizeof(question->port))) {
		free(question);
		return pt_fail(err, PT_EARG, "\"%s\" is not HOST:PORT", host_port);
	}
	aside = pt_aside_new(drop_question, question, err);
	if (aside == NULL) {
		free(question);
		return PT_ENOMEM;
	}
	if (!pt_aside_call(aside, resolve, deadline_ns)) {
		rc = pt_fail(err, PT_EIO, "probe at %s: no name server answers", host_port);
	} else if (question->rc != 0) {
		rc = pt_fail(err, PT_EIO, "probe at %s: %s", host_port, gai_strerror(question->rc));
	} else {
		*found = question->found;
		question->found = NULL;
		rc = 0;
	}
	pt_aside_free(aside);
	return rc;
}

static int dial(const char *host_port, struct pt_err *err)
{
	uint64_t deadline_ns = pt_host_now_ns() + CONNECT_MS * PT_NS_PER_MS;
	struct addrinfo *found = NULL;
	int fd = -1, why = look_up(host_port, deadline_ns, &found, err);

	if (why < 0)
		return why;
	for (const struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next)
		fd = connect_one(a, deadline_ns);
	why = errno;
	freeaddrinfo(found);
	return fd >= 0 ? fd : pt_fail(err, PT_EIO, "probe at %s: %s", host_port, strerror(why));
}

struct pt_link *pt_tcp_link_open(const char *host_port, struct pt_err *err)
{
	struct tcp_link *tcp = calloc(1, sizeof(*tcp));
	struct pt_link *link;

	if (tcp == NULL)
		goto no_memory;
	snprintf(tcp->where, sizeof(tcp->where), "%s", host_port);
	if (pt_wake_init(&tcp->wake, err) < 0)
		goto free_tcp;
	tcp->fd = dial(host_port, err);
	if (tcp->fd < 0)
		goto fini_wake;
	link = pt_link_new(&tcp_ops, tcp);
	if (link != NULL)
		return link;
	hang_up(tcp);
	pt_fail(err, PT_ENOMEM, "no memory for a link");
fini_wake:
	pt_wake_fini(&tcp->wake);
free_tcp:
	free(tcp);
	return NULL;
no_memory:
	pt_fail(err, PT_ENOMEM, "no memory for a link");
	return NULL;
}
