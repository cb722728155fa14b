/* The virtual cm4 as a debugger meets it, over its bus: what it has, its DWT against the core's own counts, its resets,
 * its catches, and its units as the demo uses them. */
#include "bare_core.h"
#include "base/params.h"
#include "harness.h"
#include "probes/virtual/chip/cm4.h"

enum { DHCSR = 0xe000edf0, DEMCR = 0xe000edfc, AIRCR = 0xe000ed0c, SHCSR = 0xe000ed24, CFSR = 0xe000ed28, DFSR = 0xe000ed30,
       DWT_CTRL = 0xe0001000, DWT_CYCCNT = 0xe0001004, FREE_RAM = 0x20008000 };
#define DEBUG_KEY UINT32_C(0xa05f0000)
#define TRCENA (UINT32_C(1) << 24)
#define ALL_COUNTERS UINT32_C(0x003e0001)

static struct pt_vboard *board;
static struct pt_cm4 *chip;
static uint64_t now_ns;

static void open_board(const char *variant)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };

	if (variant != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_vboard_params, pt_n_vboard_params, variant, &err), 0);
	board = pt_vboard_cm4.make(settings, NULL, 0, &err);
	ck_assert_msg(board != NULL, "%s", err.msg);
	pt_params_free(settings);
	chip = pt_cm4_of(board);
	now_ns = 0;
}

static void setup(void)
{
	open_board(NULL);
}

static void teardown(void)
{
	pt_vboard_cm4.free(board);
}

static void run_us(unsigned us)
{
	now_ns += us * UINT64_C(1000);
	pt_vboard_cm4.advance(board, now_ns);
}

static uint32_t peek(uint32_t addr)
{
	struct pt_vaccess access = { addr, 4, PT_VMASTER_DEBUG, true };
	uint32_t value = 0;

	ck_assert_msg(pt_vbus_read(&chip->bus, &access, &value), "0x%x", addr);
	return value;
}

static void poke(uint32_t addr, uint32_t value)
{
	struct pt_vaccess access = { addr, 4, PT_VMASTER_DEBUG, true };

	ck_assert_msg(pt_vbus_write(&chip->bus, &access, value), "0x%x", addr);
}

static uint32_t variable(const char *name)
{
	return pt_cm4_peek(chip, pt_elf_symbol(pt_firmware("cm4_demo.elf"), name));
}

/* --- identification */

static const struct { const char *name; uint32_t addr, value; } words[] = {
	{ "CPUID", 0xe000ed00, 0x410fc241 },	{ "ROM table: SCS", 0xe00ff000, 0xfff0f003 },
	{ "ROM table: ETM, not there", 0xe00ff014, 0xfff42002 },	{ "ROM table: end", 0xe00ff018, 0 },
	{ "FPB CTRL: six and two", 0xe0002000, 0x260 },	{ "MVFR0", 0xe000ef40, 0x10110021 },
	{ "MPU TYPE", 0xe000ed90, 0x800 },	{ "ICTR", 0xe000e004, 2 },	{ "ITM without TRCENA", 0xe0000000, 0 },
};
START_TEST(reads_what_the_chip_reads)
{
	ck_assert_msg(peek(words[_i].addr) == words[_i].value, "%s: %x", words[_i].name, peek(words[_i].addr));
}
END_TEST

static const struct { uint32_t base, class, part; } pages[] = {
	{ 0xe00ff000, 0x1, 0x4c4 }, { 0xe000e000, 0xe, 0x00c }, { 0xe0001000, 0xe, 0x002 }, { 0xe0002000, 0xe, 0x003 },
	{ 0xe0000000, 0xe, 0x001 }, { 0xe0040000, 0x9, 0x9a1 },
};
START_TEST(every_page_names_itself)
{
	uint32_t base = pages[_i].base;

	ck_assert_uint_eq(peek(base + 0xff0), 0x0d);
	ck_assert_uint_eq(peek(base + 0xff4), pages[_i].class << 4);
	ck_assert_uint_eq(peek(base + 0xfe0) | (peek(base + 0xfe4) & 0xf) << 8, pages[_i].part);
}
END_TEST

/* --- DWT */

