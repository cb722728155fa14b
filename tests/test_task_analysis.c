/* Tasks, each story with its figures by hand: by the steps of execution (run_script.h; an instruction is 1 ns and one
 * tick), and by signals alone. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/signals/tasks.h"
#include "tests/run_script.h"

static const struct pt_task_entry tasks[] = { { 0x10, "idle", false }, { 0x20, "comm", false }, { 0x30, "ctl", false } };
static const struct pt_task_map map = { .variable = "running", .task = (struct pt_task_entry *)tasks, .n_tasks = 3 };
static const struct pt_signal_definition definition = { .name = "running", .form = PT_FORM_TASK, .tasks = &map };
static const struct pt_signal_set signals = { &definition, 1 };

/* "comm 2-1 run 9 net 7 irq 2 slice 2:4..5 per 10 susp 6": 2 activations and 1 partial slice; all its slices took 9, of
 * which 7 in the task and 2 in interrupts; 2 whole slices of 4 to 5; one period of 10, once suspended for 6. "+-3": its
 * error, "? 4": undecided, "made 1 gone 1 life 20". */
static void print_task(const struct pt_task *task, char *out)
{
	out += sprintf(out, "%s %d-%d run %d", task->name, (int)task->activations, (int)task->partial, (int)task->run);
	if (task->isr2_known)
		out += sprintf(out, task->isr2_unsure > 0 ? " isr2 %d+%d" : " isr2 %d", (int)task->isr2,
			       (int)task->isr2_unsure);
	if (task->net + task->interrupts > 0)
		out += sprintf(out, " net %d irq %d", (int)task->net, (int)task->interrupts);
	if (task->slice.n > 0)
		out += sprintf(out, " slice %d:%d..%d", (int)task->slice.n, (int)task->slice.min, (int)task->slice.max);
	if (task->period.n > 0)
		out += sprintf(out, " per %d", (int)task->period.total);
	if (task->suspended.n > 0)
		out += sprintf(out, " susp %d", (int)task->suspended.total);
	if (task->error > 0)
		out += sprintf(out, " +-%d", (int)task->error);
	if (task->undecided > 0)
		out += sprintf(out, " ? %d", (int)task->undecided);
	if (task->created + task->thrown_away > 0)
		out += sprintf(out, " made %d gone %d", (int)task->created, (int)task->thrown_away);
	if (task->lifetime.n > 0)
		out += sprintf(out, " life %d", (int)task->lifetime.total);
}

static char *print_tasks(const struct pt_tasks *result, char *out)
{
	out[0] = '\0';
	for (size_t i = 0; i < result->n_tasks; i++) {
		strcat(out, i > 0 ? "; " : "");
		print_task(&result->task[i], out + strlen(out));
	}
	for (size_t i = 0; i < result->n_functions; i++) {
		const struct pt_task_function *f = &result->function[i];

		sprintf(out + strlen(out), "%s%s/%s %d %d/%d", i > 0 ? ", " : " | ", result->task[f->task].name,
			f->function > 0 ? script_functions[f->function - 1].name : "-", (int)f->count, (int)f->net,
			(int)f->gross);
	}
	return out;
}

