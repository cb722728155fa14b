/* The odd departures: jumps, returns without a call, exceptions, other contexts, gaps. None is hot, so they are
 * written for clarity. */
#include <string.h>

#include "profile/stack/stack.h"
#include "program/code/landings.h"

static void note_error(struct pt_execution *x, enum pt_execution_error what, const struct pt_run *run)
{
	x->errors.n[what]++;
	x->errors.address = run->end;
	x->errors.function = run->function;
	x->errors.at = pt_tally_stamp(&x->tally, x->now);
}

/* --- push and pop */

static void forget_all(struct pt_execution *x);

static struct frame *push(struct pt_execution *x, uint16_t function, uint64_t resume, uint8_t flags)
{
	struct frame *outer = innermost(x, function);

	*++x->top = (struct frame){
		.resume = resume, .from = x->now, .function = function, .outer = outer,
		.flags = (uint8_t)(flags | (outer != NULL ? RECURSIVE : 0)),
	};
	set_innermost(x, function, x->top);
	return x->top;
}

static void make_room(struct pt_execution *x)
{
	if (full(x)) {
		x->errors.n[PT_EXECUTION_TOO_DEEP]++;
		forget_all(x);
	}
}

static uint64_t passed(const struct pt_execution *x, uint64_t since)
{
	return since < x->stretch ? PT_UNKNOWN : x->now - since;
}

static void interval(struct pt_execution *x, uint16_t function, enum pt_tally_kind kind, uint64_t ticks)
{
	if (ticks == PT_UNKNOWN)
		x->tally.rest[function].n_unknown[kind - PT_TALLY_PERIOD]++;
	else
		pt_tally_interval(&x->tally, function, kind, ticks, x->now);
}

static struct frame *enter(struct pt_execution *x, uint16_t function, uint64_t resume, uint16_t caller, uint8_t flags)
{
	struct pt_tally_function *f = &x->tally.function[function];
	uint64_t since, idle;
	struct frame *frame;

	make_room(x);
	if (x->top == x->frame)
		flags &= (uint8_t)~TAIL;	/* nobody is below to leave with */
	since = passed(x, f->entered);
	idle = x->innermost[function] == 0 ? passed(x, f->left) : PT_UNKNOWN;
	interval(x, function, PT_TALLY_PERIOD, since);
	interval(x, function, PT_TALLY_INACTIVE, idle);
	frame = push(x, function, resume, flags);
	frame->caller = caller;
	frame->edge = (flags & UNCALLED) == 0 ? pt_tally_edge(&x->tally, caller, function) : 0;
	f->entered = x->now;
	f->unended++;
	if (stepping(x))
		pt_stack_entered(x, frame, since);
	return frame;
}

struct pt_invocation pt_stack_end(const struct frame *frame, struct frame *below, uint64_t now, uint16_t how)
{
	struct pt_invocation v = { .call = now - frame->from, .from = frame->from, .edge = frame->edge, .how = how,
				   .caller = frame->caller };

	v.gross = v.call - frame->preempted;
	v.net = v.gross - frame->others;
	if ((frame->flags & HANDLER) != 0) {
		below->preempted += v.call;
	} else {
		below->others += v.gross;
		below->preempted += frame->preempted;
	}
	if ((frame->flags & UNSEEN) != 0)
		v.how |= PT_INVOCATION_PARTIAL;
	if ((frame->flags & (UNSEEN | UNCALLED)) != 0)
		v.how |= PT_INVOCATION_UNCALLED;
	return v;
}

static struct frame *handler_below(struct pt_execution *x, struct frame *frame)	/* or the floor */
{
	do
		frame--;
	while (frame > x->frame && (frame->flags & HANDLER) == 0);
	return frame;
}

/* Is frame a call along an edge that is being gone along already? Its time is in the outermost such call's. Bounded by
 * the depth, and the nearest one mostly is the next. */
static bool call_is_inside_one_like_it(const struct pt_execution *x, const struct frame *frame)
{
	for (const struct frame *f = frame->outer; f != NULL && f >= x->base; f = f->outer)
		if (f->caller == frame->caller && (f->flags & (UNSEEN | UNCALLED | HANDLER)) == 0)
			return true;
	return false;
}

