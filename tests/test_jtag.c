/* Lists of JTAG operations as rows of clocks, cut anywhere; and the chain that says which bits are whose. The TAPs are
 * models that were written from the standard alone. */
#include <stdio.h>
#include <string.h>

#include "fake_jtag.h"
#include "harness.h"
#include "probes/wires/jtag_batch.h"
#include "probes/wires/jtag_chain.h"

enum { IR_DATA = 0x03 };
#define FPGA_ID UINT32_C(0x13722093)	/* Zynq-7000 */
#define DAP_ID	UINT32_C(0x4ba00477)

static uint64_t captured, updated;
static unsigned n_updates;

static uint64_t capture(void *arg)
{
	(void)arg;
	return captured;
}

static void update(void *arg, uint64_t value)
{
	(void)arg;
	updated = value;
	n_updates++;
}

static const struct pt_vdr rows[] = { { .ir = IR_DATA, .bits = 36, .capture = capture, .update = update } };
static struct pt_vjtap taps[4];
static struct pt_vjtap *const chain_of[] = { &taps[0], &taps[1], &taps[2], &taps[3] };
static struct fake_jtag fake;
static struct pt_jtag_chain chain;
static struct pt_err err;

static const struct pt_vjtap_config dap = {
	.ir_bits = 4, .ir_capture = 1, .has_idcode = true, .idcode = DAP_ID, .idcode_ir = 0xe,
}, fpga = {
	.ir_bits = 6, .ir_capture = 0x11, .has_idcode = true, .idcode = FPGA_ID, .idcode_ir = 0x09, .rows = rows,
	.n_rows = PT_LEN(rows),
}, nameless = { .ir_bits = 5, .ir_capture = 1 }, zynqmp_bypass = { .ir_bits = 4, .ir_capture = 1 }, zynqmp = {
	.ir_bits = 12, .ir_capture = 1, .has_idcode = true, .idcode = 0x14710093, .idcode_ir = 0x249,
};

static void make(const struct pt_vjtap_config *const *configs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pt_vjtap_init(&taps[i], configs[i]);
	fake_jtag_init(&fake, chain_of, n);
	n_updates = 0;
	memset(&err, 0, sizeof(err));
}

/* --- rows of clocks */

static const struct {
	const char *name;
	struct pt_jtag_op ops[3];
	size_t n_ops;
	const char *tms;	/* the first on the left */
} walks[] = {
	{ "reset", { { .what = PT_JTAG_RESET } }, 1, "111110" },
	{ "idle", { { .what = PT_JTAG_IDLE, .n_bits = 3 } }, 1, "000" },
	{ "DR of 1", { { .what = PT_JTAG_DR, .n_bits = 1 } }, 1, "100" "1" "10" },
	{ "DR of 4", { { .what = PT_JTAG_DR, .n_bits = 4 } }, 1, "100" "0001" "10" },
	{ "IR of 4", { { .what = PT_JTAG_IR, .n_bits = 4 } }, 1, "1100" "0001" "10" },
	{ "DR with head and tail", { { .what = PT_JTAG_DR, .n_bits = 2, .head_bits = 1, .tail_bits = 3 } }, 1,
	  "100" "000001" "10" },
	{ "two scans at once", { { .what = PT_JTAG_IR, .n_bits = 2, .end = PT_JTAG_TO_NEXT },
				 { .what = PT_JTAG_DR, .n_bits = 3 } },
	  2, "1100" "01" "1" "100" "001" "10" },
	{ "nothing to go on to", { { .what = PT_JTAG_DR, .n_bits = 2, .end = PT_JTAG_TO_NEXT } }, 1, "100" "01" "10" },
	{ "idle is no scan", { { .what = PT_JTAG_DR, .n_bits = 2, .end = PT_JTAG_TO_NEXT },
			       { .what = PT_JTAG_IDLE, .n_bits = 1 } },
	  2, "100" "01" "10" "0" },
};

START_TEST(walks_as_the_standard_draws)
{
	char got[64] = "";
	uint8_t tms[8], tdi[8];

	for (uint32_t cut = 1; cut < 20; cut++) {
		struct pt_jtag_cursor at = { 0 };
		uint32_t n, total = 0;

		while ((n = pt_jtag_vectors(walks[_i].ops, walks[_i].n_ops, &at, cut, tms, tdi)) > 0)
			for (uint32_t i = 0; i < n; i++)
				got[total++] = (tms[i / 8] >> i % 8 & 1) != 0 ? '1' : '0';
		got[total] = 0;
		ck_assert_msg(strcmp(got, walks[_i].tms) == 0, "%s, %u at once: %s", walks[_i].name, cut, got);
		ck_assert_uint_eq(at.op, walks[_i].n_ops);
	}
}
END_TEST

