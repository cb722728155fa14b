#include "profile/analyses/calls/call_durations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/stack/tally.h"

enum { FRAMES = 1024, NONE = UINT16_MAX };

struct frame {
	uint64_t from, off;	/* clock at entry, and how long its stack had been off then */
	uint16_t function;
	bool handler;
};

/* A stack as far as it was entered in the window. */
struct stack {
	struct frame *frame;	/* FRAMES; NULL: none yet */
	size_t n;
	uint64_t off;		/* how long handlers and other stacks ran, for what is on top */
	uint64_t parked;	/* clock at which another went on, + 1; 0: it runs */
	bool used;
};

struct pt_call_durations {
	struct pt_survivals *survivals;
	struct pt_lengths *shown;
	struct stack stack[PT_CALL_STACKS];
	uint16_t used[PT_CALL_STACKS];	/* stacks of the window */
	size_t n_used;
	uint16_t runs;		/* the stack; NONE: not known yet */
	uint64_t *entered;	/* by id, clock + 1; 0: not in the window */
	uint16_t *entered_id;
	size_t n_entered, n_functions;
	uint64_t begin, clock;
	uint64_t abandoned;	/* where among the notes the calls begin that were abandoned last; PT_UNKNOWN: none were */
};

/* --- stacks */

static struct stack *stack_of(struct pt_call_durations *d, uint16_t number)
{
	struct stack *s = &d->stack[number < PT_CALL_STACKS ? number : 0];

	if (!s->used) {
		s->used = true;
		s->n = 0;
		s->off = s->parked = 0;
		d->used[d->n_used++] = (uint16_t)(s - d->stack);
	}
	return s;
}

static void run_stack(struct pt_call_durations *d, uint16_t number, uint64_t clock)
{
	struct stack *s;

	if (d->runs == number)
		return;
	if (d->runs != NONE)
		stack_of(d, d->runs)->parked = clock + 1;
	s = stack_of(d, number);
	if (s->parked != 0)
		s->off += clock + 1 - s->parked;
	s->parked = 0;
	d->runs = number < PT_CALL_STACKS ? number : 0;
}

static void note(struct pt_call_durations *d, uint16_t function, enum pt_tally_kind kind, uint64_t ticks,
		 enum pt_survival_end end)
{
	pt_survivals_note(d->survivals, function, (size_t)kind, ticks, d->clock - d->begin, end);
}

static void enter(struct pt_call_durations *d, const struct pt_call_event *step)
{
	struct stack *s;
	uint64_t *entered;

	run_stack(d, step->stack, step->clock);
	s = stack_of(d, d->runs);
	if (step->entry == PT_ENTRY_UNSEEN || step->function >= d->n_functions || s->n == FRAMES) {
		s->n = 0;	/* what lies below is not followed any further */
		return;
	}
	entered = &d->entered[step->function];
	if (*entered != 0)
		note(d, step->function, PT_TALLY_PERIOD, step->clock + 1 - *entered, PT_SURVIVAL_ENDED);
	else
		d->entered_id[d->n_entered++] = step->function;
	*entered = step->clock + 1;
	if (s->frame == NULL)
		s->frame = pt_alloc_array(FRAMES, sizeof(*s->frame));
	s->frame[s->n++] = (struct frame){
		.from = step->clock, .off = s->off, .function = step->function,
		.handler = step->entry == PT_ENTRY_EXCEPTION,
	};
}

/* A call that a long jump, or a throw, abandons has ended; one on a stack that does not run is not followed any more; of
 * all that are open nothing is known where a FORGET follows. */
static void leave(struct pt_call_durations *d, const struct pt_call_event *step)
{
	bool runs = d->runs == NONE || step->stack == d->runs;
	enum pt_survival_end end = step->partial && !runs ? PT_SURVIVAL_RESTS : PT_SURVIVAL_ENDED;
	struct stack *s = stack_of(d, step->stack);
	const struct frame *frame;

	if (!step->partial)
		d->abandoned = PT_UNKNOWN;
	else if (d->abandoned == PT_UNKNOWN)
		d->abandoned = pt_survivals_place(d->survivals);

	if (s->n == 0)
		return;
	frame = &s->frame[--s->n];
	if (frame->function != step->function) {	/* it was not followed from its beginning */
		s->n = 0;
		return;
	}
	note(d, frame->function, PT_TALLY_GROSS, step->gross, end);
	note(d, frame->function, PT_TALLY_CALL, step->call, end);
	if (frame->handler)
		s->off = frame->off + (step->clock - frame->from);
}

