/* Every format of the sample profile, byte by byte as it was when its consumer accepted it; each the same twice; and
 * none of them fails on a profile with little or nothing in it. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "report/report.h"
#include "tests/golden.h"
#include "tests/sample_profile.h"

static struct pt_text rendered(const struct pt_profile *profile, const char *format, const char *view)
{
	struct pt_text out = { 0 };
	struct pt_err err = { 0 };
	struct pt_query query = { 0 };
	int rc;

	snprintf(query.format, sizeof(query.format), "%s", format);
	snprintf(query.view, sizeof(query.view), "%s", view);
	rc = pt_report_render(profile, &query, &out, &err);
	ck_assert_msg(rc == 0 || rc == PT_ESTATE, "%s: %s", format, err.msg);
	ck_assert_msg(rc == 0 || strstr(err.msg, "need") != NULL, "%s: %s", format, err.msg);
	return out;
}

static const struct { const char *format, *view, *file; } golden[] = {
	{ "text", "tree", "full_tree.txt" }, { "folded", "", "full.folded" }, { "svg", "", "full.svg" },
	{ "speedscope", "", "full.speedscope.json" },
};

START_TEST(golden_format)
{
	struct pt_profile profile = sample_profile();
	struct pt_text out = rendered(&profile, golden[_i].format, golden[_i].view);

	ck_assert_uint_ne(out.len_bytes, 0);
	expect_golden_bytes(golden[_i].file, (const uint8_t *)out.bytes, out.len_bytes);
	pt_text_free(&out);
}
END_TEST

START_TEST(same_input_same_bytes)
{
	struct pt_profile profile = sample_profile();

	for (size_t i = 0; pt_formats[i] != NULL; i++) {
		struct pt_text a = rendered(&profile, pt_formats[i]->name, ""), b = rendered(&profile, pt_formats[i]->name, "");

		ck_assert_uint_eq(a.len_bytes, b.len_bytes);
		if (a.len_bytes > 0)	/* else it has no bytes at all */
			ck_assert_mem_eq(a.bytes, b.bytes, a.len_bytes);
		pt_text_free(&a);
		pt_text_free(&b);
	}
}
END_TEST

/* Nothing was seen; only samples; nothing selected. */
START_TEST(little_to_say)
{
	struct pt_profile full = sample_profile(), nothing = { .ended = true }, some = full, samples = full;
	const struct pt_profile *profiles[] = { &nothing, &some, &samples };

	some.tree = NULL;
	samples.tree = NULL;
	samples.samples = 100;
	for (size_t p = 0; p < PT_LEN(profiles); p++)
		for (size_t f = 0; pt_formats[f] != NULL; f++)
			for (size_t v = 0; pt_views[v] != NULL; v++) {
				struct pt_text out = rendered(profiles[p], pt_formats[f]->name, pt_views[v]->name);

				pt_text_free(&out);
			}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("formats");
	TCase *tc = tcase_create("formats");

	tcase_add_loop_test(tc, golden_format, 0, PT_LEN(golden));
	tcase_add_test(tc, same_input_same_bytes);
	tcase_add_test(tc, little_to_say);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
