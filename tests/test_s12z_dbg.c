/* The DBG module alone: register rules, comparators and sequencer, the trace buffer, the four trace modes line by line,
 * and profiling with lines worked out by hand from S12ZVHY/S12ZVHL RM Rev. 1.05, pp. 222-225. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/cpu/s12z/s12z.h"
#include "probes/virtual/unit/s12z_dbg.h"

enum { C1, C2, TCRH, TCRL, TB, CNT = 6, SCR1, SCR2, SCR3, EFR, SR, ACTL = 0x10, BCTL = 0x20, CCTL = 0x30, DCTL = 0x40 };

static struct pt_vbus bus;
static struct pt_vwires wires;
static struct pt_vs12z_dbg dbg;
static uint64_t now;
static uint32_t pc;
static unsigned breaks, swis;
static bool secured, enbdc, watched;

static uint32_t get_pc(void *arg)
{
	(void)arg;
	return pc;
}

static void on_break(void *arg, bool into_bdm)
{
	(void)arg;
	into_bdm ? breaks++ : swis++;
}

static bool is_enabled(void *arg)
{
	(void)arg;
	return enbdc;
}

static bool is_secured(void *arg)
{
	(void)arg;
	return secured;
}

static void on_watch(void *arg, bool on)
{
	(void)arg;
	watched = on;
}

static void open_dbg(const struct pt_vs12z_dbg_quirks *quirks)
{
	const struct pt_vs12z_dbg_chip chip = {
		.pc = get_pc, .breakpoint = on_break, .bdm_allowed = is_enabled, .secured = is_secured,
		.watch = on_watch,
	};
	const struct pt_vs12z_dbg_quirks none = { .no_trace = false };

	bus = (struct pt_vbus){ .big_endian = true, .now_cycle = &now };
	wires = (struct pt_vwires){ .bus = &bus, .core_hz = 50000000 };
	now = 1000;
	pc = 0xff8000;
	breaks = swis = 0;
	secured = false;
	enbdc = true;
	pt_vs12z_dbg_init(&dbg, &wires, &chip, quirks != NULL ? quirks : &none);
	pt_vs12z_dbg_ops.reset(&dbg, true);
}

static void setup(void)
{
	open_dbg(NULL);
}

static void put(uint32_t at, uint8_t value)
{
	const struct pt_vaccess access = { 0x100 + at, 1, PT_VMASTER_DEBUG, true };

	ck_assert(pt_vs12z_dbg_ops.write(&dbg, at, &access, value));
}

static uint32_t get(uint32_t at, uint8_t size_bytes)
{
	const struct pt_vaccess access = { 0x100 + at, size_bytes, PT_VMASTER_DEBUG, true };
	uint32_t value = 0;

	ck_assert(pt_vs12z_dbg_ops.read(&dbg, at, &access, &value));
	return value;
}

static void unlock(void)
{
	const struct pt_vaccess access = { 0x104, 2, PT_VMASTER_DEBUG, true };

	ck_assert(pt_vs12z_dbg_ops.write(&dbg, TB, &access, 0));
}

static void comparator(uint32_t at, uint8_t control, uint32_t addr)
{
	put(at + 5, (uint8_t)(addr >> 16));
	put(at + 6, (uint8_t)(addr >> 8));
	put(at + 7, (uint8_t)addr);
	put(at, control);
}

/* --- what the core does */

static void cond(bool taken)
{
	if (dbg.tap.cond != NULL)
		dbg.tap.cond(dbg.tap.arg, 0xff8010, taken, 0xff8020);
	if (taken && dbg.tap.jump != NULL)
		dbg.tap.jump(dbg.tap.arg, PT_VJUMP_BRANCH, 0xff8010, 0, 0xff8020);
}

static void jump(enum pt_vjump how, uint32_t detail, uint32_t to)
{
	if (dbg.tap.jump != NULL)
		dbg.tap.jump(dbg.tap.arg, how, 0xff8010, detail, to);
}

static void insn(uint32_t at)
{
	if (watched)
		pt_vs12z_dbg_fetch(&dbg, at);
	if (dbg.tap.insn != NULL)
		dbg.tap.insn(dbg.tap.arg, at);
}

