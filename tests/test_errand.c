/* Errands: the answer comes once, in time or late, and what hangs takes nothing from the next. */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "host/errand.h"
#include "harness.h"

static uv_loop_t loop;
static int hang[2]; /* what hangs waits for a byte of it */
static int n_done, n_late;
static atomic_int n_dropped;

static void do_at_once(void *data)
{
	(void)data;
}

static void do_hang(void *data)
{
	char byte;

	(void)data;
	(void)!read(hang[0], &byte, 1);
}

static void on_done(void *data, void *arg, bool late)
{
	ck_assert_ptr_eq(arg, &loop);
	ck_assert(data == &n_done);
	n_done++;
	n_late += late;
}

static void on_drop(void *data)
{
	(void)data;
	atomic_fetch_add(&n_dropped, 1);
}

static const struct pt_errand_kind quick = { do_at_once, on_done, on_drop, .timeout_ms = PT_ERRAND_MS };
static const struct pt_errand_kind hanging = { do_hang, on_done, on_drop, .timeout_ms = 1 };

static void setup(void)
{
	ck_assert_int_eq(uv_loop_init(&loop) + pipe(hang), 0);
	n_done = n_late = 0;
	atomic_store(&n_dropped, 0);
}

static void teardown(void)
{
	ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void start(const struct pt_errand_kind *kind)
{
	struct pt_err err = { 0 };

	ck_assert_msg(pt_errand_start(&loop, kind, &n_done, &loop, &err) == 0, "%s", err.msg);
}

START_TEST(answers_once)
{
	for (int i = 0; i < PT_ERRANDS; i++)
		start(&quick);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n_done, PT_ERRANDS);
	ck_assert_int_eq(n_late, 0);
	ck_assert_int_eq(atomic_load(&n_dropped), 0);
}
END_TEST

/* As its deadline does, at once: done() is called, and what hangs is left to its thread. */
START_TEST(is_cancelled)
{
	static const struct pt_errand_kind long_one = { do_hang, on_done, on_drop, .timeout_ms = PT_ERRAND_MS };
	struct pt_err err = { 0 };

	pt_errand_cancel(pt_errand_new(&loop, &long_one, &n_done, &loop, &err));
	ck_assert_int_eq(n_done, 1);
	ck_assert_int_eq(n_late, 1);
	uv_run(&loop, UV_RUN_DEFAULT);
	close(hang[1]);
	while (atomic_load(&n_dropped) < 1)
		usleep(1000);
	ck_assert_int_eq(n_done, 1);
}
END_TEST

/* What hangs at one place takes nothing from another, and what ends something is never refused. */
START_TEST(places_are_apart)
{
	static const struct pt_errand_kind elsewhere = { do_at_once, on_done, on_drop, .timeout_ms = PT_ERRAND_MS,
							 .place = PT_ERRAND_OWN };
	static const struct pt_errand_kind last = { do_at_once, on_done, on_drop, .timeout_ms = PT_ERRAND_MS,
						    .always = true };
	struct pt_err err = { 0 };

	while (pt_errand_start(&loop, &hanging, &n_done, &loop, &err) == 0)
		uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(err.code, PT_EBUSY);
	start(&elsewhere);
	start(&last);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n_done, n_late + 2);
	close(hang[1]);
	while (atomic_load(&n_dropped) < n_late)
		usleep(1000);
}
END_TEST

START_TEST(what_hangs_is_left)
{
	struct pt_err err = { 0 };

	for (int i = 0; i < PT_ERRANDS - 1; i++)
		start(&hanging);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n_late, PT_ERRANDS - 1);
	start(&quick); /* the next has a thread all the same */
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n_done, PT_ERRANDS);
	while (pt_errand_start(&loop, &hanging, &n_done, &loop, &err) == 0)
		uv_run(&loop, UV_RUN_DEFAULT); /* quick's thread may not be gone yet: then this waits for a byte, too */
	ck_assert_int_eq(err.code, PT_EBUSY);
	close(hang[1]); /* the disk answers, too late: what it was for is dropped by the threads */
	while (atomic_load(&n_dropped) < n_late)
		usleep(1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("errand");
	TCase *tc = tcase_create("errand");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, answers_once);
	tcase_add_test(tc, is_cancelled);
	tcase_add_test(tc, places_are_apart);
	tcase_add_test(tc, what_hangs_is_left);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
