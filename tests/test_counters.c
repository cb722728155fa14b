/* Counters and formulas, from chunks to the table, computed by hand. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "chunk_feed.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/counters/formula.h"
#include "report/views/views.h"

#define COUNTERS "format=counters\nsource=pmu\nmode=poll\ntick_hz=1000000\ncounters=2\ncounter.0=cycles\n" \
		 "counter.1=instructions\ncounter.1.bits=8\n"
#define LAPPING "format=counters\nsource=pmu\nmode=poll\ntick_hz=1000000\ncounters=1\ncounter.0=events\n" \
		"counter.0.bits=8\ncounter.0.max_hz=1000000\n"

static void add_reading(struct chunk_bytes *b, uint64_t ticks, unsigned counter, uint64_t reading)
{
	uint8_t *at = b->bytes + b->len;

	pt_put_le64(at + PT_COUNTERS_TICKS, ticks);
	pt_put_le16(at + PT_COUNTERS_COUNTER, (uint16_t)counter);
	pt_put_le64(at + PT_COUNTERS_READING, reading);
	b->len += PT_COUNTERS_BYTES;
}

static struct chunk_feed feed_of(const char *config, const char *word)
{
	struct chunk_feed f = chunk_feed_of(NULL, &word, word != NULL);

	chunk_config(&f, 0, config);
	chunk_clock(&f, 0, 0, 0, 100);
	return f;
}

static void data(struct chunk_feed *f, uint64_t from_ns, uint64_t to_ns, struct chunk_bytes *b)
{
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, from_ns, to_ns, b->bytes, b->len);
	b->len = 0;
}

/* cycles 1000 at 0, 2000 at 1 ms, 2500 at 2 ms; instructions (8 bits) 250, 94 (+100), 194 (+100). */
static void readings(struct chunk_feed *f)
{
	struct chunk_bytes b = { .len = 0 };
	static const uint64_t cycles[] = { 1000, 2000, 2500 }, instructions[] = { 250, 94, 194 };

	for (unsigned i = 0; i < 3; i++) {
		add_reading(&b, i * 1000, 0, cycles[i]);
		add_reading(&b, i * 1000, 1, instructions[i]);
	}
	data(f, 0, 3000000, &b);
}

START_TEST(totals_and_rates)
{
	struct chunk_feed f = feed_of(COUNTERS, NULL);
	const struct pt_counters *c;

	readings(&f);
	c = pt_pipeline_profile(f.pipeline)->counters;
	ck_assert_uint_eq(c->n_counters, 2);
	ck_assert_str_eq(c->counter[0].name, "cycles");
	ck_assert_uint_eq(c->counter[0].total, 1500);
	ck_assert_uint_eq(c->counter[0].readings, 3);
	ck_assert_uint_eq(c->counter[0].timed_ns, 2000000);
	ck_assert_double_eq(c->counter[0].rate_max, 1e6);
	ck_assert_uint_eq(c->counter[0].rate_max_at, 1000000);
	ck_assert_double_eq(c->counter[0].rate_min, 5e5);
	ck_assert_uint_eq(c->counter[0].error_ns, 0);
	ck_assert_str_eq(c->counter[1].name, "instructions");
	ck_assert_uint_eq(c->counter[1].total, 200);		/* wrapped once */
	chunk_feed_drop(&f);
}
END_TEST

/* The moments of the readings are known to 50, 100 and 100 us, so the two times between them to 150 and 200, and both of
 * them together to 150, as the one in between is the end of one and the beginning of the other: 1500 in 2 ms that may be
 * 1.85 or 2.15, 1000 in 1 ms that may be 0.85 or 1.15. The count is exact all the same. */
START_TEST(rates_have_the_error_of_their_ends)
{
	static const struct { uint64_t ticks, error_us, reading; } readings_of[] = {
		{ 0, 50, 1000 }, { 1000, 100, 2000 }, { 2000, 0, 2500 },	/* 0: as before */
	};
	const struct pt_view *view = pt_view_find("counters");
	struct chunk_feed f = feed_of(COUNTERS, NULL);
	struct chunk_bytes b = { .len = 0 };
	struct pt_value row[20];
	const struct pt_profile *p;

	for (size_t i = 0; i < PT_LEN(readings_of); i++) {
		if (readings_of[i].error_us != 0)
			add_reading(&b, readings_of[i].ticks, PT_COUNTERS_ERROR, readings_of[i].error_us * 1000);
		add_reading(&b, readings_of[i].ticks, 0, readings_of[i].reading);
	}
	data(&f, 0, 3000000, &b);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->counters->counter[0].timed_error_ns, 150000);
	view->row(p, 0, row);
	ck_assert_uint_eq(row[1].u, 1500);
	ck_assert_int_eq(row[1].basis, PT_BASIS_EXACT);
	ck_assert_int_eq(row[4].basis, PT_BASIS_ESTIMATED);
	ck_assert_double_eq_tol(row[4].lo, 1500 / 2.15e-3, 1);
	ck_assert_double_eq_tol(row[4].hi, 1500 / 1.85e-3, 1);
	ck_assert_double_le(row[6].lo, 1000 / 1.15e-3);
	ck_assert_double_ge(row[6].hi, 1000 / 0.85e-3);
	chunk_feed_drop(&f);
}
END_TEST

