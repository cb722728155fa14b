/* Programs of an instruction set that nothing here can walk: their samples are named all the same, their branches are refused
 * with a sentence, and no vector, no jump and no cycle is made up. */
#include "chunk_feed.h"
#include "program/code/codemap.h"

enum { EM_RISCV_CODE = 243, ID_LEAF = 2 };

static struct pt_program *program;

static void prepare(void)
{
	program = small_program_for(EM_RISCV_CODE);
}

static void drop(void)
{
	pt_program_unref(program);
}

START_TEST(samples_are_named)
{
	struct chunk_feed f = chunk_feed_of(program, (const char *const[]){ "analysis=all" }, 1);
	struct pt_text text = { 0 };
	uint8_t bytes[16];

	pt_put_le32(bytes, LEAF);
	pt_put_le32(bytes + 4, LEAF + 1);	/* any byte may begin an instruction */
	pt_put_le32(bytes + 8, MAIN);
	pt_put_le32(bytes + 12, 0x40000000);
	chunk_config(&f, 0, "format=pcsr\nsource=pcsr\nbit0=1\n");
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, bytes, sizeof(bytes));
	chunk_end(&f, 0, 1000);
	chunk_report(&f, &text, "functions", "csv");
	ck_assert_msg(strstr(text.bytes, "leaf") != NULL && strstr(text.bytes, "main") != NULL, "%s", text.bytes);
	for (size_t i = 0; i < pt_pipeline_profile(f.pipeline)->n_functions; i++) {
		const struct pt_profile_function *row = &pt_pipeline_profile(f.pipeline)->function[i];

		if (row->function != NULL && strcmp(row->function->name, "leaf") == 0)
			ck_assert_uint_eq(row->samples, 2);
	}
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->samples, 4);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->n_sampled_insns, 3);	/* and one outside of code */
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(branches_are_refused)
{
	struct chunk_feed f = chunk_feed_of(program, (const char *const[]){ "analysis=all" }, 1);
	struct pt_text text = { 0 };
	struct chunk_bytes b = { .len = 0 };

	add_packet(&b, MAIN + 4, LEAF);
	chunk_config(&f, 0, "format=mtb\nsource=mtb\nmode=halt\n");
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, b.bytes, b.len);
	chunk_end(&f, 0, 1000);
	chunk_report(&f, &text, "functions", "text");
	ck_assert_msg(strstr(text.bytes, "cannot walk the code of small") != NULL, "%s", text.bytes);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->branches, 0);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->loss.unobserved_ns, 1000);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(nothing_is_made_up)
{
	struct pt_codemap *map = pt_codemap_new(program, pt_program_isa(program));
	uint64_t from, to;
	bool in_code;

	ck_assert_ptr_eq(pt_program_isa(program), &pt_isa_none);
	ck_assert_uint_eq(map->n_spans, 0);
	ck_assert_uint_eq(pt_codemap_target(map, MAIN), PT_UNKNOWN);
	ck_assert_uint_eq(pt_codemap_function(map, LEAF, &in_code), ID_LEAF);
	ck_assert(in_code);
	ck_assert_uint_eq(pt_codemap_function(map, 0x40000000, &in_code), PT_NO_FUNCTION);
	ck_assert(!in_code);
	ck_assert_uint_eq(pt_codemap_function(map, PT_UNKNOWN, &in_code), PT_NO_FUNCTION);
	ck_assert_uint_eq(pt_program_reset(program), PT_UNKNOWN);
	ck_assert_uint_eq(pt_program_vector(program, 1), PT_UNKNOWN);
	ck_assert(!pt_program_stack_span(program, &from, &to));
	pt_codemap_free(map);
}
END_TEST

START_TEST(cycles_are_refused)
{
	struct pt_params *params = pt_params_new();
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_pipeline_add(params, "clock=cycles", &err), 0);
	ck_assert_ptr_null(pt_pipeline_new(program, params, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "clock=instructions"));
	pt_params_free(params);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("not_walked");
	TCase *tc = tcase_create("not_walked");

	tcase_add_checked_fixture(tc, prepare, drop);
	tcase_add_test(tc, samples_are_named);
	tcase_add_test(tc, branches_are_refused);
	tcase_add_test(tc, nothing_is_made_up);
	tcase_add_test(tc, cycles_are_refused);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
