/* What every unit test shares: libcheck's main around a table of cases. */
#ifndef PT_TESTS_HARNESS_H
#define PT_TESTS_HARNESS_H

#include <check.h>
#include <stdlib.h>

#include "base/util.h"

/* At each assertion that holds, libcheck writes where it is into a file, to say so when the test dies. One in a loop took
 * most of some tests' time: a place is written when it is reached for the first time. */
static inline void pt_mark_point(const char *file, int line)
{
	static _Thread_local struct { const char *file; int line; } marked[256];
	unsigned at = (unsigned)line % PT_LEN(marked);

	if (marked[at].file == file && marked[at].line == line)
		return;
	marked[at].file = file;
	marked[at].line = line;
	_mark_point(file, line);
}
#define _mark_point(file, line) pt_mark_point(file, line)

/* Tests that judge figures over many random runs take a tenth of them under a sanitizer, which is slow and looks for
 * faults of memory: the paths are the same. The verdict on figures is the plain run's. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PT_SANITIZED = 1 };
#else
enum { PT_SANITIZED = 0 };
#endif

static inline unsigned pt_random_runs(unsigned n)
{
	return PT_SANITIZED ? (n + 9) / 10 : n;
}

/* Run one suite; the exit status of main(). CK_RUN_CASE and CK_FORK work as libcheck documents them. */
static inline int pt_run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
