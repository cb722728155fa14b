/* pt_capture_save() and pt_capture_unref() for the loop thread: work in the background, then call back on the loop. */
#ifndef PT_CAPTURE_SAVE_H
#define PT_CAPTURE_SAVE_H

#include <uv.h>

#include "capture/write.h"

/* text: one line for the user, or the error's sentence. */
typedef void (*pt_capture_saved)(void *arg, int rc, const char *text);

/* Holds a reference meanwhile. done is always called, once; if no thread can be started, before this function
 * returns. */
void pt_capture_save_later(uv_loop_t *loop, struct pt_capture *capture, const char *path, bool replace,
			   pt_capture_saved done, void *arg);

/* done is always called, once: when the file is complete or given up, at the latest PT_CAPTURE_PATIENCE_S after its
 * disk stopped answering; for NULL before this function returns. */
void pt_capture_unref_later(uv_loop_t *loop, struct pt_capture *capture, void (*done)(void *arg), void *arg);

#endif
