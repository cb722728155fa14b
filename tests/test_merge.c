/* Clocks and the order of several sources: drifting clocks, anchors and errors, computed by hand. */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "profile/flow/merge.h"

/* --- clocks */

static const struct pt_anchor two[] = { { 1000, 2000000, 50 }, { 3000, 4002000, 150 } };	/* 1001 ns a tick */

static const struct {
	const char *name;
	uint64_t hz, ppm;
	unsigned n_anchors;
	uint64_t ticks, ns, error_ns;
	bool settled;
} clocks[] = {
	{ "no anchor", 1000000, 100, 0, 1000, PT_UNKNOWN, 0, false },
	{ "at the only one", 1000000, 100, 1, 1000, 2000000, 50, true },
	{ "behind it, nominal: 1000 us and 100 ppm of that", 1000000, 100, 1, 2000, 3000000, 50 + 100, false },
	{ "before it, nominal", 1000000, 100, 1, 500, 1500000, 50 + 50, true },
	{ "long before it", 1000, 100, 1, 500, 0, 50 + 50000, true },
	{ "behind it without a rate", 0, 100, 1, 2000, PT_UNKNOWN, 0, false },
	{ "halfway", 1000000, 100, 2, 2000, 3001000, 150, true },
	{ "at the second", 0, 0, 2, 3000, 4002000, 150, true },
	{ "behind both: 1001 ns a tick, 200 ns in 2002000 wrong", 1000000, 100, 2, 5000, 6004000, 150 + 200, false },
	{ "before both, nominal", 1000000, 0, 2, 900, 1900000, 50, true },
	{ "before both, their rate", 0, 0, 2, 900, 1899900, 50 + 10, true },
};

START_TEST(clock_case)
{
	struct pt_clock c = pt_clock_of(clocks[_i].hz, clocks[_i].ppm);
	struct pt_timestamp at;

	for (unsigned i = 0; i < clocks[_i].n_anchors; i++)
		pt_clock_anchor(&c, two[i].ticks, two[i].ns, two[i].error_ns);
	at = pt_clock_at(&c, clocks[_i].ticks);
	ck_assert_msg(at.ns == clocks[_i].ns && at.error_ns == clocks[_i].error_ns, "%s: %llu +- %llu", clocks[_i].name,
		      (unsigned long long)at.ns, (unsigned long long)at.error_ns);
	ck_assert_msg(pt_clock_settled(&c, clocks[_i].ticks) == clocks[_i].settled, "%s", clocks[_i].name);
}
END_TEST

START_TEST(a_guess_gives_way)
{
	struct pt_clock c = pt_clock_of(1000000, 0);

	pt_clock_guess(&c, 500, 1000, 9000);
	ck_assert_uint_eq(pt_clock_at(&c, 501).ns, 2000);
	ck_assert_uint_eq(pt_clock_at(&c, 501).error_ns, 8000);
	ck_assert(!pt_clock_settled(&c, 500));
	pt_clock_guess(&c, 0, 0, 0);
	ck_assert_uint_eq(pt_clock_at(&c, 501).ns, 2000);
	pt_clock_anchor(&c, 500, 4000, 1);
	ck_assert_uint_eq(pt_clock_at(&c, 501).ns, 5000);
	ck_assert_uint_eq(pt_clock_at(&c, 501).error_ns, 1);
}
END_TEST

START_TEST(a_clock_that_starts_anew)
{
	struct pt_clock c = pt_clock_of(1000000000, 0);

	pt_clock_anchor(&c, 1000, 1000, 0);
	pt_clock_anchor(&c, 2000, 2000, 0);
	pt_clock_anchor(&c, 10, 5000, 0);
	ck_assert_uint_eq(c.n_anchors, 1);
	ck_assert_uint_eq(pt_clock_at(&c, 20).ns, 5010);
}
END_TEST

/* More anchors than are kept: old ticks are guessed backwards from the oldest, no number runs over. */
START_TEST(many_anchors)
{
	struct pt_clock c = pt_clock_of(0, 0);

	for (uint64_t i = 0; i < 100; i++)
		pt_clock_anchor(&c, i * 10, i * 1000, 1);
	ck_assert_uint_eq(c.n_anchors, PT_CLOCK_ANCHORS);
	ck_assert_uint_eq(pt_clock_at(&c, 985).ns, 98500);
	ck_assert_uint_eq(pt_clock_at(&c, 5).ns, 500);
	ck_assert_uint_eq(pt_clock_at(&c, UINT64_MAX - 1).ns, PT_UNKNOWN);	/* in 58000 years */
	ck_assert_uint_le(pt_clock_at(&c, UINT64_MAX / 200).error_ns, PT_NO_BOUND_NS);
}
END_TEST

