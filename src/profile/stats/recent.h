/* What the last whole reading of many places found at each of them, without a touch to those where it found nothing.
 * Readings are numbered by who reads; the one under way has the highest number. Pure. */
#ifndef PT_PROFILE_RECENT_H
#define PT_PROFILE_RECENT_H

#include <stdint.h>

struct pt_recent {		/* of a place; all zero: nothing was found there yet */
	uint64_t found, before;	/* in the reading, and in the one before it */
	uint32_t reading;	/* the last that found anything */
};

static inline void pt_recent_add(struct pt_recent *r, uint32_t reading, uint64_t found)
{
	if (r->reading != reading) {
		r->before = r->reading + 1 == reading ? r->found : 0;
		r->found = 0;
		r->reading = reading;
	}
	r->found += found;
}

/* Found in the reading before the one under way. */
static inline uint64_t pt_recent_last(const struct pt_recent *r, uint32_t under_way)
{
	if (r->reading == under_way)
		return r->before;
	return r->reading + 1 == under_way ? r->found : 0;
}

#endif
