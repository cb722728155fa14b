/* A sentence grows from the inside out and never past its room. */
#include <string.h>

#include "base/error.h"
#include "harness.h"

START_TEST(wraps_outwards)
{
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_fail(&err, PT_EFAULT, "bus fault at 0x%x", 0xe0001000u), PT_EFAULT);
	ck_assert_int_eq(pt_wrap(&err, "read %s", "DWT_CTRL"), PT_EFAULT);
	ck_assert_int_eq(pt_wrap(&err, "profile start"), PT_EFAULT);
	ck_assert_str_eq(err.msg, "profile start: read DWT_CTRL: bus fault at 0xe0001000");
}
END_TEST

START_TEST(ends_with_what_to_do)
{
	struct pt_err err = { 0 };

	pt_fail(&err, PT_EIO, "open rules: No such file or directory");
	ck_assert_int_eq(pt_advise(&err, "it has one rule a line"), PT_EIO);
	ck_assert_int_eq(pt_wrap(&err, "--limits"), PT_EIO);
	ck_assert_str_eq(err.msg, "--limits: open rules: No such file or directory; it has one rule a line");
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(pt_advise(&err, "or do number %d", i), PT_EIO);
	ck_assert_uint_lt(strlen(err.msg), sizeof(err.msg));
	ck_assert_int_eq(pt_advise(NULL, "nothing"), PT_ESTATE);
}
END_TEST

START_TEST(stays_in_its_room)
{
	struct pt_err err = { 0 };

	pt_fail(&err, PT_EIO, "%s", "gone");
	for (int i = 0; i < 100; i++)
		pt_wrap(&err, "a long story about step %d", i);
	ck_assert_uint_lt(strlen(err.msg), sizeof(err.msg));
	ck_assert_int_eq(err.code, PT_EIO);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("error");
	TCase *tc = tcase_create("err");

	tcase_add_test(tc, wraps_outwards);
	tcase_add_test(tc, ends_with_what_to_do);
	tcase_add_test(tc, stays_in_its_room);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
