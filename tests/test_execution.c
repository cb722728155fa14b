/* The hazards of a shadow stack, each a row of hand-made runs (run_script.h) with hand-computed results. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "tests/run_script.h"
#include "tests/step_follower.h"

static const struct {
	const char *name, *script, *want;
	int error;		/* enum pt_execution_error counted once; -1: none counted */
} cases[] = {
	{ "call and return", "110 4 call 200, 200 3 ret 118, 118 2 br 110",
	  "main 0-1 6/9; f 1-0 3/3 [1: 3 3 3]", -1 },
	{ "nested calls", "110 1 call 200, 200 2 call 300, 300 5 ret 204, 204 1 ret 112, 112 1 br 110",
	  "main 0-1 2/10; f 1-0 3/8 [1: 3 8 8]; g 1-0 5/5 [1: 5 5 5]", -1 },
	{ "a reset vector is an entry", "100 3 call 200, 200 2 ret 106", "main 1-1 3/5; f 1-0 2/2 [1: 2 2 2]", -1 },
	{ "loop to the first instruction is no call", "110 1 call 200, 200 3 br 200, 200 3 ret 112, 112 1 br 110",
	  "main 0-1 2/8; f 1-0 6/6 [1: 6 6 6]", -1 },
	{ "call to a label inside itself is a jump", "110 1 call 140, 140 2 ret 112, 112 1 br 110", "main 0-1 4/4", -1 },
	{ "recursion: gross in total once, per invocation each",
	  "110 1 call 200, 200 2 call 200, 200 3 ret 204, 204 1 ret 112, 112 1 br 110",
	  "main 0-1 2/8; f 2-0 6/6 [2: 6 9 9]", -1 },
	{ "mutual recursion",
	  "110 1 call 200, 200 1 call 300, 300 1 call 200, 200 4 ret 302, 302 1 ret 202, 202 1 ret 112, 112 1 br 110",
	  "main 0-1 2/10; f 2-0 6/8 [2: 6 12 12]; g 1-0 2/6 [1: 2 6 6]", -1 },
	{ "tail call returns to the caller's caller", "110 1 call 200, 200 2 br 300, 300 3 ret 112, 112 1 br 110",
	  "main 0-1 2/7; f 1-0 2/5 [1: 2 5 5]; g 1-0 3/3 [1: 3 3 3]", -1 },
	{ "tail call of a tail call",
	  "110 1 call 200, 200 1 br 300, 300 1 br 400, 400 2 ret 112, 112 1 br 110",
	  "main 0-1 2/6; f 1-0 1/4 [1: 1 4 4]; g 1-0 1/3 [1: 1 3 3]; h 1-0 2/2 [1: 2 2 2]", -1 },
	{ "tail merging: the tail is its owner's time, and nobody's invocation",
	  "110 1 call 200, 200 2 br 350, 350 3 ret 112, 112 1 br 110",
	  "main 0-1 2/7; f 1-0 2/5 [1: 2 5 5]; g 0-0 3/0", -1 },
	{ "cold part and back", "110 1 call 200, 200 2 br 350, 350 3 br 210, 210 1 ret 112, 112 1 br 110",
	  "main 0-1 2/8; f 1-0 3/6 [1: 3 6 6]; g 0-0 3/0", -1 },
	{ "return by a plain jump (pop {r3}; bx r3)", "110 1 call 200, 200 2 br 112, 112 1 br 110",
	  "main 0-1 2/4; f 1-0 2/2 [1: 2 2 2]", -1 },
	{ "jump by a return (push {r0}; pop {pc}) is a tail call", "110 1 call 200, 200 2 ret 300, 300 3 ret 112, 112 1 br 110",
	  "main 0-1 2/7; f 1-0 2/5 [1: 2 5 5]; g 1-0 3/3 [1: 3 3 3]", -1 },
	{ "helper that adjusts its return address (switch table)",
	  "110 1 call 200, 200 2 call 300, 300 3 ret 240, 240 1 ret 112, 112 1 br 110",
	  "main 0-1 2/8; f 1-0 3/6 [1: 3 6 6]; g 1-0 3/3 [1: 3 3 3]", -1 },
	{ "an exit that was not seen: f, g, then f's caller",
	  "110 1 call 200, 200 2 call 300, 300 3 ret 112, 112 1 br 110",
	  "main 0-1 2/7; f 1-0 2/5 [1: 2 5 5]; g 1-1 3/3", PT_EXECUTION_SKIPPED_EXIT },
	{ "long jump behind a call of a function below",
	  "11c 2 call 200, 200 2 call 300, 300 3 call 400, 400 1 br 120, 120 1 br 110",
	  "main 0-1 3/9; f 1-0 2/6 [1: 2 6 6]; g 1-0 3/4 [1: 3 4 4]; h 1-0 1/1 [1: 1 1 1]", PT_EXECUTION_LONG_JUMP },
	{ "long jump by a return instruction",
	  "11c 2 call 200, 200 2 call 300, 300 3 call 400, 400 1 ret 120, 120 1 br 110",
	  "main 0-1 3/9; f 1-0 2/6 [1: 2 6 6]; g 1-1 3/4; h 1-1 1/1", PT_EXECUTION_SKIPPED_EXIT },
	{ "long jump to where nobody waits",
	  "110 1 call 200, 200 2 call 300, 300 3 call 400, 400 1 ret 120, 120 1 br 110",
	  "main 0-1 2/8; f 1-0 2/6 [1: 2 6 6]; g 1-0 3/4 [1: 3 4 4]; h 1-0 1/1 [1: 1 1 1]", PT_EXECUTION_LONG_JUMP },
	{ "return into a function that did not call: stack switch",
	  "110 1 call 200, 200 2 ret 450, 450 3 br 440",
	  "main 0-1 1/3; f 1-1 2/2; h 0-1 3/3", PT_EXECUTION_UNMATCHED_RETURN },
	{ "entered before the stretch, left inside it", "210 3 ret 112, 112 2 br 110",
	  "main 0-1 2/2; f 0-1 3/3", -1 },
	{ "left after the stretch", "110 1 call 200, 200 3 gap", "main 0-1 1/4; f 1-1 3/3", -1 },
	{ "a gap ends what is open as unknown",
	  "110 1 call 200, 200 3 gap, 250 2 ret 112, 112 1 br 110, 110 1 call 200, 200 4 ret 112, 112 1 br 110",
	  "main 0-2 4/11; f 2-2 9/9 [1: 4 4 4]", -1 },
	{ "interrupt: preemption is in call, not in gross",
	  "110 1 call 200, 200 2 exc 500, 500 5 excret 204, 204 1 ret 112, 112 1 br 110",
	  "main 0-1 2/5; f 1-0 3/3 [1: 3 3 8]; isr 1-0 5/5 [1: 5 5 5]", -1 },
	{ "interrupt before the first instruction of a call is no second entry",
	  "110 1 call 200, 200 0 exc 500, 500 5 excret 200, 200 3 ret 112, 112 1 br 110",
	  "main 0-1 2/5; f 1-0 3/3 [1: 3 3 8]; isr 1-0 5/5 [1: 5 5 5]", -1 },
	{ "interrupt before a call, which then runs once",
	  "110 1 exc 500, 500 5 excret 112, 112 1 call 200, 200 3 ret 114, 114 1 br 110",
	  "main 0-1 3/6; f 1-0 3/3 [1: 3 3 3]; isr 1-0 5/5 [1: 5 5 5]", -1 },
	{ "interrupts nested in one another",
	  "110 1 call 200, 200 1 exc 500, 500 2 exc 600, 600 3 excret 504, 504 1 excret 202, 202 1 ret 112, 112 1 br 110",
	  "main 0-1 2/4; f 1-0 2/2 [1: 2 2 8]; isr 1-0 3/3 [1: 3 3 6]; isr2 1-0 3/3 [1: 3 3 3]", -1 },
	{ "tail-chained interrupts",
	  "110 1 call 200, 200 1 exc 500, 500 2 chain 600, 600 3 excret 202, 202 1 ret 112, 112 1 br 110",
	  "main 0-1 2/4; f 1-0 2/2 [1: 2 2 7]; isr 1-0 2/2 [1: 2 2 2]; isr2 1-0 3/3 [1: 3 3 3]", -1 },
	{ "a handler calls functions", "110 1 exc 500, 500 2 call 300, 300 3 ret 504, 504 1 excret 112, 112 1 br 110",
	  "main 0-1 2/2; g 1-0 3/3 [1: 3 3 3]; isr 1-0 3/6 [1: 3 6 6]", -1 },
	{ "a handler tail-calls a function that returns from the exception",
	  "110 1 exc 500, 500 2 br 300, 300 3 excret 112, 112 1 br 110",
	  "main 0-1 2/2; g 1-0 3/3 [1: 3 3 3]; isr 1-0 2/5 [1: 2 5 5]", -1 },
	{ "the interrupted function and the handler call the same function",
	  "110 1 call 300, 300 2 exc 500, 500 1 call 300, 300 4 ret 502, 502 1 excret 304, 304 1 ret 112, 112 1 br 110",
	  "main 0-1 2/5; g 2-0 7/7 [2: 7 7 13]; isr 1-0 2/6 [1: 2 6 6]", -1 },
	{ "stretch begins in a handler", "510 2 excret 204, 204 1 ret 112, 112 1 br 110",
	  "main 0-1 1/1; f 0-1 1/1; isr 0-1 2/2", -1 },
	{ "stretch begins in a handler that is chained", "510 2 chain 600, 600 3 excret 204, 204 1 ret 112",
	  "f 0-1 1/1; isr 0-1 2/2; isr2 1-0 3/3 [1: 3 3 3]", -1 },
	{ "fault handler skips the instruction", "110 1 call 200, 200 1 exc 500, 500 2 excret 206, 206 1 ret 112, 112 1 br 110",
	  "main 0-1 2/4; f 1-0 2/2 [1: 2 2 4]; isr 1-0 2/2 [1: 2 2 2]", -1 },
	{ "switch to another context and back",
	  "110 1 call 200, 200 2 exc 500, 500 3 excret 710, 710 4 exc 500, 500 3 excret 204, 204 1 ret 112, 112 1 br 110",
	  "main 0-1 2/5; f 1-0 3/3 [1: 3 3 13]; isr 2-0 6/6 [2: 6 6 6]; task 0-1 4/4", -1 },
	{ "two contexts left at the same address: the one that waits where the code returns to goes on",
	  "110 1 call 200, 200 2 exc 500, 500 1 excret 710, 710 1 call 200, 200 2 exc 500, 500 1 excret 410, 410 1 exc 500, "
	  "500 1 excret 204, 204 2 ret 112, 112 1 br 110",
	  "main 0-1 2/6; f 2-1 6/6 [1: 4 4 11]; h 0-1 1/1; isr 3-0 3/3 [3: 3 3 3]; task 0-1 1/3", -1 },
	{ "the same, and the core is halted before that",
	  "110 1 call 200, 200 2 exc 500, 500 1 excret 710, 710 1 call 200, 200 2 exc 500, 500 1 excret 410, 410 1 exc 500, "
	  "500 1 excret 204, 204 1 dbg 206, 206 1 ret 112, 112 1 br 110",
	  "main 0-1 2/6; f 2-1 6/6 [1: 4 4 11]; h 0-1 1/1; isr 3-0 3/3 [3: 3 3 3]; task 0-1 1/3", -1 },
	{ "the same, while one of the two still runs",
	  "110 1 call 200, 200 2 exc 500, 500 1 excret 710, 710 1 call 200, 200 2 exc 500, 500 1 excret 204, "
	  "204 1 exc 600, 600 1 excret 206, 206 1 call 300, 300 1 ret 208, 208 2 ret 112, 112 1 br 110",
	  "main 0-1 2/9; f 2-1 8/9 [1: 6 7 13]; g 1-0 1/1 [1: 1 1 1]; isr 2-0 2/2 [2: 2 2 2]; isr2 1-0 1/1 [1: 1 1 1]; "
	  "task 0-1 1/3", -1 },
	{ "two contexts that wait for the same return: neither is believed",
	  "110 1 call 200, 200 2 exc 500, 500 1 excret 710, 710 1 exc 500, 500 1 excret 110, 110 1 call 200, 200 2 exc 500, "
	  "500 1 excret 204, 204 2 ret 112, 112 1 br 110",
	  "main 0-3 3/7; f 2-3 6/6; isr 3-0 3/3 [3: 3 3 3]; task 0-1 1/1", -1 },
	{ "two contexts, and what the code returns to was not seen: neither is believed",
	  "110 1 call 200, 200 2 exc 500, 500 1 excret 710, 710 1 call 200, 200 2 exc 500, 500 1 excret 204, 204 2 gap",
	  "main 0-1 1/3; f 2-3 6/6; isr 2-0 2/2 [2: 2 2 2]; task 0-1 1/3", -1 },
	{ "exception return into a level that was not interrupted",
	  "110 1 exc 500, 500 1 exc 600, 600 1 excret 440, 440 2 br 430",
	  "main 0-1 1/1; h 0-1 2/2; isr 1-1 1/1; isr2 1-0 1/1 [1: 1 1 1]", PT_EXECUTION_UNMATCHED_EXCEPTION },
	{ "exception return that leaves two levels",
	  "110 1 exc 500, 500 1 exc 600, 600 1 excret 112, 112 2 br 110",
	  "main 0-1 3/3; isr 1-1 1/1; isr2 1-0 1/1 [1: 1 1 1]", PT_EXECUTION_UNMATCHED_EXCEPTION },
	{ "halt and go on", "110 1 call 200, 200 2 dbg 204, 204 1 ret 112, 112 1 br 110",
	  "main 0-1 2/5; f 1-0 3/3 [1: 3 3 3]", -1 },
	{ "a debugger moved the pc", "110 1 call 200, 200 2 dbg 310, 310 3 br 302",
	  "main 0-1 1/3; f 1-1 2/2; g 0-1 3/3", -1 },
	{ "straight on into the next function is a tail call",
	  "1f0 1 call 2fe, 2fe 1 next 300, 300 3 ret 1f2, 1f2 1 br 1f0",
	  "main 0-1 2/6; f 1-0 1/4 [1: 1 4 4]; g 1-0 3/3 [1: 3 3 3]", -1 },
	{ "straight on by a call that is a function's last instruction",
	  "1f0 1 call 2fc, 2fc 2 call 400, 400 1 ret 300, 300 3 ret 1f2, 1f2 1 br 1f0",
	  "main 0-1 2/8; f 1-0 2/6 [1: 2 6 6]; g 1-0 3/3 [1: 3 3 3]; h 1-0 1/1 [1: 1 1 1]", -1 },
	{ "straight on over padding",
	  "1f0 1 call 2fc, 2fc 1 next fe, fe 1 next 300, 300 3 ret 1f2, 1f2 1 br 1f0",
	  "main 0-1 2/7; f 1-0 1/5 [1: 1 5 5]; g 1-0 3/3 [1: 3 3 3]", -1 },
	{ "straight on past a label's code is no call",
	  "1f0 1 call 2fe, 2fe 1 next 380, 380 3 ret 1f2, 1f2 1 br 1f0",
	  "main 0-1 2/6; f 1-0 1/4 [1: 1 4 4]; g 0-0 3/0", -1 },
	{ "code without a function", "10 4 call 200, 200 2 ret 18, 18 1 br 10", "f 1-0 2/2 [1: 2 2 2]", -1 },
};

