/* The DBG module alone in profiling mode: lines worked out by hand from S12ZVHY/S12ZVHL RM Rev. 1.05, pp. 222-225,
 * overflow, and the bytes that leave by the pins. */
#include "s12z_dbg_rig.h"

/* --- the worked lines */

static const struct worked {
	const char *what;
	unsigned line, n_bytes;
	uint8_t bytes[8];
	const char *words;
} worked[] = {
	{ "", 0, 4, { 0x00, 0x00, 0x80, 0xff }, "0000 ff80" },
	{ "tnti", 1, 8, { 0x01, 0x0d, 0, 0, 0, 0x23, 0x81, 0xff }, "0d01 0000 2300 ff81" },
	{ "0x1a4v", 1, 8, { 0x03, 0x01, 0, 0, 0, 0xea, 0xa4, 0x01 }, "0103 0000 ea00 01a4" },
	{ "T", 1, 6, { 0x02, 0xff, 0xff, 0xff, 0xff, 0 }, "ff02 ffff 00ff" },
	{ "Nt", 1, 6, { 0x02, 0x01, 0, 0, 0x80, 0 }, "0102 0000 0080" },
	{ "16S", 1, 8, { 0x17, 0x01, 0, 0, 0, 0, 0x10, 0 }, "0117 0000 0000 0010" },
	{ "65536", 1, 8, { 0x47, 0x01, 0, 0, 0, 0, 0, 0 }, "0147 0000 0000 0000" },
	{ "tn65536", 1, 8, { 0x47, 0x06, 0, 0, 0, 0, 0, 0 }, NULL },
	{ "100t20v", 1, 8, { 0x03, 0x03, 0, 0, 0, 0xea, 20, 0 }, NULL },	/* since the change of flow before */
};

START_TEST(makes_the_worked_line)
{
	const struct worked *w = &worked[_i];
	uint8_t lines[PT_VS12Z_DBG_LINES][8];
	char words[24] = "";

	profile();
	play(w->what);
	stop_and_read(lines);
	ck_assert_mem_eq(lines[w->line], w->bytes, w->n_bytes);
	unlock();
	for (unsigned i = 0; i < w->line * 4; i++)
		get(TB, 2);
	for (unsigned i = 0; i < w->n_bytes / 2; i++)
		snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s%04x", i > 0 ? " " : "", get(TB, 2));
	if (w->words != NULL)
		ck_assert_str_eq(words, w->words);
}
END_TEST

/* What changes the flow without being recorded, and what is recorded by choice. */
static const struct {
	enum pt_vjump how;
	uint32_t detail;
	struct pt_vs12z_dbg_quirks quirks;
	bool recorded;
} flows[] = {
	{ PT_VJUMP_GOTO, 0, { 0 }, false },
	{ PT_VJUMP_CALL, 0, { 0 }, false },
	{ PT_VJUMP_DEBUG, 0, { 0 }, false },
	{ PT_VJUMP_RETURN, 0, { 0 }, true },
	{ PT_VJUMP_EXC_RETURN, 0, { 0 }, true },
	{ PT_VJUMP_GOTO_OPERAND, PT_VS12Z_AT_INDEX, { 0 }, true },
	{ PT_VJUMP_CALL_OPERAND, PT_VS12Z_AT_INDIRECT, { 0 }, true },
	{ PT_VJUMP_CALL_OPERAND, PT_VS12Z_AT_VALUE, { 0 }, true },
	{ PT_VJUMP_GOTO_OPERAND, PT_VS12Z_AT_EXTENDED, { 0 }, false },
	{ PT_VJUMP_CALL_OPERAND, PT_VS12Z_AT_EXTENDED, { .extended_indirect = true }, true },
	{ PT_VJUMP_GOTO_OPERAND, PT_VS12Z_AT_PC, { 0 }, true },
	{ PT_VJUMP_GOTO_OPERAND, PT_VS12Z_AT_PC, { .pc_relative_direct = true }, false },
	{ PT_VJUMP_EXCEPTION, 0xfffff0, { 0 }, true },				/* SWI */
	{ PT_VJUMP_EXCEPTION, 0xfffff0, { .software_silent = true }, false },
	{ PT_VJUMP_EXCEPTION, 0xffffcc, { .software_silent = true }, true },	/* vector 12 */
};

