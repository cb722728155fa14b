/* The peripherals of the virtual KL27 one by one, on a bus and a clock of their own: timers, serial port, pins, SIM
 * with its watchdog, clock generator, ROM tables and the plain register blocks. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/unit/arm/comparator.h"
#include "probes/virtual/unit/kinetis/gpio.h"
#include "probes/virtual/unit/kinetis/lptmr.h"
#include "probes/virtual/unit/kinetis/lpuart.h"
#include "probes/virtual/unit/kinetis/mcg.h"
#include "probes/virtual/unit/kinetis/pit.h"
#include "probes/virtual/unit/arm/rom_table.h"
#include "probes/virtual/unit/kinetis/sim.h"
#include "probes/virtual/frame/storage.h"
#include "probes/virtual/unit/kinetis/tpm.h"

enum { CORE_HZ = 48000000, MS = 48000 };	/* cycles in a millisecond */

static uint64_t now_cycle;
static struct pt_vbus bus = { .now_cycle = &now_cycle };
static bool irq_level[32];
static unsigned irq_edges[32], bites;

static void on_irq(void *arg, unsigned line, bool level)
{
	(void)arg;
	irq_edges[line] += level && !irq_level[line];
	irq_level[line] = level;
}

static void on_bite(void *arg)
{
	(void)arg;
	bites++;
}

static const struct pt_vwires wires = { .bus = &bus, .core_hz = CORE_HZ, .irq = on_irq };

static void setup(void)
{
	now_cycle = 0;
	bites = 0;
	memset(irq_level, 0, sizeof(irq_level));
	memset(irq_edges, 0, sizeof(irq_edges));
	bus.n_regions = 0;
}

static void stand(const struct pt_vunit_ops *ops, void *unit)
{
	struct pt_vregion region = { .base = 0x40000000, .size = 0x2000, .ops = ops, .unit = unit };

	ck_assert(pt_vbus_add(&bus, &region));
}

static uint32_t get_n(uint32_t offset, uint8_t size_bytes)
{
	struct pt_vaccess access = { .addr = 0x40000000 + offset, .size_bytes = size_bytes, .privileged = true };
	uint32_t value;

	ck_assert(pt_vbus_read(&bus, &access, &value));
	return value;
}

static void put_n(uint32_t offset, uint8_t size_bytes, uint32_t value)
{
	struct pt_vaccess access = { .addr = 0x40000000 + offset, .size_bytes = size_bytes, .privileged = true };

	ck_assert(pt_vbus_write(&bus, &access, value));
}

static uint32_t get(uint32_t offset)
{
	return get_n(offset, 4);
}

static void put(uint32_t offset, uint32_t value)
{
	put_n(offset, 4, value);
}

/* Let time pass as the core does: from tick to tick. */
static void pass(uint64_t cycles)
{
	uint64_t end = now_cycle + cycles;

	while (pt_vbus_next_tick(&bus) <= end) {
		if (pt_vbus_next_tick(&bus) > now_cycle)
			now_cycle = pt_vbus_next_tick(&bus);
		pt_vbus_tick(&bus, now_cycle);
	}
	now_cycle = end;
}

/* --- PIT: LDVAL + 1 bus clocks, two core clocks each */

START_TEST(pit_counts_bus_clocks)
{
	struct pt_vpit pit;

	pt_vpit_init(&pit, &wires, 22, 2);
	stand(&pt_vpit_ops, &pit);
	ck_assert_uint_eq(get(0x000), 6);
	put(0x000, 0);
	put(0x100, 23999);	/* 1 ms */
	put(0x108, 3);
	pass(MS - 2);
	ck_assert_uint_eq(get(0x104), 0);	/* CVAL */
	ck_assert_uint_eq(get(0x10c), 0);
	pass(2);
	ck_assert_uint_eq(get(0x10c), 1);
	ck_assert_uint_eq(get(0x104), 23999);
	ck_assert(irq_level[22]);
	put(0x10c, 1);
	ck_assert(!irq_level[22]);
	pass(10 * MS);
	ck_assert_uint_eq(irq_edges[22], 2);	/* still asserted: nobody answered */
	put(0x108, 0);
	put(0x10c, 1);
	pass(10 * MS);
	ck_assert_uint_eq(get(0x10c), 0);
}
END_TEST

