/* Copies of a few chunks. */
#include "pipeline/config_replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Replaces the older copy. */
static void keep(struct pt_chunk **place, const struct pt_chunk *chunk)
{
	size_t size = sizeof(*chunk) + chunk->len_bytes;
	struct pt_chunk *copy = memcpy(pt_alloc(size), chunk, size);

	free(*place);
	*place = copy;
}

void pt_configs_keep(struct pt_configs *c, const struct pt_chunk *chunk)
{
	size_t i = 0;

	while (i < c->n && c->chunk[i]->source != chunk->source)
		i++;
	if (chunk->kind == PT_CHUNK_COST && i < c->n)
		keep(&c->cost[i], chunk);
	if (chunk->kind != PT_CHUNK_CONFIG || i == PT_CONFIGS_MOST)
		return;
	keep(&c->chunk[i], chunk);
	if (i == c->n)
		c->n++;
	free(c->cost[i]);		/* an older source had this number */
	c->cost[i] = NULL;
}

void pt_configs_feed(const struct pt_configs *c, struct pt_pipeline *pipeline)
{
	for (size_t i = 0; i < c->n; i++) {
		pt_pipeline_feed(pipeline, c->chunk[i]);
		if (c->cost[i] != NULL)
			pt_pipeline_feed(pipeline, c->cost[i]);
	}
}

void pt_configs_fini(struct pt_configs *c)
{
	while (c->n > 0) {
		free(c->chunk[--c->n]);
		free(c->cost[c->n]);
	}
}
