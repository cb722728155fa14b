/* Several sources on one link: who is next, what each has had, and what becomes of the rest when one fails. */
#include <string.h>

#include "harness.h"
#include "base/text.h"
#include "probes/wires/probe.h"
#include "targets/contract/shared_link.h"
#include "targets/contract/target.h"
#include "tests/array_sink.h"
#include "tests/inline_profile.h"

/* A source that works for work_us of the link each time, and then rests. */
struct worker { const struct pt_source_setup *setup; int number; };

static struct { uint64_t work_us; int rest_us, fails_at, drains, states, stops; bool behind; } plan[3];
static struct inline_profile board;	/* for its link and clock */
static struct array_sink sink;
static struct pt_shared_link shared;
static struct pt_params *settings;

static int begin(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	(void)target;
	((struct worker *)state)->number = setup->source;
	ck_assert(setup->shares_link);
	return plan[setup->source].work_us == 0 ? pt_fail(err, PT_ESTATE, "nothing to do") : 0;
}

static int work(void *state, struct pt_err *err)
{
	int i = ((struct worker *)state)->number;

	plan[i].behind = false;
	if (++plan[i].drains == plan[i].fails_at)
		return pt_fail(err, PT_EBUSY, "worker %d gives up", i);
	if (pt_link_wait(board.link, pt_link_now_ns(board.link) + plan[i].work_us * 1000, err) < 0)
		return err->code;
	return plan[i].rest_us;
}

static int see_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	(void)what;
	(void)core;
	(void)pc;
	(void)err;
	plan[((struct worker *)state)->number].states++;
	return 0;
}

static bool is_behind(const void *state)
{
	return plan[((const struct worker *)state)->number].behind;
}

static int end(void *state, struct pt_err *err)
{
	(void)err;
	plan[((struct worker *)state)->number].stops++;
	return 0;
}

static const struct pt_source_ops worker = {
	.name = "worker", .state_bytes = sizeof(struct worker), .start = begin, .drain = work, .on_state = see_state,
	.behind = is_behind, .stop = end,
};

static void setup(void)
{
	struct inline_setup with = { .source = "pcsr" };

	memset(plan, 0, sizeof(plan));
	memset(&shared, 0, sizeof(shared));
	inline_open(&board, &with);
	array_sink_init(&sink);
	settings = pt_params_new();
}

static void teardown(void)
{
	pt_params_free(settings);
	array_sink_fini(&sink);
	inline_close(&board);
}

static int add(unsigned weight, uint64_t work_us, int rest_us)
{
	struct pt_source_setup with = {
		.settings = settings, .sink = &sink.sink, .seed = 1, .config = "", .source = (uint16_t)shared.n_members,
	};
	struct pt_err err = { 0 };

	plan[shared.n_members].work_us = work_us;
	plan[shared.n_members].rest_us = rest_us;
	return pt_shared_link_add(&shared, board.target, &with, &worker, weight, &err);
}

