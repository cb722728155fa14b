/* All tables of packets; NULL at the end. */
#ifndef PT_GDBSTUB_PACKET_TABLES_H
#define PT_GDBSTUB_PACKET_TABLES_H

#include "gdbstub/packets/packet.h"

extern const struct pt_packet_row *const pt_packet_tables[];

#endif
