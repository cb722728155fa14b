/* The virtual MDM on a USER chain: every framing that the documents leave open, and chains without an MDM. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/chip/microblaze.h"

enum { USER2 = 0x03, USER1 = 0x02, IDCODE = 0x09 };

static struct pt_params *settings;
static struct pt_vboard *board;
static struct pt_vjtap *tap;
static struct pt_vmdm_framing framing;

static void make(const char *words)
{
	char text[256], *rest = NULL;
	struct pt_err err;
	size_t n_taps;

	snprintf(text, sizeof(text), "%s", words);
	settings = pt_params_new();
	for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
		ck_assert_int_eq(pt_vboard_add_word(&pt_vboard_microblaze, settings, word, &err), 0);
	board = pt_vboard_microblaze.make(settings, NULL, 0, &err);
	ck_assert_ptr_nonnull(board);
	tap = pt_vboard_microblaze.taps(board, &n_taps)[0];
	ck_assert_uint_eq(n_taps, 1);
	framing = pt_microblaze_of(board)->dr.framing;
}

static void done(void)
{
	pt_vboard_microblaze.free(board);
	pt_params_free(settings);
}

static void walk(const char *tms)
{
	for (; *tms != '\0'; tms++)
		pt_vjtap_clock(tap, *tms == '1', 0);
}

/* From and to Run-Test/Idle. Bit i of out goes in as number i; returns what came, in the same order. */
static uint64_t scan(const char *to, uint64_t out, unsigned n_bits)
{
	uint64_t in = 0;

	walk(to);
	for (unsigned i = 0; i < n_bits; i++) {
		in |= (uint64_t)pt_vjtap_tdo(tap) << i;
		pt_vjtap_clock(tap, i + 1 == n_bits, out >> i & 1);
	}
	walk("10");
	return in;
}

static void select_ir(uint32_t ir)
{
	walk("111110");
	scan("1100", ir, 6);
}

static uint64_t turned(uint64_t value, unsigned n_bits, bool turn)
{
	uint64_t out = 0;

	for (unsigned i = 0; turn && i < n_bits; i++)
		out |= (value >> i & 1) << (n_bits - 1 - i);
	return turn ? out : value;
}

/* One access of n_bits with the framing that the board was made with. */
static uint64_t dr_access(uint8_t command, uint64_t value, unsigned n_bits)
{
	uint64_t cmd = turned(command & ((1u << framing.cmd_bits) - 1), framing.cmd_bits, framing.cmd_msb), in;
	unsigned cmd_end = framing.sync_bits + framing.cmd_bits, data = framing.pad_bits;

	cmd <<= framing.sync_bits;
	value = turned(value, n_bits, framing.data_msb);
	if (framing.one_scan) {
		in = scan("100", cmd | value << (cmd_end + data), cmd_end + data + n_bits) >> (cmd_end + data);
	} else {
		scan("100", cmd, cmd_end);
		in = scan("100", value << data, data + n_bits) >> data;
	}
	return turned(in, n_bits, framing.data_msb);
}

static const char *const framings[] = {
	"", "mdm-cmd-order=msb_first", "mdm-data-order=msb_first", "mdm-cmd-order=msb_first mdm-data-order=msb_first",
	"mdm-phases=one_scan", "mdm-phases=one_scan mdm-cmd-order=msb_first mdm-data-order=msb_first",
	"mdm-sync=3", "mdm-pad=1", "mdm-sync=2 mdm-pad=2 mdm-phases=one_scan",
};

START_TEST(a_framing_reaches_registers)
{
	make(framings[_i]);
	select_ir(USER2);
	ck_assert_uint_eq(dr_access(PT_VMDM_CONFIG, 0, 32), 0x42a70167);
	dr_access(PT_VMDM_PBAR, 5, 10);
	dr_access(PT_VMDM_PDWR, 0x12345678, 32);
	dr_access(PT_VMDM_PDWR, 0x9abcdef0, 32);
	ck_assert_uint_eq(pt_microblaze_of(board)->mdm.core[0].profile.bin[5], 0x12345678);
	pt_microblaze_of(board)->mdm.core[0].profile.bin[6] |= UINT64_C(0xf00000000);
	dr_access(PT_VMDM_PBAR, 5, 10);
	ck_assert_uint_eq(dr_access(PT_VMDM_PDRR, 0, 36), 0x12345678);
	ck_assert_uint_eq(dr_access(PT_VMDM_PDRR, 0, 36), UINT64_C(0xf9abcdef0));
	done();
}
END_TEST

START_TEST(four_bits_reach_what_they_can)
{
	make("mdm-cmd-bits=4");
	select_ir(USER2);
	ck_assert_uint_eq(dr_access(PT_VMDM_CONFIG, 0, 32), 0x42a70167);
	done();
}
END_TEST

/* A scan too many does not stay: the instruction begins anew with a command. */
START_TEST(an_instruction_begins_with_a_command)
{
	make("");
	select_ir(USER2);
	scan("100", PT_VMDM_CONFIG, 8);
	scan("1100", USER2, 6);
	ck_assert_uint_eq(dr_access(PT_VMDM_CONFIG, 0, 32), 0x42a70167);
	scan("100", PT_VMDM_CONFIG, 8);
	select_ir(USER2);
	ck_assert_uint_eq(dr_access(PT_VMDM_CONFIG, 0, 32), 0x42a70167);
	done();
}
END_TEST

START_TEST(without_an_mdm_it_is_ones)
{
	make("mdm-jtag=ones");
	select_ir(USER2);
	ck_assert_uint_eq(dr_access(PT_VMDM_CONFIG, 0, 32), 0xffffffff);
	done();
}
END_TEST

/* Where no MDM is, USER is BYPASS: what goes in comes out a clock later. */
START_TEST(another_chain_is_bypass)
{
	make("user=3");
	select_ir(USER2);
	ck_assert_uint_eq(scan("100", 0x5a5a, 16), 0xb4b4);
	select_ir(0x22);
	ck_assert_uint_eq(dr_access(PT_VMDM_CONFIG, 0, 32), 0x42a70167);
	select_ir(IDCODE);
	ck_assert_uint_eq(scan("100", 0, 32), 0x0362d093);
	done();
}
END_TEST

START_TEST(a_core_of_several_is_chosen)
{
	make("cores=3");
	select_ir(USER2);
	ck_assert_uint_eq(dr_access(PT_VMDM_CONFIG, 0, 32), 0x42a70367);
	dr_access(PT_VMDM_WHICH, 4, 8);
	dr_access(PT_VMDM_PBAR, 0, 10);
	dr_access(PT_VMDM_PDWR, 77, 32);
	ck_assert_uint_eq(pt_microblaze_of(board)->mdm.core[2].profile.bin[0], 77);
	done();
}
END_TEST

START_TEST(a_register_that_is_not_there_reads_0)
{
	make("profile=0");
	select_ir(USER2);
	ck_assert_uint_eq(dr_access(PT_VMDM_PBAR, 5, 10), 0);
	ck_assert_uint_eq(dr_access(0x3f, 0, 32), 0);
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mdm_jtag");
	TCase *tc = tcase_create("chain");

	tcase_add_loop_test(tc, a_framing_reaches_registers, 0, PT_LEN(framings));
	tcase_add_test(tc, four_bits_reach_what_they_can);
	tcase_add_test(tc, an_instruction_begins_with_a_command);
	tcase_add_test(tc, without_an_mdm_it_is_ones);
	tcase_add_test(tc, another_chain_is_bypass);
	tcase_add_test(tc, a_core_of_several_is_chosen);
	tcase_add_test(tc, a_register_that_is_not_there_reads_0);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