/* Take the top frame off. how: PT_INVOCATION_PARTIAL if its exit was not seen, else 0. */
static void pop(struct pt_execution *x, uint16_t how)
{
	struct frame *frame = x->top--;
	struct pt_tally_function *f = &x->tally.function[frame->function];
	struct pt_tally_rest *rest = &x->tally.rest[frame->function];
	struct pt_invocation v = pt_stack_end(frame, x->top, x->now, how);
	bool inside = (v.how & PT_INVOCATION_UNCALLED) == 0 && call_is_inside_one_like_it(x, frame);

	f->left = how == 0 ? x->now : 0;
	set_innermost(x, frame->function, frame->outer);
	f->second += frame->second;
	if (frame->outer != NULL && frame->outer >= x->base)
		rest->gross -= v.gross;	/* recursion: it is in the outer one's */
	if ((v.how & PT_INVOCATION_PARTIAL) != 0)
		rest->gross += v.gross;	/* it is not in the window's total */
	if (frame == x->base)
		x->base = handler_below(x, frame);
	pt_tally_add(&x->tally, frame->function, &v);
	if (inside)
		x->tally.edge[frame->edge].gross -= v.gross;
	if (stepping(x))
		pt_stack_left(x, frame, &v);
}

/* The top frame returned, and with it those that tail-called it. */
static void pop_chain(struct pt_execution *x)
{
	uint8_t flags;

	do {
		flags = x->top->flags;
		pop(x, 0);
	} while ((flags & TAIL) != 0);
}

void pt_stack_forget_to(struct pt_execution *x, const struct frame *frame)
{
	while (x->top > frame)
		pop(x, PT_INVOCATION_PARTIAL | PT_INVOCATION_VAGUE);
}

void pt_stack_cut(struct pt_execution *x)
{
	while (x->top > x->frame)
		pop(x, PT_INVOCATION_PARTIAL);
}

/* The end of a profile, and what moves the program, may leave all counts exact, and so the longest period must not be lost.
 * Of many short stretches none is exact: there, no time is spent on all functions. */
static void note_waits(struct pt_execution *x)
{
	enum { ALWAYS = 16 };

	if (x->n_stretches++ >= ALWAYS && x->now - x->stretch < x->n_functions)
		return;
	for (size_t f = 0; f < x->n_functions; f++)
		for (size_t k = 0; k < PT_LEN(x->tally.rest[f].waited); k++) {
			uint64_t waited = stack_waited(x, f, (enum pt_tally_kind)(PT_TALLY_PERIOD + k));

			if (waited > x->tally.rest[f].waited[k])
				x->tally.rest[f].waited[k] = waited;
		}
}

/* A gap: all that is open ends as unknown, and nothing that follows is measured from before it. */
static void forget_all(struct pt_execution *x)
{
	note_waits(x);
	pt_stack_cut(x);
	pt_stack_forget_parked(x);
	x->stretch = ++x->now;
	x->skipped++;
	if (stepping(x))
		pt_stack_forgot(x);
	pt_stack_forget_task(x);
}

/* --- calls, jumps and returns */

static bool at_entry(const struct pt_execution *x, const struct pt_run *run)
{
	return run->next == x->entry[run->next_function];
}

static bool behind_a_call(const struct pt_execution *x, uint64_t address)
{
	for (uint64_t units = 1; units <= PT_ISA_MOST_UNITS; units++) {
		const struct pt_code_unit *unit = pt_codemap_at(x->map, address - units * x->map->isa->unit_bytes);

		if (unit != NULL && unit->len_units == units &&
		    (unit->flow == PT_FLOW_CALL || unit->flow == PT_FLOW_INDIRECT_CALL))
			return true;
	}
	return false;
}

/* What lies above frame has not returned, and is left all the same, just now. */
static void abandon_to(struct pt_execution *x, const struct frame *frame)
{
	while (x->top > frame)
		pop(x, 0);
}

/* An unwinder goes on at a landing pad: unwind to the frame whose call, still open, has it. */
static bool land(struct pt_execution *x, const struct pt_run *run)
{
	const struct frame *frame = x->top;

	if (!pt_codemap_is_landing(x->map, run->next))
		return false;
	while (--frame >= x->base && frame > x->frame)
		if (frame->function == run->next_function && (frame[1].flags & (TAIL | HANDLER)) == 0 &&
		    pt_codemap_lands(x->map, run->next, frame[1].resume)) {
			note_error(x, PT_EXECUTION_LONG_JUMP, run);
			abandon_to(x, frame);
			return true;
		}
	return false;
}

/* Unwind to the nearest frame of the function that a jump behind one of its calls goes to. */
static bool long_jump(struct pt_execution *x, const struct pt_run *run)
{
	const struct frame *frame = innermost(x, run->next_function);

	if (land(x, run))
		return true;
	if (frame == NULL || frame < x->base || !behind_a_call(x, run->next))
		return false;
	note_error(x, PT_EXECUTION_LONG_JUMP, run);
	abandon_to(x, frame);
	return true;
}

