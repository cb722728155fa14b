/* TI TM4C123: DID0 has the class, DC0 the sizes. */
#include <stdio.h>

#include "targets/cortexm/core/architecture.h"
#include "targets/cortexm/core/family.h"
#include "targets/cortexm/vendor/swo_recipes.h"
#include "base/util.h"

enum { DID0 = 0x400fe000, TM4C123 = 0x1005, KB = 1024 };

static bool identify(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	struct pt_err ignored = { 0 };
	uint8_t rest[8];
	uint32_t did0 = 0, dc0;

	(void)found;
	if (chip->cpu_arch != PT_ARM_V7E_M || pt_mem_read32(mem, DID0, &did0, &ignored) < 0 || did0 >> 16 != TM4C123 ||
	    pt_mem_read(mem, DID0 + 4, rest, sizeof(rest), &ignored) < 0)
		return false;
	dc0 = pt_le32(rest + 4);
	snprintf(chip->name, sizeof(chip->name), "TM4C123 DID1 0x%08x", (unsigned)pt_le32(rest));
	chip->flash_bytes = ((dc0 & 0xffff) + 1) * 2 * KB;
	chip->ram_addr = 0x20000000;
	chip->ram_bytes = ((dc0 >> 16) + 1) * KB / 4;
	if (chip->flash_bytes > 1024 * KB || chip->ram_bytes > 1024 * KB)
		chip->flash_bytes = chip->ram_bytes = 0;
	return true;
}

const struct pt_cortexm_family pt_cortexm_tiva = {
	.swo = pt_swo_tiva, 
	.name = "TM4C",
	.identify = identify,
	.source = "TI's TM4C123GH6PM data sheet, System Control, DID0, DID1 and DC0; OpenOCD (stellaris.c) agrees on their places; the "
		  "class number UNVERIFIED",
};
