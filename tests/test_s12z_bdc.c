/* The BDC at command level: what each command does, who may use it, which flags it leaves, and what it costs in BDCSI
 * cycles. S12ZVHY/S12ZVHL RM Rev. 1.05, chapter 5. */
#include "s12zvm_rig.h"

enum { FREE_RAM = 0x2e00, CYCLE_NS = 125 };	/* at 8 MHz */

static struct rig *rig;

static void setup(void)
{
	rig = rig_open(NULL, NULL);
	rig_attach(rig);
}

static void teardown(void)
{
	rig_close(rig);
}

static void reopen(const char *words, const char *fault)
{
	rig_close(rig);
	rig = rig_open(words, fault);
	rig_attach(rig);
}

static uint8_t flags(void)
{
	return (uint8_t)rig_csr(rig);
}

static void clear_flags(void)
{
	rig_set_csr(rig, PT_VBDC_ENBDC | PT_VBDC_FLAGS);
}

static void fill_ram(void)
{
	for (unsigned i = 0; i < 32; i++)
		*pt_s12zvm_bytes(rig->chip, FREE_RAM + i, 1) = (uint8_t)(0x10 + i);
}

static uint32_t command_read(uint8_t opcode, unsigned n_bytes)
{
	uint32_t value;

	rig_command(rig, opcode);
	value = rig_receive(rig, n_bytes);
	rig_delay(rig);
	return value;
}

/* --- cost */

static uint64_t cycles_since(uint64_t ns)
{
	return (rig->wire.ns - ns) / CYCLE_NS;
}

/* 64 lines at BDCSI 8 MHz: 9.5 ms; four words the long way: 3136 cycles; a pc: 528. ACK off. */
START_TEST(costs_what_the_budget_says)
{
	uint64_t ns = rig->wire.ns;

	rig_command(rig, 0x07);
	rig_receive(rig, 4);
	rig_delay(rig);
	rig_receive(rig, 4);
	ck_assert_uint_eq(cycles_since(ns), 1184);
	rig_delay(rig);
	ns = rig->wire.ns;
	for (int i = 0; i < 4; i++) {
		RIG_SEND(rig, 0x34, 0, 0x01, 0x04);
		rig_delay(rig);
		rig_receive(rig, 2);
	}
	ck_assert_uint_eq(cycles_since(ns), 3136);
	rig_delay(rig);
	ns = rig->wire.ns;
	rig_command(rig, 0x01);
	rig_receive(rig, 3);
	ck_assert_uint_eq(cycles_since(ns), 528);
	ck_assert_uint_eq(flags(), 0);
}
END_TEST

/* The next command may come one delay after the last bit of data. */
START_TEST(the_next_command_comes_behind_the_delay)
{
	rig_write(rig, FREE_RAM, 1, 0x55);
	rig_write(rig, FREE_RAM, 1, 0x66);
	ck_assert_uint_eq(flags(), 0);
	RIG_SEND(rig, 0x10, 0x00, 0x2e, 0x00, 0x77);
	RIG_SEND(rig, 0x10, 0x00, 0x2e, 0x00, 0x88);	/* no delay */
	rig_delay(rig);
	ck_assert_uint_eq(flags(), PT_VBDC_OVRUN);
	ck_assert_uint_eq(*pt_s12zvm_bytes(rig->chip, FREE_RAM, 1), 0x77);
	clear_flags();
	ck_assert_uint_eq(flags(), PT_VBDC_OVRUN);	/* only SYNC clears it */
	ck_assert_uint_ne(pt_vbkgd_sync(&rig->wire), 0);
	ck_assert_uint_eq(flags(), 0);
}
END_TEST

START_TEST(sync_takes_its_time_and_measures)
{
	uint64_t ns = rig->wire.ns;

	ck_assert_uint_eq(pt_vbkgd_sync(&rig->wire), 8000000);
	ck_assert_uint_eq(cycles_since(ns), 128 + 16 + 128 + 1);
	rig_set_csr(rig, PT_VBDC_ENBDC | PT_VBDC_CLKSW);
	ck_assert_uint_eq(rig_csr(rig), 0xffff);	/* the probe is too slow now, and hears nothing */
	ck_assert_uint_eq(pt_vbkgd_sync(&rig->wire), 25000000);
	ck_assert_uint_eq(rig_csr(rig) & 0xff00, PT_VBDC_ENBDC | PT_VBDC_CLKSW | PT_VBDC_UNSEC);
}
END_TEST

