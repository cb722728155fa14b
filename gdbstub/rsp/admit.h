/* Before a connection is a client: its first bytes have to be GDB's (firstbytes.h). Until they are, nothing of it is
 * carried out: no core is halted, no packet is answered, nobody is attached. Such connections are few and do not last.
 * Loop thread. */
#ifndef PT_GDBSTUB_ADMIT_H
#define PT_GDBSTUB_ADMIT_H

#include "gdbstub/rsp/connection.h"

void pt_gdb_admit_begin(struct pt_gdb_client *client);	/* it has connected: its time runs */
/* n_bytes have come into read_bytes behind n_first. Returns how many of read_bytes are now to be taken for packets; 0:
 * they do not suffice yet, or it was sent away. */
size_t pt_gdb_admit(struct pt_gdb_client *client, size_t n_bytes);
void pt_gdb_admit_token(struct pt_gdb_client *client);	/* it has given the token */
/* A byte between packets that means nothing: line noise and the break of telnet are passed over for a while, text is
 * not. */
void pt_gdb_admit_stray(struct pt_gdb_client *client, uint8_t byte);

#endif
