/* Lines and inline functions of shapes.elf and shapes_m4.elf (tests/firmware/shapes.cpp). The expected frames are
 * addr2line's; tests/system/test_binutils compares all addresses where binutils are installed. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "program/model/program_parts.h"
#include "program/dwarf/file_table.h"
#include "host/whole_file.h"
#include "program/dwarf/inlines.h"
#include "program/dwarf/types.h"
#include "base/sha256.h"

static struct pt_program *program;
static struct pt_inlines *inlines;
static struct pt_err err;

static struct pt_program *open_firmware(const char *name)
{
	const char *srcdir = getenv("srcdir");
	struct pt_program *p;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/%s", srcdir != NULL ? srcdir : ".", name);
	p = pt_program_open(path, 0, &err);
	ck_assert_msg(p != NULL, "%s", err.msg);
	return p;
}

static void build(void)
{
	program = open_firmware("shapes.elf");
	inlines = pt_inlines_new(program);
	ck_assert_ptr_nonnull(inlines);
	pt_program_unref(program);	/* the inlines hold it */
}

static void drop(void)
{
	pt_inlines_free(inlines);
}

/* --- paths */

static const struct { const char *path, *plain; } paths[] = {
	{ "/a/b.c", "/a/b.c" }, { "a//b.c", "a/b.c" }, { "/a/./b/../c.h", "/a/c.h" }, { "../x.c", "../x.c" },
	{ "a/../../x.c", "../x.c" }, { "/../x.c", "/x.c" }, { "./x.c", "x.c" }, { "a/..", "" }, { "/", "/" }, { "", "" },
	{ "/a/..", "/" }, { "../../a", "../../a" }, { "..a/..b/c..", "..a/..b/c.." },
};

START_TEST(makes_path_plain)
{
	char plain[PT_PATH_BYTES];

	pt_path_plain(paths[_i].path, plain);
	ck_assert_str_eq(plain, paths[_i].plain);
}
END_TEST

START_TEST(cuts_a_path_that_is_too_long)
{
	char path[2 * PT_PATH_BYTES], plain[PT_PATH_BYTES];

	memset(path, 'x', sizeof(path));
	snprintf(path + sizeof(path) - 8, 8, "/uart.c");
	pt_path_plain(path, plain);
	ck_assert_uint_lt(strlen(plain), PT_PATH_BYTES);
	ck_assert_str_eq(plain + strlen(plain) - 7, "/uart.c");
}
END_TEST

static const char *const many[] = {
	"/p/app/main.c", "/p/drivers/uart.c", "/p/boot/uart.c", "/p/boot/x/uart.c", "/p/xuart.c", "uart.h", "/p/uart.h",
	"/top.c",
};
static const char *const short_names[] = {	/* by path */
	"main.c", "boot/uart.c", "x/uart.c", "drivers/uart.c", "/p/uart.h", "xuart.c", "/top.c", "uart.h",
};

START_TEST(names_files_by_as_little_as_tells_them_apart)
{
	struct pt_arena arena = { .room_bytes = 4096 };
	struct pt_file_table *table = pt_file_table_new(&arena);
	struct pt_source_file *files;
	uint32_t *new_index;
	size_t n;

	for (size_t round = 0; round < 2; round++)
		for (size_t i = 0; i < PT_LEN(many); i++)
			ck_assert_uint_eq(pt_file_table_add(table, many[i]), i);
	ck_assert(pt_file_table_finish(table, &files, &n, &new_index));
	ck_assert_uint_eq(n, PT_LEN(many));
	for (size_t i = 0; i < n; i++) {
		ck_assert_str_eq(files[i].name, short_names[i]);
		ck_assert_str_eq(files[new_index[i]].path, many[i]);
	}
	free(files);
	free(new_index);
	pt_arena_free(&arena);
}
END_TEST

START_TEST(holds_thousands_of_files)
{
	static char name[3000][16];
	struct pt_arena arena = { .room_bytes = 1 << 20 };
	struct pt_file_table *table = pt_file_table_new(&arena);

	for (size_t i = 0; i < PT_LEN(name); i++) {
		snprintf(name[i], sizeof(name[i]), "/s/%zu.c", i);
		ck_assert_uint_eq(pt_file_table_add(table, name[i]), i);
	}
	for (size_t i = 0; i < PT_LEN(name); i++)
		ck_assert_uint_eq(pt_file_table_add(table, name[i]), i);
	pt_file_table_free(table);
	pt_arena_free(&arena);
}
END_TEST

/* --- lines */

