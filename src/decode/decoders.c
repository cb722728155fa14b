/* The list of decoders. */
#include <string.h>

#include "decode/decoder.h"

const struct pt_decoder *pt_decoder_find(const char *name)
{
#define X(decoder) &pt_decoder_##decoder,
	static const struct pt_decoder *const all[] = { PT_DECODERS(X) };
#undef X

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}
