/* What windows in bursts (flow/windows.h) say of tasks: the share of time that each one's slices took. When slices began
 * and ended a burst hardly ever sees: figures of whole slices are left out. */
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/analyses/signals/task_parts.h"

struct figures { uint64_t run, net, interrupts; };

struct row {
	struct figures base;		/* where the window began */
	struct pt_cluster_sum run;
	double net, interrupts;
};

struct pt_task_windows {
	struct row row[PT_TASKS_MAX];	/* as shown_rows has them, whose order does not change */
	bool open;
};

static struct figures figures_of(const struct pt_task *task)
{
	return (struct figures){ task->run, task->net, task->interrupts };
}

void pt_task_windows_edge(struct pt_tasks_analysis *t, uint16_t core, const struct pt_time_window *window)
{
	struct pt_task_windows *w = t->windows;

	if (!t->takes_steps || t->by_signals)
		return;
	if (w == NULL)
		w = t->windows = pt_alloc(sizeof(*w));
	pt_task_steps_show(t);
	for (size_t i = 0; i < t->shown_rows.n; i++) {
		struct row *row = &w->row[i];
		struct figures now = figures_of(&t->shown_rows.task[i]);

		if (t->shown_rows.task[i].core != core)
			continue;
		if (window != NULL && w->open) {
			pt_cluster_add(&row->run, (double)(now.run - row->base.run) * window->scale, window->weight);
			row->net += (double)(now.net - row->base.net) * window->scale;
			row->interrupts += (double)(now.interrupts - row->base.interrupts) * window->scale;
		}
		row->base = now;
	}
	w->open = window == NULL;
}

void pt_task_windows_give(struct pt_tasks_analysis *t, const struct pt_profile *profile)
{
	for (size_t i = 0; t->windows != NULL && i < t->shown_rows.n; i++) {
		struct pt_task *task = &t->shown_rows.task[i];
		const struct pt_profile_core *core = pt_profile_windowed(profile, task->core);
		const struct row *row = &t->windows->row[i];

		if (core == NULL || core->windows.y <= 0)
			continue;
		task->share = pt_cluster_share(&core->windows, &row->run);
		task->run = pt_profile_scaled(core, task->share.share);
		task->net = pt_profile_scaled(core, row->net / core->windows.y);
		task->interrupts = pt_profile_scaled(core, row->interrupts / core->windows.y);
		task->activations = task->partial = PT_UNKNOWN;
		task->slice = task->period = task->suspended = task->lifetime = pt_stat_empty();
	}
}
