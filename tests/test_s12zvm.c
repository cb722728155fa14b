/* The virtual S12ZVM as a whole: the demo runs, the debugger gets at it, the trace pins say what the buffer holds. */
#include "probes/virtual/boards.h"
#include "probes/virtual/wire/pdo_capture.h"
#include "s12zvm_rig.h"

static struct rig *rig;

static void setup(void)
{
	rig = rig_open(NULL, NULL);
}

static void teardown(void)
{
	rig_close(rig);
}

/* --- running */

START_TEST(the_demo_runs_and_sleeps)
{
	rig_run(rig, 20000000);
	ck_assert_uint_gt(pt_vs12z_instructions(rig->chip->cpu), 10000);
	ck_assert_uint_gt(pt_vs12z_sleep_cycles(rig->chip->cpu), 0);
	ck_assert_uint_eq(rig->chip->n_resets, 0);
}
END_TEST

START_TEST(the_debugger_gets_at_it)
{
	uint32_t pc;

	rig_run(rig, 1000000);
	ck_assert_uint_eq(pt_vbkgd_sync(&rig->wire), 8000000);
	ck_assert_uint_eq(rig_csr(rig), PT_VBDC_UNSEC);
	rig_set_csr(rig, 0x80ff);
	ck_assert_uint_eq(rig_csr(rig) & 0xff00, PT_VBDC_ENBDC | PT_VBDC_UNSEC);
	ck_assert_uint_eq(rig_read(rig, 0xfffffc, 4), pt_s12zvm_peek(rig->chip, 0xfffffc));
	rig_write(rig, 0x2f00, 4, 0x12345678);
	ck_assert_uint_eq(pt_s12zvm_peek(rig->chip, 0x2f00), 0x12345678);
	rig_halt(rig);
	pc = rig_reg(rig, 11);
	ck_assert_uint_eq(pc, pt_vs12z_pc(rig->chip->cpu));
	rig_run(rig, 1000000);
	ck_assert_uint_eq(rig_reg(rig, 11), pc);
	rig_command(rig, 0x08);
	rig_run(rig, 1000000);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_BDMACT, 0);
}
END_TEST

/* Where a symbol of the demo is: the ELF's own table, read the plain way. 0: no such symbol. */
static uint32_t symbol(const char *name)
{
	size_t len_bytes;
	const uint8_t *elf = pt_vboard_s12zvm.demo(&len_bytes), *sections = elf + pt_be32(elf + 32);
	unsigned n_sections = pt_be16(elf + 48);

	for (unsigned i = 0; i < n_sections; i++) {
		const uint8_t *table = sections + 40 * i, *strings;

		if (pt_be32(table + 4) != 2)
			continue;
		strings = elf + pt_be32(sections + 40 * pt_be32(table + 24) + 16);
		for (const uint8_t *at = elf + pt_be32(table + 16), *end = at + pt_be32(table + 20); at < end; at += 16)
			if (strcmp((const char *)strings + pt_be32(at), name) == 0)
				return pt_be32(at + 4);
	}
	return 0;
}

static uint32_t count_of(const char *function)
{
	char name[40];

	snprintf(name, sizeof(name), "n_%s", function);
	ck_assert_uint_ne(symbol(name), 0);
	return pt_s12zvm_peek(rig->chip, symbol(name));
}

START_TEST(the_timer_interrupts)
{
	rig_run(rig, 1000000);		/* RAM is clear by then */
	ck_assert_uint_eq(rig_read(rig, 0x40c, 1), 0xee);	/* not attached: ENBDC is off */
	rig_attach(rig);
	rig_run(rig, 40000000);		/* an interrupt each 20000 cycles of 20 ns */
	ck_assert_uint_ge(count_of("tick"), 95);
	ck_assert_uint_le(count_of("tick"), 105);
	ck_assert_uint_eq(count_of("tick"), count_of("on_tick"));
}
END_TEST

/* What the core did and what the firmware counted is the same. */
static const char *const functions[] = { "main", "blink", "countdown", "operate", "often", "spin", "inner", "tick",
	"pause" };
