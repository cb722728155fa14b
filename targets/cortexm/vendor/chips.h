/* What chip it is, by what it says of itself: memory map, flash, name. A chip that is not known is a core with memory
 * that may be anything: it is debugged and profiled all the same, but not programmed. */
#ifndef PT_CORTEXM_CHIPS_H
#define PT_CORTEXM_CHIPS_H

#include "targets/arm/discovery.h"
#include "targets/cortexm/core/chip.h"

enum { PT_MDM_NONE = 0xff };

/* The AP that is a Kinetis MDM-AP, or PT_MDM_NONE. Source: NXP AN4835, 4. */
uint8_t pt_kinetis_mdm_ap(const struct pt_discovery *found);

/* Identify. wanted: a name from the table that overrules what the chip says, or NULL; PT_EARG lists the names.
 * Fills found->unit[PT_UNIT_MTB] where the ROM table has none but the chip's family is known for its own place. */
int pt_cortexm_chip_identify(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem,
			     const char *wanted, struct pt_err *err);
/* The same when nothing may be read: a locked chip. */
void pt_cortexm_chip_locked(struct pt_cortexm_chip *chip);

#endif
