/* A packet by its name: each file of packets ends in a table of these; gdbstub/packet_tables.c lists the tables. A
 * handler gets what follows the name and must end in exactly one of: a reply, pt_rsp_finish(), or a posted request that
 * does either. */
#ifndef PT_GDBSTUB_PACKET_H
#define PT_GDBSTUB_PACKET_H

#include "gdbstub/packets/client.h"

typedef void pt_gdb_handler(struct pt_gdb_client *client, struct pt_rsp_args *args);

enum pt_packet_flag {
	PT_PACKET_ANY = 0,
	PT_PACKET_EXACT = 1,	/* the packet is the name alone */
	PT_PACKET_TARGET = 2,	/* it needs the inferior */
	PT_PACKET_HALTED = 4,	/* it needs a core that is halted */
	PT_PACKET_CONNECTING = 8,	/* GDB sends it while it connects */
	PT_PACKET_CHANGES = 16,	/* it changes the target */
	PT_PACKET_TASKS = 32,	/* its answer depends on the program's tasks */
	PT_PACKET_WATCH = 64,	/* a GDB that only watches may have it */
	PT_PACKET_OPEN = 128,	/* open to a client without the token: it shows and changes nothing of the target */
	PT_PACKET_LOOKS = 256,	/* it only looks (--restrict); one with words or flags of its own refuses the rest itself */
	PT_PACKET_PROMPT = 512,	/* GDB sends it only for a command at its prompt */
};

struct pt_packet_row {
	const char *name;	/* how the packet begins; NULL ends a table */
	unsigned flags;
	pt_gdb_handler *handle;
};

/* In front of the tables: the proxy is one. */
enum pt_packet_offer {
	PT_PACKET_NOT_MINE,	/* it is served like on any board */
	PT_PACKET_MINE,
	PT_PACKET_LATER,	/* that is not known yet: the packet waits until pt_gdbstub_wake() */
};
struct pt_packet_filter {
	enum pt_packet_offer (*offer)(struct pt_gdb_client *client);	/* decided with a client's first packet */
	/* Takes the current packet. False: it is one of ours, to be handled like on any board. */
	bool (*take)(struct pt_gdb_client *client);
	void (*promise)(struct pt_gdb_client *client);	/* the reply to qSupported before the token is given */
	bool (*is_halted)(const struct pt_gdb_client *client);	/* of one whose packets are taken: is the target? */
};

/* E01 with a sentence: the packet is not what it should be. */
void pt_gdb_reply_malformed(struct pt_gdb_client *client);
void pt_gdb_reply_not_yours(struct pt_gdb_client *client);	/* another GDB controls the target */
/* --restrict: what looks says so, packets in their table and commands in their row; everything else is refused. */
#define PT_GDB_RESTRICTED "proftap runs with --restrict: clients may look, and change nothing"
void pt_gdb_refuse_restricted(struct pt_gdb_client *client);

#endif
