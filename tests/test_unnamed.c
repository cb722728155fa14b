/* Functions that no symbol names: those of ELFs whose symbols were taken away must be some of those that the symbols
 * tell of. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "program/code/codemap.h"

enum { MOST = 1 << 20, UNNAMED_EVERY = 3 };

static uint8_t elf[MOST];
static size_t elf_bytes;

static const struct { const char *name; size_t least; } files[] = {	/* least: how many must be found */
	{ "demo.elf", 40 }, { "irq.elf", 16 }, { "isa.elf", 100 }, { "shapes.elf", 12 }, { "symbols.elf", 3 },
};

static void load(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/firmware/%s", srcdir != NULL ? srcdir : ".", name);
	file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s", path);
	elf_bytes = fread(elf, 1, sizeof(elf), file);
	fclose(file);
}

static Elf32_Shdr *symbol_table(void)
{
	const Elf32_Ehdr *header = (const Elf32_Ehdr *)(const void *)elf;
	Elf32_Shdr *section = (Elf32_Shdr *)(void *)(elf + header->e_shoff);

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (section[i].sh_type == SHT_SYMTAB)
			return &section[i];
	ck_abort_msg("no symbol table");
	return NULL;
}

static struct pt_program *parse(void)
{
	struct pt_err err = { 0 };
	struct pt_program *p = pt_program_from_bytes("fw.elf", elf, elf_bytes, EM_ARM, &err);

	ck_assert_msg(p != NULL, "%s", err.msg);
	return p;
}

static bool is_by_address(const struct pt_function *f)
{
	char name[32];

	snprintf(name, sizeof(name), "0x%08" PRIx64, f->address);
	return strcmp(f->name, name) == 0;
}

static const struct pt_function *function_at(const struct pt_program *p, uint64_t address)
{
	const struct pt_function *f;
	size_t n;

	f = pt_program_functions(p, &n);
	for (size_t i = 0; i < n; i++)
		if (f[i].address == address)
			return &f[i];
	return NULL;
}

/* Whatever stands in front of a function, it is read as code from its first instruction on. */
static void check_begins(const struct pt_program *p)
{
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	const struct pt_function *f;
	size_t n;

	f = pt_program_functions(p, &n);
	for (size_t i = 0; i < n; i++) {
		const struct pt_code_unit *unit = pt_codemap_at(map, f[i].address);

		if (!is_by_address(&f[i]))
			continue;
		ck_assert_ptr_nonnull(unit);
		ck_assert_msg(unit->len_units > 0, "no instruction at %s", f[i].name);
		ck_assert_uint_eq(unit->function, i + 1);
	}
	pt_codemap_free(map);
}

/* Every one that has its address for a name is in whole, too, and reaches to the next one at most. Returns how many. */
static size_t check_found(const struct pt_program *p, const struct pt_program *whole, const char *file)
{
	const struct pt_function *f;
	size_t n, n_found = 0;

	f = pt_program_functions(p, &n);
	for (size_t i = 0; i < n; i++) {
		const struct pt_function *real = function_at(whole, f[i].address);

		ck_assert_msg(real != NULL, "%s: no function begins at 0x%" PRIx64, file, f[i].address);
		if (!is_by_address(&f[i])) {
			ck_assert_uint_ge(f[i].size, real->size);	/* those without a size reach to the next symbol */
			continue;
		}
		n_found++;
		ck_assert_str_eq(f[i].linkage, f[i].name);
		ck_assert_uint_gt(f[i].size, 0);
		ck_assert(i + 1 == n || f[i].address + f[i].size <= f[i + 1].address);
	}
	ck_assert_uint_eq(pt_program_unnamed(p), n_found);
	check_begins(p);
	return n_found;
}

START_TEST(with_symbols_there_are_none)
{
	struct pt_program *p;

	load(files[_i].name);
	p = parse();
	ck_assert_uint_eq(pt_program_unnamed(p), 0);
	ck_assert_ptr_null(pt_program_warning(p));
	pt_program_unref(p);
}
END_TEST

