/* Lines: the DWARF line tables of all units, flattened into one array of rows by address, so that nothing of libdw is
 * kept and looking up is safe from any thread.
 *
 * The linker leaves the rows of discarded functions in place, at addresses from 0 up, where live code may lie. A row
 * counts only if its unit has one at the very start of the function that it lies in. */
#include <stdlib.h>
#include <string.h>

#include "program/data.h"
#include "program/dwarf.h"
#include "util.h"

enum { FILE_SLOTS = 1 << 14, MAX_ROWS = 4 << 20 };

struct reader {
	struct pt_program *program;
	size_t room;			/* of program->rows */
	struct { const char *from, *copy; } files[FILE_SLOTS];	/* libdw's string to ours */
	size_t n_files;
};

/* The program's copy of a name that libdw holds; NULL: too many, or no memory. */
static const char *keep_file(struct reader *r, const char *name)
{
	size_t slot = (uintptr_t)name / 8 * 2654435761u % FILE_SLOTS;

	while (r->files[slot].from != NULL && r->files[slot].from != name)
		slot = (slot + 1) % FILE_SLOTS;
	if (r->files[slot].from == NULL && r->n_files < FILE_SLOTS / 2) {
		r->files[slot].copy = pt_arena_text(&r->program->arena, name);
		if (r->files[slot].copy == NULL)
			return NULL;
		r->files[slot].from = name;
		r->n_files++;
	}
	return r->files[slot].copy;
}

static void add_row(struct reader *r, uint64_t addr, const char *file, int line)
{
	struct pt_program *p = r->program;

	if (p->n_rows == r->room) {
		size_t room = r->room > 0 ? 2 * r->room : 1024;
		void *rows = room <= MAX_ROWS ? realloc(p->rows, room * sizeof(*p->rows)) : NULL;

		if (rows == NULL)
			return;
		p->rows = rows;
		r->room = room;
	}
	p->rows[p->n_rows] = (struct pt_line_row){ addr, file, (uint32_t)line, (uint32_t)p->n_rows };
	p->n_rows++;
}

static void read_unit(struct reader *r, Dwarf_Lines *lines, size_t n)
{
	const struct pt_function *f = NULL;
	bool owned = false;

	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		Dwarf_Addr addr;
		const char *file;
		bool end;
		int line;

		if (row == NULL || dwarf_lineaddr(row, &addr) != 0 || dwarf_lineno(row, &line) != 0 || line <= 0 ||
		    dwarf_lineendsequence(row, &end) != 0 || end)
			continue;
		if (f == NULL || addr - f->address >= f->size) {
			f = pt_program_function_at(r->program, addr);
			owned = f != NULL && addr == f->address;
		}
		file = owned ? dwarf_linesrc(row, NULL, NULL) : NULL;
		if (file != NULL)
			file = keep_file(r, file);
		if (file != NULL)
			add_row(r, addr, file, line);
	}
}

/* Ties keep the order of the line table: the compiler's last word on an address holds. */
static int by_address(const void *a, const void *b)
{
	const struct pt_line_row *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void read_units(struct reader *r, Dwarf *dwarf)
{
	Dwarf_Off offset = 0, next;
	size_t header_bytes, n;
	Dwarf_Lines *lines;
	Dwarf_Die die;

	while (dwarf_nextcu(dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(dwarf, offset + header_bytes, &die) != NULL &&
		    dwarf_getsrclines(&die, &lines, &n) == 0)
			read_unit(r, lines, n);
		if (next <= offset)
			break;
		offset = next;
	}
}

static void name_functions(struct pt_program *program)
{
	for (size_t i = 0; i < program->n_functions; i++) {
		struct pt_function *f = &program->functions[i];

		pt_program_line(program, f->address, &f->file, &f->line);
	}
}

void pt_program_read_lines(struct pt_program *program, struct Elf *elf)
{
	Dwarf *dwarf = pt_dwarf_of_elf(elf);
	struct reader *r;

	if (dwarf == NULL)
		return;
	r = calloc(1, sizeof(*r));
	if (r != NULL) {
		r->program = program;
		read_units(r, dwarf);
		if (program->n_rows > 0)
			qsort(program->rows, program->n_rows, sizeof(*program->rows), by_address);
		name_functions(program);
	}
	free(r);
	dwarf_end(dwarf);
}
