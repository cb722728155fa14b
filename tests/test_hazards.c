/* Every hazard of execution profiling, as a little story (story_program.h), with what each of the three analyses makes
 * of it, computed by hand. */
#include "harness.h"
#include "profile/result/analysis.h"
#include "report/report.h"
#include "tests/story_program.h"

/* Of a function: "f 2-1 7/9 [1: 3 4 4]": 2 entries and 1 partial invocation; net 7, gross 9 in all; 1 whole invocation
 * with net 3, gross 4, call 4. Range: "f 3 7": entered 3 times, 7 in all. Then errors. task: a signal in the stream. */
static const struct { const char *name, *script, *execution, *entry_exit, *range; } hazards[] = {
	{ "f, g, then the exit of f without that of g",
	  "100 2 call 120, 120 3 call 140, 140 4 br 128, 128 4 ret 104, 104 1 br 100",
	  "main 1-1 3/14; f 1-0 7/11 [1: 3 11 11]; g 1-1 4/8; exit not seen 1 in f at 13; ",
	  "main 1-1 3/14; f 1-0 3/11 [1: 3 11 11]; g 1-1 8/8 exit not seen 1 at 13:12e; ",
	  "main 1 3; f 2 7; g 1 4; " },
	{ "an entry fetched, cancelled by an interrupt, and executed after it",
	  "100 2 call 120, 120 1 exc 180, 180 16 excret 120, 120 8 ret 104",
	  "main 1-1 2/11; f 1-0 9/9 [1: 9 9 25]; isr 1-0 16/16 [1: 16 16 16]; ",
	  "main 1-1 2/11; f 1-0 9/9 [1: 9 9 25] again 1; isr 1-0 16/16 [1: 16 16 16]; ",
	  "main 1 2; f 2 9; isr 1 16; " },
	{ "recursion", "100 2 call 120, 120 3 call 120, 120 8 ret 126, 126 5 ret 104",
	  "main 1-1 2/18; f 2-0 16/16 [2: 16 24 24]; ",
	  "main 1-1 2/18; f 2-0 16/16 [2: 16 24 24] per 3; ",
	  "main 1 2; f 1 16; " },
	{ "mutual recursion",
	  "100 2 call 120, 120 3 call 140, 140 2 call 120, 120 8 ret 144, 144 14 ret 126, 126 5 ret 104",
	  "main 1-1 2/34; f 2-0 16/32 [2: 16 40 40]; g 1-0 16/24 [1: 16 24 24]; ",
	  "main 1-1 2/34; f 2-0 16/32 [2: 16 40 40] per 5; g 1-0 16/24 [1: 16 24 24]; ",
	  "main 1 2; f 3 16; g 2 16; " },
	{ "a tail call", "100 2 call 160, 160 8 br 140, 140 16 ret 104",
	  "main 1-1 2/26; g 1-0 16/16 [1: 16 16 16]; h 1-0 8/24 [1: 8 24 24]; ",
	  "main 1-1 2/26; g 1-0 16/16 [1: 16 16 16]; h 1-0 8/8 [1: 8 8 8]; ",
	  "main 1 2; g 1 16; h 1 8; " },
	{ "a merged tail: f goes on in the middle of g", "100 2 call 120, 120 3 br 132, 132 3 br 154, 154 6 ret 104",
	  "main 1-1 2/14; f 1-0 6/12 [1: 6 12 12]; g 0-0 6/0; ",
	  "main 1-1 2/14; f 1-0 12/12 [1: 12 12 12]; ",
	  "main 1 2; f 1 6; g 1 6; " },
	{ "a shared epilogue: f jumps to a helper that returns for it",
	  "100 2 call 120, 120 3 br 138, 138 2 br 140, 140 16 ret 104",
	  "main 1-1 2/23; f 1-0 5/21 [1: 5 21 21]; g 1-0 16/16 [1: 16 16 16]; ",
	  "main 1-1 2/23; f 1-0 5/5 [1: 5 5 5]; g 1-0 16/16 [1: 16 16 16]; ",
	  "main 1 2; f 1 5; g 1 16; " },
	{ "a shared prologue: a helper that f calls first, and that adjusts its return address",
	  "100 2 call 120, 120 1 call 140, 140 16 ret 124, 124 6 ret 104",
	  "main 1-1 2/25; f 1-0 7/23 [1: 7 23 23]; g 1-0 16/16 [1: 16 16 16]; ",
	  "main 1-1 2/25; f 1-0 7/23 [1: 7 23 23]; g 1-0 16/16 [1: 16 16 16]; ",
	  "main 1 2; f 2 7; g 1 16; " },
	{ "a long jump over two functions to behind a call",
	  "108 2 call 120, 120 3 call 140, 140 4 call 160, 160 2 br 10c, 10c 1 br 100",
	  "main 0-1 3/12; f 1-0 3/9 [1: 3 9 9]; g 1-0 4/6 [1: 4 6 6]; h 1-0 2/2 [1: 2 2 2]; long jump 1 in h at 11; ",
	  "f 1-1 3/10; g 1-1 4/7; h 1-1 3/3; ",
	  "main 1 3; f 1 3; g 1 4; h 1 2; " },
	{ "a long jump by a return", "108 2 call 120, 120 3 call 140, 140 4 ret 10c, 10c 1 br 100",
	  "main 0-1 3/10; f 1-0 3/7 [1: 3 7 7]; g 1-1 4/4; exit not seen 1 in g at 9; ",
	  "f 1-1 3/8; g 1-1 5/5; ",
	  "main 1 3; f 1 3; g 1 4; " },
	{ "a stack thrown away: the task begins anew",
	  "task 0, 100 2 exc 180, 180 8 br 190, task 1, 190 8 excret 1c0, 1c0 2 call 120, 120 3 exc 180, 180 8 br 190, "
	  "task 0, 190 8 excret 104, 104 2 exc 180, 180 8 br 190, task 1, 190 8 excret 1c0, 1c0 6 br 1c2",
	  "main 1-1 4/4; f 1-1 3/3; isr 3-0 48/48 [3: 48 48 48]; task 2-2 8/11; ",
	  "main 1-1 4/4; f 1-1 3/3; isr 3-0 48/48 [3: 48 48 48] per 39 idle 7; task 2-2 8/11 per 39; ",
	  "main 1 4; f 1 3; isr 3 48; task 2 8; " },
	{ "entered before the trace began", "124 6 ret 104, 104 4 br 100",
	  "main 0-1 4/4; f 0-1 6/6; ",
	  "f 0-1 0/0; ",
	  "main 1 4; f 0 6; " },
	{ "left after it ended", "100 2 call 120, 120 3 br 124",
	  "main 1-1 2/5; f 1-1 3/3; ",
	  "main 1-1 2/5; f 1-1 3/3; ",
	  "main 0 2; f 1 3; " },
	{ "an interrupt", "100 2 call 120, 120 3 exc 180, 180 16 excret 126, 126 5 ret 104",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 24]; isr 1-0 16/16 [1: 16 16 16]; ",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 24]; isr 1-0 16/16 [1: 16 16 16]; ",
	  "main 1 2; f 2 8; isr 1 16; " },
	{ "interrupts in one another",
	  "100 2 call 120, 120 3 exc 180, 180 4 exc 1a0, 1a0 16 excret 188, 188 12 excret 126, 126 5 ret 104",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 40]; isr 1-0 16/16 [1: 16 16 32]; isr2 1-0 16/16 [1: 16 16 16]; ",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 40]; isr 1-0 16/16 [1: 16 16 32]; isr2 1-0 16/16 [1: 16 16 16]; ",
	  "main 1 2; f 2 8; isr 2 16; isr2 1 16; " },
	{ "one interrupt straight after another",
	  "100 2 call 120, 120 3 exc 180, 180 16 chain 1a0, 1a0 16 excret 126, 126 5 ret 104",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 40]; isr 1-0 16/16 [1: 16 16 16]; isr2 1-0 16/16 [1: 16 16 16]; ",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 40]; isr 1-0 16/16 [1: 16 16 16]; isr2 1-0 16/16 [1: 16 16 16]; ",
	  "main 1 2; f 2 8; isr 1 16; isr2 1 16; " },
	{ "an exception return that skips the instruction", "100 2 call 120, 120 3 exc 180, 180 16 excret 128, 128 4 "
							    "ret 104",
	  "main 1-1 2/9; f 1-0 7/7 [1: 7 7 23]; isr 1-0 16/16 [1: 16 16 16]; ",
	  "main 1-1 2/9; f 1-0 7/7 [1: 7 7 23]; isr 1-0 16/16 [1: 16 16 16]; ",
	  "main 1 2; f 2 7; isr 1 16; " },
	{ "an exception return into another context, and back",
	  "100 2 call 120, 120 3 exc 180, 180 16 excret 1c0, 1c0 4 exc 180, 180 16 excret 126, 126 5 ret 104",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 44]; isr 2-0 32/32 [2: 32 32 32]; task 1-1 4/4; ",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 44]; isr 2-0 32/32 [2: 32 32 32] per 20 idle 4; task 1-1 4/4; ",
	  "main 1 2; f 2 8; isr 2 32; task 1 4; " },
	{ "an exception return that leaves two levels",
	  "100 2 call 120, 120 3 exc 180, 180 4 exc 1a0, 1a0 16 excret 126, 126 5 ret 104",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 28]; isr 1-1 4/4; isr2 1-0 16/16 [1: 16 16 16]; exception return to code "
	  "that was not interrupted 1 in isr2 at 25; ",
	  "main 1-1 2/10; f 1-0 8/8 [1: 8 8 28]; isr 1-1 4/4 exit not seen 1 at 25:1c0; isr2 1-0 16/16 [1: 16 16 16]; ",
	  "main 1 2; f 2 8; isr 1 4; isr2 1 16; " },
	{ "a gap", "100 2 call 120, 120 3 gap, 100 2 call 120, 120 8 ret 104",
	  "main 2-2 4/15; f 2-1 11/11 [1: 8 8 8]; ",
	  "main 2-2 4/15; f 2-1 11/11 [1: 8 8 8]; ",
	  "main 1 4; f 2 11; " },
	{ "a gap inside an interrupt", "100 2 call 120, 120 3 exc 180, 180 4 gap, 126 5 ret 104, 104 2 call 120, 120 8 "
				       "ret 108",
	  "main 1-2 4/15; f 2-2 16/16 [1: 8 8 8]; isr 1-1 4/4; ",
	  "main 1-1 2/5; f 2-1 11/11 [1: 8 8 8] idle 2; isr 1-1 4/4; ",
	  "main 2 4; f 2 16; isr 1 4; " },
};

