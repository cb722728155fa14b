#include "pipeline/halves.h"

#include "base/util.h"
#include "trace/loss.h"

int pt_halves_init(struct pt_halves *halves, struct pt_program *program, const struct pt_params *settings,
		   struct pt_err *err)
{
	*halves = (struct pt_halves){ 0 };
	for (unsigned i = 0; i < PT_HALVES; i++) {
		halves->pipeline[i] = pt_pipeline_new(program, settings, err);
		if (halves->pipeline[i] == NULL) {
			pt_halves_fini(halves);
			return err->code;
		}
	}
	return 0;
}

void pt_halves_fini(struct pt_halves *halves)
{
	for (unsigned i = 0; i < PT_HALVES; i++)
		pt_pipeline_free(halves->pipeline[i]);
	*halves = (struct pt_halves){ 0 };
}

/* By a hash: random, but reproducible, so that a pattern in the order of looks does not end up in one half. */
static unsigned half_of(uint64_t look)
{
	uint64_t h = (look + 1) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
	return h >> 63;
}

/* Passes on the time of a chunk without its data. */
static void feed_unseen(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	const struct pt_chunk unseen = {
		.from_ns = chunk->from_ns, .to_ns = chunk->to_ns, .lost_bytes = PT_UNKNOWN, .source = chunk->source,
		.core = chunk->core, .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_REARM,
	};

	pt_pipeline_feed(p, &unseen);
}

void pt_halves_feed(struct pt_halves *halves, const struct pt_chunk *chunk)
{
	struct pt_half_source *s = &halves->source[chunk->source % PT_HALVES_SOURCES];

	if (chunk->kind == PT_CHUNK_DATA && !s->in_look)
		s->half = half_of(s->n_looks++);
	if (chunk->kind == PT_CHUNK_DATA || chunk->kind == PT_CHUNK_LOSS)
		s->in_look = chunk->kind == PT_CHUNK_DATA;
	for (unsigned i = 0; i < PT_HALVES; i++) {
		if (chunk->kind == PT_CHUNK_DATA && s->half != i)
			feed_unseen(halves->pipeline[i], chunk);
		else
			pt_pipeline_feed(halves->pipeline[i], chunk);
	}
}
