/* The TCP link against a server that is a few bytes from a row: framing, time, interrupt and loss. */
#define _GNU_SOURCE	/* RTLD_NEXT */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "probes/links/links.h"

/* The name server: for one name it is silent until the test is over. */
static sem_t silence, broken;

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

	if (strcmp(node, "silent.example") == 0) {
		while (sem_wait(&silence) != 0)
			;
		sem_post(&broken);
		return EAI_AGAIN;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	return real(node, service, hints, found);
}

static int listener = -1, peer = -1;
static struct pt_link *link_;
static struct pt_err err;

static void setup(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	char where[64];

	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	snprintf(where, sizeof(where), "127.0.0.1:%u", ntohs(at.sin_port));
	link_ = pt_tcp_link_open(where, &err);
	ck_assert_msg(link_ != NULL, "%s", err.msg);
	peer = accept(listener, NULL, NULL);
}

static void teardown(void)
{
	pt_link_close(link_);
	if (peer >= 0)
		close(peer);
	close(listener);
}

static uint64_t in_ms(uint32_t ms)
{
	return pt_link_now_ns(link_) + ms * PT_NS_PER_MS;
}

static void say(const void *bytes, size_t len)
{
	ck_assert_int_eq(send(peer, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

START_TEST(frames_requests)
{
	static const uint8_t want[] = { 'D', 'A', 'P', 0, 2, 0, 1, 0, 0x00, 0xff };
	uint8_t got[sizeof(want)];

	ck_assert_int_eq(pt_link_submit(link_, want + 8, 2, in_ms(1000), &err), 0);
	ck_assert_int_eq(recv(peer, got, sizeof(got), MSG_WAITALL), sizeof(got));
	ck_assert_mem_eq(got, want, sizeof(want));
}
END_TEST

/* Two responses, the second of no bytes, in pieces of every size. */
START_TEST(puts_pieces_together)
{
	static const uint8_t stream[] = { 'D', 'A', 'P', 0, 3, 0, 2, 0, 7, 8, 9, 'D', 'A', 'P', 0, 0, 0, 2, 0 };
	size_t piece = (size_t)_i;
	uint8_t buf[64];

	for (size_t at = 0; at < sizeof(stream); at += piece)
		say(stream + at, sizeof(stream) - at < piece ? sizeof(stream) - at : piece);
	ck_assert_int_eq(pt_link_receive(link_, buf, sizeof(buf), in_ms(1000), &err), 3);
	ck_assert_int_eq(buf[2], 9);
	ck_assert_int_eq(pt_link_receive(link_, buf, sizeof(buf), in_ms(1000), &err), 0);
}
END_TEST

static const struct {
	const char *name;
	uint8_t bytes[12];
	size_t len;
	int first, then;
} bad[] = {
	{ "signature", { 'D', 'A', 'B', 0, 1, 0, 2, 0, 0 }, 9, PT_EPROTO, PT_EIO },
	{ "type", { 'D', 'A', 'P', 0, 1, 0, 1, 0, 0 }, 9, PT_EPROTO, PT_EIO },
	{ "length", { 'D', 'A', 'P', 0, 0xff, 0xff, 2, 0, 0 }, 9, PT_EPROTO, PT_EIO },
	{ "cut off", { 'D', 'A', 'P', 0, 9, 0, 2, 0, 0 }, 9, PT_EIO, PT_EIO },
	{ "too long for the reader, but framed", { 'D', 'A', 'P', 0, 3, 0, 2, 0, 1, 2, 3 }, 11, PT_EPROTO, PT_EIO },
	{ "nothing", { 0 }, 0, PT_EIO, PT_EIO },
};

/* And each call that comes later says why. */
START_TEST(ends_where_framing_ends)
{
	struct pt_err later = { 0 };
	uint8_t buf[2];
	int rc;

	say(bad[_i].bytes, bad[_i].len);
	close(peer);
	peer = -1;
	rc = pt_link_receive(link_, buf, 2, in_ms(1000), &err);
	ck_assert_msg(rc == bad[_i].first, "%s: %s", bad[_i].name, err.msg);
	rc = pt_link_receive(link_, buf, 2, in_ms(1000), &err);
	ck_assert_msg(rc == bad[_i].then, "%s: %s", bad[_i].name, err.msg);
	ck_assert_int_eq(pt_link_submit(link_, buf, 1, in_ms(1000), &later), PT_EIO);
	ck_assert_str_eq(later.msg, err.msg);
	ck_assert_int_eq(pt_link_wait(link_, 0, &later), PT_EIO);
	ck_assert_str_eq(later.msg, err.msg);
}
END_TEST

START_TEST(waits_no_longer_than_told)
{
	uint64_t began_ns = pt_link_now_ns(link_);
	uint8_t buf[2];

	ck_assert_int_eq(pt_link_receive(link_, buf, 2, in_ms(1), &err), PT_ETIMEOUT);
	ck_assert_uint_ge(pt_link_now_ns(link_) - began_ns, 150 * PT_NS_PER_MS);	/* never less, on this link */
}
END_TEST

static void *interrupt_soon(void *arg)
{
	(void)arg;
	usleep(30000);
	pt_link_interrupt(link_);
	return NULL;
}

START_TEST(is_interrupted_once)
{
	pthread_t thread;
	uint8_t buf[2];

	pthread_create(&thread, NULL, interrupt_soon, NULL);
	ck_assert_int_eq(pt_link_receive(link_, buf, 2, in_ms(1000000), &err), PT_EINTERRUPTED);
	pthread_join(thread, NULL);
	ck_assert_int_eq(pt_link_wait(link_, in_ms(1), &err), 0);
	pt_link_interrupt(link_);
	ck_assert_int_eq(pt_link_wait(link_, 0, &err), PT_EINTERRUPTED);
	ck_assert_int_eq(pt_link_receive(link_, buf, 2, in_ms(1), &err), PT_ETIMEOUT);
}
END_TEST

static const char *const bad_addresses[] = { "", ":1", "[::1", "127.0.0.1:", "[::1]x" };

START_TEST(refuses_bad_addresses)
{
	ck_assert_ptr_null(pt_tcp_link_open(bad_addresses[_i], &err));
	ck_assert_int_eq(err.code, PT_EARG);
}
END_TEST

START_TEST(says_that_nobody_listens)
{
	ck_assert_ptr_null(pt_tcp_link_open("127.0.0.1:1", &err));
	ck_assert_int_eq(err.code, PT_EIO);
}
END_TEST

START_TEST(does_not_wait_for_a_silent_name_server)
{
	sem_init(&silence, 0, 0);
	sem_init(&broken, 0, 0);
	ck_assert_ptr_null(pt_tcp_link_open("silent.example:4441", &err));
	ck_assert_int_eq(err.code, PT_EIO);
	ck_assert_msg(strstr(err.msg, "no name server answers") != NULL, "%s", err.msg);
	ck_assert_int_eq(sem_trywait(&broken), -1);
	sem_post(&silence);
	ck_assert_int_eq(sem_wait(&broken), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("link_tcp");
	TCase *tc = tcase_create("connected"), *alone = tcase_create("alone");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, frames_requests);
	tcase_add_loop_test(tc, puts_pieces_together, 1, 20);
	tcase_add_loop_test(tc, ends_where_framing_ends, 0, (int)PT_LEN(bad));
	tcase_add_test(tc, waits_no_longer_than_told);
	tcase_add_test(tc, is_interrupted_once);
	tcase_add_loop_test(alone, refuses_bad_addresses, 0, (int)PT_LEN(bad_addresses));
	tcase_add_test(alone, says_that_nobody_listens);
	tcase_add_test(alone, does_not_wait_for_a_silent_name_server);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, alone);
	return pt_run_suite(suite);
}