/* Source: DDI 0403, C1.8.9: instructions = cycles - CPI - exceptions - sleep - LSU + folded, as far as eight bits go. */
START_TEST(counters_add_up_to_instructions)
{
	uint32_t cycles, others = 0;
	uint64_t instructions;

	run_us(2000);
	poke(DEMCR, TRCENA);
	poke(DWT_CTRL, ALL_COUNTERS);
	poke(DWT_CYCCNT, 0);
	instructions = pt_vcpu_instructions(chip->cpu);
	run_us(1000 + 777 * (unsigned)_i);
	instructions = pt_vcpu_instructions(chip->cpu) - instructions;
	cycles = peek(DWT_CYCCNT);
	ck_assert_uint_gt(cycles, 24990);
	for (uint32_t at = DWT_CYCCNT + 4; at <= DWT_CYCCNT + 16; at += 4)
		others += peek(at);
	ck_assert_uint_eq((cycles - others + peek(DWT_CYCCNT + 20)) & 0xff, instructions & 0xff);
}
END_TEST

START_TEST(cyccnt_stands_while_halted)
{
	uint32_t cycles;

	poke(DEMCR, TRCENA);
	poke(DWT_CTRL, 1);
	run_us(10);
	poke(DHCSR, DEBUG_KEY | 3);
	run_us(10);
	cycles = peek(DWT_CYCCNT);
	run_us(1000);
	ck_assert_uint_eq(peek(DWT_CYCCNT), cycles);
	poke(DHCSR, DEBUG_KEY | 1);
	run_us(10);
	ck_assert_uint_ge(peek(DWT_CYCCNT), cycles + 240);
	poke(DEMCR, 0);
	ck_assert_uint_eq(peek(DWT_CYCCNT), 0);	/* without TRCENA the unit reads 0 */
}
END_TEST

/* --- resets and catches */

/* VECTRESET leaves the units alone: the timer goes on, and main begins again. */
START_TEST(resets_the_core_alone)
{
	bool alone = _i != 0;

	run_us(5050);
	poke(DEMCR, 1);
	poke(DHCSR, DEBUG_KEY | 1);
	poke(AIRCR, 0x05fa0000 | (alone ? 1 : 4));
	run_us(1);
	ck_assert_uint_eq(pt_vcpu_state(chip->cpu), PT_VCPU_HALT);
	ck_assert_uint_eq(pt_vcpu_pc(chip->cpu), pt_cm4_peek(chip, 4) & ~1u);
	ck_assert_uint_eq(peek(0x40000000), alone ? 9 : 0);
	ck_assert_uint_eq(peek(DFSR) & 8, 8);
}
END_TEST

static const struct { const char *name; uint32_t enabled, vc; uint16_t code[2]; uint32_t r0; bool caught; } catches[] = {
	{ "BusFault", 0x70000, 1 << 8, { 0x6800, 0xe7fe }, 0x30000000, true },
	{ "BusFault, of which HardFault is caught", 0x70000, 1 << 10, { 0x6800, 0xe7fe }, 0x30000000, false },
	{ "HardFault instead", 0, 1 << 10, { 0x6800, 0xe7fe }, 0x30000000, true },
	{ "UsageFault: undefined", 0x70000, 1 << 7, { 0xde00, 0xe7fe }, 0, true },
	{ "UsageFault: undefined, of which coprocessors are caught", 0x70000, 1 << 5, { 0xde00, 0xe7fe }, 0, false },
	{ "UsageFault: no coprocessor", 0x70000, 1 << 5, { 0xee01, 0x0510 }, 0, true },
	{ "MemManage: a device executed", 0x70000, 1 << 4, { 0x4700, 0xe7fe }, 0x40000001, true },
};
START_TEST(catches_a_fault)
{
	poke(DHCSR, DEBUG_KEY | 3);
	run_us(1);
	poke(SHCSR, catches[_i].enabled);
	poke(DEMCR, catches[_i].vc);
	poke(FREE_RAM, catches[_i].code[0] | (uint32_t)catches[_i].code[1] << 16);
	pt_vcpu_set_reg(chip->cpu, 0, catches[_i].r0);
	pt_vcpu_set_reg(chip->cpu, 15, FREE_RAM);
	poke(DFSR, 0x1f);
	poke(DHCSR, DEBUG_KEY | 1);
	run_us(20);
	ck_assert_msg((pt_vcpu_state(chip->cpu) == PT_VCPU_HALT) == catches[_i].caught, "%s", catches[_i].name);
	ck_assert_msg((peek(DFSR) & 8) == (catches[_i].caught ? 8 : 0), "%s: DFSR %x", catches[_i].name, peek(DFSR));
}
END_TEST

