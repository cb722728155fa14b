/* The board thread is a small scheduler: jobs first (urgent ones before normal), then a step of the profile's drain,
 * then a look at a core that somebody waits for; between these it lets time pass on the link's clock, where a new job
 * interrupts it. What the loop must hear travels as notes in one list, so it hears everything in order. */
#include "board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "util.h"

enum {
	MAX_CORES = 8,
	REOPEN_MS = 500,	/* between two looks for a lost probe */
	LOOK_FIRST_US = 2000,	/* at a core that runs: often just after a resume, then less and less */
	LOOK_LAST_US = 50000,
	ALIVE_MS = 250,		/* is the probe still there, while nothing else talks to it */
	SILENT_MS = 700,	/* a target that does not answer for so long is lost; a reset or a dip in power is shorter */
};

enum note_kind { NOTE_JOB, NOTE_STATE, NOTE_STOP, NOTE_RUN, NOTE_RESET, NOTE_ENDED };

struct note {
	struct note *next;
	enum note_kind kind;
	unsigned core;
	struct pt_job *job;
	struct pt_core_status status;
	enum pt_board_state state;
	struct pt_err why;
};

struct lane { struct pt_job *head, **tail; };

struct pt_board {
	/* the loop's */
	uv_loop_t *loop;
	uv_async_t async;
	uv_thread_t thread;
	struct pt_board_listener *listeners;
	enum pt_board_state state;
	struct pt_err why;		/* of the state */
	struct pt_core_status told[MAX_CORES];
	void (*on_closed)(void *arg);
	void *on_closed_arg;

	/* shared, under lock */
	uv_mutex_t lock;
	uv_cond_t job_or_quit;
	struct lane urgent, normal;
	struct note *notes, **notes_tail;
	struct pt_probe *probe;		/* for interrupt; NULL while closed */
	bool busy, quit;		/* busy: what goes on must not be cut short by another job */

	/* the thread's */
	char *name, *uri, *target_name;
	struct pt_params *settings;
	bool reopen;
	uint64_t reopen_at_ns;		/* of the host's clock */
	char last_why[sizeof(((struct pt_err *)NULL)->msg)];	/* why it did not open; told once */
	struct pt_target *target;
	struct pt_link *link;
	struct pt_board_drain drain;
	struct pt_core_status core[MAX_CORES];
	bool virtual_clock, locked, ran_when_found, resting, awaited;	/* awaited: a client resumed the core and wants to hear of its halt */
	bool halt_owed;			/* the source is to hear of a halt when whoever asked for it has the answer */
	unsigned halt_owed_core;
	uint64_t drain_at_ns, look_at_ns, heard_ns;	/* heard: the target's last sign of life */
	uint32_t look_us;
};

/* --- notes to the loop -------------------------------------------------------------------------------------------- */

static void send_note(struct pt_board *board, const struct note *what)
{
	struct note *note = malloc(sizeof(*note));

	if (note == NULL)
		abort();	/* a lost note would leave a client waiting for ever */
	*note = *what;
	note->next = NULL;
	uv_mutex_lock(&board->lock);
	*board->notes_tail = note;
	board->notes_tail = &note->next;
	uv_mutex_unlock(&board->lock);
	uv_async_send(&board->async);
}

static void tell_state(struct pt_board *board, enum pt_board_state state, const struct pt_err *why)
{
	send_note(board, &(struct note){ .kind = NOTE_STATE, .state = state, .why = *why });
}

static struct note *take_notes(struct pt_board *board)
{
	struct note *notes;

	uv_mutex_lock(&board->lock);
	notes = board->notes;
	board->notes = NULL;
	board->notes_tail = &board->notes;
	uv_mutex_unlock(&board->lock);
	return notes;
}

static void on_async_closed(uv_handle_t *handle)
{
	struct pt_board *board = handle->data;
	void (*on_closed)(void *arg) = board->on_closed;
	void *arg = board->on_closed_arg;

	uv_cond_destroy(&board->job_or_quit);
	uv_mutex_destroy(&board->lock);
	pt_params_free(board->settings);
	free(board->name);
	free(board->uri);
	free(board->target_name);
	free(board);
	if (on_closed != NULL)
		on_closed(arg);
}

