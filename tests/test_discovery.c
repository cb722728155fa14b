/* Finding units and naming chips, over a register file that is filled by rows: ROM tables as chips have them, and as
 * broken ones might. */
#include <string.h>

#include "harness.h"
#include "targets/registry.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/vendor/families.h"
#include "tests/fake_dap.h"

enum { ARM = 0x43b, NXP = 0x00e };

static struct fake_dap dap;
static struct pt_adi adi;
static struct pt_mem_ap ap;
static struct pt_discovery found;
static struct pt_cortexm_chip chip;
static const struct pt_cortexm_family *family;
static struct pt_err err;

static void setup(void)
{
	fake_dap_init(&dap);
	array_mem_add(&dap.memory, 0xf0000000, 0x4000);
	array_mem_add(&dap.memory, 0xe00fe000, 0x2000);
	array_mem_add(&dap.memory, 0xe000e000, 0x1000);
	array_mem_add(&dap.memory, 0xe0001000, 0x2000);
	array_mem_add(&dap.memory, 0x40048000, 0x1000);
	memset(&found, 0, sizeof(found));
	pt_adi_init(&adi, &fake_dap_ops, &dap, dap.link);
	ck_assert_int_eq(pt_adi_connect(&adi, &err), 0);
	pt_mem_ap_init(&ap, &adi, 0);
	array_mem_set_word(&dap.memory, 0xe000ed00, 0x410cc601);
}

static void teardown(void)
{
	fake_dap_fini(&dap);
}

static void put_ids(uint32_t base, unsigned class, unsigned designer, unsigned part, uint32_t devarch, uint32_t devtype)
{
	static const uint8_t preamble[] = { 0x0d, 0x00, 0x05, 0xb1 };

	for (uint32_t i = 0; i < 4; i++)
		array_mem_set_word(&dap.memory, base + 0xff0 + 4 * i, preamble[i] | (i == 1 ? class << 4 : 0));
	array_mem_set_word(&dap.memory, base + 0xfe0, part & 0xff);
	array_mem_set_word(&dap.memory, base + 0xfe4, part >> 8 | (designer & 0xf) << 4);
	array_mem_set_word(&dap.memory, base + 0xfe8, (designer >> 4 & 7) | 8);
	array_mem_set_word(&dap.memory, base + 0xfd0, designer >> 8);
	array_mem_set_word(&dap.memory, base + 0xfbc, devarch);
	array_mem_set_word(&dap.memory, base + 0xfcc, devtype);
}

static void put_table(uint32_t base, const uint32_t *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		array_mem_set_word(&dap.memory, base + 4 * i, entries[i]);
}

/* As Kinetis L: the system's table at 0xf0002000, in it the core's. */
static void put_kinetis(void)
{
	static const uint32_t system[] = { 0xffffe003, 0xfffff003, 0xf00fd003, 0 };
	static const uint32_t core[] = { 0xfff0f003, 0xfff02003, 0xfff03003, 0 };

	put_table(0xf0002000, system, PT_LEN(system));
	put_ids(0xf0002000, 1, NXP, 0x000, 0, 0);
	put_ids(0xf0000000, 9, ARM, 0x932, 0x47700a31, 0x31);
	put_ids(0xf0001000, 9, NXP, 0x000, 0, 0x04);
	put_table(0xe00ff000, core, PT_LEN(core));
	put_ids(0xe00ff000, 1, ARM, 0x4c0, 0, 0);
	put_ids(0xe000e000, 0xe, ARM, 0x008, 0, 0);
	put_ids(0xe0001000, 0xe, ARM, 0x00a, 0, 0);
	put_ids(0xe0002000, 0xe, ARM, 0x00b, 0, 0);
}

static void discover(void)
{
	ck_assert_msg(pt_discover_aps(&found, &adi, &err) == 0, "%s", err.msg);
	ck_assert_msg(pt_discover_units(&found, &adi, &ap.mem, &err) == 0, "%s", err.msg);
}

static void expect_core_units(void)
{
	ck_assert_uint_eq(found.unit[PT_UNIT_SCS], 0xe000e000);
	ck_assert_uint_eq(found.unit[PT_UNIT_DWT], 0xe0001000);
	ck_assert_uint_eq(found.unit[PT_UNIT_BPU], 0xe0002000);
}

START_TEST(walks_nested_tables)
{
	unsigned n_runs = dap.n_runs;

	put_kinetis();
	discover();
	expect_core_units();
	ck_assert_uint_eq(found.unit[PT_UNIT_MTB], 0xf0000000);
	ck_assert_uint_eq(found.unit[PT_UNIT_MTB_DWT], 0xf0001000);
	ck_assert(found.from_table);
	ck_assert_uint_eq(found.n_components, 7);
	ck_assert_uint_le(dap.n_runs - n_runs, 8);
}
END_TEST