static void expect_stripped(const struct pt_program *p, const struct pt_program *whole, int i)
{
	size_t n;

	pt_program_functions(p, &n);
	ck_assert_msg(check_found(p, whole, files[i].name) >= files[i].least, "%s: only %zu", files[i].name, n);
	ck_assert_uint_eq(pt_program_unnamed(p), n);
	ck_assert_ptr_nonnull(strstr(pt_program_warning(p), "stripped: "));
	ck_assert_ptr_nonnull(strstr(pt_program_warning(p), "borders are guesses"));
}

START_TEST(a_stripped_elf_has_those_of_its_symbols)
{
	struct pt_program *whole, *p;

	load(files[_i].name);
	whole = parse();
	symbol_table()->sh_type = SHT_NULL;
	p = parse();
	expect_stripped(p, whole, _i);
	pt_program_unref(p);
	pt_program_unref(whole);
}
END_TEST

/* Nothing tells where the vectors end, nor what is code. */
START_TEST(sections_are_not_needed)
{
	Elf32_Ehdr *header = (Elf32_Ehdr *)(void *)elf;
	struct pt_program *whole, *p;

	load(files[_i].name);
	whole = parse();
	header->e_shoff = header->e_shnum = header->e_shstrndx = 0;
	p = parse();
	expect_stripped(p, whole, _i);
	ck_assert_uint_eq(pt_program_vector(p, 1), pt_program_vector(whole, 1));
	pt_program_unref(p);
	pt_program_unref(whole);
}
END_TEST

/* Some functions lose their symbols: they are found, and the others keep their names and their borders. */
START_TEST(only_where_no_symbol_is)
{
	const Elf32_Shdr *table;
	struct pt_program *whole, *p;
	size_t n_whole, n, n_gone = 0, nth = 0;

	load(files[_i].name);
	whole = parse();
	table = symbol_table();
	for (uint32_t i = 0; i < table->sh_size / sizeof(Elf32_Sym); i++) {
		Elf32_Sym *symbol = (Elf32_Sym *)(void *)(elf + table->sh_offset) + i;

		if (ELF32_ST_TYPE(symbol->st_info) != STT_FUNC || nth++ % UNNAMED_EVERY != 0)
			continue;
		symbol->st_shndx = SHN_UNDEF;
		n_gone++;
	}
	p = parse();
	pt_program_functions(whole, &n_whole);
	pt_program_functions(p, &n);
	ck_assert_uint_gt(n_gone, 0);
	ck_assert_uint_le(check_found(p, whole, files[_i].name), n_gone);
	ck_assert_uint_le(n, n_whole);
	if (pt_program_unnamed(p) > 0) {
		ck_assert_ptr_null(strstr(pt_program_warning(p), "stripped"));
		ck_assert_ptr_nonnull(strstr(pt_program_warning(p), "no symbol"));
	}
	ck_assert(_i != 0 || pt_program_unnamed(p) > n_gone / 2);
	pt_program_unref(p);
	pt_program_unref(whole);
}
END_TEST

/* Where a name is asked for, the address is one. */
START_TEST(its_address_names_it)
{
	const struct pt_function *f;
	struct pt_program *p;
	uint64_t address = 0;
	size_t n;

	load("demo.elf");
	symbol_table()->sh_type = SHT_NULL;
	p = parse();
	f = pt_program_functions(p, &n);
	ck_assert(pt_function_is(&f[1], f[1].name, strlen(f[1].name)));
	ck_assert_int_eq(pt_program_point(p, f[1].name, &address, NULL), 0);
	ck_assert_uint_eq(address, f[1].address);
	pt_program_unref(p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unnamed");
	TCase *tc = tcase_create("unnamed");

	tcase_add_loop_test(tc, with_symbols_there_are_none, 0, PT_LEN(files));
	tcase_add_loop_test(tc, a_stripped_elf_has_those_of_its_symbols, 0, PT_LEN(files));
	tcase_add_loop_test(tc, sections_are_not_needed, 0, PT_LEN(files));
	tcase_add_loop_test(tc, only_where_no_symbol_is, 0, PT_LEN(files));
	tcase_add_test(tc, its_address_names_it);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