START_TEST(ack_pulses_end_when_they_should)
{
	uint64_t ns;

	pt_vbkgd_send(&rig->wire, 0x02);
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 1000000), PT_VBKGD_ACK);
	ns = rig->wire.ns;
	RIG_SEND(rig, 0x30, 0, 0x2e, 0);
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 1000000), PT_VBKGD_ACK);
	ck_assert_uint_eq(cycles_since(ns), 512 + 32 + 16);
	pt_vbkgd_receive(&rig->wire);
	RIG_SEND(rig, 0x30, 0x80, 0, 0);		/* nothing there */
	ns = rig->wire.ns;
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 1000000), PT_VBKGD_LONG_ACK);
	ck_assert_uint_eq(cycles_since(ns), 32 + 64);
	ck_assert_uint_eq(pt_vbkgd_receive(&rig->wire), 0xee);
	RIG_SEND(rig, 0x30, 0, 0x2e, 0);
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 1000000), PT_VBKGD_ACK);	/* told once */
	pt_vbkgd_receive(&rig->wire);
	RIG_SEND(rig, 0x30, 0x80, 0, 0);		/* ILLACC again, and still set */
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 1000000), PT_VBKGD_LONG_ACK);
	pt_vbkgd_receive(&rig->wire);
	RIG_SEND(rig, 0x30, 0, 0x2e, 0);
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 1000000), PT_VBKGD_ACK);
	pt_vbkgd_receive(&rig->wire);
	RIG_SEND(rig, 0x31, 0, 0x2e, 0);		/* _WS: never */
	ns = rig->wire.ns;
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 50000), PT_VBKGD_NO_ACK);
	ck_assert_uint_eq(rig->wire.ns - ns, 50000);
	rig_receive(rig, 2);
	pt_vbkgd_send(&rig->wire, 0x03);
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 50000), PT_VBKGD_NO_ACK);
}
END_TEST

START_TEST(a_command_into_an_ack_overruns)
{
	pt_vbkgd_send(&rig->wire, 0x02);
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 1000000), PT_VBKGD_ACK);
	RIG_SEND(rig, 0x10, 0, 0x2e, 0, 1);
	RIG_SEND(rig, 0x2d);
	ck_assert_uint_eq(rig_receive(rig, 2) & PT_VBDC_FLAGS, PT_VBDC_OVRUN);
}
END_TEST

START_TEST(data_fetched_too_early_are_no_data)
{
	RIG_SEND(rig, 0x30, 0, 0x2e, 0);
	ck_assert_uint_eq(pt_vbkgd_receive(&rig->wire), 0xee);
	rig_delay(rig);
	ck_assert_uint_eq(flags(), PT_VBDC_NORESP);
}
END_TEST

START_TEST(half_a_command_is_forgotten)
{
	RIG_SEND(rig, 0x10, 0, 0x2e);
	pt_vbkgd_cycles(&rig->wire, 500);
	RIG_SEND(rig, 0, 0x5a);				/* in time */
	rig_delay(rig);
	ck_assert_uint_eq(*pt_s12zvm_bytes(rig->chip, FREE_RAM, 1), 0x5a);
	RIG_SEND(rig, 0x10, 0, 0x2e);
	pt_vbkgd_cycles(&rig->wire, 530);
	ck_assert_uint_eq(flags(), 0);			/* a new command, not an argument */
}
END_TEST

/* --- memory */

static const struct { uint8_t opcode; uint32_t addr; unsigned size; uint32_t value; } reads[] = {
	{ 0x30, FREE_RAM + 1, 1, 0x11 },
	{ 0x34, FREE_RAM, 2, 0x1011 },
	{ 0x34, FREE_RAM + 1, 2, 0x1112 },
	{ 0x34, FREE_RAM + 3, 2, 0x1213 },		/* realigned inside its long */
	{ 0x38, FREE_RAM, 4, 0x10111213 },
	{ 0x38, FREE_RAM + 3, 4, 0x10111213 },		/* address[1:0] are 0 */
};

