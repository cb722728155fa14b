/* Timing rules: how they are written, what is decided and what is not. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/limits/limits.h"
#include "profile/analyses/calls/spans.h"
#include "profile/analyses/signals/exceptions.h"
#include "profile/analyses/signals/tasks.h"
#include "profile/analyses/calls/timeline.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/signals/data.h"
#include "profile/analyses/signals/external_lines.h"
#include "profile/analyses/signals/watched.h"

/* --- grammar */

static const struct { const char *text, *says; double allowed, forbidden; } rules[] = {
	{ "gross(f) in 5us..7us", NULL, 5000, 7001 }, { "  period( f )  in 800ms .. 1s # slow", NULL, 1e9, 799e6 },
	{ "count(f) = 0", NULL, 0, 1 }, { "count(f) != 0", NULL, 1, 0 }, { "count(f)<=3", NULL, 3, 4 },
	{ "share(f) < 5% within ci", NULL, 0.049, 0.05 }, { "load(task Idle) > 20%", NULL, 0.21, 0.2 },
	{ "response(Main) < 5ms", NULL, 4999999, 5e6 }, { "activations(task Main) < 3", NULL, 2, 3 },
	{ "response.max(Main) < 5", "line 1: these times have a unit", 0, 0 },
	{ "activations(span f) = 1", "a span has the figures", 0, 0 },
	{ "preemptions(Main) < 5us", "a count has no unit", 0, 0 },
	{ "lost < 1%", NULL, 0.009, 0.01 }, { "observed >= 50%", NULL, 0.5, 0.49 },
	{ "net.max(f) < 100", NULL, 99, 100 },
	{ "call.p99(f) <= 1.5us seen", NULL, 1500, 1501 }, { "gross(ns::f(int, char)) > 2", NULL, 3, 2 },
	{ "inactive.avg(f) in 1..2", NULL, 1.5, 2.5 },
	{ "speed(f) < 3", "line 1: a rule begins with net, gross", 0, 0 },
	{ "gross(f)", "line 1: <, <=, >, >=, =, != or in A..B is expected", 0, 0 },
	{ "gross(f) in 7us..5us", "its end is before its begin", 0, 0 }, { "gross(f) in 5..7us", "two units", 0, 0 },
	{ "gross(f) < 5us or so", "nothing more is expected at column 16", 0, 0 },
	{ "gross f < 5us", "in parentheses", 0, 0 }, { "gross() < 5us", "a name and ')' are expected", 0, 0 },
	{ "gross(f < 5us", "a name and ')' are expected", 0, 0 }, { "count.max(f) < 3", "only times have .min", 0, 0 },
	{ "count(f) < 3us", "a count has no unit", 0, 0 }, { "share(f) < 5", "% is expected", 0, 0 },
	{ "\n\n# fine\ngross(f) <\n5us", "line 4: a number is expected", 0, 0 },
	{ "load(f) < 5%", "load is of a task: load(task f)", 0, 0 },
	{ "net(task Idle) < 5us", "a task has the figures period, count, slice, response, activations, preemptions, load, as in load(task Idle)", 0, 0 },
	{ "gross(f) 5us;lost < 1%", "is expected at column 10", 0, 0 },
	{ "count(f) <\nlost < 1%", "is expected at the end", 0, 0 },
	{ "gross(f) < -1", "a number is expected", 0, 0 }, { "gross.median(f) < 1", ".min, .avg", 0, 0 },
};

START_TEST(grammar)
{
	struct pt_rules *parsed = calloc(1, sizeof(*parsed));
	struct pt_err err = { 0 };
	int rc = pt_rules_parse(parsed, rules[_i].text, &err);

	if (rules[_i].says != NULL) {
		ck_assert_int_eq(rc, PT_EARG);
		ck_assert_msg(strstr(err.msg, rules[_i].says) != NULL, "%s: %s", rules[_i].text, err.msg);
	} else {
		ck_assert_msg(rc == 0, "%s: %s", rules[_i].text, err.msg);
		ck_assert_uint_eq(parsed->n, 1);
		ck_assert_msg(pt_rule_allows(&parsed->rule[0], rules[_i].allowed), "%s", rules[_i].text);
		ck_assert_msg(!pt_rule_allows(&parsed->rule[0], rules[_i].forbidden), "%s", rules[_i].text);
	}
	free(parsed);
}
END_TEST

START_TEST(keeps_the_words)
{
	struct pt_rules *parsed = calloc(1, sizeof(*parsed));

	ck_assert_int_eq(pt_rules_parse(parsed, "\r\n  gross( f )\t in  5us..7us   # why\n\n lost < 1%", NULL), 0);
	ck_assert_uint_eq(parsed->n, 2);
	ck_assert_str_eq(parsed->rule[0].text, "gross( f ) in 5us..7us");
	ck_assert_str_eq(parsed->rule[0].name, "f");
	ck_assert_uint_eq(parsed->rule[0].line, 2);
	ck_assert_uint_eq(parsed->rule[1].line, 4);
	free(parsed);
}
END_TEST

/* --- verdicts. f and g at 1 MHz: a tick is a microsecond. main calls f at 10, 20 and 40, for 5, 6 and 9; g is never
 * seen. */

static const struct pt_function functions[] = { { .name = "main", .address = 0 }, { .name = "f", .address = 4 },
						 { .name = "g", .address = 8 } };
enum { MAIN = 1, F, G, N_IDS };

static const struct pt_call_event steps[] = {
	{ .kind = PT_CALL_ENTER, .entry = PT_ENTRY_UNSEEN, .function = MAIN, .period = PT_UNKNOWN },
	{ .kind = PT_CALL_ENTER, .function = F, .clock = 10, .period = PT_UNKNOWN },
	{ .kind = PT_CALL_LEAVE, .function = F, .clock = 15, .net = 5, .gross = 5, .call = 5 },
	{ .kind = PT_CALL_ENTER, .function = F, .clock = 20, .period = 10 },
	{ .kind = PT_CALL_LEAVE, .function = F, .clock = 26, .net = 6, .gross = 6, .call = 6 },
	{ .kind = PT_CALL_ENTER, .function = F, .clock = 40, .period = 20, .at = { 40000, 3 } },
	{ .kind = PT_CALL_LEAVE, .function = F, .clock = 49, .net = 7, .gross = 9, .call = 9, .at = { 49000, 3 } },
	{ .kind = PT_CALL_ENTER, .function = F, .clock = 50, .period = 10 },
	{ .kind = PT_CALL_LEAVE, .function = F, .clock = 99, .net = 49, .gross = 49, .call = 49, .partial = 1 },
	{ .kind = PT_CALL_FORGET, .clock = 99 },
	{ .kind = PT_CALL_ENTER, .function = F, .clock = 100, .period = PT_UNKNOWN },
};

