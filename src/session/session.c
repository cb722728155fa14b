/* The loop thread's half of a session: requests in, replies out, in order. A struct recording is a profile: a queue, an
 * analysis thread and the acquisition. A new start makes a new recording; the old one is kept until then for reports,
 * and is then closed in the background. This file has creation, closing and what the other files share
 * (session_parts.h); recording.c has recordings, run.c start, stop and waits, questions.c all other requests. */
#include "base/alloc.h"
#include "base/door.h"
#include "session/session_parts.h"

#include <stdlib.h>
#include <string.h>

void pt_session_answer(struct waiter *waiter, int rc, const char *text)
{
	struct waiter w = *waiter;

	waiter->reply = NULL;
	if (w.reply != NULL)
		w.reply(w.arg, rc, text, strlen(text));
}

struct request *pt_session_request(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct request *request = pt_alloc(sizeof(*request));

	request->session = session;
	request->recording = session->recording;
	request->waiter = (struct waiter){ reply, arg };
	return request;
}

int pt_session_need_target(const struct pt_target *target, struct pt_err *err)
{
	return target != NULL ? 0
			      : pt_fail(err, PT_ESTATE, "no target is attached; %s says why",
					pt_by_door("proftap monitor status", "monitor status"));
}

/* --- what the program has for the target ---------------------------------------------------------------------------- */

struct telling { struct pt_job job; struct pt_program *program; };

static int tell_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	if (pt_session_need_target(target, err) == 0)
		pt_live_tell_symbols(((struct telling *)job)->program, target);
	return err->code;
}

static void tell_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	(void)rc;		/* without a target nothing is lost: the next target gets the symbols when it is attached */
	(void)err;
	pt_program_unref(((struct telling *)job)->program);
	free(job);
}

/* Status, sources and registers may be asked for before there is a profile. A start passes the symbols itself: a
 * separate job would cut a step of its source short, at a time that depends on the host's load. */
static void tell_symbols(struct pt_session *session)
{
	struct telling *telling;

	if (session->program == NULL || session->state != PT_SESSION_IDLE)
		return;
	telling = pt_alloc(sizeof(*telling));
	telling->program = pt_program_ref(session->program);
	telling->job.run = tell_run;
	telling->job.done = tell_done;
	pt_board_post(session->board, &telling->job);
}

static void on_board_state(void *arg, enum pt_board_state state, const char *why)
{
	(void)why;
	if (state == PT_BOARD_READY)
		tell_symbols(arg);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

struct pt_session *pt_session_new(struct pt_board *board, uv_loop_t *loop)
{
	struct pt_session *session = pt_alloc(sizeof(*session));

	session->board = board;
	session->loop = loop;
	session->state = PT_SESSION_IDLE;
	uv_mutex_init(&session->lock);
	uv_async_init(loop, &session->news, pt_session_on_news);
	session->news.data = session;
	uv_unref((uv_handle_t *)&session->news);
	session->listener = (struct pt_board_listener){ .arg = session, .on_state = on_board_state };
	pt_board_listen(board, &session->listener);
	return session;
}

struct pt_board *pt_session_board(const struct pt_session *session)
{
	return session->board;
}

void pt_session_set_tap(struct pt_session *session, void (*take)(void *arg, const struct pt_chunk *chunk), void *arg)
{
	session->tap = (struct pt_chunk_tap){ take, arg };
}

void pt_session_set_standing(struct pt_session *session, const char *const *words, size_t n_words)
{
	session->standing = pt_alloc_array(n_words + 1, sizeof(*session->standing));
	for (size_t i = 0; i < n_words; i++)
		session->standing[session->n_standing++] = pt_strdup(words[i]);
}

struct pt_session *pt_session_beside(const struct pt_session *session)
{
	struct pt_session *beside = pt_session_new(session->board, session->loop);

	if (beside != NULL)
		pt_session_set_standing(beside, (const char *const *)session->standing, session->n_standing);
	if (beside != NULL && session->program != NULL)
		beside->program = pt_program_ref(session->program);
	return beside;
}

void pt_session_set_top(struct pt_session *session, const struct pt_query *query)
{
	session->top = query->top;
	session->top_given = query->top_given;
}

void pt_session_default_top(const struct pt_session *session, struct pt_query *query)
{
	if (query->top_given || !session->top_given)
		return;
	query->top = session->top;
	query->top_given = true;
}

int pt_session_set_program(struct pt_session *session, struct pt_program *program, struct pt_err *err)
{
	bool names_later = session->state == PT_SESSION_RUNNING && session->recording->program == NULL;

	if (session->state != PT_SESSION_IDLE && !names_later)
		return pt_fail(err, PT_ESTATE,
			       "symbols cannot change while a profile runs; monitor profile stop comes first");
	pt_program_unref(session->program);
	session->program = program != NULL ? pt_program_ref(program) : NULL;
	tell_symbols(session);
	return 0;
}

struct pt_program *pt_session_program(struct pt_session *session)
{
	return session->program;
}

enum pt_session_state pt_session_get_state(const struct pt_session *session)
{
	return session->state;
}

void pt_session_end(struct pt_session *session)
{
	if (session->on_closed == NULL || session->close_wanted || session->closing > 0)
		return;
	pt_board_unlisten(session->board, &session->listener);
	for (size_t i = 0; i < session->n_standing; i++)
		free(session->standing[i]);
	free(session->standing);
	free(session->limits);
	free(session->orti);
	pt_program_unref(session->program);
	uv_mutex_destroy(&session->lock);
	session->on_closed(session->closed_arg);
	free(session);
}

static void on_news_closed(uv_handle_t *handle)
{
	struct pt_session *session = handle->data;

	session->closing--;
	pt_session_end(session);
}

static int goodbye_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)job;
	(void)board;
	(void)target;
	(void)err;
	return 0;
}

/* All jobs have come back from the board: nothing there uses the recording any more. */
static void goodbye_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct pt_session *session = ((struct request *)job)->session;

	(void)rc;
	(void)err;
	free(job);
	uv_close((uv_handle_t *)&session->news, on_news_closed);
	pt_recording_close(session->recording);
	session->recording = NULL;
}

void pt_session_go_on_closing(struct pt_session *session)
{
	struct request *request;

	if (!session->close_wanted)
		return;
	if (session->opening != NULL) {
		pt_session_cancel_start(session);	/* calls this function again */
	} else if (session->state == PT_SESSION_RUNNING) {
		pt_session_post_stop(session);
	} else if (session->state == PT_SESSION_IDLE) {
		session->close_wanted = false;
		session->closing++;
		request = pt_session_request(session, NULL, NULL);
		request->job.run = goodbye_run;
		request->job.done = goodbye_done;
		pt_board_post(session->board, &request->job);
	}
}

void pt_session_close(struct pt_session *session, void (*on_closed)(void *arg), void *arg)
{
	session->on_closed = on_closed;
	session->closed_arg = arg;
	session->close_wanted = true;
	pt_session_go_on_closing(session);
}

const struct pt_param *pt_session_param(size_t i)
{
	return pt_live_param(i);
}