START_TEST(records_what_is_indirect)
{
	open_dbg(&flows[_i].quirks);
	profile();
	jump(flows[_i].how, flows[_i].detail, 0xff8123);
	ck_assert_uint_eq(dbg.n_lines, flows[_i].recorded ? 2 : 1);
}
END_TEST

START_TEST(swaps_addresses_when_told)
{
	static const uint8_t start[] = { 0x00, 0xff, 0x80, 0x00 };
	static const uint8_t indirect[] = { 0x01, 0x01, 0, 0, 0, 0xff, 0x81, 0x23 };
	uint8_t lines[PT_VS12Z_DBG_LINES][8];

	open_dbg(&(struct pt_vs12z_dbg_quirks){ .swap24 = true });
	profile();
	play("i");
	stop_and_read(lines);
	ck_assert_mem_eq(lines[0], start, 4);
	ck_assert_mem_eq(lines[1], indirect, 8);
}
END_TEST

START_TEST(a_line_can_be_the_base_of_time)
{
	open_dbg(&(struct pt_vs12z_dbg_quirks){ .stamp_by_line = true });
	profile();
	play("100t20v");
	ck_assert_uint_eq(dbg.line[1][6], 120);
}
END_TEST

/* --- overflow */

static const struct { struct pt_vs12z_dbg_quirks quirks; uint8_t info; unsigned lines; } overflows[] = {
	{ { 0 }, 0x31, 64 },
	{ { .tbovf_alone = true }, 0x21, 64 },
	{ { .tbovf_ptw = true }, 0x37, 64 },
	{ { .tbovf_ptw = true, .tbovf_alone = true }, 0x27, 64 },
};

START_TEST(sixty_four_waiting_lines_end_a_session)
{
	open_dbg(&overflows[_i].quirks);
	profile();
	for (int i = 0; i < 200 && (get(C1, 1) & 0x80) != 0; i++)
		play("i");
	ck_assert_uint_eq(dbg.n_lines, overflows[_i].lines);
	ck_assert_uint_eq(dbg.line[63][0], overflows[_i].info);
	ck_assert_uint_eq(get(EFR, 1) & 0x80, 0x80);
	ck_assert_uint_eq(get(SR, 1) & 0x17, 0x10);	/* State0, still sending */
	ck_assert_uint_eq(breaks + swis, 0);
	put(C1, 0x80);
	ck_assert_uint_eq(get(C1, 1), 0);		/* not while it sends */
	pass(64 * 128);
	put(C1, 0x80);
	ck_assert_uint_eq(get(C1, 1), 0x80);
	ck_assert_uint_eq(get(EFR, 1), 0);
}
END_TEST

START_TEST(an_overflow_is_a_breakpoint_if_asked)
{
	put(TCRH, 0x40);
	put(TCRL, 0x06);
	put(C1, 0x98);
	for (int i = 0; i < 64; i++)
		play("i");
	ck_assert_uint_eq(breaks, 1);
}
END_TEST

static const struct { const char *name, *played; } last_lines[] = {
	{ "31 branches", "Nn" }, { "an indirect jump", "i" }, { "a vector", "v" }, { "time", "65536" },
};

START_TEST(whatever_makes_the_last_line_ends_the_session)
{
	const struct pt_vs12z_dbg_quirks holds = { .pdoe_holds = true };

	open_dbg(&holds);
	put(TCRH, 0x40);
	put(TCRL, 0x02);
	put(C1, 0x98);
	for (int i = 0; i < 62; i++)
		play(last_lines[_i].played);
	ck_assert_msg(breaks == 0 && (get(C1, 1) & 0x80) != 0, "%s: too early", last_lines[_i].name);
	play(last_lines[_i].played);
	ck_assert_msg(breaks == 1 && (get(C1, 1) & 0x80) == 0, "%s: %u", last_lines[_i].name, breaks);
	play(last_lines[_i].played);
	ck_assert_uint_eq(breaks, 1);
	ck_assert_uint_eq(dbg.n_lines, 64);
}
END_TEST

START_TEST(below_the_pins_bandwidth_nothing_overflows)
{
	profile();
	for (int i = 0; i < 5000; i++)
		play("i128");
	ck_assert_uint_eq(get(C1, 1) & 0x80, 0x80);
	ck_assert_uint_eq(dbg.n_lines, 5001);
	ck_assert_uint_le(dbg.pending, 2);
}
END_TEST

