/* monitor: GDB's door to the commands (control/command.h); carries a command from its packet to its reply. Loop thread.
 *
 * A command may take long. The user may interrupt GDB while it waits. GDB does not report this, and takes the next
 * packet for the reply to another one. So a slow command sends one O packet of progress, and then nothing until GDB's
 * "-" has come, which a waiting GDB sends every 2 s; a new packet abandons the command. For the same reason an answer
 * is one packet if it fits. */
#ifndef PT_GDBSTUB_MONITOR_H
#define PT_GDBSTUB_MONITOR_H

#include "control/command.h"
#include "gdbstub/packets/client.h"
#include "base/error.h"
#include "base/text.h"
#include "report/table/query.h"

/* --- for the connection ------------------------------------------------------------------------------------------- */

void pt_monitor_abandon(struct pt_gdb_client *client);	/* GDB does not wait for the command any more */
void pt_monitor_interrupt(struct pt_gdb_client *client);	/* 0x03: the command ends early, with its reply */
void pt_monitor_alive(struct pt_gdb_client *client);	/* "-": GDB still waits for it */

/* --- this door's own rows ----------------------------------------------------------------------------------------- */

void pt_gdb_auth(struct pt_command *cmd);	/* auth.c */
void pt_gdb_take(struct pt_command *cmd);	/* take.c */

static inline struct pt_gdb_client *pt_gdb_client_of(const struct pt_command *cmd)
{
	return cmd->ctx->door;
}

#endif