START_TEST(ranges_are_in_order_and_in_functions)
{
	const struct pt_function *functions;
	const struct pt_line_range *range;
	size_t n, n_functions, n_files;

	range = pt_program_lines(program, &n);
	functions = pt_program_functions(program, &n_functions);
	pt_program_files(program, &n_files);
	ck_assert_uint_gt(n, 200);
	ck_assert_str_eq(functions[0].name, "report(unsigned int)");
	ck_assert_str_eq(functions[0].file, "tests/firmware/shapes.cpp");
	ck_assert_uint_eq(functions[0].line, 47);	/* though its first instruction is from shapes.h */
	for (size_t i = 0; i < n; i++) {
		const struct pt_function *f = &functions[range[i].function];

		ck_assert_uint_lt(range[i].from, range[i].to);
		ck_assert(i == 0 || range[i - 1].to <= range[i].from);
		ck_assert(range[i].from >= f->address && range[i].to <= f->address + f->size);
		ck_assert(range[i].line == 0 ? range[i].file == PT_NO_FILE : range[i].file < n_files);
		ck_assert_ptr_eq(pt_program_line_at(program, range[i].from), &range[i]);
		ck_assert_ptr_eq(pt_program_line_at(program, range[i].to - 1), &range[i]);
	}
	ck_assert_ptr_null(pt_program_line_at(program, 0));
	ck_assert_ptr_null(pt_program_line_at(program, PT_UNKNOWN));
}
END_TEST

START_TEST(knows_the_files)
{
	static const char *const names[] = { "shapes.cpp", "shapes.h", "shapes_by_hand.S" };
	const struct pt_source_file *files;
	char path[64];
	size_t n;

	files = pt_program_files(program, &n);
	ck_assert_uint_eq(n, PT_LEN(names));
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "tests/firmware/%s", names[i]);
		ck_assert_str_eq(files[i].path, path);
		ck_assert_str_eq(files[i].name, names[i]);
	}
}
END_TEST

/* report() is three lines of its own and three of spread(), of which the loop's head has code in two places. */
START_TEST(lists_lines_with_code)
{
	static const struct { const char *file; uint32_t line; } expected[] = {
		{ "shapes.cpp", 48 }, { "shapes.cpp", 49 },
		{ "shapes.h", 18 }, { "shapes.h", 20 }, { "shapes.h", 21 },
	};
	const struct pt_source_file *files;
	struct pt_code_line *lines;
	size_t n, n_files, found = 0;

	files = pt_program_files(program, &n_files);
	lines = pt_program_code_lines(program, &n);
	for (size_t i = 0; i < n; i++) {
		ck_assert(i == 0 || memcmp(&lines[i - 1], &lines[i], sizeof(lines[i])) != 0);
		ck_assert(i == 0 || lines[i - 1].file <= lines[i].file);
		if (lines[i].function != 0)	/* report() comes first */
			continue;
		ck_assert_uint_lt(found, PT_LEN(expected));
		ck_assert_str_eq(files[lines[i].file].name, expected[found].file);
		ck_assert_uint_eq(lines[i].line, expected[found++].line);
	}
	ck_assert_uint_eq(found, PT_LEN(expected));
	free(lines);
}
END_TEST

/* nested() lies in the middle of outer(), and both have lines of their own. */
START_TEST(innermost_symbol_has_the_code)
{
	static const struct { uint64_t addr; const char *function; uint32_t line; } expected[] = {
		{ 0x390, "outer", 72 }, { 0x398, "nested", 77 }, { 0x39a, "nested", 78 }, { 0x39c, "outer", 80 },
		{ 0x39e, "outer", 81 },
	};

	for (size_t i = 0; i < PT_LEN(expected); i++) {
		const struct pt_function *f = pt_program_function_at(program, expected[i].addr);

		ck_assert_str_eq(f->name, expected[i].function);
		ck_assert_uint_eq(pt_program_line_at(program, expected[i].addr)->line, expected[i].line);
	}
}
END_TEST

/* --- inlined calls */

