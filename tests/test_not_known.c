/* What nobody knows comes out of no format as a number: a profile that knows next to nothing, in every table and
 * format. */
#define _GNU_SOURCE	/* memmem */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "profile/analyses/signals/external_lines.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/signals/data.h"
#include "profile/analyses/limits/limits.h"
#include "profile/analyses/calls/spans.h"
#include "profile/analyses/signals/tasks.h"
#include "profile/analyses/calls/timeline.h"
#include "report/report.h"
#include "report/views/views.h"
#include "tests/sample_profile.h"

enum { NOTHING_KNOWN = 99 };

static const struct pt_value_name mode_names[] = { { PT_UNKNOWN, "off" } };
static const struct pt_task_map no_tasks = { .n_tasks = 0 };
static const struct pt_signal_definition kinds_of_values[] = {
	{ .name = "task", .form = PT_FORM_TASK, .tasks = &no_tasks }, { .name = "service", .form = PT_FORM_SERVICE },
	{ .name = "line", .form = PT_FORM_LINE },
	{ .name = "mode", .form = PT_FORM_STATE, .size_bytes = 1, .is_signed = true, .values = mode_names,
	  .n_values = 1 },
	{ .name = "speed", .form = PT_FORM_REGULAR, .size_bytes = 2, .is_signed = true },
};
static const struct pt_signal_set values_set = { kinds_of_values, PT_LEN(kinds_of_values) };
static const struct { uint8_t signal, id; uint64_t value; } values[] = {
	{ PT_SIGNAL_TASK, 0, PT_SIGNAL_NONE }, { PT_SIGNAL_TASK, 0, PT_SIGNAL_UNLISTED },
	{ PT_SIGNAL_SERVICE, 1, PT_SIGNAL_UNLISTED }, { PT_SIGNAL_LEVEL, 2, PT_UNKNOWN },
	{ PT_SIGNAL_GAP, 255, PT_UNKNOWN },
	{ PT_SIGNAL_STATE, 3, (uint64_t)-1 }, { PT_SIGNAL_STATE, 3, (uint64_t)-2 },
	{ PT_SIGNAL_VALUE, 4, (uint64_t)-3 },
};

/* Events of every kind with whatever stands for "not known" in each place. */
static size_t unknown_events(struct pt_timeline_event *out)
{
	const struct pt_timestamp when[] = { { 500, PT_NO_BOUND_NS }, { PT_UNKNOWN, 0 }, { 700, 2 * PT_NO_BOUND_NS } };
	size_t n = 0;

	for (size_t w = 0; w < PT_LEN(when); w++) {
		for (uint8_t kind = PT_TIMELINE_CALL; kind < PT_N_TIMELINE_KINDS; kind++)
			if (kind != PT_TIMELINE_SIGNAL)
				out[n++] = (struct pt_timeline_event){
					.at = when[w], .clock = 100 + n, .value = PT_UNKNOWN, .kind = kind,
					.id = kind < PT_TIMELINE_SWITCH ? 2 : PT_NO_FUNCTION, .task = PT_NO_TASK,
				};
		for (size_t i = 0; i < PT_LEN(values); i++)
			out[n++] = (struct pt_timeline_event){
				.at = when[w], .clock = PT_UNKNOWN, .value = values[i].value,
				.kind = PT_TIMELINE_SIGNAL,
				.id = values[i].id, .signal = values[i].signal, .enters = true, .task = PT_NO_TASK,
			};
	}
	return n;
}

static const struct pt_stat seen_once = { .n = 1, .total = 5000, .min = 5000, .max = 5000, .min_at = 1, .max_at = 1 };
static const struct pt_series nothing_yet;
static const struct pt_aux_line unclear_line = { .rises = 1, .level = PT_UNKNOWN, .error_ns = PT_NO_BOUND_NS };
static const struct pt_aux_latency unclear_latency = { .name = "l", .found = true, .undecided = 1,
						       .error_ns = 2 * PT_NO_BOUND_NS };
static const struct pt_data_quantity unclear_quantity = {
	.variable = 4, .least = NAN, .most = NAN, .sum = NAN, .last = NAN, .rate_most = INFINITY,
	.error_ns = PT_NO_BOUND_NS,
	.series = &nothing_yet,
};
static const struct pt_counter_row unclear_counter = {
	.name = "c", .rate_min = NAN, .rate_max = NAN, .rate_last = NAN, .scaled = NAN, .scaled_error = NAN,
	.active = NAN,
	.value = PT_UNKNOWN, .timed = 5, .timed_ns = 1000, .least_ns = PT_UNKNOWN, .error_ns = PT_NO_BOUND_NS,
	.series = &nothing_yet,
};
static const struct pt_duration_row longest = { .of = "c", .over = 5, .up_to = PT_UNKNOWN, .error = NAN, .share = NAN,
						.shorter = NAN };
