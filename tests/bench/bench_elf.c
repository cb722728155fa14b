/* How long does it take until a program is there? Opening an ELF of 5 MB with DWARF and building its code map, beside
 * what libdw alone takes to read the same line tables; then what is read when somebody asks: inlined calls, exits.
 * The ELF is made of generated C by arm-none-eabi-gcc, once per build tree (bench_elf.elf); without a compiler the
 * bench says so. Run by make bench; argument: an ELF to take instead. */
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "program/code/exits.h"
#include "host/whole_file.h"
#include "program/dwarf/inlines.h"
#include "program/dwarf/types.h"
#include "base/util.h"

enum { UNITS = 12, FUNCTIONS = 110, ROUNDS = 7 };
#define MADE "bench_elf.elf"

/* --- the ELF ------------------------------------------------------------------------------------------------------ */

static void write_unit(FILE *out, int unit)
{
	fprintf(out,
		"struct state%d { int level; short part[4]; struct { unsigned on : 1, mode : 3; } flags; };\n"
		"extern volatile int port;\nstatic inline int mix%d(int a, int b)\n{\n\tint sum = a;\n\n"
		"\tfor (int i = 0; i < b; i++)\n\t\tsum += port ^ i;\n\treturn sum;\n}\n"
		"static inline int twice%d(int a)\n{\n\treturn mix%d(a, 2) + mix%d(a, 3);\n}\n",
		unit, unit, unit, unit, unit);
	for (int f = 0; f < FUNCTIONS; f++) {
		fprintf(out,
			"__attribute__((noinline)) int f_%d_%d(int a, struct state%d *s)\n{\n\tint sum = twice%d(a);\n\n",
			unit, f, unit, unit);
		for (int line = 0; line < 12; line++)
			fprintf(out,
				"\tif (s->part[%d] > %d)\n\t\tsum += mix%d(sum, %d);\n\telse\n\t\tport = sum + %d;\n",
				line % 4, line * 7 + f, unit, line + 1, line * f);
		fprintf(out,
			"\tswitch (s->flags.mode) {\n\tcase 0: sum++; break;\n\tcase 1: sum -= 3; break;\n"
			"\tcase 2: port = sum; break;\n\tcase 3: return sum * 2;\n\tcase 4: sum = -sum; break;\n\t}\n");
		if (f > 0)
			fprintf(out, "\treturn sum + f_%d_%d(sum, s);\n}\n", unit, f - 1);
		else
			fprintf(out, "\treturn sum;\n}\n");
	}
}

static bool run(const char *command)
{
	return system(command) == 0;
}

static bool compile(int unit)
{
	char command[512];
	FILE *out = fopen("bench_elf.tmp/unit.c", "w");

	if (out == NULL)
		return false;
	write_unit(out, unit);
	fclose(out);
	snprintf(command, sizeof(command),
		 "arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb -O2 -g -ffreestanding -c -o "
		 "bench_elf.tmp/unit%d.o bench_elf.tmp/unit.c",
		 unit);
	return run(command);
}

static bool make_elf(void)
{
	FILE *out;

	if (!run("command -v arm-none-eabi-gcc > /dev/null")) {
		printf("no arm-none-eabi-gcc, so no ELF of 5 MB: apt-get install gcc-arm-none-eabi\n");
		return false;
	}
	printf("making %s, once\n", MADE);
	if (!run("rm -rf bench_elf.tmp && mkdir bench_elf.tmp"))
		return false;
	for (int unit = 0; unit < UNITS; unit++)
		if (!compile(unit))
			return false;
	out = fopen("bench_elf.tmp/main.c", "w");
	if (out == NULL)
		return false;
	fprintf(out, "volatile int port;\n");
	for (int unit = 0; unit < UNITS; unit++)
		fprintf(out, "int f_%d_%d(int a, void *s);\n", unit, FUNCTIONS - 1);
	fprintf(out, "int start(void *s)\n{\n");
	for (int unit = 0; unit < UNITS; unit++)
		fprintf(out, "\tport += f_%d_%d(port, s);\n", unit, FUNCTIONS - 1);
	fprintf(out, "\treturn port;\n}\n");
	fclose(out);
	return run("arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb -O2 -g -ffreestanding -nostdlib -Wl,-e,start "
		   "-Wl,--no-warn-rwx-segments -o " MADE " bench_elf.tmp/main.c bench_elf.tmp/unit*.o -lgcc && "
		   "rm -r bench_elf.tmp");
}