struct some_runs { size_t n; struct pt_run run[64]; };

static void keep_run(void *arg, const struct pt_run *run)
{
	struct some_runs *some = arg;

	ck_assert_uint_lt(some->n, PT_LEN(some->run));
	some->run[some->n++] = *run;
}

/* What is found does not depend on how many runs come together, nor on anchors between them. */
START_TEST(counts_alike_in_any_pieces)
{
	struct some_runs some = { 0 };

	script_runs(cases[_i].script, keep_run, &some);
	for (size_t piece = 1; piece <= some.n; piece++) {
		struct pt_execution *x = script_execution(0);
		char got[1000];

		for (size_t at = 0; at < some.n; at += piece) {
			pt_execution_anchor(x, 1000 * at, 0);
			pt_execution_feed(x, some.run + at, some.n - at < piece ? some.n - at : piece);
		}
		ck_assert_msg(strcmp(script_print(pt_execution_result(x), got), cases[_i].want) == 0,
			      "%s, %zu together:\n  got  %s\n  want %s", cases[_i].name, piece, got, cases[_i].want);
		pt_execution_free(x);
	}
}
END_TEST

START_TEST(counts_case)
{
	struct pt_execution *x = script_execution(0);
	struct step_follower *follower = step_follower_new(PT_LEN(script_functions) + 1);
	const struct pt_call_sink sink = step_follower_sink(follower);
	const struct pt_execution_result *result;
	char got[1000];

	pt_execution_steps(x, &sink, 0);
	script_feed(x, cases[_i].script);
	result = pt_execution_result(x);
	step_follower_expect(follower, result, false, cases[_i].name);
	ck_assert_msg(strcmp(script_print(result, got), cases[_i].want) == 0, "%s:\n  got  %s\n  want %s",
		      cases[_i].name, got, cases[_i].want);
	for (int i = 0; i < PT_N_EXECUTION_ERRORS; i++)
		ck_assert_msg(result->errors.n[i] == (i == cases[_i].error), "%s: %s counted %llu times",
			      cases[_i].name, pt_execution_error_name((enum pt_execution_error)i),
			      (unsigned long long)result->errors.n[i]);
	ck_assert_str_eq(script_print(pt_execution_result(x), (char[1000]){ 0 }), cases[_i].want);	/* a look changes nothing */
	step_follower_free(follower);
	pt_execution_free(x);
}
END_TEST

