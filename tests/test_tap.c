/* The TAP model, clocked as a host would: the state machine, IDCODE and BYPASS, registers of both kinds behind
 * instructions, and several TAPs on one cable. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/wire/jtag_pins.h"

enum { IR_IDCODE = 0x09, IR_DATA = 0x0a, IR_USER2 = 0x03, IR_NOBODYS = 0x11 };
enum { FIRST_ID = 0x0362d093, SECOND_ID = 0x4ba00477 };

/* What stands behind the instructions: a register of 35 bits, and user logic that gives back each bit inverted, 3
 * later. */
static uint64_t captured, updated;
static unsigned n_updates, n_resets, delay_line, n_advances;
static uint64_t advanced_ns;

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

static unsigned line_tdo(void *arg)
{
	(void)arg;
	return ~delay_line & 1;
}

static void line_shift(void *arg, unsigned tdi)
{
	(void)arg;
	delay_line = delay_line >> 1 | (tdi & 1) << 2;
}

static void on_reset(void *arg)
{
	(void)arg;
	n_resets++;
}

static const struct pt_vdr rows[] = {
	{ .ir = IR_DATA, .bits = 35, .capture = capture, .update = update },
	{ .ir = IR_USER2, .tdo = line_tdo, .shift = line_shift, .update = update },
};

static struct pt_vjtap fpga, dap;
static struct pt_vjtap *const both[] = { &dap, &fpga };
static size_t n_taps;

static struct pt_vjtap *const *taps(struct pt_vboard *board, size_t *n)
{
	(void)board;
	*n = n_taps;
	return both + PT_LEN(both) - n_taps;
}

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	(void)board;
	advanced_ns = to_ns;
	n_advances++;
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	(void)board, (void)asserted;
}

static const struct pt_vboard_ops ops = { .name = "chain", .taps = taps, .advance = advance, .set_nreset = set_nreset };
static struct pt_vpace pace;
static struct pt_vclock tck;
static struct pt_vjtag jtag;

/* Alone: the FPGA; else behind a DAP that is nearer to TDO. */
static void make(size_t n)
{
	static const struct pt_vjtap_config fpga_config = {
		.ir_bits = 6, .ir_capture = 0x35, .has_idcode = true, .idcode = FIRST_ID, .idcode_ir = IR_IDCODE,
		.rows = rows,
		.n_rows = PT_LEN(rows), .reset = on_reset,
	};
	static const struct pt_vjtap_config dap_config = {
		.ir_bits = 4, .ir_capture = 1, .has_idcode = true, .idcode = SECOND_ID, .idcode_ir = 0xe,
	};

	pt_vjtap_init(&fpga, &fpga_config);
	pt_vjtap_init(&dap, &dap_config);
	n_taps = n;
	tck = (struct pt_vclock){ .hz = 1000000 };
	pt_vpace_init(&pace, &ops, NULL, false);
	pt_vjtag_init(&jtag, &pace, &tck, NULL);
	n_updates = n_resets = n_advances = delay_line = 0;
}

/* TMS levels, the first on the left. */
static void walk(const char *tms)
{
	for (; *tms != 0; tms++)
		pt_vjtag_clock(&jtag, *tms == '1', 1);
}

/* From Shift to Exit1. */
static uint64_t shift(uint64_t out, unsigned n)
{
	uint64_t in = 0;

	for (unsigned i = 0; i < n; i++)
		in |= (uint64_t)pt_vjtag_clock(&jtag, i + 1 == n, out >> i & 1) << i;
	return in;
}

static uint64_t scan_dr(uint64_t out, unsigned n)
{
	uint64_t in;

	walk("100");
	in = shift(out, n);
	walk("10");
	return in;
}

static uint64_t scan_ir(uint64_t out, unsigned n)
{
	uint64_t in;

	walk("1100");
	in = shift(out, n);
	walk("10");
	return in;
}

/* The path that gets there from Test-Logic-Reset, by the standard's figure. */
static const struct { enum pt_vjtap_state state; const char *tms; } paths[] = {
	{ PT_VJTAP_RESET, "" }, { PT_VJTAP_IDLE, "0" }, { PT_VJTAP_SELECT_DR, "01" }, { PT_VJTAP_CAPTURE_DR, "010" },
	{ PT_VJTAP_SHIFT_DR, "0100" }, { PT_VJTAP_EXIT1_DR, "0101" }, { PT_VJTAP_PAUSE_DR, "01010" },
	{ PT_VJTAP_EXIT2_DR, "010101" }, { PT_VJTAP_SHIFT_DR, "0101010" }, { PT_VJTAP_UPDATE_DR, "0101011" },
	{ PT_VJTAP_SELECT_DR, "01010111" }, { PT_VJTAP_SELECT_IR, "011" }, { PT_VJTAP_CAPTURE_IR, "0110" },
	{ PT_VJTAP_SHIFT_IR, "01100" }, { PT_VJTAP_EXIT1_IR, "01101" }, { PT_VJTAP_PAUSE_IR, "011010" },
	{ PT_VJTAP_EXIT2_IR, "0110101" }, { PT_VJTAP_UPDATE_IR, "01101011" }, { PT_VJTAP_IDLE, "011010110" },
	{ PT_VJTAP_RESET, "0111" },
};

