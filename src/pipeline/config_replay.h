/* Keeps the last CONFIG chunk and the last COST chunk of each source, so that statistics can be restarted in the middle
 * of a session. Used by one thread at a time. */
#ifndef PT_CONFIGS_H
#define PT_CONFIGS_H

#include "pipeline/pipeline.h"
#include "trace/chunk.h"

enum { PT_CONFIGS_MOST = 64 };	/* sources */

/* start with all zero; sources in the order of their first CONFIG */
struct pt_configs { struct pt_chunk *chunk[PT_CONFIGS_MOST], *cost[PT_CONFIGS_MOST]; size_t n; };

/* copies chunk if it is a CONFIG or COST */
void pt_configs_keep(struct pt_configs *configs, const struct pt_chunk *chunk);
void pt_configs_feed(const struct pt_configs *configs, struct pt_pipeline *pipeline);
void pt_configs_fini(struct pt_configs *configs);

#endif