static void print_execution(const struct pt_execution_result *r, char *out)
{
	out[0] = '\0';
	for (size_t i = 1; i < r->n_functions; i++) {
		const struct pt_execution_function *f = &r->function[i];

		if (f->count == 0 && f->partial == 0 && f->instructions == 0)
			continue;
		out += sprintf(out, "%s %d-%d %d/%d", story_functions[i - 1].name, (int)f->count, (int)f->partial,
			       (int)f->cycles, (int)f->gross_total);
		if (f->stat[PT_TALLY_NET].n > 0)
			out += sprintf(out, " [%d: %d %d %d]", (int)f->stat[PT_TALLY_NET].n,
				       (int)f->stat[PT_TALLY_NET].total, (int)f->stat[PT_TALLY_GROSS].total,
				       (int)f->stat[PT_TALLY_CALL].total);
		out += sprintf(out, "; ");
	}
	for (int e = 0; e < PT_N_EXECUTION_ERRORS; e++)
		if (r->errors.n[e] > 0)
			out += sprintf(out, "%s %d in %s at %d; ", pt_execution_error_name((enum pt_execution_error)e),
				       (int)r->errors.n[e], story_functions[r->errors.function - 1].name,
				       (int)r->errors.at);
}

static void print_entry_exit(const struct pt_spans *r, char *out)
{
	out[0] = '\0';
	for (size_t i = 0; i < r->n_spans; i++) {
		const struct pt_execution_function *run = &r->span[i].run;

		if (run->count == 0 && run->partial == 0)
			continue;
		story_print_span(&r->span[i], out);
		strcat(out, "; ");
		out += strlen(out);
	}
}

