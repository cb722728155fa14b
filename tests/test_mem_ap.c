/* The AHB-AP model against its register description: lanes, increments and their wrap, banked data, refusals. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/wire/mem_ap.h"

enum { CSW = 0x00, TAR = 0x04, DRW = 0x0c, BD2 = 0x18, CFG = 0xf4, BASE = 0xf8, IDR = 0xfc };
enum { RAM = 0x20000000, WORD_INC = 0x22000012, HALF_INC = 0x22000011, BYTE_INC = 0x22000010, WORD = 0x22000002 };

static uint8_t ram[4096];
static bool seen_privileged;
static struct pt_vbus bus;
static struct pt_vmem_ap ap;

static bool unit_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	(void)unit;
	seen_privileged = access->privileged;
	*value = 0xbeef0000 + offset;
	return access->size_bytes == 4 && access->master == PT_VMASTER_DEBUG;
}

static const struct pt_vunit_ops words_only = { .name = "words only", .read = unit_read };

static void setup(void)
{
	memset(&bus, 0, sizeof(bus));
	for (size_t i = 0; i < sizeof(ram); i++)
		ram[i] = (uint8_t)(i * 7 + (i >> 8));
	pt_vbus_add(&bus, &(struct pt_vregion){ .base = RAM, .size = sizeof(ram), .bytes = ram });
	pt_vbus_add(&bus, &(struct pt_vregion){ .base = 0xe0001000, .size = 4096, .ops = &words_only });
	pt_vmem_ap_init(&ap, &bus, 0xf0002003);
}

static uint32_t get(uint8_t reg)
{
	uint32_t value = 0xdeadbeef;

	ck_assert_int_eq(ap.port.read(ap.port.arg, reg, &value), PT_VACK_OK);
	return value;
}

static void set(uint8_t reg, uint32_t value)
{
	ck_assert_int_eq(ap.port.write(ap.port.arg, reg, value), PT_VACK_OK);
}

static const struct { const char *name; uint8_t reg; uint32_t write, read; } registers[] = {
	{ "IDR is read-only", IDR, 0, 0x04770031 },
	{ "BASE is read-only", BASE, 0, 0xf0002003 },
	{ "CFG: little-endian, nothing large", CFG, 7, 0 },
	{ "CSW shows DeviceEn", CSW, WORD_INC, 0x22000052 },
	{ "CSW has no packed transfers", CSW, 0x22000022, 0x22000042 },
	{ "CSW has no size above a word", CSW, 0x22000003, 0x22000042 },
	{ "CSW keeps all of HPROT", CSW, 0x0f000002, 0x0f000042 },
	{ "TAR keeps every bit", TAR, 0xfffffff3, 0xfffffff3 },
	{ "an absent register", 0x20, 0xffffffff, 0 },
};

START_TEST(register_reads_back)
{
	set(registers[_i].reg, registers[_i].write);
	ck_assert_msg(get(registers[_i].reg) == registers[_i].read, "%s: %08x", registers[_i].name,
		      get(registers[_i].reg));
}
END_TEST

static const struct { const char *name; uint32_t csw, tar, writes, mask, tar_after; } accesses[] = {
	{ "word", WORD, RAM + 8, 0x11223344, 0xffffffff, RAM + 8 },
	{ "word, increment", WORD_INC, RAM + 8, 0x11223344, 0xffffffff, RAM + 12 },
	{ "half in the upper lane", HALF_INC, RAM + 10, 0x11223344, 0xffff0000, RAM + 12 },
	{ "byte in lane 1", BYTE_INC, RAM + 9, 0x11223344, 0x0000ff00, RAM + 10 },
	{ "byte in lane 3", BYTE_INC, RAM + 11, 0x11223344, 0xff000000, RAM + 12 },
	{ "word, wraps at 1 KiB", WORD_INC, RAM + 0x7fc, 0x11223344, 0xffffffff, RAM + 0x400 },
	{ "byte, wraps at 1 KiB", BYTE_INC, RAM + 0x3ff, 0x11223344, 0xff000000, RAM },
};

START_TEST(data_lands_in_its_lane)
{
	uint32_t at = accesses[_i].tar & ~3u, before = pt_le32(ram + (at - RAM)), mask = accesses[_i].mask;

	set(CSW, accesses[_i].csw);
	set(TAR, accesses[_i].tar);
	set(DRW, accesses[_i].writes);
	ck_assert_msg(get(TAR) == accesses[_i].tar_after, "%s: TAR %08x", accesses[_i].name, get(TAR));
	ck_assert_msg(pt_le32(ram + (at - RAM)) == ((before & ~mask) | (accesses[_i].writes & mask)), "%s",
		      accesses[_i].name);
	set(TAR, accesses[_i].tar);
	ck_assert_msg((get(DRW) & mask) == (accesses[_i].writes & mask), "%s", accesses[_i].name);
	ck_assert_uint_eq(get(TAR), accesses[_i].tar_after);
}
END_TEST

/* The AP of a Cortex-M4: a host that knows it writes TAR every 4 KiB. */
START_TEST(counts_over_four_kib_where_it_is_an_m4s)
{
	static const struct { uint32_t tar, after; } rows[] = { { 0x3fc, 0x400 }, { 0x7fc, 0x800 }, { 0xffc, 0 } };

	ap.idr = PT_VMEM_AP_IDR_M4;
	set(CSW, WORD_INC);
	for (size_t i = 0; i < PT_LEN(rows); i++) {
		set(TAR, RAM + rows[i].tar);
		get(DRW);
		ck_assert_uint_eq(get(TAR), RAM + rows[i].after);
	}
}
END_TEST