/* Whatever a packet holds, the bits in and out are the same. */
START_TEST(any_cut_gives_the_same_bits)
{
	const struct pt_vjtap_config *const both[] = { &dap, &fpga };
	uint8_t ir = IR_DATA, out[5] = { 0x21, 0x43, 0x65, 0x87, 0x09 }, in[5];
	struct pt_jtag_op list[] = {
		{ .what = PT_JTAG_RESET },
		{ .what = PT_JTAG_IR, .n_bits = 6, .head_bits = 4, .out = &ir, .end = PT_JTAG_TO_NEXT },
		{ .what = PT_JTAG_DR, .n_bits = 36, .head_bits = 1, .out = out, .in = in },
		{ .what = PT_JTAG_DELAY, .time_us = 5 },
		{ .what = PT_JTAG_DR, .n_bits = 36, .head_bits = 1, .out = out, .end = PT_JTAG_TO_NEXT },
	};
	size_t n_done;

	for (uint32_t cut = 1; cut <= 200; cut++) {
		make(both, 2);
		fake.cut_bits = cut;
		captured = UINT64_C(0xc12345678);
		memset(in, 0xee, sizeof(in));
		ck_assert_int_eq(fake_jtag_ops.run(&fake, list, PT_LEN(list), 100, &n_done, &err), 0);
		ck_assert_msg(memcmp(in, (uint8_t[]){ 0x78, 0x56, 0x34, 0x12, 0x0c }, 5) == 0, "%u at once", cut);
		ck_assert_msg(updated == UINT64_C(0x987654321) && n_updates == 2, "%u at once: %llx", cut,
			      (unsigned long long)updated);
	}
}
END_TEST

START_TEST(bits_are_copied_from_anywhere_to_anywhere)
{
	static const uint8_t from[6] = { 0xa5, 0x3c, 0x96, 0x0f, 0xc3, 0x71 };

	for (uint32_t to_bit = 0; to_bit < 10; to_bit++)
		for (uint32_t from_bit = 0; from_bit < 10; from_bit++)
			for (uint32_t n = 0; n < 36; n++) {
				uint8_t to[8] = { 0 };

				pt_jtag_copy_bits(to, to_bit, from, from_bit, n);
				for (uint32_t i = 0; i < 64; i++) {
					uint32_t at = i - to_bit + from_bit;
					unsigned want = i >= to_bit && i < to_bit + n ? from[at / 8] >> at % 8 & 1 : 0;

					ck_assert_uint_eq(to[i / 8] >> i % 8 & 1, want);
				}
			}
}
END_TEST

static const struct pt_jtag_op bad[] = {
	{ .what = 0 }, { .what = 99 }, { .what = PT_JTAG_DR }, { .what = PT_JTAG_IDLE },
	{ .what = PT_JTAG_DR, .n_bits = 1, .end = 7 },
	{ .what = PT_JTAG_IR, .n_bits = 1, .head_bits = PT_JTAG_MAX_BITS },
	{ .what = PT_JTAG_DR, .n_bits = 1, .tail_bits = UINT32_MAX, .head_bits = UINT32_MAX },
};

START_TEST(refuses_what_cannot_be_run)
{
	ck_assert_int_eq(pt_jtag_check(&bad[_i], 1, &err), PT_EARG);
	ck_assert(err.msg[0] != 0);
}
END_TEST

/* --- the chain */