START_TEST(reads_memory)
{
	uint32_t at = reads[_i].addr;

	fill_ram();
	RIG_SEND(rig, reads[_i].opcode, (uint8_t)(at >> 16), (uint8_t)(at >> 8), (uint8_t)at);
	rig_delay(rig);
	ck_assert_uint_eq(rig_receive(rig, reads[_i].size), reads[_i].value);
	rig_delay(rig);
	RIG_SEND(rig, (uint8_t)(reads[_i].opcode | 1), (uint8_t)(at >> 16), (uint8_t)(at >> 8), (uint8_t)at);
	rig_delay(rig);
	ck_assert_uint_eq(rig_receive(rig, 1), 0);	/* status first */
	ck_assert_uint_eq(rig_receive(rig, reads[_i].size), reads[_i].value);
	rig_delay(rig);
	ck_assert_uint_eq(flags(), 0);
}
END_TEST

START_TEST(dumps_and_repeats)
{
	fill_ram();
	ck_assert_uint_eq(rig_read(rig, FREE_RAM, 2), 0x1011);
	ck_assert_uint_eq(command_read(0x36, 2), 0x1213);
	ck_assert_uint_eq(command_read(0x36, 2), 0x1415);
	rig_command(rig, 0x00);				/* NOP does not end it */
	ck_assert_uint_eq(command_read(0x32, 1), 0x16);
	ck_assert_uint_eq(rig_read(rig, FREE_RAM + 4, 4), 0x14151617);
	ck_assert_uint_eq(command_read(0x58, 4), 0x14151617);
	ck_assert_uint_eq(command_read(0x59, 1), 0);	/* _WS: the status */
	ck_assert_uint_eq(flags(), PT_VBDC_OVRUN);	/* and its data were left lying */
}
END_TEST

START_TEST(fills)
{
	rig_write(rig, FREE_RAM, 2, 0x1234);
	RIG_SEND(rig, 0x16, 0x56, 0x78);
	rig_delay(rig);
	RIG_SEND(rig, 0x17, 0x9a, 0xbc);		/* _WS */
	rig_delay(rig);
	ck_assert_uint_eq(rig_receive(rig, 1), 0);
	rig_delay(rig);
	RIG_SEND(rig, 0x11, 0, 0x2e, 0x06, 0xde);
	rig_delay(rig);
	ck_assert_uint_eq(rig_receive(rig, 1), 0);
	rig_delay(rig);
	ck_assert_uint_eq(pt_s12zvm_peek(rig->chip, FREE_RAM), 0x12345678);
	ck_assert_uint_eq(pt_s12zvm_peek(rig->chip, FREE_RAM + 4) >> 8, 0x9abcde);
	ck_assert_uint_eq(flags(), 0);
}
END_TEST

/* What may stand before a command, and whether it is legal then. w WRITE_MEM, r READ_MEM, n NOP, s SYNC, c READ_BDCCSR,
 * S READ_SAME, D DUMP_MEM, F FILL_MEM; the last one counts. */
static const struct { const char *row; bool legal; } rows[] = {
	{ "rS", true }, { "rSS", true }, { "rnS", true }, { "rsS", true }, { "rcS", false }, { "wS", false },
	{ "rDS", false },
	{ "rD", true }, { "rDD", true }, { "rnD", true }, { "rSD", false }, { "rsD", false }, { "wD", false },
	{ "cD", false },
	{ "wF", true }, { "wFF", true }, { "wnF", true }, { "rF", false }, { "wcF", false }, { "wsF", false },
};

