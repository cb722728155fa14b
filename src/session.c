/* The loop's half of a session: requests in, replies out, in order. A profile is made of a queue, an analyst and a live
 * source; together they are a struct take. A new start makes a new take; the old one is kept until then, so that its
 * report can still be asked for, and is then closed in the background.
 *
 * A stop is two steps: the board thread stops the source, which puts END into the queue; the analyst reports END when
 * it has passed it; then whoever waits is answered. */
#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyst.h"
#include "capture_head.h"
#include "capture_save.h"
#include "live.h"
#include "log.h"
#include "pipeline.h"
#include "util.h"

enum { POOL_CHUNKS = 512, SAY_BYTES = 2048 };	/* 8 MiB at most between board and analyst */

struct take {
	struct pt_session *session;
	struct pt_queue *queue;
	struct pt_analyst *analyst;
	struct pt_live *live;
	struct pt_params *settings;	/* of the pipeline, for a restart */
	struct pt_params *capturing;	/* settings of the capture */
	struct pt_capture *capture;	/* the user's file, or the temporary one; NULL: neither */
	struct pt_program *program;
	bool records;			/* a branch history is kept */
	bool end_passed;		/* by the analyst */
	bool source_ended;		/* the board thread's part is over */
	bool rests;			/* time was up, and nobody waited for it */
	struct pt_err stop_err;		/* of the stop; code 0: it went well, or the source had ended by itself */
	const char *ended;		/* once it is over: why it ended by itself, "": it did not. The live's */
	bool time_up, dead;		/* from the board thread, under the session's lock */
};

struct waiter { pt_session_reply reply; void *arg; };

struct saving { struct pt_session *session; struct waiter waiter; };

struct pt_session {
	struct pt_board *board;
	uv_loop_t *loop;
	uv_async_t news;
	struct pt_program *program;
	char **standing;		/* words of the command line, for every start */
	size_t n_standing;
	char *limits, *orti;		/* timing rules and tasks that a user has set since; or NULL */

	enum pt_session_state state;
	struct take *take;		/* NULL: nothing profiled yet */
	struct waiter stopper, timer;	/* reply NULL: nobody waits */

	uv_mutex_t lock;

	void (*on_closed)(void *arg);
	void *closed_arg;
	bool close_wanted;
	unsigned closing;		/* handles and takes that must go first */
};

struct request {
	struct pt_job job;
	struct pt_session *session;
	struct take *take;
	struct waiter waiter;
	uint64_t for_ns;
	uint64_t since, pc;		/* of the branch history */
	char say[SAY_BYTES];
};

static void answer(struct waiter *waiter, int rc, const char *text)
{
	struct waiter w = *waiter;

	waiter->reply = NULL;
	if (w.reply != NULL)
		w.reply(w.arg, rc, text, strlen(text));
}

/* A request to the board thread; freed by its done(). */
static struct request *new_request(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct request *request = calloc(1, sizeof(*request));

	if (request == NULL)
		abort();
	request->session = session;
	request->take = session->take;
	request->waiter = (struct waiter){ reply, arg };
	return request;
}

static int need_target(const struct pt_target *target, struct pt_err *err)
{
	return target != NULL ? 0 : pt_fail(err, PT_ESTATE, "no target is attached; `monitor status` says why");
}

/* --- takes -------------------------------------------------------------------------------------------------------- */

static void end_of_session(struct pt_session *session);

static void free_take(struct take *take)
{
	pt_live_free(take->live);
	pt_queue_free(take->queue);
	pt_capture_unref(take->capture);
	pt_params_free(take->settings);
	pt_params_free(take->capturing);
	pt_program_unref(take->program);
	free(take);
}

static void on_analyst_closed(void *arg)
{
	struct take *take = arg;
	struct pt_session *session = take->session;

	free_take(take);
	session->closing--;
	end_of_session(session);
}

static void close_take(struct take *take)
{
	if (take == NULL)
		return;
	take->session->closing++;
	pt_analyst_close(take->analyst, on_analyst_closed, take);
}

static void go_on_closing(struct pt_session *session);

