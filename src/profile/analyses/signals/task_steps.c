/* Slices as steps have them: own time and interrupts of each, whose it was, and what is not decided. What ran last is
 * kept in segments, so that the part of it that a late signal makes doubtful can be taken back. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/signals/task_parts.h"

enum { EXCEPTION = 1 << 16, SLOTS = 2 * PT_TASK_FUNCTIONS_MAX };

static struct pt_task_core *core_of(struct pt_tasks_analysis *t, uint16_t number)
{
	struct pt_task_core *core = &t->core[number < PT_TASK_CORES ? number : PT_TASK_CORES - 1];

	if (core->stack == NULL) {
		core->stack = pt_alloc_array(PT_CALL_STACKS, sizeof(*core->stack));
		core->dropped = PT_NO_TASK;
		core->period = core->suspended = PT_UNKNOWN;
	}
	return core;
}

/* Whose stack it is, in these rows. Without a switch in sight, a context without a name is nobody's in particular; nor is
 * one of which only calls have been seen, whose callers are another function's. */
static struct pt_task *row_of(struct pt_task_rows *rows, const struct pt_task_core *core,
			      const struct pt_task_stack *stack, uint16_t number)
{
	if (stack->told && stack->task == PT_NO_TASK)
		return pt_task_row(rows, PT_TASK_NONE, 0, number);
	if (stack->told)
		return pt_task_row(rows, PT_TASK_TOLD, stack->task, number);
	if (core->switches && stack->bottom != 0 && stack->hides == 0)
		return pt_task_row(rows, PT_TASK_FOUND, stack->bottom, number);
	return pt_task_row(rows, PT_TASK_UNKNOWN, 0, number);
}

/* --- functions of tasks */

static struct pt_task_function *pair(struct pt_tasks_analysis *t, const struct pt_task *task, uint16_t function)
{
	uint16_t row = task != NULL ? (uint16_t)(task - t->rows.task) : PT_NO_TASK;
	size_t at = (((size_t)row << 16 | function) * 2654435761u >> 8) % SLOTS;

	if (!t->wants_functions || task == NULL)
		return NULL;
	for (; t->slot[at] != 0; at = (at + 1) % SLOTS) {
		struct pt_task_function *p = &t->function[t->slot[at] - 1];

		if (p->task == row && p->function == function)
			return p;
	}
	if (t->n_functions == PT_TASK_FUNCTIONS_MAX) {
		t->dropped++;
		return NULL;
	}
	t->function[t->n_functions] = (struct pt_task_function){ .task = row, .function = function };
	t->slot[at] = (uint16_t)(t->n_functions + 1);
	return &t->function[t->n_functions++];
}

static void add_net(struct pt_tasks_analysis *t, const struct pt_task *task, uint16_t function, uint64_t ticks)
{
	struct pt_task_function *p = pair(t, task, function);

	if (p != NULL)
		p->net += ticks;
}

/* --- time */

static void keep_segment(struct pt_task_core *core, uint64_t ticks, uint16_t function)
{
	bool irq = core->irq_depth > 0;
	struct pt_task_segment *last = &core->segment[(core->n_segments + PT_TASK_SEGMENTS - 1) % PT_TASK_SEGMENTS];

	if (core->n_segments > 0 && last->function == function && last->irq == irq)
		last->ticks += ticks;
	else
		core->segment[core->n_segments++ % PT_TASK_SEGMENTS] = (struct pt_task_segment){ ticks, function, irq };
}

static void charge_some(struct pt_tasks_analysis *t, struct pt_task_core *core, uint16_t number, uint16_t function,
			uint64_t ticks)
{
	uint64_t blind = ticks < core->blind ? ticks : core->blind;

	core->blind -= blind;
	core->undecided += blind;
	ticks -= blind;
	if (ticks == 0)
		return;
	if (core->irq_depth > 0)
		core->irq += ticks;
	else
		core->own += ticks;
	keep_segment(core, ticks, function);
	if (t->windows != NULL)
		pt_task_windows_charge(t, number, function, ticks);
	if (t->wants_functions)
		add_net(t, row_of(&t->rows, core, &core->stack[core->running], number), function, ticks);
}

static uint16_t top_of(const struct pt_task_stack *stack)
{
	size_t depth = stack->depth < PT_EXECUTION_DEPTH ? stack->depth : PT_EXECUTION_DEPTH;

	return stack->frame != NULL && depth > 0 ? (uint16_t)stack->frame[depth - 1] : 0;
}

/* What ran since the step before. */
static void charge(struct pt_tasks_analysis *t, struct pt_task_core *core, const struct pt_call_event *step)
{
	uint64_t ticks = step->clock - core->clock;
	uint64_t elsewhere = step->kind == PT_CALL_ELSEWHERE ? step->net : 0;

	core->clock = step->clock;
	t->flow += ticks;
	elsewhere = elsewhere < ticks ? elsewhere : ticks;
	charge_some(t, core, step->core, top_of(&core->stack[core->running]), ticks - elsewhere);
	charge_some(t, core, step->core, step->function, elsewhere);
}

