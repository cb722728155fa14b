/* The bottom of a stack from what lies on it, in a few functions laid out by hand (small_program.h), with BL in main at
 * 0x104 to leaf, in recursive at 0x12e to itself; and BLX in main at 0x10c. */
#include "harness.h"
#include "program/code/bottom.h"
#include "small_program.h"

enum { BACK_IN_MAIN = 0x109, BACK_IN_RECURSIVE = 0x133, BEHIND_BLX = 0x10f };

static const struct {
	const char *name;
	uint64_t pc;
	uint32_t word[4];
	const char *bottom; /* NULL: not known */
} cases[] = {
	{ "in the bottom itself", MAIN + 2, { 0x7fffffff }, "main" },
	{ "by lr alone", LEAF + 2, { BACK_IN_MAIN }, "main" },
	{ "from the stack, with other words in between",
	  LEAF,
	  { 0x20000101, 0, BACK_IN_RECURSIVE, BACK_IN_MAIN },
	  "main" },
	{ "once on the way out, not again", LEAF, { BACK_IN_MAIN, BACK_IN_MAIN }, "main" },
	{ "no address of Thumb code", LEAF, { BACK_IN_MAIN - 1 }, "leaf" },
	{ "recursion", RECURSIVE, { BACK_IN_RECURSIVE, BACK_IN_RECURSIVE }, "recursive" },
	{ "a call through a pointer is no proof", LEAF, { BEHIND_BLX }, "leaf" },
	{ "another stack's", TAIL, { BACK_IN_MAIN, BACK_IN_RECURSIVE }, "tail" },
	{ "at the edges of memory", LEAF, { 1, 3, UINT32_MAX }, "leaf" },
	{ "no code", 0x40000000, { BACK_IN_MAIN }, NULL },
};

START_TEST(finds_the_bottom)
{
	struct pt_program *program = small_program();
	const struct pt_function *function =
		pt_program_bottom(program, cases[_i].pc, cases[_i].word, PT_LEN(cases[_i].word));

	if (cases[_i].bottom == NULL)
		ck_assert_msg(function == NULL, "%s", cases[_i].name);
	else
		ck_assert_msg(function != NULL && strcmp(function->name, cases[_i].bottom) == 0, "%s: %s",
			      cases[_i].name, function != NULL ? function->name : "none");
	pt_program_unref(program);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bottom");
	TCase *tc = tcase_create("bottom");

	tcase_add_loop_test(tc, finds_the_bottom, 0, PT_LEN(cases));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
