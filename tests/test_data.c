/* Data profiling, from chunks to the table, computed by hand. */
#include <math.h>

#include "chunk_feed.h"
#include "profile/analyses/signals/data.h"
#include "report/views/views.h"

extern const struct pt_view pt_view_data;

#define VALUES "format=values\nsource=itm\nmode=stream\ntick_hz=1000000000\n"
#define COARSE "format=values\nsource=log\nmode=poll\n"

static struct chunk_feed feed_of(const char *word)
{
	struct chunk_feed f = chunk_feed_of(NULL, &word, 1);

	chunk_config(&f, 0, VALUES);
	chunk_clock(&f, 0, 0, 0, 0);
	return f;
}

static void data(struct chunk_feed *f, uint64_t from_ns, uint64_t to_ns, struct chunk_bytes *b)
{
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, from_ns, to_ns, b->bytes, b->len);
	b->len = 0;
}

static const struct pt_data_state *state(const struct pt_data *d, uint64_t value)
{
	for (size_t i = 0; i < d->n_states; i++)
		if (d->state[i].value == value && !d->state[i].others)
			return &d->state[i];
	ck_abort_msg("no state %llu", (unsigned long long)value);
	return NULL;
}

/* 0 at 100, 1 at 300, 0 at 400, 0 again at 450, 2 at 900, 1 at 1000 and still. State 0: 200 and 500, period 300. */
START_TEST(states_have_durations)
{
	struct chunk_feed f = feed_of("variables=port.1.1:state");
	struct chunk_bytes b = { .len = 0 };
	const struct pt_data *d;

	add_message(&b, 100, 1, 1, 0);
	add_message(&b, 300, 1, 1, 1);
	add_message(&b, 400, 1, 1, 0);
	add_message(&b, 450, 1, 1, 0);
	add_message(&b, 900, 1, 1, 2);
	add_message(&b, 950, 2, 1, 7);		/* another port */
	add_message(&b, 1000, 1, 1, 1);
	add_message(&b, 1300, 1, 1, 1);
	data(&f, 0, 2000, &b);
	d = pt_pipeline_profile(f.pipeline)->data;
	ck_assert_uint_eq(d->n_states, 3);
	ck_assert_uint_eq(d->n_quantities, 0);
	ck_assert_uint_eq(state(d, 0)->count, 2);
	ck_assert_uint_eq(state(d, 0)->partial, 0);
	ck_assert_uint_eq(state(d, 0)->duration.total, 700);
	ck_assert_uint_eq(state(d, 0)->duration.min, 200);
	ck_assert_uint_eq(state(d, 0)->duration.min_at, 100);
	ck_assert_uint_eq(state(d, 0)->period.unended, 1600);	/* it has not come again since 400 */
	ck_assert_uint_eq(state(d, 0)->duration.max, 500);
	ck_assert_uint_eq(state(d, 0)->duration.max_at, 400);
	ck_assert_uint_eq(state(d, 0)->period.n, 1);
	ck_assert_uint_eq(state(d, 0)->period.max, 300);
	ck_assert_uint_eq(state(d, 1)->count, 2);
	ck_assert_uint_eq(state(d, 1)->partial, 1);
	ck_assert_uint_eq(state(d, 1)->duration.n, 1);
	ck_assert_uint_eq(state(d, 1)->duration.total, 100);
	ck_assert_uint_eq(state(d, 1)->period.min, 700);
	ck_assert_uint_eq(state(d, 2)->duration.total, 100);
	ck_assert_uint_eq(state(d, 1)->partial_ns, 1000);	/* from 1000 to where its source has come to */
	ck_assert_uint_eq(state(d, 1)->duration.unended, 1000);
	ck_assert_uint_eq(state(d, 0)->duration.unended, 0);
	ck_assert_double_eq_tol(state(d, 0)->share, 700.0 / 1900, 1e-12);
	ck_assert_str_eq(state(d, 2)->name, "2");
	ck_assert_uint_eq(state(d, 0)->error_ns, 0);
	chunk_feed_drop(&f);
}
END_TEST

