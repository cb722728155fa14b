/* What must be written to a chip, besides the core's own units, before its pin SWO carries trace: plain data. A row for
 * each group of chips in vendor/swo_recipes.c, which has the sources. */
#ifndef PT_CORTEXM_SWO_RECIPE_H
#define PT_CORTEXM_SWO_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_cortexm;

struct pt_swo_write {			/* new value: (value & ~clear) | set; clear UINT32_MAX: set alone */
	const char *name;
	uint32_t addr, clear, set;
	uint8_t width_bytes;		/* 0: 4 */
};

enum { PT_SWO_WRITES = 10 };

struct pt_swo_recipe {
	const char *chips;		/* beginnings of their names, separated by |; "": all others of the family */
	const char *none;		/* why the pin cannot be used, as half a sentence; NULL: it can */
	struct pt_swo_write write[PT_SWO_WRITES];	/* in order; ends with addr 0 */
	/* The pin's own clock, with its name if it is not the core's; 0: the pin has the core's clock, if
	 * core_clock. */
	uint32_t clock_hz;
	bool core_clock;		/* false and no clock_hz: unknown, the user must set trace-clock= */
	uint32_t port;			/* address of the TPIU, or the SWO unit; 0: the architecture's */
	bool is_swo_unit;		/* port is an SWO unit, which has other register addresses and no formatter */
	const char *pin;		/* the pin, for sentences */
	const char *source;
	bool unverified;		/* a single source, or none */
};

/* The recipe of this chip; never NULL: an unknown chip gets the generic row, which writes nothing and has the core's
 * clock. */
const struct pt_swo_recipe *pt_swo_recipe_of(const struct pt_cortexm *cm);

#endif
