/* Kinetis: the L series (Cortex-M0+), which describes itself (SIM_SDID, SIM_FCFG1), so that a part in no row still gets
 * its own map and is programmed; and the K series (Cortex-M4), whose flash has other commands. */
#include <stdio.h>
#include <string.h>

#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/vendor/kinetis.h"
#include "targets/cortexm/vendor/kinetis_ftfa.h"
#include "targets/cortexm/vendor/kinetis_security.h"
#include "targets/cortexm/vendor/swo_recipes.h"
#include "base/util.h"

enum { KB = 1024, FREESCALE = 0x00e };
/* Source: OpenOCD and pyOCD agree; NXP AN4835, 4 */
#define MDM_IDR_KINETIS_L UINT32_C(0x001c0020)
#define MDM_IDR_KINETIS_K UINT32_C(0x001c0000)
#define SYSTEM_TABLE UINT32_C(0xf0002000)	/* of the L series. Source: NXP KL25 Sub-Family Reference Manual, 9.5 */

/* Source: NXP KL27 Sub-Family Reference Manual, SIM. */
enum { SIM_SDID = 0x40048024, SIM_FCFG1 = 0x4004804c, SIM_COPC = 0x40048100, SIM_MS = 1000 };
static const struct pt_field sdid_famid = { "FAMID", 28, 4, "family: KL0x to KL4x" };
static const struct pt_field sdid_subfamid = { "SUBFAMID", 24, 4, "second digit" };
static const struct pt_field sdid_seriesid = { "SERIESID", 20, 4, "0: K series, 1: L series" };
static const struct pt_field sdid_sramsize = { "SRAMSIZE", 16, 4, "2^n / 2 KB" };
static const struct pt_field fcfg1_pfsize = { "PFSIZE", 24, 4, "program flash" };

/* Parts by name, for the setting chip=. Sizes: data sheets by way of the manual of each. */
static const struct { const char *name; uint16_t flash_kb, ram_kb; const char *manual; } parts[] = {
	{ "MKL25Z128", 128, 16, "KL25 Sub-Family Reference Manual" },
	{ "MKL27Z64", 64, 16, "KL27 Sub-Family Reference Manual" },
	{ "MKL27Z128", 128, 32, "KL27 Sub-Family Reference Manual" },
	{ "MKL27Z256", 256, 32, "KL27 Sub-Family Reference Manual" },
	{ "MKL43Z256", 256, 32, "KL43 Sub-Family Reference Manual (UNVERIFIED)" },
};

/* --- L series ----------------------------------------------------------------------------------------------------- */

/* A quarter of the RAM lies below 0x20000000; SysTick's reference is the core clock / 16. Source: NXP KL25 Sub-Family
 * Reference Manual, memory map and core modules */
static void set_sizes(struct pt_cortexm_chip *chip, uint32_t flash_bytes, uint32_t ram_bytes)
{
	chip->flash_bytes = flash_bytes;
	chip->ram_bytes = ram_bytes;
	chip->ram_addr = 0x20000000 - ram_bytes / 4;
	chip->watchdog = SIM_COPC;
	chip->systick_divider = 16;
}

static uint8_t ap_with(const struct pt_discovery *found, uint32_t idr)
{
	for (uint8_t ap = 0; ap < PT_MAX_AP; ap++)
		if (found->idr[ap] == idr)
			return ap;
	return PT_MDM_NONE;
}

uint8_t pt_kinetis_mdm_ap(const struct pt_discovery *found)
{
	uint8_t ap = ap_with(found, MDM_IDR_KINETIS_L);

	return ap != PT_MDM_NONE ? ap : ap_with(found, MDM_IDR_KINETIS_K);
}

static bool owns_l(const struct pt_discovery *found)
{
	return ap_with(found, MDM_IDR_KINETIS_L) != PT_MDM_NONE ||
	       pt_discover_has_table(found, SYSTEM_TABLE, FREESCALE);
}

static bool owns_k(const struct pt_discovery *found)
{
	return ap_with(found, MDM_IDR_KINETIS_K) != PT_MDM_NONE;
}

/* 0: the code does not tell it. Source: NXP KL27 Sub-Family Reference Manual, SIM_FCFG1 */
static uint32_t flash_bytes_of(uint32_t fcfg1)
{
	uint32_t code = pt_field_get(&fcfg1_pfsize, fcfg1);

	if (code == 0)
		return 8 * KB;
	return code % 2 == 1 && code != 0xf ? UINT32_C(1) << (14 + (code >> 1)) : 0;
}

