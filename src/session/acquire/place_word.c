/* See place_word.h. */
#include "session/acquire/place_word.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

static bool is_place(const struct pt_param *rows, size_t n_rows, const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < n_rows; i++)
		if (strlen(rows[i].key) == len && memcmp(rows[i].key, word, len) == 0)
			return rows[i].type == PT_PARAM_PLACE;
	return false;
}

/* "write:state=3": the access, the name, and the value with its "=". */
static int put_variable(const struct pt_program *program, const char *word, const char *name, char *out, size_t size,
			struct pt_err *err)
{
	size_t len = strcspn(name, "=");
	char copy[200];
	uint64_t addr, n_bytes;

	snprintf(copy, sizeof(copy), "%.*s", (int)len, name);
	if (!pt_program_symbol(program, copy, &addr, &n_bytes))
		return pt_fail(err, PT_EARG,
			       "%.*s: the ELF has no variable '%.80s'; proftap report data lists those that it has",
			       (int)strcspn(word, "="), word, copy);
	snprintf(out, size, "%.*s0x%" PRIx64 "/%" PRIu64 "%s", (int)(name - word), word, addr, n_bytes, name + len);
	return 0;
}

int pt_place_word(const struct pt_program *program, const struct pt_param *rows, size_t n_rows, const char *word,
		  char *out, size_t size, struct pt_err *err)
{
	const char *value = strchr(word, '='), *colon;
	uint64_t addr;

	snprintf(out, size, "%s", word);
	if (value == NULL || !is_place(rows, n_rows, word))
		return 0;
	value++;
	colon = strncmp(value, "write:", 6) == 0 || strncmp(value, "read:", 5) == 0 ? strchr(value, ':') : NULL;
	if (value[0] == '\0' || (colon != NULL && colon[1] >= '0' && colon[1] <= '9') ||
	    (value[0] >= '0' && value[0] <= '9'))
		return 0;
	if (program == NULL)
		return pt_fail(err, PT_EARG, "%.60s: a name needs the program (--elf FILE); without it give an address",
			       word);
	if (colon != NULL)
		return put_variable(program, word, colon + 1, out, size, err);
	if (pt_program_point(program, value, &addr, err) < 0)
		return pt_wrap(err, "%.*s", (int)(value - 1 - word), word);
	snprintf(out, size, "%.*s0x%" PRIx64, (int)(value - word), word, addr);
	return 0;
}
