/* What strangers cause is said once a kind, and counted. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "host/sparing.h"

static uv_loop_t loop;
static struct pt_sparing *sparing;
static FILE *out;
static int before;

/* stderr goes to a file. */
static void setup(void)
{
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	sparing = pt_sparing_new(&loop, "gdb");
	out = tmpfile();
	before = dup(STDERR_FILENO);
	ck_assert(out != NULL && before >= 0 && dup2(fileno(out), STDERR_FILENO) >= 0);
}

static const char *all_that_was_said(void)
{
	static char text[16384];
	ssize_t n;

	n = pread(fileno(out), text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void teardown(void)
{
	dup2(before, STDERR_FILENO);
	close(before);
	fclose(out);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
}

START_TEST(says_the_first_of_a_kind)
{
	for (int i = 0; i < 1000; i++) {
		pt_sparing_warn(sparing, "an HTTP request", "page %d", i);
		pt_sparing_warn(sparing, "a TLS hello", "hello %d", i);
	}
	ck_assert_str_eq(all_that_was_said(), "warning: page 0\nwarning: hello 0\n");
	pt_sparing_close(sparing);
	ck_assert_str_eq(all_that_was_said(), "warning: page 0\nwarning: hello 0\nwarning: gdb: not shown within "
					      "60 s: 999 x an HTTP request, 999 x a TLS hello\n");
}
END_TEST

START_TEST(says_more_of_what_is_news)
{
	for (int i = 0; i < PT_SPARING_NEWS + 7; i++)
		pt_sparing_info(sparing, "a client that left", "client %d left", i);
	ck_assert_ptr_nonnull(strstr(all_that_was_said(), "client 49 left\n"));
	ck_assert_ptr_null(strstr(all_that_was_said(), "client 50 left\n"));
	pt_sparing_close(sparing);
	ck_assert_ptr_nonnull(strstr(all_that_was_said(), "60 s: 7 x a client that left\n"));
}
END_TEST

/* More kinds than there is room for are few lines all the same. */
START_TEST(has_room_for_few_kinds)
{
	static char kinds[40][20];

	for (int i = 0; i < 40; i++) {
		snprintf(kinds[i], sizeof(kinds[i]), "kind %d", i);
		pt_sparing_warn(sparing, kinds[i], "%s", kinds[i]);
	}
	ck_assert_ptr_null(strstr(all_that_was_said(), "kind 16"));
	pt_sparing_close(sparing);
	ck_assert_ptr_nonnull(strstr(all_that_was_said(), "60 s: 24 x something else\n"));
}
END_TEST

START_TEST(says_nothing_of_nothing)
{
	pt_sparing_warn(sparing, "an HTTP request", "page");
	pt_sparing_close(sparing);
	pt_sparing_warn(NULL, "an HTTP request", "no server");
	pt_sparing_warn(NULL, "an HTTP request", "no\033[2Jserver");
	ck_assert_str_eq(all_that_was_said(), "warning: page\nwarning: no server\nwarning: no?[2Jserver\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sparing");
	TCase *tc = tcase_create("sparing");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, says_the_first_of_a_kind);
	tcase_add_test(tc, says_more_of_what_is_news);
	tcase_add_test(tc, has_room_for_few_kinds);
	tcase_add_test(tc, says_nothing_of_nothing);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
