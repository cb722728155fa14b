/* Breakpoints and watchpoints: comparators of the DBG, and BGND instructions in RAM, which are in memory from
 * insertion to removal and hidden from every ordinary read. */
#ifndef PT_S12Z_BREAKPOINTS_H
#define PT_S12Z_BREAKPOINTS_H

#include "targets/s12z/core/dbg.h"
#include "targets/contract/target.h"

struct pt_s12z;

enum { PT_S12Z_MAX_SOFT = 64 };

struct pt_breaks_s12z {
	struct {
		bool used;
		bool as_soft;		/* asked for as a software breakpoint */
		bool second;		/* the upper end of the range that the comparator before it begins */
		enum pt_break_kind kind;
		uint32_t addr, len;
	} comp[PT_DBG_COMPS];		/* A, B, C, D */
	struct { bool used; uint32_t addr; uint8_t original; } soft[PT_S12Z_MAX_SOFT];
	bool record;			/* the module records changes of flow while it waits for a match */
	unsigned n_armed;		/* how often it was armed: each time the trace buffer begins anew */
	uint64_t went_on_at;		/* recording: where the last resume went on when it stepped off a breakpoint
					 * (a step is not recorded); PT_UNKNOWN: it did not */
};

int pt_breaks_s12z_insert(void *state, const struct pt_break *at, struct pt_err *err);
int pt_breaks_s12z_remove(void *state, const struct pt_break *at, struct pt_err *err);
int pt_breaks_s12z_remove_all(struct pt_s12z *z, struct pt_err *err);	/* goes on past errors; the first one */
int pt_breaks_s12z_write_again(struct pt_s12z *z, struct pt_err *err);	/* after a reset */
/* A breakpoint has disarmed the DBG: before the core runs again it is armed once more. */
int pt_breaks_s12z_arm(struct pt_s12z *z, struct pt_err *err);

/* Record changes of flow (Normal mode) with the same arming as the breakpoints: a match ends the recording and stops
 * the core. The module is armed by each resume; while the core is halted a change of breakpoints leaves it alone, so
 * that the buffer can still be read. PT_EBUSY: another has the module. Off: breakpoints stay. */
int pt_breaks_s12z_record(struct pt_s12z *z, bool on, struct pt_err *err);

/* One of ours at pc? Then *kind is PT_BREAK_SW or PT_BREAK_HW, as it was asked for. */
bool pt_breaks_s12z_at(const struct pt_s12z *z, uint32_t pc, enum pt_break_kind *kind);
bool pt_breaks_s12z_soft_at(const struct pt_s12z *z, uint32_t pc);
bool pt_breaks_s12z_any(const struct pt_s12z *z);
int pt_breaks_s12z_lift(struct pt_s12z *z, uint32_t pc, bool lift,
			struct pt_err *err); /* a BGND: take away, put back */

/* Has one of our comparators ended the session that we had armed? Then *watch says whether a watchpoint did it, with
 * its kind and address. *ended false: ARM is still set, or was not ours. */
int pt_breaks_s12z_ended(struct pt_s12z *z, bool *ended, bool *watch, enum pt_break_kind *kind, uint64_t *addr,
			 struct pt_err *err);

/* For mem.c: is a BGND of ours in there; show what it covers; and keep what is written where it stands. */
bool pt_breaks_s12z_in(const struct pt_s12z *z, uint64_t addr, uint64_t len_bytes);
void pt_breaks_s12z_hide(const struct pt_s12z *z, uint64_t addr, uint8_t *bytes, size_t len_bytes);
void pt_breaks_s12z_keep(struct pt_s12z *z, uint64_t addr, uint8_t *bytes, size_t len_bytes);

#endif