static void one(char what)
{
	switch (what) {
	case 'w': rig_write(rig, FREE_RAM, 1, 0); break;
	case 'r': rig_read(rig, FREE_RAM, 1); break;
	case 'n': rig_command(rig, 0x00); break;
	case 's': pt_vbkgd_sync(&rig->wire); break;
	case 'c': rig_csr(rig); break;
	case 'S': command_read(0x50, 1); break;
	case 'D': command_read(0x32, 1); break;
	default: RIG_SEND(rig, 0x12, 0); rig_delay(rig); break;
	}
}

START_TEST(rows_of_commands)
{
	for (const char *c = rows[_i].row; *c != '\0'; c++) {
		clear_flags();
		if (c != rows[_i].row)			/* the flags were cleared by a command: begin again */
			for (const char *d = rows[_i].row; d != c; d++)
				one(*d);
		one(*c);
	}
	ck_assert_msg(flags() == (rows[_i].legal ? 0 : PT_VBDC_ILLCMD), "%s", rows[_i].row);
}
END_TEST

START_TEST(refused_accesses_are_flagged)
{
	ck_assert_uint_eq(rig_read(rig, 0x800000, 4), 0xeeeeeeee);
	ck_assert_uint_eq(flags(), PT_VBDC_ILLACC);
	clear_flags();
	rig_write(rig, 0xff8000, 1, 0);			/* flash */
	ck_assert_uint_eq(flags(), PT_VBDC_ILLACC);
	RIG_SEND(rig, 0x31, 0x80, 0, 0);
	rig_delay(rig);
	ck_assert_uint_eq(rig_receive(rig, 1), PT_VBDC_ILLACC);
	ck_assert_uint_eq(rig_receive(rig, 1), 0xee);
}
END_TEST

/* --- who may use what */

enum who { ALWAYS, NON_INTRUSIVE, ACTIVE };
static const struct { uint8_t opcode; unsigned n_in, n_out; bool in_two; enum who who; } commands[] = {
	{ 0x02, 0, 0, false, ALWAYS }, { 0x03, 0, 0, false, ALWAYS }, { 0x2d, 0, 2, false, ALWAYS },
	{ 0x00, 0, 0, false, NON_INTRUSIVE }, { 0x01, 0, 3, false, NON_INTRUSIVE },
	{ 0x04, 0, 0, false, NON_INTRUSIVE },
	{ 0x07, 0, 8, true, NON_INTRUSIVE },
	{ 0x10, 4, 0, false, NON_INTRUSIVE }, { 0x14, 5, 0, false, NON_INTRUSIVE },
	{ 0x18, 7, 0, false, NON_INTRUSIVE },
	{ 0x11, 4, 1, false, NON_INTRUSIVE }, { 0x15, 5, 1, false, NON_INTRUSIVE },
	{ 0x19, 7, 1, false, NON_INTRUSIVE },
	{ 0x30, 3, 1, false, NON_INTRUSIVE }, { 0x34, 3, 2, false, NON_INTRUSIVE },
	{ 0x38, 3, 4, false, NON_INTRUSIVE },
	{ 0x31, 3, 2, false, NON_INTRUSIVE }, { 0x35, 3, 3, false, NON_INTRUSIVE },
	{ 0x39, 3, 5, false, NON_INTRUSIVE },
	{ 0x08, 0, 0, false, ACTIVE }, { 0x09, 0, 0, false, ACTIVE }, { 0x0c, 0, 0, false, ACTIVE },
	{ 0x42, 4, 0, false, ACTIVE }, { 0x62, 0, 4, false, ACTIVE },
};

/* The command with arguments of no harm, and all it answers. ACK is off where the command does not switch it on. */
static void whole_command(size_t i, uint8_t *answer)
{
	static const uint8_t in[] = { 0x00, 0x2e, 0x00, 0, 0, 0, 0 };
	unsigned n_out = commands[i].n_out;

	pt_vbkgd_send(&rig->wire, commands[i].opcode);
	rig_send(rig, in, commands[i].n_in);
	if (commands[i].opcode != 0x2d)
		pt_vbkgd_cycles(&rig->wire, PT_VBDC_ACK_AFTER + PT_VBDC_LONG_ACK);
	for (unsigned n = 0; n < n_out; n++) {
		if (n == 4 && commands[i].in_two)
			rig_delay(rig);
		answer[n] = pt_vbkgd_receive(&rig->wire);
	}
	pt_vbkgd_cycles(&rig->wire, PT_VBDC_ACK_AFTER + PT_VBDC_LONG_ACK);
}

