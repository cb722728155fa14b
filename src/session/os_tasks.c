#include "session/os_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/log.h"

struct pt_os_tasks {
	/* loop thread */
	uv_loop_t *loop;
	struct pt_board *board;
	struct pt_session *session;
	struct pt_program *program; /* the one that was searched for an OS; a reference */
	char *orti, *next_orti; /* text of an ORTI file; NULL: use the symbols. next_orti: the one to use next, ... */
	bool has_next; /* ... if this is set */
	bool known, again, busy; /* known: the program was searched; again: search once more; busy: the pool or the
				  * board is working on it */
	bool found; /* an OS was found */
	uv_work_t work;
	struct pt_job job;
	struct pt_threads *fresh; /* travels to the board thread, and the old one back, to be freed */
	struct pt_os_tasks_waiter *waiters;
	void (*on_closed)(void *arg); /* NULL: it is not closing */
	void *on_closed_arg;
	/* board thread */
	struct pt_threads *threads; /* NULL: no known OS */
};

struct pt_os_tasks *pt_os_tasks_new(uv_loop_t *loop, struct pt_board *board, struct pt_session *session)
{
	struct pt_os_tasks *tasks = pt_alloc(sizeof(*tasks));

	tasks->loop = loop;
	tasks->board = board;
	tasks->session = session;
	return tasks;
}

/* --- pool thread -------------------------------------------------------------------------------------------------- */

static void look(uv_work_t *work)
{
	struct pt_os_tasks *tasks = work->data;
	struct pt_err err = { 0 };
	struct pt_orti *orti;

	if (tasks->orti == NULL) {
		tasks->fresh = pt_threads_of_rtos(tasks->program, &err);
		return;
	}
	orti = pt_orti_parse(tasks->orti, strlen(tasks->orti), &err);
	tasks->fresh = orti != NULL ? pt_threads_of_orti(tasks->program, orti, &err) : NULL;
	if (tasks->fresh == NULL)
		pt_warn("gdb: tasks cannot be shown as threads: %s", err.msg);
}

/* --- board thread ------------------------------------------------------------------------------------------------- */

static int exchange(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct pt_os_tasks *tasks = (struct pt_os_tasks *)((char *)job - offsetof(struct pt_os_tasks, job));
	struct pt_threads *old = tasks->threads;

	(void)board;
	(void)target;
	(void)err;
	tasks->threads = tasks->fresh;
	tasks->fresh = old;
	return 0;
}

/* --- loop thread -------------------------------------------------------------------------------------------------- */

/* When it is closing and no work is in progress. */
static void end(struct pt_os_tasks *tasks)
{
	if (tasks->on_closed == NULL || tasks->busy)
		return;
	pt_threads_free(tasks->threads);
	pt_program_unref(tasks->program);
	free(tasks->orti);
	free(tasks->next_orti);
	tasks->on_closed(tasks->on_closed_arg);
	free(tasks);
}

static void after_exchange(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct pt_os_tasks *tasks = (struct pt_os_tasks *)((char *)job - offsetof(struct pt_os_tasks, job));
	struct pt_os_tasks_waiter *waiters = tasks->waiters;

	(void)rc;
	(void)err;
	pt_threads_free(tasks->fresh);
	tasks->fresh = NULL;
	tasks->busy = false;
	tasks->waiters = NULL;
	while (waiters != NULL) {
		struct pt_os_tasks_waiter *waiter = waiters;
		void (*then)(void *arg) = waiter->then;

		waiters = waiter->next;
		waiter->then = NULL;
		then(waiter->arg);
	}
	end(tasks);
}

static void after_look(uv_work_t *work, int status)
{
	struct pt_os_tasks *tasks = work->data;

	(void)status;
	tasks->found = tasks->fresh != NULL;
	if (tasks->found)
		pt_info("gdb: %s: its tasks are shown as threads", pt_threads_os(tasks->fresh));
	tasks->job = (struct pt_job){ .run = exchange, .done = after_exchange };
	pt_board_post(tasks->board, &tasks->job);
}

static void begin(struct pt_os_tasks *tasks)
{
	struct pt_program *program = pt_session_program(tasks->session);

	pt_program_unref(tasks->program);
	tasks->program = program != NULL ? pt_program_ref(program) : NULL;
	if (tasks->has_next) {
		free(tasks->orti);
		tasks->orti = tasks->next_orti;
		tasks->next_orti = NULL;
		tasks->has_next = false;
	}
	tasks->known = true;
	tasks->again = false;
	tasks->work.data = tasks;
	if (program == NULL && !tasks->found)
		return;
	tasks->busy = true;
	if (program != NULL && uv_queue_work(tasks->loop, &tasks->work, look, after_look) == 0)
		return;
	after_look(&tasks->work, 0);
}

bool pt_os_tasks_wait(struct pt_os_tasks *tasks, struct pt_os_tasks_waiter *waiter)
{
	struct pt_os_tasks_waiter **last = &tasks->waiters;

	if (!tasks->busy && (!tasks->known || tasks->again || tasks->program != pt_session_program(tasks->session)))
		begin(tasks);
	if (!tasks->busy)
		return false;
	while (*last != NULL)
		last = &(*last)->next;
	waiter->next = NULL;
	*last = waiter;
	return true;
}

void pt_os_tasks_set_orti(struct pt_os_tasks *tasks, const struct pt_orti *orti)
{
	char *text = orti != NULL ? pt_orti_write(orti) : NULL;

	if (tasks->busy) { /* a pool thread is reading the old one */
		free(tasks->next_orti);
		tasks->next_orti = text;
		tasks->has_next = true;
	} else {
		free(tasks->orti);
		tasks->orti = text;
	}
	tasks->again = true;
}

bool pt_os_tasks_found(const struct pt_os_tasks *tasks)
{
	return tasks->found;
}

struct pt_program *pt_os_tasks_program(const struct pt_os_tasks *tasks)
{
	return tasks->program;
}

const struct pt_threads *pt_os_tasks_threads(const struct pt_os_tasks *tasks)
{
	return tasks->threads;
}

void pt_os_tasks_close(struct pt_os_tasks *tasks, void (*on_closed)(void *arg), void *arg)
{
	tasks->on_closed = on_closed;
	tasks->on_closed_arg = arg;
	end(tasks);
}