/* A gap ends what was as unknown; no period reaches over it. */
START_TEST(a_gap_ends_states)
{
	struct chunk_feed f = feed_of("variables=port.1.1:state");
	struct chunk_bytes b = { .len = 0 };
	const struct pt_data *d;

	add_message(&b, 100, 1, 1, 5);
	data(&f, 0, 200, &b);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_OVERRUN, 200, 300, NULL, 0);
	add_message(&b, 400, 1, 1, 5);
	add_message(&b, 500, 1, 1, 6);
	data(&f, 300, 600, &b);
	d = pt_pipeline_profile(f.pipeline)->data;
	ck_assert_uint_eq(state(d, 5)->count, 2);
	ck_assert_uint_eq(state(d, 5)->partial, 2);
	ck_assert_uint_eq(state(d, 5)->unsure, 1);	/* behind the gap it may have been 5 already */
	ck_assert(state(d, 5)->missing);
	ck_assert_uint_eq(d->lost, 1);
	ck_assert_uint_eq(state(d, 5)->duration.n, 0);
	ck_assert_uint_eq(state(d, 5)->duration.unended, 100);	/* at least, each of them */
	ck_assert_uint_eq(state(d, 5)->partial_ns, 200);	/* from 100 up to the loss at 200, and from 400 to 500 */
	ck_assert_uint_eq(state(d, 5)->period.n, 0);
	chunk_feed_drop(&f);
}
END_TEST

/* 10 at 0, 30 at 1000 (20 in 1 us), 30 at 3000, 0 at 4000 (30 in 1 us); average 17.5; 50 in 4 us. */
/* 1 at 100, 2 at 500; then up to 1000 something is lost. It was 1 for 400, and for the 500 that were lost anything. */
START_TEST(what_was_lost_may_be_any_value)
{
	struct chunk_feed f = feed_of("variables=port.1.1:state");
	const struct pt_view *view = pt_view_find("data");
	struct chunk_bytes b = { .len = 0 };
	struct pt_value row[40];

	add_message(&b, 100, 1, 1, 1);
	add_message(&b, 500, 1, 1, 2);
	data(&f, 100, 500, &b);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_OVERRUN, 500, 1000, NULL, 0);
	view->row(pt_pipeline_profile(f.pipeline), 0, row);
	ck_assert(row[11].bounds && row[11].at_least);	/* not all of the time, though it is all that was seen */
	ck_assert_double_eq_tol(row[11].f, 400.0 / 900, 1e-12);
	ck_assert_double_eq_tol(row[11].lo, 400.0 / 900, 1e-12);
	ck_assert_double_eq_tol(row[11].hi, 1, 1e-12);
	view->row(pt_pipeline_profile(f.pipeline), 1, row);
	ck_assert_double_eq_tol(row[11].lo, 0, 1e-12);
	ck_assert_double_eq_tol(row[11].hi, 500.0 / 900, 1e-12);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(quantities_change)
{
	struct chunk_feed f = feed_of("variables=port.1.2:regular");
	struct chunk_bytes b = { .len = 0 };
	const struct pt_data_quantity *q;
	const struct pt_profile *p;

	add_message(&b, 0, 1, 2, 10);
	add_message(&b, 1000, 1, 2, 30);
	add_message(&b, 3000, 1, 2, 30);
	add_message(&b, 4000, 1, 2, 0);
	data(&f, 0, 5000, &b);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->data->n_quantities, 0 + 1);
	ck_assert_uint_eq(p->data->n_states, 0);
	q = &p->data->quantity[0];
	ck_assert_uint_eq(q->writes, 4);
	ck_assert_uint_eq(q->changes, 2);
	ck_assert_double_eq(q->least, 0);
	ck_assert_uint_eq(q->least_at, 4000);
	ck_assert_double_eq(q->most, 30);
	ck_assert_uint_eq(q->most_at, 1000);
	ck_assert_double_eq(q->sum, 70);
	ck_assert_double_eq(q->rate_most, 30e6);
	ck_assert_double_eq(q->rate_sum, 50);
	ck_assert_uint_eq(q->rate_ns, 4000);
	ck_assert_uint_eq(q->period.min, 1000);
	ck_assert_uint_eq(q->period.max, 2000);
	ck_assert_uint_eq(q->series->n_used, 4);
	chunk_feed_drop(&f);
}
END_TEST

