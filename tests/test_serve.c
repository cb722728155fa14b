/* The TCP server of a virtual probe: framing, hosts that take turns, hosts that talk nonsense, hosts that hurry. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "fake_board.h"
#include "base/first_bytes.h"
#include "harness.h"
#include "host/log.h"
#include "probes/virtual/serve.h"

static uv_loop_t loop;
static uv_async_t stop;
static uv_thread_t thread;
static struct pt_vserve *serve;
static struct pt_err err;

static void on_stop(uv_async_t *async)
{
	pt_vserve_close(serve, NULL, NULL);
	uv_close((uv_handle_t *)async, NULL);
}

static void run_loop(void *arg)
{
	(void)arg;
	uv_run(&loop, UV_RUN_DEFAULT);
}

static void start(const char *board)
{
	pt_log_set("warn");
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	uv_async_init(&loop, &stop, on_stop);
	serve = pt_vserve_new(&loop, board, "127.0.0.1:0", 0, &err);
	ck_assert_msg(serve != NULL, "%s", err.msg);
	ck_assert_int_eq(uv_thread_create(&thread, run_loop, NULL), 0);
}

static void setup(void)
{
	start("kl27");
}

static void teardown(void)
{
	uv_async_send(&stop);
	uv_thread_join(&thread);
	ck_assert_int_eq(uv_loop_close(&loop), 0);	/* nothing of it is left on the loop */
}

