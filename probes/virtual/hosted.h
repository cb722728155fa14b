/* A virtual board behind a server of its own in this process: on a thread with its own loop, in real time, reached
 * over a socket of the loopback as any server is. For boards whose server speaks unasked (a GDB server's stop
 * replies), which the links of models do not. Any thread. */
#ifndef PT_VIRTUAL_HOSTED_H
#define PT_VIRTUAL_HOSTED_H

#include <stddef.h>

#include "base/error.h"

struct pt_vhosted;

enum { PT_VHOSTED_ADDRESS_BYTES = 64 };

/* board: what stands behind "virtual:"; clock= does not count. address: out, "127.0.0.1:PORT". NULL: PT_EARG of the
 * words, PT_ENOMEM, PT_EBUSY with the sentence. */
struct pt_vhosted *pt_vhosted_start(const char *board, char address[PT_VHOSTED_ADDRESS_BYTES], struct pt_err *err);
void pt_vhosted_stop(void *hosted);	/* struct pt_vhosted; waits for its thread. NULL is fine */

#endif
