/* The overhead of a source, as the source measured it: the last COST chunk. */
#include <inttypes.h>
#include <stdio.h>

#include "pipeline/pipeline_parts.h"

static uint64_t number(const struct pt_config *text, const char *key, size_t i)
{
	char name[24];

	snprintf(name, sizeof(name), "%s.%zu", key, i);
	return pt_config_number(text, name, 0);
}

static void read_part(const struct pt_config *text, size_t i, struct pt_cost_part *part)
{
	part->samples = number(text, "samples", i);
	part->packets = number(text, "packets", i);
	part->sampling = (struct pt_cost_halts){
		.n = number(text, "halts", i), .ns = number(text, "halted_ns", i),
		.shortest_ns = number(text, "shortest_ns", i), .longest_ns = number(text, "longest_ns", i),
	};
	part->setup = (struct pt_cost_halts){ .n = number(text, "setup_halts", i),
					      .ns = number(text, "setup_ns", i) };
}

void pt_source_ctx_cost(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	struct pt_profile *f = &ctx->pipeline->profile;
	struct pt_cost *cost = &ctx->facts.cost;
	struct pt_config text;
	char name[24];

	if (chunk->len_bytes == 0) {	/* its record is damaged; the next COST has the new totals */
		cost->damaged = true;
		return;
	}
	if (!pt_config_init(&text, (const char *)chunk->bytes, chunk->len_bytes))
		return;
	if (pt_config_number(&text, "clock_least_hz", 0) != 0) {	/* measured after the end */
		f->clock_least_hz = pt_config_number(&text, "clock_least_hz", 0);
		f->clock_most_hz = pt_config_number(&text, "clock_most_hz", 0);
		pt_config_fini(&text);
		return;
	}
	if (pt_config_number(&text, "elf_bytes", 0) != 0) {	/* so much had been compared at the end */
		pt_source_ctx_read_image(ctx->pipeline, &text);
		pt_config_fini(&text);
		return;
	}
	if (pt_config_number(&text, "link_ns", PT_UNKNOWN) != PT_UNKNOWN) {	/* from the scheduler of a shared link */
		ctx->facts.link_ns = pt_config_number(&text, "link_ns", 0);
		ctx->facts.link_of_ns = pt_config_number(&text, "time_ns", 0);
		pt_config_fini(&text);
		return;
	}
	*cost = (struct pt_cost){ .time_ns = pt_config_number(&text, "time_ns", 0),
				  .missed = pt_config_number(&text, "missed", PT_UNKNOWN),
				  .edges_ns = pt_config_number(&text, "edges_ns", 0) };
	cost->counts_missed = cost->missed != PT_UNKNOWN;
	for (size_t i = 0; i < PT_COST_PARTS; i++) {
		struct pt_cost_part *part = &cost->part[cost->n_parts];

		snprintf(name, sizeof(name), "way.%zu", i);
		pt_config_text(&text, name, part->way, sizeof(part->way));
		if (part->way[0] == '\0')
			continue;
		read_part(&text, i, part);
		cost->n_parts++;
	}
	pt_config_fini(&text);
}
