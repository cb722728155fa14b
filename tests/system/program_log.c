/* What proftap makes of an ELF, in the form that binutils print the same: for tests/system/test_binutils.
 *   program_log frames FILE      each code address: "ADDR", then a line "FUNCTION FILE:LINE" for each frame
 *   program_log lines FILE       "FROM TO FILE:LINE" for each range
 *   program_log functions FILE   "ADDRESS SIZE LINKAGE NAME"
 *   program_log exits FILE       "FUNCTION", then the listing of its exits */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "program/code/exits.h"
#include "program/dwarf/inlines.h"
#include "base/util.h"

static void frames(struct pt_program *program)
{
	struct pt_inlines *inlines = pt_inlines_new(program);
	const struct pt_function *functions;
	struct pt_frame frame[PT_INLINE_MAX_DEPTH + 1];
	size_t n;

	functions = pt_program_functions(program, &n);
	for (size_t i = 0; i < n; i++)
		for (uint64_t addr = functions[i].address; addr < functions[i].address + functions[i].size; addr += 2) {
			size_t depth = pt_inlines_frames(inlines, addr, frame, PT_LEN(frame));

			printf("%08" PRIx64 "\n", addr);
			for (size_t k = 0; k < depth; k++)
				printf("%s %s:%u\n", frame[k].linkage, frame[k].file != NULL ? frame[k].file : "??",
				       frame[k].line);
		}
	pt_inlines_free(inlines);
}

static void lines(struct pt_program *program)
{
	const struct pt_source_file *files;
	const struct pt_line_range *range;
	size_t n, n_files;

	files = pt_program_files(program, &n_files);
	range = pt_program_lines(program, &n);
	for (size_t i = 0; i < n; i++)
		printf("%08" PRIx64 " %08" PRIx64 " %s:%u\n", range[i].from, range[i].to,
		       range[i].line > 0 ? files[range[i].file].path : "?", range[i].line);
}

static void functions(struct pt_program *program)
{
	const struct pt_function *f;
	size_t n;

	f = pt_program_functions(program, &n);
	for (size_t i = 0; i < n; i++)
		printf("%08" PRIx64 " %" PRIu64 " %s %s\n", f[i].address, f[i].size, f[i].linkage, f[i].name);
}

static void put_line(void *arg, const char *line)
{
	(void)arg;
	puts(line);
}

static void exits(struct pt_program *program)
{
	const struct pt_isa *isa = pt_program_isa(program);
	struct pt_codemap *map = isa != NULL ? pt_codemap_new(program, isa) : NULL;
	struct pt_exits *all = map != NULL ? pt_exits_new(map, NULL, NULL) : NULL;
	size_t n;

	pt_program_functions(program, &n);
	for (size_t id = 1; all != NULL && id <= n; id++)
		pt_exits_list(all, id, put_line, NULL);
	pt_exits_free(all);
	pt_codemap_free(map);
}

static const struct { const char *name; void (*print)(struct pt_program *program); } what[] = {
	{ "frames", frames }, { "lines", lines }, { "functions", functions }, { "exits", exits },
};

int main(int argc, char **argv)
{
	struct pt_program *program;
	struct pt_err err;

	if (argc != 3)
		return 2;
	program = pt_program_open(argv[2], 0, &err);
	if (program == NULL) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	for (size_t i = 0; i < PT_LEN(what); i++)
		if (strcmp(what[i].name, argv[1]) == 0)
			what[i].print(program);
	pt_program_unref(program);
	return 0;
}
