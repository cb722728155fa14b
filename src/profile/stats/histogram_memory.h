/* Memory for the buckets of many histograms in one piece: no malloc() is needed while a trace is read. When it is
 * used up, buckets come from the heap. One thread at a time. */
#ifndef PT_PROFILE_HISTROOM_H
#define PT_PROFILE_HISTROOM_H

#include <stddef.h>
#include <stdint.h>

/* Pieces are multiples of PIECE bytes, up to MOST. */
enum { PT_HISTROOM_PIECE = 32, PT_HISTROOM_MOST = 8192 };

struct pt_histogram_memory {		/* all zero: no memory of its own */
	uint8_t *memory;
	size_t room_bytes, used_bytes;
	void *given_back[PT_HISTROOM_MOST / PT_HISTROOM_PIECE + 1];	/* by size: each holds the next */
};

/* What n functions (or whatever else has all kinds of figures) need, each a few kilobytes; of very many most do not
 * run. */
static inline size_t pt_histogram_memory_bytes(size_t n)
{
	enum { EACH_BYTES = 3072, MOST_BYTES = 12 << 20 };

	return n < MOST_BYTES / EACH_BYTES ? n * EACH_BYTES : MOST_BYTES;
}

void pt_histogram_memory_init(struct pt_histogram_memory *room, size_t bytes);
/* If any of it is in use, take all of it now: what comes later needs no more. */
void pt_histogram_memory_touch(const struct pt_histogram_memory *room);
void pt_histogram_memory_fini(struct pt_histogram_memory *room);	/* after all of it was given back */

/* Zeroed; bytes: a multiple of a piece, 1..PT_HISTROOM_MOST. room NULL: the heap's. */
void *pt_histogram_memory_take(struct pt_histogram_memory *room, size_t bytes);
void pt_histogram_memory_give(struct pt_histogram_memory *room, void *memory, size_t bytes);	/* NULL is fine */

#endif
