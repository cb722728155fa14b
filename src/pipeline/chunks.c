/* Passes a chunk to the source context of its source, or to those of the source's streams. A chunk goes all the way
 * before the next one: decoder, flow, then execution and burst shares (branch formats) or the flat profile (samples),
 * and the other analyses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "pipeline/pipeline_parts.h"

static struct pt_source_ctx *find_lane(struct pt_pipeline *p, uint16_t source, uint16_t stream)
{
	for (size_t i = 0; i < p->n_ctx; i++)
		if (p->ctx[i]->source == source && p->ctx[i]->stream_number == stream)
			return p->ctx[i];
	return NULL;
}

static struct pt_source_ctx *add_lane(struct pt_pipeline *p, uint16_t source)
{
	struct pt_source_ctx *ctx;

	if (p->n_ctx == PT_SOURCE_CTXS)
		return NULL;
	ctx = pt_alloc(sizeof(*ctx));
	ctx->pipeline = p;
	ctx->source = source;
	ctx->index = p->n_ctx;
	ctx->now = ctx->seen = (struct pt_timestamp){ PT_UNKNOWN, 0 };
	ctx->armed_ns = ctx->data_ns = ctx->held_ns = PT_UNKNOWN;
	pt_flow_init(&ctx->flow, p->map, &p->settings);
	p->ctx[p->n_ctx++] = ctx;
	return ctx;
}

/* A second source was opened: from now on merge orders the events of all sources. Events of the first source so far
 * have been passed on already. */
static void join_lanes(struct pt_pipeline *p, struct pt_source_ctx *ctx, uint64_t from_ns)
{
	bool begins = p->merge == NULL && p->n_ctx > 1;

	if (begins)
		p->merge = pt_merge_new();
	for (size_t i = 0; begins && i < p->n_ctx; i++)
		pt_source_ctx_join(p->ctx[i], from_ns);
	if (!begins && p->merge != NULL)
		pt_source_ctx_join(ctx, from_ns);
}

/* Before a source is opened again: decodes what it sent so far with its old CONFIG. */
static void read_what_is_held(struct pt_pipeline *p)
{
	if (p->merge == NULL)
		return;
	pt_merge_flush(p->merge, true);
	pt_source_ctxs_drain(p);
	pt_merge_flush(p->merge, false);
}

/* NULL: all contexts are used. */
static struct pt_source_ctx *lane_for(struct pt_pipeline *p, struct pt_source_ctx *ctx, uint16_t source)
{
	if (ctx == NULL)
		return add_lane(p, source);
	read_what_is_held(p);
	return ctx;
}

/* The first versions did not write isa=: the only Arm core that they supported was the Cortex-M0+. */
static const char *isa_named_by(const struct pt_config *config, char *isa, size_t room)
{
	char target[PT_PROFILE_TEXT];

	pt_config_text(config, "isa", isa, room);
	pt_config_text(config, "target", target, sizeof(target));
	if (isa[0] == '\0' && strstr(target, "(Cortex-M0+") != NULL)
		snprintf(isa, room, "thumb-v6m");
	return isa;
}

static void open_ctx(struct pt_pipeline *p, const struct pt_chunk *chunk, struct pt_stream_part *stream,
		     uint16_t number)
{
	struct pt_source_ctx *ctx = lane_for(p, find_lane(p, chunk->source, number), chunk->source);
	struct pt_config config;

	if (ctx == NULL || !pt_config_init(&config, (const char *)chunk->bytes, chunk->len_bytes)) {
		p->lanes_refused++;
		pt_stream_part_free(stream);
		return;
	}
	pt_stream_part_free(ctx->stream);
	ctx->stream = stream;
	ctx->stream_number = number;
	ctx->left_out = false;
	pt_source_ctx_open(ctx, chunk, &config);
	pt_core_profile_choose(p);
	join_lanes(p, ctx, chunk->to_ns);
	pt_definitions_config(p->definitions, chunk->source, &config);
	pt_selection_config(p, chunk->source, &config);
	pt_config_fini(&config);
}

