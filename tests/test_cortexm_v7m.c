/* The target cortexm on an ARMv7-M core with FPU (fake_m4.h): what it finds, its registers, its breakpoints and
 * watchpoints, and what it says of a fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "harness.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/registry.h"
#include "tests/fake_m4.h"

static struct fake_m4 m4;
static struct pt_target *target;
static struct pt_probe *probe;
static struct pt_err err;
static char said[8192];

static void keep(void *arg, const char *line)
{
	size_t n = strlen(said);

	(void)arg;
	snprintf(said + n, sizeof(said) - n, "%s\n", line);
}

static void attach(void)
{
	probe = pt_probe_open_link(&fake_dap_probe_ops, m4.dap.link, NULL, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	m4.dap.link = NULL;
	target = pt_target_attach(probe, "cortexm", NULL, &err);
	ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
}

static void setup(void)
{
	fake_m4_init(&m4);
	said[0] = '\0';
}

static void teardown(void)
{
	ck_assert_int_eq(pt_target_detach(target, true, &err), 0);
	pt_probe_close(probe);
	fake_m4_fini(&m4);
}

static void has(const char *text)
{
	ck_assert_msg(strstr(said, text) != NULL, "\"%s\" is not in:\n%s", text, said);
}

static uint16_t row(const char *name)
{
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);

	for (uint16_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return i;
	return UINT16_MAX;
}

static void halt(void)
{
	ck_assert_msg(target->ops->halt(target->state, 0, &err) == 0, "%s", err.msg);
}

/* --- what it is --------------------------------------------------------------------------------------------------- */

START_TEST(attaches_without_halting)
{
	unsigned before;

	attach();
	before = m4.dap.n_runs;
	ck_assert_uint_le(before, 40);	/* round trips */
	ck_assert_str_eq(target->ops->chip(target->state), "Cortex-M4 (r0p1, unknown chip)");
	ck_assert_uint_eq(target->ops->cpu_arch(target->state), PT_ARM_V7E_M);
	ck_assert_uint_eq(m4.dhcsr, 0);
	ck_assert_uint_eq(m4.demcr, 0);
	target->ops->describe(target->state, keep, NULL);
	has("SCS 0xe000e000 DWT 0xe0001000 BPU 0xe0002000");
	has("6 hardware breakpoints, 4 watchpoints");
}
END_TEST

static const struct { uint32_t cpuid, mvfr0; size_t n_rows; const char *core; } kinds[] = {
	{ 0x410fc241, 0x10110021, 40, "Cortex-M4 r0p1" }, { 0x410fc241, 0, 23, "Cortex-M4 r0p1" },
	{ 0x412fc231, 0, 23, "Cortex-M3 r2p1" }, { 0x411fc272, 0x10110221, 40, "Cortex-M7 r1p2" },
	{ 0x410cc601, 0x10110021, 21, "Cortex-M0+ r0p1" }, { 0x410cd200, 0, 21, "Cortex-M23 r0p0" },
	{ 0x410fd213, 0x10110021, 40, "Cortex-M33 r0p3" },
};
START_TEST(has_the_registers_of_its_architecture)
{
	size_t n;

	m4.cpuid = kinds[_i].cpuid;
	m4.mvfr0 = kinds[_i].mvfr0;
	attach();
	target->ops->registers(target->state, &n);
	ck_assert_uint_eq(n, kinds[_i].n_rows);
	ck_assert_str_eq(((const struct pt_cortexm *)target->state)->chip.core, kinds[_i].core);
}
END_TEST

START_TEST(says_what_trustzone_hides)
{
	m4.cpuid = 0x410fd213;
	m4.pfr1 = 0x10;
	attach();
	target->ops->describe(target->state, keep, NULL);
	has("the Secure side is closed to this debugger");
}
END_TEST

/* Cores are built without comparators, too. What is at address 0 (the stack pointer, the vector of reset) is not taken for
 * registers of a unit that is not there. */