/* g_state by writes (in IDLE for 10 and 30 us; for 60 us in RUN), g_mode by looks; a line, a task, an ISR2, a counter. */
static const struct pt_value_name state_names[] = { { 0, "IDLE" }, { 1, "RUN" }, { 2, "ERROR" } };
static const struct pt_signal_definition definitions[] = {
	{ .name = "g_state", .values = state_names, .n_values = 3 }, { .name = "g_look", .values = state_names, .n_values = 3 },
	{ .name = "PTA1", .form = PT_FORM_LINE }, { .name = "Main.STATE", .task = "Main" },
	{ .name = "Looked.STATE", .task = "Looked" }, { .name = "Quiet.STATE", .task = "Quiet" },
};
static const struct pt_signal_set followed = { definitions, PT_LEN(definitions) };

static struct pt_program *program;
static struct pt_codemap *map;
static const char *source = "format=mtb\ncore_hz=1000000\nmode=halt";

static void free_program(void)
{
	pt_codemap_free(map);
	pt_program_unref(program);
}

static void *limits_of_desc(const char *rule, const struct pt_program_desc *desc, size_t n_ids)
{
	struct pt_analysis_setup setup = { .n_functions = n_ids, .words = pt_params_new() };
	struct pt_err err = { 0 };
	char word[300];
	struct pt_config config;
	void *limits;

	program = pt_program_from_desc(desc);
	setup.program = program;
	setup.signals = &followed;
	map = pt_codemap_new(program, pt_isa_named("thumb"));
	setup.map = map;
	snprintf(word, sizeof(word), "limits=%s", rule);
	ck_assert_int_eq(pt_params_add((struct pt_params *)setup.words, pt_analysis_limits.params, 1, word, NULL), 0);
	limits = pt_analysis_limits.open(&setup, &err);
	ck_assert_msg(limits != NULL, "%s", err.msg);
	pt_params_free((struct pt_params *)setup.words);
	ck_assert(pt_config_init(&config, source, strlen(source)));
	pt_analysis_limits.config(limits, 0, &config);
	pt_config_fini(&config);
	return limits;
}

static void *limits_of(const char *rule)
{
	static const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "rules", .functions = functions, .n_functions = PT_LEN(functions),
						      .vectors = PT_UNKNOWN };

	return limits_of_desc(rule, &desc, N_IDS);
}

static struct pt_profile profile_of(bool complete)
{
	static struct pt_execution_function run;
	static struct pt_profile_function row;
	static struct pt_span_figures span;
	static const struct pt_spans spans = { .span = &span, .n_spans = 1 };

	run = (struct pt_execution_function){ .count = 4, .partial = 1 };
	run.stat[PT_TALLY_GROSS] = (struct pt_stat){ .n = 3, .total = 20, .min = 5, .max = 9 };
	row = (struct pt_profile_function){ .id = F, .function = &functions[F - 1], .run = &run, .seen = &run,
					    .share = { .share = 0.1, .lo = 0.08, .hi = 0.12 } };
	span = (struct pt_span_figures){ .name = "job", .run = { .count = 4 } };
	span.run.stat[PT_TALLY_GROSS] = (struct pt_stat){ .n = 4, .total = 80, .min = 10, .max = 30 };
	span.run.stat[PT_TALLY_CALL] = span.run.stat[PT_TALLY_GROSS];
	return (struct pt_profile){
		.spans = &spans, .counts = complete ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED, .times = PT_BASIS_MODELLED,
		.shares = complete ? PT_BASIS_MODELLED : PT_BASIS_ESTIMATED, .core_hz = 1000000, .branches = 100,
		.loss = { .total_ns = 1000, .observed_ns = 600, .unobserved_ns = 395, .lost_ns = 5 },
		.function = &row, .n_functions = 1, .unseen = { .hi = complete ? 0 : 0.03 },
	};
}

enum { P = PT_VERDICT_PASSED, X = PT_VERDICT_FAILED, U = PT_VERDICT_UNDECIDED };
static const struct { const char *rule; uint8_t complete, part; const char *why; } verdicts[] = {
	{ "gross(f) in 5us..9us", P, U, "all 3 seen" }, { "gross(f) in 5us..9us seen", P, P, "5 us to 9 us" },
	{ "gross(f) < 9us", X, X, "1 of 3 violate it" }, { "net(f) <= 7us", P, U, "5 us to 7 us" },
	{ "call(f) < 6", X, X, "2 of 3" }, { "period(f) in 10us..20us", P, U, "all 3 seen" },
	{ "inactive(f) in 1us..14us", P, U, "1 us to 14 us" }, { "gross(g) < 1s", U, U, "no whole invocation" },
	{ "gross.max(f) < 10us", P, U, "9 us" }, { "gross.max(f) < 9us", X, X, "9 us" },
	{ "gross.max(f) > 8us", P, P, "" },
	{ "gross.max(f) > 9us", X, U, "" }, { "gross.min(f) >= 5us", P, U, "5 us" },
	{ "gross.min(f) > 5us", X, X, "5 us" },
	{ "gross.avg(f) < 7us", P, U, "6.667 us, of 3" }, { "gross.total(f) < 20us", X, X, "" },
	{ "count(f) = 4", P, U, "4 " }, { "count(f) < 4", X, X, "4 " }, { "count(f) >= 4", P, P, "" },
	{ "count(f) > 4", X, U, "" },
	{ "count(g) = 0", P, U, "0 " }, { "count(g) = 0 seen", P, P, "" }, { "count(f) = 0", X, X, "" },
	{ "share(f) < 13% within ci", P, P, "10.00 %" }, { "share(f) < 11%", P, U, "" }, { "share(f) > 13%", X, X, "" },
	{ "share(f) in 5%..20%", P, P, "" }, { "share(g) < 5%", P, P, "0.00 %" }, { "share(g) < 2%", P, U, "0.00 %" },
	{ "lost < 1%", P, P, "0.5 %" }, { "lost = 0%", X, X, "" }, { "observed > 50%", P, P, "60 %" },
	{ "load(task Idle) > 20%", U, U, "tasks were not analysed" },
	{ "gross(span job) in 10us..30us", P, U, "all 4 seen" },
	{ "call(span job) < 25us", X, X, "at least 1 of 4" }, { "count(span job) = 4", P, U, "4 " },
	{ "period.max(span job) < 1s", U, U, "no whole invocation" }, { "gross(span nobody) < 1s", U, U, "no whole" },
	{ "share(span job) < 5%", U, U, "spans have none" },
};

