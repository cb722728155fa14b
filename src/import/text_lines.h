/* The lines of a text file, one by one, in a buffer of the caller's. One that is too long counts as lost. */
#ifndef PT_INPUTS_TEXT_LINES_H
#define PT_INPUTS_TEXT_LINES_H

#include "import/stream.h"

/* False: the file has ended. Else a line without its end is in text, of size bytes, and *number counts it. */
bool pt_text_line(struct pt_infile *file, struct pt_stream *stream, struct pt_notes *notes, char *text, size_t size,
		  uint64_t *number);

#endif
