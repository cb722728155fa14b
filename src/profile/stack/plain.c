/* Why this exists: a trace of plain branches is what a core makes nearly all the time, and most of them jump inside a
 * function. To write an event and a run for each, and to read them again, costs more than all that is made of them; so
 * where call statistics are all that is wanted, they are added up on the way and never written. What is the least bit
 * out of the ordinary is left to the way that everything can take: decoder, flow.c, execution.c.
 *
 * Three passes over a piece of the trace, each of which does one thing that a processor can do fast:
 *   walk                 the code: each branch is checked against the code map, and the time added up; what may change
 *                        the stack (departures: calls, returns, branches to another function) is put down. No branch of
 *                        the loop depends on what the program under test does
 *   calls_and_returns    the stack: what was called and returned from inside the piece is put down as an invocation.
 *                        All there is to guess is which of the two a departure is, and that waits for no memory
 *   note_ended           the statistics: of one invocation after the other, in any function. No guesses, and the many
 *                        places in memory that they need are asked for early
 * In one pass, each wrong guess would throw away what had been begun, and much of that would be waiting for memory. */
#include "profile/stack/plain_parts.h"

_Static_assert((int)PT_LEFT_CALL == (PT_FLOW_CALL & PT_FLOW_LEAVES), "a call is a call");
_Static_assert((int)PT_LEFT_RETURN == (PT_FLOW_RETURN & PT_FLOW_LEAVES), "a return is a return");
_Static_assert(PT_ANY_TARGET >> 31 == 1 && (PT_CALL_SITE + PT_CALL_SITES) >> 31 == 0, "a sign tells");

/* Where the span of code lies, which is below 4 GiB. */
struct place {
	const struct pt_code_unit *code;
	uint64_t base;		/* in both halves, as in a pair */
	uint64_t wrong;		/* bits that no pair of offsets has */
};

static struct place place_of(const struct pt_code_span *span)
{
	uint64_t odd = UNIT_BYTES - 1, mask = span->offset_mask & ~odd;

	return (struct place){
		.code = span->code, .base = span->base << 32 | span->base, .wrong = ~(mask << 32 | mask),
	};
}

/* The first pass: as many pairs as are plain, from unit on. The conditions are those of by_instruction() in flow.c, of
 * short runs. Only one depends on what the program does, whether a branch is direct, and no branch is made of it: the
 * target of one that is differs by nothing from where it went, and that of any other is negative. */
static __attribute__((noinline)) void walk(struct place place, size_t n, struct pt_piece *piece)
{
	const uint8_t *pair = piece->pairs, *end = pair + n * PAIR_BYTES;
	const struct pt_code_unit *unit = piece->begin, *src, *dst;
	uint64_t sums = 0;
	size_t out = 0;

	for (; pair < end; pair += PAIR_BYTES) {
		uint64_t offsets = pt_le64(pair) - place.base;
		uint32_t to = (uint32_t)(offsets >> 32);

		__builtin_prefetch(pair + PIECE * PAIR_BYTES); /* the next piece: after the other
								 * passes nobody remembers the stream */
		if (unlikely((offsets & place.wrong) != 0))
			break;
		src = source(place.code, offsets);
		dst = destination(place.code, offsets);
		if (unlikely((size_t)((const char *)src - (const char *)unit) >
				     pt_codemap_reach(unit) * sizeof(*unit) ||
			     (int32_t)(src->target ^ (to + 1)) > 0 || !dst->plain))
			break;
		sums += src->sums - unit->sums + src->leave_cycles + (UINT64_C(1) << PT_SUM_INSTRUCTIONS);
		piece->sums[out] = sums;
		piece->offsets[out] = offsets;
		out += src->departs;
		unit = dst;
	}
	piece->sums[out] = sums;
	piece->n_departures = out;
	piece->unit = unit;
	piece->n_pairs = (size_t)(pair - piece->pairs) / PAIR_BYTES;
}

/* The run that is held back begins at unit. */
static void go_on_at(struct pt_flow *f, const struct pt_code_unit *unit)
{
	f->begin = f->span->base + (uint64_t)(unit - f->span->code) * UNIT_BYTES;
	f->at = unit;
	f->reached_bytes = 0;
	f->open = true;
}

size_t pt_plain_feed(struct pt_flow *f, struct pt_execution *x, const uint8_t *pairs, size_t n, uint64_t below,
		     const struct pt_plain_sink *sink)
{
	const struct pt_code_span *span = f->span;
	struct pt_piece piece;
	struct place place;
	size_t taken = 0;

	if (f->at == NULL || f->stopped || pt_held_any(x) || f->map->isa->unit_bytes != UNIT_BYTES || x->n_due > 0 ||
	    (stepping(x) && (sink == NULL || sink->compact == NULL)) || span->end > below || span->end > UINT32_MAX ||
	    span->base % UNIT_BYTES != 0)
		return 0;
	place = place_of(span);
	piece.span = span;
	for (; taken < n && x->top < x->frame + PT_EXECUTION_DEPTH - PIECE; taken += piece.n_pairs) {
		piece.begin = f->at;
		piece.pairs = pairs + taken * PAIR_BYTES;
		walk(place, n - taken < PIECE ? n - taken : PIECE, &piece);
		if (piece.n_pairs == 0)
			break;
		pt_plain_depart(x, &piece, stepping(x) ? sink : NULL);
		go_on_at(f, piece.unit);
		if (sink != NULL && sink->piece != NULL)
			sink->piece(sink->arg, &piece);
	}
	return taken;
}
