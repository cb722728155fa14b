/* Hand-computed statistics. */
#include <math.h>
#include <stdlib.h>

#include "harness.h"
#include "profile/stats/stat.h"
#include "profile/stack/tally.h"

START_TEST(least_most_and_average_with_their_moments)
{
	static const uint64_t values[] = { 7, 3, 9, 3, 9 };
	struct pt_stat stat = pt_stat_empty();

	for (size_t i = 0; i < PT_LEN(values); i++)
		pt_stat_add(&stat, values[i], 100 + i);
	ck_assert_uint_eq(stat.n, 5);
	ck_assert_uint_eq(stat.total, 31);
	ck_assert_uint_eq(stat.min, 3);
	ck_assert_uint_eq(stat.min_at, 101);
	ck_assert_uint_eq(stat.max, 9);
	ck_assert_uint_eq(stat.max_at, 102);
	ck_assert_double_eq_tol(pt_stat_avg(&stat), 6.2, 1e-9);
	ck_assert_uint_eq(pt_stat_quantile(&stat, 0.5), PT_UNKNOWN);
}
END_TEST

/* The longest of all may be the one without an end: then it is a lower bound, and as long as is sure. */
static const struct { uint64_t max, unended, error, longest; bool bound; } longest[] = {
	{ 9, 0, 0, 9, false }, { 9, 8, 0, 9, false }, { 9, 9, 0, 9, false }, { 9, 10, 0, 10, true },
	{ 0, 10, 0, 10, true }, { 0, 0, 0, 0, false },
	{ 9, 5, 2, 7, false },	/* 3 to 7 was seen of it, and the whole one took 7 to 11 */
	{ 9, 10, 2, 8, true },
	{ 9, 12, 10, 2, true },
};

START_TEST(the_longest_with_an_end_or_without)
{
	struct pt_stat stat = pt_stat_empty();

	if (longest[_i].max > 0)
		pt_stat_add(&stat, longest[_i].max, 0);
	pt_stat_add_unended(&stat, longest[_i].unended, longest[_i].error);
	ck_assert(pt_stat_longest_is_bound(&stat, longest[_i].error) == longest[_i].bound);
	ck_assert_uint_eq(pt_stat_longest(&stat, longest[_i].error), longest[_i].longest);
}
END_TEST

/* As p90 is explained: nine of ten are no longer. Of two, the shorter one alone is half. */
START_TEST(a_quantile_of_few)
{
	struct pt_hist hist = { 0 };
	struct pt_stat stat = pt_stat_empty();

	stat.hist = &hist;
	pt_stat_add(&stat, 30, 0);
	pt_stat_add(&stat, 61, 1);
	ck_assert_uint_eq(pt_stat_quantile(&stat, 0.5), 30);
	ck_assert_uint_eq(pt_stat_quantile(&stat, 0.9), 61);
	ck_assert_uint_eq(pt_stat_quantile(&stat, 0.99), 61);
	pt_hist_fini(&hist);
}
END_TEST

START_TEST(a_zero_is_a_value)
{
	struct pt_stat stat = pt_stat_empty();

	ck_assert_double_eq(pt_stat_avg(&stat), 0);
	pt_stat_add(&stat, 0, 5);
	ck_assert_uint_eq(stat.min, 0);
	ck_assert_uint_eq(stat.max, 0);
	ck_assert_uint_eq(stat.max_at, 5);
}
END_TEST

static const struct { uint64_t value; size_t bucket; } buckets[] = {
	{ 0, 0 }, { 1, 1 }, { 31, 31 }, { 32, 32 }, { 63, 63 }, { 64, 64 }, { 65, 64 }, { 66, 65 }, { 127, 95 },
	{ 128, 96 },
	{ 131, 96 }, { 132, 97 }, { UINT64_C(1) << 40, (40 - 4) * 32 }, { (UINT64_C(1) << 40) - 1, (40 - 4) * 32 - 1 },
	{ UINT64_MAX, PT_HIST_BUCKETS - 1 },
};

