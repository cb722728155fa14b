/* A program as the other end of a connection. */
#ifndef PT_PROBES_LINKS_CHILD_H
#define PT_PROBES_LINKS_CHILD_H

#include <sys/types.h>

#include "base/error.h"

/* A shell runs the command, in a process group of its own; the descriptor (non-blocking, close-on-exec) is its standard
 * input and output, its standard error stays ours. Close the descriptor, then reap. PT_EIO. */
int pt_child_start(const char *command, pid_t *child, struct pt_err *err);
void pt_child_reap(pid_t child);	/* blocks: a child that does not end within 0.5 s is killed */

#endif