static const struct { const char *name, *script; bool functions; const char *want; } by_steps[] = {
	/* 10 main enter; 15 task 1; 20 work enter; 25 task 0; 30 main exit; 40 main enter; 45 task 1; 50 work exit */
	{ "the worked example",
	  "task 0, 410 10 call 100, 100 5 br 10a, task 1, 710 5 call 200, 200 5 br 20a, task 0, 10a 5 ret 424, "
	  "424 10 call 100, 100 5 br 10a, task 1, 20a 5 ret 71a", true,
	  "idle 1-1 run 35 net 35 irq 0 slice 1:20..20 susp 10; comm 2-1 run 15 net 15 irq 0 slice 1:10..10 per 30 susp 20 "
	  "| idle/h 0 20/0, idle/main 2 15/10, comm/f 1 10/10, comm/task 0 5/0" },
	{ "interrupts are apart",
	  "task 0, 110 4 exc 600, 600 3 excret 118, 118 1 exc 500, 500 1 br 502, task 1, 502 1 excret 710, 710 4 exc 500, "
	  "500 1 br 502, task 0, 502 1 excret 11a, 11a 1 br 110", false,
	  "idle 1-2 run 11 net 6 irq 5 susp 6; comm 1-0 run 6 net 4 irq 2 slice 1:6..6" },
	{ "where none runs",
	  "task -, 110 4 exc 500, 500 1 br 502, task 2, 502 1 excret 710, 710 4 exc 500, 500 1 br 502, task -, "
	  "502 1 excret 118, 118 1 br 110", false,
	  "ctl 1-0 run 6 net 4 irq 2 slice 1:6..6; (no task) 1-2 run 7 net 5 irq 2 susp 6" },
	{ "nobody tells: contexts by the function at the bottom",
	  "110 4 call 200, 200 1 exc 500, 500 2 excret 710, 710 1 call 200, 200 3 exc 500, 500 2 excret 202, 202 1 ret 118, "
	  "118 1 exc 500, 500 2 excret 206, 206 1 ret 712, 712 1 br 710", false,
	  "main 1-1 run 11 net 7 irq 4 slice 1:4..4 susp 6; task 2-1 run 8 net 6 irq 2 slice 1:6..6 per 10 susp 4" },
	{ "one of two that were left in one call: no task has the name of what was called",
	  "110 1 call 300, 300 2 exc 500, 500 2 excret 710, 710 1 call 300, 300 2 exc 500, 500 2 excret 410, 410 1 exc 500, "
	  "500 2 excret 304, 304 2 exc 500, 500 2 excret 412, 412 1 exc 500, 500 2 excret 308, 308 1 ret 112, 112 3 exc 500, "
	  "500 2 excret 414, 414 1 br 416", false,
	  "main 1-1 run 11 net 7 irq 4 slice 1:6..6 per 7 susp 3; h 3-1 run 7 net 3 irq 4 slice 2:3..3 per 16 susp 10; "
	  "task 1-0 run 5 net 3 irq 2 slice 1:5..5; (not known) 1-0 run 4 net 2 irq 2 slice 1:4..4" },
	{ "nobody tells, and nothing switches: nobody's in particular", "110 4 call 200, 200 1 ret 118", false, "" },
	{ "a task that is thrown away",
	  "task 0, 110 1 exc 500, 500 1 br 502, task 1, 502 1 excret 700, 700 3 call 200, 200 2 exc 500, 500 1 br 502, "
	  "task 0, 502 1 excret 112, 112 1 exc 500, 500 1 br 502, task 1, 502 1 excret 700, 700 4 exc 500, 500 1 br 502, "
	  "task 0, 502 1 excret 114, 114 1 br 110", false,
	  "idle 2-2 run 7 net 3 irq 4 slice 1:3..3 per 9 susp 13; comm 2-0 run 13 net 9 irq 4 slice 2:6..7 made 2 gone 1 life 7" },
	{ "a gap: slices around it have no end, and nothing is measured over it",
	  "task 0, 110 1 exc 500, 500 1 br 502, task 1, 502 1 excret 710, 710 5 gap, 710 4 exc 500, 500 1 br 502, task 0, "
	  "502 1 excret 112, 112 1 br 110", false,
	  "idle 1-2 run 4 net 2 irq 2; comm 1-1 run 5 net 5 irq 0; task 0-1 run 6 net 4 irq 2" },
	{ "told late, by a source with an error, where flow found the switch: that is exact",
	  "task 0, 110 1 exc 500, 500 2 excret 710, told 1 4 2, 710 4 exc 500, 500 2 excret 112, told 0 10 3, 112 2 br 110", false,
	  "idle 1-2 run 5 net 3 irq 2 susp 6; comm 1-0 run 6 net 4 irq 2 slice 1:6..6" },
	{ "flow finds none: what ran within the error is not decided",
	  "task 0, 110 6 br 11c, told 1 6 3, 11c 2 br 120, 120 2 br 124, 710 20 br 710", true,
	  "idle 0-1 run 7 net 7 irq 0 +-3 ? 3; comm 1-1 run 17 net 17 irq 0 +-3 ? 3 | idle/main 0 7/0, comm/task 0 17/0" },
};

static void take(void *arg, const struct pt_call_event *step, size_t n)
{
	pt_analysis_tasks.steps(arg, step, n);
}

