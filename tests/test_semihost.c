/* Semihosting as the daemon serves it: what a program may ask of this host, and what it may not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array_mem.h"
#include "harness.h"
#include "targets/arm/semihost.h"
#include "base/util.h"

enum { RAM = 0x20000000, RAM_BYTES = 0x20000, NAME = RAM + 0x100, TO = RAM + 0x180, DATA = RAM + 0x200, BLOCK = RAM };

static struct array_mem am;
static uint8_t *ram;
static struct pt_semihost sh;
static struct pt_err err;
static char said[4096], dir[] = "/tmp/pt_semihost_XXXXXX";

static void keep(void *arg, const char *text, size_t len_bytes)
{
	size_t n = strlen(said);

	(void)arg;
	ck_assert_uint_lt(n + len_bytes, sizeof(said));
	memcpy(said + n, text, len_bytes);
	said[n + len_bytes] = '\0';
}

static void set_up(void)
{
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	array_mem_init(&am);
	ram = array_mem_add(&am, RAM, RAM_BYTES);
	sh = (struct pt_semihost){ .mode = PT_SEMIHOST_CONSOLE, .say = keep, .began_ns = 1000 };
	strcpy(sh.dir, dir);
	said[0] = '\0';
}

static void tear_down(void)
{
	char command[100];

	pt_semihost_reset(&sh, 0);
	array_mem_fini(&am);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static int rc;

static int32_t ask(uint32_t op, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	struct pt_semihost_call call = { op, BLOCK, { a, b, c, d } };
	int32_t result = -99;

	err = (struct pt_err){ 0 };
	rc = pt_semihost_serve(&sh, &am.mem, &call, 5000001000, &result, &err);
	return result;
}

static int32_t open_as(const char *name, uint32_t mode)
{
	strcpy((char *)ram + (NAME - RAM), name);
	return ask(PT_SYS_OPEN, NAME, mode, (uint32_t)strlen(name), 0);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

START_TEST(keeps_to_its_directory)
{
	static const char *const names[] = { "../x", "/etc/passwd", "..",   ".",    ".hidden",
					     "a/b",  "a/../../x",   "link", "pipe", "sub" };
	char path[100];

	set_up();
	snprintf(path, sizeof(path), "%s/link", dir);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	snprintf(path, sizeof(path), "%s/pipe", dir);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/sub", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	for (uint32_t mode = 0; mode < 12; mode++)
		ck_assert_msg(open_as(names[_i], mode) == -1 && rc == 0, "%s, mode %u", names[_i], (unsigned)mode);
	ck_assert_int_ne(ask(PT_SYS_ERRNO, 0, 0, 0, 0), 0);
	if (_i < 7) { /* nothing can be removed, or brought there, by these names */
		ck_assert_int_eq(ask(PT_SYS_REMOVE, NAME, (uint32_t)strlen(names[_i]), 0, 0), -1);
		strcpy((char *)ram + (TO - RAM), "pipe");
		ck_assert_int_eq(ask(PT_SYS_RENAME, TO, 4, NAME, (uint32_t)strlen(names[_i])), -1);
		ck_assert_int_eq(ask(PT_SYS_RENAME, NAME, (uint32_t)strlen(names[_i]), TO, 4), -1);
	}
	tear_down();
}
END_TEST

START_TEST(has_no_files_without_a_directory)
{
	set_up();
	sh.dir[0] = '\0';
	ck_assert_int_eq(open_as("x", 4), -1);
	ck_assert_int_eq(open_as("x", 4), -1);
	ck_assert_str_eq(said, "semihosting: the program asks for the file x: no directory is given to it (proftap "
			       "--semihost-dir DIR)\n");
	ck_assert_int_gt(open_as(":tt", 4), 0);
	tear_down();
}
END_TEST