/* Ends that are known to a clock of 100 ns, by ticks of one clock. What is read between them at times that are known less well
 * (in another chunk's whole length, and at the same moment) was counted between them all the same. */
START_TEST(readings_without_a_stamp_are_between_others)
{
	static const uint64_t ticks[] = { 0, 1000, PT_UNKNOWN, PT_UNKNOWN, 1500, 1500, 2000 };
	static const uint64_t counts[] = { 1000, 2000, 2010, 2400, 2500, 2600, 3000 };
	struct chunk_feed f = feed_of(COUNTERS, NULL);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_counter_row *c;

	for (size_t i = 0; i < PT_LEN(ticks); i++)
		add_reading(&b, ticks[i], 0, counts[i]);
	data(&f, 0, 3000000, &b);
	c = &pt_pipeline_profile(f.pipeline)->counters->counter[0];
	ck_assert_uint_eq(c->total, 2000);
	ck_assert_uint_eq(c->timed, 2000);
	ck_assert_uint_eq(c->timed_ns, 2000000);
	ck_assert_uint_eq(c->timed_error_ns, 0);
	chunk_feed_drop(&f);
}
END_TEST

/* 10240 +- 255 in 4 ms +- 0.4 ms */
static void check_rate_of_rough_count(const char *json)
{
	const char *bounds = strstr(json, "\"avg_bounds\"");
	double least = 0, most = 0;

	ck_assert_ptr_nonnull(bounds);
	ck_assert_int_eq(sscanf(bounds, "\"avg_bounds\": [ %lf, %lf", &least, &most), 2);
	ck_assert_double_eq_tol(least, 9985 / 4.4e-3, 10);
	ck_assert_double_eq_tol(most, 10495 / 3.6e-3, 10);
}

/* A packet stands for 256 of them: neither the headline nor JSON calls such a count exact, nor its rate. */
START_TEST(a_count_with_limits_is_not_exact)
{
	static const char cost[] = "time_ns=4000000\nedges_ns=400000\n";
	struct chunk_feed f = feed_of(COUNTERS "counter.0.rest=255\n", NULL);
	struct chunk_bytes b = { .len = 0 };
	struct pt_text text = { 0 }, json = { 0 };

	for (unsigned i = 0; i < 5; i++)
		add_reading(&b, i * 1000, 0, i * 2560);
	data(&f, 0, 4000000, &b);
	chunk_put(&f, 0, PT_CHUNK_COST, 0, 4000000, 4000000, cost, strlen(cost));
	chunk_end(&f, 0, 4000000);
	chunk_report(&f, &text, "counters", "text");
	ck_assert_msg(strstr(text.bytes, "counts within the limits shown; rates") != NULL, "%s", text.bytes);
	chunk_report(&f, &json, "counters", "json");
	ck_assert_msg(strstr(json.bytes, "\"count_exactness\": \"estimated\"") != NULL, "%s", json.bytes);
	check_rate_of_rough_count(json.bytes);
	pt_text_free(&text);
	pt_text_free(&json);
	chunk_feed_drop(&f);
}
END_TEST

/* Between halts of 1 ms, of which nobody knows to 300 us when each began and ended, the core ran twice for 2 ms: that may
 * be 1.2 ms more by its ends, but no more than from the first beginning to the last end. A reading that is said again
 * behind the halt is no other one. */
START_TEST(no_longer_than_from_end_to_end)
{
	const struct pt_counter_row *row;
	struct chunk_feed f = feed_of(COUNTERS, NULL);
	struct chunk_bytes b = { .len = 0 };

	add_reading(&b, 0, PT_COUNTERS_ERROR, 300000);
	add_reading(&b, 0, 0, 1000);
	add_reading(&b, 2000, PT_COUNTERS_ERROR, 300000);
	add_reading(&b, 2000, 0, 2000);
	data(&f, 0, 2000000, &b);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_HALTED, 2000000, 2100000, NULL, 0);
	b.len = 0;
	add_reading(&b, 2100, PT_COUNTERS_ERROR, 300000);
	add_reading(&b, 2100, 0, 2000);
	add_reading(&b, 4100, PT_COUNTERS_ERROR, 300000);
	add_reading(&b, 4100, 0, 3000);
	data(&f, 2100000, 5000000, &b);
	row = &pt_pipeline_profile(f.pipeline)->counters->counter[0];
	ck_assert_uint_eq(row->readings, 3);
	ck_assert_uint_eq(row->timed_ns, 4000000);
	ck_assert_uint_eq(row->timed_error_ns, 1200000);
	ck_assert_uint_eq(pt_counter_longest_ns(row), 4100000 + 2 * 300000);
	chunk_feed_drop(&f);
}
END_TEST

/* 1000 in 1 ms, 500 in 1 ms, then at a halt 70 in 10 us: counted, but no rate of 7 MHz. The next one is as usual after
 * a short one, and of 900. */
