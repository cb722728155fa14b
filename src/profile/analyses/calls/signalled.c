/* Spans that the program signals: nested signalling, two-point timing of a variable, ISR2s and services of its OS. Each
 * variable has a stack of its own, and services have one for each task, as a service may end long after another task has
 * begun one. Times are of the source's moments, in ns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/spans.h"

enum { ROWS = 1024, NAME_BYTES = 64, SLOTS = 2 * ROWS, TASK_STACKS = 64 };

struct key { uint64_t value; uint16_t id; };

struct signalled {
	const struct pt_signal_set *signals;
	struct pt_span_set *set;
	struct pt_spans result;
	struct pt_span_stack *stack[PT_SIGNALS_MAX];	/* by definition; NULL: nothing came yet */
	uint16_t source[PT_SIGNALS_MAX];		/* that it came from */
	struct { uint64_t clock; struct pt_timestamp at; } last[PT_SIGNALS_MAX];
	uint64_t running[PT_RUN_CORES];	/* task, as its signal has it; PT_UNKNOWN */
	uint16_t task_source[PT_RUN_CORES];
	struct task_stack {		/* services of a task */
		uint64_t task;
		uint16_t id, core;
		bool away;		/* another task has run since the last service of this one */
		struct pt_span_at left;	/* since then */
		struct pt_span_stack *stack;
	} of_task[TASK_STACKS];
	size_t n_of_task;
	struct pt_signal_gaps gaps;
	struct key key[ROWS];
	uint16_t slot[SLOTS];		/* row + 1 */
	char (*name)[NAME_BYTES];
	size_t n_rows;
	uint64_t dropped;
};

static void name_row(struct signalled *x, size_t row, const struct pt_signal *signal)
{
	const struct pt_signal_definition *d = &x->signals->definition[signal->id];
	const char *value = pt_signal_value_name(d, signal->value);
	bool system = pt_signal_of_system(d);

	if (d->form == PT_FORM_TWO_POINT)
		snprintf(x->name[row], NAME_BYTES, "%s", d->name);
	else if (value != NULL)
		snprintf(x->name[row], NAME_BYTES, "%s", value);
	else
		snprintf(x->name[row], NAME_BYTES, "%s %llu", d->name,
			 (unsigned long long)(system ? signal->raw : signal->value));
	pt_span_row(x->set, row)->name = x->name[row];
	pt_span_row(x->set, row)->by = d->form == PT_FORM_ISR	    ? PT_SPAN_BY_ISR
				       : d->form == PT_FORM_SERVICE ? PT_SPAN_BY_SERVICE
								    : PT_SPAN_BY_SIGNAL;
}

