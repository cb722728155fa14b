/* Zeroed, writable to the last byte, and given back, whatever the size. */
#include <stdint.h>

#include "base/bigmem.h"
#include "harness.h"

static const size_t sizes[] = { 0, 1, 4096, (256 << 10) - 1, 256 << 10, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 9 << 20 };

START_TEST(any_size)
{
	for (int again = 0; again < 3; again++) {
		uint8_t *memory = pt_big_calloc(sizes[_i], 1);

		ck_assert_ptr_nonnull(memory);
		ck_assert_uint_eq((uintptr_t)memory % 64, 0);
		for (size_t i = 0; i < sizes[_i]; i += 509)
			ck_assert_uint_eq(memory[i], 0);
		for (size_t i = 0; i < sizes[_i]; i += 127)
			memory[i] = 1;
		if (sizes[_i] > 0)
			memory[sizes[_i] - 1] = 1;
		pt_big_free(memory, sizes[_i]);
	}
}
END_TEST

START_TEST(too_much_is_refused)
{
	ck_assert_ptr_null(pt_big_calloc(SIZE_MAX / 2, 3));
	ck_assert_ptr_null(pt_big_calloc(SIZE_MAX / 2 + 1, 1));
	pt_big_free(NULL, 1 << 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bigmem");
	TCase *tc = tcase_create("bigmem");

	tcase_add_loop_test(tc, any_size, 0, PT_LEN(sizes));
	tcase_add_test(tc, too_much_is_refused);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
