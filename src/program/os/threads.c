#include "program/os/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/os/threads_parts.h"
#include "base/util.h"

static struct pt_threads *make(struct pt_program *program)
{
	struct pt_threads *threads = pt_alloc(sizeof(*threads));

	threads->types = pt_types_new(program);
	threads->program = pt_program_ref(program);
	return threads;
}

struct pt_threads *pt_threads_of_rtos(struct pt_program *program, struct pt_err *err)
{
	struct pt_threads *threads = make(program);

	threads->rtos = pt_rtos_detect(threads->types, err);
	if (threads->rtos != NULL)
		return threads;
	pt_threads_free(threads);
	return NULL;
}

struct pt_threads *pt_threads_of_orti(struct pt_program *program, struct pt_orti *orti, struct pt_err *err)
{
	struct pt_threads *threads = make(program);

	threads->orti = orti;
	if (pt_orti_has_tasks(orti))
		return threads;
	pt_fail(err, PT_EARG, "the ORTI file has no TASK");
	pt_threads_free(threads);
	return NULL;
}

void pt_threads_free(struct pt_threads *threads)
{
	if (threads == NULL)
		return;
	pt_orti_free(threads->orti);
	pt_rtos_free(threads->rtos);
	pt_types_free(threads->types);
	pt_program_unref(threads->program);
	free(threads);
}

const char *pt_threads_os(const struct pt_threads *threads)
{
	if (threads->rtos != NULL)
		return pt_rtos_name(threads->rtos);
	return threads->orti->name != NULL ? threads->orti->name : "ORTI file";
}

int pt_threads_running(const struct pt_threads *threads, const struct pt_reader *reader,
		       struct pt_threads_running *running, struct pt_err *err)
{
	struct pt_rtos_threads now;
	int rc;

	*running = (struct pt_threads_running){ 0 };
	if (threads->orti != NULL)
		return pt_orti_running(threads, reader, running, err);
	pt_rtos_running(threads->rtos, &running->n_cores);
	rc = pt_rtos_read_current(threads->rtos, reader, &now, err);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; now.started && i < running->n_cores; i++)
		running->id[i] = now.current[i];
	return 0;
}

static int core_of(const struct pt_rtos_threads *from, unsigned n_cores, uint64_t tcb)
{
	for (unsigned i = 0; i < n_cores; i++)
		if (from->current[i] == tcb)
			return (int)i;
	return -1;
}

static void take_thread(const struct pt_rtos_thread *from, int core, struct pt_thread *to)
{
	*to = (struct pt_thread){ .id = from->tcb, .core = core, .sp = from->sp, .idle = from->idle };
	memcpy(to->name, from->name, sizeof(to->name));
	snprintf(to->state, sizeof(to->state), "%s", from->state);
	to->has_priority = from->priority_addr != PT_UNKNOWN;
	to->priority = from->priority;
}

int pt_threads_read(const struct pt_threads *threads, const struct pt_reader *reader, struct pt_thread_list *list,
		    struct pt_err *err)
{
	struct pt_rtos_threads from;
	unsigned n_cores;
	int rc = 0;

	*list = (struct pt_thread_list){ 0 };
	if (threads->orti != NULL)
		return pt_orti_threads(threads, reader, list, err);
	rc = pt_rtos_read(threads->rtos, reader, &from, err);
	if (rc < 0)
		return rc;
	pt_rtos_running(threads->rtos, &n_cores);
	list->started = from.started;
	list->stale = from.stale;
	memcpy(list->note, from.note, sizeof(list->note));
	list->thread = pt_alloc_array(from.n_threads + 1, sizeof(*list->thread));
	for (size_t i = 0; i < from.n_threads; i++)
		take_thread(&from.thread[i], from.started ? core_of(&from, n_cores, from.thread[i].tcb) : -1,
			    &list->thread[list->n_threads++]);
	pt_rtos_threads_fini(&from);
	return rc;
}

void pt_thread_list_fini(struct pt_thread_list *list)
{
	free(list->thread);
	*list = (struct pt_thread_list){ 0 };
}

int pt_threads_saved(const struct pt_threads *threads, const struct pt_reader *reader, uint64_t id,
		     struct pt_saved *saved, struct pt_err *err)
{
	return threads->orti != NULL ? pt_orti_saved(threads, reader, id, saved, err)
				     : pt_rtos_saved(threads->rtos, reader, id, saved, err);
}
