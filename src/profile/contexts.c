/* Which stack runs. Code that an exception interrupted and did not return to is another context's: its stack is parked
 * until somebody goes on with it. Who that is says the address it goes on at; where several stacks were left at one
 * address, as in a function that yields, none of them is believed. */
#include <string.h>

#include "profile/stack.h"

static struct context *find(struct pt_execution *x, uint64_t resume)	/* parked at this address, or doubtful there */
{
	for (size_t i = 0; i < x->n_contexts; i++)
		if (x->context[i].state >= PARKED && x->context[i].resume == resume)
			return &x->context[i];
	return NULL;
}

/* The running stack is empty, and from now on it is context. */
static void take_up(struct pt_execution *x, struct context *context)
{
	size_t number = (size_t)(context - x->context);

	x->stack = (uint16_t)number;
	x->top = x->base = x->frame;
	for (size_t i = 0; i < context->n_frames; i++) {
		struct frame *frame = ++x->top;
		struct function *f;

		*frame = x->kept[number][i];
		f = &x->function[frame->function];
		frame->outer = (uint16_t)f->innermost;
		f->innermost = (uint32_t)(i + 1);
	}
	if (context->n_frames > 0)
		x->top->preempted += x->now - context->parked;
	context->n_frames = 0;
	context->state = RUNS;
}

/* While the running stack is empty. What is parked there ends as partial. */
static void forget_context(struct pt_execution *x, struct context *context)
{
	uint16_t stack = x->stack;

	if (context->state == PARKED) {
		take_up(x, context);
		pt_stack_forget_to(x, x->frame);
		x->stack = stack;
	}
	context->state = UNUSED;
}

void pt_stack_forget_parked(struct pt_execution *x)
{
	for (size_t i = 0; i < x->n_contexts; i++)
		if (x->context[i].state >= PARKED)
			forget_context(x, &x->context[i]);
}

/* --- park */

/* The one that was left longest ago, of those that nobody told of. */
static struct context *oldest(struct pt_execution *x)
{
	struct context *oldest = NULL;

	for (size_t i = 0; i < x->n_contexts; i++) {
		struct context *context = &x->context[i];

		if (context->state >= PARKED && !context->told && (oldest == NULL || context->parked < oldest->parked))
			oldest = context;
	}
	return oldest;
}

static size_t n_anonymous(const struct pt_execution *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_contexts; i++)
		n += x->context[i].state != UNUSED && !x->context[i].told;
	return n;
}

/* A context that nobody uses, for who is not told. While the running stack is empty. */
static struct context *fresh(struct pt_execution *x)
{
	struct context *context = x->context;

	if (n_anonymous(x) >= PT_EXECUTION_CONTEXTS) {
		x->errors.n[PT_EXECUTION_TOO_DEEP]++;
		forget_context(x, oldest(x));
	}
	while (context->state != UNUSED)
		context++;
	if (context == &x->context[x->n_contexts])
		x->n_contexts++;
	*context = (struct context){ .task = PT_NO_TASK };
	return context;
}

/* Take the frames of the running stack away. What does not fit ends as partial. */
static void keep(struct pt_execution *x, struct context *context)
{
	size_t n_frames = (size_t)(x->top - x->frame);

	if (n_frames > PT_EXECUTION_CONTEXT_DEPTH) {
		x->errors.n[PT_EXECUTION_TOO_DEEP]++;
		pt_stack_forget_to(x, x->frame);
		n_frames = 0;
	}
	for (; x->top > x->frame; x->top--)
		x->function[x->top->function].innermost = x->top->outer;
	memcpy(x->kept[context - x->context], x->frame + 1, n_frames * sizeof(*x->frame));
	context->n_frames = n_frames;
}

/* Park the running stack until somebody returns to resume. Returns with an empty stack, which is nobody's. */
static void park(struct pt_execution *x, uint64_t resume)
{
	struct context *context = &x->context[x->stack], *other = find(x, resume);

	if (other != NULL) {
		pt_stack_forget_to(x, x->frame);
		forget_context(x, other);
	} else {
		keep(x, context);
	}
	context->state = other != NULL ? DOUBTFUL : PARKED;
	context->resume = resume;
	context->parked = x->now;
}

/* --- switch */

void pt_stack_switch(struct pt_execution *x, uint64_t next, uint64_t resume)
{
	struct context *context = find(x, next);

	if (context == NULL && next - resume <= SKIPPED_BYTES)
		return;
	park(x, resume);
	context = find(x, next);	/* it may not be the same: parking may have made it doubtful */
	if (context == NULL || context->state != PARKED) {
		context = fresh(x);
		context->n_frames = 0;
	}
	take_up(x, context);
	if (stepping(x))
		pt_stack_switched(x, (struct pt_moment){ .ns = PT_UNKNOWN });
}
