/* Breakpoints and watchpoints: comparators of the DBG, and BGND instructions in RAM. A BGND is in memory from insertion
 * to removal, and hidden from ordinary reads. */
#ifndef PT_S12Z_BREAKPOINTS_H
#define PT_S12Z_BREAKPOINTS_H

#include "targets/s12z/core/dbg.h"
#include "targets/contract/target.h"

struct pt_s12z;

enum { PT_S12Z_MAX_SOFT = 64 };

struct pt_breaks_s12z {
	struct {
		bool used;
		bool as_soft;		/* requested as a software breakpoint */
		bool second;		/* the upper end of a range that begins with the comparator before */
		enum pt_break_kind kind;
		uint32_t addr, len;
	} comp[PT_DBG_COMPS];		/* A, B, C, D */
	struct { bool used; uint32_t addr; uint8_t original; } soft[PT_S12Z_MAX_SOFT];
	bool record;			/* the module also records changes of flow */
	unsigned n_armed;		/* number of armings; each restarts the trace buffer */
	uint64_t went_on_at;		/* recording: the pc after the last resume's step off a breakpoint (which is not
					 * recorded); PT_UNKNOWN: there was none */
};

int pt_breaks_s12z_insert(void *state, const struct pt_break *at, struct pt_err *err);
int pt_breaks_s12z_remove(void *state, const struct pt_break *at, struct pt_err *err);
int pt_breaks_s12z_remove_all(struct pt_s12z *z, struct pt_err *err);	/* continues after errors; returns the first */
int pt_breaks_s12z_write_again(struct pt_s12z *z, struct pt_err *err);	/* after a reset */
/* Arms the DBG before the core runs again, because a breakpoint has disarmed it. */
int pt_breaks_s12z_arm(struct pt_s12z *z, struct pt_err *err);

/* Records changes of flow (Normal mode) with the same arming as the breakpoints: a match ends the recording and stops
 * the core. Each resume arms the module; while the core is halted, changes of breakpoints are not written, so that the
 * buffer can still be read. PT_EBUSY: the module has another owner. on false: breakpoints stay. */
int pt_breaks_s12z_record(struct pt_s12z *z, bool on, struct pt_err *err);

/* True: one of our breakpoints is at pc. *kind is then PT_BREAK_SW or PT_BREAK_HW, as requested. */
bool pt_breaks_s12z_at(const struct pt_s12z *z, uint32_t pc, enum pt_break_kind *kind);
bool pt_breaks_s12z_soft_at(const struct pt_s12z *z, uint32_t pc);
bool pt_breaks_s12z_any(const struct pt_s12z *z);
int pt_breaks_s12z_lift(struct pt_s12z *z, uint32_t pc, bool lift,
			struct pt_err *err); /* removes a BGND, or puts it back */

/* *ended: one of our comparators ended the session that we had armed. *watch: it was a watchpoint, with its kind and
 * address. *ended false: ARM is still set, or was not set by us. */
int pt_breaks_s12z_ended(struct pt_s12z *z, bool *ended, bool *watch, enum pt_break_kind *kind, uint64_t *addr,
			 struct pt_err *err);

/* For mem.c: whether a range has a BGND of ours; show the original bytes; store bytes written under a BGND. */
bool pt_breaks_s12z_in(const struct pt_s12z *z, uint64_t addr, uint64_t len_bytes);
void pt_breaks_s12z_hide(const struct pt_s12z *z, uint64_t addr, uint8_t *bytes, size_t len_bytes);
void pt_breaks_s12z_keep(struct pt_s12z *z, uint64_t addr, uint8_t *bytes, size_t len_bytes);

#endif
