/* What tasks, ranges and signalled spans look like: the analyses fed with a little story (run_script.h, a tick is 1
 * ns), rendered, and compared with golden files. */
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/spans.h"
#include "profile/analyses/signals/tasks.h"
#include "report/report.h"
#include "tests/golden.h"
#include "tests/run_script.h"

static const struct pt_task_entry tasks[] = { { 0x10, "idle", false }, { 0x20, "comm", false } };
static const struct pt_task_map map = { .variable = "running", .task = (struct pt_task_entry *)tasks, .n_tasks = 2 };
static const struct pt_value_name span_names[] = { { 1, "A" }, { 2, "B" } };
static const struct pt_signal_definition definitions[] = {
	{ .name = "running", .form = PT_FORM_TASK, .tasks = &map },
	{ .name = "g_span", .form = PT_FORM_NESTED, .values = span_names, .n_values = 2 },
};
static const struct pt_signal_set signals = { definitions, PT_LEN(definitions) };
/* main calls f and g by turns; f runs into g's tail at 0x350; comm (task) interrupts it twice, and isr once. */
static const char script[] =
	"task 0, 110 10 call 200, 200 20 br 350, 350 5 ret 124, 124 2 call 300, 300 30 exc 600, 600 4 excret 33c, "
	"33c 1 exc 500, 500 1 br 502, task 1, 502 3 excret 710, 710 40 exc 500, 500 1 br 502, task 0, 502 3 excret "
	"33e, 33e 5 ret 128, 128 1 exc 500, 500 1 br 502, task 1, 502 3 excret 760, 760 50 exc 500, 500 1 br 502, task "
	"0, 502 3 excret 12a, 12a 5 br 110";
static const struct { uint64_t ns, raw, error_ns; } spans[] = {
	{ 100, 3, 0 }, { 200, 5, 0 }, { 250, 2, 0 }, { 400, 0, 0 }, { 1000, 3, 0 }, { 1100, 5, 0 }, { 1200, 0, 0 },
	{ 2000, 5, 90 }, { 2050, 0, 20 },
};

static const struct { const char *view, *format, *file; } rows[] = {
	{ "tasks", "csv", "story_tasks.csv" }, { "tasks", "text", "story_tasks.txt" },
	{ "task_functions", "csv", "story_task_functions.csv" }, { "ranges", "csv", "story_ranges.csv" },
	{ "ranges", "text", "story_ranges.txt" }, { "signalled", "csv", "story_signalled.csv" },
	{ "signalled", "text", "story_signalled.txt" },
};

struct story { void *tasks, *range, *signalled; };

static void take_steps(void *arg, const struct pt_call_event *step, size_t n)
{
	pt_analysis_tasks.steps(arg, step, n);
}

static void take_runs(void *arg, const struct pt_run *run)
{
	pt_analysis_range.runs(arg, run, 1, 0, (struct pt_timestamp){ 5000, 0 });
}

static void signal_spans(void *analysis)
{
	for (size_t i = 0; i < PT_LEN(spans); i++) {
		const struct pt_signal s = {
			.kind = PT_SIGNAL_SPAN, .id = 1, .ticks = PT_UNKNOWN, .pc = 0x200 + 2 * i,
			.enters = (spans[i].raw & 1) != 0, .at = { spans[i].ns, spans[i].error_ns }, .own_ns = spans[i].ns,
			.own_error_ns = spans[i].error_ns,
			.value = spans[i].raw >> 1,
		};

		pt_analysis_signalled.signals(analysis, &s, 1);
	}
}

static void play(struct story *story)
{
	const struct pt_call_sink sink = { take_steps, story->tasks };
	struct pt_execution *x = script_execution(0);

	pt_execution_anchor(x, 0, 1e9);
	pt_execution_steps(x, &sink, 0);
	script_feed(x, script);
	pt_execution_result(x);
	script_runs(script, take_runs, story->range);
	signal_spans(story->signalled);
	pt_execution_free(x);
}

static struct pt_program *program(void)
{
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "script", .functions = script_functions, .n_functions = PT_LEN(script_functions),
	};

	return pt_program_from_desc(&desc);
}

START_TEST(looks_like)
{
	struct pt_program *p = program();
	struct pt_params *words = pt_params_new();
	static const struct pt_flow_settings no_costs;
	const struct pt_analysis_setup setup = {
		.flow = &no_costs, .program = p, .signals = &signals, .words = words, .map = &script_map,
		.n_functions = PT_LEN(script_functions) + 1,
	};
	struct pt_profile profile = {
		.source = "mtb", .mode = "halt", .core_hz = 1000000000, .counts = PT_BASIS_EXACT,
		.times = PT_BASIS_MODELLED,
		.shares = PT_BASIS_MODELLED, .program = p, .not_code_from = PT_UNKNOWN, .ended = true,
		.errors = { .address = PT_UNKNOWN, .at = PT_UNKNOWN }, .timing = "one cycle each",
	};
	struct pt_query query = { .top = 0 };
	struct pt_text text = { 0 };
	struct story story;

	ck_assert_int_eq(pt_params_add(words, pt_analysis_tasks.params, pt_analysis_tasks.n_params, "task-functions=on",
				       NULL),
			 0);
	story.tasks = pt_analysis_tasks.open(&setup, NULL);
	story.range = pt_analysis_range.open(&setup, NULL);
	story.signalled = pt_analysis_signalled.open(&setup, NULL);
	play(&story);
	pt_analysis_tasks.result(story.tasks, &profile);
	pt_analysis_range.result(story.range, &profile);
	pt_analysis_signalled.result(story.signalled, &profile);
	strcpy(query.view, rows[_i].view);
	strcpy(query.format, rows[_i].format);
	ck_assert_int_eq(pt_report_render(&profile, &query, &text, NULL), 0);
	expect_golden_bytes(rows[_i].file, text.bytes, text.len_bytes);
	pt_text_free(&text);
	pt_analysis_tasks.close(story.tasks);
	pt_analysis_range.close(story.range);
	pt_analysis_signalled.close(story.signalled);
	pt_params_free(words);
	pt_program_unref(p);
}
END_TEST

/* 59 cycles at 48 MHz are 1229.1666 ns: where all slices are alike, least, average and most are so, too. */
START_TEST(averages_lie_between)
{
	static const struct pt_task task = {
		.name = "t", .kind = PT_TASK_FOUND, .activations = 3, .run = 177,
		.slice = { .n = 3, .total = 177, .min = 59, .max = 59 },
	};
	static const struct pt_tasks of_flow = { .task = &task, .n_tasks = 1, .observed = 177, .flow = 177 };
	const struct pt_profile profile = { .core_hz = 48000000, 
					    .times = PT_BASIS_MODELLED, .shares = PT_BASIS_MODELLED, .tasks = &of_flow, .ended = true };
	const struct pt_query query = { .view = "tasks", .format = "csv" };
	struct pt_text text = { 0 };

	ck_assert_int_eq(pt_report_render(&profile, &query, &text, NULL), 0);
	ck_assert_msg(strstr(text.bytes, ",3,0,3688,1,1229,1229,1229,") != NULL, "%s", text.bytes);
	pt_text_free(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("task views");
	TCase *tc = tcase_create("views");

	tcase_add_loop_test(tc, looks_like, 0, PT_LEN(rows));
	tcase_add_test(tc, averages_lie_between);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
