/* The departures of a piece: the second and the third pass of plain.c. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize")	/* vectors of two numbers side by side are more work than their sums */
#endif
#include "profile/stack/plain_parts.h"

/* A call in a piece. */
struct call_edge {
	uint32_t number;	/* of its site; or a place that depends on both functions */
	uint16_t from, to;	/* functions */
};

/* An invocation that a piece began: a frame in the making. Sums are those of the piece. */
struct open {
	uint64_t from;		/* sums at entry */
	uint64_t others;	/* sums of the calls made */
	struct call_edge edge;
	uint64_t resume;	/* offset of the code behind the call; NOWHERE */
};
#define NOWHERE UINT64_MAX
enum { AHEAD = 6 };		/* so many invocations ahead: what is fetched is there in time */

/* One that began and ended in a piece. */
struct ended {
	uint64_t from, gross, net;	/* sums */
	struct call_edge edge;
};

struct section {
	uint64_t clock;			/* where the piece began */
	uint64_t oldest;		/* as in struct hot */
	struct open stack[PIECE + 1];	/* [0] stands for the frame on top where the section began */
	struct open *top;
	struct ended ended[PIECE];
	size_t n_ended;
};

/* All ones or none. */
static inline uint32_t mask_if(bool condition)
{
	uint32_t mask = -(uint32_t)condition;

	__asm__("" : "+r"(mask));	/* out of reach for a compiler that would make a branch of it */
	return mask;
}

static inline uint32_t choose(uint32_t mask, uint32_t a, uint32_t b)
{
	return b ^ ((a ^ b) & mask);
}

/* What was open before, up to sums. */
static void pass(struct pt_execution *x, struct section *s, uint64_t sums)
{
	struct open *bottom = s->stack;
	uint64_t own = sums - bottom->from - bottom->others;

	x->top->others += ticks_of(bottom->others, x->by_cycles);
	x->top->second += ticks_of(own, !x->by_cycles);
	x->now = s->clock + ticks_of(sums, x->by_cycles);
	bottom->from = sums;
	bottom->others = 0;
}

/* A plain return from the frame that was on top where the section began. t: NULL, nobody wants steps. */
static __attribute__((noinline)) bool return_from_before(struct pt_execution *x, struct section *s, uint64_t sums,
							 uint64_t next, uint16_t function, struct teller *t)
{
	bool histograms = x->tally.hist != NULL, done;
	struct hot h;

	pass(x, s, sums);
	if (x->top == x->frame || x->top[-1].function != function)
		return false;
	h = stack_take(x, MOST_TICKS);
	h.compact = t != NULL ? t->next : NULL;
	h.since = t != NULL ? t->since : 0;
	done = t != NULL ? stack_return(x, &h, next, histograms, TELL_BRIEFLY)
			 : stack_return(x, &h, next, histograms, TELL_NOBODY);
	if (!done)
		return false;
	stack_put(x, &h);
	if (t != NULL) {
		t->next = h.compact;
		t->lowest = x->top < t->lowest ? x->top : t->lowest;
	}
	return true;
}

static inline struct call_edge edge_of(const struct pt_code_unit *src, const struct pt_code_unit *dst)
{
	uint32_t site = src[1].target - PT_CALL_SITE, home = pt_tally_home(pt_tally_key(src->function, dst->function));

	return (struct call_edge){ choose(mask_if(site < PT_CALL_SITES), site, home), src->function, dst->function };
}

/* It will be wanted soon. */
INLINE void ask_for(const struct pt_tally *tally, const struct call_edge *edge)
{
	__builtin_prefetch(&tally->edge[edge->number], 1);
	__builtin_prefetch(&tally->function[edge->to], 1);
	__builtin_prefetch(&tally->function[edge->to].window[PT_WINDOW_PERIOD], 1);
}

/* A call or a return as who is told of steps reads it (compact_events.h). since: ticks from where the batch counts to
 * the section; sums: of the departure. */
INLINE struct pt_compact_event brief_of_call(const struct call_edge *edge, uint32_t since, uint64_t sums, uint32_t site,
					     bool by_cycles)
{
	return (struct pt_compact_event){
		.ticks = since + (uint32_t)ticks_of(sums, by_cycles), .function = edge->to, .site = site,
		.caller = edge->from,
	};
}

INLINE struct pt_compact_event brief_of_return(const struct open *top, uint32_t since, uint64_t sums, uint64_t gross,
					       bool by_cycles)
{
	return (struct pt_compact_event){
		.ticks = since + (uint32_t)ticks_of(sums, by_cycles), .left = 1,
		.net = (uint32_t)ticks_of(gross - top->others, by_cycles),
		.gross = (uint32_t)ticks_of(gross, by_cycles), .call = (uint32_t)ticks_of(gross, by_cycles),
		.function = top->edge.to, .caller = top->edge.from,
	};
}

/* Plain calls, and plain returns from them: as many departures as there are from number i on. Returns the number of the
 * first one that is another. tell: t is told of each. */
