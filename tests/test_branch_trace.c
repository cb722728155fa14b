/* The flight recorder against the board's own log of executed pcs: what the blocks of the history say has run is what
 * did run, instruction by instruction, up to where the core is halted. Interrupts, steps, and a ring that is too
 * small. */
#include <stdlib.h>

#include "harness.h"
#include "profile/analyses/calls/history.h"
#include "program/code/codemap.h"
#include "tests/inline_profile.h"

enum { LOG_ROOM = 4 << 20, MOST_STEPS = 400 };

static const struct {
	const char *name, *link, *window;
	unsigned halts, run_us, steps;	/* after each halt so many steps */
	bool whole;			/* the ring holds all that runs in between */
} rows[] = {
	{ "one halt, the ring has wrapped", "bulk-hs", "mtb-size=4096", 1, 200000, 0, false },
	{ "as short as the link can, nothing is missing", "bulk-hs", "mtb-size=16384", 12, 0, 0, true },
	{ "steps, nothing is missing", "bulk-hs", "mtb-size=16384", 1, 0, MOST_STEPS, true },
	{ "runs and steps in turn", "bulk-hs", "mtb-size=16384", 8, 0, 9, true },
	{ "wraps between halts", "bulk-hs", "mtb-size=128", 10, 3000, 3, false },
	{ "a slow link", "hid-fs", "mtb-size=4096", 3, 30, 5, false },
	{ "a plain link", "tcp", "mtb-size=1024", 4, 25, 0, false },
};

struct insns { uint64_t *pc; size_t n; };

/* What has run since the last gap, and the pc. */
static struct insns expand(const struct pt_codemap *map, const struct pt_history_block *block, size_t n)
{
	struct insns out = { malloc(LOG_ROOM * sizeof(*out.pc)), 0 };

	for (size_t i = 0; i < n; i++) {
		if (block[i].gap)
			out.n = 0;
		for (uint64_t pc = block[i].begin; !block[i].gap && pc <= block[i].last;) {
			const struct pt_code_unit *unit = pt_codemap_at(map, pc);

			ck_assert_ptr_nonnull(unit);
			ck_assert_uint_ne(unit->len_units, 0);
			ck_assert_uint_lt(out.n, LOG_ROOM);
			out.pc[out.n++] = pc;
			pc += 2 * unit->len_units;
		}
	}
	return out;
}

static void check(struct inline_profile *p, size_t row)
{
	struct pt_history_block *block = calloc(PT_HISTORY_RUNS, sizeof(*block));
	const struct pt_history *history = pt_pipeline_profile(p->pipeline)->history;
	uint64_t pc = inline_pc(p);
	size_t n = pt_history_blocks(history, 0, pc, block, PT_HISTORY_RUNS);
	struct insns ran = expand(history->map, block, n);
	size_t logged = p->truth.n_logged;

	ck_assert_uint_le(logged, LOG_ROOM);
	ck_assert_uint_gt(ran.n, 1);
	ck_assert_uint_eq(ran.pc[--ran.n], pc);
	ck_assert_msg(ran.n <= logged, "%s: %zu instructions in the history, %zu ran", rows[row].name, ran.n, logged);
	for (size_t i = 1; i <= ran.n; i++)
		ck_assert_msg(ran.pc[ran.n - i] == p->truth.log[logged - i],
			      "%s: %zu before the end, 0x%x ran and not 0x%x", rows[row].name, i,
			      (unsigned)p->truth.log[logged - i], (unsigned)ran.pc[ran.n - i]);
	if (rows[row].whole)
		ck_assert_msg(ran.n == logged, "%s: %zu of %zu instructions", rows[row].name, ran.n, logged);
	free(ran.pc);
	free(block);
}

START_TEST(is_what_ran)
{
	struct inline_setup setup = {
		.link = rows[_i].link, .words = { "mode=ring", rows[_i].window }, .log_room = LOG_ROOM, .truth = true, .reset = true,
	};
	struct inline_profile p = { 0 };
	struct pt_err err = { 0 };

	inline_open(&p, &setup);
	ck_assert_int_eq(pt_pipeline_record(p.pipeline, &err), 0);
	inline_start(&p, &setup);
	for (unsigned halt = 0; halt < rows[_i].halts; halt++) {
		if (halt > 0)
			inline_resume(&p);
		ck_assert_int_eq(pt_link_wait(p.link, inline_now_ns(&p) + rows[_i].run_us * UINT64_C(1000), &err), 0);
		inline_halt(&p);
		inline_drain(&p, 1);
		check(&p, (size_t)_i);
		for (unsigned step = 0; step < rows[_i].steps; step++)
			inline_step(&p);
		check(&p, (size_t)_i);
	}
	inline_stop(&p);
	inline_close(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("branch_trace");
	TCase *tc = tcase_create("branch_trace");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, is_what_ran, 0, PT_LEN(rows));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
