/* Windows of the running profile: reports of a stretch of it alone (session_windows.h). */
#include "session/session_parts.h"

#include <stdio.h>

uint64_t pt_session_begin_window(struct pt_session *session, const char *analyses, struct pt_err *err)
{
	struct recording *recording = session->recording;
	struct pt_params *settings;
	struct pt_pipeline *pipeline = NULL;
	char word[160];

	if (session->state != PT_SESSION_RUNNING || recording == NULL) {
		pt_fail(err, PT_ESTATE, "no profile is running: start one");
		return 0;
	}
	settings = pt_params_copy(recording->settings);
	snprintf(word, sizeof(word), "analysis=execution,%s", analyses);
	if (pt_pipeline_add(settings, word, err) == 0)
		pipeline = pt_pipeline_new(recording->program, settings, err);
	pt_params_free(settings);
	if (pipeline == NULL)
		return 0;
	session->window++;
	if (recording->first_window == 0)
		recording->first_window = session->window;
	pt_analysis_thread_open_window(recording->analysis, session->window, pipeline);
	return session->window;
}

void pt_session_end_window(struct pt_session *session, uint64_t window, const struct pt_query *query,
			   pt_session_reply reply, void *arg)
{
	struct recording *recording = session->recording;
	struct waiter waiter = { reply, arg };

	if (recording != NULL && recording->first_window != 0 && window >= recording->first_window)
		pt_analysis_thread_close_window(recording->analysis, window, query, reply, arg);
	else
		pt_session_answer(&waiter, PT_ESTATE, "another profile has begun meanwhile");
}
