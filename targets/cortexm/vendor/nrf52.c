/* nRF52: FICR says part, flash and RAM; the CTRL-AP says whether access port protection is on. These numbers were not
 * tried on a chip. */
#include <stdio.h>

#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/vendor/swo_recipes.h"
#include "base/util.h"

enum { NORDIC = 0x244, KB = 1024, FICR_INFO = 0x10000100, APPROTECTSTATUS = 0x0c };
#define CTRL_AP_IDR UINT32_C(0x02880000)

static uint8_t ctrl_ap(const struct pt_discovery *found)
{
	for (uint8_t ap = 0; ap < PT_MAX_AP; ap++)
		if (found->idr[ap] == CTRL_AP_IDR)
			return ap;
	return PT_MAX_AP;
}

static bool owns(const struct pt_discovery *found)
{
	return ctrl_ap(found) < PT_MAX_AP;
}

static bool identify(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	struct pt_err ignored = { 0 };
	uint8_t info[20];
	uint32_t part;

	if (!owns(found) || pt_mem_read(mem, FICR_INFO, info, sizeof(info), &ignored) < 0)
		return false;
	part = pt_le32(info);
	if (part >> 12 != 0x52)
		return false;	/* nRF53 and nRF91 have a CTRL-AP, too */
	snprintf(chip->name, sizeof(chip->name), "nRF%05x", (unsigned)part);
	chip->ram_addr = 0x20000000;
	chip->ram_bytes = pt_le32(info + 12) <= 1024 ? pt_le32(info + 12) * KB : 0;
	chip->flash_bytes = pt_le32(info + 16) <= 4096 ? pt_le32(info + 16) * KB : 0;
	return true;
}

static int check_lock(struct pt_cortexm *cm, struct pt_err *err)
{
	uint32_t open = 0;

	if (pt_adi_read_ap(&cm->adi, ctrl_ap(&cm->found), APPROTECTSTATUS, &open, err) < 0)
		return pt_wrap(err, "read the state of the CTRL-AP");
	if ((open & 1) != 0)
		return 0;
	return pt_fail(
		err, PT_ESTATE,
		"the chip is read-protected (APPROTECT): nothing but ERASEALL of its CTRL-AP opens it, which deletes its "
		"flash and its UICR; proftap does not do that (nrfjprog --recover does)");
}

const struct pt_cortexm_family pt_cortexm_nrf52 = {
	.swo = pt_swo_nrf52,
	.name = "nRF52",
	.owns = owns,
	.identify = identify,
	.source = "Nordic's product specifications of the nRF52832 and nRF52840, FICR (INFO.PART, INFO.RAM, INFO.FLASH) and "
		  "CTRL-AP; OpenOCD (nrf5.c, nrf52.cfg) agrees on both; the port's identification UNVERIFIED",
	.check_lock = check_lock,
};