/* --- merge */

static struct pt_event stamped(unsigned lane, uint64_t ticks)
{
	return (struct pt_event){ .kind = PT_EV_VALUE, .source = (uint16_t)lane, .ticks = ticks };
}

static void put(struct pt_merge *m, unsigned lane, uint64_t ticks)
{
	struct pt_event e = stamped(lane, ticks);

	pt_merge_put(m, lane, &e, 1);
}

/* All that can be told, as "lane:ns " */
static const char *taken(struct pt_merge *m)
{
	static char text[4000];
	struct pt_event event[3];
	struct pt_timestamp at[3];
	size_t lane, n, len = 0;

	text[0] = '\0';
	while ((n = pt_merge_take(m, &lane, event, at, PT_LEN(event))) > 0)
		for (size_t i = 0; i < n; i++) {
			ck_assert_uint_eq(event[i].source, lane);
			if (event[i].kind >= PT_MERGE_REMARK)
				len += (size_t)snprintf(text + len, sizeof(text) - len, "%zu! ", lane);
			else
				len += (size_t)snprintf(text + len, sizeof(text) - len, "%zu:%llu ", lane,
							(unsigned long long)at[i].ns);
			ck_assert_uint_lt(len, sizeof(text));
		}
	return text;
}

static struct pt_merge *two_lanes(uint64_t hz)
{
	struct pt_merge *m = pt_merge_new();
	struct pt_clock clock = pt_clock_of(hz, 0);

	pt_merge_open(m, 0, &clock, 0);
	pt_merge_open(m, 1, &clock, 0);
	return m;
}

/* 1 GHz clocks with an anchor each: the second started 100 ns later. */
START_TEST(by_time)
{
	struct pt_merge *m = two_lanes(1000000000);

	pt_merge_anchor(m, 0, 0, 0, 0);
	pt_merge_anchor(m, 1, 0, 100, 0);
	put(m, 0, 50), put(m, 0, 150), put(m, 0, 250);
	pt_merge_span(m, 0, 0, 300);
	pt_merge_anchor(m, 0, 300, 300, 0);
	ck_assert_str_eq(taken(m), "");		/* the other one may have something earlier */
	put(m, 1, 10), put(m, 1, 60);
	pt_merge_span(m, 1, 0, 200);
	pt_merge_anchor(m, 1, 100, 200, 0);
	ck_assert_str_eq(taken(m), "0:50 1:110 0:150 1:160 ");
	pt_merge_end(m, 1);
	ck_assert_str_eq(taken(m), "0:250 ");
	ck_assert_uint_eq(pt_merge_late(m), 0);
	pt_merge_free(m);
}
END_TEST

/* The second clock runs 1 % slow. What lies between two anchors is known when the second has come. */
START_TEST(drifting_clocks)
{
	struct pt_merge *m = two_lanes(1000000);

	pt_merge_anchor(m, 0, 0, 0, 0);
	pt_merge_anchor(m, 1, 0, 0, 0);
	put(m, 0, 500), put(m, 0, 502);
	put(m, 1, 495), put(m, 1, 500);
	pt_merge_span(m, 0, 0, 1000000);
	pt_merge_span(m, 1, 0, 1000000);
	ck_assert_str_eq(taken(m), "");
	pt_merge_anchor(m, 0, 1000, 1000000, 10);
	ck_assert_str_eq(taken(m), "");
	pt_merge_anchor(m, 1, 990, 1000000, 10);
	ck_assert_str_eq(taken(m), "0:500000 1:500000 0:502000 1:505050 ");
	pt_merge_free(m);
}
END_TEST

