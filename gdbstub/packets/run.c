/* Resume, step, stop. A resume goes to the board as a request; the stop that ends it comes from the board's listener,
 * from 0x03, or with the end of a step. Whichever is first answers GDB, and the others then find nothing to answer.
 *
 * Stops are queued per client and reported one at a time, so that a client that wants to hear of each core by itself
 * (non-stop) needs no other source. */
#include "control/changes.h"
#include "gdbstub/packets/run.h"

#include <stdio.h>
#include <string.h>

#include "gdbstub/packets/packet.h"
#include "gdbstub/packets/nonstop.h"
#include "host/log.h"
#include "base/util.h"

enum {
	STEP_SLICE_MS = 20,	/* a range step gives way to others, and to Ctrl-C, this often */
	REMEMBERED_MS = 10000,
};

static const struct pt_gdb_stop_event *next_stop(struct pt_gdb_client *client)
{
	return client->resume.n_stops > 0 ? &client->resume.stops[0] : NULL;
}

static void drop_stop(struct pt_gdb_client *client)
{
	memmove(client->resume.stops, client->resume.stops + 1,
		--client->resume.n_stops * sizeof(client->resume.stops[0]));
}

/* --- the stop reply ----------------------------------------------------------------------------------------------- */

static bool at_break(const struct pt_core_status *status)
{
	return status->state == PT_HALTED &&
	       (status->reason == PT_HALT_BREAK_SW || status->reason == PT_HALT_BREAK_HW ||
		status->reason == PT_HALT_WATCH_READ || status->reason == PT_HALT_WATCH_WRITE ||
		status->reason == PT_HALT_WATCH_ACCESS);
}

/* GDB hears of one core's stop. Another one may have met a breakpoint meanwhile: that is for the next resume, or it would
 * be stepped over without a word. Source: GDB's own server keeps such stops (linux_process_target::resume). */
static int halt_too(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, unsigned core,
		    struct pt_err *err)
{
	struct pt_gdb_unreported *unreported = &rq->client->resume.unreported[core];
	struct pt_core_status status;
	uint64_t pc;

	if (core < PT_GDB_MAX_CORES && !rq->client->resume.one && target->ops->n_cores(target->state) > 1 &&
	    target->ops->status(target->state, core, &status, err) == 0 && at_break(&status) &&
	    target->ops->pc(target->state, core, &pc, err) == 0)
		*unreported = (struct pt_gdb_unreported){ true, status, pc };
	return pt_board_halt(board, core, err);
}

static int halt_all(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);

	pt_gdb_fileio_waits(board, false);
	for (unsigned core = 0; core < n; core++)
		if (halt_too(rq, board, target, core, err) < 0)
			return err->code;
	return pt_gdb_stop_registers(rq, target, err);
}

/* All-stop: one core stopped, so the others must. */
static int halt_others(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);
	int rc;

	rq->passed = pt_gdb_pass(rq->client, board, target, rq->core);
	rc = rq->passed ? 0 : pt_gdb_fileio_ask(rq, board, target, PT_HOST_RUN, err);
	rq->passed |= rc == 1;
	if (rc < 0 || rq->passed || rq->client->resume.fileio.asked)
		return rc < 0 ? rc : 0;
	pt_gdb_fileio_waits(board, false);
	for (unsigned core = 0; core < n; core++)
		if (core != rq->core && halt_too(rq, board, target, core, err) < 0)
			return err->code;
	return pt_gdb_stop_registers(rq, target, err);
}