START_TEST(what_the_table_does_not_have_is_not_there)
{
	m4.absent = 1 << 1 | 1 << 2;	/* DWT, FPB */
	array_mem_add(&m4.dap.memory, 0, 0x40);
	array_mem_set_word(&m4.dap.memory, 0, 0x20001ff0);
	attach();
	target->ops->describe(target->state, keep, NULL);
	has("units: SCS 0xe000e000\n");
	has("0 hardware breakpoints, 0 watchpoints");
	ck_assert_int_eq(target->ops->break_insert(target->state,
						   &(struct pt_break){ .kind = PT_BREAK_HW, .addr = 0x100 }, &err),
			 PT_EUNSUPPORTED);
	ck_assert_int_eq(target->ops->break_insert(target->state,
						   &(struct pt_break){
							   .kind = PT_WATCH_WRITE, .addr = 0x100, .len = 4 },
						   &err),
			 PT_EUNSUPPORTED);
}
END_TEST

/* By the maker's mark in the ROM table, or by registers of its own: words at an address. */
static const struct {
	unsigned maker, chip;
	uint64_t at;
	uint32_t words[5];
	const char *name;
	uint32_t flash_addr, flash_kb, ram_kb;
} chips[] = {
	{ 0x020, 0x431, 0x1fff7a20, { 512u << 16 }, "STM32F411", 0x08000000, 512, 128 },
	{ 0x020, 0x413, 0x1fff7a20, { 0xffffu << 16 }, "STM32F405/F407", 0x08000000, 0, 128 },
	{ 0x020, 0x450, 0, { 0 }, "STM32H74x/H75x", 0x08000000, 0, 512 },
	{ 0x020, 0x999, 0, { 0 }, "STM32 0x999", 0, 0, 0 },
	{ 0x43b, 0x4c4, 0x400e0740, { 0x28ac0ce0 }, "SAM4 CIDR 0x28ac0ce0", 0x00400000, 1024, 128 },
	{ 0x43b, 0x4c4, 0x400e0940, { 0x285e0a60 }, "SAM3 CIDR 0x285e0a60", 0x00080000, 512, 96 },
	{ 0x43b, 0x4c4, 0x400e0740, { 0x28900960 }, "SAM3 CIDR 0x28900960", 0x00400000, 256, 48 },
	{ 0x43b, 0x4c4, 0x40043200, { 0x4906002b }, "LPC43xx", 0, 0, 0 },
	{ 0x43b, 0x4c4, 0x0fe081f8, { 128u << 16 | 1024, 72u << 16 | 990 }, "EFM32GG990F1024", 0, 1024, 128 },
	{ 0x43b, 0x4c4, 0x400fe000, { 0x10050000, 0x10a1606e, 0x007f007f }, "TM4C123 DID1 0x10a1606e", 0, 256, 32 },
	{ 0x43b, 0x4c4, 0, { 0 }, "Cortex-M4", 0, 0, 0 },
};
START_TEST(names_the_chip)
{
	const struct pt_cortexm *cm;
	size_t n;
	const struct pt_region *region;

	m4.maker = chips[_i].maker;
	m4.chip = chips[_i].chip;
	if (chips[_i].at != 0)
		array_mem_add(&m4.dap.memory, chips[_i].at, 0x20);
	for (size_t i = 0; chips[_i].at != 0 && i < PT_LEN(chips[_i].words); i++)
		array_mem_set_word(&m4.dap.memory, chips[_i].at + 4 * i, chips[_i].words[i]);
	attach();
	ck_assert_uint_le(m4.dap.n_runs, 40);
	cm = target->state;
	ck_assert_str_eq(cm->chip.name, chips[_i].name);
	ck_assert_uint_eq(cm->chip.flash_addr, chips[_i].flash_addr);
	ck_assert_uint_eq(cm->chip.flash_bytes, chips[_i].flash_kb * 1024);
	ck_assert_uint_eq(cm->chip.ram_bytes, chips[_i].ram_kb * 1024);
	region = target->ops->regions(target->state, &n);
	ck_assert_uint_eq(region[0].addr, 0);
	for (size_t i = 1; i < n; i++)
		ck_assert_uint_eq(region[i].addr, region[i - 1].addr + region[i - 1].size);
	ck_assert_uint_eq(region[n - 1].addr + region[n - 1].size, UINT64_C(0x100000000));
	ck_assert_int_eq(target->ops->flash_erase(target->state, 0, 1024, &err), PT_EUNSUPPORTED);
	ck_assert_int_eq(target->ops->mass_erase(target->state, &err), PT_EUNSUPPORTED);
}
END_TEST

