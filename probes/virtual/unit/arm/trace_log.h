/* What an ITM was to send, for tests: every packet in the order in which it went into the FIFO, and those that found no
 * room where they were lost. A lost packet stands in front of the overflow packet that reports it; packets that waited
 * when it was lost may stand between the two. */
#ifndef PT_VIRTUAL_UNIT_TRACE_LOG_H
#define PT_VIRTUAL_UNIT_TRACE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pt_vtrace_source {
	PT_VTRACE_PORT,		/* a stimulus port was written */
	PT_VTRACE_DWT,
	PT_VTRACE_OVERFLOW,
	PT_VTRACE_STAMP,	/* local */
	PT_VTRACE_GLOBAL,
	PT_VTRACE_SYNC,
};

struct pt_vtrace_packet {
	uint64_t at_cycle;	/* when what it reports happened; of a local stamp: the time that it says */
	uint64_t put_cycle;	/* when it went into the FIFO */
	enum pt_vtrace_source source;
	bool lost;
	uint8_t n_bytes, bytes[8];
};

struct pt_vtrace_log {
	struct pt_vtrace_packet *packet;	/* the owner's */
	size_t room, n;
	uint64_t n_more;			/* that found no room in the log */
};

#endif
