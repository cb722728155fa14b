/* The registers of a task that does not run, and where in memory they wait for it: on its stack or in its control
 * block, by the kernel's port (rtos_NAME.c) or by an ORTI file's CONTEXT. */
#ifndef PT_PROGRAM_SAVED_H
#define PT_PROGRAM_SAVED_H

#include "program/expr/expr.h"

enum { PT_SAVED_REGISTERS = 96 };

struct pt_saved_register {
	char name[12]; /* GDB's: "r4", "sp", "pc", "xpsr", "d8" */
	uint64_t addr; /* what is written there it will have when it runs; PT_UNKNOWN: it follows from others */
	uint8_t bytes; /* at addr, in the target's byte order; 0: the task has a value of its own, which is not known */
	uint64_t value;
};

struct pt_saved {
	struct pt_saved_register reg[PT_SAVED_REGISTERS];
	size_t n_regs;
};

/* A copy of the register; of two of one name the later one counts. False: there is no room. */
bool pt_saved_add(struct pt_saved *saved, const char *name, uint64_t addr, unsigned bytes, uint64_t value);
const struct pt_saved_register *pt_saved_find(const struct pt_saved *saved, const char *name); /* NULL: not known */

#endif
