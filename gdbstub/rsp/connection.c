/* A connection, from its first byte to its last. */
#include "gdbstub/rsp/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "gdbstub/rsp/admit.h"
#include "host/log.h"

/* A dead peer is noticed after IDLE + COUNT * INTERVAL seconds. */
enum { KEEPALIVE_IDLE_S = 10, KEEPALIVE_INTERVAL_S = 3, KEEPALIVE_COUNT = 3 };

/* --- bytes in ----------------------------------------------------------------------------------------------------- */

static void take_damaged(struct pt_rsp_connection *c)
{
	pt_debug(PT_LOG_GDB, "gdb: %s: a damaged packet", c->peer);
	pt_rsp_acknowledge(c, "-");
	if (c->no_ack)
		pt_rsp_enqueue(c, PT_RSP_DAMAGED);	/* GDB does not send it again in this mode: it gets an error */
}

static void take_item(struct pt_rsp_connection *c, enum pt_rsp_item item)
{
	switch (item) {
	case PT_RSP_PACKET:
	case PT_RSP_OVERSIZE:
		c->n_stray = 0;
		pt_rsp_acknowledge(c, "+");
		pt_rsp_enqueue(c, item);
		break;
	case PT_RSP_DAMAGED:
		take_damaged(c);
		break;
	case PT_RSP_INTERRUPT:
		c->handler->interrupt(c->arg);
		break;
	case PT_RSP_ACK:
		c->unacked.len_bytes = 0;
		break;
	case PT_RSP_NAK:
		if (!pt_rsp_resend(c))
			c->handler->alive(c->arg);
		break;
	case PT_RSP_STRAY:
		pt_rsp_admit_stray(c, c->parser.stray);
		break;
	default:
		break;
	}
}

static void on_read(uv_stream_t *stream, ssize_t n_bytes, const uv_buf_t *buf)
{
	struct pt_rsp_connection *c = stream->data;
	const uint8_t *in = c->read_bytes;
	size_t n_in;

	(void)buf;
	if (n_bytes < 0) {
		pt_rsp_hang_up(c, n_bytes == UV_EOF ? "it hung up" : uv_strerror((int)n_bytes));
		return;
	}
	n_in = pt_rsp_admit(c, (size_t)n_bytes);
	for (size_t at = 0; at < n_in && !c->closing;) {
		enum pt_rsp_item item;

		at += pt_rsp_feed(&c->parser, in + at, n_in - at, &item);
		take_item(c, item);
	}
}

static void on_alloc(uv_handle_t *handle, size_t suggested_bytes, uv_buf_t *buf)
{
	struct pt_rsp_connection *c = handle->data;

	(void)suggested_bytes;
	*buf = uv_buf_init((char *)c->read_bytes + c->n_first, (unsigned)(sizeof(c->read_bytes) - c->n_first));
}

