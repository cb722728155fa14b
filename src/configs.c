/* A handful of chunks. */
#include "configs.h"

#include <stdlib.h>
#include <string.h>

void pt_configs_keep(struct pt_configs *c, const struct pt_chunk *chunk)
{
	size_t size = sizeof(*chunk) + chunk->len_bytes, i = 0;
	struct pt_chunk *copy;

	while (i < c->n && c->chunk[i]->source != chunk->source)
		i++;
	copy = chunk->kind == PT_CHUNK_CONFIG && i < PT_CONFIGS_MOST ? malloc(size) : NULL;
	if (copy == NULL)
		return;
	memcpy(copy, chunk, size);
	if (i == c->n)
		c->n++;
	else
		free(c->chunk[i]);
	c->chunk[i] = copy;
}

void pt_configs_feed(const struct pt_configs *c, struct pt_pipeline *pipeline)
{
	for (size_t i = 0; i < c->n; i++)
		pt_pipeline_feed(pipeline, c->chunk[i]);
}

void pt_configs_fini(struct pt_configs *c)
{
	while (c->n > 0)
		free(c->chunk[--c->n]);
}
