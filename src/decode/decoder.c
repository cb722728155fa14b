/* The list of decoders, and what they share. */
#include <stdio.h>
#include <string.h>

#include "decode/decoder.h"
#include "base/params.h"

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

char *pt_config_text(const char *config, size_t len_bytes, const char *key, char *out, size_t size)
{
	const char *value;
	int len = pt_config_find(config, len_bytes, key, &value);

	snprintf(out, size, "%.*s", len > 0 ? len : 0, len > 0 ? value : "");
	for (char *c = out; *c != '\0'; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	return out;
}

uint64_t pt_config_number(const char *config, size_t len_bytes, const char *key, uint64_t standard)
{
	char text[32];
	uint64_t v;

	pt_config_text(config, len_bytes, key, text, sizeof(text));
	return pt_params_parse(PT_PARAM_NUMBER, text, &v, NULL) == 0 ? v : standard;
}