START_TEST(a_reading_that_comes_early)
{
	struct chunk_feed f = feed_of(COUNTERS, NULL);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_counter_row *cycles;

	readings(&f);
	add_reading(&b, 2010, 0, 2570);
	data(&f, 3000000, 3000010, &b);
	cycles = &pt_pipeline_profile(f.pipeline)->counters->counter[0];
	ck_assert_uint_eq(cycles->total, 1570);
	ck_assert_uint_eq(cycles->timed_ns, 2010000);
	ck_assert_double_eq(cycles->rate_max, 1e6);
	ck_assert_double_eq(cycles->rate_last, 5e5);
	add_reading(&b, 3010, 0, 3470);
	data(&f, 3000010, 4000000, &b);
	cycles = &pt_pipeline_profile(f.pipeline)->counters->counter[0];
	ck_assert_double_eq(cycles->rate_last, 9e5);
	chunk_feed_drop(&f);
}
END_TEST

/* 100 of 1000, then 100 of 500: 0.1 and 0.2, 200 of 1500 over all. */
START_TEST(metrics_over_time)
{
	struct chunk_feed f =
		feed_of(COUNTERS, "metric=IPC:instructions/cycles,mhz:cycles/seconds/1000000,none:other/cycles");
	const struct pt_metric_row *m;

	readings(&f);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->counters->n_metrics, 4);	/* CPI of its own accord */
	m = pt_pipeline_profile(f.pipeline)->counters->metric;
	ck_assert_str_eq(m[0].name, "IPC");
	ck_assert_str_eq(m[0].formula, "instructions/cycles");
	ck_assert_double_eq_tol(m[0].value, 200.0 / 1500, 1e-12);
	ck_assert_double_eq_tol(m[0].min, 0.1, 1e-9);
	ck_assert_double_eq_tol(m[0].max, 0.2, 1e-9);
	ck_assert_double_eq_tol(m[1].value, 0.75, 1e-9);
	ck_assert(isnan(m[2].value) && isnan(m[2].min));
	ck_assert_uint_eq(m[0].series->width_ns, 4096);	/* 2 ms / 512 = 3906 ns */
	ck_assert_uint_eq(m[0].series->n_used, 489);
	ck_assert_double_eq_tol(m[0].series->bucket[10].last, 0.1, 1e-9);
	ck_assert_double_eq_tol(m[0].series->bucket[400].last, 0.2, 1e-9);
	ck_assert_double_eq_tol(m[1].series->bucket[400].last, 0.5, 1e-9);
	chunk_feed_drop(&f);
}
END_TEST

/* What was counted behind a gap is of nobody knows what. */
START_TEST(a_gap_is_not_counted)
{
	struct chunk_feed f = feed_of(COUNTERS, NULL);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_counter_row *c;

	add_reading(&b, 0, 0, 0);
	add_reading(&b, 1000, 0, 10);
	data(&f, 0, 2000000, &b);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_PROBE, 2000000, 3000000, NULL, 0);
	add_reading(&b, 3000, 0, 1000);
	add_reading(&b, 4000, 0, 1020);
	data(&f, 3000000, 5000000, &b);
	c = pt_pipeline_profile(f.pipeline)->counters->counter;
	ck_assert_uint_eq(c->total, 30);
	ck_assert_uint_eq(c->timed_ns, 2000000);
	ck_assert_double_eq(c->rate_max, 20000);
	chunk_feed_drop(&f);
}
END_TEST

/* 8 bits at up to 1 MHz go round in 256 us: a reading 100 us later has wrapped at most once, one 300 us later may have
 * twice. */
START_TEST(a_counter_that_may_have_lapped)
{
	struct chunk_feed f = feed_of(LAPPING, NULL);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_counter_row *c;

	add_reading(&b, 0, 0, 200);
	add_reading(&b, 100, 0, 10);		/* + 66 */
	add_reading(&b, 400, 0, 20);
	add_reading(&b, 500, 0, 25);		/* + 5 */
	data(&f, 0, 1000000, &b);
	c = pt_pipeline_profile(f.pipeline)->counters->counter;
	ck_assert_uint_eq(c->total, 71);
	ck_assert_uint_eq(c->unknown, 1);
	ck_assert_uint_eq(c->timed_ns, 200000);
	chunk_feed_drop(&f);
}
END_TEST

/* A counter that goes back with no time for a lap has begun anew (a reset), a chain whose upper half was torn jumps by
 * more than it can count: what came in between is not known, and it goes on from there. The last reading is 1 ms and 7
 * counts later. */