/* By hand: f is entered at 1, 6 and 13, left at 4, 9: periods 5 and 7, inactive 2 and 4. The one still open counts. */
START_TEST(periods_inside_one_stretch)
{
	struct pt_execution *x = script_execution(0);
	const struct pt_stat *stat;

	script_feed(x, "110 1 call 200, 200 3 ret 112, 112 2 call 200, 200 3 ret 116, 116 4 call 200, 200 1 br 204");
	stat = pt_execution_result(x)->function[2].stat;
	ck_assert_uint_eq(stat[PT_TALLY_PERIOD].n, 2);
	ck_assert_uint_eq(stat[PT_TALLY_PERIOD].min, 5);
	ck_assert_uint_eq(stat[PT_TALLY_PERIOD].max, 7);
	ck_assert_uint_eq(stat[PT_TALLY_INACTIVE].min, 2);
	ck_assert_uint_eq(stat[PT_TALLY_INACTIVE].max, 4);
	ck_assert_uint_eq(stat[PT_TALLY_PERIOD].unended, 1);	/* since the entry at 13 */
	ck_assert_uint_eq(stat[PT_TALLY_INACTIVE].unended, 0);	/* it is open */
	script_feed(x, "204 1 gap, 110 1 call 200, 200 3 ret 112");	/* no period over the gap */
	stat = pt_execution_result(x)->function[2].stat;
	ck_assert_uint_eq(stat[PT_TALLY_PERIOD].n, 2);
	ck_assert_uint_eq(stat[PT_TALLY_PERIOD].unended, 3);
	script_feed(x, "112 20 br 112");
	stat = pt_execution_result(x)->function[2].stat;
	ck_assert_uint_eq(stat[PT_TALLY_PERIOD].unended, 23);
	ck_assert_uint_eq(stat[PT_TALLY_INACTIVE].unended, 20);
	pt_execution_free(x);
}
END_TEST

