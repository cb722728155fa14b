/* A GDB server on a thread of its own, for fuzz_upstream.c: it takes each packet and answers with the next of the given texts, and
 * when there are no more as a small server would, so that the board is there. */
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

enum { UPSTREAM_ANSWERS = 64, UPSTREAM_PACKET_BYTES = 0x4000 };

struct upstream {
	pthread_t thread;
	int listens, fd;
	atomic_bool over;
	const uint8_t *answer[UPSTREAM_ANSWERS];	/* of the input */
	size_t answer_bytes[UPSTREAM_ANSWERS], n_answers, at;
	unsigned honest;		/* packets answered properly before those */
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
		{ "qSupported", "PacketSize=1000;qXfer:features:read+;vContSupported+;QStartNoAckMode+" },
		{ "QStartNoAckMode", "OK" }, { "?", "T05thread:1;" }, { "qfThreadInfo", "m1" }, { "qsThreadInfo", "l" },
		{ "qC", "QC1" }, { "H", "OK" }, { "vCont?", "vCont;c;C;s;S" }, { "T", "OK" }, { "qAttached", "1" },
		{ "vCont", "T05thread:1;" }, { "Z", "OK" }, { "z", "OK" }, { "M", "OK" }, { "X", "OK" }, { "P", "OK" },
		{ "D", "OK" }, { "p", "00000000" }, { "qRcmd", "OK" },
		{ "qXfer:features:read:target.xml:0", "l<target><architecture>arm</architecture></target>" },
	};

	if (packet[0] == 'm')
		return upstream_memory(packet, out, room);
	if (packet[0] == 'g')
		return upstream_memory("g,a8", out, room);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (strncmp(packet, answers[i].begins, strlen(answers[i].begins)) == 0)
			return (size_t)snprintf(out, room, "%s", answers[i].text);
	return 0;
}

static void upstream_send(const void *bytes, size_t n)
{
	struct pt_rsp_frame frame = { 0 };

	pt_rsp_begin(&frame, '$');
	pt_rsp_raw(&frame, bytes, n);
	pt_rsp_end(&frame);
	if (send(upstream.fd, frame.bytes, frame.len_bytes, MSG_NOSIGNAL) < 0)
		shutdown(upstream.fd, SHUT_RDWR);
	pt_rsp_free(&frame);
}

/* "!bytes" of the input is sent as it is, anything else as a packet. */
static void upstream_answer(const char *packet)
{
	char out[2048];

	if (upstream.honest > 0 || upstream.at == upstream.n_answers) {
		upstream.honest -= upstream.honest > 0;
		upstream_send(out, upstream_proper(packet, out, sizeof(out)));
		return;
	}
	if (upstream.answer_bytes[upstream.at] > 0 && upstream.answer[upstream.at][0] == '!') {
		if (send(upstream.fd, upstream.answer[upstream.at] + 1, upstream.answer_bytes[upstream.at] - 1,
			 MSG_NOSIGNAL) < 0)
			shutdown(upstream.fd, SHUT_RDWR);
		upstream_send(out,
			      upstream_proper(packet, out, sizeof(out))); /* one that is never answered takes 0.9 s */
	} else {
		upstream_send(upstream.answer[upstream.at], upstream.answer_bytes[upstream.at]);
	}
	upstream.at++;
}

static void upstream_take(const uint8_t *in, size_t n)
{
	for (size_t at = 0; at < n;) {
		enum pt_rsp_item item = PT_RSP_NONE;
		char packet[256];

		at += pt_rsp_feed(&upstream.rsp, in + at, n - at, &item);
		if (item == PT_RSP_INTERRUPT) {
			upstream_send("T02thread:1;", 12);
		} else if (item == PT_RSP_PACKET) {
			size_t len = upstream.rsp.len_bytes < sizeof(packet) - 1 ? upstream.rsp.len_bytes
										 : sizeof(packet) - 1;

			memcpy(packet, upstream.payload, len);
			packet[len] = '\0';
			if (send(upstream.fd, "+", 1, MSG_NOSIGNAL) < 0)
				return;
			upstream_answer(packet);
		}
	}
}

static void *upstream_run(void *none)
{
	while (!atomic_load(&upstream.over)) {
		struct pollfd of[] = { { upstream.listens, POLLIN, 0 }, { upstream.fd, POLLIN, 0 } };
		uint8_t in[4096];
		ssize_t n;

		if (poll(of, 2, 20) <= 0)
			continue;
		if ((of[0].revents & POLLIN) != 0) {
			if (upstream.fd >= 0)
				close(upstream.fd);
			upstream.fd = accept(upstream.listens, NULL, NULL);
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
	}
	return none;
}

/* The answers are the lines "<..." of the input; its second byte says how many packets are answered properly before them. */
static const char *upstream_start(const uint8_t *in, size_t n)
{
	static char address[64];
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);

	upstream.fd = -1;
	upstream.n_answers = upstream.at = 0;
	upstream.honest = n > 1 ? in[0] % 64 : 0;
	atomic_store(&upstream.over, false);
	for (size_t i = 0; i < n && upstream.n_answers < UPSTREAM_ANSWERS;) {
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
	close(upstream.listens);
	if (upstream.fd >= 0)
		close(upstream.fd);
}

#endif
