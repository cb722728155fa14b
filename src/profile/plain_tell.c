/* The departures of a piece for those who want steps: each is done at once, and told in brief, in order with those that
 * are not brief. */
#include "profile/plain_parts.h"

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

INLINE bool plain(struct pt_execution *x, struct hot *h, const struct pt_run *run, bool histograms)
{
	if (run->left == PT_LEFT_CALL)
		return stack_call(x, h, (struct call){ run->end, run->function, run->next_function }, histograms,
				  TELL_BRIEFLY);
	return run->left == PT_LEFT_RETURN && stack_return(x, h, run->next, histograms, TELL_BRIEFLY);
}

INLINE void depart(struct pt_execution *x, const struct pt_piece *piece, struct teller *t, bool by_cycles,
		   bool histograms)
{
	const struct pt_code_unit *unit = piece->begin;
	size_t n = piece->n_departures;
	uint64_t before = 0;
	struct hot h = stack_take(x, MOST_TICKS);

	begin_briefs(x, t, &h);
	for (size_t i = 0; i < n || (i == n && piece->sums[n] != before); i++) {
		struct spent spent = spent_in(piece->sums[i] - before, by_cycles);
		struct pt_run run;

		if (i < n && stays(source(piece->span->code, piece->offsets[i]),
				   destination(piece->span->code, piece->offsets[i])))
			continue;
		if (unlikely(unit->function != h.top->function))
			h = stray(x, t, h, unit->function, pt_piece_address(piece, unit), spent);
		else
			stack_pass(x, &h, unit->function, 0, spent, MOST_TICKS);
		if (i == n)
			break;
		before = piece->sums[i];
		run = run_of(piece, i, unit->function);
		if (unlikely(!plain(x, &h, &run, histograms)))
			h = odd(x, t, h, &run);
		unit = destination(piece->span->code, piece->offsets[i]);
	}
	stack_put(x, &h);
	give_briefs(t, &h);
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

void pt_plain_tell(struct pt_execution *x, const struct pt_piece *piece, const struct pt_plain_sink *sink)
{
	bool histograms = x->tally.hist != NULL;
	struct teller t;

	t.sink = sink;
	if (x->by_cycles)
		(histograms ? by_cycles_with_histograms : by_cycles)(x, piece, &t);
	else
		(histograms ? by_instructions_with_histograms : by_instructions)(x, piece, &t);
}