/* Entry cycles are in the interrupted run and belong to the handler: 10 for the first, 5 for the chained one. */
START_TEST(entry_cycles_are_the_handlers)
{
	struct pt_execution *x = script_execution(10);
	const struct pt_execution_function *f;

	script_feed(x,
		    "110 1 call 200, 200 12 exc 500, 500 8 chain 600, 600 3 excret 218, 218 1 ret 112, 112 1 br 110");
	f = pt_execution_result(x)->function;
	ck_assert_uint_eq(f[2].cycles, 3);
	ck_assert_uint_eq(f[5].cycles, 13);
	ck_assert_uint_eq(f[6].cycles, 8);
	ck_assert_uint_eq(f[2].stat[PT_TALLY_GROSS].total, 3);
	ck_assert_uint_eq(f[2].stat[PT_TALLY_CALL].total, 24);
	ck_assert_uint_eq(f[5].stat[PT_TALLY_CALL].total, 13);
	ck_assert_uint_eq(f[6].stat[PT_TALLY_CALL].total, 8);
	ck_assert_uint_eq(f[5].exceptions, 1);
	pt_execution_free(x);
}
END_TEST

START_TEST(edges_with_open_calls)
{
	struct pt_execution *x = script_execution(0);
	const struct pt_execution_result *result;
	static const struct pt_edge want[] = { { 0, 5, 0, 1, 4, 0, 0 }, { 1, 2, 0, 3, 9, 0, 0 }, { 2, 3, 0, 1, 1, 0, 0 } };

	script_feed(x, "110 1 call 200, 200 3 ret 112, 112 1 call 200, 200 3 ret 114, 114 1 exc 500, 500 4 excret 116, "
		       "116 1 call 200, 200 2 call 300, 300 1 br 300");
	result = pt_execution_result(x);
	ck_assert_uint_eq(result->n_edges, PT_LEN(want));
	for (size_t i = 0; i < PT_LEN(want); i++) {
		ck_assert_uint_eq(result->edge[i].from, want[i].from);
		ck_assert_uint_eq(result->edge[i].to, want[i].to);
		ck_assert_uint_eq(result->edge[i].count, want[i].count);
		ck_assert_uint_eq(result->edge[i].gross, want[i].gross);
	}
	pt_execution_free(x);
}
END_TEST