static const struct pt_task unclear_task = { .name = "t", .activations = 1, .error = PT_NO_BOUND_NS,
					     .first_ns = PT_UNKNOWN, .last_ns = PT_UNKNOWN };

/* Every table of a profile that knows next to nothing of its figures, and of each of these: that nobody does. */
static void know_nothing(struct pt_profile *profile)
{
	static struct pt_timeline_event events[NOTHING_KNOWN];
	static struct pt_timeline timeline = { .ring = events, .room = NOTHING_KNOWN, .signals = &values_set };
	static struct pt_aux_line line;
	static struct pt_aux aux = { .line = &line, .latency = &unclear_latency, .n_lines = 1, .n_latencies = 1, .signals = &values_set };
	static struct pt_data_quantity quantity;
	static struct pt_data_state state = { .variable = 3, .name = "off", .count = 1, .error_ns = PT_NO_BOUND_NS,
					      .share = NAN };
	static const struct pt_data data = { .state = &state, .quantity = &quantity, .n_states = 1, .n_quantities = 1,
					     .signals = &values_set };
	static const struct pt_counters counters = { .counter = &unclear_counter, .n_counters = 1, .duration = &longest,
						     .n_durations = 1, .n_cores = 1 };
	static struct pt_task task;
	static const struct pt_tasks tasks = { .task = &task, .n_tasks = 1, .by_signals = true };
	static const struct pt_rule rule = { .text = "gross(main) < 1", .hi = INFINITY, .lo = -INFINITY };
	static const struct pt_limit limit = { .rule = &rule, .least = PT_UNKNOWN, .most = PT_UNKNOWN };
	static const struct pt_violation violation = { .at = { 500, PT_NO_BOUND_NS }, .value = 5, .path = "main" };
	static const struct pt_limits limits = { .limit = &limit, .n_limits = 1, .violation = &violation, .n_violations = 1,
						 .n_undecided = 1 };
	static struct pt_span_figures span = { .name = "s", .begin = PT_UNKNOWN, .end = PT_UNKNOWN,
					       .last_ns = PT_UNKNOWN, .last_address = PT_UNKNOWN,
					       .error_ns = PT_NO_BOUND_NS };
	static const struct pt_spans spans = { .span = &span, .n_spans = 1 };

	timeline.n = timeline.seen = unknown_events(events);
	line = unclear_line;
	quantity = unclear_quantity;
	task = unclear_task;
	line.high = line.low = line.period = quantity.period = state.duration = state.period = task.slice = seen_once;
	for (int kind = 0; kind < PT_N_TALLY_KINDS; kind++)
		span.run.stat[kind] = seen_once;
	profile->timeline = &timeline;
	profile->aux = &aux;
	profile->data = &data;
	profile->counters = &counters;
	profile->tasks = &tasks;
	profile->limits = &limits;
	profile->signalled = profile->spans = profile->ranges = &spans;
}

/* A word of its own, as a number would be. */
static bool has_word(const struct pt_text *out, const char *word)
{
	const char *end = out->bytes + out->len_bytes;
	size_t n = strlen(word);

	for (const char *at = out->bytes; (at = memmem(at, (size_t)(end - at), word, n)) != NULL; at++)
		if ((at == out->bytes || !isalnum((unsigned char)at[-1])) &&
		    (at + n == end || !isalnum((unsigned char)at[n])))
			return true;
	return false;
}

/* What stands for "not known" inside, and shall not come out: in digits, in hexadecimal, or in seconds. */
static const char *sentinel_in(const struct pt_text *out)
{
	static const char *const digits[] = {
		"4611686018", "4.61168", "922337203", "9.22337", "1844674407", "1.84467", "ffffffffffff",
		"3fffffffffff",
	};
	static const char *const words[] = { "4294967295", "65535", "65534", "inf", "nan" };

	for (size_t i = 0; i < PT_LEN(digits); i++)
		if (memmem(out->bytes, out->len_bytes, digits[i], strlen(digits[i])) != NULL)
			return digits[i];
	for (size_t i = 0; i < PT_LEN(words); i++)
		if (has_word(out, words[i]))
			return words[i];
	return NULL;
}