static const struct restart {
	const char *is, *config;
	uint64_t before, behind;
	uint64_t total, unknown;
} restarts[] = {
	{ "32 bits, reset", "counter.0.bits=32\ncounter.0.max_hz=5000000\n", 4700000, 0, 7, 1 },
	{ "32 bits, reset, and on", "counter.0.bits=32\ncounter.0.max_hz=5000000\n", 4700000, 1000, 7, 1 },
	{ "32 bits, a lap", "counter.0.bits=32\ncounter.0.max_hz=5000000\n", 0xffffff00, 0x100, 0x207, 0 },
	{ "32 bits, forward", "counter.0.bits=32\ncounter.0.max_hz=5000000\n", 1000, 400000, 399007, 0 },
	{ "32 bits, speed unknown: a lap", "counter.0.bits=32\n", 0xffffff00, 0x100, 0x207, 0 },
	{ "a chain, reset", "counter.0.max_hz=20000000\n", UINT64_C(0x100000010), 5, 7, 1 },
	{ "a chain, reset, speed unknown", "", UINT64_C(0x100000010), 5, 7, 1 },
	{ "a chain, torn", "counter.0.max_hz=20000000\n", UINT64_C(0x100000010), UINT64_C(0x200000020), 7, 1 },
	{ "a chain, torn and back", "counter.0.max_hz=20000000\n", UINT64_C(0x200000020), UINT64_C(0x100000010), 7, 1 },
	{ "a chain, carry", "counter.0.max_hz=20000000\n", 0xffffff00, UINT64_C(0x100000100), 0x207, 0 },
};

START_TEST(a_counter_that_begins_anew)
{
	const struct restart *r = &restarts[_i];
	char config[300];
	struct chunk_bytes b = { .len = 0 };
	const struct pt_counter_row *c;
	struct chunk_feed f;

	snprintf(config, sizeof(config),
		 "format=counters\nsource=pmu\nmode=poll\ntick_hz=1000000\ncounters=1\n"
		 "counter.0=events\n%s",
		 r->config);
	f = feed_of(config, NULL);
	add_reading(&b, 0, 0, r->before);
	add_reading(&b, 100000, 0, r->behind);
	add_reading(&b, 101000, 0, r->behind + 7);
	data(&f, 0, 101000000, &b);
	c = pt_pipeline_profile(f.pipeline)->counters->counter;
	ck_assert_msg(c->total == r->total, "%s: %" PRIu64, r->is, c->total);
	ck_assert_msg(c->unknown == r->unknown, "%s: %" PRIu64 " unknown", r->is, c->unknown);
	chunk_feed_drop(&f);
}
END_TEST

/* More cycles than the clock has: it is faster than core-clock says. As the moments of readings are known it may not be. */
static const struct { const char *is; uint64_t counted, error_ns; bool contradicts; } clocks[] = {
	{ "as fast as it may", 10000, 0, false },
	{ "a little off", 10100, 0, false },
	{ "twice as fast", 20000, 0, true },
	{ "twice as fast, or the time was longer", 20000, 6000000, false },
};

START_TEST(a_clock_that_is_too_slow_is_noticed)
{
	struct chunk_feed f =
		feed_of("format=counters\nsource=pmu\nmode=poll\ntick_hz=1000000\ncore_hz=1000000\ncounters=1\n"
			"counter.0=CPU_CLK\ncounter.0.max_hz=1000000\n",
			NULL);
	struct chunk_bytes b = { .len = 0 };
	const char *said;

	for (unsigned i = 0; i < 2; i++) {
		if (clocks[_i].error_ns != 0)
			add_reading(&b, i * 10000, PT_COUNTERS_ERROR, clocks[_i].error_ns);
		add_reading(&b, i * 10000, 0, i * clocks[_i].counted);
	}
	data(&f, 0, 11000000, &b);
	said = pt_pipeline_profile(f.pipeline)->contradiction;
	ck_assert_msg((said != NULL) == clocks[_i].contradicts, "%s: %s", clocks[_i].is,
		      said != NULL ? said : "nothing");
	ck_assert(said == NULL || strstr(said, "core-clock says 1 MHz") != NULL);
	chunk_feed_drop(&f);
}
END_TEST

#define TURNS "format=counters\nsource=pmu\nmode=poll\ntick_hz=1000000\nturns=2\ncounters=3\ncounter.0=CPU_CLK\n" \
	"counter.0.alias=cycles\ncounter.0.note=Ref:1, Nonspec\ncounter.1=COMPLETED_INSNS\ncounter.2=L2MMU_MISSES\n" \
	"metric.0=clock.hz:CPU_CLK/seconds\n"

/* A turn of a ms: counters that go from 0 up to these. */
static void turn(struct chunk_feed *f, struct chunk_bytes *b, unsigned ms, const uint64_t *count, unsigned members)
{
	for (unsigned i = 0; i < 3; i++)
		if ((members >> i & 1) != 0)
			add_reading(b, ms * 1000, i | PT_COUNTERS_RESUMES, 0);
	for (unsigned i = 0; i < 3; i++)
		if ((members >> i & 1) != 0)
			add_reading(b, ms * 1000 + 1000, i, count[i]);
	data(f, (uint64_t)ms * 1000000, (uint64_t)(ms + 1) * 1000000, b);
}

static const struct pt_metric_row *metric_of(const struct pt_counters *c, const char *name)
{
	for (size_t i = 0; i < c->n_metrics; i++)
		if (strcmp(c->metric[i].name, name) == 0)
			return &c->metric[i];
	ck_abort_msg("no metric %s", name);
}

