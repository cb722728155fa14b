/* The timeline from steps and signals: order, depth, and what is left when the ring is full. */
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/timeline.h"
#include "report/report.h"

static void *timeline_of(const char *word)
{
	struct pt_params *words = pt_params_new();
	struct pt_analysis_setup setup = { .words = words };
	void *timeline;

	if (word != NULL)
		ck_assert_int_eq(pt_params_add(words, pt_analysis_timeline.params, pt_analysis_timeline.n_params, word,
					       NULL),
				 0);
	timeline = pt_analysis_timeline.open(&setup, NULL);
	pt_params_free(words);
	return timeline;
}

static const struct pt_timeline *result(void *timeline)
{
	struct pt_profile profile = { 0 };

	pt_analysis_timeline.result(timeline, &profile);
	return profile.timeline;
}

START_TEST(in_order_with_depth)
{
	static const struct pt_call_event steps[] = {
		{ .kind = PT_CALL_ENTER, .entry = PT_ENTRY_UNSEEN, .function = 1, .clock = 1, .at = { 10, 0 } },
		{ .kind = PT_CALL_ENTER, .entry = PT_ENTRY_CALL, .function = 2, .clock = 2, .at = { 20, 0 } },
		{ .kind = PT_CALL_ELSEWHERE, .function = 3, .net = 1, .clock = 3 },
		{ .kind = PT_CALL_SWITCH, .stack = 1, .task = 4, .clock = 3, .at = { 30, 0 } },
		{ .kind = PT_CALL_ENTER, .entry = PT_ENTRY_EXCEPTION, .stack = 1, .function = 5, .clock = 4, .at = { 40, 0 } },
		{ .kind = PT_CALL_SWITCH, .stack = 0, .task = PT_NO_TASK, .clock = 5, .at = { 50, 0 } },
		{ .kind = PT_CALL_LEAVE, .function = 2, .call = 4, .clock = 6, .at = { 60, 0 } },
		{ .kind = PT_CALL_CLOCK, .clock = 6 },
		{ .kind = PT_CALL_LEAVE, .function = 1, .partial = 1, .call = 5, .clock = 7, .at = { 70, 0 } },
		{ .kind = PT_CALL_FORGET, .clock = 7, .at = { 70, 0 } },
	};
	static const struct pt_signal signal = { .kind = PT_SIGNAL_LEVEL, .id = 9, .value = 1, .at = { 80, 5 } };
	static const struct { uint8_t kind; uint16_t id, depth; uint64_t value, ns; } want[] = {
		{ PT_TIMELINE_UNSEEN, 1, 1, PT_UNKNOWN, 10 }, { PT_TIMELINE_CALL, 2, 2, PT_UNKNOWN, 20 },
		{ PT_TIMELINE_SWITCH, 0, 0, PT_UNKNOWN, 30 }, { PT_TIMELINE_EXCEPTION, 5, 1, PT_UNKNOWN, 40 },
		{ PT_TIMELINE_SWITCH, 0, 2, PT_UNKNOWN, 50 }, { PT_TIMELINE_LEAVE, 2, 2, 4, 60 },
		{ PT_TIMELINE_CUT, 1, 1, 5, 70 }, { PT_TIMELINE_GAP, 0, 0, PT_UNKNOWN, 70 },
		{ PT_TIMELINE_SIGNAL, 9, 0, 1, 80 },
	};
	void *timeline = timeline_of(NULL);
	const struct pt_timeline *t;

	pt_analysis_timeline.steps(timeline, steps, 4);
	pt_analysis_timeline.steps(timeline, steps + 4, PT_LEN(steps) - 4);
	pt_analysis_timeline.signals(timeline, &signal, 1);
	t = result(timeline);
	ck_assert_uint_eq(t->n, PT_LEN(want));
	ck_assert_uint_eq(t->seen, PT_LEN(want));
	for (size_t i = 0; i < t->n; i++) {
		const struct pt_timeline_event *event = pt_timeline_at(t, i);

		ck_assert_uint_eq(event->kind, want[i].kind);
		ck_assert_uint_eq(event->id, want[i].id);
		ck_assert_uint_eq(event->depth, want[i].depth);
		ck_assert_uint_eq(event->value, want[i].value);
		ck_assert_uint_eq(event->at.ns, want[i].ns);
	}
	pt_analysis_timeline.close(timeline);
}
END_TEST

