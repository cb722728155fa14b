/* How a client gets control of the program and gives it back: ?, vAttach, vRun, R, and D, k, vKill, or the end of the
 * connection. One client controls it at a time; for the others the server has no program, but monitor works.
 *
 * After D the cores run. After the end of the connection, or a kill, they do what they did before the session: a
 * running product goes on, a halted one stays halted.
 *
 * A second all-stop GDB watches (unless --second none refuses it): it takes the program for halted, as the live watch
 * of IDEs needs it, since a GDB looks at variables only then, and without a program it shows its ELF file's bytes.
 * Memory is what it is at the moment; the registers are all 0, because GDB does not connect if pc is reported as not
 * known ("PC register is not available", 13.1). All that would change something is refused. With --restrict every GDB
 * watches, and has the registers of a core that is halted. */
#include <string.h>

#include "control/changes.h"
#include "gdbstub/packets/packet.h"
#include "gdbstub/packets/nonstop.h"
#include "session/recorder.h"
#include "gdbstub/packets/run.h"
#include "host/log.h"

/* --- whose is it -------------------------------------------------------------------------------------------------- */

/* False: another client has it, and the packet is parked until that has left, or err says who it is. */
static bool is_free(struct pt_gdb_client *client, struct pt_err *err)
{
	struct pt_gdb_client *owner = client->stub->owner;

	if (owner == NULL || owner == client)
		return true;
	client->parked = owner->rsp.closing;
	pt_fail(err, PT_EBUSY, "another GDB has the target (%s)", owner->rsp.peer);
	return false;
}

/* True: this client controls it now. */
static bool take(struct pt_gdb_client *client, struct pt_err *err)
{
	if (!is_free(client, err))
		return false;
	client->stub->owner = client;
	return true;
}

/* Non-stop: a client that does not get control looks on. */
static bool take_or_look_on(struct pt_gdb_client *client, struct pt_err *err)
{
	bool other = client->stub->owner != NULL && client->stub->owner != client;

	return (other && client->nonstop.wanted) || take(client, err);
}

bool pt_gdb_may_come(struct pt_gdb_client *client, struct pt_err *err)
{
	const struct pt_gdbstub_config *config = &client->stub->config;

	return config->watch || config->attach == PT_ATTACH_RUN || is_free(client, err);
}

void pt_gdb_forget_inferior(struct pt_gdb_client *client)
{
	client->inferior.run = PT_GDB_NONE;
	client->inferior.watches = client->inferior.taken = client->resume.interrupts_next = false;
	pt_recorder_leave(client->stub->config.recorder, client);
	pt_gdb_code_forget(&client->inferior.code);
	pt_gdb_breaks_forget(client);
	client->resume.n_stops = 0;
	client->nonstop.told = client->nonstop.pretended = 0;
	client->nonstop.notified = false;
	client->resume.fileio.active = client->resume.fileio.asked = false;
	client->inferior.core = 0;
	client->inferior.task = client->inferior.named = 0;
	memset(client->resume.unreported, 0, sizeof(client->resume.unreported));
	if (client->stub->owner == client)
		client->stub->owner = NULL;
	pt_gdbstub_wake(client->stub);
}

/* --- coming ------------------------------------------------------------------------------------------------------- */

static int see(struct pt_gdb_request *rq, struct pt_target *target, struct pt_err *err)
{
	struct pt_core_status status;

	rq->n_cores = target->ops->n_cores(target->state);
	if (rq->n_cores > PT_GDB_MAX_CORES)
		rq->n_cores = PT_GDB_MAX_CORES;
	rq->found_running = false;
	pt_gdb_code_spans(&rq->client->inferior.code, target);
	for (unsigned core = 0; core < rq->n_cores; core++) {
		if (target->ops->status(target->state, core, &status, err) < 0)
			return err->code;
		rq->found_running |= status.state != PT_HALTED && pt_target_about_core(target, core).away == NULL;
	}
	return 0;
}

static int attach(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	if (see(rq, target, err) < 0)
		return err->code;
	for (unsigned core = 0; rq->found_running && core < rq->n_cores; core++)
		if (pt_board_halt(board, core, err) < 0)
			return pt_wrap(err, "halt");
	return pt_gdb_stop_registers(rq, target, err);
}

static int restart(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	if (see(rq, target, err) < 0)
		return err->code;
	if (pt_board_reset(board, PT_RESET_HALT, err) < 0)
		return pt_wrap(err, "reset");
	return pt_gdb_stop_registers(rq, target, err);
}

/* Non-stop, or --attach run followed by attach 1: the client looks at the running program. */
static int look(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	return see(rq, target, err);
}