static const struct { uint64_t addr; const char *frames; } shapes[] = {
	{ 0x30, "wire::spread(unsigned int) shapes.h:18 < report(unsigned int) shapes.cpp:48" },
	{ 0x44, "report(unsigned int) shapes.cpp:48" },
	{ 0x60, "motor::Drive::clamp(int) const shapes.cpp:20 < motor::Drive::run(int) shapes.cpp:32" },
	{ 0xa8, "motor::Drive::limited(int) const shapes.cpp:25 < motor::Drive::clamp(int) const shapes.cpp:20 < "
		"motor::Drive::run(int) shapes.cpp:35" },
	{ 0xb8, "wire::spread(unsigned int) shapes.h:21 < motor::Drive::limited(int) const shapes.cpp:25 < "
		"motor::Drive::clamp(int) const shapes.cpp:20 < motor::Drive::run(int) shapes.cpp:35" },
	{ 0xde, "wire::Field<unsigned char, 240u>::set(unsigned char) shapes.h:12 < "
		"motor::Drive::limited(int) const shapes.cpp:24 < motor::Drive::clamp(int) const shapes.cpp:20 < "
		"motor::Drive::run(int) shapes.cpp:32" },
	{ 0x1a0, "careful(int) shapes.cpp:62" },
	{ 0x286, "stop shapes.cpp:114 < dispatch(int) shapes.cpp:82" },	/* extern "C" */
	{ 0x2a2, "stop shapes.cpp:114 < fatal(int) shapes.cpp:109" },
	{ 0x36a, "jump_by_table shapes_by_hand.S:31" },
	{ 0x3a0, "warm shapes_by_hand.S:87" },
	{ 0x0, "" },
};

static void print_frames(uint64_t addr, char *text, size_t room)
{
	struct pt_frame frame[PT_INLINE_MAX_DEPTH + 1];
	size_t n = pt_inlines_frames(inlines, addr, frame, PT_LEN(frame)), at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const char *file = frame[i].file != NULL ? strrchr(frame[i].file, '/') + 1 : "?";

		at += (size_t)snprintf(text + at, room - at, "%s%s %s:%u", i > 0 ? " < " : "", frame[i].name, file,
				       frame[i].line);
	}
}

START_TEST(knows_frames)
{
	char text[512];

	print_frames(shapes[_i].addr, text, sizeof(text));
	ck_assert_str_eq(text, shapes[_i].frames);
}
END_TEST

START_TEST(a_call_knows_its_function)
{
	const struct pt_inline *calls;
	size_t n;

	calls = pt_inlines_calls(inlines, &n);
	ck_assert_uint_eq(calls[0].depth, 0);
	ck_assert_uint_gt(n, 10);
	for (size_t i = 1; i < n; i++) {
		ck_assert_uint_lt(calls[i].parent, i);
		ck_assert_uint_eq(calls[i].depth, calls[calls[i].parent].depth + 1);
		ck_assert_ptr_nonnull(pt_inlines_file(inlines, calls[i].call_file));
		ck_assert_uint_gt(calls[i].call_line, 0);
		if (strcmp(calls[i].linkage, "_ZN4wire6spreadEj") == 0) {
			ck_assert_str_eq(calls[i].name, "wire::spread(unsigned int)");
			ck_assert_str_eq(pt_inlines_file(inlines, calls[i].decl_file)->name, "shapes.h");
			ck_assert_uint_eq(calls[i].decl_line, 16);
		}
	}
	ck_assert_ptr_null(pt_inlines_file(inlines, PT_NO_FILE));
	ck_assert_ptr_null(pt_inlines_warning(inlines));
}
END_TEST

START_TEST(inlined_ranges_are_in_order)
{
	const struct pt_inline_range *range;
	size_t n;

	range = pt_inlines_ranges(inlines, &n);
	ck_assert_uint_gt(n, 20);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_lt(range[i].from, range[i].to);
		ck_assert(i == 0 || range[i - 1].to < range[i].from ||
			  (range[i - 1].to == range[i].from && range[i - 1].id != range[i].id));
		ck_assert_uint_eq(pt_inlines_at(inlines, range[i].from), range[i].id);
		ck_assert_uint_eq(pt_inlines_at(inlines, range[i].to - 1), range[i].id);
	}
	ck_assert_uint_eq(pt_inlines_at(inlines, 0), PT_NO_INLINE);
	ck_assert_uint_eq(pt_inlines_at(inlines, PT_UNKNOWN), PT_NO_INLINE);
}
END_TEST

START_TEST(room_for_fewer_frames_is_enough)
{
	struct pt_frame frame[2] = { { 0 }, { .name = "untouched" } };

	ck_assert_uint_eq(pt_inlines_frames(inlines, 0x30, frame, 1), 2);
	ck_assert_str_eq(frame[0].name, "wire::spread(unsigned int)");
	ck_assert_str_eq(frame[1].name, "untouched");
	ck_assert_uint_eq(pt_inlines_frames(inlines, 0, frame, 2), 0);
}
END_TEST

