/* Entry/exit analysis, each story (story_program.h) with its figures by hand. A cycle is 1 ns. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/spans.h"
#include "tests/story_program.h"

static const struct { const char *name, *words, *script, *want; } stories[] = {
	{ "entry and exit", "functions=f", "100 2 call 120, 120 8 ret 104, 104 4 br 100", "f 1-0 8/8 [1: 8 8 8]" },
	{ "all functions, where none is chosen", NULL, "104 2 call 120, 120 8 ret 108, 108 4 br 104",
	  "main 0-0 0/0; f 1-0 8/8 [1: 8 8 8]; g 0-0 0/0; h 0-0 0/0; isr 0-0 0/0; isr2 0-0 0/0; task 0-0 0/0" },
	{ "the second exit", "functions=f", "100 2 call 120, 120 3 br 13c, 13c 2 ret 104", "f 1-0 5/5 [1: 5 5 5]" },
	{ "one inside another", "functions=f,g", "100 2 call 120, 120 3 call 140, 140 16 ret 126, 126 5 ret 104",
	  "f 1-0 8/24 [1: 8 24 24]; g 1-0 16/16 [1: 16 16 16]" },
	{ "what is not chosen is its caller's", "functions=f", "100 2 call 120, 120 3 call 140, 140 16 ret 126, 126 5 ret 104",
	  "f 1-0 24/24 [1: 24 24 24]" },
	{ "f, g, then the exit of f without that of g", "functions=f,g",
	  "100 2 call 120, 120 3 call 140, 140 4 ret 126, 126 5 ret 104, 104 1 br 100",
	  "f 1-0 3/12 [1: 3 12 12]; g 1-1 9/9 exit not seen 1 at 14:12e" },
	{ "the exit of what is not open", "functions=f",
	  "100 2 call 120, 120 8 ret 104, 104 1 br 13c, 13c 2 ret 104",
	  "f 1-0 8/8 [1: 8 8 8] exit of what was not open 1 at 13:13e" },
	{ "entered before the trace began: partial, and no error", "functions=f", "124 6 ret 104, 104 2 call 120, 120 8 ret 108",
	  "f 1-1 8/8 [1: 8 8 8] idle 2" },
	{ "left after its end", "functions=f", "100 2 call 120, 120 3 br 128", "f 1-1 3/3" },
	{ "recursion", "functions=f", "100 2 call 120, 120 3 call 120, 120 8 ret 126, 126 5 ret 104",
	  "f 2-0 16/16 [2: 16 24 24] per 3" },
	{ "a loop to the first instruction is no entry", "functions=f", "100 2 call 120, 120 4 br 120, 120 8 ret 104",
	  "f 1-0 12/12 [1: 12 12 12]" },
	{ "nor is it after an interrupt", "functions=f",
	  "100 2 call 120, 120 4 br 120, 120 0 exc 180, 180 16 excret 120, 120 8 ret 104", "f 1-0 12/12 [1: 12 12 28]" },
	{ "fetched, cancelled by an interrupt and fetched again: one entry", "functions=f,isr",
	  "100 2 call 120, 120 1 exc 180, 180 16 excret 120, 120 8 ret 104",
	  "f 1-0 9/9 [1: 9 9 25] again 1; isr 1-0 16/16 [1: 16 16 16]" },
	{ "interrupted before its first instruction", "functions=f",
	  "100 2 call 120, 120 0 exc 180, 180 16 excret 120, 120 8 ret 104", "f 1-0 8/8 [1: 8 8 8]" },
	{ "interrupted behind its first instruction", "functions=f",
	  "100 2 call 120, 120 1 exc 180, 180 16 excret 122, 122 7 ret 104", "f 1-0 8/8 [1: 8 8 24]" },
	{ "interrupts in one another", "functions=f,isr,isr2",
	  "100 2 call 120, 120 3 exc 180, 180 4 exc 1a0, 1a0 16 excret 188, 188 12 excret 126, 126 5 ret 104",
	  "f 1-0 8/8 [1: 8 8 40]; isr 1-0 16/16 [1: 16 16 32]; isr2 1-0 16/16 [1: 16 16 16]" },
	{ "one interrupt straight after another", "functions=f,isr,isr2",
	  "100 2 call 120, 120 3 exc 180, 180 16 chain 1a0, 1a0 16 excret 126, 126 5 ret 104",
	  "f 1-0 8/8 [1: 8 8 40]; isr 1-0 16/16 [1: 16 16 16]; isr2 1-0 16/16 [1: 16 16 16]" },
	{ "a handler calls what it interrupted", "functions=f",
	  "100 2 call 120, 120 3 exc 180, 180 2 call 120, 120 8 ret 184, 184 14 excret 126, 126 5 ret 104",
	  "f 2-0 16/16 [2: 16 16 40] per 5" },
	{ "a handler that is left in the middle", "functions=f,isr",
	  "100 2 call 120, 120 3 exc 180, 180 4 excret 126, 126 5 ret 104",
	  "f 1-0 8/8 [1: 8 8 12]; isr 1-1 4/4 exit not seen 1 at 9:188" },
	{ "two handlers are left at once", "functions=f,isr,isr2",
	  "100 2 call 120, 120 3 exc 180, 180 4 exc 1a0, 1a0 16 excret 126, 126 5 ret 104",
	  "f 1-0 8/8 [1: 8 8 28]; isr 1-1 4/4 exit not seen 1 at 25:1c0; isr2 1-0 16/16 [1: 16 16 16]" },
	{ "a tail call ends who made it", "functions=g,h", "100 2 call 160, 160 8 br 140, 140 16 ret 104",
	  "g 1-0 16/16 [1: 16 16 16]; h 1-0 8/8 [1: 8 8 8]" },
	{ "a jump into the tail of another function, whose exit is not its own then", "functions=f,g",
	  "100 2 call 140, 140 3 call 120, 120 3 br 132, 132 3 br 154, 154 6 ret 146, 146 13 ret 104",
	  "f 1-0 12/12 [1: 12 12 12]; g 1-0 16/28 [1: 16 28 28]" },
	{ "whose exits nobody knows", "functions=f", "100 2 call 120, 120 3 br 132, 132 3 br 154, 154 6 ret 104",
	  "f 1-0 6/6 [1: 6 6 6]" },
	{ "with an interrupt in that tail", "functions=f,g",
	  "100 2 call 140, 140 3 call 120, 120 3 br 132, 132 3 br 154, 154 2 exc 180, 180 16 excret 158, 158 4 ret "
	  "146, 146 13 ret 104",
	  "f 1-0 12/12 [1: 12 12 28]; g 1-0 16/28 [1: 16 28 44]" },
	{ "a jump inside is no exit", "functions=h", "100 2 call 160, 160 2 br 170, 170 4 br 160, 160 2 br 178, 178 4 ret 104",
	  "h 1-0 12/12 [1: 12 12 12]" },
	{ "a long jump: what it left stays open until its caller's exit tells", "functions=f,g,h",
	  "100 2 call 160, 160 3 call 120, 120 3 call 140, 140 4 ret 178, 178 4 ret 104",
	  "f 1-1 3/11 exit not seen 1 at 16:17e; g 1-1 8/8 exit not seen 1 at 16:17e; h 1-0 3/14 [1: 3 14 14]" },
	{ "another context, and back", "functions=f",
	  "100 2 call 120, 120 3 exc 180, 180 16 excret 1c0, 1c0 4 exc 180, 180 16 excret 126, 126 5 ret 104",
	  "f 1-0 8/8 [1: 8 8 44]" },
	{ "two contexts in one function", "functions=f",
	  "100 2 call 120, 120 3 exc 180, 180 16 excret 1c0, 1c0 4 call 120, 120 2 exc 180, 180 16 excret 126, 126 5 "
	  "ret 104, 104 1 exc 180, 180 16 excret 124, 124 6 ret 1c8",
	  "f 2-0 16/16 [2: 16 16 92] per 23" },
	{ "a gap", "functions=f", "100 2 call 120, 120 3 gap, 100 2 call 120, 120 8 ret 104", "f 2-1 11/11 [1: 8 8 8]" },
	{ "a debugger moved the pc", "functions=f", "100 2 call 120, 120 3 dbg 130, 130 8 ret 104", "f 1-1 3/3" },
	{ "halted and let go", "functions=f", "100 2 call 120, 120 3 dbg 126, 126 5 ret 104", "f 1-0 8/8 [1: 8 8 8]" },
	{ "a named span", "functions=f span=s:f+4..f+12", "100 2 call 120, 120 8 ret 104",
	  "f 1-0 4/8 [1: 4 8 8]; s 1-0 4/4 [1: 4 4 4]" },
	{ "a named span up to an exit, by the name it is listed by", "functions=f span=s:f+4..f_EXIT_",
	  "100 2 call 120, 120 8 ret 104", "f 1-0 3/8 [1: 3 8 8]; s 1-0 5/5 [1: 5 5 5]" },
	{ "the end of a named span is reached by another way", "functions=isr span=way:0x104..g+0",
	  "102 1 call 140, 140 16 ret 104, 104 1 call 140, 140 16 ret 106", "isr 0-0 0/0; way 1-0 1/1 [1: 1 1 1]" },
	{ "a named span from one function into another", "functions=isr span=way:0x104..g+0",
	  "100 3 call 120, 120 3 call 140, 140 16 ret 126", "isr 0-0 0/0; way 1-0 4/4 [1: 4 4 4]" },
	{ "a named span that ends where it begins: rounds of a loop", "functions=isr span=round:0x106..0x106",
	  "100 8 br 104, 104 6 br 104, 104 3 br 102", "isr 0-0 0/0; round 3-1 14/14 [2: 12 12 12] per 12 idle 0" },
	{ "a named span is entered again without its end", "functions=isr span=s:f+4..f+12",
	  "120 4 br 120, 120 8 ret 104", "isr 0-0 0/0; s 2-1 8/8 [1: 4 4 4] per 4 entered again without exit 1 at 6:124" },
	{ "exits by hand", "functions=f,g exits=g:0x146", "100 2 call 120, 120 3 call 140, 140 4 ret 126, 126 5 ret 104",
	  "f 1-0 8/12 [1: 8 12 12]; g 1-0 4/4 [1: 4 4 4]" },
};

static const struct pt_flow_settings no_costs;

static void feed(void *analysis, const char *script)
{
	char copy[1000], *rest = NULL;
	uint64_t ns = 0;

	snprintf(copy, sizeof(copy), "%s", script);
	for (const char *line = strtok_r(copy, ",", &rest); line != NULL; line = strtok_r(NULL, ",", &rest)) {
		struct pt_run run = story_run(line);

		pt_analysis_entry_exit.runs(analysis, &run, 1, 0, (struct pt_timestamp){ ns, 0 });
		ns += run.cycles;
	}
}

static struct pt_params *words_of(const char *text)
{
	static const struct pt_param rows[] = {
		{ .key = "functions", .type = PT_PARAM_LIST }, { .key = "span", .type = PT_PARAM_LIST },
		{ .key = "exits", .type = PT_PARAM_LIST }, { .key = "core-clock", .type = PT_PARAM_HZ },
	};
	struct pt_params *words = pt_params_new();
	char copy[200], *rest = NULL;

	snprintf(copy, sizeof(copy), "core-clock=1000000000 %s", text != NULL ? text : "");
	for (const char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
		ck_assert_int_eq(pt_params_add(words, rows, PT_LEN(rows), word, NULL), 0);
	return words;
}

START_TEST(story)
{
	struct pt_program *p = story_program();
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	struct pt_params *words = words_of(stories[_i].words);
	const struct pt_analysis_setup setup = {
		.program = p, .map = map, .n_functions = PT_LEN(story_functions) + 1, .words = words, .flow = &no_costs,
	};
	struct pt_err err = { 0 };
	void *analysis = pt_analysis_entry_exit.open(&setup, &err);
	struct pt_profile profile = { 0 };
	char got[1000];

	ck_assert_msg(analysis != NULL, "%s: %s", stories[_i].name, err.msg);
	feed(analysis, stories[_i].script);
	for (int look = 0; look < 2; look++) {	/* a look changes nothing */
		pt_analysis_entry_exit.result(analysis, &profile);
		story_print_spans(profile.spans, got);
		ck_assert_msg(strcmp(got, stories[_i].want) == 0, "%s:\n  got  %s\n  want %s", stories[_i].name, got,
			      stories[_i].want);
	}
	pt_analysis_entry_exit.close(analysis);
	pt_params_free(words);
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

