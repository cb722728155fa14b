/* The taps (observers) of a virtual CPU: a list, and which of their members are in use, so that a core tests one flag
 * for each thing that it may report. Taps are called in the order in which they were added and are the caller's until
 * removed. A tap may remove itself while it is called. */
#ifndef PT_VIRTUAL_TAPS_H
#define PT_VIRTUAL_TAPS_H

#include "probes/virtual/frame/cpu.h"

struct pt_vtaps {		/* all zero: none */
	struct pt_vtap *first;
	bool insn, cond, jump, data;
};

void pt_vtaps_add(struct pt_vtaps *taps, struct pt_vtap *tap);
void pt_vtaps_remove(struct pt_vtaps *taps, struct pt_vtap *tap);	/* one that is not there is fine */
void pt_vtaps_changed(struct pt_vtaps *taps);				/* members of a tap were changed in place */

void pt_vtaps_tell_insn(const struct pt_vtaps *taps, uint32_t pc);
void pt_vtaps_tell_cond(const struct pt_vtaps *taps, uint32_t from, bool taken, uint32_t to);
void pt_vtaps_tell_jump(const struct pt_vtaps *taps, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to);
void pt_vtaps_tell_data(const struct pt_vtaps *taps, uint32_t addr, unsigned size_bytes, bool write, uint32_t value,
			uint32_t pc);
void pt_vtaps_tell_reset(const struct pt_vtaps *taps, uint32_t pc);

#endif
