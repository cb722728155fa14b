/* The observers (observers) of a virtual CPU: a list, and which of their members are in use, so that a core tests one flag
 * for each thing that it may report. They are called in the order in which they were added, and are the caller's until
 * removed. An observer may remove itself while it is called. */
#ifndef PT_VIRTUAL_TAPS_H
#define PT_VIRTUAL_TAPS_H

#include "probes/virtual/frame/cpu.h"

struct pt_vobservers {		/* all zero: none */
	struct pt_vobserver *first;
	bool insn, cond, jump, data;
};

void pt_vobservers_add(struct pt_vobservers *observers, struct pt_vobserver *observer);
void pt_vobservers_remove(struct pt_vobservers *observers,
			  struct pt_vobserver *observer); /* one that is not there is fine */
void pt_vobservers_changed(struct pt_vobservers *observers);				/* members of an observer were changed in place */

void pt_vobservers_tell_insn(const struct pt_vobservers *observers, uint32_t pc);
void pt_vobservers_tell_cond(const struct pt_vobservers *observers, uint32_t from, bool taken, uint32_t to);
void pt_vobservers_tell_jump(const struct pt_vobservers *observers, enum pt_vjump how, uint32_t from, uint32_t detail,
			     uint32_t to);
void pt_vobservers_tell_data(const struct pt_vobservers *observers, uint32_t addr, unsigned size_bytes, bool write,
			     uint32_t value, uint32_t pc);
void pt_vobservers_tell_reset(const struct pt_vobservers *observers, uint32_t pc);

#endif