static struct pt_program *program(void)
{
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "script", .functions = script_functions, .n_functions = PT_LEN(script_functions),
	};

	return pt_program_from_desc(&desc);
}

static void *open_tasks(const struct pt_program *p, const char *word)
{
	struct pt_params *words = pt_params_new();
	const struct pt_analysis_setup setup = { .program = p, .signals = &signals, .words = words, .map = &script_map };
	void *analysis;

	if (word != NULL)
		ck_assert_int_eq(pt_params_add(words, pt_analysis_tasks.params, pt_analysis_tasks.n_params, word, NULL),
				 0);
	analysis = pt_analysis_tasks.open(&setup, NULL);
	ck_assert_ptr_nonnull(analysis);
	pt_params_free(words);
	return analysis;
}

static void expect(void *analysis, const char *name, const char *want)
{
	struct pt_profile profile = { 0 };
	char got[1000];

	for (int look = 0; look < 2; look++) {	/* a look changes nothing */
		pt_analysis_tasks.result(analysis, &profile);
		print_tasks(profile.tasks, got);
		ck_assert_msg(strcmp(got, want) == 0, "%s:\n  got  %s\n  want %s", name, got, want);
	}
}

START_TEST(steps_case)
{
	struct pt_program *p = program();
	void *analysis = open_tasks(p, by_steps[_i].functions ? "task-functions=on" : "task-functions=off");
	const struct pt_call_sink sink = { take, analysis };
	struct pt_execution *x = script_execution(0);

	pt_execution_anchor(x, 0, 1e9);
	pt_execution_steps(x, &sink, 0);
	script_feed(x, by_steps[_i].script);
	pt_execution_result(x);
	expect(analysis, by_steps[_i].name, by_steps[_i].want);
	pt_execution_free(x);
	pt_analysis_tasks.close(analysis);
	pt_program_unref(p);
}
END_TEST

static struct pt_call_event step_of(enum pt_call_event_kind kind, uint64_t clock, uint16_t stack, uint16_t function)
{
	return (struct pt_call_event){
		.kind = (uint8_t)kind, .clock = clock, .at = { clock, 0 }, .stack = stack, .function = function,
		.entry = PT_ENTRY_UNSEEN, .task = PT_NO_TASK, .period = PT_UNKNOWN, .site = PT_UNKNOWN,
	};
}

/* Contexts that were given up: their numbers are used again, for stacks of which nothing has been seen yet. */
START_TEST(a_new_stack_has_no_past)
{
	enum { MAIN = 1, F = 2, TASK = 7 };
	const struct pt_call_event steps[] = {
		step_of(PT_CALL_ENTER, 0, 0, MAIN),	step_of(PT_CALL_SWITCH, 10, 1, 0),
		step_of(PT_CALL_ENTER, 10, 1, TASK),	step_of(PT_CALL_SWITCH, 20, 2, 0),
		step_of(PT_CALL_ENTER, 20, 2, F),	step_of(PT_CALL_SWITCH, 30, 0, 0),
		step_of(PT_CALL_LEAVE, 1000, 1, TASK),	step_of(PT_CALL_LEAVE, 1000, 2, F),
		step_of(PT_CALL_SWITCH, 1000, 1, 0),	step_of(PT_CALL_ENTER, 1000, 1, F),
		step_of(PT_CALL_SWITCH, 1010, 0, 0),
	};
	struct pt_program *p = program();
	void *analysis = open_tasks(p, "task-functions=off");

	take(analysis, steps, PT_LEN(steps));
	expect(analysis, "used again",
	       "main 1-1 run 980 net 980 irq 0 slice 1:970..970 susp 20; f 2-0 run 20 net 20 irq 0 slice 2:10..10; "
	       "task 1-0 run 10 net 10 irq 0 slice 1:10..10");
	pt_analysis_tasks.close(analysis);
	pt_program_unref(p);
}
END_TEST

enum { NONE = 100, GAP, UNLISTED, SEEN, IN, OUT };	/* SEEN: nothing came up to there; IN, OUT: ISR2s */

