/* Registers that a source changes together: as found, as they are to be meanwhile, and back. Rows in the order in which
 * they are written; the same order puts them back. Board thread. */
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
	uint32_t check;			/* bits that are ours alone, and read as they were written */
	uint32_t ignore;		/* bits that are no setting: not put back */
	uint8_t width_bytes;
	uint32_t was, ours;
};

struct pt_swo_regs {
	struct pt_swo_reg reg[PT_SWO_REGS];
	size_t n;
	uint32_t lock[PT_SWO_LOCKS];	/* LAR of each unit that was locked, and is locked again at the end */
	size_t n_locks;
	bool taken;			/* ours to put back */
};

/* For the rows, before pt_swo_regs_save(). Returns the row's number. */
size_t pt_swo_regs_add(struct pt_swo_regs *regs, const struct pt_swo_reg *reg);
/* Read what is there. */
int pt_swo_regs_save(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct pt_err *err);
/* From now on they are to be put back: note what is pending. */
void pt_swo_regs_take(struct pt_swo_regs *regs, struct pt_cortexm *cm);
/* Take them, and write all; again after a reset. */
int pt_swo_regs_write(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct pt_err *err);
/* One of them, to another value, while all are written. */
int pt_swo_regs_change(struct pt_swo_regs *regs, struct pt_cortexm *cm, size_t i, uint32_t ours, struct pt_err *err);
/* Does each still hold what was written? *which: the first that does not, and what it holds; else NULL. */
int pt_swo_regs_check(struct pt_swo_regs *regs, struct pt_cortexm *cm, const struct pt_swo_reg **which, uint32_t *holds,
		      struct pt_err *err);
int pt_swo_regs_restore(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct pt_err *err);

#endif
