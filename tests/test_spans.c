/* Spans that the program signals, each story with its figures by hand. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/spans.h"

/* Definition 0 signals nested spans: a value with bit 0 set enters value >> 1, else value >> 1 runs again. 1 is a
 * variable between two values. */
static const struct pt_value_name names[] = { { 1, "A" }, { 2, "B" }, { 3, "C" } };
static struct pt_task_entry isr[] = { { 1, "Low", false }, { 2, "High", false } };
static struct pt_task_entry api[] = { { 2, "ActivateTask", false }, { 4, "TerminateTask", false } };
static const struct pt_task_map isrs = { .task = isr, .n_tasks = 2 }, services = { .task = api, .n_tasks = 2 };
static const struct pt_signal_definition definitions[] = {
	{ .name = "g_span", .form = PT_FORM_NESTED, .values = names, .n_values = PT_LEN(names) },
	{ .name = "g_state", .form = PT_FORM_TWO_POINT },
	{ .name = "os_isr", .form = PT_FORM_ISR, .tasks = &isrs },
	{ .name = "os_service", .form = PT_FORM_SERVICE, .tasks = &services },
};
static const struct pt_signal_set signals = { definitions, PT_LEN(definitions) };
enum { GAP = 0x100, BEGIN, END, ASTRAY, SEEN, NO_ISR, LOW, HIGH, TASK1, TASK2,	/* SEEN: nothing came up to there */
       ACTIVATE, ACTIVATED, TERMINATE };

/* "A 2-1 7/9 [1: 3 4 4] 4+ 5+": 2 entries and 1 partial span; net 7, gross 9 in all; 1 whole with net 3, gross 4, call 4; one
 * of which an end was not seen had net 4 and gross 5 at least.
 * Then its errors: "skipped exit 1". */