/* Cycles count in each turn, instructions and misses in every other one; behind the first turn the core is halted for
 * 2 ms. What ran in the turns with instructions has an IPC of 1/2, whatever there was in the others; what is scaled is
 * scaled to the 3 ms in which something ran. */
START_TEST(figures_of_turns_are_of_one_time)
{
	static const uint64_t with_insns[] = { 1000, 500, 0 }, with_misses[] = { 9000, 0, 0 };
	struct chunk_feed f = feed_of(TURNS, "metric=mine:COMPLETED_INSNS/cycles,all:COMPLETED_INSNS");
	struct chunk_bytes b = { .len = 0 };
	const struct pt_counters *c;

	turn(&f, &b, 0, with_insns, 3);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_HALTED, 1000000, 3000000, NULL, 0);
	turn(&f, &b, 3, with_misses, 5);
	turn(&f, &b, 4, with_insns, 3);
	c = pt_pipeline_profile(f.pipeline)->counters;
	ck_assert(c->counter[1].shared && c->counter[2].shared);
	ck_assert_str_eq(c->counter[0].note, "Ref:1, Nonspec");
	ck_assert_ptr_null(c->counter[1].note);
	ck_assert_uint_eq(c->counter[0].total, 11000);
	ck_assert_double_eq_tol(c->counter[1].scaled, 1500, 1e-6);
	ck_assert_double_eq_tol(c->counter[1].active, 2.0 / 3, 1e-9);
	ck_assert_double_eq_tol(metric_of(c, "IPC")->value, 0.5, 1e-12);
	ck_assert_double_eq_tol(metric_of(c, "mine")->value, 0.5, 1e-12);
	ck_assert_double_eq_tol(metric_of(c, "all")->value, 1500, 1e-6);	/* as what is scaled is */
	ck_assert(isnan(metric_of(c, "all")->min) && isnan(metric_of(c, "all")->max) &&
		  isnan(metric_of(c, "all")->last));
	ck_assert(!isnan(metric_of(c, "IPC")->min) && !isnan(metric_of(c, "IPC")->last));
	ck_assert_double_eq_tol(metric_of(c, "clock.hz")->value, 11000 / 0.003, 1e-6);
	ck_assert_double_eq_tol(metric_of(c, "tlb.misses.per.1000")->value, 0, 1e-12);	/* never of one time */
	chunk_feed_drop(&f);
}
END_TEST

#define THRESHOLDS "format=counters\nsource=pmu\nmode=poll\ntick_hz=1000000\ncounters=4\n" \
	"counter.0=latency>10\ncounter.0.of=latency\ncounter.0.over=10\n" \
	"counter.1=latency>0\ncounter.1.of=latency\ncounter.1.over=0\n" \
	"counter.2=latency>40\ncounter.2.of=latency\ncounter.2.over=40\n" \
	"counter.3=pending>5\ncounter.3.of=pending\ncounter.3.over=5\n"

/* 100 in all: 60 of 1 to 10 ticks, 30 of 11 to 40, 10 longer, and then none longer. */
START_TEST(thresholds_make_durations)
{
	static const struct { uint64_t over, up_to; double count, share, shorter; } want[] = {
		{ 0, 10, 60, 0.6, 0.6 }, { 10, 40, 30, 0.3, 0.9 }, { 40, PT_UNKNOWN, 10, 0.1, 1 },
	};
	struct chunk_feed f = feed_of(THRESHOLDS, NULL);
	struct chunk_bytes b = { .len = 0 };
	static const uint64_t counts[] = { 40, 100, 10, 0 };
	const struct pt_counters *c;

	for (unsigned ms = 0; ms < 2; ms++)
		for (unsigned i = 0; i < 4; i++)
			add_reading(&b, ms * 1000, i, ms * counts[i]);
	data(&f, 0, 2000000, &b);
	c = pt_pipeline_profile(f.pipeline)->counters;
	ck_assert_uint_eq(c->n_durations, 4);
	for (size_t i = 0; i < PT_LEN(want); i++) {
		ck_assert_str_eq(c->duration[i].of, "latency");
		ck_assert_uint_eq(c->duration[i].over, want[i].over);
		ck_assert_uint_eq(c->duration[i].up_to, want[i].up_to);
		ck_assert_double_eq(c->duration[i].count, want[i].count);
		ck_assert_double_eq(c->duration[i].error, 0);
		ck_assert_double_eq_tol(c->duration[i].share, want[i].share, 1e-12);
		ck_assert_double_eq_tol(c->duration[i].shorter, want[i].shorter, 1e-12);
	}
	ck_assert_str_eq(c->duration[3].of, "pending");
	ck_assert(isnan(c->duration[3].share));
	ck_assert_double_eq_tol(metric_of(c, "latency.mean.least")->value, (60 + 30 * 11 + 10 * 41) / 100.0, 1e-9);
	ck_assert(isnan(metric_of(c, "latency.mean.most")->value));
	ck_assert(isnan(metric_of(c, "pending.mean.least")->value));
	chunk_feed_drop(&f);
}
END_TEST