static const struct {
	const char *name;
	struct { uint64_t ns; unsigned task, error_ns; } told[12];
	const char *want;
} by_signals[] = {
	{ "slices, periods, suspended", { { 10, 1, 0 }, { 14, 2, 0 }, { 20, 1, 0 }, { 25, 2, 0 } },
	  "comm 2-0 run 9 slice 2:4..5 per 10 susp 6; ctl 2-1 run 6 slice 1:6..6 per 11 susp 5" },
	{ "the same told again", { { 10, 1, 0 }, { 12, 1, 0 }, { 14, 2, 0 } },
	  "comm 1-0 run 4 slice 1:4..4; ctl 1-1 run 0" },
	{ "the last one goes on", { { 10, 1, 0 }, { 14, 2, 0 }, { 50, SEEN, 0 }, { 40, SEEN, 0 } },
	  "comm 1-0 run 4 slice 1:4..4; ctl 1-1 run 36" },
	{ "none, and one that is not in the map", { { 10, NONE, 0 }, { 15, UNLISTED, 0 }, { 18, NONE, 0 }, { 30, 0, 0 } },
	  "idle 1-1 run 0; 0xbad 1-0 run 3 slice 1:3..3; (no task) 2-0 run 17 slice 2:5..12 per 8 susp 3" },
	{ "a gap", { { 10, 1, 0 }, { 14, 2, 0 }, { 15, GAP, 0 }, { 40, 1, 0 }, { 45, 2, 0 } },
	  "comm 2-1 run 9 slice 1:4..4; ctl 2-2 run 1" },	/* behind the gap comm may have been running already */
	{ "ISR2s", { { 5, OUT, 0 }, { 10, 1, 0 }, { 12, IN, 0 }, { 15, OUT, 0 }, { 18, IN, 0 }, { 20, 2, 0 }, { 24, OUT, 0 }, { 30, 1, 0 },
		     { 33, IN, 0 }, { 40, SEEN, 0 } },
	  "comm 2-1 run 20 isr2 12 slice 1:10..10 per 20 susp 10; ctl 1-0 run 10 isr2 4 slice 1:10..10" },
	{ "an ISR2 inside another", { { 5, OUT, 0 }, { 10, 1, 0 }, { 12, IN, 0 }, { 15, IN, 0 }, { 18, OUT, 0 }, { 20, 2, 0 } },
	  "comm 1-0 run 10 isr2 6 slice 1:10..10; ctl 1-1 run 0 isr2 0" },
	{ "before the first word of them", { { 10, 1, 0 }, { 14, IN, 0 }, { 16, OUT, 0 }, { 20, GAP, 0 }, { 30, 1, 0 }, { 33, OUT, 0 },
					     { 35, 2, 0 } },
	  "comm 2-2 run 15 isr2 2+7; ctl 1-1 run 0 isr2 0" },
	{ "uncertain moments", { { 10, 1, 3 }, { 50, 2, 4 }, { 90, 1, 3 } },
	  "comm 2-1 run 40 slice 1:40..40 per 80 susp 40 +-4; ctl 1-0 run 40 slice 1:40..40 +-4" },
};

START_TEST(signals_case)
{
	void *analysis = open_tasks(NULL, NULL);

	for (size_t i = 0; by_signals[_i].told[i].ns != 0; i++) {
		unsigned task = by_signals[_i].told[i].task;
		const struct pt_signal s = {
			.kind = task == GAP ? PT_SIGNAL_GAP : task == IN || task == OUT ? PT_SIGNAL_ISR : PT_SIGNAL_TASK, .ticks = PT_UNKNOWN,
			.at = { by_signals[_i].told[i].ns, by_signals[_i].told[i].error_ns }, .own_ns = by_signals[_i].told[i].ns,
			.own_error_ns = by_signals[_i].told[i].error_ns,
			.value = task == NONE || task == OUT ? PT_SIGNAL_NONE : task == UNLISTED ? 3 : task, .raw = 0xbad,
		};

		if (task == SEEN)
			pt_analysis_tasks.seen(analysis, 0, s.at.ns);
		else
			pt_analysis_tasks.signals(analysis, &s, 1);
	}
	expect(analysis, by_signals[_i].name, by_signals[_i].want);
	pt_analysis_tasks.close(analysis);
}
END_TEST

