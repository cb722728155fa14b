/* Microchip (Atmel) SAM: D2x by DSU.DID, whose sizes are not read here; SAM3 and SAM4 by CHIPID_CIDR, which has them. */
#include <stdio.h>

#include "targets/cortexm/core/architecture.h"
#include "targets/cortexm/core/family.h"
#include "targets/cortexm/vendor/swo_recipes.h"
#include "base/util.h"

enum { DSU_DID = 0x41002018, CHIPID_CIDR = 0x400e0740, CHIPID_CIDR_3X = 0x400e0940, KB = 1024 };
enum { EPROC_M3 = 3, EPROC_M4 = 7 };
static const struct pt_field cidr_eproc = { "EPROC", 5, 3, "core" };
static const struct pt_field cidr_nvpsiz = { "NVPSIZ", 8, 4, "flash" };
static const struct pt_field cidr_sramsiz = { "SRAMSIZ", 16, 4, "RAM" };
static const struct pt_field cidr_arch = { "ARCH", 20, 8, "series" };
enum { ARCH_3S = 0x88 };	/* this SAM3 and those above it have their flash at the address of SAM4 */

/* Indexed by NVPSIZ; 0: reserved, or none. */
static const uint16_t flash_kb[16] = { 0, 8, 16, 32, 0, 64, 0, 128, 160, 256, 512, 0, 1024, 0, 2048, 0 };
static const uint16_t ram_kb[16] = { 48, 192, 384, 6, 24, 4, 80, 160, 8, 16, 32, 64, 128, 256, 96, 512 };

static bool identify_d2x(struct pt_cortexm_chip *chip, struct pt_mem *mem)
{
	struct pt_err ignored = { 0 };
	uint32_t did = 0;

	if (chip->cpu_arch != PT_ARM_V6_M || pt_mem_read32(mem, DSU_DID, &did, &ignored) < 0)
		return false;
	if (did >> 16 != 0x1000 && did >> 16 != 0x1001)	/* processor, family, series */
		return false;
	snprintf(chip->name, sizeof(chip->name), did >> 16 == 0x1000 ? "SAMD20" : "SAMD21");
	return true;
}

static bool is_sam(uint32_t cidr)
{
	uint32_t core = pt_field_get(&cidr_eproc, cidr);

	return (core == EPROC_M3 || core == EPROC_M4) && flash_kb[pt_field_get(&cidr_nvpsiz, cidr)] != 0 &&
	       (cidr >> 28 & 7) == 2;	/* NVPTYP: embedded flash */
}

/* RAM is 0x20000000 on all of them; a SAM3X has it in two banks, of which it shows both there. */
static bool identify_3_4(struct pt_cortexm_chip *chip, struct pt_mem *mem)
{
	struct pt_err ignored = { 0 };
	uint32_t cidr = 0, core;

	if (!pt_cortexm_is_mainline(chip) || pt_cortexm_is_v8(chip))
		return false;
	if ((pt_mem_read32(mem, CHIPID_CIDR, &cidr, &ignored) < 0 || !is_sam(cidr)) &&
	    (pt_mem_read32(mem, CHIPID_CIDR_3X, &cidr, &ignored) < 0 || !is_sam(cidr)))
		return false;
	core = pt_field_get(&cidr_eproc, cidr);
	snprintf(chip->name, sizeof(chip->name), "SAM%c CIDR 0x%08x", core == EPROC_M3 ? '3' : '4', (unsigned)cidr);
	chip->ram_addr = 0x20000000;
	chip->ram_bytes = ram_kb[pt_field_get(&cidr_sramsiz, cidr)] * (uint32_t)KB;
	chip->flash_addr = core == EPROC_M3 && pt_field_get(&cidr_arch, cidr) < ARCH_3S ? 0x00080000 : 0x00400000;
	chip->flash_bytes = flash_kb[pt_field_get(&cidr_nvpsiz, cidr)] * (uint32_t)KB;
	return true;
}

static bool identify(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	(void)found;
	return identify_d2x(chip, mem) || identify_3_4(chip, mem);
}

static const char *row(size_t i, const char **source)
{
	static const char *const rows[][2] = {
		{ "SAMD20", "SAM D20 data sheet, DSU, DID" },
		{ "SAMD21", "SAM D21 data sheet, DSU, DID" },
		{ "SAM3", "SAM3X/A, SAM3S, SAM3U data sheets, CHIPID, CIDR" },
		{ "SAM4", "SAM4S data sheet, CHIPID, CIDR" },
	};

	*source = i < PT_LEN(rows) ? rows[i][1] : NULL;
	return i < PT_LEN(rows) ? rows[i][0] : NULL;
}

const struct pt_cortexm_family pt_cortexm_sam = {
	.swo = pt_swo_sam,
	.name = "SAM",
	.identify = identify,
	.source = "Microchip's data sheets; OpenOCD (at91samd.c, at91sam3.c, at91sam4.c) agrees on registers and places of flash; sizes by "
		  "CIDR UNVERIFIED",
	.row = row,
};