static bool read_sim(struct pt_mem *mem, uint32_t *sdid, uint32_t *fcfg1)
{
	struct pt_err ignored = { 0 };
	uint8_t bytes[2][4];
	struct pt_mem_op ops[] = {
		pt_mem_words(PT_MEM_READ, SIM_SDID, bytes[0], 4),
		pt_mem_words(PT_MEM_READ, SIM_FCFG1, bytes[1], 4),
	};

	if (pt_mem_run(mem, ops, PT_LEN(ops), SIM_MS, NULL, &ignored) < 0)
		return false;
	*sdid = pt_le32(bytes[0]);
	*fcfg1 = pt_le32(bytes[1]);
	return true;
}

static bool read_chip(struct pt_cortexm_chip *chip, struct pt_mem *mem)
{
	uint32_t sdid = 0, fcfg1 = 0, flash_bytes, family, digit;

	if (!read_sim(mem, &sdid, &fcfg1) || pt_field_get(&sdid_seriesid, sdid) != 1)
		return false;
	family = pt_field_get(&sdid_famid, sdid);
	digit = pt_field_get(&sdid_subfamid, sdid);
	if (digit == 3 && (family == 1 || family == 2))
		digit = 7;	/* KL17 and KL27 report 3 */
	flash_bytes = flash_bytes_of(fcfg1);
	set_sizes(chip, flash_bytes, (UINT32_C(1) << pt_field_get(&sdid_sramsize, sdid)) * KB / 2);
	snprintf(chip->name, sizeof(chip->name), "MKL%u%uZ%u", (unsigned)family, (unsigned)digit,
		 (unsigned)(flash_bytes / KB));
	return true;
}

static bool identify_l(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	return owns_l(found) && read_chip(chip, mem);
}

static const char *named(size_t i, struct pt_cortexm_chip *chip)
{
	if (i >= PT_LEN(parts))
		return NULL;
	set_sizes(chip, parts[i].flash_kb * KB, parts[i].ram_kb * KB);
	return parts[i].name;
}

static const char *row(size_t i, const char **source)
{
	*source = i < PT_LEN(parts) ? parts[i].manual : NULL;
	return i < PT_LEN(parts) ? parts[i].name : NULL;
}

static const struct pt_cortexm_flash_ops flash = { .check = pt_ftfa_check_lock, .program = pt_ftfa_program };

const struct pt_cortexm_family pt_cortexm_kinetis_l = {
	.name = "Kinetis",
	.owns = owns_l,
	.identify = identify_l,
	.names = "MKL",
	.core = "Cortex-M0+",
	.unit = { [PT_UNIT_SCS] = 0xe000e000, [PT_UNIT_DWT] = 0xe0001000, [PT_UNIT_BPU] = 0xe0002000,
		  [PT_UNIT_MTB] = 0xf0000000, [PT_UNIT_MTB_DWT] = 0xf0001000 },
	.read = read_chip,
	.source = "NXP's KL25 and KL27 Sub-Family Reference Manuals, SIM (SDID, FCFG1), which describes parts without a row, too; a "
		  "published SDID of an MKL27Z256 agrees; AN4835, 4 (access port); the KL43 UNVERIFIED",
	.row = row,
	.named = named,
	.rom_table = SYSTEM_TABLE,
	.designer = FREESCALE,
	.check_lock = pt_kinetis_security_check,
	.mass_erase = pt_kinetis_security_mass_erase,
	.hold_core = pt_kinetis_security_hold_core,
	.flash = &flash,
};

/* --- K series ----------------------------------------------------------------------------------------------------- */

/* SDID has no size of the RAM there, so its map stays unknown. Early K63 and K64 say that they are K61 and K62 (erratum
 * 7534). */
static bool identify_k(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	uint32_t sdid = 0, fcfg1 = 0, family, digit;

	if (!owns_k(found) || !read_sim(mem, &sdid, &fcfg1))
		return false;
	chip->flash_bytes = flash_bytes_of(fcfg1);
	family = pt_field_get(&sdid_famid, sdid);
	digit = pt_field_get(&sdid_subfamid, sdid);
	if (family == 6 && (digit == 1 || digit == 2))
		digit += 2;
	if (pt_field_get(&sdid_seriesid, sdid) == 0 && family != 0)
		snprintf(chip->name, sizeof(chip->name), "MK%u%u", (unsigned)family, (unsigned)digit);
	else
		snprintf(chip->name, sizeof(chip->name), "Kinetis K");
	return true;
}

const struct pt_cortexm_family pt_cortexm_kinetis_k = {
	.swo = pt_swo_kinetis_k,
	.name = "Kinetis K",
	.owns = owns_k,
	.identify = identify_k,
	.source = "NXP's reference manuals of the K series, SIM (SDID, FCFG1), by way of OpenOCD (kinetis.c); UNVERIFIED",
	.check_lock = pt_kinetis_security_check,
	.mass_erase = pt_kinetis_security_mass_erase,
	.hold_core = pt_kinetis_security_hold_core,
};