/* A line about the user's file, or nothing. */
static void tell_capture(const struct take *take, char *line, size_t size)
{
	char text[560];

	line[0] = '\0';
	if (take->capture != NULL && pt_capture_path(take->capture)[0] != '\0')
		snprintf(line, size, "captured %s\n", pt_capture_describe(take->capture, text, sizeof(text)));
}

/* That it had ended is no failure of a stop. */
static void answer_stop(struct waiter *stopper, const struct take *take)
{
	const char *mismatch = pt_live_mismatch(take->live);
	char text[SAY_BYTES], captured[600];

	tell_capture(take, captured, sizeof(captured));
	if (take->stop_err.code < 0)
		snprintf(text, sizeof(text), "%s", take->stop_err.msg);
	else if (take->ended[0] == '\0')
		snprintf(text, sizeof(text), "profile stopped; `monitor profile report` shows it\n%s%s%s%s",
			 mismatch[0] != '\0' ? "warning: " : "", mismatch, mismatch[0] != '\0' ? "\n" : "", captured);
	else
		snprintf(text, sizeof(text), "the profile had ended by itself: %s\n"
			 "what was collected until then is kept: monitor profile report\n%s", take->ended, captured);
	answer(stopper, take->stop_err.code, text);
}

/* When END has been passed and the board thread is done, the profile is over. */
static void finish_stop(struct pt_session *session)
{
	struct take *take = session->take;

	if (session->state != PT_SESSION_STOPPING || !take->end_passed || !take->source_ended)
		return;
	session->state = PT_SESSION_IDLE;
	answer(&session->timer, 0, "");
	answer_stop(&session->stopper, take);
	go_on_closing(session);
}

static void on_end(void *arg)
{
	struct take *take = arg;

	take->end_passed = true;
	finish_stop(take->session);
}

static void from_board(struct take *take, bool *what)
{
	uv_mutex_lock(&take->session->lock);
	*what = true;
	uv_mutex_unlock(&take->session->lock);
	uv_async_send(&take->session->news);
}

static void on_time_up(void *arg)
{
	struct take *take = arg;

	from_board(take, &take->time_up);
}

static void on_dead(void *arg)
{
	struct take *take = arg;

	from_board(take, &take->dead);
}

static void post_stop(struct pt_session *session);

