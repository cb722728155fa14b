/* Requests are few and rendered in order; chunks are many. The thread sleeps in the queue's get(); a request wakes it
 * there. It keeps the last CONFIG of each source, so that statistics can be restarted in the middle of a session. */
#include "base/alloc.h"
#include "report/report.h"
#include "session/analysis_thread.h"
#include "session/session_windows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/config_replay.h"
#include "host/log.h"
#include "profile/analyses/calls/history.h"
#include "profile/analyses/limits/limits.h"
#include "profile/result/profile.h"
#include "trace/loss.h"
#include "base/util.h"

struct request {
	struct request *next;
	int (*make)(struct pt_analysis_thread *a, struct request *request);
	bool settled;			/* to be answered after the chunks now in the queue */
	struct pt_query query;		/* for a report */
	pt_visit_fn *visit;
	uint64_t since, pc;		/* for the branch history */
	uint16_t core;			/* whose */
	enum pt_branches how;		/* as text */
	size_t top;
	char *word;			/* of rules */
	uint64_t window;
	struct pt_pipeline *fresh;	/* of a window that begins */
	pt_analysis_thread_reply reply;
	void *arg;
	/* the answer */
	int rc;
	struct pt_err err;
	struct pt_text text;
};

struct pt_analysis_thread {
	uv_thread_t thread;
	uv_async_t async;
	struct pt_queue *queue;
	struct pt_capture *capture;	/* or NULL */
	struct pt_chunk_tap tap;
	void (*on_end)(void *arg);
	void *end_arg;
	void (*on_closed)(void *arg);
	void *closed_arg;

	uv_mutex_t lock;		/* guards all members below */
	struct request *asked, **asked_tail, *answered, **answered_tail;
	struct pt_pipeline *fresh;	/* replaces the present one */
	bool fresh_is_fed;		/* it has been fed all that the present one has */
	bool record_wanted, end_passed, quit, ended;
	double loss;
	size_t limits_failed, limits_undecided;

	/* the thread's */
	struct pt_pipeline *pipeline;
	struct pt_configs configs;
	struct pt_session_windows windows;
	bool recording;
};

enum { IDLE_MS = 1000 };

/* --- the thread --------------------------------------------------------------------------------------------------- */

static void pass_end(struct pt_analysis_thread *a)
{
	const struct pt_profile *profile = pt_pipeline_profile(a->pipeline);
	double loss = pt_profile_lost_share(profile);

	if (profile->n_sources > 0 && !profile->ended)	/* other sources go on */
		return;
	if (a->capture != NULL)
		pt_capture_sync(a->capture);
	uv_mutex_lock(&a->lock);
	a->end_passed = true;
	a->loss = loss;
	a->limits_failed = profile->limits != NULL ? profile->limits->n_failed : 0;
	a->limits_undecided = profile->limits != NULL ? profile->limits->n_undecided : 0;
	uv_mutex_unlock(&a->lock);
	uv_async_send(&a->async);
}

static void take_in(struct pt_analysis_thread *a, struct pt_chunk *chunk)
{
	bool end = chunk->kind == PT_CHUNK_END;

	pt_debug(PT_LOG_TRACE, "chunk: kind %u cause %u from %" PRIu64 " to %" PRIu64 " ns, %u bytes", chunk->kind,
		 chunk->cause, chunk->from_ns, chunk->to_ns, chunk->len_bytes);
	if (a->capture != NULL)
		pt_capture_put(a->capture, chunk);
	if (a->tap.take != NULL)
		a->tap.take(a->tap.arg, chunk);
	pt_configs_keep(&a->configs, chunk);
	pt_pipeline_feed(a->pipeline, chunk);
	pt_session_windows_feed(&a->windows, chunk);
	pt_queue_release(a->queue, chunk);
	if (end)
		pass_end(a);
}

static void record(struct pt_analysis_thread *a)
{
	struct pt_err err = { 0 };

	if (a->recording && pt_pipeline_record(a->pipeline, &err) < 0)
		pt_warn("branch history: %s", err.msg);
}