void pt_call_durations_step(struct pt_call_durations *d, const struct pt_call_event *step)
{
	if (!pt_survivals_open(d->survivals))
		return;
	d->clock = step->clock;
	if (step->kind == PT_CALL_FORGET && d->abandoned != PT_UNKNOWN)
		pt_survivals_did_not_end(d->survivals, (size_t)d->abandoned);
	if (step->kind == PT_CALL_LEAVE)
		leave(d, step);
	else
		d->abandoned = PT_UNKNOWN;
	if (step->kind == PT_CALL_ENTER)
		enter(d, step);
	else if (step->kind == PT_CALL_SWITCH)
		run_stack(d, step->stack, step->clock);
}

/* --- windows */

/* What is open on a stack where the window ends, from the top down. */
static void note_open(struct pt_call_durations *d, const struct stack *s)
{
	uint64_t off = s->off + (s->parked != 0 ? d->clock + 1 - s->parked : 0);
	bool rests = s->parked != 0;

	for (size_t i = s->n; i > 0; i--) {
		const struct frame *f = &s->frame[i - 1];
		uint64_t call = d->clock - f->from, away = off - f->off;

		note(d, f->function, PT_TALLY_GROSS, away < call ? call - away : 0,
		     rests ? PT_SURVIVAL_RESTS : PT_SURVIVAL_GOES_ON);
		note(d, f->function, PT_TALLY_CALL, call, PT_SURVIVAL_GOES_ON);
		if (f->handler) {
			off = f->off + call;
			rests = true;
		}
	}
}

static void forget(struct pt_call_durations *d)
{
	for (size_t i = 0; i < d->n_used; i++)
		d->stack[d->used[i]].used = false;
	for (size_t i = 0; i < d->n_entered; i++)
		d->entered[d->entered_id[i]] = 0;
	d->n_used = d->n_entered = 0;
	d->abandoned = PT_UNKNOWN;
	d->runs = NONE;
}

void pt_call_durations_edge(struct pt_call_durations *d, uint64_t clock, const struct pt_time_window *window)
{
	if (window == NULL) {
		forget(d);
		pt_survivals_begin(d->survivals);
		d->begin = d->clock = clock;
		return;
	}
	d->clock = clock;
	for (size_t i = 0; i < d->n_used; i++)
		note_open(d, &d->stack[d->used[i]]);
	for (size_t i = 0; i < d->n_entered; i++)
		note(d, d->entered_id[i], PT_TALLY_PERIOD, clock + 1 - d->entered[d->entered_id[i]],
		     PT_SURVIVAL_GOES_ON);
	pt_survivals_end(d->survivals, window->cut, window->scale);
}

/* --- result, life */

const struct pt_lengths *pt_call_durations_give(struct pt_call_durations *d)
{
	for (size_t i = 0; i < d->n_functions * PT_N_TALLY_KINDS; i++)
		d->shown[i] = pt_survivals_lengths(d->survivals, i / PT_N_TALLY_KINDS, i % PT_N_TALLY_KINDS);
	return d->shown;
}

struct pt_call_durations *pt_call_durations_new(size_t n_functions)
{
	struct pt_call_durations *d = pt_alloc(sizeof(*d));

	d->n_functions = n_functions;
	d->survivals = pt_survivals_new(n_functions, PT_N_TALLY_KINDS);
	d->shown = pt_alloc_array(n_functions * PT_N_TALLY_KINDS, sizeof(*d->shown));
	d->entered = pt_alloc_array(n_functions, sizeof(*d->entered));
	d->entered_id = pt_alloc_array(n_functions, sizeof(*d->entered_id));
	d->runs = NONE;
	return d;
}

void pt_call_durations_free(struct pt_call_durations *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < PT_CALL_STACKS; i++)
		free(d->stack[i].frame);
	pt_survivals_free(d->survivals);
	free(d->shown);
	free(d->entered);
	free(d->entered_id);
	free(d);
}
