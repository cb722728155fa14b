/* Start, stop, waits and the states in between. A stop has two steps: the board thread stops the source, which puts END
 * into the queue; then the analysis thread processes END and reports it, and the waiting request is answered. */
#include "session/session_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/harmless.h"

/* --- the end of a profile ------------------------------------------------------------------------------------ */

/* A profile that had ended by itself is no error of the stop. */
static void answer_stop(struct waiter *stopper, const struct recording *recording)
{
	const char *mismatch = pt_live_mismatch(recording->live);
	char text[SAY_BYTES], captured[600];

	pt_recording_tell_capture(recording, captured, sizeof(captured));
	if (recording->stop_err.code < 0)
		snprintf(text, sizeof(text), "%s", recording->stop_err.msg);
	else if (recording->ended[0] == '\0')
		snprintf(text, sizeof(text),
			 "profile stopped; `monitor profile report` has all rows, and other views\n%s%s%s%s",
			 mismatch[0] != '\0' ? "warning: " : "", mismatch, mismatch[0] != '\0' ? "\n" : "", captured);
	else
		snprintf(
			text, sizeof(text),
			"the profile had ended by itself: %s\nwhat was collected before that is kept: monitor profile report\n%s",
			recording->ended, captured);
	pt_harmless(text, "\n\t");	/* the client chose the name of the capture */
	pt_session_answer(stopper, recording->stop_err.code, text);
}

/* When END has been processed and the board thread is done, the profile is over. */
void pt_session_finish_stop(struct pt_session *session)
{
	struct recording *recording = session->recording;

	if (session->state != PT_SESSION_STOPPING || !recording->end_passed || !recording->source_ended)
		return;
	session->state = PT_SESSION_IDLE;
	pt_session_answer(&session->timer, 0, "");
	answer_stop(&session->stopper, recording);
	pt_session_go_on_closing(session);
}

/* A source that ended by itself is removed from the board like a stopped one. */
void pt_session_on_news(uv_async_t *async)
{
	struct pt_session *session = async->data;
	struct recording *recording = session->recording;
	bool time_up, dead;

	if (session->state == PT_SESSION_STARTING || recording == NULL)
		return;		/* start_done() checks again */
	uv_mutex_lock(&session->lock);
	time_up = recording->time_up;
	dead = recording->dead;
	recording->time_up = recording->dead = false;
	uv_mutex_unlock(&session->lock);
	if (time_up) {
		recording->rests = session->timer.reply == NULL;
		pt_session_answer(&session->timer, 0, "");
	}
	if (dead && session->state == PT_SESSION_RUNNING)
		pt_session_post_stop(session);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

void pt_session_record_on(struct pt_session *session)
{
	session->recording->records = true;
	pt_analysis_thread_record(session->recording->analysis);
}

static int start_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;

	if (pt_session_need_target(target, err) < 0)
		return err->code;
	return pt_live_start(request->recording->live, board, target, request->say, sizeof(request->say), err);
}

static void end_start(struct request *request, int rc, const struct pt_err *err)
{
	struct pt_session *session = request->session;

	pt_recording_close(rc < 0 ? request->recording
				  : session->recording); /* if a start fails, the profile before it is kept */
	if (rc >= 0) {
		session->recording = request->recording;
		session->number++;
	}
	if (rc >= 0 && pt_live_is_recorder(request->recording->live))
		pt_session_record_on(session);
	session->state = rc < 0 ? PT_SESSION_IDLE : PT_SESSION_RUNNING;
	pt_session_answer(&request->waiter, rc, rc < 0 ? err->msg : request->say);
	free(request);
	pt_session_on_news(&session->news);
	pt_session_go_on_closing(session);
}

static void start_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	end_start((struct request *)job, rc, err);
}

const char pt_session_closed[] = "the session is being closed";

bool pt_session_refused(struct pt_session *session, enum pt_session_state want, pt_session_reply reply, void *arg)
{
	const char *const why[] = {
		[PT_SESSION_IDLE] = session->recording == NULL ? "no profile is running: monitor profile start begins one"
							  : "no profile is running; monitor profile report shows the "
							    "last one, monitor profile start begins another",
		[PT_SESSION_STARTING] = "a profile is being started",
		[PT_SESSION_RUNNING] = "a profile is running already; monitor profile stop ends it, monitor profile report shows it",
		[PT_SESSION_STOPPING] = "the profile is being stopped",
	};
	struct waiter waiter = { reply, arg };

	if (session->state == want && session->on_closed == NULL)
		return false;
	pt_session_answer(&waiter, PT_ESTATE, session->on_closed != NULL ? pt_session_closed : why[session->state]);
	return true;
}

static void on_opened(void *arg, const struct pt_err *err)
{
	struct request *request = arg;
	struct pt_session *session = request->session;
	struct pt_err closed;

	session->opening = NULL;
	if (err->code < 0) {
		end_start(request, err->code, err);
	} else if (session->on_closed != NULL) {
		pt_fail(&closed, PT_ESTATE, "%s", pt_session_closed);
		end_start(request, closed.code, &closed);
	} else {
		request->job.run = start_run;
		request->job.done = start_done;
		pt_board_post(session->board, &request->job);
	}
}

