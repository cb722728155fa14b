/* Model of the S12Z's flash controller (FTMRZ) with program flash and EEPROM: commands through FCCOB0 to FCCOB5,
 * launched by FSTAT.CCIF, taking time; security as the flash configuration field said at the last reset, or as a mass
 * erase left it.
 *
 * Registers, bits, command codes and sizes below are what manuals of the S12Z family have in common, as far as known:
 * UNVERIFIED, all of it, and in this header and the top of s12z_ftmrz.c only. */
#ifndef PT_VIRTUAL_UNIT_S12Z_FTMRZ_H
#define PT_VIRTUAL_UNIT_S12Z_FTMRZ_H

#include "probes/virtual/frame/wires.h"

enum {
	PT_VFTMRZ_BASE = 0x380, PT_VFTMRZ_BYTES = 0x18,
	PT_VFTMRZ_SECTOR = 512, PT_VFTMRZ_PHRASE = 8,		/* program flash */
	PT_VFTMRZ_EE_SECTOR = 4, PT_VFTMRZ_EE_WORD = 2,		/* EEPROM */
};

/* Offsets; FCCOBn is at FCCOB0 + 2n, high byte first. */
enum {
	PT_VFTMRZ_FCLKDIV = 0x0, PT_VFTMRZ_FSEC = 0x1, PT_VFTMRZ_FCCOBIX = 0x2, PT_VFTMRZ_FCNFG = 0x4,
	PT_VFTMRZ_FSTAT = 0x6,
	PT_VFTMRZ_FPROT = 0x8, PT_VFTMRZ_DFPROT = 0x9, PT_VFTMRZ_FOPT = 0xa, PT_VFTMRZ_FCCOB0 = 0xc,
};

enum {
	PT_VFTMRZ_FDIVLD = 0x80,	/* FCLKDIV */
	PT_VFTMRZ_CCIF = 0x80, PT_VFTMRZ_ACCERR = 0x20, PT_VFTMRZ_FPVIOL = 0x10, PT_VFTMRZ_MGSTAT = 0x03,
};

/* The configuration field at the end of the flash. */
enum {
	PT_VFTMRZ_CONFIG_FPROT = 0xfffe0c, PT_VFTMRZ_CONFIG_DFPROT = 0xfffe0d, PT_VFTMRZ_CONFIG_FOPT = 0xfffe0e,
	PT_VFTMRZ_CONFIG_FSEC = 0xfffe0f,
	PT_VFTMRZ_UNSECURED = 0xfe,		/* FSEC with SEC = 10 */
};

struct pt_vftmrz_config {
	const struct pt_vwires *wires;
	uint8_t *flash, *eeprom;
	uint32_t flash_base, flash_bytes, eeprom_base, eeprom_bytes;
	uint64_t program_ns, erase_sector_ns, erase_all_ns, read_ns;
	void *arg;
	void (*busy)(void *arg, bool busy);	/* take the flash off the bus, and put it back */
};

struct pt_vftmrz {
	struct pt_vftmrz_config config;
	uint8_t reg[PT_VFTMRZ_BYTES];
	uint64_t done_cycle;		/* PT_VNEVER: no command runs */
	bool mass_erasing;		/* by the BDC */
};

extern const struct pt_vunit_ops pt_vftmrz_ops;		/* the unit is a struct pt_vftmrz */

void pt_vftmrz_init(struct pt_vftmrz *flash, const struct pt_vftmrz_config *config);
bool pt_vftmrz_secured(const struct pt_vftmrz *flash);
/* The BDC's ERASE_FLASH: everything, whatever protection and security say; leaves the part unsecured. */
void pt_vftmrz_mass_erase(struct pt_vftmrz *flash);
bool pt_vftmrz_mass_erasing(const struct pt_vftmrz *flash);

#endif