/* --- the clock ---------------------------------------------------------------------------------------------------- */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct times { double libdw, open, map, inlines, exits, types; };

static void least(double *best, double from)
{
	double took = now_s() - from;

	*best = *best == 0 || took < *best ? took : *best;
}

/* What nobody who wants lines from libdw can do without: all units, all tables, every row looked at. */
static size_t libdw_walk(const char *path)
{
	struct pt_err err;
	size_t len, n, header, rows = 0;
	uint8_t *bytes = pt_file_read(path, PT_PROGRAM_MAX_BYTES, &len, &err);
	Elf *elf = bytes != NULL ? elf_memory((char *)bytes, len) : NULL;
	Dwarf *dwarf = elf != NULL ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	Dwarf_Off at = 0, next;
	Dwarf_Lines *lines;
	Dwarf_Die die;

	while (dwarf != NULL && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(dwarf, at + header, &die) != NULL && dwarf_getsrclines(&die, &lines, &n) == 0)
			for (size_t i = 0; i < n; i++) {
				Dwarf_Line *line = dwarf_onesrcline(lines, i);
				Dwarf_Addr addr;
				int number;

				rows += dwarf_lineaddr(line, &addr) == 0 && dwarf_lineno(line, &number) == 0 &&
					dwarf_linesrc(line, NULL, NULL) != NULL;
			}
		at = next;
	}
	dwarf_end(dwarf);
	elf_end(elf);
	free(bytes);
	return rows;
}

static void measure(const char *path, struct times *t, bool say)
{
	size_t rows, n_functions, n_lines, n_calls, n_files;
	struct pt_program *program;
	struct pt_inlines *inlines;
	struct pt_codemap *map;
	struct pt_exits *exits;
	struct pt_types *types;
	struct pt_err err;
	double from = now_s();

	rows = libdw_walk(path);
	least(&t->libdw, from);
	from = now_s();
	program = pt_program_open(path, 0, &err);
	least(&t->open, from);
	if (program == NULL) {
		printf("%s\n", err.msg);
		exit(1);
	}
	from = now_s();
	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	least(&t->map, from);
	from = now_s();
	inlines = pt_inlines_new(program);
	least(&t->inlines, from);
	from = now_s();
	exits = pt_exits_new(map, NULL, &err);
	least(&t->exits, from);
	from = now_s();
	types = pt_types_new(program);
	pt_types_has_dwarf(types);
	least(&t->types, from);
	pt_program_functions(program, &n_functions);
	pt_program_lines(program, &n_lines);
	pt_program_files(program, &n_files);
	pt_inlines_calls(inlines, &n_calls);
	if (say)
		printf("%zu functions, %zu rows of line tables, %zu ranges of %zu files, %zu inlined calls\n",
		       n_functions, rows, n_lines, n_files, n_calls - 1);
	pt_types_free(types);
	pt_exits_free(exits);
	pt_inlines_free(inlines);
	pt_codemap_free(map);
	pt_program_unref(program);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : MADE;
	struct times t = { 0 };
	struct stat st;

	if (argc < 2 && access(MADE, R_OK) != 0 && !make_elf())
		return 0;
	if (stat(path, &st) != 0) {
		perror(path);
		return 1;
	}
	elf_version(EV_CURRENT);
	printf("%s, %.1f MB: least of %d rounds, processor time\n", path, (double)st.st_size / 1e6, ROUNDS);
	for (int round = 0; round < ROUNDS; round++)
		measure(path, &t, round == 0);
	printf("libdw walks the lines          %7.1f ms\n", t.libdw * 1e3);
	printf("open                           %7.1f ms   %.2f of libdw's walk\n", t.open * 1e3, t.open / t.libdw);
	printf("code map                       %7.1f ms   together %.3f s; wanted for 5 MB: at most 0.5 s\n",
	       t.map * 1e3, t.open + t.map);
	printf("inlined calls, when asked      %7.1f ms\n", t.inlines * 1e3);
	printf("exits, when asked              %7.1f ms\n", t.exits * 1e3);
	printf("index of variables, when asked %7.1f ms\n", t.types * 1e3);
	return 0;
}