static void pass_on(struct pt_board *board, const struct note *note)
{
	struct pt_board_listener *l, *next;

	for (l = board->listeners; l != NULL; l = next) {
		next = l->next;		/* a listener may take itself out */
		if (note->kind == NOTE_STATE && l->on_state != NULL)
			l->on_state(l->arg, note->state, note->why.msg);
		else if (note->kind == NOTE_STOP && l->on_stop != NULL)
			l->on_stop(l->arg, note->core, &note->status);
		else if (note->kind == NOTE_RUN && l->on_run != NULL)
			l->on_run(l->arg, note->core);
		else if (note->kind == NOTE_RESET && l->on_reset != NULL)
			l->on_reset(l->arg);
	}
}

static void hear(struct pt_board *board, struct note *note)
{
	if (note->kind == NOTE_JOB) {
		note->job->done(note->job, note->job->rc, &note->job->err);
		return;
	}
	if (note->kind == NOTE_STATE) {
		board->state = note->state;
		board->why = note->why;
	}
	if (note->kind == NOTE_STOP || note->kind == NOTE_RUN)
		board->told[note->core] = note->status;
	pass_on(board, note);
}

static void on_notes(uv_async_t *async)
{
	struct pt_board *board = async->data;
	bool ended = false;

	for (struct note *note = take_notes(board), *next; note != NULL; note = next) {
		next = note->next;
		ended |= note->kind == NOTE_ENDED;
		hear(board, note);
		free(note);
	}
	if (ended) {
		uv_thread_join(&board->thread);
		uv_close((uv_handle_t *)&board->async, on_async_closed);
	}
}

/* --- jobs --------------------------------------------------------------------------------------------------------- */

static void lane_put(struct lane *lane, struct pt_job *job)
{
	job->next = NULL;
	*lane->tail = job;
	lane->tail = &job->next;
}

static struct pt_job *lane_take(struct lane *lane)
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

/* Wait without a link: for a job, the end, or wait_ms (0: without end). */
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

static void heard(struct pt_board *board)
{
	board->heard_ns = pt_link_now_ns(board->link);
}

/* The first look at the cores: as they were found. */
static int see_cores(struct pt_board *board, struct pt_err *err)
{
	board->ran_when_found = true;
	for (unsigned i = 0; i < board->target->ops->n_cores(board->target->state) && i < MAX_CORES; i++) {
		struct note note = { .kind = NOTE_RUN, .core = i };

		if (board->target->ops->status(board->target->state, i, &note.status, err) < 0)
			return err->code;
		board->core[i] = note.status;
		if (note.status.state == PT_HALTED) {
			note.kind = NOTE_STOP;
			board->ran_when_found = false;
		}
		send_note(board, &note);
	}
	return 0;
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
	if (!board->locked && see_cores(board, err) < 0) {
		pt_target_detach(board->target, true, &(struct pt_err){ 0 });
		board->target = NULL;
		pt_probe_close(probe);
		return err->code;
	}
	set_probe(board, probe);	/* from here on a job may interrupt it; while it is opened none does */
	return 0;
}

static void tell_attached(struct pt_board *board, int rc, struct pt_err *err)
{
	if (rc == 0 && board->locked) {
		tell_state(board, PT_BOARD_LOCKED, err);
	} else if (rc == 0) {
		pt_fail(err, 0, "%s", board->target->ops->chip(board->target->state));
		tell_state(board, PT_BOARD_READY, err);
	} else if (strcmp(err->msg, board->last_why) != 0) {
		tell_state(board, PT_BOARD_CLOSED, err);
	}
	memcpy(board->last_why, err->msg, sizeof(board->last_why));
	board->awaited = false;
	board->drain_at_ns = board->look_at_ns = 0;
	board->look_us = LOOK_FIRST_US;
	board->reopen_at_ns = uv_hrtime() + REOPEN_MS * PT_NS_PER_MS;
	if (board->target != NULL)
		heard(board);
}

