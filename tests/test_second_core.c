/* Two cores of a virtual chip: over the access ports of a cm4 or cm7 on one debug port, and of a kl27 over two debug ports that
 * share a wire. What each does is judged by the chip's own truth. */
#include <stdio.h>

#include "bare_core.h"
#include "base/params.h"
#include "harness.h"
#include "probes/virtual/chip/cm4.h"
#include "probes/virtual/chip/kl27.h"

enum { DHCSR = 0xe000edf0, CPUID = 0xe000ed00, NUMBER = 0xd0000000, LAUNCH = 0xd0000004, ROUNDS = 0x20000000 };
enum { CSW = 0x00, TAR = 0x04, DRW = 0x0c, AP_IDR = 0xfc };
#define DEBUG_KEY UINT32_C(0xa05f0000)
#define S_HALT (1u << 17)
#define S_RESET_ST (1u << 25)

static const struct chip {
	const char *name;
	const struct pt_vboard_ops *ops;
	uint32_t cpuid[2];
} chips[] = {
	{ "cm4", &pt_vboard_cm4, { 0x410fc241, 0x410fc241 } },
	{ "kl27", &pt_vboard_kl27, { 0x410cc601, 0x410cc601 } },
	{ "cm7", &pt_vboard_cm7, { 0x411fc272, 0x410fc241 } },
};

static const struct chip *chip;
static struct pt_vboard *board;
static uint64_t now_ns;

static void open_board(const struct chip *which, const char *variant)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	static uint8_t elf[1 << 16];
	FILE *file = fopen(pt_firmware("cores.elf"), "rb");
	size_t len_bytes;

	ck_assert_ptr_nonnull(file);
	len_bytes = fread(elf, 1, sizeof(elf), file);
	fclose(file);
	ck_assert_int_eq(pt_params_add(settings, pt_vboard_params, pt_n_vboard_params, variant, &err), 0);
	chip = which;
	board = which->ops->make(settings, elf, len_bytes, &err);
	ck_assert_msg(board != NULL, "%s", err.msg);
	pt_params_free(settings);
	now_ns = 0;
}

static void run_us(unsigned us)
{
	now_ns += us * UINT64_C(1000);
	chip->ops->advance(board, now_ns);
}

/* The second core's access port: on the kl27 behind a debug port of its own. */
static struct pt_vap *port(unsigned core)
{
	if (core == 0)
		return chip->ops->ap(board, 0);
	return chip->ops->second_ap != NULL ? chip->ops->second_ap(board, 0) : chip->ops->ap(board, 3);
}

static bool reach(unsigned core, uint32_t addr, bool write, uint32_t *value)
{
	struct pt_vap *ap = port(core);

	ck_assert_int_eq(ap->write(ap->arg, CSW, 0x22000002), PT_VACK_OK);
	ck_assert_int_eq(ap->write(ap->arg, TAR, addr), PT_VACK_OK);
	return (write ? ap->write(ap->arg, DRW, *value) : ap->read(ap->arg, DRW, value)) == PT_VACK_OK;
}

static uint32_t peek(unsigned core, uint32_t addr)
{
	uint32_t value = 0;

	ck_assert(reach(core, addr, false, &value));
	return value;
}

static void poke(unsigned core, uint32_t addr, uint32_t value)
{
	ck_assert(reach(core, addr, true, &value));
}

static bool watch(unsigned core, struct pt_vtruth *truth)
{
	return chip->ops == &pt_vboard_kl27 ? pt_kl27_watch_core(pt_kl27_of(board), core, truth, 0)
					    : pt_cm4_watch_core(pt_cm4_of(board), core, truth, 0);
}