/* Without stamps: spread over the span, with the error that this has. */
START_TEST(without_stamps)
{
	struct pt_merge *m = two_lanes(0);
	struct pt_event event[4];
	struct pt_timestamp at[4];
	size_t lane;

	for (int i = 0; i < 4; i++)
		put(m, 0, PT_UNKNOWN);
	pt_merge_span(m, 0, 1000, 2000);
	pt_merge_end(m, 1);
	ck_assert_uint_eq(pt_merge_take(m, &lane, event, at, 4), 4);
	ck_assert_uint_eq(at[0].ns, 1000);
	ck_assert_uint_eq(at[0].error_ns, 1000);
	ck_assert_uint_eq(at[1].ns, 1250);
	ck_assert_uint_eq(at[1].error_ns, 750);
	ck_assert_uint_eq(at[3].ns, 1750);
	ck_assert_uint_eq(at[3].error_ns, 750);
	pt_merge_free(m);
}
END_TEST

/* A remark comes out behind what is before it and is not waited for. */
START_TEST(remarks_stand_where_they_stood)
{
	struct pt_merge *m = two_lanes(1000000000);
	struct pt_event remark = { .kind = PT_MERGE_REMARK + 1, .ticks = 7, .source = 0 };

	pt_merge_put(m, 0, &remark, 1);
	put(m, 0, 10);
	pt_merge_put(m, 0, &remark, 1);
	put(m, 0, 20);
	pt_merge_span(m, 0, 10, 30);
	ck_assert_str_eq(taken(m), "0! ");
	pt_merge_span(m, 1, 0, 15);
	ck_assert_str_eq(taken(m), "0:10 0! ");
	pt_merge_end(m, 1);
	ck_assert_str_eq(taken(m), "0:20 ");
	pt_merge_free(m);
}
END_TEST

/* A source that says nothing is waited for so long; what it brings then is late, and counted where the clocks tell. */
START_TEST(silence_does_not_block)
{
	struct pt_merge *m = two_lanes(1000000000);

	put(m, 0, 10);
	pt_merge_span(m, 0, 10, 20);
	ck_assert_str_eq(taken(m), "");
	put(m, 0, 40);
	pt_merge_span(m, 0, 20, PT_MERGE_WAIT_NS);
	ck_assert_str_eq(taken(m), "0:10 0:40 ");
	pt_merge_anchor(m, 1, 0, 0, 3);
	put(m, 1, 5);
	pt_merge_span(m, 1, 0, 100);
	pt_merge_end(m, 1);
	ck_assert_str_eq(taken(m), "1:5 ");
	ck_assert_uint_eq(pt_merge_late(m), 1);		/* 5 +- 3 against 40 +- 10 */
	pt_merge_free(m);
}
END_TEST

/* Waiting for an anchor that does not come ends, too, be it the other one's time that shows it. */
START_TEST(an_anchor_that_never_comes)
{
	struct pt_merge *m = two_lanes(1000000000);

	pt_merge_anchor(m, 0, 0, 0, 0);
	put(m, 0, 10);
	pt_merge_span(m, 0, 0, 20);
	put(m, 1, 500);
	pt_merge_span(m, 1, 500, 600);
	ck_assert_str_eq(taken(m), "");
	pt_merge_span(m, 1, 600, PT_MERGE_WAIT_NS + 20);
	ck_assert_str_eq(taken(m), "0:10 1:500 ");
	pt_merge_free(m);
}
END_TEST

/* Stamps that go back do not turn the order of a source around. */
START_TEST(stamps_that_go_back)
{
	struct pt_merge *m = two_lanes(1000000000);
	struct pt_event event[2];
	struct pt_timestamp at[2];
	size_t lane;

	pt_merge_anchor(m, 0, 0, 0, 0);
	put(m, 0, 100), put(m, 0, 90);
	pt_merge_span(m, 0, 0, 200);
	pt_merge_end(m, 0);
	pt_merge_end(m, 1);
	ck_assert_uint_eq(pt_merge_take(m, &lane, event, at, 2), 2);
	ck_assert_uint_eq(event[0].ticks, 100);
	ck_assert_uint_eq(event[1].ticks, 90);
	ck_assert_uint_eq(at[1].ns, 100);
	ck_assert_uint_eq(at[1].error_ns, 10);
	pt_merge_free(m);
}
END_TEST