/* A source that ended by itself is taken out of the board like one that was stopped. */
static void on_news(uv_async_t *async)
{
	struct pt_session *session = async->data;
	struct take *take = session->take;
	bool time_up, dead;

	if (session->state == PT_SESSION_STARTING || take == NULL)
		return;		/* start_done() looks again */
	uv_mutex_lock(&session->lock);
	time_up = take->time_up;
	dead = take->dead;
	take->time_up = take->dead = false;
	uv_mutex_unlock(&session->lock);
	if (time_up) {
		take->rests = session->timer.reply == NULL;
		answer(&session->timer, 0, "");
	}
	if (dead && session->state == PT_SESSION_RUNNING)
		post_stop(session);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

/* Words of the pipeline go into settings, those of the capture too, the others are left for the source. */
static int split_words(struct take *take, const char *const *words, size_t n_words, const char **rest, size_t *n_rest,
		       struct pt_err *err)
{
	for (size_t i = 0; i < n_words; i++) {
		int rc = 0;

		if (pt_pipeline_knows(words[i]))
			rc = pt_pipeline_add(take->settings, words[i], err);
		else if (pt_capture_knows(words[i]))
			rc = pt_params_add(take->capturing, pt_capture_params, pt_n_capture_params, words[i], err);
		else
			rest[(*n_rest)++] = words[i];
		if (rc < 0)
			return err->code;
	}
	return 0;
}

/* A file that the user wants is part of the start; the temporary one is a courtesy. */
static int open_capture(struct take *take, const char *const *words, size_t n_words, struct pt_err *err)
{
	char *head = pt_capture_head_make(take->program, take->settings, words, n_words);

	if (head == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for a capture");
	take->capture = pt_capture_new(take->capturing, head, err);
	free(head);
	if (take->capture != NULL || err->code == 0)
		return 0;
	if (pt_capture_wanted(take->capturing))
		return pt_wrap(err, "capture");
	pt_info("profile save will have nothing to save: %s", err->msg);
	return 0;
}

static struct take *make_take(struct pt_session *session, const char *const *words, size_t n_words, struct pt_err *err)
{
	struct take *take = calloc(1, sizeof(*take));
	struct pt_live_news news = { .on_time_up = on_time_up, .on_dead = on_dead, .arg = take };
	const char **rest = calloc(session->n_standing + n_words + 1, sizeof(*rest));
	struct pt_pipeline *pipeline = NULL;
	size_t n_rest = 0;

	if (take == NULL || rest == NULL)
		abort();
	take->session = session;
	take->settings = pt_params_new();
	take->capturing = pt_params_new();
	take->queue = pt_queue_new(POOL_CHUNKS, false);
	take->program = session->program != NULL ? pt_program_ref(session->program) : NULL;
	if (split_words(take, (const char *const *)session->standing, session->n_standing, rest, &n_rest, err) == 0 &&
	    split_words(take, (const char *const *)&session->limits, session->limits != NULL, rest, &n_rest, err) == 0 &&
	    split_words(take, (const char *const *)&session->orti, session->orti != NULL, rest, &n_rest, err) == 0 &&
	    split_words(take, words, n_words, rest, &n_rest, err) == 0)
		pipeline = pt_pipeline_new(take->program, take->settings, err);
	if (pipeline != NULL && open_capture(take, rest, n_rest, err) < 0) {
		pt_pipeline_free(pipeline);
		pipeline = NULL;
	}
	if (pipeline != NULL) {
		take->live = pt_live_new(take->queue, take->program, rest, n_rest,
					 pt_pipeline_core_hz(take->settings), &news);
		take->analyst = pt_analyst_new(session->loop, take->queue, pipeline, take->capture, on_end, take);
	} else {
		free_take(take);
		take = NULL;
	}
	free(rest);
	return take;
}

static void record(struct pt_session *session)
{
	session->take->records = true;
	pt_analyst_record(session->take->analyst);
}

static int start_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;

	if (need_target(target, err) < 0)
		return err->code;
	return pt_live_start(request->take->live, board, target, request->say, sizeof(request->say), err);
}

static void start_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct request *request = (struct request *)job;
	struct pt_session *session = request->session;

	close_take(rc < 0 ? request->take : session->take);	/* a failed start keeps the profile before it */
	if (rc >= 0)
		session->take = request->take;
	if (rc >= 0 && pt_live_is_recorder(request->take->live))
		record(session);
	session->state = rc < 0 ? PT_SESSION_IDLE : PT_SESSION_RUNNING;
	answer(&request->waiter, rc, rc < 0 ? err->msg : request->say);
	free(request);
	on_news(&session->news);
	go_on_closing(session);
}

static const char closed[] = "the session is being closed";

static bool refused(struct pt_session *session, enum pt_session_state want, pt_session_reply reply, void *arg)
{
	static const char *const why[] = {
		[PT_SESSION_IDLE] = "no profile is running",
		[PT_SESSION_STARTING] = "a profile is being started",
		[PT_SESSION_RUNNING] = "a profile is running already; stop it first (monitor profile stop)",
		[PT_SESSION_STOPPING] = "the profile is being stopped",
	};
	struct waiter waiter = { reply, arg };

	if (session->state == want && session->on_closed == NULL)
		return false;
	answer(&waiter, PT_ESTATE, session->on_closed != NULL ? closed : why[session->state]);
	return true;
}

void pt_session_start(struct pt_session *session, const char *const *words, size_t n_words, pt_session_reply reply,
		      void *arg)
{
	struct waiter waiter = { reply, arg };
	struct pt_err err = { 0 };
	struct request *request;
	struct take *take;

	if (refused(session, PT_SESSION_IDLE, reply, arg))
		return;
	take = make_take(session, words, n_words, &err);
	if (take == NULL) {
		answer(&waiter, err.code, err.msg);
		return;
	}
	session->state = PT_SESSION_STARTING;
	request = new_request(session, reply, arg);
	request->take = take;
	request->job.run = start_run;
	request->job.done = start_done;
	pt_board_post(session->board, &request->job);
}

