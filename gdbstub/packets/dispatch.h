/* From a packet to its handler. */
#ifndef PT_GDBSTUB_DISPATCH_H
#define PT_GDBSTUB_DISPATCH_H

#include "gdbstub/packets/packet.h"

void pt_gdb_command(struct pt_gdb_client *client);	/* handles client->current */

#endif
