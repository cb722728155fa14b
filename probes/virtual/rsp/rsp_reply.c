/* What the stub says, and how it reads numbers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/virtual/rsp/rsp_parts.h"

/* --- out */

void pt_stub_say(struct stub *stub, const char *format, ...)
{
	size_t room = sizeof(stub->reply) - stub->reply_bytes;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(stub->reply + stub->reply_bytes, room, format, args);
	va_end(args);
	if (n > 0)
		stub->reply_bytes += (size_t)n < room ? (size_t)n : room - 1;
}

void pt_stub_hex(struct stub *stub, const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		pt_stub_say(stub, "%02x", bytes[i]);
}

void pt_stub_frame(struct stub *stub, char begin, const char *text, size_t len_bytes)
{
	char frame[PT_VRSP_MOST_BYTES + 1];
	uint8_t sum = 0;

	for (size_t i = 0; i < len_bytes; i++)
		sum = (uint8_t)(sum + (uint8_t)text[i]);
	frame[0] = begin;
	memcpy(frame + 1, text, len_bytes);
	snprintf(frame + 1 + len_bytes, 4, "#%02x", sum);
	stub->respond(stub->respond_arg, (const uint8_t *)frame, len_bytes + 4, stub->done_ns);
}

void pt_stub_notify(struct stub *stub, const char *text)
{
	pt_stub_frame(stub, '%', text, strlen(text));
}

void pt_stub_send(struct stub *stub, const char *text)
{
	pt_stub_frame(stub, '$', text, strlen(text));
}

/* --- in */

const char *pt_stub_number(const char *text, uint32_t *value)
{
	char *end;
	unsigned long number = strtoul(text, &end, 16);

	if (value != NULL)
		*value = (uint32_t)number;
	return end;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

size_t pt_stub_bytes(const char *hex, uint8_t *bytes, size_t room)
{
	size_t n = 0;

	for (; n < room && digit(hex[2 * n]) >= 0 && digit(hex[2 * n + 1]) >= 0; n++)
		bytes[n] = (uint8_t)(digit(hex[2 * n]) << 4 | digit(hex[2 * n + 1]));
	return n;
}
