/* A text that grows up to a bound. */
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
