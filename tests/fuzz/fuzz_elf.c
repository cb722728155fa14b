/* ELF files with arbitrary damage: refused or opened, but nothing may break, and what opens must hold together. Inputs
 * that do not look like an ELF are taken as damage (position and byte in turn) to a good one, the demo firmware in
 * $srcdir. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/codemap.h"
#include "util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST = 64 << 10, ROUNDS_LEFT = 4000 };	/* a damaged ELF costs a thousand times what a packet costs */

static uint8_t good[MOST];
static size_t good_bytes;
static unsigned rounds;

static void load(void)
{
	const char *srcdir = getenv("srcdir");
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/firmware/demo.elf", srcdir != NULL ? srcdir : ".");
	file = fopen(path, "rb");
	if (file == NULL) {
		perror(path);
		abort();
	}
	good_bytes = fread(good, 1, sizeof(good), file);
	fclose(file);
}

static void look(struct pt_program *program)
{
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	const struct pt_function *functions;
	uint64_t from, to;
	const char *file;
	uint32_t line;
	size_t n;

	functions = pt_program_functions(program, &n);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && functions[i].address <= functions[i - 1].address)
			abort();
		pt_program_line(program, functions[i].address, &file, &line);
		pt_program_symbol(program, functions[i].name, &from, &to);
		if (map != NULL)
			pt_codemap_target(map, functions[i].address);
	}
	for (unsigned i = 0; i < 300; i++)
		pt_program_vector(program, i);
	pt_program_stack_span(program, &from, &to);
	pt_codemap_free(map);
}

static void open_bytes(const uint8_t *bytes, size_t len_bytes)
{
	struct pt_err err;
	struct pt_program *program = pt_program_from_bytes("fuzz", bytes, len_bytes, 0, &err);

	if (program != NULL)
		look(program);
	else if (err.code >= 0 || err.msg[0] == '\0')
		abort();
	pt_program_unref(program);
}

/* Damage falls on headers as often as on the rest: there it hurts most. */
static void damage(const uint8_t *in, size_t in_bytes)
{
	static uint8_t bytes[MOST];
	size_t headers = pt_le32(good + 32);	/* e_shoff */

	memcpy(bytes, good, good_bytes);
	for (size_t i = 0; i + 3 < in_bytes; i += 4) {
		size_t at = pt_le16(in + i);

		at = in[i + 2] % 4 == 0 ? at % 148 :
		     in[i + 2] % 4 == 1 ? headers + at % (good_bytes - headers) : at % good_bytes;
		bytes[at] = in[i + 3];
	}
	open_bytes(bytes, in_bytes > 0 && in[0] == 1 ? in_bytes * 997 % good_bytes : good_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	if (good_bytes == 0)
		load();
	if (in_bytes >= 4 && memcmp(in, "\177ELF", 4) == 0)
		open_bytes(in, in_bytes);
	else if (rounds++ < ROUNDS_LEFT)
		damage(in, in_bytes);
	return 0;
}
