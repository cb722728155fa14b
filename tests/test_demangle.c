/* Names as people write them, and names made to hurt. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "program/model/demangle.h"
#include "program/model/program.h"

static char text[PT_DEMANGLE_TEXT_BYTES];

/* NULL: not mangled, or not well. Checked against c++filt of binutils; it also prints the hash of the legacy kind. */
static const struct { const char *linkage, *display; } names[] = {
	{ "_ZN5motor3runEi", "motor::run(int)" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back(int const&)" },
	{ "_ZL5coldyv.part.0", "coldy() [clone .part.0]" },
	{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_ZN56_$LT$i32$u20$as$u20$core..ops..arith..Add$LT$i32$GT$$GT$3add17h0123456789abcdefE",
	  "<i32 as core::ops::arith::Add<i32>>::add" },
	{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
	{ "_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>" },
	{ "main", NULL }, { "", NULL }, { "_", NULL }, { "_Z", NULL }, { "_ZN", NULL }, { "_R", NULL }, { "_Znot_it", NULL },
};

START_TEST(reads_name)
{
	bool done = pt_demangle(names[_i].linkage, text, NULL);

#ifdef HAVE_LIBIBERTY
	if (names[_i].display != NULL) {
		ck_assert_msg(done, "%s", names[_i].linkage);
		ck_assert_str_eq(text, names[_i].display);
		return;
	}
#endif
	ck_assert_msg(!done, "%s: %s", names[_i].linkage, text);
}
END_TEST

/* Each argument is a pair of the one before: 30 bytes of substitutions for more text than there is memory. */
static void doubling(char *out, size_t room)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = (size_t)snprintf(out, room, "_Z1f1PIiiE");

	for (size_t i = 0; i < sizeof(digits) - 1; i++)
		n += (size_t)snprintf(out + n, room - n, "S_IS%c_S%c_E", digits[i], digits[i]);
}

START_TEST(gives_up_where_text_explodes)
{
	char linkage[1024];
	size_t spent = 0;

	doubling(linkage, sizeof(linkage));
	ck_assert(!pt_demangle(linkage, text, &spent));
#ifdef HAVE_LIBIBERTY
	ck_assert_uint_gt(spent, 0);
#endif
	ck_assert_uint_le(spent, 3 * PT_DEMANGLE_TEXT_BYTES);
}
END_TEST

START_TEST(leaves_long_names_alone)
{
	char linkage[2 * PT_DEMANGLE_MAX_BYTES] = "_Z1f";
	size_t spent = 0;

	memset(linkage + 4, 'i', PT_DEMANGLE_MAX_BYTES);
	ck_assert(!pt_demangle(linkage, text, &spent));
	ck_assert_uint_eq(spent, 0);
}
END_TEST

static const struct pt_function run = { .name = "motor::run(int, char)", .linkage = "_ZN5motor3runEic" };
static const struct { const char *text; bool is; } calls[] = {
	{ "motor::run(int, char)", true }, { "motor::run(int,char)", true }, { "motor::run", true },
	{ "_ZN5motor3runEic", true }, { "run", false }, { "motor::ru", false }, { "motor::run(int)", false },
	{ "motor::run(int, char) const", false }, { "", false }, { "_ZN5motor3runEicx", false },
};

START_TEST(knows_function_by_either_name)
{
	ck_assert_msg(pt_function_is(&run, calls[_i].text, strlen(calls[_i].text)) == calls[_i].is, "%s",
		      calls[_i].text);
}
END_TEST

static const struct { const char *list; size_t first; } lists[] = {
	{ "a,b", 1 }, { "", 0 }, { ",a", 0 }, { "f(int,char),b", 11 }, { "t<a,b>::f(x<c,d>),z", 17 }, { "f),b", 2 },
};

START_TEST(cuts_a_list_between_names)
{
	ck_assert_uint_eq(pt_function_list_first(lists[_i].list), lists[_i].first);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("demangle");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, reads_name, 0, PT_LEN(names));
	tcase_add_test(tc, gives_up_where_text_explodes);
	tcase_add_test(tc, leaves_long_names_alone);
	tcase_add_loop_test(tc, knows_function_by_either_name, 0, PT_LEN(calls));
	tcase_add_loop_test(tc, cuts_a_list_between_names, 0, PT_LEN(lists));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
