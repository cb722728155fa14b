/* Non-stop: each core is a thread, and runs while others are examined. Connecting halts nothing; each stop is reported
 * by a notification, one at a time; GDB asks for stops that came meanwhile. Loop thread. */
#ifndef PT_GDBSTUB_NONSTOP_H
#define PT_GDBSTUB_NONSTOP_H

#include "gdbstub/packets/client.h"

/* The client gets the inferior: answers "?" with the halted cores. */
void pt_gdb_nonstop_begin(struct pt_gdb_client *client);
/* the same after vAttach: the cores are reported by notifications */
void pt_gdb_nonstop_attached(struct pt_gdb_client *client);
void pt_gdb_nonstop_on_stop(struct pt_gdb_client *client, unsigned core, const struct pt_core_status *status);
void pt_gdb_nonstop_on_run(struct pt_gdb_client *client, unsigned core);
void pt_gdb_nonstop_lost(struct pt_gdb_client *client);	/* probe or chip lost */
/* The current packet needs a core that is really halted. True: it is being halted, and the packet is handled again
 * afterwards. */
bool pt_gdb_nonstop_halt_first(struct pt_gdb_client *client);
/* Does the vCont action of each core, as parsed by run.c. */
void pt_gdb_nonstop_resume(struct pt_gdb_client *client, const struct pt_gdb_action *action, size_t n);
void pt_gdb_nonstop_halt(struct pt_gdb_client *client);	/* vCtrlC: halts all cores */

#endif