static void check(size_t row, bool complete)
{
	struct pt_profile profile = profile_of(complete);
	void *limits = limits_of(verdicts[row].rule);
	const struct pt_limit *limit;

	pt_analysis_limits.steps(limits, steps, 4);
	pt_analysis_limits.steps(limits, steps + 4, PT_LEN(steps) - 4);
	pt_analysis_limits.result(limits, &profile);
	limit = &profile.limits->limit[0];
	ck_assert_msg(limit->verdict == (complete ? verdicts[row].complete : verdicts[row].part), "%s, %s: %s: %s",
		      verdicts[row].rule, complete ? "complete" : "part", pt_verdict_name(limit->verdict), limit->why);
	ck_assert_msg(strstr(limit->why, verdicts[row].why) != NULL, "%s: %s", verdicts[row].rule, limit->why);
	ck_assert_uint_eq(profile.limits->n_failed, limit->verdict == PT_VERDICT_FAILED);
	ck_assert_uint_eq(profile.limits->n_undecided, limit->verdict == PT_VERDICT_UNDECIDED);
	pt_analysis_limits.close(limits);
	free_program();
}

START_TEST(verdict)
{
	check((size_t)_i, true);
	check((size_t)_i, false);
}
END_TEST

/* What becomes of the only rule, and why; both are given back. */
static void expect_verdict(void *limits, struct pt_profile *profile, const char *rule, uint8_t want, const char *why)
{
	const struct pt_limit *limit;

	pt_analysis_limits.result(limits, profile);
	limit = &profile->limits->limit[0];
	ck_assert_msg(limit->verdict == want && strstr(limit->why, why) != NULL, "%s: %s: %s", rule,
		      pt_verdict_name(limit->verdict), limit->why);
	pt_analysis_limits.close(limits);
	free_program();
}

/* A fourth call of f had run for 3 ms when the profile ended; and one of g, which had no other, for 4. */
START_TEST(an_invocation_without_an_end)
{
	static const struct { const char *rule; uint8_t want; const char *why; } rows[] = {
		{ "gross(f) < 10us", X, "one took at least 3 ms" }, { "call(f) <= 3ms", P, "all 3 seen" },
		{ "gross(f) < 10us seen", X, "without an end" }, { "gross.max(f) < 10us", X, "3 ms" },
		{ "gross.max(f) < 4ms", P, "9 us" }, { "gross.min(f) < 10us", P, "5 us" }, { "gross(f) > 4us", P, "" },
		{ "gross(f) < 9us", X, "1 of 3 violate it" }, { "net(f) < 10us", X, "at least 3 ms" },
		{ "gross(g) < 10us", X, "at least 4 ms" }, { "gross(g) < 10ms", U, "no whole invocation" },
		{ "gross.max(f) > 2ms", P, "at least 3 ms" }, { "gross.max(f) > 4ms", U, "at least 3 ms" },
		{ "gross.max(f) in 1ms..2ms", X, "at least 3 ms" }, { "gross.max(f) in 1ms..4ms", U, "at least 3 ms" },
		{ "gross.total(f) < 3ms", X, "at least 3 ms" }, { "gross.avg(f) < 10us", U, "whole ones keep to it" },
		{ "gross.avg(f) < 1ms", P, "6.667 us" }, { "gross.p90(f) < 1ms", U, "" }, { "gross(f) != 7us", P, "all 3" },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		struct pt_profile profile = profile_of(true);
		struct pt_execution_function run = *profile.function->seen, other = { .count = 1, .partial = 1 };
		struct pt_profile_function row[] = { *profile.function, { .id = G, .function = &functions[G - 1], .seen = &other } };
		void *limits = limits_of(rows[i].rule);

		run.stat[PT_TALLY_GROSS].unended = run.stat[PT_TALLY_CALL].unended = run.stat[PT_TALLY_NET].unended =
			3000;
		other.stat[PT_TALLY_GROSS] = pt_stat_empty();
		other.stat[PT_TALLY_GROSS].unended = 4000;
		row[0].run = row[0].seen = &run;
		profile.function = row;
		profile.n_functions = PT_LEN(row);
		pt_analysis_limits.steps(limits, steps, PT_LEN(steps));
		pt_analysis_limits.result(limits, &profile);	/* as a live view asks: the same comes again */
		expect_verdict(limits, &profile, rows[i].rule, rows[i].want, rows[i].why);
	}
}
END_TEST

/* Without an END nobody knows what came after it: what was seen to be wrong stays so, what cannot be undone, too. */
START_TEST(without_an_end)
{
	static const struct { const char *rule; uint8_t want; } rows[] = {
		{ "gross(f) in 5us..9us", U }, { "gross(f) in 5us..9us seen", P }, { "gross(f) < 9us", X },
		{ "gross.max(f) > 8us", P },
		{ "gross.max(f) < 10us", U }, { "count(g) = 0", U }, { "count(f) >= 4", P }, { "count(f) < 4", X },
		{ "share(f) < 13%", U }, { "share(f) < 13% seen", P }, { "lost < 1%", U }, { "observed > 50%", U },
		{ "load(task Idle) > 20%", U },
	};
	static const struct pt_task task = { .name = "Idle", .run = 300 };
	static const struct pt_tasks tasks = { .task = &task, .n_tasks = 1, .by_signals = true, .observed = 1000 };

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		struct pt_profile profile = profile_of(true);
		void *limits = limits_of(rows[i].rule);

		profile.no_end = true;
		profile.tasks = &tasks;
		profile.loss.lost_ns = 0;
		pt_analysis_limits.steps(limits, steps, PT_LEN(steps));
		expect_verdict(limits, &profile, rows[i].rule, rows[i].want, "");
	}
}
END_TEST

/* Cycles are no time then; what is signalled has its times from elsewhere. */
START_TEST(without_a_core_clock)
{
	static const struct { const char *rule, *why; uint8_t want; } rows[] = {
		{ "gross.max(f) < 1s", "the core clock", U }, { "gross(f) < 1s", "the core clock", U },
		{ "gross.avg(f) > 0ns", "the core clock", U }, { "gross.max(f) < 10", "9 cycles", P },
		{ "gross.max(span job) < 1s", "30 ns", P }, { "gross.max(span job) < 30ns", "30 ns", X },
	};
	static const struct pt_spans none;

	source = "format=mtb\nmode=halt";
	for (size_t i = 0; i < PT_LEN(rows); i++) {
		struct pt_profile profile = profile_of(true);
		void *limits = limits_of(rows[i].rule);

		profile.core_hz = 0;
		profile.signalled = profile.spans;
		profile.spans = &none;
		expect_verdict(limits, &profile, rows[i].rule, rows[i].want, rows[i].why);
	}
}
END_TEST

