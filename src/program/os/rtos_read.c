/* The tasks of an OS, read while it may run. A picture that holds together is taken as it is. Where the lists change
 * faster than they can be read none does: then a task that one attempt saw and the last one missed is there all the
 * same. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/os/rtos_parts.h"

enum { TRIES = 8 };

static int read_current(struct pt_rtos_walk *w, uint64_t current[PT_RTOS_MAX_CORES])
{
	for (unsigned i = 0; i < w->rtos->n_cores; i++)
		if (pt_rtos_pointer(w, w->rtos->running[i].addr, &current[i]) < 0)
			return w->err->code;
	return 0;
}

/* One attempt. It went well if the same tasks run afterwards, and the recipe saw no contradiction. */
static int try_once(struct pt_rtos_walk *w)
{
	uint64_t after[PT_RTOS_MAX_CORES] = { 0 };
	struct pt_rtos_threads *t = w->threads;

	t->n_threads = 0;
	t->note[0] = '\0';
	t->started = false;
	w->torn = false;
	if (read_current(w, t->current) < 0 || w->rtos->ops->started(w) < 0 || w->rtos->ops->walk(w) < 0 ||
	    read_current(w, after) < 0)
		return w->err->code;
	t->stale = w->torn || memcmp(after, t->current, w->rtos->n_cores * sizeof(after[0])) != 0;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct pt_rtos_thread *x = a, *y = b;

	return x->tcb < y->tcb ? -1 : x->tcb > y->tcb;
}

/* Names become unique; a task without one is named after its place. */
static void finish_names(struct pt_rtos_threads *t)
{
	bool *twice = pt_alloc_array(t->n_threads + 1, sizeof(*twice));

	for (size_t i = 0; i < t->n_threads; i++)
		if (t->thread[i].name[0] == '\0')
			snprintf(t->thread[i].name, sizeof(t->thread[i].name), "task 0x%" PRIx64, t->thread[i].tcb);
	for (size_t i = 0; i < t->n_threads; i++)
		for (size_t k = 0; k < t->n_threads && !twice[i]; k++)
			twice[i] = k != i && strcmp(t->thread[i].name, t->thread[k].name) == 0;
	for (size_t i = 0; i < t->n_threads; i++) {
		struct pt_rtos_thread *thread = &t->thread[i];
		char name[PT_RTOS_NAME_BYTES];

		if (!twice[i])
			continue;
		snprintf(name, sizeof(name), "%.40s 0x%" PRIx64, thread->name, thread->tcb);
		memcpy(thread->name, name, sizeof(name));
	}
	free(twice);
}

static struct pt_rtos_thread *thread_at(const struct pt_rtos_threads *t, uint64_t tcb)
{
	for (size_t i = 0; i < t->n_threads; i++)
		if (t->thread[i].tcb == tcb)
			return &t->thread[i];
	return NULL;
}

/* Of a task that another attempt missed the state may have changed since. */
static void add_missing(struct pt_rtos_threads *to, const struct pt_rtos_threads *from)
{
	for (size_t i = 0; i < from->n_threads && to->n_threads < PT_RTOS_MAX_THREADS; i++) {
		if (thread_at(to, from->thread[i].tcb) != NULL)
			continue;
		to->thread[to->n_threads] = from->thread[i];
		to->thread[to->n_threads++].state = "unknown";
	}
}

static int read_until_it_holds(struct pt_rtos_walk *w, struct pt_rtos_threads *seen)
{
	struct pt_rtos_threads *t = w->threads;
	size_t n_last;

	t->stale = true;
	for (int i = 0; i < TRIES && t->stale; i++) {
		if (try_once(w) < 0)
			return w->err->code;
		add_missing(seen, t);
	}
	n_last = t->n_threads;
	if (t->stale)
		add_missing(t, seen);
	if (t->n_threads > n_last)
		snprintf(t->note, sizeof(t->note),
			 "the lists changed faster than they could be read: %zu of %zu states are unknown",
			 t->n_threads - n_last, t->n_threads);
	return 0;
}

int pt_rtos_read(const struct pt_rtos *rtos, const struct pt_reader *reader, struct pt_rtos_threads *threads,
		 struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	struct pt_rtos_walk w = { .rtos = rtos, .reader = reader, .threads = threads,
				  .err = err != NULL ? err : &ignored };
	struct pt_rtos_threads seen = { .thread = pt_alloc_array(PT_RTOS_MAX_THREADS, sizeof(*seen.thread)) };
	int rc;

	*threads = (struct pt_rtos_threads){ .thread = pt_alloc_array(PT_RTOS_MAX_THREADS, sizeof(*threads->thread)) };
	rc = read_until_it_holds(&w, &seen);
	pt_rtos_threads_fini(&seen);
	if (rc < 0) {
		pt_rtos_threads_fini(threads);
		return pt_wrap(w.err, "tasks of %s", rtos->ops->name);
	}
	if (threads->n_threads > 0)
		qsort(threads->thread, threads->n_threads, sizeof(*threads->thread), by_address);
	finish_names(threads);
	return 0;
}

int pt_rtos_read_current(const struct pt_rtos *rtos, const struct pt_reader *reader, struct pt_rtos_threads *threads,
			 struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	struct pt_rtos_walk w = { .rtos = rtos, .reader = reader, .threads = threads,
				  .err = err != NULL ? err : &ignored };

	*threads = (struct pt_rtos_threads){ 0 };
	if (read_current(&w, threads->current) < 0 || rtos->ops->started(&w) < 0)
		return pt_wrap(w.err, "running task of %s", rtos->ops->name);
	return 0;
}
