/* Runs in, blocks out, as a debugger reads them: joined where it only stopped for a moment, apart at branches, with a
 * mark where something is missing, the last one up to where the core is halted. Code: small_program.h. */
#include <stdlib.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/history.h"
#include "small_program.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"	/* a row leaves out what is 0 */

enum { MOST = 8 };

static struct pt_codemap *map;
static void *history;

static const struct pt_history *result_of(uint16_t core)
{
	struct pt_profile profile = { 0 };

	pt_analysis_history.result(history, &profile);
	return pt_history_of(profile.history, profile.n_histories, core);
}

static const struct pt_history *result(void)
{
	return result_of(PT_HISTORY_ANY);
}

static void open_history(void)
{
	struct pt_program *program = small_program();
	struct pt_analysis_setup setup;

	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	pt_program_unref(program);
	setup = (struct pt_analysis_setup){ .map = map };
	history = pt_analysis_history.open(&setup, NULL);
}

static void close_history(void)
{
	pt_analysis_history.close(history);
	pt_codemap_free(map);
}

static void feed(const struct pt_run *run, size_t n)
{
	pt_analysis_history.runs(history, run, n, 0, (struct pt_timestamp){ 0 });
}

#define RUN(b, e, l) { .begin = b, .end = e, .left = PT_LEFT_##l }

static const struct row {
	const char *name;
	struct pt_run run[MOST];
	size_t n_runs;
	uint64_t since, pc;
	struct pt_history_block want[MOST];
	size_t n_want;
} rows[] = {
	{ "nothing yet", {}, 0, 0, 0x108, { { 0x108, 0x108 } }, 1 },
	{ "nothing yet, and running", {}, 0, 0, PT_UNKNOWN, {}, 0 },
	{ "a call ends with its last instruction, of 4 bytes",
	  { RUN(MAIN, 0x108, CALL), RUN(LEAF, 0x124, RETURN) }, 2, 0, 0x108,
	  { { MAIN, 0x104 }, { LEAF, 0x122 }, { 0x108, 0x108 } }, 3 },
	{ "the last block goes on to the pc, which has not run",
	  { RUN(MAIN, 0x108, CALL), RUN(LEAF, 0x122, DEBUG) }, 2, 0, 0x122, { { MAIN, 0x104 }, { LEAF, 0x122 } }, 2 },
	{ "steps are one block",
	  { RUN(MAIN, 0x102, DEBUG), RUN(0x102, 0x104, DEBUG), RUN(0x104, 0x108, CALL), RUN(LEAF, 0x122, DEBUG) }, 4, 0, 0x122,
	  { { MAIN, 0x104 }, { LEAF, 0x122 } }, 2 },
	{ "the debugger moved the pc", { RUN(MAIN, 0x102, DEBUG), RUN(LEAF, 0x122, DEBUG) }, 2, 0, 0x122,
	  { { MAIN, MAIN }, { LEAF, 0x122 } }, 2 },
	{ "halted and resumed where nothing had run", { RUN(MAIN, 0x102, DEBUG), RUN(0x102, 0x102, DEBUG), RUN(0x102, 0x104, DEBUG) },
	  3, 0, 0x104, { { MAIN, 0x104 } }, 1 },
	{ "interrupted before anything ran", { RUN(MAIN, MAIN, EXCEPTION), RUN(ISR, 0x126, DEBUG) }, 2, 0, 0x126,
	  { { ISR, 0x126 } }, 1 },
	{ "a gap", { RUN(MAIN, 0x102, GAP), RUN(LEAF, 0x124, RETURN) }, 2, 0, 0x108,
	  { { MAIN, MAIN }, { LEAF, LEAF, true }, { LEAF, 0x122 }, { 0x108, 0x108 } }, 4 },
	{ "a gap up to now", { RUN(MAIN, 0x102, GAP) }, 1, 0, 0x108, { { MAIN, MAIN }, { 0x108, 0x108, true }, { 0x108, 0x108 } }, 3 },
	{ "only what is new", { RUN(MAIN, 0x102, DEBUG), RUN(0x102, 0x104, DEBUG) }, 2, 1, 0x104, { { 0x102, 0x104 } }, 1 },
	{ "nothing is new", { RUN(MAIN, 0x102, DEBUG) }, 1, 1, 0x102, { { 0x102, 0x102 } }, 1 },
};

