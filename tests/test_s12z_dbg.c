/* The DBG module alone: reading its trace buffer, register rules, comparators, sequencer and breakpoints. */
#include "s12z_dbg_rig.h"

/* --- reading the buffer */

/* 70 indirect jumps: the ring went round, and the oldest line comes first. */
START_TEST(reads_the_oldest_line_first)
{
	uint8_t lines[PT_VS12Z_DBG_LINES][8];

	profile();
	for (uint32_t i = 0; i < 70; i++) {
		jump(PT_VJUMP_RETURN, 0, 0xff0000 + i);
		pass(200);
	}
	stop_and_read(lines);	/* lines 0 to 71: PTS, 70 PTIB, TERM */
	for (unsigned i = 0; i < 63; i++) {
		ck_assert_uint_eq(lines[i][0], 0x01);
		ck_assert_uint_eq(lines[i][5], 7 + i);
	}
	ck_assert_uint_eq(lines[63][0], 0x17);
	ck_assert_uint_eq(get(SR, 1) & 0x80, 0x80);
	ck_assert_uint_eq(get(CNT, 1), 2 * (72 - 64));
}
END_TEST

START_TEST(dbgcnt_may_count_what_waits)
{
	open_dbg(&(struct pt_vs12z_dbg_quirks){ .cnt_pending = true });
	profile();
	play("iii");
	ck_assert_uint_eq(get(CNT, 1), 8);
	pass(4 * 128);
	ck_assert_uint_eq(get(SR, 1) & 0x80, 0);
	ck_assert_uint_eq(get(CNT, 1), 0);
}
END_TEST

/* Each row is a way in which the buffer is not readable. */
static const struct { const char *name; uint8_t tcrh, tcrl, c1; bool unlock, secured; } locks[] = {
	{ "armed", 0x40, 0x00, 0x80, true, false },
	{ "not unlocked", 0x40, 0x00, 0x00, false, false },
	{ "PROFILE set", 0x40, 0x02, 0x00, true, false },
	{ "TSOURCE clear", 0x00, 0x00, 0x00, true, false },
	{ "secured", 0x40, 0x00, 0x00, true, true },
};

START_TEST(a_locked_buffer_gives_the_error_value)
{
	uint8_t line[8], error[8];

	memset(error, 0xee, 8);
	put(TCRH, locks[_i].tcrh);
	put(TCRL, locks[_i].tcrl);
	put(C1, locks[_i].c1);
	secured = locks[_i].secured;
	if (locks[_i].unlock)
		unlock();
	pt_vs12z_dbg_read_line(&dbg, line);
	ck_assert_msg(memcmp(line, error, 8) == 0, "%s", locks[_i].name);
	ck_assert_uint_eq(get(TB, 2), 0xeeee);
}
END_TEST

START_TEST(bytes_of_the_window_do_not_move_it)
{
	put(TCRH, 0x40);
	unlock();
	ck_assert_uint_eq(get(TB, 1), 0xee);
	ck_assert_uint_eq(get(TB + 1, 1), 0xee);
	ck_assert_uint_eq(get(TB, 2), (uint32_t)(dbg.line[0][1] << 8 | dbg.line[0][0]));
}
END_TEST

START_TEST(the_pointer_goes_round)
{
	uint8_t line[8];

	put(TCRH, 0x40);
	unlock();
	for (unsigned i = 0; i < 2 * PT_VS12Z_DBG_LINES; i++) {
		pt_vs12z_dbg_read_line(&dbg, line);
		ck_assert_mem_eq(line, dbg.line[i % PT_VS12Z_DBG_LINES], 8);
	}
}
END_TEST

START_TEST(a_reset_keeps_count_and_lines)
{
	put(TCRH, 0x40);
	put(C1, 0x80);
	jump(PT_VJUMP_RETURN, 0, 0x123456);
	jump(PT_VJUMP_RETURN, 0, 0x123458);
	pt_vs12z_dbg_ops.reset(&dbg, false);
	ck_assert_uint_eq(get(C1, 1), 0);
	ck_assert_uint_eq(get(CNT, 1), 2);
	ck_assert_uint_eq(dbg.line[0][0], 0x56);
	pt_vs12z_dbg_ops.reset(&dbg, true);
	ck_assert_uint_eq(get(CNT, 1), 0);
}
END_TEST

/* --- register rules */

