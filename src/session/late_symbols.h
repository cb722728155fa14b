/* A trace that has been recorded goes through a new pipeline, which knows a program that the first did not: off the loop,
 * as long as it takes. Loop thread. */
#ifndef PT_LATE_SYMBOLS_H
#define PT_LATE_SYMBOLS_H

#include <uv.h>

#include "capture/write.h"
#include "pipeline/pipeline.h"

/* pipeline: has had all of the trace, and is the caller's; NULL: err says why not. Once. */
typedef void (*pt_late_symbols_done)(void *arg, struct pt_pipeline *pipeline, const struct pt_err *err);

/* References to capture and program are kept meanwhile, settings are copied. done may be called before this returns. */
void pt_late_symbols(uv_loop_t *loop, struct pt_capture *capture, struct pt_program *program,
		     const struct pt_params *settings, pt_late_symbols_done done, void *arg);

#endif
