/* The last CONFIG of each source, and its last COST, so that statistics can begin anew in the middle of a session. One
 * thread. */
#ifndef PT_CONFIGS_H
#define PT_CONFIGS_H

#include "pipeline/pipeline.h"
#include "trace/chunk.h"

enum { PT_CONFIGS_MOST = 64 };	/* sources */

/* zeroed; in the order they came first */
struct pt_configs { struct pt_chunk *chunk[PT_CONFIGS_MOST], *cost[PT_CONFIGS_MOST]; size_t n; };

void pt_configs_keep(struct pt_configs *configs, const struct pt_chunk *chunk);	/* a copy, if it is one of these */
void pt_configs_feed(const struct pt_configs *configs, struct pt_pipeline *pipeline);
void pt_configs_fini(struct pt_configs *configs);

#endif
