/* Run control of the cores. Changes of state are reported to the loop by a note, to the source at once. But a halt is
 * reported to the client before the source fetches the rest of its buffer. */
#include "board/board_parts.h"

#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "base/util.h"
#include "probes/registry.h"

enum {
	LOOK_LAST_US = 50000,
	SILENT_MS = 700,	/* after this time without an answer the target is lost; a reset or a power dip is
				 * shorter */
};

bool pt_board_is_upstream(const struct pt_board *board)
{
	for (size_t i = 0; i < board->n_uris; i++)	/* the list does not change */
		if (pt_probe_is_gdb_server(board->uri[i]))
			return true;
	return false;
}

void pt_board_heard(struct pt_board *board)
{
	board->heard_ns = pt_link_now_ns(board->link);
}

/* Reads at attach whether cores run. */
int pt_board_see_cores(struct pt_board *board, struct pt_err *err)
{
	board->ran_when_found = true;
	for (unsigned i = 0; i < board->target->ops->n_cores(board->target->state) && i < PT_BOARD_CORES; i++) {
		struct pt_board_note note = { .kind = NOTE_RUN, .core = i };

		if (board->target->ops->status(board->target->state, i, &note.status, err) < 0)
			return err->code;
		board->core[i] = note.status;
		if (note.status.state == PT_HALTED) {
			note.kind = NOTE_STOP;
			board->ran_when_found = false;
		}
		pt_board_send(board, &note);
	}
	return 0;
}

/* --- the cores ---------------------------------------------------------------------------------------------------- */

static void tell_core(struct pt_board *board, unsigned core, const struct pt_core_status *status)
{
	struct pt_board_note note = { .kind = status->state == PT_HALTED ? NOTE_STOP : NOTE_RUN, .core = core,
				      .status = *status };

	board->core[core] = *status;
	board->at_reset = board->at_reset && (core != 0 || status->state == PT_HALTED);
	pt_board_send(board, &note);
}

void pt_board_tell_source(struct pt_board *board, unsigned core, enum pt_state what)
{
	struct pt_err err = { 0 };
	uint64_t pc = PT_UNKNOWN;

	if (board->drain.on_state == NULL)
		return;
	pt_link_shield(board->link);	/* this must not be interrupted: it is not repeated */
	if (board->core[core].state == PT_HALTED || (board->resume_owed & 1u << core) != 0)
		board->target->ops->pc(board->target->state, core, &pc, &err);
	board->stood_at[core] = what == PT_STATE_HALT ? pc : PT_UNKNOWN;
	board->drain.on_state(board->drain.arg, board->target, what, core, pc);
	pt_link_unshield(board->link);
}

void pt_board_tell_owed(struct pt_board *board)
{
	if (board->halt_owed && board->target != NULL)
		pt_board_tell_source(board, board->halt_owed_core, PT_STATE_HALT);
	board->halt_owed = false;
}

/* At a halt a source fetches its whole buffer, which takes long over a slow link. */
static void owe_halt(struct pt_board *board, unsigned core)
{
	pt_board_tell_owed(board);
	board->halt_owed = true;
	board->halt_owed_core = core;
}

static bool runs(enum pt_run_state state)
{
	return state == PT_RUNNING || state == PT_SLEEPING || state == PT_LOCKED_UP;
}

static bool is_long_silent(struct pt_board *board)
{
	return pt_link_now_ns(board->link) - board->heard_ns >= SILENT_MS * PT_NS_PER_MS;
}

/* 0 until the target has been silent for SILENT_MS. Then PT_EIO, with the poll's error as the reason. */
static int judge_silence(struct pt_board *board, struct pt_err *err)
{
	uint64_t silent_ns = pt_link_now_ns(board->link) - board->heard_ns;
	struct pt_err seen = *err;

	if (!is_long_silent(board))
		return 0;
	return pt_fail(err, PT_EIO, "no contact with the target for %.1f s: %s (check power and cables)",
		       (double)silent_ns / PT_NS_PER_S, seen.msg[0] != '\0' ? seen.msg : "it does not answer");
}

