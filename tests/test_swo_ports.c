/* SWO by what is no debug probe: a FIFO, a file, a server on the network, a serial port. What they cannot know they do not
 * say; what is there comes in order, and the end is one. */
#define _GNU_SOURCE	/* posix_openpt */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "host/clock.h"
#include "probes/registry.h"

static char folder[] = "/tmp/proftap-swo-XXXXXX", path[64], uri[128];
static struct pt_probe *probe;
static const struct pt_stream_ops *stream;
static void *wire;
static struct pt_err err;

static void make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/swo", folder);
	snprintf(uri, sizeof(uri), "swo:%s", path);
}

static void tidy(void)
{
	pt_probe_close(probe);
	probe = NULL;
	unlink(path);
	rmdir(folder);
}

static void open_probe(void)
{
	probe = pt_probe_open(uri, NULL, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	stream = pt_probe_stream(probe, &wire);
	ck_assert_ptr_nonnull(stream);
}

static uint32_t start_at(uint32_t bits_per_s)
{
	const struct pt_stream_want want = { .coding = PT_STREAM_UART, .bits_per_s = bits_per_s };
	uint32_t used = 0;

	ck_assert_msg(stream->start(wire, &want, &used, &err) == 0, "%s", err.msg);
	return used;
}

static void put(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static struct pt_stream_read expect(const char *text, size_t room, uint32_t timeout_ms)
{
	struct pt_stream_read what;
	uint8_t bytes[256];
	int n = stream->read(wire, bytes, room, timeout_ms, &what, &err);

	ck_assert_msg(n >= 0, "%s", err.msg);
	ck_assert_int_eq(n, (int)strlen(text));
	ck_assert_mem_eq(bytes, text, (size_t)n);
	ck_assert_uint_eq(what.sure_bytes, (size_t)n);
	ck_assert_int_eq(what.missing, PT_STREAM_UNSAID);
	return what;
}

START_TEST(a_file_is_read_to_its_end)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	put(fd, "0123456789");
	close(fd);
	open_probe();
	for (int i = 0; i < 2; i++) {	/* each start is at its beginning */
		ck_assert_uint_eq(start_at(2000000), 2000000);
		ck_assert(!expect("0123", 4, 0).ended);
		expect("456789", 100, 0);
		ck_assert(expect("", 100, 0).ended);
		ck_assert_int_eq(stream->stop(wire, &err), 0);
	}
}
END_TEST

START_TEST(a_fifo_waits_for_its_writer)
{
	int fd;

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	open_probe();
	start_at(2000000);
	ck_assert(!expect("", 100, 5).ended);
	fd = open(path, O_WRONLY);
	put(fd, "abc");
	ck_assert(!expect("abc", 100, 100).ended);
	put(fd, "def");
	close(fd);
	expect("def", 100, 100);
	ck_assert(expect("", 100, 100).ended);
}
END_TEST

START_TEST(what_was_there_before_is_thrown_away)
{
	int fd;

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	open_probe();
	fd = open(path, O_WRONLY);
	put(fd, "old");
	start_at(2000000);
	put(fd, "new");
	expect("new", 100, 100);
	put(fd, "last");
	ck_assert_int_eq(stream->stop(wire, &err), 0);
	ck_assert(expect("last", 100, 0).ended);
	close(fd);
}
END_TEST

START_TEST(a_server_is_read_until_it_ends)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int server = socket(AF_INET, SOCK_STREAM, 0), fd;
	socklen_t len = sizeof(at);

	ck_assert_int_eq(bind(server, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(server, 1), 0);
	getsockname(server, (struct sockaddr *)&at, &len);
	snprintf(uri, sizeof(uri), "swo:tcp:127.0.0.1:%u", ntohs(at.sin_port));
	open_probe();
	fd = accept(server, NULL, NULL);
	start_at(2000000);
	ck_assert(!expect("", 100, 1).ended);
	put(fd, "abc");
	ck_assert_uint_eq(expect("abc", 100, 1000).error_ns, PT_UNKNOWN);
	close(fd);
	ck_assert(expect("", 100, 1000).ended);
	close(server);
}
END_TEST

static int open_terminal(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(grantpt(fd), 0);
	ck_assert_int_eq(unlockpt(fd), 0);
	return fd;
}

START_TEST(a_serial_port_has_its_rate)
{
	int fd = open_terminal();

	snprintf(uri, sizeof(uri), "swo:%s", ptsname(fd));
	open_probe();
	ck_assert_uint_eq(start_at(1234567), 1234567);	/* no name of termios' */
	put(fd, "abc\r\n\x03\x11");
	expect("abc\r\n\x03\x11", 100, 100);
	ck_assert_int_eq(stream->stop(wire, &err), 0);
	pt_probe_close(probe);
	snprintf(uri, sizeof(uri), "swo:%s?baud=750000", ptsname(fd));
	open_probe();
	ck_assert_uint_eq(start_at(2000000), 750000);
	close(fd);
}
END_TEST

START_TEST(a_serial_port_that_goes_is_gone)
{
	struct pt_stream_read what;
	int fd = open_terminal();
	uint8_t bytes[8];

	snprintf(uri, sizeof(uri), "swo:%s", ptsname(fd));
	open_probe();
	start_at(2000000);
	close(fd);
	ck_assert_int_eq(stream->read(wire, bytes, sizeof(bytes), 100, &what, &err), PT_EIO);
	ck_assert_int_eq(pt_link_wait(pt_probe_link(probe), 0, &err), PT_EIO);
}
END_TEST

START_TEST(an_interrupt_ends_a_read_once)
{
	struct pt_stream_read what;
	uint8_t bytes[8];

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	open_probe();
	start_at(2000000);
	pt_probe_interrupt(probe);
	ck_assert_int_eq(stream->read(wire, bytes, sizeof(bytes), 100, &what, &err), PT_EINTERRUPTED);
	ck_assert_int_eq(stream->read(wire, bytes, sizeof(bytes), 1, &what, &err), 0);
}
END_TEST

START_TEST(the_one_for_swo_alone_is_used)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	struct pt_probe *port;

	put(fd, "abc");
	close(fd);
	probe = pt_probe_open("virtual:cm4?clock=virtual", NULL, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	ck_assert_ptr_nonnull(pt_probe_stream(probe, &wire));
	port = pt_probe_open(uri, NULL, &err);
	ck_assert_msg(port != NULL, "%s", err.msg);
	pt_probe_join(probe, port);
	stream = pt_probe_stream(probe, &wire);
	start_at(2000000);
	expect("abc", 100, 0);
	ck_assert_ptr_nonnull(pt_probe_dap(probe, &wire));
}
END_TEST

static const struct { const char *uri; int rc; const char *says; } wrong[] = {
	{ "swo:", PT_EARG, "swo:/dev/ttyUSB0?baud=2000000" },
	{ "swo:/dev/ttyNONE", PT_EIO, "there is no serial port /dev/ttyNONE" },
	{ "swo:/nowhere/swo", PT_EIO, "No such file" },
	{ "swo:/dev/null", PT_EIO, "is not a serial port" },
	{ "swo:tcp:nowhere", PT_EARG, "HOST:PORT" },
	{ "swo:/dev/ttyNONE?speed=1", PT_EARG, "speed" },
};

START_TEST(a_wrong_address_is_explained)
{
	ck_assert_ptr_null(pt_probe_open(wrong[_i].uri, NULL, &err));
	ck_assert_int_eq(err.code, wrong[_i].rc);
	ck_assert_msg(strstr(err.msg, wrong[_i].says) != NULL, "%s", err.msg);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swo_ports");
	TCase *tc = tcase_create("ports");

	tcase_add_checked_fixture(tc, make_folder, tidy);
	tcase_add_test(tc, a_file_is_read_to_its_end);
	tcase_add_test(tc, a_fifo_waits_for_its_writer);
	tcase_add_test(tc, what_was_there_before_is_thrown_away);
	tcase_add_test(tc, a_server_is_read_until_it_ends);
	tcase_add_test(tc, a_serial_port_has_its_rate);
	tcase_add_test(tc, a_serial_port_that_goes_is_gone);
	tcase_add_test(tc, an_interrupt_ends_a_read_once);
	tcase_add_test(tc, the_one_for_swo_alone_is_used);
	tcase_add_loop_test(tc, a_wrong_address_is_explained, 0, PT_LEN(wrong));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
