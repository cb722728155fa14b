#define _GNU_SOURCE /* pthread_setname_np */
/* The board thread is a small scheduler: first jobs (urgent before normal), then one step of the profile's drain, then
 * a poll of cores whose stop is awaited. In between it waits on the link's clock, where a new job interrupts it. */
#include "targets/registry.h"
#include "probes/registry.h"
#include "board/board_parts.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "base/util.h"

enum {
	STARVED_MS = 40,	/* when jobs have cut all drain steps short for this long, the next step is not
				 * interrupted */
	OWED_MS = 15,		/* the same if a core waits to be resumed */
	MANY_CUTS = 4,		/* with fewer cuts there are not too many jobs, and a halt must not wait for a step */
};

/* --- jobs --------------------------------------------------------------------------------------------------------- */

static struct pt_job *lane_take(struct pt_board_lane *lane)
{
	struct pt_job *job = lane->head;

	if (job != NULL) {
		lane->head = job->next;
		if (lane->head == NULL)
			lane->tail = &lane->head;
	}
	return job;
}

static struct pt_job *next_job(struct pt_board *board)
{
	struct pt_job *job;

	uv_mutex_lock(&board->lock);
	job = lane_take(&board->urgent);
	if (job == NULL)
		job = lane_take(&board->normal);
	board->busy = job != NULL;
	uv_mutex_unlock(&board->lock);
	return job;
}

static bool quitting(struct pt_board *board)
{
	bool quit;

	uv_mutex_lock(&board->lock);
	quit = board->quit;
	uv_mutex_unlock(&board->lock);
	return quit;
}

static bool has_work(struct pt_board *board)
{
	bool work;

	uv_mutex_lock(&board->lock);
	work = board->urgent.head != NULL || board->normal.head != NULL || board->quit;
	uv_mutex_unlock(&board->lock);
	return work;
}

/* Waits, without a link, for a job, the end, or wait_ms (0: no limit). */
static void wait_for_job(struct pt_board *board, uint32_t wait_ms)
{
	uv_mutex_lock(&board->lock);
	if (board->urgent.head == NULL && board->normal.head == NULL && !board->quit) {
		if (wait_ms == 0)
			uv_cond_wait(&board->job_or_quit, &board->lock);
		else
			uv_cond_timedwait(&board->job_or_quit, &board->lock, wait_ms * PT_NS_PER_MS);
	}
	uv_mutex_unlock(&board->lock);
}

/* --- probe and target come and go --------------------------------------------------------------------------------- */

static void set_probe(struct pt_board *board, struct pt_probe *probe)
{
	uv_mutex_lock(&board->lock);
	board->probe = probe;
	uv_mutex_unlock(&board->lock);
	board->link = probe != NULL ? pt_probe_link(probe) : NULL;
}

static int detach(struct pt_board *board, bool resume, struct pt_err *err)
{
	struct pt_pending *pending = pt_board_take_pending(board);
	int rc = pt_target_detach(board->target, resume, err);

	board->target = NULL;
	pt_board_end_pending(board, pending);
	return rc;
}

/* Closes the probe on failure. */
static int attach(struct pt_board *board, struct pt_probe *probe, struct pt_err *err)
{
	struct pt_link_info info;

	board->target = pt_target_attach(probe, board->target_name, board->settings, err);
	if (board->target == NULL) {
		pt_probe_close(probe);
		return err->code;
	}
	pt_link_info(pt_probe_link(probe), &info);
	board->virtual_clock = info.virtual_clock;
	board->locked = err->code == PT_ESTATE;
	if (!board->locked && (pt_board_keep_pending(board, err) < 0 || pt_board_see_cores(board, err) < 0)) {
		detach(board, true, &(struct pt_err){ 0 });
		pt_probe_close(probe);
		return err->code;
	}
	set_probe(board, probe);	/* from now on jobs may interrupt it; not while it is being opened */
	return 0;
}

