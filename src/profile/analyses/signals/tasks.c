/* Rows of tasks, and the slices that signals report. What flow knows of tasks is in task_steps.c. */
#include "profile/analyses/signals/task_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "profile/result/profile.h"
#include "trace/config.h"

static const struct pt_param analysis_word = { .key = "analysis", .type = PT_PARAM_LIST };
static const struct pt_param core_clock_word = { .key = "core-clock", .type = PT_PARAM_HZ };

const struct pt_param pt_task_params[PT_TASK_PARAMS] = {
	{ "task-functions", PT_PARAM_FLAG, "on", NULL, 0, 0, "with tasks: figures of each function for each task; off: decodes faster" },
};

/* --- rows */

/* As the map of the core's running task has it. */
static const char *name_told(const struct pt_task_rows *rows, const struct pt_task *task)
{
	for (size_t i = 0; i < rows->signals->n_definitions; i++) {
		const struct pt_signal_definition *d = &rows->signals->definition[i];

		if (d->form == PT_FORM_TASK && (d->core == PT_ANY_CORE || d->core == task->core))
			return pt_signal_value_name(d, task->id);
	}
	return NULL;
}

/* What the macro TASK() of some systems makes of a task's name. Source: their headers (osCAN: NAMEfunc, RTA-OS: Os_Entry_NAME;
 * Trampoline, ERIKA: UNVERIFIED). */
static bool is_function_of(const char *function, const char *task)
{
	static const char *const before[] = { "", "Os_Entry_", "Func", "TASK_", "Task_", "task_" };
	static const char *const behind[] = { "func", "_func", "_function" };
	size_t len = strlen(task);

	for (size_t i = 0; i < PT_LEN(before); i++) {
		size_t n = strlen(before[i]);

		if (strncmp(function, before[i], n) == 0 && strcmp(function + n, task) == 0)
			return true;
	}
	for (size_t i = 0; i < PT_LEN(behind) && strncmp(function, task, len) == 0; i++)
		if (strcmp(function + len, behind[i]) == 0)
			return true;
	return false;
}

/* The name that the OS's file has for the task whose stack has this function at its bottom; NULL: it names none, or several. */
static const char *name_by_file(const struct pt_task_rows *rows, uint16_t core, const struct pt_function *function)
{
	const char *found = NULL;

	for (size_t i = 0; i < rows->signals->n_definitions; i++) {
		const struct pt_signal_definition *d = &rows->signals->definition[i];

		for (size_t k = 0;
		     d->form == PT_FORM_TASK && (d->core == PT_ANY_CORE || d->core == core) && k < d->tasks->n_tasks;
		     k++) {
			const struct pt_task_entry *e = &d->tasks->task[k];

			if (e->none || !((d->tasks->code_addresses && e->value == function->address) ||
					 is_function_of(function->name, e->name)))
				continue;
			if (found != NULL && strcmp(found, e->name) != 0)
				return NULL;
			found = e->name;
		}
	}
	return found;
}

static const char *name_found(const struct pt_task_rows *rows, const struct pt_task *task)
{
	const struct pt_function *function = &rows->functions[task->id - 1];
	const char *name = name_by_file(rows, task->core, function);

	return name != NULL ? name : function->name;
}

static void name_row(struct pt_task_rows *rows, struct pt_task *task)
{
	char *name = rows->name[task - rows->task];
	const char *known = NULL;

	task->name = name;
	if (task->kind == PT_TASK_NONE)
		known = "(no task)";
	else if (task->kind == PT_TASK_UNKNOWN)
		known = "(not known)";
	else if (task->kind == PT_TASK_FOUND && task->id <= rows->n_functions && task->id > 0)
		known = name_found(rows, task);
	else if (task->kind == PT_TASK_TOLD)
		known = name_told(rows, task);
	if (known != NULL)
		task->name = known;
	else
		snprintf(name, PT_TASK_NAME_BYTES, "task %u", task->id);
}

struct pt_task *pt_task_row(struct pt_task_rows *rows, enum pt_task_kind kind, uint16_t id, uint16_t core)
{
	struct pt_task *task = rows->last;

