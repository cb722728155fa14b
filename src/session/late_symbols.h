/* Feeds a recorded trace to a new pipeline, for a program whose symbols came after the profile: on another thread, as
 * long as it takes. Loop thread. */
#ifndef PT_LATE_SYMBOLS_H
#define PT_LATE_SYMBOLS_H

#include <uv.h>

#include "capture/write.h"
#include "pipeline/pipeline.h"

/* pipeline: has been fed the whole trace; owned by the callee; NULL: err has the reason. Called once. */
typedef void (*pt_late_symbols_done)(void *arg, struct pt_pipeline *pipeline, const struct pt_err *err);

/* References to capture and program are kept meanwhile, settings are copied. done may be called before this returns. */
void pt_late_symbols(uv_loop_t *loop, struct pt_capture *capture, struct pt_program *program,
		     const struct pt_params *settings, pt_late_symbols_done done, void *arg);

#endif