START_TEST(the_truth_is_the_firmwares)
{
	struct pt_vtruth truth;
	uint64_t began = pt_vs12z_cycle(rig->chip->cpu), awake;

	ck_assert(pt_s12zvm_watch(rig->chip, &truth, 1000));
	ck_assert_uint_eq(symbol("no_such"), 0);
	rig_run(rig, 30000000);
	for (size_t i = 0; i < PT_LEN(functions); i++) {
		uint32_t at = symbol(functions[i]);

		ck_assert_msg(pt_vtruth_sum(&truth, at, at + 1).instructions == count_of(functions[i]), "%s",
			      functions[i]);
	}
	awake = pt_vs12z_cycle(rig->chip->cpu) - pt_vs12z_sleep_cycles(rig->chip->cpu) - began;
	ck_assert_uint_eq(pt_vtruth_total(&truth).cycles, awake);
	ck_assert_uint_eq(truth.n_logged, pt_vs12z_instructions(rig->chip->cpu));
	ck_assert_uint_eq(truth.log[0], pt_s12zvm_peek(rig->chip, 0xfffffc) & 0xffffff);
	pt_vtruth_fini(&truth);
}
END_TEST

START_TEST(two_boards_do_the_same)
{
	struct rig *other = rig_open(NULL, NULL);

	rig_run(rig, 20000000);
	for (int i = 0; i < 200; i++)
		rig_run(other, 100000);
	ck_assert_uint_eq(pt_vs12z_instructions(rig->chip->cpu), pt_vs12z_instructions(other->chip->cpu));
	ck_assert_mem_eq(rig->chip->ram, other->chip->ram, sizeof(rig->chip->ram));
	rig_close(other);
}
END_TEST

/* --- profiling of what runs: the pins against the truth */

struct tally {
	uint8_t line[8];
	unsigned n_bytes;
	uint64_t lines[8], bits, flagged;
};

static unsigned line_bytes(uint8_t info)
{
	return (info & 0xf) == 0 ? 4 : (info & 0xf) == 2 ? 6 : 8;
}

static void on_bits(void *arg, uint64_t cycle, uint8_t byte, unsigned n_bits)
{
	struct tally *tally = arg;
	uint32_t v;

	(void)cycle;
	ck_assert_uint_eq(n_bits, 8);
	tally->line[tally->n_bytes++] = byte;
	if (tally->n_bytes < line_bytes(tally->line[0]))
		return;
	tally->n_bytes = 0;
	tally->lines[tally->line[0] & 7]++;
	tally->flagged += (tally->line[0] & 0x20) != 0;
	v = pt_le32(tally->line + 1);
	if ((tally->line[0] & 7) != 0)
		tally->bits += 31 - (unsigned)__builtin_clz(v);
}

START_TEST(the_pins_tell_all_that_happened)
{
	struct tally tally = { .n_bytes = 0 };
	const struct pt_vpdo_listener listener = { &tally, on_bits };
	struct pt_vpdo *pdo = pt_vboard_s12zvm.pdo(rig->board);
	struct pt_vtruth truth;

	rig_attach(rig);
	rig_write(rig, 0x102, 1, 0x40);
	rig_write(rig, 0x103, 1, 0x06);
	rig_halt(rig);
	pdo->listener = &listener;
	ck_assert(pt_s12zvm_watch(rig->chip, &truth, 0));
	rig_write(rig, 0x100, 1, 0x80);
	rig_command(rig, 0x08);
	rig_run(rig, 20000000);
	rig_halt(rig);
	rig_write(rig, 0x100, 1, 0x00);
	rig_run(rig, 1000000);
	pdo->settle(pdo->unit);
	ck_assert_uint_eq(tally.flagged, 0);
	ck_assert_uint_gt(truth.n_cond, 1000);
	ck_assert_uint_eq(tally.bits, truth.n_cond);
	ck_assert_uint_eq(tally.lines[0], 1);
	ck_assert_uint_eq(tally.lines[3], truth.n_jump[PT_VJUMP_EXCEPTION]);
	ck_assert_uint_ge(tally.lines[1], truth.n_jump[PT_VJUMP_RETURN] + truth.n_jump[PT_VJUMP_EXC_RETURN]);
	ck_assert_uint_le(tally.lines[1], truth.n_jump[PT_VJUMP_RETURN] + truth.n_jump[PT_VJUMP_EXC_RETURN] +
						  truth.n_jump[PT_VJUMP_GOTO_OPERAND] +
						  truth.n_jump[PT_VJUMP_CALL_OPERAND]);
	pt_vtruth_fini(&truth);
}
END_TEST

