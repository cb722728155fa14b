/* Lines: the DWARF line tables of all units, flattened into one array of ranges by address, so that nothing of libdw is
 * kept and looking up is safe from any thread.
 *
 * The linker leaves the rows of discarded functions in place, at addresses from 0 up, where live code may lie. A row
 * counts only if its unit has one at the very start of the function that it lies in. */
#include <stdlib.h>
#include <string.h>

#include "program/dwarf/dwarf.h"
#include "program/dwarf/file_table.h"
#include "base/util.h"

/* Ranges that are kept, and rows that are looked at: units may share a table, so few bytes can have them read often. */
enum { MAX_RANGES = 4 << 20, MAX_ROWS = 16 << 20 };

struct row { uint64_t addr; uint32_t file, line; uint16_t column, discriminator; bool is_stmt, end; };

struct reader {
	struct pt_program *program;
	struct pt_file_table *files;
	struct pt_line_guard guard;
	size_t room;			/* of program->lines */
	size_t left_rows;
	uint32_t unit;			/* counts from 1 */
	struct start {
		uint32_t unit;		/* that has a row at the start of the function; 0: none so far */
		/* the first row there: the function's own line, whatever is inlined behind it */
		uint32_t file, line;
	} *starts;			/* of each function */
	size_t function;		/* index + 1 of the one that the last row lies in; 0: none */
};

static void add_range(struct reader *r, const struct row *row, uint64_t to)
{
	struct pt_program *p = r->program;

	if (p->n_lines == r->room) {
		size_t room = r->room > 0 ? 2 * r->room : 1024;
		void *lines = room <= MAX_RANGES ? realloc(p->lines, room * sizeof(*p->lines)) : NULL;

		if (lines == NULL) {
			r->left_rows = 0;
			return;
		}
		p->lines = lines;
		r->room = room;
	}
	p->lines[p->n_lines++] = (struct pt_line_range){
		.from = row->addr, .to = to, .file = row->line > 0 ? row->file : PT_NO_FILE, .line = row->line,
		.function = (uint32_t)r->function - 1, .column = row->column,
		.discriminator = row->discriminator & 0x7fff, .is_stmt = row->is_stmt,
	};
}

static bool read_row(struct reader *r, Dwarf_Lines *lines, size_t i, struct row *row)
{
	Dwarf_Line *from = dwarf_onesrcline(lines, i);
	const char *file;
	unsigned discriminator;
	int line, column;

	*row = (struct row){ .file = PT_NO_FILE };
	if (from == NULL || dwarf_lineaddr(from, &row->addr) != 0 || dwarf_lineendsequence(from, &row->end) != 0)
		return false;
	if (dwarf_lineno(from, &line) == 0 && line > 0)
		row->line = (uint32_t)line;
	if (dwarf_linecol(from, &column) == 0 && column > 0 && column <= UINT16_MAX)
		row->column = (uint16_t)column;
	if (dwarf_linediscriminator(from, &discriminator) == 0 && discriminator <= 0x7fff)
		row->discriminator = (uint16_t)discriminator;
	dwarf_linebeginstatement(from, &row->is_stmt);
	file = row->line > 0 && !row->end ? dwarf_linesrc(from, NULL, NULL) : NULL;
	if (file != NULL)
		row->file = pt_file_table_add(r->files, file);
	if (row->file == PT_NO_FILE)
		row->line = 0;
	return true;
}

static void find_function(struct reader *r, const struct row *row)
{
	const struct pt_program *p = r->program;
	uint64_t addr = row->addr;
	const struct pt_function *f = r->function > 0 ? &p->functions[r->function - 1] : NULL;

	if (f != NULL && addr - f->address < f->size && (r->function == p->n_functions || addr < f[1].address))
		return;
	f = pt_program_function_at(p, addr);
	r->function = f != NULL ? (size_t)(f - p->functions) + 1 : 0;
	if (f != NULL && f->address == addr && r->starts[r->function - 1].unit != r->unit)
		r->starts[r->function - 1] = (struct start){ r->unit, row->file, row->line };
}

/* The code from one row to the next, as far as it is the function's. */
static void end_row(struct reader *r, const struct row *row, uint64_t next)
{
	const struct pt_function *f;
	uint64_t end;

	if (row->end)
		return;
	find_function(r, row);
	if (r->function == 0 || r->starts[r->function - 1].unit != r->unit)
		return;
	f = &r->program->functions[r->function - 1];
	end = next - f->address < f->size ? next : f->address + f->size;
	if (next > row->addr)
		add_range(r, row, end);
}

