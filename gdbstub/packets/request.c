/* The way to the board and back. */
#include <string.h>

#include "gdbstub/packets/client.h"
#include "host/log.h"

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

void pt_gdb_why_no_target(const struct pt_gdbstub *stub, struct pt_err *err)
{
	const char *why;

	pt_board_get_state(stub->config.board, &why);
	pt_fail(err, PT_ESTATE, "%s", why != NULL && why[0] != '\0' ? why : "the board is still being opened");
}

static void on_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct pt_gdb_request *rq = of_job(job);
	struct pt_gdb_client *client = rq->client;
	struct pt_err told = *err;

	if (rq->no_target)
		pt_gdb_why_no_target(client->stub, &told);
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
