/* EFM32 of the first series, by its device information page: sizes, part, family. */
#include <stdio.h>

#include "targets/cortexm/core/family.h"
#include "targets/cortexm/vendor/swo_recipes.h"
#include "base/util.h"

enum { DI_SIZES = 0x0fe081f8, DI_PART = 0x0fe081fc, KB = 1024, MOST_KB = 1024 };

static const struct { uint8_t family; const char *name; } families[] = {
	{ 71, "EFM32G" }, { 72, "EFM32GG" }, { 73, "EFM32TG" }, { 74, "EFM32LG" }, { 75, "EFM32WG" }, { 76, "EFM32ZG" },
	{ 77, "EFM32HG" },
};

static bool identify(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	struct pt_err ignored = { 0 };
	uint32_t part = 0, sizes = 0, flash, ram;

	(void)found;
	if (pt_mem_read32(mem, DI_PART, &part, &ignored) < 0 || pt_mem_read32(mem, DI_SIZES, &sizes, &ignored) < 0)
		return false;
	flash = sizes & 0xffff;
	ram = sizes >> 16;
	for (size_t i = 0; i < PT_LEN(families); i++) {
		if (families[i].family != (part >> 16 & 0xff) || flash == 0 || flash > MOST_KB || ram == 0 ||
		    ram > MOST_KB)
			continue;
		snprintf(chip->name, sizeof(chip->name), "%s%uF%u", families[i].name, (unsigned)(part & 0xffff),
			 (unsigned)flash);
		chip->flash_bytes = flash * KB;
		chip->ram_addr = 0x20000000;
		chip->ram_bytes = ram * KB;
		return true;
	}
	return false;
}

static const char *row(size_t i, const char **source)
{
	*source = i < PT_LEN(families) ? "reference manual of the family, \"Device Information (DI) Page\"" : NULL;
	return i < PT_LEN(families) ? families[i].name : NULL;
}

const struct pt_cortexm_family pt_cortexm_efm32 = {
	.swo = pt_swo_efm32,
	.name = "EFM32",
	.identify = identify,
	.source = "Silicon Labs' reference manuals; OpenOCD (efm32.c) agrees on the place of the family's number; the others "
		  "UNVERIFIED",
	.row = row,
};
