/* The inside of the analysis of tasks, for its files alone: tasks.c (rows, signals, result), task_steps.c (what flow
 * knows), task_windows.c (what bursts say), task_states.c (what states say), task_samples.c (what samples say) and
 * task_functions.c (the functions of each task). */
#ifndef PT_PROFILE_TASK_PARTS_H
#define PT_PROFILE_TASK_PARTS_H

#include "profile/result/analysis.h"
#include "profile/analyses/signals/tasks.h"

enum { PT_TASK_CORES = 16, PT_TASK_NAME_BYTES = 40, PT_TASK_SEGMENTS = 256, PT_TASK_PARAMS = 1 };

struct pt_task_rows {
	struct pt_task task[PT_TASKS_MAX];
	char name[PT_TASKS_MAX][PT_TASK_NAME_BYTES];
	size_t n;
	struct pt_task *last;		/* that was asked for */
	const struct pt_signal_set *signals;	/* what names tasks */
	const struct pt_function *functions;
	size_t n_functions;
};

static inline uint64_t pt_sum_of_errors(uint64_t a, uint64_t b)
{
	return a < PT_NO_BOUND_NS && b < PT_NO_BOUND_NS - a ? a + b : PT_NO_BOUND_NS;
}

/* The order of rows, and which one of them is the row of a task; n: none. */
static inline int pt_task_by_kind(const void *a, const void *b)
{
	const struct pt_task *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static inline size_t pt_task_find(const struct pt_task *tasks, size_t n, const struct pt_task *wanted)
{
	size_t at = 0;

	while (at < n && pt_task_by_kind(&tasks[at], wanted) != 0)
		at++;
	return at;
}

struct pt_told {		/* a core, as signals tell */
	uint16_t running;		/* row; PT_NO_TASK: not known */
	uint16_t source;
	bool any;			/* a signal has named a task; else source means nothing */
	bool begun;			/* the slice's begin was seen, not that it ran behind a gap */
	bool behind_gap;
	uint64_t since, since_at;	/* the slice's begin: by its source's own clock, and the probe's */
	uint64_t since_error;		/* of the former */
	uint64_t clock;			/* the last that was heard of it, by the former */
	struct pt_timestamp clock_at;	/* and by the latter */
	uint64_t seen;			/* that its source has come to, by the probe's */
	enum { PT_TOLD_NOTHING, PT_TOLD_TASK, PT_TOLD_ISR2 } within;	/* whether an ISR2 runs */
	bool tells_isr2;		/* a signal has, of that source */
	uint16_t isr2_source;
	uint64_t settled;		/* own clock up to which the slice has it */
	uint64_t entered[PT_TASKS_MAX], left[PT_TASKS_MAX];	/* by row: own clock + 1 at the last; 0: not known */
};

struct pt_task_stack {		/* as steps speak of them */
	uint32_t *frame;		/* function, EXCEPTION; NULL: nothing was ever open, or they are not wanted */
	size_t depth;
	uint16_t bottom, task;
	bool told;
	uint8_t hides;			/* so many functions that come to be the bottom have a caller below */
	uint64_t entered, left, born;	/* clock + 1; 0: not known */
};

struct pt_task_segment { uint64_t ticks; uint16_t function; bool irq; };

struct pt_task_core {		/* a core, by its steps */
	struct pt_task_stack *stack;	/* PT_CALL_STACKS; NULL: none came yet */
	uint16_t running;
	bool switches;			/* one was seen in this stretch: there is more than one context */
	bool begun;			/* the slice's begin was seen */
	uint64_t clock, since, since_ns;
	uint64_t period, suspended;	/* of the slice: before it; PT_UNKNOWN */
	uint64_t error;			/* of its begin, in ticks */
	uint64_t own, irq;		/* of the slice so far */
	uint64_t blind;			/* so much of what comes is not decided */
	uint64_t undecided;		/* of the slice */
	unsigned irq_depth;
	uint16_t dropped;		/* a stack that lost all it had, though it does not run; or PT_NO_TASK */
	struct pt_task_segment segment[PT_TASK_SEGMENTS];	/* what the slice's end is made of: a ring */
	size_t n_segments;		/* ever put */
};

struct pt_task_life;		/* task_states.c: a task by its state */
struct pt_task_samples;		/* task_samples.c */

struct pt_tasks_analysis {
	struct pt_task_rows told_rows, rows, shown_rows;	/* by signals; by steps; those with what is open */
	struct pt_told told[PT_TASK_CORES];
	uint64_t told_ns;
	struct pt_signal_gaps gaps;
	bool by_signals;
	struct pt_task_core core[PT_TASK_CORES];
	uint64_t flow, undecided, dropped, shown_undecided;
	double ticks_per_ns;			/* of the profile's clock; 0: not known */
	bool wants_functions, takes_steps;
	bool told_late;			/* signals may tell of tasks: then what ran last is kept */
	struct pt_task_function *function;	/* PT_TASK_FUNCTIONS_MAX */
	uint16_t *slot;				/* index + 1 */
	size_t n_functions;
	struct pt_task_function *shown_functions;	/* PT_TASK_ROWS_MAX; NULL: there were none yet */
	struct pt_task *shown;			/* 2 * PT_TASKS_MAX + PT_SIGNALS_MAX */
	struct pt_task_life *life[PT_SIGNALS_MAX];	/* by definition; NULL: nothing came of it */
	const char *runs[PT_TASK_CORES];	/* the task that runs, by signals; NULL: none, or it is not known */
	struct pt_task_states states[PT_SIGNALS_MAX];	/* as shown */
	struct pt_task_windows *windows;	/* task_windows.c; NULL: there were none */
	struct pt_task_samples *samples;
	struct pt_tasks result;
};

/* The row; NULL: there is no room for another. */
struct pt_task *pt_task_row(struct pt_task_rows *rows, enum pt_task_kind kind, uint16_t id, uint16_t core);

void pt_task_steps(void *analysis, const struct pt_call_event *step, size_t n);
void pt_task_compact(void *analysis, const struct pt_compact_batch *batch);
void pt_task_steps_show(struct pt_tasks_analysis *t);	/* shown_rows: rows, with the slices that are open */
/* The row of the slice that is open on a core; NULL: there is none, or no room. */
struct pt_task *pt_task_open_row(struct pt_tasks_analysis *t, uint16_t core);
/* task_windows.c: an edge of a window; what ran, of the slice that is open; that it ended, and whose it was; and
 * estimates into shown_rows. */
void pt_task_windows_edge(struct pt_tasks_analysis *t, uint16_t core, const struct pt_time_window *window);
void pt_task_windows_charge(struct pt_tasks_analysis *t, uint16_t core, uint16_t function, uint64_t ticks);
void pt_task_windows_slice(struct pt_tasks_analysis *t, uint16_t core, const struct pt_task *task);
void pt_task_windows_give(struct pt_tasks_analysis *t, const struct pt_profile *profile);
/* Its parts, and how many; those of tasks' rows in shown_rows. */
struct pt_task_part *pt_task_windows_parts(struct pt_tasks_analysis *t, size_t *n);
/* task_states.c: a signal of any kind; that nothing came of a source up to then. And what is known, into the rows, of which there
 * are n: returns how many there are then. */
void pt_task_states_signal(struct pt_tasks_analysis *t, const struct pt_signal *signal);
void pt_task_states_seen(struct pt_tasks_analysis *t, uint16_t source, uint64_t upto_ns);
size_t pt_task_states_give(struct pt_tasks_analysis *t, struct pt_task *rows, size_t n);
void pt_task_states_free(struct pt_tasks_analysis *t);
void pt_task_steps_free(struct pt_tasks_analysis *t);
/* task_samples.c */
struct pt_task_samples *pt_task_samples_new(const struct pt_analysis_setup *setup);
void pt_task_samples_free(struct pt_task_samples *samples);
void pt_task_samples_config(struct pt_tasks_analysis *t, uint16_t source, const struct pt_config *config);
void pt_task_samples_take(struct pt_tasks_analysis *t, const struct pt_event *event);
void pt_task_samples_end_batch(struct pt_tasks_analysis *t, uint16_t source);
/* Rows into out, of so much room, with a rest for each task; missed: samples that did not come, at most. Returns how many. */
size_t pt_task_samples_give(struct pt_tasks_analysis *t, uint64_t missed, struct pt_task_function *out, size_t room);
/* task_functions.c: the rows of functions into the result, whose tasks and parts are there. */
void pt_task_functions_give(struct pt_tasks_analysis *t, const struct pt_profile *profile, bool windowed);

#endif
