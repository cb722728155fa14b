/* Target descriptions of GDB servers: read with what they include, parsed, and added to. */
#include <string.h>

#include "harness.h"
#include "targets/remote/description.h"

static const struct { const char *name, *text; } documents[] = {
	{ "target.xml", "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target><architecture>powerpc:common"
			"</architecture><!-- </target> <reg/> --><xi:include href=\"core.xml\"/>\n<xi:include href='spe.xml'/></target>" },
	{ "core.xml", "<?xml version=\"1.0\"?><!DOCTYPE feature SYSTEM \"gdb-target.dtd\"><feature name=\"org.gnu.gdb.power.core\">"
		      "<reg name=\"r0\" bitsize=\"32\" type=\"uint32\"/><reg name=\"r1\" bitsize=\"32\"/>"
		      "<reg name=\"pc\" bitsize=\"32\" regnum=\"64\" type=\"code_ptr\"/></feature>" },
	{ "spe.xml", "<feature name=\"org.gnu.gdb.power.spe\"><reg name=\"acc\" bitsize=\"64\" regnum='0x49' group=\"vector\"/>"
		     "<reg name=\"wide\" bitsize=\"128\"/><reg name=\"ev0h\" bitsize=\"32\" regnum=\"32\"/></feature>" },
	{ "loop.xml", "<target><xi:include href=\"loop.xml\"/></target>" },
};

static const char *first;

static char *fetch(void *arg, const char *name, struct pt_err *err)
{
	(void)arg;
	if (strcmp(name, "target.xml") == 0)
		name = first;
	for (size_t i = 0; i < PT_LEN(documents); i++)
		if (strcmp(documents[i].name, name) == 0)
			return strdup(documents[i].text);
	pt_fail(err, PT_EFAULT, "no %s", name);
	return NULL;
}

START_TEST(includes_and_numbers)
{
	static const struct { const char *name; unsigned number; uint32_t offset; } want[] = {
		{ "r0", 0, 0 }, { "r1", 1, 4 }, { "ev0h", 32, 8 }, { "pc", 64, 12 }, { "acc", 73, 16 },
	};
	struct pt_description d;
	struct pt_err err = { 0 };
	char *text;

	first = "target.xml";
	text = pt_description_read(fetch, NULL, &err);
	ck_assert_msg(text != NULL, "%s", err.msg);
	ck_assert_ptr_null(strstr(text, "include"));
	ck_assert_msg(pt_description_parse(text, &d, &err) == 0, "%s", err.msg);
	ck_assert_str_eq(d.architecture, "powerpc:common");
	ck_assert_uint_eq(d.n_rows, PT_LEN(want));
	for (size_t i = 0; i < PT_LEN(want); i++) {
		ck_assert_str_eq(d.row[i].name, want[i].name);
		ck_assert_uint_eq(d.row[i].gdb_number, want[i].number);
		ck_assert_uint_eq(d.offset[i], want[i].offset);
	}
	ck_assert_uint_eq(d.next, 75);	/* the wide one has 74 */
	ck_assert_str_eq(d.row[4].feature, "org.gnu.gdb.power.spe");
	ck_assert_str_eq(d.row[4].group, "vector");
	pt_description_free(&d);
	free(text);
}
END_TEST

START_TEST(with_more)
{
	static const struct pt_register own[] = {
		{ .name = "pmc0", .feature = "org.example.e500.pm", .type = "uint32", .group = "pm", .gdb_number = 75, .bits = 32 },
		{ .name = "pmc1", .feature = "org.example.e500.pm", .type = "uint32", .group = "pm", .gdb_number = 76, .bits = 32 },
	};
	struct pt_description d;
	struct pt_err err = { 0 };
	char *text, *more;

	first = "target.xml";
	text = pt_description_read(fetch, NULL, &err);
	ck_assert_ptr_nonnull(text);
	more = pt_description_with(text, NULL, own, 2, &err);
	ck_assert_msg(more != NULL, "%s", err.msg);
	ck_assert_msg(pt_description_parse(more, &d, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(d.n_rows, 7);
	ck_assert_str_eq(d.row[6].name, "pmc1");
	ck_assert_str_eq(strrchr(more, '<'), "</target>");
	pt_description_free(&d);
	free(more);
	more = pt_description_with(NULL, "MicroBlaze", own, 2, &err);
	ck_assert_ptr_nonnull(more);
	ck_assert_msg(pt_description_parse(more, &d, &err) == 0, "%s", err.msg);
	ck_assert_str_eq(d.architecture, "MicroBlaze");
	ck_assert_uint_eq(d.n_rows, 2);
	pt_description_free(&d);
	free(more);
	free(text);
}
END_TEST

static const struct { const char *text, *why; } bad[] = {
	{ "", "is none" },
	{ "<target><reg bitsize=\"32\"/></target>", "without a name" },
	{ "<target><reg name=\"a\" bitsize=\"0\"/></target>", "bits" },
	{ "<target><reg name=\"a\" bitsize=\"many\"/></target>", "bits" },
	{ "<target><reg name=\"a\" bitsize=\"32\" regnum=\"70000\"/></target>", "numbers register a" },
	{ "<target><reg name=\"a\" bitsize=\"8\" regnum=\"1\"/><reg name=\"b\" bitsize=\"8\" regnum=\"1\"/></target>",
	  "two registers 1" },
};

START_TEST(refuses)
{
	struct pt_description d;
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_description_parse(bad[_i].text, &d, &err), PT_EPROTO);
	ck_assert_msg(strstr(err.msg, bad[_i].why) != NULL, "%s", err.msg);
}
END_TEST

START_TEST(an_include_of_itself_ends)
{
	struct pt_err err = { 0 };

	first = "loop.xml";
	ck_assert_ptr_null(pt_description_read(fetch, NULL, &err));
	ck_assert_int_eq(err.code, PT_EPROTO);
	first = "nowhere.xml";
	ck_assert_ptr_null(pt_description_read(fetch, NULL, &err));
	ck_assert_int_eq(err.code, PT_EFAULT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("description");
	TCase *tc = tcase_create("description");

	tcase_add_test(tc, includes_and_numbers);
	tcase_add_test(tc, with_more);
	tcase_add_loop_test(tc, refuses, 0, (int)PT_LEN(bad));
	tcase_add_test(tc, an_include_of_itself_ends);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
