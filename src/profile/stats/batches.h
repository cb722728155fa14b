/* Shares of pc samples by function, of several cores, from the batches that they came in: what flat.h has of one
 * core, for what takes events. Pure; one thread at a time. */
#ifndef PT_PROFILE_BATCHES_H
#define PT_PROFILE_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/stats/stat.h"

struct pt_batches;

struct pt_batches *pt_batches_new(size_t n_functions, size_t n_cores);	/* room */
void pt_batches_free(struct pt_batches *batches);
void pt_batches_sample(struct pt_batches *batches, uint16_t source, uint16_t core, uint16_t function);
void pt_batches_end(struct pt_batches *batches, uint16_t source);	/* what it gives from here on is independent */
/* False: not all of the core's hits were samples, or there was no room for them. */
bool pt_batches_share(const struct pt_batches *batches, uint16_t core, uint64_t hits, uint16_t function,
		      struct pt_share *share);

#endif