/* What is known to be wrong decides nothing; what nobody checked is said. */
START_TEST(what_a_verdict_rests_on)
{
	enum { CLOCK = 1, ELF = 2, OTHER = 4, HALT = 8, TRUSTED = 16, MODEL = 32 };
	static const struct { const char *rule; unsigned with; uint8_t want; const char *why; } rows[] = {
		{ "gross(f) < 1s", CLOCK, U, "contradiction: too slow" }, { "gross(f) < 1us", CLOCK, U, "too slow" },
		{ "gross.max(span job) < 1s", CLOCK, U, "too slow" }, { "gross(f) < 100", CLOCK, P, "9 cycles" },
		{ "count(f) = 4", CLOCK, P, "4 in all" }, { "share(f) < 13%", CLOCK, P, "10.00 %" },
		{ "gross(f) < 1s", ELF, U, "does not hold this ELF: it differs at 0x00000440" },
		{ "count(f) = 4", ELF, U, "does not hold" }, { "share(f) < 5%", ELF, U, "does not hold" },
		{ "count(f) = 4", OTHER, U, "another ELF" }, { "lost < 1%", ELF, P, "0.5 %" },
		{ "period(f) < 1s", HALT, U, "time of the core alone" }, { "period(f) < 1us", HALT, X, "3 of 3" },
		{ "period(f) > 1s", HALT, U, "core alone" }, { "inactive(f) < 1s seen", HALT, U, "core alone" },
		{ "call(f) < 1s", HALT, P, "all 3" },
		{ "gross(f) < 1s", TRUSTED | MODEL, P, "without interrupts; by the cycle model of toy, zero wait states, "
		  "not what this chip's memory adds; by a core clock of 1 MHz, taken on trust" },
		{ "gross(f) < 1us", TRUSTED | MODEL, X, "; by the cycle model of toy" },
		{ "call(f) < 1s", MODEL, P, "9 us; by the cycle model" }, { "count(f) = 4", TRUSTED | MODEL, P, "4 in all" },
		{ "share(f) < 13%", MODEL, P, "10.00 %; by the cycle model of toy" },
	};

	source = "format=mtb\ncore_hz=1000000\nmode=halt";
	for (size_t i = 0; i < PT_LEN(rows); i++) {
		struct pt_profile profile = profile_of(true);
		void *limits = limits_of(rows[i].rule);
		unsigned with = rows[i].with;

		profile.contradiction = (with & CLOCK) != 0 ? "too slow" : NULL;
		profile.elf_check = (with & ELF) != 0	  ? PT_ELF_DIFFERS
				    : (with & OTHER) != 0 ? PT_ELF_OTHER
							  : PT_ELF_SAME;
		profile.elf_differs_at = 0x440;
		profile.loss.by[PT_LOSS_DRAIN].ns = (with & HALT) != 0 ? 100 : 0;
		snprintf(profile.mode, sizeof(profile.mode), "halt");
		profile.clock_least_hz = (with & TRUSTED) != 0 ? 0 : 999999;
		profile.timing = (with & MODEL) != 0 ? "toy, zero wait states" : NULL;
		pt_analysis_limits.steps(limits, steps, PT_LEN(steps));
		expect_verdict(limits, &profile, rows[i].rule, rows[i].want, rows[i].why);
	}
}
END_TEST

/* main has a WFI, f has none: what lies in one call of f is whole, what lasts from call to call is without the sleep. */
START_TEST(only_where_it_may_have_slept)
{
	static const uint8_t code[] = { 0x30, 0xbf, 0x30, 0xbf, 0x70, 0x47, 0x70, 0x47 };	/* wfi, wfi; bx lr, bx lr */
	static const struct pt_segment segment = { .run = 0, .size = sizeof(code), .bytes = code, .code = true };
	static const struct pt_function sized[] = { { .name = "main", .address = 0, .size = 4 },
						     { .name = "f", .address = 4, .size = 4 } };
	static const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "sleeps", .functions = sized,
						      .n_functions = 2, .segments = &segment, .n_segments = 1, .vectors = PT_UNKNOWN };
	static const struct { const char *rule; uint8_t want; const char *why; } rows[] = {
		{ "call(f) < 10us", P, "all 3 seen: 5 us to 9 us" }, { "call(f) < 6us", X, "2 of 3 violate it" },
		{ "call(f) > 6us", X, "2 of 3 violate it" }, { "period(f) < 1s", U, "in 3 of 3 the core may have slept" },
		{ "period(f) < 15us", X, "1 of 3 violate it" }, { "period(f) > 15us", U, "may have slept" },
		{ "inactive(f) < 1us", X, "without what the core slept" }, { "gross(f) < 10us", P, "all 3 seen" },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		struct pt_profile profile = profile_of(true);
		void *limits = limits_of_desc(rows[i].rule, &desc, 3);

		profile.program = program;
		pt_analysis_limits.steps(limits, steps, PT_LEN(steps));
		expect_verdict(limits, &profile, rows[i].rule, rows[i].want, rows[i].why);
	}
}
END_TEST

/* Two sources of one run, each with an account of its own: a rule about time holds if it holds of both. */
START_TEST(each_source_has_to_keep_it)
{
	static const struct { const char *rule, *why; uint8_t want; } rows[] = {
		{ "observed > 50%", "mtb of core 0: 1 %", X }, { "observed < 80%", "pcsr of core 0: 90 %", X },
		{ "observed > 0.5%", "mtb of core 0: 1 %", P }, { "lost < 6%", "pcsr of core 0: 10 %", X },
		{ "lost <= 10%", "mtb of core 0: 0 %", P },
	};
	static const struct pt_profile_source sources[] = {
		{ .source = "mtb", .loss = { .total_ns = 1000, .observed_ns = 10, .unobserved_ns = 990 } },
		{ .source = "pcsr", .loss = { .total_ns = 1000, .observed_ns = 900, .lost_ns = 100,
					      .by[PT_LOSS_FIRST_FAULT] = { .events = 1, .ns = 100 } } },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		struct pt_profile profile = profile_of(true);
		void *limits = limits_of(rows[i].rule);

		profile.sources = sources;
		profile.n_sources = PT_LEN(sources);
		expect_verdict(limits, &profile, rows[i].rule, rows[i].want, rows[i].why);
	}
}
END_TEST