/* Warns at once; whether the target is lost is decided later. */
static void tell_silence(struct pt_board *board, const struct pt_err *seen)
{
	struct pt_board_note note = { .kind = NOTE_CONSOLE };

	snprintf(note.text, sizeof(note.text),
		 "the target does not answer any more (clock, power, cable?); what was collected is kept: %.300s\n",
		 seen->msg[0] != '\0' ? seen->msg : "no reason is known");
	pt_warn("board: %.*s", (int)strlen(note.text) - 1, note.text);
	pt_board_send(board, &note);
}

static void tell_return(struct pt_board *board)
{
	struct pt_board_note note = { .kind = NOTE_CONSOLE, .text = "the target answers again\n" };

	pt_info("board: the target answers again");
	pt_board_send(board, &note);
}

void pt_board_find_stood(struct pt_board *board)
{
	struct pt_err ignored = { 0 };

	for (unsigned i = 0; i < PT_BOARD_CORES; i++) {
		board->stood_at[i] = PT_UNKNOWN;
		if (pt_board_is_upstream(board) && board->target != NULL && board->core[i].state == PT_HALTED)
			board->target->ops->pc(board->target->state, i, &board->stood_at[i], &ignored);
	}
}

/* Another client resumed the core, which may have halted again since, so its present pc is not where it started. Behind
 * another GDB server the start is its pc at the halt, or the one that a client has written through us since. Otherwise
 * the start is unknown. */
static void tell_source_of_run(struct pt_board *board, unsigned core)
{
	uint64_t pc = pt_board_is_upstream(board) ? board->stood_at[core] : PT_UNKNOWN;

	board->stood_at[core] = PT_UNKNOWN;
	if (board->drain.on_state == NULL)
		return;
	pt_link_shield(board->link);
	board->drain.on_state(board->drain.arg, board->target, PT_STATE_RUN, core, pc);
	pt_link_unshield(board->link);
}

static void tell_run_of_others(struct pt_board *board, unsigned core, const struct pt_core_status *now)
{
	struct pt_core_status running = { .state = PT_RUNNING, .addr = PT_UNKNOWN, .resumes = now->resumes };

	if (board->core[core].state != PT_HALTED || now->was_reset ||
	    !(runs(now->state) || (now->state == PT_HALTED && now->resumes != board->core[core].resumes)))
		return;
	pt_board_tell_owed(board);
	tell_core(board, core, &running);
	tell_source_of_run(board, core);
}

static int look_at(struct pt_board *board, unsigned core, struct pt_err *err)
{
	struct pt_core_status now;
	int rc;

	if (board->target->ops->status(board->target->state, core, &now, err) < 0)
		return err->code;
	if (now.state == PT_LOST) {
		if (board->core[core].state != PT_LOST)
			tell_silence(board, err);
		board->core[core] = now;
		return judge_silence(board, err);
	}
	if (board->core[core].state == PT_LOST)
		tell_return(board);
	pt_board_heard(board);
	if (now.was_reset)
		pt_board_send(board, &(struct pt_board_note){ .kind = NOTE_RESET });
	if (now.was_reset && board->host.mode != PT_HOST_OFF)
		pt_host_reset(&board->host, pt_link_now_ns(board->link));
	if (now.was_reset || now.state == PT_IN_RESET)
		pt_board_tell_source(board, core, PT_STATE_RESET);
	if (now.state == PT_HALTED && now.reason == PT_HALT_TRACE)
		return 0;	/* the source will resume it */
	tell_run_of_others(board, core, &now);
	if (now.state == PT_HALTED && board->core[core].state != PT_HALTED) {
		rc = pt_board_host_halted(board, core, &now, err);
		if (rc != 0)
			return rc < 0 ? rc : 0;
		board->awaited = false;
		tell_core(board, core, &now);
		pt_board_tell_source(board, core, PT_STATE_HALT);
	} else if (runs(now.state) != runs(board->core[core].state)) {
		tell_core(board, core, &now);
	} else {
		board->core[core] = now;
	}
	return 0;
}

bool pt_board_behind(const struct pt_board *board)
{
	return board->drain.behind != NULL && board->drain.behind(board->drain.arg);
}

static bool any_runs(const struct pt_board *board)
{
	for (unsigned i = 0; i < PT_BOARD_CORES; i++)
		if (runs(board->core[i].state))
			return true;
	return false;
}

static bool is_away(const struct pt_board *board, unsigned core)
{
	return pt_target_about_core(board->target, core).away != NULL;
}

