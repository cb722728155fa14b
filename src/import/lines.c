/* The list is short; each name of the file is held against all of it. */
#include "import/lines.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

const struct pt_param pt_lines_param = {
	"lines", PT_PARAM_LIST, NULL, NULL, 0, 0, "vcd, sr, csv: take only these lines (names, a,b,c)"
};

bool pt_lines_is(const char *name, const char *word, size_t len)
{
	size_t n = strlen(name);

	if (n < len || memcmp(name + n - len, word, len) != 0)
		return false;
	return n == len || name[n - len - 1] == '.';
}

/* The first of the list that means name; -1: none. */
static int find(const struct pt_lines *lines, const char *name)
{
	int i = 0;

	for (const char *at = lines->list; *at != '\0'; i++) {
		size_t len = strcspn(at, ",");

		if (len > 0 && pt_lines_is(name, at, len))
			return i;
		at += len + (at[len] == ',');
	}
	return -1;
}

int pt_lines_add(struct pt_lines *lines, struct pt_text *config, const char *name, const char *range, unsigned n_bits)
{
	size_t len = strlen(lines->some);
	int listed = lines->list != NULL ? find(lines, name) : 0;

	if (len + strlen(name) + 3 < sizeof(lines->some))
		snprintf(lines->some + len, sizeof(lines->some) - len, "%s%s", len > 0 ? ", " : "", name);
	if (listed < 0)
		return -1;
	if (lines->list != NULL && listed < 64)
		lines->found |= UINT64_C(1) << listed;
	if (lines->n_lines == PT_LINES_MOST || config->len_bytes + strlen(name) + PT_LINES_ROOM > PT_CHUNK_BYTES) {
		lines->n_left_out++;
		return -1;
	}
	pt_text_add(config, "line.%zu=%s%s\n", lines->n_lines, name, range);
	if (n_bits != 1)
		pt_text_add(config, "line.%zu.bits=%u\n", lines->n_lines, n_bits);
	return (int)lines->n_lines++;
}

static int check_list(const struct pt_lines *lines, struct pt_err *err)
{
	int i = 0;

	for (const char *at = lines->list; at != NULL && *at != '\0' && i < 64; i++) {
		size_t len = strcspn(at, ",");

		if (len > 0 && (lines->found >> i & 1) == 0)
			return pt_fail(err, PT_EARG, "there is no line '%.*s'; there are: %s", len > 60 ? 60 : (int)len,
				       at, lines->some);
		at += len + (at[len] == ',');
	}
	return 0;
}

int pt_lines_finish(struct pt_lines *lines, struct pt_text *config, struct pt_notes *notes, struct pt_err *err)
{
	if (check_list(lines, err) < 0)
		return err->code;
	if (lines->n_lines == 0)
		return pt_fail(err, PT_EARG, "there is no line in it");
	if (lines->n_left_out > 0)
		pt_notes_add(notes, "%zu lines are taken, %zu more are not: choose with lines=NAME,NAME",
			     lines->n_lines, lines->n_left_out);
	pt_text_add(config, "lines=%zu\n", lines->n_lines);
	return 0;
}
