#include "session/os_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/dispatch.h"
#include "gdbstub/packets/stub.h"
#include "host/log.h"

/* --- pool thread -------------------------------------------------------------------------------------------------- */

static void look(uv_work_t *work)
{
	struct pt_gdb_tasks *tasks = work->data;
	struct pt_err err = { 0 };
	struct pt_orti *orti;

	if (tasks->orti == NULL) {
		tasks->fresh = pt_threads_of_rtos(tasks->program, &err);
		return;
	}
	orti = pt_orti_parse(tasks->orti, strlen(tasks->orti), &err);
	tasks->fresh = orti != NULL ? pt_threads_of_orti(tasks->program, orti, &err) : NULL;
	if (tasks->fresh == NULL)
		pt_warn("gdb: no tasks as threads: %s", err.msg);
}

/* --- board thread ------------------------------------------------------------------------------------------------- */

static int exchange(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct pt_gdb_tasks *tasks = (struct pt_gdb_tasks *)((char *)job - offsetof(struct pt_gdb_tasks, job));
	struct pt_threads *old = tasks->threads;

	(void)board;
	(void)target;
	(void)err;
	tasks->threads = tasks->fresh;
	tasks->fresh = old;
	return 0;
}

/* --- loop thread -------------------------------------------------------------------------------------------------- */

static void after_exchange(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct pt_gdb_tasks *tasks = (struct pt_gdb_tasks *)((char *)job - offsetof(struct pt_gdb_tasks, job));
	struct pt_gdbstub *stub = tasks->stub;

	(void)rc;
	(void)err;
	pt_threads_free(tasks->fresh);
	tasks->fresh = NULL;
	tasks->busy = false;
	for (struct pt_gdb_client *client = stub->clients, *next; client != NULL; client = next) {
		void (*then)(struct pt_gdb_client * client) = client->once_tasks_known;

		next = client->next;
		client->once_tasks_known = NULL;
		if (then == NULL)
			continue;
		pt_rsp_release(&client->rsp);
		then(client);
	}
	pt_gdbstub_wake(stub);
}

static void after_look(uv_work_t *work, int status)
{
	struct pt_gdb_tasks *tasks = work->data;

	(void)status;
	tasks->found = tasks->fresh != NULL;
	if (tasks->found)
		pt_info("gdb: %s: its tasks are threads", pt_threads_os(tasks->fresh));
	tasks->job = (struct pt_job){ .run = exchange, .done = after_exchange };
	pt_board_post(tasks->stub->config.board, &tasks->job);
}

static void begin(struct pt_gdb_tasks *tasks)
{
	struct pt_program *program = pt_session_program(tasks->stub->config.session);

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
	if (program != NULL && uv_queue_work(tasks->stub->loop, &tasks->work, look, after_look) == 0)
		return;
	after_look(&tasks->work, 0);
}

bool pt_gdb_tasks_wait(struct pt_gdb_client *client, void (*then)(struct pt_gdb_client *client))
{
	struct pt_gdbstub *stub = client->stub;
	struct pt_gdb_tasks *tasks = &stub->tasks;

	tasks->stub = stub;
	if (!tasks->busy &&
	    (!tasks->known || tasks->again || tasks->program != pt_session_program(stub->config.session)))
		begin(tasks);
	if (!tasks->busy)
		return false;
	client->once_tasks_known = then;
	pt_rsp_hold(&client->rsp);
	return true;
}

void pt_gdb_tasks_set_orti(struct pt_gdbstub *stub, const struct pt_orti *orti)
{
	char *text = orti != NULL ? pt_orti_write(orti) : NULL;

	if (stub->tasks.busy) { /* its reader is at work on the old one */
		free(stub->tasks.next_orti);
		stub->tasks.next_orti = text;
		stub->tasks.has_next = true;
	} else {
		free(stub->tasks.orti);
		stub->tasks.orti = text;
	}
	stub->tasks.again = true;
}

void pt_gdb_tasks_fini(struct pt_gdb_tasks *tasks)
{
	pt_threads_free(tasks->threads);
	pt_program_unref(tasks->program);
	free(tasks->orti);
	free(tasks->next_orti);
}