bool pt_board_all_halted(const struct pt_board *board)
{
	for (unsigned i = 0; i < board->target->ops->n_cores(board->target->state) && i < PT_BOARD_CORES; i++)
		if (board->core[i].state != PT_HALTED && !is_away(board, i))
			return false;
	return true;
}

static uint64_t until_next_look_ns(const struct pt_board *board)
{
	for (unsigned i = 0; i < PT_BOARD_CORES; i++)
		if (board->core[i].state == PT_LOST)
			return LOOK_LAST_US * UINT64_C(1000);
	return any_runs(board) ? board->look_us * UINT64_C(1000) : PT_BOARD_ALIVE_MS * PT_NS_PER_MS;
}

/* With a silent probe a poll takes longer than the time between jobs: jobs must not interrupt every poll. */
int pt_board_look(struct pt_board *board, struct pt_err *err)
{
	bool shields = is_long_silent(board);
	int rc = 0;

	if (shields)
		pt_link_shield(board->link);
	for (unsigned i = 0; rc != PT_EIO && i < board->target->ops->n_cores(board->target->state); i++)
		rc = look_at(board, i, err);
	if (shields)
		pt_link_unshield(board->link);
	if (rc == PT_EIO)
		return rc;
	board->look_us = board->look_us * 2 > LOOK_LAST_US ? LOOK_LAST_US : board->look_us * 2;
	board->look_at_ns = pt_link_now_ns(board->link) + until_next_look_ns(board);
	return 0;
}

int pt_board_hear(struct pt_board *board, struct pt_err *err)
{
	int rc = board->target != NULL && pt_board_is_upstream(board) ? pt_board_look(board, err) : 0;

	pt_board_tell_owed(board);
	return rc;
}

static void look_soon(struct pt_board *board)
{
	board->drain_at_ns = 0;
	board->n_cuts = 0;
	board->resting = false;
	board->look_us = PT_BOARD_LOOK_US;
	board->look_at_ns = pt_link_now_ns(board->link) + board->look_us * UINT64_C(1000);
}

int pt_board_halt(struct pt_board *board, unsigned core, struct pt_err *err)
{
	struct pt_target *t = board->target;
	struct pt_core_status status;

	board->resume_owed &= ~(1u << core);
	board->leave_owed = false;
	if (is_away(board, core))
		return 0;	/* the others are halted */
	if (t->ops->halt(t->state, core, err) < 0 || t->ops->status(t->state, core, &status, err) < 0)
		return err->code;
	board->awaited = false;
	tell_core(board, core, &status);
	owe_halt(board, core);
	return 0;
}

static int let_run(struct pt_board *board, unsigned core, struct pt_err *err)
{
	pt_board_tell_source(board, core, PT_STATE_RUN);
	return board->target->ops->resume(board->target->state, core, err);
}

int pt_board_go_on(struct pt_board *board, unsigned core, struct pt_err *err)
{
	look_soon(board);
	if (pt_board_behind(board))
		board->resume_owed |= 1u << core;
	else if (let_run(board, core, err) < 0)
		return err->code;
	board->core[core] = (struct pt_core_status){ .state = PT_RUNNING, .addr = PT_UNKNOWN };
	return 0;
}

/* The client that resumed it has been answered already. */
static int tell_late(struct pt_board *board, unsigned core, int rc, struct pt_err *err)
{
	struct pt_core_status status;

	if (rc == PT_EIO)
		return rc;
	pt_warn("board: resume: %s", err->msg);
	if (board->target->ops->status(board->target->state, core, &status, err) < 0)
		return err->code;
	tell_core(board, core, &status);
	return 0;
}

int pt_board_pay_resume(struct pt_board *board, struct pt_err *err)
{
	int rc = 0;

	for (unsigned core = 0; core < PT_BOARD_CORES && rc == 0 && !pt_board_behind(board); core++) {
		if ((board->resume_owed & 1u << core) == 0)
			continue;
		pt_link_shield(board->link);
		rc = let_run(board, core, err);
		board->resume_owed &= ~(1u << core);
		if (rc < 0)
			rc = tell_late(board, core, rc, err);
		pt_link_unshield(board->link);
	}
	if (rc < 0 || !board->leave_owed || board->resume_owed != 0)
		return rc;
	return pt_board_leave(board, err);
}