/* Anchored at 5 us with 1 cycle = 100 ns: f runs 3 cycles at 1 cycle, then 7 at 5 cycles. */
START_TEST(stamps_of_extremes)
{
	struct pt_execution *x = script_execution(0);
	const struct pt_stat *call;

	pt_execution_anchor(x, 5000, 10e6);
	script_feed(x, "110 1 call 200, 200 3 ret 112, 112 1 call 200, 200 7 ret 114, 114 1 br 110");
	call = &pt_execution_result(x)->function[2].stat[PT_TALLY_CALL];
	ck_assert_uint_eq(call->min_at, 5100);
	ck_assert_uint_eq(call->max_at, 5500);
	pt_execution_free(x);
}
END_TEST

/* A call that outlasts a note's 32 bits is kept whole. */
START_TEST(long_times_do_not_wrap)
{
	struct pt_execution *x = script_execution(0);
	struct pt_run slow = { .begin = 0x200, .end = 0x202, .next = 0x200, .function = 2, .next_function = 2,
			       .instructions = 1, .cycles = 3000000000u, .left = PT_LEFT_BRANCH };

	script_feed(x, "110 1 call 200");
	pt_execution_feed(x, &slow, 1);
	pt_execution_feed(x, &slow, 1);
	script_feed(x, "200 1 ret 112, 112 1 call 200, 200 1 ret 114");
	ck_assert_uint_eq(pt_execution_result(x)->function[2].stat[PT_TALLY_CALL].max, 6000000001);
	ck_assert_uint_eq(pt_execution_result(x)->function[2].stat[PT_TALLY_CALL].min, 1);
	ck_assert_uint_eq(pt_execution_result(x)->function[2].stat[PT_TALLY_PERIOD].max, 6000000002);
	pt_execution_free(x);
}
END_TEST