START_TEST(pit_chains_its_channels)
{
	struct pt_vpit pit;

	pt_vpit_init(&pit, &wires, 22, 2);
	stand(&pt_vpit_ops, &pit);
	put(0x000, 0);
	put(0x110, 4);		/* five rounds of channel 0 */
	put(0x118, 7);
	put(0x100, 23999);
	put(0x108, 1);
	pass(5 * MS - 1);
	ck_assert_uint_eq(get(0x11c), 0);
	ck_assert_uint_eq(get(0x114), 0);
	pass(1);
	ck_assert_uint_eq(get(0x11c), 1);
	ck_assert(irq_level[22]);
}
END_TEST

/* --- LPTMR */

static const struct { const char *name; uint32_t psr, cmr; uint64_t cycles; } lptmrs[] = {
	{ "1 kHz", 0x05, 9, 10 * MS },
	{ "1 kHz by two", 0x01, 9, 20 * MS },
	{ "8 MHz by 16", 0x18, 499, MS },
};
START_TEST(lptmr_compares)
{
	struct pt_vlptmr lptmr;

	pt_vlptmr_init(&lptmr, &wires, 28);
	stand(&pt_vlptmr_ops, &lptmr);
	put(0x4, lptmrs[_i].psr);
	put(0x8, lptmrs[_i].cmr);
	put(0x0, 0x41);
	pass(lptmrs[_i].cycles - 1);
	ck_assert_msg(!irq_level[28], "%s: early", lptmrs[_i].name);
	pass(1);
	ck_assert_msg(irq_level[28], "%s: late", lptmrs[_i].name);
	ck_assert_uint_eq(get(0x0), 0xc1);
	put(0x0, 0xc1);		/* TCF clears by writing 1 */
	ck_assert(!irq_level[28]);
	pass(lptmrs[_i].cycles);
	ck_assert(irq_level[28]);
}
END_TEST

START_TEST(lptmr_shows_its_count_when_asked)
{
	struct pt_vlptmr lptmr;

	pt_vlptmr_init(&lptmr, &wires, 28);
	stand(&pt_vlptmr_ops, &lptmr);
	put(0x4, 0x05);
	put(0x8, 0xffff);
	put(0x0, 0x05);		/* free running */
	pass(1234 * MS);
	put(0xc, 0);
	ck_assert_uint_eq(get(0xc), 1234);
	pass(MS);
	ck_assert_uint_eq(get(0xc), 1234);
}
END_TEST

/* --- TPM */

START_TEST(tpm_overflows_and_compares)
{
	struct pt_vtpm tpm;

	pt_vtpm_init(&tpm, &wires, 17);
	stand(&pt_vtpm_ops, &tpm);
	put(0x08, 999);		/* 1000 counts of 8 clocks */
	put(0x0c, 0x54);	/* channel 0: compare, CHIE */
	put(0x10, 500);
	put(0x00, 0x4b);	/* TOIE, clock on, by 8 */
	pass(500 * 8 - 1);
	ck_assert_uint_eq(get(0x04), 499);
	ck_assert(!irq_level[17]);
	pass(1);
	ck_assert_uint_eq(get(0x0c) & 0x80, 0x80);
	ck_assert(irq_level[17]);
	put(0x0c, 0xd4);
	ck_assert(!irq_level[17]);
	pass(500 * 8);
	ck_assert_uint_eq(get(0x50), 0x100);	/* STATUS: TOF */
	ck_assert_uint_eq(get(0x04), 0);
	ck_assert(irq_level[17]);
	put(0x00, 0xcb);
	ck_assert(!irq_level[17]);
	pass(500 * 8);
	ck_assert_uint_eq(get(0x50), 1);
	put(0x04, 0);		/* any write clears CNT */
	ck_assert_uint_eq(get(0x04), 0);
}
END_TEST