/* The last ticks of the slice may be the next one's. */
static void take_back(struct pt_tasks_analysis *t, struct pt_task_core *core, const struct pt_task *task,
		      uint64_t ticks)
{
	for (size_t kept = 0; ticks > 0 && kept < PT_TASK_SEGMENTS && core->n_segments > 0; kept++) {
		struct pt_task_segment *s = &core->segment[--core->n_segments % PT_TASK_SEGMENTS];
		uint64_t part = s->ticks < ticks ? s->ticks : ticks;

		core->own -= s->irq ? 0 : part;
		core->irq -= s->irq ? part : 0;
		core->undecided += part;
		add_net(t, task, s->function, -part);
		ticks -= part;
		s->ticks -= part;
		if (s->ticks > 0)
			core->n_segments++;
	}
}

/* --- slices */

static void add_slice(struct pt_task *task, const struct pt_task_core *core)
{
	if (core->begun) {
		task->activations++;
		task->first_ns = task->first_ns == PT_UNKNOWN ? core->since_ns : task->first_ns;
		task->error = core->error > task->error ? core->error : task->error;
	}
	if (core->period != PT_UNKNOWN)
		pt_stat_add(&task->period, core->period, core->since_ns);
	if (core->suspended != PT_UNKNOWN)
		pt_stat_add(&task->suspended, core->suspended, core->since_ns);
	task->run += core->own + core->irq;
	task->net += core->own;
	task->interrupts += core->irq;
	task->undecided += core->undecided;
}

/* seen: when it ended. */
static void end_slice(struct pt_tasks_analysis *t, struct pt_task_core *core, const struct pt_call_event *step,
		      bool seen, uint64_t error)
{
	struct pt_task_stack *stack = &core->stack[core->running];
	struct pt_task *task = row_of(&t->rows, core, stack, step->core);

	stack->left = seen ? core->clock + 1 : 0;
	if (task == NULL) {
		t->dropped++;
		return;
	}
	take_back(t, core, task, error);
	if (t->windows != NULL)
		pt_task_windows_slice(t, step->core, task);
	add_slice(task, core);
	t->undecided += core->undecided;
	task->last_ns = step->at.ns;
	task->error = error > task->error ? error : task->error;
	if (seen && core->begun) {
		pt_stat_add(&task->slice, core->clock - core->since, step->at.ns);
	} else {
		task->partial += core->clock > core->since;
		pt_stat_add_unended(&task->slice, core->clock - core->since, task->error);
	}
}

/* The slice's row is known when it ends: a signal may tell late whose it is. */
static void begin_slice(struct pt_task_core *core, const struct pt_call_event *step, bool seen, uint64_t error)
{
	struct pt_task_stack *stack = &core->stack[step->stack];

	core->running = step->stack;
	core->begun = seen;
	core->since = core->clock;
	core->since_ns = step->at.ns;
	core->own = core->irq = core->undecided = 0;
	core->blind = core->error = error;
	core->irq_depth = 0;
	core->n_segments = 0;
	core->period = seen && stack->entered != 0 ? core->clock + 1 - stack->entered : PT_UNKNOWN;
	core->suspended = seen && stack->left != 0 ? core->clock + 1 - stack->left : PT_UNKNOWN;
	stack->entered = seen ? core->clock + 1 : 0;
}

/* --- lives of tasks */

static void end_life(struct pt_tasks_analysis *t, const struct pt_task_core *core, struct pt_task_stack *stack,
		     uint16_t number, uint64_t ended)
{
	struct pt_task *task = row_of(&t->rows, core, stack, number);

	if (task != NULL) {
		task->thrown_away++;
		if (stack->born != 0 && ended >= stack->born)
			pt_stat_add(&task->lifetime, ended - stack->born, PT_UNKNOWN);
	}
	stack->born = stack->entered = stack->left = 0;
}

/* A stack that is empty gets its first frame. */
static void bottom(struct pt_tasks_analysis *t, struct pt_task_core *core, struct pt_task_stack *stack,
		   const struct pt_call_event *step)
{
	struct pt_task *task;

	stack->hides = stack->hides == 2 ? 1 : 0;
	stack->bottom = step->function;
	if (step->entry != PT_ENTRY_UNCALLED || !core->switches)
		return;
	if (stack->born != 0)		/* made anew by itself */
		end_life(t, core, stack, step->core, core->clock + 1);
	stack->born = core->clock + 1;
	task = row_of(&t->rows, core, stack, step->core);
	if (task != NULL)
		task->created++;
}

