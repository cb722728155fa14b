/* The list of decoders, and what they share. */
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

int pt_config_find(const char *config, size_t len_bytes, const char *key, const char **value)
{
	size_t key_bytes = strlen(key);

	for (const char *line = config, *end = config + len_bytes; line < end; ) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		if (stop == NULL)
			stop = end;
		if ((size_t)(stop - line) > key_bytes && line[key_bytes] == '=' && memcmp(line, key, key_bytes) == 0) {
			*value = line + key_bytes + 1;
			return (int)(stop - *value);
		}
		line = stop + 1;
	}
	return -1;
}
