/* Lengths from the stamps of an ITM, through the whole pipeline: they are those of the core's clock, whatever the probe's clock makes
 * of it, and however the stream is cut into chunks. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pipeline/pipeline.h"
#include "profile/analyses/calls/spans.h"
#include "profile/analyses/signals/data.h"
#include "profile/analyses/signals/exceptions.h"
#include "profile/result/profile.h"
#include "report/views/views.h"
#include "trace/formats.h"
#include "trace/loss.h"

enum { HZ = 25000000, NS = 40, ROUNDS = 200, STEP = 5000 };	/* cycles from event to event */

static struct pt_pipeline *pipeline;
static struct pt_chunk *chunk;
static uint64_t now_ns;

static void put(unsigned kind, uint64_t ns, const void *bytes, size_t len_bytes)
{
	*chunk = (struct pt_chunk){ .from_ns = now_ns, .to_ns = now_ns + ns, .kind = (uint16_t)kind,
				    .len_bytes = (uint32_t)len_bytes };
	if (len_bytes > 0)
		memcpy(chunk->bytes, bytes, len_bytes);
	now_ns += ns;
	pt_pipeline_feed(pipeline, chunk);
}

static void open_pipeline(void)
{
	static const char config[] = "format=itm\nsource=swo\nmode=stream\naligned=1\ntick_hz=25000000\n";
	struct pt_params *params = pt_params_new();
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_pipeline_add(params, "signal=port.2:nested", &err), 0);
	ck_assert_int_eq(pt_pipeline_add(params, "variables=port.1:state", &err), 0);
	pipeline = pt_pipeline_new(NULL, params, &err);
	ck_assert_msg(pipeline != NULL, "%s", err.msg);
	pt_params_free(params);
	chunk = malloc(sizeof(*chunk) + PT_CHUNK_BYTES);
	now_ns = 0;
	put(PT_CHUNK_CONFIG, 0, config, strlen(config));
}

static void close_pipeline(void)
{
	pt_pipeline_free(pipeline);
	free(chunk);
}

/* The probe's clock is `ppm` slow against the core's. */
static void put_anchor(uint64_t ticks, uint64_t ppm)
{
	uint8_t bytes[PT_CLOCK_BYTES];

	pt_put_le64(bytes + PT_CLOCK_TICKS, ticks);
	pt_put_le64(bytes + PT_CLOCK_NS, ticks * NS + ticks * NS * ppm / 1000000);
	pt_put_le64(bytes + PT_CLOCK_ERROR_NS, 1000);
	put(PT_CHUNK_CLOCK, 0, bytes, sizeof(bytes));
}

/* A packet, and the stamp of STEP cycles behind it. */
static size_t add(uint8_t *bytes, const uint8_t *packet, size_t n)
{
	memcpy(bytes, packet, n);
	bytes[n] = 0xc0;
	bytes[n + 1] = (STEP & 0x7f) | 0x80;
	bytes[n + 2] = STEP >> 7;
	return n + 3;
}

/* In each round two spans, one inside the other, two states and an exception; all of a chunk's packets but some are still held
 * when it ends. */
static void run_rounds(unsigned rounds, uint64_t ppm)
{
	static const struct { uint8_t bytes[3], n; } packets[] = {
		{ { 0x11, 0x07 }, 2 }, { { 0x11, 0x09 }, 2 }, { { 0x09, 1 }, 2 }, { { 0x11, 0x06 }, 2 }, { { 0x09, 2 }, 2 },
		{ { 0x0e, 0x0f, 0x10 }, 3 }, { { 0x0e, 0x0f, 0x20 }, 3 }, { { 0x11, 0x00 }, 2 },
	};
	uint64_t ticks = 0;

	for (unsigned round = 0; round < rounds; round++) {
		uint8_t bytes[64];
		size_t n = 0;

		for (size_t i = 0; i < PT_LEN(packets); i++) {
			n += add(bytes + n, packets[i].bytes, packets[i].n);
			ticks += STEP;
		}
		put_anchor(ticks, round % 2 == 0 ? ppm : 0);
		put(PT_CHUNK_DATA, STEP * PT_LEN(packets) * NS, bytes, n);
	}
}

