/* GDB's branch trace: what xfer.c and the table of packets need of it. */
#ifndef PT_GDBSTUB_BRANCH_TRACE_H
#define PT_GDBSTUB_BRANCH_TRACE_H

#include "gdbstub/packets/client.h"
#include "profile/analyses/calls/history.h"

char *pt_gdb_branch_trace_conf(struct pt_gdb_client *client);	/* the document, to be freed; NULL: no memory */
void pt_gdb_branch_trace_read(struct pt_gdb_client *client, enum pt_gdb_history what);	/* ends in pt_gdb_document() */
/* xfer.c: a document is there, and becomes the client's; NULL: there is none, err says why. */
void pt_gdb_document(struct pt_gdb_client *client, char *document, const struct pt_err *err);

/* Whose history is meant: that of the core that was chosen, where there are several. */
static inline uint16_t pt_gdb_traced_core(const struct pt_gdb_client *client)
{
	return client->n_cores > 1 ? (uint16_t)client->core : (uint16_t)PT_HISTORY_ANY;
}

#endif
