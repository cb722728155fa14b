/* Programs from real ELF files: the demo firmware as committed, and damaged or foreign variants of it. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "program/code/codemap.h"
#include "small_program.h"

enum { MOST = 1 << 20 };

static uint8_t elf[MOST];
static size_t elf_bytes;
static struct pt_err err;

static const char *path_of(const char *name)
{
	static char path[512];
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/%s", srcdir != NULL ? srcdir : ".", name);
	return path;
}

static void load(void)
{
	FILE *file = fopen(path_of("tests/firmware/demo.elf"), "rb");

	ck_assert_ptr_nonnull(file);
	elf_bytes = fread(elf, 1, sizeof(elf), file);
	fclose(file);
	err = (struct pt_err){ 0 };
}

static struct pt_program *parse(void)
{
	return pt_program_from_bytes("fw.elf", elf, elf_bytes, EM_ARM, &err);
}

static const struct pt_function *function_named(const struct pt_program *p, const char *name)
{
	const struct pt_function *functions;
	size_t n;

	functions = pt_program_functions(p, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

/* One segment from the vectors to the build id; between them and the flash configuration lies nothing that is
 * loaded. */
START_TEST(loads_are_sections)
{
	struct pt_program *p;
	const struct pt_segment *loads;
	size_t n;

	load();
	p = parse();
	ck_assert_ptr_nonnull(p);
	loads = pt_program_loads(p, &n);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(loads[0].addr, 0);
	ck_assert_uint_eq(loads[0].size, 0xc0);
	ck_assert_uint_eq(loads[1].addr, 0x400);	/* with .text and the rest right behind */
	ck_assert_uint_gt(loads[1].size, 0x800);
	ck_assert_uint_eq(loads[2].addr, loads[1].addr + loads[1].size);
	ck_assert_uint_eq(loads[2].size, 4);
	ck_assert_uint_eq(loads[2].run, 0x20004000);
	ck_assert_uint_eq(loads[1].bytes[0xc], 0xfe);	/* FSEC */
	pt_program_unref(p);
	memset(elf + 32, 0, 4);		/* e_shoff, e_shnum, e_shstrndx: no sections */
	memset(elf + 48, 0, 4);
	p = parse();
	ck_assert_ptr_nonnull(p);
	loads = pt_program_loads(p, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_gt(loads[0].size, 0xc00);
	pt_program_unref(p);
}
END_TEST

START_TEST(knows_the_demo)
{
	struct pt_program *p = pt_program_open(path_of("tests/firmware/demo.elf"), EM_ARM, &err);
	const struct pt_function *f, *functions;
	const char *file = NULL;
	uint32_t line = 0;
	size_t n;

	ck_assert_msg(p != NULL, "%s", err.msg);
	ck_assert_str_eq(pt_program_path(p), path_of("tests/firmware/demo.elf"));
	ck_assert_uint_eq(strlen(pt_program_build_id(p)), 40);
	ck_assert_uint_eq(strlen(pt_program_sha256(p)), 64);
	ck_assert_ptr_null(pt_program_warning(p));
	f = function_named(p, "main");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(f->address % 2, 0);
	ck_assert_ptr_nonnull(strstr(f->file, "demo.c"));
	ck_assert_uint_gt(f->line, 0);
	ck_assert(pt_program_line(p, f->address + 2, &file, &line));
	ck_assert_uint_ge(line, f->line);
	ck_assert(!pt_program_line(p, 0xffff0000, &file, &line));
	functions = pt_program_functions(p, &n);
	ck_assert_uint_gt(n, 20);
	for (size_t i = 1; i < n; i++) {
		ck_assert_uint_gt(functions[i].address, functions[i - 1].address);
		ck_assert_uint_gt(functions[i].size, 0);
	}
	pt_program_unref(p);
}
END_TEST

START_TEST(knows_vectors_segments_and_stack)
{
	struct pt_program *p = parse();
	const struct pt_segment *segments;
	uint64_t from, to, addr, size;
	bool data = false, bss = false;
	size_t n;

	ck_assert_msg(p != NULL, "%s", err.msg);
	ck_assert(pt_program_symbol(p, "main", &addr, &size));
	ck_assert(!pt_program_symbol(p, "no_such_symbol", &addr, &size));
	ck_assert_ptr_nonnull(function_named(p, "Reset_Handler"));
	ck_assert_uint_eq(pt_program_vector(p, 1), function_named(p, "Reset_Handler")->address);
	ck_assert_uint_eq(pt_program_vector(p, 0), PT_UNKNOWN);
	ck_assert_uint_eq(pt_program_vector(p, 4), PT_UNKNOWN);	/* reserved */
	ck_assert_uint_eq(pt_program_vector(p, 1000), PT_UNKNOWN);
	segments = pt_program_segments(p, &n);
	for (size_t i = 0; i < n; i++) {
		ck_assert(i == 0 || segments[i].addr >= segments[i - 1].addr);
		data = data ||
		       (segments[i].writable && segments[i].bytes != NULL && segments[i].addr != segments[i].run);
		bss = bss || (segments[i].bytes == NULL && segments[i].addr == segments[i].run);
	}
	ck_assert(data && bss);
	ck_assert(pt_program_stack_span(p, &from, &to));
	ck_assert_uint_lt(from, to);
	ck_assert_uint_eq(to % 8, 0);
	pt_program_unref(p);
}
END_TEST

/* Every instruction of every function of the demo can be reached by walking, and none is data by mistake. */
START_TEST(maps_the_code_of_the_demo)
{
	struct pt_program *p = parse();
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	const struct pt_function *functions;
	size_t n, instructions = 0;

	functions = pt_program_functions(p, &n);
	for (size_t i = 0; i < n; i++) {
		const struct pt_code_unit *unit = pt_codemap_at(map, functions[i].address);

		ck_assert_msg(unit != NULL && unit->len_units > 0, "%s", functions[i].name);
		ck_assert_uint_eq(unit->function, i + 1);
		for (uint64_t at = functions[i].address; at < functions[i].address + functions[i].size; at += 2) {
			unit = pt_codemap_at(map, at);
			if (unit == NULL)
				break;	/* the literal pool behind the last code */
			instructions += unit->len_units > 0;
			if (unit->target < PT_CALL_SITE && unit->target != PT_FAR_TARGET)
				ck_assert_uint_ne(pt_codemap_at(map, pt_codemap_target(map, at))->len_units, 0);
		}
	}
	ck_assert_uint_gt(instructions, 500);
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

/* The smallest header that says "ELF": class, data and machine at their places. */
static void set16(size_t at, uint16_t value)
{
	pt_put_le16(elf + at, value);
}

static void foreign(void) { set16(18, EM_X86_64); }
static void not_elf(void) { memcpy(elf, "MZ\220\0", 4); }
static void empty(void) { elf_bytes = 0; }
static void object(void) { set16(16, ET_REL); }
static void cut_short(void) { elf_bytes = 0x1100; }
static void no_segments(void) { set16(44, 0); }
static void far_segment(void) { pt_put_le32(elf + 52 + 4, 0x7fffffff); }
static void huge_segment(void) { pt_put_le32(elf + 52 + 16, 0xffffffff); }
static void small_memory(void) { pt_put_le32(elf + 52 + 20, 1); }
static void header_only(void) { elf_bytes = 20; }

static const struct { const char *name; void (*damage)(void); const char *says; } refused[] = {
	{ "another machine", foreign, "fw.elf is for x86-64, but the target is Arm" },
	{ "not an ELF", not_elf, "fw.elf is not an ELF file" },
	{ "empty", empty, "fw.elf is not an ELF file" },
	{ "an object file", object, "fw.elf is not linked" },
	{ "cut short", cut_short, "fw.elf is damaged" },
	{ "nothing to load", no_segments, "fw.elf is damaged: it has nothing to load" },
	{ "segment outside", far_segment, "fw.elf is damaged: a segment ends behind the file" },
	{ "segment too large", huge_segment, "fw.elf is damaged" },
	{ "more bytes than memory", small_memory, "fw.elf is damaged: a segment has an impossible size" },
	{ "only half a header", header_only, "fw.elf is" },
};

START_TEST(refuses_what_makes_no_sense)
{
	refused[_i].damage();
	ck_assert_ptr_null(parse());
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_msg(strstr(err.msg, refused[_i].says) == err.msg, "%s: %s", refused[_i].name, err.msg);
}
END_TEST

static const struct { const char *name; uint64_t address, size; } kept[] = {
	{ "start", 0x30, 0x14 },
	{ "worker", 0x44, 4 },		/* not its weak or local name */
	{ "bare", 0x48, 4 },		/* has no size of its own */
	{ "label", 0x4c, 4 },		/* nor a type */
	{ "ram_worker", 0x20000000, 4 },
};

START_TEST(keeps_one_function_for_each_place)
{
	struct pt_program *p = pt_program_open(path_of("tests/firmware/symbols.elf"), EM_ARM, &err);
	const struct pt_function *functions;
	uint64_t addr, size;
	size_t n;

	ck_assert_msg(p != NULL, "%s", err.msg);
	functions = pt_program_functions(p, &n);
	ck_assert_uint_eq(n, PT_LEN(kept));
	for (size_t i = 0; i < n; i++) {
		ck_assert_str_eq(functions[i].name, kept[i].name);
		ck_assert_uint_eq(functions[i].address, kept[i].address);
		ck_assert_uint_eq(functions[i].size, kept[i].size);
		ck_assert_ptr_null(functions[i].file);	/* no line table */
	}
	ck_assert(pt_program_symbol(p, "worker_weak", &addr, &size));	/* but every name is known */
	ck_assert(pt_program_symbol(p, "inside_worker", &addr, &size));
	ck_assert_uint_eq(addr, 0x46);
	ck_assert(!pt_program_symbol(p, "$t", &addr, &size));
	pt_program_unref(p);
}
END_TEST

START_TEST(tells_code_from_literal_pools_and_finds_code_in_ram)
{
	struct pt_program *p = pt_program_open(path_of("tests/firmware/symbols.elf"), EM_ARM, &err);
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	const struct pt_segment *segments;
	size_t n;

	segments = pt_program_segments(p, &n);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(segments[1].addr, 0x50);	/* where it is loaded, and where it runs */
	ck_assert_uint_eq(segments[1].run, 0x20000000);
	ck_assert(segments[1].code);
	ck_assert_uint_eq(pt_codemap_at(map, 0x34)->len_units, 2);	/* bl worker */
	ck_assert_uint_eq(pt_codemap_at(map, 0x40)->len_units, 0);	/* .word ram_worker */
	ck_assert_uint_eq(pt_codemap_at(map, 0x20000002)->flow, PT_FLOW_RETURN);
	ck_assert(pt_codemap_at(map, 0x48)->plain == 0 && pt_codemap_at(map, 0x4c)->plain);
	ck_assert(!pt_codemap_at(map, 0x44)->plain);
	ck_assert_uint_eq(pt_codemap_at(map, 0x46)->flow, PT_FLOW_RETURN);	/* $d there is one of .debug_frame */
	ck_assert_uint_eq(pt_program_vector(p, 1), 0x30);
	ck_assert_uint_eq(pt_program_vector(p, 3), 0x48);
	ck_assert_uint_eq(pt_program_vector(p, 12), PT_UNKNOWN);	/* code begins there */
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

/* GNU ld has a number of its own for S12Z; it is the registered one here. */
START_TEST(knows_s12z_by_both_numbers)
{
	struct pt_program *p = pt_program_open(path_of("tests/firmware/s12z_demo.elf"), 249, &err);

	ck_assert_msg(p != NULL, "%s", err.msg);
	ck_assert_uint_eq(pt_program_arch(p)->elf_machine, 249);
	ck_assert_ptr_nonnull(function_named(p, "countdown"));
	pt_program_unref(p);
}
END_TEST

START_TEST(opens_any_machine_if_asked)
{
	struct pt_program *p;

	foreign();
	p = pt_program_from_bytes("fw.elf", elf, elf_bytes, 0, NULL);
	ck_assert_ptr_nonnull(p);
	pt_program_unref(p);
}
END_TEST

START_TEST(a_stripped_elf_has_code)
{
	struct pt_codemap *map;
	struct pt_program *p;
	uint64_t reset;
	size_t n;

	pt_put_le32(elf + 32, 0);	/* no section headers at all */
	set16(48, 0);
	set16(50, 0);
	p = parse();
	ck_assert_msg(p != NULL, "%s", err.msg);
	pt_program_functions(p, &n);
	ck_assert_uint_eq(n, pt_program_unnamed(p));	/* tests/test_unnamed.c */
	ck_assert_ptr_nonnull(strstr(pt_program_warning(p), "stripped"));
	reset = pt_program_vector(p, 1);
	ck_assert_uint_ne(reset, PT_UNKNOWN);
	map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	ck_assert_ptr_nonnull(pt_codemap_at(map, reset));
	ck_assert_uint_ne(pt_codemap_at(map, reset)->len_units, 0);
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

static const struct { const char *path; int code; const char *says; } unreadable[] = {
	{ "/nonexistent/fw.elf", PT_EIO, "open /nonexistent/fw.elf: No such file" },
	{ "/", PT_EARG, "/ is not a file" },
	{ "/dev/null", PT_EARG, "/dev/null is not a file" },
};

START_TEST(says_why_a_file_cannot_be_read)
{
	ck_assert_ptr_null(pt_program_open(unreadable[_i].path, EM_ARM, &err));
	ck_assert_int_eq(err.code, unreadable[_i].code);
	ck_assert_msg(strstr(err.msg, unreadable[_i].says) == err.msg, "%s", err.msg);
}
END_TEST

START_TEST(refuses_a_file_too_large)
{
	char path[] = "/tmp/proftap-test-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, PT_PROGRAM_MAX_BYTES + 1), 0);
	ck_assert_ptr_null(pt_program_open(path, EM_ARM, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "is too large"));
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(lives_as_long_as_somebody_holds_it)
{
	struct pt_program *p = small_program();

	ck_assert_ptr_eq(pt_program_ref(p), p);
	pt_program_unref(p);
	ck_assert_str_eq(pt_program_path(p), "small");
	pt_program_unref(p);
	pt_program_unref(NULL);
}
END_TEST

START_TEST(a_description_is_a_program)
{
	struct pt_program *p = small_program();
	const struct pt_function *functions;
	uint64_t addr, size;
	size_t n;

	functions = pt_program_functions(p, &n);
	ck_assert_uint_eq(n, PT_LEN(small_functions));
	ck_assert_str_eq(functions[0].name, "main");	/* by address */
	ck_assert_str_eq(functions[1].file, "leaf.c");
	ck_assert(pt_program_symbol(p, "ram_leaf", &addr, &size));
	ck_assert_uint_eq(addr, RAM_LEAF);
	ck_assert_uint_eq(pt_program_vector(p, 15), ISR);
	ck_assert(pt_program_stack_span(p, &addr, &size));
	ck_assert_uint_eq(addr, RAM_CODE + 4 + 0x100);
	ck_assert_uint_eq(size, STACK_TOP);
	pt_program_unref(p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("program");
	TCase *tc = tcase_create("elf");

	tcase_add_checked_fixture(tc, load, NULL);
	tcase_add_test(tc, knows_the_demo);
	tcase_add_test(tc, loads_are_sections);
	tcase_add_test(tc, knows_vectors_segments_and_stack);
	tcase_add_test(tc, maps_the_code_of_the_demo);
	tcase_add_loop_test(tc, refuses_what_makes_no_sense, 0, PT_LEN(refused));
	tcase_add_test(tc, keeps_one_function_for_each_place);
	tcase_add_test(tc, tells_code_from_literal_pools_and_finds_code_in_ram);
	tcase_add_test(tc, opens_any_machine_if_asked);
	tcase_add_test(tc, knows_s12z_by_both_numbers);
	tcase_add_test(tc, a_stripped_elf_has_code);
	tcase_add_loop_test(tc, says_why_a_file_cannot_be_read, 0, PT_LEN(unreadable));
	tcase_add_test(tc, refuses_a_file_too_large);
	suite_add_tcase(suite, tc);
	tc = tcase_create("description");
	tcase_add_test(tc, lives_as_long_as_somebody_holds_it);
	tcase_add_test(tc, a_description_is_a_program);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
