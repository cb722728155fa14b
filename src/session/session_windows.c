#include "session/session_windows.h"

#include <stdlib.h>

#include "base/alloc.h"

struct pt_session_window { struct pt_session_window *next; uint64_t number; struct pt_pipeline *pipeline; };

void pt_session_windows_open(struct pt_session_windows *windows, uint64_t number, struct pt_pipeline *pipeline,
			     const struct pt_configs *configs)
{
	struct pt_session_window *window = pt_alloc(sizeof(*window));

	*window = (struct pt_session_window){ windows->first, number, pipeline };
	windows->first = window;
	pt_configs_feed(configs, pipeline);
}

void pt_session_windows_feed(struct pt_session_windows *windows, const struct pt_chunk *chunk)
{
	for (struct pt_session_window *window = windows->first; window != NULL; window = window->next)
		pt_pipeline_feed(window->pipeline, chunk);
}

struct pt_pipeline *pt_session_windows_take(struct pt_session_windows *windows, uint64_t number)
{
	struct pt_session_window **at = &windows->first, *window;
	struct pt_pipeline *pipeline;

	while ((*at)->number != number)
		at = &(*at)->next;
	window = *at;
	*at = window->next;
	pipeline = window->pipeline;
	free(window);
	return pipeline;
}

void pt_session_windows_fini(struct pt_session_windows *windows)
{
	while (windows->first != NULL)
		pt_pipeline_free(pt_session_windows_take(windows, windows->first->number));
}
