/* Stops wait in client->resume.stops, one per core at most. The registers of the oldest are fetched, then it is
 * reported: as the notification that begins a round, or as the answer to the vStopped that goes on with it; a round
 * ends with "OK".
 *
 * A GDB that connects to a core that runs stops it for a moment, to have a look at it as at a new program, and lets
 * it run again: it looks at nothing. That stop is only pretended: the core does not notice. A client that then reads
 * registers, or does not resume at once, gets a real stop.
 * Source: GDB manual, "Notification Packets", "Remote Non-Stop". */
#include "gdbstub/packets/nonstop.h"

#include <string.h>

#include "gdbstub/packets/dispatch.h"
#include "gdbstub/packets/run.h"
#include "host/log.h"
#include "base/util.h"

enum { STEP_SLICE_MS = 20, PRETENCE_MS = 2000 };	/* a range step may report early */

static uint8_t bit(unsigned core)
{
	return (uint8_t)(1u << core);
}

static void drop_stop(struct pt_gdb_client *client)
{
	memmove(client->resume.stops, client->resume.stops + 1,
		--client->resume.n_stops * sizeof(client->resume.stops[0]));
}

static void forget_stop(struct pt_gdb_client *client, unsigned core)
{
	for (unsigned i = 0; i < client->resume.n_stops; i++) {
		if (client->resume.stops[i].core != core)
			continue;
		memmove(client->resume.stops + i, client->resume.stops + i + 1,
			(client->resume.n_stops - i - 1) * sizeof(client->resume.stops[0]));
		client->resume.n_stops--;
		return;
	}
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

static void tell_next(struct pt_gdb_client *client);
static void answer_next(struct pt_gdb_client *client);

/* A stop on request is not caused by the program: signal 0. */
static void put_stop(struct pt_gdb_client *client, const struct pt_gdb_request *rq, char mark)
{
	struct pt_core_status status = client->resume.stops[0].status;

	pt_gdb_stop_packet(client, rq, mark, status.reason == PT_HALT_REQUEST ? 0 : PT_GDB_SIGTRAP, &status);
	client->nonstop.told |= bit(rq->core);
	drop_stop(client);
}

static void fetch(struct pt_gdb_client *client, pt_gdb_after_fn *after);

static int read_stop(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	rq->passed = false;
	if ((rq->client->nonstop.pretended & bit(rq->core)) != 0)
		return pt_gdb_no_registers(rq, target);
	rq->passed = pt_gdb_pass(rq->client, board, target, rq->core);
	return rq->passed ? 0 : pt_gdb_stop_registers(rq, target, err);
}

/* Whether it is still halted: it may have been resumed meanwhile. Then the stop is not reported. */
static bool still_stopped(struct pt_gdb_client *client, const struct pt_gdb_request *rq, int rc,
			  const struct pt_err *err)
{
	client->resume.over_break = false;
	if (rc != PT_ESTATE && !rq->passed) {
		if (rc < 0)
			pt_warn("gdb: stopped: %s", err->msg);
		return client->resume.n_stops > 0 && client->resume.stops[0].core == rq->core;
	}
	forget_stop(client, rq->core);
	return false;
}

static void after_fetch_to_tell(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	if (client->inferior.run == PT_GDB_NONSTOP && still_stopped(client, rq, rc, err)) {
		client->nonstop.notified = true;
		put_stop(client, rq, '%');
		pt_rsp_send(&client->rsp, &client->rsp.frame);
	} else {
		tell_next(client);
	}
}

static void after_fetch_to_answer(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	if (client->inferior.run == PT_GDB_NONSTOP && still_stopped(client, rq, rc, err)) {
		put_stop(client, rq, '$');
		pt_gdb_reply(client);
	} else {
		answer_next(client);
	}
}

static void fetch(struct pt_gdb_client *client, pt_gdb_after_fn *after)
{
	client->resume.stop.core = client->resume.stops[0].core;
	client->resume.stop.stop[0] = '\0';
	client->resume.stop.pc = PT_UNKNOWN;
	client->resume.over_break = true;
	pt_gdb_post(&client->resume.stop, read_stop, after);
}

/* Not while a vCont awaits its "OK": this comes first. */
static void tell_next(struct pt_gdb_client *client)
{
	if (client->inferior.run != PT_GDB_NONSTOP || client->resume.n_stops == 0 || client->nonstop.notified ||
	    client->resume.under_way || client->resume.stop.pending || client->rsp.closing)
		return;
	fetch(client, after_fetch_to_tell);
}

static void answer_next(struct pt_gdb_client *client)
{
	if (client->inferior.run == PT_GDB_NONSTOP && client->resume.n_stops > 0) {
		fetch(client, after_fetch_to_answer);
	} else {
		client->nonstop.notified = false;
		pt_gdb_reply_text(client, "OK");
	}
}

static void handle_stopped(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	if (client->nonstop.notified)
		answer_next(client);
	else
		pt_gdb_reply_text(client, "OK");
}

/* --- what the board tells ----------------------------------------------------------------------------------------- */

void pt_gdb_nonstop_on_stop(struct pt_gdb_client *client, unsigned core, const struct pt_core_status *status)
{
	if (status->state != PT_HALTED || status->reason == PT_HALT_TRACE || core >= client->inferior.n_cores ||
	    (client->nonstop.told & bit(core)) != 0)
		return;
	forget_stop(client, core);
	client->resume.stops[client->resume.n_stops++] = (struct pt_gdb_stop_event){ core, *status };
	tell_next(client);
}

/* The core was resumed, perhaps by another client. GDB believes that it is halted, and the protocol has no message for this. */
void pt_gdb_nonstop_on_run(struct pt_gdb_client *client, unsigned core)
{
	client->nonstop.told &= (uint8_t)~bit(core);
	client->nonstop.pretended &= (uint8_t)~bit(core);
	forget_stop(client, core);
}

/* Without a process GDB takes the first thread that runs, and aborts where it knows of none (13.1, remote.c:
 * select_thread_for_ambiguous_stop_reply); what another client let run is such a thread. Source of the number: the same
 * file, magic_null_ptid. */
void pt_gdb_nonstop_lost(struct pt_gdb_client *client)
{
	enum { ATTACHED_PROCESS = 1, MADE_UP_PROCESS = 42000 };

	pt_rsp_begin(&client->rsp.frame, '%');
	pt_rsp_text(&client->rsp.frame, "Stop:X09;process:%x",
		    client->inferior.attached ? ATTACHED_PROCESS : MADE_UP_PROCESS);
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

/* --- the packets -------------------------------------------------------------------------------------------------- */

static int find_target(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)rq;
	(void)board;
	(void)target;
	(void)err;
	return 0;
}

/* A locked chip has no target, but a GDB may connect, to erase it. */
static void after_find_target(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	if (rc < 0 && pt_board_get_state(client->stub->config.board, NULL) != PT_BOARD_LOCKED) {
		pt_warn("gdb: %s is refused: %s", client->rsp.peer, err->msg);
		pt_gdb_reply_sentence(client, err);
		return;
	}
	client->nonstop.wanted = rq->len == 1;
	pt_gdb_reply_text(client, "OK");
}

/* GDB sends it only while it connects, and shows the sentence of a refusal and ends the connection: here it hears that
 * there is nothing to debug. Behind "?" it would connect all the same, and take the bytes of its ELF file for memory.
 * Source: GDB 13, remote.c, remote_target::start_remote_1. */
static void handle_set_nonstop(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	bool on = pt_rsp_take(args, "1");
	struct pt_err err;

	if ((!on && !pt_rsp_take(args, "0")) || pt_rsp_left(args) != 0 || client->inferior.run != PT_GDB_NONE) {
		pt_gdb_reply_malformed(client);
	} else if (on && client->stub->config.restricted) {
		pt_gdb_refuse_restricted(client);	/* its threads could only be looked at one stop at a time */
	} else if (client->auth.locked) {
		client->nonstop.wanted = on;	/* it hears nothing of the board before the token */
		pt_gdb_reply_text(client, "OK");
	} else if (on || pt_gdb_may_come(client, &err)) {
		client->request.len = on;
		pt_gdb_post(&client->request, find_target, after_find_target);
	} else if (!client->parked) {
		pt_gdb_reply_sentence(client, &err);
	}
}

static void collect_stops(struct pt_gdb_client *client)
{
	client->nonstop.told = client->nonstop.pretended = 0;
	client->nonstop.notified = false;
	client->nonstop.fresh = true;
	client->resume.n_stops = 0;
	for (unsigned core = 0; core < client->inferior.n_cores; core++) {
		struct pt_core_status status = pt_board_last_status(client->stub->config.board, core);

		if (status.state == PT_HALTED)
			client->resume.stops[client->resume.n_stops++] = (struct pt_gdb_stop_event){ core, status };
	}
}

void pt_gdb_nonstop_begin(struct pt_gdb_client *client)
{
	collect_stops(client);
	client->nonstop.notified = client->resume.n_stops > 0;
	answer_next(client);
}

void pt_gdb_nonstop_attached(struct pt_gdb_client *client)
{
	collect_stops(client);
	tell_next(client);
}

static bool in_range(const struct pt_gdb_action *action, uint64_t pc)
{
	return action->kind == 'r' && pc >= action->start && pc < action->end;
}

static int step(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, unsigned core,
		struct pt_err *err)
{
	const struct pt_gdb_action *action = &rq->client->nonstop.action[core];
	uint64_t until_ns = uv_hrtime() + STEP_SLICE_MS * PT_NS_PER_MS, pc;
	struct pt_core_status status;

	do {
		if (pt_board_step(board, core, err) < 0)
			return err->code;
		if (action->kind == 's')
			return 0;
		if (target->ops->status(target->state, core, &status, err) < 0 ||
		    target->ops->pc(target->state, core, &pc, err) < 0)
			return err->code;
	} while (status.reason == PT_HALT_STEP && in_range(action, pc) && pt_gdb_break_at(rq->client, pc) == NULL &&
		 uv_hrtime() < until_ns);
	return 0;
}

/* A core that only GDB takes to be halted is halted before it is stepped, and has nothing to be resumed from. */
static int act_on(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, unsigned core,
		  struct pt_err *err)
{
	char kind = rq->client->nonstop.action[core].kind;
	bool pretended = (rq->at.len & bit(core)) != 0;

	if (kind == 't')
		return pt_board_halt(board, core, err);
	if (kind == 'c')
		return pretended ? 0 : pt_board_resume(board, core, err);
	if (kind == 0)
		return 0;
	if (pretended && pt_board_halt(board, core, err) < 0)
		return err->code;
	return step(rq, board, target, core, err);
}

static int act(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	for (unsigned core = 0; core < rq->client->inferior.n_cores; core++)
		if (act_on(rq, board, target, core, err) < 0)
			return err->code;
	return 0;
}

static void after_act(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	client->resume.under_way = false;
	if (rc < 0) {
		pt_warn("gdb: %s: %s", client->rsp.peer, err->msg);
		pt_gdb_reply_sentence(client, err);
	} else {
		pt_gdb_reply_text(client, "OK");
	}
	tell_next(client);
}

/* --- the stop of a GDB that connects ------------------------------------------------------------------------------ */

static void make_it_true(struct pt_gdb_client *client, pt_gdb_after_fn *after);

static void after_pretence(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	(void)rq;
	if (rc < 0)
		pt_warn("gdb: halt: %s", err->msg);
}

static void on_pretence_over(uv_timer_t *timer)
{
	struct pt_gdb_client *client = timer->data;

	if (client->inferior.run == PT_GDB_NONSTOP && client->nonstop.pretended != 0 && pt_gdb_controls(client) &&
	    !client->rsp.closing)
		make_it_true(client, after_pretence);
}

static void pretend(struct pt_gdb_client *client)
{
	client->nonstop.fresh = false;
	for (unsigned core = 0; core < client->inferior.n_cores; core++) {
		static const struct pt_core_status status = { .state = PT_HALTED, .reason = PT_HALT_REQUEST,
							      .addr = PT_UNKNOWN };

		if (client->nonstop.action[core].kind != 't' || (client->nonstop.told & bit(core)) != 0 ||
		    pt_board_last_status(client->stub->config.board, core).state == PT_IN_RESET)
			continue;
		client->nonstop.pretended |= bit(core);
		forget_stop(client, core);
		client->resume.stops[client->resume.n_stops++] = (struct pt_gdb_stop_event){ core, status };
	}
	uv_timer_start(&client->nonstop.timer, on_pretence_over, PRETENCE_MS, 0);
	pt_gdb_reply_text(client, "OK");
	tell_next(client);
}

static int halt_pretended(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target,
			  struct pt_err *err)
{
	(void)target;
	for (unsigned core = 0; core < rq->client->inferior.n_cores; core++)
		if ((rq->at.len & bit(core)) != 0 && pt_board_halt(board, core, err) < 0)
			return err->code;
	return 0;
}

static void make_it_true(struct pt_gdb_client *client, pt_gdb_after_fn *after)
{
	client->resume.halt.at.len = client->nonstop.pretended;
	client->nonstop.pretended = 0;
	pt_gdb_post(&client->resume.halt, halt_pretended, after);
}

static void handle_again(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (rc < 0)
		pt_warn("gdb: halt: %s", err->msg);
	pt_rsp_redeliver(&rq->client->rsp);
}

bool pt_gdb_nonstop_halt_first(struct pt_gdb_client *client)
{
	if (client->inferior.run != PT_GDB_NONSTOP || client->nonstop.pretended == 0 || !pt_gdb_controls(client) ||
	    client->resume.halt.pending)
		return false;
	make_it_true(client, handle_again);
	return true;
}

/* --- vCont -------------------------------------------------------------------------------------------------------- */

static bool all_halt(const struct pt_gdb_client *client)
{
	for (unsigned core = 0; core < client->inferior.n_cores; core++)
		if (client->nonstop.action[core].kind != 't')
			return false;
	return true;
}

/* Who looks on may end its own pretence, and nothing else. */
static bool only_pretends(const struct pt_gdb_client *client)
{
	for (unsigned core = 0; core < client->inferior.n_cores; core++)
		if (client->nonstop.action[core].kind != 0 &&
		    (client->nonstop.action[core].kind != 'c' || (client->nonstop.pretended & bit(core)) == 0))
			return false;
	return true;
}

void pt_gdb_nonstop_resume(struct pt_gdb_client *client, const struct pt_gdb_action *action, size_t n)
{
	memset(client->nonstop.action, 0, sizeof(client->nonstop.action));
	for (size_t i = n; i-- > 0;)		/* the first that fits a core is its own */
		for (unsigned core = 0; core < client->inferior.n_cores; core++)
			if (action[i].core == PT_GDB_ALL_CORES || action[i].core == core)
				client->nonstop.action[core] = action[i];
	if (client->nonstop.fresh && all_halt(client) && client->stub->config.attach != PT_ATTACH_HALT) {
		pretend(client);
		return;
	}
	if (!pt_gdb_controls(client) && !only_pretends(client)) {
		pt_gdb_reply_not_yours(client);
		return;
	}
	client->nonstop.fresh = false;
	client->request.at.len = client->nonstop.pretended;
	for (unsigned core = 0; core < client->inferior.n_cores; core++)
		if (client->nonstop.action[core].kind != 't' && client->nonstop.action[core].kind != 0)
			pt_gdb_nonstop_on_run(client, core);
	pt_gdb_code_forget(&client->inferior.code);
	client->resume.under_way = true;
	pt_gdb_post(&client->request, act, after_act);
}

void pt_gdb_nonstop_halt(struct pt_gdb_client *client)
{
	static const struct pt_gdb_action all = { .kind = 't', .core = PT_GDB_ALL_CORES };

	pt_gdb_nonstop_resume(client, &all, 1);
}

const struct pt_packet_row pt_packets_nonstop[] = {
	{ "vStopped", PT_PACKET_EXACT | PT_PACKET_CONNECTING | PT_PACKET_LOOKS, handle_stopped },
	{ "QNonStop:", PT_PACKET_OPEN | PT_PACKET_LOOKS, handle_set_nonstop },
	{ 0 },
};
