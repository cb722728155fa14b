/* Code points and source text. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "program/model/program.h"
#include "program/model/source.h"
#include "small_program.h"

static struct pt_err err;
static char dir[] = "/tmp/proftap-test-XXXXXX";

static struct pt_program *shapes(void)
{
	const char *srcdir = getenv("srcdir");
	struct pt_program *p;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/shapes.elf", srcdir != NULL ? srcdir : ".");
	p = pt_program_open(path, 0, &err);
	ck_assert_msg(p != NULL, "%s", err.msg);
	return p;
}

/* --- points */

static const struct { const char *text; uint64_t addr; const char *says; } points[] = {
	{ "by_hand", 0x358, NULL },
	{ "by_hand+2", 0x35a, NULL },
	{ "by_hand+0x4", 0x35c, NULL },
	{ "careful", 0x188, NULL },
	{ "careful(int)", 0x188, NULL },
	{ "_Z7carefuli+0x10", 0x198, NULL },
	{ "motor::Drive::run(int)", 0x54, NULL },
	{ "_ZN5motor5Drive3runEi", 0x54, NULL },
	{ "shared_tail", 0x382, NULL },		/* a label, no function */
	{ "by_hand_EXIT_2", 0x362, NULL },
	{ "0x358", 0x358, NULL },
	{ "0x359", 0x358, NULL },		/* with Thumb bit, as pointers have it */
	{ "856", 0x358, NULL },
	{ "shapes.cpp:64", 0x1ac, NULL },
	{ "firmware/shapes.cpp:64", 0x1ac, NULL },
	{ "tests/firmware/shapes.cpp:64", 0x1ac, NULL },
	{ "shapes_by_hand.S:13", 0x358, NULL },
	{ "", 0, "a code point is FUNCTION, FUNCTION+OFFSET, FILE:LINE or an address" },
	{ "none", 0, "the program has no symbol none" },
	{ "none+4", 0, "the program has no symbol none" },
	{ "by_hand+12", 0, "by_hand+12 is beyond the end of by_hand, which has 12 bytes" },
	{ "motor::Drive::run", 0, "motor::Drive::run can be motor::Drive::run(int) at 0x00000054, motor::Drive::run(int, motor" },
	{ "0x20000008", 0, "0x20000008: 0x20000008 is not in the program's code" },
	{ "g_port", 0, "g_port: 0x20000008 is not in the program's code" },
	{ "shapes.cpp:50", 0, "shapes.cpp:50 has no code; the next line that has is 52" },
	{ "shapes.cpp:5000", 0, "shapes.cpp:5000 has no code, nor has any line behind it" },
	{ "hapes.cpp:64", 0, "no code comes from a file hapes.cpp" },
	{ "shapes.h:20", 0, "shapes.h:20 has code in more than one place: report(unsigned int)+0x" },
	{ "99999999999999999999", 0, "99999999999999999999: 0x" },
};

START_TEST(finds_point)
{
	struct pt_program *p = shapes();
	uint64_t addr = 0;
	int rc = pt_program_point(p, points[_i].text, &addr, &err);

	if (points[_i].says == NULL) {
		ck_assert_msg(rc == 0, "%s", err.msg);
		ck_assert_uint_eq(addr, points[_i].addr);
	} else {
		ck_assert_int_eq(rc, PT_EARG);
		ck_assert_msg(strstr(err.msg, points[_i].says) == err.msg, "%s: %s", points[_i].text, err.msg);
	}
	pt_program_unref(p);
}
END_TEST

START_TEST(points_without_lines)
{
	struct pt_program *p = small_program();
	uint64_t addr;

	ck_assert_int_eq(pt_program_point(p, "leaf+2", &addr, &err), 0);
	ck_assert_uint_eq(addr, LEAF + 2);
	ck_assert_int_eq(pt_program_point(p, "leaf.c:7", &addr, &err), PT_EARG);
	ck_assert_str_eq(err.msg, "no code comes from a file leaf.c: the ELF has no lines");
	pt_program_unref(p);
}
END_TEST

/* --- source text */

static void put(const char *name, const void *bytes, size_t len)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *slash = strchr(path + strlen(dir) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
	fclose(file);
}

static void make_files(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	put("src/a/uart.c", "one\r\ntwo\n\nfour", 14);
	put("src/uart.c", "other\n", 6);
	put("empty.c", "", 0);
	put("odd.c", "\0\n\xff\n", 4);
}

