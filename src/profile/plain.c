/* Why this exists: a trace of plain branches is what a core makes nearly all the time, and most of them jump inside a
 * function. To write an event and a run for each, and to read them again, costs more than all that is made of them; so
 * where call statistics are all that is wanted, they are added up on the way and never written. What is the least bit
 * out of the ordinary is left to the way that everything can take: decoder, flow.c, execution.c.
 *
 * Two passes over a piece of the trace. The first one walks the code: it checks each branch against the code map, adds
 * up the time, and puts down where the stack may change (departures: calls, returns, branches to another function),
 * without a branch that depends on what the program under test does. The second one does the calls and returns. In one
 * pass, the processor would guess at each packet wrong as often as the program is hard to foresee, and throw away all
 * that it had begun; here it has only to tell calls from returns. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize")	/* vectors of two numbers side by side are more work than their sums */
#endif
#include <assert.h>

#include "profile/plain.h"
#include "profile/stack.h"
#include "util.h"

static_assert((int)PT_LEFT_CALL == (PT_FLOW_CALL & PT_FLOW_LEAVES), "a call is a call");
static_assert((int)PT_LEFT_RETURN == (PT_FLOW_RETURN & PT_FLOW_LEAVES), "a return is a return");
static_assert((PT_LEFT_CALL & 2) != 0 && (PT_LEFT_RETURN & 2) != 0 && (PT_LEFT_BRANCH & 2) == 0, "one bit tells");
static_assert(sizeof(struct pt_code_unit) == 16, "units lie by a power of two");
static_assert((unsigned)PT_FLOW_RUN_BYTES <= (unsigned)PT_CODEMAP_PAD, "a run ends inside the padding");

enum { PIECE = 256, UNIT_BYTES = 2, PAIR_BYTES = 8 };
enum { MOST_AHEAD = PT_FLOW_RUN_BYTES / UNIT_BYTES * sizeof(struct pt_code_unit) };	/* of a run, in the code map */
enum { MOST_TICKS = PT_SUM_MASK };	/* of a piece */

struct piece {
	const struct pt_code_unit *unit;	/* where it begins; behind the walk, where the next one does */
	size_t n_departures;
	uint64_t sums[PIECE + 1];	/* up to each departure, as in the code map; the one behind the last: of all */
	const uint8_t *pair[PIECE + 1];	/* the departures */
};

/* Where the span of code lies, which is below 4 GiB. */
struct place { const struct pt_code_unit *code; uint32_t base, n_bytes; };

/* bytes: from the base, a multiple of UNIT_BYTES. Without a division to drop what is not there. */
static inline const struct pt_code_unit *unit_at(const struct pt_code_unit *code, uint32_t bytes)
{
	return (const void *)((const char *)code + (size_t)bytes * (sizeof(*code) / UNIT_BYTES));
}

/* The first pass: as many pairs as are plain, and as the sums can hold. The conditions are those of by_instruction() in
 * flow.c. Only one depends on what the program does, whether a branch is direct: as a product, it is kept out of the
 * processor's branch prediction. */
static __attribute__((noinline)) size_t walk(struct place place, const uint8_t *pairs, size_t n, struct piece *piece)
{
	const uint8_t *pair = pairs, *end = pairs + n * PAIR_BYTES;
	const struct pt_code_unit *unit = piece->unit, *src, *dst;
	uint64_t sums = 0, longer;
	size_t out = 0;

	for (; pair < end; pair += PAIR_BYTES) {
		uint32_t from = pt_le32(pair) - place.base, to = pt_le32(pair + 4) - place.base;

		src = unit_at(place.code, from);
		dst = unit_at(place.code, to);
		if (unlikely((size_t)((const char *)src - (const char *)unit) >= MOST_AHEAD || to >= place.n_bytes ||
			     ((from | to) & 1) != 0))
			break;
		longer = sums + src->sums + ((uint64_t)src->leave_cycles << PT_SUM_CYCLES) + 1 - unit->sums;
		if (unlikely((uint64_t)(src->target ^ (to + 1)) * ~src->target != 0 || !dst->plain ||
			     longer >> (PT_SUM_BREAKS - 1) != 0))	/* a break, or cycles that may carry soon */
			break;
		sums = longer;
		piece->sums[out] = sums;
		piece->pair[out] = pair;
		out += (src->flow >> 1 | (dst->function != unit->function)) & 1;
		unit = dst;
	}
	piece->sums[out] = sums;
	piece->n_departures = out;
	piece->unit = unit;
	return (size_t)(pair - pairs) / PAIR_BYTES;
}

