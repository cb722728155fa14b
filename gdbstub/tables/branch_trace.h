/* GDB's branch trace: what xfer.c and the table of packets need of it. */
#ifndef PT_GDBSTUB_BRANCH_TRACE_H
#define PT_GDBSTUB_BRANCH_TRACE_H

#include "gdbstub/packets/client.h"
#include "profile/analyses/calls/history.h"

/* Which blocks GDB asks for. */
enum pt_gdb_history_part { PT_GDB_HISTORY_ALL, PT_GDB_HISTORY_NEW, PT_GDB_HISTORY_DELTA };

struct pt_gdb_history *pt_gdb_history_new(void);	/* for a client; freed by the caller */
char *pt_gdb_branch_trace_conf(struct pt_gdb_client *client);	/* the document, to be freed; NULL: no memory */
void pt_gdb_branch_trace_read(struct pt_gdb_client *client,
			      enum pt_gdb_history_part what); /* ends in pt_gdb_reply_document() */
/* The core whose history is meant: the selected one if there are several. */
static inline uint16_t pt_gdb_traced_core(const struct pt_gdb_client *client)
{
	return client->inferior.n_cores > 1 ? (uint16_t)client->inferior.core : (uint16_t)PT_HISTORY_ANY;
}

#endif