START_TEST(an_absent_component_is_left_out)
{
	static const uint32_t system[] = { 0xffffe003, 0x10000003, 0xfffff003, 0x20000003, 0xf00fd003, 0 };

	put_kinetis();
	put_table(0xf0002000, system, PT_LEN(system));	/* two that fault */
	discover();
	expect_core_units();
	ck_assert_uint_eq(found.unit[PT_UNIT_MTB], 0xf0000000);
}
END_TEST

START_TEST(tables_in_a_ring_end)
{
	static const uint32_t core[] = { 0x0ff03003, 0xfff0f003, 0x00000003, 0xffffffff, 0 };

	put_kinetis();
	put_table(0xe00ff000, core, PT_LEN(core));	/* names the table above it, and itself */
	discover();
	ck_assert_uint_eq(found.unit[PT_UNIT_SCS], 0xe000e000);
	ck_assert_uint_eq(found.unit[PT_UNIT_DWT], 0);
}
END_TEST

START_TEST(a_table_without_end_is_bounded)
{
	put_kinetis();
	for (uint32_t i = 0; i < 960; i++)
		array_mem_set_word(&dap.memory, 0xe00ff000 + 4 * i, 0x00001003 + (i << 12));
	discover();
	ck_assert_uint_le(found.n_components, PT_MAX_COMPONENTS);
}
END_TEST

static const uint32_t no_table[] = { 0xffffffff, 0xf0002002, 0x00000000 };

START_TEST(without_a_table_the_architecture_says_where)
{
	dap.base = no_table[_i];
	discover();
	expect_core_units();
	ck_assert(!found.from_table);
	ck_assert_uint_eq(found.unit[PT_UNIT_MTB], 0);
}
END_TEST

START_TEST(an_architecture_id_decides)
{
	put_kinetis();
	put_ids(0xf0000000, 9, ARM, 0xd20, 0x47710a31, 0x31);	/* MTB-M23 has the part number of its core */
	put_ids(0xf0001000, 9, ARM, 0x932, 0x47704a13, 0x13);	/* and this is an ETM, whatever its part says */
	discover();
	ck_assert_uint_eq(found.unit[PT_UNIT_MTB], 0xf0000000);
	ck_assert_uint_eq(found.unit[PT_UNIT_MTB_DWT], 0);
}
END_TEST

START_TEST(without_memory_it_is_no_target)
{
	dap.idr[0] = 0x001c0020;
	ck_assert_int_eq(pt_discover_aps(&found, &adi, &err), PT_EUNSUPPORTED);
}
END_TEST

/* --- chips -------------------------------------------------------------------------------------------------------- */

static const struct {
	uint32_t sdid, fcfg1;
	const char *name;
	uint32_t flash_kb, ram_kb;
} kinetis[] = {
	{ 0x23161d82, 9u << 24, "MKL27Z256", 256, 32 },
	{ 0x23161d82, 7u << 24, "MKL27Z128", 128, 32 },
	{ 0x27151d82, 5u << 24, "MKL27Z64", 64, 16 },
	{ 0x25151d82, 7u << 24, "MKL25Z128", 128, 16 },
	{ 0x43161d82, 9u << 24, "MKL43Z256", 256, 32 },
	{ 0x04121d82, 1u << 24, "MKL04Z16", 16, 2 },
};

static void identify(const char *wanted, int want)
{
	put_kinetis();
	discover();
	ck_assert_int_eq(pt_cortexm_chip_identify(&chip, &family, &found, &ap.mem, wanted, &err), want);
}

START_TEST(kinetis_says_what_it_is)
{
	dap.idr[1] = 0x001c0020;
	array_mem_set_word(&dap.memory, 0x40048024, kinetis[_i].sdid);
	array_mem_set_word(&dap.memory, 0x4004804c, kinetis[_i].fcfg1);
	identify(NULL, 0);
	ck_assert_str_eq(chip.name, kinetis[_i].name);
	ck_assert_str_eq(chip.core, "Cortex-M0+ r0p1");
	ck_assert_uint_eq(chip.flash_bytes, kinetis[_i].flash_kb * 1024);
	ck_assert_uint_eq(chip.ram_bytes, kinetis[_i].ram_kb * 1024);
	ck_assert_uint_eq(chip.ram_addr, 0x20000000 - kinetis[_i].ram_kb * 256);
	ck_assert_ptr_nonnull(family->flash);
	for (size_t i = 1; i < chip.n_regions; i++)
		ck_assert_uint_eq(chip.region[i].addr, chip.region[i - 1].addr + chip.region[i - 1].size);
}
END_TEST