INLINE size_t follow(struct pt_execution *x, struct section *s, const struct pt_piece *piece, size_t i,
		     struct teller *t, bool by_cycles, bool tell)
{
	uint32_t base = (uint32_t)piece->span->base, since = tell && t != NULL ? (uint32_t)(s->clock - t->since) : 0;
	struct open *top = s->stack;
	const struct pt_code_unit *code = piece->span->code;
	size_t n = piece->n_departures;
	uint16_t *innermost = x->innermost;
	struct ended *ended = s->ended;

	for (; i < n; i++) {
		uint64_t sums = piece->sums[i], offsets = piece->offsets[i];
		uint32_t from = (uint32_t)offsets, to = (uint32_t)(offsets >> 32);
		const struct pt_code_unit *src = source(code, offsets), *dst = destination(code, offsets);
		unsigned left = src->flow & PT_FLOW_LEAVES;

		if (left == PT_LEFT_CALL) {
			struct call_edge edge = edge_of(src, dst);

			if (unlikely(innermost[edge.to] != 0))
				break;
			innermost[edge.to] = UINT16_MAX;
			*++top = (struct open){
				.from = sums, .edge = edge, .resume = from + src->len_units * UNIT_BYTES,
			};
			ask_for(&x->tally, &edge);
			if (tell)
				*t->next++ = brief_of_call(&edge, since, sums,
							   base + from + src->len_units * UNIT_BYTES, by_cycles);
		} else if (left == PT_LEFT_RETURN) {
			uint64_t gross = sums - top->from;

			if (likely(to == top->resume && dst->function == top->edge.from)) {
				*ended++ = (struct ended){ top->from, gross, gross - top->others, top->edge };
				if (tell)
					*t->next++ = brief_of_return(top, since, sums, gross, by_cycles);
				innermost[top->edge.to] = 0;
				top--;
				top->others += gross;
			} else if (top != s->stack || !return_from_before(x, s, sums, piece->span->base + to,
									  dst->function, tell ? t : NULL)) {
				break;
			}
		} else if (!stays(src, dst)) {
			break;
		}
	}
	s->top = top;
	s->n_ended = (size_t)(ended - s->ended);
	return i;
}

/* Apart from each other and from the rest: together they would not fit the registers. */
#define CALLS_AND_RETURNS(name, by_cycles, tell) \
	static __attribute__((noinline)) size_t name(struct pt_execution *x, struct section *s, \
						     const struct pt_piece *piece, size_t i, struct teller *t) \
	{ \
		return follow(x, s, piece, i, t, by_cycles, tell); \
	}
CALLS_AND_RETURNS(calls_and_returns, true, false)
CALLS_AND_RETURNS(tell_by_cycles, true, true)
CALLS_AND_RETURNS(tell_by_instructions, false, true)

static __attribute__((noinline, cold)) void interval(struct pt_execution *x, uint16_t function, enum pt_tally_kind kind,
						     uint64_t since, uint64_t now)
{
	if (since < x->stretch)
		x->tally.rest[function].n_unknown[kind - PT_TALLY_PERIOD]++;
	else
		pt_tally_interval(&x->tally, function, kind, now - since, now);
}

INLINE void note_entry(struct pt_execution *x, const struct section *s, uint16_t function, uint64_t now,
		       bool histograms)
{
	struct pt_tally_function *f = &x->tally.function[function];

	if (unlikely(f->entered < s->oldest || f->left < s->oldest)) {
		interval(x, function, PT_TALLY_PERIOD, f->entered, now);
		interval(x, function, PT_TALLY_INACTIVE, f->left, now);
	} else {
		pt_tally_entered(&x->tally, f, function, now, histograms);
	}
	f->entered = now;
}

INLINE void note_ended(struct pt_execution *x, const struct section *s, bool by_cycles, bool histograms)
{
	for (const struct ended *e = s->ended, *end = e + s->n_ended; e < end; e++) {
		struct pt_tally_function *f = &x->tally.function[e->edge.to];
		uint64_t now = s->clock + ticks_of(e->from, by_cycles);
		const struct ended *soon = end - e > AHEAD ? e + AHEAD : e;
		uint64_t gross = ticks_of(e->gross, by_cycles), net = ticks_of(e->net, by_cycles);

		if (histograms)
			pt_tally_fetch(&x->tally, soon->edge.to);
		note_entry(x, s, e->edge.to, now, histograms);
		pt_tally_ended(&x->tally, f, e->edge.to, net, gross, now, histograms);
		f->second += ticks_of(e->net, !by_cycles);
		f->left = now + gross;
	}
	for (const struct ended *e = s->ended, *end = e + s->n_ended; e < end; e++)
		pt_tally_count_edge(&x->tally, pt_tally_edge_at(&x->tally, e->edge.number, e->edge.from, e->edge.to),
				    ticks_of(e->gross, by_cycles));
}