/* 7 written at 0, read at 400, 7 written at 1000, 8 at 1500, 8 at 1600, 9 read at 1700, 9 written at 2500: periods of
 * writes 1000, 500, 100, 900; of changes (seen at 1500 and 1700) 200. */
START_TEST(periods_of_writes_and_of_changes)
{
	struct chunk_feed f = feed_of("variables=port.1.2:regular");
	struct chunk_bytes b = { .len = 0 };
	static const struct { uint64_t ns, value; bool read; } seen[] = {
		{ 0, 7, false }, { 400, 7, true }, { 1000, 7, false }, { 1500, 8, false }, { 1600, 8, false },
		{ 1700, 9, true }, { 2500, 9, false },
	};
	const struct pt_data_quantity *q;

	for (size_t i = 0; i < PT_LEN(seen); i++) {
		add_message(&b, seen[i].ns, 1, 2, seen[i].value);
		if (seen[i].read)
			b.bytes[b.len - PT_VALUES_PC + PT_VALUES_HOW] &= (uint8_t)~1;
	}
	data(&f, 0, 3000, &b);
	q = &pt_pipeline_profile(f.pipeline)->data->quantity[0];
	ck_assert_uint_eq(q->writes, 5);
	ck_assert_uint_eq(q->reads, 2);
	ck_assert_uint_eq(q->changes, 2);
	ck_assert_uint_eq(q->period.n, 4);
	ck_assert_uint_eq(q->period.min, 100);
	ck_assert_uint_eq(q->period.max, 1000);
	ck_assert_uint_eq(q->period.total, 2500);
	ck_assert_uint_eq(q->change_period.n, 1);
	ck_assert_uint_eq(q->change_period.max, 200);
	chunk_feed_drop(&f);
}
END_TEST

/* Only changes of a line show: nobody knows how often it was driven. 1 at 0, 2 at 100, 5 at 400, and still at 1000. */
START_TEST(a_line_has_changes_and_no_writes)
{
	struct chunk_feed f = chunk_feed_of(NULL, NULL, 0);
	struct chunk_bytes b = { .len = 0 };
	struct pt_text csv = { 0 };
	const struct pt_data *d;

	chunk_config(&f, 0,
		     "format=lines\nsource=vcd\nmode=file\ntick_hz=1000000000\nlines=1\nline.0=st\nline.0.bits=4\n");
	chunk_clock(&f, 0, 0, 0, 0);
	add_line(&b, 0, 0, 1);
	add_line(&b, 100, 0, 2);
	add_line(&b, 400, 0, 5);
	data(&f, 0, 1000, &b);
	d = pt_pipeline_profile(f.pipeline)->data;
	ck_assert_uint_eq(d->quantity[0].writes, 0);
	ck_assert_uint_eq(d->quantity[0].changes, 2);
	ck_assert_uint_eq(d->quantity[0].period.n, 0);
	ck_assert_uint_eq(d->quantity[0].change_period.total, 300);
	ck_assert_uint_eq(state(d, 5)->partial_ns, 600);
	chunk_report(&f, &csv, "data", "csv");
	ck_assert_msg(strstr(csv.bytes, "\r\n\"st\",,,,") != NULL, "%s", csv.bytes);
	pt_text_free(&csv);
	chunk_feed_drop(&f);
}
END_TEST

