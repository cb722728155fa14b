/* Which stack runs. Code that an exception interrupted and did not return to is another context's: its stack is
 * parked until that context goes on. The address where it goes on shows which context it is; where several stacks
 * were left at one address, as in a function that yields, the one that waits where that function returns to (held.c).
 * Where that is not known, or several wait there, none of them is believed. */
#include <string.h>

#include "profile/stack/stack.h"

/* Parked at this address, or doubtful there. any: tasks, too; of several parked at one address none is found. */
static struct context *find(struct pt_execution *x, uint64_t resume, bool any)
{
	struct context *found = NULL;

	for (size_t i = 0; i < x->n_contexts; i++) {
		struct context *context = &x->context[i];

		if (context->state < PARKED || context->resume != resume || (context->told && !any))
			continue;
		if (found != NULL)
			return NULL;
		found = context;
	}
	return found;
}

static struct context *of_task(struct pt_execution *x, uint16_t task)
{
	for (size_t i = 0; i < x->n_contexts; i++)
		if (x->context[i].state != UNUSED && x->context[i].told && x->context[i].task == task)
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

		*frame = x->kept[number][i];
		frame->outer = innermost(x, frame->function);
		set_innermost(x, frame->function, frame);
		if ((frame->flags & HANDLER) != 0)
			x->base = frame;
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
		pt_stack_cut(x);
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

/* Behind a gap in the stream that told it, nobody knows which task runs. */
void pt_stack_forget_task(struct pt_execution *x)
{
	struct context *context = &x->context[x->stack];

	if (!x->told_in_order || !context->told)
		return;
	context->told = false;
	context->task = PT_NO_TASK;
	x->n_due = 0;
	if (stepping(x))
		pt_stack_switched(x, NULL);
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

/* A context that nobody uses. There always is one: told and untold ones are bounded, each by itself. */
static struct context *fresh(struct pt_execution *x, bool told, uint16_t task)
{
	struct context *context = x->context;

	if (!told && n_anonymous(x) >= PT_EXECUTION_CONTEXTS) {
		x->errors.n[PT_EXECUTION_TOO_DEEP]++;
		forget_context(x, oldest(x));	/* while the running stack is empty */
	}
	while (context->state != UNUSED)
		context++;
	if (context == &x->context[x->n_contexts])
		x->n_contexts++;
	*context = (struct context){ .told = told, .task = task };
	return context;
}

/* Take the frames of the running stack away. What does not fit ends as partial. */
static void keep(struct pt_execution *x, struct context *context)
{
	size_t n_frames = (size_t)(x->top - x->frame);

	if (n_frames > PT_EXECUTION_CONTEXT_DEPTH) {
		x->errors.n[PT_EXECUTION_TOO_DEEP]++;
		pt_stack_cut(x);
		n_frames = 0;
	}
	for (; x->top > x->frame; x->top--)
		set_innermost(x, x->top->function, x->top->outer);
	memcpy(x->kept[context - x->context], x->frame + 1, n_frames * sizeof(*x->frame));
	context->n_frames = n_frames;
}

/* Park the running stack until somebody goes on with it. Returns with an empty stack, which is nobody's. */
static void park(struct pt_execution *x, uint64_t resume)
{
	struct context *context = &x->context[x->stack];

	keep(x, context);
	context->state = PARKED;
	context->resume = resume;
	context->parked = x->now;
}

/* --- switches that flow finds */

/* Where the function which goes on now returns to, as far as the runs ahead tell: from the level of thread code, behind
 * what it calls. PT_UNKNOWN: they do not. False: more of them may tell. */
static bool look_ahead(const struct pt_execution *x, uint64_t *to)
{
	size_t handlers = 0, calls = 0;
	uint64_t interrupted = PT_UNKNOWN;

	*to = PT_UNKNOWN;
	for (size_t i = 0; i < x->n_ahead; i++) {
		const struct pt_run *run = &x->ahead[i];
		bool enters = run->left == PT_LEFT_EXCEPTION, leaves = run->left == PT_LEFT_EXCEPTION_RETURN;
		bool moved = run->left == PT_LEFT_DEBUG && run->next != run->end;	/* else a halt changes nothing */

		if (run->left == PT_LEFT_GAP || moved || (leaves && handlers == 0) ||
		    (leaves && handlers == 1 && !pt_stack_near(run->next, interrupted)))
			return true;
		if (enters && handlers == 0)
			interrupted = run->end;
		handlers += enters;
		handlers -= leaves;
		if (handlers > 0)
			continue;
		if (run->left == PT_LEFT_RETURN && calls == 0) {
			*to = run->next;
			return true;
		}
		calls += run->left == PT_LEFT_CALL;
		calls -= run->left == PT_LEFT_RETURN;
	}
	return false;
}

static uint64_t returns_to(const struct pt_execution *x)
{
	uint64_t to;

	look_ahead(x, &to);
	return to;
}

/* Stacks that are parked at next and, but for PT_UNKNOWN, return to `to`. told: one of them is a task's, whose signals tell
 * when it goes on. */
static size_t n_parked(const struct pt_execution *x, uint64_t next, uint64_t to, bool *told)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_contexts; i++) {
		const struct context *context = &x->context[i];

		if (context->state != PARKED || context->resume != next ||
		    (to != PT_UNKNOWN && (context->n_frames == 0 || x->kept[i][context->n_frames - 1].resume != to)))
			continue;
		*told |= context->told;
		n++;
	}
	return n;
}