static void data(uint32_t addr, unsigned size_bytes, bool write, uint32_t value)
{
	if (dbg.tap.data != NULL)
		dbg.tap.data(dbg.tap.arg, addr, size_bytes, write, value, pc);
}

/* Time passes; ticks come on their cycles. */
static void pass(uint64_t cycles)
{
	uint64_t end = now + cycles;

	while (pt_vs12z_dbg_ops.next_tick(&dbg) <= end) {
		now = pt_vs12z_dbg_ops.next_tick(&dbg);
		pt_vs12z_dbg_ops.tick(&dbg, now);
	}
	now = end;
}

static void profile(void)
{
	put(TCRH, 0x40);
	put(TCRL, 0x06);
	put(C1, 0x80);
}

static void stop_and_read(uint8_t lines[PT_VS12Z_DBG_LINES][8])
{
	put(C1, 0);
	pass(64 * 128 + 100);
	ck_assert_uint_eq(get(SR, 1) & 0x10, 0);
	put(TCRL, 0);
	unlock();
	for (unsigned i = 0; i < PT_VS12Z_DBG_LINES; i++)
		pt_vs12z_dbg_read_line(&dbg, lines[i]);
}

/* --- profiling: the worked lines. What made the line is told in a few letters: t, n a branch taken or not; i an
 * indirect jump to 0xff8123; v the vector IRQ; a number of cycles; S software's disarm; an upper-case T or N is 31 or
 * 30 of them. */

static void play(const char *what)
{
	for (; *what != '\0'; what++) {
		switch (*what) {
		case 't': case 'n':
			cond(*what == 't');
			break;
		case 'T':
			for (int i = 0; i < 31; i++)
				cond(true);
			break;
		case 'N':
			for (int i = 0; i < 30; i++)
				cond(false);
			break;
		case 'i':
			jump(PT_VJUMP_RETURN, 0, 0xff8123);
			break;
		case 'v':
			jump(PT_VJUMP_EXCEPTION, 0xffffd4, 0xff9000);
			break;
		case 'S':
			put(C1, 0);
			break;
		default:
			pass(strtoul(what, (char **)(uintptr_t)&what, 0));
			what--;
		}
	}
}

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
			      "%s: byte %u: %02x",
			      pures[_i].name, i, dbg.line[0][i]);
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

static TCase *cases_of(Suite *suite, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, NULL);
	suite_add_tcase(suite, tc);
	return tc;
}

static void add_profiling(TCase *tc)
{
	tcase_add_loop_test(tc, makes_the_worked_line, 0, PT_LEN(worked));
	tcase_add_loop_test(tc, records_what_is_indirect, 0, PT_LEN(flows));
	tcase_add_test(tc, swaps_addresses_when_told);
	tcase_add_test(tc, a_line_can_be_the_base_of_time);
	tcase_add_loop_test(tc, sixty_four_waiting_lines_end_a_session, 0, PT_LEN(overflows));
	tcase_add_test(tc, an_overflow_is_a_breakpoint_if_asked);
	tcase_add_test(tc, below_the_pins_bandwidth_nothing_overflows);
	tcase_add_test(tc, without_the_pins_it_drains_or_holds);
	tcase_add_loop_test(tc, the_pins_send_the_used_bytes, 0, PT_LEN(streams));
	tcase_add_test(tc, without_pdoe_the_pins_are_silent);
	tcase_add_test(tc, a_reset_cuts_a_byte);
}

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
	tcase_add_test(tc, mid_aligned_goes_on_for_32_lines);
	tcase_add_test(tc, begin_aligned_profiling_waits_and_goes_on);
	tcase_add_test(tc, a_trigger_ends_end_aligned_profiling);
}

int main(void)
{
	Suite *suite = suite_create("s12z dbg");

	add_profiling(cases_of(suite, "profiling"));
	add_buffer(cases_of(suite, "buffer and registers"));
	add_sequencer(cases_of(suite, "sequencer"));
	add_modes(cases_of(suite, "trace modes"));
	return pt_run_suite(suite);
}