/* A call and a return every few cycles is more than the pins can carry. */
START_TEST(above_the_bandwidth_the_session_ends)
{
	static const uint8_t code[] = { 0x21, 0x04, 0x20, 0x7e, 0x05 };	/* BSR +4; BRA -2; RTS */

	rig_attach(rig);
	rig_run(rig, 1000000);
	rig_halt(rig);
	memcpy(pt_s12zvm_bytes(rig->chip, 0x2e00, sizeof(code)), code, sizeof(code));
	pt_vbus_changed(&rig->chip->bus, 0x2e00, sizeof(code));
	RIG_SEND(rig, 0x4b, 0, 0, 0x2e, 0);
	rig_delay(rig);
	rig_write(rig, 0x102, 1, 0x40);
	rig_write(rig, 0x103, 1, 0x06);
	rig_write(rig, 0x100, 1, 0x80);
	rig_command(rig, 0x08);
	rig_run(rig, 2000000);
	ck_assert_uint_eq(rig_read(rig, 0x100, 1) & 0x80, 0);
	ck_assert_uint_eq(rig_read(rig, 0x10a, 1) & 0x80, 0x80);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_BDMACT, 0);	/* and the core runs on */
}
END_TEST

/* --- breakpoints of the DBG module in the running core */

static void break_at(uint32_t at, uint8_t c1)
{
	rig_write(rig, 0x115, 1, at >> 16);
	rig_write(rig, 0x116, 1, at >> 8 & 0xff);
	rig_write(rig, 0x117, 1, at & 0xff);
	rig_write(rig, 0x110, 1, 0x21);
	rig_write(rig, 0x107, 1, 0x03);
	rig_write(rig, 0x100, 1, c1);
}

START_TEST(breaks_in_front_of_the_instruction)
{
	rig_attach(rig);
	rig_run(rig, 1000000);
	break_at(symbol("checksum"), 0x98);
	rig_run(rig, 5000000);
	ck_assert_uint_ne(rig_csr(rig) & PT_VBDC_BDMACT, 0);
	ck_assert_uint_eq(rig_reg(rig, 11), symbol("checksum"));
	ck_assert_uint_eq(rig_read(rig, 0x100, 1), 0x18);
	rig_command(rig, 0x09);			/* leaves it */
	ck_assert_uint_gt(rig_reg(rig, 11), symbol("checksum"));
}
END_TEST

/* --- flash */

static void flash_command(uint8_t index, const uint16_t *words)
{
	for (uint8_t i = 0; i <= index; i++)
		rig_write(rig, 0x38c + 2u * i, 2, words[i]);
	rig_write(rig, 0x382, 1, index);
	rig_write(rig, 0x386, 1, 0x80);
}

static uint8_t fstat_after(uint64_t ns)
{
	rig_run(rig, ns);
	return (uint8_t)rig_read(rig, 0x386, 1);
}

START_TEST(programs_and_erases_flash)
{
	static const uint16_t erase[] = { 0x0afe, 0x0200 };
	static const uint16_t program[] = { 0x06fe, 0x0208, 0x1122, 0x3344, 0x5566, 0x7788 };

	rig_attach(rig);
	rig_halt(rig);
	flash_command(1, erase);
	ck_assert_uint_eq(fstat_after(0), 0xa0);	/* no clock divider: ACCERR */
	rig_write(rig, 0x386, 1, 0x30);
	rig_write(rig, 0x380, 1, 0x31);
	ck_assert_uint_eq(rig_read(rig, 0x380, 1), 0xb1);
	memset(pt_s12zvm_bytes(rig->chip, 0xfe0200, 512), 0, 512);
	flash_command(1, erase);
	ck_assert_uint_eq(fstat_after(0), 0x00);
	ck_assert_uint_eq(rig_read(rig, 0xfe0200, 1), 0xee);	/* busy: not on the bus */
	ck_assert_uint_eq(fstat_after(30000000), 0x80);
	ck_assert_uint_eq(rig_read(rig, 0xfe0200, 4), 0xffffffff);
	ck_assert_uint_eq(rig_read(rig, 0xfe03fc, 4), 0xffffffff);
	flash_command(5, program);
	ck_assert_uint_eq(fstat_after(1000000), 0x80);
	ck_assert_uint_eq(rig_read(rig, 0xfe0208, 4), 0x11223344);
	ck_assert_uint_eq(rig_read(rig, 0xfe020c, 4), 0x55667788);
	flash_command(4, program);			/* a word too few */
	ck_assert_uint_eq(fstat_after(0), 0xa0);
}
END_TEST

static const struct { uint8_t index; uint16_t words[6]; uint8_t fstat; } flash_errors[] = {
	{ 5, { 0x06fe, 0x0204, 0, 0, 0, 0 }, 0xa0 },		/* no phrase */
	{ 5, { 0x0610, 0x0000, 0, 0, 0, 0 }, 0xa0 },		/* EEPROM has a command of its own */
	{ 5, { 0x06ff, 0xfff8, 1, 2, 3, 4 }, 0x83 },		/* not erased */
	{ 1, { 0x0a80, 0x0000 }, 0xa0 },
	{ 1, { 0x7700, 0x0000 }, 0xa0 },
	{ 2, { 0x1110, 0x0000, 0x1234 }, 0x80 },		/* EEPROM word */
	{ 1, { 0x1210, 0x0000 }, 0x80 },
	{ 0, { 0x0100 }, 0x83 },				/* not all erased */
};

