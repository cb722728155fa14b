/* The flight recorder of the S12Z against the board's own log of executed pcs: what the blocks of the history say has
 * run is what did run, up to where the core is halted, with breakpoints in flash meanwhile. Where exactly an interrupt
 * came is not in the trace, so the program and its interrupt are compared apart: each is what ran, instruction by
 * instruction, back to where countdown called itself: a recursion by BSR past branches that are not taken leaves
 * nothing in the buffer. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "profile/analyses/calls/history.h"
#include "program/code/codemap.h"
#include "tests/inline_profile.h"
#include "base/util.h"

enum { LOG_ROOM = 1 << 20, RUN_NS = 20000000 };

static const struct {
	const char *name;
	const char *stops[4];		/* breakpoints that are hit in turn, the last one again and again, "f$" at the
					 * RTS at the end of f; none: halts after run_us */
	unsigned halts, run_us, steps;	/* after each halt so many steps */
	bool no_gap;			/* the buffer holds all that runs in between */
	bool whole;			/* and not through countdown */
} rows[] = {
	{ "breakpoint after breakpoint", { "operate", "choose", "scale", "often" }, 4, 0, 0, true, false },
	{ "the same breakpoint, stepped off by the resume", { "seldom" }, 12, 0, 0, true, false },
	{ "around the whole program", { "seldom", "pause", "pause" }, 4, 0, 0, false, false },
	{ "at a return, stepped by the resume", { "seldom$" }, 12, 0, 0, true, false },
	{ "steps, nothing is missing", { "main" }, 1, 0, 400, true, true },
	{ "breakpoints and steps in turn", { "seldom" }, 10, 0, 7, true, false },
	{ "steps into the interrupt and out of it", { "tick" }, 2, 0, 30, false, false },
	{ "halts at any place", { NULL }, 10, 150, 0, false, false },
	{ "halts and steps", { NULL }, 10, 70, 9, false, false },
	{ "begins anew", { NULL }, 1, 100, 0, false, false },
};
enum { ANEW = PT_LEN(rows) - 1 };

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
			pc += unit->len_units;
		}
	}
	return out;
}

static bool is_in(const struct inline_profile *p, const char *name, uint64_t pc)
{
	uint64_t addr, size;

	return pt_program_symbol(p->program, name, &addr, &size) && pc - addr < size;
}

static bool of_interrupt(const struct inline_profile *p, uint64_t pc)
{
	return is_in(p, "tick", pc) || is_in(p, "on_tick", pc);
}

/* The last of log that is of the interrupt, or not; false: there is none. */
static bool last_of(const struct inline_profile *p, size_t *logged, bool interrupt, uint64_t *pc)
{
	while (*logged > 0) {
		*pc = p->truth.log[--*logged];
		if (of_interrupt(p, *pc) == interrupt)
			return true;
	}
	return false;
}

/* Inside the interrupt the program has gone on further than the history can say. */
static void compare(const struct inline_profile *p, const struct insns *ran, bool interrupt, size_t row)
{
	size_t logged = p->truth.n_logged, n = 0;
	uint64_t truth = 0;

	for (size_t i = ran->n; i-- > 0;) {
		if (of_interrupt(p, ran->pc[i]) != interrupt)
			continue;
		ck_assert_msg(last_of(p, &logged, interrupt, &truth), "%s: more than ran", rows[row].name);
		if (truth != ran->pc[i] && is_in(p, "countdown", truth) && !rows[row].whole)
			return;
		ck_assert_msg(truth == ran->pc[i], "%s: %zu before the end%s, 0x%x ran and not 0x%x", rows[row].name, n,
			      interrupt ? " of the interrupt" : "", (unsigned)truth, (unsigned)ran->pc[i]);
		n++;
	}
}

static void check(struct inline_profile *p, size_t row)
{
	struct pt_history_block *block = calloc(PT_HISTORY_RUNS, sizeof(*block));
	const struct pt_history *history = pt_pipeline_profile(p->pipeline)->history;
	uint64_t pc = inline_pc(p);
	size_t n = pt_history_blocks(history, 0, pc, block, PT_HISTORY_RUNS);
	struct insns ran = expand(history->map, block, n);

	ck_assert_uint_le(p->truth.n_logged, LOG_ROOM);
	ck_assert_uint_gt(ran.n, 0);
	ck_assert_uint_eq(ran.pc[--ran.n], pc);
	if (!of_interrupt(p, pc))
		compare(p, &ran, false, row);
	compare(p, &ran, true, row);
	for (size_t i = 0; rows[row].no_gap && i < n; i++)
		ck_assert_msg(!block[i].gap, "%s: gap before 0x%x", rows[row].name, (unsigned)block[i].begin);
	if (rows[row].whole)
		ck_assert_uint_eq(ran.n, p->truth.n_logged);
	free(ran.pc);
	free(block);
}

