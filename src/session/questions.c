/* Other requests to a session: branch history, sources, reports, capture, rules. */
#include "base/alloc.h"
#include "session/session_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/save.h"
#include "host/log.h"
#include "pipeline/pipeline.h"
#include "session/late_symbols.h"

/* --- branch history ----------------------------------------------------------------------------------------------- */

void pt_session_record(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };

	if (pt_session_refused(session, PT_SESSION_RUNNING, reply, arg))
		return;
	pt_session_record_on(session);
	pt_session_answer(&waiter, 0, "");
}

bool pt_session_records(const struct pt_session *session)
{
	return session->state == PT_SESSION_RUNNING && session->recording->records;
}

static int settle_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;

	(void)target;
	if (pt_board_hear(board, err) < 0)
		return err->code;
	return pt_live_catch_up(request->recording->live, err);
}

/* First the board thread passes on what the source has so far, then settled() asks the analysis thread. */
static void ask_settled(struct request *request, uint16_t core,
			void (*settled)(struct pt_job *job, int rc, const struct pt_err *err))
{
	request->core = core;
	request->job.run = settle_run;
	request->job.done = settled;
	pt_board_post(request->session->board, &request->job);
}

static void history_settled(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct request *request = (struct request *)job;

	if (rc < 0)
		pt_session_answer(&request->waiter, rc, err->msg);
	else
		pt_analysis_thread_history(request->recording->analysis, request->core, request->since, request->pc,
					   request->waiter.reply, request->waiter.arg);
	free(request);
}

void pt_session_history(struct pt_session *session, uint16_t core, uint64_t since, uint64_t pc, pt_session_reply reply,
			void *arg)
{
	struct request *request;

	if (pt_session_refused(session, PT_SESSION_RUNNING, reply, arg))
		return;
	request = pt_session_request(session, reply, arg);
	request->since = since;
	request->pc = pc;
	ask_settled(request, core, history_settled);
}

static void branches_settled(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct request *request = (struct request *)job;

	if (rc < 0)
		pt_session_answer(&request->waiter, rc, err->msg);
	else
		pt_analysis_thread_branches(request->recording->analysis, request->branches, request->core,
					    request->top, request->waiter.reply, request->waiter.arg);
	free(request);
}

void pt_session_branches(struct pt_session *session, enum pt_branches how, uint16_t core, size_t top,
			 pt_session_reply reply, void *arg)
{
	struct request *request;

	if (pt_session_refused(session, PT_SESSION_RUNNING, reply, arg))
		return;
	request = pt_session_request(session, reply, arg);
	request->branches = how;
	request->top = top;
	ask_settled(request, core, branches_settled);
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

static void put_line(void *arg, const char *line)
{
	pt_text_add(arg, "%s\n", line);
}

static int sources_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;
	struct pt_text *out = &request->text;
	const struct pt_source_ops *const *source;
	char cost[1024];
	size_t n;

	(void)board;
	if (pt_session_need_target(target, err) < 0)
		return err->code;
	source = target->ops->sources(target->state, &n);
	for (size_t i = 0; i < n; i++) {
		struct pt_err why = { 0 };
		bool on = source[i]->available(target, &why) == 0;

		pt_text_add(out, "%-12s modes %s: %s%s%s\n", source[i]->name, source[i]->modes,
			    on ? source[i]->help : "not here: ", on ? "" : why.msg,
			    i == 0 && on && !source[i]->only_by_name ? " (default)" : "");
		if (on && source[i]->cost != NULL) {
			source[i]->cost(target, cost, sizeof(cost));
			pt_text_add(out, "  %s\n", cost);
		}
		if (on)
			pt_params_help(source[i]->params, source[i]->n_params, put_line, out);
	}
	return 0;
}

static void sources_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct request *request = (struct request *)job;
	const char *text = request->text.bytes != NULL ? request->text.bytes : "";

	pt_session_answer(&request->waiter, rc, rc < 0 ? err->msg : text);
	pt_text_free(&request->text);
	free(request);
}

void pt_session_sources(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct request *request = pt_session_request(session, reply, arg);

	request->job.run = sources_run;
	request->job.done = sources_done;
	pt_board_post(session->board, &request->job);
}

