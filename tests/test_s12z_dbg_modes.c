/* The DBG module alone: what its other trace modes (Normal, Loop1, Detail, Pure PC) have in a line, and alignment. */
#include "s12z_dbg_rig.h"

START_TEST(an_event_can_make_an_entry)
{
	static const uint8_t half[] = { 0x00, 0x80, 0xff, 0x04 };

	put(TCRH, 0x40);
	put(C1, 0x81);
	pt_vs12z_dbg_event(&dbg, true);
	pt_vs12z_dbg_event(&dbg, true);		/* a level is no edge */
	ck_assert_uint_eq(get(CNT, 1), 1);
	ck_assert_mem_eq(dbg.line[0], half, 4);
}
END_TEST

/* --- Normal and Loop1 */

START_TEST(normal_mode_has_two_entries_a_line)
{
	static const uint8_t lines[3][8] = {
		{ 0x10, 0x80, 0xff, 0x80, 0x23, 0x81, 0xff, 0xc0 },	/* branch source, return destination */
		{ 0x00, 0x90, 0xff, 0x40, 0x10, 0x80, 0xff, 0x80 },	/* vector destination, branch source */
		{ 0x10, 0x80, 0xff, 0x80 },
	};

	put(TCRH, 0x40);
	put(C1, 0x80);
	ck_assert_uint_eq(get(CNT, 1), 0);
	cond(false);
	cond(true);
	ck_assert_uint_eq(get(CNT, 1), 1);
	play("i");
	ck_assert_uint_eq(get(CNT, 1), 2);
	play("vtt");
	jump(PT_VJUMP_CALL, 0, 0xff8000);
	ck_assert_uint_eq(get(CNT, 1), 5);
	put(C1, 0);
	ck_assert_mem_eq(dbg.line[0], lines[0], 8);
	ck_assert_mem_eq(dbg.line[1], lines[1], 8);
	ck_assert_mem_eq(dbg.line[2], lines[2], 4);
}
END_TEST

START_TEST(loop1_leaves_out_the_same_source)
{
	put(TCRH, 0x44);
	put(C1, 0x80);
	play("ttttittt");
	ck_assert_uint_eq(get(CNT, 1), 3);	/* source, destination, source */
}
END_TEST

START_TEST(stamps_take_a_line_each)
{
	static const uint8_t lines[2][8] = {
		{ 0x10, 0x80, 0xff, 0x80, 0, 0, 0x64, 0x00 },
		{ 0x23, 0x81, 0xff, 0xc1, 0, 0, 0x44, 0x00 },	/* 65604 cycles: TOVF */
	};

	put(TCRH, 0x40);
	put(TCRL, 0x01);
	put(C1, 0x80);
	play("100t65604i");
	ck_assert_uint_eq(get(CNT, 1), 4);
	ck_assert_mem_eq(dbg.line[0], lines[0], 8);
	ck_assert_mem_eq(dbg.line[1], lines[1], 8);
}
END_TEST

START_TEST(comparator_d_makes_a_stamped_entry)
{
	static const uint8_t line[8] = { 0x00, 0x80, 0xff, 0x08, 0, 0, 0x32, 0x00 };

	comparator(DCTL, 0x01, 0x1234);
	put(TCRH, 0x40);
	put(TCRL, 0x09);
	put(C1, 0x80);
	pass(50);
	data(0x1234, 1, true, 0);
	data(0x1235, 1, true, 0);
	ck_assert_uint_eq(get(CNT, 1), 2);
	ck_assert_mem_eq(dbg.line[0], line, 8);
}
END_TEST

/* --- Detail: columns b7..b4 by the low bits of the address */

static const struct { uint32_t addr; uint8_t size_bytes; bool write; uint32_t value; uint8_t line[8]; } details[] = {
	{ 0x1000, 1, true, 0xaa, { 0x00, 0x10, 0x00, 0x00, 0, 0, 0, 0xaa } },
	{ 0x1001, 1, false, 0xaa, { 0x01, 0x10, 0x00, 0x20, 0, 0, 0xaa, 0 } },
	{ 0x1002, 2, true, 0x1234, { 0x02, 0x10, 0x00, 0x40, 0x34, 0x12, 0, 0 } },
	{ 0x1003, 2, true, 0x1234, { 0x03, 0x10, 0x00, 0x40, 0x12, 0, 0, 0x34 } },	/* wraps */
	{ 0x1001, 3, true, 0x123456, { 0x01, 0x10, 0x00, 0x80, 0x56, 0x34, 0x12, 0 } },
	{ 0x1000, 4, false, 0x12345678, { 0x00, 0x10, 0x00, 0xe0, 0x78, 0x56, 0x34, 0x12 } },
	{ 0x1002, 4, true, 0x12345678, { 0x02, 0x10, 0x00, 0xc0, 0x34, 0x12, 0x78, 0x56 } },
};

