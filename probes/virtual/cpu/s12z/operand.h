/* The general operand: where it is, and its value. What no source says of it is decided in operand.c. */
#ifndef PT_VIRTUAL_CPU_S12Z_OPERAND_H
#define PT_VIRTUAL_CPU_S12Z_OPERAND_H

#include "probes/virtual/cpu/s12z/core.h"

/* All return false after an illegal access. They call the data observers. size: bytes, and the step of (X+) and its like. */

/* For LEA, JMP, JSR: the address that the operand is at, or the value that Di or the short immediate is. */
bool pt_z_address(struct pt_vs12z *cpu, const struct operand *o, unsigned size, uint32_t *addr);

bool pt_z_read(struct pt_vs12z *cpu, const struct operand *o, unsigned size, uint32_t *value);
bool pt_z_write(struct pt_vs12z *cpu, const struct operand *o, unsigned size, uint32_t value);

/* Read, and write the same place later: side effects of the addressing happen once. */
struct place {
	const struct operand *o;
	uint32_t addr;		/* if it is memory */
	unsigned size;
};
bool pt_z_take(struct pt_vs12z *cpu, const struct operand *o, unsigned size, struct place *place, uint32_t *value);
bool pt_z_give(struct pt_vs12z *cpu, const struct place *place, uint32_t value);

/* The width of an operand of an instruction whose encoding says size: a register has its own. */
unsigned pt_z_own_size(const struct operand *o, unsigned size);

/* Memory with the data observers, and the stack: S is at the byte pushed last. */
bool pt_z_data_read(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t *value);
bool pt_z_data_write(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t value);
bool pt_z_push(struct pt_vs12z *cpu, unsigned size, uint32_t value);
bool pt_z_pull(struct pt_vs12z *cpu, unsigned size, uint32_t *value);

#endif
