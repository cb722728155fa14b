#include "report/laws/law_clock.h"

#include "trace/loss.h"

static void take_state(struct pt_law_source *s, const struct pt_chunk *chunk)
{
	bool resumed = chunk->cause == PT_STATE_RUN || chunk->cause == PT_STATE_RESET;

	if (!s->told && !s->in_data && !resumed)
		s->unseen_ns += s->lead_ns;	/* if it was resumed, it had been held before */
	if (!s->told && !s->in_data)
		s->lead_ns = 0;
	s->told = true;
	if (chunk->cause == PT_STATE_HALT || chunk->cause == PT_STATE_RUN)
		s->held = chunk->cause == PT_STATE_HALT;
}

static void take_loss(struct pt_law_source *s, const struct pt_chunk *chunk)
{
	uint64_t ns = chunk->to_ns > chunk->from_ns ? chunk->to_ns - chunk->from_ns : 0;
	enum pt_loss cause = (enum pt_loss)chunk->cause;

	if (pt_loss_is_fault(cause))
		s->faults++;
	else if (pt_loss_nothing_ran(cause) || s->held)
		;
	else if (s->told || s->in_data)
		s->unseen_ns += ns;
	else
		s->lead_ns += ns;
}

static void take_span(struct pt_law_source *s, const struct pt_chunk *chunk)
{
	if (!s->begun)
		s->from_ns = chunk->from_ns;
	s->begun = true;
	s->to_ns = chunk->to_ns > chunk->from_ns ? chunk->to_ns : chunk->from_ns;
	if (chunk->kind == PT_CHUNK_LOSS) {
		take_loss(s, chunk);
		return;
	}
	s->unseen_ns += s->lead_ns;
	s->lead_ns = 0;
	s->in_data = true;
}

void pt_law_clock_take(struct pt_law_clock *clock, const struct pt_chunk *chunk)
{
	struct pt_law_source *s = chunk->source < PT_LAW_SOURCES ? &clock->source[chunk->source] : NULL;

	if (s == NULL)
		return;
	s->open |= chunk->kind == PT_CHUNK_CONFIG;
	s->ended = chunk->kind == PT_CHUNK_END || (s->ended && chunk->kind != PT_CHUNK_CONFIG);
	if (chunk->kind == PT_CHUNK_STATE)
		take_state(s, chunk);
	else if (chunk->kind == PT_CHUNK_DATA || chunk->kind == PT_CHUNK_LOSS)
		take_span(s, chunk);
}