static const struct {
	const char *name;
	struct { uint64_t ns; unsigned value; } write[16];
	const char *want;
} stories[] = {
	{ "the worked sequence", { { 10, 0x03 }, { 20, 0x05 }, { 30, 0x07 }, { 45, 0x04 }, { 50, 0x02 }, { 70, 0x00 } },
	  "A 1-0 30/60 [1: 30 60 60]; B 1-0 15/30 [1: 15 30 30]; C 1-0 15/15 [1: 15 15 15]" },
	{ "one after the other", { { 10, 0x03 }, { 13, 0x00 }, { 20, 0x05 }, { 25, 0x00 }, { 40, 0x03 }, { 44, 0x00 } },
	  "A 2-0 7/7 [2: 7 7 7] per 30 idle 27; B 1-0 5/5 [1: 5 5 5]" },
	{ "a span inside itself", { { 0, 0x03 }, { 10, 0x03 }, { 30, 0x02 }, { 40, 0x00 } },
	  "A 2-0 40/40 [2: 40 60 60] per 10" },
	{ "back two levels at once", { { 0, 0x03 }, { 10, 0x05 }, { 20, 0x07 }, { 30, 0x02 }, { 40, 0x00 } },
	  "A 1-0 20/40 [1: 20 40 40]; B 1-1 10/20 exit not seen 1 at 30; C 1-1 10/10 exit not seen 1 at 30" },
	{ "none runs again while several are open", { { 0, 0x03 }, { 10, 0x05 }, { 30, 0x00 } },
	  "A 1-1 10/30 exit not seen 1 at 30; B 1-1 20/20 exit not seen 1 at 30" },
	{ "back in what was not entered: as it would be in the middle", { { 0, 0x03 }, { 10, 0x04 }, { 30, 0x00 } },
	  "A 1-1 10/10 exit not seen 1 at 10; B 0-1 20/20 20+ 20+ exit of what was not open 1 at 10" },
	{ "the first word comes from the middle", { { 10, 0x02 }, { 30, 0x05 }, { 35, 0x02 }, { 40, 0x00 } },
	  "A 0-1 25/30 25+ 30+; B 1-0 5/5 [1: 5 5 5]" },
	{ "none again and again", { { 10, 0x00 }, { 20, 0x00 } }, "" },
	{ "a span without a name", { { 10, 0x0f }, { 30, 0x00 } }, "g_span 7 1-0 20/20 [1: 20 20 20]" },
	{ "open at the end", { { 10, 0x03 }, { 20, 0x05 }, { 30, 0x02 } }, "A 1-1 10/20 10+ 20+; B 1-0 10/10 [1: 10 10 10]" },
	{ "a gap", { { 10, 0x03 }, { 20, GAP }, { 40, 0x03 }, { 45, 0x00 } }, "A 2-1 15/15 [1: 5 5 5] 10+ 10+" },
	{ "between two points", { { 10, BEGIN }, { 30, END }, { 100, BEGIN }, { 105, END } },
	  "g_state 2-0 25/25 [2: 25 25 25] per 90 idle 70" },
	/* 1 at 1000, 0 at 2000, 1 at 10000, 2 at 10500, of a variable that is entered at 1 and left at 2 */
	{ "a third value ends it", { { 1000, BEGIN }, { 2000, ASTRAY }, { 10000, BEGIN }, { 10500, END } },
	  "g_state 2-1 1500/1500 [1: 500 500 500] per 9000 exit not seen 1 at 2000" },
	{ "entered again while open", { { 1000, BEGIN }, { 10000, BEGIN }, { 10500, END } },
	  "g_state 2-1 9500/9500 [1: 500 500 500] per 9000 entered again without exit 1 at 10000" },
	{ "left while it was not open", { { 10, BEGIN }, { 30, END }, { 50, END } },
	  "g_state 1-0 20/20 [1: 20 20 20] exit of what was not open 1 at 50" },
	{ "open at the end, of which its source has come to", { { 10, 0x03 }, { 20, BEGIN }, { 70, SEEN } },
	  "A 1-1 60/60 60+ 60+; g_state 1-1 50/50 50+ 50+" },
	{ "two variables do not nest", { { 10, 0x03 }, { 20, BEGIN }, { 30, 0x00 }, { 40, END } },
	  "A 1-0 20/20 [1: 20 20 20]; g_state 1-0 20/20 [1: 20 20 20]" },
	{ "an ISR2 in an ISR2",
	  { { 10, LOW }, { 20, HIGH }, { 26, LOW }, { 30, NO_ISR }, { 50, LOW }, { 55, NO_ISR } },
	  "Low 2-0 19/25 [2: 19 25 25] per 40 idle 20; High 1-0 6/6 [1: 6 6 6]" },
	{ "an ISR2 behind another, with no moment in between",
	  { { 10, LOW }, { 20, HIGH }, { 26, NO_ISR } },
	  "Low 1-0 10/10 [1: 10 10 10]; High 1-0 6/6 [1: 6 6 6]" },
	{ "a service of one task around that of another",
	  { { 10, TASK1 }, { 20, ACTIVATE }, { 22, TASK2 }, { 30, ACTIVATE }, { 33, ACTIVATED }, { 40, TASK1 },
	    { 44, ACTIVATED } },
	  "ActivateTask 2-0 27/27 [2: 27 27 27]" },
	{ "a service that ends its task lasts until then",
	  { { 10, TASK1 }, { 20, TERMINATE }, { 25, TASK2 }, { 90, TASK1 }, { 95, TERMINATE }, { 99, TASK2 } },
	  "TerminateTask 2-1 9/9 [1: 5 5 5] per 75 idle 70 4+ 4+" },
};

static void of_system(unsigned value, struct pt_signal *s)
{
	static const struct { uint64_t value; uint8_t kind, id; bool enters; } system[] = {
		[NO_ISR - NO_ISR] = { PT_SIGNAL_NONE, PT_SIGNAL_ISR, 2, true }, [LOW - NO_ISR] = { 0, PT_SIGNAL_ISR, 2, true },
		[HIGH - NO_ISR] = { 1, PT_SIGNAL_ISR, 2, true }, [TASK1 - NO_ISR] = { 1, PT_SIGNAL_TASK, 0, true },
		[TASK2 - NO_ISR] = { 2, PT_SIGNAL_TASK, 0, true }, [ACTIVATE - NO_ISR] = { 0, PT_SIGNAL_SERVICE, 3, true },
		[ACTIVATED - NO_ISR] = { 0, PT_SIGNAL_SERVICE, 3, false },
		[TERMINATE - NO_ISR] = { 1, PT_SIGNAL_SERVICE, 3, true },
	};

	s->value = system[value - NO_ISR].value;
	s->kind = system[value - NO_ISR].kind;
	s->id = system[value - NO_ISR].id;
	s->enters = system[value - NO_ISR].enters;
}