/* Opens a source context for each stream, with the number of the source. */
static void open_streams(struct pt_pipeline *p, const struct pt_chunk *chunk, const struct pt_config *config)
{
	struct pt_chunk *own;

	for (unsigned number = 0; (own = pt_stream_part_next(chunk, config, &number)) != NULL; number++) {
		open_ctx(p, own, pt_stream_part_new(config, number), (uint16_t)number);
		free(own);
	}
}

/* When a source is opened again, its contexts get no more data, except those that are opened again. */
static void leave_out(struct pt_pipeline *p, uint16_t source)
{
	for (size_t i = 0; i < p->n_ctx; i++)
		p->ctx[i]->left_out |= p->ctx[i]->source == source;
}

/* Ends the contexts that are left out, so that the other sources do not wait for them. */
static void end_left_out(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_ctx; i++) {
		if (!p->ctx[i]->left_out)
			continue;
		p->ctx[i]->facts.ended = true;
		if (p->merge != NULL && p->ctx[i]->decoder != NULL)
			pt_merge_end(p->merge, i);
	}
}

/* CONFIG says how to read a source's trace. If CONFIG is damaged, all data of the source count as lost. */
static void open_unreadable(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	struct pt_source_ctx *ctx = lane_for(p, find_lane(p, chunk->source, 0), chunk->source);

	if (ctx == NULL) {
		p->lanes_refused += p->lanes_refused == 0;	/* counted once: more chunks of this source follow */
		return;
	}
	leave_out(p, chunk->source);
	end_left_out(p);
	ctx->left_out = false;
	pt_source_ctx_unreadable(ctx, chunk);
	pt_core_profile_choose(p);
}

static bool is_known(const struct pt_pipeline *p, uint16_t source)
{
	bool known = false;

	for (size_t i = 0; i < p->n_ctx; i++)
		known |= p->ctx[i]->source == source;
	return known;
}

static void open_source(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	struct pt_config config;
	char isa[24];

	if (chunk->len_bytes == 0) {
		open_unreadable(p, chunk);
		return;
	}
	if (!pt_config_init(&config, (const char *)chunk->bytes, chunk->len_bytes)) {
		p->lanes_refused++;
		return;
	}
	pt_pipeline_set_isa(p, isa_named_by(&config, isa, sizeof(isa)));
	pt_pipeline_choose_clock(p, &config);
	leave_out(p, chunk->source);
	if (pt_streams_are_in(&config))
		open_streams(p, chunk, &config);
	else
		open_ctx(p, chunk, NULL, 0);
	end_left_out(p);
	pt_config_fini(&config);
}

void pt_pipeline_cut(struct pt_pipeline *pipeline)
{
	pipeline->cut_short = true;
}

/* Without END, events that wait for those of other sources would wait for ever. */
void pt_pipeline_over(struct pt_pipeline *pipeline)
{
	pipeline->over = true;
	read_what_is_held(pipeline);
}

/* A LOSS says how many bytes of the source are missing, but not of which stream: the first stream counts them; the
 * others count an unknown number. */
static void feed(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	struct pt_chunk loss;

	if (chunk->kind != PT_CHUNK_LOSS || ctx->stream == NULL || pt_stream_part_is_first(ctx->stream)) {
		pt_source_ctx_feed(ctx, chunk);
		return;
	}
	loss = *chunk;
	loss.lost_bytes = PT_UNKNOWN;
	pt_source_ctx_feed(ctx, &loss);
}

void pt_pipeline_feed(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	if (chunk->kind == PT_CHUNK_CONFIG) {
		open_source(p, chunk);
		return;
	}
	if ((chunk->kind == PT_CHUNK_DATA || chunk->kind == PT_CHUNK_LOSS) && !is_known(p, chunk->source))
		open_unreadable(p, chunk);
	for (size_t i = 0; i < p->n_ctx; i++)
		if (p->ctx[i]->source == chunk->source && !p->ctx[i]->left_out)
			feed(p->ctx[i], chunk);
}