START_TEST(blocks_of_runs)
{
	const struct row *row = &rows[_i];
	struct pt_history_block got[MOST];
	size_t n;

	feed(row->run, row->n_runs);
	n = pt_history_blocks(result(), row->since, row->pc, got, MOST);
	ck_assert_msg(n == row->n_want, "%s: %zu blocks, not %zu", row->name, n, row->n_want);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(got[i].begin == row->want[i].begin && got[i].last == row->want[i].last &&
				      got[i].gap == row->want[i].gap,
			      "%s: block %zu is 0x%x to 0x%x", row->name, i, (unsigned)got[i].begin,
			      (unsigned)got[i].last);
}
END_TEST

/* Another core's runs are not between those of the first: each has its own history. */
START_TEST(of_each_core)
{
	const struct pt_run first = RUN(MAIN, 0x108, CALL), second = RUN(LEAF, 0x124, RETURN);
	const struct pt_run other = RUN(ISR, 0x126, RETURN);
	struct pt_history_block got[MOST];

	pt_analysis_history.runs(history, &first, 1, 1, (struct pt_timestamp){ 0 });
	pt_analysis_history.runs(history, &other, 1, 0, (struct pt_timestamp){ 0 });
	pt_analysis_history.runs(history, &second, 1, 1, (struct pt_timestamp){ 0 });
	ck_assert_uint_eq(pt_history_blocks(result(), 0, PT_UNKNOWN, got, MOST), 2);
	ck_assert_uint_eq(got[0].begin, MAIN);
	ck_assert_uint_eq(got[1].begin, LEAF);
	ck_assert_uint_eq(pt_history_blocks(result_of(1), 0, PT_UNKNOWN, got, MOST), 2);
	ck_assert_uint_eq(pt_history_blocks(result_of(0), 0, PT_UNKNOWN, got, MOST), 1);
	ck_assert_uint_eq(got[0].begin, ISR);
	ck_assert_ptr_null(result_of(2));
}
END_TEST

/* As long as nothing ran, the history of any core is empty. */
START_TEST(of_no_core_yet)
{
	struct pt_history_block got[MOST];

	for (uint16_t core = 0; core < 3; core++)
		ck_assert_uint_eq(pt_history_blocks(result_of(core), 0, MAIN, got, MOST), 1);
}
END_TEST

/* Whatever the room, it has the last blocks in their order. */
START_TEST(the_last_blocks)
{
	enum { RUNS = 10 };
	struct pt_history_block all[RUNS + 1], got[RUNS + 1];
	size_t n;

	for (unsigned i = 0; i < RUNS; i++)
		feed(&(struct pt_run)RUN(MAIN + 2 * (i % 2), 0x108, CALL), 1);
	ck_assert_uint_eq(pt_history_blocks(result(), 0, LEAF, all, PT_LEN(all)), RUNS + 1);
	for (size_t room = 1; room <= PT_LEN(got); room++) {
		n = pt_history_blocks(result(), 0, LEAF, got, room);
		ck_assert_uint_eq(n, room);
		for (size_t i = 0; i < n; i++)
			ck_assert_uint_eq(got[i].begin, all[PT_LEN(all) - room + i].begin);
	}
	ck_assert_uint_eq(pt_history_blocks(result(), 0, LEAF, got, 0), 0);
}
END_TEST

START_TEST(numbers_stay)
{
	struct pt_run run = RUN(MAIN, 0x108, CALL);

	ck_assert_uint_eq(pt_history_from(result(), 0), PT_UNKNOWN);
	for (uint64_t i = 0; i < PT_HISTORY_RUNS + 10; i++) {
		run.begin = MAIN + 2 * (i % 3);
		feed(&run, 1);
	}
	ck_assert_uint_eq(result()->seen, PT_HISTORY_RUNS + 10);
	ck_assert_uint_eq(pt_history_from(result(), 9), PT_UNKNOWN);	/* forgotten */
	ck_assert_uint_eq(pt_history_from(result(), 10), MAIN + 2 * (10 % 3));
	ck_assert_uint_eq(pt_history_from(result(), PT_HISTORY_RUNS + 9), MAIN + 2 * ((PT_HISTORY_RUNS + 9) % 3));
	ck_assert_uint_eq(pt_history_from(result(), PT_HISTORY_RUNS + 10), PT_UNKNOWN);	/* not yet */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("history");
	TCase *tc = tcase_create("history");

	tcase_add_checked_fixture(tc, open_history, close_history);
	tcase_add_loop_test(tc, blocks_of_runs, 0, PT_LEN(rows));
	tcase_add_test(tc, of_each_core);
	tcase_add_test(tc, of_no_core_yet);
	tcase_add_test(tc, the_last_blocks);
	tcase_add_test(tc, numbers_stay);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