/* --- reports ------------------------------------------------------------------------------------------------------ */

static const char nothing[] = "nothing was profiled yet (monitor profile start, or monitor profile run 2s)";

/* Symbols that come after a profile without symbols has stopped: its trace is decoded again, and reports wait for
 * that. */
struct naming {
	struct pt_session *session;
	const struct recording *recording;	/* only compared; it may have been freed */
	struct pt_program *program;
	struct waiting_report { struct pt_query query; struct waiter waiter; struct waiting_report *next; } *first;
};

static void on_read_again(void *arg, struct pt_pipeline *pipeline, const struct pt_err *err)
{
	struct naming naming = *(struct naming *)arg;
	struct pt_session *session = naming.session;
	struct recording *recording = session->recording == naming.recording ? session->recording : NULL;

	free(arg);
	session->naming = NULL;
	if (pipeline == NULL)
		pt_warn("the profile keeps addresses instead of names: %s", err->msg);
	if (pipeline != NULL && recording != NULL) {
		pt_analysis_thread_replace(recording->analysis, pipeline);
		recording->program = pt_program_ref(naming.program);
	} else {
		pt_pipeline_free(pipeline);
	}
	for (struct waiting_report *w = naming.first, *next; w != NULL; w = next) {
		next = w->next;
		pt_session_report(session, &w->query, w->waiter.reply, w->waiter.arg);
		free(w);
	}
	pt_program_unref(naming.program);
	session->closing--;
	pt_session_end(session);
}

static bool lacks_names(const struct pt_session *session)
{
	const struct recording *recording = session->recording;

	return session->state == PT_SESSION_IDLE && session->on_closed == NULL && session->program != NULL &&
	       recording->program == NULL && recording->capture != NULL && recording->analysis != NULL &&
	       !recording->named_later;
}

/* False: the report need not wait. */
static bool waits_for_names(struct pt_session *session, const struct pt_query *query, struct waiter waiter)
{
	struct naming *naming = session->naming;
	struct waiting_report *w, **last;
	bool begins = naming == NULL && lacks_names(session);

	if (naming == NULL && !begins)
		return false;
	if (begins) {
		naming = session->naming = pt_alloc(sizeof(*naming));
		*naming = (struct naming){ session, session->recording, pt_program_ref(session->program), NULL };
	}
	w = pt_alloc(sizeof(*w));
	*w = (struct waiting_report){ *query, waiter, NULL };
	for (last = &naming->first; *last != NULL; last = &(*last)->next)
		;
	*last = w;
	if (begins) {
		session->closing++;
		session->recording->named_later = true;
		pt_late_symbols(session->loop, session->recording->capture, session->program,
				session->recording->settings, on_read_again, naming);
	}
	return true;
}

void pt_session_report(struct pt_session *session, const struct pt_query *query, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };

	if (session->recording == NULL)
		pt_session_answer(&waiter, PT_ESTATE, session->on_closed != NULL ? pt_session_closed : nothing);
	else if (!waits_for_names(session, query, waiter))
		pt_analysis_thread_report(session->recording->analysis, query, reply, arg);
}

void pt_session_visit(struct pt_session *session,
		      int (*visit)(const struct pt_profile *profile, struct pt_text *out, struct pt_err *err),
		      pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };

	if (session->recording == NULL)
		pt_session_answer(&waiter, PT_ESTATE, session->on_closed != NULL ? pt_session_closed : nothing);
	else
		pt_analysis_thread_visit(session->recording->analysis, visit, reply, arg);
}

uint64_t pt_session_number(const struct pt_session *session)
{
	return session->number;
}

void pt_session_reset(struct pt_session *session, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };
	struct pt_pipeline *pipeline;
	struct pt_err err = { 0 };

	if (session->recording == NULL) {
		pt_session_answer(&waiter, PT_ESTATE, nothing);
		return;
	}
	if (session->state == PT_SESSION_IDLE) { /* a report would say that the profile runs, but no more chunks
							 * come */
		pt_session_answer(&waiter, PT_ESTATE,
				  "the profile has ended, and its result stays; monitor profile start begins another");
		return;
	}
	pipeline = pt_pipeline_new(session->recording->program, session->recording->settings, &err);
	if (pipeline == NULL) {
		pt_session_answer(&waiter, err.code, err.msg);
		return;
	}
	session->number++;
	pt_analysis_thread_restart(session->recording->analysis, pipeline);
	pt_session_answer(&waiter, 0, "statistics start anew\n");
}