/* What is between two functions is in gross once, however often the call is inside itself; ended or still open. */
static const struct {
	const char *name, *script;
	struct { uint16_t from, to; uint64_t count, gross; } want[4];
} recursions[] = {
	{ "a function that calls itself twice over",
	  "110 1 call 200, 200 2 call 200, 200 3 call 200, 200 4 ret 206, 206 5 ret 204, 204 6 ret 112, 112 1 br 110",
	  { { 1, 2, 1, 20 }, { 2, 2, 2, 12 } } },
	{ "one after the other: both count",
	  "110 1 call 200, 200 2 call 200, 200 3 ret 204, 204 1 call 200, 200 4 ret 206, 206 1 ret 112, 112 1 br 110",
	  { { 1, 2, 1, 11 }, { 2, 2, 2, 7 } } },
	{ "by way of another",
	  "110 1 call 200, 200 1 call 300, 300 2 call 200, 200 3 call 300, 300 4 ret 206, 206 1 ret 304, 304 1 ret 202, "
	  "202 1 ret 112, 112 1 br 110",
	  { { 1, 2, 1, 13 }, { 2, 3, 2, 11 }, { 3, 2, 1, 8 } } },
	{ "still open", "110 1 call 200, 200 2 call 200, 200 3 call 200, 200 4 br 200",
	  { { 1, 2, 1, 9 }, { 2, 2, 2, 7 } } },
	{ "a handler's are its own",
	  "110 1 call 200, 200 2 call 200, 200 1 exc 500, 500 1 call 200, 200 3 call 200, 200 5 ret 206, 206 1 ret 502, "
	  "502 1 excret 202, 202 1 ret 204, 204 1 ret 112, 112 1 br 110",
	  { { 0, 5, 1, 11 }, { 1, 2, 1, 5 }, { 2, 2, 2, 2 + 5 }, { 5, 2, 1, 9 } } },
};

