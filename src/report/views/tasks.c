/* One row per task: how often it ran, how long, how far apart, its share. */
#include <math.h>

#include "profile/result/profile.h"
#include "profile/analyses/signals/tasks.h"
#include "report/table/view.h"
#include "report/views/times.h"
#include "base/util.h"

extern const struct pt_view pt_view_tasks;

enum { ACTIVATIONS = 19, RESPONSE = ACTIVATIONS + 4 };	/* columns; ACTIVATIONS: the first after those of slices */

#define SPREAD(kind, heading, brief)                                                                                \
	{ kind "_ns.min", heading "min", PT_UNIT_NS, brief },                                                       \
	{ kind "_ns.avg", heading "avg", PT_UNIT_NS_MEAN, brief },                                                  \
	{ kind "_ns.max", heading "max", PT_UNIT_NS, brief }

static const struct pt_column columns[] = {
	{ "name", "task", PT_UNIT_NONE, PT_ALWAYS },
	{ "known_by", "known by", PT_UNIT_NONE, PT_IF_WIDE },
	{ "core", "core", PT_UNIT_COUNT, PT_IF_CORES },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "partial", "partial", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "run_ns.total", "run", PT_UNIT_NS, PT_ALWAYS },
	{ "load", "load %", PT_UNIT_SHARE, PT_ALWAYS },
	SPREAD("slice", "slice ", PT_IF_ROOM),
	SPREAD("period", "per ", PT_IF_MUCH_ROOM),
	{ "suspended_ns.total", "suspended", PT_UNIT_NS, PT_IF_WIDE },
	SPREAD("suspended", "susp ", PT_IF_WIDE),
	{ "isr2_ns.total", "in isr2", PT_UNIT_NS, PT_IF_MUCH_ROOM },
	{ "net_ns.total", "run self", PT_UNIT_NS, PT_IF_MUCH_ROOM },
	[ACTIVATIONS] = { "activations", "activations", PT_UNIT_COUNT, PT_IF_ROOM },
	{ "releases", "releases", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "preemptions", "preemptions", PT_UNIT_COUNT, PT_IF_ROOM },
	{ "responses", "responses", PT_UNIT_COUNT, PT_IF_ROOM },
	SPREAD("response", "resp ", PT_IF_ROOM),
	{ "gross", "total", PT_UNIT_TICKS, PT_IF_WIDE },
	{ "net", "self", PT_UNIT_TICKS, PT_IF_ROOM },
	{ "interrupts", "interrupts", PT_UNIT_TICKS, PT_IF_MUCH_ROOM },
	{ "undecided", "undecided", PT_UNIT_TICKS, PT_IF_MUCH_ROOM },
	{ "created", "created", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "thrown_away", "thrown away", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "lifetime.min", "life min", PT_UNIT_TICKS, PT_IF_WIDE },
	{ "lifetime.avg", "life avg", PT_UNIT_MEAN, PT_IF_WIDE },
	{ "lifetime.max", "life max", PT_UNIT_TICKS, PT_IF_WIDE },
	{ "first_ns", "first at", PT_UNIT_STAMP, PT_IF_WIDE },
	{ "last_ns", "last at", PT_UNIT_STAMP, PT_IF_WIDE },
};

static size_t n_rows(const void *subject)
{
	const struct pt_tasks *tasks = ((const struct pt_profile *)subject)->tasks;

	return tasks != NULL ? tasks->n_tasks : (size_t)PT_NOT_MADE;
}

static struct pt_value number(uint64_t u, enum pt_basis basis)
{
	return (struct pt_value){ .u = u, .basis = u != PT_UNKNOWN ? basis : PT_BASIS_NONE };
}

/* Nanoseconds per tick of the clock of slices. 0: unknown. */
static double ns_per_tick(const struct pt_profile *p)
{
	if (p->tasks->by_signals)
		return 1;
	return p->core_hz != 0 && !p->by_instructions ? 1e9 / (double)p->core_hz : 0;
}

static struct pt_value time_of(const struct pt_profile *p, const struct pt_task *task, uint64_t ticks)
{
	double scale = ns_per_tick(p);
	bool known = scale > 0 && ticks != PT_UNKNOWN;
	struct pt_value v = pt_time_value(known ? (uint64_t)llround((double)ticks * scale) : PT_UNKNOWN,
					  (uint64_t)llround((double)task->error * scale));