/* Where its flash may lie, load is refused; the rest may be RAM or anything. */
START_TEST(an_unknown_chip_has_flash_that_nobody_can_program)
{
	identify(NULL, 0);
	ck_assert_str_eq(chip.name, "Cortex-M0+");
	ck_assert_ptr_null(family);
	ck_assert_uint_eq(chip.n_regions, 2);
	ck_assert_int_eq(chip.region[0].kind, PT_REGION_FLASH);
	ck_assert_uint_eq(chip.region[0].addr, 0);
	ck_assert_int_eq(chip.region[1].kind, PT_REGION_IO);
	ck_assert_uint_eq(chip.region[1].addr, 0x10000000);
	ck_assert_uint_eq(chip.region[1].addr + chip.region[1].size, UINT64_C(0x100000000));
}
END_TEST

START_TEST(a_name_overrules)
{
	identify("mkl25z128", 0);
	ck_assert_str_eq(chip.name, "MKL25Z128");
	identify("MKL99", PT_EARG);
	ck_assert_msg(strstr(err.msg, "MKL27Z256") != NULL, "%s", err.msg);
}
END_TEST

/* A chip that the user names, wholly or as a board's row begins, is not looked through where its registers agree. */
static const struct { const char *name; uint32_t sdid; bool may_go_on, agrees; } by_name[] = {
	{ "MKL27Z256", 0x23161d82, false, true }, { "mkl27z256", 0x23161d82, true, true },
	{ "MKL27", 0x23161d82, true, true },
	{ "MKL27", 0x23161d82, false, false },	/* chip= wants the whole name */
	{ "MKL27Z2560", 0x23161d82, true, false },
	{ "MKL43Z256", 0x23161d82, true, false },	/* another of the series */
	{ "MKL27Z256", 0x23061d82, true, false },	/* SERIESID: K */
	{ "MKL27Z256", 0, true, false },		/* nothing there */
	{ "STM32F411", 0x23161d82, true, false },	/* of which no row has the units */
	{ NULL, 0x23161d82, true, false },
};

START_TEST(a_chip_that_is_named_is_not_looked_through)
{
	unsigned n_runs;

	put_kinetis();
	array_mem_set_word(&dap.memory, 0x40048024, by_name[_i].sdid);
	array_mem_set_word(&dap.memory, 0x4004804c, 9u << 24);
	ck_assert_int_eq(pt_discover_aps(&found, &adi, &err), 0);
	n_runs = dap.n_runs;
	ck_assert_int_eq(pt_cortexm_chip_by_name(&chip, &family, &found, &ap.mem, by_name[_i].name,
						 by_name[_i].may_go_on),
			 by_name[_i].agrees);
	ck_assert_uint_le(dap.n_runs - n_runs, 3);
	ck_assert_int_eq(found.by_name, by_name[_i].agrees);
	if (by_name[_i].agrees) {
		ck_assert_uint_eq(found.n_components, 0);
		ck_assert_str_eq(chip.name, "MKL27Z256");
		ck_assert_str_eq(family->name, "Kinetis");
		ck_assert_uint_eq(chip.region[0].size, 256 * 1024);
	} else {
		discover();
	}
	expect_core_units();
	ck_assert_uint_eq(found.unit[PT_UNIT_MTB], 0xf0000000);
	ck_assert_uint_eq(found.unit[PT_UNIT_MTB_DWT], 0xf0001000);
}
END_TEST

/* Where a core is no Cortex-M0+, nothing but its CPUID is read. */
START_TEST(a_name_of_another_core_reads_nothing_of_the_chip)
{
	put_kinetis();
	array_mem_set_word(&dap.memory, 0xe000ed00, 0x410fc241);
	array_mem_set_word(&dap.memory, 0x40048024, 0x23161d82);
	array_mem_set_word(&dap.memory, 0x4004804c, 9u << 24);
	ck_assert_int_eq(pt_discover_aps(&found, &adi, &err), 0);
	ck_assert(!pt_cortexm_chip_by_name(&chip, &family, &found, &ap.mem, "MKL27Z256", false));
}
END_TEST

START_TEST(an_mtb_that_no_table_lists_is_found)
{
	array_mem_add(&dap.memory, 0x5000c000, 0x1000);
	array_mem_set_word(&dap.memory, 0x5000cfbc, 0x47700a31);
	dap.base = 0xffffffff;
	discover();
	ck_assert_int_eq(pt_cortexm_chip_identify(&chip, &family, &found, &ap.mem, NULL, &err), 0);
	ck_assert_str_eq(chip.name, "LPC84x");
	ck_assert_uint_eq(found.unit[PT_UNIT_MTB], 0x5000c000);
}
END_TEST

/* --- a locked chip ------------------------------------------------------------------------------------------------ */

static struct { uint32_t status, control; unsigned busy, n_reads; } mdm;

