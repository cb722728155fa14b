/* A take: what one profile is made of, from its words to its end. */
#include "base/alloc.h"
#include "session/session_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/save.h"
#include "session/head.h"
#include "host/errand.h"
#include "host/log.h"
#include "pipeline/pipeline.h"

static void free_take(struct take *take)
{
	pt_live_free(take->live);
	pt_pipeline_free(take->pipeline);
	pt_queue_free(take->queue);
	pt_params_free(take->settings);
	pt_params_free(take->capturing);
	pt_program_unref(take->program);
	for (size_t i = 0; i < take->n_rest; i++)
		free(take->rest[i]);
	free(take->rest);
	free(take);
}

static void on_capture_closed(void *arg)
{
	struct pt_session *session = arg;

	session->closing--;
	pt_session_end(session);
}

/* The file's disk may take its time, or not answer. */
static void on_analyst_closed(void *arg)
{
	struct take *take = arg;
	struct pt_session *session = take->session;
	struct pt_capture *capture = take->capture;

	free_take(take);
	pt_capture_unref_later(session->loop, capture, on_capture_closed, session);
}

void pt_take_close(struct take *take)
{
	if (take == NULL)
		return;
	take->session->closing++;
	if (take->analyst != NULL)
		pt_analyst_close(take->analyst, on_analyst_closed, take);
	else
		on_analyst_closed(take);
}

void pt_take_tell_capture(const struct take *take, char *line, size_t size)
{
	char text[560];

	line[0] = '\0';
	if (take->capture != NULL && pt_capture_path(take->capture)[0] != '\0')
		snprintf(line, size, "captured %s\n", pt_capture_describe(take->capture, text, sizeof(text)));
}

/* --- what its threads say ----------------------------------------------------------------------------------------- */