/* Two estimates that contradict each other by chance: 80 are longer than 0, 100 longer than 4, in half of the time
 * each. */
START_TEST(a_share_is_no_more_than_all)
{
	struct chunk_feed f = feed_of(
		"format=counters\nsource=pmu\nmode=poll\ntick_hz=1000000\nturns=2\ncounters=2\n"
		"counter.0=x>0\ncounter.0.of=x\ncounter.0.over=0\ncounter.1=x>4\ncounter.1.of=x\ncounter.1.over=4\n",
		NULL);
	static const uint64_t counts[] = { 40, 50, 0 };
	struct chunk_bytes b = { .len = 0 };
	const struct pt_counters *c;

	for (unsigned ms = 0; ms < 4; ms++)
		turn(&f, &b, ms, counts, 1u << ms % 2);
	c = pt_pipeline_profile(f.pipeline)->counters;
	ck_assert_uint_eq(c->n_durations, 2);
	ck_assert_double_eq(c->duration[0].count, 0);
	ck_assert_double_eq_tol(c->duration[1].count, 200, 1e-9);
	ck_assert_double_eq_tol(c->duration[1].share, 1, 1e-12);
	ck_assert_double_eq_tol(c->duration[1].shorter, 1, 1e-12);
	chunk_feed_drop(&f);
}
END_TEST

/* What would have been counted all the time lies within the error in 95 of 100 runs, or thereabouts: runs of a program
 * whose rate is another in each turn, by chance. */
START_TEST(the_error_is_as_often_right_as_it_says)
{
	enum { RUNS = 100, RUN_TURNS = 40 };
	uint64_t random = 1;
	unsigned n_within = 0;

	for (unsigned run = 0; run < RUNS; run++) {
		struct chunk_feed f = feed_of(TURNS, NULL);
		struct chunk_bytes b = { .len = 0 };
		const struct pt_counter_row *c;
		double truth = 0;

		for (unsigned ms = 0; ms < RUN_TURNS; ms++) {
			uint64_t counts[3] = { 1000, 0, 0 };

			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			counts[1] = (random >> 33) % 1000;
			truth += (double)counts[1];
			turn(&f, &b, ms, counts, (random >> 60) % 2 == 0 ? 3 : 5);
		}
		c = &pt_pipeline_profile(f.pipeline)->counters->counter[1];
		if (strcmp(c->name, "COMPLETED_INSNS") != 0)
			c++;
		n_within += fabs(c->scaled - truth) <= c->scaled_error;
		chunk_feed_drop(&f);
	}
	ck_assert_msg(n_within >= RUNS * 9 / 10 && n_within < RUNS, "%u of %d", n_within, RUNS);
}
END_TEST

START_TEST(any_split_is_the_same)
{
	struct chunk_feed whole = feed_of(COUNTERS, "metric=x:instructions/cycles");
	struct chunk_feed split = feed_of(COUNTERS, "metric=x:instructions/cycles");
	struct chunk_bytes b = { .len = 0 };
	struct pt_text one = { 0 }, two = { 0 };

	for (unsigned i = 0; i < 300; i++)
		add_reading(&b, i * 17, i % 2, i * 3);
	chunk_put(&whole, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 0, 6000000, b.bytes, b.len);
	for (size_t at = 0, n; at < b.len; at += n) {
		n = (size_t)_i * 5 + 1 < b.len - at ? (size_t)_i * 5 + 1 : b.len - at;
		chunk_put(&split, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, at * 6000000 / b.len, (at + n) * 6000000 / b.len,
			  b.bytes + at, n);
	}
	ck_assert_str_eq(chunk_report(&whole, &one, "counters", "json"),
			 chunk_report(&split, &two, "counters", "json"));
	pt_text_free(&one);
	pt_text_free(&two);
	chunk_feed_drop(&whole);
	chunk_feed_drop(&split);
}
END_TEST

/* Two counters in one place, 1 ms each: loads count 100, 120, 110 in their turns, stores 10 a turn. Over 6 ms loads
 * would have been 660: the residuals of the turns are -10, 10, 0, so the ratio's error is sqrt(200 * 3 / 2 * (1 - 3 /
 * 6)) * 6 / 3 times 4.303 (t of 2 degrees). */
