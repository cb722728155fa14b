/* A text that grows up to a limit, so that no report can use up the memory of the machine. */
#ifndef PT_TEXT_H
#define PT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct pt_text { char *bytes; size_t len_bytes, room_bytes; bool overflow; };
void pt_text_add(struct pt_text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_text_add_list(struct pt_text *text, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));
void pt_text_bytes(struct pt_text *text, const void *bytes, size_t len_bytes);
/* Adds a line without a newline, broken between words at columns; continuation lines are indented by indent. */
void pt_text_wrapped(struct pt_text *text, const char *line, size_t len_bytes, size_t columns, size_t indent);
/* The same; continuation lines are aligned with the line's second column, if there is one after several blanks. columns
 * 0: not broken. */
void pt_text_hanging(struct pt_text *text, const char *line, size_t len_bytes, size_t columns);
/* The same for each line of another text. */
void pt_text_hanging_lines(struct pt_text *text, const char *lines, size_t len_bytes, size_t columns);
void pt_text_free(struct pt_text *text);

#endif