void pt_session_start(struct pt_session *session, const char *const *words, size_t n_words, pt_session_reply reply,
		      void *arg)
{
	struct waiter waiter = { reply, arg };
	struct pt_err err = { 0 };
	struct request *request;
	struct recording *recording;

	if (pt_session_refused(session, PT_SESSION_IDLE, reply, arg))
		return;
	recording = pt_recording_make(session, words, n_words, &err);
	if (recording == NULL) {
		pt_session_answer(&waiter, err.code, err.msg);
		return;
	}
	session->state = PT_SESSION_STARTING;
	request = pt_session_request(session, reply, arg);
	request->recording = session->opening = recording;
	pt_recording_open(recording, on_opened, request);
}

void pt_session_cancel_start(struct pt_session *session)
{
	if (session->opening != NULL)
		pt_recording_cancel(session->opening);
}

/* --- stop, wait, status ------------------------------------------------------------------------------------------- */

static int stop_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;

	(void)target;
	return pt_live_stop(request->recording->live, board, request->proves, err);
}

static void stop_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct request *request = (struct request *)job;
	struct pt_session *session = request->session;
	struct recording *recording = request->recording;

	if (rc < 0)
		recording->stop_err = *err;
	recording->ended = pt_live_why_ended(recording->live);
	recording->source_ended = true;
	pt_session_finish_stop(session);
	free(request);
}

static bool has_rules(const struct recording *recording)
{
	const struct pt_param *param;

	for (size_t i = 0; recording != NULL && (param = pt_pipeline_param(i)) != NULL; i++)
		if (strcmp(param->key, "limits") == 0)
			return pt_params_given(recording->settings, param);
	return false;
}

void pt_session_post_stop(struct pt_session *session)
{
	struct request *request = pt_session_request(session, NULL, NULL);

	request->proves = has_rules(session->recording);
	session->state = PT_SESSION_STOPPING;
	request->job.run = stop_run;
	request->job.done = stop_done;
	pt_board_post(session->board, &request->job);
}

void pt_session_stop(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct waiter stopper = { reply, arg };

	if (session->state == PT_SESSION_IDLE && pt_session_why_ended(session)[0] != '\0') {
		answer_stop(&stopper, session->recording);
	} else if (session->state == PT_SESSION_STOPPING && session->stopper.reply == NULL) {
		session->stopper = stopper;	/* the profile is ending by itself */
	} else if (!pt_session_refused(session, PT_SESSION_RUNNING, reply, arg)) {
		session->stopper = stopper;
		pt_session_post_stop(session);
	}
}

const char *pt_session_why_ended(const struct pt_session *session)
{
	return session->recording != NULL && session->recording->ended != NULL ? session->recording->ended : "";
}

static int wait_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;

	(void)target;
	(void)err;
	pt_live_run_for(request->recording->live, board, request->for_ns);
	return 0;
}

static void wait_posted(struct pt_job *job, int rc, const struct pt_err *err)
{
	(void)rc;
	(void)err;
	free(job);
}

static void post_wait(struct pt_session *session, uint64_t for_ns)
{
	struct request *request = pt_session_request(session, NULL, NULL);

	request->for_ns = for_ns;
	request->job.run = wait_run;
	request->job.done = wait_posted;
	pt_board_post(session->board, &request->job);
}

void pt_session_wait(struct pt_session *session, uint64_t for_ns, pt_session_reply reply, void *arg)
{
	if (pt_session_refused(session, PT_SESSION_RUNNING, reply, arg))
		return;
	session->timer = (struct waiter){ reply, arg };
	if (for_ns != 0)
		post_wait(session, for_ns);
	else if (session->recording->rests)
		pt_session_answer(&session->timer, 0, "");
}

void pt_session_cancel_wait(struct pt_session *session)
{
	if (session->timer.reply == NULL)
		return;
	pt_session_answer(&session->timer, PT_EINTERRUPTED, "cancelled");
	if (session->state == PT_SESSION_RUNNING)
		post_wait(session, PT_UNKNOWN);
}

static int status_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;
	size_t say;

	(void)target;
	(void)err;
	pt_live_describe(request->recording->live, board, request->say, sizeof(request->say));
	say = strlen(request->say);
	pt_recording_tell_capture(request->recording, request->say + say, sizeof(request->say) - say);
	return 0;
}

void pt_session_say_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct request *request = (struct request *)job;

	pt_session_answer(&request->waiter, rc, rc < 0 ? err->msg : request->say);
	free(request);
}

void pt_session_status(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };
	struct request *request;

	if (session->state == PT_SESSION_STARTING || session->recording == NULL || session->on_closed != NULL) {
		pt_session_answer(&waiter, 0,
				  session->state == PT_SESSION_STARTING ? "profile: being started\n"
									: "profile: none yet\n");
		return;
	}
	request = pt_session_request(session, reply, arg);
	request->job.run = status_run;
	request->job.done = pt_session_say_done;
	pt_board_post(session->board, &request->job);
}