/* The row of the span that the signal names; PT_NO_SPAN: there is no room for another. */
static uint32_t row_of(struct signalled *x, const struct pt_signal *signal)
{
	size_t at = (size_t)((signal->value * 31 + signal->id) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;

	for (; x->slot[at] != 0; at = (at + 1) % SLOTS) {
		const struct key *key = &x->key[x->slot[at] - 1];

		if (key->value == signal->value && key->id == signal->id)
			return x->slot[at] - 1u;
	}
	if (x->n_rows == ROWS)
		return PT_NO_SPAN;
	x->key[x->n_rows] = (struct key){ signal->value, signal->id };
	name_row(x, x->n_rows, signal);
	x->slot[at] = (uint16_t)++x->n_rows;
	pt_span_set_use(x->set, x->n_rows);
	return (uint32_t)x->n_rows - 1;
}

/* There is one span, which is open once at most. */
static void two_point(struct pt_span_stack *stack, uint32_t row, const struct pt_signal *signal,
		      const struct pt_span_at *at)
{
	if (signal->enters)
		pt_span_enter(stack, row, false, at);
	else if (signal->astray)
		pt_span_chain(stack, at);
	else
		pt_span_leave(stack, row, at);
}

/* Another ISR2 has been entered, or one that was interrupted runs again, or none does. */
static void take_isr(struct signalled *x, struct pt_span_stack *stack, const struct pt_signal *signal,
		     const struct pt_span_at *at)
{
	uint32_t row = signal->value != PT_SIGNAL_NONE ? row_of(x, signal) : PT_NO_SPAN;

	if (signal->value == PT_SIGNAL_NONE)
		pt_span_back_over(stack, PT_NO_SPAN, at);
	else if (row == PT_NO_SPAN)
		x->dropped++;
	else if (pt_span_is_open(stack, row))
		pt_span_back_over(stack, row, at);
	else
		pt_span_enter(stack, row, false, at);
}

/* The services of the task that runs; NULL: there are too many tasks. */
static struct task_stack *stack_of_task(struct signalled *x, const struct pt_signal *signal)
{
	uint64_t task = x->running[signal->core < PT_RUN_CORES ? signal->core : PT_RUN_CORES - 1];

	for (size_t i = 0; i < x->n_of_task; i++)
		if (x->of_task[i].task == task && x->of_task[i].id == signal->id && x->of_task[i].core == signal->core)
			return &x->of_task[i];
	if (x->n_of_task == TASK_STACKS)
		return NULL;
	x->of_task[x->n_of_task] = (struct task_stack){
		.task = task, .id = signal->id, .core = signal->core, .stack = pt_span_stack_new(x->set),
	};
	return &x->of_task[x->n_of_task++];
}

/* A service that ends its task (TerminateTask) is never left: it ended when the task did. */
static void take_service(struct signalled *x, const struct pt_signal *signal, const struct pt_span_at *at)
{
	uint32_t row = signal->value != PT_SIGNAL_NONE ? row_of(x, signal) : PT_NO_SPAN;
	struct task_stack *of = stack_of_task(x, signal);

	if (of == NULL || (row == PT_NO_SPAN && signal->value != PT_SIGNAL_NONE)) {
		x->dropped++;
		return;
	}
	if (of->away && signal->enters)
		pt_span_back_over(of->stack, PT_NO_SPAN, &of->left);
	of->away = false;
	if (signal->value == PT_SIGNAL_NONE)
		pt_span_back_over(of->stack, PT_NO_SPAN, at);
	else if (signal->enters)
		pt_span_enter_over(of->stack, row, at);
	else
		pt_span_leave(of->stack, row, at);
}

static struct pt_span_at at_of(const struct pt_signal *signal)
{
	return (struct pt_span_at){ signal->own_ns, signal->at.ns, signal->own_error_ns, signal->pc };
}

/* Another task runs from here on. */
static void take_task(struct signalled *x, const struct pt_signal *signal)
{
	unsigned core = signal->core < PT_RUN_CORES ? signal->core : PT_RUN_CORES - 1;
	uint64_t *running = &x->running[core];

	x->task_source[core] = signal->source;
	for (size_t i = 0; i < x->n_of_task && *running != signal->value; i++)
		if (x->of_task[i].task == *running && x->of_task[i].core == signal->core && !x->of_task[i].away) {
			x->of_task[i].left = at_of(signal);
			x->of_task[i].away = true;
			pt_span_pass(x->of_task[i].stack, x->of_task[i].left.clock);
		}
	*running = signal->value;
}

static void note_source(struct signalled *x, const struct pt_signal *signal, const struct pt_span_at *at)
{
	if (x->stack[signal->id] == NULL)
		x->stack[signal->id] = pt_span_stack_new(x->set);
	x->source[signal->id] = signal->source;
	x->last[signal->id].clock = at->clock;
	if (at->ns >= x->last[signal->id].at.ns)
		x->last[signal->id].at = signal->at;
}

static void take_system(struct signalled *x, const struct pt_signal *signal)
{
	struct pt_span_at at = at_of(signal);

	if (signal->id >= PT_SIGNALS_MAX || signal->at.ns == PT_UNKNOWN) {
		x->dropped++;
		return;
	}
	note_source(x, signal, &at);
	if (signal->kind == PT_SIGNAL_ISR)
		take_isr(x, x->stack[signal->id], signal, &at);
	else
		take_service(x, signal, &at);
}

static void span(struct signalled *x, const struct pt_signal *signal)
{
	struct pt_span_at at = at_of(signal);
	struct pt_span_stack *stack;
	bool points;
	uint32_t row;

	if (signal->id >= PT_SIGNALS_MAX || signal->at.ns == PT_UNKNOWN) {
		x->dropped++;
		return;
	}
	note_source(x, signal, &at);
	stack = x->stack[signal->id];
	points = x->signals->definition[signal->id].form == PT_FORM_TWO_POINT;
	if (points)
		row = row_of(x, &(struct pt_signal){ .id = signal->id, .value = 1 });
	else
		row = signal->enters || signal->value != 0 ? row_of(x, signal) : PT_NO_SPAN;
	if ((signal->enters || points) && row == PT_NO_SPAN)
		x->dropped++;
	else if (points)
		two_point(stack, row, signal, &at);
	else if (signal->enters)
		pt_span_enter(stack, row, true, &at);
	else
		pt_span_back_to(stack, row, &at);
}

/* Silence: as much later than the last signal as the probe's clock says. */
static void pass(struct signalled *x, struct pt_span_stack *stack, size_t id, uint64_t upto_ns)
{
	const struct pt_timestamp *at = &x->last[id].at;

	if (upto_ns > at->ns)
		pt_span_pass_about(stack, x->last[id].clock + (upto_ns - at->ns), at->error_ns);
}

/* A source saw nothing for a while: what is open on its variables is unknown. */
static void gap(struct signalled *x, const struct pt_signal *signal)
{
	struct pt_span_at at = { signal->own_ns, signal->at.ns, 0, PT_UNKNOWN };
	bool known = false;

	for (size_t i = 0; i < PT_SIGNALS_MAX; i++) {
		if (x->stack[i] == NULL || x->source[i] != signal->source)
			continue;
		pt_span_gap(x->stack[i], &at);
		known = true;
	}
	for (size_t i = 0; i < x->n_of_task; i++)
		if (x->source[x->of_task[i].id] == signal->source) {
			pt_span_gap(x->of_task[i].stack, &at);
			x->of_task[i].away = false;
		}
	for (size_t i = 0; i < PT_RUN_CORES; i++)
		if (x->task_source[i] == signal->source)
			x->running[i] = PT_UNKNOWN;
	pt_signal_gaps_take(&x->gaps, signal, known);
}

static void take_signals(void *analysis, const struct pt_signal *signal, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (signal[i].kind == PT_SIGNAL_SPAN)
			span(analysis, &signal[i]);
		else if ((signal[i].kind == PT_SIGNAL_ISR || signal[i].kind == PT_SIGNAL_SERVICE) && !signal[i].read)
			take_system(analysis, &signal[i]);
		else if (signal[i].kind == PT_SIGNAL_TASK)
			take_task(analysis, &signal[i]);
		else if (signal[i].kind == PT_SIGNAL_GAP)
			gap(analysis, &signal[i]);
	}
}

