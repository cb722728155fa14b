#include "trace/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/harmless.h"
#include "base/params.h"

/* --- splitting */

/* The next line that has a key, from *at on, which moves behind it. False: there is none before end. */
static bool next_key(const char **at, const char *end, struct pt_config_key *key)
{
	while (*at < end) {
		const char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line)), *equals;

		if (stop == NULL)
			stop = end;
		*at = stop < end ? stop + 1 : end;
		equals = memchr(line, '=', (size_t)(stop - line));
		if (equals == NULL)
			continue;
		*key = (struct pt_config_key){ line, (uint32_t)(equals - line), (uint32_t)(stop - equals - 1) };
		return true;
	}
	return false;
}

static int compare(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);

	return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static int by_key_then_place(const void *a, const void *b)
{
	const struct pt_config_key *x = a, *y = b;
	int order = compare(x->key, x->key_bytes, y->key, y->key_bytes);

	return order != 0 ? order : (x->key > y->key) - (x->key < y->key);
}

bool pt_config_init(struct pt_config *config, const char *text, size_t len_bytes)
{
	const char *end = text + len_bytes;
	struct pt_config_key key;
	size_t n = 0;

	for (const char *at = text; next_key(&at, end, &key);)
		n++;
	*config = (struct pt_config){ .text = text, .len_bytes = len_bytes, .key = calloc(n + 1, sizeof(key)) };
	if (config->key == NULL)
		return false;
	for (const char *at = text; next_key(&at, end, &key);)
		config->key[config->n_keys++] = key;
	qsort(config->key, n, sizeof(key), by_key_then_place);
	return true;
}

void pt_config_fini(struct pt_config *config)
{
	free(config->key);
	config->key = NULL;
	config->n_keys = 0;
}

/* --- asking */

/* Of the first one that is not below it. */
static size_t place_of(const struct pt_config *config, const char *key)
{
	size_t low = 0, high = config->n_keys, key_bytes = strlen(key);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(config->key[middle].key, config->key[middle].key_bytes, key, key_bytes) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The value of the key at this place; -1: it is of another one. */
static int value_at(const struct pt_config *config, size_t place, const char *key, const char **value)
{
	const struct pt_config_key *found = &config->key[place];

	if (place == config->n_keys || compare(found->key, found->key_bytes, key, strlen(key)) != 0)
		return -1;
	*value = found->key + found->key_bytes + 1;
	return (int)found->value_bytes;
}

int pt_config_find(const struct pt_config *config, const char *key, const char **value)
{
	return value_at(config, place_of(config, key), key, value);
}

char *pt_config_text(const struct pt_config *config, const char *key, char *out, size_t size)
{
	const char *value;
	int len = pt_config_find(config, key, &value);

	snprintf(out, size, "%.*s", len > 0 ? len : 0, len > 0 ? value : "");
	return pt_harmless(out, "");
}

char *pt_config_texts(const struct pt_config *config, const char *key, char *out, size_t size)
{
	size_t at = 0, place = place_of(config, key);
	const char *value;
	int len;

	out[0] = '\0';
	for (; (len = value_at(config, place, key, &value)) >= 0 && at < size; place++)
		at += (size_t)snprintf(out + at, size - at, "%s%.*s", at > 0 ? "; " : "", len, value);
	return pt_harmless(out, "");
}

uint64_t pt_config_number(const struct pt_config *config, const char *key, uint64_t otherwise)
{
	char text[32];
	uint64_t v;

	pt_config_text(config, key, text, sizeof(text));
	return pt_params_parse(PT_PARAM_NUMBER, text, &v, NULL) == 0 ? v : otherwise;
}

int pt_config_look_up(const char *text, size_t len_bytes, const char *key, const char **value)
{
	size_t wanted = strlen(key);
	struct pt_config_key line;

	for (const char *at = text; next_key(&at, text + len_bytes, &line);)
		if (compare(line.key, line.key_bytes, key, wanted) == 0) {
			*value = line.key + line.key_bytes + 1;
			return (int)line.value_bytes;
		}
	return -1;
}

uint64_t pt_config_core_hz(const struct pt_config *config)
{
	uint64_t core_hz = pt_config_number(config, "core_hz", 0);

	return core_hz != 0 ? core_hz : pt_config_number(config, "bus_hz", 0);
}