/* The same in the formats with numbers in binary: little endian, and as protocol buffers write them. */
static bool sentinel_bytes_in(const struct pt_text *out)
{
	static const uint64_t sentinels[] = { PT_UNKNOWN, PT_SIGNAL_NONE, PT_SIGNAL_UNLISTED, PT_NO_BOUND_NS };

	for (size_t i = 0; i < PT_LEN(sentinels); i++) {
		uint8_t fixed[8], varint[10];
		size_t n = 0;

		pt_put_le64(fixed, sentinels[i]);
		for (uint64_t rest = sentinels[i]; n == 0 || rest != 0; rest >>= 7)
			varint[n++] = (uint8_t)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
		if (memmem(out->bytes, out->len_bytes, fixed, sizeof(fixed)) != NULL ||
		    memmem(out->bytes, out->len_bytes, varint, n) != NULL)
			return true;
	}
	return false;
}

/* False: the profile lacks what that format or table is of. */
static bool render(const struct pt_profile *profile, const char *format, const char *view, struct pt_text *out)
{
	struct pt_query query = { 0 };
	struct pt_err err = { 0 };

	*out = (struct pt_text){ 0 };
	snprintf(query.format, sizeof(query.format), "%s", format);
	snprintf(query.view, sizeof(query.view), "%s", view);
	if (pt_report_render(profile, &query, out, &err) == 0)
		return true;
	ck_assert_msg(err.code == PT_ESTATE, "%s of %s: %s", format, view, err.msg);
	pt_text_free(out);
	return false;
}

START_TEST(no_number_stands_for_not_known)
{
	struct pt_profile profile = sample_profile();
	struct pt_text out;
	size_t n_texts = 0;

	know_nothing(&profile);
	for (size_t f = 0; pt_formats[f] != NULL; f++)
		for (size_t v = 0; pt_views[v] != NULL; v++) {
			if (!render(&profile, pt_formats[f]->name, pt_views[v]->name, &out))
				continue;
			ck_assert_uint_gt(out.len_bytes, 0);
			n_texts++;
			ck_assert_msg(sentinel_in(&out) == NULL, "%s of %s has %s:\n%s", pt_formats[f]->name,
				      pt_views[v]->name, sentinel_in(&out), out.bytes);
			ck_assert_msg(!sentinel_bytes_in(&out), "%s", pt_formats[f]->name);
			pt_text_free(&out);
		}
	ck_assert_uint_ge(n_texts, 300);
	ck_assert(render(&profile, "json", "timeline", &out));
	ck_assert_ptr_nonnull(strstr(out.bytes, "\"time_error_ns\": null"));
	ck_assert_msg(strstr(out.bytes, "\"value\": -1,") != NULL, "%s", out.bytes);
	ck_assert_ptr_nonnull(strstr(out.bytes, "\"value\": -2,"));
	ck_assert_ptr_nonnull(strstr(out.bytes, "\"value\": -3,"));
	ck_assert_ptr_nonnull(strstr(out.bytes, "\"state\": \"(others)\""));
	pt_text_free(&out);
	ck_assert(render(&profile, "csv", "aux", &out));
	ck_assert_msg(strstr(out.bytes, "undecided (no common clock)") != NULL, "%s", out.bytes);
	pt_text_free(&out);
}
END_TEST

/* What was seen is a fair part of all that ran, a part of which is known how large it is, or neither. */
static const struct { enum pt_basis shares; double seen_part; const char *printed; } range_shares[] = {
	{ PT_BASIS_EXACT, 1, "\"net_share\": 0.25," },
	{ PT_BASIS_ESTIMATED, 0.5, "\"net_share\": 0.25,\n      \"net_share_ci95\": [\n        0.125,\n        0.625" },
	{ PT_BASIS_ESTIMATED, 0, "\"net_share\": null" },
	{ PT_BASIS_NONE, 0, "\"net_share\": null" },
};

START_TEST(a_range_has_the_share_that_is_known)
{
	struct pt_profile profile = sample_profile();
	struct pt_profile_core core = { .seen_part = range_shares[_i].seen_part };
	struct pt_span_figures span = { .name = "s", .run.cycles = 250 };
	struct pt_span_core of = { .observed = 1000 };
	const struct pt_spans spans = { .span = &span, .n_spans = 1, .core = &of, .n_cores = 1 };
	struct pt_text out;
	const char *rows;

	profile.ranges = &spans;
	profile.shares = range_shares[_i].shares;
	profile.core = &core;
	profile.n_cores = 1;
	ck_assert(render(&profile, "json", "ranges", &out));
	rows = strstr(out.bytes, "\"ranges\"");
	ck_assert_msg(rows != NULL && strstr(rows, range_shares[_i].printed) != NULL, "%.200s", rows);
	pt_text_free(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("not known");
	TCase *tc = tcase_create("not known");

	tcase_add_test(tc, no_number_stands_for_not_known);
	tcase_add_loop_test(tc, a_range_has_the_share_that_is_known, 0, PT_LEN(range_shares));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