START_TEST(detail_line)
{
	put(TCRH, 0x48);
	put(C1, 0x80);
	data(details[_i].addr, details[_i].size_bytes, details[_i].write, details[_i].value);
	ck_assert_uint_eq(get(CNT, 1), 2);
	ck_assert_mem_eq(dbg.line[0], details[_i].line, 8);
}
END_TEST

START_TEST(detail_with_stamps_says_who_and_when)
{
	static const uint8_t when[8] = { 0x00, 0x80, 0xff, 0x06, 0, 0, 0x10, 0x00 };

	put(TCRH, 0x48);
	put(TCRL, 0x01);
	put(C1, 0x80);
	pass(16);
	data(0x1000, 1, true, 1);
	ck_assert_mem_eq(dbg.line[1], when, 8);
	data(0x1001, 1, true, 1);		/* back to back: one line */
	ck_assert_uint_eq(get(CNT, 1), 6);
}
END_TEST

static const struct { uint8_t trange; uint32_t addr; bool stored; } ranges[] = {
	{ 0x10, 0x2000, true }, { 0x10, 0x2001, false }, { 0x20, 0x1000, true }, { 0x20, 0x0fff, false },
	{ 0x30, 0x1800, true }, { 0x30, 0x2001, false }, { 0x00, 0x3000, true },
};

START_TEST(detail_keeps_to_its_range)
{
	comparator(CCTL, 0, 0x1000);
	comparator(DCTL, 0, 0x2000);
	put(TCRH, (uint8_t)(0x48 | ranges[_i].trange));
	put(C1, 0x80);
	data(ranges[_i].addr, 1, true, 1);
	ck_assert_uint_eq(get(CNT, 1), ranges[_i].stored ? 2 : 0);
}
END_TEST

/* --- Pure PC */

static const struct { const char *name; uint32_t pcs[6]; unsigned n; uint8_t line[8]; } pures[] = {
	{ "four short ones and a base", { 0xff8001, 0xff8002, 0xff8003, 0xff8004, 0xff8005 }, 5,
	  { 0x01, 0x02, 0x03, 0x04, 0x05, 0x80, 0xff, 0x70 } },
	{ "a base alone at the end", { 0xff8001 }, 1, { 0x01, 0x80, 0xff, 0, 0, 0, 0, 0x31 } },
	{ "another page at once", { 0xff8001, 0x001002, 0x001003 }, 3,
	  { 0x01, 0x80, 0xff, 0x02, 0x03, 0x10, 0x00, 0x71 } },
	{ "base in the middle ends the line early", { 0xff8001, 0xff8002, 0xff8003, 0x001002 }, 4,
	  { 0x01, 0x02, 0x03, 0x80, 0xff, 0, 0, 0x54 } },
	{ "two bases", { 0xff8001, 0xfe0001, 0xfd0001 }, 3, { 0x01, 0x80, 0xff, 0x01, 0x00, 0xfe, 0, 0x69 } },
};

START_TEST(pure_pc_line)
{
	memset(dbg.line, 0, sizeof(dbg.line));
	put(TCRH, 0x4c);
	put(C1, 0x80);
	for (unsigned i = 0; i < pures[_i].n; i++)
		insn(pures[_i].pcs[i]);
	put(C1, 0);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_msg(dbg.line[0][i] == pures[_i].line[i] || (i < 7 && i >= (pures[_i].line[7] >> 4)),
			      "%s: byte %u: %02x", pures[_i].name, i, dbg.line[0][i]);
}
END_TEST

/* --- alignment */

START_TEST(end_aligned_stops_at_the_trigger)
{
	put(TCRH, 0x40);
	put(C1, 0x80);
	play("iiii");
	put(C1, 0xc0);
	play("ii");
	ck_assert_uint_eq(get(CNT, 1), 4);
	ck_assert_uint_eq(get(C1, 1), 0);
}
END_TEST

START_TEST(begin_aligned_fills_the_buffer_once)
{
	put(TCRH, 0x41);
	put(C1, 0x80);
	play("iiii");
	ck_assert_uint_eq(get(CNT, 1), 0);
	put(C1, 0xc0);
	ck_assert_uint_eq(get(SR, 1) & 7, 4);
	for (int i = 0; i < 200; i++)
		play("i");
	ck_assert_uint_eq(get(CNT, 1), 0);
	ck_assert_uint_eq(get(SR, 1), 0x80);
	ck_assert_uint_eq(get(C1, 1) & 0x80, 0);
	ck_assert_uint_eq(dbg.n_lines, 64);
}
END_TEST

