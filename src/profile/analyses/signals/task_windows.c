/* What windows in bursts (flow/windows.h) say of tasks: the share of time that each one's slices took. When slices began
 * and ended a burst hardly ever sees: figures of whole slices are left out.
 *
 * A task's share is the sum of what each function was of it, so that functions have the same share here as in all
 * tables: where samples were taken between the bursts they are the samples', divided among tasks as the bursts divide
 * them (calibration.h). Whose a slice is may be known at its end alone: until then its ticks wait. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/signals/task_parts.h"

enum { SLOTS = 2 * PT_TASK_FUNCTIONS_MAX, PIECES = 1024 };

struct cell {			/* a function of a task */
	uint16_t row, function;
	bool irq;
	uint64_t ticks;		/* in the window */
	struct pt_cluster_sum net;
	double with_own;	/* sum over windows of its net times that of its function */
};

struct piece { uint16_t function; bool irq; uint64_t ticks; };

struct core {
	bool open;		/* a window */
	struct piece piece[PIECES];	/* of the slice, in the window */
	size_t n_pieces;
};

struct pt_task_windows {
	struct pt_cluster_sum run[PT_TASKS_MAX];	/* by row */
	uint64_t ticks[PT_TASKS_MAX];	/* in the window */
	struct core core[PT_TASK_CORES];
	struct cell cell[PT_TASK_FUNCTIONS_MAX];
	uint16_t slot[SLOTS];		/* index + 1 */
	size_t n_cells;
	uint16_t touched[PT_TASK_FUNCTIONS_MAX];
	size_t n_touched;
	struct pt_task_part part[PT_TASK_FUNCTIONS_MAX];
	size_t n_parts;
};

/* --- a window */

static struct cell *cell_of(struct pt_task_windows *w, uint16_t row, const struct piece *piece)
{
	size_t at = ((((size_t)row << 16 | piece->function) << 1 | piece->irq) * 2654435761u >> 8) % SLOTS;

	for (; w->slot[at] != 0; at = (at + 1) % SLOTS) {
		struct cell *cell = &w->cell[w->slot[at] - 1];

		if (cell->row == row && cell->function == piece->function && cell->irq == piece->irq)
			return cell;
	}
	if (w->n_cells == PT_TASK_FUNCTIONS_MAX)
		return NULL;
	w->cell[w->n_cells] = (struct cell){ .row = row, .function = piece->function, .irq = piece->irq };
	w->slot[at] = (uint16_t)++w->n_cells;
	return &w->cell[w->n_cells - 1];
}

void pt_task_windows_charge(struct pt_tasks_analysis *t, uint16_t number, uint16_t function, uint64_t ticks)
{
	struct core *core = number < PT_TASK_CORES ? &t->windows->core[number] : NULL;
	bool irq = core != NULL && t->core[number].irq_depth > 0;
	size_t i = 0;

	if (core == NULL || !core->open)
		return;
	while (i < core->n_pieces && (core->piece[i].function != function || core->piece[i].irq != irq))
		i++;
	if (i == PIECES) {
		t->dropped++;
		return;
	}
	if (i == core->n_pieces)
		core->piece[core->n_pieces++] = (struct piece){ .function = function, .irq = irq };
	core->piece[i].ticks += ticks;
}

void pt_task_windows_slice(struct pt_tasks_analysis *t, uint16_t number, const struct pt_task *task)
{
	struct pt_task_windows *w = t->windows;
	struct core *core = number < PT_TASK_CORES ? &w->core[number] : NULL;
	uint16_t row = (uint16_t)(task - t->rows.task);

	for (size_t i = 0; core != NULL && i < core->n_pieces; i++) {
		struct cell *cell = cell_of(w, row, &core->piece[i]);

		w->ticks[row] += core->piece[i].ticks;
		if (cell == NULL) {
			t->dropped++;
			continue;
		}
		if (cell->ticks == 0)
			w->touched[w->n_touched++] = (uint16_t)(cell - w->cell);
		cell->ticks += core->piece[i].ticks;
	}
	if (core != NULL)
		core->n_pieces = 0;
}

static bool is_on(const struct pt_tasks_analysis *t, const struct cell *cell, uint16_t core)
{
	return t->rows.task[cell->row].core == core;
}

/* What its function had in the window, of all tasks of the core. */
static double own_of(const struct pt_tasks_analysis *t, uint16_t function, uint16_t core)
{
	const struct pt_task_windows *w = t->windows;
	uint64_t own = 0;

	for (size_t i = 0; i < w->n_touched; i++) {
		const struct cell *cell = &w->cell[w->touched[i]];

		own += cell->function == function && is_on(t, cell, core) ? cell->ticks : 0;
	}
	return (double)own;
}

/* Cells of the core that have something: window NULL: of no window. */
static void fold_cells(struct pt_tasks_analysis *t, uint16_t core, const struct pt_time_window *window)
{
	struct pt_task_windows *w = t->windows;
	size_t kept = 0;

	for (size_t i = 0; i < w->n_touched && window != NULL; i++) {
		struct cell *cell = &w->cell[w->touched[i]];
		double x = (double)cell->ticks * window->scale;

		if (!is_on(t, cell, core))
			continue;
		pt_cluster_add(&cell->net, x, window->weight);
		cell->with_own += x * own_of(t, cell->function, core) * window->scale;
	}
	for (size_t i = 0; i < w->n_touched; i++) {
		if (is_on(t, &w->cell[w->touched[i]], core))
			w->cell[w->touched[i]].ticks = 0;
		else
			w->touched[kept++] = w->touched[i];
	}
	w->n_touched = kept;
}

