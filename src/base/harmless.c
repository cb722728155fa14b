#include "base/harmless.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns the number of bytes of the UTF-8 character at text; code: out. 0: invalid. */
static size_t character(const unsigned char *text, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = *text < 0x80		     ? 1
		     : *text >= 0xc2 && *text < 0xe0 ? 2
		     : *text >= 0xe0 && *text < 0xf0 ? 3
		     : *text >= 0xf0 && *text < 0xf5 ? 4
						     : 0;

	*code = len == 1 ? *text : *text & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)	/* also true at the end of the text */
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	return *code < least[len] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : len;
}

static bool is_harmful(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ||	/* C0, DEL, C1 */
	       code == 0x61c || code == 0x200e || code == 0x200f ||	/* direction marks */
	       (code >= 0x2028 && code <= 0x202e) ||		/* separators, embeddings, overrides */
	       (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;	/* isolates; the mark of byte order */
}

char *pt_harmless(char *text, const char *keep)
{
	for (unsigned char *at = (unsigned char *)text; *at != '\0';) {
		uint32_t code = 0;
		size_t len = character(at, &code);
		bool stays = len == 1 && code < 0x20 && strchr(keep, (int)code) != NULL;

		if (len == 0 || (is_harmful(code) && !stays))
			memset(at, '?', len > 0 ? len : 1);
		at += len > 0 ? len : 1;
	}
	return text;
}
