/* Non-stop: each core is a thread of its own, which runs while others are looked at. Nothing halts because a GDB
 * connects; every stop is reported by a notification, one at a time; GDB asks for those that came meanwhile. Loop
 * thread. */
#ifndef PT_GDBSTUB_NONSTOP_H
#define PT_GDBSTUB_NONSTOP_H

#include "gdbstub/packets/client.h"

/* The inferior is the client's: answer "?" with the cores that are halted. */
void pt_gdb_nonstop_begin(struct pt_gdb_client *client);
void pt_gdb_nonstop_attached(struct pt_gdb_client *client);	/* the same after vAttach: notifications tell */
void pt_gdb_nonstop_on_stop(struct pt_gdb_client *client, unsigned core, const struct pt_core_status *status);
void pt_gdb_nonstop_on_run(struct pt_gdb_client *client, unsigned core);
void pt_gdb_nonstop_lost(struct pt_gdb_client *client);	/* the probe or the chip is gone */
/* The packet at hand needs a core that is really halted. True: it is being halted, and the packet is handled anew
 * then. */
bool pt_gdb_nonstop_halt_first(struct pt_gdb_client *client);
/* An action of vCont for each core, as run.c has parsed it. */
void pt_gdb_nonstop_resume(struct pt_gdb_client *client, const struct pt_gdb_action *action, size_t n);
void pt_gdb_nonstop_halt(struct pt_gdb_client *client);	/* vCtrlC: all of them */

#endif