/* --- stop, wait, status ------------------------------------------------------------------------------------------- */

static int stop_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;

	(void)target;
	return pt_live_stop(request->take->live, board, err);
}

static void stop_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct request *request = (struct request *)job;
	struct pt_session *session = request->session;
	struct take *take = request->take;

	if (rc < 0)
		take->stop_err = *err;
	take->ended = pt_live_why_ended(take->live);
	take->source_ended = true;
	finish_stop(session);
	free(request);
}

static void post_stop(struct pt_session *session)
{
	struct request *request = new_request(session, NULL, NULL);

	session->state = PT_SESSION_STOPPING;
	request->job.run = stop_run;
	request->job.done = stop_done;
	pt_board_post(session->board, &request->job);
}

void pt_session_stop(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct waiter stopper = { reply, arg };

	if (session->state == PT_SESSION_IDLE && pt_session_why_ended(session)[0] != '\0') {
		answer_stop(&stopper, session->take);
	} else if (session->state == PT_SESSION_STOPPING && session->stopper.reply == NULL) {
		session->stopper = stopper;	/* it is just ending by itself */
	} else if (!refused(session, PT_SESSION_RUNNING, reply, arg)) {
		session->stopper = stopper;
		post_stop(session);
	}
}

const char *pt_session_why_ended(const struct pt_session *session)
{
	return session->take != NULL && session->take->ended != NULL ? session->take->ended : "";
}

static int wait_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;

	(void)target;
	(void)err;
	pt_live_run_for(request->take->live, board, request->for_ns);
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
	struct request *request = new_request(session, NULL, NULL);

	request->for_ns = for_ns;
	request->job.run = wait_run;
	request->job.done = wait_posted;
	pt_board_post(session->board, &request->job);
}

void pt_session_wait(struct pt_session *session, uint64_t for_ns, pt_session_reply reply, void *arg)
{
	if (refused(session, PT_SESSION_RUNNING, reply, arg))
		return;
	session->timer = (struct waiter){ reply, arg };
	if (for_ns != 0)
		post_wait(session, for_ns);
	else if (session->take->rests)
		answer(&session->timer, 0, "");
}

void pt_session_cancel_wait(struct pt_session *session)
{
	if (session->timer.reply == NULL)
		return;
	answer(&session->timer, PT_EINTERRUPTED, "cancelled");
	if (session->state == PT_SESSION_RUNNING)
		post_wait(session, PT_UNKNOWN);
}

static int status_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;
	size_t say;

	(void)target;
	(void)err;
	pt_live_describe(request->take->live, board, request->say, sizeof(request->say));
	say = strlen(request->say);
	tell_capture(request->take, request->say + say, sizeof(request->say) - say);
	return 0;
}

static void say_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct request *request = (struct request *)job;

	answer(&request->waiter, rc, rc < 0 ? err->msg : request->say);
	free(request);
}

void pt_session_status(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };
	struct request *request;

	if (session->state == PT_SESSION_STARTING || session->take == NULL || session->on_closed != NULL) {
		answer(&waiter, 0, session->state == PT_SESSION_STARTING ? "profile: being started\n" : "profile: none yet\n");
		return;
	}
	request = new_request(session, reply, arg);
	request->job.run = status_run;
	request->job.done = say_done;
	pt_board_post(session->board, &request->job);
}

/* --- branch history ----------------------------------------------------------------------------------------------- */

void pt_session_record(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };

	if (refused(session, PT_SESSION_RUNNING, reply, arg))
		return;
	record(session);
	answer(&waiter, 0, "");
}

bool pt_session_records(const struct pt_session *session)
{
	return session->state == PT_SESSION_RUNNING && session->take->records;
}

static int settle_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;

	(void)board;
	(void)target;
	return pt_live_catch_up(request->take->live, err);
}

static void settled(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct request *request = (struct request *)job;

	if (rc < 0)
		answer(&request->waiter, rc, err->msg);
	else
		pt_analyst_history(request->take->analyst, request->since, request->pc, request->waiter.reply,
				   request->waiter.arg);
	free(request);
}