/* from: whose code leads there. */
static void tail_call_from(struct pt_execution *x, uint16_t from, uint16_t to)
{
	uint64_t resume = x->top->resume;
	uint8_t flags = TAIL, tails = (uint8_t)(x->top->tails + 1);

	if (tails > PT_EXECUTION_TAILS) {	/* a chain of jumps without end: the one that jumps has left */
		flags = x->top->flags & TAIL;
		tails--;
		pop(x, 0);
	}
	enter(x, to, resume, from, flags)->tails = tails;
}

static void tail_call(struct pt_execution *x, const struct pt_run *run)
{
	tail_call_from(x, run->function, run->next_function);
}

/* Straight on into the code of the function behind: a tail call, if that is its beginning. Over padding, which is
 * nobody's, the one on top got there. */
static void fall_through(struct pt_execution *x, const struct pt_run *run)
{
	uint16_t from = run->function != PT_NO_FUNCTION ? run->function : x->top->function;

	if (x->top > x->frame && run->next_function != x->top->function && at_entry(x, run))
		tail_call_from(x, from, run->next_function);
}

/* A branch into another function. */
static void jump(struct pt_execution *x, const struct pt_run *run)
{
	if (x->top == x->frame || run->next_function == x->top->function)
		return;			/* nothing is known yet; or back from shared code */
	if (run->next == x->top->resume && (x->top->flags & HANDLER) == 0)
		pop_chain(x);	/* "pop {r3}; bx r3" */
	else if (at_entry(x, run))
		tail_call(x, run);
	else
		long_jump(x, run);	/* else shared code */
}

static void unexpected_return(struct pt_execution *x, const struct pt_run *run)
{
	const struct frame *base = x->base, *frame = x->top;

	if (frame->resume == PT_UNKNOWN) {	/* called before the stretch began */
		if (frame > x->frame && frame->function != run->next_function)
			pop_chain(x);
		return;
	}
	while (frame > base && frame->resume != run->next)
		frame--;
	if (frame > base) {
		note_error(x, PT_EXECUTION_SKIPPED_EXIT, run);
		if (pt_codemap_is_landing(x->map, run->next))	/* right behind the call that threw */
			abandon_to(x, frame);
		pt_stack_forget_to(x, frame);
		pop_chain(x);
		return;
	}
	if (land(x, run))
		return;
	for (frame = x->top; frame > base && (frame->flags & TAIL) != 0;)
		frame--;
	if (frame > base && frame[-1].function == run->next_function && !at_entry(x, run)) {
		pop_chain(x);	/* a helper that adjusts its return address */
	} else if (x->top->function != run->next_function) {
		if (at_entry(x, run)) {
			tail_call(x, run);	/* "push {r0}; pop {pc}" */
		} else if (!long_jump(x, run)) {
			note_error(x, PT_EXECUTION_UNMATCHED_RETURN, run);
			pt_stack_forget_to(x, base);
		}
	}
}

/* Its owner's, and no invocation's. */
static void shared_code(struct pt_execution *x, uint16_t function, struct spent spent)
{
	x->tally.rest[function].net += spent.ticks;
	x->tally.function[function].second += spent.second;
	x->top->others += spent.ticks;
	if (stepping(x))
		pt_stack_tell_stray(x);
	x->stray_ticks = spent.ticks;
	x->stray_until = x->now + spent.ticks;
	x->stray_function = function;
}

void pt_stack_stray(struct pt_execution *x, uint16_t function, uint64_t begin, struct spent spent)
{
	bool nothing_ran = (x->by_cycles ? spent.second : spent.ticks) == 0;

	if (x->top > x->frame && !nothing_ran && begin == x->entry[function]) {
		tail_call_from(x, x->top->function,
			       function); /* a call that is its caller's last instruction returned */
		x->top->second = spent.second;
	} else if (x->top > x->frame || nothing_ran) {
		shared_code(x, function, spent);
	} else if (begin == x->entry[function]) {
		enter(x, function, PT_UNKNOWN, PT_NO_FUNCTION, UNCALLED)->second = spent.second;
	} else {
		push(x, function, PT_UNKNOWN, UNSEEN)->second = spent.second;
		if (stepping(x))
			pt_stack_entered(x, x->top, PT_UNKNOWN);
	}
}

/* --- exceptions */

