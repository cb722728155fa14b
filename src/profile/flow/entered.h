/* What samples at the beginning of handlers say of how long entering them took. A sample that is taken meanwhile
 * finds the core in the code that is interrupted (DWT_PCSR is of the last instruction that was executed; UNVERIFIED
 * on silicon, setting entry-pc). But a handler's first straight piece of code is executed once for each entry: so
 * many samples there, of so many cycles, are so many entries. They do not say from which function the time was taken.
 * Without a cycle model each instruction takes one at least, so that there are at most so many entries.
 * Constant once it is made. Pure. */
#ifndef PT_PROFILE_ENTERED_H
#define PT_PROFILE_ENTERED_H

#include "profile/flow/flow.h"

struct pt_entered;

/* NULL: what entering takes is not known, or nothing. */
struct pt_entered *pt_entered_new(const struct pt_codemap *map, const struct pt_flow_settings *settings);
void pt_entered_free(struct pt_entered *entered);

/* Cycles of entering per cycle of the code at address, and which handler that is; 0: it begins none. entered may be
 * NULL. */
double pt_entered_at(const struct pt_entered *entered, uint64_t address, uint16_t *handler);
/* The address at which handler i begins, and its function; PT_UNKNOWN: there are fewer. */
uint64_t pt_entered_handler(const struct pt_entered *entered, size_t i, uint16_t *handler);

#endif
