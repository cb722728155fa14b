/* Text from outside: what a terminal or a reader must not see is replaced, byte by byte; all else stays. */
#include <stdio.h>

#include "harness.h"
#include "base/harmless.h"

static const struct { const char *text, *keep, *want; } cases[] = {
	{ "", "", "" },
	{ "main", "", "main" },
	{ "gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80", "", "gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80" },
	{ "a\x1b[2Jb", "", "a?[2Jb" },
	{ "a\nb\tc\r", "", "a?b?c?" },
	{ "a\nb\tc\r", "\n\t", "a\nb\tc?" },
	{ "\x7f", "", "?" },
	{ "\xc2\x9b" "2J", "", "??2J" },		/* CSI of ISO 6429 */
	{ "\xc2\xa0", "", "\xc2\xa0" },			/* the first behind them */
	{ "\x9b", "", "?" },				/* no UTF-8 */
	{ "x\xe2\x80\xae" "gpj", "", "x???gpj" },	/* U+202E: right to left from here on */
	{ "\xe2\x81\xa6\xe2\x81\xa9", "", "??????" },	/* isolates */
	{ "\xd8\x9c\xe2\x80\x8e\xef\xbb\xbf", "", "????????" },
	{ "\xe2\x80\xa8", "\n", "???" },		/* the line separator is no line end of ours */
	{ "\xc0\xaf", "", "??" },			/* overlong */
	{ "\xe0\x80\xaf", "", "???" },
	{ "\xed\xa0\x80", "", "???" },			/* half of a surrogate pair */
	{ "\xf4\x90\x80\x80", "", "????" },		/* beyond Unicode */
	{ "\xe2\x82", "", "??" },			/* cut short */
	{ "\xe2\x82X", "", "??X" },
};

START_TEST(is_made_harmless)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", cases[_i].text);
	ck_assert_ptr_eq(pt_harmless(text, cases[_i].keep), text);
	ck_assert_str_eq(text, cases[_i].want);
	ck_assert_str_eq(pt_harmless(text, cases[_i].keep), cases[_i].want);	/* nothing is left to do */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("harmless");
	TCase *tc = tcase_create("harmless");

	tcase_add_loop_test(tc, is_made_harmless, 0, PT_LEN(cases));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