START_TEST(registers_are_locked_while_armed)
{
	static const uint8_t at[] = { C2, TCRH, TCRL, SCR1, SCR2, SCR3, ACTL, ACTL + 5, ACTL + 8, ACTL + 12, DCTL,
		DCTL + 7 };

	put(C1, 0x80);
	for (size_t i = 0; i < PT_LEN(at); i++) {
		put(at[i], 0xff);
		ck_assert_uint_eq(get(at[i], 1), 0);
	}
	put(C1, 0x98);
	ck_assert_uint_eq(get(C1, 1), 0x80);	/* bits 5:0, too */
	put(C1, 0x18);
	ck_assert_uint_eq(get(C1, 1), 0);	/* also in the write that clears ARM */
	put(C1, 0x18);
	ck_assert_uint_eq(get(C1, 1), 0x18);
}
END_TEST

START_TEST(registers_are_locked_while_the_pins_send)
{
	profile();
	play("ii");
	put(C1, 0);
	put(SCR1, 0xff);
	ck_assert_uint_eq(get(SCR1, 1), 0);
	pass(4 * 128);
	put(SCR1, 0xff);
	ck_assert_uint_eq(get(SCR1, 1), 0xff);
}
END_TEST

static const struct { uint32_t at; uint8_t bits; } bits[] = {
	{ C2, 0x0f }, { TCRH, 0x7f }, { TCRL, 0x0f }, { SCR1, 0xff }, { SCR3, 0xff }, { ACTL, 0x6d }, { BCTL, 0x2d },
	{ CCTL, 0x6d }, { DCTL, 0x2d }, { ACTL + 4, 0 }, { ACTL + 5, 0xff }, { ACTL + 8, 0xff }, { ACTL + 15, 0xff },
	{ BCTL + 8, 0 }, { CCTL + 12, 0xff }, { DCTL + 15, 0 }, { CNT, 0 }, { EFR, 0 }, { SR, 0 },
};

START_TEST(registers_have_their_bits)
{
	put(bits[_i].at, 0xff);
	ck_assert_uint_eq(get(bits[_i].at, 1), bits[_i].bits);
}
END_TEST

START_TEST(a_lite_module_has_no_trace_bits)
{
	uint8_t line[8], zero[8] = { 0 };

	open_dbg(&(struct pt_vs12z_dbg_quirks){ .no_trace = true });
	put(TCRH, 0x40);
	put(TCRL, 0x02);
	put(CCTL, 0x01);
	ck_assert_uint_eq(get(TCRH, 1) | get(TCRL, 1) | get(CCTL, 1), 0);
	pt_vs12z_dbg_read_line(&dbg, line);
	ck_assert_mem_eq(line, zero, 8);
}
END_TEST

START_TEST(a_secured_part_does_not_trace)
{
	secured = true;
	profile();
	play("i");
	ck_assert_uint_eq(get(TCRH, 1) & 0x40, 0);
	ck_assert_uint_eq(dbg.n_lines, 0);
}
END_TEST

/* --- comparators: one access against comparator A */

static const struct {
	const char *name;
	uint8_t control, c2;
	uint32_t a, b;
	uint32_t value, mask;	/* of DBGAD and DBGADM */
	uint32_t addr, data;
	uint8_t size_bytes;
	char what;		/* r, w, x */
	bool match;
} accesses[] = {
	{ "off", 0x00, 0, 0x1000, 0, 0, 0, 0x1000, 0, 1, 'w', false },
	{ "any access", 0x01, 0, 0x1000, 0, 0, 0, 0x1000, 0, 1, 'w', true },
	{ "another address", 0x01, 0, 0x1000, 0, 0, 0, 0x1001, 0, 1, 'w', false },
	{ "inside a long", 0x01, 0, 0x1003, 0, 0, 0, 0x1000, 0, 4, 'r', true },
	{ "writes only: write", 0x05, 0, 0x1000, 0, 0, 0, 0x1000, 0, 1, 'w', true },
	{ "writes only: read", 0x05, 0, 0x1000, 0, 0, 0, 0x1000, 0, 1, 'r', false },
	{ "reads only: read", 0x0d, 0, 0x1000, 0, 0, 0, 0x1000, 0, 1, 'r', true },
	{ "op-code", 0x21, 0, 0xff8000, 0, 0, 0, 0xff8000, 0, 1, 'x', true },
	{ "op-code, data access", 0x21, 0, 0x1000, 0, 0, 0, 0x1000, 0, 1, 'r', false },
	{ "data, op-code", 0x01, 0, 0xff8000, 0, 0, 0, 0xff8000, 0, 1, 'x', false },
	{ "inside: at the lower end", 0x01, 1, 0x1000, 0x10ff, 0, 0, 0x1000, 0, 1, 'w', true },
	{ "inside: at the upper end", 0x01, 1, 0x1000, 0x10ff, 0, 0, 0x10ff, 0, 1, 'w', true },
	{ "inside: behind", 0x01, 1, 0x1000, 0x10ff, 0, 0, 0x1100, 0, 1, 'w', false },
	{ "outside: inside", 0x01, 2, 0x1000, 0x10ff, 0, 0, 0x1080, 0, 1, 'w', false },
	{ "outside: behind", 0x01, 2, 0x1000, 0x10ff, 0, 0, 0x1100, 0, 1, 'w', true },
	{ "op-code range", 0x21, 1, 0xff8000, 0xff80ff, 0, 0, 0xff8055, 0, 1, 'x', true },
	{ "value of a long", 0x01, 0, 0x1000, 0, 0x12345678, 0xffffffff, 0x1000, 0x12345678, 4, 'w', true },
	{ "another value", 0x01, 0, 0x1000, 0, 0x12345678, 0xffffffff, 0x1000, 0x12345679, 4, 'w', false },
	{ "masked", 0x01, 0, 0x1000, 0, 0x12345678, 0xffffff00, 0x1000, 0x12345699, 4, 'w', true },
	{ "value of a byte in its lane", 0x01, 0, 0x1002, 0, 0x0000aa00, 0xffffffff, 0x1002, 0xaa, 1, 'w', true },
	{ "NDB, the value", 0x41, 0, 0x1000, 0, 0x12345678, 0xffffffff, 0x1000, 0x12345678, 4, 'w', false },
	{ "NDB, another", 0x41, 0, 0x1000, 0, 0x12345678, 0xffffffff, 0x1000, 0, 4, 'w', true },
};