/* The source's clock may be 100 ppm off, which is 919 ns here: that is no reason to leave out the last 500. */
START_TEST(the_rest_of_a_chunk_counts)
{
	struct chunk_feed f = feed_of("variables=port.1.1:state");
	struct chunk_bytes b = { .len = 0 };
	const struct pt_data *d;

	add_message(&b, 9180000, 1, 1, 4);
	add_message(&b, 9190000, 1, 1, 5);
	data(&f, 0, 9190500, &b);
	d = pt_pipeline_profile(f.pipeline)->data;
	ck_assert_uint_eq(state(d, 4)->duration.total, 10000);
	ck_assert_uint_eq(state(d, 5)->partial_ns, 500);
	chunk_feed_drop(&f);
}
END_TEST

/* A burst ends somewhere in its chunk: a state is seen up to the last value, whatever comes behind the chunk. */
START_TEST(a_burst_ends_unseen)
{
	static const char *const word = "variables=port.1.1:state";
	struct chunk_feed f = chunk_feed_of(NULL, &word, 1);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_data *d;

	chunk_config(&f, 0, "format=values\nsource=dbg\nmode=burst\ntick_hz=1000000000\n");
	chunk_clock(&f, 0, 0, 0, 0);
	add_message(&b, 100, 1, 1, 5);
	add_message(&b, 130, 2, 1, 0);
	data(&f, 0, 1000, &b);
	d = pt_pipeline_profile(f.pipeline)->data;
	ck_assert_uint_eq(state(d, 5)->partial_ns, 0);		/* not 900 */
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_REARM, 1000, 1500, NULL, 0);
	d = pt_pipeline_profile(f.pipeline)->data;
	ck_assert_uint_eq(state(d, 5)->partial, 1);
	ck_assert_uint_eq(state(d, 5)->partial_ns, 30);
	chunk_feed_drop(&f);
}
END_TEST

/* Few values are states, too; too many are none. */
START_TEST(states_until_there_are_too_many)
{
	struct chunk_feed f = feed_of("variables=port.1");
	struct chunk_bytes b = { .len = 0 };
	const struct pt_data *d;

	for (uint64_t i = 0; i < PT_DATA_STATES; i++)
		add_message(&b, i * 10, 1, 4, i);
	data(&f, 0, 1000, &b);
	d = pt_pipeline_profile(f.pipeline)->data;
	ck_assert_uint_eq(d->n_states, PT_DATA_STATES);
	ck_assert_uint_eq(d->n_quantities, 1);
	add_message(&b, 1000, 1, 4, 1000);
	data(&f, 1000, 2000, &b);
	d = pt_pipeline_profile(f.pipeline)->data;
	ck_assert_uint_eq(d->n_states, 0);
	ck_assert_uint_eq(d->quantity[0].writes, PT_DATA_STATES + 1);
	chunk_feed_drop(&f);
}
END_TEST

/* Who asks for states gets them: what is too much is one row. */
START_TEST(others_are_one_row)
{
	struct chunk_feed f = feed_of("variables=port.1:state");
	struct chunk_bytes b = { .len = 0 };
	const struct pt_data *d;

	for (uint64_t i = 0; i < PT_DATA_STATES + 10; i++)
		add_message(&b, i * 10, 1, 4, i);
	add_message(&b, 2000, 1, 4, 3);
	data(&f, 0, 3000, &b);
	d = pt_pipeline_profile(f.pipeline)->data;
	ck_assert_uint_eq(d->n_states, PT_DATA_STATES + 1);
	ck_assert(d->state[PT_DATA_STATES].others);
	ck_assert_str_eq(d->state[PT_DATA_STATES].name, "(others)");
	ck_assert_uint_eq(d->state[PT_DATA_STATES].count, 10);
	ck_assert_uint_eq(d->state[PT_DATA_STATES].duration.total, 2000 - 640);
	ck_assert_uint_eq(state(d, 3)->count, 2);
	chunk_feed_drop(&f);
}
END_TEST

