/* Before a connection is a client: its first bytes have to be GDB's (base/first_bytes.h). Until they are, nothing of it
 * is carried out: no core is halted, no packet is answered, no client is attached. Such connections are few and do not
 * last. Loop thread. */
#ifndef PT_GDBSTUB_RSP_ADMIT_H
#define PT_GDBSTUB_RSP_ADMIT_H

#include "gdbstub/rsp/connection.h"

/* The connection is closed unless what it owes (its first packet, the token) has come by then. 0: it owes nothing. The
 * user's own standard input may always wait. */
void pt_rsp_admit_within(struct pt_rsp_connection *c, uint64_t ms);
/* n_bytes have come into read_bytes behind n_first. Returns how many of read_bytes are now to be taken for packets; 0:
 * they do not suffice yet, or it was sent away. */
size_t pt_rsp_admit(struct pt_rsp_connection *c, size_t n_bytes);
/* A byte between packets that means nothing: line noise and the break of telnet are passed over for a while, text is
 * not. */
void pt_rsp_admit_stray(struct pt_rsp_connection *c, uint8_t byte);

#endif