static uint32_t read_mdm(struct fake_dap *d, uint8_t number, uint8_t reg)
{
	(void)d;
	if (number != 1)
		return 0;
	if (reg == 0x00) {
		mdm.n_reads++;
		/* in reset, and ready to erase, when asked to */
		return (mdm.control & 8) != 0 ? (mdm.status & ~8u) | 2 : mdm.status;
	}
	if ((mdm.control & 1) != 0 && mdm.busy-- == 0) {
		mdm.control &= ~1u;
		mdm.status = 0x3a & ~4u;
	}
	return mdm.control;
}

static void write_mdm(struct fake_dap *d, uint8_t number, uint8_t reg, uint32_t value)
{
	(void)d;
	if (number == 1 && reg == 0x04)
		mdm.control = value;
}

static struct pt_target *attach(struct pt_probe **probe)
{
	dap.idr[1] = 0x001c0020;
	dap.read_ap = read_mdm;
	dap.write_ap = write_mdm;
	*probe = pt_probe_open_link(&fake_dap_probe_ops, dap.link, NULL, &err);
	ck_assert_msg(*probe != NULL, "%s", err.msg);
	dap.link = NULL;
	return pt_target_attach(*probe, "cortexm", NULL, &err);
}

START_TEST(a_locked_chip_offers_erase)
{
	struct pt_probe *probe;
	struct pt_target *target;
	size_t n_log = dap.memory.n_log;

	mdm.status = 0x3e;	/* 0x36 has been seen in reset */
	mdm.busy = 20;
	target = attach(&probe);
	ck_assert_ptr_nonnull(target);
	ck_assert_int_eq(err.code, PT_ESTATE);
	ck_assert_msg(strstr(err.msg, "erase") != NULL, "%s", err.msg);
	ck_assert_uint_ge(mdm.n_reads, 32);
	ck_assert_uint_eq(dap.memory.n_log, n_log);	/* memory was left alone */
	ck_assert_msg(target->ops->mass_erase(target->state, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(mdm.control, 0);
	ck_assert_int_eq(pt_target_detach(target, true, &err), 0);
	pt_probe_close(probe);
}
END_TEST

START_TEST(erase_may_be_disabled)
{
	struct pt_probe *probe;
	struct pt_target *target;

	mdm.status = 0x1e;
	target = attach(&probe);
	ck_assert_int_eq(target->ops->mass_erase(target->state, &err), PT_EPERM);
	pt_target_detach(target, true, &err);
	pt_probe_close(probe);
}
END_TEST

/* Flash not ready in most reads: a blank chip that resets itself over and over looks locked, and is not. */
START_TEST(a_reset_loop_is_not_locked)
{
	struct pt_probe *probe;
	struct pt_target *target;

	mdm.status = 0x3c;
	put_kinetis();
	target = attach(&probe);
	ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
	pt_target_detach(target, true, &err);
	pt_probe_close(probe);
}
END_TEST

START_TEST(nothing_on_the_wire)
{
	struct pt_probe *probe;

	dap.absent = true;
	ck_assert_ptr_null(attach(&probe));
	ck_assert_int_eq(err.code, PT_EPROTO);
	ck_assert_msg(strstr(err.msg, "check power and cable") != NULL, "%s", err.msg);
	ck_assert_ptr_null(pt_target_attach(probe, "z80", NULL, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	pt_probe_close(probe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("discovery");
	TCase *tc = tcase_create("discovery");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, walks_nested_tables);
	tcase_add_test(tc, an_absent_component_is_left_out);
	tcase_add_test(tc, tables_in_a_ring_end);
	tcase_add_test(tc, a_table_without_end_is_bounded);
	tcase_add_loop_test(tc, without_a_table_the_architecture_says_where, 0, PT_LEN(no_table));
	tcase_add_test(tc, an_architecture_id_decides);
	tcase_add_test(tc, without_memory_it_is_no_target);
	tcase_add_loop_test(tc, kinetis_says_what_it_is, 0, PT_LEN(kinetis));
	tcase_add_test(tc, an_unknown_chip_has_flash_that_nobody_can_program);
	tcase_add_test(tc, a_name_overrules);
	tcase_add_loop_test(tc, a_chip_that_is_named_is_not_looked_through, 0, PT_LEN(by_name));
	tcase_add_test(tc, a_name_of_another_core_reads_nothing_of_the_chip);
	tcase_add_test(tc, an_mtb_that_no_table_lists_is_found);
	tcase_add_test(tc, a_locked_chip_offers_erase);
	tcase_add_test(tc, erase_may_be_disabled);
	tcase_add_test(tc, a_reset_loop_is_not_locked);
	tcase_add_test(tc, nothing_on_the_wire);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
