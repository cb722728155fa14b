/* Address decoding and register rows of the virtual boards. */
#include "harness.h"
#include "probes/virtual/frame/bus.h"
#include "probes/virtual/frame/registers.h"
#include "probes/virtual/frame/wires.h"

static uint8_t bytes[256];

/* Rows that go onto a bus with RAM at 0x1000..0x10ff. */
static const struct { const char *name; uint32_t base, size; bool fits; } rows[] = {
	{ "behind",          0x1100, 0x100, true },
	{ "in front",        0x0f00, 0x100, true },
	{ "the same",        0x1000, 0x100, false },
	{ "inside",          0x1010, 0x10, false },
	{ "around",          0x0f00, 0x1000, false },
	{ "over the end",    0x10fc, 0x100, false },
	{ "over the start",  0x0f04, 0x100, false },
	{ "top of memory",   0xfffff000, 0x1000, true },
};

START_TEST(rows_do_not_overlap)
{
	struct pt_vregion ram = { .base = 0x1000, .size = 0x100, .bytes = bytes };
	struct pt_vregion row = { .base = rows[_i].base, .size = rows[_i].size, .bytes = bytes };
	struct pt_vbus bus = { 0 };

	ck_assert(pt_vbus_add(&bus, &ram));
	ck_assert_msg(pt_vbus_add(&bus, &row) == rows[_i].fits, "%s", rows[_i].name);
}
END_TEST

START_TEST(the_bus_has_an_end)
{
	struct pt_vbus bus = { 0 };

	for (uint32_t i = 0; i < PT_VBUS_REGIONS; i++)
		ck_assert(pt_vbus_add(&bus, &(struct pt_vregion){ .base = i * 16, .size = 16, .bytes = bytes }));
	ck_assert(!pt_vbus_add(&bus, &(struct pt_vregion){ .base = 0x10000, .size = 16, .bytes = bytes }));
}
END_TEST

static void count_change(void *arg, uint32_t addr, uint32_t size_bytes)
{
	*(uint32_t *)arg += addr * size_bytes;
}

START_TEST(reaches_bytes)
{
	uint32_t value = 0, changed = 0;
	struct pt_vbus bus = { .changed = count_change, .listener = &changed };
	struct pt_vaccess access = { 0x1010, 4, PT_VMASTER_DEBUG, true };

	pt_vbus_add(&bus, &(struct pt_vregion){ .base = 0x1000, .size = 0x100, .bytes = bytes });
	pt_vbus_add(&bus, &(struct pt_vregion){ .base = 0x2000, .size = 0x100, .bytes = bytes, .read_only = true });
	ck_assert(pt_vbus_write(&bus, &access, 0x11223344));
	ck_assert_uint_eq(changed, 0x1010 * 4);
	access.size_bytes = 2;
	access.addr = 0x2012;
	ck_assert(pt_vbus_read(&bus, &access, &value));
	ck_assert_uint_eq(value, 0x1122);
	ck_assert(!pt_vbus_write(&bus, &access, 1));
	access.addr = 0x1100;
	ck_assert(!pt_vbus_read(&bus, &access, &value));
	access = (struct pt_vaccess){ 0x10fe, 4, PT_VMASTER_CPU, true };	/* over the end */
	ck_assert(!pt_vbus_read(&bus, &access, &value));
}
END_TEST

START_TEST(has_an_order_of_bytes)
{
	uint8_t ram[4] = { 0x11, 0x22, 0x33, 0x44 };
	struct pt_vbus bus = { .big_endian = true };
	struct pt_vaccess word = { 0x102, 2, PT_VMASTER_DEBUG, true }, longword = { 0x100, 4, PT_VMASTER_DEBUG, true };
	uint32_t value = 0;

	pt_vbus_add(&bus, &(struct pt_vregion){ .base = 0x100, .size = sizeof(ram), .bytes = ram });
	ck_assert(pt_vbus_read(&bus, &longword, &value));
	ck_assert_uint_eq(value, 0x11223344);
	ck_assert(pt_vbus_write(&bus, &word, 0xaabb));
	ck_assert_mem_eq(ram, ((uint8_t[]){ 0x11, 0x22, 0xaa, 0xbb }), 4);
	ck_assert(pt_vbus_write(&bus, &longword, 0x01020304));
	ck_assert_mem_eq(ram, ((uint8_t[]){ 1, 2, 3, 4 }), 4);
}
END_TEST

/* A unit that is due at one cycle, then at the next multiple of 100. */
static uint64_t due_at;

static uint64_t next_tick(void *unit)
{
	(void)unit;
	return due_at;
}

static void tick(void *unit, uint64_t now_cycle)
{
	++*(unsigned *)unit;
	due_at = now_cycle / 100 * 100 + 100;
}

START_TEST(ticks_units_that_are_due)
{
	static const struct pt_vunit_ops ops = { .name = "timer", .next_tick = next_tick, .tick = tick };
	unsigned n_ticks = 0;
	struct pt_vbus bus = { 0 };

	due_at = 50;
	ck_assert_uint_eq(pt_vbus_next_tick(&bus), PT_VNEVER);
	pt_vbus_add(&bus, &(struct pt_vregion){ .base = 0, .size = 4, .ops = &ops, .unit = &n_ticks });
	ck_assert_uint_eq(pt_vbus_next_tick(&bus), 50);
	pt_vbus_tick(&bus, 49);
	ck_assert_uint_eq(n_ticks, 0);
	pt_vbus_tick(&bus, 50);
	pt_vbus_tick(&bus, 99);
	ck_assert_uint_eq(n_ticks, 1);
	ck_assert_uint_eq(pt_vbus_next_tick(&bus), 100);
}
END_TEST