static void play_access(size_t i)
{
	if (accesses[i].what == 'x')
		insn(accesses[i].addr);
	else
		data(accesses[i].addr, accesses[i].size_bytes, accesses[i].what == 'w', accesses[i].data);
}

START_TEST(comparator_matches)
{
	for (unsigned n = 0; n < 4; n++) {
		put(ACTL + 8 + n, (uint8_t)(accesses[_i].value >> (24 - 8 * n)));
		put(ACTL + 12 + n, (uint8_t)(accesses[_i].mask >> (24 - 8 * n)));
	}
	comparator(BCTL, 0, accesses[_i].b);
	comparator(ACTL, accesses[_i].control, accesses[_i].a);
	put(C2, accesses[_i].c2);
	put(SCR1, 0x03);
	put(C1, 0x80);
	play_access((size_t)_i);
	ck_assert_msg((get(EFR, 1) & 1) == accesses[_i].match, "%s", accesses[_i].name);
	ck_assert_msg((get(C1, 1) & 0x80) == (accesses[_i].match ? 0 : 0x80), "%s", accesses[_i].name);
}
END_TEST

/* --- sequencer: channels 0 to 3 are writes to 0x1000 to 0x1003; a letter for each state after it */

static const struct { uint8_t scr1, scr2, scr3; const char *writes, *states; } sequences[] = {
	{ 0x01, 0, 0, "0", "2" },			/* A: State2 */
	{ 0x02, 0, 0, "0", "3" },
	{ 0x03, 0, 0, "0", "0" },			/* Final State, and without trace State0 */
	{ 0x04, 0x01, 0, "10", "21" },			/* B: State2, there A: State1 */
	{ 0x04, 0x02, 0x01, "100", "231" },
	{ 0x80, 0x00, 0x40, "3", "3" },			/* D: State3 */
	{ 0x80, 0x00, 0x80, "33", "32" },
	{ 0x30, 0, 0, "2", "0" },			/* C: Final */
	{ 0x01, 0, 0, "123", "111" },
};

START_TEST(sequencer_goes)
{
	for (uint32_t n = 0; n < 4; n++)
		comparator(ACTL + 0x10 * n, 0x01, 0x1000 + n);
	put(SCR1, sequences[_i].scr1);
	put(SCR2, sequences[_i].scr2);
	put(SCR3, sequences[_i].scr3);
	put(C1, 0x80);
	ck_assert_uint_eq(get(SR, 1) & 7, 1);
	for (size_t i = 0; sequences[_i].writes[i] != '\0'; i++) {
		data(0x1000 + (uint32_t)(sequences[_i].writes[i] - '0'), 1, true, 0);
		ck_assert_uint_eq(get(SR, 1) & 7, (uint32_t)(sequences[_i].states[i] - '0'));
	}
}
END_TEST

START_TEST(final_state_goes_before_lower_channels)
{
	comparator(ACTL, 0x01, 0x1000);
	comparator(BCTL, 0x01, 0x1001);
	put(SCR1, 0x0d);		/* A: State2, B: Final */
	put(C1, 0x80);
	data(0x1000, 2, true, 0);
	ck_assert_uint_eq(get(C1, 1) & 0x80, 0);
	ck_assert_uint_eq(get(EFR, 1), 3);
}
END_TEST

/* --- breakpoints */

