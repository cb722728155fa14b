/* ELF files with arbitrary damage: refused or opened, but nothing may break, and what opens must hold together: its
 * functions, code, lines, inlined calls and exits. "2ELF" and a le32 size begin a pair of an ELF and its debug file.
 * Inputs that do not look like either are taken as damage (position and byte in turn) to a good ELF, the demo firmware
 * in $srcdir. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/model/program_parts.h"
#include "program/code/exits.h"
#include "program/dwarf/inlines.h"
#include "base/util.h"

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

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void look_at_functions(const struct pt_program *program)
{
	const struct pt_function *f;
	uint64_t addr, size;
	const char *file;
	uint32_t line;
	size_t n;

	f = pt_program_functions(program, &n);
	for (size_t i = 0; i < n; i++) {
		must(i == 0 || f[i].address > f[i - 1].address);
		must(f[i].size > 0 && f[i].address + f[i].size > f[i].address);
		must(f[i].name != NULL && f[i].linkage != NULL && (f[i].line == 0 || f[i].file != NULL));
		must(pt_program_function_at(program, f[i].address) == &f[i]);
		must(f[i].linkage[0] == '\0' || pt_function_is(&f[i], f[i].linkage, strlen(f[i].linkage)));
		pt_program_line(program, f[i].address, &file, &line);
		pt_program_symbol(program, f[i].linkage, &addr, &size);
		if (i < 64)
			pt_program_point(program, f[i].name, &addr, NULL);
	}
}

static void look_at_lines(const struct pt_program *program)
{
	const struct pt_source_file *files;
	const struct pt_function *f;
	const struct pt_line_range *r;
	struct pt_code_line *lines;
	size_t n, n_files, n_functions;

	files = pt_program_files(program, &n_files);
	f = pt_program_functions(program, &n_functions);
	r = pt_program_lines(program, &n);
	for (size_t i = 0; i < n_files; i++)
		must(i == 0 || strcmp(files[i - 1].path, files[i].path) < 0);
	for (size_t i = 0; i < n; i++) {
		must(r[i].from < r[i].to && (i == 0 || r[i - 1].to <= r[i].from));
		must(r[i].line == 0 ? r[i].file == PT_NO_FILE : r[i].file < n_files);
		must(r[i].function < n_functions && r[i].from >= f[r[i].function].address);
		must(r[i].to - f[r[i].function].address <= f[r[i].function].size);
	}
	lines = pt_program_code_lines(program, &n);
	free(lines);
}

static void look_at_inlines(const struct pt_program *program)
{
	struct pt_inlines *inlines = pt_inlines_new(program);
	struct pt_frame frame[PT_INLINE_MAX_DEPTH + 1];
	const struct pt_inline_range *r;
	const struct pt_inline *c;
	size_t n, n_calls, depth;

	if (inlines == NULL)
		return;
	c = pt_inlines_calls(inlines, &n_calls);
	for (size_t i = 1; i < n_calls; i++) {
		must(c[i].parent < i && c[i].depth == c[c[i].parent].depth + 1 && c[i].depth <= PT_INLINE_MAX_DEPTH);
		must(c[i].name != NULL && c[i].linkage != NULL);
		must(c[i].call_file == PT_NO_FILE || pt_inlines_file(inlines, c[i].call_file) != NULL);
		must(c[i].decl_file == PT_NO_FILE || pt_inlines_file(inlines, c[i].decl_file) != NULL);
	}
	r = pt_inlines_ranges(inlines, &n);
	for (size_t i = 0; i < n; i++) {
		must(r[i].from < r[i].to && (i == 0 || r[i - 1].to <= r[i].from) && r[i].id > 0 && r[i].id < n_calls);
		depth = pt_inlines_frames(inlines, r[i].from, frame, PT_LEN(frame));
		must(depth == c[r[i].id].depth + 1);
		must(frame[depth - 1].id == PT_NO_INLINE);
	}
	pt_inlines_free(inlines);
}

static void count_bytes(void *arg, const char *line)
{
	*(size_t *)arg += strlen(line);
}

/* Attributes choose how the code is read; as if it were Thumb it is read in any case. */
static void look_at_isa(const struct pt_program *program)
{
	struct pt_codemap *map = pt_codemap_new(program, pt_program_isa(program));
	const struct pt_function *f;
	bool in_code;
	size_t n;

	f = pt_program_functions(program, &n);
	must(pt_program_isa(program) == pt_isa_find(pt_program_arch(program)) ||
	     (!pt_arch_decides(pt_program_arch(program)) && pt_program_isa(program) == &pt_isa_thumb));
	must(pt_program_isa(program) != &pt_isa_none || map == NULL || map->n_spans == 0);
	for (size_t i = 0; map != NULL && i < n && i < 64; i++)
		must(pt_codemap_function(map, f[i].address, &in_code) <= n);
	pt_codemap_free(map);
}

