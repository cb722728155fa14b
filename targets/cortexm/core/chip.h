/* Facts about the chip around the core, and what is to be written to its flash: plain data. vendor/ fills it. */
#ifndef PT_CORTEXM_CHIP_H
#define PT_CORTEXM_CHIP_H

#include <stddef.h>
#include <stdint.h>

#include "targets/contract/target.h"

struct pt_cortexm_chip {
	char name[32];			/* "MKL27Z256"; for an unknown chip the core's name, "Cortex-M4" */
	bool unknown;
	char core[32];			/* "Cortex-M0+ r0p1" */
	uint8_t cpu_arch;		/* enum pt_arm_arch */
	bool fpu;			/* it has an FPU: single precision at least */
	bool caches;			/* cores of its kind have caches */
	bool pairs;			/* cores of its kind may issue two instructions in one cycle */
	bool secure;			/* it has the Security Extension (TrustZone) */
	uint32_t flash_addr, flash_bytes, ram_addr, ram_bytes;	/* bytes 0: not known */
	const char *protection;		/* what a lock hides although the core can be debugged, and how to open it; or NULL */
	uint32_t watchdog;		/* Kinetis SIM_COPC, or 0 */
	uint8_t systick_divider;	/* SysTick's reference clock is the core's divided by it; 0: not known */
	struct pt_region region[5];	/* as struct pt_target_ops' regions */
	size_t n_regions;
};

enum pt_sector {
	PT_SECTOR_OTHERS,	/* not to be erased */
	PT_SECTOR_ERASE,	/* to be erased */
	PT_SECTOR_BLANK,	/* to be erased, and already blank */
	PT_SECTOR_SAME,		/* already has its contents: left alone */
};

struct pt_cortexm_flash {
	uint8_t *image;		/* the intended contents of the whole flash; NULL: nothing noted */
	uint8_t *written;	/* a byte for each longword of it: 1 = to be programmed */
	uint8_t *sector;	/* a byte for each sector: enum pt_sector */
};

#endif
