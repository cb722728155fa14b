/* Stacks that no call and return tell of: what the profile says of stacks.elf, which nothing is missing from in mode
 * halt, is what the board did. Counts are those of the source, times the model's own. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "profile/analyses/code/lines.h"
#include "report/report.h"
#include "tests/inline_profile.h"

static struct inline_profile p;

static void run_firmware(void)
{
	static char elf[512];
	const char *srcdir = getenv("srcdir");
	struct inline_setup setup = {
		.elf = elf, .source = "mtb", .words = { "mode=halt" }, .truth = true, .reset = true,
	};

	snprintf(elf, sizeof(elf), "%s/tests/firmware/stacks.elf", srcdir != NULL ? srcdir : ".");
	inline_open(&p, &setup);
	inline_start(&p, &setup);
	inline_drain(&p, 100 * PT_NS_PER_MS);
	inline_halt(&p);
	inline_stop(&p);
}

static void end_firmware(void)
{
	inline_close(&p);
}

static const struct pt_function *function_of(const char *name, size_t *id)
{
	size_t n;
	const struct pt_function *f = pt_program_functions(p.program, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(f[i].name, name) == 0) {
			*id = i + 1;
			return &f[i];
		}
	ck_abort_msg("%s: no such function", name);
	return NULL;
}

static const struct pt_execution_function *row_of(const char *name)
{
	const struct pt_profile *profile = pt_pipeline_profile(p.pipeline);
	size_t id = 0;

	function_of(name, &id);
	ck_assert_msg(profile->by_id[id] != NULL, "%s was not seen", name);
	return profile->by_id[id]->run;
}

static struct pt_vtruth_at truth_of(const char *name)
{
	size_t id;
	const struct pt_function *f = function_of(name, &id);

	return pt_vtruth_sum(&p.truth, (uint32_t)f->address, (uint32_t)(f->address + f->size));
}

/* ended: of count, those that returned; partial: those of which an end was not seen, or is still to come. */
static const struct { const char *name; uint64_t count, ended, partial; } rows[] = {
	{ "falls", 18, 18, 0 }, { "into", 36, 36, 0 },
	{ "outer", 1, 1, 0 }, { "catcher", 3, 3, 0 }, { "landed", 1, 1, 0 }, { "thrower", 1, 1, 0 }, { "unwind", 1, 1, 0 },
	{ "later", 1, 1, 0 },
	/* two tasks wait when the third one ends; each is still in its function, and naps */
	{ "yield", 18, 16, 2 }, { "nap", 6, 5, 1 }, { "task_b", 1, 0, 1 }, { "task_c", 1, 0, 1 }, { "main", 1, 0, 1 },
	{ "work", 23, 23, 0 },
};

START_TEST(counts_what_ran)
{
	const struct pt_execution_function *got = row_of(rows[_i].name);

	ck_assert_msg(got->count == rows[_i].count && got->partial == rows[_i].partial &&
			      got->stat[PT_TALLY_GROSS].n == rows[_i].ended,
		      "%s: %llu, %llu ended, %llu partial", rows[_i].name, (unsigned long long)got->count,
		      (unsigned long long)got->stat[PT_TALLY_GROSS].n, (unsigned long long)got->partial);
	ck_assert_uint_eq(got->instructions, truth_of(rows[_i].name).instructions);
}
END_TEST

/* All that outer calls is called by nothing else. */
START_TEST(an_exception_stays_inside_the_function_that_catches_it)
{
	static const char *const inside[] = { "outer", "catcher", "landed", "thrower", "unwind", "later" };
	uint64_t cycles = 0;

	for (size_t i = 0; i < PT_LEN(inside); i++)
		cycles += truth_of(inside[i]).cycles;
	ck_assert_uint_eq(row_of("outer")->gross_total, cycles);
}
END_TEST

static int write_lcov(bool partial, struct pt_text *text)
{
	struct pt_query query = { .format = "lcov", .partial = partial };
	struct pt_err err = { 0 };

	return pt_report_render(pt_pipeline_profile(p.pipeline), &query, text, &err);
}

/* A function that is still open ran once; a nop in front of a literal pool, or between functions, is no code. */
START_TEST(coverage_counts_invocations_and_code)
{
	const struct pt_lines *lines = pt_pipeline_profile(p.pipeline)->lines;
	struct pt_text text = { 0 };
	size_t id;

	ck_assert_int_eq(write_lcov(false, &text), 0);
	ck_assert_ptr_nonnull(strstr(text.bytes, "FNDA:1,main\n"));
	ck_assert_ptr_nonnull(strstr(text.bytes, "FNDA:1,stacks_passed\n"));
	ck_assert_ptr_null(strstr(text.bytes, "PARTIAL"));
	pt_text_free(&text);
	function_of("yield", &id);
	ck_assert_uint_eq(lines->function[id].n_insns, 6);
	ck_assert_uint_eq(lines->function[id].n_observed, 6);
	ck_assert_uint_eq(lines->function[PT_NO_FUNCTION].n_insns, 0);
}
END_TEST

START_TEST(partial_coverage_is_never_all)
{
	struct inline_setup setup = { .words = { "mode=burst" } };
	struct pt_text text = { 0 };

	inline_close(&p);
	inline_open(&p, &setup);	/* the demo, from wherever it is */
	inline_start(&p, &setup);
	inline_drain(&p, 20 * PT_NS_PER_MS);
	inline_stop(&p);
	ck_assert_int_lt(write_lcov(false, &text), 0);
	ck_assert_int_eq(write_lcov(true, &text), 0);
	ck_assert_int_eq(strncmp(text.bytes, "# profile: ", 11), 0);
	ck_assert_ptr_nonnull(strstr(text.bytes, "\n# method: source mtb, mode burst"));
	ck_assert_ptr_nonnull(strstr(text.bytes, "\nTN:proftap_VIRTUAL_PARTIAL\n"));
	ck_assert_ptr_nonnull(strstr(text.bytes, ",0\nDA:"));
	ck_assert_ptr_nonnull(strstr(text.bytes, "FNDA:0,"));
	pt_text_free(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stacks");
	TCase *tc = tcase_create("stacks");

	tcase_add_checked_fixture(tc, run_firmware, end_firmware);
	tcase_add_loop_test(tc, counts_what_ran, 0, PT_LEN(rows));
	tcase_add_test(tc, an_exception_stays_inside_the_function_that_catches_it);
	tcase_add_test(tc, coverage_counts_invocations_and_code);
	tcase_add_test(tc, partial_coverage_is_never_all);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
