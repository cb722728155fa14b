/* Code points, as users write them: pt_program_point(). */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/model/program_parts.h"
#include "base/util.h"

enum { LIST_BYTES = 200, MOST_NAMED = 4 };

/* Parses text that is entirely a C number. */
static bool number(const char *text, uint64_t *value)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	*value = strtoull(text, &end, 0);
	return *end == '\0';
}

/* "f, g, h and more" */
static void name_one(char list[LIST_BYTES], size_t n_before, const char *fmt, const char *name, uint64_t offset)
{
	size_t len = strlen(list);

	if (n_before > MOST_NAMED)
		return;
	if (n_before == MOST_NAMED) {
		snprintf(list + len, LIST_BYTES - len, " and more");
		return;
	}
	len += (size_t)snprintf(list + len, LIST_BYTES - len, "%s", n_before > 0 ? ", " : "");
	if (len < LIST_BYTES)
		snprintf(list + len, LIST_BYTES - len, fmt, name, offset);
}

static int in_code(const struct pt_program *program, const char *text, uint64_t value, uint64_t *addr,
		   struct pt_err *err)
{
	if (program->arch.elf_machine == EM_ARM)
		value &= ~UINT64_C(1);
	for (size_t i = 0; i < program->n_segments; i++) {
		const struct pt_segment *s = &program->segments[i];

		if (s->code && s->bytes != NULL && value - s->run < s->size) {
			*addr = value;
			return 0;
		}
	}
	return pt_fail(err, PT_EARG, "%.100s: 0x%08" PRIx64 " is not in the program's code", text, value);
}

/* --- symbols ------------------------------------------------------------------------------------------------------ */

/* An exact match of the name or linkage name is preferred to a match without parameters. */
static int find_function(const struct pt_program *program, const char *name, size_t len,
			 const struct pt_function **found, struct pt_err *err)
{
	char list[LIST_BYTES] = "";
	size_t n = 0;

	*found = NULL;
	for (size_t i = 0; i < program->n_functions; i++) {
		const struct pt_function *f = &program->functions[i];

		if (!pt_function_is(f, name, len))
			continue;
		*found = f;
		if (strlen(f->linkage) == len && memcmp(f->linkage, name, len) == 0 && f->linkage != f->name)
			return 0;
		name_one(list, n++, "%.60s at 0x%08" PRIx64, f->name, f->address);
	}
	if (n > 1)
		return pt_fail(err, PT_EARG, "%.*s can be %s", len > 100 ? 100 : (int)len, name, list);
	return 0;
}

static int symbol_point(const struct pt_program *program, const char *text, uint64_t *addr, struct pt_err *err)
{
	const char *plus = strrchr(text, '+');
	const struct pt_function *f;
	uint64_t offset = 0, at, size;
	char name[256];
	size_t len;

	if (plus == NULL || !number(plus + 1, &offset))
		plus = NULL;	/* operator+ */
	len = plus != NULL ? (size_t)(plus - text) : strlen(text);
	if (find_function(program, text, len, &f, err) < 0)
		return err->code;
	if (f != NULL && offset >= f->size)
		return pt_fail(err, PT_EARG, "%.100s is beyond the end of %.100s, which has %" PRIu64 " bytes", text,
			       f->name, f->size);
	if (f != NULL) {
		*addr = f->address + offset;
		return 0;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1), text);
	if (!pt_program_symbol(program, name, &at, &size))
		return pt_fail(err, PT_EARG, "the program has no symbol %.100s", name);
	if (program->arch.elf_machine == EM_ARM)
		at &= ~UINT64_C(1);
	return in_code(program, text, at + offset, addr, err);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Does path end in these components? */
static bool ends_in(const char *path, const char *end, size_t len)
{
	size_t path_len = strlen(path);

	return len <= path_len && memcmp(path + path_len - len, end, len) == 0 &&
	       (len == path_len || end[0] == '/' || path[path_len - len - 1] == '/');
}

static int find_file(const struct pt_program *program, const char *text, size_t len, uint32_t *file, struct pt_err *err)
{
	char list[LIST_BYTES] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < program->n_files; i++) {
		if (strlen(program->files[i].path) == len && memcmp(program->files[i].path, text, len) == 0) {
			*file = i;
			return 0;
		}
		if (!ends_in(program->files[i].path, text, len))
			continue;
		*file = i;
		name_one(list, n++, "%.60s", program->files[i].name, 0);
	}
	if (n == 1)
		return 0;
	if (n > 1)
		return pt_fail(err, PT_EARG, "%.*s can be %s", len > 100 ? 100 : (int)len, text, list);
	return pt_fail(err, PT_EARG, "no code comes from a file %.*s%s", len > 100 ? 100 : (int)len, text,
		       program->n_files == 0 ? ": the ELF has no lines" : "");
}

static int no_code(const struct pt_program *program, const char *text, uint32_t file, uint64_t line, struct pt_err *err)
{
	uint32_t next = UINT32_MAX;

	for (size_t i = 0; i < program->n_lines; i++)
		if (program->lines[i].file == file && program->lines[i].line > line && program->lines[i].line < next)
			next = program->lines[i].line;
	if (next == UINT32_MAX)
		return pt_fail(err, PT_EARG, "%.200s has no code, nor has any line behind it", text);
	return pt_fail(err, PT_EARG, "%.200s has no code; the next line that has is %" PRIu32, text, next);
}

/* The lowest address that is recommended for a breakpoint, or else the lowest. Ranges are sorted, so a function's
 * ranges are adjacent, unless another function is nested in it. */
static int line_point(const struct pt_program *program, const char *text, size_t name_len, uint64_t line,
		      uint64_t *addr, struct pt_err *err)
{
	const struct pt_line_range *found = NULL;
	uint32_t file = PT_NO_FILE, last = UINT32_MAX;
	char list[LIST_BYTES] = "";
	size_t n = 0;

	if (find_file(program, text, name_len, &file, err) < 0)
		return err->code;
	for (size_t i = 0; i < program->n_lines; i++) {
		const struct pt_line_range *r = &program->lines[i];
		const struct pt_function *f = &program->functions[r->function];

		if (r->file != file || r->line != line)
			continue;
		if (found == NULL || (r->is_stmt && !found->is_stmt))
			found = r;
		if (r->function != last)
			name_one(list, n++, "%.60s+0x%" PRIx64, f->name, r->from - f->address);
		last = r->function;
	}
	if (found == NULL)
		return no_code(program, text, file, line, err);
	if (n > 1)
		return pt_fail(err, PT_EARG, "%.100s has code in more than one place: %s", text, list);
	*addr = found->from;
	return 0;
}

int pt_program_point(const struct pt_program *program, const char *text, uint64_t *addr, struct pt_err *err)
{
	const char *colon = strrchr(text, ':');
	struct pt_err ignored = { 0 };
	uint64_t value;

	err = err != NULL ? err : &ignored;
	if (text[0] == '\0')
		return pt_fail(err, PT_EARG, "a code point is FUNCTION, FUNCTION+OFFSET, FILE:LINE or an address");
	if (number(text, &value))
		return in_code(program, text, value, addr, err);
	if (colon != NULL && colon > text && colon[-1] != ':' && number(colon + 1, &value))
		return line_point(program, text, (size_t)(colon - text), value, addr, err);
	return symbol_point(program, text, addr, err);
}
