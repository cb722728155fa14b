/* info os tasks: the tasks of the program's OS as they are now (os_threads.h), each beside what the profile knows of
 * it. Those without a profile, or that the profile has not seen, are there as well.
 *
 * How rows are matched: a trace that saw the OS's variables names tasks as the OS or its ORTI file does. A branch trace
 * knows a task by the function at the bottom of its stack: this is searched for (program/code/bottom.h), and the row
 * gets the name that the OS or the ORTI file gives. If it is uncertain, or the same for two tasks, the row keeps the
 * function's name and belongs to no task. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gdbstub/tables/branch_trace.h"
#include "gdbstub/tables/document.h"
#include "gdbstub/tables/osdata.h"
#include "report/report.h"
#include "session/os_threads.h"
#include "profile/result/profile.h"
#include "program/code/bottom.h"
#include "base/util.h"

struct cell {
	char id[20], priority[24];
};

struct pt_gdb_os_tasks {
	struct pt_gdb_thread_list list;
	struct pt_beside beside;
	struct pt_program *program; /* the names of functions are its */
	struct cell *cell; /* one for each thread */
};

static void drop(struct pt_gdb_client *client)
{
	struct pt_gdb_os_tasks *tasks = client->document->os_tasks;

	client->document->os_tasks = NULL;
	if (tasks == NULL)
		return;
	pt_gdb_thread_list_fini(&tasks->list);
	pt_program_unref(tasks->program);
	free(tasks->beside.row);
	free(tasks->cell);
	free(tasks);
}

/* --- board thread ------------------------------------------------------------------------------------------------- */

/* The function that a branch trace knows it by. */
static const char *bottom_of(const struct pt_threads *threads, struct pt_target *target,
			     const struct pt_program *program, const struct pt_gdb_thread *thread)
{
	struct pt_gdb_thread_stack *stack = pt_alloc(sizeof(*stack));
	const struct pt_function *function = NULL;

	if (pt_gdb_thread_stack(threads, target, thread, stack))
		function = pt_program_bottom(program, stack->pc, stack->word, PT_LEN(stack->word));
	free(stack);
	return function != NULL ? function->name : NULL;
}

static void fill(struct pt_gdb_os_tasks *tasks, const struct pt_threads *threads, struct pt_target *target)
{
	tasks->beside = (struct pt_beside){ .heading = { "state", "priority", "id" }, .row = tasks->beside.row };
	for (size_t i = 0; i < tasks->list.n_threads; i++) {
		const struct pt_gdb_thread *thread = &tasks->list.thread[i];
		struct pt_beside_row *row = &tasks->beside.row[tasks->beside.n_rows];
		struct cell *cell = &tasks->cell[tasks->beside.n_rows];

		if (thread->id <= target->ops->n_cores(target->state))
			continue; /* a core on which no task runs */
		snprintf(cell->id, sizeof(cell->id), "0x%" PRIx64, thread->id);
		if (thread->has_priority)
			snprintf(cell->priority, sizeof(cell->priority), "%" PRId64, thread->priority);
		*row = (struct pt_beside_row){ .name = thread->name,
					       .also = bottom_of(threads, target, tasks->program, thread),
					       .cell = { thread->state, cell->priority, cell->id } };
		tasks->beside.n_rows++;
	}
}

static int look(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const struct pt_threads *threads = pt_os_tasks_threads(rq->client->stub->config.tasks);
	struct pt_gdb_os_tasks *tasks = rq->client->document->os_tasks;

	(void)board;
	if (threads == NULL)
		return 0;
	if (pt_gdb_threads_look(threads, target, &tasks->list, err) < 0)
		return err->code;
	tasks->beside.row = pt_alloc_array(tasks->list.n_threads + 1, sizeof(*tasks->beside.row));
	tasks->cell = pt_alloc_array(tasks->list.n_threads + 1, sizeof(*tasks->cell));
	fill(tasks, threads, target);
	return 0;
}

/* --- loop thread -------------------------------------------------------------------------------------------------- */

/* Without a profile, the table has only what the OS knows. */
static void write_alone(struct pt_gdb_client *client, const struct pt_query *query)
{
	static const struct pt_profile nothing;
	struct pt_text text = { 0 };
	struct pt_err err;
	int rc = pt_report_render(&nothing, query, &text, &err);

	pt_gdb_reply_document(client, rc == 0 && text.bytes != NULL ? pt_strndup(text.bytes, text.len_bytes) : NULL,
			      &err);
	pt_text_free(&text);
}

static void on_report(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_gdb_client *client = arg;
	struct pt_query query = { .view = "tasks", .format = "osdata", .beside = &client->document->os_tasks->beside };
	struct pt_err err;

	pt_rsp_release(&client->rsp);
	pt_fail(&err, rc < 0 ? rc : PT_ENOMEM, "%.*s", rc < 0 ? (int)len_bytes : 0, text);
	if (rc == PT_ESTATE && query.beside->n_rows > 0)
		write_alone(client, &query);
	else
		pt_gdb_reply_document(client, rc < 0 ? NULL : pt_strndup(text, len_bytes), &err);
	drop(client);
}

static void after_look(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;
	struct pt_query query = { .view = "tasks", .format = "osdata", .beside = &client->document->os_tasks->beside };

	(void)err;
	if (rc < 0 ||
	    client->document->os_tasks->beside.n_rows == 0) { /* no OS, no target, or the scheduler does not run yet */
		drop(client);
		pt_gdb_osdata_view(client);
		return;
	}
	pt_rsp_hold(&client->rsp);
	pt_session_report(client->stub->config.session, &query, on_report, client);
}

static void begin(struct pt_gdb_client *client)
{
	struct pt_program *program = pt_os_tasks_program(client->stub->config.tasks);

	if (client->rsp.closing)
		return;
	if (program == NULL) {
		pt_gdb_osdata_view(client);
		return;
	}
	client->document->os_tasks = pt_alloc(sizeof(*client->document->os_tasks));
	client->document->os_tasks->program = pt_program_ref(program);
	pt_gdb_post(&client->request, look, after_look);
}

void pt_gdb_osdata_tasks(struct pt_gdb_client *client)
{
	if (!pt_gdb_tasks_wait(client, begin))
		begin(client);
}
