/* The loop thread's side of a board: posts jobs, and handles the notes that come back (notes.c). */
#include "base/alloc.h"
#include "host/log.h"
#include "board/board_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "targets/registry.h"

const struct pt_target_word *pt_board_target_word(size_t i)
{
	return pt_target_word(i);
}

/* --- notes from the board thread ---------------------------------------------------------------------------------- */

struct pt_board *pt_board_ref(struct pt_board *board)
{
	uv_mutex_lock(&board->lock);
	board->refs++;
	uv_mutex_unlock(&board->lock);
	return board;
}

void pt_board_unref(struct pt_board *board)
{
	bool last;

	uv_mutex_lock(&board->lock);
	last = --board->refs == 0;
	uv_mutex_unlock(&board->lock);
	if (!last)
		return;
	uv_cond_destroy(&board->at_end);
	uv_cond_destroy(&board->job_or_quit);
	uv_mutex_destroy(&board->lock);
	pt_params_free(board->settings);
	free(board->name);
	pt_text_free(&board->put_back);
	for (size_t i = 0; i < board->n_uris; i++)
		free(board->uri[i]);
	free(board->target_name);
	free(board);
}

static void on_async_closed(uv_handle_t *handle)
{
	struct pt_board *board = handle->data;
	void (*on_closed)(void *arg) = board->on_closed;
	void *arg = board->on_closed_arg;

	pt_board_unref(board);
	if (on_closed != NULL)
		on_closed(arg);
}

static void pass_on(struct pt_board *board, const struct pt_board_note *note)
{
	struct pt_board_listener *l, *next;

	for (l = board->listeners; l != NULL; l = next) {
		next = l->next;		/* a listener may remove itself */
		if (note->kind == NOTE_STATE && l->on_state != NULL)
			l->on_state(l->arg, note->state, note->text);
		else if (note->kind == NOTE_STOP && l->on_stop != NULL)
			l->on_stop(l->arg, note->core, &note->status);
		else if (note->kind == NOTE_RUN && l->on_run != NULL)
			l->on_run(l->arg, note->core);
		else if (note->kind == NOTE_RESET && l->on_reset != NULL)
			l->on_reset(l->arg);
		else if (note->kind == NOTE_CONSOLE && l->on_console != NULL)
			l->on_console(l->arg, note->text, strlen(note->text));
		else if (note->kind == NOTE_CHANGE && l->on_change != NULL)
			l->on_change(l->arg, note->text);
	}
}

static void hear(struct pt_board *board, struct pt_board_note *note)
{
	if (note->kind == NOTE_JOB) {
		note->job->done(note->job, note->job->rc, &note->job->err);
		return;
	}
	if (note->kind == NOTE_STATE) {
		board->state = note->state;
		board->code = note->code;
		memcpy(board->why, note->text, sizeof(board->why));
	}
	if (note->kind == NOTE_STOP || note->kind == NOTE_RUN)
		board->told[note->core] = note->status;
	pass_on(board, note);
}

static void on_notes(uv_async_t *async)
{
	struct pt_board *board = async->data;
	bool ended = false;

	pt_log_board(board->name);	/* log lines of the listeners carry this board's name */
	for (struct pt_board_note *note = pt_board_take_notes(board), *next; note != NULL; note = next) {
		next = note->next;
		ended |= note->kind == NOTE_ENDED;
		hear(board, note);
		free(note);
	}
	pt_log_board("");
	if (ended) {
		uv_thread_join(&board->thread);
		uv_close((uv_handle_t *)&board->async, on_async_closed);
	}
}

/* --- the loop's side ---------------------------------------------------------------------------------------------- */

static char *copy(const char *text)
{
	return pt_strdup(text != NULL ? text : "");
}

struct pt_board *pt_board_new(uv_loop_t *loop, const struct pt_board_config *config, struct pt_err *err)
{
	struct pt_board *board = pt_alloc(sizeof(*board));
	int rc;

	board->loop = loop;
	board->state = PT_BOARD_OPENING;
	board->urgent.tail = &board->urgent.head;
	board->normal.tail = &board->normal.head;
	board->notes_tail = &board->notes;
	board->name = copy(config->name);
	board->uri[board->n_uris++] = copy(config->probe_uri[0]);
	while (board->n_uris < PT_BOARD_PROBES && config->probe_uri[0] != NULL &&
	       config->probe_uri[board->n_uris] != NULL) {
		board->uri[board->n_uris] = copy(config->probe_uri[board->n_uris]);
		board->n_uris++;
	}
	board->target_name = config->target != NULL ? copy(config->target) : NULL;
	board->settings = pt_params_copy(config->settings);
	board->reopen = config->reopen;
	uv_mutex_init(&board->lock);
	uv_cond_init(&board->job_or_quit);
	uv_cond_init(&board->at_end);
	board->refs = 1;
	board->async.data = board;
	rc = uv_async_init(loop, &board->async, on_notes);
	if (rc < 0) {
		pt_fail(err, PT_ENOMEM, "board thread: %s", uv_strerror(rc));
		pt_board_unref(board);
		return NULL;
	}
	rc = uv_thread_create(&board->thread, pt_board_thread, board);
	if (rc < 0) {
		pt_fail(err, PT_ENOMEM, "board thread: %s", uv_strerror(rc));
		uv_close((uv_handle_t *)&board->async, on_async_closed);
		return NULL;
	}
	return board;
}

static void nudge(struct pt_board *board, bool interrupt)	/* call with the lock held */
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

bool pt_board_rescue(struct pt_board *board, uint32_t timeout_ms)
{
	uint64_t until_ns = uv_hrtime() + timeout_ms * PT_NS_PER_MS, now_ns;
	bool ended;

	uv_mutex_lock(&board->lock);
	nudge(board, !board->quit);
	board->quit = true;
	while (!board->ended && (now_ns = uv_hrtime()) < until_ns)
		uv_cond_timedwait(&board->at_end, &board->lock, until_ns - now_ns);
	ended = board->ended;
	uv_mutex_unlock(&board->lock);
	return ended;
}

static void lane_put(struct pt_board_lane *lane, struct pt_job *job)
{
	job->next = NULL;
	*lane->tail = job;
	lane->tail = &job->next;
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

void pt_board_tell(struct pt_board *board, const char *text)
{
	struct pt_board_note note = { .kind = NOTE_CONSOLE };

	snprintf(note.text, sizeof(note.text), "%s", text);
	pass_on(board, &note);
}

enum pt_board_state pt_board_get_state(const struct pt_board *board, const char **why)
{
	if (why != NULL)
		*why = board->why;
	return board->state;
}

const char *pt_board_probe_uri(const struct pt_board *board, size_t i)
{
	return i < board->n_uris ? board->uri[i] : NULL;
}

bool pt_board_is_at_reset(const struct pt_board *board)
{
	return board->at_reset;
}

int pt_board_get_error(const struct pt_board *board)
{
	return board->code;
}

struct pt_core_status pt_board_last_status(const struct pt_board *board, unsigned core)
{
	return board->told[core < PT_BOARD_CORES ? core : 0];
}
