/* See text_lines.h. */
#include "import/text_lines.h"

#include <inttypes.h>
#include <string.h>

bool pt_text_line(struct pt_infile *file, struct pt_stream *stream, struct pt_notes *notes, char *text, size_t size,
		  uint64_t *number)
{
	const uint8_t *bytes, *end;
	size_t n, len;
	bool cut = false;

	while ((n = pt_infile_look(file, size, &bytes)) > 0) {
		n = n < size ? n : size;
		end = memchr(bytes, '\n', n);
		len = end != NULL ? (size_t)(end - bytes) : n;
		*number += !cut;
		if (!cut && len < size) {
			memcpy(text, bytes, len);
			text[len] = '\0';
			pt_infile_take(file, len + (end != NULL));
			return true;
		}
		if (!cut)
			pt_notes_add(notes, "line %" PRIu64 ": longer than %zu bytes; left out", *number, size - 1);
		pt_stream_lose(stream, len);
		pt_infile_take(file, len + (end != NULL));
		cut = end == NULL;
	}
	return false;
}