static void try_open(struct pt_board *board)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe = pt_probe_open(board->uri, board->settings, &err);

	tell_attached(board, probe != NULL ? attach(board, probe, &err) : err.code, &err);
}

static void drop_drain(struct pt_board *board, const struct pt_err *why)
{
	struct pt_board_drain drain = board->drain;

	memset(&board->drain, 0, sizeof(board->drain));
	if (drain.on_lost != NULL)
		drain.on_lost(drain.arg, why);
}

/* Until the next job is looked for. */
static void set_busy(struct pt_board *board)
{
	uv_mutex_lock(&board->lock);
	board->busy = true;
	uv_mutex_unlock(&board->lock);
}

static void close_target(struct pt_board *board, const struct pt_err *why)
{
	struct pt_probe *probe = board->target->probe;
	struct pt_err err = { 0 };

	set_busy(board);
	pt_link_wait(board->link, 0, &err);	/* what interrupted us to get here must not interrupt the farewell */
	drop_drain(board, why);
	if (pt_target_detach(board->target, board->ran_when_found, &err) < 0)
		pt_warn("board: %s", err.msg);
	board->target = NULL;
	set_probe(board, NULL);
	pt_probe_close(probe);
}

static void lost(struct pt_board *board, const struct pt_err *why)
{
	struct note note = { .kind = NOTE_STOP, .status = { .state = PT_LOST, .addr = PT_UNKNOWN } };
	unsigned n_cores = board->target->ops->n_cores(board->target->state);

	close_target(board, why);
	tell_state(board, PT_BOARD_CLOSED, why);
	for (note.core = 0; note.core < n_cores && note.core < MAX_CORES; note.core++)
		send_note(board, &note);
}

/* --- the cores ---------------------------------------------------------------------------------------------------- */

static void tell_core(struct pt_board *board, unsigned core, const struct pt_core_status *status)
{
	struct note note = { .kind = status->state == PT_HALTED ? NOTE_STOP : NOTE_RUN, .core = core, .status = *status };

	board->core[core] = *status;
	send_note(board, &note);
}

static void tell_source(struct pt_board *board, unsigned core, enum pt_state what)
{
	struct pt_err err = { 0 };
	uint64_t pc = PT_UNKNOWN;

	if (board->drain.on_state == NULL)
		return;
	if (board->core[core].state == PT_HALTED)
		board->target->ops->pc(board->target->state, core, &pc, &err);
	board->drain.on_state(board->drain.arg, board->target, what, core, pc);
}

static void tell_owed(struct pt_board *board)
{
	if (board->halt_owed && board->target != NULL)
		tell_source(board, board->halt_owed_core, PT_STATE_HALT);
	board->halt_owed = false;
}

/* A source fetches at a halt all that its buffer holds, which takes long over a slow link. */
static void owe_halt(struct pt_board *board, unsigned core)
{
	tell_owed(board);
	board->halt_owed = true;
	board->halt_owed_core = core;
}

static bool runs(enum pt_run_state state)
{
	return state == PT_RUNNING || state == PT_SLEEPING || state == PT_LOCKED_UP;
}

/* Not for a moment only? Then the sentence of the look is what there is to say. */
static int judge_silence(struct pt_board *board, struct pt_err *err)
{
	uint64_t silent_ns = pt_link_now_ns(board->link) - board->heard_ns;
	struct pt_err seen = *err;

	if (silent_ns < SILENT_MS * PT_NS_PER_MS)
		return 0;
	return pt_fail(err, PT_EIO, "no contact with the target for %.1f s: %s (check power and cables)",
		       (double)silent_ns / PT_NS_PER_S, seen.msg[0] != '\0' ? seen.msg : "it does not answer");
}

