/* monitor profile live: prints a table repeatedly while GDB waits. Loop thread. */
#ifndef PT_GDBSTUB_LIVE_H
#define PT_GDBSTUB_LIVE_H

#include "gdbstub/packets/client.h"

struct pt_command;

void pt_gdb_live(struct pt_command *cmd);	/* the command */
void pt_gdb_live_stop(struct pt_gdb_client *client);

#endif