static void tell_attached(struct pt_board *board, int rc, const struct pt_err *err)
{
	if (rc == 0 && board->locked) {
		pt_board_tell_state(board, PT_BOARD_LOCKED, err->code, err->msg);
	} else if (rc == 0) {
		pt_board_tell_state(board, PT_BOARD_READY, 0, board->target->ops->chip(board->target->state));
	} else if (strcmp(err->msg, board->last_why) != 0) {
		pt_board_tell_state(board, PT_BOARD_CLOSED, err->code, err->msg);
	}
	snprintf(board->last_why, sizeof(board->last_why), "%s", rc < 0 || board->locked ? err->msg : "");
	board->awaited = false;
	board->resume_owed = 0;
	board->leave_owed = false;
	board->drain_at_ns = board->look_at_ns = 0;
	board->look_us = PT_BOARD_LOOK_US;
	if (board->target != NULL)
		pt_board_heard(board);
	if (board->target != NULL && !board->locked)
		pt_board_host_begin(board);
}

/* Opens all of the board's probes, or none. */
static struct pt_probe *open_probes(struct pt_board *board, struct pt_err *err)
{
	struct pt_probe *first = pt_probe_open(board->uri[0], board->settings, err), *next;

	for (size_t i = 1; first != NULL && i < board->n_uris; i++) {
		next = pt_probe_open(board->uri[i], board->settings, err);
		if (next == NULL) {
			pt_wrap(err, "probe %s", board->uri[i]);
			pt_probe_close(first);
			return NULL;
		}
		pt_probe_join(first, next);
	}
	return first;
}

static void try_open(struct pt_board *board)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe = open_probes(board, &err);
	int opened = probe != NULL ? 0 : err.code;

	tell_attached(board, probe != NULL ? attach(board, probe, &err) : err.code, &err);
	pt_board_reopen_later(board, opened);
}

static void drop_drain(struct pt_board *board, const struct pt_err *why)
{
	struct pt_board_drain drain = board->drain;

	memset(&board->drain, 0, sizeof(board->drain));
	if (drain.on_lost != NULL)
		drain.on_lost(drain.arg, why);
}

/* Lasts until the thread looks for the next job. */
static void set_busy(struct pt_board *board)
{
	uv_mutex_lock(&board->lock);
	board->busy = true;
	uv_mutex_unlock(&board->lock);
}

static void close_target(struct pt_board *board, const struct pt_err *why)
{
	struct pt_probe *probe = board->target->probe;
	bool runs_on = board->ran_when_found || board->resume_owed != 0;
	struct pt_err err = { 0 };

	set_busy(board);
	pt_probe_look(probe, NULL);	/* clears a pending interrupt, so that the detach is not interrupted */
	drop_drain(board, why);
	pt_host_reset(&board->host, 0);
	board->host.mode = PT_HOST_OFF;
	board->resume_owed = 0;
	board->leave_owed = false;
	if (detach(board, runs_on, &err) < 0 && err.code != PT_EIO)
		pt_warn("board: %s", err.msg);
	set_probe(board, NULL);
	pt_probe_close(probe);
}

