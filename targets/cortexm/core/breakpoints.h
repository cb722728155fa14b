/* Breakpoints and watchpoints: comparators of the BPU (or FPB) and the DWT, and BKPT instructions in RAM, which are in
 * memory from insertion to removal and hidden from every ordinary read. */
#ifndef PT_CORTEXM_BREAKPOINTS_H
#define PT_CORTEXM_BREAKPOINTS_H

#include "targets/contract/mem.h"
#include "targets/contract/target.h"

struct pt_cortexm;

enum { PT_MAX_BPU = 8, PT_MAX_DWT = 4, PT_MAX_SOFT = 64 };

struct pt_cortexm_breaks {
	/* as_soft: asked for as a software breakpoint */
	struct { bool used; bool as_soft; uint32_t addr; } bpu[PT_MAX_BPU];
	struct { bool used; enum pt_break_kind kind; uint32_t addr, len; } dwt[PT_MAX_DWT];
	/* shared: another core of the part has put it into memory that both see, and takes it out */
	struct { bool used, shared; uint32_t addr; uint8_t original[2]; } soft[PT_MAX_SOFT];
	unsigned n_bpu, n_dwt;		/* comparators that exist */
	uint32_t found_bpu_ctrl, found_bpu[PT_MAX_BPU];	/* as found: what is there again when ours are out */
	struct { uint32_t comp, mask, function; } found_dwt[PT_MAX_DWT];
	bool bpu_on;			/* BPU_CTRL is ours */
	bool bpu_any;			/* version 2: any address; version 1: below 0x20000000 */
	bool code_changed;		/* since the instruction cache was emptied */
	bool dwt_v2;			/* ARMv8-M's: no MASK, other functions */
};

/* How many comparators there are; as found, to be put back. */
int pt_cortexm_breaks_init(struct pt_cortexm *cm, struct pt_err *err);
int pt_cortexm_breaks_insert(void *state, const struct pt_break *at, struct pt_err *err);
int pt_cortexm_breaks_remove(void *state, const struct pt_break *at, struct pt_err *err);
/* No client debugs any more: with all comparators free the unit is as it was found. */
int pt_cortexm_breaks_leave(struct pt_cortexm *cm, struct pt_err *err);
int pt_cortexm_breaks_remove_all(struct pt_cortexm *cm, struct pt_err *err);	/* goes on past errors; the first one */
/* Those of another core of the part, too. Goes on past errors; the first one. */
int pt_cortexm_breaks_copy(struct pt_cortexm *cm, const struct pt_cortexm *from, struct pt_err *err);
int pt_cortexm_breaks_write_again(struct pt_cortexm *cm, struct pt_err *err);	/* after a reset or loss of power */

int pt_cortexm_breaks_sync(struct pt_cortexm *cm, struct pt_err *err);	/* before the core runs: caches see them */

/* One of ours at pc? Then *kind is PT_BREAK_SW or PT_BREAK_HW, as it was asked for. */
bool pt_cortexm_breaks_at(const struct pt_cortexm *cm, uint32_t pc, enum pt_break_kind *kind);
bool pt_cortexm_breaks_any(const struct pt_cortexm *cm);	/* any that stop before an instruction */
bool pt_cortexm_breaks_watching(const struct pt_cortexm *cm);	/* a watchpoint needs TRCENA */
int pt_cortexm_breaks_lift(struct pt_cortexm *cm, uint32_t pc, bool lift, struct pt_err *err);	/* take away, put back */
/* Which watchpoint fired (reading tells once). False: none of ours. */
bool pt_cortexm_breaks_watched(struct pt_cortexm *cm, enum pt_break_kind *kind, uint64_t *addr);

/* For struct pt_mem_ap's hooks. */
void pt_cortexm_breaks_hide(void *cm, uint64_t addr, uint8_t *bytes, size_t len_bytes);
void pt_cortexm_breaks_keep(void *cm, uint64_t addr, uint8_t *bytes, size_t len_bytes);

/* soft_breaks.c, for breakpoints.c: errors as of pt_cortexm_breaks_insert(). i: in soft[], -1: there is none. */
int pt_cortexm_soft_find(const struct pt_cortexm *cm, uint32_t addr);
bool pt_cortexm_soft_fits(const struct pt_cortexm *cm, uint32_t addr);	/* it is RAM, as far as is known */
int pt_cortexm_soft_insert(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err);
int pt_cortexm_soft_remove(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err);
int pt_cortexm_soft_write(struct pt_cortexm *cm, int i, bool on, struct pt_err *err);	/* after a reset; off: for good */
int pt_cortexm_soft_lift(struct pt_cortexm *cm, int i, bool lift, struct pt_err *err);	/* for a step */

/* watchpoints.c, for breakpoints.c: errors as of pt_cortexm_breaks_insert(). i: of a comparator. */
void pt_cortexm_watches_count(struct pt_cortexm *cm, uint32_t dwt_ctrl);	/* how many there are */
void pt_cortexm_watches_found(struct pt_cortexm *cm, const uint8_t *comparators);	/* from DWT_COMP0 on */
int pt_cortexm_watches_insert(struct pt_cortexm *cm, const struct pt_break *at, struct pt_err *err);
int pt_cortexm_watches_remove(struct pt_cortexm *cm, const struct pt_break *at, struct pt_err *err);
int pt_cortexm_watches_write(struct pt_cortexm *cm, unsigned i, bool on, struct pt_err *err);	/* off: as it was found */
void pt_cortexm_watches_drop(struct pt_cortexm *cm, unsigned i);	/* it has no owner any more; writes nothing */

#endif
