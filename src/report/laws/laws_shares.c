/* Law 2: the shares of a function in a view, added up over its rows, equal its share in the table of functions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "profile/analyses/calls/tree.h"
#include "profile/analyses/signals/tasks.h"
#include "report/laws/laws_parts.h"
#include "report/shared/stacks.h"
#include "report/table/names.h"
#include "report/views/views.h"

struct share { const char *name; uint64_t core; double in_functions, elsewhere; };

static int by_name(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->core > y->core) - (x->core < y->core);
}

static struct share *find(struct share *share, size_t n, const char *name, uint64_t core)
{
	const struct share key = { .name = name, .core = core };

	return name != NULL ? bsearch(&key, share, n, sizeof(*share), by_name) : NULL;
}

static uint64_t core_of(const struct pt_profile *p, const struct pt_value *value, int column)
{
	return p->n_cores > 1 && column >= 0 ? value[column].u : 0;
}

/* Adds up functions with the same name and core. Returns their number. */
static size_t functions(const struct pt_profile *p, struct share *share)
{
	const struct pt_view *view = pt_view_find("functions");
	int name = pt_law_column(view, "name"), part = pt_law_column(view, "net_share");
	int core = pt_law_column(view, "core");
	struct pt_value value[PT_LAW_COLUMNS];
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < pt_law_rows(view, p); i++) {
		view->row(p, i, value);
		share[n++] = (struct share){ value[name].text, core_of(p, value, core),
					     isnan(value[part].f) ? 0 : value[part].f, 0 };
	}
	qsort(share, n, sizeof(*share), by_name);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && by_name(&share[kept - 1], &share[i]) == 0)
			share[kept - 1].in_functions += share[i].in_functions;
		else
			share[kept++] = share[i];
	}
	return kept;
}

/* by: the error of figures in tables of whole numbers. Code without a function is skipped: it is a remainder that not
 * every table has. */
static void compare(struct pt_law_check *check, const char *table, double by, struct share *share, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (share[i].name[0] != '(' && fabs(share[i].in_functions - share[i].elsewhere) > 1e-6 + by) {
			pt_law_violated(check, PT_LAW_SHARES, table, "%s has %.4f %%, and %.4f %% in functions",
					share[i].name, share[i].elsewhere * 100, share[i].in_functions * 100);
			break;	/* one is enough */
		}
	}
	for (size_t i = 0; i < n; i++)
		share[i].elsewhere = 0;
}

static void check_view(struct pt_law_check *check, const char *table, const char *key, struct share *share, size_t n)
{
	const struct pt_view *view = pt_view_find(table);
	int name = pt_law_column(view, key), part = pt_law_column(view, "net_share"),
	    core = pt_law_column(view, "core");
	struct pt_value value[PT_LAW_COLUMNS];
	size_t rows = pt_law_rows(view, check->profile);

	for (size_t i = 0; i < rows; i++) {
		struct share *at;

		view->row(check->profile, i, value);
		at = find(share, n, value[name].text, core_of(check->profile, value, core));
		if (at != NULL && !isnan(value[part].f))
			at->elsewhere += value[part].f;
	}
	if (rows > 0)
		compare(check, table, 0, share, n);
}

/* Checks the chains of which flame graphs and most formats are made; on one core only, where their shares are those of
 * the tables. */
static void check_chains(struct pt_law_check *check, struct share *share, size_t n)
{
	const struct pt_tree *tree = check->profile->tree;
	struct pt_stacks stacks;
	double rounded;		/* number of rounded figures in the chains' sums */

	if (check->profile->n_cores > 1 || pt_stacks_make(&stacks, check->profile, PT_STACKS_BY_NAME, NULL) < 0)
		return;
	for (size_t i = 1; i < stacks.n_nodes; i++) {
		struct share *at = find(share, n, stacks.node[i].name, 0);

		if (at != NULL && stacks.node[0].total > 0)
			at->elsewhere += (double)stacks.node[i].self / (double)stacks.node[0].total;
	}
	rounded = (double)(tree != NULL && tree->n_nodes > stacks.n_nodes ? tree->n_nodes : stacks.n_nodes);
	if (stacks.n_nodes > 1)
		compare(check, "chains", stacks.node[0].total > 0 ? rounded / (double)stacks.node[0].total : 0, share,
			n);
	pt_stacks_free(&stacks);
}

