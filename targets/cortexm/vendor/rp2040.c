/* RP2040: SYSINFO's CHIP_ID. Its flash is a separate chip, read through a cache at 0x10000000; its size is unknown.
 * Each of its two cores has a debug port of its own on the same wire (multi-drop); a third port, 0xf1002927, only
 * resets the chip, and is left alone. */
#include <stdio.h>

#include "targets/cortexm/core/family.h"

enum { CHIP_ID = 0x40000000, KB = 1024 };

static bool identify(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	struct pt_err ignored = { 0 };
	uint32_t id = 0;

	(void)found;
	if (chip->cpu_arch != PT_ARM_V6_M || pt_mem_read32(mem, CHIP_ID, &id, &ignored) < 0 ||
	    (id & 0x0fffffff) != 0x0002927)
		return false;
	snprintf(chip->name, sizeof(chip->name), "RP2040");
	chip->ram_addr = 0x20000000;
	chip->ram_bytes = 264 * KB;
	return true;
}

const struct pt_cortexm_family pt_cortexm_rp2040 = { 
	.name = "RP2040",
	.identify = identify,
	.source = "Raspberry Pi's RP2040 data sheet, 2.20 (SYSINFO), 2.6 (memory) and 2.3.4 (SWD); several open debuggers agree on the "
		  "ports; the rest UNVERIFIED",
	.targetsel = { 0x01002927, 0x11002927 },
};