START_TEST(bounds_what_is_asked)
{
	int32_t file, last = 0;

	set_up();
	file = open_as("big", 6);
	ck_assert_int_eq(file, 1);
	ck_assert_int_eq(ask(PT_SYS_WRITE, 1, DATA, 0xffffffff, 0), (int32_t)(0xffffffffu - PT_SEMIHOST_MOST_BYTES));
	ck_assert_int_eq(ask(PT_SYS_FLEN, 1, 0, 0, 0), PT_SEMIHOST_MOST_BYTES);
	ck_assert_int_eq(ask(PT_SYS_SEEK, 1, 10, 0, 0), 0);
	ask(PT_SYS_READ, 1, RAM + RAM_BYTES - 4, 8, 0);
	ck_assert_int_eq(rc, PT_EFAULT); /* a pointer that leads out of memory */
	ask(PT_SYS_WRITE, 1, 0x60000000, 4, 0);
	ck_assert_int_eq(rc, PT_EFAULT);
	ck_assert_int_eq(ask(PT_SYS_OPEN, NAME, 12, 3, 0), -1); /* no such mode */
	ck_assert_int_eq(ask(PT_SYS_OPEN, NAME, 4, 0xffffffff, 0), -1);
	ck_assert_int_eq(ask(PT_SYS_ERRNO, 0, 0, 0, 0), ENAMETOOLONG);
	for (int i = 0; i < PT_SEMIHOST_FILES; i++)
		last = open_as(":tt", 4);
	ck_assert_int_eq(last, -1);
	ck_assert_int_eq(ask(PT_SYS_ERRNO, 0, 0, 0, 0), EMFILE);
	ck_assert_int_eq(ask(PT_SYS_CLOSE, 1, 0, 0, 0), 0);
	ck_assert_int_eq(ask(PT_SYS_CLOSE, 1, 0, 0, 0), -1);
	for (uint32_t wrong = 17; wrong != 1; wrong = wrong == 17 ? 0 : wrong == 0 ? 0xffffffff : 1)
		ck_assert_int_eq(ask(PT_SYS_READ, wrong, DATA, 1, 0), -1);
	tear_down();
}
END_TEST

/* --- the console, and the rest ------------------------------------------------------------------------------------ */

START_TEST(says_what_the_program_says)
{
	struct pt_semihost_call text = { PT_SYS_WRITE0, DATA, { 0 } };
	int32_t result;

	set_up();
	memset(ram + (DATA - RAM), 'x', 1000);
	ck_assert_int_eq(pt_semihost_serve(&sh, &am.mem, &text, 0, &result, &err), 0);
	ck_assert_uint_eq(strlen(said), 1000);
	text.op = PT_SYS_WRITEC;
	ck_assert_int_eq(pt_semihost_serve(&sh, &am.mem, &text, 0, &result, &err), 0);
	ck_assert_uint_eq(strlen(said), 1001);
	text = (struct pt_semihost_call){ PT_SYS_WRITE0, RAM + RAM_BYTES - 10, { 0 } };
	memset(ram + RAM_BYTES - 10, 'y', 10); /* no end before that of memory */
	ck_assert_int_eq(pt_semihost_serve(&sh, &am.mem, &text, 0, &result, &err), PT_EFAULT);
	tear_down();
}
END_TEST

START_TEST(counts_time_and_ends)
{
	set_up();
	ck_assert_int_eq(ask(PT_SYS_CLOCK, 0, 0, 0, 0), 500);
	ck_assert_int_eq(ask(PT_SYS_ELAPSED, 0, 0, 0, 0), 0);
	ck_assert_uint_eq(pt_le32(ram) | (uint64_t)pt_le32(ram + 4) << 32, 5000000000);
	ck_assert_int_eq(ask(PT_SYS_TMPNAM, DATA, 7, 6, 0), -1); /* too little room for it */
	ck_assert_int_eq(ask(PT_SYS_TMPNAM, DATA, 7, 7, 0), 0);
	ck_assert_str_eq((char *)ram + (DATA - RAM), "tmp007");
	ck_assert_int_eq(ask(PT_SYS_SYSTEM, DATA, 6, 0, 0), -1);
	ck_assert_int_eq(ask(0x99, 0, 0, 0, 0), -1);
	ck_assert_int_eq(ask(0x99, 0, 0, 0, 0), -1);
	ck_assert_str_eq(said, "semihosting: the program asks for a command of this host: refused\nsemihosting: "
			       "operation 0x99 is not known\n");
	ask(PT_SYS_EXIT_EXTENDED, 0x20026, 3, 0, 0);
	ck_assert(sh.ended);
	ck_assert_uint_eq(sh.status, 3);
	pt_semihost_reset(&sh, 7);
	ck_assert(!sh.ended);
	said[0] = '\0';
	ask(PT_SYS_EXIT, 0, 0, 0, 0); /* its reason is r1 itself: not that of an application */
	ck_assert_uint_eq(sh.status, 1);
	ck_assert_str_eq(said, "the program ended: reason 0x20000000\n");
	tear_down();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("semihost");
	TCase *tc = tcase_create("semihost");

	tcase_add_loop_test(tc, keeps_to_its_directory, 0, 10);
	tcase_add_test(tc, has_no_files_without_a_directory);
	tcase_add_test(tc, bounds_what_is_asked);
	tcase_add_test(tc, says_what_the_program_says);
	tcase_add_test(tc, counts_time_and_ends);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
