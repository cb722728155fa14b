/* A chip that holds another program than the ELF is noticed, and the first difference named. */
#include <string.h>

#include "array_mem.h"
#include "harness.h"
#include "program/model/program_parts.h"
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
	ck_assert_uint_eq(image.n_bytes, 17 * 64);
	ck_assert_msg(image.differs == cases[_i].spotted, "%s", cases[_i].name);
	while (!image.done)
		ck_assert_int_eq(pt_image_check_more(&image, &chip.mem, &err), 0);
	ck_assert_msg(image.differs == (cases[_i].at >= 0), "%s", cases[_i].name);
	if (image.differs)
		ck_assert_uint_eq(image.at, cases[_i].at);
}
END_TEST

/* A build-id of 20 bytes, and the code that it lies in. */
static struct pt_program *with_id(const char *id, size_t id_bytes, uint64_t at, bool writable)
{
	const struct pt_segment segments[] = {
		{ .addr = 0, .run = 0, .size = CODE_BYTES, .bytes = code, .code = true, .writable = writable },
	};
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "fake", .segments = segments, .n_segments = 1, .vectors = PT_UNKNOWN
	};
	struct pt_program *made;

	memcpy(code + at, "GNU", 4);
	memcpy(code + at + 4, id, id_bytes);
	made = pt_program_from_desc(&desc);
	memcpy(flash, code, CODE_BYTES);
	return made;
}

static const struct {
	const char *name, *id;	/* as the ELF's header of notes has it */
	int64_t wrong_at;	/* of the chip; -1: nothing */
	int rc;
	bool same, writable;
} ids[] = {
	{ "the same", "3031323334353637383930313233343536373839", -1, 1, true, false },
	{ "another build", "3031323334353637383930313233343536373839", 4096 + 4 + 19, 1, false, false },
	{ "no note there", "3031323334353637383930313233343536373839", 4096, 1, false, false },
	{ "not loaded", "4031323334353637383930313233343536373839", -1, 0, false, false },
	{ "none", "", -1, 0, false, false },
	{ "in RAM", "3031323334353637383930313233343536373839", -1, 1, true, true },
	{ "in RAM, written over", "3031323334353637383930313233343536373839", 4096, 0, false, true },
	{ "too short to be its own", "303132", -1, 0, false, false },
};

START_TEST(compares_build_ids)
{
	struct pt_program *p = with_id("01234567890123456789", 20, 4096, ids[_i].writable);
	struct pt_err err = { 0 };
	uint64_t at = 0;
	bool same = false;

	p->build_id = ids[_i].id;
	if (ids[_i].wrong_at >= 0)
		flash[ids[_i].wrong_at] ^= 1;
	ck_assert_int_eq(pt_image_compare_id(p, &chip.mem, &same, &at, &err), ids[_i].rc);
	ck_assert_msg(same == ids[_i].same, "%s", ids[_i].name);
	ck_assert(ids[_i].rc == 0 || at == 4096);
	chip.fail_code = PT_EFAULT;
	if (ids[_i].rc == 1)
		ck_assert_int_eq(pt_image_compare_id(p, &chip.mem, &same, &at, &err), PT_EFAULT);
	pt_program_unref(p);
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
	tcase_add_loop_test(tc, compares_build_ids, 0, PT_LEN(ids));
	tcase_add_test(tc, passes_faults_on);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