/* --- the capture -------------------------------------------------------------------------------------------------- */

struct saving { struct pt_session *session; struct waiter waiter; };

static void on_saved(void *arg, int rc, const char *text)
{
	struct saving *saving = arg;
	struct pt_session *session = saving->session;

	pt_session_answer(&saving->waiter, rc, text);
	free(saving);
	session->closing--;
	pt_session_end(session);
}

void pt_session_save(struct pt_session *session, const char *path, bool replace, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };
	struct saving *saving;

	if (session->recording == NULL || session->recording->capture == NULL) {
		pt_session_answer(&waiter, PT_ESTATE,
				  session->recording == NULL ? nothing : "this profile kept no trace (spool=0)");
		return;
	}
	saving = pt_alloc(sizeof(*saving));
	*saving = (struct saving){ session, waiter };
	session->closing++;
	pt_capture_save_later(session->loop, session->recording->capture, path, replace, on_saved, saving);
}

bool pt_session_captured(const struct pt_session *session, char *line, size_t size)
{
	struct pt_err err;

	line[0] = '\0';
	if (session->recording == NULL || session->recording->capture == NULL)
		return true;
	pt_recording_tell_capture(session->recording, line, size);
	return pt_capture_path(session->recording->capture)[0] == '\0' ||
	       !pt_capture_failed(session->recording->capture, &err);
}

/* --- rules, and what became of them ------------------------------------------------------------------------------- */

void pt_session_limits(const struct pt_session *session, size_t *failed, size_t *undecided)
{
	*failed = *undecided = 0;
	if (session->recording != NULL)
		pt_analysis_thread_limits(session->recording->analysis, failed, undecided);
}

struct ruling {			/* rules being passed to the analysis thread */
	struct pt_session *session;
	struct recording *recording;
	struct waiter waiter;
	char *word;			/* NULL: removes all rules */
};

static const char no_rules[] = "limits=#";	/* a comment */
#define WHERE "; monitor profile report limits, or violations\n"
static const char from_start[] = "every profile is checked from its start on" WHERE;
static const char from_here[] = "this profile is checked from here on, and every later one from its start" WHERE;
#undef WHERE

static void keep_limits(struct pt_session *session, char *word)
{
	free(session->limits);
	session->limits = word;
}

/* The running profile uses them; a reset must keep them. */
static void on_ruled(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct ruling *ruling = arg;
	struct pt_session *session = ruling->session;
	bool ruled = rc >= 0, there = ruling->word != NULL;

	(void)len_bytes;
	if (ruled) {
		if (session->recording == ruling->recording)
			pt_pipeline_add(session->recording->settings, there ? ruling->word : no_rules, NULL);
		keep_limits(session, ruling->word);
	} else {
		free(ruling->word);
	}
	pt_session_answer(&ruling->waiter, rc, !ruled ? text : there ? from_here : "no rules any more\n");
	free(ruling);
}

void pt_session_set_limits(struct pt_session *session, const char *word, pt_session_reply reply, void *arg)
{
	struct waiter waiter = { reply, arg };
	struct ruling *ruling;

	if (session->state != PT_SESSION_RUNNING || session->recording == NULL) {
		keep_limits(session, word != NULL ? pt_strdup(word) : NULL);
		pt_session_answer(&waiter, 0, word != NULL ? from_start : "no rules for the next profile\n");
		return;
	}
	ruling = pt_alloc(sizeof(*ruling));
	*ruling = (struct ruling){ session, session->recording, waiter, word != NULL ? pt_strdup(word) : NULL };
	pt_analysis_thread_set_limits(session->recording->analysis, word != NULL ? word : no_rules, on_ruled, ruling);
}

void pt_session_set_orti(struct pt_session *session, const char *word)
{
	free(session->orti);
	session->orti = word != NULL ? pt_strdup(word) : NULL;
}

double pt_session_loss(const struct pt_session *session)
{
	return session->recording != NULL ? pt_analysis_thread_loss(session->recording->analysis) : 0.0;
}
