/* What files of other instruments become, as text: for tests and the tool that judges compare with. */
#ifndef PT_TESTS_INPUT_DUMP_H
#define PT_TESTS_INPUT_DUMP_H

#include "import/importers.h"

/* All items of set through their decoders: "source.line.N=NAME" and "source.tick_hz=N" of each CONFIG, an event a line
 * ("SOURCE " before it where there are several), "end" of each source, "reset", "error: ...". out is cut at size. DATA
 * that does not tile is an "untiled" line. Returns out. */
char *input_dump(struct pt_inputs_set *set, bool several, char *out, size_t size);

#endif
