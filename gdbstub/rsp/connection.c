/* A connection from its first byte to its last: reads, keeps packets in order, and when the peer is gone, for whatever
 * reason, puts the board back before it frees itself. */
#include "gdbstub/rsp/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "gdbstub/rsp/admit.h"
#include "gdbstub/packets/dispatch.h"
#include "gdbstub/files/hostio.h"
#include "gdbstub/packets/monitor.h"
#include "gdbstub/proxy/proxy.h"
#include "gdbstub/packets/run.h"
#include "host/log.h"

/* A dead peer is noticed after IDLE + COUNT * INTERVAL seconds. */
enum { KEEPALIVE_IDLE_S = 10, KEEPALIVE_INTERVAL_S = 3, KEEPALIVE_COUNT = 3, MAX_QUEUED_BYTES = 256 * 1024 };

/* --- packets in order --------------------------------------------------------------------------------------------- */

static void pop(struct pt_gdb_client *client)
{
	client->current = client->queue;
	client->queue = client->current->next;
	if (client->queue == NULL)
		client->queue_tail = &client->queue;
	client->queued_bytes -= sizeof(*client->current) + client->current->len_bytes;
}

/* Handlers reply from inside or later; a reply calls back here, hence the guard. */
static void pump(struct pt_gdb_client *client)
{
	if (client->pumping)
		return;
	client->pumping = true;
	while (client->current == NULL && client->call == NULL && client->queue != NULL && !client->closing) {
		pop(client);
		pt_gdb_command(client);
	}
	client->pumping = false;
}

static void drop_queue(struct pt_gdb_client *client)
{
	while (client->queue != NULL) {
		pop(client);
		free(client->current);
	}
	client->current = NULL;
}

void pt_gdb_finish(struct pt_gdb_client *client)
{
	free(client->current);
	client->current = NULL;
	if (client->closing)
		pt_gdb_client_check(client);
	else
		pump(client);
}

static void enqueue(struct pt_gdb_client *client, enum pt_rsp_item item)
{
	size_t len = item == PT_RSP_PACKET ? client->rsp.len_bytes : 0;
	struct pt_gdb_packet *packet;

	if (client->queued_bytes + sizeof(*packet) + len > MAX_QUEUED_BYTES) {
		pt_gdb_client_leave(client, "it sends packets without waiting for replies");
		return;
	}
	packet = malloc(sizeof(*packet) + len + 1);
	if (packet == NULL) {
		pt_gdb_client_leave(client, "no memory for its packet");
		return;
	}
	*packet = (struct pt_gdb_packet){ .item = item, .len_bytes = len };
	memcpy(packet->bytes, client->rsp.payload, len);
	packet->bytes[len] = '\0';
	*client->queue_tail = packet;
	client->queue_tail = &packet->next;
	client->queued_bytes += sizeof(*packet) + len;
	pt_gdb_hear_packet(client);
	pt_monitor_abandon(client);	/* whoever sends a new packet does not wait for the old command */
	pump(client);
}

void pt_gdb_clients_wake(struct pt_gdbstub *stub)
{
	for (struct pt_gdb_client *client = stub->clients, *next; client != NULL; client = next) {
		next = client->next;
		if (client->parked && !client->closing) {
			client->parked = false;
			pt_gdb_command(client);
		}
	}
}

/* --- bytes in ----------------------------------------------------------------------------------------------------- */

static void acknowledge(struct pt_gdb_client *client, const char *mark)
{
	uv_buf_t buf = uv_buf_init((char *)mark, 1);

	if (!client->no_ack)
		uv_try_write(client->to, &buf, 1);	/* one byte: if it does not go, the peer asks again */
}

static void resend_or_go_on(struct pt_gdb_client *client)
{
	struct pt_rsp_frame frame = client->unacked;

	if (client->no_ack || frame.len_bytes == 0) {
		pt_monitor_alive(client);
		return;
	}
	client->unacked = (struct pt_rsp_frame){ 0 };
	frame.len_bytes -= 3;	/* without the checksum, which sending adds */
	pt_gdb_send(client, &frame);
	pt_rsp_free(&frame);
}

static void handle(struct pt_gdb_client *client, enum pt_rsp_item item)
{
	switch (item) {
	case PT_RSP_PACKET:
	case PT_RSP_OVERSIZE:
		client->n_stray = 0;
		acknowledge(client, "+");
		enqueue(client, item);
		break;
	case PT_RSP_DAMAGED:
		pt_debug(PT_LOG_GDB, "gdb: %s: a damaged packet", client->peer);
		acknowledge(client, "-");
		if (client->no_ack)
			enqueue(client, item);	/* nobody will send it again: it gets an error */
		break;
	case PT_RSP_INTERRUPT:
		if (client->call != NULL)
			pt_monitor_interrupt(client);
		else if (pt_gdb_passes(client))
			pt_gdb_pass_interrupt(client);
		else
			pt_gdb_interrupt(client);
		break;
	case PT_RSP_ACK:
		client->unacked.len_bytes = 0;
		break;
	case PT_RSP_NAK:
		resend_or_go_on(client);
		break;
	case PT_RSP_STRAY:
		pt_gdb_admit_stray(client, client->rsp.stray);
		break;
	default:
		break;
	}
}

