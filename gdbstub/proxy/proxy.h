/* A board behind another GDB server: what a client sends that is not ours goes straight there, and what comes back goes
 * straight to the client. Ours are: monitor words of profiling and symbols, the files and tables of reports, the branch
 * trace of `record btrace` unless the server has one, and what the target adds to the server's registers.
 *
 * The first client that comes has the connection; others are served as on any board. Loop thread. */
#ifndef PT_GDBSTUB_PASS_H
#define PT_GDBSTUB_PASS_H

#include "gdbstub/packets/client.h"

enum { PT_GDB_OWN_FDS = 0x4000 };	/* descriptors of our files, when the server may have files, too: from here */

enum pt_gdb_pass_offer {
	PT_GDB_PASS_NOT,	/* it is served like on any board */
	PT_GDB_PASS_IT,
	PT_GDB_PASS_LATER,	/* that is not known yet: its packet waits until pt_gdbstub_wake() */
};
/* Decided with its first packet, and then for good. */
enum pt_gdb_pass_offer pt_gdb_pass_offer(struct pt_gdb_client *client);
/* Passes client->rsp.current on. False: it is one of ours, to be handled like on any board. */
bool pt_gdb_pass_packet(struct pt_gdb_client *client);
/* The answer to qSupported of a client that has yet to give its token, and will be passed on then. */
void pt_gdb_pass_promise(struct pt_gdb_client *client);
bool pt_gdb_pass_is_ours(const char *line);	/* of monitor: its first word is one that is not passed on */
bool pt_gdb_passes(const struct pt_gdb_client *client);
bool pt_gdb_pass_is_halted(const struct pt_gdb_client *client);	/* of one that passes: does the target stand? */
void pt_gdb_pass_interrupt(struct pt_gdb_client *client);	/* its Ctrl-C */
void pt_gdb_pass_end(struct pt_gdb_client *client);		/* it is leaving */
/* What the server has been asked and has not answered, for a user: "" where it owes nothing. True: for so long that the
 * client has been told, and nobody else can ask it anything either. */
bool pt_gdb_pass_waits(const struct pt_gdbstub *stub, char *line, size_t room_bytes);
bool pt_gdb_pass_close(struct pt_gdbstub *stub);	/* false: pt_gdbstub_check() is called when it is done */

#endif
