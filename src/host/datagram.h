/* One datagram to another process's unix socket. */
#ifndef PT_DATAGRAM_H
#define PT_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* path: of the socket; "@NAME" is one of Linux's abstract names. Never waits, unlike libsystemd's functions, which do while the reader's
 * queue is full. False: it was not sent. Any thread. */
bool pt_datagram_send(const char *path, const void *bytes, size_t len_bytes);

#endif