START_TEST(bucket_of_a_value)
{
	ck_assert_uint_eq(pt_hist_index(buckets[_i].value), buckets[_i].bucket);
}
END_TEST

/* Distributions that are hard on a histogram: wide, narrow, with steps just at a quantile, and far apart. */
static uint64_t even(uint64_t i) { return 100 + i; }
static uint64_t small(uint64_t i) { return i % 16; }
static uint64_t wide(uint64_t i) { return UINT64_C(1) << i * 62 / 9999; }
static uint64_t one_value(uint64_t i) { (void)i; return 12345; }
static uint64_t two_values(uint64_t i) { return i % 2 != 0 ? 1000 : 1001; }
static uint64_t cliff(uint64_t i) { return i < 8999 ? 10 : i < 9899 ? 1000003 : UINT64_C(77) << 33; }
static uint64_t tail(uint64_t i) { return 1000000 / (10000 - i); }
static uint64_t primes(uint64_t i) { return i * i * 7919 % 104729 * 31; }

static const struct { const char *name; uint64_t (*value)(uint64_t i); } spreads[] = {
	{ "even", even }, { "small", small }, { "wide", wide }, { "one value", one_value },
	{ "two values", two_values },
	{ "cliff", cliff }, { "tail", tail }, { "primes", primes },
};
static const double quantiles[] = { 0, 0.5, 0.9, 0.99, 1 };

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

START_TEST(quantiles_are_within_their_error)
{
	enum { N = 10000 };
	static uint64_t value[N];
	struct pt_hist hist = { 0 };
	struct pt_stat stat = pt_stat_empty();

	stat.hist = &hist;
	for (uint64_t i = 0; i < N; i++) {
		uint64_t shuffled = i * 7919 % N;	/* 7919 is prime: each once */

		value[i] = spreads[_i].value(i);
		pt_stat_add(&stat, spreads[_i].value(shuffled), 0);
	}
	qsort(value, N, sizeof(value[0]), by_value);
	for (size_t i = 0; i < PT_LEN(quantiles); i++) {
		double want = (double)value[(size_t)fmax(ceil(quantiles[i] * N) - 1, 0)];
		double got = (double)pt_stat_quantile(&stat, quantiles[i]);
		struct pt_estimate within = pt_stat_quantile_within(&stat, quantiles[i]);

		ck_assert_msg(within.lo <= want && want <= within.hi && within.value == got &&
				      within.hi - within.lo <= want / 32,
			      "%s, quantile %g: %g is not within %g and %g", spreads[_i].name, quantiles[i], want,
			      within.lo, within.hi);
		ck_assert_msg(got >= (double)stat.min && got <= (double)stat.max,
			      "%s, quantile %g: %g, beyond what was seen", spreads[_i].name, quantiles[i], got);
		ck_assert_msg(fabs(got - want) <= want / 64, "%s, quantile %g: %g, not %g", spreads[_i].name,
			      quantiles[i], got, want);
	}
	pt_hist_fini(&hist);
}
END_TEST

START_TEST(a_full_histogram_is_halved)
{
	struct pt_hist hist = { 0 };
	struct pt_stat stat = pt_stat_empty();

	stat.hist = &hist;
	pt_stat_add(&stat, 9, 0);
	for (unsigned i = 0; i <= UINT16_MAX; i++)
		pt_stat_add(&stat, 3, 0);
	ck_assert_uint_eq(hist.bytes, sizeof(uint32_t));
	((uint32_t *)hist.bucket)[3] = 3000000000;
	((uint32_t *)hist.bucket)[9] = UINT32_MAX;
	pt_stat_add(&stat, 9, 0);
	ck_assert_uint_eq(pt_hist_count(&hist, 3), 1500000000);
	ck_assert_uint_eq(pt_hist_count(&hist, 9), UINT32_MAX / 2 + 1);
	ck_assert_uint_eq(pt_stat_quantile(&stat, 0.4), 3);
	ck_assert_uint_eq(pt_stat_quantile(&stat, 0.5), 9);
	pt_hist_fini(&hist);
}
END_TEST

