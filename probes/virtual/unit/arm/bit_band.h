/* The bit-band alias of ARMv7-M parts: word n of the alias is bit n of the first MiB of a region, and access to it is a
 * read, or a read and a write, there. Source: DDI 0403, B3.1 (Cortex-M3/M4 TRM, "bit-banding"). */
#ifndef PT_VIRTUAL_UNIT_BIT_BAND_H
#define PT_VIRTUAL_UNIT_BIT_BAND_H

#include "probes/virtual/frame/bus.h"

enum { PT_VBIT_BAND_BYTES = 0x02000000 };

struct pt_vbit_band {
	struct pt_vbus *bus;
	uint32_t base;		/* of the region: 0x20000000 or 0x40000000 */
};

extern const struct pt_vunit_ops pt_vbit_band_ops;	/* at base + 0x02000000; the unit is a struct pt_vbit_band */

#endif