static void on_read(uv_stream_t *stream, ssize_t n_bytes, const uv_buf_t *buf)
{
	struct pt_gdb_client *client = stream->data;
	const uint8_t *in = client->read_bytes;
	size_t n_in;

	(void)buf;
	if (n_bytes < 0) {
		pt_gdb_client_leave(client, n_bytes == UV_EOF ? "it hung up" : uv_strerror((int)n_bytes));
		return;
	}
	n_in = pt_gdb_admit(client, (size_t)n_bytes);
	for (size_t at = 0; at < n_in && !client->closing;) {
		enum pt_rsp_item item;

		at += pt_rsp_feed(&client->rsp, in + at, n_in - at, &item);
		handle(client, item);
	}
}

static void on_alloc(uv_handle_t *handle, size_t suggested_bytes, uv_buf_t *buf)
{
	struct pt_gdb_client *client = handle->data;

	(void)suggested_bytes;
	*buf = uv_buf_init((char *)client->read_bytes + client->n_first,
			   (unsigned)(sizeof(client->read_bytes) - client->n_first));
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void free_client(struct pt_gdb_client *client)
{
	struct pt_gdbstub *stub = client->stub;
	struct pt_gdb_client **at = &stub->clients;
	bool was_stdio = client->to != &client->in.stream;

	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	drop_queue(client);
	pt_gdb_hostio_end(client);
	pt_rsp_free(&client->frame);
	pt_rsp_free(&client->unacked);
	pt_rsp_free(&client->request.frame);
	pt_rsp_free(&client->halt.frame);
	pt_rsp_free(&client->stop.frame);
	free(client->document);
	free(client);
	if (was_stdio && !stub->closing && stub->config.on_quit != NULL)
		stub->config.on_quit(stub->config.arg);
	pt_gdbstub_check(stub);
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct pt_gdb_client *client = handle->data;

	if (--client->n_handles == 0)
		free_client(client);
}

static void close_handles(struct pt_gdb_client *client)
{
	client->closed = true;
	pt_board_unlisten(client->stub->config.board, &client->listener);
	uv_close((uv_handle_t *)&client->timer, on_handle_closed);
	uv_close((uv_handle_t *)&client->live_timer, on_handle_closed);
	uv_close((uv_handle_t *)&client->pretence_timer, on_handle_closed);
	if (client->to != &client->in.stream)
		uv_close(&client->out.handle, on_handle_closed);
	uv_close(&client->in.handle, on_handle_closed);
}

void pt_gdb_client_check(struct pt_gdb_client *client)
{
	if (!client->closing || client->closed || client->call != NULL || pt_gdb_live_busy(client))
		return;
	if (client->request.pending || client->halt.pending || client->stop.pending || client->asking ||
	    client->once_tasks_known != NULL)
		return;
	free(client->current);
	client->current = NULL;
	pt_gdb_pass_end(client);
	if (client->run != PT_GDB_NONE)
		pt_gdb_end_session(client);	/* comes back here */
	else
		close_handles(client);
}

void pt_gdb_client_leave(struct pt_gdb_client *client, const char *why)
{
	if (client->closing)
		return;
	if (client->known)
		pt_info("gdb: %s left: %s", client->peer, why);
	client->closing = true;
	uv_read_stop(&client->in.stream);
	pt_gdb_live_stop(client);
	pt_monitor_abandon(client);
	pt_gdb_client_check(client);
}

void pt_gdb_clients_leave(struct pt_gdbstub *stub, const char *why)
{
	for (struct pt_gdb_client *client = stub->clients, *next; client != NULL; client = next) {
		next = client->next;
		pt_gdb_client_leave(client, why);
	}
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

static struct pt_gdb_client *new_client(struct pt_gdbstub *stub)
{
	struct pt_gdb_client *client = calloc(1, sizeof(*client));

	if (client == NULL)
		return NULL;
	client->stub = stub;
	client->queue_tail = &client->queue;
	client->to = &client->in.stream;
	client->n_cores = 1;
	client->locked = stub->config.token != NULL;
	pt_rsp_init(&client->rsp, client->payload, sizeof(client->payload));
	pt_gdb_request_init(&client->request, client, false);
	pt_gdb_request_init(&client->halt, client, true);
	pt_gdb_request_init(&client->stop, client, false);
	uv_timer_init(stub->loop, &client->timer);
	uv_timer_init(stub->loop, &client->live_timer);
	uv_timer_init(stub->loop, &client->pretence_timer);
	client->timer.data = client->live_timer.data = client->pretence_timer.data = client;
	client->n_handles = 3;
	client->next = stub->clients;
	stub->clients = client;
	pt_gdb_listen_to_board(client);
	return client;
}

static void name_peer(struct pt_gdb_client *client)
{
	struct sockaddr_storage at = { 0 };
	int len = sizeof(at);
	char host[INET6_ADDRSTRLEN] = "?";
	const struct sockaddr_in *v4 = (struct sockaddr_in *)&at;
	const struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&at;

	uv_tcp_getpeername(&client->in.tcp, (struct sockaddr *)&at, &len);
	if (at.ss_family == AF_INET6)
		uv_ip6_name(v6, host, sizeof(host));
	else
		uv_ip4_name(v4, host, sizeof(host));
	snprintf(client->peer, sizeof(client->peer), "%s port %u", host, ntohs(v4->sin_port));
}

/* An answer must not wait for company, and a peer that is gone must be noticed. */
static void tune_tcp(struct pt_gdb_client *client)
{
	int fd, interval = KEEPALIVE_INTERVAL_S, count = KEEPALIVE_COUNT;

	uv_tcp_nodelay(&client->in.tcp, 1);
	uv_tcp_keepalive(&client->in.tcp, 1, KEEPALIVE_IDLE_S);
	if (uv_fileno(&client->in.handle, &fd) == 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	}
}

static int begin(struct pt_gdb_client *client, struct pt_err *err)
{
	int rc = uv_read_start(&client->in.stream, on_alloc, on_read);

	if (rc < 0) {
		pt_fail(err, PT_EIO, "read from %s: %s", client->peer, uv_strerror(rc));
		close_handles(client);
		return PT_EIO;
	}
	pt_gdb_admit_begin(client);
	return 0;
}

int pt_gdb_client_accept(struct pt_gdbstub *stub, struct pt_err *err)
{
	struct pt_gdb_client *client = new_client(stub);
	int rc;

	if (client == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for another client");
	client->n_handles++;
	rc = pt_listener_accept(&stub->listener, &client->in, client);
	if (rc < 0) {
		close_handles(client);
		if (rc == UV_EACCES)
			return pt_fail(err, PT_EPERM, "%s may not connect: --allow USER,@GROUP names who may",
				       stub->listener.peer);
		return pt_fail(err, PT_EIO, "accept a connection: %s", uv_strerror(rc));
	}
	client->own = stub->listener.peer_is_own;
	if (client->in.handle.type == UV_TCP) {
		tune_tcp(client);
		name_peer(client);
	} else {
		snprintf(client->peer, sizeof(client->peer), "%s", stub->listener.peer);
	}
	return begin(client, err);
}

static int open_stdio(struct pt_gdb_client *client, union pt_stream *to, uv_file fd, struct pt_err *err)
{
	uv_handle_type type = uv_guess_handle(fd);
	int rc;

	if (type == UV_TCP)
		uv_tcp_init(client->stub->loop, &to->tcp);
	else
		uv_pipe_init(client->stub->loop, &to->pipe, 0);
	to->handle.data = client;
	client->n_handles++;
	if (type != UV_TCP && type != UV_NAMED_PIPE)
		return pt_fail(err, PT_EARG, "--gdb stdio needs a pipe or a socket on standard %s, as in "
			       "\"target extended-remote | proftap --gdb stdio\"", fd == 0 ? "input" : "output");
	rc = type == UV_TCP ? uv_tcp_open(&to->tcp, fd) : uv_pipe_open(&to->pipe, fd);
	return rc < 0 ? pt_fail(err, PT_EIO, "open standard %s: %s", fd == 0 ? "input" : "output", uv_strerror(rc)) : 0;
}

int pt_gdb_client_stdio(struct pt_gdbstub *stub, struct pt_err *err)
{
	struct pt_gdb_client *client = new_client(stub);
	int rc_in, rc_out;

	if (client == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for a client");
	snprintf(client->peer, sizeof(client->peer), "standard input");
	client->own = true;		/* whoever began us */
	client->to = &client->out.stream;
	rc_in = open_stdio(client, &client->in, 0, err);
	rc_out = open_stdio(client, &client->out, 1, rc_in < 0 ? NULL : err);
	if (rc_in < 0 || rc_out < 0) {
		close_handles(client);
		return rc_in < 0 ? rc_in : rc_out;
	}
	return begin(client, err);
}