/* The parts of a function in all tasks add up to its share, and the parts of all functions in a task to the task's
 * share. */
static void check_tasks(struct pt_law_check *check, struct share *share, size_t n)
{
	const struct pt_profile *p = check->profile;
	const struct pt_tasks *tasks = p->tasks;

	if (tasks == NULL || tasks->n_parts == 0 || tasks->dropped != 0)
		return;
	for (size_t i = 0; i < tasks->n_parts; i++) {
		const struct pt_task_part *part = &tasks->part[i];
		struct share *at = find(share, n, pt_name_of_function(p, part->function),
					p->n_cores > 1 ? tasks->task[part->task].core : 0);

		if (at != NULL)
			at->elsewhere += part->share.share;
	}
	compare(check, "tasks", 0, share, n);
	for (size_t row = 0; row < tasks->n_tasks; row++) {
		double sum = 0, all = pt_task_load(tasks, &tasks->task[row]);

		for (size_t i = 0; i < tasks->n_parts; i++)
			sum += tasks->part[i].task == row ? tasks->part[i].share.share : 0;
		if (fabs(sum - all) > 1e-4)	/* a load is rounded to whole ticks */
			pt_law_violated(check, PT_LAW_SHARES, "tasks", "%s has %.4f %%, and %.4f %% in its functions",
					tasks->task[row].name, all * 100, sum * 100);
	}
}

/* The rows of a task, including the rest, add up to its time. */
static void check_functions_of_tasks(struct pt_law_check *check)
{
	const struct pt_tasks *tasks = check->profile->tasks;
	size_t n = tasks != NULL ? tasks->n_functions : 0;

	for (size_t i = 0, first = 0; i < n; i++) {
		const struct pt_task *task = &tasks->task[tasks->function[i].task];
		double share = 0;
		uint64_t net = 0;

		if (i + 1 < n && tasks->function[i + 1].task == tasks->function[i].task)
			continue;
		for (; first <= i; first++) {
			share += tasks->function[first].share.share;
			net += tasks->function[first].net;
		}
		if (tasks->functions_by == PT_TASK_BY_FLOW ? net != task->net + task->interrupts
							   : fabs(share - 1) > 1e-6)
			pt_law_violated(check, PT_LAW_SHARES, "task_functions",
					"%s has %.4f %% of its time in its rows", task->name,
					tasks->functions_by == PT_TASK_BY_FLOW
						? 100 * (double)net / (double)(task->net + task->interrupts)
						: 100 * share);
	}
}

/* On each core, runs and samples are combined to one estimate. */
static bool all_calibrated(const struct pt_profile *p)
{
	for (size_t i = 0; i < p->n_cores; i++)
		if (p->core[i].calibration == NULL || !p->core[i].windowed)
			return false;
	return true;
}

void pt_law_shares(struct pt_law_check *check)
{
	const struct pt_profile *p = check->profile;
	struct share *share;
	size_t n;

	check_functions_of_tasks(check);
	if (p->part_shown || p->n_functions == 0 || p->shares == PT_BASIS_NONE)
		return;
	if (p->branches != 0 && ((p->samples != 0 && !all_calibrated(p)) || !pt_law_of_runs(p)))
		return;		/* the functions' rows come from both; or only some functions are shown */
	share = pt_alloc_array(pt_law_rows(pt_view_find("functions"), p), sizeof(*share));
	n = functions(p, share);
	check_view(check, "instructions", "function", share, n);
	check_view(check, "tree", "name", share, n);
	check_chains(check, share, n);
	check_tasks(check, share, n);
	free(share);
}
