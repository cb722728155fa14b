/* The built-in demo counts its own calls: its counters equal what the board saw executed. */
#include <stdio.h>
#include <string.h>

#include "bare_core.h"
#include "kl27_rig.h"
#include "probes/virtual/demo/kl27_demo.h"

enum { MAX_FUNCTIONS = 64 };

/* The committed ELF and the one inside the daemon are the same; scripts/embed-firmware makes one of the other. */
START_TEST(is_the_committed_elf)
{
	static uint8_t bytes[64 * 1024];
	FILE *file = fopen(pt_firmware("demo.elf"), "rb");
	size_t len_bytes;

	ck_assert_ptr_nonnull(file);
	len_bytes = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	ck_assert_uint_eq(len_bytes, pt_kl27_demo_elf_bytes);
	ck_assert_mem_eq(bytes, pt_kl27_demo_elf, len_bytes);
}
END_TEST

/* A counter follows the entry by a few instructions: compare while the core sleeps, with every counter up to date. */
START_TEST(counts_every_call)
{
	const char *elf = pt_firmware("demo.elf");
	uint32_t calls = pt_elf_symbol(elf, "g_calls"), functions = pt_elf_symbol(elf, "g_call_function");
	struct rig rig = rig_open(NULL, NULL, 0);
	struct pt_vtruth truth;
	unsigned n = 0;

	ck_assert(pt_kl27_watch(rig.chip, &truth, 0));
	rig_run(&rig, 300000000);
	while (pt_vcpu_state(rig.chip->cpu) != PT_VCPU_SLEEP)
		rig_run(&rig, 1000);
	for (uint32_t entry; (entry = pt_kl27_peek(rig.chip, functions + 4 * n) & ~1u) != 0 && n < MAX_FUNCTIONS; n++) {
		uint64_t executed = pt_vtruth_sum(&truth, entry, entry + 2).instructions;

		ck_assert_msg(executed == pt_kl27_peek(rig.chip, calls + 4 * n), "function %u at 0x%x", n, entry);
		ck_assert_uint_gt(executed, 0);
	}
	ck_assert_uint_ge(n, 39);
	pt_vtruth_fini(&truth);
	rig_close(&rig);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("demo firmware");
	TCase *tc = tcase_create("demo");

	tcase_add_test(tc, is_the_committed_elf);
	tcase_add_test(tc, counts_every_call);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