/* Bins of cores 0 and 2, f with 10 % of one and 30 % of the other: the worst of them is what becomes of a rule. */
START_TEST(each_core_has_to_keep_it)
{
	static const struct { const char *rule, *why; uint8_t want; } rows[] = {
		{ "share(f) < 20%", "core 2: 30.00 %", X }, { "share(f) > 20%", "core 0: 10.00 %", X },
		{ "share(f) in 5%..40%", "core 0: 10.00 %", P }, { "share(g) < 5%", "core 0: 0.00 %", P },
	};
	static const struct pt_bins_core cores[] = { { .core = 0, .hits = 100 }, { .core = 2, .hits = 100 } };
	static const struct pt_bins bins = { .core = cores, .n_cores = 2, .hits = 100, .high = 99, .exact = true };
	static const struct pt_profile_function on[] = {
		{ .id = F, .function = &functions[F - 1], .share = { .share = 0.1 } },
		{ .id = F, .function = &functions[F - 1], .share = { .share = 0.3 }, .core = 2 },
	};
	static const struct pt_profile_core of[] = { { .core = 0 }, { .core = 2 } };

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		struct pt_profile profile = profile_of(true);
		void *limits = limits_of(rows[i].rule);

		profile.by_bins = true;
		profile.bins = &bins;
		profile.function = on;
		profile.n_functions = profile.n_cores = PT_LEN(on);
		profile.core = of;
		profile.program = program;
		pt_analysis_limits.result(limits, &profile);
		ck_assert_msg(profile.limits->limit[0].verdict == rows[i].want, "%s: %s", rows[i].rule,
			      profile.limits->limit[0].why);
		ck_assert_str_eq(profile.limits->limit[0].why, rows[i].why);
		pt_analysis_limits.close(limits);
		free_program();
	}
}
END_TEST

/* A task that ran for 300 of 1000 ns, told by signals; nothing was lost in one case, something in the other. */
START_TEST(load_of_a_task)
{
	static const struct pt_task task = { .name = "Idle", .run = 300 };
	static const struct pt_tasks tasks = { .task = &task, .n_tasks = 1, .by_signals = true, .observed = 1000 };
	static const struct { const char *rule; uint64_t lost_ns; uint8_t want; } rows[] = {
		{ "load(task Idle) > 20%", 0, P }, { "load(task Idle) > 40%", 0, X }, { "load(task Idle) > 20%", 5, U },
		{ "load(task Idle) > 20% seen", 5, P }, { "load(task Other) > 20%", 0, U },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		struct pt_profile profile = profile_of(true);
		void *limits = limits_of(rows[i].rule);

		profile.tasks = &tasks;
		profile.loss.lost_ns = rows[i].lost_ns;
		expect_verdict(limits, &profile, rows[i].rule, rows[i].want, "");
	}
}
END_TEST

START_TEST(a_violation_tells_when_and_why)
{
	struct pt_profile profile = profile_of(true);
	void *limits = limits_of("gross(f) < 9us");

	pt_analysis_limits.steps(limits, steps, PT_LEN(steps));
	pt_analysis_limits.result(limits, &profile);
	ck_assert_uint_eq(profile.limits->n_violations, 1);
	ck_assert_uint_eq(profile.limits->violation[0].at.ns, 49000);
	ck_assert_uint_eq(profile.limits->violation[0].value, 9);
	ck_assert_str_eq(profile.limits->violation[0].path, "main > f");
	pt_analysis_limits.close(limits);
	free_program();
}
END_TEST

enum { ALL, SOME };
static const struct { const char *rule; uint8_t want[2]; const char *why; uint64_t at_ns; } signalled[] = {
	{ "share(state g_state=RUN) in 59%..61%", { P, U }, "60.00 %", 0 },
	{ "share(state g_state=1) < 5%", { X, U }, "60.00 %", 0 },
	{ "share(state g_state=ERROR) < 5%", { P, U }, "0 %, at most", 0 },
	{ "stay(state g_state=IDLE) > 15us", { X, X }, "at least 1 of 2", 1000 },
	{ "stay(state g_state=IDLE) > 9us", { P, U }, "10 us to 30 us", 0 },
	{ "stay.min(state g_state=IDLE) > 15us", { X, X }, "10 us", 1000 },
	{ "stay(state g_state=ERROR) > 9us", { U, U }, "never seen with this value", 0 },
	{ "count(state g_state=IDLE) = 2", { P, U }, "2 ", 0 }, { "count(state g_state=ERROR) = 0", { P, U }, "0 ", 0 },
	{ "changes(variable g_state) = 2", { P, U }, "2 ", 0 },
	{ "share(state g_look=RUN) < 30%", { P, P }, "20.00 % (15.00 to 25.00)", 0 },
	{ "share(state g_look=RUN) < 10%", { X, X }, "20.00 %", 7000 },
	{ "share(state g_look=RUN) < 22%", { U, U }, "lies on both sides", 0 },
	{ "share(state g_look=ERROR) < 5%", { P, P }, "at most 3.00 %", 0 },
	{ "share(state g_look=ERROR) < 2%", { U, U }, "lies on both sides", 0 },
	{ "count(state g_look=RUN) = 0", { X, X }, "4 found by looks", 7000 },
	{ "count(state g_look=ERROR) = 0", { U, U }, "between two of them", 0 },
	{ "stay(state g_look=RUN) < 1s", { U, U }, "looks do not show how long", 0 },
	{ "changes(variable g_look) < 10", { U, U }, "9 found by looks", 0 },
	{ "changes(variable g_look) < 9", { X, X }, "9 found by looks", 0 },
	{ "high(line PTA1) < 5us", { X, X }, "at least 1 of 3", 5000 },
	{ "low(line PTA1) >= 2us", { P, U }, "2 us to 2 us", 0 }, { "count(line PTA1) = 3", { P, U }, "3 ", 0 },
	{ "share(line PTA1) < 80%", { P, U }, "", 0 }, { "high(line PTA2) < 5us", { U, U }, "nothing was seen", 0 },
	{ "latency(PTA1:rise->f) < 20us", { P, U }, "2 us to 9 us", 0 },
	{ "latency.max(PTA1:rise->f) < 9us", { X, X }, "9 us", 6000 },
	{ "latency(PTA1:fall->f) < 9us", { U, U }, "latency=PTA1:fall->f does", 0 },
	{ "slice(task Main) < 8us", { X, X }, "at least 1 of 2", 4000 }, { "count(task Main) = 2", { P, U }, "2 ", 0 },
	{ "response(Main) < 8us", { X, X }, "at least 1 of 2", 6000 }, { "response(Main) < 10us", { P, U }, "5 us to 9 us", 0 },
	{ "activations(Main) = 4", { U, U }, "4 ", 0 }, { "activations(Main) < 6", { P, U }, "4 ", 0 },
	{ "activations(Main) in 4..5", { P, U }, "4 ", 0 }, { "activations(Main) < 4", { X, X }, "4 ", 0 },
	{ "preemptions(task Main) = 1", { P, U }, "1 ", 0 }, { "preemptions(Main) = 0", { X, X }, "1 ", 0 },
	{ "activations(Looked) < 7", { X, X }, "7 found by looks", 0 }, { "activations(Looked) > 6", { P, P }, "7 found by looks", 0 },
	{ "activations(Looked) < 8", { U, U }, "between two of them", 0 },
	{ "response(Looked) < 1s", { U, U }, "looks at its state do not show it", 0 },
	{ "slice(task Looked) < 1s", { U, U }, "its state alone was seen", 0 },
	{ "load(task Looked) < 1%", { U, U }, "no task 'Looked' was seen", 0 },
	{ "response(Quiet) < 1s", { U, U }, "no task 'Quiet' was seen", 0 },
	{ "gross(isr Timer) <= 4us", { P, U }, "3 us to 4 us", 0 }, { "gross(isr Timer) < 4us", { X, X }, "4 us", 3000 },
	{ "count(isr Other) = 0", { P, U }, "0 ", 0 }, { "gross(service Timer) < 1s", { U, U }, "no whole one", 0 },
	{ "count(counter irqs) < 100", { P, P }, "90 ", 0 }, { "count(counter irqs) < 90", { X, X }, "90 ", 0 },
	{ "rate(counter irqs) < 120", { P, P }, "90 per second", 0 },
	{ "rate(counter irqs) < 91", { U, U }, "lies on both sides", 0 },
	{ "count(counter other) < 90", { U, U }, "there is no counter", 0 },
};