	if (v.basis == PT_BASIS_EXACT)
		v.basis = v.u == PT_UNKNOWN ? PT_BASIS_NONE : p->tasks->by_signals ? PT_BASIS_EXACT : p->times;
	return v;
}

/* Whether signals may be missing that show when the task ran. */
static bool is_missing(const struct pt_profile *p, const struct pt_task *task)
{
	return p->tasks->by_signals && task->missing;
}

static struct pt_value longest_of(const struct pt_profile *p, const struct pt_task *task, const struct pt_stat *stat)
{
	if (pt_stat_longest_is_bound(stat, task->error))
		return pt_duration_at_least((double)pt_stat_longest(stat, task->error) * ns_per_tick(p));
	return time_of(p, task, stat->n > 0 ? stat->max : PT_UNKNOWN);
}

static struct pt_value *spread(struct pt_value *out, const struct pt_profile *p, const struct pt_task *task,
			       const struct pt_stat *stat)
{
	bool known = stat->n > 0;
	/* Rounded as min and max are: otherwise it could lie outside them if all slices are equal. */
	double scale = ns_per_tick(p), mean = known && scale > 0 ? pt_stat_avg(stat) * scale : NAN;

	if (is_missing(p, task))
		return pt_time_longest(out, stat, task->error);
	*out++ = time_of(p, task, known ? stat->min : PT_UNKNOWN);
	*out = pt_time_mean(p->tasks->by_signals ? mean : round(mean), (uint64_t)llround((double)task->error * scale));
	if (isnan(out->f) && out->undecided_ns == 0)
		out->basis = PT_BASIS_NONE;
	out++;
	*out++ = longest_of(p, task, stat);
	return out;
}

static struct pt_value bounded(struct pt_value v, bool at_least)
{
	v.at_least = at_least && v.basis != PT_BASIS_NONE;
	return v;
}

static struct pt_value *flow_values(struct pt_value *out, const struct pt_profile *p, const struct pt_task *task,
				    bool at_least)
{
	bool known = p->tasks->flow != 0;
	const struct pt_stat *life = &task->lifetime;

	*out++ = bounded(number(known ? task->net + task->interrupts : PT_UNKNOWN, p->times), at_least);
	*out++ = bounded(number(known ? task->net : PT_UNKNOWN, p->times), at_least);
	*out++ = bounded(number(known ? task->interrupts : PT_UNKNOWN, p->times), at_least);
	*out++ = number(known ? task->undecided : PT_UNKNOWN, p->times);
	*out++ = number(known ? task->created : PT_UNKNOWN, p->counts);
	*out++ = number(known ? task->thrown_away : PT_UNKNOWN, p->counts);
	*out++ = number(life->n > 0 ? life->min : PT_UNKNOWN, p->times);
	*out++ = (struct pt_value){ .f = life->n > 0 ? pt_stat_avg(life) : NAN,
				    .basis = life->n > 0 ? p->times : PT_BASIS_NONE };
	*out++ = number(life->n > 0 ? life->max : PT_UNKNOWN, p->times);
	return out;
}

/* How long the task ran: the sum of its slices. */
static struct pt_value run_of(const struct pt_profile *p, const struct pt_task *task)
{
	struct pt_value v = time_of(p, task, task->run);

	if (v.u == PT_UNKNOWN || !p->tasks->by_signals || pt_task_run_error(task) == 0)
		return v;
	return pt_time_within(v, (double)v.u, pt_task_run_error(task));
}

/* The lower bound of the seen time: less the error of its ends. */
static uint64_t least_run(const struct pt_task *task)
{
	uint64_t error = pt_task_run_error(task);

	return task->run > error ? task->run - error : 0;
}

/* The share of the time in which the running task is known; while signals were missing, this task may have run all the
 * time or never. */
static struct pt_value load_by_signals(const struct pt_profile *p, const struct pt_task *task, double load)
{
	double known = (double)p->tasks->observed, lost = fmax(0, (double)pt_profile_run_ns(p) - known), error = 0;
	double least = (double)least_run(task) / (known + lost);

