/* What a source has cost the program, as it measured that itself: the last COST chunk. */
#include <inttypes.h>
#include <stdio.h>

#include "pipeline/pipeline_parts.h"

static uint64_t number(const struct pt_chunk *chunk, const char *key, size_t i)
{
	char name[24];

	snprintf(name, sizeof(name), "%s.%zu", key, i);
	return pt_config_number((const char *)chunk->bytes, chunk->len_bytes, name, 0);
}

static void read_part(const struct pt_chunk *chunk, size_t i, struct pt_cost_part *part)
{
	part->samples = number(chunk, "samples", i);
	part->packets = number(chunk, "packets", i);
	part->sampling = (struct pt_cost_halts){
		.n = number(chunk, "halts", i), .ns = number(chunk, "halted_ns", i),
		.shortest_ns = number(chunk, "shortest_ns", i), .longest_ns = number(chunk, "longest_ns", i),
	};
	part->setup = (struct pt_cost_halts){ .n = number(chunk, "setup_halts", i),
					      .ns = number(chunk, "setup_ns", i) };
}

void pt_lane_cost(struct pt_lane *lane, const struct pt_chunk *chunk)
{
	const char *text = (const char *)chunk->bytes;
	struct pt_cost *cost = &lane->facts.cost;
	char name[24];

	*cost = (struct pt_cost){ .time_ns = pt_config_number(text, chunk->len_bytes, "time_ns", 0) };
	for (size_t i = 0; i < PT_COST_PARTS; i++) {
		struct pt_cost_part *part = &cost->part[cost->n_parts];

		snprintf(name, sizeof(name), "way.%zu", i);
		pt_config_text(text, chunk->len_bytes, name, part->way, sizeof(part->way));
		if (part->way[0] == '\0')
			continue;
		read_part(chunk, i, part);
		cost->n_parts++;
	}
}
