/* Files that hold a token, and files that do not; which word fits it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "host/token.h"

#define WORD "correct-horse-battery"
static const struct { const char *text; mode_t mode; int rc; const char *says; } files[] = {
	{ WORD, 0600, 0, "" }, { "  " WORD "\r\n\n", 0400, 0, "" }, { WORD "\n", 0700, 0, "" },
	{ WORD, 0640, PT_EARG, "chmod 600" }, { WORD, 0602, PT_EARG, "(mode 602)" },
	{ WORD, 0601, PT_EARG, "(mode 601)" },
	{ "", 0600, PT_EARG, "this one 0" }, { "\n \n", 0600, PT_EARG, "this one 0" },
	{ "fifteen-letters", 0600, PT_EARG, "this one 15" }, { WORD " " WORD, 0600, PT_EARG, "one word" },
	{ WORD "\nand-a-line", 0600, PT_EARG, "one word" }, { WORD "\x80", 0600, PT_EARG, "one word" },
	{ WORD "\x1b[2J", 0600, PT_EARG, "one word" },
};

START_TEST(file_is_taken_or_refused)
{
	char path[] = "/tmp/proftap-token-XXXXXX";
	int fd = mkstemp(path);
	struct pt_token token;
	struct pt_err err;
	int rc;

	ck_assert_int_eq(write(fd, files[_i].text, strlen(files[_i].text)), (ssize_t)strlen(files[_i].text));
	fchmod(fd, files[_i].mode);
	close(fd);
	rc = pt_token_read(&token, path, &err);
	unlink(path);
	ck_assert_int_eq(rc, files[_i].rc);
	if (rc == 0)
		ck_assert(pt_token_fits(&token, WORD));
	else
		ck_assert_msg(strstr(err.msg, files[_i].says) != NULL && strstr(err.msg, "horse") == NULL, "%s",
			      err.msg);
}
END_TEST

START_TEST(the_word_alone_fits)
{
	static const char *const others[] = { "", "c", WORD "x", "Correct-horse-battery", "correct-horse-batter",
					      " " WORD };
	char path[] = "/tmp/proftap-token-XXXXXX";
	int fd = mkstemp(path);
	struct pt_token token;
	struct pt_err err;

	ck_assert_int_eq(write(fd, WORD, strlen(WORD)), (ssize_t)strlen(WORD));
	close(fd);
	ck_assert_int_eq(pt_token_read(&token, path, &err), 0);
	unlink(path);
	for (size_t i = 0; i < PT_LEN(others); i++)
		ck_assert_msg(!pt_token_fits(&token, others[i]), "%s", others[i]);
	ck_assert(pt_token_fits(&token, WORD));
}
END_TEST

START_TEST(long_words_have_a_bound)
{
	char path[] = "/tmp/proftap-token-XXXXXX", text[PT_TOKEN_MOST + 1];
	int fd = mkstemp(path);
	struct pt_token token;
	struct pt_err err;

	memset(text, 'x', sizeof(text));
	ck_assert_int_eq(write(fd, text, PT_TOKEN_MOST), PT_TOKEN_MOST);
	ck_assert_int_eq(pt_token_read(&token, path, &err), 0);
	ck_assert_int_eq(write(fd, text, 1), 1);
	ck_assert_int_eq(pt_token_read(&token, path, &err), PT_EARG);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(write(fd, text, sizeof(text)), sizeof(text));
	ck_assert_int_eq(pt_token_read(&token, path, &err), PT_EARG);
	close(fd);
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(pt_token_read(&token, path, &err), PT_EARG);
	unlink(path);
	ck_assert_int_eq(pt_token_read(&token, path, &err), PT_EIO);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("token");
	TCase *tc = tcase_create("token");

	tcase_add_loop_test(tc, file_is_taken_or_refused, 0, PT_LEN(files));
	tcase_add_test(tc, the_word_alone_fits);
	tcase_add_test(tc, long_words_have_a_bound);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