/* --board and the chip of another board: refused before anything is changed. */
static const struct {
	const char *expected;
	unsigned maker, chip;
	bool fits;
} expected[] = {
	{ "expected-chip=STM32F411", 0x020, 0x431, true },
	{ "expected-chip=stm32f4", 0x020, 0x431, true },
	{ "expected-chip=STM32F446", 0x020, 0x431, false },
	{ "expected-chip=STM32F411", 0x43b, 0x4c4, true },	/* no register has said what it is */
};
START_TEST(is_the_chip_of_the_board)
{
	struct pt_params *settings = pt_params_new();

	ck_assert_int_eq(pt_params_add(settings, pt_cortexm_ops.params, pt_cortexm_ops.n_params, expected[_i].expected,
				       &err),
			 0);
	m4.maker = expected[_i].maker;
	m4.chip = expected[_i].chip;
	probe = pt_probe_open_link(&fake_dap_probe_ops, m4.dap.link, NULL, &err);
	m4.dap.link = NULL;
	target = pt_target_attach(probe, "cortexm", settings, &err);
	ck_assert_int_eq(target != NULL, expected[_i].fits);
	if (target == NULL) {
		ck_assert_int_eq(err.code, PT_EARG);
		ck_assert_ptr_nonnull(
			strstr(err.msg, "the chip is STM32F411, and the board that was named has STM32F446"));
		ck_assert_uint_eq(m4.dhcsr & 1, 0);
		target = pt_target_attach(probe, "cortexm", NULL, &err);
	}
	pt_params_free(settings);
}
END_TEST

/* nRF52: a CTRL-AP that says whether the chip is protected. */
static uint32_t protection;
static uint32_t read_ctrl_ap(struct fake_dap *dap, uint8_t ap, uint8_t reg)
{
	(void)dap;
	return ap == 1 && reg == 0x0c ? protection : 0;
}

static void put_nrf52(uint32_t open)
{
	static const uint32_t info[] = { 0x52840, 0x41414430, 0x2004, 256, 1024 };

	protection = open;
	m4.dap.idr[1] = 0x02880000;
	m4.dap.read_ap = read_ctrl_ap;
	array_mem_add(&m4.dap.memory, 0x10000000, 0x200);
	for (size_t i = 0; i < PT_LEN(info); i++)
		array_mem_set_word(&m4.dap.memory, 0x10000100 + 4 * i, info[i]);
}

START_TEST(a_protected_chip_says_so)
{
	put_nrf52(0);
	probe = pt_probe_open_link(&fake_dap_probe_ops, m4.dap.link, NULL, &err);
	m4.dap.link = NULL;
	target = pt_target_attach(probe, "cortexm", NULL, &err);
	ck_assert_ptr_nonnull(target);
	ck_assert_int_eq(err.code, PT_ESTATE);
	ck_assert_msg(strstr(err.msg, "APPROTECT") != NULL, "%s", err.msg);
	ck_assert_str_eq(target->ops->chip(target->state), "locked nRF52 (core not accessible)");
	ck_assert_int_eq(target->ops->mass_erase(target->state, &err), PT_EUNSUPPORTED);
}
END_TEST

START_TEST(an_open_one_is_itself)
{
	put_nrf52(1);
	attach();
	ck_assert_str_eq(target->ops->chip(target->state), "nRF52840 (Cortex-M4 r0p1)");
}
END_TEST