START_TEST(flash_commands_end_as_they_should)
{
	rig_attach(rig);
	rig_halt(rig);
	rig_write(rig, 0x380, 1, 0x31);
	flash_command(flash_errors[_i].index, flash_errors[_i].words);
	ck_assert_uint_eq(fstat_after(50000000), flash_errors[_i].fstat);
}
END_TEST

/* --- other units */

START_TEST(the_timer_counts_and_compares)
{
	uint32_t count;

	rig_attach(rig);
	rig_halt(rig);
	rig_write(rig, 0x406, 1, 0);			/* stopped */
	rig_write(rig, 0x40e, 1, 0xff);
	rig_write(rig, 0x40f, 1, 0xff);
	count = rig_read(rig, 0x404, 2);
	rig_run(rig, 1000000);
	ck_assert_uint_eq(rig_read(rig, 0x404, 2), count);
	rig_write(rig, 0x40d, 1, 0x07);			/* 128 cycles a count: 2560 ns */
	rig_write(rig, 0x410, 2, (count + 1000) & 0xffff);
	rig_write(rig, 0x406, 1, 0x80);
	rig_run(rig, 2000000);
	ck_assert_uint_eq(rig_read(rig, 0x40e, 1), 0);
	rig_run(rig, 1000000);
	ck_assert_uint_eq(rig_read(rig, 0x40e, 1), 1);
	rig_write(rig, 0x40e, 1, 1);
	ck_assert_uint_eq(rig_read(rig, 0x40e, 1), 0);
	rig_run(rig, 200000000);			/* 65536 counts take 168 ms */
	ck_assert_uint_eq(rig_read(rig, 0x40f, 1), 0x80);
}
END_TEST

static uint32_t tim(struct pt_vs12z_tim *unit, uint32_t offset, uint8_t size_bytes, bool write, uint32_t value)
{
	const struct pt_vaccess access = { 0x400 + offset, size_bytes, PT_VMASTER_CPU, true };

	ck_assert(write ? pt_vs12z_tim_ops.write(unit, offset, &access, value)
			: pt_vs12z_tim_ops.read(unit, offset, &access, &value));
	return value;
}

/* To the cycle: a compare is due when the count is there, and again a round later. */
START_TEST(the_timer_is_exact)
{
	uint64_t now = 100;
	struct pt_vbus bus = { .now_cycle = &now };
	struct pt_vwires wires = { .bus = &bus, .core_hz = 50000000 };
	struct pt_vs12z_tim unit;

	pt_vs12z_tim_init(&unit, &wires, 12);
	tim(&unit, 0x00, 1, true, 1);
	tim(&unit, 0x10, 2, true, 1000);
	tim(&unit, 0x06, 1, true, 0x80);
	ck_assert_uint_eq(pt_vs12z_tim_ops.next_tick(&unit), 1100);
	now = 1099;
	ck_assert_uint_eq(tim(&unit, 0x0e, 1, false, 0), 0);
	ck_assert_uint_eq(tim(&unit, 0x04, 2, false, 0), 999);
	now = 1100;
	pt_vs12z_tim_ops.tick(&unit, now);
	ck_assert_uint_eq(tim(&unit, 0x0e, 1, false, 0), 1);
	ck_assert_uint_eq(pt_vs12z_tim_ops.next_tick(&unit), 1100 + 65536);
}
END_TEST

START_TEST(vectors_and_priorities_are_registers)
{
	rig_attach(rig);
	ck_assert_uint_eq(rig_read(rig, 0x010, 2), 0xfffe);
	rig_write(rig, 0x010, 2, 0x1235);
	ck_assert_uint_eq(rig_read(rig, 0x010, 2), 0x1234);
	rig_write(rig, 0x017, 1, 0x08);
	ck_assert_uint_eq(rig_read(rig, 0x01c, 1), 1);
	rig_write(rig, 0x01c, 1, 5);
	ck_assert_uint_eq(pt_vs12z_priority(rig->chip->cpu, 12), 5);
}
END_TEST

START_TEST(reserved_registers_read_0_and_the_rest_is_not_there)
{
	rig_attach(rig);
	ck_assert_uint_eq(rig_read(rig, 0x800, 4), 0);
	ck_assert_uint_eq(rig_read(rig, 0x0fe, 4), 0);		/* into the DBG module */
	ck_assert_uint_eq(rig_read(rig, 0x000, 4), 0x00170001);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_FLAGS, 0);
	ck_assert_uint_eq(rig_read(rig, 0x3000, 1), 0xee);
}
END_TEST

