/* Steps in brief become batches, in order with those that are not brief. */
#include "profile/stack/plain_parts.h"

void pt_tell_begin(const struct pt_execution *x, struct teller *t)
{
	const struct context *context = &x->context[x->stack];
	struct pt_compact_batch *b = &t->batch;

	b->clock = x->now - x->skipped;
	b->anchor = x->anchor - x->skipped;
	b->anchor_ns = x->anchor_ns;
	b->anchor_error_ns = x->anchor_error_ns;
	b->ns_per_tick = x->ns_per_tick;
	b->stack = x->stack;
	b->task = context->task;
	b->core = x->core;
	b->told = context->told;
	t->next = b->compact;
	t->since = x->now;
	t->first = t->lowest = x->top;
}

void pt_tell_give(const struct pt_execution *x, struct teller *t)
{
	struct pt_compact_batch *b = &t->batch;

	b->n_compact = (size_t)(t->next - b->compact);
	if (b->n_compact == 0)
		return;
	b->n_left = (b->n_compact - (size_t)(x->top - t->first)) / 2;	/* each went one up, or one down */
	b->n_below = (size_t)(t->first - t->lowest);
	t->sink->compact(t->sink->arg, b);
	t->next = b->compact;
	t->first = t->lowest = x->top;
}

void pt_tell_go_on(struct pt_execution *x, struct teller *t)
{
	pt_stack_tell_stray(x);
	pt_stack_give_steps(x);
	pt_tell_begin(x, t);
}