START_TEST(without_the_pins_it_drains_or_holds)
{
	for (int holds = 0; holds < 2; holds++) {
		open_dbg(&(struct pt_vs12z_dbg_quirks){ .pdoe_holds = holds });
		put(TCRH, 0x40);
		put(TCRL, 0x02);
		put(C1, 0x80);
		for (int i = 0; i < 500; i++)
			play("i200");
		ck_assert_uint_eq(get(C1, 1), holds ? 0 : 0x80);
		ck_assert_uint_eq(dbg.n_lines, holds ? 64 : 501);
		put(C1, 0);
		pass(10000);
		ck_assert_uint_eq(get(SR, 1) & 0x10, 0);
	}
}
END_TEST

/* --- pins */

static uint8_t heard[2000];
static uint64_t heard_at[2000];
static size_t n_heard;
static unsigned last_bits;

static void on_bits(void *arg, uint64_t cycle, uint8_t byte, unsigned n_bits)
{
	(void)arg;
	ck_assert_uint_lt(n_heard, PT_LEN(heard));
	heard_at[n_heard] = cycle;
	heard[n_heard++] = byte;
	last_bits = n_bits;
}

static const struct pt_vpdo_listener listener = { .bits = on_bits };

static const struct { bool pthf_5; const char *what; size_t n_bytes; } streams[] = {
	{ false, "i", 4 + 8 + 8 }, { false, "T", 4 + 6 + 8 }, { true, "T", 4 + 5 + 8 },
	{ false, "v65536", 4 + 8 + 8 + 8 },
};

START_TEST(the_pins_send_the_used_bytes)
{
	open_dbg(&(struct pt_vs12z_dbg_quirks){ .pthf_5 = streams[_i].pthf_5 });
	n_heard = 0;
	dbg.pdo.listener = &listener;
	profile();
	play(streams[_i].what);
	put(C1, 0);
	pass(2000);
	dbg.pdo.settle(dbg.pdo.unit);
	ck_assert_uint_eq(n_heard, streams[_i].n_bytes);
	ck_assert_uint_eq(heard_at[0], 1000);
	ck_assert_uint_eq(heard_at[3], 1000 + 3 * PT_VPDO_BYTE_CYCLES);
	ck_assert_uint_eq(heard[0], 0x00);
	ck_assert_uint_eq(heard[3], 0xff);
	ck_assert_uint_eq(heard[n_heard - 8], 0x17);
}
END_TEST

START_TEST(without_pdoe_the_pins_are_silent)
{
	n_heard = 0;
	dbg.pdo.listener = &listener;
	put(TCRH, 0x40);
	put(TCRL, 0x02);
	put(C1, 0x80);
	play("iii2000");
	dbg.pdo.settle(dbg.pdo.unit);
	ck_assert_uint_eq(n_heard, 0);
}
END_TEST

START_TEST(a_reset_cuts_a_byte)
{
	n_heard = 0;
	dbg.pdo.listener = &listener;
	profile();
	pass(PT_VPDO_BYTE_CYCLES + 5);
	pt_vs12z_dbg_ops.reset(&dbg, false);
	ck_assert_uint_eq(n_heard, 2);
	ck_assert_uint_eq(last_bits, 2);
	ck_assert_uint_eq(get(SR, 1), 0);
}
END_TEST

static void add_profiling(TCase *tc)
{
	tcase_add_loop_test(tc, makes_the_worked_line, 0, PT_LEN(worked));
	tcase_add_loop_test(tc, records_what_is_indirect, 0, PT_LEN(flows));
	tcase_add_test(tc, swaps_addresses_when_told);
	tcase_add_test(tc, a_line_can_be_the_base_of_time);
	tcase_add_loop_test(tc, sixty_four_waiting_lines_end_a_session, 0, PT_LEN(overflows));
	tcase_add_test(tc, an_overflow_is_a_breakpoint_if_asked);
	tcase_add_loop_test(tc, whatever_makes_the_last_line_ends_the_session, 0, PT_LEN(last_lines));
	tcase_add_test(tc, below_the_pins_bandwidth_nothing_overflows);
	tcase_add_test(tc, without_the_pins_it_drains_or_holds);
	tcase_add_loop_test(tc, the_pins_send_the_used_bytes, 0, PT_LEN(streams));
	tcase_add_test(tc, without_pdoe_the_pins_are_silent);
	tcase_add_test(tc, a_reset_cuts_a_byte);
}

int main(void)
{
	Suite *suite = suite_create("s12z dbg profiling");

	add_profiling(cases_of(suite, "profiling"));
	return pt_run_suite(suite);
}
