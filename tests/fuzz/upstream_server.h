/* A GDB server on a thread of its own, for fuzz_upstream.c: it takes each packet and answers with the next of the given texts, and
 * when there are no more as a proper server would, so that the board is there. The first character of an input says which:
 *   '@' to 'G'   one of kinds[]; the texts are given while the conversation goes on, each for the packet behind it, or at once
 *                where the program runs
 *   others       the first of kinds[]; all texts are given before, and this many packets are answered properly before those
 * A text that begins with "!" is bytes, sent as they are ahead of the proper answer; "~": there is no answer; "^": the connection
 * ends, and the server may be joined again. */
#ifndef PT_FUZZ_UPSTREAM_SERVER_H
#define PT_FUZZ_UPSTREAM_SERVER_H

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/rsp_frame.h"
#include "base/util.h"

enum { UPSTREAM_ANSWERS = 64, UPSTREAM_PACKET_BYTES = 0x4000 };

struct upstream_kind { const char *supported, *description; };

static const struct upstream_kind upstream_kinds[] = {
	{ "PacketSize=1000;qXfer:features:read+;vContSupported+;QStartNoAckMode+",
	  "l<target><architecture>arm</architecture></target>" },
	{ "PacketSize=1000;qXfer:features:read+;vContSupported+;multiprocess+",		/* QEMU */
	  "l<target><architecture>arm</architecture></target>" },
	{ "PacketSize=180;QCatchSyscalls+;qXfer:libraries-svr4:read+;QStartNoAckMode+;QNonStop+;multiprocess+;"	/* gdbserver */
	  "qXfer:osdata:read+;binary-upload+;qXfer:features:read+", "l<target><architecture>arm</architecture></target>" },
	{ "PacketSize=4000;qXfer:memory-map:read-;qXfer:features:read+;qXfer:threads:read+;QStartNoAckMode+;vContSupported+",	/* OpenOCD */
	  "l<target><architecture>arm</architecture></target>" },
	{ "PacketSize=1000;qXfer:features:read+;qXfer:auxv:read+;", "l<target><architecture>arm</architecture></target>" },	/* qemu-user */
	{ "PacketSize=1000;qXfer:features:read+;vContSupported+;multiprocess+",
	  "l<target><architecture>powerpc:e500</architecture><feature name=\"org.gnu.gdb.power.core\">"
	  "<reg name=\"pvr\" bitsize=\"32\" regnum=\"60\"/></feature></target>" },
	{ "PacketSize=4000;qXfer:memory-map:read-;qXfer:features:read+;qXfer:threads:read+;QStartNoAckMode+",
	  "l<target><architecture>powerpc:common</architecture><feature name=\"org.gnu.gdb.power.core\">"
	  "<reg name=\"pvr\" bitsize=\"32\" regnum=\"60\"/></feature></target>" },
	{ "PacketSize=100;QCatchSyscalls+;qXfer:libraries-svr4:read+;QStartNoAckMode+;QNonStop+;Qbtrace:bts+",
	  "l<target><architecture>MicroBlaze</architecture></target>" },
};

struct upstream {
	pthread_t thread;
	int listens, fd;
	atomic_bool over;
	const uint8_t *answer[UPSTREAM_ANSWERS];	/* of the input */
	size_t answer_bytes[UPSTREAM_ANSWERS], n_answers, at;
	unsigned honest;		/* packets answered properly before those */
	pthread_mutex_t lock;		/* answers are given while it runs */
	const struct upstream_kind *kind;
	bool in_turn, running, non_stop, no_ack;
	struct pt_rsp rsp;
	uint8_t payload[UPSTREAM_PACKET_BYTES];
};

static struct upstream upstream;

/* "m20000000,4": so many zero bytes. */
static size_t upstream_memory(const char *packet, char *out, size_t room)
{
	const char *comma = strchr(packet, ',');
	size_t n = comma != NULL ? 2 * strtoul(comma + 1, NULL, 16) : 2;

	n = n < room ? n : room - 1;
	memset(out, '0', n);
	return n;
}