static void expect(const struct pt_stat *stat, uint64_t n, uint64_t steps)
{
	ck_assert_uint_eq(stat->n, n);
	ck_assert_uint_eq(stat->min, steps * STEP * NS);
	ck_assert_uint_eq(stat->max, steps * STEP * NS);
}

START_TEST(lengths_are_of_the_cores_clock)
{
	static const unsigned ppm[] = { 0, 100 };
	const struct pt_profile *p;

	open_pipeline();
	run_rounds(ROUNDS, ppm[_i]);
	put(PT_CHUNK_END, 0, NULL, 0);
	p = pt_pipeline_profile(pipeline);
	ck_assert_uint_eq(p->signalled->n_spans, 2);
	for (size_t i = 0; i < 2; i++) {
		expect(&p->signalled->span[i].run.stat[PT_TALLY_GROSS], ROUNDS, i == 0 ? 7 : 2);
		expect(&p->signalled->span[i].run.stat[PT_TALLY_PERIOD], ROUNDS - 1, 8);
		ck_assert_uint_eq(p->signalled->span[i].run.partial, 0);
	}
	ck_assert_uint_eq(p->exceptions->spans.n_spans, 1);
	expect(&p->exceptions->spans.span[0].run.stat[PT_TALLY_NET], ROUNDS, 1);
	expect(&p->exceptions->spans.span[0].run.stat[PT_TALLY_PERIOD], ROUNDS - 1, 8);
	ck_assert_uint_eq(p->data->n_states, 2);
	expect(&p->data->state[0].duration, ROUNDS, 2);
	expect(&p->data->state[1].duration, ROUNDS - 1, 6);
	close_pipeline();
}
END_TEST

/* Exceptions are turned off first: what the program writes to its ports after the end of the last chunk says nothing of them. */
START_TEST(silence_ends_with_the_chunk)
{
	static const uint8_t write[] = { 0x09, 3 };
	const struct pt_stat *period;
	uint8_t bytes[200];
	size_t n = 0;

	open_pipeline();
	run_rounds(10, 0);	/* the last entry: 3 steps before the end */
	for (size_t i = 0; i < 30; i++)
		n += add(bytes + n, write, sizeof(write));
	put(PT_CHUNK_DATA, 5 * STEP * NS, bytes, n);
	put(PT_CHUNK_END, 0, NULL, 0);
	period = &pt_pipeline_profile(pipeline)->exceptions->spans.span[0].run.stat[PT_TALLY_PERIOD];
	ck_assert_uint_ge(period->unended, 7 * STEP * NS - 1000);	/* its error */
	ck_assert_uint_le(period->unended, 8 * STEP * NS);
	close_pipeline();
}
END_TEST

/* The probe dropped some, and does not say how many bytes. */
START_TEST(what_was_lost_bounds_what_came)
{
	const struct pt_view *exceptions = pt_view_find("exceptions"), *gaps = pt_view_find("gaps");
	struct pt_value row[80];
	const struct pt_profile *p;

	open_pipeline();
	run_rounds(10, 0);
	*chunk = (struct pt_chunk){ .from_ns = now_ns, .to_ns = 2 * now_ns, .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_PIN,
				    .lost_bytes = PT_UNKNOWN };
	now_ns *= 2;
	pt_pipeline_feed(pipeline, chunk);
	put(PT_CHUNK_END, 0, NULL, 0);
	p = pt_pipeline_profile(pipeline);
	exceptions->row(p, 0, row);
	ck_assert(row[1].at_least && row[1].u == 10);
	ck_assert(row[4].at_least);
	ck_assert_double_eq_tol(row[4].f, 1.0 / 16, 1e-6);	/* a step of eight, of half of the time */
	gaps->row(p, 0, row);
	ck_assert(!row[3].at_least && row[3].u == PT_UNKNOWN);	/* at least 0 bytes says nothing */
	ck_assert_uint_gt(p->data->lost, 0);
	ck_assert_uint_gt(p->signalled->lost, 0);
	close_pipeline();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("itm times");
	TCase *tc = tcase_create("lengths");

	tcase_add_loop_test(tc, lengths_are_of_the_cores_clock, 0, 2);
	tcase_add_test(tc, what_was_lost_bounds_what_came);
	tcase_add_test(tc, silence_ends_with_the_chunk);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