static void stopped(struct pt_gdb_client *client, const struct pt_gdb_request *rq, unsigned signal,
		    const struct pt_core_status *status)
{
	client->inferior.run = PT_GDB_HALTED;
	client->inferior.core = rq->core;
	client->inferior.task = rq->task;
	client->resume.n_stops = 0;
	client->resume.under_way = client->resume.interrupted = false;
	pt_gdb_stop_frame(client, rq, signal, status);
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

/* Ctrl-C comes first. It goes without the reason: for hwbreak and swbreak GDB looks at its breakpoint alone, and
 * resumes without a word where the condition is false, whatever the signal. Source: GDB 13, infrun.c, handle_signal_stop. */
static void stopped_or_interrupted(struct pt_gdb_client *client, const struct pt_gdb_request *rq,
				   const struct pt_core_status *status)
{
	if (client->resume.interrupted)
		stopped(client, rq, PT_GDB_SIGINT, NULL);
	else
		stopped(client, rq, PT_GDB_SIGTRAP, status);
}

static void say_error(struct pt_gdb_client *client, const char *what, const struct pt_err *err)
{
	char line[sizeof(err->msg) + 64];

	pt_warn("gdb: %s: %s", what, err->msg);
	snprintf(line, sizeof(line), "%s: %s\n", what, err->msg);
	pt_gdb_console(client, line, strlen(line));
}

static void wait_on(struct pt_gdb_client *client);
static pt_gdb_fileio_done fileio_done;

static void after_stop(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;
	struct pt_core_status status;

	client->resume.over_break = false;
	if (client->inferior.run != PT_GDB_RUNNING || next_stop(client) == NULL)
		return;		/* answered meanwhile */
	status = next_stop(client)->status;
	drop_stop(client);
	if (rc == PT_ESTATE || rq->passed) {	/* somebody made it run again before we looked, or we did */
		wait_on(client);
		return;
	}
	if (rc == 0 && client->resume.fileio.asked) {
		pt_gdb_fileio_send(client, fileio_done);
		return;
	}
	if (rc < 0)
		say_error(client, "stopped", err);
	stopped_or_interrupted(client, rq, &status);
}

static void report_next(struct pt_gdb_client *client)
{
	const struct pt_gdb_stop_event *stop = next_stop(client);

	if (stop == NULL || client->inferior.run != PT_GDB_RUNNING || client->resume.under_way ||
	    client->resume.halt.pending || client->resume.stop.pending || client->rsp.closing ||
	    client->resume.fileio.active)
		return;
	client->resume.stop.core = stop->core;
	client->resume.stop.stop[0] = '\0';
	client->resume.stop.pc = PT_UNKNOWN;
	client->resume.over_break = true;
	pt_gdb_post(&client->resume.stop, halt_others, after_stop);
}

static void after_halt(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	if (client->inferior.run != PT_GDB_RUNNING)
		return;
	if (rc == 0) {
		stopped(client, rq, PT_GDB_SIGINT, NULL);
		return;
	}
	say_error(client, "interrupt", err);	/* another 0x03 tries again; if it halts late, that is the answer */
	report_next(client);
}

/* Of a core that stays halted: what a stop reply says. */
static int stay(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	if (rq->addr != PT_UNKNOWN && pt_gdb_set_pc(board, target, rq->core, rq->addr, err) < 0)
		return err->code;
	return halt_all(rq, board, target, err);
}

static void halt_now(struct pt_gdb_client *client)
{
	client->resume.halt.core = client->inferior.core;
	pt_gdb_post(&client->resume.halt, halt_all, after_halt);
}

/* A resume is under way: answer what came meanwhile, else its end comes later. */
static void wait_on(struct pt_gdb_client *client)
{
	if (client->resume.interrupted)
		halt_now(client);
	else
		report_next(client);
}

static void fileio_done(struct pt_gdb_client *client, const struct pt_gdb_request *rq)
{
	if (client->inferior.run != PT_GDB_RUNNING)
		return;
	if (client->resume.fileio.how == PT_HOST_STEP && !client->resume.interrupted)
		stopped(client, rq, PT_GDB_SIGTRAP, NULL);
	else
		wait_on(client);
}

/* --- 0x03 --------------------------------------------------------------------------------------------------------- */

/* GDB passes Ctrl-C on also while the core is halted: between a stop that only GDB saw (a condition of its own that was
 * false, a dprintf, one of many steps, a library that was loaded) and the resume that follows. That resume then ends at
 * once, by SIGINT, as gdbserver's does.
 *
 * The user may have got a prompt meanwhile, for another reason, and must not find a later continue interrupted. So
 * 0x03 is forgotten where the session begins or ends, with packets that GDB sends for commands at its prompt alone (the
 * tables of packets), and once GDB has been silent for REMEMBERED_MS, which it is at the prompt and not at work. */
void pt_gdb_remember_interrupt(struct pt_gdb_client *client)
{
	client->resume.interrupts_next = true;
	client->resume.heard_ms = uv_now(client->stub->loop);
}

void pt_gdb_hear_packet(struct pt_gdb_client *client)
{
	uint64_t now_ms = uv_now(client->stub->loop);

	if (now_ms - client->resume.heard_ms > REMEMBERED_MS)
		client->resume.interrupts_next = false;
	client->resume.heard_ms = now_ms;
}

bool pt_gdb_take_interrupt(struct pt_gdb_client *client)
{
	bool taken = client->resume.interrupts_next;

	client->resume.interrupts_next = false;
	return taken;
}

void pt_gdb_interrupt(struct pt_gdb_client *client)
{
	if (client->inferior.run == PT_GDB_HALTED)
		pt_gdb_remember_interrupt(client);
	if (client->inferior.run != PT_GDB_RUNNING)
		return;
	pt_changes_note(client->stub->config.changes, client->rsp.peer, "halt (Ctrl-C)");
	client->resume.interrupted = true;
	if (client->resume.fileio.active)
		return;		/* GDB has yet to end its part, and says in F what became of it */
	if (!client->resume.under_way && !client->resume.halt.pending && !client->resume.stop.pending)
		halt_now(client);
}

static void handle_ctrl_c(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	if (client->inferior.run == PT_GDB_NONSTOP) {
		pt_gdb_nonstop_halt(client);
		return;
	}
	if (client->inferior.run == PT_GDB_RUNNING)
		pt_gdb_interrupt(client);
	pt_gdb_reply_text(client, "OK");
}

/* --- resume ------------------------------------------------------------------------------------------------------- */

static int set_pc(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	return rq->addr == PT_UNKNOWN ? 0 : pt_gdb_set_pc(board, target, rq->core, rq->addr, err);
}

/* Is it still there, and the breakpoint, too, and is no condition of it false? */
static bool still_stops(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, unsigned core,
			const struct pt_gdb_unreported *unreported)
{
	struct pt_err ignored = { 0 };
	uint64_t pc;

	if (target->ops->pc(target->state, core, &pc, &ignored) < 0 || pc != unreported->pc)
		return false;
	if ((unreported->status.reason == PT_HALT_BREAK_SW || unreported->status.reason == PT_HALT_BREAK_HW) &&
	    pt_gdb_break_at(rq->client, pc) == NULL)
		return false;
	return !pt_gdb_pass(rq->client, board, target, core);
}

/* A stop that GDB has not heard of is the end of this resume. True: rq is of that core. */
static bool find_unreported(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target)
{
	for (unsigned core = 0; core < rq->client->inferior.n_cores; core++) {
		struct pt_gdb_unreported *unreported = &rq->client->resume.unreported[core];

		if (!unreported->waits || (rq->client->resume.one && core != rq->core))
			continue;
		unreported->waits = false;
		if (!still_stops(rq, board, target, core, unreported))
			continue;
		rq->core = core;
		return true;
	}
	return false;
}

static int resume(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	unsigned n = target->ops->n_cores(target->state);

	if (set_pc(rq, board, target, err) < 0)
		return err->code;
	rq->found = find_unreported(rq, board, target);
	if (rq->found)
		return pt_gdb_stop_registers(rq, target, err);
	pt_gdb_fileio_waits(board, true);
	for (unsigned core = 0; core < n; core++)
		if ((!rq->client->resume.one || core == rq->core) && pt_board_resume(board, core, err) < 0)
			return err->code;
	return 0;
}

/* GDB waits for a stop reply and for nothing else: so a resume that failed is one, with the reason on the console. */
static void failed(struct pt_gdb_client *client, struct pt_gdb_request *rq, const char *what, const struct pt_err *err)
{
	say_error(client, what, err);
	rq->stop[0] = '\0';
	rq->task = client->inferior.task;
	stopped(client, rq, 0, NULL);
	pt_rsp_finish(&client->rsp);
}

static void after_resume(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	client->resume.under_way = false;
	if (client->inferior.run != PT_GDB_RUNNING) {
		pt_rsp_finish(&client->rsp);
	} else if (rc < 0) {
		failed(client, rq, "resume", err);
	} else if (rq->found) {
		stopped_or_interrupted(client, rq, &client->resume.unreported[rq->core].status);
		pt_rsp_finish(&client->rsp);
	} else {
		wait_on(client);
		pt_rsp_finish(&client->rsp);
	}
}

static void after_stay(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	client->resume.under_way = false;
	if (client->inferior.run == PT_GDB_RUNNING && rc < 0) {
		failed(client, rq, "interrupt", err);
		return;
	}
	if (client->inferior.run == PT_GDB_RUNNING)
		stopped(client, rq, PT_GDB_SIGINT, NULL);
	pt_rsp_finish(&client->rsp);
}

/* --- step --------------------------------------------------------------------------------------------------------- */

static bool in_range(const struct pt_gdb_request *rq)
{
	return rq->pc >= rq->at.addr && rq->pc < rq->at.addr + rq->at.len;
}

/* at: the range, len 0 for a plain step. */
static int step(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint64_t until_ns = uv_hrtime() + STEP_SLICE_MS * PT_NS_PER_MS;
	struct pt_core_status status;
	int rc;

	if (set_pc(rq, board, target, err) < 0)
		return err->code;
	rc = pt_gdb_fileio_ask(rq, board, target, PT_HOST_STEP, err);
	if (rc != 0 || rq->client->resume.fileio.asked)
		return rc < 0 ? rc : rc == 1 ? pt_gdb_stop_registers(rq, target, err) : 0;
	do {
		if (pt_board_step(board, rq->core, err) < 0)
			return err->code;
		if (rq->at.len == 0)
			break;
		if (target->ops->status(target->state, rq->core, &status, err) < 0 ||
		    target->ops->pc(target->state, rq->core, &rq->pc, err) < 0)
			return err->code;
	} while (status.reason == PT_HALT_STEP && in_range(rq) && pt_gdb_break_at(rq->client, rq->pc) == NULL &&
		 uv_hrtime() < until_ns);
	return pt_gdb_stop_registers(rq, target, err);
}

static void after_step(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;
	struct pt_core_status status = pt_board_last_status(client->stub->config.board, rq->core);
	bool on = in_range(rq) && status.reason == PT_HALT_STEP && pt_gdb_break_at(client, rq->pc) == NULL;

	if (client->inferior.run != PT_GDB_RUNNING) {
		pt_rsp_finish(&client->rsp);
	} else if (rc < 0) {
		failed(client, rq, "step", err);
	} else if (client->resume.fileio.asked) {
		client->resume.under_way = false;
		pt_gdb_fileio_send(client, fileio_done);
		pt_rsp_finish(&client->rsp);
	} else if (on && !client->resume.interrupted && !client->rsp.closing) {
		rq->addr = PT_UNKNOWN;
		pt_gdb_post(rq, step, after_step);
	} else {
		stopped_or_interrupted(client, rq, &status);
		pt_rsp_finish(&client->rsp);
	}
}

/* --- the packets -------------------------------------------------------------------------------------------------- */

static bool parse_thread(struct pt_gdb_client *client, struct pt_rsp_args *args, struct pt_gdb_action *action)
{
	uint64_t id;

	action->core = PT_GDB_ALL_CORES;
	if (!pt_rsp_take(args, ":") || pt_rsp_take(args, "-1"))
		return true;
	if (!pt_rsp_number(args, &id) || !pt_gdb_can_be_thread(client, id))
		return false;
	if (id > 0 &&
	    id <= client->inferior.n_cores) /* a task cannot be let run by itself: the core of the last stop */
		action->core = (unsigned)id - 1;
	return true;
}

/* Signals are for operating systems: what C and S carry is passed over. */
static bool parse_action(struct pt_gdb_client *client, struct pt_rsp_args *args, struct pt_gdb_action *action)
{
	uint64_t signal;

	*action = (struct pt_gdb_action){ 0 };
	if (pt_rsp_left(args) == 0)
		return false;
	action->kind = (char)*args->at++;
	switch (action->kind) {
	case 'c':
	case 's':
	case 't':
		break;
	case 'C':
	case 'S':
		if (!pt_rsp_number(args, &signal))
			return false;
		action->kind |= 0x20;
		break;
	case 'r':
		if (!pt_rsp_number(args, &action->start) || !pt_rsp_take(args, ",") ||
		    !pt_rsp_number(args, &action->end))
			return false;
		break;
	default:
		return false;
	}
	return parse_thread(client, args, action);
}

static void go(struct pt_gdb_client *client, const struct pt_gdb_action *action, uint64_t pc)
{
	struct pt_gdb_request *rq = &client->request;
	uint64_t range_bytes = action->kind == 'r' && action->end > action->start ? action->end - action->start : 0;

	rq->core = action->core < client->inferior.n_cores ? action->core : client->inferior.core;
	rq->addr = pc;
	rq->at = (struct pt_break){ .addr = action->start };
	rq->at.len = range_bytes < UINT32_MAX ? (uint32_t)range_bytes : UINT32_MAX;
	rq->pc = PT_UNKNOWN;
	rq->task = 0;
	client->inferior.run = PT_GDB_RUNNING;
	client->resume.under_way = true;
	client->resume.interrupted = pt_gdb_take_interrupt(client);
	client->resume.n_stops = 0;
	client->resume.one = action->kind == 'c' && action->core < client->inferior.n_cores;
	rq->found = false;
	client->resume.fileio.active = client->resume.fileio.asked = false;
	pt_gdb_code_forget(&client->inferior.code);
	if (client->resume.interrupted)
		pt_gdb_post(rq, stay, after_stay);
	else if (action->kind == 'c')
		pt_gdb_post(rq, resume, after_resume);
	else
		pt_gdb_post(rq, step, after_step);
}

static bool refuse_while_running(struct pt_gdb_client *client)
{
	if (client->inferior.run == PT_GDB_RUNNING)
		pt_gdb_reply_text(client, "E01");	/* the stop reply of the first resume is still owed */
	return client->inferior.run == PT_GDB_RUNNING;
}

/* Returns how many; 0: they are none. */
static size_t parse_actions(struct pt_gdb_client *client, struct pt_rsp_args *args, struct pt_gdb_action *actions)
{
	size_t n = 0;

	do {
		if (n == PT_GDB_MAX_ACTIONS || !parse_action(client, args, &actions[n]))
			return 0;
		n++;
	} while (pt_rsp_take(args, ";"));
	return pt_rsp_left(args) == 0 ? n : 0;
}

/* All-stop: the first action is the one for the thread GDB means. With a step, and where there is no other action, the
 * other cores stay halted. */
static void handle_vcont(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_action actions[PT_GDB_MAX_ACTIONS];
	size_t n = parse_actions(client, args, actions);

	if (n == 0)
		pt_gdb_reply_malformed(client);
	else if (client->inferior.run == PT_GDB_NONSTOP)
		pt_gdb_nonstop_resume(client, actions, n);
	else if (actions[0].kind == 't')
		handle_ctrl_c(client, args);
	else if (!refuse_while_running(client)) {
		if (n > 1 && actions[0].kind == 'c')
			actions[0].core = PT_GDB_ALL_CORES;
		go(client, &actions[0], PT_UNKNOWN);
	}
}

static void handle_vcont_what(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_gdb_reply_text(client, "vCont;c;C;s;S;t;r");
}

/* c [addr], s [addr], C sig[;addr], S sig[;addr] */
static void old_style(struct pt_gdb_client *client, struct pt_rsp_args *args, char kind)
{
	struct pt_gdb_action action = { .kind = kind, .core = PT_GDB_ALL_CORES };
	bool with_signal = (client->rsp.current->bytes[0] & 0x20) == 0, good = true;
	uint64_t pc = PT_UNKNOWN, signal;

	if (with_signal)
		good = pt_rsp_number(args, &signal) && (pt_rsp_left(args) == 0 || pt_rsp_take(args, ";"));
	if (good && pt_rsp_left(args) > 0)
		good = pt_rsp_number(args, &pc) && pt_rsp_left(args) == 0;
	if (!good || client->inferior.run == PT_GDB_NONSTOP)	/* there vCont is the only way */
		pt_gdb_reply_malformed(client);
	else if (!refuse_while_running(client))
		go(client, &action, pc);
}

static void handle_continue(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	old_style(client, args, 'c');
}

static void handle_step(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	old_style(client, args, 's');
}

/* --- what the board tells ----------------------------------------------------------------------------------------- */

static void on_stop(void *arg, unsigned core, const struct pt_core_status *status)
{
	struct pt_gdb_client *client = arg;

	if (client->resume.over_break && status->reason == PT_HALT_STEP)
		return;		/* ours, over the breakpoint */
	if (client->inferior.run == PT_GDB_NONSTOP)
		pt_gdb_nonstop_on_stop(client, core, status);
	if (client->inferior.run != PT_GDB_RUNNING || status->state != PT_HALTED || status->reason == PT_HALT_TRACE ||
	    client->resume.n_stops == PT_GDB_MAX_CORES)
		return;
	client->resume.stops[client->resume.n_stops++] = (struct pt_gdb_stop_event){ core, *status };
	report_next(client);
}

/* Stops from before the resume are not its end. */
static void on_run(void *arg, unsigned core)
{
	struct pt_gdb_client *client = arg;

	pt_gdb_code_forget(&client->inferior.code);
	if (client->inferior.run == PT_GDB_NONSTOP)
		pt_gdb_nonstop_on_run(client, core);
	else if (client->resume.under_way)
		client->resume.n_stops = 0;
}

static void on_reset(void *arg)
{
	static const char text[] = "the target was reset\n";
	struct pt_gdb_client *client = arg;

	pt_gdb_code_forget(&client->inferior.code);
	if (client->inferior.run == PT_GDB_RUNNING && !client->resume.under_way)
		pt_gdb_console(client, text, strlen(text));
}

/* The probe or the chip is gone, and with it the program. */
static void on_state(void *arg, enum pt_board_state state, const char *why)
{
	struct pt_gdb_client *client = arg;
	bool waits = client->inferior.run == PT_GDB_RUNNING;

	if (state == PT_BOARD_READY || client->inferior.run == PT_GDB_NONE)
		return;
	if (client->inferior.run == PT_GDB_NONSTOP)
		pt_gdb_nonstop_lost(client);
	pt_gdb_forget_inferior(client);
	if (!waits)
		return;
	pt_gdb_console(client, why, strlen(why));
	pt_gdb_console(client, "\n", 1);
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "X09");
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

static void on_console(void *arg, const char *text, size_t len_bytes)
{
	struct pt_gdb_client *client = arg;

	if (client->inferior.run == PT_GDB_RUNNING && pt_rsp_may_send(&client->rsp))
		pt_gdb_console(client, text, len_bytes);
}

void pt_gdb_listen_to_board(struct pt_gdb_client *client)
{
	client->inferior.listener = (struct pt_board_listener){
		.arg = client,
		.on_state = on_state,
		.on_stop = on_stop,
		.on_run = on_run,
		.on_reset = on_reset,
		.on_console = on_console,
	};
	pt_board_listen(client->stub->config.board, &client->inferior.listener);
}

const struct pt_packet_row pt_packets_run[] = {
	{ "vCont?", PT_PACKET_EXACT | PT_PACKET_CONNECTING | PT_PACKET_LOOKS, handle_vcont_what },
	{ "vCont;", PT_PACKET_TARGET | PT_PACKET_CONNECTING | PT_PACKET_TASKS, handle_vcont },
	{ "vCtrlC", PT_PACKET_EXACT | PT_PACKET_CHANGES, handle_ctrl_c },
	{ "c", PT_PACKET_TARGET | PT_PACKET_TASKS, handle_continue },
	{ "C", PT_PACKET_TARGET | PT_PACKET_TASKS, handle_continue },
	{ "s", PT_PACKET_TARGET | PT_PACKET_TASKS, handle_step },
	{ "S", PT_PACKET_TARGET | PT_PACKET_TASKS, handle_step },
	{ 0 },
};
