/* Golden files: read, print, compare or rewrite. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

enum { MOST = 1 << 20 };

static void path_of(char *path, size_t size, const char *name, const char *ext)
{
	const char *srcdir = getenv("srcdir");

	snprintf(path, size, "%s/tests/golden/%s%s", srcdir != NULL ? srcdir : ".", name, ext);
}

static uint8_t *load(const char *path, size_t *len_bytes)
{
	uint8_t *bytes = malloc(MOST + 1);
	FILE *file = fopen(path, "rb");

	ck_assert_msg(file != NULL && bytes != NULL, "cannot read %s", path);
	*len_bytes = fread(bytes, 1, MOST, file);
	fclose(file);
	bytes[*len_bytes] = '\0';
	return bytes;
}

static void save(const char *path, const char *text)
{
	FILE *file = fopen(path, "wb");

	ck_assert_msg(file != NULL, "cannot write %s", path);
	fputs(text, file);
	fclose(file);
}

void expect_golden(const char *name, const char *in_ext, const char *out_ext,
		   void (*print)(const uint8_t *bytes, size_t len_bytes, FILE *out))
{
	const char *update = getenv("PT_UPDATE_GOLDEN");
	char in_path[512], out_path[512], *got;
	size_t in_bytes, got_bytes, want_bytes;
	uint8_t *in, *want;
	FILE *out;

	path_of(in_path, sizeof(in_path), name, in_ext);
	path_of(out_path, sizeof(out_path), name, out_ext);
	in = load(in_path, &in_bytes);
	out = open_memstream(&got, &got_bytes);
	print(in, in_bytes, out);
	fclose(out);
	if (update != NULL && strcmp(update, "1") == 0)
		save(out_path, got);
	want = load(out_path, &want_bytes);
	ck_assert_msg(strcmp(got, (char *)want) == 0, "%s%s prints as\n%s, not as %s%s", name, in_ext, got, name,
		      out_ext);
	free(in);
	free(want);
	free(got);
}
