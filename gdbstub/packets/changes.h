/* What a packet has changed in the target, for the log of changes. */
#ifndef PT_GDBSTUB_CHANGES_H
#define PT_GDBSTUB_CHANGES_H

#include "gdbstub/packets/packet.h"

/* row: of the packet, which is not refused. Nothing of a packet that only looks. */
void pt_gdb_note_change(struct pt_gdb_client *client, const struct pt_packet_row *row);

#endif