static size_t upstream_proper(const char *packet, char *out, size_t room)
{
	static const struct { const char *begins, *text; } answers[] = {
		{ "QStartNoAckMode", "OK" }, { "?", "T05thread:1;" }, { "qfThreadInfo", "m1,2" }, { "qsThreadInfo", "l" },
		{ "qC", "QC1" }, { "H", "OK" }, { "vCont?", "vCont;c;C;s;S;t" }, { "T", "OK" }, { "qAttached", "1" },
		{ "vCont", "T05thread:1;" }, { "s", "T05thread:1;" }, { "Z", "OK" }, { "z", "OK" }, { "M", "OK" },
		{ "X", "OK" }, { "P", "OK" }, { "G", "OK" }, { "D", "OK" }, { "p", "80210030" }, { "qRcmd", "OK" },
		{ "QNonStop", "OK" }, { "vStopped", "OK" }, { "vFile:open", "F5" }, { "vFile", "F0" }, { "vRun", "T05thread:1;" },
	};

	if (packet[0] == 'm' || packet[0] == 'x')
		return upstream_memory(packet, out, room);
	if (packet[0] == 'g')
		return upstream_memory("g,a8", out, room);
	if (strncmp(packet, "qSupported", 10) == 0)
		return (size_t)snprintf(out, room, "%s", upstream.kind->supported);
	if (strncmp(packet, "qXfer:features:read:target.xml:0", 32) == 0)
		return (size_t)snprintf(out, room, "%s", upstream.kind->description);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (strncmp(packet, answers[i].begins, strlen(answers[i].begins)) == 0)
			return (size_t)snprintf(out, room, "%s", answers[i].text);
	return 0;
}

static void upstream_raw(const void *bytes, size_t n)
{
	if (send(upstream.fd, bytes, n, MSG_NOSIGNAL) < 0)
		shutdown(upstream.fd, SHUT_RDWR);
}

static void upstream_frame(char mark, const void *bytes, size_t n)
{
	struct pt_rsp_frame frame = { 0 };

	pt_rsp_begin(&frame, mark);
	pt_rsp_raw(&frame, bytes, n);
	pt_rsp_end(&frame);
	upstream_raw(frame.bytes, frame.len_bytes);
	pt_rsp_free(&frame);
}

static void upstream_send(const void *bytes, size_t n)
{
	upstream_frame('$', bytes, n);
}

/* True: it does not end in the middle of an escape or a run, which the proxy would pass on as it is. */
static bool upstream_is_whole(const uint8_t *text, size_t n)
{
	static uint8_t payload[UPSTREAM_PACKET_BYTES];
	struct pt_rsp_frame frame = { 0 };
	enum pt_rsp_item item;
	struct pt_rsp rsp;

	pt_rsp_begin(&frame, '$');
	pt_rsp_raw(&frame, text, n);
	pt_rsp_end(&frame);
	pt_rsp_init(&rsp, payload, sizeof(payload));
	pt_rsp_feed(&rsp, frame.bytes, frame.len_bytes, &item);
	pt_rsp_free(&frame);
	return item == PT_RSP_PACKET;
}

/* False: a proper answer is to follow. */
static bool upstream_given(void)
{
	const uint8_t *text = upstream.answer[upstream.at];
	size_t n = upstream.answer_bytes[upstream.at++];

	if (n > 0 && text[0] == '!')
		upstream_raw(text + 1, n - 1);
	else if (n == 1 && text[0] == '^')
		shutdown(upstream.fd, SHUT_RDWR);
	else if (n == 1 && text[0] == '~')
		return true;	/* nothing: it takes as long as the patience */
	else if (upstream_is_whole(text, n))
		upstream_send(text, n);
	else
		upstream_send("E03", 3);
	return n == 0 || text[0] != '!';
}

static bool upstream_resumes(const char *packet)
{
	return upstream.in_turn && (strncmp(packet, "vCont;c", 7) == 0 || packet[0] == 'c' || packet[0] == 'C');
}

static void upstream_stop_now(const char *stop)
{
	upstream.running = false;
	if (upstream.non_stop)
		upstream_frame('%', "Stop:T05thread:1;", strlen("Stop:T05thread:1;"));
	else
		upstream_send(stop, strlen(stop));
}

static void upstream_answer(const char *packet)
{
	char out[2048];

	if (upstream.honest > 0)
		upstream.honest--;
	else if (upstream.at < upstream.n_answers && upstream_given())
		return;
	if (upstream_resumes(packet) && !upstream.non_stop) {
		upstream.running = true;
		return;
	}
	if (strncmp(packet, "QNonStop:", 9) == 0)
		upstream.non_stop = packet[9] == '1';
	if (upstream.non_stop && strncmp(packet, "vCont;", 6) == 0) {
		upstream_send("OK", 2);
		if (packet[6] == 't')
			upstream_stop_now("");
		return;
	}
	upstream_send(out, upstream_proper(packet, out, sizeof(out)));
	if (strncmp(packet, "QStartNoAckMode", 15) == 0)
		upstream.no_ack = true;
}

