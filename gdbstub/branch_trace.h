/* GDB's branch trace: what xfer.c and the table of packets need of it. */
#ifndef PT_GDBSTUB_BRANCH_TRACE_H
#define PT_GDBSTUB_BRANCH_TRACE_H

#include "gdbstub/client.h"

char *pt_gdb_branch_trace_conf(struct pt_gdb_client *client);	/* the document, to be freed; NULL: no memory */
void pt_gdb_branch_trace_read(struct pt_gdb_client *client, enum pt_gdb_history what);	/* ends in pt_gdb_document() */
/* xfer.c: a document is there, and becomes the client's; NULL: there is none, err says why. */
void pt_gdb_document(struct pt_gdb_client *client, char *document, const struct pt_err *err);

#endif
