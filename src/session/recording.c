/* A take: what one profile is made of, from its words to its end. */
#include "base/alloc.h"
#include "session/session_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/head.h"
#include "host/log.h"
#include "pipeline/pipeline.h"

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
	pt_session_end(session);
}

void pt_take_close(struct take *take)
{
	if (take == NULL)
		return;
	take->session->closing++;
	pt_analyst_close(take->analyst, on_analyst_closed, take);
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

	take->capture = pt_capture_new(take->capturing, head, err);
	free(head);
	if (take->capture != NULL || err->code == 0)
		return 0;
	if (pt_capture_wanted(take->capturing))
		return pt_wrap(err, "capture");
	pt_info("profile save will have nothing to save: %s", err->msg);
	return 0;
}

struct take *pt_take_make(struct pt_session *session, const char *const *words, size_t n_words, struct pt_err *err)
{
	struct take *take = pt_alloc(sizeof(*take));
	struct pt_live_news news = { .on_time_up = on_time_up, .on_dead = on_dead, .arg = take };
	const char **rest = pt_alloc_array(session->n_standing + n_words + 1, sizeof(*rest));
	struct pt_pipeline *pipeline = NULL;
	size_t n_rest = 0;

	take->session = session;
	take->settings = pt_params_new();
	take->capturing = pt_params_new();
	take->queue = pt_queue_new(POOL_CHUNKS, false);
	take->program = session->program != NULL ? pt_program_ref(session->program) : NULL;
	if (split_words(take, (const char *const *)session->standing, session->n_standing, rest, &n_rest, err) == 0 &&
	    split_words(take, (const char *const *)&session->limits, session->limits != NULL, rest, &n_rest, err) ==
		    0 &&
	    split_words(take, (const char *const *)&session->orti, session->orti != NULL, rest, &n_rest, err) == 0 &&
	    split_words(take, words, n_words, rest, &n_rest, err) == 0)
		pipeline = pt_pipeline_new(take->program, take->settings, err);
	if (pipeline != NULL && open_capture(take, rest, n_rest, err) < 0) {
		pt_pipeline_free(pipeline);
		pipeline = NULL;
	}
	if (pipeline != NULL) {
		take->live = pt_live_new(take->queue, take->program, rest, n_rest, pt_pipeline_core_hz(take->settings),
					 &news);
		take->analyst = pt_analyst_new(session->loop, take->queue, pipeline, take->capture, on_end, take, err);
	}
	free(rest);
	if (take->analyst != NULL)
		return take;
	free_take(take);
	return NULL;
}