static bool is_lowest(const struct pt_execution *x, const struct frame *handler)
{
	while (--handler > x->frame && (handler->flags & HANDLER) == 0)
		;
	return handler == x->frame;
}

bool pt_stack_undecided(struct pt_execution *x, const struct pt_run *run)
{
	bool told = x->context[x->stack].told;
	uint64_t to;
	size_t n;

	if (run->left != PT_LEFT_EXCEPTION_RETURN || x->n_contexts == 1 || x->n_due > 0 || x->base == x->frame ||
	    !is_lowest(x, x->base))
		return false;
	n = n_parked(x, run->next, PT_UNKNOWN, &told) + (x->base->resume == run->next);
	if (told || n < 2 || look_ahead(x, &to) || x->decides == PT_STACK_DECIDES)
		return false;
	if (x->decides == PT_STACK_WAITS)
		return true;
	x->decides = PT_STACK_WAITS;
	return false;
}

/* Of several stacks that were parked at next the one whose top frame returns to where the code that goes on does. NULL:
 * it is not the only one, or nobody knows. */
static struct context *find_by_return(struct pt_execution *x, uint64_t next)
{
	uint64_t to = returns_to(x);
	struct context *found = NULL;

	for (size_t i = 0; i < x->n_contexts && to != PT_UNKNOWN; i++) {
		struct context *context = &x->context[i];

		if (context->state != PARKED || context->resume != next || context->n_frames == 0 ||
		    x->kept[i][context->n_frames - 1].resume != to)
			continue;
		if (found != NULL)
			return NULL;
		found = context;
	}
	return found;
}

/* One of the stacks that were parked at resume goes on, and nobody knows which: none of them is believed any more. But
 * for those of tasks, which a signal will tell of. The running stack is empty. True: one of them was in a call there,
 * and so is the one that goes on. */
static bool doubt(struct pt_execution *x, uint64_t resume)
{
	bool called = false;

	for (size_t i = 0; i < x->n_contexts; i++) {
		struct context *context = &x->context[i];

		if (context->state < PARKED || context->resume != resume || context->told)
			continue;
		context->called |= context->state == PARKED && context->n_frames > 1;
		called |= context->called;
		if (context->state == PARKED)
			forget_context(x, context);
		context->state = DOUBTFUL;
	}
	return called;
}

/* Where an exception returned elsewhere than where it had come from. */
static void switch_by_address(struct pt_execution *x, uint64_t next, uint64_t resume)
{
	struct context *context;
	bool inside = false;

	park(x, resume);
	context = find_by_return(x, next);
	if (context == NULL)
		context = find(x, next, true);
	if (context == NULL || context->state != PARKED) {
		inside = doubt(x, next);
		context = fresh(x, false, PT_NO_TASK);
		context->called = inside;
	}
	take_up(x, context);
	context->resume = next;
	x->switched = x->now;
	if (stepping(x) && inside)
		pt_stack_switched_inside(x);
	else if (stepping(x))
		pt_stack_switched(x, NULL);
}

/* --- task signals */

/* The running stack is task's, whether that was known or not. */
static void tell(struct pt_execution *x, uint16_t task)
{
	struct context *context = &x->context[x->stack], *other = of_task(x, task);

	if (other == context)
		return;
	if (other != NULL) {	/* several were left at this address, and it is this one that went on */
		bool same = other->resume == context->resume;

		pt_stack_forget_to(x, same ? x->frame : x->top);
		if (same) {
			context->state = UNUSED;
			take_up(x, other);
			context = other;
		} else {
			park(x, PT_UNKNOWN);
			forget_context(x, other);
			take_up(x, context);
		}
	}
	context->told = true;
	context->task = task;
	if (stepping(x))
		pt_stack_switched(x, NULL);
}

/* Did this stack go on before run->next, or with run where thread code switched? Else it was thrown away. */
static bool goes_on(const struct pt_execution *x, const struct context *context, uint64_t at, uint16_t function,
		    bool at_once)
{
	const struct frame *top = &x->kept[context - x->context][context->n_frames - 1];

	if (context->n_frames == 0 || context->resume == at)
		return true;
	if (at_once)
		return at != x->entry[function];
	return context->resume == PT_UNKNOWN && top->function == function;
}

