/* Who changed what: what repeats or goes on is one entry, what another client does is another. */
#define _GNU_SOURCE	/* memmem */
#include <string.h>
#include <uv.h>

#include "harness.h"
#include "control/changes.h"

static uv_loop_t loop;
static struct pt_changes *changes;
static struct pt_text out;

static void open_changes(void)
{
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	changes = pt_changes_new(&loop);
	out = (struct pt_text){ 0 };
}

static void close_changes(void)
{
	pt_changes_close(changes);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	pt_text_free(&out);
}

/* The lines without their times. */
static const char *printed(size_t n)
{
	static char text[PT_CHANGES_KEPT * 200];
	size_t at = 0;

	pt_text_free(&out);
	out = (struct pt_text){ 0 };
	pt_changes_print(changes, n, &out);
	for (const char *line = out.bytes; *line != '\0'; line = strchr(line, '\n') + 1) {
		size_t len = strcspn(line, "\n"), skip = line[0] == '2' ? strlen("2026-01-01T00:00:00Z  ") : 0;
		const char *until = memmem(line, len, " until ", 7);

		if (until != NULL)
			len = (size_t)(until - line);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%.*s\n", (int)(len - skip), line + skip);
	}
	return text;
}

START_TEST(nothing_happened)
{
	static const char none[] = "no client has changed anything in the target so far\n";

	ck_assert_str_eq(printed(10), none);
	pt_changes_note(NULL, "a", "step");	/* nobody keeps them */
	pt_changes_wrote(NULL, "a", "write memory,", 0, 4);
	pt_changes_wrote(changes, "a", "write memory,", 0, 0);	/* GDB asks whether it may */
	ck_assert_str_eq(printed(10), none);
}
END_TEST

START_TEST(repetitions_are_counted)
{
	for (int i = 0; i < 100; i++) {
		pt_changes_note(changes, "a", "set a breakpoint at 0x%08x", 0x400);
		pt_changes_note(changes, "a", "step");
		pt_changes_note(changes, "a", "remove a breakpoint at 0x%08x", 0x400);
	}
	pt_changes_note(changes, "b", "step");
	ck_assert_str_eq(printed(10), "a  set a breakpoint at 0x00000400 (100 requests\n"
				      "a  step (100 requests\n"
				      "a  remove a breakpoint at 0x00000400 (100 requests\n"
				      "b  step\n");
	ck_assert_str_eq(printed(1), "(3 earlier ones are in the daemon's log)\nb  step\n");
}
END_TEST

START_TEST(what_goes_on_is_one)
{
	pt_changes_wrote(changes, "a", "write flash,", 0x400, 256);
	pt_changes_wrote(changes, "a", "write flash,", 0x500, 256);
	pt_changes_wrote(changes, "a", "write flash,", 0x500, 256);	/* the same once more */
	pt_changes_wrote(changes, "a", "write memory,", 0x600, 4);
	pt_changes_wrote(changes, "b", "write flash,", 0x600, 4);
	pt_changes_wrote(changes, "a", "write flash,", 0x700, 4);		/* behind a gap */
	ck_assert_str_eq(printed(10), "a  write flash, 512 bytes at 0x00000400 (2 requests\n"
				      "a  write flash, 256 bytes at 0x00000500\n"
				      "a  write memory, 4 bytes at 0x00000600\n"
				      "b  write flash, 4 bytes at 0x00000600\n"
				      "a  write flash, 4 bytes at 0x00000700\n");
}
END_TEST

START_TEST(old_ones_go)
{
	for (int i = 0; i < PT_CHANGES_KEPT + 10; i++)
		pt_changes_note(changes, "a", "write register %d", i);
	printed(1000);
	ck_assert_ptr_nonnull(strstr(out.bytes, "(10 earlier ones"));
	ck_assert_ptr_null(strstr(out.bytes, "write register 9\n"));
	ck_assert_ptr_nonnull(strstr(out.bytes, "write register 10\n"));
	ck_assert_ptr_nonnull(strstr(out.bytes, "write register 265\n"));
}
END_TEST

START_TEST(words_of_clients_are_harmless)
{
	pt_changes_note(changes, "a\n2026", "monitor profile start \033[2J\n%s", "x");
	ck_assert_str_eq(printed(10), "a?2026  monitor profile start ?[2J?x\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("changes");
	TCase *tc = tcase_create("changes");

	tcase_add_checked_fixture(tc, open_changes, close_changes);
	tcase_add_test(tc, nothing_happened);
	tcase_add_test(tc, repetitions_are_counted);
	tcase_add_test(tc, what_goes_on_is_one);
	tcase_add_test(tc, old_ones_go);
	tcase_add_test(tc, words_of_clients_are_harmless);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