static void take_seen(void *analysis, uint16_t source, uint64_t upto_ns)
{
	struct signalled *x = analysis;

	for (size_t i = 0; i < PT_SIGNALS_MAX; i++)
		if (x->stack[i] != NULL && x->source[i] == source)
			pass(x, x->stack[i], i, upto_ns);
	for (size_t i = 0; i < x->n_of_task; i++)
		if (x->source[x->of_task[i].id] == source && !x->of_task[i].away)
			pass(x, x->of_task[i].stack, x->of_task[i].id, upto_ns);
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct signalled *x = analysis;
	bool counted[PT_SIGNAL_SOURCES] = { false };

	x->result = *pt_span_result(x->set);
	x->result.dropped = x->dropped;
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++)
		if (x->stack[i] != NULL && x->source[i] < PT_SIGNAL_SOURCES && !counted[x->source[i]]) {
			counted[x->source[i]] = true;
			x->result.lost += x->gaps.n[x->source[i]];
		}
	profile->signalled = &x->result;
}

static void signalled_free(void *analysis)
{
	struct signalled *x = analysis;

	pt_span_set_free(x->set);
	free(x->name);
	free(x);
}

static void *signalled_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct signalled *x = pt_alloc(sizeof(*x));

	(void)err;
	x->signals = setup->signals;
	memset(x->running, 0xff, sizeof(x->running));	/* PT_UNKNOWN */
	x->set = pt_span_set_new(ROWS);
	x->name = pt_alloc_array(ROWS, sizeof(*x->name));
	pt_span_set_use(x->set, 0);
	return x;
}

const struct pt_analysis pt_analysis_signalled = {
	.name = "signalled",
	.help = "spans that the program signals: nested ids, two-point timing, ISR2s and services of its OS", .standard = true,
	.open = signalled_new, .close = signalled_free, .signals = take_signals, .seen = take_seen,
	.result = give,
};