static bool read_5(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	(void)unit;
	(void)offset;
	(void)access;
	*value = 5;
	return true;
}

static bool write_nothing(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	(void)unit;
	(void)offset;
	(void)access;
	(void)value;
	return true;
}

static void count_access(void *arg)
{
	(*(unsigned *)arg)++;
}

/* An access may move a unit's next tick; a read of a unit that says it does not is spared the search for it. */
START_TEST(says_what_was_accessed)
{
	static const struct pt_vunit_ops loud = { .name = "loud", .read = read_5, .write = write_nothing };
	static const struct pt_vunit_ops quiet = { .name = "quiet", .read = read_5, .write = write_nothing,
						   .reads_are_quiet = true };
	struct pt_vaccess access = { 0, 4, PT_VMASTER_CPU, true };
	unsigned n_accessed = 0;
	struct pt_vbus bus = { .unit_accessed = count_access, .listener = &n_accessed };
	uint32_t value = 0;

	pt_vbus_add(&bus, &(struct pt_vregion){ .base = 0, .size = 4, .ops = &loud });
	pt_vbus_add(&bus, &(struct pt_vregion){ .base = 4, .size = 4, .ops = &quiet });
	ck_assert(pt_vbus_read(&bus, &access, &value));
	ck_assert_uint_eq(n_accessed, 1);
	access.addr = 4;
	ck_assert(pt_vbus_read(&bus, &access, &value));
	ck_assert_uint_eq(n_accessed, 1);
	ck_assert(pt_vbus_write(&bus, &access, 0));
	ck_assert_uint_eq(n_accessed, 2);
}
END_TEST

static const struct pt_vreg registers[] = {
	{ "WORD", 0x00, 4, 0x12345678, 0x00ffff00, 0xf0000000 },
	{ "BYTE0", 0x04, 1, 0x80, 0x0f, 0x80 },
	{ "BYTE1", 0x05, 1, 0x11, 0xff, 0 },
	{ "HALF", 0x06, 2, 0xabcd, 0, 0 },
};

/* A write of value at offset after reset; then the word at offset & ~3. */
static const struct { const char *name; uint32_t offset; uint8_t size_bytes; uint32_t value, want; bool done;
		      } accesses[] = {
	{ "reads reset values",        0x00, 0, 0, 0x12345678, true },
	{ "writes writable bits",      0x00, 4, 0x0affbbcc, 0x12ffbb78, true },
	{ "clears by writing ones",    0x00, 4, 0x30000000, 0x02000078, true },
	{ "one lane of a word",        0x02, 1, 0xee, 0x12ee5678, true },
	{ "upper half of a word",      0x02, 2, 0x10ee, 0x02ee5678, true },
	{ "byte rows in one word",     0x04, 4, 0xffff2285, 0xabcd2205, true },
	{ "a byte row alone",          0x05, 1, 0x33, 0xabcd3380, true },
	{ "nothing there",             0x08, 4, 1, 0, false },
};

START_TEST(register_rows_take_what_they_may)
{
	uint32_t value[PT_LEN(registers)], got = 1;
	struct pt_vregs regs = { registers, PT_LEN(registers), value };
	uint32_t offset = accesses[_i].offset;
	struct pt_vaccess access = { offset, accesses[_i].size_bytes, PT_VMASTER_CPU, true };

	pt_vregs_reset(&regs);
	if (access.size_bytes != 0)
		ck_assert(pt_vregs_write(&regs, offset, &access, accesses[_i].value) == accesses[_i].done);
	access.size_bytes = 4;
	ck_assert(pt_vregs_read(&regs, offset & ~3u, &access, &got) == accesses[_i].done);
	ck_assert_msg(got == accesses[_i].want, "%s: 0x%x", accesses[_i].name, got);
}
END_TEST

/* 30 ppm of a second at 48 MHz are 1440 cycles; without a drift it is exact. */
START_TEST(a_crystal_drifts)
{
	struct pt_vwires wires = { .core_hz = 48000000 };

	ck_assert_uint_eq(pt_vwires_cycles(&wires, UINT64_C(1000000000)), 48000000);
	ck_assert_uint_eq(pt_vwires_cycles(&wires, UINT64_C(3000000125)), 144000006);
	wires.drift_ppm = 30;
	ck_assert_uint_eq(pt_vwires_cycles(&wires, UINT64_C(1000000000)), 48001440);
	ck_assert_uint_eq(pt_vwires_cycles(&wires, UINT64_C(86400000000000)), UINT64_C(4147200000000) + 124416000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("virtual bus");
	TCase *tc = tcase_create("bus");

	tcase_add_loop_test(tc, rows_do_not_overlap, 0, PT_LEN(rows));
	tcase_add_test(tc, the_bus_has_an_end);
	tcase_add_test(tc, reaches_bytes);
	tcase_add_test(tc, has_an_order_of_bytes);
	tcase_add_test(tc, ticks_units_that_are_due);
	tcase_add_test(tc, says_what_was_accessed);
	tcase_add_test(tc, a_crystal_drifts);
	tcase_add_loop_test(tc, register_rows_take_what_they_may, 0, PT_LEN(accesses));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