static void read_unit(struct reader *r, Dwarf_Lines *lines, size_t n)
{
	struct row row = { 0 }, next;
	bool open = false;

	r->function = 0;
	r->unit++;
	for (size_t i = 0; i < n && r->left_rows > 0; i++, r->left_rows--) {
		if (!read_row(r, lines, i, &next))
			continue;
		if (open)
			end_row(r, &row, next.addr);
		row = next;
		open = true;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct pt_line_range *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Where tables contradict each other, what begins later holds. */
static void sort_lines(struct pt_program *p)
{
	bool sorted = true;
	size_t n = 0;

	for (size_t i = 1; i < p->n_lines && sorted; i++)
		sorted = by_address(&p->lines[i - 1], &p->lines[i]) <= 0;
	if (!sorted)
		qsort(p->lines, p->n_lines, sizeof(*p->lines), by_address);
	for (size_t i = 0; i < p->n_lines; i++) {
		if (i + 1 < p->n_lines && p->lines[i].to > p->lines[i + 1].from)
			p->lines[i].to = p->lines[i + 1].from;
		if (p->lines[i].from < p->lines[i].to)
			p->lines[n++] = p->lines[i];
	}
	p->n_lines = n;
}

static void read_units(struct reader *r, Dwarf *dwarf)
{
	Dwarf_Off offset = 0, next;
	size_t header_bytes, n;
	Dwarf_Lines *lines, *last = NULL;
	Dwarf_Die die;

	while (r->left_rows > 0 && dwarf_nextcu(dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(dwarf, offset + header_bytes, &die) != NULL && pt_line_guard_allows(&r->guard, &die) &&
		    dwarf_getsrclines(&die, &lines, &n) == 0 && lines != last) {
			read_unit(r, lines, n);
			last = lines;
		}
		if (next <= offset)
			break;
		offset = next;
	}
}

static void place_functions(struct reader *r)
{
	struct pt_program *p = r->program;

	for (size_t i = 0; i < p->n_functions; i++) {
		const struct start *start = &r->starts[i];

		if (start->unit == 0 || start->line == 0)
			continue;
		p->functions[i].file = pt_file_table_path(r->files, start->file);
		p->functions[i].line = start->line;
	}
}

/* Without their files lines say nothing. */
static void finish(struct reader *r)
{
	struct pt_program *p = r->program;
	uint32_t *new_index;

	place_functions(r);
	if (!pt_file_table_finish(r->files, &p->files, &p->n_files, &new_index)) {
		p->n_lines = 0;
		return;
	}
	for (size_t i = 0; i < p->n_lines; i++)
		if (p->lines[i].file != PT_NO_FILE)
			p->lines[i].file = new_index[p->lines[i].file];
	free(new_index);
	sort_lines(p);
}

void pt_program_read_lines(struct pt_program *program, struct Elf *elf)
{
	struct reader r = { .program = program, .left_rows = MAX_ROWS };
	Dwarf *dwarf = pt_dwarf_of_elf(elf);

	if (dwarf == NULL)
		return;
	pt_line_guard_init(&r.guard, elf);
	r.files = pt_file_table_new(&program->arena);
	r.starts = calloc(program->n_functions + 1, sizeof(*r.starts));
	if (r.files != NULL && r.starts != NULL) {
		read_units(&r, dwarf);
		finish(&r);
	} else {
		pt_file_table_free(r.files);
	}
	free(r.starts);
	if (r.left_rows == 0 || r.guard.refused)
		pt_program_warn(program, "the line tables are longer than 8 MiB, so lines are missing");
	pt_line_guard_fini(&r.guard);
	dwarf_end(dwarf);
}

const struct pt_line_range *pt_program_lines(const struct pt_program *program, size_t *n)
{
	*n = program->n_lines;
	return program->lines;
}

const struct pt_source_file *pt_program_files(const struct pt_program *program, size_t *n)
{
	*n = program->n_files;
	return program->files;
}

const struct pt_line_range *pt_program_line_at(const struct pt_program *program, uint64_t addr)
{
	size_t low = 0, high = program->n_lines;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (program->lines[middle].from <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && addr < program->lines[low - 1].to ? &program->lines[low - 1] : NULL;
}

bool pt_program_line(const struct pt_program *program, uint64_t addr, const char **file, uint32_t *line)
{
	const struct pt_line_range *range = pt_program_line_at(program, addr);

	if (range == NULL || range->line == 0)
		return false;
	*file = program->files[range->file].path;
	*line = range->line;
	return true;
}

static int by_file_and_line(const void *a, const void *b)
{
	const struct pt_code_line *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

struct pt_code_line *pt_program_code_lines(const struct pt_program *program, size_t *n)
{
	struct pt_code_line *lines = calloc(program->n_lines + 1, sizeof(*lines));
	size_t kept = 0;

	*n = 0;
	if (lines == NULL)
		return NULL;
	for (size_t i = 0; i < program->n_lines; i++) {
		const struct pt_line_range *r = &program->lines[i];

		if (r->line > 0)
			lines[(*n)++] = (struct pt_code_line){ r->file, r->line, r->function };
	}
	if (*n > 0)
		qsort(lines, *n, sizeof(*lines), by_file_and_line);
	for (size_t i = 0; i < *n; i++)
		if (kept == 0 || by_file_and_line(&lines[kept - 1], &lines[i]) != 0)
			lines[kept++] = lines[i];
	*n = kept;
	return lines;
}
