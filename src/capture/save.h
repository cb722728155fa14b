/* pt_capture_save() for the loop thread: in the background, answered on the loop. */
#ifndef PT_CAPTURE_SAVE_H
#define PT_CAPTURE_SAVE_H

#include <uv.h>

#include "capture/write.h"

/* text: one line for the user, or the sentence of the error. */
typedef void (*pt_capture_saved)(void *arg, int rc, const char *text);

/* Holds the capture meanwhile. done is always called, once; before this returns where there is no thread for it. */
void pt_capture_save_later(uv_loop_t *loop, struct pt_capture *capture, const char *path, pt_capture_saved done,
			   void *arg);

#endif