void pt_rsp_set_capacity(struct pt_rsp_connection *c, uint8_t *payload, size_t bytes)
{
	if (payload == NULL)
		pt_rsp_init(&c->parser, c->payload, sizeof(c->payload));
	else
		pt_rsp_init(&c->parser, payload, bytes);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void on_handle_closed(uv_handle_t *handle)
{
	struct pt_rsp_connection *c = handle->data;

	if (--c->n_handles > 0)
		return;
	pt_rsp_drop_packets(c);
	pt_rsp_free(&c->frame);
	pt_rsp_free(&c->unacked);
	c->on_closed(c->arg);
}

void pt_rsp_close(struct pt_rsp_connection *c, void (*on_closed)(void *arg))
{
	c->closing = c->closed = true;
	c->on_closed = on_closed;
	uv_close((uv_handle_t *)&c->ending, on_handle_closed);
	uv_close((uv_handle_t *)&c->patience, on_handle_closed);
	if (pt_rsp_is_stdio(c))
		uv_close(&c->out.handle, on_handle_closed);
	uv_close(&c->in.handle, on_handle_closed);
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

void pt_rsp_connection_init(struct pt_rsp_connection *c, uv_loop_t *loop, const struct pt_rsp_handler *handler,
			    void *arg)
{
	c->handler = handler;
	c->arg = arg;
	c->loop = loop;
	c->to = &c->in.stream;
	c->queue_tail = &c->queue;
	pt_rsp_set_capacity(c, NULL, 0);
	uv_timer_init(loop, &c->ending);
	uv_timer_init(loop, &c->patience);
	c->ending.data = c->patience.data = c;
	c->n_handles = 2;
}

bool pt_rsp_is_stdio(const struct pt_rsp_connection *c)
{
	return c->to != &c->in.stream;
}

static void name_peer(struct pt_rsp_connection *c)
{
	struct sockaddr_storage at = { 0 };
	int len = sizeof(at);
	char host[INET6_ADDRSTRLEN] = "?";
	const struct sockaddr_in *v4 = (struct sockaddr_in *)&at;
	const struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&at;

	uv_tcp_getpeername(&c->in.tcp, (struct sockaddr *)&at, &len);
	if (at.ss_family == AF_INET6)
		uv_ip6_name(v6, host, sizeof(host));
	else
		uv_ip4_name(v4, host, sizeof(host));
	snprintf(c->peer, sizeof(c->peer), "%s port %u", host, ntohs(v4->sin_port));
}

/* Answers must not wait to be combined (Nagle), and a dead peer must be noticed. */
static void tune_tcp(struct pt_rsp_connection *c)
{
	int fd, interval = KEEPALIVE_INTERVAL_S, count = KEEPALIVE_COUNT;

	uv_tcp_nodelay(&c->in.tcp, 1);
	uv_tcp_keepalive(&c->in.tcp, 1, KEEPALIVE_IDLE_S);
	if (uv_fileno(&c->in.handle, &fd) == 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	}
}

static int begin(struct pt_rsp_connection *c, struct pt_err *err)
{
	int rc = uv_read_start(&c->in.stream, on_alloc, on_read);

	if (rc < 0)
		return pt_fail(err, PT_EIO, "read from %s: %s", c->peer, uv_strerror(rc));
	return 0;
}

int pt_rsp_accept(struct pt_rsp_connection *c, struct pt_listener *listener, struct pt_err *err)
{
	int rc;

	c->n_handles++;
	rc = pt_listener_accept(listener, &c->in, c);
	if (rc == UV_EACCES)
		return pt_fail(err, PT_EPERM, "%s may not connect: --allow USER,@GROUP names who may", listener->peer);
	if (rc < 0)
		return pt_fail(err, PT_EIO, "accept a connection: %s", uv_strerror(rc));
	c->own = listener->peer_is_own;
	if (c->in.handle.type == UV_TCP) {
		tune_tcp(c);
		name_peer(c);
	} else {
		snprintf(c->peer, sizeof(c->peer), "%s", listener->peer);
	}
	return begin(c, err);
}

static int open_end(struct pt_rsp_connection *c, union pt_stream *to, uv_file fd, struct pt_err *err)
{
	uv_handle_type type = uv_guess_handle(fd);
	int rc;

	if (type == UV_TCP)
		uv_tcp_init(c->loop, &to->tcp);
	else
		uv_pipe_init(c->loop, &to->pipe, 0);
	to->handle.data = c;
	c->n_handles++;
	if (type != UV_TCP && type != UV_NAMED_PIPE)
		return pt_fail(err, PT_EARG,
			       "--gdb stdio needs a pipe or a socket on standard %s, as in "
			       "\"target extended-remote | proftap --gdb stdio\"",
			       fd == 0 ? "input" : "output");
	rc = type == UV_TCP ? uv_tcp_open(&to->tcp, fd) : uv_pipe_open(&to->pipe, fd);
	return rc < 0 ? pt_fail(err, PT_EIO, "open standard %s: %s", fd == 0 ? "input" : "output", uv_strerror(rc)) : 0;
}

int pt_rsp_open_stdio(struct pt_rsp_connection *c, struct pt_err *err)
{
	int rc_in, rc_out;

	snprintf(c->peer, sizeof(c->peer), "standard input");
	c->own = true;		/* it started the daemon */
	c->to = &c->out.stream;
	rc_in = open_end(c, &c->in, 0, err);
	rc_out = open_end(c, &c->out, 1, rc_in < 0 ? NULL : err);
	if (rc_in < 0 || rc_out < 0)
		return rc_in < 0 ? rc_in : rc_out;
	return begin(c, err);
}