/* --- LPUART: 115200 baud from 48 MHz is SBR 26, OSR 15: 10 bits take 4160 cycles */

static struct pt_vlpuart uart;

static void open_uart(uint32_t control)
{
	pt_vlpuart_init(&uart, &wires, 12);
	stand(&pt_vlpuart_ops, &uart);
	put(0x0, 0x0f000000 | 26);
	put(0x8, control);
}

START_TEST(lpuart_sends_at_its_rate)
{
	open_uart(1u << 19);
	ck_assert_uint_eq(get(0x4) & 0x00c00000, 0x00c00000);
	put(0xc, 'a');		/* in the shifter */
	ck_assert_uint_eq(get(0x4) & 0x00c00000, 0x00800000);
	put_n(0xc, 1, 'b');	/* in the buffer */
	ck_assert_uint_eq(get(0x4) & 0x00c00000, 0);
	put(0xc, 'x');		/* lost */
	pass(4160);
	ck_assert_uint_eq(get(0x4) & 0x00c00000, 0x00800000);
	pass(4160);
	ck_assert_uint_eq(get(0x4) & 0x00c00000, 0x00c00000);
	ck_assert_uint_eq(pt_vlpuart_log_bytes(&uart), 2);
	ck_assert_mem_eq(uart.log, "ab", 2);
	ck_assert_uint_eq(uart.n_overrun, 1);
}
END_TEST

START_TEST(lpuart_interrupts_when_there_is_room)
{
	open_uart(1u << 19 | 1u << 23);
	ck_assert(irq_level[12]);
	put(0xc, 'a');
	put(0xc, 'b');
	ck_assert(!irq_level[12]);
	pass(4159);
	ck_assert(!irq_level[12]);
	pass(1);
	ck_assert(irq_level[12]);
}
END_TEST

START_TEST(lpuart_keeps_a_bounded_log)
{
	open_uart(1u << 19);
	for (unsigned i = 0; i < PT_VLPUART_LOG_BYTES + 10; i++) {
		put(0xc, 'a');
		pass(4160);
	}
	ck_assert_uint_eq(uart.n_sent, PT_VLPUART_LOG_BYTES + 10);
	ck_assert_uint_eq(pt_vlpuart_log_bytes(&uart), PT_VLPUART_LOG_BYTES);
}
END_TEST

START_TEST(lpuart_receives)
{
	open_uart(1u << 18 | 1u << 21);
	pt_vlpuart_receive(&uart, 0x5a);
	ck_assert(irq_level[12]);
	pt_vlpuart_receive(&uart, 0xa5);	/* overrun */
	ck_assert_uint_eq(get(0x4) & 0x00280000, 0x00280000);
	ck_assert_uint_eq(get(0xc), 0x5a);
	put(0x4, 0x00080000);
	ck_assert(!irq_level[12]);
}
END_TEST

START_TEST(lpuart_off_sends_nothing)
{
	open_uart(0);
	put(0xc, 'a');
	ck_assert_uint_eq(uart.n_sent, 0);
}
END_TEST

/* --- GPIO */

static const struct { const char *name; uint32_t offset; uint8_t size_bytes; uint32_t value, pdor; } pins[] = {
	{ "PDOR", 0x40, 4, 0x12345678, 0x12345678 },
	{ "PSOR", 0x44, 4, 0x000000ff, 0x0f0f0fff },
	{ "PCOR", 0x48, 4, 0x0000000f, 0x0f0f0f00 },
	{ "PTOR", 0x4c, 4, 0xffffffff, 0xf0f0f0f0 },
	{ "a byte of PDOR", 0x42, 1, 0xaa, 0x0faa0f0f },
	{ "a halfword of PSOR", 0x46, 2, 0xf000, 0xff0f0f0f },
	{ "another port", 0x00, 4, 0x12345678, 0x0f0f0f0f },
	{ "past the ports", 0x140, 4, 0x12345678, 0x0f0f0f0f },
};
START_TEST(gpio_writes)
{
	struct pt_vgpio gpio = { 0 };

	stand(&pt_vgpio_ops, &gpio);
	put(0x40, 0x0f0f0f0f);
	put_n(pins[_i].offset, pins[_i].size_bytes, pins[_i].value);
	ck_assert_msg(get(0x40) == pins[_i].pdor, "%s: 0x%x", pins[_i].name, get(0x40));
}
END_TEST

