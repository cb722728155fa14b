/* A window is a stretch of a running profile. It has its own pipeline, which from the window's beginning on gets the
 * same chunks as that of the profile. So its figures follow the same rules as those of a profile. A difference of two
 * reports would be wrong for each estimate, because later chunks change what is estimated for the time before. Analysis
 * thread. */
#ifndef PT_SESSION_WINDOWS_H
#define PT_SESSION_WINDOWS_H

#include "pipeline/config_replay.h"
#include "pipeline/pipeline.h"

struct pt_session_window;
struct pt_session_windows { struct pt_session_window *first; };	/* all zero: none */

/* Takes the pipeline over. */
void pt_session_windows_open(struct pt_session_windows *windows, uint64_t number, struct pt_pipeline *pipeline,
			     const struct pt_configs *configs);
void pt_session_windows_feed(struct pt_session_windows *windows, const struct pt_chunk *chunk);
/* Ends an open window, and passes its pipeline to the caller. */
struct pt_pipeline *pt_session_windows_take(struct pt_session_windows *windows, uint64_t number);
void pt_session_windows_fini(struct pt_session_windows *windows);

#endif