static void print_range(const struct pt_spans *r, char *out)
{
	out[0] = '\0';
	for (size_t i = 0; i < r->n_spans; i++)
		out += sprintf(out, "%s %d %d; ", r->span[i].name, (int)r->span[i].run.count,
			       (int)r->span[i].run.cycles);
}

struct three {
	struct pt_execution *x;
	void *entry_exit, *range;
	uint64_t ns;
};

static void take(struct three *t, const char *line)
{
	struct pt_run run;
	unsigned task;

	if (sscanf(line, " task %u", &task) == 1) {
		pt_execution_task(t->x, (uint16_t)task, (struct pt_timestamp){ t->ns, 0 }, true);
		return;
	}
	run = story_run(line);
	pt_execution_feed(t->x, &run, 1);
	pt_analysis_entry_exit.runs(t->entry_exit, &run, 1, 0, (struct pt_timestamp){ t->ns, 0 });
	pt_analysis_range.runs(t->range, &run, 1, 0, (struct pt_timestamp){ t->ns, 0 });
	t->ns += run.cycles;
}

static void play(struct three *t, const char *script)
{
	char copy[1000], *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", script);
	for (const char *line = strtok_r(copy, ",", &rest); line != NULL; line = strtok_r(NULL, ",", &rest))
		take(t, line);
}