/* What is still open becomes frames. sums: up to now. */
INLINE void keep_open(struct pt_execution *x, struct section *s, const struct pt_piece *piece, uint64_t sums,
		      bool by_cycles, bool histograms)
{
	uint64_t until = s->top > s->stack ? s->stack[1].from : sums;

	pass(x, s, until);
	for (const struct open *o = &s->stack[1]; o <= s->top; o++) {
		uint64_t now = s->clock + ticks_of(o->from, by_cycles);

		until = o < s->top ? o[1].from : sums;
		note_entry(x, s, o->edge.to, now, histograms);
		x->tally.function[o->edge.to].unended++;
		*++x->top = (struct frame){
			.resume = piece->span->base + o->resume, .from = now,
			.others = ticks_of(o->others, by_cycles),
			.second = ticks_of(until - o->from - o->others, !by_cycles),
			.function = o->edge.to, .caller = o->edge.from,
			.edge = pt_tally_edge_at(&x->tally, o->edge.number, o->edge.from, o->edge.to),
		};
		set_innermost(x, o->edge.to, x->top);
	}
	x->now = s->clock + ticks_of(sums, by_cycles);
}

/* Time in code that is not the top frame's. */
static void stray(struct pt_execution *x, const struct pt_piece *piece, const struct pt_code_unit *unit, uint64_t spent,
		  struct teller *t)
{
	struct hot h = stack_take(x, MOST_TICKS);

	if (t != NULL)
		pt_tell_give(x, t);
	stack_pass(x, &h, unit->function, pt_piece_address(piece, unit), spent_in(spent, x->by_cycles), MOST_TICKS);
	stack_put(x, &h);
	if (t != NULL)
		pt_tell_go_on(x, t);
}

/* Any departure, after the time up to it has passed. */
static void odd(struct pt_execution *x, const struct pt_piece *piece, size_t i, uint16_t function, struct teller *t)
{
	const struct pt_run run = run_of(piece, i, function);

	if (run.left == PT_LEFT_BRANCH && run.next_function == function)
		return;
	if (t != NULL)
		pt_tell_give(x, t);
	pt_stack_odd(x, &run);
	if (t != NULL)
		pt_tell_go_on(x, t);
}

/* From sums on, in code of the top frame. */
static void begin(struct pt_execution *x, struct section *s, uint64_t sums, uint64_t oldest)
{
	s->clock = x->now - ticks_of(sums, x->by_cycles);
	s->oldest = oldest > x->stretch ? oldest : x->stretch;
	s->stack[0] = (struct open){ .from = sums, .resume = NOWHERE };
}

INLINE void depart(struct pt_execution *x, const struct pt_piece *piece, struct teller *t, bool by_cycles,
		   bool histograms)
{
	const struct pt_code_unit *unit = piece->begin;
	uint64_t before = 0, end = x->now + MOST_TICKS, oldest = end > UINT32_MAX ? end - UINT32_MAX : 0;
	size_t n = piece->n_departures, i = 0;
	struct section s;

	for (bool done = false; !done; i++) {
		uint16_t function = unit->function;

		if (likely(function == x->top->function)) {
			begin(x, &s, before, oldest);
			if (t == NULL)
				i = calls_and_returns(x, &s, piece, i, NULL);
			else
				i = (by_cycles ? tell_by_cycles : tell_by_instructions)(x, &s, piece, i, t);
			note_ended(x, &s, by_cycles, histograms);
			keep_open(x, &s, piece, piece->sums[i], by_cycles, histograms);
			function = x->top->function;
		} else if (piece->sums[i] != before) {
			stray(x, piece, unit, piece->sums[i] - before, t);
		}
		before = piece->sums[i];
		done = i == n;
		if (!done) {
			odd(x, piece, i, function, t);
			unit = destination(piece->span->code, piece->offsets[i]);
		}
	}
}

#define DEPART(name, by_cycles, histograms) \
	static __attribute__((noinline)) void name(struct pt_execution *x, const struct pt_piece *piece, \
						   struct teller *t) \
	{ \
		depart(x, piece, t, by_cycles, histograms); \
	}
DEPART(by_cycles, true, false)
DEPART(by_cycles_with_histograms, true, true)
DEPART(by_instructions, false, false)
DEPART(by_instructions_with_histograms, false, true)

static void any(struct pt_execution *x, const struct pt_piece *piece, struct teller *t)
{
	bool histograms = x->tally.hist != NULL;

	if (x->by_cycles)
		(histograms ? by_cycles_with_histograms : by_cycles)(x, piece, t);
	else
		(histograms ? by_instructions_with_histograms : by_instructions)(x, piece, t);
}

void pt_plain_depart(struct pt_execution *x, const struct pt_piece *piece, const struct pt_plain_sink *sink)
{
	struct teller t;

	if (sink == NULL) {
		any(x, piece, NULL);
		return;
	}
	t.sink = sink;
	pt_tell_begin(x, &t);
	any(x, piece, &t);
	pt_tell_give(x, &t);
}