static void fill_signalled(struct pt_profile *p, bool some)
{
	static struct pt_data_state states[2];
	static struct pt_watched_state looks[2];
	static struct pt_watched_variable variable;
	static struct pt_aux_line line;
	static struct pt_aux_latency latency;
	static struct pt_task task[2];
	static struct pt_task_states written, looked;
	static struct pt_span_figures span;
	static const struct pt_counter_row counter = {
		.name = "irqs", .total = 90, .timed = 90, .timed_ns = 1000000000, .timed_error_ns = 100000000,
		.timed_to_ns = 2000000000, .rate_max_at = PT_UNKNOWN,
	};
	static const struct pt_data data = { .state = states, .n_states = 2, .signals = &followed };
	static const struct pt_watched watched = { .variable = &variable, .n_variables = 1, .signals = &followed };
	static const struct pt_aux aux = { .line = &line, .latency = &latency, .n_lines = 1, .n_latencies = 1,
					   .signals = &followed };
	static const struct pt_tasks tasks = { .task = task, .n_tasks = 2, .by_signals = true, .observed = 100 };
	static struct pt_spans spans = { .span = &span, .n_spans = 1 };
	static const struct pt_counters counters = { .counter = &counter, .n_counters = 1 };

	states[0] = (struct pt_data_state){
		.name = "IDLE", .count = 2, .share = 0.4, .missing = some,
		.duration = { .n = 2, .total = 40000, .min = 10000, .max = 30000, .min_at = 1000, .max_at = 2000 },
	};
	states[1] = (struct pt_data_state){ .name = "RUN", .value = 1, .count = 1, .share = 0.6, .missing = some };
	looks[0] = (struct pt_watched_state){ .name = "IDLE", .looks = 80, .found = 5, .share = { 0.8, 0.75, 0.85, 0 } };
	looks[1] = (struct pt_watched_state){ .name = "RUN", .value = 1, .looks = 20, .found = 4, .first = { 7000, 10 },
					      .share = { 0.2, 0.15, 0.25, 0 } };
	variable = (struct pt_watched_variable){ .variable = 1, .looks = 100, .changes = 9, .state = looks, .n_states = 2,
						 .unseen = 0.03 };
	line = (struct pt_aux_line){
		.line = 2, .rises = 3, .high = { .n = 3, .total = 12000, .min = 3000, .max = 5000, .min_at = 1, .max_at = 5000 },
		.low = { .n = 2, .total = 4000, .min = 2000, .max = 2000, .min_at = 1, .max_at = 1 },
	};
	latency = (struct pt_aux_latency){
		.name = "PTA1:rise->f", .found = true, .over_gap = some,
		.time = { .n = 4, .total = 20000, .min = 2000, .max = 9000, .min_at = 5, .max_at = 6000 },
	};
	written = (struct pt_task_states){
		.writes = true, .missing = some, .runs = true, .activations = 4, .unsure = 1, .preemptions = 1,
		.response = { .n = 2, .total = 14000, .min = 5000, .max = 9000, .min_at = 7, .max_at = 6000 },
	};
	looked = (struct pt_task_states){ .activations = 7, .response = pt_stat_empty() };
	task[1] = (struct pt_task){ .name = "Looked", .kind = PT_TASK_BY_STATE, .states = &looked };
	task[0] = (struct pt_task){ .name = "Main", .activations = 2, .missing = some, .states = &written,
				 .slice = { .n = 2, .total = 14000, .min = 5000, .max = 9000, .min_at = 3, .max_at = 4000 } };
	span = (struct pt_span_figures){ .name = "Timer", .by = PT_SPAN_BY_ISR, .run = { .count = 2 } };
	span.run.stat[PT_TALLY_GROSS] = (struct pt_stat){ .n = 2, .total = 7000, .min = 3000, .max = 4000, .min_at = 9,
							   .max_at = 3000 };
	spans.lost = some;
	p->data = &data;
	p->watched = &watched;
	p->aux = &aux;
	p->tasks = &tasks;
	p->signalled = &spans;
	p->counters = &counters;
	p->loss.lost_ns = some ? 5 : 0;
}

/* One of each had not ended after so long. */
static void leave_open(struct pt_profile *p, uint64_t ns)
{
	static struct pt_span_figures spans[3];
	static struct pt_spans open_ones;
	static const enum pt_span_by by[] = { PT_SPAN_BY_ISR, PT_SPAN_BY_SERVICE, PT_SPAN_BY_SIGNAL };
	static const char *const names[] = { "Timer", "Open", "step" };

	((struct pt_data_state *)p->data->state)[0].duration.unended = ns;
	((struct pt_data_state *)p->data->state)[1].duration.unended = ns;
	((struct pt_aux_line *)p->aux->line)->high.unended = ns;
	((struct pt_aux_line *)p->aux->line)->low.unended = ns;
	((struct pt_aux_latency *)p->aux->latency)->time.unended = ns;
	((struct pt_task *)p->tasks->task)->slice.unended = ns;
	((struct pt_task_states *)p->tasks->task->states)->response.unended = ns;
	for (size_t i = 0; i < PT_LEN(spans); i++) {
		spans[i] = p->signalled->span[0];
		spans[i].by = by[i];
		spans[i].name = names[i];
		if (by[i] == PT_SPAN_BY_SERVICE)
			spans[i].run.stat[PT_TALLY_GROSS] = pt_stat_empty();
		spans[i].run.stat[PT_TALLY_GROSS].unended = ns;
	}
	open_ones = *p->signalled;
	open_ones.span = spans;
	open_ones.n_spans = PT_LEN(spans);
	p->signalled = &open_ones;
}

