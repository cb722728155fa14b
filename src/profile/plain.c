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

enum { PIECE = PT_PIECE_PAIRS, UNIT_BYTES = PT_PIECE_UNIT_BYTES, PAIR_BYTES = 8 };
enum { MOST_AHEAD = PT_FLOW_RUN_BYTES / UNIT_BYTES * sizeof(struct pt_code_unit) };	/* of a run, in the code map */
enum { MOST_TICKS = PT_SUM_MASK };	/* of a piece */

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
static __attribute__((noinline)) size_t walk(struct place place, const uint8_t *pairs, size_t n, struct pt_piece *piece)
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
	piece->pairs = pairs;
	return piece->n_pairs = (size_t)(pair - pairs) / PAIR_BYTES;
}

/* --- steps in brief, in order with those that are not */

struct teller { const struct pt_plain_sink *sink; struct pt_brief_batch batch; };

static void begin_briefs(const struct pt_execution *x, struct teller *t, struct hot *h)
{
	const struct context *context = &x->context[x->stack];
	struct pt_brief_batch *b = &t->batch;

	b->clock = x->now - x->skipped;
	b->anchor = x->anchor - x->skipped;
	b->anchor_ns = x->anchor_ns;
	b->anchor_error_ns = x->anchor_error_ns;
	b->ns_per_tick = x->ns_per_tick;
	b->stack = x->stack;
	b->task = context->task;
	b->core = x->core;
	b->told = context->told;
	h->brief = b->brief;
	h->since = x->now;
}

static void give_briefs(struct teller *t, const struct hot *h)
{
	struct pt_brief_batch *b = &t->batch;
	int32_t level = 0, lowest = 0;
	size_t n_left = 0;

	b->n_briefs = (size_t)(h->brief - b->brief);
	if (b->n_briefs == 0)
		return;
	for (size_t i = 0; i < b->n_briefs; i++) {
		n_left += b->brief[i].left;
		level += 1 - 2 * (int32_t)b->brief[i].left;
		lowest = level < lowest ? level : lowest;
	}
	b->n_left = n_left;
	b->n_below = (size_t)-lowest;
	t->sink->briefs(t->sink->arg, b);
}

/* What has become steps meanwhile. t NULL: nobody wants to know. */
static struct hot go_on(struct pt_execution *x, struct teller *t)
{
	struct hot h = stack_take(x, MOST_TICKS);

	if (t == NULL)
		return h;
	pt_stack_tell_stray(x);
	pt_stack_give_steps(x);
	begin_briefs(x, t, &h);
	return h;
}

/* Time in code that is not the top frame's. h by value, here and below: its address would keep it out of registers. */
static __attribute__((noinline, cold)) struct hot stray(struct pt_execution *x, struct teller *t, struct hot h,
							uint16_t function, uint64_t begin, struct spent spent)
{
	stack_put(x, &h);
	give_briefs(t, &h);
	pt_stack_stray(x, function, begin, spent);
	x->now += spent.ticks;
	return go_on(x, t);
}

/* What the hot path left. */
static __attribute__((noinline, cold)) struct hot odd(struct pt_execution *x, struct teller *t, struct hot h,
						      const struct pt_run *run)
{
	stack_put(x, &h);
	if (t != NULL)
		give_briefs(t, &h);
	pt_stack_odd(x, run);
	return go_on(x, t);
}

/* The number of a call's site, which stands for an edge where the code that ran is one function's. */
static inline uint32_t site_of(const struct pt_code_unit *src, uint16_t caller)
{
	return likely(src->function == caller) ? src[1].target - PT_CALL_SITE : PT_CALL_SITES;
}

