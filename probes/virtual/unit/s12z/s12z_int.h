/* The registers of the S12Z's interrupt module; the core itself picks requests. IVBR: the vendor's device headers;
 * INT_CFADDR, INT_CFDATA and what their bits select are UNVERIFIED: the block of eight vectors with number n has n &
 * 0x78 in INT_CFADDR, and vector n its priority in bits 2:0 of INT_CFDATA(n & 7). */
#ifndef PT_VIRTUAL_UNIT_S12Z_INT_H
#define PT_VIRTUAL_UNIT_S12Z_INT_H

#include "probes/virtual/frame/bus.h"
#include "probes/virtual/cpu/s12z/s12z.h"

enum { PT_VS12Z_INT_BASE = 0x010, PT_VS12Z_INT_BYTES = 0x10 };

struct pt_vs12z_int {
	struct pt_vs12z *cpu;
	uint8_t cfaddr;
};

extern const struct pt_vunit_ops pt_vs12z_int_ops;	/* the unit is a struct pt_vs12z_int */

#endif
