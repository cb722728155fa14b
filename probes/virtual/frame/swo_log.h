/* What a virtual board sends by its pin SWO, in a file: for tests, switched on by swo-log=FILE in a board's address. The bytes
 * as they are, each when it is through. */
#ifndef PT_VIRTUAL_SWO_LOG_H
#define PT_VIRTUAL_SWO_LOG_H

#include "base/error.h"
#include "probes/virtual/frame/swo.h"

struct pt_vswo_log;

/* NULL with the sentence: the file cannot be made. The pin outlives the log. */
struct pt_vswo_log *pt_vswo_log_open(const char *path, struct pt_vswo *pin, struct pt_err *err);
void pt_vswo_log_close(struct pt_vswo_log *log);	/* NULL is fine */

#endif
