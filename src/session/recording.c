/* A recording: one profile from its start to its end, with its settings. */
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
#include "profile/flow/signals.h"
#include "targets/contract/source.h"

static void free_recording(struct recording *recording)
{
	pt_live_free(recording->live);
	pt_pipeline_free(recording->pipeline);
	pt_queue_free(recording->queue);
	pt_params_free(recording->settings);
	pt_params_free(recording->capturing);
	pt_program_unref(recording->program);
	for (size_t i = 0; i < recording->n_rest; i++)
		free(recording->rest[i]);
	free(recording->rest);
	pt_recording_unfollow(recording);
	free(recording);
}

static void on_capture_closed(void *arg)
{
	struct pt_session *session = arg;

	session->closing--;
	pt_session_end(session);
}

/* The file's disk may be slow, or not answer. */
static void on_analyst_closed(void *arg)
{
	struct recording *recording = arg;
	struct pt_session *session = recording->session;
	struct pt_capture *capture = recording->capture;

	free_recording(recording);
	pt_capture_unref_later(session->loop, capture, on_capture_closed, session);
}

void pt_recording_close(struct recording *recording)
{
	if (recording == NULL)
		return;
	recording->session->closing++;
	if (recording->analysis != NULL)
		pt_analysis_thread_close(recording->analysis, on_analyst_closed, recording);
	else
		on_analyst_closed(recording);
}

void pt_recording_tell_capture(const struct recording *recording, char *line, size_t size)
{
	char text[560];

	line[0] = '\0';
	if (recording->capture != NULL && pt_capture_path(recording->capture)[0] != '\0')
		snprintf(line, size, "captured %s\n", pt_capture_describe(recording->capture, text, sizeof(text)));
}

/* --- what its threads say ----------------------------------------------------------------------------------------- */

static void on_end(void *arg)
{
	struct recording *recording = arg;

	recording->end_passed = true;
	pt_session_finish_stop(recording->session);
}

static void from_board(struct recording *recording, bool *what)
{
	uv_mutex_lock(&recording->session->lock);
	*what = true;
	uv_mutex_unlock(&recording->session->lock);
	uv_async_send(&recording->session->news);
}

static void on_time_up(void *arg)
{
	struct recording *recording = arg;

	from_board(recording, &recording->time_up);
}

static void on_dead(void *arg)
{
	struct recording *recording = arg;

	from_board(recording, &recording->dead);
}

/* --- a new one ---------------------------------------------------------------------------------------------------- */

