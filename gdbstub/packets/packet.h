/* Packets by name: each file of packets has a table of these; gdbstub/packet_tables.c lists the tables. A handler gets
 * the text after the name and must end in exactly one of: a reply, pt_rsp_finish(), or a posted request that does
 * either. */
#ifndef PT_GDBSTUB_PACKET_H
#define PT_GDBSTUB_PACKET_H

#include "gdbstub/packets/client.h"

typedef void pt_gdb_handler(struct pt_gdb_client *client, struct pt_rsp_args *args);

enum pt_packet_flag {
	PT_PACKET_ANY = 0,
	PT_PACKET_EXACT = 1,	/* the packet has nothing after the name */
	PT_PACKET_TARGET = 2,	/* it needs the inferior */
	PT_PACKET_HALTED = 4,	/* it needs a halted core */
	PT_PACKET_CONNECTING = 8,	/* GDB sends it while it connects */
	PT_PACKET_CHANGES = 16,	/* it changes the target */
	PT_PACKET_TASKS = 32,	/* its answer depends on the program's tasks */
	PT_PACKET_WATCH = 64,	/* allowed for a GDB that only watches */
	PT_PACKET_OPEN = 128,	/* allowed without the token: it shows and changes nothing of the target */
	PT_PACKET_LOOKS = 256,	/* it changes nothing (--restrict); where this depends on its arguments, the handler
				 * refuses the others */
	PT_PACKET_PROMPT = 512,	/* GDB sends it only for a command typed at its prompt */
};

struct pt_packet_row {
	const char *name;	/* beginning of the packet; NULL ends a table */
	unsigned flags;
	pt_gdb_handler *handle;
};

/* What a filter before the tables, such as the proxy, does with a client. */
enum pt_packet_offer {
	PT_PACKET_NOT_MINE,	/* it is served as on any board */
	PT_PACKET_MINE,
	PT_PACKET_LATER,	/* not known yet: the packet waits until pt_gdbstub_wake() */
};
struct pt_packet_filter {
	enum pt_packet_offer (*offer)(struct pt_gdb_client *client);	/* called for a client's first packet */
	/* Takes the current packet. False: the packet is handled as on any board. */
	bool (*take)(struct pt_gdb_client *client);
	void (*promise)(struct pt_gdb_client *client);	/* replies to qSupported before the token is given */
	/* for a client whose packets are forwarded: is the target halted? */
	bool (*is_halted)(const struct pt_gdb_client *client);
};

/* E01 with a sentence: the packet is malformed. */
void pt_gdb_reply_malformed(struct pt_gdb_client *client);
void pt_gdb_reply_not_yours(struct pt_gdb_client *client);	/* another GDB controls the target */
/* --restrict: rows of packets and commands that change nothing are marked; everything else is refused. */
#define PT_GDB_RESTRICTED "proftap runs with --restrict: clients may look, and change nothing"
void pt_gdb_refuse_restricted(struct pt_gdb_client *client);

#endif