static int host(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval patience = { .tv_sec = 120 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_port = htons((uint16_t)atoi(strchr(pt_vserve_address(serve), ':') + 1));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static void say(int fd, const void *bytes, size_t n)
{
	ck_assert_int_eq(send(fd, bytes, n, MSG_NOSIGNAL), (ssize_t)n);
}

/* Bytes that come, up to n; fewer when the server closed. */
static size_t hear(int fd, uint8_t *bytes, size_t n)
{
	ssize_t got = recv(fd, bytes, n, MSG_WAITALL);

	return got < 0 ? 0 : (size_t)got;
}

#define FRAME(len, type) 'D', 'A', 'P', 0, (len) & 0xff, (len) >> 8, (type), 0
static const uint8_t packet_bytes_asked[] = { FRAME(2, 1), 0x00, 0xff };
static const uint8_t packet_bytes_told[] = { FRAME(4, 2), 0x00, 0x02, 0x00, 0x04 };

static void expect_service(int fd)
{
	uint8_t got[sizeof(packet_bytes_told)];

	say(fd, packet_bytes_asked, sizeof(packet_bytes_asked));
	ck_assert_uint_eq(hear(fd, got, sizeof(got)), sizeof(got));
	ck_assert_mem_eq(got, packet_bytes_told, sizeof(got));
}

START_TEST(answers_a_frame)
{
	int fd = host();

	expect_service(fd);
	expect_service(fd);
	close(fd);
}
END_TEST

START_TEST(frames_may_come_in_pieces_and_in_heaps)
{
	uint8_t heap[20 * sizeof(packet_bytes_asked)], got[20 * sizeof(packet_bytes_told)];
	int fd = host();

	for (size_t i = 0; i < sizeof(packet_bytes_asked); i++) {
		say(fd, packet_bytes_asked + i, 1);
		usleep(1000);
	}
	ck_assert_uint_eq(hear(fd, got, sizeof(packet_bytes_told)), sizeof(packet_bytes_told));
	for (size_t i = 0; i < 20; i++)
		memcpy(heap + i * sizeof(packet_bytes_asked), packet_bytes_asked, sizeof(packet_bytes_asked));
	say(fd, heap, sizeof(heap));
	ck_assert_uint_eq(hear(fd, got, sizeof(got)), sizeof(got));
	close(fd);
}
END_TEST

static const struct { const char *name; uint8_t bytes[10]; } nonsense[] = {
	{ "another signature", { 'D', 'A', 'X', 0, 2, 0, 1, 0, 0, 0 } },
	{ "a response", { FRAME(2, 2), 0, 0 } },
	{ "no payload", { FRAME(0, 1), 0, 0 } },
	{ "too long a payload", { FRAME(1025, 1), 0, 0 } },
	{ "a web browser", { 'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P' } },
};

START_TEST(nonsense_is_sent_away)
{
	int fd = host();
	uint8_t byte;

	say(fd, nonsense[_i].bytes, sizeof(nonsense[_i].bytes));
	ck_assert_msg(hear(fd, &byte, 1) == 0, "%s", nonsense[_i].name);
	close(fd);
	fd = host();
	expect_service(fd);
	close(fd);
}
END_TEST

START_TEST(silence_has_no_probe)
{
	int silent[PT_FIRST_MOST_PEERS + 4], fd;
	uint8_t byte;

	for (size_t i = 0; i < PT_LEN(silent); i++)
		silent[i] = host();
	ck_assert_uint_eq(hear(silent[0], &byte, 1), 0);	/* it made place */
	fd = host();
	expect_service(fd);
	for (size_t i = 0; i < PT_LEN(silent); i++)
		close(silent[i]);
	expect_service(fd);
	close(fd);
}
END_TEST

#define PAGE "POST / HTTP/1.1\r\nHost: x\r\n\r\n"
/* said: what the server says before it closes */
static const struct { const char *board, *bytes, *said; } strangers[] = {
	{ "e500", PAGE "+$?#3f", "" },
	{ "e500", "$R00#b2 / HTTP/1.1\r\n", "" },
	{ "e500", "\003" PAGE, "" },
	{ "microblaze?probe=rsp", "OPTIONS / HTTP/1.1\r\n", "" },
	{ "microblaze?probe=xvc", PAGE "getinfo:", "" },
	{ "microblaze?probe=xvc", "getinfo:" PAGE, "xvcServer_v1.0:2048\n" },
	{ "s12zvm", PAGE, "" },
};

START_TEST(strangers_are_sent_away)
{
	char got[64] = "";
	int fd;

	start(strangers[_i].board);
	fd = host();
	say(fd, strangers[_i].bytes, strlen(strangers[_i].bytes));
	ck_assert_uint_lt(hear(fd, (uint8_t *)got, sizeof(got) - 1), sizeof(got) - 1);
	ck_assert_msg(strcmp(got, strangers[_i].said) == 0, "%s: %s", strangers[_i].board, got);
	close(fd);
	teardown();
}
END_TEST

/* The program of the board runs on: nobody has attached. Behind the first packet text is no noise either. */
START_TEST(text_between_packets_is_sent_away)
{
	char got[64] = "";
	int fd;

	start("e500");
	fd = host();
	say(fd, "+$qC#b4", 7);		/* nothing may stand behind the first packet before it is answered */
	ck_assert_uint_eq(hear(fd, (uint8_t *)got, 8), 8);
	say(fd, "\r\n\xff\xf3$qC#b4", 10);
	ck_assert_uint_eq(hear(fd, (uint8_t *)got + 8, 8), 8);
	ck_assert_str_eq(got, "+$QC1#c5+$QC1#c5");
	say(fd, " / HTTP/1.1", 11);
	ck_assert_uint_eq(hear(fd, (uint8_t *)got, 1), 0);
	close(fd);
	teardown();
}
END_TEST

START_TEST(hosts_take_turns)
{
	int first = host(), second, third;
	uint8_t byte;
	struct timeval moment = { .tv_usec = 100000 };

	expect_service(first);
	second = host();
	third = host();
	say(second, packet_bytes_asked, sizeof(packet_bytes_asked));
	setsockopt(second, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof(moment));
	ck_assert_uint_eq(hear(second, &byte, 1), 0);
	close(first);
	moment.tv_sec = 120;
	setsockopt(second, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof(moment));
	ck_assert_uint_eq(hear(second, &byte, 1), 1);
	close(second);
	expect_service(third);
	close(third);
}
END_TEST

START_TEST(a_response_takes_its_time)
{
	static const uint8_t delay[] = { FRAME(3, 1), 0x09, 0x30, 0x75 };	/* 30 ms */
	uint64_t began = uv_hrtime();
	uint8_t got[10];
	int fd = host();

	say(fd, delay, sizeof(delay));
	ck_assert_uint_eq(hear(fd, got, 10), 10);
	ck_assert_uint_ge(uv_hrtime() - began, 28 * PT_NS_PER_MS);	/* the loop's timers know whole milliseconds */
	close(fd);
}
END_TEST

START_TEST(queued_packets_are_answered_together)
{
	static const uint8_t queue[] = { FRAME(4, 1), 0x7e, 1, 0x00, 0xfe }, status[] = { FRAME(3, 1), 0x01, 0, 1 };
	static const uint8_t want[] = { FRAME(5, 2), 0x7f, 1, 0x00, 0x01, 0x01, FRAME(2, 2), 0x01, 0x00 };
	uint8_t got[sizeof(want)];
	int fd = host();

	say(fd, queue, sizeof(queue));
	say(fd, status, sizeof(status));
	ck_assert_uint_eq(hear(fd, got, sizeof(got)), sizeof(got));
	ck_assert_mem_eq(got, want, sizeof(want));
	close(fd);
}
END_TEST

/* What a host hears to one question, and to the next one behind it: bytes. A cut connection ends. */
static const struct { const char *board; size_t first, next; } spoilt[] = {
	{ "kl27?fault=stall@1", 0, sizeof(packet_bytes_told) },
	{ "kl27?fault=lost@1", 0, sizeof(packet_bytes_told) },
	{ "kl27?fault=short@1", 10, sizeof(packet_bytes_told) },
	{ "kl27?fault=late@1", sizeof(packet_bytes_told), sizeof(packet_bytes_told) },
	{ "kl27?fault=cut@1", 6, 0 },
	{ "kl27?fault=unplug@1", 0, 0 },
};

START_TEST(faults_strike_what_is_served)
{
	size_t both = spoilt[_i].first + spoilt[_i].next;
	uint8_t got[64];
	int fd;

	start(spoilt[_i].board);
	fd = host();
	say(fd, packet_bytes_asked, sizeof(packet_bytes_asked));
	say(fd, packet_bytes_asked, sizeof(packet_bytes_asked));
	ck_assert_uint_eq(hear(fd, got, both), both);
	if (spoilt[_i].next == 0)
		ck_assert_uint_eq(hear(fd, got, 1), 0);
	close(fd);
	fd = host();
	expect_service(fd);
	close(fd);
	teardown();
}
END_TEST

START_TEST(ends_with_a_host_in_the_middle)
{
	static const uint8_t delay[] = { FRAME(3, 1), 0x09, 0xff, 0xff };
	int fd;

	start("kl27?link=bulk-hs");
	fd = host();
	say(fd, delay, sizeof(delay));
	usleep(10000);
	teardown();
	close(fd);
}
END_TEST

static const struct { const char *board, *address; int rc; unsigned allow; } refused[] = {
	{ "kl99", "127.0.0.1:0", PT_EARG, 0 },
	{ "kl27?link=string", "127.0.0.1:0", PT_EARG, 0 },
	{ "kl27", "nowhere", PT_EARG, 0 },
	{ "kl27", "0.0.0.0:0", PT_EARG, 0 }, { "kl27", "0.0.0.0:0", PT_EARG, PT_VSERVE_UNIDENTIFIED },
	{ "microblaze?probe=bitbang", "127.0.0.1:0", PT_EARG, 0 },
	{ "microblaze?probe=bitbang", "127.0.0.1:0", PT_EARG, PT_VSERVE_REMOTE },
};

START_TEST(start_is_refused)
{
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	ck_assert_ptr_null(pt_vserve_new(&loop, refused[_i].board, refused[_i].address, refused[_i].allow, &err));
	ck_assert_int_eq(err.code, refused[_i].rc);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("serve");
	TCase *up = tcase_create("up"), *own = tcase_create("own");

	tcase_add_checked_fixture(up, setup, teardown);
	tcase_add_test(up, answers_a_frame);
	tcase_add_test(up, frames_may_come_in_pieces_and_in_heaps);
	tcase_add_loop_test(up, nonsense_is_sent_away, 0, PT_LEN(nonsense));
	tcase_add_test(up, silence_has_no_probe);
	tcase_add_test(up, hosts_take_turns);
	tcase_add_test(up, a_response_takes_its_time);
	tcase_add_test(up, queued_packets_are_answered_together);
	tcase_add_loop_test(own, strangers_are_sent_away, 0, PT_LEN(strangers));
	tcase_add_test(own, text_between_packets_is_sent_away);
	tcase_add_loop_test(own, faults_strike_what_is_served, 0, PT_LEN(spoilt));
	tcase_add_test(own, ends_with_a_host_in_the_middle);
	tcase_add_loop_test(own, start_is_refused, 0, PT_LEN(refused));
	suite_add_tcase(suite, up);
	suite_add_tcase(suite, own);
	return pt_run_suite(suite);
}