START_TEST(gpio_reads_pins)
{
	struct pt_vgpio gpio = { 0 };

	stand(&pt_vgpio_ops, &gpio);
	gpio.port[2].pins = 0xff00;
	put(0x94, 0x0ff0);	/* PDDR of port C */
	put(0x80, 0x00f0);
	ck_assert_uint_eq(get(0x90), 0xf0f0);
	ck_assert_uint_eq(get_n(0x91, 1), 0xf0);
}
END_TEST

/* --- SIM */

static struct pt_vsim sim;

static void open_sim(bool watchdog)
{
	const struct pt_vsim_config config = {
		.wires = &wires, .sdid = 0x23161d82, .fcfg1 = 0x09000000, .watchdog = watchdog, .bite = on_bite,
	};

	pt_vsim_init(&sim, &config);
	stand(&pt_vsim_ops, &sim);
}

START_TEST(copc_takes_one_write)
{
	open_sim(false);
	ck_assert_uint_eq(get_n(0x1100, 1), 0x0c);
	put_n(0x1100, 1, 0x00);
	put_n(0x1100, 1, 0x0c);
	ck_assert_uint_eq(get_n(0x1100, 1), 0x00);
	pt_vsim_ops.reset(&sim, false);
	put(0x1100, 0x04);
	ck_assert_uint_eq(get(0x1100), 0x04);
	put(0x1024, 0);
	ck_assert_uint_eq(get(0x1024), 0x23161d82);
}
END_TEST

/* COPT: 1024, 32, 256 LPO milliseconds, or off. */
static const struct { const char *name; int copc; unsigned ms; unsigned bites; } dogs[] = {
	{ "as reset left it", -1, 1024, 1 }, { "early", -1, 1023, 0 }, { "short", 0x04, 32, 1 },
	{ "middle", 0x08, 255, 0 }, { "off", 0x00, 5000, 0 },
};
START_TEST(watchdog_bites)
{
	open_sim(true);
	if (dogs[_i].copc >= 0)
		put_n(0x1100, 1, (uint32_t)dogs[_i].copc);
	pass((uint64_t)dogs[_i].ms * MS);
	ck_assert_msg(bites == dogs[_i].bites, "%s: %u", dogs[_i].name, bites);
}
END_TEST

START_TEST(watchdog_is_served)
{
	open_sim(true);
	for (int i = 0; i < 4; i++) {
		pass(1000 * MS);
		put_n(0x1104, 1, 0x55);
		put_n(0x1104, 1, 0xaa);
	}
	ck_assert_uint_eq(bites, 0);
	put_n(0x1104, 1, 0x12);		/* nonsense bites at once */
	pass(1);
	ck_assert_uint_eq(bites, 1);
}
END_TEST

/* --- MCG-Lite, ROM tables, plain registers */

START_TEST(mcg_status_follows_the_clock)
{
	struct pt_vmcg mcg;

	pt_vmcg_init(&mcg);
	stand(&pt_vmcg_ops, &mcg);
	ck_assert_uint_eq(get_n(0x6, 1), 0x04);		/* LIRC */
	put_n(0x0, 1, 0x00);				/* HIRC */
	ck_assert_uint_eq(get_n(0x6, 1), 0x00);
	put_n(0x1, 1, 0x04);
	put_n(0x0, 1, 0x80);				/* external */
	ck_assert_uint_eq(get_n(0x6, 1), 0x0a);
}
END_TEST