/* Read protection of an STM32 leaves the core open: the user is told what is closed. */
static const struct { unsigned chip; uint64_t at; uint32_t open, locked; } rdp[] = {
	{ 0x410, 0x4002201c, 0x03fffffc, 0x03fffffe }, { 0x422, 0x4002201c, 0xffffff00, 0xffffff02 },
	{ 0x431, 0x40023c14, 0x0fffaaed, 0x0fff00ed }, { 0x449, 0x40023c14, 0x0fffaaed, 0x0fff55ed },
	{ 0x415, 0x40022020, 0xffeff8aa, 0xffeff8bb }, { 0x469, 0x40022020, 0xffeff8aa, 0xffeff800 },
	{ 0x450, 0x5200201c, 0x1bc6aaf0, 0x1bc600f0 },
};
START_TEST(tells_of_read_protection)
{
	bool locked = _i % 2 == 1;
	size_t i = (size_t)_i / 2;

	m4.maker = 0x020;
	m4.chip = rdp[i].chip;
	array_mem_add(&m4.dap.memory, rdp[i].at & ~UINT64_C(0xff), 0x100);
	array_mem_set_word(&m4.dap.memory, rdp[i].at, locked ? rdp[i].locked : rdp[i].open);
	attach();
	ck_assert_int_eq(((struct pt_cortexm *)target->state)->chip.protection != NULL, locked);
	target->ops->describe(target->state, keep, NULL);
	ck_assert_int_eq(strstr(said, "RDP level 1") != NULL, locked);
	ck_assert_int_eq(strstr(said, "powered off and on") != NULL, locked);
}
END_TEST

/* A core whose bus faults: the way to wake it is named, but not where that was tried. */
static const struct { const char *word; bool advised; } asleep[] = { { "connect=running", true },
								      { "connect=under-reset", false } };
START_TEST(a_core_that_does_not_answer_may_sleep)
{
	struct pt_params *settings = pt_params_new();
	size_t n_hooks = m4.dap.memory.n_hooks;

	ck_assert_int_eq(pt_params_add(settings, pt_cortexm_ops.params, pt_cortexm_ops.n_params, asleep[_i].word, &err),
			 0);
	m4.dap.memory.n_hooks = 0;	/* nothing of the core is there */
	probe = pt_probe_open_link(&fake_dap_probe_ops, m4.dap.link, NULL, &err);
	m4.dap.link = NULL;
	ck_assert_ptr_null(pt_target_attach(probe, "cortexm", settings, &err));
	ck_assert_msg((strstr(err.msg, "may answer with --connect under-reset") != NULL) == asleep[_i].advised, "%s",
		      err.msg);
	pt_params_free(settings);
	m4.dap.memory.n_hooks = n_hooks;
	target = pt_target_attach(probe, "cortexm", NULL, &err);
	ck_assert_msg(target != NULL, "%s", err.msg);
}
END_TEST

/* Kinetis K: by an MDM-AP, which says that the flash is ready and not secured, and SDID. Source: erratum 7534 */
static uint32_t read_mdm_ap(struct fake_dap *dap, uint8_t ap, uint8_t reg)
{
	(void)dap;
	return ap == 1 && reg == 0 ? 2 : 0;
}

static const struct { uint32_t sdid; const char *name; } kinetis[] = {
	{ 0x22000000, "MK22" }, { 0x64000000, "MK64" }, { 0x62000000, "MK64" }, { 0x61000000, "MK63" }, { 0x66000000, "MK66" },
	{ 0x00000000, "Kinetis K" },
};
START_TEST(names_a_kinetis_k)
{
	m4.dap.idr[1] = 0x001c0000;
	m4.dap.read_ap = read_mdm_ap;
	array_mem_add(&m4.dap.memory, 0x40048000, 0x100);
	array_mem_set_word(&m4.dap.memory, 0x40048024, kinetis[_i].sdid);
	array_mem_set_word(&m4.dap.memory, 0x4004804c, 0x0b000000);
	attach();
	ck_assert_str_eq(((struct pt_cortexm *)target->state)->chip.name, kinetis[_i].name);
	ck_assert_uint_eq(((struct pt_cortexm *)target->state)->chip.flash_bytes, 512 * 1024);
}
END_TEST

