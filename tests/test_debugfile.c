/* shapes_stripped.elf with its debug file, shapes.debug, in all the places where one may lie, and with others. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "program/code/codemap.h"
#include "program/model/program_parts.h"
#include "host/whole_file.h"
#include "program/dwarf/inlines.h"
#include "program/model/settings.h"

static char dir[] = "/tmp/proftap-test-XXXXXX";
static uint8_t *elf, *debug;
static size_t elf_bytes, debug_bytes;
static struct pt_params *settings;
static struct pt_err err;

static const char *firmware(const char *name)
{
	const char *srcdir = getenv("srcdir");
	static char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/%s", srcdir != NULL ? srcdir : ".", name);
	return path;
}

static const char *in_dir(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void make_dir(void)
{
	char word[64];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	elf = pt_file_read(firmware("shapes_stripped.elf"), 1 << 20, &elf_bytes, &err);
	debug = pt_file_read(firmware("shapes.debug"), 1 << 20, &debug_bytes, &err);
	ck_assert(elf != NULL && debug != NULL);
	settings = pt_params_new();
	snprintf(word, sizeof(word), "debug-dir=/nonexistent,%s", dir);
	ck_assert_int_eq(pt_params_add(settings, pt_program_params, PT_N_PROGRAM_PARAMS, word, &err), 0);
}

static void drop_dir(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
	free(elf);
	free(debug);
	pt_params_free(settings);
}

/* With the folders that it needs. */
static const char *put(const char *name, const uint8_t *bytes, size_t len_bytes)
{
	const char *path = in_dir(name);
	char folder[512];
	FILE *file;

	for (const char *slash = strchr(path + strlen(dir) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		ck_assert(mkdir(folder, 0700) == 0 || errno == EEXIST);
	}
	file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, len_bytes, file), len_bytes);
	fclose(file);
	return path;
}

static struct pt_program *open_put(void)
{
	struct pt_program *p = pt_program_open_with(put("bin/fw.elf", elf, elf_bytes), 0, settings, &err);

	ck_assert_msg(p != NULL, "%s", err.msg);
	return p;
}

static void expect_same(const struct pt_codemap *a, const struct pt_codemap *b)
{
	ck_assert_uint_eq(a->n_spans, b->n_spans);
	for (size_t i = 0; i < a->n_spans; i++) {
		size_t n = (size_t)(a->span[i].end - a->span[i].base) / 2;

		ck_assert_uint_eq(a->span[i].base, b->span[i].base);
		ck_assert_uint_eq(a->span[i].end, b->span[i].end);
		ck_assert_mem_eq(a->span[i].code, b->span[i].code, n * sizeof(*a->span[i].code));
	}
}

/* Everything is as in the ELF that was not stripped. */
static void expect_complete(struct pt_program *p)
{
	struct pt_program *whole = pt_program_open(firmware("shapes.elf"), 0, &err);
	const struct pt_function *functions, *expected;
	const struct pt_line_range *ranges, *expected_ranges;
	struct pt_codemap *a, *b;
	struct pt_inlines *inlines = pt_inlines_new(p);
	size_t n, n_expected;

	functions = pt_program_functions(p, &n);
	expected = pt_program_functions(whole, &n_expected);
	ck_assert_uint_eq(n, n_expected);
	for (size_t i = 0; i < n; i++) {
		ck_assert_str_eq(functions[i].name, expected[i].name);
		ck_assert_uint_eq(functions[i].address, expected[i].address);
		ck_assert_uint_eq(functions[i].size, expected[i].size);
		ck_assert_str_eq(functions[i].file, expected[i].file);
	}
	ranges = pt_program_lines(p, &n);
	expected_ranges = pt_program_lines(whole, &n_expected);
	ck_assert_uint_eq(n, n_expected);
	ck_assert_mem_eq(ranges, expected_ranges, n * sizeof(*ranges));
	ck_assert_uint_ne(pt_inlines_at(inlines, 0x30), PT_NO_INLINE);
	a = pt_codemap_new(whole, &pt_isa_thumb_v6m);
	b = pt_codemap_new(p, &pt_isa_thumb_v6m);
	expect_same(a, b);
	pt_codemap_free(a);
	pt_codemap_free(b);
	pt_inlines_free(inlines);
	pt_program_unref(whole);
}

static void find_id(char *path, size_t room)
{
	struct pt_program *p = pt_program_from_bytes("fw", elf, elf_bytes, 0, &err);
	const char *id = pt_program_build_id(p);

	snprintf(path, room, ".build-id/%.2s/%s.debug", id, id + 2);
	pt_program_unref(p);
}

static char by_id[128], own_path[512];

static const struct { const char *name, *path; } places[] = {
	{ "by build-id", by_id }, { "next to it", "bin/shapes.debug" }, { "in .debug", "bin/.debug/shapes.debug" },
	{ "by its own path", own_path },
};

START_TEST(finds_it)
{
	struct pt_program *p;

	find_id(by_id, sizeof(by_id));
	snprintf(own_path, sizeof(own_path), "%s/bin/shapes.debug", dir + 1);
	put(places[_i].path, debug, debug_bytes);
	p = open_put();
	ck_assert_msg(pt_program_warning(p) == NULL, "%s: %s", places[_i].name, pt_program_warning(p));
	ck_assert_str_eq(pt_program_debug_path(p), in_dir(places[_i].path));
	expect_complete(p);
	pt_program_unref(p);
}
END_TEST