START_TEST(of_signals)
{
	for (int some = ALL; some <= SOME; some++) {
		struct pt_profile profile = profile_of(true);
		void *limits = limits_of(signalled[_i].rule);

		fill_signalled(&profile, some == SOME);
		pt_analysis_limits.result(limits, &profile);
		if (signalled[_i].at_ns != 0) {
			ck_assert_msg(profile.limits->n_violations == 1, "%s", signalled[_i].rule);
			ck_assert_uint_eq(profile.limits->violation[0].at.ns, signalled[_i].at_ns);
		}
		expect_verdict(limits, &profile, signalled[_i].rule, signalled[_i].want[some], signalled[_i].why);
	}
}
END_TEST

/* The same with one of each that had not ended after 50 us; whatever else is missing. */
START_TEST(of_signals_without_an_end)
{
	static const struct { const char *rule; uint8_t want[2]; const char *why; } rows[] = {
		{ "stay(state g_state=IDLE) < 40us", { X, X }, "one took at least 50 us" },
		{ "stay(state g_state=IDLE) < 50us", { X, X }, "50 us" },
		{ "stay(state g_state=IDLE) <= 50us", { P, U }, "10 us to 30 us" },
		{ "stay(state g_state=RUN) < 40us", { X, X }, "50 us" },
		{ "stay(state g_state=RUN) < 60us", { U, U }, "no whole one" },
		{ "stay(state g_state=IDLE) > 40us", { X, X }, "10 us to 30 us" },
		{ "stay.max(state g_state=IDLE) > 40us", { P, P }, "at least 50 us" },
		{ "stay.max(state g_state=IDLE) > 60us", { U, U }, "" },
		{ "period(state g_state=IDLE) < 40us", { U, U }, "no whole one" },
		{ "high(line PTA1) < 40us", { X, X }, "50 us" }, { "high(line PTA1) < 60us", { P, U }, "3 us to 5 us" },
		{ "low(line PTA1) < 40us", { X, X }, "50 us" },
		{ "latency(PTA1:rise->f) < 40us", { X, X }, "50 us" }, { "latency(PTA1:rise->f) < 60us", { P, U }, "2 us to 9 us" },
		{ "latency.max(PTA1:rise->f) < 40us", { X, X }, "50 us" },
		{ "slice(task Main) < 40us", { X, X }, "50 us" }, { "slice(task Main) < 60us", { P, U }, "" },
		{ "response(Main) < 40us", { X, X }, "one took at least 50 us" }, { "response(Main) < 60us", { P, U }, "" },
		{ "gross(isr Timer) < 40us", { X, X }, "50 us" }, { "gross(isr Timer) < 60us", { P, U }, "" },
		{ "gross(service Open) < 40us", { X, X }, "50 us" }, { "gross(service Open) < 60us", { U, U }, "" },
		{ "gross(span step) < 40us", { X, X }, "50 us" }, { "gross.total(span step) < 52us", { X, X }, "50 us" },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++)
		for (int some = ALL; some <= SOME; some++) {
			struct pt_profile profile = profile_of(true);
			void *limits = limits_of(rows[i].rule);

			fill_signalled(&profile, some == SOME);
			leave_open(&profile, 50000);
			expect_verdict(limits, &profile, rows[i].rule, rows[i].want[some], rows[i].why);
		}
}
END_TEST

/* Among the events of the timeline, behind those that came before. */
START_TEST(a_violation_is_in_the_timeline)
{
	const struct pt_timeline_event events[] = {
		{ .at = { 500, 0 }, .kind = PT_TIMELINE_CALL, .id = F }, { .at = { 6999, 0 }, .kind = PT_TIMELINE_LEAVE },
		{ .at = { 7001, 0 }, .kind = PT_TIMELINE_CALL, .id = F },
	};
	const struct pt_timeline timeline = { .ring = events, .room = PT_LEN(events), .n = PT_LEN(events), .seen = 3 };
	struct pt_profile profile = profile_of(true);
	void *limits = limits_of("count(state g_look=RUN) = 0");

	fill_signalled(&profile, false);
	for (int again = 0; again < 2; again++) {
		profile.timeline = &timeline;
		pt_analysis_limits.result(limits, &profile);
		ck_assert_uint_eq(profile.timeline->n, 4);
		ck_assert_uint_eq(pt_timeline_at(profile.timeline, 1)->at.ns, 6999);
		ck_assert_uint_eq(pt_timeline_at(profile.timeline, 2)->kind, PT_TIMELINE_VIOLATION);
		ck_assert_uint_eq(pt_timeline_at(profile.timeline, 2)->at.ns, 7000);
		ck_assert_uint_eq(pt_timeline_at(profile.timeline, 3)->at.ns, 7001);
	}
	pt_analysis_limits.close(limits);
	free_program();
}
END_TEST

static void expect_refusal(const char *rule, const char *why)
{
	static const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "rules", .functions = functions,
						     .n_functions = PT_LEN(functions), .vectors = PT_UNKNOWN };
	struct pt_analysis_setup setup = { .n_functions = 1, .words = pt_params_new() };
	struct pt_err err = { 0 };
	char word[100];

	setup.program = program = pt_program_from_desc(&desc);
	setup.map = map = pt_codemap_new(program, pt_isa_named("thumb"));
	setup.signals = &followed;
	snprintf(word, sizeof(word), "limits=%s", rule);
	pt_params_add((struct pt_params *)setup.words, pt_analysis_limits.params, 1, word, NULL);
	ck_assert_ptr_null(pt_analysis_limits.open(&setup, &err));
	ck_assert_str_eq(err.msg, why);
	pt_params_free((struct pt_params *)setup.words);
	free_program();
}