static int look_at(struct pt_board *board, unsigned core, struct pt_err *err)
{
	struct pt_core_status now;

	if (board->target->ops->status(board->target->state, core, &now, err) < 0)
		return err->code;
	if (now.state == PT_LOST) {
		board->core[core] = now;
		return judge_silence(board, err);
	}
	heard(board);
	if (now.was_reset)
		send_note(board, &(struct note){ .kind = NOTE_RESET });
	if (now.was_reset || now.state == PT_IN_RESET)
		tell_source(board, core, PT_STATE_RESET);
	if (now.state == PT_HALTED && now.reason == PT_HALT_TRACE)
		return 0;	/* the source will resume it */
	if (now.state == PT_HALTED && board->core[core].state != PT_HALTED) {
		board->awaited = false;
		tell_core(board, core, &now);
		tell_source(board, core, PT_STATE_HALT);
	} else if (runs(now.state) && !runs(board->core[core].state)) {
		tell_core(board, core, &now);
	} else {
		board->core[core] = now;
	}
	return 0;
}

static bool any_runs(const struct pt_board *board)
{
	for (unsigned i = 0; i < MAX_CORES; i++)
		if (runs(board->core[i].state))
			return true;
	return false;
}

static bool all_halted(const struct pt_board *board)
{
	for (unsigned i = 0; i < board->target->ops->n_cores(board->target->state) && i < MAX_CORES; i++)
		if (board->core[i].state != PT_HALTED)
			return false;
	return true;
}

static uint64_t until_next_look_ns(const struct pt_board *board)
{
	for (unsigned i = 0; i < MAX_CORES; i++)
		if (board->core[i].state == PT_LOST)
			return LOOK_LAST_US * UINT64_C(1000);
	return any_runs(board) ? board->look_us * UINT64_C(1000) : ALIVE_MS * PT_NS_PER_MS;
}

static void look_soon(struct pt_board *board)
{
	board->drain_at_ns = 0;
	board->resting = false;
	board->look_us = LOOK_FIRST_US;
	board->look_at_ns = pt_link_now_ns(board->link) + board->look_us * UINT64_C(1000);
}

int pt_board_halt(struct pt_board *board, unsigned core, struct pt_err *err)
{
	struct pt_target *t = board->target;
	struct pt_core_status status;

	if (t->ops->halt(t->state, core, err) < 0 || t->ops->status(t->state, core, &status, err) < 0)
		return err->code;
	board->awaited = false;
	tell_core(board, core, &status);
	owe_halt(board, core);
	return 0;
}

int pt_board_resume(struct pt_board *board, unsigned core, struct pt_err *err)
{
	struct pt_target *t = board->target;

	tell_owed(board);
	if (look_at(board, core, err) < 0)
		return err->code;
	board->awaited = true;
	look_soon(board);
	if (board->core[core].state != PT_HALTED)
		return 0;	/* it runs; if a source holds it for a moment, the source will let it go */
	tell_source(board, core, PT_STATE_RUN);
	if (t->ops->resume(t->state, core, err) < 0)
		return err->code;
	tell_core(board, core, &(struct pt_core_status){ .state = PT_RUNNING, .addr = PT_UNKNOWN });
	return 0;
}

int pt_board_step(struct pt_board *board, unsigned core, struct pt_err *err)
{
	struct pt_target *t = board->target;
	struct pt_core_status status;

	tell_owed(board);
	tell_source(board, core, PT_STATE_RUN);
	if (t->ops->step(t->state, core, err) < 0 || t->ops->status(t->state, core, &status, err) < 0)
		return err->code;
	tell_core(board, core, &status);
	owe_halt(board, core);
	return 0;
}

int pt_board_reset(struct pt_board *board, enum pt_reset_kind kind, struct pt_err *err)
{
	struct pt_target *t = board->target;
	struct pt_core_status status;

	tell_owed(board);
	if (t->ops->reset(t->state, kind, err) < 0 || t->ops->status(t->state, 0, &status, err) < 0)
		return err->code;
	board->core[0] = status;
	send_note(board, &(struct note){ .kind = NOTE_RESET });
	tell_source(board, 0, PT_STATE_RESET);
	tell_core(board, 0, &status);
	if (runs(status.state)) {
		board->awaited = true;
		look_soon(board);
	}
	return 0;
}

