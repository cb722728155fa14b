/* Semihosting as the daemon serves it: what a program may ask of this host, and what it may not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array_mem.h"
#include "harness.h"
#include "board/host.h"
#include "targets/arm/semihost.h"
#include "base/util.h"

enum { RAM = 0x20000000, RAM_BYTES = 0x20000, NAME = RAM + 0x100, TO = RAM + 0x180, DATA = RAM + 0x200, BLOCK = RAM };

static struct array_mem am;
static uint8_t *ram;
static struct pt_host sh;
static struct pt_err err;
static char said[4096], dir[] = "/tmp/pt_host_XXXXXX";

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
	sh = (struct pt_host){ .mode = PT_HOST_CONSOLE, .say = keep, .began_ns = 1000 };
	strcpy(sh.dir, dir);
	said[0] = '\0';
}

static void tear_down(void)
{
	char command[100];

	pt_host_reset(&sh, 0);
	array_mem_fini(&am);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static int rc;

static int32_t ask(uint32_t op, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	struct pt_host_call call = { op, BLOCK, { a, b, c, d }, op != PT_HOST_UNKNOWN ? op : 0x99 };
	int32_t result = -99;

	err = (struct pt_err){ 0 };
	rc = pt_host_serve(&sh, &am.mem, &call, 5000001000, &result, &err);
	return result;
}

static int32_t open_as(const char *name, uint32_t mode)
{
	strcpy((char *)ram + (NAME - RAM), name);
	return ask(PT_HOST_OPEN, NAME, mode, (uint32_t)strlen(name), 0);
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
	ck_assert_int_ne(ask(PT_HOST_ERRNO, 0, 0, 0, 0), 0);
	if (_i < 7) { /* nothing can be removed, or brought there, by these names */
		ck_assert_int_eq(ask(PT_HOST_REMOVE, NAME, (uint32_t)strlen(names[_i]), 0, 0), -1);
		strcpy((char *)ram + (TO - RAM), "pipe");
		ck_assert_int_eq(ask(PT_HOST_RENAME, TO, 4, NAME, (uint32_t)strlen(names[_i])), -1);
		ck_assert_int_eq(ask(PT_HOST_RENAME, NAME, (uint32_t)strlen(names[_i]), TO, 4), -1);
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
	ck_assert_str_eq(said,
			 "semihosting: the program asks for the file x: it has no directory (give it one: proftap "
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
	ck_assert_int_eq(ask(PT_HOST_WRITE, 1, DATA, 0xffffffff, 0), (int32_t)(0xffffffffu - PT_HOST_MOST_BYTES));
	ck_assert_int_eq(ask(PT_HOST_FLEN, 1, 0, 0, 0), PT_HOST_MOST_BYTES);
	ck_assert_int_eq(ask(PT_HOST_SEEK, 1, 10, 0, 0), 0);
	ask(PT_HOST_READ, 1, RAM + RAM_BYTES - 4, 8, 0);
	ck_assert_int_eq(rc, PT_EFAULT); /* a pointer that leads out of memory */
	ask(PT_HOST_WRITE, 1, 0x60000000, 4, 0);
	ck_assert_int_eq(rc, PT_EFAULT);
	ck_assert_int_eq(ask(PT_HOST_OPEN, NAME, 12, 3, 0), -1); /* no such mode */
	ck_assert_int_eq(ask(PT_HOST_OPEN, NAME, 4, 0xffffffff, 0), -1);
	ck_assert_int_eq(ask(PT_HOST_ERRNO, 0, 0, 0, 0), ENAMETOOLONG);
	for (int i = 0; i < PT_HOST_FILES; i++)
		last = open_as(":tt", 4);
	ck_assert_int_eq(last, -1);
	ck_assert_int_eq(ask(PT_HOST_ERRNO, 0, 0, 0, 0), EMFILE);
	ck_assert_int_eq(ask(PT_HOST_CLOSE, 1, 0, 0, 0), 0);
	ck_assert_int_eq(ask(PT_HOST_CLOSE, 1, 0, 0, 0), -1);
	for (uint32_t wrong = 17; wrong != 1; wrong = wrong == 17 ? 0 : wrong == 0 ? 0xffffffff : 1)
		ck_assert_int_eq(ask(PT_HOST_READ, wrong, DATA, 1, 0), -1);
	tear_down();
}
END_TEST

/* --- the console, and the rest ------------------------------------------------------------------------------------ */