/* A source that floods while the other sleeps: memory stays bounded, and nothing is lost. */
START_TEST(a_flood)
{
	struct pt_merge *m = two_lanes(1000000000);
	struct pt_event event[256];
	struct pt_timestamp at[256];
	size_t lane, n, held = 0, most = 0, out = 0;

	for (uint64_t i = 0; i < 3 * PT_MERGE_EVENTS; i++) {
		put(m, 0, i);
		held++;
		if (i % 1000 == 0) {
			pt_merge_span(m, 0, i, i + 1);
			while ((n = pt_merge_take(m, &lane, event, at, 256)) > 0) {
				ck_assert_uint_eq(event[0].ticks, out);
				out += n;
				held -= n;
			}
		}
		most = held > most ? held : most;
	}
	ck_assert_uint_le(most, PT_MERGE_EVENTS + 2000);
	pt_merge_end(m, 0);
	pt_merge_end(m, 1);
	while ((n = pt_merge_take(m, &lane, event, at, 256)) > 0)
		out += n;
	ck_assert_uint_eq(out, 3 * PT_MERGE_EVENTS);
	pt_merge_free(m);
}
END_TEST

static uint32_t dice(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*seed >> 33);
}

/* Whatever comes: each source's events come out in its order, all of them, and time does not go back in a source. */
START_TEST(any_order_keeps_each_sources_own)
{
	struct pt_merge *m = pt_merge_new();
	uint64_t seed = (uint64_t)_i + 1, in[4] = { 0 }, out[4] = { 0 }, upto[4] = { 0 }, last[4] = { 0 };
	struct pt_event event[7];
	struct pt_timestamp at[7];
	size_t lane, n;

	for (unsigned l = 0; l < 4; l++) {
		struct pt_clock clock = pt_clock_of(l == 3 ? 0 : 1000000 * (l + 1), 100);

		pt_merge_open(m, l, &clock, 0);
	}
	for (int i = 0; i < 20000; i++) {
		unsigned l = dice(&seed) % 4, what = dice(&seed) % 100;
		struct pt_event e = { .kind = PT_EV_VALUE, .source = (uint16_t)l, .ticks = PT_UNKNOWN };

		e.value.value = in[l];
		if (what < 60)
			e.ticks = l == 2		    ? PT_UNKNOWN
				  : dice(&seed) % 1000 == 0 ? dice(&seed)
							    : upto[l] / 1000 * (l + 1);
		if (what < 70) {
			in[l]++;
			pt_merge_put(m, l, &e, 1);
		} else if (what < 96) {
			pt_merge_span(m, l, upto[l], upto[l] + dice(&seed) % 100000000);
			upto[l] += dice(&seed) % 100000000;
		} else if (what < 99) {
			pt_merge_anchor(m, l, upto[l] / 1000 * (l + 1), upto[l], dice(&seed) % 1000);
		} else {
			pt_merge_end(m, l);
		}
		while (dice(&seed) % 8 != 0 && (n = pt_merge_take(m, &lane, event, at, 7)) > 0)
			for (size_t k = 0; k < n; k++) {
				ck_assert_uint_eq(event[k].value.value, out[lane]++);
				ck_assert_uint_ge(at[k].ns, last[lane]);
				last[lane] = at[k].ns;
			}
	}
	for (size_t l = 0; l < 4; l++)
		pt_merge_end(m, l);
	while ((n = pt_merge_take(m, &lane, event, at, 7)) > 0)
		for (size_t k = 0; k < n; k++)
			ck_assert_uint_eq(event[k].value.value, out[lane]++);
	for (size_t l = 0; l < 4; l++)
		ck_assert_uint_eq(in[l], out[l]);
	pt_merge_free(m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merge");
	TCase *tc = tcase_create("merge");

	tcase_set_timeout(tc, 0);
	tcase_add_loop_test(tc, clock_case, 0, PT_LEN(clocks));
	tcase_add_test(tc, a_guess_gives_way);
	tcase_add_test(tc, a_clock_that_starts_anew);
	tcase_add_test(tc, many_anchors);
	tcase_add_test(tc, by_time);
	tcase_add_test(tc, drifting_clocks);
	tcase_add_test(tc, without_stamps);
	tcase_add_test(tc, remarks_stand_where_they_stood);
	tcase_add_test(tc, silence_does_not_block);
	tcase_add_test(tc, an_anchor_that_never_comes);
	tcase_add_test(tc, stamps_that_go_back);
	tcase_add_test(tc, a_flood);
	tcase_add_loop_test(tc, any_order_keeps_each_sources_own, 0, 10);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