	for (size_t i = 0; i < p->tasks->n_tasks; i++)
		error += p->tasks->task[i].core == task->core ? (double)pt_task_run_error(&p->tasks->task[i]) : 0;
	if (!is_missing(p, task))
		return pt_time_share((double)task->run, (double)pt_task_run_error(task), load > 0 ? (double)task->run / load : known,
				     error);
	return (struct pt_value){ .f = least, .lo = least,
				  .hi = fmin(1, ((double)task->run + (double)pt_task_run_error(task) + lost) / (known + lost)),
				  .at_least = true, .bounds = true, .basis = PT_BASIS_ESTIMATED };
}

static struct pt_value load_of(const struct pt_profile *p, const struct pt_task *task, double load, enum pt_basis basis,
			       bool more)
{
	if (p->tasks->by_signals && !isnan(load) && p->tasks->observed > 0 && !more)
		return load_by_signals(p, task, load);
	return (struct pt_value){ .f = load, .lo = task->share.lo, .hi = task->share.hi,
				  .basis = isnan(load) ? PT_BASIS_NONE : basis, .at_least = more && !isnan(load) };
}

/* The part of the task's slices in ISR2s, and the rest: their sum is run. */
static struct pt_value *values_of_isr2(struct pt_value *out, const struct pt_profile *p, const struct pt_task *task)
{
	uint64_t net = task->run > task->isr2 ? task->run - task->isr2 : 0, error = pt_task_run_error(task);
	double more = (double)task->isr2_unsure;
	struct pt_value isr2 = number(PT_UNKNOWN, PT_BASIS_NONE), own = isr2;

	if (p->tasks->by_signals && task->isr2_known) {
		isr2 = pt_time_within((struct pt_value){ .u = task->isr2 }, (double)task->isr2, error);
		own = pt_time_within((struct pt_value){ .u = net }, (double)net, error);
	}
	if (isr2.basis != PT_BASIS_NONE && more > 0) {
		isr2 = (struct pt_value){ .u = task->isr2, .lo = fmax(0, (double)task->isr2 - (double)error),
					  .hi = (double)task->isr2 + more + (double)error, .bounds = true, .basis = PT_BASIS_ESTIMATED };
		own = (struct pt_value){ .u = net, .lo = fmax(0, (double)net - more - (double)error),
					 .hi = (double)net + (double)error, .bounds = true, .basis = PT_BASIS_ESTIMATED };
	}
	if (isr2.basis != PT_BASIS_NONE && is_missing(p, task)) {
		isr2 = bounded(number(task->isr2 > error ? task->isr2 - error : PT_UNKNOWN, PT_BASIS_ESTIMATED), true);
		own = bounded(number((double)net > more + (double)error ? net - (uint64_t)more - error : PT_UNKNOWN,
				     PT_BASIS_ESTIMATED),
			      true);
	}
	*out++ = isr2;
	*out++ = own;
	return out;
}

/* --- by states */

/* A count of n, and up to `more` others that are uncertain. */
static struct pt_value count_of_states(uint64_t n, uint64_t more, bool at_least)
{
	struct pt_value v = number(at_least && n == 0 ? PT_UNKNOWN : n, PT_BASIS_EXACT);

	if (at_least || more == 0)
		return bounded(v, at_least);
	return (struct pt_value){ .u = n, .lo = (double)n, .hi = (double)(n + more), .bounds = true,
				  .basis = PT_BASIS_ESTIMATED };
}

static struct pt_value *values_of_states(struct pt_value *out, const struct pt_task_states *s)
{
	bool writes = s != NULL && s->writes, at_least = s != NULL && (s->missing || !s->writes);

	*out++ = s != NULL ? count_of_states(s->activations, s->either + s->unsure, at_least)
			   : number(PT_UNKNOWN, PT_BASIS_NONE);
	*out++ = writes ? count_of_states(s->releases, s->either + s->unsure, at_least)
			: number(PT_UNKNOWN, PT_BASIS_NONE);
	*out++ = writes && s->runs ? count_of_states(s->preemptions, s->unsure_preemptions, at_least)
				   : number(PT_UNKNOWN, PT_BASIS_NONE);
	*out++ = s != NULL ? count_of_states(writes ? s->response.n : s->found, 0, at_least)
			   : number(PT_UNKNOWN, PT_BASIS_NONE);
	if (writes && at_least)
		return pt_time_longest(out, &s->response, s->error_ns);
	return pt_time_columns(out, writes ? &s->response : NULL, writes ? s->error_ns : 0);
}

