/* A board behind another GDB server: what a client sends that is not ours goes straight there, and what comes back goes
 * straight to the client. Ours are: monitor words of profiling and symbols, the files and tables of reports, the branch
 * trace of `record btrace` unless the server has one, and what the target adds to the server's registers.
 *
 * The first client that comes has the connection; others are served as on any board. Loop thread. */
#ifndef PT_GDBSTUB_PROXY_H
#define PT_GDBSTUB_PROXY_H

#include "gdbstub/packets/packet.h"

extern const struct pt_packet_filter pt_gdb_proxy;
bool pt_gdb_pass_is_ours(const char *line);	/* of monitor: its first word is one that is not passed on */
void pt_gdb_pass_interrupt(struct pt_gdb_client *client);	/* its Ctrl-C */
void pt_gdb_pass_end(struct pt_gdb_client *client);		/* it is leaving */
/* What the server has been asked and has not answered, for a user: "" where it owes nothing. True: for so long that the
 * client has been told, and nobody else can ask it anything either. */
bool pt_gdb_pass_waits(const struct pt_gdbstub *stub, char *line, size_t room_bytes);
bool pt_gdb_pass_close(struct pt_gdbstub *stub);	/* false: pt_gdbstub_check() is called when it is done */

#endif
