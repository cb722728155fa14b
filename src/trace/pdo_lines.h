/* How long a session recorded, from the lines that came out of PDO. The pins are up to 64 lines late: where the
 * hardware ends a session because 64 lines wait (TBOVF), it recorded nothing while it sent those, and their last byte
 * is much too late an end. When the line with TBOVF was written, the line 63 before it was the one being sent. Of a
 * session that still sends, the same line is the latest time that is known to have been recorded.
 * Data in, data out. Source: ZVHY 6.4.6.1. */
#ifndef PT_TRACE_PDO_LINES_H
#define PT_TRACE_PDO_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/s12z_lines.h"

struct pt_pdo_lines {
	unsigned pthf_bytes;		/* of a PTHF: 5 or 6 */
	uint64_t begin_ns[PT_S12Z_LINES];	/* when the last lines began to be sent, in a ring */
	uint64_t byte_ns;		/* the last byte of the session was sent; 0: none yet */
	size_t n_lines;
	unsigned left;			/* bytes to come of the present line */
	bool unsure;			/* a line that cannot be: where the next one begins is not known */
	bool full;			/* a line had TBOVF */
	bool last;			/* the present line, or the one before, ends the session: TBOVF or TERM */
};

void pt_pdo_lines_begin(struct pt_pdo_lines *lines);	/* a session; pthf_bytes stays */
void pt_pdo_lines_byte(struct pt_pdo_lines *lines, uint8_t byte, uint64_t ns);
/* Up to here the session recorded at least; with TBOVF: and no longer. 0: the lines do not say. */
uint64_t pt_pdo_lines_recorded_ns(const struct pt_pdo_lines *lines);
/* The session's last line is complete. */
bool pt_pdo_lines_ended(const struct pt_pdo_lines *lines);

#endif