/* The same source in DWARF 4, with Thumb-2 code. */
START_TEST(reads_dwarf_4)
{
	struct pt_program *p = open_firmware("shapes_m4.elf");
	struct pt_inlines *in = pt_inlines_new(p);
	struct pt_frame frame[8];

	ck_assert_uint_eq(pt_inlines_frames(in, 0x30, frame, PT_LEN(frame)), 2);
	ck_assert_str_eq(frame[0].name, "wire::spread(unsigned int)");
	ck_assert_str_eq(frame[1].name, "report(unsigned int)");
	ck_assert_uint_eq(frame[1].line, 48);
	ck_assert_uint_eq(frame[1].start_line, 47);
	pt_inlines_free(in);
	pt_program_unref(p);
}
END_TEST

/* libelf unpacks sections in place: not in the program's bytes, which others read at the same time. */
static const char *const compressed[] = { "compressed", "compressed_gnu", "dwarf4", "dwarf5" };

START_TEST(compressed_sections_change_nothing)
{
	const char *srcdir = getenv("srcdir");
	char path[512], sha256[PT_SHA256_TEXT];
	struct pt_program *p;
	struct pt_err err2;
	size_t len, n_lines, n_calls[2];
	uint8_t *bytes;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/elf/%s", srcdir != NULL ? srcdir : ".", compressed[_i]);
	bytes = pt_file_read(path, 1 << 20, &len, &err2);
	p = pt_program_open(path, 0, &err2);
	ck_assert(bytes != NULL && p != NULL);
	pt_program_lines(p, &n_lines);
	ck_assert_uint_gt(n_lines, 10);
	for (int i = 0; i < 2; i++) {
		struct pt_inlines *in = pt_inlines_new(p);
		struct pt_types *types = pt_types_new(p);

		pt_inlines_calls(in, &n_calls[i]);
		ck_assert(pt_types_has_dwarf(types));
		pt_types_free(types);
		pt_inlines_free(in);
	}
	ck_assert_uint_gt(n_calls[0], 3);
	ck_assert_uint_eq(n_calls[0], n_calls[1]);
	ck_assert_mem_eq(p->elf.bytes, bytes, len);
	ck_assert_str_eq(pt_program_sha256(p), pt_sha256_text(bytes, len, sha256));
	pt_program_unref(p);
	free(bytes);
}
END_TEST

START_TEST(no_dwarf_no_inlined_calls)
{
	struct pt_program *p = open_firmware("symbols.elf");
	struct pt_inlines *in = pt_inlines_new(p);
	struct pt_frame frame[2];
	size_t n;

	pt_inlines_calls(in, &n);
	ck_assert_uint_eq(n, 1);
	pt_inlines_ranges(in, &n);
	ck_assert_uint_eq(n, 0);
	ck_assert_uint_eq(pt_inlines_frames(in, 0x44, frame, 2), 1);
	ck_assert_str_eq(frame[0].name, "worker");
	ck_assert_ptr_null(frame[0].file);
	pt_inlines_free(in);
	pt_program_unref(p);
	in = pt_inlines_new(NULL);
	ck_assert_uint_eq(pt_inlines_at(in, 0x44), PT_NO_INLINE);
	ck_assert_uint_eq(pt_inlines_frames(in, 0x44, frame, 2), 0);
	pt_inlines_free(in);
	pt_inlines_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("linetable");
	TCase *tc = tcase_create("files");

	tcase_add_loop_test(tc, makes_path_plain, 0, PT_LEN(paths));
	tcase_add_test(tc, cuts_a_path_that_is_too_long);
	tcase_add_test(tc, names_files_by_as_little_as_tells_them_apart);
	tcase_add_test(tc, holds_thousands_of_files);
	suite_add_tcase(suite, tc);
	tc = tcase_create("shapes");
	tcase_add_checked_fixture(tc, build, drop);
	tcase_add_test(tc, ranges_are_in_order_and_in_functions);
	tcase_add_test(tc, knows_the_files);
	tcase_add_test(tc, lists_lines_with_code);
	tcase_add_test(tc, innermost_symbol_has_the_code);
	tcase_add_loop_test(tc, knows_frames, 0, PT_LEN(shapes));
	tcase_add_test(tc, a_call_knows_its_function);
	tcase_add_test(tc, inlined_ranges_are_in_order);
	tcase_add_test(tc, room_for_fewer_frames_is_enough);
	suite_add_tcase(suite, tc);
	tc = tcase_create("others");
	tcase_add_test(tc, reads_dwarf_4);
	tcase_add_loop_test(tc, compressed_sections_change_nothing, 0, PT_LEN(compressed));
	tcase_add_test(tc, no_dwarf_no_inlined_calls);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