/* --- steps */

static void enter(struct pt_tasks_analysis *t, struct pt_task_core *core, const struct pt_call_event *step)
{
	struct pt_task_stack *stack = &core->stack[step->stack];
	bool exception = step->entry == PT_ENTRY_EXCEPTION;
	struct pt_task_function *p;

	if (stack->depth == 0 && !exception)
		bottom(t, core, stack, step);
	core->irq_depth += exception;
	if ((t->wants_functions || t->windows != NULL) && stack->frame == NULL)
		stack->frame = pt_alloc_array(PT_EXECUTION_DEPTH, sizeof(*stack->frame));
	if (stack->frame != NULL && stack->depth < PT_EXECUTION_DEPTH)
		stack->frame[stack->depth] = step->function | (exception ? EXCEPTION : 0);
	stack->depth++;
	if (!t->wants_functions || step->entry == PT_ENTRY_UNSEEN)
		return;
	p = pair(t, row_of(&t->rows, core, stack, step->core), step->function);
	if (p != NULL)
		p->count++;
}

/* Is the function that ended open further down, on this side of an exception? */
static bool recursive(const struct pt_task_stack *stack, const struct pt_call_event *step)
{
	if (step->entry == PT_ENTRY_EXCEPTION)
		return false;
	for (size_t i = stack->depth < PT_EXECUTION_DEPTH ? stack->depth : PT_EXECUTION_DEPTH; i-- > 0;) {
		if ((stack->frame[i] & 0xffff) == step->function)
			return true;
		if ((stack->frame[i] & EXCEPTION) != 0)
			return false;
	}
	return false;
}

static void leave(struct pt_tasks_analysis *t, struct pt_task_core *core, const struct pt_call_event *step)
{
	struct pt_task_stack *stack = &core->stack[step->stack];
	struct pt_task_function *p;

	stack->depth -= stack->depth > 0;
	if (step->stack != core->running && stack->depth == 0)
		core->dropped = step->stack;
	if (step->stack == core->running && step->entry == PT_ENTRY_EXCEPTION && core->irq_depth > 0)
		core->irq_depth--;
	if (!t->wants_functions || stack->frame == NULL)
		return;
	p = pair(t, row_of(&t->rows, core, stack, step->core), step->function);
	if (p != NULL && !recursive(stack, step))
		p->gross += step->gross;
}

/* Now it is known whose the slice is: what it did is that one's. */
static void name(struct pt_tasks_analysis *t, struct pt_task_core *core, const struct pt_call_event *step)
{
	struct pt_task_stack *stack = &core->stack[step->stack];
	const struct pt_task *before = row_of(&t->rows, core, stack, step->core), *now;
	size_t n = core->n_segments < PT_TASK_SEGMENTS ? core->n_segments : PT_TASK_SEGMENTS;

	stack->told = step->told;
	stack->task = step->task;
	now = row_of(&t->rows, core, stack, step->core);
	for (size_t i = core->n_segments - n; i < core->n_segments && t->wants_functions; i++) {
		const struct pt_task_segment *s = &core->segment[i % PT_TASK_SEGMENTS];

		add_net(t, before, s->function, -s->ticks);
		add_net(t, now, s->function, s->ticks);
	}
}

/* An error of a moment, on the clock: so many ticks as there were in it. */
static uint64_t ticks_of(const struct pt_tasks_analysis *t, const struct pt_call_event *step)
{
	if (step->at.error_ns == 0 || step->at.error_ns >= PT_NO_BOUND_NS || !step->told)
		return 0;
	return t->ticks_per_ns > 0 ? (uint64_t)((double)step->at.error_ns * t->ticks_per_ns + 0.5) : step->at.error_ns;
}

static void switch_to(struct pt_tasks_analysis *t, struct pt_task_core *core, const struct pt_call_event *step)
{
	struct pt_task_stack *stack = &core->stack[step->stack];
	uint64_t error = ticks_of(t, step);

	if (step->stack == core->running) {
		name(t, core, step);
		return;
	}
	core->switches = true;
	end_slice(t, core, step, true, error);
	if (core->dropped == step->stack) {	/* it was thrown away, and is made anew */
		uint64_t left = stack->left;

		end_life(t, core, stack, step->core, left);
	}
	core->dropped = PT_NO_TASK;
	if (stack->depth == 0 && (step->told == 0 || stack->told != step->told || stack->task != step->task))
		stack->entered = stack->left = stack->born = 0;	/* another's from now on, or a new one */
	stack->told = step->told;
	stack->task = step->task;
	if (stack->depth == 0)
		stack->hides = step->called != 0 ? 2 : 0;
	begin_slice(core, step, true, error);
}