START_TEST(follows_the_figure_and_five_highs_reset_it)
{
	make(1);
	walk(paths[_i].tms);
	ck_assert_int_eq(fpga.state, paths[_i].state);
	walk("11111");
	ck_assert_int_eq(fpga.state, PT_VJTAP_RESET);
}
END_TEST

START_TEST(says_its_idcode_after_reset_and_bypasses_unknown_instructions)
{
	make(1);
	walk("0");
	ck_assert_uint_eq(scan_dr(0xffffffff, 32), FIRST_ID);
	ck_assert_uint_eq(scan_ir(IR_NOBODYS, 6), 0x35);
	ck_assert_uint_eq(scan_dr(0x5a, 9), 0x5a << 1);
	scan_ir(0x3f, 6);
	ck_assert_uint_eq(scan_dr(0x1f, 6), 0x1f << 1);
	scan_ir(IR_IDCODE, 6);
	ck_assert_uint_eq(scan_dr(0x2, 34), FIRST_ID | UINT64_C(2) << 32);	/* what was shifted in follows */
}
END_TEST

START_TEST(registers_are_captured_and_updated)
{
	make(1);
	walk("0");
	scan_ir(IR_DATA, 6);
	captured = UINT64_C(0x512345678);
	ck_assert_uint_eq(scan_dr(UINT64_C(0x7aabbccdd), 35), captured);
	ck_assert_uint_eq(updated, UINT64_C(0x7aabbccdd));
	ck_assert_uint_eq(n_updates, 1);
	walk("10110");		/* captured and updated without a shift */
	ck_assert_uint_eq(n_updates, 2);
	ck_assert_uint_eq(updated, captured);
}
END_TEST

START_TEST(user_logic_shifts_by_itself)
{
	make(1);
	walk("0");
	scan_ir(IR_USER2, 6);
	ck_assert_uint_eq(scan_dr(0x2c, 9), (~(UINT64_C(0x2c) << 3)) & 0x1ff);
	ck_assert_uint_eq(n_updates, 1);
}
END_TEST

START_TEST(a_chain_has_its_bits_in_order)
{
	make(2);
	walk("0");
	ck_assert_uint_eq(scan_dr(UINT64_MAX, 64), SECOND_ID | (uint64_t)FIRST_ID << 32);
	ck_assert_uint_eq(scan_ir(0xf | IR_DATA << 4, 10), 0x1 | 0x35 << 4);
	captured = UINT64_C(0x412345678);
	ck_assert_uint_eq(scan_dr(UINT64_C(0x123456789) << 1 | 1, 36), captured << 1);
	ck_assert_uint_eq(updated, UINT64_C(0x123456789));
}
END_TEST

START_TEST(pins_of_reset)
{
	make(1);
	walk("0");
	scan_ir(IR_DATA, 6);
	pt_vjtag_set_reset(&jtag, true, false);
	ck_assert_uint_eq(n_resets, 1);
	walk("00");
	ck_assert_int_eq(fpga.state, PT_VJTAP_RESET);	/* held */
	pt_vjtag_set_reset(&jtag, false, false);
	walk("0");
	ck_assert_uint_eq(scan_dr(0, 32), FIRST_ID);
}
END_TEST

/* Each look into the chip is at its own time; an empty cable says ones. */
START_TEST(clocks_take_time)
{
	make(1);
	walk("0");
	scan_ir(IR_DATA, 6);
	scan_dr(0, 35);
	ck_assert_uint_eq(pt_vclock_now_ns(&tck), (1 + 4 + 6 + 2 + 3 + 35 + 2) * 1000);
	ck_assert_uint_eq(advanced_ns, (1 + 4 + 6 + 2 + 3 + 35 + 1) * 1000);
	ck_assert_uint_eq(n_advances, 2);
	make(0);
	walk("0100");
	ck_assert_uint_eq(shift(0, 32), 0xffffffff);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tap");
	TCase *tc = tcase_create("tap");

	tcase_add_loop_test(tc, follows_the_figure_and_five_highs_reset_it, 0, PT_LEN(paths));
	tcase_add_test(tc, says_its_idcode_after_reset_and_bypasses_unknown_instructions);
	tcase_add_test(tc, registers_are_captured_and_updated);
	tcase_add_test(tc, user_logic_shifts_by_itself);
	tcase_add_test(tc, a_chain_has_its_bits_in_order);
	tcase_add_test(tc, pins_of_reset);
	tcase_add_test(tc, clocks_take_time);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