static void take_up_fresh(struct pt_analysis_thread *a)
{
	bool record_wanted = a->recording;
	struct pt_pipeline *fresh;
	bool is_fed;

	uv_mutex_lock(&a->lock);
	fresh = a->fresh;
	is_fed = a->fresh_is_fed;
	a->fresh = NULL;
	a->recording = a->record_wanted;
	uv_mutex_unlock(&a->lock);
	if (fresh != NULL) {
		if (a->capture != NULL && !is_fed)
			pt_capture_reset(a->capture);
		pt_pipeline_free(a->pipeline);
		a->pipeline = fresh;
	}
	if (fresh != NULL || a->recording != record_wanted)
		record(a);
	if (fresh != NULL && !is_fed)
		pt_configs_feed(&a->configs, fresh);
}

/* The oldest request, unless it must wait until the queue is empty. */
static struct request *next_request(struct pt_analysis_thread *a, bool empty)
{
	struct request *request;

	uv_mutex_lock(&a->lock);
	request = a->asked;
	if (request != NULL && request->settled && !empty)
		request = NULL;
	if (request != NULL && (a->asked = request->next) == NULL)
		a->asked_tail = &a->asked;
	uv_mutex_unlock(&a->lock);
	return request;
}

static void answer(struct pt_analysis_thread *a, bool empty)
{
	struct request *request = next_request(a, empty);

	if (request == NULL)
		return;
	request->rc = request->make(a, request);
	request->next = NULL;
	uv_mutex_lock(&a->lock);
	*a->answered_tail = request;
	a->answered_tail = &request->next;
	uv_mutex_unlock(&a->lock);
	uv_async_send(&a->async);
}

static bool asked(struct pt_analysis_thread *a)
{
	bool yes;

	uv_mutex_lock(&a->lock);
	yes = a->asked != NULL;
	uv_mutex_unlock(&a->lock);
	return yes;
}

static bool busy_or_running(struct pt_analysis_thread *a)
{
	bool on;

	uv_mutex_lock(&a->lock);
	on = !a->quit || a->asked != NULL;
	uv_mutex_unlock(&a->lock);
	return on;
}

static void analyst_thread(void *arg)
{
	struct pt_analysis_thread *a = arg;

	while (busy_or_running(a)) {
		bool was_asked = asked(a); /* read before the queue, so that chunks put before a request are processed
					    * before it */
		struct pt_chunk *chunk = pt_queue_get(a->queue, was_asked ? 0 : IDLE_MS);

		take_up_fresh(a);
		if (chunk != NULL)
			take_in(a, chunk);
		answer(a, was_asked && chunk == NULL);
	}
	uv_mutex_lock(&a->lock);
	a->ended = true;
	uv_mutex_unlock(&a->lock);
	uv_async_send(&a->async);
}

/* --- the loop's side ---------------------------------------------------------------------------------------------- */

static void free_analyst(struct pt_analysis_thread *a)
{
	uv_mutex_destroy(&a->lock);
	pt_pipeline_free(a->pipeline);
	pt_pipeline_free(a->fresh);
	pt_configs_fini(&a->configs);
	pt_session_windows_fini(&a->windows);
	free(a);
}

static void on_async_closed(uv_handle_t *handle)
{
	struct pt_analysis_thread *a = handle->data;
	void (*on_closed)(void *arg) = a->on_closed;
	void *arg = a->closed_arg;

	free_analyst(a);
	if (on_closed != NULL)
		on_closed(arg);
}

static void deliver(struct request *request)
{
	const char *text = request->rc < 0 ? request->err.msg : request->text.bytes;

	if (text == NULL)
		text = "";
	request->reply(request->arg, request->rc, text, request->rc < 0 ? strlen(text) : request->text.len_bytes);
	pt_text_free(&request->text);
	free(request);
}

static void on_news(uv_async_t *async)
{
	struct pt_analysis_thread *a = async->data;
	struct request *answered, *next;
	bool end_passed, ended;

	uv_mutex_lock(&a->lock);
	answered = a->answered;
	a->answered = NULL;
	a->answered_tail = &a->answered;
	end_passed = a->end_passed;
	a->end_passed = false;
	ended = a->ended;
	uv_mutex_unlock(&a->lock);
	for (; answered != NULL; answered = next) {
		next = answered->next;
		deliver(answered);
	}
	if (end_passed)
		a->on_end(a->end_arg);
	if (ended) {
		uv_thread_join(&a->thread);
		uv_close((uv_handle_t *)&a->async, on_async_closed);
	}
}

