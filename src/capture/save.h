/* pt_capture_save() and pt_capture_unref() for the loop thread: in the background, answered on the loop. */
#ifndef PT_CAPTURE_SAVE_H
#define PT_CAPTURE_SAVE_H

#include <uv.h>

#include "capture/write.h"

/* text: one line for the user, or the sentence of the error. */
typedef void (*pt_capture_saved)(void *arg, int rc, const char *text);

/* Holds the capture meanwhile. done is always called, once; before this returns where there is no thread for it. */
void pt_capture_save_later(uv_loop_t *loop, struct pt_capture *capture, const char *path, bool replace,
			   pt_capture_saved done, void *arg);

/* done is always called, once: when the file is whole or given up (before this returns for NULL), at the latest when
 * its disk has not answered for PT_CAPTURE_PATIENCE_S. */
void pt_capture_unref_later(uv_loop_t *loop, struct pt_capture *capture, void (*done)(void *arg), void *arg);

#endif
