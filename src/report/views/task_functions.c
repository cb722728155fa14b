/* The functions of each task; `functions task=NAME` shows those of one task. The rows of a task add up to its time,
 * with one row for the rest. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>

#include "base/util.h"
#include "profile/analyses/signals/tasks.h"
#include "profile/result/profile.h"
#include "report/table/names.h"
#include "report/table/query.h"
#include "report/table/view.h"
#include "report/views/flow_share.h"

extern const struct pt_view pt_view_task_functions;

static const struct pt_column columns[] = {
	{ "task", "task", PT_UNIT_NONE, PT_ALWAYS },
	{ "name", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "core", "core", PT_UNIT_COUNT, PT_IF_CORES },
	{ "samples", "samples", PT_UNIT_COUNT, PT_IF_ROOM },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "net", "self", PT_UNIT_TICKS, PT_ALWAYS },
	{ "net_ns", "time", PT_UNIT_NS, PT_ALWAYS },	/* by samples */
	{ "net_share", "self %", PT_UNIT_SHARE, PT_ALWAYS },	/* of the task's time */
	{ "gross", "total", PT_UNIT_TICKS, PT_ALWAYS },
};

static const struct pt_tasks *tasks_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->tasks;
}

static size_t n_rows(const void *subject)
{
	return tasks_of(subject) != NULL ? tasks_of(subject)->n_functions : (size_t)PT_NOT_MADE;
}

static const char *name_of(const struct pt_profile *p, const struct pt_task_function *f)
{
	if (f->kind == PT_TASK_ASLEEP)
		return "(asleep)";
	return f->kind == PT_TASK_REST ? "(not listed)" : pt_name_of_function(p, f->function);
}

static struct pt_value none(void)
{
	return (struct pt_value){ .u = PT_UNKNOWN };
}

static struct pt_value share_of(const struct pt_profile *p, const struct pt_task_function *f)
{
	const struct pt_task *task = &p->tasks->task[f->task];
	const struct pt_share *s = &f->share;

	if (p->tasks->functions_by == PT_TASK_BY_FLOW)
		return pt_flow_share(p, task->core, f->net, task->net + task->interrupts, s);
	if (p->tasks->functions_by == PT_TASK_BY_SAMPLES &&
	    s->hi <= s->lo) /* an unknown number of samples is missing */
		return (struct pt_value){ .f = NAN };
	return (struct pt_value){ .f = s->share, .lo = s->lo, .hi = s->hi, .basis = PT_BASIS_ESTIMATED };
}

/* By samples: the share applied to the time of the task's slices. */
static struct pt_value time_of_samples(const struct pt_profile *p, const struct pt_task *task, struct pt_value share)
{
	double run = (double)task->run, error = (double)pt_task_run_error(task) + run * p->stamps_wrong;

	if (p->tasks->functions_by != PT_TASK_BY_SAMPLES || isnan(share.f) || task->missing)
		return none();
	return (struct pt_value){
		.u = (uint64_t)llround(share.f * run), .lo = share.lo * fmax(0, run - error), .hi = share.hi * (run + error),
		.basis = PT_BASIS_ESTIMATED, .interval_beside = error == 0,
	};
}

/* By flow. A lower bound if some code ran in an unknown task: it may have been this one. */
static struct pt_value seen(const struct pt_profile *p, const struct pt_task *task, uint64_t u, enum pt_basis basis)
{
	const struct pt_task *unknown = pt_task_unknown_beside(p->tasks, task);
	struct pt_value v = pt_flow_number(p, task->core, u, basis);

	if (p->tasks->functions_by != PT_TASK_BY_FLOW)
		return none();
	v.at_least |= v.basis != PT_BASIS_NONE && unknown != NULL && unknown->run > 0;
	return v;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_task_function *f = &p->tasks->function[i];
	const struct pt_task *task = &p->tasks->task[f->task];
	struct pt_value share = share_of(p, f);

	*out++ = (struct pt_value){ .text = task->name };
	*out++ = (struct pt_value){ .text = name_of(p, f) };
	*out++ = (struct pt_value){ .u = task->core, .basis = PT_BASIS_EXACT };
	*out++ = p->tasks->functions_by == PT_TASK_BY_SAMPLES && f->kind != PT_TASK_REST
			 ? (struct pt_value){ .u = f->samples, .basis = PT_BASIS_EXACT }
			 : none();
	*out++ = seen(p, task, f->count, p->counts);
	*out++ = seen(p, task, f->net, p->times);
	*out++ = time_of_samples(p, task, share);
	*out++ = share;
	*out++ = seen(p, task, f->gross, p->times);
}

static bool match(const void *subject, size_t i, const struct pt_query *query)
{
	const struct pt_profile *p = subject;
	const struct pt_task_function *f = &p->tasks->function[i];
	const char *task = p->tasks->task[f->task].name, *name = name_of(p, f);

	return (query->task[0] == '\0' || (task != NULL && fnmatch(query->task, task, 0) == 0)) &&
	       (query->name[0] == '\0' || (name != NULL && fnmatch(query->name, name, 0) == 0));
}

static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	static const char *const time[] = {
		[PT_TASK_BY_FLOW] = "self and its interrupts, as the branch trace has them",
		[PT_TASK_BY_WINDOWS] = "its part of the bursts, its interrupts included",
		[PT_TASK_BY_SAMPLES] = "its slices by the signals of the running task, with interrupts and sleep in them",
	};
	const struct pt_tasks *tasks = tasks_of(subject);

	(void)shown;
	if (tasks->functions_by == PT_TASK_BY_NOTHING)
		return false;
	snprintf(out, room, "self %%: of the task's time, which is %s; a task's rows add up to it",
		 time[tasks->functions_by]);
	return true;
}

const struct pt_view pt_view_task_functions = {
	.name = "task_functions", .help = "functions of each task: functions task=NAME", .needs = "tasks",
	.empty = "--analysis tasks makes it from a branch trace; --orti FILE from pin SWO, where the samples come with the "
		 "writes of the running task (--source swo --set trace=task,pc-samples)",
	.empty_in_gdb = "analysis=tasks makes it from a branch trace; monitor orti auto from pin SWO, where the "
			"samples come with the writes of the running task (source=swo trace=task,pc-samples)",
	.bulky = true, .match = match, .remark = remark, .columns = columns, .n_columns = PT_LEN(columns),
	.n_rows = n_rows, .row = row,
};
