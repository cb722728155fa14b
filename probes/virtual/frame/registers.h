/* Registers of a virtual unit as rows: what resets to what, which bits a write changes. The unit adds what a write
 * does. Accesses of any width are composed from the rows they cover, as byte registers behind a 32-bit bus are. */
#ifndef PT_VIRTUAL_REGISTERS_H
#define PT_VIRTUAL_REGISTERS_H

#include "probes/virtual/frame/bus.h"

struct pt_vreg {
	const char *name;
	uint32_t offset;	/* from the unit's base; rows need no order and leave gaps */
	uint8_t size_bytes;	/* 1, 2, 4 */
	uint32_t reset;
	uint32_t writable;	/* bits that take what is written */
	uint32_t w1c;		/* bits that a written 1 clears */
};

struct pt_vregs {
	const struct pt_vreg *row;
	size_t n_rows;
	uint32_t *value;	/* one per row; the unit's memory */
};

void pt_vregs_reset(struct pt_vregs *regs);
/* Bytes that no row covers read as 0 and ignore writes. False: no byte of the access is covered. */
bool pt_vregs_read(const struct pt_vregs *regs, uint32_t offset, const struct pt_vaccess *access, uint32_t *value);
bool pt_vregs_write(struct pt_vregs *regs, uint32_t offset, const struct pt_vaccess *access, uint32_t value);

#endif