static void on_end(void *arg)
{
	struct take *take = arg;

	take->end_passed = true;
	pt_session_finish_stop(take->session);
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

/* --- a new one ---------------------------------------------------------------------------------------------------- */

/* Words of the pipeline go into settings, those of the capture too, the others are left for the source. */
static int split_words(struct take *take, const char *const *words, size_t n_words, struct pt_err *err)
{
	for (size_t i = 0; i < n_words; i++) {
		int rc = 0;

		if (pt_pipeline_knows(words[i]))
			rc = pt_pipeline_add(take->settings, words[i], err);
		else if (pt_capture_knows(words[i]))
			rc = pt_params_add(take->capturing, pt_capture_params, pt_n_capture_params, words[i], err);
		else
			take->rest[take->n_rest++] = pt_strdup(words[i]);
		if (rc < 0)
			return err->code;
	}
	return 0;
}

static void name_settings(struct pt_live *live)
{
	char names[600] = "";
	size_t at = 0;

	for (size_t i = 0; pt_pipeline_param(i) != NULL && at < sizeof(names); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, " %s", pt_pipeline_param(i)->key);
	for (size_t i = 0; i < pt_n_capture_params && at < sizeof(names); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, " %s", pt_capture_params[i].key);
	pt_live_name_others(live, names);
}

struct take *pt_take_make(struct pt_session *session, const char *const *words, size_t n_words, struct pt_err *err)
{
	struct take *take = pt_alloc(sizeof(*take));
	struct pt_live_news news = { .on_time_up = on_time_up, .on_dead = on_dead, .arg = take };

	take->session = session;
	take->settings = pt_params_new();
	take->capturing = pt_params_new();
	take->queue = pt_queue_new(POOL_CHUNKS, false);
	take->program = session->program != NULL ? pt_program_ref(session->program) : NULL;
	take->rest = pt_alloc_array(session->n_standing + n_words + 1, sizeof(*take->rest));
	if (split_words(take, (const char *const *)session->standing, session->n_standing, err) == 0 &&
	    split_words(take, (const char *const *)&session->limits, session->limits != NULL, err) == 0 &&
	    split_words(take, (const char *const *)&session->orti, session->orti != NULL, err) == 0 &&
	    split_words(take, words, n_words, err) == 0)
		take->pipeline = pt_pipeline_new(take->program, take->settings, err);
	if (take->pipeline == NULL) {
		free_take(take);
		return NULL;
	}
	take->live = pt_live_new(take->queue, take->program, (const char *const *)take->rest, take->n_rest,
				 pt_pipeline_core_hz(take->settings), pt_pipeline_measures(take->settings), &news);
	name_settings(take->live);
	return take;
}

/* --- its capture -------------------------------------------------------------------------------------------------- */

/* What the errand needs, all its own: it may be left behind on a disk that does not answer. */
struct opening {
	struct pt_program *program;
	struct pt_params *settings, *capturing;
	char **words;
	size_t n_words;
	struct pt_capture *capture;
	struct pt_err err;
};

static void open_capture(void *data)
{
	struct opening *o = data;
	char *head = pt_capture_head_make(o->program, o->settings, (const char *const *)o->words, o->n_words);

	o->capture = pt_capture_new(o->capturing, head, &o->err);
	free(head);
}

static void forget_opening(void *data)
{
	struct opening *o = data;

	pt_capture_unref(o->capture);
	pt_params_free(o->settings);
	pt_params_free(o->capturing);
	pt_program_unref(o->program);
	for (size_t i = 0; i < o->n_words; i++)
		free(o->words[i]);
	free(o->words);
	free(o);
}

static struct opening *new_opening(const struct take *take)
{
	struct opening *o = pt_alloc(sizeof(*o));

	o->program = take->program != NULL ? pt_program_ref(take->program) : NULL;
	o->settings = pt_params_copy(take->settings);
	o->capturing = pt_params_copy(take->capturing);
	o->words = pt_alloc_array(take->n_rest + 1, sizeof(*o->words));
	for (size_t i = 0; i < take->n_rest; i++)
		o->words[o->n_words++] = pt_strdup(take->rest[i]);
	return o;
}

/* A file that the user wants is part of the start; the temporary one is a courtesy. */
static void go_on(struct take *take, struct pt_err *err)
{
	if (err->code < 0 && pt_capture_wanted(take->capturing)) {
		pt_wrap(err, "capture");
	} else {
		if (err->code < 0)
			pt_info("profile save will have nothing to save: %s", err->msg);
		*err = (struct pt_err){ 0 };
		take->analyst = pt_analyst_new(take->session->loop, take->queue, take->pipeline, take->capture, on_end,
					       take, err);
		take->pipeline = NULL;
	}
	take->opened(take->opened_arg, err);
}

static void after_open(void *data, void *arg, bool late)
{
	struct take *take = arg;
	struct opening *o = data;
	struct pt_err err = { 0 };

	take->opening = NULL;
	if (late) {
		pt_fail(&err, take->cancelled ? PT_EINTERRUPTED : PT_ETIMEOUT, "its disk does not answer%s",
			take->cancelled ? " yet" : "");
	} else {
		take->capture = o->capture;
		o->capture = NULL;
		err = o->err;
		forget_opening(o);
	}
	go_on(take, &err);
}

enum { COURTESY_MS = 10000 };

static const struct pt_errand_kind wanted = { open_capture, after_open, forget_opening, .timeout_ms = PT_ERRAND_MS };
static const struct pt_errand_kind courtesy = { open_capture, after_open, forget_opening, .timeout_ms = COURTESY_MS,
						.place = PT_ERRAND_OWN };

void pt_take_open(struct take *take, void (*opened)(void *arg, const struct pt_err *err), void *arg)
{
	bool is_wanted = pt_capture_wanted(take->capturing);
	struct pt_err err = { 0 };
	struct opening *o;

	take->opened = opened;
	take->opened_arg = arg;
	if (!pt_capture_any(take->capturing)) {
		go_on(take, &err);
		return;
	}
	o = new_opening(take);
	take->opening = pt_errand_new(take->session->loop, is_wanted ? &wanted : &courtesy, o, take, &err);
	if (take->opening == NULL) {
		forget_opening(o);
		go_on(take, &err);
	}
}

void pt_take_cancel(struct take *take)
{
	take->cancelled = true;
	if (take->opening != NULL)
		pt_errand_cancel(take->opening);
}