START_TEST(rom_table_reads_in_any_width)
{
	static const uint32_t entries[] = { 0xfff0f003 };
	struct pt_vrom_table table = { { .pidr4 = 4, .part = 0x4c0, .jep106 = 0x3b, .class = 1 }, entries, 1 };

	stand(&pt_vrom_table_ops, &table);
	ck_assert_uint_eq(get(0x0), 0xfff0f003);
	ck_assert_uint_eq(get_n(0x2, 2), 0xfff0);
	ck_assert_uint_eq(get_n(0x1, 1), 0xf0);
	ck_assert_uint_eq(get(0x4), 0);
	ck_assert_uint_eq(get(0xfcc), 1);
	put(0x0, 0);
	ck_assert_uint_eq(get(0x0), 0xfff0f003);
}
END_TEST

START_TEST(storage_holds_what_its_rows_allow)
{
	static const struct pt_vreg rows[] = {
		{ "A", 0x0, 1, 0x12, 0x0f, 0 }, { "B", 0x1, 1, 0xff, 0, 0x81 }, { "C", 0x4, 4, 0, 0xffff, 0 },
	};
	uint32_t value[PT_LEN(rows)];
	struct pt_vregs regs = { rows, PT_LEN(rows), value };

	stand(&pt_vstorage_ops, &regs);
	pt_vbus_reset(&bus, true);
	ck_assert_uint_eq(get(0x0), 0x0000ff12);
	put(0x0, 0x010f);
	ck_assert_uint_eq(get(0x0), 0x0000fe1f);
	put(0x4, 0xffffffff);
	ck_assert_uint_eq(get(0x4), 0xffff);
	ck_assert_uint_eq(get(0x100), 0);
	pt_vbus_reset(&bus, false);
	ck_assert_uint_eq(get(0x4), 0);
}
END_TEST

/* --- comparators, at the edges */

static const struct { uint32_t comp, mask, addr; unsigned size_bytes; bool covers; } ranges[] = {
	{ 0, 0, 0, 1, true }, { 0, 0, 1, 4, false }, { 3, 0, 0, 4, true }, { 4, 0, 0, 4, false },
	{ 0xffffffff, 0, 0xfffffffc, 4, true }, { 0xffffffff, 24, 0xff000000, 1, true },
	{ 0xffffffff, 24, 0xfefffffc, 4, false }, { 0x20000015, 4, 0x20000010, 1, true },
	{ 0x20000015, 4, 0x2000000c, 4, false }, { 0x20000015, 4, 0x20000020, 4, false },
};
START_TEST(comparator_covers)
{
	struct pt_vcomparator c = { .comp = ranges[_i].comp, .mask = ranges[_i].mask };

	ck_assert(pt_vcomparator_covers(&c, ranges[_i].addr, ranges[_i].size_bytes) == ranges[_i].covers);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kl27 units");
	TCase *tc = tcase_create("units");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, pit_counts_bus_clocks);
	tcase_add_test(tc, pit_chains_its_channels);
	tcase_add_loop_test(tc, lptmr_compares, 0, PT_LEN(lptmrs));
	tcase_add_test(tc, lptmr_shows_its_count_when_asked);
	tcase_add_test(tc, tpm_overflows_and_compares);
	tcase_add_test(tc, lpuart_sends_at_its_rate);
	tcase_add_test(tc, lpuart_interrupts_when_there_is_room);
	tcase_add_test(tc, lpuart_keeps_a_bounded_log);
	tcase_add_test(tc, lpuart_receives);
	tcase_add_test(tc, lpuart_off_sends_nothing);
	tcase_add_loop_test(tc, gpio_writes, 0, PT_LEN(pins));
	tcase_add_test(tc, gpio_reads_pins);
	tcase_add_test(tc, copc_takes_one_write);
	tcase_add_loop_test(tc, watchdog_bites, 0, PT_LEN(dogs));
	tcase_add_test(tc, watchdog_is_served);
	tcase_add_test(tc, mcg_status_follows_the_clock);
	tcase_add_test(tc, rom_table_reads_in_any_width);
	tcase_add_test(tc, storage_holds_what_its_rows_allow);
	tcase_add_loop_test(tc, comparator_covers, 0, PT_LEN(ranges));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