int pt_board_wrote_pc(struct pt_board *board, unsigned core, uint64_t pc, struct pt_err *err)
{
	(void)err;
	tell_owed(board);
	if (board->drain.on_state != NULL)
		board->drain.on_state(board->drain.arg, board->target, PT_STATE_PC_WRITTEN, core, pc);
	return 0;
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Unlocked, it is a chip like others. */
static void attach_anew(struct pt_board *board)
{
	struct pt_probe *probe = board->target->probe;
	struct pt_err err = { 0 };

	pt_target_detach(board->target, false, &err);
	set_probe(board, NULL);
	tell_attached(board, attach(board, probe, &err), &err);
}

/* Time in which a job kept us from looking is no silence. */
static void run_job(struct pt_board *board, struct pt_job *job)
{
	uint64_t begun_ns = board->link != NULL ? pt_link_now_ns(board->link) : 0;

	if (board->link != NULL)
		pt_link_wait(board->link, 0, NULL);	/* what interrupted us to get here must not interrupt the job */
	memset(&job->err, 0, sizeof(job->err));
	job->rc = job->run(job, board, board->locked && !job->even_locked ? NULL : board->target, &job->err);
	if (board->target != NULL && job->rc == PT_EIO)
		lost(board, &job->err);
	else if (board->target != NULL && job->rc != PT_ETIMEOUT && job->rc != PT_EPROTO)
		board->heard_ns += pt_link_now_ns(board->link) - begun_ns;
	if (board->target != NULL && board->locked && job->even_locked && job->rc == 0)
		attach_anew(board);
	send_note(board, &(struct note){ .kind = NOTE_JOB, .job = job });
	tell_owed(board);
}

/* One step of whatever is due; returns when something is due next, on the link's clock. */
static uint64_t between_jobs(struct pt_board *board)
{
	uint64_t now_ns = pt_link_now_ns(board->link), next_ns = PT_UNKNOWN;
	struct pt_err err = { 0 };
	int64_t wait_us;

	if (board->drain.drain != NULL && now_ns >= board->drain_at_ns) {
		wait_us = board->drain.drain(board->drain.arg, board->target);
		if (wait_us == PT_DRAIN_OVER)
			memset(&board->drain, 0, sizeof(board->drain));	/* its owner may be gone before we are */
		else if (wait_us < 0)
			board->drain.drain = NULL;
		board->resting = wait_us == PT_DRAIN_REST;
		now_ns = pt_link_now_ns(board->link);
		board->drain_at_ns = now_ns + (uint64_t)(wait_us < 0 ? 0 : wait_us) * 1000;
		if (wait_us > 0 && board->virtual_clock && all_halted(board))
			board->drain_at_ns = PT_UNKNOWN;	/* nothing can come before the core is let go */
	}
	if (board->drain.drain != NULL)
		next_ns = board->drain_at_ns;
	if (board->virtual_clock && (board->resting || board->locked || (!board->awaited && board->drain.drain == NULL)))
		return next_ns;		/* looking would make time pass */
	if (board->locked)
		return now_ns + ALIVE_MS * PT_NS_PER_MS;	/* nothing to see but the plug, and waiting sees that */
	if (now_ns >= board->look_at_ns) {
		for (unsigned i = 0; i < board->target->ops->n_cores(board->target->state); i++) {
			if (look_at(board, i, &err) == PT_EIO) {
				lost(board, &err);
				return 0;
			}
		}
		board->look_us = board->look_us * 2 > LOOK_LAST_US ? LOOK_LAST_US : board->look_us * 2;
		now_ns = pt_link_now_ns(board->link);
		board->look_at_ns = now_ns + until_next_look_ns(board);
	}
	return next_ns < board->look_at_ns ? next_ns : board->look_at_ns;
}

/* The interrupt of a job that came while a drain or a look was under way has cut that short and is gone. */
static void idle_until(struct pt_board *board, uint64_t until_ns)
{
	struct pt_err err = { 0 };

	if (has_work(board))
		return;
	if (until_ns == PT_UNKNOWN)
		wait_for_job(board, 0);
	else if (until_ns > pt_link_now_ns(board->link) && pt_link_wait(board->link, until_ns, &err) == PT_EIO)
		lost(board, &err);
}

/* Without a target jobs are answered at once; opening may take a second. */
static void wait_for_probe(struct pt_board *board)
{
	uint64_t now_ns = uv_hrtime();

	if (!board->reopen) {
		wait_for_job(board, 0);
	} else if (now_ns < board->reopen_at_ns) {
		wait_for_job(board, (uint32_t)((board->reopen_at_ns - now_ns) / PT_NS_PER_MS) + 1);
	} else {
		try_open(board);
	}
}

static void serve(struct pt_board *board)
{
	struct pt_job *job = next_job(board);

	if (job != NULL) {
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
		send_note(board, &(struct note){ .kind = NOTE_JOB, .job = job });
	}
}

static void board_thread(void *arg)
{
	static const struct pt_err closing = { .code = PT_EIO, .msg = "the board is being closed" };
	struct pt_board *board = arg;

	try_open(board);
	while (!quitting(board))
		serve(board);
	if (board->target != NULL)
		close_target(board, &closing);
	end_jobs(board);
	send_note(board, &(struct note){ .kind = NOTE_ENDED });
}

void pt_board_set_drain(struct pt_board *board, const struct pt_board_drain *drain)
{
	if (drain != NULL)
		board->drain = *drain;
	else
		memset(&board->drain, 0, sizeof(board->drain));
	board->drain_at_ns = 0;
	board->resting = board->halt_owed = false;
}

uint64_t pt_board_now_ns(struct pt_board *board)
{
	return pt_link_now_ns(board->link);
}

/* --- the loop's side ---------------------------------------------------------------------------------------------- */

static char *copy(const char *text)
{
	return strdup(text != NULL ? text : "");
}

struct pt_board *pt_board_new(uv_loop_t *loop, const struct pt_board_config *config, struct pt_err *err)
{
	struct pt_board *board = calloc(1, sizeof(*board));

	if (board == NULL) {
		pt_fail(err, PT_ENOMEM, "no memory for the board");
		return NULL;
	}
	board->loop = loop;
	board->state = PT_BOARD_OPENING;
	board->urgent.tail = &board->urgent.head;
	board->normal.tail = &board->normal.head;
	board->notes_tail = &board->notes;
	board->name = copy(config->name);
	board->uri = copy(config->probe_uri);
	board->target_name = config->target != NULL ? copy(config->target) : NULL;
	board->settings = pt_params_copy(config->settings);
	board->reopen = config->reopen;
	uv_mutex_init(&board->lock);
	uv_cond_init(&board->job_or_quit);
	uv_async_init(loop, &board->async, on_notes);
	board->async.data = board;
	uv_thread_create(&board->thread, board_thread, board);
	return board;
}

static void nudge(struct pt_board *board, bool interrupt)	/* under the lock */
{
	uv_cond_signal(&board->job_or_quit);
	if (board->probe != NULL && interrupt)
		pt_probe_interrupt(board->probe);
}

void pt_board_close(struct pt_board *board, void (*on_closed)(void *arg), void *arg)
{
	board->on_closed = on_closed;
	board->on_closed_arg = arg;
	uv_mutex_lock(&board->lock);
	nudge(board, !board->quit);
	board->quit = true;
	uv_mutex_unlock(&board->lock);
}

void pt_board_post(struct pt_board *board, struct pt_job *job)
{
	uv_mutex_lock(&board->lock);
	lane_put(job->urgent ? &board->urgent : &board->normal, job);
	nudge(board, !board->busy);
	uv_mutex_unlock(&board->lock);
}

void pt_board_listen(struct pt_board *board, struct pt_board_listener *listener)
{
	listener->next = board->listeners;
	board->listeners = listener;
}

void pt_board_unlisten(struct pt_board *board, struct pt_board_listener *listener)
{
	struct pt_board_listener **at = &board->listeners;

	while (*at != NULL && *at != listener)
		at = &(*at)->next;
	if (*at == listener)
		*at = listener->next;
}

enum pt_board_state pt_board_get_state(const struct pt_board *board, const char **why)
{
	if (why != NULL)
		*why = board->why.msg;
	return board->state;
}

int pt_board_get_error(const struct pt_board *board)
{
	return board->why.code;
}

struct pt_core_status pt_board_last_status(const struct pt_board *board, unsigned core)
{
	return board->told[core < MAX_CORES ? core : 0];
}
