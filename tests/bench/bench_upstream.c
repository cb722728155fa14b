/* What being in front of another GDB server costs: round trips of a small packet, and 8 MiB of memory in packets as
 * GDB's dump asks for them, straight to a server, through a plain libuv pass-through (the floor), and through the
 * daemon. All three in one run, taken in turn, so that a busy machine is busy for all of them; ratios of the best. All
 * on one processor, so that no figure depends on where the others ran. usage: bench_upstream [PROFTAP] */
#define _GNU_SOURCE	/* CPU_SET */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

enum { PACKET_BYTES = 0x4000, DUMP_BYTES = 8 << 20, TRIPS = 5000, ROUNDS = 7 };

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int listen_anywhere(int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, 8) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		die("listen");
	*port = ntohs(at.sin_port);
	return fd;
}

static int dial(int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void write_all(int fd, const char *bytes, size_t n)
{
	for (ssize_t done; n > 0; bytes += done, n -= (size_t)done)
		if ((done = send(fd, bytes, n, MSG_NOSIGNAL)) <= 0)
			exit(0);
}

static size_t frame(char *out, const char *payload, size_t n)
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

static void answer(int fd, const char *request)
{
	static char payload[PACKET_BYTES], out[PACKET_BYTES + 8];
	size_t n = 0;
	char *comma;

	if (strncmp(request, "qSupported", 10) == 0) {
		n = (size_t)sprintf(payload, "PacketSize=%x;QStartNoAckMode+", PACKET_BYTES);
	} else if (strcmp(request, "QStartNoAckMode") == 0) {
		n = (size_t)sprintf(payload, "OK");
	} else if (strcmp(request, "?") == 0) {
		n = (size_t)sprintf(payload, "S05");
	} else if (request[0] == 'm' && (comma = strchr(request, ',')) != NULL) {
		n = 2 * strtoul(comma + 1, NULL, 16);
		n = n < sizeof(payload) ? n : sizeof(payload) - 2;
		memset(payload, '0', n);
	}
	write_all(fd, out, frame(out, payload, n));
}

static void talk(int fd)
{
	static char in[2 * PACKET_BYTES];
	size_t have = 0;
	ssize_t n;

	while ((n = recv(fd, in + have, sizeof(in) - 1 - have, 0)) > 0) {
		char *begin, *end;

		have += (size_t)n;
		in[have] = '\0';
		while ((begin = strchr(in, '$')) != NULL && (end = strchr(begin, '#')) != NULL &&
		       end + 3 <= in + have) {
			*end = '\0';
			answer(fd, begin + 1);
			have -= (size_t)(end + 3 - in);
			memmove(in, end + 3, have + 1);
		}
	}
}

static void serve(int listener)
{
	int one = 1, fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		talk(fd);
		close(fd);
	}
}

/* --- the floor: bytes to and fro with libuv, and nothing else ------------------------------------------------------ */

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

static void pass_through(int listener, int port)
{
	static struct end ends[2];
	uv_loop_t *loop = uv_default_loop();
	int fds[2] = { accept(listener, NULL, NULL), dial(port) };

	for (int i = 0; i < 2; i++) {
		uv_tcp_init(loop, &ends[i].tcp);
		uv_tcp_open(&ends[i].tcp, fds[i]);
		uv_tcp_nodelay(&ends[i].tcp, 1);
		ends[i].other = &ends[1 - i];
		uv_read_start((uv_stream_t *)&ends[i].tcp, on_alloc, on_read);
	}
	uv_run(loop, UV_RUN_DEFAULT);
}

/* --- children ----------------------------------------------------------------------------------------------------- */

static pid_t child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static int start_daemon(const char *proftap, int port, pid_t *pid)
{
	int out[2], there = 0;
	char uri[64], line[128];
	FILE *said;

	if (pipe(out) < 0)
		die("pipe");
	snprintf(uri, sizeof(uri), "rsp:127.0.0.1:%d", port);
	*pid = child();
	if (*pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execl(proftap, proftap, "serve", "--probe", uri, "--gdb", "127.0.0.1:0", "--print-ports", "--log",
		      "error", (char *)NULL);
		die(proftap);
	}
	close(out[1]);
	said = fdopen(out[0], "r");
	while (there == 0 && said != NULL && fgets(line, sizeof(line), said) != NULL)
		if (strncmp(line, "gdb ", 4) == 0)
			there = atoi(strrchr(line, ':') + 1);
	return there;
}

/* --- the client --------------------------------------------------------------------------------------------------- */

static void ask(int fd, const char *payload)
{
	static char in[2 * PACKET_BYTES];
	char out[128];
	size_t have = 0;
	ssize_t n;

	write_all(fd, out, frame(out, payload, strlen(payload)));
	do {
		if ((n = recv(fd, in + have, sizeof(in) - have, 0)) <= 0)
			die("recv");
		have += (size_t)n;
	} while (have < 4 || in[have - 3] != '#');
}

static double trips(int fd, unsigned n, unsigned bytes)
{
	uint64_t from = uv_hrtime();
	char packet[64];

	for (unsigned i = 0; i < n; i++) {
		snprintf(packet, sizeof(packet), "m%x,%x", i * bytes, bytes);
		ask(fd, packet);
	}
	return (double)(uv_hrtime() - from) / 1e3;
}

/* The last that we may use; children inherit it. */
static void pin(void)
{
	cpu_set_t set;
	int last = -1;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return;
	for (int i = 0; i < CPU_SETSIZE; i++)
		last = CPU_ISSET(i, &set) ? i : last;
	CPU_ZERO(&set);
	CPU_SET(last, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "direct", "libuv pass-through", "proftap" };
	enum { CHUNK = PACKET_BYTES / 2 - 16 };
	double least[3][2] = { { 1e18, 1e18 }, { 1e18, 1e18 }, { 1e18, 1e18 } };
	int port, floor_port, fd[3], listener = listen_anywhere(&port), floor_listener = listen_anywhere(&floor_port);
	pid_t pids[5];

	pin();
	for (int i = 0; i < 3; i++)	/* one for each connection: they wait in accept together */
		if ((pids[i] = child()) == 0)
			serve(listener);
	if ((pids[3] = child()) == 0)
		pass_through(floor_listener, port);
	fd[0] = dial(port);
	fd[1] = dial(floor_port);
	fd[2] = dial(start_daemon(argc > 1 ? argv[1] : "./proftap", port, &pids[4]));
	for (int i = 0; i < 3; i++) {
		ask(fd[i], "qSupported:");
		ask(fd[i], "QStartNoAckMode");
		ask(fd[i], "?");
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < 3; i++) {
			double us = trips(fd[i], TRIPS, 4) / TRIPS,
			       dump_us = trips(fd[i], DUMP_BYTES / CHUNK + 1, CHUNK);

			least[i][0] = us < least[i][0] ? us : least[i][0];
			least[i][1] = dump_us < least[i][1] ? dump_us : least[i][1];
		}
	for (int i = 0; i < 3; i++)
		printf("%-20s round trip %7.2f us, ratio to the floor %.3f; 8 MiB %8.2f ms, ratio to direct %.3f\n",
		       names[i], least[i][0], least[i][0] / least[1][0], least[i][1] / 1e3, least[i][1] / least[0][1]);
	printf("added latency: proftap %.2f us, libuv pass-through %.2f us, ratio %.3f\n", least[2][0] - least[0][0],
	       least[1][0] - least[0][0], (least[2][0] - least[0][0]) / (least[1][0] - least[0][0]));
	for (int i = 0; i < 5; i++) {
		kill(pids[i], i == 4 ? SIGINT : SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return 0;
}