static void lost(struct pt_board *board, const struct pt_err *why)
{
	struct pt_board_note note = { .kind = NOTE_STOP, .status = { .state = PT_LOST, .addr = PT_UNKNOWN } };
	unsigned n_cores = board->target->ops->n_cores(board->target->state);

	close_target(board, why);
	pt_board_tell_state(board, PT_BOARD_CLOSED, why->code, why->msg);
	for (note.core = 0; note.core < n_cores && note.core < PT_BOARD_CORES; note.core++)
		pt_board_send(board, &note);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* An unlocked chip is attached like any other. */
static void attach_anew(struct pt_board *board)
{
	struct pt_probe *probe = board->target->probe;
	struct pt_err err = { 0 };

	detach(board, false, &err);
	set_probe(board, NULL);
	tell_attached(board, attach(board, probe, &err), &err);
	pt_board_reopen_later(board, 0);
}

/* The duration of a job does not count as silence of the target. */
static void run_job(struct pt_board *board, struct pt_job *job)
{
	uint64_t begun_ns = board->link != NULL ? pt_link_now_ns(board->link) : 0;

	if (board->probe != NULL)
		pt_probe_look(board->probe, NULL); /* clears a pending interrupt, so that the job is not
							 * interrupted */
	memset(&job->err, 0, sizeof(job->err));
	job->rc = job->run(job, board, board->locked && !job->even_locked ? NULL : board->target, &job->err);
	if (board->target != NULL && job->rc == PT_EIO)
		lost(board, &job->err);
	else if (board->target != NULL && job->rc != PT_ETIMEOUT && job->rc != PT_EPROTO)
		board->heard_ns += pt_link_now_ns(board->link) - begun_ns;
	if (board->target != NULL && board->locked && job->even_locked && job->rc == 0)
		attach_anew(board);
	pt_board_send(board, &(struct pt_board_note){ .kind = NOTE_JOB, .job = job });
	pt_board_tell_owed(board);
}

/* On a virtual clock time passes only while something runs that a client waits for: polling would make it pass. */
static bool stands_still(const struct pt_board *board)
{
	if (!board->virtual_clock)
		return false;
	return board->resting || board->locked || pt_board_all_halted(board) ||
	       (!board->awaited && board->drain.drain == NULL);
}

static void drain_is_cut(struct pt_board *board)
{
	if (board->n_cuts++ == 0)
		board->cut_since_ns = pt_link_now_ns(board->link);
}

static bool drain_is_due(struct pt_board *board)
{
	bool wanted = board->resume_owed != 0 ? pt_board_behind(board) : !stands_still(board);

	return board->drain.drain != NULL && wanted && pt_link_now_ns(board->link) >= board->drain_at_ns;
}

/* A step that a job cut short is started again later; under a constant stream of jobs the source would make no
 * progress. If a core waits for the drain before it is resumed, the limit is shorter. */
static bool starves(struct pt_board *board)
{
	uint64_t patience_ns = (board->resume_owed != 0 ? OWED_MS : STARVED_MS) * PT_NS_PER_MS;
	bool urgent;

	if (board->n_cuts < MANY_CUTS || !drain_is_due(board) ||
	    pt_link_now_ns(board->link) - board->cut_since_ns < patience_ns)
		return false;
	uv_mutex_lock(&board->lock);
	urgent = board->urgent.head != NULL || board->quit;
	uv_mutex_unlock(&board->lock);
	return !urgent;
}

static void drain(struct pt_board *board)
{
	int64_t wait_us = board->drain.drain(board->drain.arg, board->target);

	if (has_work(board))
		drain_is_cut(board);
	else
		board->n_cuts = 0;

	if (wait_us == PT_DRAIN_OVER)
		memset(&board->drain, 0, sizeof(board->drain));	/* its owner may be freed before this thread ends */
	else if (wait_us < 0)
		board->drain.drain = NULL;
	board->resting = wait_us == PT_DRAIN_REST;
	board->drain_at_ns = pt_link_now_ns(board->link) + (uint64_t)(wait_us < 0 ? 0 : wait_us) * 1000;
}

/* Jobs posted meanwhile wait for one step. */
static void drain_in_whole(struct pt_board *board)
{
	struct pt_link *link = board->link;

	set_busy(board);
	pt_probe_look(board->probe, NULL);	/* clears interrupts of waiting jobs */
	pt_link_shield(link);
	drain(board);
	pt_link_unshield(link);
	board->n_cuts = 0;
}

static uint64_t resume_when_drained(struct pt_board *board)
{
	struct pt_err err = { 0 };

	if (pt_board_behind(board) && pt_link_now_ns(board->link) >= board->drain_at_ns)
		drain(board);
	if (pt_board_behind(board))
		return board->drain_at_ns;
	if (pt_board_pay_resume(board, &err) == PT_EIO)
		lost(board, &err);
	return 0;
}

/* A job that came during the drain step goes before a poll, but only once: a constant stream of jobs must not hide a
 * halt. */
static bool look_is_due(struct pt_board *board)
{
	if (pt_link_now_ns(board->link) < board->look_at_ns)
		return false;
	board->look_gave_way = !board->look_gave_way && has_work(board);
	return !board->look_gave_way;
}

/* Does one step of what is due; returns when the next is due, on the link's clock. */
static uint64_t between_jobs(struct pt_board *board)
{
	uint64_t next_ns = PT_UNKNOWN;
	struct pt_err err = { 0 };

	if (board->resume_owed != 0)
		return resume_when_drained(board);
	if (stands_still(board))
		return PT_UNKNOWN;
	if (board->drain.drain != NULL && pt_link_now_ns(board->link) >= board->drain_at_ns)
		drain(board);
	if (stands_still(board))
		return PT_UNKNOWN;
	if (board->drain.drain != NULL)
		next_ns = board->drain_at_ns;
	if (board->locked)	/* only an unplug can happen, which waiting detects */
		return pt_link_now_ns(board->link) + PT_BOARD_ALIVE_MS * PT_NS_PER_MS;
	if (look_is_due(board) && pt_board_look(board, &err) == PT_EIO) {
		lost(board, &err);
		return 0;
	}
	return next_ns < board->look_at_ns ? next_ns : board->look_at_ns;
}

/* Waiting detects only the loss of the first probe. Interrupts are kept: a job that came meanwhile is found anyway. */
static int look_at_others(struct pt_board *board, struct pt_err *err)
{
	struct pt_probe *other = pt_probe_next(board->probe);

	return other != NULL ? pt_probe_look(other, err) : 0;
}

/* A job that came during a drain step or a poll has used up its interrupt there, so the queue is checked before
 * waiting. */
static void idle_until(struct pt_board *board, uint64_t until_ns)
{
	struct pt_err err = { 0 };

	if (has_work(board))
		return;
	if (until_ns == PT_UNKNOWN)
		wait_for_job(board, 0);
	else if (until_ns > pt_link_now_ns(board->link) &&
		 (pt_link_wait(board->link, until_ns, &err) == PT_EIO || look_at_others(board, &err) == PT_EIO))
		lost(board, &err);
}

/* Without a target jobs are answered at once; opening a probe may take a second. */
static void wait_for_probe(struct pt_board *board)
{
	uint32_t wait_ms = 0;

	if (board->reopen && pt_board_reopen_is_due(board, &wait_ms))
		try_open(board);
	else
		wait_for_job(board, wait_ms);
}

static void serve(struct pt_board *board)
{
	struct pt_job *job;

	if (board->target != NULL && starves(board))
		drain_in_whole(board);
	job = next_job(board);
	if (job != NULL) {
		if (board->target != NULL && drain_is_due(board))
			drain_is_cut(board);
		run_job(board, job);
	} else if (board->target != NULL) {
		uint64_t until_ns = between_jobs(board);

		if (board->target != NULL)
			idle_until(board, until_ns);
	} else {
		wait_for_probe(board);
	}
}

static void end_jobs(struct pt_board *board)
{
	struct pt_job *job;

	while ((job = next_job(board)) != NULL) {
		job->rc = pt_fail(&job->err, PT_EIO, "the board is being closed");
		pt_board_send(board, &(struct pt_board_note){ .kind = NOTE_JOB, .job = job });
	}
}

/* Names the thread for top -H and /proc/PID/task/TID/comm. Linux keeps 15 characters. */
static void name_thread(const char *board)
{
	char name[16];

	snprintf(name, sizeof(name), "board %s", board);
	pthread_setname_np(pthread_self(), name);
}

void pt_board_thread(void *arg)
{
	static const struct pt_err closing = { .code = PT_EIO, .msg = "the board is being closed" };
	struct pt_board *board = arg;

	name_thread(board->name);
	pt_log_board(board->name);
	try_open(board);
	while (!quitting(board))
		serve(board);
	if (board->target != NULL)
		close_target(board, &closing);
	pt_board_reopen_end(board);
	uv_mutex_lock(&board->lock);
	board->ended = true;
	uv_cond_broadcast(&board->at_end);
	uv_mutex_unlock(&board->lock);
	end_jobs(board);
	pt_board_send(board, &(struct pt_board_note){ .kind = NOTE_ENDED });
}

void pt_board_set_drain(struct pt_board *board, const struct pt_board_drain *drain)
{
	if (drain != NULL)
		board->drain = *drain;
	else
		memset(&board->drain, 0, sizeof(board->drain));
	if (drain != NULL)
		pt_board_find_stood(board);
	board->drain_at_ns = 0;
	board->n_cuts = 0;
	board->resting = board->halt_owed = false;
}

void pt_board_tell_program(struct pt_board *board)
{
	if (board->drain.on_program != NULL)
		board->drain.on_program(board->drain.arg);
}

uint64_t pt_board_now_ns(struct pt_board *board)
{
	return pt_link_now_ns(board->link);
}