START_TEST(says_what_the_program_says)
{
	struct pt_host_call text = { PT_HOST_WRITE0, DATA, { 0 }, 4 };
	int32_t result;

	set_up();
	memset(ram + (DATA - RAM), 'x', 1000);
	ck_assert_int_eq(pt_host_serve(&sh, &am.mem, &text, 0, &result, &err), 0);
	ck_assert_uint_eq(strlen(said), 1000);
	text.op = PT_HOST_WRITEC;
	ck_assert_int_eq(pt_host_serve(&sh, &am.mem, &text, 0, &result, &err), 0);
	ck_assert_uint_eq(strlen(said), 1001);
	text = (struct pt_host_call){ PT_HOST_WRITE0, RAM + RAM_BYTES - 10, { 0 }, 4 };
	memset(ram + RAM_BYTES - 10, 'y', 10); /* no end before that of memory */
	ck_assert_int_eq(pt_host_serve(&sh, &am.mem, &text, 0, &result, &err), PT_EFAULT);
	tear_down();
}
END_TEST

START_TEST(counts_time_and_ends)
{
	set_up();
	ck_assert_int_eq(ask(PT_HOST_CLOCK, 0, 0, 0, 0), 500);
	ck_assert_int_eq(ask(PT_HOST_ELAPSED, 0, 0, 0, 0), 0);
	ck_assert_uint_eq(pt_le32(ram) | (uint64_t)pt_le32(ram + 4) << 32, 5000000000);
	ck_assert_int_eq(ask(PT_HOST_TMPNAM, DATA, 7, 6, 0), -1); /* too little room for it */
	ck_assert_int_eq(ask(PT_HOST_TMPNAM, DATA, 7, 7, 0), 0);
	ck_assert_str_eq((char *)ram + (DATA - RAM), "tmp007");
	ck_assert_int_eq(ask(PT_HOST_SYSTEM, DATA, 6, 0, 0), -1);
	ck_assert_int_eq(ask(PT_HOST_UNKNOWN, 0, 0, 0, 0), -1);
	ck_assert_int_eq(ask(PT_HOST_UNKNOWN, 0, 0, 0, 0), -1);
	ck_assert_str_eq(said, "semihosting: the program asks to run a command on this host: refused\nsemihosting: "
			       "operation 0x99 is unknown\n");
	ask(PT_HOST_EXIT, 1, 3, 0, 0);
	ck_assert(sh.ended);
	ck_assert_uint_eq(sh.status, 3);
	pt_host_reset(&sh, 7);
	ck_assert(!sh.ended);
	said[0] = '\0';
	ask(PT_HOST_EXIT, 0, 0x20000000, 0, 0);
	ck_assert_uint_eq(sh.status, 1);
	ck_assert_str_eq(said, "the program ended: reason 0x20000000\n");
	tear_down();
}
END_TEST

/* --- as an Arm asks ----------------------------------------------------------------------------------------------- */

static const struct {
	uint32_t r0, r1, words[4];
	struct pt_host_call call;
} asked[] = {
	{ 0x01, BLOCK, { NAME, 4, 3, 9 }, { PT_HOST_OPEN, BLOCK, { NAME, 4, 3, 9 }, 0x01 } },
	{ 0x18, 0x20026, { 7, 7 }, { PT_HOST_EXIT, 0x20026, { 1, 0 }, 0x18 } },
	{ 0x18, 0x20023, { 7, 7 }, { PT_HOST_EXIT, 0x20023, { 0, 0x20023 }, 0x18 } }, /* its reason is r1 itself */
	{ 0x20, BLOCK, { 0x20026, 3 }, { PT_HOST_EXIT, BLOCK, { 1, 3 }, 0x20 } },
	{ 0x20, BLOCK, { 0x20023, 3 }, { PT_HOST_EXIT, BLOCK, { 0, 0x20023 }, 0x20 } },
	{ 0x31, 0, { 0 }, { PT_HOST_TICKFREQ, 0, { 0 }, 0x31 } },
	{ 0x0b, 0, { 0 }, { PT_HOST_UNKNOWN, 0, { 0 }, 0x0b } },
	{ 0x99, 0, { 0 }, { PT_HOST_UNKNOWN, 0, { 0 }, 0x99 } },
	{ 0xffffffff, 0, { 0 }, { PT_HOST_UNKNOWN, 0, { 0 }, 0xffffffff } },
};
START_TEST(decodes_what_an_arm_asks)
{
	struct pt_host_call call;

	pt_arm_host_decode(asked[_i].r0, asked[_i].r1, asked[_i].words, &call);
	ck_assert_mem_eq(&call, &asked[_i].call, sizeof(call));
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
	tcase_add_loop_test(tc, decodes_what_an_arm_asks, 0, PT_LEN(asked));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
