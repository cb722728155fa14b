/* Standard error that no program reads: lines are dropped and counted, and nothing waits. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "host/log.h"

static int out[2], kept;

static void open_full_pipe(void)
{
	static const char filling[4096];

	ck_assert_int_eq(pipe(out), 0);
	kept = dup(STDERR_FILENO);
	fcntl(out[1], F_SETFL, O_NONBLOCK);
	while (write(out[1], filling, sizeof(filling)) > 0)
		;
	fcntl(out[1], F_SETFL, 0);
	dup2(out[1], STDERR_FILENO);
	alarm(20);
}

static void close_pipe(void)
{
	alarm(0);
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(out[0]);
	close(out[1]);
}

/* What is in the pipe, without the zero bytes that filled it. */
static const char *drain(void)
{
	static char text[1 << 17];
	ssize_t n;
	size_t at = 0, i = 0;

	fcntl(out[0], F_SETFL, O_NONBLOCK);
	while ((n = read(out[0], text + at, sizeof(text) - 1 - at)) > 0)
		at += (size_t)n;
	text[at] = '\0';
	while (i < at && text[i] == '\0')
		i++;
	return text + i;
}

START_TEST(what_finds_no_room_is_counted)
{
	open_full_pipe();
	pt_info("one");
	pt_error("two");
	pt_error("three");	/* is not waited for again */
	ck_assert_str_eq(drain(), "");
	pt_info("four");
	pt_info("five");
	ck_assert_str_eq(drain(), "(3 earlier messages are lost: standard error was full)\nfour\nfive\n");
	close_pipe();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log");
	TCase *tc = tcase_create("log");

	tcase_add_test(tc, what_finds_no_room_is_counted);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