static const struct { uint8_t c1; bool enbdc; unsigned breaks, swis; } stops[] = {
	{ 0x80, true, 0, 0 },
	{ 0x88, true, 0, 1 },
	{ 0x98, true, 1, 0 },
	{ 0x98, false, 0, 0 },		/* active background needs ENBDC */
};

START_TEST(breaks_behind_a_data_access)
{
	enbdc = stops[_i].enbdc;
	comparator(ACTL, 0x01, 0x1000);
	put(SCR1, 0x03);
	put(C1, stops[_i].c1);
	data(0x1000, 1, true, 0);
	ck_assert_uint_eq(breaks, stops[_i].breaks);
	ck_assert_uint_eq(swis, stops[_i].swis);
}
END_TEST

START_TEST(breaks_before_an_instruction)
{
	comparator(ACTL, 0x21, 0xff8004);
	put(SCR1, 0x03);
	put(C1, 0x98);
	ck_assert(watched);
	ck_assert(!pt_vs12z_dbg_fetch(&dbg, 0xff8000));
	ck_assert(pt_vs12z_dbg_fetch(&dbg, 0xff8004));
	ck_assert(pt_vs12z_dbg_breaks_into_bdm(&dbg));
	ck_assert_uint_eq(breaks, 0);	/* the fetch itself says so */
	ck_assert(!watched);
}
END_TEST

START_TEST(no_breakpoint_in_step1_or_by_disarming)
{
	comparator(ACTL, 0x21, 0xff8004);
	put(SCR1, 0x03);
	put(C1, 0x98);
	pt_vs12z_dbg_stepping(&dbg, true);
	ck_assert(!pt_vs12z_dbg_fetch(&dbg, 0xff8004));
	ck_assert_uint_eq(get(C1, 1) & 0x80, 0x80);
	pt_vs12z_dbg_stepping(&dbg, false);
	put(C1, 0);
	ck_assert_uint_eq(breaks + swis, 0);
}
END_TEST

START_TEST(trig_works_armed_and_disarmed)
{
	put(C1, 0x18);
	put(C1, 0x58);
	ck_assert_uint_eq(breaks, 1);
	ck_assert_uint_eq(get(C1, 1), 0x18);	/* TRIG reads 0 */
	put(C1, 0x98);
	put(C1, 0xd8);
	ck_assert_uint_eq(breaks, 2);
	ck_assert_uint_eq(get(C1, 1) & 0x80, 0);
	ck_assert_uint_eq(get(EFR, 1) & 0x40, 0x40);
}
END_TEST

/* --- external event */

START_TEST(an_event_can_be_channel_3)
{
	put(SCR1, 0x40);		/* channel 3: State2 */
	put(C1, 0x82);
	pt_vs12z_dbg_event(&dbg, true);
	ck_assert_uint_eq(get(SR, 1) & 7, 2);
	ck_assert_uint_eq(get(EFR, 1) & 0x10, 0x10);
}
END_TEST

static void add_buffer(TCase *tc)
{
	tcase_add_test(tc, reads_the_oldest_line_first);
	tcase_add_test(tc, dbgcnt_may_count_what_waits);
	tcase_add_loop_test(tc, a_locked_buffer_gives_the_error_value, 0, PT_LEN(locks));
	tcase_add_test(tc, bytes_of_the_window_do_not_move_it);
	tcase_add_test(tc, the_pointer_goes_round);
	tcase_add_test(tc, a_reset_keeps_count_and_lines);
	tcase_add_test(tc, registers_are_locked_while_armed);
	tcase_add_test(tc, registers_are_locked_while_the_pins_send);
	tcase_add_loop_test(tc, registers_have_their_bits, 0, PT_LEN(bits));
	tcase_add_test(tc, a_lite_module_has_no_trace_bits);
	tcase_add_test(tc, a_secured_part_does_not_trace);
}

static void add_sequencer(TCase *tc)
{
	tcase_add_loop_test(tc, comparator_matches, 0, PT_LEN(accesses));
	tcase_add_loop_test(tc, sequencer_goes, 0, PT_LEN(sequences));
	tcase_add_test(tc, final_state_goes_before_lower_channels);
	tcase_add_loop_test(tc, breaks_behind_a_data_access, 0, PT_LEN(stops));
	tcase_add_test(tc, breaks_before_an_instruction);
	tcase_add_test(tc, no_breakpoint_in_step1_or_by_disarming);
	tcase_add_test(tc, trig_works_armed_and_disarmed);
	tcase_add_test(tc, an_event_can_be_channel_3);
}

int main(void)
{
	Suite *suite = suite_create("s12z dbg");

	add_buffer(cases_of(suite, "buffer and registers"));
	add_sequencer(cases_of(suite, "sequencer"));
	return pt_run_suite(suite);
}
