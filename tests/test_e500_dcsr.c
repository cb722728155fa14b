/* The performance monitor through the debug space of a QorIQ, as the virtual board e500 models it: nothing is
 * halted. */
#include "e500_rig.h"

/* What the e6500's block has is enough: no RAM, and nothing is halted, to count as to set up. */
START_TEST(an_e6500_is_counted_from_outside)
{
	static const char *const board_words[] = { "core=e6500", "dcsr=on", NULL };
	static const char *const words[] = {
		"e500.core=e6500", "e500.dcsr.base=0xf1000000", "upstream-memory=running",
	};
	struct pt_err err = { .msg = "" };
	struct pt_e500_op ops[5];
	struct pt_e500_pass pass;
	uint32_t last = 0;

	attach_to("modern", board_words, words, PT_LEN(words));
	ck_assert_ptr_eq(pt_e500_choose(e500, &err), &pt_e500_by_dcsr);
	ck_assert_uint_eq(read_named("pmlcb5"), 0);
	ck_assert_int_eq(pt_e500_take(e500, 0, "profile", &err), 0);
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	for (unsigned i = 0; i < 2; i++)	/* of its six, the first and the last */
		ops[i] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMLCA0 + 5 * i), .write = true,
					      .value = (uint32_t)events[0] << 16 };
	ck_assert_int_eq(pt_e500_pass(e500, 0, ops, 2, &pass, &err), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for_counters(ops);
		ops[3].pmr = PT_E500_PMC0 + 5;
		ops[4] = (struct pt_e500_op){ .pmr = PT_E500_CAPTURED_PC };
		pass_now(ops, PT_LEN(ops), &pass);
		ck_assert_uint_gt(ops[0].value, last);
		ck_assert_uint_gt(ops[3].value, last);
		ck_assert_uint_ne(ops[4].value, 0);
		last = ops[0].value;
	}
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	ck_assert_uint_eq(there.n_runs, 1);
	set_up_counters();
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	for_counters(ops);
	pass_now(ops, 4, &pass);
	check_counts(ops);
	ck_assert_int_eq(pt_e500_give_back(e500, 0, "profile", &err), 0);
	ck_assert_uint_eq(read_named("pmlca0"), 0);
	ck_assert_uint_eq(e500->pm.at[0].cost.n_halts, 0);
	leave();
}
END_TEST

static const struct { const char *board, *target; bool works; } captures[] = {
	{ "dcsr-capture=always", "e500.dcsr.capture=free", true }, { "dcsr-capture=pccl", "e500.dcsr.capture=pcc", true },
	{ "dcsr-capture=write", "e500.dcsr.capture=0x4c8=1", true }, { "dcsr-capture=never", "e500.dcsr.capture=free", false },
	{ "dcsr-capture=write", "e500.dcsr.capture=pcc", false },
};

/* Copies that move are taken, once they have been seen to; those that do not are not. */
START_TEST(captured_counters_are_used_where_they_move)
{
	const char *const board_words[] = { "core=mc", "dcsr=on", captures[_i].board, NULL };
	const char *const words[] = {
		"e500.core=mc", "e500.dcsr.base=0xf1000000", "upstream-memory=running", with_ram[0], captures[_i].target,
	};
	struct pt_err err = { .msg = "" };
	struct pt_e500_op ops[4];
	struct pt_e500_pass pass;

	attach_to("modern", board_words, words, PT_LEN(words));
	set_up_counters();
	ck_assert_ptr_eq(e500->pm.last, &pt_e500_by_scratch);
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for_counters(ops);
		ck_assert_int_eq(pt_e500_pass(e500, 0, ops, 4, &pass, &err), 0);
	}
	ck_assert_ptr_eq(e500->pm.last, captures[_i].works ? &pt_e500_by_dcsr : &pt_e500_by_scratch);
	ck_assert(pass.halted != captures[_i].works);
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	for_counters(ops);
	ck_assert_int_eq(pt_e500_pass(e500, 0, ops, 4, &pass, &err), 0);
	check_counts(ops);
	ck_assert_uint_eq(there.n_changed, 0);
	leave();
}
END_TEST

static const struct { const char *word, *why; } no_proxies[] = {
	{ "e500.dcsr.proxy=0x41000", "refuses" }, { "e500.dcsr.base=0xf0fff000", "its PVR reads" },
	{ "e500.dcsr.base=0x1000", "its PVR reads" }, { "e500.dcsr.capture=often", "free, pcc, or OFFSET=VALUE" },
	{ "upstream-memory=halted", "upstream-memory=running" },
	{ "e500.path=dcsr", "" },
};

START_TEST(what_is_no_proxy_is_told)
{
	static const char *const board_words[] = { "core=mc", "dcsr=on", NULL };
	const char *const words[] = {
		"e500.core=mc", "e500.dcsr.base=0xf1000000", "upstream-memory=running", no_proxies[_i].word,
	};
	struct pt_err err = { .msg = "" };
	const struct pt_e500_method *method;

	attach_to("modern", board_words, words, PT_LEN(words));
	method = pt_e500_choose(e500, &err);
	ck_assert_ptr_eq(method, no_proxies[_i].why[0] != '\0' ? NULL : &pt_e500_by_dcsr);
	ck_assert_msg(method != NULL || strstr(err.msg, no_proxies[_i].why) != NULL, "%s", err.msg);
	leave();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_dcsr");
	TCase *tc = tcase_create("board");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, an_e6500_is_counted_from_outside);
	tcase_add_loop_test(tc, captured_counters_are_used_where_they_move, 0, PT_LEN(captures));
	tcase_add_loop_test(tc, what_is_no_proxy_is_told, 0, PT_LEN(no_proxies));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