/* The second pass. */
INLINE void depart(struct pt_execution *x, struct place place, const struct pt_piece *piece, struct teller *t,
		   bool by_cycles, bool histograms, enum tell tell)
{
	const struct pt_code_unit *unit = piece->begin;
	uint16_t function = unit->function;
	size_t n = piece->n_departures;
	uint64_t before = 0, begin = place.base + (uint64_t)(unit - place.code) * UNIT_BYTES;
	struct hot h = stack_take(x, MOST_TICKS);

	if (tell == TELL_BRIEFLY)
		begin_briefs(x, t, &h);
	for (size_t i = 0;; i++) {
		uint64_t sums = piece->sums[i] - before;
		uint64_t cycles = sums >> PT_SUM_CYCLES, instructions = sums & PT_SUM_MASK;
		const struct pt_code_unit *src, *dst;
		uint32_t from, end, to;
		struct spent spent;
		unsigned left;
		bool done;

		if (i == n && sums == 0)
			break;
		spent = (struct spent){ by_cycles ? cycles : instructions, by_cycles ? instructions : cycles };
		if (tell == TELL_BRIEFLY && unlikely(function != h.top->function))
			h = stray(x, t, h, function, begin, spent);
		else
			stack_pass(x, &h, function, begin, spent, MOST_TICKS);
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
					  histograms, tell);
		else
			done = left == PT_LEFT_RETURN && stack_return(x, &h, to, histograms, tell);
		if (unlikely(!done))
			h = odd(x, t, h, &(struct pt_run){ .end = end, .next = to, .function = function,
							    .next_function = dst->function, .left = (uint8_t)left });
		function = dst->function;
		begin = to;
	}
	stack_put(x, &h);
	if (tell == TELL_BRIEFLY)
		give_briefs(t, &h);
}

#define DEPART(name, by_cycles, histograms, tell) \
	static __attribute__((noinline)) void name(struct pt_execution *x, struct place place, \
						   const struct pt_piece *piece, struct teller *t) \
	{ \
		depart(x, place, piece, t, by_cycles, histograms, tell); \
	}
DEPART(depart_by_cycles, true, false, TELL_NOBODY)
DEPART(depart_by_cycles_with_histograms, true, true, TELL_NOBODY)
DEPART(depart_by_instructions, false, false, TELL_NOBODY)
DEPART(depart_by_instructions_with_histograms, false, true, TELL_NOBODY)
DEPART(tell_by_cycles, true, false, TELL_BRIEFLY)
DEPART(tell_by_cycles_with_histograms, true, true, TELL_BRIEFLY)
DEPART(tell_by_instructions, false, false, TELL_BRIEFLY)
DEPART(tell_by_instructions_with_histograms, false, true, TELL_BRIEFLY)

typedef void (*departs)(struct pt_execution *x, struct place place, const struct pt_piece *piece, struct teller *t);

static departs depart_of(const struct pt_execution *x, bool tell)
{
	static const departs ways[2][2][2] = {	/* tell, by cycles, with histograms */
		{ { depart_by_instructions, depart_by_instructions_with_histograms },
		  { depart_by_cycles, depart_by_cycles_with_histograms } },
		{ { tell_by_instructions, tell_by_instructions_with_histograms },
		  { tell_by_cycles, tell_by_cycles_with_histograms } },
	};

	return ways[tell][x->by_cycles][x->tally.hist != NULL];
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
	struct teller teller;
	departs second_pass;
	struct place place;
	size_t taken = 0, done;

	if (f->at == NULL || f->stopped || f->map->isa->unit_bytes != UNIT_BYTES || x->n_due > 0 ||
	    (stepping(x) && (sink == NULL || sink->briefs == NULL)) ||
	    span->end > below || span->end > UINT32_MAX || span->base % UNIT_BYTES != 0)
		return 0;
	place = (struct place){ span->code, (uint32_t)span->base, (uint32_t)(span->end - span->base) };
	second_pass = depart_of(x, stepping(x));
	teller.sink = sink;
	piece.span = span;
	for (; taken < n; taken += done) {
		piece.begin = piece.unit = f->at;
		done = walk(place, pairs + taken * PAIR_BYTES, n - taken < PIECE ? n - taken : PIECE, &piece);
		if (done == 0)
			break;
		second_pass(x, place, &piece, stepping(x) ? &teller : NULL);
		go_on_at(f, piece.unit);
		if (sink != NULL && sink->piece != NULL)
			sink->piece(sink->arg, &piece);
	}
	return taken;
}