/* What the hot path left. */
static __attribute__((noinline, cold)) void odd(struct pt_execution *x, uint64_t end, uint64_t next, unsigned left,
					  uint16_t function, uint16_t next_function)
{
	const struct pt_run run = {
		.end = end, .next = next, .function = function, .next_function = next_function, .left = (uint8_t)left,
	};

	pt_stack_odd(x, &run);
}

/* The number of a call's site, which stands for an edge where the code that ran is one function's. */
static inline uint32_t site_of(const struct pt_code_unit *src, uint16_t caller)
{
	return likely(src->function == caller) ? src[1].target - PT_CALL_SITE : PT_CALL_SITES;
}

/* The second pass. unit: where the piece began. */
INLINE void depart(struct pt_execution *x, struct place place, const struct pt_code_unit *unit,
		   const struct piece *piece, bool by_cycles, bool histograms)
{
	uint16_t function = unit->function;
	size_t n = piece->n_departures;
	uint64_t before = 0, begin = place.base + (uint64_t)(unit - place.code) * UNIT_BYTES;
	struct hot h = stack_take(x, MOST_TICKS);

	for (size_t i = 0;; i++) {
		uint64_t sums = piece->sums[i] - before;
		uint64_t cycles = sums >> PT_SUM_CYCLES, instructions = sums & PT_SUM_MASK;
		const struct pt_code_unit *src, *dst;
		uint32_t from, end, to;
		unsigned left;
		bool done;

		if (i == n && sums == 0)
			break;
		stack_pass(x, &h, function, begin,
			   (struct spent){ by_cycles ? cycles : instructions, by_cycles ? instructions : cycles },
			   MOST_TICKS);
		if (i == n)
			break;
		before = piece->sums[i];
		from = pt_le32(piece->pair[i]);
		to = pt_le32(piece->pair[i] + 4);
		src = unit_at(place.code, from - place.base);
		dst = unit_at(place.code, to - place.base);
		left = src->flow & PT_FLOW_LEAVES;
		end = from + src->len_units * UNIT_BYTES;
		if (left == PT_LEFT_CALL)
			done = stack_call(x, &h, (struct call){ end, site_of(src, function), function, dst->function },
					  histograms, false);
		else
			done = left == PT_LEFT_RETURN && stack_return(x, &h, to, histograms, false);
		if (unlikely(!done)) {
			stack_put(x, &h);
			odd(x, end, to, left, function, dst->function);
			h = stack_take(x, MOST_TICKS);
		}
		function = dst->function;
		begin = to;
	}
	stack_put(x, &h);
}

#define DEPART(name, by_cycles, histograms) \
	static __attribute__((noinline)) void name(struct pt_execution *x, struct place place, \
						   const struct pt_code_unit *unit, const struct piece *piece) \
	{ \
		depart(x, place, unit, piece, by_cycles, histograms); \
	}
DEPART(depart_by_cycles, true, false)
DEPART(depart_by_cycles_with_histograms, true, true)
DEPART(depart_by_instructions, false, false)
DEPART(depart_by_instructions_with_histograms, false, true)

static void depart_any(struct pt_execution *x, struct place place, const struct pt_code_unit *unit,
		       const struct piece *piece)
{
	bool histograms = x->tally.hist != NULL;

	if (x->by_cycles)
		(histograms ? depart_by_cycles_with_histograms : depart_by_cycles)(x, place, unit, piece);
	else
		(histograms ? depart_by_instructions_with_histograms : depart_by_instructions)(x, place, unit, piece);
}

/* The run that is held back begins at unit. */
static void go_on_at(struct pt_flow *f, const struct pt_code_unit *unit)
{
	f->begin = f->span->base + (uint64_t)(unit - f->span->code) * UNIT_BYTES;
	f->at = unit;
	f->reached_bytes = 0;
	f->open = true;
}

size_t pt_plain_feed(struct pt_flow *f, struct pt_execution *x, const uint8_t *pairs, size_t n, uint64_t below)
{
	const struct pt_code_span *span = f->span;
	struct place place;
	struct piece piece;
	size_t taken = 0, done;

	if (f->at == NULL || f->stopped || f->map->isa->unit_bytes != UNIT_BYTES || stepping(x) || x->n_due > 0 ||
	    span->end > below || span->end > UINT32_MAX || span->base % UNIT_BYTES != 0)
		return 0;
	place = (struct place){ span->code, (uint32_t)span->base, (uint32_t)(span->end - span->base) };
	for (; taken < n; taken += done) {
		const struct pt_code_unit *unit = piece.unit = f->at;

		done = walk(place, pairs + taken * PAIR_BYTES, n - taken < PIECE ? n - taken : PIECE, &piece);
		if (done == 0)
			break;
		depart_any(x, place, unit, &piece);
		go_on_at(f, piece.unit);
	}
	return taken;
}
