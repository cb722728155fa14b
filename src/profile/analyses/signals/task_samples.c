/* Which functions ran in each task's slices, by samples of the program counter that come in the stream of the task's signals
 * (pin SWO): events of one stream keep their order, so a sample is of the task that the signal before it named. Samples of
 * another source would need times finer than a slice, and are not divided.
 *
 * Shares are of the time of the task's slices, its interrupts and sleep included, from the samples that found it: the flat
 * profile (stats/flat.h) of each task, in which sleep is one more function. A sample that no task can be named for, as the
 * signals were lost, may have been of any task, as those that did not come. */
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/analyses/signals/task_parts.h"
#include "profile/flow/entered.h"
#include "profile/stats/flat.h"
#include "trace/config.h"

enum { CELLS_MAX = 1 << 19, MOST_ISSUED = 4 };	/* functions of all tasks together */

struct pt_task_samples {
	const struct pt_codemap *map;
	struct pt_entered *entered;
	size_t n_functions;
	struct pt_flat *flat[PT_TASKS_MAX];	/* by row of told_rows; NULL: no sample was of it */
	size_t n_flats;
	uint8_t issues[PT_SIGNAL_SOURCES];	/* instructions a cycle, at most */
	uint64_t nobodys;			/* samples in the stream of the signals, between two of which it is not known who runs */
};

struct pt_task_samples *pt_task_samples_new(const struct pt_analysis_setup *setup)
{
	struct pt_task_samples *s = pt_alloc(sizeof(*s));

	s->map = setup->map;
	s->n_functions = setup->n_functions;
	s->entered = setup->map != NULL && setup->flow != NULL ? pt_entered_new(setup->map, setup->flow) : NULL;
	return s;
}

void pt_task_samples_free(struct pt_task_samples *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < PT_TASKS_MAX; i++)
		pt_flat_free(s->flat[i]);
	pt_entered_free(s->entered);
	free(s);
}

void pt_task_samples_config(struct pt_tasks_analysis *t, uint16_t source, const struct pt_config *config)
{
	uint64_t issues = pt_config_number(config, "issues", 1);

	if (t->samples != NULL && source < PT_SIGNAL_SOURCES)
		t->samples->issues[source] = issues < 1 || issues > MOST_ISSUED ? 1 : (uint8_t)issues;
}

static struct pt_flat *flat_of(struct pt_task_samples *s, uint16_t row)
{
	if (s->flat[row] == NULL && (s->n_flats + 1) * (s->n_functions + 1) <= CELLS_MAX) {
		s->flat[row] = pt_flat_new(s->n_functions + 1);
		s->n_flats++;
	}
	return s->flat[row];
}

static void add_place(struct pt_task_samples *s, struct pt_flat *flat, const struct pt_event *event)
{
	uint16_t handler;
	bool in_code;
	double entered = pt_entered_at(s->entered, event->branch.to, &handler);

	pt_flat_sample(flat, pt_codemap_function(s->map, event->branch.to, &in_code));
	if (entered > 0)
		pt_flat_entered(flat, handler,
				entered * (event->source < PT_SIGNAL_SOURCES ? (double)s->issues[event->source] : 1));
}

void pt_task_samples_take(struct pt_tasks_analysis *t, const struct pt_event *event)
{
	struct pt_task_samples *s = t->samples;
	const struct pt_told *told = &t->told[event->core < PT_TASK_CORES ? event->core : PT_TASK_CORES - 1];
	struct pt_flat *flat;

	if (s == NULL || s->map == NULL || !told->any || told->source != event->source)
		return;
	if (told->running == PT_NO_TASK) {
		s->nobodys++;
		return;
	}
	flat = flat_of(s, told->running);
	if (flat == NULL)
		t->dropped++;
	else if (event->branch.to == PT_UNKNOWN)
		pt_flat_sample(flat, (uint16_t)s->n_functions);
	else
		add_place(s, flat, event);
}

void pt_task_samples_end_batch(struct pt_tasks_analysis *t, uint16_t source)
{
	for (size_t row = 0; t->samples != NULL && row < t->told_rows.n; row++) {
		const struct pt_told *told = &t->told[t->told_rows.task[row].core % PT_TASK_CORES];

		if (t->samples->flat[row] != NULL && told->source == source)
			pt_flat_end_batch(t->samples->flat[row]);
	}
}

static size_t give_task(const struct pt_task_samples *s, const struct pt_flat *flat, uint16_t row,
			struct pt_task_function *out, size_t room)
{
	double rest = pt_flat_unseen(flat);
	size_t n = 0;

	for (size_t id = 0; id <= s->n_functions; id++) {
		uint16_t function = (uint16_t)id;
		bool asleep = id == s->n_functions;
		uint64_t samples = pt_flat_samples(flat, function);

		if (samples == 0)
			continue;
		if (n + 1 >= room)
			break;
		out[n++] = (struct pt_task_function){
			.task = row, .function = asleep ? PT_NO_FUNCTION : function,
			.kind = asleep ? PT_TASK_ASLEEP : PT_TASK_FUNCTION, .samples = samples,
			.share = pt_flat_bounded(flat, pt_flat_share(flat, function), asleep ? NULL : &function),
		};
	}
	if (n > 0)
		out[n++] = (struct pt_task_function){ .task = row, .kind = PT_TASK_REST, .share = { .hi = rest } };
	return n;
}

size_t pt_task_samples_give(struct pt_tasks_analysis *t, uint64_t missed, struct pt_task_function *out, size_t room)
{
	struct pt_task_samples *s = t->samples;
	size_t n = 0;

	for (size_t i = 0; s != NULL && i < t->told_rows.n; i++) {
		size_t row = pt_task_find(t->shown, t->result.n_tasks, &t->told_rows.task[i]);

		if (s->flat[i] == NULL || row == t->result.n_tasks || n + 1 >= room)
			continue;
		pt_flat_missed(s->flat[i], missed < PT_UNKNOWN - s->nobodys ? missed + s->nobodys : PT_UNKNOWN);
		n += give_task(s, s->flat[i], (uint16_t)row, out + n, room - n);
	}
	return n;
}