static struct pt_signal signal_of(uint64_t ns, unsigned value)
{
	struct pt_signal s = { .at = { ns, 0 }, .own_ns = ns, .ticks = PT_UNKNOWN, .pc = 0x100 + ns, .kind = PT_SIGNAL_SPAN };

	if (value >= NO_ISR) {
		of_system(value, &s);
	} else if (value == GAP) {
		s.kind = PT_SIGNAL_GAP;
	} else if (value == BEGIN || value == END || value == ASTRAY) {
		s.id = 1;
		s.enters = value == BEGIN;
		s.astray = value == ASTRAY;
		s.value = s.enters;
	} else {
		s.enters = (value & 1) != 0;
		s.value = value >> 1;
	}
	return s;
}

static void print_span(const struct pt_span_figures *span, char *out)
{
	const struct pt_stat *stat = span->run.stat;

	out += sprintf(out, "%s %d-%d %d/%d", span->name, (int)span->run.count, (int)span->run.partial,
		       (int)span->run.cycles, (int)span->run.gross_total);
	if (stat[PT_TALLY_NET].n > 0)
		out += sprintf(out, " [%d: %d %d %d]", (int)stat[PT_TALLY_NET].n, (int)stat[PT_TALLY_NET].total,
			       (int)stat[PT_TALLY_GROSS].total, (int)stat[PT_TALLY_CALL].total);
	if (stat[PT_TALLY_PERIOD].n > 0)
		out += sprintf(out, " per %d", (int)stat[PT_TALLY_PERIOD].total);
	if (stat[PT_TALLY_INACTIVE].n > 0)
		out += sprintf(out, " idle %d", (int)stat[PT_TALLY_INACTIVE].total);
	if (stat[PT_TALLY_GROSS].unended > 0)
		out += sprintf(out, " %d+ %d+", (int)stat[PT_TALLY_NET].unended, (int)stat[PT_TALLY_GROSS].unended);
	for (int e = 0; e < PT_N_SPAN_ERRORS; e++)
		if (span->errors[e] > 0)
			out += sprintf(out, " %s %d at %d", pt_span_error_name((enum pt_span_error)e),
				       (int)span->errors[e], (int)span->last_ns);
}

static char *print_spans(const struct pt_spans *spans, char *out)
{
	out[0] = '\0';
	for (size_t i = 0; i < spans->n_spans; i++) {
		strcat(out, i > 0 ? "; " : "");
		print_span(&spans->span[i], out + strlen(out));
	}
	return out;
}

START_TEST(story)
{
	const struct pt_analysis_setup setup = { .signals = &signals };
	void *analysis = pt_analysis_signalled.open(&setup, NULL);
	struct pt_profile profile = { 0 };
	char got[1000];

	for (size_t i = 0; i == 0 || stories[_i].write[i].ns != 0; i++) {
		struct pt_signal s = signal_of(stories[_i].write[i].ns, stories[_i].write[i].value);

		if (stories[_i].write[i].value == SEEN)
			pt_analysis_signalled.seen(analysis, 0, s.at.ns);
		else
			pt_analysis_signalled.signals(analysis, &s, 1);
	}
	pt_analysis_signalled.result(analysis, &profile);
	print_spans(profile.signalled, got);
	ck_assert_msg(strcmp(got, stories[_i].want) == 0, "%s:\n  got  %s\n  want %s", stories[_i].name, got,
		      stories[_i].want);
	pt_analysis_signalled.result(analysis, &profile);	/* a look changes nothing */
	ck_assert_str_eq(print_spans(profile.signalled, got), stories[_i].want);
	pt_analysis_signalled.close(analysis);
}
END_TEST

/* More spans, and deeper, than there is room for: bounded, and said. */
START_TEST(bounds)
{
	const struct pt_analysis_setup setup = { .signals = &signals };
	void *analysis = pt_analysis_signalled.open(&setup, NULL);
	struct pt_profile profile = { 0 };

	for (unsigned i = 1; i <= 5000; i++) {
		struct pt_signal s = signal_of(i, 3);

		s.value = i;
		pt_analysis_signalled.signals(analysis, &s, 1);
	}
	pt_analysis_signalled.result(analysis, &profile);
	ck_assert_uint_eq(profile.signalled->n_spans, 1024);
	ck_assert_uint_eq(profile.signalled->dropped, 5000 - 1024);
	ck_assert_uint_eq(profile.signalled->errors[PT_SPAN_TOO_DEEP], 1024 / PT_SPAN_DEPTH - 1);
	pt_analysis_signalled.close(analysis);
}
END_TEST