static bool refused(size_t i)
{
	uint8_t answer[8];

	whole_command(i, answer);
	return (flags() & PT_VBDC_ILLCMD) != 0;
}

START_TEST(class_decides_who_may)
{
	size_t i = (size_t)_i;

	ck_assert_int_eq(refused(i), commands[i].who == ACTIVE);	/* running, enabled */
	reopen(NULL, NULL);
	rig_set_csr(rig, PT_VBDC_FLAGS);				/* ENBDC off */
	ck_assert_int_eq(refused(i), commands[i].who != ALWAYS);
	reopen("secured=on", NULL);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_UNSEC, 0);
	ck_assert_int_eq(refused(i), commands[i].who != ALWAYS);
	reopen(NULL, NULL);
	rig_halt(rig);
	clear_flags();
	ck_assert(!refused(i));
}
END_TEST

START_TEST(unknown_commands_are_illegal)
{
	static const uint8_t opcodes[] = { 0x05, 0x06, 0x0a, 0x0b, 0x0e, 0x0f, 0x1c, 0x20, 0x2c, 0x3c, 0x5c, 0x70,
		0x80, 0xff };

	for (size_t i = 0; i < PT_LEN(opcodes); i++) {
		clear_flags();
		rig_command(rig, opcodes[i]);
		ck_assert_msg(flags() == PT_VBDC_ILLCMD, "%02x", opcodes[i]);
	}
}
END_TEST

/* --- the core */

START_TEST(registers_are_where_they_should_be)
{
	static const uint8_t bytes[13] = { 1, 1, 2, 2, 2, 2, 4, 4, 3, 3, 3, 3, 2 };

	rig_halt(rig);
	for (unsigned crn = 0; crn < 12; crn++) {
		RIG_SEND(rig, (uint8_t)(0x40 + crn), 0xa1, 0xb2, 0xc3, (uint8_t)(0xd4 + crn));
		rig_delay(rig);
		ck_assert_uint_eq(rig_reg(rig, crn), (0xa1b2c3d4 + crn) & UINT32_MAX >> (32 - 8 * bytes[crn]));
	}
	ck_assert_uint_eq(rig_reg(rig, 12), pt_vs12z_reg(rig->chip->cpu, PT_VS12Z_CCW));
	clear_flags();
	ck_assert_uint_eq(rig_reg(rig, 13), 0xeeeeeeee);
	ck_assert_uint_eq(flags(), PT_VBDC_ILLACC);
}
END_TEST

static void put_code(uint32_t at, const uint8_t *code, size_t n)
{
	memcpy(pt_s12zvm_bytes(rig->chip, at, (uint32_t)n), code, n);
	pt_vbus_changed(&rig->chip->bus, at, (uint32_t)n);
}

/* Halted in front of code of its own, with interrupts off. */
static void stand_at(const uint8_t *code, size_t n)
{
	put_code(FREE_RAM, code, n);
	rig_halt(rig);
	RIG_SEND(rig, 0x4c, 0, 0, 0, 0x50);		/* I and X set, S clear: STOP works */
	rig_delay(rig);
	RIG_SEND(rig, 0x4b, 0, 0, 0x2e, 0);
	rig_delay(rig);
	clear_flags();
}

START_TEST(steps_one_instruction)
{
	static const uint8_t code[] = { 0x01, 0x01, 0x94, 0x05, 0x20, 0x00 };	/* NOP, NOP, LD D0,#5, BRA * */

	stand_at(code, sizeof(code));
	rig_command(rig, 0x09);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_BDMACT, PT_VBDC_BDMACT);
	ck_assert_uint_eq(rig_reg(rig, 11), FREE_RAM + 1);
	rig_command(rig, 0x09);
	rig_command(rig, 0x09);
	ck_assert_uint_eq(rig_reg(rig, 11), FREE_RAM + 4);
	ck_assert_uint_eq(rig_reg(rig, 0), 5);
}
END_TEST

