/* What a target's own time stamps say: how long before an exception was entered the last change of flow was recorded.
 * Where the program waits for it, asleep or in a loop without branches that are recorded, it is how long it waited.
 * Pure; one thread at a time. */
#ifndef PT_PROFILE_SINCE_H
#define PT_PROFILE_SINCE_H

#include "profile/stats/stat.h"
#include "trace/event.h"

enum { PT_SINCE_EXCEPTIONS = 256 };	/* those with higher numbers are in the row of none */

struct pt_since {			/* all zero: nothing yet */
	struct pt_stat exception[PT_SINCE_EXCEPTIONS + 1];	/* ticks; the last row: stamps without an exception */
	uint64_t n_at_least, at_least;	/* roll-overs where no more was told, and their ticks: in no row */
	uint64_t total;			/* all ticks: at least so many passed */
};

void pt_since_take(struct pt_since *since, const struct pt_event *event);	/* PT_EV_SINCE */

/* Those of another, too: a handler may have several vectors. */
void pt_since_join(struct pt_stat *to, const struct pt_stat *stat);

#endif
