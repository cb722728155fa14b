/* A chip that holds another program than the ELF is noticed, and the first difference named. */
#include <string.h>

#include "array_mem.h"
#include "harness.h"
#include "session/acquire/image.h"

enum { CODE_BYTES = 8192 };

static uint8_t code[CODE_BYTES];
static struct array_mem chip;
static struct pt_program *program;
static uint8_t *flash;

static void setup(void)
{
	const struct pt_segment segments[] = {
		{ .addr = 0, .run = 0, .size = CODE_BYTES, .bytes = code, .code = true },
	};
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "fake", .segments = segments, .n_segments = 1, .vectors = PT_UNKNOWN
	};

	for (size_t i = 0; i < CODE_BYTES; i++)
		code[i] = (uint8_t)(i * 7 + (i >> 8));
	program = pt_program_from_desc(&desc);
	array_mem_init(&chip);
	flash = array_mem_add(&chip, 0, CODE_BYTES);
	memcpy(flash, code, CODE_BYTES);
}

static void teardown(void)
{
	array_mem_fini(&chip);
	pt_program_unref(program);
}

/* Spots are at every 512 bytes; what lies between them only the whole comparison finds. */
static const struct { const char *name; int64_t at; bool spotted; } cases[] = {
	{ "the same", -1, false },
	{ "vectors", 4, true },
	{ "a spot", 512 * 5 + 3, true },
	{ "between the spots", 512 * 5 + 200, false },
	{ "the last byte", CODE_BYTES - 1, false },
};

START_TEST(compares)
{
	struct pt_image image = { .program = program };
	struct pt_err err = { 0 };

	if (cases[_i].at >= 0)
		flash[cases[_i].at] ^= 0x10;
	ck_assert_int_eq(pt_image_spot_check(&image, &chip.mem, &err), 0);
	ck_assert(image.compared);
	ck_assert_msg(image.differs == cases[_i].spotted, "%s", cases[_i].name);
	while (!image.done)
		ck_assert_int_eq(pt_image_check_more(&image, &chip.mem, &err), 0);
	ck_assert_msg(image.differs == (cases[_i].at >= 0), "%s", cases[_i].name);
	if (image.differs)
		ck_assert_uint_eq(image.at, cases[_i].at);
}
END_TEST

START_TEST(passes_faults_on)
{
	struct pt_image image = { .program = program };
	struct pt_err err = { 0 };

	chip.fail_code = PT_EFAULT;
	chip.fail_after = 3;
	ck_assert_int_eq(pt_image_spot_check(&image, &chip.mem, &err), PT_EFAULT);
	ck_assert_msg(strncmp(err.msg, "compare the ELF", 15) == 0, "%s", err.msg);
	ck_assert(!image.compared);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("image");
	TCase *tc = tcase_create("image");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, compares, 0, PT_LEN(cases));
	tcase_add_test(tc, passes_faults_on);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