START_TEST(banked_data_leaves_tar_alone)
{
	set(CSW, WORD_INC);
	set(TAR, RAM + 0x14);
	set(BD2, 0x55aa55aa);
	ck_assert_uint_eq(pt_le32(ram + 0x18), 0x55aa55aa);
	ck_assert_uint_eq(get(BD2), 0x55aa55aa);
	ck_assert_uint_eq(get(TAR), RAM + 0x14);
}
END_TEST

START_TEST(hprot_says_privileged)
{
	set(TAR, 0xe0001000);
	set(CSW, WORD);
	ck_assert_uint_eq(get(DRW), 0xbeef0000);
	ck_assert(seen_privileged);
	set(CSW, WORD & ~(1u << 25));
	get(DRW);
	ck_assert(!seen_privileged);
}
END_TEST

static const struct { const char *name; uint32_t csw, tar; bool locked; } refused[] = {
	{ "nothing there", WORD_INC, 0x30000000, false },
	{ "a byte of a unit that has words only", BYTE_INC, 0xe0001000, false },
	{ "a secured chip", WORD_INC, RAM, true },
};

START_TEST(bus_errors_reach_the_port)
{
	uint32_t value = 0;

	ap.locked = refused[_i].locked;
	set(CSW, refused[_i].csw);
	set(TAR, refused[_i].tar);
	ck_assert_msg(ap.port.read(ap.port.arg, DRW, &value) == PT_VACK_ERROR, "%s", refused[_i].name);
	ck_assert_msg(ap.port.write(ap.port.arg, DRW, 0) == PT_VACK_ERROR, "%s", refused[_i].name);
	ck_assert_uint_eq(get(TAR), refused[_i].tar);
	ck_assert_uint_eq(get(IDR), 0x04770031);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mem_ap");
	TCase *tc = tcase_create("ahb");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, register_reads_back, 0, PT_LEN(registers));
	tcase_add_loop_test(tc, data_lands_in_its_lane, 0, PT_LEN(accesses));
	tcase_add_test(tc, counts_over_four_kib_where_it_is_an_m4s);
	tcase_add_test(tc, banked_data_leaves_tar_alone);
	tcase_add_test(tc, hprot_says_privileged);
	tcase_add_loop_test(tc, bus_errors_reach_the_port, 0, PT_LEN(refused));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