/* A row for a task without known slices. */
static void row_by_state(const struct pt_profile *p, const struct pt_task *task, struct pt_value *out)
{
	for (size_t c = 0; c < PT_LEN(columns); c++) {
		out[c] = number(PT_UNKNOWN, PT_BASIS_NONE);
		if (pt_unit_is_real(columns[c].unit))
			out[c].f = NAN;
	}
	out[0] = (struct pt_value){ .text = task->name };
	out[1] = (struct pt_value){ .text = "state" };
	values_of_states(&out[ACTIVATIONS], task->states);
	pt_times_by_clock(&out[RESPONSE], &columns[RESPONSE], 3, p->stamps_wrong);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	static const char *const known_by[] = {
		[PT_TASK_TOLD] = "task signal", [PT_TASK_NONE] = "task signal", [PT_TASK_FOUND] = "flow",
		[PT_TASK_UNKNOWN] = NULL, [PT_TASK_BY_STATE] = NULL,
	};
	const struct pt_profile *p = subject;
	const struct pt_task *task = &p->tasks->task[i];
	enum pt_basis counts = p->tasks->by_signals ? PT_BASIS_EXACT : p->counts;
	enum pt_basis shares = p->tasks->by_signals ? PT_BASIS_EXACT : p->shares;
	bool unfair = !p->tasks->by_signals && pt_profile_in_pieces(p, task->core);
	double load = shares == PT_BASIS_NONE || unfair ? NAN : pt_task_load(p->tasks, task);
	const struct pt_task *unknown = pt_task_unknown_beside(p->tasks, task);
	bool more = unknown != NULL && unknown->run > 0 && unknown->run != PT_UNKNOWN;
	bool missing = is_missing(p, task);
	struct pt_value *first = out, *states;
	bool oftener = missing || (unknown != NULL && unknown->activations > 0 && unknown->activations != PT_UNKNOWN);

	if (task->kind == PT_TASK_BY_STATE) {
		row_by_state(p, task, out);
		return;
	}
	*out++ = (struct pt_value){ .text = task->name };
	*out++ = (struct pt_value){ .text = known_by[task->kind] };
	*out++ = number(task->core, PT_BASIS_EXACT);
	*out++ = bounded(number(task->activations - (missing ? task->unsure : 0), counts), oftener);
	*out++ = number(task->partial, counts);
	*out++ = missing ? bounded(number(least_run(task), PT_BASIS_ESTIMATED), true) : bounded(run_of(p, task), more);
	*out++ = load_of(p, task, load, shares, more);
	out = spread(out, p, task, &task->slice);
	out = spread(out, p, task, &task->period);
	*out++ = bounded(time_of(p, task, task->suspended.n > 0 ? task->suspended.total : PT_UNKNOWN), missing);
	out = spread(out, p, task, &task->suspended);
	out = values_of_isr2(out, p, task);
	states = out + RESPONSE - ACTIVATIONS;
	out = values_of_states(out, task->states);
	out = flow_values(out, p, task, more);
	*out++ = number(task->first_ns, PT_BASIS_EXACT);
	*out++ = number(task->last_ns, PT_BASIS_EXACT);
	if (p->tasks->by_signals)
		pt_times_by_clock(first, columns, PT_LEN(columns), p->stamps_wrong);
	else
		pt_times_by_clock(states, &columns[RESPONSE], 3, p->stamps_wrong);
}

const struct pt_view pt_view_tasks = {
	.empty =
		"--analysis tasks distinguishes tasks by their stacks, where a branch trace shows switches between them; "
		"--orti FILE says how to know which one runs, with a source that sees the kernel write it",
	.empty_in_gdb =
		"analysis=tasks distinguishes tasks by their stacks, where a branch trace shows switches between them; monitor "
		"orti auto says how to know which one runs, with a source that sees the kernel write it",
	.name = "tasks", .help = "how often, how long and how far apart each task ran", .needs = "tasks",
	.sort = "load", .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