START_TEST(keeps_the_last)
{
	enum { ROOM = 300 };
	void *timeline = timeline_of("timeline=300");
	struct pt_call_event step = { .kind = PT_CALL_ENTER, .entry = PT_ENTRY_CALL };

	for (uint32_t i = 1; i <= 1000; i++) {
		const struct pt_timeline *t;

		step.clock = i;
		pt_analysis_timeline.steps(timeline, &step, 1);
		t = result(timeline);
		ck_assert_uint_eq(t->n, i < ROOM ? i : ROOM);
		ck_assert_uint_eq(t->seen, i);
		ck_assert_uint_eq(pt_timeline_at(t, t->n - 1)->clock, i);
		ck_assert_uint_eq(pt_timeline_at(t, 0)->clock, i < ROOM ? 1 : i - ROOM + 1);
	}
	pt_analysis_timeline.close(timeline);
}
END_TEST

/* A stretch that was not observed is one event; what was before the profile is none. */
START_TEST(has_what_was_not_observed)
{
	void *timeline = timeline_of(NULL);
	const struct pt_timeline *t;

	pt_analysis_timeline.blind(timeline, 0, 0, 0, 1000);
	pt_analysis_timeline.blind(timeline, 1, PT_LOSS_DRAIN, 2000, 5000);
	pt_analysis_timeline.blind(timeline, 1, PT_LOSS_OVERRUN, 5000, 5000);
	t = result(timeline);
	ck_assert_uint_eq(t->n, 1);
	ck_assert_uint_eq(pt_timeline_at(t, 0)->kind, PT_TIMELINE_BLIND);
	ck_assert_uint_eq(pt_timeline_at(t, 0)->at.ns, 2000);
	ck_assert_uint_eq(pt_timeline_at(t, 0)->value, 3000);
	ck_assert_uint_eq(pt_timeline_at(t, 0)->id, PT_LOSS_DRAIN);
	ck_assert_uint_eq(pt_timeline_at(t, 0)->core, 1);
	pt_analysis_timeline.close(timeline);
}
END_TEST

/* Who looks for what is older is told what there is. */
START_TEST(says_what_it_kept)
{
	static const struct pt_timeline_event ring[] = {
		{ .at = { 7250000, 0 }, .kind = PT_TIMELINE_CALL, .depth = 1 }, { .at = { 7251000, 0 }, .kind = PT_TIMELINE_GAP },
	};
	struct pt_timeline timeline = { .ring = ring, .room = 2, .n = 2, .seen = 5 };
	const struct pt_profile profile = { .timeline = &timeline, .ended = true };
	const struct pt_query query = { .view = "timeline", .format = "text", .from_ns = 1000, .to_ns = 2000 };
	struct pt_text text = { 0 };

	ck_assert_int_eq(pt_report_render(&profile, &query, &text, NULL), 0);
	ck_assert_msg(strstr(text.bytes, "timeline: nothing to show\nthe last 2 of 5 events, from 7.250000 ms; "
					 "timeline=N keeps more.\n") != NULL,
		      "%s", text.bytes);
	pt_text_free(&text);
	text = (struct pt_text){ 0 };
	timeline.seen = 2;
	ck_assert_int_eq(pt_report_render(&profile, &query, &text, NULL), 0);
	ck_assert_ptr_null(strstr(text.bytes, "the last 2"));
	pt_text_free(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("timeline");
	TCase *tc = tcase_create("timeline");

	tcase_add_test(tc, in_order_with_depth);
	tcase_add_test(tc, keeps_the_last);
	tcase_add_test(tc, has_what_was_not_observed);
	tcase_add_test(tc, says_what_it_kept);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
