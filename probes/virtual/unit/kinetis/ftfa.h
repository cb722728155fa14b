/* Model of the FTFA flash controller of Kinetis L parts (KL27 RM, chapters on the flash memory module): commands
 * through FCCOB, launched by FSTAT.CCIF, taking time; protection and security as the flash configuration field at 0x400
 * said at the last reset.
 *
 * There is one flash block and no read-while-write: while a command runs the chip takes the flash off the bus, and an
 * access to it is a collision. */
#ifndef PT_VIRTUAL_UNIT_FTFA_H
#define PT_VIRTUAL_UNIT_FTFA_H

#include "probes/virtual/frame/registers.h"
#include "probes/virtual/frame/wires.h"

enum { PT_VFTFA_SECTOR_BYTES = 1024, PT_VFTFA_CONFIG = 0x400, PT_VFTFA_IFR_BYTES = 64, PT_VFTFA_REGISTERS = 20 };

#define PT_VFTFA_CCIF 0x80u
#define PT_VFTFA_RDCOLERR 0x40u
#define PT_VFTFA_ACCERR 0x20u
#define PT_VFTFA_FPVIOL 0x10u
#define PT_VFTFA_MGSTAT0 0x01u

/* FSEC. Source: KL27 RM, FTFA_FSEC */
enum { PT_VFSEC_SEC = 3, PT_VFSEC_UNSECURED = 2, PT_VFSEC_NO_MASS_ERASE = 2, PT_VFSEC_BACKDOOR = 2,
       PT_VFSEC_SAFE = 0xfe };

struct pt_vftfa_config {
	const struct pt_vwires *wires;
	uint8_t *flash;
	uint32_t flash_bytes;
	/* Data sheets give 65 us, 14 ms typical; the others are of the same class (all UNVERIFIED) */
	uint64_t program_ns, erase_sector_ns, erase_all_ns, read_ns;
	unsigned irq;		/* command complete, FCNFG.CCIE */
	void *arg;
	void (*busy)(void *arg, bool busy);	/* take the flash off the bus, and put it back */
};

struct pt_vftfa {
	struct pt_vftfa_config config;
	struct pt_vregs regs;
	uint32_t value[PT_VFTFA_REGISTERS];
	uint64_t done_cycle;		/* PT_VNEVER: no command runs */
	bool key_blocked;		/* a wrong backdoor key: no second try before reset */
	uint8_t ifr[PT_VFTFA_IFR_BYTES];	/* program once field */
};

extern const struct pt_vunit_ops pt_vftfa_ops;	/* a 4 KiB page; the unit is a struct pt_vftfa */

void pt_vftfa_init(struct pt_vftfa *ftfa, const struct pt_vftfa_config *config);
void pt_vftfa_collide(struct pt_vftfa *ftfa);		/* the flash was read while a command ran */
bool pt_vftfa_ready(const struct pt_vftfa *ftfa);
bool pt_vftfa_secured(const struct pt_vftfa *ftfa);
bool pt_vftfa_mass_erase_allowed(const struct pt_vftfa *ftfa);
bool pt_vftfa_backdoor_allowed(const struct pt_vftfa *ftfa);
/* The MDM-AP's mass erase: as command 49, whatever the protection. Ends when pt_vftfa_ready(). False: not allowed, or
 * a command runs. */
bool pt_vftfa_mass_erase(struct pt_vftfa *ftfa);

#endif
