/* Host I/O: vFile packets, which GDB's `remote put`, `remote get` and `remote delete` are made of. What a name stands
 * for: hostio_names.h. Loop thread; what touches the disk is an errand (host/errand.h). */
#ifndef PT_GDBSTUB_HOSTIO_H
#define PT_GDBSTUB_HOSTIO_H

#include "gdbstub/packets/client.h"

enum { PT_GDB_OWN_FDS = 0x4000 };	/* descriptors of our files, when a server may have files, too: from here */

struct pt_gdb_open_files *pt_gdb_files_new(void);	/* a client's */
/* and closes what is open */
void pt_gdb_files_free(uv_loop_t *loop, struct pt_gdb_open_files *files);

#endif
