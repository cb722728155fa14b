/* Tasks: how often each ran, for how long, how far apart, and what share of the time. Whose time it is comes from
 * task signals, or from what flow finds by itself: contexts without a name, called by the function at the bottom of
 * their stacks.
 *
 * With task signals, slices lie between signals, in ns; without, between the switches that flow found, on the profile's
 * clock. What only flow knows is on the profile's clock always: a task's own time, and that of the interrupts that
 * were taken while it ran. A signal of another source than flow's has an error: what ran within it of a switch that
 * flow did not find itself is not decided, and is no task's.
 * Bounded: PT_TASKS_MAX rows, PT_TASK_FUNCTIONS_MAX pairs of task and function; the rest is counted. */
#ifndef PT_PROFILE_TASKS_H
#define PT_PROFILE_TASKS_H

#include <math.h>

#include "profile/stats/stat.h"
#include "profile/stack/call_event.h"

enum { PT_TASKS_MAX = 1024, PT_TASK_FUNCTIONS_MAX = 16384, PT_TASK_ROWS_MAX = PT_TASK_FUNCTIONS_MAX + PT_TASKS_MAX };

/* What states say of a task (program/orti/tasks.h): by writes of its state, or by looks at it.
 *
 * A response lasts from when the task becomes ready until it waits or is suspended. Where the states have no RUNNING, a task
 * that is ready runs while the running task's signal names it. An OS that activates a task while it is not suspended yet
 * makes it ready again out of running, which looks like a preemption, and the response goes on. */
struct pt_task_states {
	bool writes;		/* it was written; else it was looked at: activations alone are known, as at least so many */
	bool missing;		/* writes may be, somewhere */
	bool runs;		/* it is known when it runs: preemptions mean something */
	uint64_t activations;	/* suspended, then ready or running */
	uint64_t releases;	/* waiting, then ready or running */
	uint64_t preemptions;	/* running, then ready */
	/* Beside these: one of activations or releases; each may be one of them, as what was before is not known */
	uint64_t either, unsure, unsure_preemptions;
	uint64_t found;		/* by looks: it was away, ready or running, and away again, so that one response at least was whole */
	uint64_t partial;	/* responses of which the beginning or the end was not seen */
	struct pt_stat response;	/* ns, of whole ones; at: ns of its beginning */
	uint64_t error_ns;	/* of these, at worst */
};

enum pt_task_kind {
	PT_TASK_TOLD,		/* a signal told of it */
	PT_TASK_NONE,		/* a signal told that no task runs */
	PT_TASK_FOUND,		/* a context that flow found */
	PT_TASK_UNKNOWN,	/* it is not known whose it was */
	PT_TASK_BY_STATE,	/* its state alone is known */
};

struct pt_task {
	const char *name;
	enum pt_task_kind kind;
	uint16_t id;		/* TOLD: index in the task map; FOUND: id of the function that it is named by */
	uint16_t core;
	uint64_t activations;	/* it began to run */
	uint64_t unsure;	/* out of them first seen behind a gap: it may have run before */
	bool missing;		/* signals may be, somewhere */
	uint64_t partial;	/* slices with an end unseen: in run, not in slice */
	uint64_t run;		/* all of its slices, interrupts included */
	struct pt_share share;	/* of a windowed core (profile.h), whose run, net and interrupts are estimates */
	struct pt_stat slice, period, suspended;	/* suspended: from the end of a slice to the next */
	uint64_t error;		/* the moments between which that was measured are that uncertain at worst */
	uint64_t run_error;		/* of run: the sum of what both ends of each slice are */
	uint64_t open_error;		/* of run, beside that: it runs, and silence is as long as another clock says */
	bool isr2_known;		/* signals tell of ISR2s as well: */
	uint64_t isr2, isr2_unsure;	/* of run in ISR2s, in ns; so much more may have been */
	const struct pt_task_states *states;	/* NULL: nothing is known of them */
	uint64_t first_ns, last_ns;	/* when it ran first and last; PT_UNKNOWN */
	/* on the profile's clock, by flow; 0 without it */
	uint64_t net;		/* in slices, without interrupts */
	uint64_t interrupts;	/* taken while it ran */
	uint64_t undecided;	/* ran around its switches, within the error of a signal: may be its or another's */
	uint64_t created, thrown_away;	/* its stack began with a first instruction; its stack was not gone on with */
	struct pt_stat lifetime;	/* from the one to the other, where both were seen */
};

