/* Byte registers of an S12Z that only hold bits, and the part of the register space where nothing is: reads 0, ignores
 * writes. */
#ifndef PT_VIRTUAL_UNIT_S12Z_BLOCK_H
#define PT_VIRTUAL_UNIT_S12Z_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "probes/virtual/frame/bus.h"

enum { PT_VS12Z_BLOCK_BYTES = 32 };

struct pt_vs12z_byte {
	uint8_t offset, reset, writable;
};

struct pt_vs12z_block {
	const struct pt_vs12z_byte *row;
	size_t n_rows;
	uint8_t value[PT_VS12Z_BLOCK_BYTES];	/* by offset */
};

extern const struct pt_vunit_ops pt_vs12z_block_ops;	/* the unit is a struct pt_vs12z_block */
extern const struct pt_vunit_ops pt_vs12z_hole_ops;	/* needs no unit */

#endif
