/* How busy the XVC driver keeps TCK over real TCP: a full profiling buffer (4 KiB: 1024 registers of 36 bits, each with
 * the scan of 8 bits that names it, from scan to scan without Run-Test/Idle), against the clocks that it must shift.
 * The server is the bench's own: it takes one request after the other and answers each when its clocks would be over,
 * so that what is measured beyond 1 is the driver, the sockets and the way there and back. That way is longer by
 * `travel`, as in a network; what a bit alone takes is what that costs once. */
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "probes/registry.h"
#include "base/util.h"

enum { ENTRIES = 1024, DATA_BITS = 36, COMMAND_BITS = 8, WALK_BITS = 4, SCANS = 2 * ENTRIES, RUNS = 15 };
enum { MOST_BYTES = 2048, QUEUE = 64, MARGIN_NS = 70000 };
#define CLOCKS (ENTRIES * (DATA_BITS + COMMAND_BITS) + WALK_BITS * SCANS)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * PT_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* To the microsecond: a timer wakes up too late. */
static void sleep_until(uint64_t at_ns)
{
	uint64_t from_ns = now_ns();
	struct timespec until = { (time_t)((at_ns - MARGIN_NS) / PT_NS_PER_S), (long)((at_ns - MARGIN_NS) % PT_NS_PER_S) };

	if (at_ns > from_ns + MARGIN_NS)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	while (now_ns() < at_ns)
		;
}

/* --- the server --------------------------------------------------------------------------------------------------- */

/* The reader says when each answer is due, the writer sends it then. */
static struct server {
	uint16_t port;
	int listener, peer;
	uint64_t travel_ns;		/* there and back */
	uv_mutex_t lock;
	uv_cond_t changed;
	struct answer {
		uint64_t due_ns;
		size_t n_bytes;
		uint8_t bytes[MOST_BYTES / 2];
	} answer[QUEUE];
	size_t head, n;
	bool ended;
} server;

static bool get(void *to, size_t n_bytes)
{
	return recv(server.peer, to, n_bytes, MSG_WAITALL) == (ssize_t)n_bytes;
}

static void put(uint64_t due_ns, const void *bytes, size_t n_bytes)
{
	struct answer *answer;

	uv_mutex_lock(&server.lock);
	while (server.n == QUEUE)
		uv_cond_wait(&server.changed, &server.lock);
	answer = &server.answer[(server.head + server.n++) % QUEUE];
	answer->due_ns = due_ns;
	answer->n_bytes = n_bytes;
	memcpy(answer->bytes, bytes, n_bytes);
	uv_cond_signal(&server.changed);
	uv_mutex_unlock(&server.lock);
}

static bool take_request(uint64_t *over_ns, uint32_t *period_ns)
{
	uint8_t head[8], rest[4 + MOST_BYTES];
	uint64_t begins_ns;
	uint32_t n_bits;

	if (!get(head, 2))
		return false;
	begins_ns = now_ns() + server.travel_ns / 2;
	if (begins_ns < *over_ns)
		begins_ns = *over_ns;
	if (head[0] == 'g') {
		put(now_ns(), "xvcServer_v1.0:2048\n", 20);
		return get(rest, 6);
	}
	if (head[1] == 'e') {
		if (!get(rest, 9))
			return false;
		*period_ns = pt_le32(rest + 5);
		put(now_ns(), rest + 5, 4);
		return true;
	}
	if (!get(rest, 8) || (n_bits = pt_le32(rest + 4)) > 4 * MOST_BYTES || !get(rest + 4, 2 * ((n_bits + 7) / 8)))
		return false;
	*over_ns = begins_ns + (uint64_t)n_bits * *period_ns;
	put(*over_ns + server.travel_ns / 2, rest + 4 + (n_bits + 7) / 8, (n_bits + 7) / 8);	/* TDO is TDI */
	return true;
}

static void write_answers(void *arg)
{
	(void)arg;
	uv_mutex_lock(&server.lock);
	for (;;) {
		struct answer *answer = &server.answer[server.head];

		while (server.n == 0 && !server.ended)
			uv_cond_wait(&server.changed, &server.lock);
		if (server.n == 0)
			break;
		uv_mutex_unlock(&server.lock);
		sleep_until(answer->due_ns);
		send(server.peer, answer->bytes, answer->n_bytes, MSG_NOSIGNAL);
		uv_mutex_lock(&server.lock);
		server.head = (server.head + 1) % QUEUE;
		server.n--;
		uv_cond_signal(&server.changed);
	}
	uv_mutex_unlock(&server.lock);
}

