/* Checks a new connection: its first bytes must be GDB's (base/first_bytes.h). Until then nothing from it is executed:
 * no core is halted, no packet is answered, no client is attached. The number of such connections is limited, and so is
 * their time. Loop thread. */
#ifndef PT_GDBSTUB_RSP_ADMIT_H
#define PT_GDBSTUB_RSP_ADMIT_H

#include "gdbstub/rsp/connection.h"

/* Closes the connection unless its first packet, or the token, arrives within this time. 0: it owes nothing. The user's
 * own standard input may always wait. */
void pt_rsp_admit_within(struct pt_rsp_connection *c, uint64_t ms);
/* n_bytes more have been read into read_bytes, behind the n_first of before. Returns how many of read_bytes to parse as
 * packets; 0: more are needed, or the connection was closed. */
size_t pt_rsp_admit(struct pt_rsp_connection *c, size_t n_bytes);
/* A byte between packets that has no meaning: line noise and the break of telnet are tolerated for a while, text is
 * not. */
void pt_rsp_admit_stray(struct pt_rsp_connection *c, uint8_t byte);

#endif