static bool attached(struct pt_gdb_request *rq, int rc)
{
	struct pt_gdb_client *client = rq->client;

	if (rc < 0) {
		if (client->inferior.run == PT_GDB_NONE)
			pt_gdb_forget_inferior(client);
		return false;
	}
	if (rq->run == attach && rq->found_running)
		pt_changes_note(client->stub->config.changes, client->rsp.peer, "halt, to attach");
	if (client->inferior.run == PT_GDB_NONE) {
		client->inferior.found_running = rq->found_running;
		client->inferior.n_cores = rq->n_cores;
	}
	client->inferior.run = client->nonstop.wanted ? PT_GDB_NONSTOP : PT_GDB_HALTED;
	client->inferior.task = client->nonstop.wanted ? 0 : rq->task;
	client->resume.interrupts_next = client->inferior.taken = false;
	if (client->stub->owner == NULL)
		client->stub->owner = client;
	return true;
}

static bool halts_on_attach(const struct pt_gdb_client *client)
{
	return client->stub->owner == client &&
	       (!client->nonstop.wanted || client->stub->config.attach == PT_ATTACH_HALT);
}

/* A GDB that only asks why the program stopped gets no error, but the answer that there is no program. */
static void after_why(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (!attached(rq, rc)) {
		pt_warn("gdb: %s: no program to attach to: %s", rq->client->rsp.peer, err->msg);
		pt_gdb_reply_text(rq->client, "W00");
	} else if (rq->client->inferior.run == PT_GDB_NONSTOP) {
		pt_gdb_nonstop_begin(rq->client);
	} else {
		pt_gdb_stop_frame(rq->client, rq, PT_GDB_SIGTRAP, NULL);
		pt_gdb_reply(rq->client);
	}
}

static void after_attach(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (!attached(rq, rc)) {
		pt_warn("gdb: %s: attach: %s", rq->client->rsp.peer, err->msg);
		pt_gdb_reply_sentence(rq->client, err);
	} else if (rq->client->inferior.run == PT_GDB_NONSTOP) {
		pt_gdb_reply_text(rq->client, "OK");	/* halted cores are reported as notifications */
		pt_gdb_nonstop_attached(rq->client);
	} else {
		pt_gdb_stop_frame(rq->client, rq, PT_GDB_SIGTRAP, NULL);
		pt_gdb_reply(rq->client);
	}
}

static void after_restart(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (!attached(rq, rc))
		pt_warn("gdb: %s: restart: %s", rq->client->rsp.peer, err->msg);
	pt_rsp_finish(&rq->client->rsp);
}

static void after_look_for_watch(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	if (rc < 0)
		pt_warn("gdb: %s: nothing to watch: %s", client->rsp.peer, err->msg);
	else
		pt_info("gdb: %s watches", client->rsp.peer);
	client->inferior.watches = rc == 0;
	client->inferior.n_cores = rc == 0 ? rq->n_cores : 0;
	pt_gdb_reply_text(client, rc == 0 ? "T00thread:1;" : "W00");
}

static void handle_why(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_err err;

	(void)args;
	client->request.core = client->inferior.core;
	client->inferior.attached = false;
	if (client->auth.locked) {
		pt_gdb_reply_text(client, client->nonstop.wanted ? "OK" : "W00");	/* OK: no thread has stopped */
	} else if (client->stub->config.restricted) {
		pt_gdb_post(&client->request, look, after_look_for_watch);
	} else if (client->inferior.run == PT_GDB_NONE && client->stub->config.attach == PT_ATTACH_RUN &&
		   !client->nonstop.wanted) {
		pt_gdb_reply_text(client, "W00");
	} else if (client->inferior.run == PT_GDB_NONSTOP) {
		pt_gdb_nonstop_begin(client);
	} else if (client->inferior.run == PT_GDB_RUNNING) {
		pt_gdb_reply_text(client, "E01");	/* the stop reply is sent when it stops */
	} else if (take_or_look_on(client, &err)) {
		pt_gdb_post(&client->request, halts_on_attach(client) ? attach : look, after_why);
	} else if (!client->parked && client->stub->config.watch) {
		pt_gdb_post(&client->request, look, after_look_for_watch);
	} else if (!client->parked) {
		pt_info("gdb: %s gets no program: %s", client->rsp.peer, err.msg);
		pt_gdb_reply_text(client, "W00");
	}
}

static void handle_attach(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_err err;
	uint64_t pid;

	client->request.core = client->inferior.core;
	client->inferior.attached = true;
	if (!pt_rsp_number(args, &pid) || pid != 1)
		pt_fail(&err, PT_EARG, "there is one program here, and its number is 1: attach 1");
	else if (client->stub->config.restricted) {
		pt_gdb_post(&client->request, look, after_look_for_watch);
		return;
	} else if (take_or_look_on(client, &err)) {
		pt_gdb_post(&client->request, halts_on_attach(client) ? attach : look, after_attach);
		return;
	}
	if (!client->parked)
		pt_gdb_reply_sentence(client, &err);
}