static void play_flow(unsigned i)
{
	(void)i;
	play("i");
}

static void play_data(unsigned i)
{
	data(0x1000 + 8 * i, 1, true, 1);
}

static void play_insn(unsigned i)
{
	insn(0x8000 + 0x100 * i);		/* a base each */
}

static const struct { const char *name; uint8_t tcrh; void (*play)(unsigned i); unsigned last; } fillings[] = {
	{ "Normal", 0x41, play_flow, 128 }, { "Detail", 0x49, play_data, 64 },
	{ "Pure PC", 0x4d, play_insn, 129 },	/* the one behind two a line says that the last is complete */
};

START_TEST(a_full_buffer_ends_the_session_in_each_mode)
{
	put(TCRH, fillings[_i].tcrh);
	put(C1, 0x98);
	put(C1, 0xd8);
	for (unsigned i = 1; i < fillings[_i].last; i++)
		fillings[_i].play(i);
	ck_assert_msg(breaks == 0 && (get(C1, 1) & 0x80) != 0, "%s: too early", fillings[_i].name);
	fillings[_i].play(fillings[_i].last);
	ck_assert_msg(breaks == 1 && (get(C1, 1) & 0x80) == 0, "%s: %u", fillings[_i].name, breaks);
	fillings[_i].play(fillings[_i].last + 1);
	ck_assert_uint_eq(breaks, 1);
	ck_assert_uint_eq(dbg.n_lines, 64);
}
END_TEST

START_TEST(mid_aligned_goes_on_for_32_lines)
{
	put(TCRH, 0x42);
	put(C1, 0x80);
	for (int i = 0; i < 20; i++)
		play("i");
	put(C1, 0xc0);
	for (int i = 0; i < 200; i++)
		play("i");
	ck_assert_uint_eq(dbg.n_lines, 10 + 32);
	ck_assert_uint_eq(get(C1, 1) & 0x80, 0);
}
END_TEST

START_TEST(begin_aligned_profiling_waits_and_goes_on)
{
	put(TCRH, 0x41);
	put(TCRL, 0x06);
	put(C1, 0x80);
	play("ii");
	ck_assert_uint_eq(dbg.n_lines, 0);
	put(C1, 0xc0);
	for (int i = 0; i < 100; i++)
		play("i200");
	ck_assert_uint_eq(dbg.n_lines, 101);
	ck_assert_uint_eq(get(C1, 1) & 0x80, 0x80);
	ck_assert_uint_eq(get(SR, 1) & 7, 4);
}
END_TEST

START_TEST(a_trigger_ends_end_aligned_profiling)
{
	profile();
	play("i");
	put(C1, 0xc0);
	ck_assert_uint_eq(dbg.line[2][0], 0x17);
	ck_assert_uint_eq(get(C1, 1), 0);
}
END_TEST

static void add_modes(TCase *tc)
{
	tcase_add_test(tc, an_event_can_make_an_entry);
	tcase_add_test(tc, normal_mode_has_two_entries_a_line);
	tcase_add_test(tc, loop1_leaves_out_the_same_source);
	tcase_add_test(tc, stamps_take_a_line_each);
	tcase_add_test(tc, comparator_d_makes_a_stamped_entry);
	tcase_add_loop_test(tc, detail_line, 0, PT_LEN(details));
	tcase_add_test(tc, detail_with_stamps_says_who_and_when);
	tcase_add_loop_test(tc, detail_keeps_to_its_range, 0, PT_LEN(ranges));
	tcase_add_loop_test(tc, pure_pc_line, 0, PT_LEN(pures));
	tcase_add_test(tc, end_aligned_stops_at_the_trigger);
	tcase_add_test(tc, begin_aligned_fills_the_buffer_once);
	tcase_add_loop_test(tc, a_full_buffer_ends_the_session_in_each_mode, 0, PT_LEN(fillings));
	tcase_add_test(tc, mid_aligned_goes_on_for_32_lines);
	tcase_add_test(tc, begin_aligned_profiling_waits_and_goes_on);
	tcase_add_test(tc, a_trigger_ends_end_aligned_profiling);
}

int main(void)
{
	Suite *suite = suite_create("s12z dbg modes");

	add_modes(cases_of(suite, "trace modes"));
	return pt_run_suite(suite);
}