START_TEST(finds_a_chain)
{
	const struct pt_vjtap_config *const zynq[] = { &dap, &fpga };

	make(zynq, 2);
	ck_assert_msg(pt_jtag_chain_find(&chain, &fake_jtag_ops, &fake, NULL, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(chain.n_taps, 2);
	ck_assert_uint_eq(chain.tap[0].idcode, DAP_ID);
	ck_assert_uint_eq(chain.tap[1].idcode, FPGA_ID);
	ck_assert_uint_eq(chain.tap[0].ir_bits, 4);
	ck_assert_uint_eq(chain.tap[1].ir_bits, 6);
	ck_assert_str_eq(chain.tap[0].part->name, "Arm JTAG-DP");
	ck_assert_int_eq(pt_jtag_chain_tap(&chain, NULL, &err), 1);
	for (int i = 0; i < 2; i++) {	/* all in BYPASS */
		ck_assert_ptr_null(taps[i].row);
		ck_assert_uint_eq(taps[i].ir, (1u << taps[i].config.ir_bits) - 1);
	}
}
END_TEST

START_TEST(scans_one_tap_of_a_chain)
{
	const struct pt_vjtap_config *const three[] = { &dap, &fpga, &nameless };
	uint8_t ir = IR_DATA, out[5] = { 0x21, 0x43, 0x65, 0x87, 0x09 }, in[5];
	struct pt_jtag_op dr = { .what = PT_JTAG_DR, .n_bits = 36, .out = out, .in = in };
	struct pt_jtag_op list[] = { { .what = PT_JTAG_IR, .n_bits = 6, .out = &ir }, dr };
	size_t n_done;

	make(three, 3);
	ck_assert_msg(pt_jtag_chain_find(&chain, &fake_jtag_ops, &fake, NULL, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(chain.tap[2].ir_bits, 5);	/* what the others leave */
	ck_assert(!chain.tap[2].has_idcode);
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 1, &dr, 1, 100, &n_done, &err), PT_EARG);	/* no instruction yet */
	captured = UINT64_C(0x812345678);
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 1, list, 2, 100, &n_done, &err), 0);
	ck_assert_mem_eq(in, ((uint8_t[]){ 0x78, 0x56, 0x34, 0x12, 0x08 }), 5);
	ck_assert_uint_eq(updated, UINT64_C(0x987654321));
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 1, &dr, 1, 100, &n_done, &err), 0);
	ck_assert_uint_eq(n_updates, 2);
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 0, &dr, 1, 100, &n_done, &err), PT_EARG);
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 3, &dr, 1, 100, &n_done, &err), PT_EARG);
	list[0].n_bits = 4;
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 1, list, 2, 100, &n_done, &err), PT_EARG);
	fake.fail = true;	/* afterwards nobody knows what is selected */
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 1, &dr, 1, 100, &n_done, &err), PT_EIO);
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 1, &dr, 1, 100, &n_done, &err), PT_EARG);
}
END_TEST

static const struct { enum fake_jtag_tdo tdo; const char *says; } silences[] = {
	{ FAKE_JTAG_TDO_1, "TAP 1 (IDCODE 0x13722093) does not answer any more, TDO is always 1: no power" },
	{ FAKE_JTAG_TDO_0, "TAP 1 (IDCODE 0x13722093) does not answer any more, TDO is 0 or noise: no power" },
};

/* What the line does by itself is not taken for data; and a TAP that was off begins anew. */
START_TEST(a_tap_that_falls_silent)
{
	const struct pt_vjtap_config *const both[] = { &dap, &fpga };
	uint8_t ir = IR_DATA, in[5];
	struct pt_jtag_op list[] = {
		{ .what = PT_JTAG_IR, .n_bits = 6, .out = &ir },
		{ .what = PT_JTAG_DR, .n_bits = 36, .in = in },
		{ .what = PT_JTAG_IR, .n_bits = 6, .out = &ir },
	};
	size_t n_done;

	make(both, 2);
	ck_assert_int_eq(pt_jtag_chain_find(&chain, &fake_jtag_ops, &fake, NULL, &err), 0);
	captured = UINT64_C(0x812345678);
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 1, list, 3, 100, &n_done, &err), 0);
	ck_assert_uint_eq(n_done, 3);
	fake.tdo = silences[_i].tdo;
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 1, list, 3, 100, &n_done, &err), PT_EPROTO);
	ck_assert_msg(strncmp(err.msg, silences[_i].says, strlen(silences[_i].says)) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, 0);
	ck_assert_ptr_null(list[0].in);
	ck_assert_ptr_null(list[2].in);
	fake.tdo = FAKE_JTAG_FINE;
	for (size_t i = 0; i < 2; i++)
		pt_vjtap_reset(&taps[i]);
	ck_assert_int_eq(pt_jtag_chain_run(&chain, 1, list, 3, 100, &n_done, &err), 0);
	ck_assert_mem_eq(in, ((uint8_t[]){ 0x78, 0x56, 0x34, 0x12, 0x08 }), 5);
}
END_TEST

