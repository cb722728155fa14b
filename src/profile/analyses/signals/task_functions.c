/* The functions of each task. Flow counts them exactly, if analysis=tasks asks for it. Bursts estimate them, for tasks that
 * flow found. So do samples that come in one stream with the signals that name tasks. The rows of a task add up to its time:
 * one more row has the rest. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/analyses/signals/task_parts.h"

/* Both the function's part and the task's are intervals of 95 %: wider ones by 97.5 % hold for their quotient. */
static const double WIDER = 2.2414 / 1.9600;

/* --- by flow */

/* Pairs for which there was no room leave a rest. */
static size_t give_rests_of_flow(const struct pt_tasks_analysis *t, struct pt_task_function *out, size_t n)
{
	size_t shown = n;

	for (size_t row = 0; row < t->result.n_tasks; row++) {
		uint64_t all = t->shown[row].net + t->shown[row].interrupts, net = 0;
		bool any = false;

		for (size_t i = 0; i < shown; i++) {
			any |= out[i].task == row;
			net += out[i].task == row ? out[i].net : 0;
		}
		if (any && net < all)
			out[n++] = (struct pt_task_function){ .task = (uint16_t)row, .kind = PT_TASK_REST,
							      .net = all - net, .count = PT_UNKNOWN, .gross = PT_UNKNOWN };
	}
	return n;
}

static size_t give_flow(struct pt_tasks_analysis *t, struct pt_task_function *out)
{
	uint16_t index[PT_TASKS_MAX] = { 0 };
	size_t shown = 0;

	for (size_t i = 0; i < t->rows.n; i++)
		index[i] = (uint16_t)pt_task_find(t->shown, t->result.n_tasks, &t->rows.task[i]);
	for (size_t i = 0; i < t->n_functions; i++) {
		struct pt_task_function pair = t->function[i];

		pair.task = index[pair.task];
		if (pair.task < t->result.n_tasks && (pair.count | pair.net | pair.gross) != 0)
			out[shown++] = pair;
	}
	return give_rests_of_flow(t, out, shown);
}

/* --- by windows */

static double wider(double mid, double limit)
{
	return mid + (limit - mid) * WIDER;
}

/* A part of its task, both known as shares of the core's time. */
static struct pt_share quotient(const struct pt_share *part, const struct pt_share *task)
{
	double least = fmax(0, wider(task->share, task->lo)), most = fmin(1, wider(task->share, task->hi));

	return (struct pt_share){
		.share = fmin(1, part->share / task->share),
		.lo = most > 0 ? fmax(0, wider(part->share, part->lo)) / most : 0,
		.hi = least > 0 ? fmin(1, wider(part->share, part->hi) / least) : 1,
	};
}

/* A handler that is called as a function, too, has two parts, and one row. */
static size_t add_part(const struct pt_task_part *part, const struct pt_share *task, struct pt_task_function *out,
		       size_t n)
{
	struct pt_share share = quotient(&part->share, task);

	for (size_t i = n; i-- > 0 && out[i].task == part->task;)
		if (out[i].function == part->function) {
			pt_share_add(&out[i].share, &share);
			return n;
		}
	out[n] = (struct pt_task_function){ .task = part->task, .function = part->function, .share = share };
	return n + 1;
}

/* Functions that no window saw, and those for which there was no room. */
static struct pt_task_function rest_of_windows(const struct pt_task *task, size_t row, double seen, double unseen)
{
	double rest = fmax(0, 1 - seen), least = fmax(0, wider(task->share.share, task->share.lo));

	rest = rest > 1e-9 ? rest : 0;
	return (struct pt_task_function){
		.task = (uint16_t)row, .kind = PT_TASK_REST,
		.share = { .share = rest, .lo = 0, .hi = least > 0 ? fmin(1, rest + unseen / least) : 1 },
	};
}

static size_t give_windows(const struct pt_tasks_analysis *t, double unseen, struct pt_task_function *out)
{
	size_t n = 0;

	for (size_t row = 0; row < t->result.n_tasks; row++) {
		const struct pt_task *task = &t->shown[row];
		size_t first = n;
		double seen = 0;

		for (size_t i = 0; i < t->result.n_parts && task->share.share > 0; i++)
			if (t->result.part[i].task == row && t->result.part[i].share.share > 0)
				n = add_part(&t->result.part[i], &task->share, out, n);
		for (size_t i = first; i < n; i++)
			seen += out[i].share.share;
		if (n > first)
			out[n++] = rest_of_windows(task, row, seen, unseen);
	}
	return n;
}

/* --- */

static int by_task_and_size(const void *a, const void *b)
{
	const struct pt_task_function *x = a, *y = b;
	bool x_rest = x->kind == PT_TASK_REST, y_rest = y->kind == PT_TASK_REST;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x_rest != y_rest)
		return x_rest ? 1 : -1;
	if (x->share.share != y->share.share)
		return x->share.share > y->share.share ? -1 : 1;
	if (x->net != y->net)
		return x->net > y->net ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

void pt_task_functions_give(struct pt_tasks_analysis *t, const struct pt_profile *profile, bool windowed)
{
	enum pt_task_functions_by by = PT_TASK_BY_FLOW;
	size_t n;

	if (t->shown_functions == NULL && (windowed || t->n_functions > 0 || t->samples != NULL))
		t->shown_functions = pt_alloc_array(PT_TASK_ROWS_MAX, sizeof(*t->shown_functions));
	n = t->shown_functions != NULL && !windowed ? give_flow(t, t->shown_functions) : 0;
	if (windowed) {
		by = PT_TASK_BY_WINDOWS;
		n = give_windows(t, profile->unseen.hi, t->shown_functions);
	} else if (n == 0 && t->samples != NULL) {
		by = PT_TASK_BY_SAMPLES;
		n = pt_task_samples_give(t, profile->samples_missed, t->shown_functions, PT_TASK_ROWS_MAX);
	}
	if (n > 0)
		qsort(t->shown_functions, n, sizeof(*t->shown_functions), by_task_and_size);
	t->result.functions_by = n > 0 ? by : PT_TASK_BY_NOTHING;
	t->result.function = t->shown_functions;
	t->result.n_functions = n;
}
