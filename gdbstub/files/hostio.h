/* Host I/O: vFile packets, which GDB's `remote put`, `remote get` and `remote delete` are made of. The meaning of
 * names: hostio_names.h. Loop thread; disk access is done by an errand (host/errand.h). */
#ifndef PT_GDBSTUB_HOSTIO_H
#define PT_GDBSTUB_HOSTIO_H

#include "gdbstub/packets/client.h"

enum { PT_GDB_OWN_FDS = 0x4000 };	/* first number of our own descriptors, if the upstream server has files, too */

struct pt_gdb_open_files *pt_gdb_files_new(void);	/* a client's */
/* and closes open files */
void pt_gdb_files_free(uv_loop_t *loop, struct pt_gdb_open_files *files);

#endif
