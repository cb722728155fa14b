/* Finds the handler of a packet. */
#ifndef PT_GDBSTUB_DISPATCH_H
#define PT_GDBSTUB_DISPATCH_H

#include "gdbstub/packets/packet.h"

void pt_gdb_handle_packet(struct pt_gdb_client *client);	/* handles client->rsp.current */

#endif