void pt_session_history(struct pt_session *session, uint64_t since, uint64_t pc, pt_session_reply reply, void *arg)
{
	struct request *request;

	if (refused(session, PT_SESSION_RUNNING, reply, arg))
		return;
	request = new_request(session, reply, arg);
	request->since = since;
	request->pc = pc;
	request->job.run = settle_run;
	request->job.done = settled;
	pt_board_post(session->board, &request->job);
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

struct lines { char *text; size_t room; };

static void put_line(void *arg, const char *line)
{
	struct lines *out = arg;
	size_t at = strlen(out->text);

	snprintf(out->text + at, out->room - at, "%s\n", line);
}

static int sources_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;
	struct lines out = { request->say, sizeof(request->say) };
	const struct pt_source_ops *const *source;
	char line[512];
	size_t n;

	(void)board;
	if (need_target(target, err) < 0)
		return err->code;
	source = target->ops->sources(target->state, &n);
	for (size_t i = 0; i < n; i++) {
		struct pt_err why = { 0 };
		bool on = source[i]->available(target, &why) == 0;

		snprintf(line, sizeof(line), "%-12s modes %s: %s%s%s", source[i]->name, source[i]->modes,
			 on ? source[i]->help : "not here: ", on ? "" : why.msg, i == 0 && on ? " (standard)" : "");
		put_line(&out, line);
		if (on)
			pt_params_help(source[i]->params, source[i]->n_params, put_line, &out);
	}
	return 0;
}

void pt_session_sources(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct request *request = new_request(session, reply, arg);

	request->job.run = sources_run;
	request->job.done = say_done;
	pt_board_post(session->board, &request->job);
}

/* --- reports ------------------------------------------------------------------------------------------------------ */

void pt_session_report(struct pt_session *session, const struct pt_query *query, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };

	if (session->take == NULL)
		answer(&waiter, PT_ESTATE, session->on_closed != NULL ? closed : "nothing was profiled yet (monitor profile start)");
	else
		pt_analyst_report(session->take->analyst, query, reply, arg);
}

void pt_session_reset(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };
	struct pt_pipeline *pipeline;
	struct pt_err err = { 0 };

	if (session->take == NULL) {
		answer(&waiter, PT_ESTATE, "nothing was profiled yet (monitor profile start)");
		return;
	}
	pipeline = pt_pipeline_new(session->take->program, session->take->settings, &err);
	if (pipeline == NULL) {
		answer(&waiter, err.code, err.msg);
		return;
	}
	pt_analyst_restart(session->take->analyst, pipeline);
	answer(&waiter, 0, "statistics start anew\n");
}

/* --- the capture -------------------------------------------------------------------------------------------------- */

static void on_saved(void *arg, int rc, const char *text)
{
	struct saving *saving = arg;
	struct pt_session *session = saving->session;

	answer(&saving->waiter, rc, text);
	free(saving);
	session->closing--;
	end_of_session(session);
}

void pt_session_save(struct pt_session *session, const char *path, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };
	struct saving *saving;

	if (session->take == NULL || session->take->capture == NULL) {
		answer(&waiter, PT_ESTATE, session->take == NULL ? "nothing was profiled yet (monitor profile start)"
								  : "this profile kept no trace (spool=0)");
		return;
	}
	saving = calloc(1, sizeof(*saving));
	if (saving == NULL)
		abort();
	*saving = (struct saving){ session, waiter };
	session->closing++;
	pt_capture_save_later(session->loop, session->take->capture, path, on_saved, saving);
}

bool pt_session_captured(const struct pt_session *session, char *line, size_t size)
{
	struct pt_err err;

	line[0] = '\0';
	if (session->take == NULL || session->take->capture == NULL)
		return true;
	tell_capture(session->take, line, size);
	return pt_capture_path(session->take->capture)[0] == '\0' || !pt_capture_failed(session->take->capture, &err);
}

void pt_session_limits(const struct pt_session *session, size_t *failed, size_t *undecided)
{
	*failed = *undecided = 0;
	if (session->take != NULL)
		pt_analyst_limits(session->take->analyst, failed, undecided);
}

struct ruling {			/* rules on their way to the analyst */
	struct pt_session *session;
	struct take *take;
	struct waiter waiter;
	char *word;			/* NULL: no rules any more */
};