/* Flow put what entering the handler costs into the run before it: it is the handler's. */
static struct spent entry_time(struct pt_execution *x, const struct pt_run *run, uint32_t entry_cycles)
{
	struct spent cost = spent_of(x, 0, entry_cycles < run->cycles ? entry_cycles : run->cycles);

	if (x->top->function == run->function) {
		x->top->second -= cost.second;
	} else {			/* it was taken for shared code's time */
		x->tally.rest[run->function].net -= cost.ticks;
		x->tally.function[run->function].second -= cost.second;
		x->top->others -= cost.ticks;
		x->stray_ticks -= cost.ticks;
		x->stray_until -= cost.ticks;
	}
	return cost;
}

static uint16_t handler_of(const struct pt_execution *x, const struct pt_run *run)
{
	uint64_t handler = pt_codemap_handler(x->map, run->next);
	bool in_code;

	return handler == run->next ? run->next_function : pt_codemap_function(x->map, handler, &in_code);
}

static void enter_handler(struct pt_execution *x, const struct pt_run *run, uint64_t resume, struct spent cost)
{
	uint16_t handler = handler_of(x, run);

	x->base = enter(x, handler, resume, PT_NO_FUNCTION, HANDLER);
	x->base->second = cost.second;
	x->tally.rest[handler].exceptions++;
	x->now += cost.ticks;
}

static void exception(struct pt_execution *x, const struct pt_run *run)
{
	struct spent cost = entry_time(x, run, x->settings.exception_entry_cycles);

	x->now -= cost.ticks;
	enter_handler(x, run, run->end, cost);
}

/* The handler of the current level is left. Returns where it will resume; PT_UNKNOWN: it was entered before the
 * stretch began. */
static uint64_t leave_handler(struct pt_execution *x, const struct pt_run *run)
{
	const struct frame *handler = x->base, *frame = handler + 1;
	uint64_t resume = handler->resume;

	if (handler == x->frame) {
		if (x->top > x->frame)
			pop_chain(x);
		pt_stack_forget_to(x, x->frame);
		return PT_UNKNOWN;
	}
	while (frame <= x->top && (frame->flags & TAIL) != 0)
		frame++;
	if (frame <= x->top) {
		note_error(x, PT_EXECUTION_SKIPPED_EXIT, run);
		pt_stack_forget_to(x, frame - 1);
	}
	while (x->top >= handler)
		pop(x, 0);
	return resume;
}

/* An exception returned into another one, but not to where it had come from: several levels were left at once. */
static void leave_levels(struct pt_execution *x, const struct pt_run *run)
{
	const struct frame *frame = x->base;

	note_error(x, PT_EXECUTION_UNMATCHED_EXCEPTION, run);
	while (frame > x->frame && ((frame->flags & HANDLER) == 0 || frame->resume != run->next))
		frame--;
	pt_stack_forget_to(x, frame > x->frame ? frame - 1 : frame);
}

static void exception_return(struct pt_execution *x, const struct pt_run *run)
{
	uint64_t resume = leave_handler(x, run);

	if (x->base == x->frame)
		pt_stack_thread(x, run, resume);
	else if (resume != PT_UNKNOWN && !pt_stack_near(run->next, resume))
		leave_levels(x, run);
}

static void tail_chain(struct pt_execution *x, const struct pt_run *run)
{
	struct spent cost = entry_time(x, run, x->settings.tail_chain_cycles);
	uint64_t resume;

	x->now -= cost.ticks;
	resume = leave_handler(x, run);
	enter_handler(x, run, resume, cost);
}

void pt_stack_odd(struct pt_execution *x, const struct pt_run *run)
{
	switch (run->left) {
	case PT_LEFT_BRANCH:
		jump(x, run);
		break;
	case PT_LEFT_CALL:		/* "bl" to a label of the same function only jumps */
		if (run->next_function != run->function || at_entry(x, run))
			enter(x, run->next_function, run->end, run->function, 0);
		break;
	case PT_LEFT_RETURN:
		if (run->next != x->top->resume)
			unexpected_return(x, run);
		else
			pop_chain(x);
		break;
	case PT_LEFT_EXCEPTION:
		exception(x, run);
		break;
	case PT_LEFT_EXCEPTION_RETURN:
		exception_return(x, run);
		break;
	case PT_LEFT_TAIL_CHAIN:
		tail_chain(x, run);
		break;
	case PT_LEFT_NEXT:
		fall_through(x, run);
		break;
	case PT_LEFT_DEBUG:
		if (run->next == run->end)
			break;
		forget_all(x);
		break;
	default:
		forget_all(x);
		break;
	}
}
