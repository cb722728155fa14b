/* Identifies the part and its memories. The part number (PARTID) is shown as read: no list of the numbers was
 * available. So the sizes of the memories are found by testing which addresses answer, which is not intrusive. */
#ifndef PT_S12Z_CHIPS_H
#define PT_S12Z_CHIPS_H

#include "targets/contract/target.h"

struct pt_s12z;

/* Memory map of all S12Z. Source: S12ZVM and S12ZVHY/S12ZVHL Family Reference Manuals, memory map. */
enum {
	S12Z_RAM = 0x001000,
	S12Z_EEPROM = 0x100000,
	S12Z_FLASH_END = 0x1000000,
	S12Z_PARTID = 0x000000,
	S12Z_IVBR = 0x000010
};
enum { S12Z_FLASH_SECTOR = 512, S12Z_EEPROM_SECTOR = 4 };

struct pt_chip_s12z {
	char name[32];			/* "S12Z part 0x00170000", or the name in chip= */
	uint32_t partid;
	uint32_t ram_bytes, eeprom_bytes, flash_bytes;	/* 0: not known */
	struct pt_region region[5];	/* as in struct pt_target_ops.regions */
	size_t n_regions;
};

/* wanted: a name from the table, which overrides detection, or NULL; PT_EARG lists the names. */
int pt_chip_s12z_identify(struct pt_s12z *z, const char *wanted, struct pt_err *err);
void pt_chip_s12z_locked(struct pt_chip_s12z *chip);	/* the same, for a secured part that cannot be read */
/* True: an instruction at addr can be replaced. If the size is unknown: the whole address range for RAM. */
bool pt_chip_s12z_in_ram(const struct pt_chip_s12z *chip, uint32_t addr);

#endif