/* Each row names where it is from, and what of it is UNVERIFIED. */
START_TEST(rows_name_their_sources)
{
	size_t n_rows = 0, n_unverified = 0;

	attach();
	target->ops->chips(keep, NULL);
	for (const char *line = strtok(said, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		const char *source = line[0] == ' ' ? strstr(line + 3, "  ") : strstr(line, ": ");

		ck_assert_msg(source != NULL && strlen(source) > 6 && strstr(line, "(null)") == NULL, "%s", line);
		n_rows += line[0] == ' ';
		n_unverified += strstr(line, "UNVERIFIED") != NULL;
	}
	ck_assert_uint_ge(n_rows, 45);
	ck_assert_uint_ge(n_unverified, 8);
}
END_TEST

/* What the program has made of DebugMonitor since attach stays so, through what proftap changes and puts back. */
START_TEST(leaves_debugmonitor_to_the_program)
{
	const struct pt_break watch = { PT_WATCH_WRITE, FAKE_M4_RAM, 4 };

	m4.demcr = _i != 0 ? DEMCR_MON_EN : 0;
	attach();
	m4.demcr ^= DEMCR_MON_EN;
	ck_assert_int_eq(target->ops->break_insert(target->state, &watch, &err), 0);
	ck_assert_uint_eq(m4.demcr, DEMCR_TRCENA | (_i != 0 ? 0 : DEMCR_MON_EN));
	m4.demcr ^= DEMCR_MON_EN | 1 << 18;
	target->ops->describe(target->state, keep, NULL);
	ck_assert_int_eq(strstr(said, "enabled DebugMonitor") != NULL, _i == 0);
	has("changed: DEMCR");
	ck_assert_int_eq(target->ops->break_remove(target->state, &watch, &err), 0);
	ck_assert_int_eq(target->ops->leave(target->state, &err), 0);
	ck_assert_uint_eq(m4.demcr, (_i != 0 ? DEMCR_MON_EN : 0) | 1 << 18);
}
END_TEST

/* --- registers ---------------------------------------------------------------------------------------------------- */

/* All at once: more than one batch holds, and doubles are two words. */
START_TEST(reads_and_writes_all_registers)
{
	uint16_t rows[40];
	uint64_t value[40], again[40];

	for (uint32_t i = 0; i < PT_LEN(m4.reg); i++)
		m4.reg[i] = i * 0x01010101;
	m4.reg[20] = 0x44332211;
	attach();
	halt();
	for (uint16_t i = 0; i < PT_LEN(rows); i++)
		rows[i] = i;
	ck_assert_int_eq(target->ops->read_registers(target->state, 0, rows, PT_LEN(rows), value, &err), 0);
	ck_assert_uint_eq(value[row("r7")], 0x07070707);
	ck_assert_uint_eq(value[row("primask")], 0x11);
	ck_assert_uint_eq(value[row("basepri")], 0x22);
	ck_assert_uint_eq(value[row("faultmask")], 0x33);
	ck_assert_uint_eq(value[row("control")], 0x44);
	ck_assert_uint_eq(value[row("fpscr")], 0x21212121);
	ck_assert_uint_eq(value[row("d0")], UINT64_C(0x4141414140404040));
	ck_assert_uint_eq(value[row("d15")], UINT64_C(0x5f5f5f5f5e5e5e5e));
	for (size_t i = 0; i < PT_LEN(rows); i++)
		value[i] ^= i < 21 || i > 22 ? 1 : 2;
	ck_assert_int_eq(target->ops->write_registers(target->state, 0, rows, PT_LEN(rows), value, &err), 0);
	ck_assert_int_eq(target->ops->read_registers(target->state, 0, rows, PT_LEN(rows), again, &err), 0);
	ck_assert_mem_eq(value, again, sizeof(value));
	ck_assert_uint_eq(m4.reg[0x5f], 0x5f5f5f5f);
	ck_assert_uint_eq(m4.reg[0x5e], 0x5e5e5e5f);
}
END_TEST

/* --- breakpoints and watchpoints ---------------------------------------------------------------------------------- */

static int insert(enum pt_break_kind kind, uint64_t addr, uint32_t len)
{
	return target->ops->break_insert(target->state, &(struct pt_break){ kind, addr, len }, &err);
}

START_TEST(sets_comparators)
{
	attach();
	ck_assert_int_eq(insert(PT_BREAK_HW, 0x08000102, 2), 0);
	ck_assert_uint_eq(m4.fp_comp[0], 0x88000101);	/* version 1: the upper halfword */
	ck_assert_uint_eq(m4.fp_ctrl & 1, 1);
	ck_assert_int_eq(insert(PT_BREAK_HW, 0x60000000, 2), PT_EUNSUPPORTED);	/* beyond its reach */
	ck_assert_int_eq(insert(PT_WATCH_WRITE, 0x20000010, 4), 0);
	ck_assert_uint_eq(m4.dwt[0], 0x20000010);
	ck_assert_uint_eq(m4.dwt[1], 2);
	ck_assert_uint_eq(m4.dwt[2], 6);
	for (uint64_t i = 1; i < 6; i++)
		ck_assert_int_eq(insert(PT_BREAK_HW, 0x08000200 + 4 * i, 2), 0);
	ck_assert_int_eq(insert(PT_BREAK_HW, 0x08000300, 2), PT_EBUSY);
}
END_TEST

START_TEST(sets_comparators_of_version_2)
{
	m4.cpuid = 0x410fd213;
	m4.fp_ctrl = UINT32_C(1) << 28 | 4 << 4;
	attach();
	ck_assert_int_eq(insert(PT_BREAK_HW, 0x60000102, 2), 0);
	ck_assert_uint_eq(m4.fp_comp[0], 0x60000103);
	ck_assert_int_eq(insert(PT_WATCH_READ, 0x20000010, 2), 0);
	ck_assert_uint_eq(m4.dwt[0], 0x20000010);
	ck_assert_uint_eq(m4.dwt[2], 6 | 1 << 4 | 1 << 10);
	ck_assert_int_eq(insert(PT_WATCH_READ, 0x20000020, 8), PT_EARG);
}
END_TEST

/* An instruction cache that is on must not keep what a breakpoint replaced. */
static const struct { uint32_t cpuid, ccr, times; } caches[] = {
	{ 0x411fc272, 1 << 17, 1 }, { 0x411fc272, 0, 0 }, { 0x410fc241, 1 << 17, 0 },
};
START_TEST(empties_the_instruction_cache)
{
	m4.cpuid = caches[_i].cpuid;
	m4.ccr = caches[_i].ccr;
	attach();
	halt();
	ck_assert_int_eq(insert(PT_BREAK_SW, FAKE_M4_RAM + 0x100, 2), 0);
	ck_assert_uint_eq(pt_le16(m4.ram + 0x100), 0xbe00);
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	ck_assert_uint_eq(m4.iciallu, caches[_i].times);
	halt();
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);	/* nothing has changed since */
	ck_assert_uint_eq(m4.iciallu, caches[_i].times);
}
END_TEST

