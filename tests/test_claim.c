/* Notes on who has which probe, and the bytes that go to and fro. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/lock_file.h"
#include "harness.h"
#include "cli/stdio_bridge.h"

#define PROBE "usb 1-4.2"

static char runtime[64], folder[100], note[120], address[64];
static struct pt_err err;

static void setup(void)
{
	strcpy(runtime, "/tmp/proftap-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(runtime));
	setenv("XDG_RUNTIME_DIR", runtime, 1);
	snprintf(folder, sizeof(folder), "%s/proftap", runtime);
	snprintf(note, sizeof(note), "%s/usb_1-4.2", folder);
}

static void teardown(void)
{
	unlink(note);
	rmdir(folder);
	rmdir(runtime);
}

static bool found(void)
{
	return pt_lock_file_find(PROBE, address, sizeof(address));
}

/* --- notes -------------------------------------------------------------------------------------------------------- */

START_TEST(a_note_lives_as_long_as_its_daemon)
{
	struct pt_lock_file *claim, *other;

	ck_assert(!found());
	claim = pt_lock_file_new(PROBE, "127.0.0.1:3333", &err);
	ck_assert_msg(claim != NULL, "%s", err.msg);
	ck_assert(found());
	ck_assert_str_eq(address, "127.0.0.1:3333");
	ck_assert(!pt_lock_file_find("usb 1-4", address, sizeof(address)));
	ck_assert_ptr_null(pt_lock_file_new(PROBE, "stdio", &err));
	ck_assert_int_eq(err.code, PT_EBUSY);
	other = pt_lock_file_new("usb 1-4", "unix:/tmp/other", &err);
	ck_assert_ptr_nonnull(other);
	pt_lock_file_free(other);
	ck_assert(found());
	pt_lock_file_free(claim);
	ck_assert(!found());
	ck_assert_int_ne(access(note, F_OK), 0);
}
END_TEST

START_TEST(a_note_that_nobody_holds_is_stale)
{
	struct pt_lock_file *claim;
	int fd;

	mkdir(folder, 0700);
	fd = open(note, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq(write(fd, "127.0.0.1:44444", 15), 15);	/* longer than what comes */
	close(fd);
	ck_assert(!found());
	claim = pt_lock_file_new(PROBE, "[::1]:5", &err);
	ck_assert_ptr_nonnull(claim);
	ck_assert(found());
	ck_assert_str_eq(address, "[::1]:5");
	pt_lock_file_free(claim);
}
END_TEST

START_TEST(a_folder_where_others_write_is_not_believed)
{
	struct pt_lock_file *claim = pt_lock_file_new(PROBE, "127.0.0.1:1", &err);

	ck_assert_ptr_nonnull(claim);
	chmod(folder, 0777);
	ck_assert(!found());
	ck_assert_ptr_null(pt_lock_file_new("usb 2-1", "127.0.0.1:1", &err));
	ck_assert_int_eq(err.code, PT_EIO);
	pt_lock_file_free(claim);
}
END_TEST

START_TEST(names_do_not_lead_out_of_the_folder)
{
	struct pt_lock_file *claim = pt_lock_file_new("../../x", "127.0.0.1:1", &err);
	char path[160];

	ck_assert_ptr_nonnull(claim);
	snprintf(path, sizeof(path), "%s/.._.._x", folder);
	ck_assert_int_eq(access(path, F_OK), 0);
	pt_lock_file_free(claim);
}
END_TEST

/* --- to and fro --------------------------------------------------------------------------------------------------- */

enum { MANY = 300000 };		/* more than a pipe and the relay hold */

static int in[2], out[2], far_end[2], relayed = 1;

static void *relay(void *arg)
{
	(void)arg;
	relayed = pt_stdio_bridge(in[0], out[1], far_end[0], &err);
	close(out[1]);
	return NULL;
}

static void *shout(void *arg)
{
	static const uint8_t bytes[MANY];

	for (size_t sent = 0; sent < MANY;) {
		ssize_t n = write(*(int *)arg, bytes + sent, MANY - sent);

		ck_assert_int_gt(n, 0);
		sent += (size_t)n;
	}
	return NULL;
}

static void hear(int fd)
{
	static uint8_t bytes[MANY];

	for (size_t n = 0; n < MANY;) {
		ssize_t got = read(fd, bytes, sizeof(bytes));

		ck_assert_int_gt(got, 0);
		n += (size_t)got;
	}
}

/* _i: which side ends it. */
START_TEST(bytes_go_to_and_fro_until_one_side_ends)
{
	pthread_t relaying, from_gdb, from_daemon;
	uint8_t byte;

	ck_assert_int_eq(pipe(in) | pipe(out) | socketpair(AF_UNIX, SOCK_STREAM, 0, far_end), 0);
	pthread_create(&relaying, NULL, relay, NULL);
	pthread_create(&from_gdb, NULL, shout, &in[1]);
	pthread_create(&from_daemon, NULL, shout, &far_end[1]);
	hear(out[0]);
	hear(far_end[1]);
	pthread_join(from_gdb, NULL);
	pthread_join(from_daemon, NULL);
	close(_i == 0 ? in[1] : far_end[1]);
	ck_assert_int_eq(read(_i == 0 ? far_end[1] : out[0], &byte, 1), 0);
	pthread_join(relaying, NULL);
	ck_assert_int_eq(relayed, 0);
}
END_TEST

static const struct { const char *address; int code; } nowhere[] = {
	{ "127.0.0.1:1", PT_EIO }, { "unix:/nonexistent/socket", PT_EIO }, { "stdio", PT_EARG }, { "host.example:3", PT_EARG },
};

START_TEST(says_why_it_does_not_connect)
{
	ck_assert_int_eq(pt_stdio_bridge_connect(nowhere[_i].address, &err), nowhere[_i].code);
	ck_assert_msg(strstr(err.msg, nowhere[_i].address + (_i == 1 ? 5 : 0)) != NULL, "%s", err.msg);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("claim");
	TCase *tc = tcase_create("claim");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_note_lives_as_long_as_its_daemon);
	tcase_add_test(tc, a_note_that_nobody_holds_is_stale);
	tcase_add_test(tc, a_folder_where_others_write_is_not_believed);
	tcase_add_test(tc, names_do_not_lead_out_of_the_folder);
	tcase_add_loop_test(tc, bytes_go_to_and_fro_until_one_side_ends, 0, 2);
	tcase_add_loop_test(tc, says_why_it_does_not_connect, 0, (int)PT_LEN(nowhere));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