START_TEST(finds_it_where_the_firmware_lies)
{
	struct pt_program *p = pt_program_open(firmware("shapes_stripped.elf"), 0, &err);

	ck_assert_ptr_null(pt_program_warning(p));
	ck_assert_ptr_nonnull(strstr(pt_program_debug_path(p), "tests/firmware/shapes.debug"));
	expect_complete(p);
	pt_program_unref(p);
}
END_TEST

START_TEST(an_elf_that_has_all_looks_for_nothing)
{
	struct pt_program *p = pt_program_open_with(firmware("shapes.elf"), 0, settings, &err);

	ck_assert_ptr_null(pt_program_debug_path(p));
	ck_assert_ptr_null(pt_program_warning(p));
	pt_program_unref(p);
}
END_TEST

static uint8_t *find(uint8_t *bytes, size_t len_bytes, const char *what, size_t len)
{
	uint8_t *at = memmem(bytes, len_bytes, what, len);

	ck_assert_ptr_nonnull(at);
	return at;
}

/* The note is "GNU", 0 and the id. */
static void other_id(void) { find(debug, debug_bytes, "GNU", 4)[4] ^= 1; }
static void other_machine(void) { debug[18] ^= 1; }
static void garbage(void) { memset(debug, 'x', 64); }
static void cut(void) { debug_bytes = 100; }
static void nothing(void) { debug_bytes = 0; }
/* Without an id the link's CRC decides. */
static void no_id(void) { memcpy(find(elf, elf_bytes, "GNU", 4), "XYZ", 4); }
static void no_id_other_bytes(void) { no_id(); debug[debug_bytes - 1] ^= 1; }
static void itself(void)
{
	free(debug);
	debug = malloc(elf_bytes);
	memcpy(debug, elf, elf_bytes);
	debug_bytes = elf_bytes;
}

static const struct { const char *name; void (*change)(void); const char *says; } cases[] = {
	{ "another build-id", other_id, "bin/shapes.debug was not used: its build-id is another one; stripped:" },
	{ "another machine", other_machine, "was not used: it is for another machine" },
	{ "no ELF", garbage, "was not used: it is not an ELF file" },
	{ "cut short", cut, "was not used: " },
	{ "empty", nothing, "was not used: it is not an ELF file" },
	{ "no build-id", no_id, NULL },
	{ "no build-id, other bytes", no_id_other_bytes, "was not used: its CRC is not the one that the ELF names" },
	{ "stripped as well", itself, "was not used: there is nothing in it" },
};

START_TEST(takes_it_only_if_it_belongs)
{
	struct pt_program *p;

	cases[_i].change();
	put("bin/shapes.debug", debug, debug_bytes);
	p = open_put();
	if (cases[_i].says == NULL) {
		ck_assert_ptr_null(pt_program_warning(p));
		expect_complete(p);
	} else {
		ck_assert_ptr_nonnull(pt_program_warning(p));
		ck_assert_msg(strstr(pt_program_warning(p), cases[_i].says) != NULL, "%s: %s", cases[_i].name,
			      pt_program_warning(p));
		ck_assert_ptr_null(pt_program_debug_path(p));
	}
	pt_program_unref(p);
}
END_TEST

START_TEST(says_which_file_is_missing)
{
	struct pt_program *p = open_put();

	ck_assert_ptr_nonnull(strstr(pt_program_warning(p), "the debug file that it names, shapes.debug, is neither"));
	ck_assert_ptr_nonnull(strstr(pt_program_warning(p), "; stripped: "));
	pt_program_unref(p);
}
END_TEST

/* An uploaded ELF does not choose what we open. */
START_TEST(a_link_out_of_the_folder_is_none)
{
	struct pt_program *p;

	memcpy(find(elf, elf_bytes, "shapes.debug", 13), "../es.debug", 12);
	put("es.debug", debug, debug_bytes);
	p = open_put();
	ck_assert_ptr_null(pt_program_debug_path(p));
	ck_assert_str_eq(pt_program_warning(p),
			 "stripped: 12 functions have no symbol, found by the code's calls: addresses stand for "
			 "names, and borders are guesses");
	pt_program_unref(p);
}
END_TEST

START_TEST(needs_no_sections_in_the_elf)
{
	struct pt_program *p;

	pt_put_le32(elf + 32, 0);	/* none at all: the build-id is in a segment, too */
	pt_put_le16(elf + 48, 0);
	pt_put_le16(elf + 50, 0);
	p = pt_program_from_two("fw", elf, elf_bytes, "fw.debug", debug, debug_bytes, &err);
	ck_assert_str_eq(pt_program_debug_path(p), "fw.debug");
	expect_complete(p);
	pt_program_unref(p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("debugfile");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, make_dir, drop_dir);
	tcase_add_loop_test(tc, finds_it, 0, PT_LEN(places));
	tcase_add_test(tc, finds_it_where_the_firmware_lies);
	tcase_add_test(tc, an_elf_that_has_all_looks_for_nothing);
	tcase_add_loop_test(tc, takes_it_only_if_it_belongs, 0, PT_LEN(cases));
	tcase_add_test(tc, says_which_file_is_missing);
	tcase_add_test(tc, a_link_out_of_the_folder_is_none);
	tcase_add_test(tc, needs_no_sections_in_the_elf);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
