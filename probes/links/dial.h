/* From an address to a connected socket. */
#ifndef PT_PROBES_LINKS_DIAL_H
#define PT_PROBES_LINKS_DIAL_H

#include "base/error.h"

/* "HOST:PORT", "[v6]:PORT", "HOST" (default_port; 0: none) or "unix:PATH". Connects within 2 s, without delay on TCP.
 * Returns a socket that does not block, the caller's to close; or PT_EARG, PT_EIO, PT_ENOMEM with the sentence. */
int pt_dial(const char *address, unsigned default_port, struct pt_err *err);

#endif
