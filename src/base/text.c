/* A text that grows up to a limit. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { FIRST_BYTES = 4096, MOST_BYTES = 64 << 20 };

static bool make_room(struct pt_text *text, size_t more_bytes)
{
	size_t need = text->len_bytes + more_bytes + 1, room = text->room_bytes != 0 ? text->room_bytes : FIRST_BYTES;
	char *grown;

	if (text->overflow || need <= text->room_bytes)
		return !text->overflow;
	while (room < need && room < MOST_BYTES)
		room *= 2;
	grown = room >= need ? realloc(text->bytes, room) : NULL;
	if (grown == NULL) {
		text->overflow = true;
		return false;
	}
	text->bytes = grown;
	text->room_bytes = room;
	return true;
}

void pt_text_bytes(struct pt_text *text, const void *bytes, size_t len_bytes)
{
	if (len_bytes > MOST_BYTES || !make_room(text, len_bytes)) {
		text->overflow = true;
		return;
	}
	if (len_bytes != 0)
		memcpy(text->bytes + text->len_bytes, bytes, len_bytes);
	text->len_bytes += len_bytes;
	text->bytes[text->len_bytes] = '\0';
}

void pt_text_add_list(struct pt_text *text, const char *fmt, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	if (len < 0 || !make_room(text, (size_t)len)) {
		text->overflow = true;
	} else {
		vsnprintf(text->bytes + text->len_bytes, (size_t)len + 1, fmt, again);
		text->len_bytes += (size_t)len;
	}
	va_end(again);
}

void pt_text_add(struct pt_text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	pt_text_add_list(text, fmt, args);
	va_end(args);
}

void pt_text_free(struct pt_text *text)
{
	free(text->bytes);
	*text = (struct pt_text){ 0 };
}

/* --- lines that are too long */

/* Where to break a line that is longer than room columns: between words, or after a clause if this does not shorten the
 * line much. 0: nowhere. */
static size_t break_of(const char *line, size_t room, bool by_clauses)
{
	size_t word = room, little = by_clauses ? room / 2 : 0;

	while (word > 0 && (line[word] != ' ' || line[word + 1] == '%'))
		word--;
	for (size_t at = word; at > 1 && at + little > room; at--)
		if (line[at] == ' ' && strchr(",;:.", line[at - 1]) != NULL)
			return at;
	return word;
}

/* Returns the number of lines; out NULL: only counts them. */
static size_t wrap_line(const char *line, size_t len, size_t columns, size_t indent, bool by_clauses,
			struct pt_text *out)
{
	size_t room = columns, n = 1;

	for (; len > room; n++) {
		size_t at = break_of(line, room, by_clauses);

		if (at <= (room == columns ? indent : 0))
			break;		/* one long word, such as a path */
		if (out != NULL)
			pt_text_add(out, "%.*s\n%*s", (int)at, line, (int)indent, "");
		line += at + 1;
		len -= at + 1;
		room = columns - indent;
	}
	if (out != NULL)
		pt_text_add(out, "%.*s\n", (int)len, line);
	return n;
}

void pt_text_wrapped(struct pt_text *out, const char *line, size_t len, size_t columns, size_t indent)
{
	size_t least = wrap_line(line, len, columns, indent, false, NULL);

	wrap_line(line, len, columns, indent, wrap_line(line, len, columns, indent, true, NULL) == least, out);
}

/* The column of a line's second part, after several blanks: continuation lines begin there. */
static size_t hanging_indent(const char *line, size_t len_bytes, size_t columns)
{
	size_t indent = strspn(line, " ");

	for (size_t i = indent + 2; i < len_bytes && i < columns / 2; i++)
		if (line[i - 2] == ' ' && line[i - 1] == ' ' && line[i] != ' ')
			indent = i;
	return indent;
}

void pt_text_hanging(struct pt_text *out, const char *line, size_t len, size_t columns)
{
	if (columns != 0 && len > columns) {
		pt_text_wrapped(out, line, len, columns, hanging_indent(line, len, columns));
	} else {
		pt_text_bytes(out, line, len);
		pt_text_bytes(out, "\n", 1);
	}
}

void pt_text_hanging_lines(struct pt_text *out, const char *lines, size_t len_bytes, size_t columns)
{
	for (size_t len; len_bytes > 0; lines += len, len_bytes -= len) {
		const char *end = memchr(lines, '\n', len_bytes);

		len = end != NULL ? (size_t)(end - lines) : len_bytes;
		pt_text_hanging(out, lines, len, columns);
		len += end != NULL;
	}
}