static void run(uint64_t ms)
{
	uint64_t until_ns = pt_link_now_ns(board.link) + ms * PT_NS_PER_MS;
	struct pt_err err = { 0 };

	while (pt_link_now_ns(board.link) < until_ns) {
		int rc = pt_shared_link_drain(&shared, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		if (rc > 0)
			pt_link_wait(board.link, pt_link_now_ns(board.link) + (uint64_t)rc * 1000, &err);
	}
}

static double share(size_t i)
{
	return (double)shared.member[i].link_ns / (double)(pt_link_now_ns(board.link) - shared.started_ns);
}

static void expect_share(size_t i, double wanted)
{
	ck_assert_msg(share(i) > wanted - 0.02 && share(i) < wanted + 0.02, "%zu has %.3f, not %.3f", i, share(i),
		      wanted);
}

static const struct {
	const char *name;
	struct { unsigned weight; uint64_t work_us; int rest_us; double share; } member[2];
} shares[] = {
	{ "both want all", { { 75, 3000, 0, 0.75 }, { 25, 500, 0, 0.25 } } },
	{ "the same, by other steps", { { 75, 500, 0, 0.75 }, { 25, 4000, 0, 0.25 } } },
	{ "one rests: the other has what is left", { { 75, 1000, 19000, 0.048 }, { 25, 1000, 0, 0.952 } } },
	{ "one wants more than its part", { { 50, 8000, 2000, 0.5 }, { 50, 500, 0, 0.5 } } },
	{ "neither wants all", { { 50, 1000, 9000, 0.1 }, { 50, 1000, 4000, 0.2 } } },
};

START_TEST(each_has_its_part)
{
	for (size_t i = 0; i < 2; i++)
		ck_assert_int_eq(add(shares[_i].member[i].weight, shares[_i].member[i].work_us,
				     shares[_i].member[i].rest_us),
				 0);
	run(4000);
	for (size_t i = 0; i < 2; i++)
		expect_share(i, shares[_i].member[i].share);
	pt_shared_link_stop(&shared, NULL);
	ck_assert_int_eq(plan[0].stops + plan[1].stops, 2);
}
END_TEST

/* What each had is in COST chunks of its own source, about once a second and at the end. */
START_TEST(parts_are_told)
{
	unsigned told[2] = { 0 };

	add(50, 1000, 0);
	add(50, 1000, 0);
	run(3500);
	pt_shared_link_stop(&shared, NULL);
	for (size_t i = 0; i < sink.n_chunks; i++) {
		ck_assert_int_eq(sink.chunk[i]->kind, PT_CHUNK_COST);
		ck_assert_uint_lt(sink.chunk[i]->source, 2);
		ck_assert_ptr_nonnull(strstr((const char *)sink.chunk[i]->bytes, "\nlink_ns="));
		told[sink.chunk[i]->source]++;
	}
	ck_assert_uint_eq(told[0], 4);
	ck_assert_uint_eq(told[1], 4);
}
END_TEST

START_TEST(one_fails_and_the_rest_goes_on)
{
	struct pt_err err = { 0 };
	int rc = 0;

	add(50, 1000, 0);
	add(50, 1000, 0);
	plan[0].fails_at = 3;
	run(100);
	ck_assert_int_eq(plan[0].drains, 3);
	ck_assert_int_eq(plan[0].stops, 1);
	ck_assert_int_gt(plan[1].drains, 90);
	plan[1].fails_at = plan[1].drains + 1;
	while (rc == 0)
		rc = pt_shared_link_drain(&shared, &err);
	ck_assert_int_eq(rc, PT_EBUSY);
	ck_assert_str_eq(err.msg, "worker 1 gives up");
	ck_assert_int_eq(plan[1].stops, 1);
}
END_TEST

START_TEST(who_is_waited_for_comes_first)
{
	struct pt_err err = { 0 };

	add(50, 1000, 100000);
	add(50, 1000, 0);
	run(10);
	ck_assert_int_eq(plan[0].drains, 1);
	plan[0].behind = true;
	ck_assert(pt_shared_link_behind(&shared));
	ck_assert_int_eq(pt_shared_link_drain(&shared, &err), 0);
	ck_assert_int_eq(plan[0].drains, 2);
	ck_assert(!pt_shared_link_behind(&shared));
	ck_assert_int_eq(pt_shared_link_on_state(&shared, PT_STATE_HALT, 0, 0, &err), 0);
	ck_assert_int_eq(plan[0].states + plan[1].states, 2);
	pt_shared_link_stop(&shared, &err);
}
END_TEST

START_TEST(one_that_does_not_start)
{
	add(50, 1000, 0);
	ck_assert_int_eq(add(50, 0, 0), PT_ESTATE);
	run(10);
	ck_assert_int_gt(plan[0].drains, 9);
	pt_shared_link_stop(&shared, NULL);
	ck_assert_int_eq(plan[0].stops, 1);
	ck_assert_int_eq(plan[1].stops, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shared link");
	TCase *tc = tcase_create("shared link");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, each_has_its_part, 0, PT_LEN(shares));
	tcase_add_test(tc, parts_are_told);
	tcase_add_test(tc, one_fails_and_the_rest_goes_on);
	tcase_add_test(tc, who_is_waited_for_comes_first);
	tcase_add_test(tc, one_that_does_not_start);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