/* A bucket is as large as it must be, and none of its values is lost when it grows. */
START_TEST(buckets_grow)
{
	struct pt_hist hist = { 0 };

	pt_hist_add(&hist, 40);
	for (unsigned n = 1; n <= 70000; n++) {
		pt_hist_add(&hist, 5);
		ck_assert_uint_eq(hist.bytes, n <= UINT8_MAX ? 1 : n <= UINT16_MAX ? 2 : 4);
		ck_assert_uint_eq(pt_hist_count(&hist, 5 - hist.first), n);
		ck_assert_uint_eq(pt_hist_count(&hist, 40 - hist.first), 1);
	}
	pt_hist_fini(&hist);
}
END_TEST

/* Many values at a time, of all sizes, come out as one by one. */
START_TEST(many_are_as_each)
{
	enum { N = 300, TIMES = 300 };
	struct pt_hist many = { 0 }, each = { 0 };
	uint16_t index[N][2];
	uint32_t random = 1;

	for (unsigned t = 0; t < TIMES; t++) {
		for (size_t i = 0; i < N; i++) {
			uint32_t value;

			random = random * 1664525 + 1013904223;
			value = (random >> 8 & 1) != 0 ? 77 : random >> (random >> 27);
			index[i][1] = (uint16_t)pt_hist_index(value);
			pt_hist_add(&each, value);
		}
		pt_hist_add_all(&many, &index[0][1], N, 2);
	}
	ck_assert_uint_eq(many.first, each.first);
	ck_assert_uint_eq(many.n_buckets, each.n_buckets);
	ck_assert_uint_eq(many.bytes, each.bytes);
	for (size_t i = 0; i < each.n_buckets; i++)
		ck_assert_uint_eq(pt_hist_count(&many, i), pt_hist_count(&each, i));
	pt_hist_fini(&many);
	pt_hist_fini(&each);
}
END_TEST

/* Histograms with a room of their own, which is enough for some of them only, have the same buckets as any. All of it
 * is given back, and used again. */
START_TEST(a_room_for_buckets)
{
	enum { N = 40, ROOM_BYTES = 16 * 1024, VALUES = 3000 };
	struct pt_hist in_room[N] = { 0 }, other[N] = { 0 };
	struct pt_histogram_memory room;
	uint32_t random = 1;

	pt_histogram_memory_init(&room, ROOM_BYTES);
	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < N; i++)
			in_room[i].room = &room;
		for (size_t i = 0; i < (size_t)N * VALUES; i++) {
			random = random * 1664525 + 1013904223;
			pt_hist_add(&in_room[i % N], random >> 12 >> i % N / 3);
			pt_hist_add(&other[i % N], random >> 12 >> i % N / 3);
		}
		ck_assert_uint_le(room.used_bytes, ROOM_BYTES);
		ck_assert_uint_gt(room.used_bytes, ROOM_BYTES / 2);
		for (size_t i = 0; i < N; i++) {
			ck_assert_uint_eq(in_room[i].first, other[i].first);
			ck_assert_uint_eq(in_room[i].n_buckets, other[i].n_buckets);
			ck_assert_uint_eq(in_room[i].bytes, other[i].bytes);
			ck_assert_mem_eq(in_room[i].bucket, other[i].bucket,
					 (size_t)other[i].n_buckets * other[i].bytes);
			pt_hist_fini(&in_room[i]);
			pt_hist_fini(&other[i]);
		}
	}
	pt_histogram_memory_fini(&room);
}
END_TEST

/* As a library's sort would have it, equal ones added up: few and many, keys that are near each other and far apart. */
static const struct { size_t n; uint16_t from_mask, to_mask; } edge_lists[] = {
	{ 0, 0xffff, 0xffff }, { 1, 0xffff, 0xffff }, { 24, 3, 3 }, { 25, 3, 3 }, { 5000, 0, 0 }, { 5000, 0x7f, 0 },
	{ 5000, 0x7f, 0x3ff }, { 5000, 0xffff, 0xffff }, { 5000, 0xff00, 0xff00 }, { 5000, 0, 0xffff },
};