START_TEST(counters_that_take_turns)
{
	struct chunk_feed f = feed_of("format=counters\nsource=counters\ntick_hz=1000000\ncounters=3\ncounter.0=loads\n"
				      "counter.1=stores\ncounter.2=instructions\n",
				      "metric=ratio:stores/loads");
	static const uint64_t loads[] = { 100, 220, 330 };
	struct chunk_bytes b = { .len = 0 };
	const struct pt_counters *c;

	for (unsigned turn = 0; turn < 3; turn++) {
		add_reading(&b, turn * 2000, 2, turn * 2000);
		add_reading(&b, turn * 2000, 0 | PT_COUNTERS_RESUMES, turn == 0 ? 0 : loads[turn - 1]);
		add_reading(&b, turn * 2000 + 1000, 0, loads[turn]);
		add_reading(&b, turn * 2000 + 1000, 1 | PT_COUNTERS_RESUMES, turn * 10);
		add_reading(&b, turn * 2000 + 2000, 1, turn * 10 + 10);
	}
	add_reading(&b, 6000, 2, 6000);
	data(&f, 0, 6000000, &b);
	c = pt_pipeline_profile(f.pipeline)->counters;
	ck_assert(c->counter[1].shared && !c->counter[0].shared);
	ck_assert_uint_eq(c->counter[1].total, 330);
	ck_assert_double_eq_tol(c->counter[1].active, 0.5, 1e-9);
	ck_assert_double_eq_tol(c->counter[1].scaled, 660, 1e-6);
	ck_assert_double_eq_tol(c->counter[1].scaled_error, 4.303 * 2 * sqrt(150), 0.02);
	ck_assert_double_eq_tol(c->counter[2].scaled, 60, 1e-6);
	ck_assert_double_eq_tol(c->counter[2].scaled_error, 0, 1e-6);
	ck_assert(isnan(c->counter[0].scaled) && isnan(c->counter[0].scaled_error));
	ck_assert_double_eq_tol(c->metric[0].value, 30.0 / 330, 1e-9);
	ck_assert_str_eq(c->metric[1].name, "loads.share");	/* of 6000 instructions in all the time */
	ck_assert_double_eq_tol(c->metric[1].value, 660.0 / 6000, 1e-9);
	chunk_feed_drop(&f);
}
END_TEST