/* --- DebugMonitor */

enum { HANDLERS = 0x20009000, TABLE = 0x2000a000, WATCHED = 0x20008100, VTOR = 0xe000ed08, HFSR = 0xe000ed2c, FP_CTRL = 0xe0002000,
       FP_COMP0 = 0xe0002008, DWT_COMP0 = 0xe0001020, DWT_FUNCTION0 = 0xe0001028 };
#define MON_EN (UINT32_C(1) << 16)
#define MON_PEND (UINT32_C(1) << 17)
enum { BY_BKPT, BY_FPB, BY_DWT, BY_PEND };

/* What a debug event becomes: Debug state, DebugMonitor, HardFault, or nothing. Source: DDI 0403, C1.5.1 */
static const struct {
	const char *name;
	unsigned by;
	uint32_t demcr;
	bool halting, masked;		/* C_DEBUGEN; PRIMASK: nothing of that priority may preempt */
	unsigned ipsr;			/* 16: Debug state */
	uint32_t dfsr;
} events[] = {
	{ "BKPT", BY_BKPT, MON_EN, false, false, 12, 2 },
	{ "BKPT, halting debug first", BY_BKPT, MON_EN, true, false, 16, 2 },
	{ "BKPT, not enabled", BY_BKPT, 0, false, false, 3, 0 },
	{ "BKPT, masked", BY_BKPT, MON_EN, false, true, 3, 0 },
	{ "FPB", BY_FPB, MON_EN, false, false, 12, 2 },
	{ "FPB, not enabled", BY_FPB, 0, false, false, 0, 0 },
	{ "FPB, masked", BY_FPB, MON_EN, false, true, 0, 0 },
	{ "DWT", BY_DWT, MON_EN | TRCENA, false, false, 12, 4 },
	{ "DWT, halting debug first", BY_DWT, MON_EN | TRCENA, true, false, 16, 4 },
	{ "DWT, not enabled", BY_DWT, TRCENA, false, false, 0, 0 },
	{ "pended", BY_PEND, MON_PEND, false, false, 12, 0 },
	{ "pended, masked", BY_PEND, MON_PEND | MON_EN, false, true, 0, 0 },
};

/* Each handler, and the end of each program, is a jump to itself: where the core is says what became of the event. */
static void place_handlers(void)
{
	for (unsigned n = 0; n < 16; n++) {
		poke(TABLE + 4 * n, (HANDLERS + 16 * n) | 1);
		poke(HANDLERS + 16 * n, 0xe7fee7fe);
	}
	poke(VTOR, TABLE);
	for (unsigned n = 0; n < 3; n++)
		poke(0xe000e180 + 4 * n, UINT32_MAX);	/* no interrupt of the demo */
	poke(0xe000e010, 0);
}

/* Returns where the program begins. */
static uint32_t place_program(unsigned by)
{
	uint32_t at = by == BY_FPB ? pt_elf_symbol(pt_firmware("cm4_demo.elf"), "default_handler") & ~1u : FREE_RAM;

	if (by == BY_FPB) {		/* an endless loop in code memory: the first of its instructions */
		poke(FP_COMP0, (at & 0x1ffffffc) | ((at & 2) != 0 ? UINT32_C(2) : UINT32_C(1)) << 30 | 1);
		poke(FP_CTRL, 3);
		return at;
	}
	poke(at, by == BY_BKPT ? 0xe7febe00 : by == BY_DWT ? 0xe7fe6001 : 0xe7fee7fe);	/* bkpt; str r1, [r0]; b . */
	return at;
}