START_TEST(recursive_calls_are_in_gross_once)
{
	struct pt_execution *x = script_execution(0);
	const struct pt_execution_result *result;

	script_feed(x, recursions[_i].script);
	result = pt_execution_result(x);
	for (size_t i = 0; i < PT_LEN(recursions[_i].want) && recursions[_i].want[i].to != 0; i++) {
		const struct pt_edge *edge = &result->edge[i];

		ck_assert_uint_lt(i, result->n_edges);
		ck_assert_msg(edge->from == recursions[_i].want[i].from && edge->to == recursions[_i].want[i].to &&
				      edge->count == recursions[_i].want[i].count &&
				      edge->gross == recursions[_i].want[i].gross,
			      "%s: %u to %u: %llu, %llu", recursions[_i].name, edge->from, edge->to,
			      (unsigned long long)edge->count, (unsigned long long)edge->gross);
	}
	pt_execution_free(x);
}
END_TEST

START_TEST(endless_recursion_is_bounded)
{
	struct pt_execution *x = script_execution(0);
	const struct pt_execution_result *result;

	for (int i = 0; i < 3 * PT_EXECUTION_DEPTH; i++)
		script_feed(x, "200 1 call 200");
	result = pt_execution_result(x);
	ck_assert_uint_gt(result->errors.n[PT_EXECUTION_TOO_DEEP], 0);
	ck_assert_uint_eq(result->function[2].instructions, 3 * PT_EXECUTION_DEPTH);
	ck_assert_uint_eq(result->function[2].count, 3 * PT_EXECUTION_DEPTH + 1);	/* the first run began at the entry */
	pt_execution_free(x);
}
END_TEST

/* Functions that jump to one another for ever (a state machine) neither grow the stack nor stay open. */
START_TEST(endless_tail_calls_are_bounded)
{
	struct pt_execution *x = script_execution(0);
	const struct pt_execution_result *result;

	script_feed(x, "110 1 call 200");
	for (int i = 0; i < 1000; i++)
		script_feed(x, "200 1 br 300, 300 1 br 200");
	result = pt_execution_result(x);
	ck_assert_uint_eq(result->errors.n[PT_EXECUTION_TOO_DEEP], 0);
	ck_assert_uint_eq(result->function[2].count, 1001);
	ck_assert_uint_eq(result->function[3].count, 1000);
	ck_assert_uint_le(result->function[2].partial + result->function[3].partial, PT_EXECUTION_TAILS + 2);
	pt_execution_free(x);
}
END_TEST

/* A full stack is forgotten; the jump that found it full has nobody to leave together with. */
START_TEST(tail_call_at_the_full_stack)
{
	struct pt_execution *x = script_execution(0);
	const struct pt_execution_result *result;

	script_feed(x, "110 1 call 200");
	for (int i = 0; i < PT_EXECUTION_DEPTH - 3; i++)
		script_feed(x, "200 1 call 200");
	script_feed(x, "200 1 br 300, 300 1 ret 202, 202 1 br 204");
	result = pt_execution_result(x);
	ck_assert_uint_eq(result->errors.n[PT_EXECUTION_TOO_DEEP], 1);
	ck_assert_uint_eq(result->function[3].stat[PT_TALLY_CALL].total, 1);
	ck_assert_uint_eq(result->function[2].partial, PT_EXECUTION_DEPTH - 1);
	pt_execution_free(x);
}
END_TEST

/* An interrupt before the first instruction of shared code: what entering it costs is nobody's but the handler's. */
START_TEST(interrupt_before_shared_code)
{
	struct pt_execution *x = script_execution(10);
	struct pt_run run = script_run("350 0 exc 500");

	run.cycles = 10;
	script_feed(x, "110 1 call 200, 200 2 br 350");
	pt_execution_feed(x, &run, 1);
	script_feed(x, "500 4 excret 350, 350 3 ret 112");
	ck_assert_uint_eq(pt_execution_result(x)->function[2].stat[PT_TALLY_NET].total, 2);
	ck_assert_uint_eq(pt_execution_result(x)->function[2].stat[PT_TALLY_GROSS].total, 5);
	ck_assert_uint_eq(pt_execution_result(x)->function[2].stat[PT_TALLY_CALL].total, 19);
	pt_execution_free(x);
}
END_TEST