static int by_from_and_to(const void *a, const void *b)
{
	const struct pt_edge *x = a, *y = b;

	return x->from != y->from ? x->from - y->from : x->to - y->to;
}

START_TEST(edges_are_sorted_and_added_up)
{
	enum { MOST = 5000 };
	static struct pt_edge got[MOST], want[MOST];
	size_t n = edge_lists[_i].n, n_want = 0;
	uint32_t random = 1;

	for (size_t i = 0; i < n; i++) {
		random = random * 1664525 + 1013904223;
		got[i] = (struct pt_edge){
			.from = random >> 16 & edge_lists[_i].from_mask, .to = random & edge_lists[_i].to_mask,
			.count = i + 1, .gross = random,
		};
		want[i] = got[i];
	}
	qsort(want, n, sizeof(want[0]), by_from_and_to);
	for (size_t i = 0; i < n; i++) {
		struct pt_edge *last = &want[n_want - (n_want > 0)];

		if (n_want > 0 && by_from_and_to(last, &want[i]) == 0) {
			last->count += want[i].count;
			last->gross += want[i].gross;
		} else {
			want[n_want++] = want[i];
		}
	}
	ck_assert_uint_eq(pt_edges_merge(got, n), n_want);
	for (size_t i = 0; i < n_want; i++) {
		ck_assert_int_eq(by_from_and_to(&got[i], &want[i]), 0);
		ck_assert_uint_eq(got[i].count, want[i].count);
		ck_assert_uint_eq(got[i].gross, want[i].gross);
	}
}
END_TEST

/* What is far apart takes no memory in between but for the powers of two there. */
START_TEST(a_histogram_has_only_the_buckets_it_needs)
{
	struct pt_hist hist = { 0 };

	pt_hist_add(&hist, 1000);
	ck_assert_uint_eq(hist.n_buckets, 32);
	pt_hist_add(&hist, 700);
	ck_assert_uint_eq(hist.n_buckets, 32);
	pt_hist_add(&hist, 70);
	ck_assert_uint_eq(hist.n_buckets, 4 * 32);
	pt_hist_add(&hist, UINT64_MAX);
	pt_hist_add(&hist, 0);
	ck_assert_uint_eq(hist.n_buckets, PT_HIST_BUCKETS);
	pt_hist_fini(&hist);
}
END_TEST

static const struct { uint64_t degrees; double want; } students[] = {
	{ 1, 12.706 }, { 2, 4.303 }, { 10, 2.228 }, { 11, 2.201 }, { 15, 2.131 }, { 30, 2.042 }, { 100, 1.984 },
	{ 1000000, 1.960 },
};

START_TEST(student)
{
	ck_assert_double_eq_tol(pt_student_95(students[_i].degrees), students[_i].want, 0.001);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stat");
	TCase *tc = tcase_create("stat");

	tcase_add_test(tc, least_most_and_average_with_their_moments);
	tcase_add_test(tc, a_quantile_of_few);
	tcase_add_loop_test(tc, the_longest_with_an_end_or_without, 0, PT_LEN(longest));
	tcase_add_test(tc, a_zero_is_a_value);
	tcase_add_loop_test(tc, bucket_of_a_value, 0, PT_LEN(buckets));
	tcase_add_loop_test(tc, quantiles_are_within_their_error, 0, PT_LEN(spreads));
	tcase_add_test(tc, a_full_histogram_is_halved);
	tcase_add_test(tc, buckets_grow);
	tcase_add_test(tc, many_are_as_each);
	tcase_add_test(tc, a_histogram_has_only_the_buckets_it_needs);
	tcase_add_test(tc, a_room_for_buckets);
	tcase_add_loop_test(tc, edges_are_sorted_and_added_up, 0, PT_LEN(edge_lists));
	tcase_add_loop_test(tc, student, 0, PT_LEN(students));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