static const struct { const char *words, *why; } wrong[] = {
	{ "span=s:f+4", "not NAME:START..END" }, { "span=f..g", "not NAME:START..END" },
	{ "span=s:nobody..f", "nobody" }, { "span=s:f..f+4000", "f" }, { "span=s:f..f_EXIT_9", "no symbol f_EXIT_9" }, { "exits=nobody:0x100", "nobody" },
};

START_TEST(words_that_make_no_sense)
{
	struct pt_program *p = story_program();
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	struct pt_params *words = words_of(wrong[_i].words);
	const struct pt_analysis_setup setup = { .program = p, .map = map, .n_functions = 8, .words = words };
	struct pt_err err = { 0 };

	ck_assert_ptr_null(pt_analysis_entry_exit.open(&setup, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_msg(strstr(err.msg, wrong[_i].why) != NULL, "%s", err.msg);
	pt_params_free(words);
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

/* Any runs are survived; time is neither lost nor made. */
START_TEST(random_runs)
{
	struct pt_program *p = story_program();
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	struct pt_params *words = words_of("span=a:f+4..g+4,b:isr+2..f+6");
	const struct pt_analysis_setup setup = { .program = p, .map = map, .n_functions = 8, .words = words };
	void *analysis = pt_analysis_entry_exit.open(&setup, NULL);
	uint64_t seed = (uint64_t)_i + 1, cycles = 0, net = 0;
	struct pt_profile profile = { 0 };

	for (int i = 0; i < 50000; i++) {
		struct pt_run run = { 0 };

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		run.begin = 0x100 + ((seed >> 33) % 0xc0) / 2 * 2;
		run.instructions = seed >> 45 & 15;
		run.cycles = run.instructions * 2;
		run.end = run.begin + 2 * run.instructions;
		run.next = seed >> 50 & 1 ? 0x100 + (seed >> 51) % 7 * 32 : 0x100 + (seed >> 20 & 0xde);
		run.left = (uint8_t)(1 + (seed >> 60) % 8);
		run.function = story_owner((unsigned)run.begin);
		run.next_function = story_owner((unsigned)run.next);
		cycles += run.cycles;
		pt_analysis_entry_exit.runs(analysis, &run, 1, 0, (struct pt_timestamp){ 0, 0 });
	}
	pt_analysis_entry_exit.result(analysis, &profile);
	ck_assert_uint_eq(pt_spans_core(profile.spans, 0)->observed, cycles);
	for (size_t i = 0; i < profile.spans->n_spans; i++) {
		const struct pt_execution_function *run = &profile.spans->span[i].run;

		net += run->cycles;
		ck_assert_uint_gt(run->count, 0);
		ck_assert_uint_le(run->gross_total, cycles);
		ck_assert_uint_le(run->stat[PT_TALLY_NET].total, run->stat[PT_TALLY_GROSS].total);
		ck_assert_uint_le(run->stat[PT_TALLY_GROSS].total, run->stat[PT_TALLY_CALL].total);
	}
	ck_assert_uint_le(net, cycles);
	pt_analysis_entry_exit.close(analysis);
	pt_params_free(words);
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("entry/exit");
	TCase *tc = tcase_create("entry/exit");

	tcase_add_loop_test(tc, story, 0, PT_LEN(stories));
	tcase_add_loop_test(tc, words_that_make_no_sense, 0, PT_LEN(wrong));
	tcase_add_loop_test(tc, random_runs, 0, 4);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