START_TEST(a_debug_event_is_debugmonitors)
{
	uint32_t at, stacked;

	poke(DHCSR, DEBUG_KEY | 3);
	run_us(1);
	place_handlers();
	at = place_program(events[_i].by);
	poke(DEMCR, events[_i].demcr);
	if (events[_i].by == BY_DWT) {
		poke(DWT_COMP0, WATCHED);
		poke(DWT_FUNCTION0, 6);
	}
	pt_vcpu_set_reg(chip->cpu, 0, WATCHED);
	pt_vcpu_set_reg(chip->cpu, 13, FREE_RAM + 0x800);
	pt_vcpu_set_reg(chip->cpu, 15, at);
	pt_vcpu_set_reg(chip->cpu, 16, 1 << 24);
	pt_vcpu_set_reg(chip->cpu, 20, events[_i].masked);
	poke(DFSR, 0x1f);
	poke(HFSR, UINT32_MAX);
	poke(DHCSR, DEBUG_KEY | events[_i].halting);
	run_us(20);
	ck_assert_msg(peek(DFSR) == events[_i].dfsr, "%s: DFSR %x", events[_i].name, peek(DFSR));
	ck_assert_uint_eq(peek(HFSR) >> 31, events[_i].ipsr == 3);
	ck_assert_int_eq(pt_vcpu_state(chip->cpu) == PT_VCPU_HALT, events[_i].ipsr == 16);
	ck_assert_msg(events[_i].ipsr == 16 || (pt_vcpu_reg(chip->cpu, 16) & 0x1ff) == events[_i].ipsr, "%s: IPSR %u",
		      events[_i].name, pt_vcpu_reg(chip->cpu, 16) & 0x1ff);
	if (events[_i].ipsr != 12)
		return;
	stacked = peek(pt_vcpu_reg(chip->cpu, 13) + 24);
	ck_assert_uint_eq(pt_vcpu_pc(chip->cpu), HANDLERS + 16 * 12);
	ck_assert_uint_eq(stacked, events[_i].by == BY_DWT ? at + 2 : at);
	ck_assert_uint_eq(peek(SHCSR) >> 8 & 1, 1);	/* MONITORACT */
	ck_assert_uint_eq(peek(DEMCR) & MON_PEND, 0);
	poke(AIRCR, 0x05fa0004);
	run_us(1);
	ck_assert_uint_eq(peek(DEMCR) & MON_EN, 0);
}
END_TEST

/* --- units */

START_TEST(the_demo_has_its_interrupts)
{
	run_us(100000);
	ck_assert_uint_ge(variable("g_ticks"), 999);
	ck_assert_uint_le(variable("g_ticks"), 1000);
	ck_assert_uint_ge(variable("g_beats"), 99);
	ck_assert_uint_eq(chip->uart.n_overrun, 0);
	ck_assert_int_eq(memcmp(chip->uart.log, "beat ", 5), 0);
}
END_TEST

START_TEST(bit_band_reaches_one_bit)
{
	uint32_t alias = 0x22000000 + (FREE_RAM + 1 - 0x20000000) * 32 + 4 * 5;	/* bit 13 of the word */

	poke(DHCSR, DEBUG_KEY | 3);
	poke(FREE_RAM, 0x12340000);
	poke(alias, 0xffffffff);
	ck_assert_uint_eq(peek(FREE_RAM), 0x12342000);
	ck_assert_uint_eq(peek(alias), 1);
	poke(alias, 2);
	ck_assert_uint_eq(peek(FREE_RAM), 0x12340000);
}
END_TEST

START_TEST(a_locked_one_refuses)
{
	struct pt_vap *ap;
	uint32_t value;

	teardown();
	open_board("variant=locked");
	ap = pt_vboard_cm4.ap(board, 0);
	ck_assert_int_eq(ap->write(ap->arg, 0x04, 0xe000ed00), PT_VACK_OK);
	ck_assert_int_ne(ap->read(ap->arg, 0x0c, &value), PT_VACK_OK);
	ck_assert_int_eq(ap->read(ap->arg, 0xfc, &value), PT_VACK_OK);
	ck_assert_uint_eq(value, 0x24770011);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cm4");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_loop_test(all, reads_what_the_chip_reads, 0, PT_LEN(words));
	tcase_add_loop_test(all, every_page_names_itself, 0, PT_LEN(pages));
	tcase_add_loop_test(all, counters_add_up_to_instructions, 0, 8);
	tcase_add_loop_test(all, a_debug_event_is_debugmonitors, 0, PT_LEN(events));
	tcase_add_test(all, cyccnt_stands_while_halted);
	tcase_add_loop_test(all, resets_the_core_alone, 0, 2);
	tcase_add_loop_test(all, catches_a_fault, 0, PT_LEN(catches));
	tcase_add_test(all, the_demo_has_its_interrupts);
	tcase_add_test(all, bit_band_reaches_one_bit);
	tcase_add_test(all, a_locked_one_refuses);
	suite_add_tcase(suite, all);
	return pt_run_suite(suite);
}