static void drop_files(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static void expect_line(struct pt_sources *s, const char *path, uint32_t line, const char *text, size_t len)
{
	size_t len_bytes;
	const char *got = pt_source_line(s, path, line, &len_bytes);

	ck_assert_ptr_nonnull(got);
	ck_assert_uint_eq(len_bytes, len);
	ck_assert_mem_eq(got, text, len);
}

START_TEST(reads_lines)
{
	struct pt_sources *s = pt_sources_new(NULL, &err);
	char path[512];
	size_t len;

	snprintf(path, sizeof(path), "%s/src/a/uart.c", dir);
	ck_assert_uint_eq(pt_source_n_lines(s, path), 4);
	expect_line(s, path, 1, "one", 3);
	expect_line(s, path, 2, "two", 3);
	expect_line(s, path, 3, "", 0);
	expect_line(s, path, 4, "four", 4);
	ck_assert_ptr_null(pt_source_line(s, path, 0, &len));
	ck_assert_ptr_null(pt_source_line(s, path, 5, &len));
	ck_assert_str_eq(pt_source_found(s, path), path);
	ck_assert_ptr_null(pt_source_missing(s, path));
	snprintf(path, sizeof(path), "%s/odd.c", dir);
	expect_line(s, path, 1, "\0", 1);
	expect_line(s, path, 2, "\xff", 1);
	snprintf(path, sizeof(path), "%s/empty.c", dir);
	ck_assert_uint_eq(pt_source_n_lines(s, path), 0);
	ck_assert_ptr_null(pt_source_missing(s, path));
	pt_sources_free(s);
}
END_TEST

/* %s stands for the folder. */
static const struct { const char *places, *path, *found; } lookups[] = {
	{ "/build:%s/src", "/build/a/uart.c", "%s/src/a/uart.c" },
	{ "/build/:%s/src/", "/build/a/uart.c", "%s/src//a/uart.c" },
	{ "/build:%s/src", "/builder/a/uart.c", NULL },
	{ "/x:/y,/build:%s/none,/build:%s/src", "/build/a/uart.c", "%s/src/a/uart.c" },
	{ "/:%s/src", "/a/uart.c", "%s/src/a/uart.c" },
	{ "src:%s/src", "src/a/uart.c", "%s/src/a/uart.c" },
	{ "%s/src", "/there/project/a/uart.c", "%s/src/a/uart.c" },	/* before src/uart.c */
	{ "%s/src", "/there/project/b/uart.c", "%s/src/uart.c" },
	{ "%s/none,%s/src", "uart.c", "%s/src/uart.c" },
	{ "%s/src/a", "../uart.c", "%s/src/a/uart.c" },			/* not out of the folder */
	{ "%s/src", "/there/spi.c", NULL },
	{ NULL, "/build/a/uart.c", NULL },
};

START_TEST(finds_files)
{
	char places[1024], found[512];
	struct pt_sources *s;

	snprintf(places, sizeof(places), lookups[_i].places != NULL ? lookups[_i].places : "", dir, dir);
	s = pt_sources_new(lookups[_i].places != NULL ? places : NULL, &err);
	ck_assert_msg(s != NULL, "%s", err.msg);
	if (lookups[_i].found == NULL) {
		ck_assert_ptr_null(pt_source_found(s, lookups[_i].path));
		ck_assert_ptr_nonnull(strstr(pt_source_missing(s, lookups[_i].path), "there is no file "));
	} else {
		snprintf(found, sizeof(found), lookups[_i].found, dir);
		ck_assert_ptr_nonnull(pt_source_found(s, lookups[_i].path));
		ck_assert_str_eq(pt_source_found(s, lookups[_i].path), found);
	}
	pt_sources_free(s);
}
END_TEST

START_TEST(says_what_is_no_source)
{
	struct pt_sources *s = pt_sources_new(NULL, &err);
	char path[512];

	ck_assert_ptr_nonnull(strstr(pt_source_missing(s, dir), "is not a file"));
	snprintf(path, sizeof(path), "%s/large.c", dir);
	put("large.c", "", 0);
	ck_assert_int_eq(truncate(path, PT_SOURCE_MAX_FILE_BYTES + 1), 0);
	ck_assert_ptr_nonnull(strstr(pt_source_missing(s, path), "is too large"));
	ck_assert_uint_eq(pt_source_n_lines(s, path), 0);
	pt_sources_free(s);
	pt_sources_free(NULL);
}
END_TEST

static const char *const wrong[] = { ":x", "x:", ":" };

START_TEST(refuses_places_without_sense)
{
	ck_assert_ptr_null(pt_sources_new(wrong[_i], &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "is neither FROM:TO nor a folder"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("source");
	TCase *tc = tcase_create("points");

	tcase_add_loop_test(tc, finds_point, 0, PT_LEN(points));
	tcase_add_test(tc, points_without_lines);
	suite_add_tcase(suite, tc);
	tc = tcase_create("source");
	tcase_add_checked_fixture(tc, make_files, drop_files);
	tcase_add_test(tc, reads_lines);
	tcase_add_loop_test(tc, finds_files, 0, PT_LEN(lookups));
	tcase_add_test(tc, says_what_is_no_source);
	tcase_add_loop_test(tc, refuses_places_without_sense, 0, PT_LEN(wrong));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