	if (task != NULL && task->kind == kind && task->id == id && task->core == core)
		return task;
	for (task = rows->task; task < rows->task + rows->n; task++)
		if (task->kind == kind && task->id == id && task->core == core)
			return rows->last = task;
	if (rows->n == PT_TASKS_MAX)
		return NULL;
	rows->n++;
	*task = (struct pt_task){
		.kind = kind, .id = id, .core = core, .slice = pt_stat_empty(), .period = pt_stat_empty(),
		.suspended = pt_stat_empty(), .lifetime = pt_stat_empty(), .first_ns = PT_UNKNOWN,
		.last_ns = PT_UNKNOWN,
	};
	name_row(rows, task);
	return rows->last = task;
}

/* --- slices that signals tell of */

static struct pt_task *row_of(struct pt_task_rows *rows, const struct pt_signal *signal)
{
	size_t n = rows->n;
	struct pt_task *task;

	if (signal->value == PT_SIGNAL_NONE)
		return pt_task_row(rows, PT_TASK_NONE, 0, signal->core);
	if (signal->value >= PT_NO_TASK)
		return pt_task_row(rows, PT_TASK_UNKNOWN, 0, signal->core);
	task = pt_task_row(rows, PT_TASK_TOLD, (uint16_t)signal->value, signal->core);
	if (task != NULL && rows->n > n && task->name == rows->name[n])
		snprintf(rows->name[n], PT_TASK_NAME_BYTES, "0x%llx", (unsigned long long)signal->raw);
	return task;
}

static struct pt_told *told_of(struct pt_tasks_analysis *t, uint16_t core)
{
	return &t->told[core < PT_TASK_CORES ? core : PT_TASK_CORES - 1];
}

/* Of the slice that runs, up to then. */
static void settle_isr2(struct pt_told *told, struct pt_task *task, uint64_t clock)
{
	uint64_t from = told->settled > told->since ? told->settled : told->since;
	uint64_t ns = clock > from ? clock - from : 0;

	task->isr2 += told->within == PT_TOLD_ISR2 ? ns : 0;
	task->isr2_unsure += told->within == PT_TOLD_NOTHING ? ns : 0;
	told->settled = clock > told->settled ? clock : told->settled;
}

/* An ISR2 begins, or none runs any more. By another source than tasks it is on another clock. */
static void isr2(struct pt_tasks_analysis *t, const struct pt_signal *signal)
{
	struct pt_told *told = told_of(t, signal->core);

	if (signal->read || (told->any && told->source != signal->source))
		return;
	told->tells_isr2 = true;
	told->isr2_source = signal->source;
	if (told->running < t->told_rows.n)
		settle_isr2(told, &t->told_rows.task[told->running], signal->own_ns);
	told->within = signal->value == PT_SIGNAL_NONE ? PT_TOLD_TASK : PT_TOLD_ISR2;
}

/* The slice that runs ends, as far as was seen. */
static void end_slice(struct pt_tasks_analysis *t, struct pt_told *told, uint64_t length, uint64_t ns, uint64_t error,
		      bool seen)
{
	struct pt_task *task = told->running < t->told_rows.n ? &t->told_rows.task[told->running] : NULL;

	told->running = PT_NO_TASK;
	if (task == NULL)
		return;
	settle_isr2(told, task, told->since + length);
	task->run += length;
	task->run_error = pt_sum_of_errors(task->run_error, pt_sum_of_errors(told->since_error, error));
	t->told_ns += length;
	task->last_ns = ns;
	task->error = error > task->error ? error : task->error;
	if (seen && told->begun) {
		pt_stat_add(&task->slice, length, told->since_at);
	} else {
		task->partial++;
		pt_stat_add_unended(&task->slice, length, task->error);
	}
	told->left[task - t->told_rows.task] = seen ? told->since + length + 1 : 0;
}