/* --- words, reset, power, firmware */

START_TEST(an_application_may_have_armed_the_module)
{
	rig_close(rig);
	rig = rig_open("app-dbg=on", NULL);
	rig_run(rig, 5000000);
	rig_attach(rig);
	ck_assert_uint_eq(rig_read(rig, 0x100, 1), 0x80);
	ck_assert_uint_eq(rig_read(rig, 0x102, 1), 0x40);
}
END_TEST

START_TEST(a_part_without_trace_says_so)
{
	rig_close(rig);
	rig = rig_open("trace=off", NULL);
	rig_attach(rig);
	rig_write(rig, 0x102, 1, 0x40);
	ck_assert_uint_eq(rig_read(rig, 0x102, 1), 0);
}
END_TEST

START_TEST(power_loss_forgets_everything_but_the_flash)
{
	uint32_t vector = pt_s12zvm_peek(rig->chip, 0xfffffc);

	rig_attach(rig);
	rig_run(rig, 10000000);
	pt_vbkgd_power(&rig->wire, false);
	ck_assert_uint_eq(pt_vbkgd_sync(&rig->wire), 0);
	rig_run(rig, 10000000);
	pt_vbkgd_power(&rig->wire, true);
	rig_run(rig, 1000);
	ck_assert_uint_ne(pt_vbkgd_sync(&rig->wire), 0);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_ENBDC, 0);
	ck_assert_uint_eq(pt_s12zvm_peek(rig->chip, 0xfffffc), vector);
	ck_assert_uint_lt(pt_vs12z_cycle(rig->chip->cpu), 10000);
}
END_TEST

static const struct { const char *word; const char *sentence; } wrong_words[] = {
	{ "variant=secured", "words of its own" }, { "nonsense=1", "nonsense" }, { "pthf=7", "pthf" },
	{ "bus=1", "bus" },
	{ "usbdm=v6", "v4|v5|v5-busy" },
};

START_TEST(wrong_words_are_told)
{
	struct pt_err err = { 0 };
	char name[100];

	snprintf(name, sizeof(name), "s12zvm?%s", wrong_words[_i].word);
	ck_assert_ptr_null(pt_model_link_open(name, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_msg(strstr(err.msg, wrong_words[_i].sentence) != NULL, "%s", err.msg);
}
END_TEST

START_TEST(bad_firmware_is_told)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	size_t len_bytes;
	const uint8_t *kl27 = pt_vboard_demo("kl27", &len_bytes);

	ck_assert_ptr_null(pt_vboard_s12zvm.make(settings, kl27, len_bytes, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	pt_params_free(settings);
}
END_TEST

static TCase *cases_of(Suite *suite, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	suite_add_tcase(suite, tc);
	return tc;
}

static void add_running(TCase *tc)
{
	tcase_add_test(tc, the_demo_runs_and_sleeps);
	tcase_add_test(tc, the_debugger_gets_at_it);
	tcase_add_test(tc, the_timer_interrupts);
	tcase_add_test(tc, the_truth_is_the_firmwares);
	tcase_add_test(tc, two_boards_do_the_same);
	tcase_add_test(tc, the_pins_tell_all_that_happened);
	tcase_add_test(tc, above_the_bandwidth_the_session_ends);
	tcase_add_test(tc, breaks_in_front_of_the_instruction);
}

static void add_units(TCase *tc)
{
	tcase_add_test(tc, programs_and_erases_flash);
	tcase_add_loop_test(tc, flash_commands_end_as_they_should, 0, PT_LEN(flash_errors));
	tcase_add_test(tc, the_timer_counts_and_compares);
	tcase_add_test(tc, the_timer_is_exact);
	tcase_add_test(tc, vectors_and_priorities_are_registers);
	tcase_add_test(tc, reserved_registers_read_0_and_the_rest_is_not_there);
}

static void add_life(TCase *tc)
{
	tcase_add_test(tc, an_application_may_have_armed_the_module);
	tcase_add_test(tc, a_part_without_trace_says_so);
	tcase_add_test(tc, power_loss_forgets_everything_but_the_flash);
	tcase_add_loop_test(tc, wrong_words_are_told, 0, PT_LEN(wrong_words));
	tcase_add_test(tc, bad_firmware_is_told);
}

int main(void)
{
	Suite *suite = suite_create("s12zvm");

	add_running(cases_of(suite, "running"));
	add_units(cases_of(suite, "units"));
	add_life(cases_of(suite, "life"));
	return pt_run_suite(suite);
}