static void forget(struct pt_tasks_analysis *t, struct pt_task_core *core, const struct pt_call_event *step)
{
	end_slice(t, core, step, false, 0);
	for (size_t i = 0; i < PT_CALL_STACKS; i++) {
		struct pt_task_stack *stack = &core->stack[i];

		stack->depth = 0;
		stack->bottom = stack->hides = 0;
		stack->entered = stack->left = stack->born = 0;
		stack->told = stack->told && i == core->running;
	}
	core->switches = false;
	core->dropped = PT_NO_TASK;
	begin_slice(core, step, false, 0);
}

void pt_task_steps(void *analysis, const struct pt_call_event *step, size_t n)
{
	struct pt_tasks_analysis *t = analysis;

	for (size_t i = 0; i < n && t->takes_steps; i++, step++) {
		struct pt_task_core *core = core_of(t, step->core);

		if (step->stack >= PT_CALL_STACKS)
			continue;
		charge(t, core, step);
		if (step->kind == PT_CALL_ENTER)
			enter(t, core, step);
		else if (step->kind == PT_CALL_LEAVE)
			leave(t, core, step);
		else if (step->kind == PT_CALL_SWITCH)
			switch_to(t, core, step);
		else if (step->kind == PT_CALL_FORGET)
			forget(t, core, step);
	}
}

/* Where nobody asks which function, calls and returns only pass the time. */
static void pass(struct pt_tasks_analysis *t, struct pt_task_core *core, const struct pt_compact_batch *batch)
{
	const struct pt_call_event last = {
		.kind = PT_CALL_ENTER, .core = batch->core,
		.clock = batch->clock + batch->compact[batch->n_compact - 1].ticks,
	};
	struct pt_task_stack *stack = &core->stack[batch->stack];

	charge(t, core, &last);
	stack->depth += batch->n_compact - 2 * batch->n_left;
}

void pt_task_compact(void *analysis, const struct pt_compact_batch *batch)
{
	struct pt_tasks_analysis *t = analysis;
	struct pt_task_core *core = t->takes_steps ? core_of(t, batch->core) : NULL;

	if (core == NULL || batch->stack >= PT_CALL_STACKS)
		return;
	if (!t->told_late && !t->wants_functions && t->windows == NULL &&
	    core->stack[batch->stack].depth > batch->n_below) {
		pass(t, core, batch);
		return;
	}
	for (size_t i = 0; i < batch->n_compact; i++) {
		const struct pt_call_event step = pt_compact_call_event(batch, i);

		pt_task_steps(t, &step, 1);
	}
}

/* --- result */

struct pt_task *pt_task_open_row(struct pt_tasks_analysis *t, uint16_t number)
{
	const struct pt_task_core *core = number < PT_TASK_CORES ? &t->core[number] : NULL;

	if (core == NULL || core->stack == NULL || core->clock == core->since)
		return NULL;
	return row_of(&t->rows, core, &core->stack[core->running], number);
}

/* So long the stack's task has not begun to run again, and has not run, at least. */
static void add_waits(struct pt_tasks_analysis *t, const struct pt_task_core *core, uint16_t number, size_t which)
{
	const struct pt_task_stack *stack = &core->stack[which];
	struct pt_task *task;

	if (stack->entered == 0 && stack->left == 0)
		return;
	task = row_of(&t->shown_rows, core, stack, number);
	if (task != NULL && stack->entered != 0)
		pt_stat_add_unended(&task->period, core->clock + 1 - stack->entered, task->error);
	if (task != NULL && stack->left != 0 && which != core->running)
		pt_stat_add_unended(&task->suspended, core->clock + 1 - stack->left, task->error);
}

void pt_task_steps_show(struct pt_tasks_analysis *t)
{
	memcpy(&t->shown_rows, &t->rows, sizeof(t->rows));
	t->shown_rows.last = NULL;
	t->shown_undecided = t->undecided;
	for (uint16_t i = 0; i < PT_TASK_CORES; i++) {
		const struct pt_task_core *core = &t->core[i];
		struct pt_task *task;

		for (size_t k = 0; core->stack != NULL && k < PT_CALL_STACKS; k++)
			add_waits(t, core, i, k);
		if (core->stack == NULL || core->clock == core->since)
			continue;
		task = row_of(&t->shown_rows, core, &core->stack[core->running], i);
		if (task == NULL)
			continue;
		add_slice(task, core);
		task->partial++;
		pt_stat_add_unended(&task->slice, core->clock - core->since, task->error);
		t->shown_undecided += core->undecided;
	}
}

void pt_task_steps_free(struct pt_tasks_analysis *t)
{
	for (size_t c = 0; c < PT_TASK_CORES; c++) {
		for (size_t i = 0; t->core[c].stack != NULL && i < PT_CALL_STACKS; i++)
			free(t->core[c].stack[i].frame);
		free(t->core[c].stack);
	}
}
