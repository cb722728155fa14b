/* Any text as a symbol's name: demangled or not, within its bounds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program/model/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	char *name = calloc(in_bytes + 1, 1), text[PT_DEMANGLE_TEXT_BYTES];
	size_t spent = 0;

	if (name == NULL)
		return 0;
	memcpy(name, in, in_bytes);
	if (pt_demangle(name, text, &spent) && (text[0] == '\0' || strlen(text) >= sizeof(text)))
		abort();
	if (spent > PT_DEMANGLE_MAX_BYTES + 2 * PT_DEMANGLE_TEXT_BYTES + 2)
		abort();
	free(name);
	return 0;
}