/* Latencies 10, 20, 30: 3 of them, 60 in all, 1400 squared. */
START_TEST(latencies)
{
	struct chunk_feed f =
		feed_of("format=counters\nsource=counters\ntick_hz=1000000\ncounters=5\ncounter.0=irq.n\n"
			"counter.1=irq.sum\ncounter.2=irq.squares\ncounter.3=irq.min\ncounter.3.kind=least\n"
			"counter.4=irq.max\ncounter.4.kind=most\n",
			NULL);
	static const uint64_t last[] = { 3, 60, 1400, 10, 30 };
	struct chunk_bytes b = { .len = 0 };
	struct pt_text text = { 0 };
	const struct pt_counters *c;

	for (unsigned i = 0; i < 5; i++)
		add_reading(&b, 0, i, i < 3 ? 0 : 25);
	for (unsigned i = 0; i < 5; i++)
		add_reading(&b, 1000, i, last[i]);
	data(&f, 0, 1000000, &b);
	c = pt_pipeline_profile(f.pipeline)->counters;
	ck_assert_uint_eq(c->n_metrics, 2);
	ck_assert_str_eq(c->metric[0].name, "irq.mean");
	ck_assert_double_eq_tol(c->metric[0].value, 20, 1e-9);
	ck_assert_str_eq(c->metric[1].name, "irq.sigma");
	ck_assert_double_eq_tol(c->metric[1].value, sqrt(1400.0 / 3 - 400), 1e-6);
	ck_assert(c->counter[3].is_value && c->counter[4].is_value);
	ck_assert_uint_eq(c->counter[3].value, 10);
	ck_assert_uint_eq(c->counter[4].value, 30);
	chunk_report(&f, &text, "counters", "csv");
	ck_assert_msg(strstr(text.bytes, "\"irq.min\",,2,0,,,,,10,") != NULL, "%s", text.bytes);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

#define TABLE \
	"counter       count  readings  per s per s min per s max  last\n" \
	"cycles         1500         3   750k      500k     1.00M  500k\n" \
	"instructions    200         3   100k      100k      100k  100k\n" \
	"\n" \
	"figure  last  value  least  most  formula\n" \
	"IPC      0.2  0.133    0.1   0.2  instructions/cycles\n" \
	"CPI        5    7.5      5    10  cycles/instructions\n"

START_TEST(the_table)
{
	struct chunk_feed f = feed_of(COUNTERS, "metric=IPC:instructions/cycles");
	struct pt_text text = { 0 }, csv = { 0 };

	readings(&f);
	chunk_report(&f, &text, "counters", "text");
	ck_assert_msg(strstr(text.bytes, TABLE) != NULL, "%s", text.bytes);
	chunk_report(&f, &csv, "series", "csv");
	ck_assert_msg(strstr(csv.bytes, "\"cycles\",\"per s\",0,4096,1,1000000,1000000,1000000,1000000,1000000,\r\n") !=
			      NULL,
		      "%s", csv.bytes);
	ck_assert_ptr_nonnull(strstr(csv.bytes, "\"IPC\",,0,4096,1,0.1,0.1,0.1,0.1,0.1,\r\n"));
	pt_text_free(&text);
	pt_text_free(&csv);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(more_counters_than_fit)
{
	enum { EACH = 40, N = PT_COUNTERS_MAX / EACH + 2 };
	struct chunk_feed f = feed_of("format=counters\nsource=a\n", NULL);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_counters *c;

	for (unsigned s = 0; s < N; s++) {
		if (s > 0)
			chunk_config(&f, s, "format=counters\nsource=b\n");
		for (unsigned i = 0; i < EACH; i++)
			add_reading(&b, i, i, 0);
		chunk_put(&f, s, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 0, 1000000, b.bytes, b.len);
		b.len = 0;
	}
	for (unsigned s = 0; s < N; s++)
		chunk_end(&f, s, 1000000);
	c = pt_pipeline_profile(f.pipeline)->counters;
	ck_assert_uint_eq(c->n_counters, PT_COUNTERS_MAX);
	ck_assert_uint_eq(c->refused, N * EACH - PT_COUNTERS_MAX);
	ck_assert_str_eq(c->counter[3].name, "counter 3");
	chunk_feed_drop(&f);
}
END_TEST

/* --- formulas */

static double value_of(void *arg, const char *name)
{
	(void)arg;
	return strcmp(name, "a") == 0 ? 3 : strcmp(name, "b.c") == 0 ? 4 : strcmp(name, "with blank") == 0 ? 5 : NAN;
}

static const struct { const char *text; double value; } formulas[] = {
	{ "a", 3 }, { "a+b.c*2", 11 }, { "(a + b.c) * 2", 14 }, { "a-b.c-1", -2 }, { "12/a/2", 2 }, { "-a*-2", 6 },
	{ "1.5e2", 150 }, { "'with blank'+1", 6 }, { "a/0", NAN }, { "x", NAN }, { "a*x", NAN }, { "--a", 3 },
	{ "sqrt(a*12)", 6 }, { "2*sqrt(b.c)+1", 5 }, { "sqrt(1-a)", NAN }, { "sqrt", NAN },
};

START_TEST(formulas_have_values)
{
	struct pt_formula f;
	struct pt_err err = { 0 };
	double got;

	ck_assert_msg(pt_formula_parse(&f, formulas[_i].text, &err) == 0, "%s", err.msg);
	got = pt_formula_value(&f, value_of, NULL);
	if (isnan(formulas[_i].value))
		ck_assert_msg(isnan(got), "%s: %g", formulas[_i].text, got);
	else
		ck_assert_msg(got == formulas[_i].value, "%s: %g", formulas[_i].text, got);
}
END_TEST

static const struct { const char *text, *want; } wrong[] = {
	{ "", "no name" }, { "a+", "no name" }, { "(a", "a ) is missing" }, { "a b", "should end" },
	{ "1x", "no number" },
	{ "'a", "no name" }, { "a_name_that_is_longer_than_any_counter_has", "no name" },
	{ "((((((((((((((((((((((((((((((((((((((((a", "too many parentheses" },
	{ "--------------------------------------a", "too many parentheses" },
	{ "a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a", "too long" },
};

START_TEST(wrong_formulas_are_told)
{
	struct pt_formula f;
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_formula_parse(&f, wrong[_i].text, &err), PT_EARG);
	ck_assert_msg(strstr(err.msg, wrong[_i].want) != NULL, "%s", err.msg);
}
END_TEST

START_TEST(a_wrong_metric)
{
	struct pt_params *params = pt_params_new();
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_pipeline_add(params, "metric=IPC:instructions/", &err), 0);
	ck_assert_ptr_null(pt_pipeline_new(NULL, params, &err));
	ck_assert_msg(strstr(err.msg, "metric IPC") != NULL, "%s", err.msg);
	pt_params_free(params);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("counters");
	TCase *tc = tcase_create("counters");

	tcase_set_timeout(tc, 120);	/* a hundred pipelines, with a sanitizer */
	tcase_add_test(tc, totals_and_rates);
	tcase_add_test(tc, rates_have_the_error_of_their_ends);
	tcase_add_test(tc, readings_without_a_stamp_are_between_others);
	tcase_add_test(tc, a_count_with_limits_is_not_exact);
	tcase_add_test(tc, no_longer_than_from_end_to_end);
	tcase_add_test(tc, a_reading_that_comes_early);
	tcase_add_test(tc, metrics_over_time);
	tcase_add_test(tc, a_gap_is_not_counted);
	tcase_add_test(tc, a_counter_that_may_have_lapped);
	tcase_add_loop_test(tc, a_clock_that_is_too_slow_is_noticed, 0, PT_LEN(clocks));
	tcase_add_loop_test(tc, a_counter_that_begins_anew, 0, PT_LEN(restarts));
	tcase_add_test(tc, figures_of_turns_are_of_one_time);
	tcase_add_test(tc, thresholds_make_durations);
	tcase_add_test(tc, the_error_is_as_often_right_as_it_says);
	tcase_add_test(tc, a_share_is_no_more_than_all);
	tcase_add_loop_test(tc, any_split_is_the_same, 0, 12);
	tcase_add_test(tc, the_table);
	tcase_add_test(tc, counters_that_take_turns);
	tcase_add_test(tc, latencies);
	tcase_add_test(tc, more_counters_than_fit);
	tcase_add_loop_test(tc, formulas_have_values, 0, PT_LEN(formulas));
	tcase_add_loop_test(tc, wrong_formulas_are_told, 0, PT_LEN(wrong));
	tcase_add_test(tc, a_wrong_metric);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
