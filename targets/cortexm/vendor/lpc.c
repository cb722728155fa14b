/* NXP LPC: parts with an MTB that no ROM table lists are recognised by that; LPC43xx by CREG's CHIPID. LPC17xx gives
 * its number only to programs (IAP), so it stays unknown. */
#include <stdio.h>

#include "targets/cortexm/core/architecture.h"
#include "targets/cortexm/core/family.h"
#include "targets/cortexm/vendor/swo_recipes.h"
#include "base/util.h"

enum { CREG_CHIPID = 0x40043200 };

static const struct { const char *name; uint32_t mtb; const char *source; } with_mtb[] = {
	{ "LPC84x", 0x5000c000, "open firmware for the LPC845 (UNVERIFIED)" },
	{ "LPC81x", 0x14000000, "NXP UM10601 (LPC81x), memory map (UNVERIFIED)" },
};

static bool identify_43xx(struct pt_cortexm_chip *chip, struct pt_mem *mem)
{
	struct pt_err ignored = { 0 };
	uint32_t id = 0;

	if (chip->cpu_arch != PT_ARM_V7E_M || pt_mem_read32(mem, CREG_CHIPID, &id, &ignored) < 0 ||
	    (id & 0x0fffffff) != 0x0906002b)
		return false;
	snprintf(chip->name, sizeof(chip->name), "LPC43xx");
	return true;
}

static bool identify(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	for (size_t i = 0; i < PT_LEN(with_mtb) && found->unit[PT_UNIT_MTB] == 0; i++)
		if (chip->cpu_arch == PT_ARM_V6_M && pt_discover_is_mtb(mem, with_mtb[i].mtb)) {
			found->unit[PT_UNIT_MTB] = with_mtb[i].mtb;
			snprintf(chip->name, sizeof(chip->name), "%s", with_mtb[i].name);
			return true;
		}
	return identify_43xx(chip, mem);
}

static const char *row(size_t i, const char **source)
{
	*source = i < PT_LEN(with_mtb)	  ? with_mtb[i].source
		  : i == PT_LEN(with_mtb) ? "NXP UM10503 (LPC43xx), CREG, CHIPID; Black Magic Probe (lpc43xx.c) agrees"
					  : NULL;
	return i < PT_LEN(with_mtb) ? with_mtb[i].name : i == PT_LEN(with_mtb) ? "LPC43xx" : NULL;
}

const struct pt_cortexm_family pt_cortexm_lpc = {
	.swo = pt_swo_lpc,
	.name = "LPC", .identify = identify, .source = "NXP's user manuals; sizes are not known", .row = row,
};