/* --- faults ------------------------------------------------------------------------------------------------------- */

static int fault(void)
{
	const struct pt_target_word *word = target->ops->words;

	ck_assert_str_eq(word->name, "fault");
	said[0] = '\0';
	return word->print(target->state, NULL, 0, keep, NULL, &err);
}

static void put_frame(uint32_t sp)
{
	for (uint32_t i = 0; i < 8; i++)
		pt_put_le32(m4.ram + (sp - FAKE_M4_RAM) + 4 * i, 0x1000 + i);
	pt_put_le32(m4.ram + (sp - FAKE_M4_RAM) + 20, 0x08000211);
	pt_put_le32(m4.ram + (sp - FAKE_M4_RAM) + 24, 0x08000124);
}

static const struct {
	const char *name;
	uint32_t cfsr, hfsr, bfar, lr, xpsr;
	const char *says[5];
	uint32_t pc, stacked_lr;	/* 0: 0x08000040, 0x08000211 */
} faults[] = {
	{ "a bus fault that was escalated", 0x8200, 0x40000000, 0x70000000, 0xfffffffd, 0x01000003,
	  { "FORCED: another fault", "PRECISERR: data were accessed", "BFAR 0x70000000", "halted in HardFault, at <0x08000040>",
	    "stacked pc <0x08000124>\nstacked lr <0x08000210>" }, 0, 0 },
	{ "no FPU allowed, on the main stack", 1 << 19, 0, 0, 0xfffffff9, 0x01000006,
	  { "NOCP: a floating-point", "UsageFault", "main stack", "stacked pc <0x08000124>", "frame at 0x20001000: r0" }, 0, 0 },
	{ "with a frame of the FPU", 1 << 25, 0, 0, 0xffffffed, 0x01000006,
	  { "DIVBYZERO", "frame at 0x20000800, with those of the FPU: r0 0x00001000" }, 0, 0 },
	{ "deep in the handler", 1 << 25, 0, 0, 0x08000311, 0x01000006, { "DIVBYZERO", "lr is not EXC_RETURN" }, 0, 0 },
	{ "an old one", 1 << 25, 0, 0, 0x08000311, 0x01000000, { "DIVBYZERO", "in no fault handler: these are of an earlier" }, 0, 0 },
	{ "none", 0, 0, 0, 0x08000311, 0x01000000, { "no fault is noted", "the core is in no fault handler" }, 0, 0 },
	{ "in a handler", 1 << 25, 0, 0, 0xfffffff1, 0x01000006,
	  { "stacked lr 0xffffffe9: EXC_RETURN, it happened in a handler", "with proftap --set catch-faults=on" }, 0,
	  0xffffffe9 },
	{ "behind a reset", 1 << 25, 0, 0, 0xfffffff9, 0x01000006,
	  { "stacked lr 0xffffffff: as a reset leaves it" }, 0, 0xffffffff },
	{ "halted out of a lockup", 0x8200, 0x40000000, 0x70000000, 0xfffffff9, 0x01000003,
	  { "halted in HardFault, locked up (pc 0xfffffffe): a second fault", "stacked pc <0x08000124>" }, 0xfffffffe, 0 },
	{ "an entry that failed", 1 << 12, 0, 0, 0xfffffffd, 0x01000003,
	  { "what follows is no frame", "stacked pc <0x08000124>" }, 0, 0 },
};
START_TEST(tells_of_a_fault)
{
	m4.fault[0] = faults[_i].cfsr;
	m4.fault[1] = faults[_i].hfsr;
	m4.fault[4] = faults[_i].bfar;
	m4.reg[14] = faults[_i].lr;
	m4.reg[15] = faults[_i].pc != 0 ? faults[_i].pc : 0x08000040;
	m4.reg[16] = faults[_i].xpsr;
	m4.reg[17] = FAKE_M4_RAM + 0x1000;
	m4.reg[18] = FAKE_M4_RAM + 0x800;
	put_frame(m4.reg[17]);
	put_frame(m4.reg[18]);
	if (faults[_i].stacked_lr != 0)
		pt_put_le32(m4.ram + 0x1000 + 20, faults[_i].stacked_lr);
	attach();
	halt();
	ck_assert_msg(fault() == 0, "%s: %s", faults[_i].name, err.msg);
	for (size_t i = 0; i < PT_LEN(faults[_i].says) && faults[_i].says[i] != NULL; i++)
		has(faults[_i].says[i]);
}
END_TEST

