/* Registers that a source changes together: their original values, the values of the source, and restoring them. Rows
 * are written in order, and restored in the same order. Board thread. */
#ifndef PT_CORTEXM_SWO_REGS_H
#define PT_CORTEXM_SWO_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_cortexm;

enum { PT_SWO_REGS = 40, PT_SWO_LOCKS = 2 };

struct pt_swo_reg {
	const char *name;
	uint32_t at, clear, set;	/* ours = (was & ~clear) | set */
	uint32_t check;			/* bits that only the source changes, and that read back as written */
	uint32_t ignore;		/* bits that are not settings: not restored */
	uint8_t width_bytes;
	bool sends;			/* packets come until it is 0 */
	uint32_t was, ours;
};

struct pt_swo_regs {
	struct pt_swo_reg reg[PT_SWO_REGS];
	size_t n;
	uint32_t lock[PT_SWO_LOCKS];	/* LAR of each unit that was locked; it is locked again at the end */
	size_t n_locks;
	bool taken;			/* changed by the source, to be restored */
};

/* Adds a row; before pt_swo_regs_save(). Returns the number of the row. */
size_t pt_swo_regs_add(struct pt_swo_regs *regs, const struct pt_swo_reg *reg);
/* Reads the original values. */
int pt_swo_regs_save(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct pt_err *err);
/* From now on they must be restored: notes this as pending. */
void pt_swo_regs_take(struct pt_swo_regs *regs, struct pt_cortexm *cm);
/* Takes the registers and writes all of them; call it again after a reset. */
int pt_swo_regs_write(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct pt_err *err);
/* Changes one register, while all are written. */
int pt_swo_regs_change(struct pt_swo_regs *regs, struct pt_cortexm *cm, size_t i, uint32_t ours, struct pt_err *err);
/* Checks that each register still holds what was written. *which: the first that does not, and its value; else NULL. */
int pt_swo_regs_check(struct pt_swo_regs *regs, struct pt_cortexm *cm, const struct pt_swo_reg **which, uint32_t *holds,
		      struct pt_err *err);
int pt_swo_regs_restore(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct pt_err *err);

#endif