static const struct {
	const char *name;
	const struct pt_vjtap_config *configs[4];
	size_t n;
	const char *word;	/* of the settings */
	enum fake_jtag_tdo tdo;
	const char *says;	/* NULL: it is found */
} chains[] = {
	{ "nothing connected", { NULL }, 0, NULL, FAKE_JTAG_FINE, "TDO is always 1" },
	{ "stuck at 0", { &fpga }, 1, NULL, FAKE_JTAG_TDO_0, "TDO is always 0" },
	{ "stuck at 1", { &fpga }, 1, NULL, FAKE_JTAG_TDO_1, "TDO is always 1" },
	{ "noise", { &fpga }, 1, NULL, FAKE_JTAG_TDO_NOISE, "more than 16 TAPs" },
	{ "one that nobody knows", { &nameless }, 1, NULL, FAKE_JTAG_FINE, NULL },
	{ "two that nobody knows", { &nameless, &nameless }, 2, NULL, FAKE_JTAG_FINE,
	  "have 10 bits together; whose are how many of them? Set "
	  "jtag.ir.len (TAP 0 has no IDCODE, TAP 1 has no IDCODE)" },
	{ "two that the user knows", { &nameless, &nameless }, 2, "jtag.ir.len=5,5", FAKE_JTAG_FINE, NULL },
	{ "one of two is enough", { &nameless, &nameless }, 2, "jtag.ir.len=5", FAKE_JTAG_FINE, NULL },
	{ "too many bits", { &dap, &fpga }, 2, "jtag.ir.len=4,8", FAKE_JTAG_FINE, "have 10 bits, those of its TAPs "
	  "12; see jtag.ir.len (TAP 0 is 0x4ba00477 (Arm JTAG-DP), TAP 1 is 0x13722093 (not known))" },
	{ "shared out wrongly", { &dap, &fpga }, 2, "jtag.ir.len=5,5", FAKE_JTAG_FINE, "TAP 1 does not begin with 01" },
	{ "no length", { &fpga }, 1, "jtag.ir.len=six", FAKE_JTAG_FINE, "not a length from 2 to 32" },
};

START_TEST(says_what_is_wrong_with_a_chain)
{
	struct pt_params *settings = pt_params_new();
	int rc;

	make(chains[_i].configs, chains[_i].n);
	fake.tdo = chains[_i].tdo;
	if (chains[_i].word != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_jtag_params, pt_n_jtag_params, chains[_i].word, &err), 0);
	rc = pt_jtag_chain_find(&chain, &fake_jtag_ops, &fake, settings, &err);
	if (chains[_i].says == NULL)
		ck_assert_msg(rc == 0, "%s: %s", chains[_i].name, err.msg);
	else
		ck_assert_msg(rc < 0 && strstr(err.msg, chains[_i].says) != NULL, "%s: %s", chains[_i].name, err.msg);
	pt_params_free(settings);
}
END_TEST

static const struct {
	uint32_t idcode;
	unsigned ir_bits;
	uint32_t user2;		/* 0: the part is not known, or has none */
} codes[] = {			/* Source: UG570, "Instruction Register"; OpenOCD's TAP configurations */
	{ 0x13722093, 6, 0x03 }, { 0x0362d093, 0, 0x03 }, { 0x04001093, 6, 0x03 }, { 0x0424a093, 10, 0x3c3 },
	{ 0x14738093, 12, 0x903 }, { 0x03822093, 6, 0x03 }, { 0x04b31093, 18, 0x03924 }, { 0x03842093, 12, 0x0e4 },
	{ 0x04b51093, 24, 0x0e4924 }, { 0x136b3093, 24, 0x0e4924 }, { 0x036d5093, 0, 0x0e4924 }, { 0x036d9093, 22, 0 },
	{ 0x14ca8093, 6, 0 }, { 0x04e81093, 6, 0x03 }, { 0x03822093, 0, 0 }, { 0x5ba00477, 4, 0 }, { 0x0ba00477, 0, 0 },
	{ 0x12345679, 6, 0 },
	{ 0x03822093, 7, 0 },
};

START_TEST(knows_the_codes_of_parts)
{
	const struct pt_jtag_part *part = pt_jtag_part_of(codes[_i].idcode, codes[_i].ir_bits);

	ck_assert_uint_eq(part != NULL ? part->user[1] : 0, codes[_i].user2);
}
END_TEST