START_TEST(go_until_comes_back_with_an_ack)
{
	/* LD D4,#0x2000; DBNE D4,*; BGND */
	static const uint8_t loop[] = { 0x92, 0x20, 0x00, 0x0b, 0x82, 0x00, 0x00 };

	stand_at(loop, sizeof(loop));
	pt_vbkgd_send(&rig->wire, 0x02);
	ck_assert_int_ne(pt_vbkgd_ack(&rig->wire, 1000000), PT_VBKGD_NO_ACK);
	pt_vbkgd_send(&rig->wire, 0x0c);
	ck_assert_int_eq(pt_vbkgd_ack(&rig->wire, 10000), PT_VBKGD_NO_ACK);	/* not yet */
	ck_assert_int_ne(pt_vbkgd_ack(&rig->wire, 100000000), PT_VBKGD_NO_ACK);
	RIG_SEND(rig, 0x2d);
	ck_assert_uint_eq(rig_receive(rig, 2) & PT_VBDC_BDMACT, PT_VBDC_BDMACT);
}
END_TEST

START_TEST(bgnd_needs_enbdc)
{
	static const uint8_t code[] = { 0x00, 0x01, 0x20, 0x00 };	/* BGND, NOP, BRA * */

	stand_at(code, sizeof(code));
	rig_command(rig, 0x08);
	rig_run(rig, 10000);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_BDMACT, PT_VBDC_BDMACT);
	rig_command(rig, 0x08);
	rig_set_csr(rig, PT_VBDC_FLAGS);
	rig_run(rig, 10000);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_BDMACT, 0);
}
END_TEST

START_TEST(sync_pc_says_where_it_is)
{
	static const uint8_t code[] = { 0x20, 0x00 };			/* BRA * */
	uint32_t pc;

	stand_at(code, sizeof(code));
	rig_command(rig, 0x08);
	rig_run(rig, 10000);
	pc = command_read(0x01, 3);
	ck_assert_uint_eq(pc, FREE_RAM);
	ck_assert_uint_eq(flags(), 0);
}
END_TEST

START_TEST(in_wai_memory_works_and_background_waits)
{
	static const uint8_t code[] = { 0x1b, 0x06, 0x20, 0x00 };	/* WAI, BRA * */

	stand_at(code, sizeof(code));
	rig_write(rig, 0x40c, 1, 0);			/* no interrupt of the demo's timer */
	rig_command(rig, 0x08);
	rig_run(rig, 10000);
	ck_assert_uint_eq(flags(), PT_VBDC_WAIT);
	ck_assert_uint_eq(rig_read(rig, FREE_RAM, 1), 0x1b);
	ck_assert_uint_eq(command_read(0x01, 3), 0xeeeeee);
	ck_assert_uint_eq(flags(), PT_VBDC_WAIT | PT_VBDC_NORESP);
	rig_command(rig, 0x04);
	rig_run(rig, 10000);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_BDMACT, 0);
}
END_TEST

START_TEST(in_stop_bdccis_decides)
{
	static const uint8_t code[] = { 0x1b, 0x05, 0x20, 0x00 };	/* STOP, BRA * */

	stand_at(code, sizeof(code));
	rig_write(rig, 0x40c, 1, 0);
	rig_command(rig, 0x08);
	rig_run(rig, 10000);
	ck_assert_uint_eq(rig_read(rig, FREE_RAM, 1), 0xee);
	ck_assert_uint_eq(flags(), PT_VBDC_STOP | PT_VBDC_NORESP);
	rig_set_csr(rig, PT_VBDC_ENBDC | PT_VBDC_BDCCIS | PT_VBDC_FLAGS);
	ck_assert_uint_eq(rig_read(rig, FREE_RAM, 1), 0x1b);
	ck_assert_uint_eq(command_read(0x01, 3), FREE_RAM + 2);
}
END_TEST

