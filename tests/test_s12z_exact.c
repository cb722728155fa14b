/* The S12Z's code profiling over PDO misses nothing below the pin's bandwidth: what the profile says of a run is what
 * the board did. The witnesses are the counters that the demo firmware keeps in RAM, and the model's own count of what
 * it executed. Above it, each overflow is a gap that is counted, and what is left is no more than what ran. Board,
 * target, source and pipeline in one thread, on the virtual clock. */
#include "s12z_exact_rig.h"

static const struct {
	const char *name, *board;
	const char *words[4];
	uint64_t ms, more_ms;		/* more: halted in between */
} rows[] = {
	{ "as the manual has it", "", { "mode=pdo" }, 100, 0 },
	{ "halted once in between", "", { "mode=pdo" }, 20, 22 },	/* not in a handler: where that was entered its return tells */
	{ "PTHF of five bytes", "pthf=5", { "mode=pdo" }, 50, 0 },
	{ "JMP and JSR through an address are recorded", "ext-jump=indirect", { "mode=pdo" }, 50, 0 },
	{ "JMP and JSR relative to the pc are not", "pc-jump=direct", { "mode=pdo" }, 50, 0 },
	{ "both the other way round", "ext-jump=indirect&pc-jump=direct", { "mode=pdo" }, 50, 0 },
	{ "addresses high byte first", "swap24=on", { "mode=pdo", "swap24=on" }, 50, 0 },
	{ "TBOVF without TERM, stamps by line", "tbovf-term=off&stamp=line", { "mode=pdo" }, 30, 0 },
};

START_TEST(counts_are_the_firmwares_own)
{
	static struct bench b;
	const struct pt_profile *p;
	uint64_t pc;

	begin(&b, rows[_i].board, rows[_i].words);
	resume(&b);
	drain(&b, rows[_i].ms * PT_NS_PER_MS);
	halt(&b);
	if (rows[_i].more_ms > 0) {
		resume(&b);
		drain(&b, rows[_i].more_ms * PT_NS_PER_MS);
		halt(&b);
	}
	pc = pc_of(&b);
	stop(&b);
	p = pt_pipeline_profile(b.pipeline);
	for (unsigned cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		ck_assert_msg(p->loss.by[cause].events == 0, "%s: %s", rows[_i].name, pt_loss_name(cause));
	ck_assert_uint_eq(p->not_code, 0);
	ck_assert_uint_eq(p->instructions, pt_vtruth_total(&b.truth).instructions);
	check_counts(&b, p, rows[_i].name, pc);
	finish(&b);
}
END_TEST

/* More than the pin carries: the program does not pause. */
START_TEST(each_overflow_is_a_counted_gap)
{
	static struct bench b;
	static const char *const words[] = { "mode=pdo", NULL };
	size_t n;
	const struct pt_function *functions;
	const struct pt_profile *p;
	uint64_t pace, size, calls;

	begin(&b, "", words);
	functions = pt_program_functions(b.program, &n);
	ck_assert(pt_program_symbol(b.program, "pace", &pace, &size));
	resume(&b);
	drain(&b, 5 * PT_NS_PER_MS);
	memset(pt_s12zvm_bytes(b.chip, (uint32_t)pace, 2), 0, 2);
	drain(&b, 50 * PT_NS_PER_MS);
	halt(&b);
	stop(&b);
	p = pt_pipeline_profile(b.pipeline);
	ck_assert_uint_gt(p->loss.by[PT_LOSS_FIFO].events, 10);
	ck_assert_uint_eq(p->loss.by[PT_LOSS_DAMAGED].events, 0);
	ck_assert_uint_eq(p->not_code, 0);
	ck_assert_int_eq(p->counts, PT_BASIS_ESTIMATED);
	ck_assert_uint_lt(p->instructions, pt_vtruth_total(&b.truth).instructions);
	for (size_t i = 0; i < n; i++)
		if (p->by_id[i + 1] != NULL && counter_of(&b, &functions[i], PT_UNKNOWN, &calls))
			ck_assert_uint_le(p->by_id[i + 1]->run->count, calls + 1);
	finish(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s12z_exact");
	TCase *tc = tcase_create("pdo");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, counts_are_the_firmwares_own, 0, PT_LEN(rows));
	tcase_add_test(tc, each_overflow_is_a_counted_gap);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