START_TEST(the_user_knows_better)
{
	const struct pt_vjtap_config *const two[] = { &nameless, &fpga };
	struct pt_params *settings = pt_params_new();
	uint32_t code;

	make(two, 2);
	ck_assert_msg(pt_jtag_chain_find(&chain, &fake_jtag_ops, &fake, NULL, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(pt_jtag_chain_user(&chain, 1, 2, NULL, &code, &err), 0);
	ck_assert_uint_eq(code, 0x03);
	ck_assert_int_eq(pt_jtag_chain_user(&chain, 0, 2, NULL, &code, &err), PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "jtag.ir.user2"));
	pt_params_add(settings, pt_jtag_params, pt_n_jtag_params, "jtag.ir.user2=0x12", &err);
	pt_params_add(settings, pt_jtag_params, pt_n_jtag_params, "jtag.ir.user3=0x20", &err);
	pt_params_add(settings, pt_jtag_params, pt_n_jtag_params, "jtag.tap=0", &err);
	ck_assert_int_eq(pt_jtag_chain_tap(&chain, settings, &err), 0);
	ck_assert_int_eq(pt_jtag_chain_user(&chain, 0, 2, settings, &code, &err), 0);
	ck_assert_uint_eq(code, 0x12);
	ck_assert_int_eq(pt_jtag_chain_user(&chain, 0, 3, settings, &code, &err), PT_EARG);	/* 6 bits into 5 */
	pt_params_add(settings, pt_jtag_params, pt_n_jtag_params, "jtag.tap=2", &err);
	ck_assert_int_eq(pt_jtag_chain_tap(&chain, settings, &err), PT_EARG);
	ck_assert_str_eq(err.msg, "jtag.tap=2: there is none of that number (TAP 0 has no IDCODE, TAP 1 is 0x13722093 "
				  "(7 "
				  "series or Zynq-7000 PL))");
	pt_params_free(settings);
}
END_TEST

static const struct {
	const struct pt_vjtap_config *configs[4];
	size_t n;
	int tap;		/* PT_EARG: nobody knows */
	const char *says;
} meant[] = {
	{ { &fpga }, 1, 0, "" },
	{ { &nameless }, 1, 0, "" },
	{ { &dap, &fpga }, 2, 1, "" },
	{ { &fpga, &nameless, &dap }, 3, 0, "" },
	{ { &zynqmp_bypass, &zynqmp }, 2, 1, "" },	/* after power-up the DAP is a bit of BYPASS */
	{ { &fpga, &dap, &fpga }, 3, PT_EARG, "the chain has 3 TAPs, and several may be meant: set jtag.tap (TAP 0 is "
	  "0x13722093 (7 series or Zynq-7000 PL), TAP 1 is 0x4ba00477 (Arm JTAG-DP), TAP 2 is" },
	{ { &dap, &nameless }, 2, PT_EARG, "the chain has 2 TAPs, and none is known to be the one that is meant: set "
	  "jtag.tap (TAP 0 is 0x4ba00477 (Arm JTAG-DP), TAP 1 has no IDCODE)" },
};

START_TEST(finds_the_one_that_is_meant)
{
	int tap;

	make(meant[_i].configs, meant[_i].n);
	ck_assert_msg(pt_jtag_chain_find(&chain, &fake_jtag_ops, &fake, NULL, &err) == 0, "%s", err.msg);
	tap = pt_jtag_chain_tap(&chain, NULL, &err);
	ck_assert_int_eq(tap, meant[_i].tap);
	ck_assert_msg(strncmp(err.msg, meant[_i].says, strlen(meant[_i].says)) == 0, "%s", err.msg);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jtag");
	TCase *tc = tcase_create("jtag");

	tcase_add_loop_test(tc, walks_as_the_standard_draws, 0, PT_LEN(walks));
	tcase_add_test(tc, any_cut_gives_the_same_bits);
	tcase_add_test(tc, bits_are_copied_from_anywhere_to_anywhere);
	tcase_add_loop_test(tc, refuses_what_cannot_be_run, 0, PT_LEN(bad));
	tcase_add_test(tc, finds_a_chain);
	tcase_add_test(tc, scans_one_tap_of_a_chain);
	tcase_add_loop_test(tc, a_tap_that_falls_silent, 0, PT_LEN(silences));
	tcase_add_loop_test(tc, says_what_is_wrong_with_a_chain, 0, PT_LEN(chains));
	tcase_add_loop_test(tc, knows_the_codes_of_parts, 0, PT_LEN(codes));
	tcase_add_test(tc, the_user_knows_better);
	tcase_add_loop_test(tc, finds_the_one_that_is_meant, 0, PT_LEN(meant));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
