/* The branch history as text, from runs over the code of small_program.h. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/history.h"
#include "report/shared/branches.h"
#include "small_program.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"	/* a row leaves out what is 0 */

enum { MOST = 12 };
#define RUN(b, e, l, t) { .begin = b, .end = e, .left = PT_LEFT_##l, .next = t }

static const struct row {
	const char *name;
	struct pt_run run[MOST];
	size_t n_runs, top;
	const char *calls, *back;	/* without the first, or the last line; NULL: not asked */
} rows[] = {
	{ "call, return, call again",
	  { RUN(MAIN, 0x108, CALL, LEAF), RUN(LEAF, 0x124, RETURN, 0x108), RUN(0x108, 0x10e, CALL, LEAF), RUN(LEAF, 0x122, DEBUG, 0x122) },
	  4, 0, "main  3\n  leaf  2\nmain  3\n  leaf  1\n", "#0   leaf  last at 0x00000120\n#1   main  called at 0x0000010c\n" },
	{ "interrupted, and that interrupted by a call of the system",
	  { RUN(MAIN, 0x102, EXCEPTION, ISR), RUN(ISR, 0x128, EXCEPTION, SVC_HANDLER), RUN(SVC_HANDLER, 0x12c, EXCEPTION_RETURN, 0x128),
	    RUN(0x128, 0x12a, EXCEPTION_RETURN, 0x102), RUN(0x102, 0x104, DEBUG, 0x104) },
	  5, 0, "main  1\n  ! isr  2\n    ! svc_handler  1\n  isr  1\nmain  1\n", "#0   main  last at 0x00000102\n" },
	{ "in the handler",
	  { RUN(MAIN, 0x102, EXCEPTION, ISR), RUN(ISR, 0x126, DEBUG, 0x126) }, 2, 0,
	  "main  1\n  ! isr  1\n", "#0   isr  last at 0x00000124\n#1   main  interrupted behind 0x00000100\n" },
	{ "jumps and stops do not end a visit",
	  { RUN(MAIN, 0x102, DEBUG, 0x102), RUN(0x102, 0x104, DEBUG, 0x104), RUN(0x104, 0x108, CALL, LEAF), RUN(LEAF, 0x124, RETURN, 0x108),
	    RUN(0x108, 0x10c, BRANCH, 0x102), RUN(0x102, 0x108, CALL, LEAF) },
	  6, 0, "main  3\n  leaf  2\nmain  4\n  leaf  0\n", "#0   leaf  last at 0x00000120\n#1   main  called at 0x00000104\n" },
	{ "a tail call takes the place of its caller",
	  { RUN(0x10c, 0x10e, CALL, TAIL), RUN(TAIL, 0x12e, BRANCH, LEAF), RUN(LEAF, 0x122, DEBUG, 0x122) }, 3, 0,
	  "main  1\n  tail  1\n  leaf  1\n", "#0   leaf  last at 0x00000120\n#1   main  called at 0x0000010c\n" },
	{ "recursion",
	  { RUN(RECURSIVE, 0x132, CALL, RECURSIVE), RUN(RECURSIVE, 0x132, CALL, RECURSIVE) }, 2, 0,
	  "recursive  1\n  recursive  1\n    recursive  0\n",
	  "#0   recursive  last at 0x0000012e\n#1   recursive  called at 0x0000012e\n#2   recursive  called at 0x0000012e\n" },
	{ "returns to who called before the history began",
	  { RUN(LEAF, 0x124, RETURN, 0x108), RUN(0x108, 0x10a, DEBUG, 0x10a) }, 2, 0, "  leaf  2\nmain  1\n",
	  "#0   main  last at 0x00000108\n" },
	{ "behind a gap nothing of before counts",
	  { RUN(MAIN, 0x102, GAP, PT_UNKNOWN), RUN(LEAF, 0x122, DEBUG, 0x122) }, 2, 0, "main  1\n... not known\nleaf  1\n",
	  "#0   leaf  last at 0x00000120\n" },
	{ "the last ones",
	  { RUN(MAIN, 0x108, CALL, LEAF), RUN(LEAF, 0x124, RETURN, 0x108), RUN(0x108, 0x10e, CALL, LEAF), RUN(LEAF, 0x122, DEBUG, 0x122) },
	  4, 1, "leaf  1\n", "#0   leaf  last at 0x00000120\n" },
};