static void same(const char *name, const char *analysis, const char *got, const char *want)
{
	ck_assert_msg(strcmp(got, want) == 0, "%s, by %s:\n  got  %s\n  want %s", name, analysis, got, want);
}

static void open_three(struct three *t, const struct pt_program *program, const struct pt_codemap *map)
{
	static const struct pt_param clock = { .key = "core-clock", .type = PT_PARAM_HZ };
	static const struct pt_flow_settings no_costs = { .clock = PT_FLOW_CYCLES };
	struct pt_params *words = pt_params_new();
	const struct pt_analysis_setup setup = {
		.program = program, .map = map, .n_functions = PT_LEN(story_functions) + 1, .words = words,
		.flow = &no_costs,
	};

	ck_assert_int_eq(pt_params_add(words, &clock, 1, "core-clock=1000000000", NULL), 0);
	t->x = pt_execution_new(story_functions, PT_LEN(story_functions), map, &no_costs);
	pt_execution_anchor(t->x, 0, 1e9);
	t->entry_exit = pt_analysis_entry_exit.open(&setup, NULL);
	t->range = pt_analysis_range.open(&setup, NULL);
	ck_assert(t->x != NULL && t->entry_exit != NULL && t->range != NULL);
	pt_params_free(words);
}

static void expect(struct three *t, const char *name, const char *execution, const char *entry_exit, const char *range)
{
	struct pt_profile profile = { 0 };
	char got[1000];

	pt_analysis_entry_exit.result(t->entry_exit, &profile);
	pt_analysis_range.result(t->range, &profile);
	print_execution(pt_execution_result(t->x), got);
	same(name, "execution", got, execution);
	print_entry_exit(profile.spans, got);
	same(name, "entry-exit", got, entry_exit);
	print_range(profile.ranges, got);
	same(name, "range", got, range);
}

static void close_three(struct three *t)
{
	pt_execution_free(t->x);
	pt_analysis_entry_exit.close(t->entry_exit);
	pt_analysis_range.close(t->range);
}

START_TEST(hazard)
{
	struct pt_program *program = story_program();
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	struct three t = { 0 };

	open_three(&t, program, map);
	play(&t, hazards[_i].script);
	expect(&t, hazards[_i].name, hazards[_i].execution, hazards[_i].entry_exit, hazards[_i].range);
	close_three(&t);
	pt_codemap_free(map);
	pt_program_unref(program);
}
END_TEST

/* Two cores, a run of each by turns: what one does is no call, exit or gap of the other, and they do not share a clock.
 * By hand: what each core gives alone. */
START_TEST(two_cores)
{
	static const char *const lines[][2] = {
		{ "100 2 call 120", "100 2 call 140" }, { "120 8 ret 104", "140 3 exc 180" },
		{ "104 2 call 120", "180 16 excret 146" }, { "120 8 ret 108", "146 13 gap" },
		{ "108 4 br 100", "120 3 call 140" },
	};
	struct pt_program *program = story_program();
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	struct pt_profile profile = { 0 };
	struct three t = { 0 };
	char got[1000];

	open_three(&t, program, map);
	for (size_t i = 0; i < 2 * PT_LEN(lines); i++) {
		const struct pt_run run = story_run(lines[i / 2][i % 2]);

		pt_analysis_entry_exit.runs(t.entry_exit, &run, 1, i % 2, (struct pt_timestamp){ PT_UNKNOWN, 0 });
		pt_analysis_range.runs(t.range, &run, 1, i % 2, (struct pt_timestamp){ PT_UNKNOWN, 0 });
	}
	pt_analysis_entry_exit.result(t.entry_exit, &profile);
	print_entry_exit(profile.spans, got);
	same("two cores", "entry-exit", got,
	     "main 1-1 8/24; f 2-0 16/16 [2: 16 16 16] per 10 idle 2; "
	     "main 1-1 2/18; f 1-1 3/3; g 1-1 16/16; isr 1-0 16/16 [1: 16 16 16]; ");
	ck_assert_uint_eq(profile.spans->n_cores, 2);
	ck_assert_uint_eq(pt_spans_core(profile.spans, 0)->observed, 24);
	ck_assert_uint_eq(pt_spans_core(profile.spans, 1)->observed, 37);
	pt_analysis_range.result(t.range, &profile);
	print_range(profile.ranges, got);
	same("two cores", "range", got, "main 2 8; f 2 16; main 0 2; f 0 3; g 3 16; isr 1 16; ");
	ck_assert_uint_eq(pt_spans_core(profile.ranges, 0)->observed, 24);
	ck_assert_uint_eq(pt_spans_core(profile.ranges, 1)->observed, 37);
	close_three(&t);
	pt_codemap_free(map);
	pt_program_unref(program);
}
END_TEST

