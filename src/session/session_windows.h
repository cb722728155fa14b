/* Windows: a stretch of a running profile with a pipeline of its own, which gets the same chunks as that of the whole from
 * its beginning on. What is known of the stretch is so by the same rules as in any profile: a difference of two reports
 * would be wrong wherever a figure is an estimate, as its early part changes with what comes later. Analysis thread. */
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
/* Ends one that is there; its pipeline is the caller's. */
struct pt_pipeline *pt_session_windows_take(struct pt_session_windows *windows, uint64_t number);
void pt_session_windows_fini(struct pt_session_windows *windows);

#endif
