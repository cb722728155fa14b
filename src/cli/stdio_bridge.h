/* GDB on our standard input and output, and a daemon that serves GDB elsewhere: bytes go to and fro until one of them
 * ends. Blocks; not for the loop thread of a daemon. */
#ifndef PT_STDIO_BRIDGE_H
#define PT_STDIO_BRIDGE_H

#include "base/error.h"

/* A connection to "HOST:PORT", "[V6]:PORT" or "unix:PATH", as a daemon prints where it listens: numbers, no names.
 * Returns a descriptor, or PT_EARG, PT_EIO. */
int pt_stdio_bridge_connect(const char *address, struct pt_err *err);

/* Between the pair in, out and the socket, which it closes. 0 when either side ended, PT_EIO. */
int pt_stdio_bridge(int in, int out, int socket, struct pt_err *err);

#endif
