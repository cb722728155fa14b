/* Lines of the S12Z's trace buffer in code profiling: what the source that reads them and the decoder both know.
 * Source: S12ZVHY/S12ZVHL Reference Manual Rev. 1.05, 6.4.6.3 and 6.4.6.4. A line in memory is 8 bytes here, byte 0
 * (INFO) first; byte 7 is what the manual draws on the left. Data in, data out; any thread. */
#ifndef PT_TRACE_S12Z_LINES_H
#define PT_TRACE_S12Z_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_S12Z_LINE_BYTES = 8, PT_S12Z_LINES = 64, PT_S12Z_PTHF_BYTES = 6 };

/* INFO. */
enum {
	PT_S12Z_PTS = 0,	/* the pc where profiling began; the first line of a session and no other */
	PT_S12Z_PTIB = 1,	/* an indirect change of flow, and where it went */
	PT_S12Z_PTHF = 2,	/* the direct field was full */
	PT_S12Z_PTVB = 3,	/* an exception: byte 5 is bits 8:1 of its vector's address */
	PT_S12Z_PTW = 7,	/* no change of flow: a time stamp that rolled over, or the end */
	PT_S12Z_FORMAT = 0x0f,	/* mask */
	PT_S12Z_TERM = 0x10,	/* the last line: disarmed */
	PT_S12Z_TBOVF = 0x20,	/* the last line: the buffer was full */
	PT_S12Z_TSOVF = 0x40,	/* 65536 bus cycles since the time stamp was cleared */
	PT_S12Z_ALWAYS_0 = 0x80,
};

/* How many bytes of the line that begins with info go out on PDO: 4 to 8. pthf_bytes: of a PTHF, 5 or 6 (6 is how the
 * manual's table reads best). 0: info is reserved. */
unsigned pt_s12z_line_bytes(uint8_t info, unsigned pthf_bytes);

/* The direct field, bytes 1 to 4 of all but PTS: its highest bit set is the stop bit, right of it the branches, oldest
 * first, 1 = taken. 0 is none that the hardware writes. */
uint32_t pt_s12z_direct(const uint8_t line[PT_S12Z_LINE_BYTES]);

/* Can the hardware have written this line? A reserved INFO, an empty direct field, and a PTS that overflows say no. */
bool pt_s12z_line_is_possible(const uint8_t line[PT_S12Z_LINE_BYTES]);

struct pt_s12z_session {
	size_t first, n;	/* lines first, first + 1, ... of the buffer, from its end on at its beginning; n = 0:
				 * the buffer holds no end of a session */
	bool whole;		/* it begins with its PTS; else the buffer rolled over, and older lines are gone */
	bool overflow;		/* the hardware ended it because its buffer was full (TBOVF) */
};

/* Where the newest session is among the n_lines (1 to PT_S12Z_LINES) of a buffer as it is read from the oldest line
 * on. It goes by the lines alone, not by DBGCNT, since what that counts in profiling is not documented:
 * a session ends with TERM or TBOVF, and goes back from there to its PTS, or to a line that is not its own, or all the
 * way around. Of several, one that begins at line 0 comes first: arming clears DBGCNT, so that a session which did not go
 * around is written from there on, and what stands behind it is an older one's end, or a RAM that was never written and
 * can hold anything. Where the next one follows without a gap, arming did not begin anew, and the last of them is it.
 * Else those with a PTS come first, and of several of these the last. */
struct pt_s12z_session pt_s12z_locate(const uint8_t *lines, size_t n_lines);

#endif
