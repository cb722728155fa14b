/* A board behind another GDB server: packets of a client that proftap does not handle are forwarded to it, and its
 * replies to the client. proftap handles: monitor commands of profiling and symbols, files and tables of reports, the
 * branch trace of `record btrace` unless the server has one, and registers that the target adds.
 *
 * The first client uses the connection; others are served as on any board. Loop thread. */
#ifndef PT_GDBSTUB_PROXY_H
#define PT_GDBSTUB_PROXY_H

#include "gdbstub/packets/packet.h"

extern const struct pt_packet_filter pt_gdb_proxy;
bool pt_gdb_pass_is_ours(const char *line);	/* of monitor: its first word is a command that is not forwarded */
void pt_gdb_pass_interrupt(struct pt_gdb_client *client);	/* its Ctrl-C */
void pt_gdb_pass_end(struct pt_gdb_client *client);		/* the client leaves */
/* For a user: which request the server has not answered; "" if none. True: it takes so long that the client was told,
 * and no other client can ask the server either. */
bool pt_gdb_pass_waits(const struct pt_gdbstub *stub, char *line, size_t room_bytes);
bool pt_gdb_pass_close(struct pt_gdbstub *stub);	/* false: pt_gdbstub_check() is called when it is done */

#endif