START_TEST(tells_of_a_fault_while_running)
{
	m4.fault[1] = 2;
	m4.dhcsr = 1 << 19;
	attach();
	ck_assert_int_eq(fault(), 0);
	has("locked up");
	has("VECTTBL");
	has("where the first fault came from shows when it is halted: in GDB, monitor halt, then monitor fault");
	ck_assert_ptr_null(strstr(said, "the core runs"));
}
END_TEST

/* A stack pointer that leads nowhere is an error with its address, not the end. */
START_TEST(a_stack_may_be_damaged)
{
	m4.fault[0] = 1 << 12;
	m4.reg[14] = 0xfffffffd;
	m4.reg[16] = 0x01000003;
	m4.reg[18] = 0xdeadbee0;
	attach();
	halt();
	ck_assert_int_eq(fault(), PT_EFAULT);
	has("STKERR");
	ck_assert_msg(strstr(err.msg, "0xdeadbee0") != NULL, "%s", err.msg);
}
END_TEST

START_TEST(catches_all_faults)
{
	struct pt_cortexm *cm;

	attach();
	cm = target->state;
	cm->catch_faults = true;
	halt();
	ck_assert_uint_eq(m4.demcr, 0x7f0);
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	ck_assert_int_eq(target->ops->leave(target->state, &err), 0);
	ck_assert_uint_eq(m4.demcr, 0);
}
END_TEST