/* vRun;FILE;ARGUMENT...: there is one program, in flash, and it takes no arguments. */
static void handle_run_again(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_err err;

	(void)args;
	client->request.core = 0;
	client->inferior.attached = false;
	if (take(client, &err))
		pt_gdb_post(&client->request, restart, after_attach);
	else if (!client->parked)
		pt_gdb_reply_sentence(client, &err);
}

static void handle_restart(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_err err;

	(void)args;
	client->request.core = 0;
	if (take(client, &err))
		pt_gdb_post(&client->request, restart, after_restart);
	else if (!client->parked)
		pt_rsp_finish(&client->rsp);	/* R has no reply */
}

/* --- going -------------------------------------------------------------------------------------------------------- */

/* Resumes the core, or leaves it halted as it was found. */
static int give_back_core(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, unsigned core,
			  struct pt_err *err)
{
	struct pt_core_status status;

	if (!rq->resume)
		return pt_board_halt(board, core, err);
	if (target->ops->status(target->state, core, &status, err) < 0)
		return err->code;
	return status.state == PT_HALTED ? pt_board_resume(board, core, err) : 0;
}

/* Continues after an error, and returns the first one. */
static int give_all_back(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target,
			 struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;
	struct pt_err other = { 0 }, *to = err;

	pt_gdb_fileio_waits(board, false);
	for (size_t i = 0; i < client->inferior.n_breaks; i++)
		if (target->ops->break_remove(target->state, &client->inferior.breaks[i].inserted, to) < 0)
			to = &other;
	for (unsigned core = 0; core < client->inferior.n_cores; core++)
		if (give_back_core(rq, board, target, core, to) < 0)
			to = &other;
	if (pt_board_leave(board, to) < 0)
		to = &other;
	return to == err ? 0 : err->code;
}

/* This is not repeated, so no urgent job of others may interrupt it. */
static int give_back(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	int rc;

	if (target->probe != NULL)
		pt_link_shield(pt_probe_link(target->probe));
	rc = give_all_back(rq, board, target, err);
	if (target->probe != NULL)
		pt_link_unshield(pt_probe_link(target->probe));
	return rc;
}

static void after_give_back(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (rc < 0)
		pt_warn("gdb: %s: leave the target: %s", rq->client->rsp.peer, err->msg);
	pt_gdb_forget_inferior(rq->client);
}

static void after_detach(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	after_give_back(rq, rc, err);
	pt_gdb_reply_text(rq->client, "OK");
}

static void after_kill(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	after_give_back(rq, rc, err);
	pt_rsp_finish(&rq->client->rsp);
}

static void handle_detach(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	if (client->inferior.run == PT_GDB_NONE || !pt_gdb_controls(client)) {
		pt_gdb_forget_inferior(client);
		pt_gdb_reply_text(client, "OK");
		return;
	}
	client->request.resume = true;
	pt_gdb_post(&client->request, give_back, after_detach);
}

static void kill_with(struct pt_gdb_client *client, pt_gdb_after_fn *after)
{
	client->request.resume = client->inferior.found_running;
	pt_gdb_post(&client->request, give_back, after);
}

static void handle_vkill(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	if (client->inferior.run == PT_GDB_NONE || !pt_gdb_controls(client))
		handle_detach(client, args);
	else
		kill_with(client, after_detach);
}

static void handle_kill(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	if (!pt_gdb_controls(client))
		pt_gdb_forget_inferior(client);
	if (client->inferior.run == PT_GDB_NONE)
		pt_rsp_finish(&client->rsp);
	else
		kill_with(client, after_kill);
}

void pt_gdb_end_session(struct pt_gdb_client *client)
{
	if (pt_gdb_controls(client))
		kill_with(client, after_give_back);
	else
		pt_gdb_forget_inferior(client);
}

const struct pt_packet_row pt_packets_attach[] = {
	{ "?", PT_PACKET_EXACT | PT_PACKET_CONNECTING | PT_PACKET_TASKS | PT_PACKET_OPEN | PT_PACKET_LOOKS, handle_why },
	{ "vAttach;", PT_PACKET_TASKS | PT_PACKET_LOOKS | PT_PACKET_PROMPT, handle_attach },
	{ "vRun;", PT_PACKET_CHANGES | PT_PACKET_TASKS | PT_PACKET_PROMPT, handle_run_again },
	{ "R", PT_PACKET_CHANGES | PT_PACKET_TASKS | PT_PACKET_PROMPT, handle_restart },
	{ "D", PT_PACKET_OPEN | PT_PACKET_LOOKS | PT_PACKET_PROMPT, handle_detach },
	{ "vKill;", PT_PACKET_OPEN | PT_PACKET_PROMPT, handle_vkill },
	{ "k", PT_PACKET_EXACT | PT_PACKET_OPEN | PT_PACKET_LOOKS | PT_PACKET_PROMPT, handle_kill },
	{ 0 },
};
