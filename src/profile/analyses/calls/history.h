/* The branch history: the last stretches of straight code, in order, for a debugger that goes back in time. Each core
 * has its own: what others executed is not in between. A ring of stated depth; how many runs there were in all is
 * counted, so that who asks again gets only what is new. */
#ifndef PT_PROFILE_HISTORY_H
#define PT_PROFILE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/code/codemap.h"

enum { PT_HISTORY_RUNS = 65536, PT_HISTORY_ANY = UINT16_MAX };

struct pt_history_run {
	uint64_t begin, end;	/* [begin, end) ran */
	uint64_t next;		/* then execution went there; PT_UNKNOWN behind a gap */
	uint8_t left;		/* enum pt_left */
};

struct pt_history {
	const struct pt_history_run *ring;
	size_t room, first, n;	/* the oldest is ring[first]; n of them are there */
	uint64_t seen;		/* in all */
	const struct pt_codemap *map;
	uint16_t core;
};

/* That of a core among n of them; PT_HISTORY_ANY: of the only one, or the first that gave runs. As long as none came,
 * the one that is empty is any core's. NULL: this core gave none. */
const struct pt_history *pt_history_of(const struct pt_history *histories, size_t n, uint16_t core);

/* From the first to the last instruction of a stretch, both as addresses. gap: what ran here is not known, begin is
 * where it is known again. */
struct pt_history_block {
	uint64_t begin, last;
	bool gap;
};

struct pt_history_answer {
	uint64_t seen;		/* runs up to here; since= of the next question */
	uint64_t from;		/* where the first run since then began; PT_UNKNOWN:
				 * there was none, or it is forgotten */
	size_t n_blocks;	/* what follows the answer in memory */
};

/* Blocks of all runs from number `since` on (0: all there are), oldest first; at most room, then the last
 * ones. pc: where the core is halted: the last block ends there, though the instruction has not run.
 * PT_UNKNOWN: unknown. Returns how many. */
size_t pt_history_blocks(const struct pt_history *history, uint64_t since, uint64_t pc, struct pt_history_block *out,
			 size_t room);
/* The instruction that a run from begin to end ends with. */
uint64_t pt_history_last(const struct pt_codemap *map, uint64_t begin, uint64_t end);

static inline const struct pt_history_run *pt_history_at(const struct pt_history *h, size_t i)
{
	size_t at = h->first + i;

	return &h->ring[at < h->room ? at : at - h->room];
}

/* Where the run of that number began; PT_UNKNOWN: there is none, or it is forgotten. */
uint64_t pt_history_from(const struct pt_history *history, uint64_t number);

#endif