static void begin_slice(struct pt_tasks_analysis *t, struct pt_told *told, struct pt_task *task, uint64_t clock,
			uint64_t ns, uint64_t error)
{
	size_t row = (size_t)(task - t->told_rows.task);

	told->running = (uint16_t)row;
	told->since = clock;
	told->since_at = told->seen = ns;
	told->since_error = error;
	told->begun = !told->behind_gap;
	task->unsure += told->behind_gap;
	told->behind_gap = false;
	task->activations++;
	task->error = error > task->error ? error : task->error;
	if (task->first_ns == PT_UNKNOWN)
		task->first_ns = ns;
	task->last_ns = ns;
	if (told->entered[row] != 0)
		pt_stat_add(&task->period, clock + 1 - told->entered[row], ns);
	if (told->left[row] != 0)
		pt_stat_add(&task->suspended, clock + 1 - told->left[row], ns);
	told->entered[row] = clock + 1;
}

static void switched(struct pt_tasks_analysis *t, const struct pt_signal *signal)
{
	struct pt_told *told = told_of(t, signal->core);
	struct pt_task *task;
	uint64_t clock = signal->own_ns;

	task = row_of(&t->told_rows, signal);
	if (!told->any)
		told->behind_gap = pt_signal_gaps_of(&t->gaps, signal->source) > 0;
	told->any = true;
	told->source = signal->source;
	if (task == NULL || signal->at.ns == PT_UNKNOWN) {
		t->dropped++;
		return;
	}
	t->by_signals = true;
	clock = clock > told->since ? clock : told->since;
	told->clock = clock;
	told->clock_at = signal->at;
	if (told->running == (uint16_t)(task - t->told_rows.task))
		return;			/* told again */
	end_slice(t, told, clock - told->since, signal->at.ns, signal->own_error_ns, true);
	begin_slice(t, told, task, clock, signal->at.ns, signal->own_error_ns);
}

/* So long each task of the core has not begun to run again, and has not run, at least. silent: so much later than what was
 * heard last. */
static void add_waits(const struct pt_told *told, struct pt_task *rows, size_t n, uint64_t silent)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t clock = told->clock + silent + 1, error = rows[i].error;

		error += silent > 0 ? told->clock_at.error_ns : 0;
		if (told->entered[i] != 0)
			pt_stat_add_unended(&rows[i].period, clock - told->entered[i], error);
		if (told->left[i] != 0 && told->running != i)
			pt_stat_add_unended(&rows[i].suspended, clock - told->left[i], error);
	}
}

static void gap(struct pt_tasks_analysis *t, const struct pt_signal *signal)
{
	bool known = false;

	for (size_t i = 0; i < PT_TASK_CORES; i++) {
		struct pt_told *told = &t->told[i];

		if (!told->any || told->source != signal->source)
			continue;
		known = told->behind_gap = true;
		add_waits(told, t->told_rows.task, t->told_rows.n, 0);
		if (told->running != PT_NO_TASK)
			end_slice(t, told, signal->own_ns > told->since ? signal->own_ns - told->since : 0,
				  signal->at.ns != PT_UNKNOWN ? signal->at.ns : told->seen, 0, false);
		told->within = PT_TOLD_NOTHING;
		memset(told->entered, 0, sizeof(told->entered));
		memset(told->left, 0, sizeof(told->left));
	}
	pt_signal_gaps_take(&t->gaps, signal, known);
}

static void take_signals(void *analysis, const struct pt_signal *signal, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pt_task_states_signal(analysis, &signal[i]);
		if (signal[i].kind == PT_SIGNAL_TASK)
			switched(analysis, &signal[i]);
		else if (signal[i].kind == PT_SIGNAL_GAP)
			gap(analysis, &signal[i]);
		else if (signal[i].kind == PT_SIGNAL_ISR)
			isr2(analysis, &signal[i]);
	}
}

static void take_seen(void *analysis, uint16_t source, uint64_t upto_ns)
{
	struct pt_tasks_analysis *t = analysis;

	for (size_t i = 0; i < PT_TASK_CORES; i++)
		if (t->told[i].source == source && upto_ns > t->told[i].seen)
			t->told[i].seen = upto_ns;
	pt_task_states_seen(t, source, upto_ns);
}

/* --- result */

/* Whether signals of a core's tasks may be missing. */
static void show_missing(struct pt_tasks_analysis *t, struct pt_task *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pt_told *told = told_of(t, rows[i].core);

		rows[i].missing = told->any && pt_signal_gaps_of(&t->gaps, told->source) > 0;
		rows[i].isr2_known = told->tells_isr2 && told->isr2_source == told->source;
	}
}