/* Tasks that flow found have the names of the OS's file, where it says whose function is at the bottom of their stacks. */
START_TEST(found_tasks_have_the_names_of_the_file)
{
	static const struct { const char *function, *other; bool addresses; const char *want; } cases[] = {
		{ "task", "idle", false, "task" },	/* nothing names it */
		{ "Os_Entry_comm", "idle", false, "comm" }, { "commfunc", "idle", false, "comm" }, { "comm_function", "idle", false, "comm" },
		{ "Funccomm", "idle", false, "comm" }, { "comm", "idle", false, "comm" }, { "communication", "idle", false, "communication" },
		{ "task_comm", "task_comm", false, "task_comm" },	/* both tasks may be meant */
		{ "run", "idle", true, "comm" },
	};
	struct pt_function functions[7];
	const struct pt_task_entry entries[] = { { 0x700, "comm", false }, { 0x10, cases[_i].other, false }, { 0, "NONE", true } };
	const struct pt_task_map of = { .code_addresses = cases[_i].addresses, .task = (struct pt_task_entry *)entries, .n_tasks = 3 };
	const struct pt_signal_definition d = { .name = "running", .form = PT_FORM_TASK, .core = PT_ANY_CORE, .tasks = &of };
	const struct pt_signal_set set = { &d, 1 };
	const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "script", .functions = functions, .n_functions = 7 };
	struct pt_params *words = pt_params_new();
	struct pt_analysis_setup setup = { .signals = &set, .words = words, .map = &script_map };
	struct pt_call_event steps[] = { step_of(PT_CALL_ENTER, 0, 0, 1), step_of(PT_CALL_SWITCH, 10, 1, 0),
					 step_of(PT_CALL_ENTER, 10, 1, 7), step_of(PT_CALL_SWITCH, 20, 0, 0) };
	struct pt_profile profile = { 0 };
	bool found = false;
	void *analysis;

	memcpy(functions, script_functions, sizeof(functions));
	functions[6].name = cases[_i].function;
	setup.program = pt_program_from_desc(&desc);
	analysis = pt_analysis_tasks.open(&setup, NULL);
	take(analysis, steps, PT_LEN(steps));
	pt_analysis_tasks.result(analysis, &profile);
	for (size_t i = 0; i < profile.tasks->n_tasks; i++)
		found |= strcmp(profile.tasks->task[i].name, cases[_i].want) == 0;
	ck_assert_msg(found, "%s is not %s", cases[_i].function, cases[_i].want);
	pt_analysis_tasks.close(analysis);
	pt_params_free(words);
	pt_program_unref((struct pt_program *)(uintptr_t)setup.program);
}
END_TEST

/* Samples in the stream of the signals: each is of the task that the signal before it named. */
enum { TO_COMM, TO_CTL, LOST, IN_F, IN_G, ASLEEP, ELSEWHERE, BATCH };

static void play_samples(void *analysis, const uint8_t *what, size_t n)
{
	static const uint64_t places[] = { [IN_F] = 0x204, [IN_G] = 0x304, [ASLEEP] = PT_UNKNOWN, [ELSEWHERE] = 0x204 };

	static uint64_t ns;

	for (size_t i = 0; i < n; i++, ns += 10) {
		const struct pt_signal signal = {
			.kind = what[i] == LOST ? PT_SIGNAL_GAP : PT_SIGNAL_TASK, .ticks = PT_UNKNOWN, .own_ns = ns, .at = { ns, 0 },
			.own_error_ns = i % 2, .value = what[i] == TO_COMM ? 1 : 2,
		};
		const struct pt_event sample = { .kind = PT_EV_SAMPLE, .source = what[i] == ELSEWHERE, .branch.to = places[what[i] % BATCH] };

		if (what[i] == BATCH)
			pt_analysis_tasks.batch_end(analysis, 0);
		else if (what[i] <= LOST)
			pt_analysis_tasks.signals(analysis, &signal, 1);
		else
			pt_analysis_tasks.events(analysis, &sample, &signal.at, 1);
	}
}

static const struct pt_task_function *row_of(const struct pt_tasks *of, const char *task, enum pt_task_row_kind kind,
					     const char *function)
{
	for (size_t i = 0; i < of->n_functions; i++) {
		const struct pt_task_function *f = &of->function[i];

		if (strcmp(of->task[f->task].name, task) == 0 && f->kind == kind &&
		    (kind != PT_TASK_FUNCTION || strcmp(script_functions[f->function - 1].name, function) == 0))
			return f;
	}
	return NULL;
}

