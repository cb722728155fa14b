/* Enters what a packet changed in the target into the log of changes. */
#ifndef PT_GDBSTUB_CHANGES_H
#define PT_GDBSTUB_CHANGES_H

#include "gdbstub/packets/packet.h"

/* row: of the packet that was executed. Packets that only look are not entered. */
void pt_gdb_note_change(struct pt_gdb_client *client, const struct pt_packet_row *row);

#endif
