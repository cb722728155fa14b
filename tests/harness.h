/* What every unit test shares: libcheck's main around a table of cases. */
#ifndef PT_TESTS_HARNESS_H
#define PT_TESTS_HARNESS_H

#include <check.h>
#include <stdlib.h>

#include "base/util.h"

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