/* Settings of the pipeline go into settings, those of the capture likewise; the rest is for the source. */
static int split_words(struct recording *recording, const char *const *words, size_t n_words, struct pt_err *err)
{
	for (size_t i = 0; i < n_words; i++) {
		int rc = 0;

		if (pt_pipeline_knows(words[i]))
			rc = pt_pipeline_add(recording->settings, words[i], err);
		else if (pt_capture_knows(words[i]))
			rc = pt_params_add(recording->capturing, pt_capture_params, pt_n_capture_params, words[i], err);
		else
			recording->rest[recording->n_rest++] = pt_strdup(words[i]);
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

/* Several definitions may be of one variable (bit-fields). */
static void name_places(struct recording *recording)
{
	const struct pt_signal_set *set = pt_pipeline_follows(recording->pipeline);
	struct pt_source_place place[PT_SIGNALS_MAX];
	size_t n = 0, k;

	for (size_t i = 0; i < set->n_definitions; i++) {
		const struct pt_signal_definition *d = &set->definition[i];

		if (d->space != PT_SPACE_MEMORY || d->size_bytes == 0)
			continue;
		for (k = 0; k < n && (place[k].addr != d->at || place[k].size_bytes != d->size_bytes); k++)
			;
		if (k == n)
			place[n++] = (struct pt_source_place){ .addr = d->at, .size_bytes = d->size_bytes, .spare = true };
		place[k].task |= pt_signal_of_system(d);
		place[k].spare &= d->task != NULL;
		place[k].named |= d->task == NULL &&
				  (d->form == PT_FORM_STATE || d->form == PT_FORM_REGULAR || d->form == PT_FORM_EITHER);
	}
	pt_live_follow(recording->live, place, n);
}

struct recording *pt_recording_make(struct pt_session *session, const char *const *words, size_t n_words,
				    struct pt_err *err)
{
	struct recording *recording = pt_alloc(sizeof(*recording));
	struct pt_live_news news = { .on_time_up = on_time_up, .on_dead = on_dead, .arg = recording };

	recording->session = session;
	recording->settings = pt_params_new();
	recording->capturing = pt_params_new();
	recording->queue = pt_queue_new(POOL_CHUNKS, false);
	recording->program = session->program != NULL ? pt_program_ref(session->program) : NULL;
	recording->rest = pt_alloc_array(session->n_standing + n_words + 1, sizeof(*recording->rest));
	if (split_words(recording, (const char *const *)session->standing, session->n_standing, err) == 0 &&
	    split_words(recording, (const char *const *)&session->limits, session->limits != NULL, err) == 0 &&
	    split_words(recording, (const char *const *)&session->orti, session->orti != NULL, err) == 0 &&
	    split_words(recording, words, n_words, err) == 0)
		recording->pipeline = pt_pipeline_new(recording->program, recording->settings, err);
	if (recording->pipeline == NULL) {
		free_recording(recording);
		return NULL;
	}
	recording->live = pt_live_new(recording->queue, recording->program, (const char *const *)recording->rest,
				      recording->n_rest, pt_pipeline_core_hz(recording->settings),
				      pt_pipeline_measures(recording->settings), &news);
	name_settings(recording->live);
	name_places(recording);
	pt_recording_follow(recording, pt_pipeline_follows(recording->pipeline));
	return recording;
}

/* --- its capture -------------------------------------------------------------------------------------------------- */

/* Memory of the errand alone, which is abandoned if a disk does not answer. */
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

static struct opening *new_opening(const struct recording *recording)
{
	struct opening *o = pt_alloc(sizeof(*o));

	o->program = recording->program != NULL ? pt_program_ref(recording->program) : NULL;
	o->settings = pt_params_copy(recording->settings);
	o->capturing = pt_params_copy(recording->capturing);
	o->words = pt_alloc_array(recording->n_rest + 1, sizeof(*o->words));
	for (size_t i = 0; i < recording->n_rest; i++)
		o->words[o->n_words++] = pt_strdup(recording->rest[i]);
	return o;
}

/* Without the file that the user named the profile does not start; without the temporary file it does. */
static void go_on(struct recording *recording, struct pt_err *err)
{
	if (err->code < 0 && pt_capture_wanted(recording->capturing)) {
		pt_wrap(err, "capture");
	} else {
		if (err->code < 0)
			pt_info("profile save will not work: %s", err->msg);
		*err = (struct pt_err){ 0 };
		recording->analysis =
			pt_analysis_thread_new(recording->session->loop, recording->queue, recording->pipeline,
					       recording->capture, &recording->session->tap, on_end, recording, err);
		recording->pipeline = NULL;
	}
	recording->opened(recording->opened_arg, err);
}

static void after_open(void *data, void *arg, bool late)
{
	struct recording *recording = arg;
	struct opening *o = data;
	struct pt_err err = { 0 };

	recording->opening = NULL;
	if (late) {
		pt_fail(&err, recording->cancelled ? PT_EINTERRUPTED : PT_ETIMEOUT, "its disk does not answer%s",
			recording->cancelled ? " yet" : "");
	} else {
		recording->capture = o->capture;
		o->capture = NULL;
		err = o->err;
		forget_opening(o);
	}
	go_on(recording, &err);
}

enum { COURTESY_MS = 10000 };

static const struct pt_errand_kind wanted = { open_capture, after_open, forget_opening, .timeout_ms = PT_ERRAND_MS };
static const struct pt_errand_kind courtesy = { open_capture, after_open, forget_opening, .timeout_ms = COURTESY_MS,
						.place = PT_ERRAND_OWN };

void pt_recording_open(struct recording *recording, void (*opened)(void *arg, const struct pt_err *err), void *arg)
{
	bool is_wanted = pt_capture_wanted(recording->capturing);
	struct pt_err err = { 0 };
	struct opening *o;

	recording->opened = opened;
	recording->opened_arg = arg;
	if (!pt_capture_any(recording->capturing)) {
		go_on(recording, &err);
		return;
	}
	o = new_opening(recording);
	recording->opening =
		pt_errand_new(recording->session->loop, is_wanted ? &wanted : &courtesy, o, recording, &err);
	if (recording->opening == NULL) {
		forget_opening(o);
		go_on(recording, &err);
	}
}

void pt_recording_cancel(struct recording *recording)
{
	recording->cancelled = true;
	if (recording->opening != NULL)
		pt_errand_cancel(recording->opening);
}