static void break_at(struct inline_profile *p, const char *name, bool set)
{
	struct pt_break at = { .kind = PT_BREAK_HW, .len = 1 };
	struct pt_err err = { 0 };
	size_t len = strcspn(name, "$");
	char function[20] = { 0 };
	uint64_t size;

	ck_assert_uint_lt(len, sizeof(function));
	memcpy(function, name, len);
	ck_assert_msg(pt_program_symbol(p->program, function, &at.addr, &size), "%s", name);
	if (strchr(name, '$') != NULL)
		at.addr += size - 1;
	ck_assert_int_eq(set ? p->target->ops->break_insert(p->target->state, &at, &err)
			     : p->target->ops->break_remove(p->target->state, &at, &err),
			 0);
}

static void run_to_stop(struct inline_profile *p)
{
	uint64_t until_ns = inline_now_ns(p) + 50 * RUN_NS;
	struct pt_core_status status;
	struct pt_err err = { 0 };

	do {
		ck_assert_int_eq(pt_link_wait(p->link, inline_now_ns(p) + 1000, &err), 0);
		ck_assert_int_eq(p->target->ops->status(p->target->state, 0, &status, &err), 0);
		ck_assert_uint_lt(inline_now_ns(p), until_ns);
	} while (status.state != PT_HALTED);
	ck_assert_int_eq(status.reason, PT_HALT_BREAK_HW);
	ck_assert_int_eq(p->source->on_state(p->state, PT_STATE_HALT, 0, inline_pc(p), &err), 0);
}

static void one_halt(struct inline_profile *p, size_t row, unsigned halt)
{
	const char *const *stops = rows[row].stops;
	unsigned i = 0;
	struct pt_err err = { 0 };

	while (i < halt && i + 1 < PT_LEN(rows[row].stops) && stops[i + 1] != NULL)
		i++;
	if (stops[i] == NULL) {
		ck_assert_int_eq(pt_link_wait(p->link, inline_now_ns(p) + rows[row].run_us * UINT64_C(1000), &err), 0);
		inline_halt(p);
	} else {
		run_to_stop(p);
		/* Before what was recorded is read. */
		if (i + 1 < PT_LEN(rows[row].stops) && stops[i + 1] != NULL) {
			break_at(p, stops[i], false);
			break_at(p, stops[i + 1], true);
		}
	}
	inline_drain(p, 1);
	check(p, row);
}

START_TEST(is_what_ran)
{
	struct inline_setup setup = {
		.board = "s12zvm", .source = "trace", .words = { "mode=ring" }, .log_room = LOG_ROOM, .truth = true,
		.reset = true,
	};
	struct inline_profile p = { 0 };
	struct pt_err err = { 0 };

	inline_open(&p, &setup);
	ck_assert_int_eq(pt_pipeline_record(p.pipeline, &err), 0);
	if (rows[_i].stops[0] != NULL)
		break_at(&p, rows[_i].stops[0], true);
	inline_start(&p, &setup);
	for (unsigned halt = 0; halt < rows[_i].halts; halt++) {
		if (halt > 0)
			inline_resume(&p);
		one_halt(&p, (size_t)_i, halt);
		for (unsigned step = 0; step < rows[_i].steps; step++) {
			inline_step(&p);
			check(&p, (size_t)_i);
		}
	}
	inline_stop(&p);
	inline_close(&p);
}
END_TEST

/* What begins anew while the core runs, by a reset or by a breakpoint that is set, is a gap: nothing else is wrong. */
START_TEST(begins_anew)
{
	struct inline_setup setup = {
		.board = "s12zvm", .source = "trace", .words = { "mode=ring" }, .log_room = LOG_ROOM, .truth = true,
		.reset = true,
	};
	struct inline_profile p = { 0 };
	struct pt_err err = { 0 };

	inline_open(&p, &setup);
	ck_assert_int_eq(pt_pipeline_record(p.pipeline, &err), 0);
	inline_start(&p, &setup);
	ck_assert_int_eq(pt_link_wait(p.link, inline_now_ns(&p) + 100000, &err), 0);
	break_at(&p, "seldom", true);
	run_to_stop(&p);
	inline_drain(&p, 1);
	check(&p, ANEW);
	ck_assert_int_eq(p.target->ops->reset(p.target->state, PT_RESET_HALT, &err), 0);
	ck_assert_int_eq(p.source->on_state(p.state, PT_STATE_RESET, 0, inline_pc(&p), &err), 0);
	inline_resume(&p);
	run_to_stop(&p);
	inline_drain(&p, 1);
	check(&p, ANEW);
	inline_stop(&p);
	inline_close(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s12z_branch_trace");
	TCase *tc = tcase_create("s12z_branch_trace");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, is_what_ran, 0, PT_LEN(rows));
	tcase_add_test(tc, begins_anew);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