START_TEST(both_run_and_share_memory)
{
	struct pt_vtruth truth[2];

	open_board(&chips[_i], "variant=second-core");
	ck_assert(watch(0, &truth[0]) && watch(1, &truth[1]));
	ck_assert_uint_eq(peek(1, DHCSR) & S_RESET_ST, S_RESET_ST);	/* held, until the program lets it run */
	ck_assert_uint_eq(peek(1, DHCSR) & S_RESET_ST, S_RESET_ST);
	run_us(5000);
	for (unsigned core = 0; core < 2; core++) {
		ck_assert_uint_eq(peek(core, NUMBER), core);
		ck_assert_uint_eq(peek(core, CPUID), chip->cpuid[core]);
		ck_assert_uint_gt(peek(core, ROUNDS + 4 * core), 5);
		ck_assert_uint_eq(peek(core, ROUNDS + 4 * core), peek(1 - core, ROUNDS + 4 * core));
		ck_assert_uint_gt(pt_vtruth_total(&truth[core]).instructions, 1000);
	}
	pt_vtruth_fini(&truth[0]);
	pt_vtruth_fini(&truth[1]);
	chip->ops->free(board);
}
END_TEST

START_TEST(one_halts_and_the_other_runs)
{
	unsigned core = (unsigned)_i % 2;
	uint32_t mine, others;

	open_board(&chips[_i / 2], "variant=second-core");
	run_us(5000);
	poke(core, DHCSR, DEBUG_KEY | 3);
	run_us(10);
	ck_assert_uint_eq(peek(core, DHCSR) & S_HALT, S_HALT);
	ck_assert_uint_eq(peek(1 - core, DHCSR) & S_HALT, 0);
	mine = peek(0, ROUNDS + 4 * core);
	others = peek(0, ROUNDS + 4 * (1 - core));
	run_us(5000);
	ck_assert_uint_eq(peek(0, ROUNDS + 4 * core), mine);
	ck_assert_uint_gt(peek(0, ROUNDS + 4 * (1 - core)), others);
	chip->ops->free(board);
}
END_TEST

START_TEST(a_reset_holds_the_second_again)
{
	open_board(&chips[_i], "variant=second-core");
	run_us(5000);
	ck_assert_uint_eq(peek(0, LAUNCH), 1);
	chip->ops->set_nreset(board, true);
	run_us(100);
	ck_assert_uint_eq(peek(0, LAUNCH), 0);
	chip->ops->set_nreset(board, false);
	run_us(5000);
	ck_assert_uint_eq(peek(0, LAUNCH), 1);
	poke(0, LAUNCH, 0);
	ck_assert_uint_eq(peek(1, DHCSR) & S_RESET_ST, S_RESET_ST);
	ck_assert_uint_eq(peek(1, DHCSR) & S_RESET_ST, S_RESET_ST);
	chip->ops->free(board);
}
END_TEST

static const char *const closed[] = { "variant=second-locked", "variant=second-off" };

START_TEST(a_closed_one_refuses)
{
	struct pt_vap *ap;
	uint32_t value = 0;

	open_board(&chips[0], closed[_i]);
	run_us(5000);
	ap = port(1);
	ck_assert_int_eq(ap->read(ap->arg, AP_IDR, &value), PT_VACK_OK);
	ck_assert_uint_eq(value, 0x24770011);
	ck_assert(!reach(1, DHCSR, false, &value));
	ck_assert_int_eq(ap->read(ap->arg, CSW, &value), PT_VACK_OK);
	ck_assert_uint_eq(value >> 6 & 1, (uint32_t)_i);	/* DeviceEn */
	ck_assert_uint_eq(peek(0, LAUNCH), _i == 0);
	chip->ops->free(board);
}
END_TEST

START_TEST(each_has_a_debug_port)
{
	open_board(&chips[1], _i == 0 ? "variant=second-core" : "variant=second-off");
	ck_assert_uint_eq(chip->ops->targetsel(board), 0x01002927);
	ck_assert_uint_eq(chip->ops->second_targetsel(board), _i == 0 ? 0x11002927 : 0);
	chip->ops->free(board);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("second core");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, both_run_and_share_memory, 0, PT_LEN(chips));
	tcase_add_loop_test(all, one_halts_and_the_other_runs, 0, 2 * PT_LEN(chips));
	tcase_add_loop_test(all, a_reset_holds_the_second_again, 0, PT_LEN(chips));
	tcase_add_loop_test(all, a_closed_one_refuses, 0, 2);
	tcase_add_loop_test(all, each_has_a_debug_port, 0, 2);
	suite_add_tcase(suite, all);
	return pt_run_suite(suite);
}
