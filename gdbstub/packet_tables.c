/* The list of all packet tables: one word per table. */
#include "gdbstub/packet_tables.h"

#include <stddef.h>

#define PT_PACKET_TABLES(X) \
	X(memory) \
	X(fileio) \
	X(registers) \
	X(run) \
	X(nonstop) \
	X(breakpoints) \
	X(flash) \
	X(attach) \
	X(query) \
	X(hostio) \
	X(monitor) \
	X(xfer) \
	X(branch_trace) \
	X(search)

#define X(file) extern const struct pt_packet_row pt_packets_##file[];
PT_PACKET_TABLES(X)
#undef X

#define X(file) pt_packets_##file,
const struct pt_packet_row *const pt_packet_tables[] = { PT_PACKET_TABLES(X) NULL };
#undef X