static char *text_of(void *history, enum pt_branches how, size_t top)
{
	struct pt_profile profile = { 0 };
	struct pt_text out = { 0 };
	struct pt_err err = { 0 };
	struct pt_program *program = small_program();
	size_t n;

	profile.program = program;
	pt_program_functions(program, &n);
	pt_analysis_history.result(history, &profile);
	ck_assert_int_eq(pt_branches_write(&profile, how, PT_HISTORY_ANY, top, &out, &err), 0);
	pt_program_unref(program);
	return out.bytes;
}

START_TEST(reads)
{
	const struct row *row = &rows[_i];
	struct pt_program *program = small_program();
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	struct pt_analysis_setup setup = { .map = map };
	void *history = pt_analysis_history.open(&setup, NULL);
	char *calls, *back;

	pt_analysis_history.runs(history, row->run, row->n_runs, 0, (struct pt_timestamp){ 0 });
	calls = text_of(history, PT_BRANCHES_CALLS, row->top);
	back = text_of(history, PT_BRANCHES_BACK, row->top);
	ck_assert_msg(strcmp(strchr(calls, '\n') + 1, row->calls) == 0, "%s: %s", row->name, calls);
	*strstr(back, "(the history begins here)") = '\0';
	ck_assert_msg(strcmp(back, row->back) == 0, "%s: %s", row->name, back);
	free(calls);
	free(back);
	pt_analysis_history.close(history);
	pt_codemap_free(map);
	pt_program_unref(program);
}
END_TEST

START_TEST(nothing_to_read)
{
	struct pt_profile profile = { 0 };
	struct pt_text out = { 0 };
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_branches_write(&profile, PT_BRANCHES_CALLS, PT_HISTORY_ANY, 0, &out, &err), PT_ESTATE);
	ck_assert_ptr_nonnull(strstr(err.msg, "record btrace bts"));
}
END_TEST

/* Each core has its own, and who asks for another one's gets no one else's. */
START_TEST(of_a_core)
{
	struct pt_program *program = small_program();
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	struct pt_analysis_setup setup = { .map = map };
	void *history = pt_analysis_history.open(&setup, NULL);
	struct pt_profile profile = { .program = program };
	struct pt_text out = { 0 };
	struct pt_err err = { 0 };

	pt_analysis_history.runs(history, rows[0].run, 2, 1, (struct pt_timestamp){ 0 });
	pt_analysis_history.runs(history, rows[5].run, 1, 3, (struct pt_timestamp){ 0 });
	pt_analysis_history.result(history, &profile);
	ck_assert_int_eq(pt_branches_write(&profile, PT_BRANCHES_CALLS, 3, 0, &out, &err), 0);
	ck_assert_str_eq(strchr(out.bytes, '\n') + 1, "recursive  1\n  recursive  0\n");
	ck_assert_int_eq(pt_branches_write(&profile, PT_BRANCHES_CALLS, 0, 0, &out, &err), PT_ESTATE);
	ck_assert_str_eq(err.msg, "what core 0 executed is not traced: there is no branch history of it");
	pt_text_free(&out);
	pt_analysis_history.close(history);
	pt_codemap_free(map);
	pt_program_unref(program);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("branches");
	TCase *tc = tcase_create("branches");

	tcase_add_loop_test(tc, reads, 0, PT_LEN(rows));
	tcase_add_test(tc, nothing_to_read);
	tcase_add_test(tc, of_a_core);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
