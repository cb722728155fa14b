/* A burst begins inside calls. Their callers are seen only when the calls return, but were on the stack from the
 * beginning. The same applies if the timeline has dropped its first events. */
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/analyses/calls/timeline.h"
#include "profile/stack/call_event.h"
#include "report/shared/slices.h"

enum { CORES = 16 };

/* A stack since it was first seen, or since the last gap. */
struct stack {
	size_t first;		/* its first event + 1; 0: none */
	uint32_t depth;
	uint64_t left;		/* time at which its outermost known frame was left; PT_UNKNOWN: never */
};

struct finder {
	struct pt_slices *slices;
	struct stack (*stack)[PT_CALL_STACKS];
	size_t room;
};

static void reveal(struct finder *f, const struct stack *stack, size_t at, uint16_t id)
{
	struct pt_slices *s = f->slices;

	if (s->n_revealed == f->room) {
		f->room = f->room * 2 + 64;
		s->revealed = pt_realloc_array(s->revealed, f->room, sizeof(*s->revealed));
	}
	s->revealed[s->n_revealed++] = (struct pt_revealed){ stack->first - 1, at, id };
}

static void enter(struct finder *f, struct stack *stack, size_t at, const struct pt_timeline_event *event)
{
	if (event->kind == PT_TIMELINE_UNSEEN && stack->depth == 0 && stack->left == event->at.ns &&
	    event->at.ns != PT_UNKNOWN) {
		reveal(f, stack, at, event->id);
		f->slices->told[at] = 1;
	}
	stack->depth++;
}

static void leave(struct finder *f, struct stack *stack, size_t at, const struct pt_timeline_event *event)
{
	if (stack->depth == 0)
		reveal(f, stack, at, event->id);
	else
		stack->depth--;
	stack->left = stack->depth == 0 ? event->at.ns : PT_UNKNOWN;
}

static void forget(struct finder *f, unsigned core)
{
	for (size_t i = 0; i < PT_CALL_STACKS; i++)
		f->stack[core][i] = (struct stack){ .left = PT_UNKNOWN };
}

static void take(struct finder *f, size_t at)
{
	const struct pt_timeline_event *event = pt_timeline_at(f->slices->profile->timeline, at);
	unsigned core = event->core < CORES ? event->core : CORES - 1;
	struct stack *stack = &f->stack[core][event->stack < PT_CALL_STACKS ? event->stack : 0];

	if (event->kind == PT_TIMELINE_GAP) {
		forget(f, core);
		return;
	}
	if (event->kind > PT_TIMELINE_CUT)
		return;
	if (stack->first == 0)
		stack->first = at + 1;
	if (event->kind == PT_TIMELINE_LEAVE || event->kind == PT_TIMELINE_CUT)
		leave(f, stack, at, event);
	else
		enter(f, stack, at, event);
}

/* On one stack, the frame that was revealed last is the outermost. */
static int outermost_first(const void *a, const void *b)
{
	const struct pt_revealed *x = a, *y = b;

	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return (x->at < y->at) - (x->at > y->at);
}

void pt_slices_find_revealed(struct pt_slices *s)
{
	struct finder f = { .slices = s, .stack = pt_alloc_array(CORES, sizeof(*f.stack)) };
	size_t n = s->profile->timeline->n;

	s->told = pt_alloc_array(n + 1, sizeof(*s->told));
	for (unsigned core = 0; core < CORES; core++)
		forget(&f, core);
	for (size_t i = 0; i < n; i++)
		take(&f, i);
	if (s->n_revealed > 0)
		qsort(s->revealed, s->n_revealed, sizeof(*s->revealed), outermost_first);
	free(f.stack);
}
