/* Files that a user or a client names: what is opened, what is refused, and that nothing leads out of --files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "host/named_file.h"

/* TOP/secret, TOP/dir/{in, sub/in, out -> ../secret, up -> .., link -> in, pipe, abs -> TOP/secret} */
static char top[] = "/tmp/proftap-named-XXXXXX";
static char folder[64];

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void setup(void)
{
	char secret[64];

	strcpy(top, "/tmp/proftap-named-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	ck_assert_int_eq(chdir(top), 0);
	ck_assert_int_eq(mkdir("dir", 0700) | mkdir("dir/sub", 0700) | mkdir("sticky", 01777), 0);
	ck_assert_int_eq(chmod("sticky", 01777), 0);
	put("secret", "secret");
	put("dir/in", "in");
	put("dir/sub/in", "in");
	snprintf(secret, sizeof(secret), "%s/secret", top);
	ck_assert_int_eq(symlink("../secret", "dir/out") | symlink("..", "dir/up") | symlink("in", "dir/link"), 0);
	ck_assert_int_eq(symlink(secret, "dir/abs") | symlink(secret, "sticky/planted"), 0);
	ck_assert_int_eq(mkfifo("dir/pipe", 0600), 0);
	snprintf(folder, sizeof(folder), "%s/dir", top);
	ck_assert_int_eq(pt_named_set_folder(folder, NULL), 0);
}

static void teardown(void)
{
	char command[96];

	pt_named_set_folder(NULL, NULL);
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", top);
	ck_assert_int_eq(system(command), 0);
}

enum { WRITE = O_RDWR | O_CREAT };
static const struct { const char *name; int flags; enum pt_named_kind kind; int rc; } cases[] = {
	{ "files:in", O_RDONLY, PT_NAMED_FILE, 0 }, { "files:sub/in", O_RDONLY, PT_NAMED_FILE, 0 },
	{ "files:sub/../in", O_RDONLY, PT_NAMED_FILE, 0 }, { "files:new", WRITE, PT_NAMED_FILE, 0 },
	{ "files:", O_RDONLY, PT_NAMED_FILE, -ENOENT }, { "files:.", O_RDONLY, PT_NAMED_FILE, -EISDIR },
	{ "files:..", O_RDONLY, PT_NAMED_FILE, -EISDIR }, { "files:sub", O_RDONLY, PT_NAMED_FILE, -EISDIR },
	{ "files:../secret", O_RDONLY, PT_NAMED_FILE, -EXDEV }, { "files:sub/../../secret", O_RDONLY, PT_NAMED_FILE, -EXDEV },
	{ "files:/etc/passwd", O_RDONLY, PT_NAMED_FILE, -EXDEV }, { "files:out", O_RDONLY, PT_NAMED_FILE, -ELOOP },
	{ "files:abs", O_RDONLY, PT_NAMED_FILE, -ELOOP }, { "files:abs", WRITE, PT_NAMED_FILE, -ELOOP },
	{ "files:link", O_RDONLY, PT_NAMED_FILE, -ELOOP }, { "files:up/secret", O_RDONLY, PT_NAMED_FILE, -ELOOP },
	{ "files:up/new", WRITE, PT_NAMED_FILE, -ELOOP }, { "files:../new", WRITE, PT_NAMED_FILE, -EXDEV },
	{ "files:pipe", O_RDONLY, PT_NAMED_FILE, -EMEDIUMTYPE }, { "files:pipe", O_RDONLY, PT_NAMED_STREAM, -EMEDIUMTYPE },
	{ "files:pipe", O_WRONLY, PT_NAMED_FILE, -ENXIO }, { "files:none/in", O_RDONLY, PT_NAMED_FILE, -ENOENT },
	{ "dir/link", O_RDONLY, PT_NAMED_FILE, 0 }, { "dir/out", O_RDWR, PT_NAMED_FILE, 0 },
	{ "dir/pipe", O_RDONLY, PT_NAMED_FILE, -EMEDIUMTYPE }, { "dir/pipe", O_RDONLY, PT_NAMED_STREAM, 0 },
	{ "dir/pipe", O_RDWR, PT_NAMED_FILE, -EMEDIUMTYPE }, { "/dev/null", O_RDONLY, PT_NAMED_FILE, -EMEDIUMTYPE },
	{ "/dev/null", O_RDWR, PT_NAMED_FILE, -EMEDIUMTYPE },
	{ "/dev/null", O_RDONLY, PT_NAMED_STREAM, 0 }, { "/proc/self/mem", O_RDWR, PT_NAMED_FILE, -EMEDIUMTYPE },
	{ "/proc/self/environ", O_RDONLY, PT_NAMED_STREAM, -EMEDIUMTYPE }, { "dir", O_RDONLY, PT_NAMED_STREAM, -EISDIR },
	{ "sticky/planted", O_RDWR, PT_NAMED_FILE, 0 }, { "none", O_RDONLY, PT_NAMED_FILE, -ENOENT },
};

START_TEST(name_is_opened_or_refused)
{
	int fd = pt_named_open(cases[_i].name, cases[_i].flags, cases[_i].kind);

	if (fd >= 0)
		close(fd);
	ck_assert_msg((fd >= 0 ? 0 : fd) == cases[_i].rc, "%s: %s", cases[_i].name,
		      fd < 0 ? pt_named_why(-fd) : "open");
	ck_assert_int_ne(access("new", F_OK), 0);
}
END_TEST

/* Nothing is below a folder that there is not. */
START_TEST(no_folder_no_names)
{
	pt_named_set_folder(NULL, NULL);
	ck_assert(!pt_named_has_folder());
	ck_assert_int_eq(pt_named_open("files:in", O_RDONLY, PT_NAMED_FILE), -EACCES);
	ck_assert_int_eq(pt_named_open("files:/etc/passwd", O_RDONLY, PT_NAMED_FILE), -EACCES);
}
END_TEST

START_TEST(folder_must_be_one)
{
	struct pt_err err;

	ck_assert_int_eq(pt_named_set_folder("secret", &err), PT_EARG);
	ck_assert_int_eq(pt_named_set_folder("none", &err), PT_EARG);
	ck_assert(!pt_named_has_folder());
}
END_TEST

/* A link that another user has put into a sticky folder: root would write through it. */
START_TEST(planted_link_is_not_written_through)
{
	if (geteuid() != 0)
		return;
	ck_assert_int_eq(lchown("sticky/planted", 65534, 65534), 0);
	ck_assert_int_eq(pt_named_open("sticky/planted", O_RDWR, PT_NAMED_FILE), -ELOOP);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("namedfile");
	TCase *tc = tcase_create("names");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, name_is_opened_or_refused, 0, PT_LEN(cases));
	tcase_add_test(tc, no_folder_no_names);
	tcase_add_test(tc, folder_must_be_one);
	tcase_add_test(tc, planted_link_is_not_written_through);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
