/* The way to the board and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "control/command.h"
#include "gdbstub/packets/client.h"
#include "host/log.h"
#include "session/os_threads.h"

static struct pt_gdb_request *of_job(struct pt_job *job)
{
	return (struct pt_gdb_request *)((char *)job - offsetof(struct pt_gdb_request, job));
}

static int on_board(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct pt_gdb_request *rq = of_job(job);

	rq->no_target = target == NULL;
	if (rq->no_target)
		return pt_fail(err, PT_ESTATE, "no target");
	return rq->run(rq, board, target, err);
}

static void reply(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (rc < 0) {
		pt_debug(PT_LOG_GDB, "gdb: %s", err->msg);
		pt_gdb_reply_error(rq->client, err);
	} else {
		pt_rsp_send(&rq->client->rsp, &rq->frame);
		pt_rsp_finish(&rq->client->rsp);
	}
}

void pt_gdb_reply_checked(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (rc < 0)
		pt_gdb_reply_sentence(rq->client, err);
	else
		reply(rq, rc, err);
}

static void on_tasks_known(void *arg)
{
	struct pt_gdb_client *client = arg;

	pt_rsp_release(&client->rsp);
	client->once_tasks_known(client);
}

bool pt_gdb_tasks_wait(struct pt_gdb_client *client, void (*then)(struct pt_gdb_client *client))
{
	client->tasks = (struct pt_os_tasks_waiter){ .then = on_tasks_known, .arg = client };
	client->once_tasks_known = then;
	if (!pt_os_tasks_wait(client->stub->config.tasks, &client->tasks))
		return false;
	pt_rsp_hold(&client->rsp);
	return true;
}

const struct pt_threads *pt_gdb_threads_of(const struct pt_gdb_client *client)
{
	return client->nonstop.wanted || client->inferior.watches ? NULL
								  : pt_os_tasks_threads(client->stub->config.tasks);
}

int pt_gdb_threads_for(const struct pt_gdb_client *client, struct pt_target *target, struct pt_gdb_thread_list *list,
		       struct pt_err *err)
{
	uint64_t named = client->inferior.named;
	struct pt_gdb_thread *more;

	if (pt_gdb_threads_look(pt_gdb_threads_of(client), target, list, err) < 0)
		return err->code;
	if (client->inferior.run != PT_GDB_HALTED || named == 0 || pt_gdb_threads_have(list, named))
		return 0;
	more = pt_realloc_array(list->thread, list->n_threads + 1, sizeof(*more));
	list->thread = more;
	more[list->n_threads] = (struct pt_gdb_thread){ .id = named, .core = -1 };
	if (named <= client->inferior.n_cores)
		more[list->n_threads].core = (int)named - 1;
	snprintf(more[list->n_threads].name, sizeof(more->name), "%s", "stopped");
	snprintf(more[list->n_threads].text, sizeof(more->text), "it stopped here; the OS does not list it any more");
	list->n_threads++;
	return 0;
}

static void on_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct pt_gdb_request *rq = of_job(job);
	struct pt_gdb_client *client = rq->client;
	struct pt_err told = *err;

	if (rq->no_target)
		pt_command_why_no_target(client->stub->config.board, &told);
	rq->pending = false;
	pt_rsp_release(&client->rsp);
	if (rq->after != NULL)
		rq->after(rq, rc, &told);
	else
		reply(rq, rc, &told);
}

void pt_gdb_request_init(struct pt_gdb_request *rq, struct pt_gdb_client *client, bool urgent)
{
	*rq = (struct pt_gdb_request){ .client = client };
	rq->job = (struct pt_job){ .run = on_board, .done = on_done, .urgent = urgent };
}

void pt_gdb_post(struct pt_gdb_request *rq, pt_gdb_run_fn *run, pt_gdb_after_fn *after)
{
	if (rq->pending || rq->client->rsp.closed)
		return;		/* the session ended while the handler was at work: nobody waits for this */
	rq->run = run;
	rq->after = after;
	rq->pending = true;
	pt_rsp_hold(&rq->client->rsp);
	rq->no_target = false;
	pt_rsp_begin(&rq->frame, '$');
	pt_board_post(rq->client->stub->config.board, &rq->job);
}