/* Values without stamps are known to the chunk they came in: 0..1000, twice, so times are known to 2000 ns at best. */
START_TEST(without_stamps_it_is_undecided)
{
	static const char *const word = "variables=port.1.1:state";
	struct chunk_feed f = chunk_feed_of(NULL, &word, 1);
	struct chunk_bytes b = { .len = 0 };
	struct pt_text text = { 0 }, json = { 0 }, csv = { 0 };

	chunk_config(&f, 0, COARSE);
	for (unsigned i = 0; i < 2; i++) {
		add_message(&b, PT_UNKNOWN, 1, 1, i);
		data(&f, i * 1000, i * 1000 + 1000, &b);
	}
	chunk_report(&f, &text, "data", "text");
	chunk_report(&f, &json, "data", "json");
	chunk_report(&f, &csv, "data", "csv");
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->data->state[0].error_ns, 2000);
	ck_assert_msg(strstr(text.bytes, "undecided (clocks ± 2.000 us)") != NULL, "%s", text.bytes);
	ck_assert_ptr_nonnull(strstr(json.bytes, "\"max_undecided_ns\": 2000"));
	ck_assert_ptr_nonnull(strstr(csv.bytes, "undecided (clocks +- 2000 ns)"));
	pt_text_free(&text);
	pt_text_free(&json);
	pt_text_free(&csv);
	chunk_feed_drop(&f);
}
END_TEST

/* A big value from a stamp in the far past of the chunk, split anywhere: the same table. */
START_TEST(any_split_is_the_same)
{
	struct chunk_feed whole = feed_of("variables=port.1,port.2:state"),
			  split = feed_of("variables=port.1,port.2:state");
	struct chunk_bytes b = { .len = 0 };
	struct pt_text one = { 0 }, two = { 0 };

	for (unsigned i = 0; i < 300; i++)
		add_message(&b, i * 17, 1 + i % 2, 1 + i % 3, i * i % 7);
	chunk_put(&whole, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 0, 6000, b.bytes, b.len);
	for (size_t at = 0, n; at < b.len; at += n) {
		n = (size_t)_i * 7 + 1 < b.len - at ? (size_t)_i * 7 + 1 : b.len - at;
		chunk_put(&split, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, at * 6000 / b.len, (at + n) * 6000 / b.len,
			  b.bytes + at, n);
	}
	ck_assert_str_eq(chunk_report(&whole, &one, "data", "json"), chunk_report(&split, &two, "data", "json"));
	pt_text_free(&one);
	pt_text_free(&two);
	chunk_feed_drop(&whole);
	chunk_feed_drop(&split);
}
END_TEST

/* Stamps whose clock was measured: each time lies where that may be, and a share of them stays as it is. */
START_TEST(a_measured_clock_is_in_each_time)
{
	static const char *const word = "variables=port.1";
	struct chunk_feed f = chunk_feed_of(NULL, &word, 1);
	struct chunk_bytes b = { .len = 0 };
	struct pt_value row[32];

	chunk_config(&f, 0, VALUES "tick_least_hz=995000000\ntick_most_hz=1005000000\n");
	chunk_clock(&f, 0, 0, 0, 0);
	add_message(&b, 0, 1, 4, 3);
	add_message(&b, 1000000, 1, 4, 4);
	add_message(&b, 3000000, 1, 4, 3);
	data(&f, 0, 3000000, &b);
	pt_view_data.row(pt_pipeline_profile(f.pipeline), 2, row);	/* the state 4: 2 ms */
	ck_assert_uint_eq(row[4].u, 2000000);
	ck_assert_double_le(row[4].lo, 2e6 / 1.005);
	ck_assert_double_eq_tol(row[4].hi, 2e6 / 0.995, 1e-6);
	ck_assert_int_eq(row[11].basis, PT_BASIS_EXACT);	/* its share */
	chunk_feed_drop(&f);
}
END_TEST

