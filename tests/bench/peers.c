#include "tests/bench/peers.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

void pt_bench_die(const char *what)
{
	perror(what);
	exit(1);
}

int pt_bench_listen(int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, 8) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		pt_bench_die("listen");
	*port = ntohs(at.sin_port);
	return fd;
}

static int dial_port(int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		pt_bench_die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static int dial_path(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		pt_bench_die(path);
	return fd;
}

int pt_bench_dial(const char *address)
{
	return strchr(address, '/') != NULL ? dial_path(address) : dial_port(atoi(address));
}

void pt_bench_write(int fd, const char *bytes, size_t n)
{
	for (ssize_t done; n > 0; bytes += done, n -= (size_t)done)
		if ((done = send(fd, bytes, n, MSG_NOSIGNAL)) <= 0)
			exit(0);
}

size_t pt_bench_frame(char *out, const char *payload, size_t n)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = (uint8_t)(sum + (uint8_t)payload[i]);
	out[0] = '$';
	memcpy(out + 1, payload, n);
	sprintf(out + 1 + n, "#%02x", sum);
	return n + 4;
}

/* --- the server: no acknowledgements, memory of zeros ------------------------------------------------------------- */

/* Acknowledged until the client asks for no more of it. */
static void answer(int fd, const char *request, bool *acks)
{
	static char payload[PT_BENCH_PACKET_BYTES], out[PT_BENCH_PACKET_BYTES + 8];
	size_t n = 0;
	char *comma;

	if (strncmp(request, "qSupported", 10) == 0) {
		n = (size_t)sprintf(payload, "PacketSize=%x;QStartNoAckMode+", PT_BENCH_PACKET_BYTES);
	} else if (strcmp(request, "QStartNoAckMode") == 0) {
		n = (size_t)sprintf(payload, "OK");
	} else if (strcmp(request, "?") == 0) {
		n = (size_t)sprintf(payload, "S05");
	} else if (strcmp(request, "g") == 0) {	/* as many as GDB takes an Arm to have that does not describe itself */
		memset(payload, '0', n = 2 * (16 * 4 + 8 * 12 + 2 * 4));
	} else if (request[0] == 'm' && (comma = strchr(request, ',')) != NULL) {
		n = 2 * strtoul(comma + 1, NULL, 16);
		n = n < sizeof(payload) ? n : sizeof(payload) - 2;
		memset(payload, '0', n);
	}
	if (*acks)
		pt_bench_write(fd, "+", 1);
	*acks &= strcmp(request, "QStartNoAckMode") != 0;
	pt_bench_write(fd, out, pt_bench_frame(out, payload, n));
}

static void talk(int fd)
{
	static char in[2 * PT_BENCH_PACKET_BYTES];
	bool acks = true;
	size_t have = 0;
	ssize_t n;

	while ((n = recv(fd, in + have, sizeof(in) - 1 - have, 0)) > 0) {
		char *begin, *end;

		have += (size_t)n;
		in[have] = '\0';
		while ((begin = strchr(in, '$')) != NULL && (end = strchr(begin, '#')) != NULL &&
		       end + 3 <= in + have) {
			*end = '\0';
			answer(fd, begin + 1, &acks);
			have -= (size_t)(end + 3 - in);
			memmove(in, end + 3, have + 1);
		}
	}
}

void pt_bench_serve(int listener)
{
	int one = 1, fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		talk(fd);
		close(fd);
	}
}

/* --- the floor: bytes to and fro with libuv, and nothing else ----------------------------------------------------- */

struct end { uv_tcp_t tcp; struct end *other; char buf[65536]; };

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct end *end = (struct end *)handle;

	(void)suggested;
	*buf = uv_buf_init(end->buf, sizeof(end->buf));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct end *end = (struct end *)stream;
	uv_buf_t out = uv_buf_init(buf->base, n > 0 ? (unsigned)n : 0);

	if (n < 0)
		exit(0);
	while (out.len > 0) {	/* a peer that reads takes it at once */
		int done = uv_try_write((uv_stream_t *)&end->other->tcp, &out, 1);

		if (done > 0) {
			out.base += done;
			out.len -= (size_t)done;
		}
	}
}

void pt_bench_pass(int listener, const char *to)
{
	static struct end ends[2];
	uv_loop_t *loop = uv_default_loop();
	int fds[2] = { accept(listener, NULL, NULL), pt_bench_dial(to) };

	for (int i = 0; i < 2; i++) {
		uv_tcp_init(loop, &ends[i].tcp);
		uv_tcp_open(&ends[i].tcp, fds[i]);
		uv_tcp_nodelay(&ends[i].tcp, 1);
		ends[i].other = &ends[1 - i];
		uv_read_start((uv_stream_t *)&ends[i].tcp, on_alloc, on_read);
	}
	uv_run(loop, UV_RUN_DEFAULT);
}
