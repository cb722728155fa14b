/* Runs proftap again as a child process and waits for it: a crash there does not affect the caller. */
#ifndef PT_CHILD_H
#define PT_CHILD_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* words: its arguments, NULL at the end. out, said: its standard output and standard error; the caller frees them. It
 * gets SIGTERM after deadline_ms, and SIGKILL 10 s after that. Returns its exit status; PT_ETIMEOUT: the deadline
 * passed; PT_EIO: it could not be started, or a signal ended it. */
int pt_child_run(const char *const *words, uint64_t deadline_ms, struct pt_text *out, struct pt_text *said,
		 struct pt_err *err);

#endif
