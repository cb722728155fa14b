/* Which lines of a file are taken, and what they are called: for drivers that give PT_FORMAT_LINES. */
#ifndef PT_INPUTS_LINES_H
#define PT_INPUTS_LINES_H

#include "import/stream.h"

/* ROOM: what one takes in CONFIG besides its name, and the end of it. */
enum { PT_LINES_MOST = 256, PT_LINES_NAME_BYTES = 128, PT_LINES_ROOM = 160 };

extern const struct pt_param pt_lines_param;	/* lines=NAME,NAME: a row for the driver's table */

struct pt_lines {		/* zeroed, then list */
	const char *list;	/* the value of lines=, or NULL: all */
	size_t n_lines;
	size_t n_left_out;	/* there was no room for */
	uint64_t found;		/* bit i: the i-th of the list was there; only 64 are checked */
	char some[256];		/* names that there are, for a message */
};

/* Does word, of len bytes, mean the line of this name: is it all of it, or its last part? */
bool pt_lines_is(const char *name, const char *word, size_t len);

/* Take a line (of so many bits, 1..64) if it is wanted: its number, written into config with its name; -1: it is not,
 * or there is no room. name may be in parts, "top.cpu.irq"; its last part alone names it, too. range: what stands
 * behind the name for those who read it, "[127:64]", or "". */
int pt_lines_add(struct pt_lines *lines, struct pt_text *config, const char *name, const char *range, unsigned n_bits);
/* All lines are known. PT_EARG: there is none, or none of a name in the list; says which there are. */
int pt_lines_finish(struct pt_lines *lines, struct pt_text *config, struct pt_notes *notes, struct pt_err *err);

#endif
