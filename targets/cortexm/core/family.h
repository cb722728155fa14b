/* A family of chips around a core of the M profile: how to identify it, its memory, its locks, its flash. A row for
 * each in vendor/families.c. NULL: the family does not have it. Board thread. */
#ifndef PT_CORTEXM_FAMILY_H
#define PT_CORTEXM_FAMILY_H

#include "targets/arm/discovery.h"
#include "targets/cortexm/core/chip.h"

struct pt_cortexm;
struct pt_progress;
struct pt_swo_recipe;

struct pt_cortexm_flash_ops {
	/* PT_EPERM when these bytes would lock the chip. */
	int (*check)(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err);
	/* Programs what cm has collected, and verifies. */
	int (*program)(struct pt_cortexm *cm, struct pt_progress *progress, struct pt_err *err);
};

struct pt_cortexm_family {
	const char *name;		/* "Kinetis" */
	/* Whether a chip is of the family, only by its access ports and the marks in its ROM tables: nothing else of a
	 * locked chip may be read. NULL: only identify() tells. */
	bool (*owns)(const struct pt_discovery *found);
	/* Fills name and memory, by ID registers at addresses that only this family has; false: another chip. May fill
	 * found->unit[PT_UNIT_MTB], if the ROM table lists none. A register may be absent. */
	bool (*identify)(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem);
	/* How the names of its chips begin, and where all of them have their units, so that a chip that the user names is not
	 * looked through: read() is identify() without the tables, on a core that is the family's. NULL: it is. */
	const char *names, *core;	/* "MKL", "Cortex-M0+" */
	uint32_t unit[PT_N_UNITS];
	bool (*read)(struct pt_cortexm_chip *chip, struct pt_mem *mem);
	/* The sources of identify(): documents and their sections, and what is UNVERIFIED. */
	const char *source;
	/* Its rows, each with its source document; NULL behind the last. NULL: it has no rows, because the chip tells
	 * its sizes. */
	const char *(*row)(size_t i, const char **source);
	/* The chips that a user can name, one per call; fills chip. NULL behind the last. */
	const char *(*named)(size_t i, struct pt_cortexm_chip *chip);
	/* TARGETSEL of the debug ports of its chips if they share a wire, one per core; else 0. */
	uint32_t targetsel[4];
	uint32_t rom_table;		/* address of its table besides the architecture's, of this designer; 0: none */
	uint16_t designer;
	int (*check_lock)(struct pt_cortexm *cm, struct pt_err *err);	/* PT_ESTATE: locked, and what to do */
	int (*mass_erase)(struct pt_cortexm *cm, struct pt_err *err);
	/* Holds the core at the reset vector, with the reset pin released, so that the core can be reached; hold false:
	 * it runs from there. NULL: the core can be reached in reset. */
	int (*hold_core)(struct pt_cortexm *cm, bool hold, struct pt_err *err);
	const struct pt_cortexm_flash_ops *flash;	/* NULL: programming is not supported */
	/* How its chips send SWO, from the most specific row to the most general; ends with a row without chips. NULL:
	 * unknown. */
	const struct pt_swo_recipe *swo;
};

#endif
