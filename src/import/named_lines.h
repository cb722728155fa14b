/* Lines that a file names only where they change: all of it is read first, as CONFIG has the names, and then given in order
 * of time. Bounded: what there is no room for shares one line, or is left out and counted. */
#ifndef PT_INPUTS_NAMED_LINES_H
#define PT_INPUTS_NAMED_LINES_H

#include "import/lines.h"

enum { PT_NAMED_CHANGES = 1 << 21, PT_NAMED_LINES = 120, PT_NAMED_HASH = 1024 };

struct pt_named_change { uint64_t ticks, value; uint16_t line; bool high; };

struct pt_named_lines {		/* zeroed */
	struct pt_stream stream;
	struct pt_notes notes;
	struct pt_lines lines;
	struct pt_named_change *change;
	size_t n_changes, next, room;
	struct { char *name; uint16_t line; } known[PT_NAMED_HASH];
	bool wide[PT_NAMED_LINES + 1];	/* has values of 64 bits, no levels */
	uint16_t depth[PT_NAMED_LINES + 1];	/* how often each is high, as what it shows may overlap */
	size_t n_names;
	uint64_t end, left_out;
};

void pt_named_fini(struct pt_named_lines *named);

/* The line of this name (which is changed: made harmless, and without commas), or the one for all others. */
uint16_t pt_named_line(struct pt_named_lines *named, char *name, bool wide);
void pt_named_level(struct pt_named_lines *named, uint64_t ticks, uint16_t line, bool high);
void pt_named_value(struct pt_named_lines *named, uint64_t ticks, uint16_t line, uint64_t value);

/* Everything is in: makes CONFIG's names, and the stream. config: begun with pt_stream_config(); what: of what the changes are, for
 * a note. PT_EARG: nothing changes. */
int pt_named_begin(struct pt_named_lines *named, uint64_t tick_hz, const char *what, struct pt_err *err);

#endif