struct pt_analysis_thread *pt_analysis_thread_new(uv_loop_t *loop, struct pt_queue *queue, struct pt_pipeline *pipeline,
						  struct pt_capture *capture, const struct pt_chunk_tap *tap,
						  void (*on_end)(void *arg), void *arg, struct pt_err *err)
{
	struct pt_analysis_thread *a = pt_alloc(sizeof(*a));
	int rc;

	a->queue = queue;
	a->pipeline = pipeline;
	a->capture = capture;
	a->tap = *tap;
	a->on_end = on_end;
	a->end_arg = arg;
	a->asked_tail = &a->asked;
	a->answered_tail = &a->answered;
	uv_mutex_init(&a->lock);
	a->async.data = a;
	rc = uv_async_init(loop, &a->async, on_news);
	if (rc < 0) {
		pt_fail(err, PT_ENOMEM, "analysis thread: %s", uv_strerror(rc));
		free_analyst(a);
		return NULL;
	}
	rc = uv_thread_create(&a->thread, analyst_thread, a);
	if (rc < 0) {
		pt_fail(err, PT_ENOMEM, "analysis thread: %s", uv_strerror(rc));
		uv_close((uv_handle_t *)&a->async, on_async_closed);
		return NULL;
	}
	return a;
}

void pt_analysis_thread_close(struct pt_analysis_thread *a, void (*on_closed)(void *arg), void *arg)
{
	a->on_closed = on_closed;
	a->closed_arg = arg;
	uv_mutex_lock(&a->lock);
	a->quit = true;
	uv_mutex_unlock(&a->lock);
	pt_queue_wake(a->queue);
}

static void ask(struct pt_analysis_thread *a, const struct request *what)
{
	struct request *request = pt_alloc(sizeof(*request));

	*request = *what;
	uv_mutex_lock(&a->lock);
	*a->asked_tail = request;
	a->asked_tail = &request->next;
	uv_mutex_unlock(&a->lock);
	pt_queue_wake(a->queue);
}

static int make_report(struct pt_analysis_thread *a, struct request *request)
{
	return pt_report_render(pt_pipeline_profile(a->pipeline), &request->query, &request->text, &request->err);
}

void pt_analysis_thread_report(struct pt_analysis_thread *a, const struct pt_query *query,
			       pt_analysis_thread_reply reply, void *arg)
{
	ask(a, &(struct request){ .make = make_report, .query = *query, .reply = reply, .arg = arg });
}

static int open_window(struct pt_analysis_thread *a, struct request *request)
{
	pt_session_windows_open(&a->windows, request->window, request->fresh, &a->configs);
	return 0;
}

static void nobody_waits(void *arg, int rc, const char *text, size_t len_bytes)
{
	(void)arg;
	(void)rc;
	(void)text;
	(void)len_bytes;
}

void pt_analysis_thread_open_window(struct pt_analysis_thread *a, uint64_t window, struct pt_pipeline *pipeline)
{
	ask(a, &(struct request){ .make = open_window, .window = window, .fresh = pipeline, .reply = nobody_waits });
}

static int close_window(struct pt_analysis_thread *a, struct request *request)
{
	struct pt_pipeline *pipeline = pt_session_windows_take(&a->windows, request->window);
	int rc = 0;

	if (request->query.format[0] != '\0')
		rc = pt_report_render(pt_pipeline_profile(pipeline), &request->query, &request->text, &request->err);
	pt_pipeline_free(pipeline);
	return rc;
}

void pt_analysis_thread_close_window(struct pt_analysis_thread *a, uint64_t window, const struct pt_query *query,
				     pt_analysis_thread_reply reply, void *arg)
{
	ask(a, &(struct request){ .make = close_window,
				  .window = window,
				  .query = query != NULL ? *query : (struct pt_query){ .format = "" },
				  .reply = reply != NULL ? reply : nobody_waits,
				  .arg = arg });
}

static int make_visit(struct pt_analysis_thread *a, struct request *request)
{
	return request->visit(pt_pipeline_profile(a->pipeline), &request->text, &request->err);
}

void pt_analysis_thread_visit(struct pt_analysis_thread *a, pt_visit_fn *visit, pt_analysis_thread_reply reply,
			      void *arg)
{
	ask(a, &(struct request){ .make = make_visit, .visit = visit, .reply = reply, .arg = arg });
}