START_TEST(without_ack_accesses_steal_cycles)
{
	static const uint8_t code[] = { 0x20, 0x00 };

	stand_at(code, sizeof(code));
	rig_command(rig, 0x08);
	for (int i = 0; i < 10; i++)
		rig_read(rig, FREE_RAM, 1);
	ck_assert_uint_eq(rig->chip->stolen, 10);
	pt_vbkgd_send(&rig->wire, 0x02);
	pt_vbkgd_ack(&rig->wire, 1000000);
	for (int i = 0; i < 10; i++) {
		RIG_SEND(rig, 0x30, 0, 0x2e, 0);
		pt_vbkgd_ack(&rig->wire, 1000000);
		pt_vbkgd_receive(&rig->wire);
	}
	ck_assert_uint_eq(rig->chip->stolen, 10);
}
END_TEST

/* --- reset, security, faults */

START_TEST(special_mode_waits_before_the_first_instruction)
{
	pt_vbkgd_drive_bkgd(&rig->wire, false);
	pt_vbkgd_drive_reset(&rig->wire, false);
	rig_run(rig, 1000000);
	pt_vbkgd_drive_reset(&rig->wire, true);
	rig_run(rig, 1000000);
	pt_vbkgd_drive_bkgd(&rig->wire, true);
	ck_assert_uint_ne(pt_vbkgd_sync(&rig->wire), 0);
	ck_assert_uint_eq(rig_csr(rig) & 0xff00, PT_VBDC_ENBDC | PT_VBDC_BDMACT | PT_VBDC_UNSEC);
	ck_assert_uint_eq(rig_reg(rig, 11), pt_s12zvm_peek(rig->chip, 0xfffffc) & 0xffffff);
	pt_vbkgd_drive_reset(&rig->wire, false);
	rig_run(rig, 1000000);
	pt_vbkgd_drive_reset(&rig->wire, true);
	rig_run(rig, 1000000);
	ck_assert_uint_eq(rig_csr(rig), PT_VBDC_UNSEC);
	ck_assert_uint_eq(rig->chip->n_resets, 2);
}
END_TEST

START_TEST(two_erase_commands_unsecure)
{
	reopen("secured=on", NULL);
	RIG_SEND(rig, 0x95);
	rig_csr(rig);					/* another command: begin again */
	RIG_SEND(rig, 0x95);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_ERASE, 0);
	RIG_SEND(rig, 0x95, 0x95);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_ERASE, PT_VBDC_ERASE);
	rig_run(rig, 200000000);
	ck_assert_uint_eq(rig_csr(rig) & (PT_VBDC_ERASE | PT_VBDC_UNSEC), PT_VBDC_UNSEC);
	ck_assert_uint_eq(rig_read(rig, 0xff8000, 4), 0xffffffff);
	ck_assert_uint_eq(rig_read(rig, 0xfffe0f, 1), 0xfe);
}
END_TEST

START_TEST(erase_commands_too_far_apart_do_nothing)
{
	RIG_SEND(rig, 0x95);
	pt_vbkgd_cycles(&rig->wire, 600);
	RIG_SEND(rig, 0x95);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_ERASE, 0);
}
END_TEST

static const struct { const char *fault; uint32_t sync_hz; uint32_t read; uint8_t flags; } faults[] = {
	{ "wait@3", 8000000, 0xff, 0 },		/* 1 is SYNC, 2 WRITE_BDCCSR */
	{ "fault@3", 8000000, 0xee, PT_VBDC_ILLACC },
	{ "clock@3", 8000000, 0xff, 0 },
	{ "power@3", 8000000, 0xff, 0 },
	{ "reset@3", 8000000, 0xff, 0 },
	{ "clock@3+2", 0, 0xff, 0 },
	{ "power@3+2", 0, 0xff, 0 },
};

START_TEST(faults_hit_commands)
{
	reopen(NULL, faults[_i].fault);
	ck_assert_uint_eq(rig_read(rig, FREE_RAM, 1) == 0xff, faults[_i].read == 0xff);
	ck_assert_uint_eq(pt_vbkgd_sync(&rig->wire), faults[_i].sync_hz);
	ck_assert_uint_eq(flags() & PT_VBDC_ILLACC, faults[_i].flags);
}
END_TEST