/* --- the core's clock --------------------------------------------------------------------------------------------- */

/* By its cycle counter, which is off again afterwards. */
START_TEST(measures_the_clock_by_cycles)
{
	struct pt_count_rate *rate = calloc(1, sizeof(*rate));
	double hz = 0, error_hz = 0;
	bool is_core = false;

	m4.cyccnt_per_us = 16;
	attach();
	ck_assert_msg(target->ops->clock_rate(target->state, true, rate, &is_core, &err) == 0, "%s", err.msg);
	ck_assert(is_core);
	ck_assert(pt_count_rate_known(rate, 0.01, &hz, &error_hz));
	ck_assert_msg(hz - error_hz <= 16e6 && hz + error_hz >= 16e6, "%f, give or take %f", hz, error_hz);
	ck_assert_uint_eq(m4.dwt_ctrl, UINT32_C(4) << 28);
	ck_assert_uint_eq(m4.demcr, 0);
	free(rate);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cortexm_v7m");
	TCase *tc = tcase_create("v7m");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, attaches_without_halting);
	tcase_add_loop_test(tc, has_the_registers_of_its_architecture, 0, PT_LEN(kinds));
	tcase_add_test(tc, what_the_table_does_not_have_is_not_there);
	tcase_add_test(tc, says_what_trustzone_hides);
	tcase_add_loop_test(tc, names_the_chip, 0, PT_LEN(chips));
	tcase_add_loop_test(tc, is_the_chip_of_the_board, 0, PT_LEN(expected));
	tcase_add_loop_test(tc, tells_of_read_protection, 0, 2 * PT_LEN(rdp));
	tcase_add_loop_test(tc, a_core_that_does_not_answer_may_sleep, 0, PT_LEN(asleep));
	tcase_add_loop_test(tc, names_a_kinetis_k, 0, PT_LEN(kinetis));
	tcase_add_test(tc, rows_name_their_sources);
	tcase_add_loop_test(tc, leaves_debugmonitor_to_the_program, 0, 2);
	tcase_add_test(tc, a_protected_chip_says_so);
	tcase_add_test(tc, an_open_one_is_itself);
	tcase_add_test(tc, reads_and_writes_all_registers);
	tcase_add_test(tc, sets_comparators);
	tcase_add_test(tc, sets_comparators_of_version_2);
	tcase_add_loop_test(tc, empties_the_instruction_cache, 0, PT_LEN(caches));
	tcase_add_loop_test(tc, tells_of_a_fault, 0, PT_LEN(faults));
	tcase_add_test(tc, tells_of_a_fault_while_running);
	tcase_add_test(tc, a_stack_may_be_damaged);
	tcase_add_test(tc, catches_all_faults);
	tcase_add_test(tc, measures_the_clock_by_cycles);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