static int make_history(struct pt_analysis_thread *a, struct request *request)
{
	const struct pt_profile *profile = pt_pipeline_profile(a->pipeline);
	const struct pt_history *history = pt_history_of(profile->history, profile->n_histories, request->core);
	struct pt_history_answer head = { 0 };
	struct pt_history_block *blocks;

	if (profile->history == NULL)
		return pt_fail(&request->err, PT_ESTATE, "no branch history is recorded");
	if (history == NULL)
		return pt_fail(&request->err, PT_ESTATE,
			       "what core %u executed is not traced: there is no branch history of it", request->core);
	blocks = pt_alloc_array(PT_HISTORY_RUNS, sizeof(*blocks));
	head.n_blocks = pt_history_blocks(history, request->since, request->pc, blocks, PT_HISTORY_RUNS);
	head.seen = history->seen;
	head.from = pt_history_from(history, request->since);
	pt_text_bytes(&request->text, &head, sizeof(head));
	pt_text_bytes(&request->text, blocks, head.n_blocks * sizeof(*blocks));
	free(blocks);
	return 0;
}

void pt_analysis_thread_history(struct pt_analysis_thread *a, uint16_t core, uint64_t since, uint64_t pc,
				pt_analysis_thread_reply reply, void *arg)
{
	ask(a, &(struct request){ .make = make_history,
				  .settled = true,
				  .core = core,
				  .since = since,
				  .pc = pc,
				  .reply = reply,
				  .arg = arg });
}

static int set_limits(struct pt_analysis_thread *a, struct request *request)
{
	int rc = pt_pipeline_set_limits(a->pipeline, request->word, &request->err);

	free(request->word);
	return rc;
}

void pt_analysis_thread_set_limits(struct pt_analysis_thread *a, const char *word, pt_analysis_thread_reply reply,
				   void *arg)
{
	ask(a, &(struct request){ .make = set_limits, .word = pt_strdup(word), .reply = reply, .arg = arg });
}

static int make_branches(struct pt_analysis_thread *a, struct request *request)
{
	return pt_branches_write(pt_pipeline_profile(a->pipeline), request->how, request->core, request->top,
				 &request->text, &request->err);
}

void pt_analysis_thread_branches(struct pt_analysis_thread *a, enum pt_branches how, uint16_t core, size_t top,
				 pt_analysis_thread_reply reply, void *arg)
{
	ask(a, &(struct request){ .make = make_branches,
				  .settled = true,
				  .how = how,
				  .core = core,
				  .top = top,
				  .reply = reply,
				  .arg = arg });
}

void pt_analysis_thread_record(struct pt_analysis_thread *a)
{
	uv_mutex_lock(&a->lock);
	a->record_wanted = true;
	uv_mutex_unlock(&a->lock);
	pt_queue_wake(a->queue);
}

static void put_fresh(struct pt_analysis_thread *a, struct pt_pipeline *pipeline, bool is_fed)
{
	struct pt_pipeline *unused;

	uv_mutex_lock(&a->lock);
	unused = a->fresh;
	a->fresh = pipeline;
	a->fresh_is_fed = is_fed;
	uv_mutex_unlock(&a->lock);
	pt_pipeline_free(unused);
	pt_queue_wake(a->queue);
}

void pt_analysis_thread_restart(struct pt_analysis_thread *a, struct pt_pipeline *pipeline)
{
	put_fresh(a, pipeline, false);
}

void pt_analysis_thread_replace(struct pt_analysis_thread *a, struct pt_pipeline *pipeline)
{
	put_fresh(a, pipeline, true);
}

void pt_analysis_thread_limits(const struct pt_analysis_thread *analysis, size_t *failed, size_t *undecided)
{
	struct pt_analysis_thread *a = (struct pt_analysis_thread *)analysis;

	uv_mutex_lock(&a->lock);
	*failed = a->limits_failed;
	*undecided = a->limits_undecided;
	uv_mutex_unlock(&a->lock);
}

double pt_analysis_thread_loss(const struct pt_analysis_thread *analysis)
{
	struct pt_analysis_thread *a = (struct pt_analysis_thread *)analysis;
	double loss;

	uv_mutex_lock(&a->lock);
	loss = a->loss;
	uv_mutex_unlock(&a->lock);
	return loss;
}