enum pt_task_row_kind {
	PT_TASK_FUNCTION,
	PT_TASK_ASLEEP,		/* samples that found the core asleep in the task's slices */
	PT_TASK_REST,		/* all that no other row of the task has: functions for which there was no room, or that were not seen */
};

/* What a function did for a task. The rows of a task, with its rest, are its time: by flow, net and interrupts; else its slices. */
struct pt_task_function {
	uint16_t task;		/* index of the row */
	uint16_t function;	/* id (codemap.h); FUNCTION alone */
	uint8_t kind;		/* enum pt_task_row_kind */
	uint64_t count, net, gross;	/* by flow, on the profile's clock; gross: recursion once */
	uint64_t samples;	/* by samples */
	struct pt_share share;	/* of the task's time, where that is estimated */
};

enum pt_task_functions_by {
	PT_TASK_BY_NOTHING,	/* there are no rows */
	PT_TASK_BY_FLOW,	/* exact */
	PT_TASK_BY_WINDOWS,	/* estimated from bursts */
	PT_TASK_BY_SAMPLES,	/* estimated from samples, in the stream that has the signals of tasks as well */
};

struct pt_task_part {		/* of a windowed core: what a function's own time was of a task, as a share of its core's */
	uint16_t task;		/* index of the row */
	uint16_t function;	/* id */
	bool irq;		/* for an exception that was taken meanwhile */
	struct pt_share share;
};

struct pt_tasks {
	const struct pt_task *task;
	size_t n_tasks;
	/* run, slice, period, suspended, error, observed are in ns; else on the profile's clock */
	bool by_signals;
	uint64_t observed;	/* all slices */
	uint64_t undecided;	/* on the profile's clock */
	uint64_t flow;		/* on the profile's clock: what flow saw in all */
	enum pt_task_functions_by functions_by;
	const struct pt_task_function *function;	/* by task, the largest first, its rest last; by flow only where
						 * it was asked to tell tasks apart */
	size_t n_functions;
	const struct pt_task_part *part;	/* of windowed cores, and what their rows are sums of */
	size_t n_parts;
	uint64_t dropped;	/* slices and calls that found no room */
};

/* Slices of the core of which it is not known whose they are, and each may be one of this task's; NULL: there are none. */
static inline const struct pt_task *pt_task_unknown_beside(const struct pt_tasks *tasks, const struct pt_task *task)
{
	for (size_t i = 0; task->kind == PT_TASK_FOUND && i < tasks->n_tasks; i++)
		if (tasks->task[i].kind == PT_TASK_UNKNOWN && tasks->task[i].core == task->core)
			return &tasks->task[i];
	return NULL;
}

/* How much more or less than its run it may have been. */
static inline uint64_t pt_task_run_error(const struct pt_task *task)
{
	return task->run_error < PT_NO_BOUND_NS - task->open_error ? task->run_error + task->open_error
								   : PT_NO_BOUND_NS;
}

/* Of the time in which it is known what ran on its core; NAN: of none. */
static inline double pt_task_load(const struct pt_tasks *tasks, const struct pt_task *task)
{
	uint64_t all = 0;
	bool several = false;

	for (size_t i = 0; i < tasks->n_tasks; i++) {
		several |= tasks->task[i].core != task->core;
		if (tasks->task[i].core == task->core)
			all += tasks->task[i].run + (tasks->by_signals ? 0 : tasks->task[i].undecided);
	}
	if (!several)
		all = tasks->observed;
	return all != 0 ? (double)task->run / (double)all : NAN;
}

#endif
