/* The timeline as trace viewers get it, each story by hand: slices that nest, times on one clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "report/shared/slices.h"

/* Definition 0 signals nested spans, 1 is a state, 2 a span between two points, 3 a line. */
static const struct pt_signal_definition definitions[] = {
	{ .name = "span", .form = PT_FORM_NESTED }, { .name = "state", .form = PT_FORM_STATE },
	{ .name = "points", .form = PT_FORM_TWO_POINT }, { .name = "line", .form = PT_FORM_LINE },
};
static const struct pt_signal_set signals = { definitions, PT_LEN(definitions) };

/* "10 >3": span 3 is entered at 10 ns; "<0" none runs again; "s4": the state is 4; "+", "-", "!": the points are
 * entered, left, left astray; "l1": the line; "v7": a look found 7, "v" alone nothing; "gap": the source's; "c7", "r": a function is called at tick 7, and left;
 * "u7": one is found running; "x": it is cut off; "forget": a gap in what ran; "b9": nothing was seen for 9 ns. Behind "~"
 * the begin or the end of a slice was not seen. */
static struct pt_timeline_event event_of(const char *at, const char *what)
{
	static const struct { char word; uint8_t signal; uint16_t id; } kinds[] = {
		{ '>', PT_SIGNAL_SPAN, 0 }, { '<', PT_SIGNAL_SPAN, 0 }, { 's', PT_SIGNAL_STATE, 1 },
		{ '+', PT_SIGNAL_SPAN, 2 }, { '-', PT_SIGNAL_SPAN, 2 }, { '!', PT_SIGNAL_SPAN, 2 },
		{ 'l', PT_SIGNAL_LEVEL, 3 }, { 'v', PT_SIGNAL_LOOK, 3 }, { 'g', PT_SIGNAL_GAP, UINT16_MAX },
	};
	struct pt_timeline_event e = {
		.at = { strtoull(at, NULL, 10), 0 }, .clock = PT_UNKNOWN, .task = PT_NO_TASK, .kind = PT_TIMELINE_SIGNAL,
		.value = strtoull(what + 1, NULL, 10), .enters = what[0] == '>' || what[0] == '+', .astray = what[0] == '!',
	};

	if (strchr("cruxf", what[0]) != NULL) {
		e.kind = what[0] == 'c'	  ? PT_TIMELINE_CALL
			 : what[0] == 'r' ? PT_TIMELINE_LEAVE
			 : what[0] == 'u' ? PT_TIMELINE_UNSEEN
			 : what[0] == 'x' ? PT_TIMELINE_CUT
					  : PT_TIMELINE_GAP;
		e.clock = e.value;
	}
	if (strcmp(what, "v") == 0)
		e.value = PT_UNKNOWN;
	if (what[0] == 'b') {
		e.kind = PT_TIMELINE_BLIND;
		e.id = PT_LOSS_DRAIN;
	}
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (kinds[i].word == what[0]) {
			e.signal = kinds[i].signal;
			e.id = kinds[i].id;
		}
	return e;
}