/* Any signals at all: what is counted fits together. */
START_TEST(random_signals)
{
	const struct pt_analysis_setup setup = { .signals = &signals };
	void *analysis = pt_analysis_signalled.open(&setup, NULL);
	struct pt_profile profile = { 0 };
	uint64_t seed = (uint64_t)_i + 1, ns = 0;

	for (int i = 0; i < 50000; i++) {
		struct pt_signal s;

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		ns += seed >> 60;
		s = signal_of(ns, seed >> 40 & 31);
		s.kind = (seed >> 50) % 500 == 0 ? PT_SIGNAL_GAP : PT_SIGNAL_SPAN;
		pt_analysis_signalled.signals(analysis, &s, 1);
	}
	pt_analysis_signalled.result(analysis, &profile);
	for (size_t i = 0; i < profile.signalled->n_spans; i++) {
		const struct pt_execution_function *run = &profile.signalled->span[i].run;

		ck_assert_uint_le(run->cycles, ns);
		ck_assert_uint_le(run->gross_total, ns);
		ck_assert_uint_le(run->stat[PT_TALLY_NET].total, run->cycles);
		ck_assert_uint_le(run->stat[PT_TALLY_NET].total, run->stat[PT_TALLY_GROSS].total);
		ck_assert_uint_ge(run->stat[PT_TALLY_NET].n + run->partial, run->count);
	}
	pt_analysis_signalled.close(analysis);
}
END_TEST

/* --- windows: lengths of what was entered in one, whole or cut (profile/stats/survivals.h) */

static struct pt_span_at span_at(uint64_t clock)
{
	return (struct pt_span_at){ .clock = clock, .address = PT_UNKNOWN };
}

/* Spans: 0 was entered before the window; 1 is whole; 2 is interrupted where the window ends; 3 is cut. */
START_TEST(lengths_in_a_window)
{
	static const struct { uint64_t gross, call, period; } want[] = {
		{ 0, 0, 0 }, { 70, 100, 400 }, { 150, 200, 200 }, { 550, 600, 600 },
	};
	struct pt_span_set *set = pt_span_set_new(PT_LEN(want));
	struct pt_span_stack *s = pt_span_stack_new(set);
	struct pt_span_at at = span_at(900);
	const struct pt_spans *result;

	pt_span_enter(s, 0, true, &at);
	pt_span_window_begins(s, 1000);
	at = span_at(1100);
	pt_span_leave(s, 0, &at);
	at = span_at(1200);
	pt_span_enter(s, 1, true, &at);
	at = span_at(1220);
	pt_span_interrupt(s, 0x40, &at);
	at = span_at(1250);
	pt_span_return(s, 0x40, &at);
	at = span_at(1300);
	pt_span_leave(s, 1, &at);
	at = span_at(1400);
	pt_span_enter(s, 3, true, &at);
	at = span_at(1600);
	pt_span_enter(s, 1, true, &at);
	pt_span_leave(s, 1, &at);
	at = span_at(1800);
	pt_span_enter(s, 2, true, &at);
	at = span_at(1950);
	pt_span_interrupt(s, 0x50, &at);
	pt_span_window_ended(s, 2010, 1000, 1);
	result = pt_span_result(set);
	pt_span_give_lengths(set);
	for (size_t i = 0; i < PT_LEN(want); i++) {
		const struct pt_lengths *got = result->span[i].lengths;

		ck_assert_uint_eq(got[PT_TALLY_CALL].longest, want[i].call);
		ck_assert_uint_eq(got[PT_TALLY_GROSS].longest, want[i].gross);
		ck_assert_uint_eq(got[PT_TALLY_PERIOD].longest, want[i].period);
	}
	pt_span_set_free(set);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spans");
	TCase *tc = tcase_create("spans");

	tcase_add_loop_test(tc, story, 0, PT_LEN(stories));
	tcase_add_test(tc, bounds);
	tcase_add_test(tc, lengths_in_a_window);
	tcase_add_loop_test(tc, random_signals, 0, 4);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
