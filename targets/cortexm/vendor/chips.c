/* Chips as rows. Kinetis L parts describe themselves (SIM_SDID, SIM_FCFG1), so a part that is in no row still gets its
 * own map. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "targets/cortexm/vendor/chips.h"
#include "targets/cortexm/core/architecture.h"
#include "base/util.h"

enum { KB = 1024, SECTOR_BYTES = 1024, CODE_BYTES = 0x10000000 };
#define MDM_IDR_KINETIS_L UINT32_C(0x001c0020)	/* Source: OpenOCD and pyOCD agree; NXP AN4835, 4 */

/* Kinetis L. Source: NXP KL27 Sub-Family Reference Manual, SIM. */
enum { SIM_SDID = 0x40048024, SIM_FCFG1 = 0x4004804c, SIM_COPC = 0x40048100 };
static const struct pt_field sdid_famid = { "FAMID", 28, 4, "family: KL0x to KL4x" };
static const struct pt_field sdid_subfamid = { "SUBFAMID", 24, 4, "second digit" };
static const struct pt_field sdid_seriesid = { "SERIESID", 20, 4, "1: L series" };
static const struct pt_field sdid_sramsize = { "SRAMSIZE", 16, 4, "2^n / 2 KB" };
static const struct pt_field fcfg1_pfsize = { "PFSIZE", 24, 4, "program flash" };

/* Parts by name, for the setting chip=. Source: data sheets by way of the KL25 and KL27 Sub-Family Reference
 * Manuals. */
static const struct { const char *name; uint16_t flash_kb, ram_kb; } kinetis[] = {
	{ "MKL25Z128", 128, 16 },
	{ "MKL27Z64", 64, 16 },
	{ "MKL27Z128", 128, 32 },
	{ "MKL27Z256", 256, 32 },
	{ "MKL43Z256", 256, 32 },
};

/* Chips that are recognised, but whose memory sizes are not known from here. */
static const struct {
	const char *name;
	uint32_t id_addr, id_mask, id;	/* id_addr 0: by its MTB alone */
	uint32_t mtb;			/* where the MTB is when no ROM table lists it; 0: it is listed */
} others[] = {
	/* DSU.DID: processor, family, series. Source: Microchip SAM D20 and SAM D21 data sheets, DSU */
	{ "SAMD20", 0x41002018, 0xffff0000, 0x10000000, 0 },
	{ "SAMD21", 0x41002018, 0xffff0000, 0x10010000, 0 },
	/* Source: NXP LPC800 user manuals, memory map; open firmware for LPC84x */
	{ "LPC84x", 0, 0, 0, 0x5000c000 },
	{ "LPC81x", 0, 0, 0, 0x14000000 },
};

/* --- regions ------------------------------------------------------------------------------------------------------ */

static void add_region(struct pt_cortexm_chip *chip, enum pt_region_kind kind, uint64_t from, uint64_t to,
		       uint32_t block_bytes)
{
	if (to > from)
		chip->region[chip->n_regions++] = (struct pt_region){ kind, from, to - from, block_bytes };
}

/* Flash and RAM where they are known; everything else may be anything. But where flash is not known, the lower half of
 * the architecture's code region is taken for it: a debugger that believed it to be RAM would write its program into
 * nothing and say that it is loaded. RAM for code lies in the upper half (LPC, Kinetis). */
static void make_regions(struct pt_cortexm_chip *chip)
{
	uint64_t ram_end = (uint64_t)chip->ram_addr + chip->ram_bytes;
	uint64_t flash_end = chip->flash_bytes != 0 ? chip->flash_bytes : CODE_BYTES;

	chip->n_regions = 0;
	add_region(chip, PT_REGION_FLASH, 0, flash_end, SECTOR_BYTES);
	if (chip->ram_bytes != 0) {
		add_region(chip, PT_REGION_IO, flash_end, chip->ram_addr, 0);
		add_region(chip, PT_REGION_RAM, chip->ram_addr, ram_end, 0);
		add_region(chip, PT_REGION_IO, ram_end, UINT64_C(0x100000000), 0);
	} else {
		add_region(chip, PT_REGION_IO, flash_end, UINT64_C(0x100000000), 0);
	}
}

/* A quarter of the RAM lies below 0x20000000. Source: NXP KL25 Sub-Family Reference Manual, memory map */
static void set_kinetis(struct pt_cortexm_chip *chip, uint32_t flash_bytes, uint32_t ram_bytes)
{
	chip->flash = flash_bytes != 0 ? PT_FLASH_FTFA : PT_FLASH_NONE;
	chip->flash_bytes = flash_bytes;
	chip->ram_bytes = ram_bytes;
	chip->ram_addr = 0x20000000 - ram_bytes / 4;
	chip->watchdog = SIM_COPC;
}