static const struct { const char *name, *in, *want; uint64_t core_hz; bool no_clock, no_code; } cases[] = {
	{ "only signals: on the probe's clock", "10 s1 30 s2 45 l1", "ns 10(1 30) 30(2 45=1", 0, false, true },
	{ "looks at a variable", "10 v1 30 v 45 v0", "ns 10=1 45=0", 0, false, true },
	{ "nested", "10 >1 20 >2 30 <1 40 <0", "ns 10(1 20(2 30) 40)", 0, false, true },
	{ "left two at once", "10 >1 20 >2 30 >3 40 <1 50 <0", "ns 10(1 20(2 30(3 40) 40) 50)", 0, false, true },
	{ "left all at once", "10 >1 20 >2 40 <0 50 >4", "ns 10(1 20(2 40) 40) 50(4", 0, false, true },
	{ "back in what was not seen to begin", "10 <5 20 >1 30 <5", "ns 20(1 30)", 0, false, true },
	{ "twice in the same", "10 >1 20 >1 30 <1 40 <0", "ns 10(1 20(1 30) 40)", 0, false, true },
	{ "two points", "10 + 20 - 30 + 40 + 50 ! 60 -", "ns 10(points 20) 30(points 40) 40(points 50)", 0, false, true },
	{ "a gap ends them", "10 >1 12 s3 20 gap 30 s3", "ns 10(1 12(3 20~) 20~) 20gap 30(3", 0, false, true },
	{ "functions in cycles", "0 c7 0 c9 0 r12", "cycles 7(no 9(no 12)", 0, false, false },
	{ "functions in ns", "100 c7 120 c9 150 r12", "ns 100(no 120(no 150)", 1000, false, false },
	{ "the core is held in a call", "100 c7 120 b30 160 r12", "ns 100(no 120(drain 150) 160)", 1000, false, false },
	{ "held before anything ran", "5 b30 35 c7", "ns 5(drain 35) 35(no", 1000, false, false },
	{ "on a clock that stands still meanwhile", "0 c7 5 b30 0 r12", "cycles 7(no 12)", 0, false, false },
	{ "callers that returns tell of", "10 u5 20 x 20 u6 25 c7 27 r 30 x 30 u8 40 x",
	  "ns 10~(no 10~(no 10~(no 20~) 25(no 27) 30~) 40~)", 1000, false, false },
	{ "each burst has its own", "10 u5 20 x 20 u6 20 x 22 forget 30 u5 35 x 35 u6",
	  "ns 10~(no 10~(no 20~) 20~) 22gap 30~(no 30~(no 35~)", 1000, false, false },
	{ "what began before the first event", "10 c5 12 r 15 r 17 c6 20 r", "ns 10~(no 10(no 12) 15) 17(no 20)", 1000, false, false },
	{ "a dump with a core clock", "0 c7 20 c9", "begin 0(no 20(no", 1000, true, false },
	{ "a dump without one", "0 c7 0 c9", "cycles 7(no 9(no", 0, true, false },
	{ "two clocks", "10 s1 0 c9", "refused", 0, false, false },
	{ "one for both", "10 s1 30 c9", "ns 10(1 30(no", 1000, false, false },
};

static void print(const struct pt_slice *slice, char *out)
{
	out += sprintf(out, " %d%s", (int)slice->time, slice->unseen ? "~" : "");
	if (slice->kind == PT_SLICE_BEGIN && slice->name != NULL)
		sprintf(out, "(%.*s", slice->name[0] == '(' ? 2 : 20, slice->name + (slice->name[0] == '('));
	else if (slice->kind == PT_SLICE_BEGIN)
		sprintf(out, "(%g", slice->real);
	else if (slice->kind == PT_SLICE_COUNTER)
		sprintf(out, "=%g", slice->real);
	else
		strcpy(out, slice->kind == PT_SLICE_END ? ")" : "gap");
}

START_TEST(slices_case)
{
	static const char *const clocks[] = { "ns", "begin", "cycles", "instructions" };
	struct pt_timeline_event ring[16];
	struct pt_timeline timeline = { .ring = ring, .room = PT_LEN(ring), .signals = &signals };
	struct pt_profile p = { .timeline = &timeline, .core_hz = cases[_i].core_hz, .no_clock = cases[_i].no_clock,
				.no_code = cases[_i].no_code };
	char words[200], got[200] = "", *at, *what, *rest = words;
	struct pt_slices slices;
	struct pt_err err = { 0 };
	struct pt_slice slice;

	strcpy(words, cases[_i].in);
	while ((at = strtok_r(rest, " ", &rest)) != NULL && (what = strtok_r(rest, " ", &rest)) != NULL)
		ring[timeline.n++] = event_of(at, what);
	if (pt_slices_begin(&slices, &p, &err) < 0) {
		ck_assert_str_eq(cases[_i].want, "refused");
		ck_assert_ptr_nonnull(strstr(err.msg, "--core-clock HZ"));
		return;
	}
	strcpy(got, clocks[slices.clock]);
	while (pt_slices_next(&slices, &slice))
		print(&slice, got + strlen(got));
	pt_slices_end(&slices);
	ck_assert_msg(strcmp(got, cases[_i].want) == 0, "%s:\n  got  %s\n  want %s", cases[_i].name, got,
		      cases[_i].want);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slices");
	TCase *tc = tcase_create("slices");

	tcase_add_loop_test(tc, slices_case, 0, PT_LEN(cases));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
