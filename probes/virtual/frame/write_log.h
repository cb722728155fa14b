/* What a debugger writes to the memory of a virtual board, in a file: for tests, switched on by write-log=FILE in a board's address.
 * A line for each write, as it comes: "ADDRESS BYTES VALUE", address and value in hex. */
#ifndef PT_VIRTUAL_WRITE_LOG_H
#define PT_VIRTUAL_WRITE_LOG_H

#include "base/error.h"
#include "probes/virtual/frame/bus.h"

struct pt_vwrite_log;

/* NULL with the sentence: the file cannot be made. The bus outlives the log. */
struct pt_vwrite_log *pt_vwrite_log_open(const char *path, struct pt_vbus *bus, struct pt_err *err);
void pt_vwrite_log_close(struct pt_vwrite_log *log);	/* NULL is fine */

#endif