/* The chip's FIFO overflows between the call of f and its second half: counted by cause, and what is open ends as
 * unknown in all three. */
START_TEST(fifo_overflow)
{
	static const struct pt_event events[] = {
		{ .kind = PT_EV_START, .branch.to = 0x100 },
		{ .kind = PT_EV_BRANCH, .cause = PT_BY_INSTRUCTION, .branch = { 0x108, 0x120 } },
		{ .kind = PT_EV_GAP, .cause = PT_GAP_OVERFLOW }, { .kind = PT_EV_START, .branch.to = 0x13c },
		{ .kind = PT_EV_BRANCH, .cause = PT_BY_INSTRUCTION, .branch = { 0x13e, 0x10c } },
	};
	const struct pt_flow_settings settings = { .clock = PT_FLOW_CYCLES };
	struct pt_program *program = story_program();
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	struct pt_run_batch runs = { 0 };
	struct three t = { 0 };
	struct pt_flow flow;

	open_three(&t, program, map);
	pt_flow_init(&flow, map, &settings);
	ck_assert_uint_eq(pt_flow_feed(&flow, events, PT_LEN(events), &runs), PT_LEN(events));
	pt_flow_flush(&flow, &runs);
	ck_assert_uint_eq(flow.counts.overflows, 1);
	ck_assert_uint_eq(flow.counts.lost + flow.counts.damaged + flow.counts.not_code, 0);
	pt_execution_feed(t.x, runs.run, runs.n_runs);
	pt_analysis_entry_exit.runs(t.entry_exit, runs.run, runs.n_runs, 0, (struct pt_timestamp){ 0, 0 });
	pt_analysis_range.runs(t.range, runs.run, runs.n_runs, 0, (struct pt_timestamp){ 0, 0 });
	/* main: 4 that do nothing and bl, 7 cycles; f: one that does nothing and bx, 3 */
	expect(&t, "trace FIFO overflow", "main 1-1 7/7; f 1-2 3/3; ", "main 1-1 7/7; f 0-1 0/0; ",
	       "main 1 7; f 1 3; ");
	close_three(&t);
	pt_codemap_free(map);
	pt_program_unref(program);
}
END_TEST

START_TEST(fifo_overflow_has_advice)
{
	struct pt_profile profile = {
		.source = "etm", .mode = "stream", .ended = true, .errors = { .address = PT_UNKNOWN, .at = PT_UNKNOWN },
		.not_code_from = PT_UNKNOWN, .timing = "cycles", .counts = PT_BASIS_ESTIMATED,
	};
	struct pt_query query = { .format = "details" };
	struct pt_text text = { 0 };

	profile.loss.by[PT_LOSS_FIFO].events = 3;
	ck_assert_int_eq(pt_report_render(&profile, &query, &text, NULL), 0);
	pt_text_bytes(&text, "", 1);
	ck_assert_ptr_nonnull(strstr(text.bytes, "trace FIFO overflow (for how long is not known) in 3"));
	for (size_t i = 0; i < 3; i++)
		ck_assert_ptr_nonnull(strstr(strstr(text.bytes, "advice     trace FIFO overflow: "),
					     ((const char *const[]){ "wider trace port", "stall option",
								     "instrumentation" })[i]));
	pt_text_free(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hazards");
	TCase *tc = tcase_create("hazards");

	tcase_add_loop_test(tc, hazard, 0, PT_LEN(hazards));
	tcase_add_test(tc, two_cores);
	tcase_add_test(tc, fifo_overflow);
	tcase_add_test(tc, fifo_overflow_has_advice);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
