#include "report/shared/xml.h"

#include <string.h>

/* The number of bytes of the UTF-8 character at text, 0: invalid (Unicode, table 3-7, without the finer rows, which
 * exclude surrogates and overlong forms: these do not harm a reader). */
static size_t character(const unsigned char *text, size_t left)
{
	size_t len = *text < 0x80		     ? 1
		     : *text >= 0xc2 && *text < 0xe0 ? 2
		     : *text >= 0xe0 && *text < 0xf0 ? 3
		     : *text >= 0xf0 && *text < 0xf5 ? 4
						     : 0;

	if (len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

static const char *escape(unsigned char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return NULL;
	}
}

void pt_xml_text_n(struct pt_text *out, const char *text, size_t len_bytes)
{
	const unsigned char *c = (const unsigned char *)text, *end = c + len_bytes;

	for (size_t len; c < end; c += len != 0 ? len : 1) {
		len = character(c, (size_t)(end - c));
		if (len == 0)
			pt_text_bytes(out, "?", 1);
		else if (escape(*c) != NULL)
			pt_text_bytes(out, escape(*c), strlen(escape(*c)));
		else if (*c >= ' ' || *c == '\t' || *c == '\n')
			pt_text_bytes(out, c, len);
	}
}

void pt_xml_text(struct pt_text *out, const char *text)
{
	pt_xml_text_n(out, text, strlen(text));
}