static void serve(void *arg)
{
	uint32_t period_ns = 1000;
	uint64_t over_ns = 0;
	uv_thread_t writer;
	int one = 1;

	(void)arg;
	server.peer = accept(server.listener, NULL, NULL);
	setsockopt(server.peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (uv_thread_create(&writer, write_answers, NULL) != 0)
		die("thread");
	while (take_request(&over_ns, &period_ns))
		;
	uv_mutex_lock(&server.lock);
	server.ended = true;
	uv_cond_signal(&server.changed);
	uv_mutex_unlock(&server.lock);
	uv_thread_join(&writer);
	close(server.peer);
}

static void listen_anywhere(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);

	server.listener = socket(AF_INET, SOCK_STREAM, 0);
	if (server.listener < 0 || bind(server.listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(server.listener, 1) < 0 || getsockname(server.listener, (struct sockaddr *)&at, &len) < 0)
		die("listen");
	server.port = ntohs(at.sin_port);
}

/* --- the client --------------------------------------------------------------------------------------------------- */

static struct pt_jtag_op ops[SCANS];
static uint8_t in[ENTRIES][5];

static void make_list(void)
{
	static const uint8_t command = 0x76;

	for (size_t i = 0; i < ENTRIES; i++) {
		ops[2 * i] = (struct pt_jtag_op){
			.what = PT_JTAG_DR, .n_bits = COMMAND_BITS, .out = &command, .end = PT_JTAG_TO_NEXT,
		};
		ops[2 * i + 1] = (struct pt_jtag_op){
			.what = PT_JTAG_DR, .n_bits = DATA_BITS, .in = in[i], .end = PT_JTAG_TO_NEXT,
		};
	}
}

/* The least of some runs: what else the machine does is not the driver's. */
static uint64_t least_ns(struct pt_probe *probe, struct pt_jtag_op *list, size_t n_list)
{
	uint64_t least = UINT64_MAX;
	struct pt_err err = { 0 };
	size_t n_done;
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);

	for (unsigned i = 0; i < RUNS; i++) {
		uint64_t began_ns = now_ns(), took_ns;

		if (jtag->run(wire, list, n_list, 1000, &n_done, &err) < 0) {
			fprintf(stderr, "bench_xvc: %s\n", err.msg);
			exit(1);
		}
		took_ns = now_ns() - began_ns;
		least = took_ns < least ? took_ns : least;
	}
	return least;
}

static void bench(uint32_t hz, uint32_t travel_us, const char *words)
{
	struct pt_jtag_op one_bit = { .what = PT_JTAG_IDLE, .n_bits = 1 };
	uint64_t took_ns, way_ns;
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	uv_thread_t thread;
	uint32_t tck_hz;
	double clocks_ns;
	char uri[64];
	void *wire;
	const struct pt_jtag_ops *jtag;
	struct pt_params *settings = pt_params_new();

	listen_anywhere();
	server.travel_ns = travel_us * UINT64_C(1000);
	server.ended = false;
	if (uv_thread_create(&thread, serve, NULL) != 0)
		die("thread");
	snprintf(uri, sizeof(uri), "xvc:127.0.0.1:%u", server.port);
	if (words != NULL && pt_params_add(settings, pt_xvc_ops.params, pt_xvc_ops.n_params, words, &err) < 0)
		die(err.msg);
	probe = pt_probe_open(uri, settings, &err);
	jtag = probe != NULL ? pt_probe_jtag(probe, &wire) : NULL;
	if (jtag == NULL || jtag->connect(wire, &err) < 0 || jtag->set_speed(wire, hz, &tck_hz, &err) < 0) {
		fprintf(stderr, "bench_xvc: %s\n", err.msg);
		exit(1);
	}
	way_ns = least_ns(probe, &one_bit, 1);
	took_ns = least_ns(probe, ops, SCANS);
	clocks_ns = (double)CLOCKS * 1e9 / tck_hz;
	printf("xvc over TCP, %4" PRIu32
	       " us of travel, TCK %5.2f MHz: 4 KiB in %7.3f ms, ratio %.3f; a bit alone takes "
	       "%.3f of it%s%s\n",
	       travel_us, tck_hz / 1e6, (double)took_ns / 1e6, (double)took_ns / clocks_ns, (double)way_ns / clocks_ns,
	       words != NULL ? ", " : "", words != NULL ? words : "");
	pt_probe_close(probe);
	uv_thread_join(&thread);
	close(server.listener);
	pt_params_free(settings);
}

int main(void)
{
	static const uint32_t speeds[] = { 1000000, 10000000, 30000000, 66000000 }, travels_us[] = { 0, 200, 1000 };

	uv_mutex_init(&server.lock);
	uv_cond_init(&server.changed);
	make_list();
	for (size_t t = 0; t < PT_LEN(travels_us); t++)
		for (size_t s = 0; s < PT_LEN(speeds); s++)
			bench(speeds[s], travels_us[t], NULL);
	bench(30000000, 0, "limit-packets=1");
	bench(30000000, 200, "limit-packets=1");
	bench(30000000, 200, "limit-packets=2");
	bench(30000000, 1000, "limit-packets=2");
	return 0;
}