START_TEST(more_contexts_than_slots)
{
	struct pt_execution *x = script_execution(0);
	char script[100];

	for (unsigned i = 0; i < 100; i++) {
		snprintf(script, sizeof(script), "%x 1 exc 500, 500 1 excret %x", 0x102 + 2 * i % 0x80,
			 0x702 + i * 6 % 0xf0);
		script_feed(x, script);
	}
	ck_assert_uint_eq(pt_execution_result(x)->instructions, 200);
	ck_assert_uint_eq(pt_execution_result(x)->function[5].count, 100);
	pt_execution_free(x);
}
END_TEST

/* Any sequence of runs is survived, and neither time nor invocations come out of nothing. */
START_TEST(random_runs)
{
	struct step_follower *follower = step_follower_new(PT_LEN(script_functions) + 1);
	const struct pt_call_sink sink = step_follower_sink(follower);
	struct pt_execution *x = script_execution(7);
	const struct pt_execution_result *result;
	uint64_t instructions = 0, seed = (uint64_t)_i * 977 + 1;

	pt_execution_steps(x, &sink, 0);
	for (int i = 0; i < 20000; i++) {
		struct pt_run run = { 0 };

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		run.begin = seed >> 33 & 0x7fe;
		run.instructions = seed >> 45 & 15;
		run.cycles = run.instructions * 2;
		run.end = run.begin + 2 * run.instructions;
		run.next = seed >> 50 & 1 ? (seed >> 51 & 7) << 8 : seed >> 20 & 0x7fe;
		run.left = (uint8_t)(1 + (seed >> 60) % 8);
		run.function = script_owner(run.begin);
		run.next_function = script_owner(run.next);
		instructions += run.instructions;
		pt_execution_feed(x, &run, 1);
	}
	result = pt_execution_result(x);
	ck_assert_uint_eq(result->instructions, instructions);
	ck_assert_uint_eq(result->cycles, 2 * instructions);
	for (size_t f = 1; f < result->n_functions; f++) {
		const struct pt_execution_function *row = &result->function[f];

		ck_assert_uint_le(row->gross_total, 2 * instructions);
		ck_assert_uint_le(row->stat[PT_TALLY_NET].n, row->count);
		ck_assert_uint_le(row->count, row->stat[PT_TALLY_NET].n + row->partial);
		ck_assert_uint_le(row->stat[PT_TALLY_NET].total, row->stat[PT_TALLY_GROSS].total);
		ck_assert_uint_le(row->stat[PT_TALLY_GROSS].total, row->stat[PT_TALLY_CALL].total);
	}
	step_follower_expect(follower, result, false, "random runs");
	for (int kind = PT_CALL_ENTER; kind <= PT_CALL_FORGET; kind++)
		ck_assert_uint_gt(step_follower_n(follower, (enum pt_call_event_kind)kind), 0);
	step_follower_free(follower);
	pt_execution_free(x);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("execution");
	TCase *tc = tcase_create("execution");

	tcase_add_loop_test(tc, counts_case, 0, PT_LEN(cases));
	tcase_add_loop_test(tc, counts_alike_in_any_pieces, 0, PT_LEN(cases));
	tcase_add_test(tc, periods_inside_one_stretch);
	tcase_add_test(tc, entry_cycles_are_the_handlers);
	tcase_add_test(tc, edges_with_open_calls);
	tcase_add_test(tc, stamps_of_extremes);
	tcase_add_test(tc, long_times_do_not_wrap);
	tcase_add_loop_test(tc, recursive_calls_are_in_gross_once, 0, PT_LEN(recursions));
	tcase_add_test(tc, endless_recursion_is_bounded);
	tcase_add_test(tc, endless_tail_calls_are_bounded);
	tcase_add_test(tc, tail_call_at_the_full_stack);
	tcase_add_test(tc, interrupt_before_shared_code);
	tcase_add_test(tc, more_contexts_than_slots);
	tcase_add_loop_test(tc, random_runs, 0, 8);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