static void fold_rows(struct pt_tasks_analysis *t, uint16_t core, const struct pt_time_window *window)
{
	struct pt_task_windows *w = t->windows;

	for (size_t i = 0; i < t->rows.n; i++) {
		if (t->rows.task[i].core != core)
			continue;
		if (window != NULL && w->ticks[i] != 0)
			pt_cluster_add(&w->run[i], (double)w->ticks[i] * window->scale, window->weight);
		w->ticks[i] = 0;
	}
}

void pt_task_windows_edge(struct pt_tasks_analysis *t, uint16_t number, const struct pt_time_window *window)
{
	const struct pt_task *open;
	struct core *core;

	if (!t->takes_steps || t->by_signals || number >= PT_TASK_CORES)
		return;
	if (t->windows == NULL)
		t->windows = pt_alloc(sizeof(*t->windows));
	core = &t->windows->core[number];
	open = pt_task_open_row(t, number);
	if (core->open && open != NULL)
		pt_task_windows_slice(t, number, open);
	fold_cells(t, number, core->open ? window : NULL);
	fold_rows(t, number, core->open ? window : NULL);
	core->open = window == NULL;
	core->n_pieces = 0;
}

/* --- result */

static void add_part(struct pt_task_windows *w, uint16_t row, uint16_t function, bool irq, const struct pt_share *share)
{
	if (w->n_parts < PT_TASK_FUNCTIONS_MAX)
		w->part[w->n_parts++] = (struct pt_task_part){ row, function, irq, *share };
}

struct errors { double below, above; };		/* of a row: the samples' part */

static struct pt_share share_of(const struct cell *cell, const struct pt_profile_core *core, struct errors *errors)
{
	const struct pt_calibration *c = core->calibration != NULL ? &core->calibration[cell->function] : NULL;
	struct pt_share share;
	double by;

	if (c == NULL)
		return pt_cluster_share(&core->windows, &cell->net);
	share = pt_calibrated_share(c, &core->windows, &cell->net, cell->with_own);
	by = c->share.share > 0 ? share.share / c->share.share : 0;
	errors->below += (c->share.share - c->share.lo) * by;
	errors->above += (c->share.hi - c->share.share) * by;
	return share;
}

static void give_row(struct pt_tasks_analysis *t, size_t row, const struct pt_profile_core *core)
{
	struct pt_task_windows *w = t->windows;
	struct pt_task *task = &t->shown_rows.task[row];
	struct pt_share sum = { 0 }, alone = pt_cluster_share(&core->windows, &w->run[row]);
	struct errors errors = { 0 };
	double irq = 0;

	for (size_t i = 0; i < w->n_cells; i++) {
		struct pt_share share;

		if (w->cell[i].row != row || w->cell[i].net.x <= 0)
			continue;
		share = share_of(&w->cell[i], core, &errors);
		pt_share_add(&sum, &share);
		irq += w->cell[i].irq ? share.share : 0;
		add_part(w, (uint16_t)row, w->cell[i].function, w->cell[i].irq, &share);
	}
	if (core->calibration != NULL)
		pt_calibrated_narrow(&sum, &alone, errors.below, errors.above);
	task->share = core->calibration != NULL ? sum : alone;
	task->run = pt_profile_scaled(core, task->share.share);
	task->interrupts = pt_profile_scaled(core, irq);
	task->net = task->run - (task->interrupts < task->run ? task->interrupts : task->run);
	task->activations = task->partial = PT_UNKNOWN;
	task->slice = task->period = task->suspended = task->lifetime = pt_stat_empty();
}

/* Functions that were sampled and are in no window: whose they were is not known. */
static void give_unseen(struct pt_tasks_analysis *t, const struct pt_profile_core *core, size_t n_functions)
{
	struct pt_task *task = NULL;

	for (size_t id = 0; id < n_functions; id++) {
		const struct pt_calibration *c = &core->calibration[id];

		if (c->share.share <= 0 || c->windows.own.x > 0)
			continue;
		if (task == NULL)
			task = pt_task_row(&t->shown_rows, PT_TASK_UNKNOWN, 0, core->core);
		if (task == NULL)
			return;
		pt_share_add(&task->share, &c->share);
		add_part(t->windows, (uint16_t)(task - t->shown_rows.task), (uint16_t)id, false, &c->share);
	}
	if (task == NULL)
		return;
	task->run = pt_profile_scaled(core, task->share.share);
	task->net = task->run - (task->interrupts < task->run ? task->interrupts : task->run);
	task->activations = task->partial = PT_UNKNOWN;
}

void pt_task_windows_give(struct pt_tasks_analysis *t, const struct pt_profile *profile)
{
	if (t->windows == NULL)
		return;
	t->windows->n_parts = 0;
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct pt_profile_core *core = pt_profile_windowed(profile, t->rows.task[i].core);

		if (core != NULL && core->windows.y > 0)
			give_row(t, i, core);
	}
	for (size_t i = 0; i < profile->n_cores; i++)
		if (profile->core[i].windowed && profile->core[i].calibration != NULL)
			give_unseen(t, &profile->core[i], t->rows.n_functions + 1);
}

struct pt_task_part *pt_task_windows_parts(struct pt_tasks_analysis *t, size_t *n)
{
	*n = t->windows->n_parts;
	return t->windows->part;
}