#define TABLE \
	"variable  value  count       min      avg      max  share %   per min  per avg   per max  average\n" \
	"port.1               3                                       1.000 ms 1.500 ms  2.000 ms  3.33333\n" \
	"port.1    3          2  1.000 ms 1.000 ms 1.000 ms     50.0  3.000 ms 3.000 ms  3.000 ms\n" \
	"port.1    4          1  2.000 ms 2.000 ms 2.000 ms     50.0                    ≥2.999 ms\n" \
	"≥: lower bound, as the trace did not show all of it.\n" \
	"per: write to write; of a value, entry to entry.\n" \
	"No room for 9 more columns: wide=on shows all.\n"

START_TEST(the_table)
{
	struct chunk_feed f = feed_of("variables=port.1");
	struct chunk_bytes b = { .len = 0 };
	struct pt_text text = { 0 }, series = { 0 };

	add_message(&b, 0, 1, 4, 3);
	add_message(&b, 1000000, 1, 4, 4);
	add_message(&b, 3000000, 1, 4, 3);
	data(&f, 0, 4000000, &b);
	chunk_report(&f, &text, "data", "text");
	ck_assert_msg(strstr(text.bytes, TABLE) != NULL, "%s", text.bytes);
	chunk_report(&f, &series, "series", "csv");
	ck_assert_msg(strstr(series.bytes, "\"port.1\",,0,8192,1,3,3,3,3,3,\r\n") != NULL, "%s", series.bytes);
	pt_text_free(&text);
	pt_text_free(&series);
	chunk_feed_drop(&f);
}
END_TEST

/* --- series */

START_TEST(a_series_keeps_its_peaks)
{
	struct pt_series s = { 0 };
	double most = 0;
	uint64_t n = 0;

	for (uint64_t i = 0; i < 100000; i++)
		pt_series_add(&s, 5000 + i, i == 77777 ? 1e6 : (double)(i % 10));
	ck_assert_uint_eq(s.from_ns, 5000);
	ck_assert_uint_eq(s.width_ns, 256);		/* 100000 / 512 = 195.3 */
	ck_assert_uint_eq(s.n_buckets, 391);
	ck_assert_uint_eq(s.n_used, 391);
	for (size_t i = 0; i < s.n_buckets; i++) {
		n += s.bucket[i].n;
		most = fmax(most, s.bucket[i].max);
	}
	ck_assert_uint_eq(n, 100000);
	ck_assert_double_eq(most, 1e6);
	ck_assert_double_eq(s.bucket[77777 / 256].max, 1e6);
	ck_assert_double_eq(s.bucket[0].first, 0);
	ck_assert_double_eq(s.bucket[0].last, 5);
	pt_series_add(&s, 0, 3);			/* late */
	ck_assert_uint_eq(s.bucket[0].n, 257);
	pt_series_add(&s, UINT64_MAX - 1, 3);
	ck_assert_uint_le(s.n_buckets, PT_SERIES_BUCKETS);
	pt_series_fini(&s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("data");
	TCase *tc = tcase_create("data");

	tcase_add_test(tc, states_have_durations);
	tcase_add_test(tc, a_gap_ends_states);
	tcase_add_test(tc, what_was_lost_may_be_any_value);
	tcase_add_test(tc, quantities_change);
	tcase_add_test(tc, periods_of_writes_and_of_changes);
	tcase_add_test(tc, a_line_has_changes_and_no_writes);
	tcase_add_test(tc, a_burst_ends_unseen);
	tcase_add_test(tc, the_rest_of_a_chunk_counts);
	tcase_add_test(tc, states_until_there_are_too_many);
	tcase_add_test(tc, others_are_one_row);
	tcase_add_test(tc, without_stamps_it_is_undecided);
	tcase_add_loop_test(tc, any_split_is_the_same, 0, 12);
	tcase_add_test(tc, a_measured_clock_is_in_each_time);
	tcase_add_test(tc, the_table);
	tcase_add_test(tc, a_series_keeps_its_peaks);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
