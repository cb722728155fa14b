/* For GDB on standard input and output while another daemon serves its probe: passes bytes both ways until one side
 * ends. Blocks; not for a daemon's loop thread. */
#ifndef PT_STDIO_BRIDGE_H
#define PT_STDIO_BRIDGE_H

#include "base/error.h"

/* Connects to "HOST:PORT", "[V6]:PORT" or "unix:PATH", as printed by a daemon: numeric addresses. Returns a descriptor,
 * or PT_EARG, PT_EIO. */
int pt_stdio_bridge_connect(const char *address, struct pt_err *err);

/* Passes bytes between in, out and the socket, which it closes. 0 when either side ended, PT_EIO. */
int pt_stdio_bridge(int in, int out, int socket, struct pt_err *err);

#endif