static const char no_rules[] = "limits=#";	/* a comment */

static void keep_limits(struct pt_session *session, char *word)
{
	free(session->limits);
	session->limits = word;
}

/* What runs has taken them; a reset shall not forget them. */
static void on_ruled(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct ruling *ruling = arg;
	struct pt_session *session = ruling->session;
	bool ruled = rc >= 0, there = ruling->word != NULL;

	(void)len_bytes;
	if (ruled) {
		if (session->take == ruling->take)
			pt_pipeline_add(session->take->settings, there ? ruling->word : no_rules, NULL);
		keep_limits(session, ruling->word);
	} else {
		free(ruling->word);
	}
	answer(&ruling->waiter, rc, !ruled ? text : there ? "this profile is checked from here on, and every other from its start; "
	       "monitor profile report limits, or violations\n" : "no rules any more\n");
	free(ruling);
}

void pt_session_set_limits(struct pt_session *session, const char *word, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };
	struct ruling *ruling;

	if (session->state != PT_SESSION_RUNNING || session->take == NULL) {
		keep_limits(session, word != NULL ? strdup(word) : NULL);
		answer(&waiter, 0, word != NULL ? "every profile is checked from its start on; monitor profile report limits, or violations\n"
						: "no rules for the next profile\n");
		return;
	}
	ruling = calloc(1, sizeof(*ruling));
	if (ruling == NULL)
		abort();
	*ruling = (struct ruling){ session, session->take, waiter, word != NULL ? strdup(word) : NULL };
	pt_analyst_set_limits(session->take->analyst, word != NULL ? word : no_rules, on_ruled, ruling);
}

void pt_session_set_orti(struct pt_session *session, const char *word)
{
	free(session->orti);
	session->orti = word != NULL ? strdup(word) : NULL;
}

double pt_session_loss(const struct pt_session *session)
{
	return session->take != NULL ? pt_analyst_loss(session->take->analyst) : 0.0;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

struct pt_session *pt_session_new(struct pt_board *board, uv_loop_t *loop)
{
	struct pt_session *session = calloc(1, sizeof(*session));

	if (session == NULL)
		return NULL;
	session->board = board;
	session->loop = loop;
	session->state = PT_SESSION_IDLE;
	uv_mutex_init(&session->lock);
	uv_async_init(loop, &session->news, on_news);
	session->news.data = session;
	uv_unref((uv_handle_t *)&session->news);
	return session;
}

void pt_session_set_standing(struct pt_session *session, const char *const *words, size_t n_words)
{
	session->standing = calloc(n_words + 1, sizeof(*session->standing));
	for (size_t i = 0; session->standing != NULL && i < n_words; i++)
		session->standing[session->n_standing++] = strdup(words[i]);
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

int pt_session_set_program(struct pt_session *session, struct pt_program *program, struct pt_err *err)
{
	if (session->state != PT_SESSION_IDLE)
		return pt_fail(err, PT_ESTATE, "symbols cannot change while a profile runs; stop it first");
	pt_program_unref(session->program);
	session->program = program != NULL ? pt_program_ref(program) : NULL;
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

static void end_of_session(struct pt_session *session)
{
	if (session->on_closed == NULL || session->close_wanted || session->closing > 0)
		return;
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
	end_of_session(session);
}

static int goodbye_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)job;
	(void)board;
	(void)target;
	(void)err;
	return 0;
}

/* Every request that was on the board has come back: nobody there knows the take any more. */
static void goodbye_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct pt_session *session = ((struct request *)job)->session;

	(void)rc;
	(void)err;
	free(job);
	uv_close((uv_handle_t *)&session->news, on_news_closed);
	close_take(session->take);
	session->take = NULL;
}

/* Once nothing runs any more. */
static void go_on_closing(struct pt_session *session)
{
	struct request *request;

	if (!session->close_wanted)
		return;
	if (session->state == PT_SESSION_RUNNING) {
		post_stop(session);
	} else if (session->state == PT_SESSION_IDLE) {
		session->close_wanted = false;
		session->closing++;
		request = new_request(session, NULL, NULL);
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
	go_on_closing(session);
}