static void expect_row(const struct pt_tasks *of, const char *task, enum pt_task_row_kind kind, const char *function,
		       unsigned samples, double share)
{
	const struct pt_task_function *f = row_of(of, task, kind, function);

	ck_assert_msg(f != NULL, "%s has no %s", task, function);
	ck_assert_uint_eq(f->samples, samples);
	ck_assert_double_eq_tol(f->share.share, share, 1e-9);
	ck_assert_msg(f->share.lo <= share && share <= f->share.hi && f->share.lo < f->share.hi, "%s: %g to %g",
		      function, f->share.lo, f->share.hi);
}

START_TEST(samples_are_of_the_task_named_before)
{
	static const uint8_t batch[] = { TO_COMM, IN_F, IN_G, IN_F, ELSEWHERE, TO_CTL, IN_G, ASLEEP, ASLEEP, TO_COMM, IN_F, BATCH };
	static const uint8_t lost[] = { LOST, IN_G, IN_G, TO_CTL, ASLEEP, BATCH };
	static const struct pt_flow_settings no_costs;
	static struct pt_code_unit code[0x800 / 2];
	static struct pt_code_span span = { .end = 0x800, .code = code };
	static const struct pt_codemap own_map = { .isa = &pt_isa_thumb_v6m, .span = &span, .n_spans = 1 };
	struct pt_params *words = pt_params_new();
	const struct pt_analysis_setup setup = { .signals = &signals, .words = words, .map = &own_map, .flow = &no_costs,
						 .n_functions = PT_LEN(script_functions) + 1 };
	void *analysis = pt_analysis_tasks.open(&setup, NULL);
	struct pt_profile profile = { 0 };
	double most;

	for (unsigned i = 0x100 / 2; i < PT_LEN(code); i++)
		code[i] = (struct pt_code_unit){ .len_units = 1, .function = script_owner(2 * i) };
	for (int i = 0; i < 20; i++)
		play_samples(analysis, batch, sizeof(batch));
	for (int look = 0; look < 2; look++) {
		pt_analysis_tasks.result(analysis, &profile);
		ck_assert_uint_eq(profile.tasks->functions_by, PT_TASK_BY_SAMPLES);
		ck_assert_uint_eq(profile.tasks->n_functions, 6);
		expect_row(profile.tasks, "comm", PT_TASK_FUNCTION, "f", 60, 0.75);
		expect_row(profile.tasks, "comm", PT_TASK_FUNCTION, "g", 20, 0.25);
		expect_row(profile.tasks, "comm", PT_TASK_REST, "rest", 0, 0);
		expect_row(profile.tasks, "ctl", PT_TASK_FUNCTION, "g", 20, 1.0 / 3);
		expect_row(profile.tasks, "ctl", PT_TASK_ASLEEP, "sleep", 40, 2.0 / 3);
	}
	most = row_of(profile.tasks, "comm", PT_TASK_FUNCTION, "g")->share.hi;
	ck_assert_uint_eq(profile.tasks->task[0].run_error,
			  40); /* each slice's ends add theirs, not the worst of all each time */
	play_samples(analysis, lost, sizeof(lost));	/* two of nobody's: they may have been comm's */
	pt_analysis_tasks.result(analysis, &profile);
	expect_row(profile.tasks, "comm", PT_TASK_FUNCTION, "g", 20, 0.25);
	ck_assert_double_gt(row_of(profile.tasks, "comm", PT_TASK_FUNCTION, "g")->share.hi, most);
	pt_analysis_tasks.close(analysis);
	pt_params_free(words);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tasks");
	TCase *tc = tcase_create("tasks");

	tcase_add_loop_test(tc, steps_case, 0, PT_LEN(by_steps));
	tcase_add_loop_test(tc, signals_case, 0, PT_LEN(by_signals));
	tcase_add_test(tc, a_new_stack_has_no_past);
	tcase_add_loop_test(tc, found_tasks_have_the_names_of_the_file, 0, 9);
	tcase_add_test(tc, samples_are_of_the_task_named_before);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