/* The stack that ran before the first signal came: it belongs to whoever goes on in its code. */
static struct context *unclaimed(struct pt_execution *x, uint64_t at, uint16_t function)
{
	for (size_t i = 0; i < x->n_contexts; i++) {
		struct context *context = &x->context[i];

		if (context->state != PARKED || context->told)
			continue;
		if (context->resume == at || (context->resume == PT_UNKNOWN && context->n_frames > 0 &&
					      x->kept[i][context->n_frames - 1].function == function))
			return context;
	}
	return NULL;
}

/* Task's code goes on at `at`. */
static void switch_to_task(struct pt_execution *x, uint16_t task, uint64_t at, uint16_t function, bool at_once)
{
	struct context *context = of_task(x, task);

	if (context != NULL && !goes_on(x, context, at, function, at_once)) {
		forget_context(x, context);
		context = NULL;
	}
	if (context == NULL)
		context = unclaimed(x, at, function);
	if (context == NULL)
		context = fresh(x, true, task);
	context->told = true;
	context->task = task;
	take_up(x, context);
	context->resume = at;
}

/* In thread code, before run. */
static void at_once(struct pt_execution *x, const struct due *due, const struct pt_run *run)
{
	const struct context *context = &x->context[x->stack];

	if (context->told && context->task == due->task)
		return;
	if (!context->told && x->top == x->frame) {
		tell(x, due->task);	/* nothing is known yet */
		return;
	}
	park(x, PT_UNKNOWN);
	switch_to_task(x, due->task, run->begin, run->function, true);
	if (stepping(x))
		pt_stack_switched(x, due->in_order ? NULL : &due->at);
}

/* At an exception's return to thread code. elsewhere: not to where it had come from. */
static void at_return(struct pt_execution *x, uint16_t task, const struct pt_run *run, uint64_t resume, bool elsewhere)
{
	const struct context *context = &x->context[x->stack];

	if (context->told && context->task == task) {
		if (elsewhere)		/* thrown away and made anew, by itself */
			pt_stack_forget_to(x, x->frame);
		return;
	}
	if (!context->told && !elsewhere && of_task(x, task) == NULL) {
		tell(x, task);
		return;
	}
	park(x, resume);
	switch_to_task(x, task, run->next, run->next_function, false);
	if (stepping(x))
		pt_stack_switched(x, NULL);
}

static void drop_due(struct pt_execution *x)
{
	memmove(x->due, x->due + 1, --x->n_due * sizeof(*x->due));
}

static bool within(struct pt_timestamp a, struct pt_timestamp b)
{
	return !pt_timestamp_before(a, b) && !pt_timestamp_before(b, a);
}

/* An exception returned to where it had come from, and other stacks were left there, too. True: one of those goes on, for
 * it alone waits where this code returns to; or several wait there, or that is not known, and none is believed. */
static bool may_be_another(struct pt_execution *x, uint64_t next)
{
	bool told = x->context[x->stack].told;
	uint64_t to = returns_to(x);
	size_t n = n_parked(x, next, to, &told);

	if (x->top == x->frame || n == 0)
		return false;
	if (told)
		return to != PT_UNKNOWN && n == 1 && x->top->resume != to;
	return true;
}

void pt_stack_thread(struct pt_execution *x, const struct pt_run *run, uint64_t resume)
{
	bool elsewhere = resume != PT_UNKNOWN && !pt_stack_near(run->next, resume);
	struct pt_timestamp now = pt_stack_moment(x, x->now);
	const struct due *due = x->due;

	while (x->n_due > 1 && !due->in_order && pt_timestamp_before(due->at, now))
		drop_due(x);		/* a later word counts */
	if (x->n_due > 0 && (due->in_order || (elsewhere && within(due->at, now)))) {
		at_return(x, due->task, run, resume, elsewhere);
		drop_due(x);
	} else if (elsewhere || (resume != PT_UNKNOWN && resume != run->next && find(x, run->next, true) != NULL) ||
		   may_be_another(x, run->next)) {
		switch_by_address(x, run->next, resume);
	}
}

void pt_stack_due(struct pt_execution *x, const struct pt_run *run)
{
	struct pt_timestamp now = pt_stack_moment(x, x->now);

	while (x->n_due > 0 && x->base == x->frame && (x->due->in_order || pt_timestamp_before(x->due->at, now))) {
		at_once(x, x->due, run);
		drop_due(x);
	}
}

void pt_execution_task(struct pt_execution *x, uint16_t task, struct pt_timestamp at, bool in_order)
{
	struct due *last = x->n_due > 0 ? &x->due[x->n_due - 1] : NULL;

	if (task >= PT_EXECUTION_TASKS)
		task = PT_NO_TASK;
	pt_held_decide(x);
	x->told_in_order = in_order;
	if (!in_order && x->switched != 0 && within(at, pt_stack_moment(x, x->switched))) {
		tell(x, task);
		x->switched = 0;
		return;
	}
	if (in_order && last != NULL && last->in_order) {	/* the last word counts */
		last->task = task;
		return;
	}
	if (x->n_due == DUES)
		drop_due(x);
	x->due[x->n_due++] = (struct due){ at, task, in_order };
}
