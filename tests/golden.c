/* Golden files: read, print, compare or rewrite. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"
#include "harness.h"

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

static void save(const char *path, const void *bytes, size_t len_bytes)
{
	FILE *file = fopen(path, "wb");

	ck_assert_msg(file != NULL, "cannot write %s", path);
	fwrite(bytes, 1, len_bytes, file);
	fclose(file);
}

static bool updating(void)
{
	const char *update = getenv("PT_UPDATE_GOLDEN");

	return update != NULL && strcmp(update, "1") == 0;
}

static void expect_bytes(const char *name, const char *path, const void *got, size_t got_bytes)
{
	size_t want_bytes;
	uint8_t *want = load(path, &want_bytes);

	ck_assert_msg(got_bytes == want_bytes && memcmp(got, want, got_bytes) == 0, "%s differs; got:\n%.3000s", name,
		      (const char *)got);
	free(want);
}

void expect_golden_bytes(const char *name, const void *got, size_t got_bytes)
{
	char path[512];

	path_of(path, sizeof(path), name, "");
	if (updating())
		save(path, got, got_bytes);
	expect_bytes(name, path, got, got_bytes);
}

void expect_golden_kept(const char *name, const void *got, size_t got_bytes)
{
	char path[512];

	path_of(path, sizeof(path), name, "");
	if (updating() && access(path, F_OK) != 0)
		save(path, got, got_bytes);
	expect_bytes(name, path, got, got_bytes);
}

void expect_golden(const char *name, const char *in_ext, const char *out_ext,
		   void (*print)(const uint8_t *bytes, size_t len_bytes, FILE *out))
{
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
	if (updating())
		save(out_path, got, got_bytes);
	want = load(out_path, &want_bytes);
	ck_assert_msg(strcmp(got, (char *)want) == 0, "%s%s prints as\n%s, not as %s%s", name, in_ext, got, name,
		      out_ext);
	free(in);
	free(want);
	free(got);
}
