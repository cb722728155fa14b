/* Breakpoints and watchpoints: comparators of the BPU (or FPB) and the DWT, and BKPT instructions in RAM, which are in
 * memory from insertion to removal and hidden from every ordinary read. */
#ifndef PT_CORTEXM_BREAKPOINTS_H
#define PT_CORTEXM_BREAKPOINTS_H

#include "targets/contract/mem.h"
#include "targets/contract/target.h"

struct pt_cortexm;

enum { PT_MAX_BPU = 8, PT_MAX_DWT = 4, PT_MAX_SOFT = 64 };

struct pt_cortexm_breaks {
	/* as_soft: requested as a software breakpoint */
	struct { bool used; bool as_soft; uint32_t addr; } bpu[PT_MAX_BPU];
	struct { bool used; enum pt_break_kind kind; uint32_t addr, len; } dwt[PT_MAX_DWT];
	/* shared: another core of the part has written it to their shared memory, and removes it */
	struct { bool used, shared; uint32_t addr; uint8_t original[2]; } soft[PT_MAX_SOFT];
	unsigned n_bpu, n_dwt;		/* comparators that exist */
	uint32_t found_bpu_ctrl, found_bpu[PT_MAX_BPU];	/* original values, restored when ours are removed */
	struct { uint32_t comp, mask, function; } found_dwt[PT_MAX_DWT];
	bool bpu_on;			/* BPU_CTRL is set by us */
	bool bpu_any;			/* version 2: any address; version 1: below 0x20000000 */
	bool code_changed;		/* since the instruction cache was invalidated */
	bool dwt_v2;			/* ARMv8-M's: no MASK, other functions */
};

/* Finds the number of comparators; reads the original values. */
int pt_cortexm_breaks_init(struct pt_cortexm *cm, struct pt_err *err);
int pt_cortexm_breaks_insert(void *state, const struct pt_break *at, struct pt_err *err);
int pt_cortexm_breaks_remove(void *state, const struct pt_break *at, struct pt_err *err);
/* No client debugs: if all comparators are free the unit is restored. */
int pt_cortexm_breaks_leave(struct pt_cortexm *cm, struct pt_err *err);
/* continues after errors; returns the first one */
int pt_cortexm_breaks_remove_all(struct pt_cortexm *cm, struct pt_err *err);
/* Inserts the breakpoints of another core of the part, too. Continues after errors; returns the first one. */
int pt_cortexm_breaks_copy(struct pt_cortexm *cm, const struct pt_cortexm *from, struct pt_err *err);
int pt_cortexm_breaks_write_again(struct pt_cortexm *cm, struct pt_err *err);	/* after a reset or loss of power */

/* before the core runs: invalidates its cache */
int pt_cortexm_breaks_sync(struct pt_cortexm *cm, struct pt_err *err);

/* Whether one of the breakpoints is at pc. Then *kind is PT_BREAK_SW or PT_BREAK_HW, as it was requested. */
bool pt_cortexm_breaks_at(const struct pt_cortexm *cm, uint32_t pc, enum pt_break_kind *kind);
bool pt_cortexm_breaks_any(const struct pt_cortexm *cm);	/* whether any breakpoint, not watchpoint, is set */
bool pt_cortexm_breaks_watching(const struct pt_cortexm *cm);	/* a watchpoint needs TRCENA */
/* removes it, or inserts it again */
int pt_cortexm_breaks_lift(struct pt_cortexm *cm, uint32_t pc, bool lift, struct pt_err *err);
/* Which watchpoint fired (the read clears this). False: none of these. */
bool pt_cortexm_breaks_watched(struct pt_cortexm *cm, enum pt_break_kind *kind, uint64_t *addr);

/* For struct pt_mem_ap's hooks. */
void pt_cortexm_breaks_hide(void *cm, uint64_t addr, uint8_t *bytes, size_t len_bytes);
void pt_cortexm_breaks_keep(void *cm, uint64_t addr, uint8_t *bytes, size_t len_bytes);

/* soft_breaks.c, for breakpoints.c: errors as of pt_cortexm_breaks_insert(). i: in soft[], -1: there is none. */
int pt_cortexm_soft_find(const struct pt_cortexm *cm, uint32_t addr);
bool pt_cortexm_soft_fits(const struct pt_cortexm *cm, uint32_t addr);	/* it is RAM, if this is known */
int pt_cortexm_soft_insert(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err);
int pt_cortexm_soft_remove(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err);
int pt_cortexm_soft_write(struct pt_cortexm *cm, int i, bool on, struct pt_err *err);	/* after a reset; off: for good */
int pt_cortexm_soft_lift(struct pt_cortexm *cm, int i, bool lift, struct pt_err *err);	/* for a step */

/* watchpoints.c, for breakpoints.c: errors as of pt_cortexm_breaks_insert(). i: of a comparator. */
void pt_cortexm_watches_count(struct pt_cortexm *cm, uint32_t dwt_ctrl);	/* finds their number */
void pt_cortexm_watches_found(struct pt_cortexm *cm, const uint8_t *comparators);	/* from DWT_COMP0 on */
int pt_cortexm_watches_insert(struct pt_cortexm *cm, const struct pt_break *at, struct pt_err *err);
int pt_cortexm_watches_remove(struct pt_cortexm *cm, const struct pt_break *at, struct pt_err *err);
int pt_cortexm_watches_write(struct pt_cortexm *cm, unsigned i, bool on, struct pt_err *err);	/* off: restores it */
void pt_cortexm_watches_drop(struct pt_cortexm *cm, unsigned i);	/* frees it; writes nothing */

#endif