int pt_board_resume(struct pt_board *board, unsigned core, struct pt_err *err)
{
	if ((board->resume_owed & 1u << core) != 0)
		return 0;
	pt_board_tell_owed(board);
	if (look_at(board, core, err) < 0)
		return err->code;
	board->awaited = true;
	look_soon(board);
	if (board->core[core].state != PT_HALTED)
		return 0;	/* it runs; if a source holds it for a moment, the source resumes it */
	if (pt_board_behind(board))
		board->resume_owed |= 1u << core;
	else if (let_run(board, core, err) < 0)
		return err->code;
	tell_core(board, core, &(struct pt_core_status){ .state = PT_RUNNING, .addr = PT_UNKNOWN });
	return 0;
}

int pt_board_leave(struct pt_board *board, struct pt_err *err)
{
	struct pt_target *t = board->target;
	int rc = 0;

	board->leave_owed = board->resume_owed != 0; /* keep halting debug enabled until the pending resume is
							 * done */
	if (board->leave_owed || t->ops->leave == NULL)
		return 0;
	pt_link_shield(board->link);	/* this must not be interrupted: it is not repeated */
	rc = t->ops->leave(t->state, err);
	pt_link_unshield(board->link);
	return rc;
}

int pt_board_step(struct pt_board *board, unsigned core, struct pt_err *err)
{
	struct pt_target *t = board->target;
	struct pt_core_status status;

	board->resume_owed &= ~(1u << core);
	board->at_reset = board->at_reset && core != 0;
	pt_board_tell_owed(board);
	pt_board_tell_source(board, core, PT_STATE_RUN);
	if (t->ops->step(t->state, core, err) < 0 || t->ops->status(t->state, core, &status, err) < 0)
		return err->code;
	tell_core(board, core, &status);
	owe_halt(board, core);
	return 0;
}

/* Reports the reset of all cores but the first. Behind a server the next poll finds them. */
static int tell_reset_of_others(struct pt_board *board, struct pt_err *err)
{
	unsigned n = pt_board_is_upstream(board) ? 1 : board->target->ops->n_cores(board->target->state);

	for (unsigned core = 1; core < n && core < PT_BOARD_CORES; core++) {
		struct pt_core_status status;

		if (board->target->ops->status(board->target->state, core, &status, err) < 0)
			return err->code;
		board->core[core] = status;
		pt_board_tell_source(board, core, PT_STATE_RESET);
		tell_core(board, core, &status);
	}
	return 0;
}

int pt_board_reset(struct pt_board *board, enum pt_reset_kind kind, struct pt_err *err)
{
	struct pt_target *t = board->target;
	struct pt_core_status status;
	bool was_halted;
	int rc = 0;

	pt_board_tell_owed(board);
	was_halted = board->core[0].state == PT_HALTED;
	board->resume_owed = 0;
	if (board->host.mode != PT_HOST_OFF)
		pt_host_reset(&board->host, pt_link_now_ns(board->link));
	if (t->ops->reset(t->state, kind, err) < 0 || t->ops->status(t->state, 0, &status, err) < 0)
		return err->code;
	board->core[0] = status;
	pt_board_send(board, &(struct pt_board_note){ .kind = NOTE_RESET });
	pt_board_tell_source(board, 0, PT_STATE_RESET);
	if (tell_reset_of_others(board, err) < 0)
		return err->code;
	if (kind == PT_RESET_RUN && status.state == PT_HALTED)
		rc = pt_board_host_halted(board, 0, &status, err);	/* a halt for a request may have come already */
	if (rc != 0)
		return rc < 0 ? rc : 0;
	tell_core(board, 0, &status);
	board->at_reset = status.state == PT_HALTED;
	if (runs(status.state)) {
		if (was_halted)
			pt_board_tell_source(board, 0, PT_STATE_RUN);
		board->awaited = true;
		look_soon(board);
	}
	return 0;
}

int pt_board_wrote_pc(struct pt_board *board, unsigned core, uint64_t pc, struct pt_err *err)
{
	(void)err;
	pt_board_tell_owed(board);
	board->stood_at[core] = pc;
	board->at_reset = board->at_reset && core != 0;
	if (board->drain.on_state != NULL)
		board->drain.on_state(board->drain.arg, board->target, PT_STATE_PC_WRITTEN, core, pc);
	return 0;
}