/* The slices that run now, as far as was seen. Returns their time. */
static uint64_t show_running(const struct pt_tasks_analysis *t, struct pt_task *rows)
{
	uint64_t all = 0;

	for (size_t i = 0; i < PT_TASK_CORES; i++) {
		const struct pt_told *told = &t->told[i];
		uint64_t silent = told->seen > told->clock_at.ns ? told->seen - told->clock_at.ns : 0;
		uint64_t length = told->clock - told->since + silent;
		struct pt_told copy;

		add_waits(told, rows, t->told_rows.n, told->any ? silent : 0);
		if (told->running == PT_NO_TASK)
			continue;
		copy = *told;
		settle_isr2(&copy, &rows[told->running], told->since + length);
		rows[told->running].open_error = silent > 0 ? told->clock_at.error_ns : 0;
		rows[told->running].run += length;
		rows[told->running].run_error = pt_sum_of_errors(rows[told->running].run_error, told->since_error);
		rows[told->running].partial++;
		pt_stat_add_unended(&rows[told->running].slice, length,
				    rows[told->running].error + rows[told->running].open_error);
		if (told->seen > rows[told->running].last_ns)
			rows[told->running].last_ns = told->seen;
		all += length;
	}
	return all;
}

/* What flow knows of the task that signals told of. */
static void add_flow(struct pt_task *task, const struct pt_task *flow)
{
	task->net = flow->net;
	task->interrupts = flow->interrupts;
	task->undecided = flow->undecided;
	task->created = flow->created;
	task->thrown_away = flow->thrown_away;
	task->lifetime = flow->lifetime;
}

/* A row of flow where signals tell of slices: its own are on another clock. */
static void without_slices(struct pt_task *task)
{
	task->run = 0;
	task->slice = task->period = task->suspended = pt_stat_empty();
}

/* Rows of signals and of flow as one. Time that is nobody's in particular is told where there are others.
 * running: time of the slices that signals told of, and that run. */
static size_t join(struct pt_tasks_analysis *t, uint64_t *running)
{
	size_t n = t->by_signals ? t->told_rows.n : 0;

	memcpy(t->shown, t->told_rows.task, n * sizeof(*t->shown));
	*running = n > 0 ? show_running(t, t->shown) : 0;
	show_missing(t, t->shown, n);
	for (size_t i = 0; i < t->shown_rows.n; i++) {
		const struct pt_task *flow = &t->shown_rows.task[i];
		size_t at = pt_task_find(t->shown, n, flow);

		if (at < n) {
			add_flow(&t->shown[at], flow);
		} else if (flow->run + flow->undecided > 0 || flow->activations > 0) {
			t->shown[n] = *flow;
			if (t->by_signals)
				without_slices(&t->shown[n]);
			n++;
		}
	}
	qsort(t->shown, n, sizeof(*t->shown), pt_task_by_kind);
	return pt_task_states_give(t, t->shown, n == 1 && t->shown[0].kind == PT_TASK_UNKNOWN ? 0 : n);
}

/* What windows know of the functions of a task, by its row in the result. */
static void show_parts(struct pt_tasks_analysis *t)
{
	size_t n, kept = 0;
	struct pt_task_part *part = pt_task_windows_parts(t, &n);

	for (size_t i = 0; i < n; i++) {
		size_t row = pt_task_find(t->shown, t->result.n_tasks, &t->shown_rows.task[part[i].task]);

		if (row == t->result.n_tasks)
			continue;
		part[kept] = part[i];
		part[kept++].task = (uint16_t)row;
	}
	t->result.part = part;
	t->result.n_parts = kept;
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct pt_tasks_analysis *t = analysis;

	bool windowed = t->windows != NULL && !t->by_signals && profile->windowed;
	uint64_t running;
	size_t n;

	pt_task_steps_show(t);
	if (windowed)
		pt_task_windows_give(t, profile);
	n = join(t, &running);
	t->result = (struct pt_tasks){
		.n_tasks = n, .by_signals = t->by_signals,
		.observed = t->by_signals ? t->told_ns + running : windowed ? profile->ticks : t->flow,
		.flow = t->flow, .undecided = t->shown_undecided, .dropped = t->dropped,
	};
	t->result.task = t->shown;
	if (windowed)
		show_parts(t);
	pt_task_functions_give(t, profile, windowed);
	profile->tasks = &t->result;
}

