/* Shares of pc samples by place: a source line, or an instruction. As flat.h has functions', with the same clusters and
 * intervals, for the places that samples found: PT_PLACES_MAX of them, those after that are one more without a row.
 * Pure; one thread at a time. */
#ifndef PT_PROFILE_PLACES_H
#define PT_PROFILE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "profile/stats/stat.h"

enum { PT_PLACES_MAX = 16384 };

struct pt_place {
	uint64_t key, address;	/* address: of its first sample */
	uint64_t samples;
	struct pt_share share;	/* of the samples that found the core awake, as pt_flat_share() has it */
};

struct pt_places;

struct pt_places *pt_places_new(void);
void pt_places_free(struct pt_places *places);
/* 1..PT_PLACES_MAX, the same for the same key; 0: key is 0, or there is no room: a place without a row. */
uint16_t pt_places_number(struct pt_places *places, uint64_t key, uint64_t address);
uint16_t pt_places_find(const struct pt_places *places, uint64_t key);	/* likewise; 0 where it has none yet */
void pt_places_sample(struct pt_places *places, uint16_t number);
void pt_places_end_batch(struct pt_places *places);

size_t pt_places_n(const struct pt_places *places);
struct pt_place pt_places_at(const struct pt_places *places, size_t i);	/* in the order they were found */

/* By number, for the doubts of a snapshot (flat.h). */
struct pt_flat *pt_places_flat(struct pt_places *places);

#endif
