/* monitor: GDB's door to the commands (control/command.h), and what carries one from its packet to its reply. Loop
 * thread.
 *
 * A command may take its time. GDB can be interrupted while it waits, without a word to us, and then takes whatever
 * comes next for the reply to something else. So a command that takes longer than a moment sends one O packet of
 * progress and then nothing at all until GDB's "-" has come, which a waiting GDB sends every 2 s; and a new packet
 * abandons the command. An answer goes out in one packet where it fits, for the same reason. */
#ifndef PT_GDBSTUB_MONITOR_H
#define PT_GDBSTUB_MONITOR_H

#include "control/command.h"
#include "gdbstub/packets/client.h"
#include "base/error.h"
#include "base/text.h"
#include "report/table/query.h"

/* --- for the connection ------------------------------------------------------------------------------------------- */

void pt_monitor_abandon(struct pt_gdb_client *client);	/* no client waits for the command any more */
void pt_monitor_interrupt(struct pt_gdb_client *client);	/* 0x03: it ends early, with its reply */
void pt_monitor_alive(struct pt_gdb_client *client);	/* "-": GDB still waits for it */

/* --- this door's own rows ----------------------------------------------------------------------------------------- */

void pt_gdb_auth(struct pt_command *cmd);	/* auth.c */
void pt_gdb_take(struct pt_command *cmd);	/* take.c */

static inline struct pt_gdb_client *pt_gdb_client_of(const struct pt_command *cmd)
{
	return cmd->ctx->door;
}

#endif