static void look_at_code(const struct pt_program *program)
{
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	struct pt_exits *exits = map != NULL ? pt_exits_new(map, NULL, NULL) : NULL;
	const struct pt_function *f;
	size_t n, n_exits, bytes = 0;

	f = pt_program_functions(program, &n);
	for (size_t id = 1; exits != NULL && id <= n; id++) {
		const struct pt_function_exit *e = pt_exits_of(exits, id, &n_exits);

		for (size_t i = 0; i < n_exits; i++)
			must(pt_codemap_at(map, e[i].addr) != NULL &&
			     (e[i].by == PT_EXIT_NEVER) == (e[i].name == NULL));
		pt_codemap_target(map, f[id - 1].address);
		if (id < 64)
			pt_exits_list(exits, id, count_bytes, &bytes);
	}
	pt_exits_free(exits);
	pt_codemap_free(map);
}

static void look(const struct pt_program *program)
{
	uint64_t from, to;

	look_at_functions(program);
	look_at_lines(program);
	look_at_inlines(program);
	look_at_code(program);
	look_at_isa(program);
	for (unsigned i = 0; i < 300; i++)
		pt_program_vector(program, i);
	pt_program_stack_span(program, &from, &to);
}

static void end(struct pt_program *program, const struct pt_err *err)
{
	if (program != NULL)
		look(program);
	else
		must(err->code < 0 && err->msg[0] != '\0');
	pt_program_unref(program);
}

static void open_bytes(const uint8_t *bytes, size_t len_bytes)
{
	struct pt_err err = { 0 };

	end(pt_program_from_bytes("fuzz", bytes, len_bytes, 0, &err), &err);
}

static void open_two(const uint8_t *in, size_t in_bytes)
{
	size_t elf_bytes = pt_le32(in + 4);
	struct pt_err err = { 0 };

	if (elf_bytes > in_bytes - 8)
		elf_bytes = in_bytes - 8;
	end(pt_program_from_two("fuzz", in + 8, elf_bytes, "fuzz.debug", in + 8 + elf_bytes, in_bytes - 8 - elf_bytes,
				&err),
	    &err);
}

/* Damage falls on headers as often as on the rest: there it hurts most. */
static void damage(const uint8_t *in, size_t in_bytes)
{
	static uint8_t bytes[MOST];
	size_t headers = pt_le32(good + 32);	/* e_shoff */

	memcpy(bytes, good, good_bytes);
	for (size_t i = 0; i + 3 < in_bytes; i += 4) {
		size_t at = pt_le16(in + i);

		at = in[i + 2] % 4 == 0	  ? at % 148
		     : in[i + 2] % 4 == 1 ? headers + at % (good_bytes - headers)
					  : at % good_bytes;
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
	else if (in_bytes >= 8 && memcmp(in, "2ELF", 4) == 0)
		open_two(in, in_bytes);
	else if (rounds++ < ROUNDS_LEFT)
		damage(in, in_bytes);
	return 0;
}