START_TEST(says_what_it_cannot_do)
{
	expect_refusal("gross(nobody) < 1us",
		       "line 1: the program has no function 'nobody'; write it as the report does");
	expect_refusal(
		"gross(exception SysTock) < 1us",
		"line 1: no exception, and no handler of one, is called 'SysTock'; did you mean SysTick? the view "
		"exceptions shows the names, and a number will do");
	expect_refusal("gross(exception SysTick) < 20", "line 1: times of an exception have a unit, as in 20us");
	expect_refusal("load(exception SysTick) < 20%",
		       "line 1: an exception has the figures net, gross, call, period, inactive, count, share, as in "
		       "gross(exception SysTick)");
	expect_refusal("share(state g_mode=RUN) < 5%",
		       "line 1: variable 'g_mode' is not followed; variables=g_mode follows it");
	expect_refusal("share(state g_stat=RUN) < 5%",
		       "line 1: variable 'g_stat' is not followed; did you mean g_state? variables=g_stat follows it");
	expect_refusal(
		"share(state g_state=RAN) < 5%",
		"line 1: g_state has no value 'RAN'; did you mean RUN? name one of its enumeration, or a number");
	expect_refusal("share(state g_state) < 5%", "line 1: a state is NAME=VALUE, as in share(state g_state=1) < 5%");
}
END_TEST

/* Nothing is passed over in silence, however lines end and whatever names are made of; in one line
 * they are the same. */
static const struct { const char *text; size_t n; const char *last; } lists[] = {
	{ "count(a) = 0; count(b) = 1", 2, "b" },
	{ "count(main::{lambda(int)#1}) = 0; count(b) = 1 # two; of them", 2, "b" },
	{ "count(b) = 1\ncount(main::{lambda()#2}) = 0 # a lambda", 2, "main::{lambda()#2}" },
	{ "# count(a) = 0\r\ncount(b) = 1\r\n\r\ncount(c) = 1\r\n", 2, "c" },
	{ "count(b) = 1\rcount(c) = 1\r", 2, "c" },
};

START_TEST(no_rule_is_passed_over)
{
	static struct pt_rules list, again;
	char *line = pt_rules_one_line(lists[_i].text);
	struct pt_err err = { 0 };

	ck_assert_msg(pt_rules_parse(&list, lists[_i].text, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(list.n, lists[_i].n);
	ck_assert_str_eq(list.rule[list.n - 1].name, lists[_i].last);
	ck_assert_msg(pt_rules_parse(&again, line, &err) == 0, "%s: %s", line, err.msg);
	ck_assert_uint_eq(again.n, list.n);
	for (size_t i = 0; i < list.n; i++) {
		ck_assert_str_eq(again.rule[i].text, list.rule[i].text);
		ck_assert_uint_eq(again.rule[i].line, list.rule[i].line);
	}
	free(line);
}
END_TEST

/* SysTick took 20 and 30 us, and began 1 ms apart; nothing came of HardFault. */
enum { WHOLE, LOST, SILENT };
static const struct { const char *rule; uint8_t want[3]; const char *why; } reported[] = {
	{ "gross(exception SysTick) in 20us..30us", { P, U, U }, "20 us to 30 us" },
	{ "gross(exception 15) < 30us", { X, X, U }, "20 us to 30 us" },
	{ "gross.max(exception SysTick) < 40us", { P, U, U }, "30 us, of 2" },
	{ "gross.max(exception SysTick) < 30us", { X, X, U }, "30 us, of 2" },
	{ "gross.max(exception SysTick) < 40us seen", { P, P, P }, "30 us, of 2" },
	{ "gross.avg(exception SysTick) = 25us", { P, U, U }, "25 us, of 2" },
	{ "period(exception SysTick) in 0.9ms..1.1ms", { P, U, U }, "1 ms" },
	{ "count(exception SysTick) = 2", { P, U, U }, "2 " },
	{ "count(exception SysTick) < 2", { X, X, X }, "2 " },
	{ "count(exception HardFault) = 0", { P, U, U }, "0 " },
	{ "gross(exception HardFault) < 1s", { U, U, U }, "none was reported" },
	{ "share(exception SysTick) < 3%", { P, U, U }, "2.50 %" },
};

START_TEST(of_an_exception)
{
	for (int how = WHOLE; how <= SILENT; how++) {
		struct pt_span_figures span = { .name = "SysTick", .id = 15, .run = { .count = 2, .cycles = 50000 } };
		const struct pt_span_core core = { .core = 0, .observed = 2000000 };
		const struct pt_exceptions exceptions = {
			.spans = { .span = &span, .n_spans = 1, .core = &core, .n_cores = 1 },
			.lost = how == LOST, .silent = how == SILENT,
		};
		struct pt_profile profile = profile_of(true);

		span.run.stat[PT_TALLY_GROSS] = (struct pt_stat){ .n = 2, .total = 50000, .min = 20000, .max = 30000 };
		span.run.stat[PT_TALLY_PERIOD] = (struct pt_stat){ .n = 1, .total = 1000000, .min = 1000000, .max = 1000000 };
		profile.exceptions = &exceptions;
		expect_verdict(limits_of(reported[_i].rule), &profile, reported[_i].rule, reported[_i].want[how],
			       reported[_i].why);
	}
}
END_TEST

START_TEST(of_no_exception)
{
	struct pt_profile profile = profile_of(true);

	expect_verdict(limits_of("count(exception SysTick) = 0"), &profile, "none", U,
		       "the chip reported no exception");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("limits");
	TCase *tc = tcase_create("limits");

	tcase_add_loop_test(tc, grammar, 0, PT_LEN(rules));
	tcase_add_test(tc, keeps_the_words);
	tcase_add_loop_test(tc, verdict, 0, PT_LEN(verdicts));
	tcase_add_loop_test(tc, of_an_exception, 0, PT_LEN(reported));
	tcase_add_test(tc, of_no_exception);
	tcase_add_loop_test(tc, of_signals, 0, PT_LEN(signalled));
	tcase_add_test(tc, a_violation_is_in_the_timeline);
	tcase_add_test(tc, load_of_a_task);
	tcase_add_test(tc, an_invocation_without_an_end);
	tcase_add_test(tc, of_signals_without_an_end);
	tcase_add_test(tc, without_an_end);
	tcase_add_test(tc, without_a_core_clock);
	tcase_add_test(tc, what_a_verdict_rests_on);
	tcase_add_test(tc, only_where_it_may_have_slept);
	tcase_add_test(tc, each_source_has_to_keep_it);
	tcase_add_test(tc, each_core_has_to_keep_it);
	tcase_add_test(tc, a_violation_tells_when_and_why);
	tcase_add_test(tc, says_what_it_cannot_do);
	tcase_add_loop_test(tc, no_rule_is_passed_over, 0, PT_LEN(lists));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
