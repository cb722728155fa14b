/* Memory is zeroed and there; where it cannot be, the process ends with a sentence. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "base/alloc.h"

static volatile size_t most = SIZE_MAX;	/* not a constant that the compiler could warn of */

static void *many(void) { return pt_alloc_array(most / 2, 4); }
static void *grow_to_many(void) { return pt_realloc_array(pt_alloc(8), most / 16, 32); }

static void *(*const ends[])(void) = { many, grow_to_many };

START_TEST(what_overflows_ends_the_process)
{
	char said[200] = "";
	int out[2], status;
	pid_t child;

	ck_assert_int_eq(pipe(out), 0);
	child = fork();
	if (child == 0) {
		dup2(out[1], STDERR_FILENO);
		ends[_i]();
		_exit(0);
	}
	close(out[1]);
	ck_assert_int_gt(read(out[0], said, sizeof(said) - 1), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert_ptr_eq(strstr(said, "proftap: out of memory: "), said);
	close(out[0]);
}
END_TEST

START_TEST(is_zeroed_and_there)
{
	uint8_t zero[24] = { 0 }, *array = pt_alloc_array(3, 8), *none = pt_alloc_array(0, 8);

	ck_assert_mem_eq(array, zero, 24);
	array[23] = 7;
	array = pt_realloc_array(array, 100, 8);
	ck_assert_uint_eq(array[23], 7);
	none = pt_realloc_array(none, 0, 8);	/* is no free() */
	ck_assert_ptr_nonnull(none);
	free(array);
	free(none);
}
END_TEST

START_TEST(texts)
{
	const char open_end[3] = { 'a', 'b', 'c' };
	char *all = pt_strdup("abc"), *some = pt_strndup("abc", 2), *none = pt_strndup("", 5),
	     *bounded = pt_strndup(open_end, 3);

	ck_assert_str_eq(all, "abc");
	ck_assert_str_eq(some, "ab");
	ck_assert_str_eq(none, "");
	ck_assert_str_eq(bounded, "abc");
	free(all);
	free(some);
	free(none);
	free(bounded);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("alloc");
	TCase *tc = tcase_create("alloc");

	tcase_add_loop_test(tc, what_overflows_ends_the_process, 0, PT_LEN(ends));
	tcase_add_test(tc, is_zeroed_and_there);
	tcase_add_test(tc, texts);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