/* --- identification ----------------------------------------------------------------------------------------------- */

uint8_t pt_kinetis_mdm_ap(const struct pt_discovery *found)
{
	for (uint8_t ap = 0; ap < PT_MAX_AP; ap++)
		if (found->idr[ap] == MDM_IDR_KINETIS_L)
			return ap;
	return PT_MDM_NONE;
}

/* 0: not to be told from the code. Source: NXP KL27 Sub-Family Reference Manual, SIM_FCFG1 */
static uint32_t flash_bytes_of(uint32_t fcfg1)
{
	uint32_t code = pt_field_get(&fcfg1_pfsize, fcfg1);

	if (code == 0)
		return 8 * KB;
	return code % 2 == 1 && code != 0xf ? UINT32_C(1) << (14 + (code >> 1)) : 0;
}

static bool identify_kinetis(struct pt_cortexm_chip *chip, struct pt_mem *mem)
{
	uint32_t sdid = 0, fcfg1 = 0, flash_bytes, family, digit;
	struct pt_err ignored = { 0 };

	if (pt_mem_read32(mem, SIM_SDID, &sdid, &ignored) < 0 || pt_mem_read32(mem, SIM_FCFG1, &fcfg1, &ignored) < 0 ||
	    pt_field_get(&sdid_seriesid, sdid) != 1)
		return false;
	family = pt_field_get(&sdid_famid, sdid);
	digit = pt_field_get(&sdid_subfamid, sdid);
	if (digit == 3 && (family == 1 || family == 2))
		digit = 7;	/* KL17 and KL27 report 3 */
	flash_bytes = flash_bytes_of(fcfg1);
	set_kinetis(chip, flash_bytes, (UINT32_C(1) << pt_field_get(&sdid_sramsize, sdid)) * KB / 2);
	snprintf(chip->name, sizeof(chip->name), "MKL%u%uZ%u", (unsigned)family, (unsigned)digit,
		 (unsigned)(flash_bytes / KB));
	return true;
}

static bool identify_other(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	struct pt_err ignored = { 0 };

	for (size_t i = 0; i < PT_LEN(others); i++) {
		uint32_t id = 0;

		if (others[i].id_addr != 0 && (pt_mem_read32(mem, others[i].id_addr, &id, &ignored) < 0 ||
					       (id & others[i].id_mask) != others[i].id))
			continue;
		if (others[i].mtb != 0 && (found->unit[PT_UNIT_MTB] != 0 || !pt_discover_is_mtb(mem, others[i].mtb)))
			continue;
		if (others[i].mtb != 0)
			found->unit[PT_UNIT_MTB] = others[i].mtb;
		snprintf(chip->name, sizeof(chip->name), "%s", others[i].name);
		return true;
	}
	return false;
}

static int take_wanted(struct pt_cortexm_chip *chip, const char *wanted, struct pt_err *err)
{
	char names[120] = "";

	for (size_t i = 0; i < PT_LEN(kinetis); i++) {
		if (strcasecmp(wanted, kinetis[i].name) == 0) {
			snprintf(chip->name, sizeof(chip->name), "%s", kinetis[i].name);
			set_kinetis(chip, kinetis[i].flash_kb * KB, kinetis[i].ram_kb * KB);
			return 0;
		}
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s", kinetis[i].name);
	}
	return pt_fail(err, PT_EARG, "there is no chip %s; known by name are%s", wanted, names);
}

/* --- all of it ------------------------------------------------------------------------------------------------------- */

static bool is_kinetis(const struct pt_discovery *found)
{
	return pt_kinetis_mdm_ap(found) != PT_MDM_NONE || pt_discover_is_kinetis(found);
}

int pt_cortexm_chip_identify(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem,
			     const char *wanted, struct pt_err *err)
{
	memset(chip, 0, sizeof(*chip));
	if (pt_cortexm_identify_core(chip, mem, found->unit[PT_UNIT_SCS], err) < 0)
		return err->code;
	if (wanted != NULL && take_wanted(chip, wanted, err) < 0)
		return err->code;
	if (wanted == NULL && !(is_kinetis(found) && identify_kinetis(chip, mem)) && !identify_other(chip, found, mem))
		snprintf(chip->name, sizeof(chip->name), "unknown chip");
	make_regions(chip);
	return 0;
}

void pt_cortexm_chip_locked(struct pt_cortexm_chip *chip)
{
	memset(chip, 0, sizeof(*chip));
	snprintf(chip->name, sizeof(chip->name), "locked Kinetis");
	snprintf(chip->core, sizeof(chip->core), "core not accessible");
	make_regions(chip);
}