static void upstream_take(const uint8_t *in, size_t n)
{
	for (size_t at = 0; at < n;) {
		enum pt_rsp_item item = PT_RSP_NONE;
		char packet[256];

		at += pt_rsp_feed(&upstream.rsp, in + at, n - at, &item);
		if (item == PT_RSP_INTERRUPT) {
			upstream_stop_now("T02thread:1;");
		} else if (item == PT_RSP_PACKET) {
			size_t len = upstream.rsp.len_bytes < sizeof(packet) - 1 ? upstream.rsp.len_bytes
										 : sizeof(packet) - 1;

			memcpy(packet, upstream.payload, len);
			packet[len] = '\0';
			if (!upstream.no_ack)
				upstream_raw("+", 1);
			upstream_answer(packet);
		}
	}
}

/* From the thread of the conversation. */
static void upstream_give(const uint8_t *text, size_t n)
{
	if (!upstream.in_turn)
		return;
	pthread_mutex_lock(&upstream.lock);
	if (upstream.n_answers < UPSTREAM_ANSWERS) {
		upstream.answer[upstream.n_answers] = text;
		upstream.answer_bytes[upstream.n_answers++] = n;
	}
	if (upstream.running && upstream.fd >= 0 && upstream_given())
		upstream.running = false;
	pthread_mutex_unlock(&upstream.lock);
}

static void *upstream_run(void *none)
{
	while (!atomic_load(&upstream.over)) {
		struct pollfd of[] = { { upstream.listens, POLLIN, 0 }, { upstream.fd, POLLIN, 0 } };
		uint8_t in[4096];
		ssize_t n;

		if (poll(of, 2, 20) <= 0)
			continue;
		pthread_mutex_lock(&upstream.lock);
		if ((of[0].revents & POLLIN) != 0) {
			if (upstream.fd >= 0)
				close(upstream.fd);
			upstream.fd = accept(upstream.listens, NULL, NULL);
			upstream.running = upstream.non_stop = upstream.no_ack = false;
			pt_rsp_init(&upstream.rsp, upstream.payload, sizeof(upstream.payload));
		} else if ((of[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
			n = recv(upstream.fd, in, sizeof(in), 0);
			if (n > 0) {
				upstream_take(in, (size_t)n);
			} else {
				close(upstream.fd);
				upstream.fd = -1;
			}
		}
		pthread_mutex_unlock(&upstream.lock);
	}
	return none;
}

/* The answers are the lines "<..." of the input. */
static const char *upstream_start(const uint8_t *in, size_t n)
{
	static char address[64];
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);

	upstream.fd = -1;
	upstream.n_answers = upstream.at = 0;
	upstream.in_turn = in[0] >= '@' && in[0] < '@' + (int)PT_LEN(upstream_kinds);
	upstream.kind = &upstream_kinds[upstream.in_turn ? in[0] - '@' : 0];
	upstream.honest = upstream.in_turn ? 0 : in[0] % 64;
	upstream.running = upstream.non_stop = upstream.no_ack = false;
	pthread_mutex_init(&upstream.lock, NULL);
	atomic_store(&upstream.over, false);
	for (size_t i = 0; !upstream.in_turn && i < n && upstream.n_answers < UPSTREAM_ANSWERS;) {
		const uint8_t *end = memchr(in + i, '\n', n - i);
		size_t bytes = end != NULL ? (size_t)(end - (in + i)) : n - i;

		if (bytes > 0 && in[i] == '<') {
			upstream.answer[upstream.n_answers] = in + i + 1;
			upstream.answer_bytes[upstream.n_answers++] = bytes - 1;
		}
		i += bytes + 1;
	}
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	upstream.listens = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (upstream.listens < 0 || bind(upstream.listens, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(upstream.listens, 4) < 0 || getsockname(upstream.listens, (struct sockaddr *)&at, &len) < 0 ||
	    pthread_create(&upstream.thread, NULL, upstream_run, NULL) != 0)
		abort();
	snprintf(address, sizeof(address), "rsp:127.0.0.1:%u", ntohs(at.sin_port));
	return address;
}

static void upstream_stop(void)
{
	atomic_store(&upstream.over, true);
	pthread_join(upstream.thread, NULL);
	pthread_mutex_destroy(&upstream.lock);
	close(upstream.listens);
	if (upstream.fd >= 0)
		close(upstream.fd);
}

#endif