/* --- life */

static void take_config(void *analysis, uint16_t source, const struct pt_config *config)
{
	struct pt_tasks_analysis *t = analysis;

	if (t->ticks_per_ns <= 0)
		t->ticks_per_ns = (double)pt_config_core_hz(config) / 1e9;
	pt_task_samples_config(t, source, config);
}

static void take_events(void *analysis, const struct pt_event *event, const struct pt_timestamp *at, size_t n)
{
	(void)at;
	for (size_t i = 0; i < n; i++)
		if (event[i].kind == PT_EV_SAMPLE)
			pt_task_samples_take(analysis, &event[i]);
}

static void end_batch(void *analysis, uint16_t source)
{
	pt_task_samples_end_batch(analysis, source);
}

static void take_window(void *analysis, uint16_t core, const struct pt_time_window *window)
{
	pt_task_windows_edge(analysis, core, window);
}

static bool wants_steps(const void *analysis)
{
	return ((const struct pt_tasks_analysis *)analysis)->takes_steps;
}

static bool tells_tasks(const struct pt_signal_set *signals)
{
	for (size_t i = 0; i < signals->n_definitions; i++)
		if (signals->definition[i].form == PT_FORM_TASK)
			return true;
	return false;
}

/* Whether the list has the word. */
static bool names(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at != NULL && (at = strstr(at, word)) != NULL; at += len)
		if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
			return true;
	return false;
}

static void tasks_free(void *analysis)
{
	struct pt_tasks_analysis *t = analysis;

	pt_task_steps_free(t);
	pt_task_states_free(t);
	pt_task_samples_free(t->samples);
	free(t->windows);
	free(t->function);
	free(t->slot);
	free(t->shown_functions);
	free(t->shown);
	free(t);
}

static void make_room(struct pt_tasks_analysis *t)
{
	t->shown = pt_realloc_array(NULL, (size_t)2 * PT_TASKS_MAX + PT_SIGNALS_MAX, sizeof(*t->shown));
	if (t->wants_functions) {
		t->function = pt_alloc_array(PT_TASK_FUNCTIONS_MAX, sizeof(*t->function));
		t->slot = pt_alloc_array((size_t)2 * PT_TASK_FUNCTIONS_MAX, sizeof(*t->slot));
	}
}

static void *tasks_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct pt_tasks_analysis *t = pt_alloc(sizeof(*t));
	const char *list;

	(void)err;
	t->told_rows.signals = t->rows.signals = setup->signals;
	t->told_late = tells_tasks(setup->signals);
	t->samples = t->told_late ? pt_task_samples_new(setup) : NULL;
	list = pt_params_text(setup->words, &analysis_word);
	/* Steps cost time: without task signals only who asks for contexts gets them. */
	t->wants_functions = pt_params_flag(setup->words, &pt_task_params[0]);
	t->takes_steps = (t->wants_functions && pt_params_given(setup->words, &pt_task_params[0])) || t->told_late ||
			 names(list, "tasks") || names(list, "all");
	t->wants_functions &= t->takes_steps;
	make_room(t);
	t->ticks_per_ns = setup->by_instructions ? 0 : (double)pt_params_number(setup->words, &core_clock_word) / 1e9;
	if (setup->program != NULL)
		t->rows.functions = pt_program_functions(setup->program, &t->rows.n_functions);
	for (size_t i = 0; i < PT_TASK_CORES; i++)
		t->told[i].running = PT_NO_TASK;
	return t;
}

const struct pt_analysis pt_analysis_tasks = {
	.name = "tasks", .help = "how often and how long each task ran, and its share", .standard = true,
	.params = pt_task_params, .n_params = PT_TASK_PARAMS, .open = tasks_new, .close = tasks_free,
	.steps = pt_task_steps, .compact = pt_task_compact, .wants_steps = wants_steps, .window = take_window,
	.signals = take_signals, .events = take_events, .batch_end = end_batch,
	.seen = take_seen, .config = take_config, .result = give,
};
