/* One GDB, from its connection until its last handle is closed: passes each event of the connection to the packets, the
 * proxy or the monitor command that handles it. Loop thread. */
#ifndef PT_GDBSTUB_CLIENT_H
#define PT_GDBSTUB_CLIENT_H

#include "gdbstub/packets/client.h"

int pt_gdb_client_accept(struct pt_gdbstub *stub, struct pt_listener *listener, struct pt_err *err);
int pt_gdb_client_stdio(struct pt_gdbstub *stub, struct pt_err *err);
void pt_gdb_clients_leave(struct pt_gdbstub *stub, const char *why);
void pt_gdb_clients_wake(struct pt_gdbstub *stub);	/* the core is free: handle the packets that waited for it */

#endif
