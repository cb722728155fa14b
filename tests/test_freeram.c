/* What a program leaves free, in a chip whose RAM has a hole. */
#include "session/acquire/freeram.h"
#include "harness.h"

enum { TOP = 0x20001000 };

static const struct pt_region chip[] = {
	{ PT_REGION_FLASH, 0, 0x10000, 0x400 },
	{ PT_REGION_RAM, 0x1ffff000, 0x1000, 0 },
	{ PT_REGION_RAM, 0x20000000, 0x1000, 0 },
};

/* .bss at 0x20000400..0x20000600, the stack from there up; nothing in the lower RAM. */
static struct pt_program *program(bool with_vectors)
{
	static const uint8_t vectors[] = { 0x00, 0x10, 0x00, 0x20, 0x01, 0x01, 0, 0 };
	const struct pt_segment segments[] = {
		{ .addr = 0, .run = 0, .size = sizeof(vectors), .bytes = vectors, .code = true },
		{ .addr = 0x20000400, .run = 0x20000400, .size = 0x200, .writable = true },
	};
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "fake", .segments = segments, .n_segments = PT_LEN(segments), .vectors = with_vectors ? 0 : PT_UNKNOWN
	};

	return pt_program_from_desc(&desc);
}

START_TEST(cuts_sections_and_stack)
{
	struct pt_program *p = program(true);
	struct pt_free_ram got;

	pt_free_ram(chip, PT_LEN(chip), p, &got);
	ck_assert_ptr_null(got.why);
	ck_assert_uint_eq(got.n_spans, 2);
	ck_assert_uint_eq(got.span[0].addr, 0x1ffff000);	/* the largest first */
	ck_assert_uint_eq(got.span[0].size, 0x1000);
	ck_assert_uint_eq(got.span[1].addr, 0x20000000);
	ck_assert_uint_eq(got.span[1].size, 0x400);
	pt_program_unref(p);
}
END_TEST

START_TEST(guesses_nothing)
{
	struct pt_program *p = program(false);
	struct pt_free_ram got;

	pt_free_ram(chip, PT_LEN(chip), NULL, &got);
	ck_assert_uint_eq(got.n_spans, 0);
	ck_assert_ptr_nonnull(got.why);
	pt_free_ram(chip, 1, p, &got);		/* flash only */
	ck_assert_uint_eq(got.n_spans, 0);
	ck_assert_ptr_nonnull(got.why);
	pt_free_ram(chip, PT_LEN(chip), p, &got);	/* no vectors, no stack */
	ck_assert_uint_eq(got.n_spans, 0);
	ck_assert_ptr_nonnull(got.why);
	pt_program_unref(p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("freeram");
	TCase *tc = tcase_create("freeram");

	tcase_add_test(tc, cuts_sections_and_stack);
	tcase_add_test(tc, guesses_nothing);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