/* The second copy of DBGTB's bytes goes 3, 2, 1, 0, 7, 6, 5, 4. */
START_TEST(read_dbgtb_has_its_own_order)
{
	uint8_t bytes[8];

	rig_write(rig, 0x102, 1, 0x40);
	rig_write(rig, 0x104, 2, 0);
	for (unsigned i = 0; i < 8; i++)
		rig->chip->dbg.line[0][i] = (uint8_t)i;
	rig_command(rig, 0x07);
	for (unsigned i = 0; i < 8; i++) {
		if (i == 4)
			rig_delay(rig);
		bytes[i] = pt_vbkgd_receive(&rig->wire);
	}
	ck_assert_mem_eq(bytes, ((const uint8_t[]){ 3, 2, 1, 0, 7, 6, 5, 4 }), 8);
}
END_TEST

/* A host so slow that nothing is left of a packet's budget: the core still gets the cycles that pass between two
 * commands of one packet, and what it is asked for happens. */
START_TEST(a_board_without_time_to_spare_obeys)
{
	rig->pace.wall = true;
	rig->pace.budget_end_ns = 0;
	rig_attach(rig);
	for (int i = 0; i < 3; i++) {
		rig_command(rig, 0x04);
		ck_assert_uint_ne(rig_csr(rig) & PT_VBDC_BDMACT, 0);
		rig_command(rig, 0x08);
		ck_assert_uint_eq(rig_csr(rig) & (PT_VBDC_BDMACT | PT_VBDC_ILLCMD), 0);
	}
}
END_TEST

static TCase *cases_of(Suite *suite, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	suite_add_tcase(suite, tc);
	return tc;
}

static void add_wire(TCase *tc)
{
	tcase_add_test(tc, costs_what_the_budget_says);
	tcase_add_test(tc, the_next_command_comes_behind_the_delay);
	tcase_add_test(tc, a_board_without_time_to_spare_obeys);
	tcase_add_test(tc, sync_takes_its_time_and_measures);
	tcase_add_test(tc, ack_pulses_end_when_they_should);
	tcase_add_test(tc, a_command_into_an_ack_overruns);
	tcase_add_test(tc, data_fetched_too_early_are_no_data);
	tcase_add_test(tc, half_a_command_is_forgotten);
	tcase_add_loop_test(tc, faults_hit_commands, 0, PT_LEN(faults));
}

static void add_memory(TCase *tc)
{
	tcase_add_loop_test(tc, reads_memory, 0, PT_LEN(reads));
	tcase_add_test(tc, dumps_and_repeats);
	tcase_add_test(tc, fills);
	tcase_add_loop_test(tc, rows_of_commands, 0, PT_LEN(rows));
	tcase_add_test(tc, refused_accesses_are_flagged);
	tcase_add_loop_test(tc, class_decides_who_may, 0, PT_LEN(commands));
	tcase_add_test(tc, unknown_commands_are_illegal);
	tcase_add_test(tc, read_dbgtb_has_its_own_order);
}

static void add_core(TCase *tc)
{
	tcase_add_test(tc, registers_are_where_they_should_be);
	tcase_add_test(tc, steps_one_instruction);
	tcase_add_test(tc, go_until_comes_back_with_an_ack);
	tcase_add_test(tc, bgnd_needs_enbdc);
	tcase_add_test(tc, sync_pc_says_where_it_is);
	tcase_add_test(tc, in_wai_memory_works_and_background_waits);
	tcase_add_test(tc, in_stop_bdccis_decides);
	tcase_add_test(tc, without_ack_accesses_steal_cycles);
	tcase_add_test(tc, special_mode_waits_before_the_first_instruction);
	tcase_add_test(tc, two_erase_commands_unsecure);
	tcase_add_test(tc, erase_commands_too_far_apart_do_nothing);
}

int main(void)
{
	Suite *suite = suite_create("s12z bdc");

	add_wire(cases_of(suite, "wire"));
	add_memory(cases_of(suite, "memory"));
	add_core(cases_of(suite, "core"));
	return pt_run_suite(suite);
}
