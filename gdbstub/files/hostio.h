/* Host I/O: vFile packets, which GDB's `remote put`, `remote get` and `remote delete` are made of. What a name stands
 * for: hostio_names.h. Loop thread; what touches the disk does so on a thread of libuv's pool. */
#ifndef PT_GDBSTUB_HOSTIO_H
#define PT_GDBSTUB_HOSTIO_H

#include "gdbstub/packets/client.h"

void pt_gdb_hostio_end(struct pt_gdb_client *client);	/* the client is gone: its files are closed */

#endif
