/* The histogram over code, from chunks to the table, computed by hand. */
#include <math.h>

#include "chunk_feed.h"
#include "profile/bins.h"

enum { ID_MAIN = 1, ID_LEAF, ID_ISR, ID_SVC, ID_TAIL, ID_RECURSIVE };	/* by address */

#define EXACT "format=bins\nsource=mdm\nmode=count\nbin_bytes=8\nexact=1\n"
#define SAMPLED "format=bins\nsource=mdm\nmode=sample\nbin_bytes=8\n"
#define PCSR "format=pcsr\nsource=pcsr\nmode=sample\nbatch=4\n"

static void add_bin(struct chunk_bytes *b, uint64_t address, uint64_t hits)
{
	pt_put_le64(b->bytes + b->len + PT_BINS_ADDRESS, address);
	pt_put_le64(b->bytes + b->len + PT_BINS_HITS, hits);
	b->len += PT_BINS_BYTES;
}

static struct chunk_feed feed_of(const char *config)
{
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, NULL, 0);

	pt_program_unref(program);
	chunk_config(&f, 0, config);
	return f;
}

static const struct pt_bins_function *function(const struct pt_bins *b, uint16_t id)
{
	for (size_t i = 0; i < b->n_functions; i++)
		if (b->function[i].function == id)
			return &b->function[i];
	ck_abort_msg("no function %u", id);
	return NULL;
}

/* 100..108 is main's. 120..128: half leaf's, half isr's. 128..130: a quarter each of isr, svc_handler, tail,
 * recursive. */
static void three_bins(struct chunk_feed *f)
{
	struct chunk_bytes b = { .len = 0 };

	add_bin(&b, 0x100, 20);
	add_bin(&b, 0x120, 10);
	add_bin(&b, 0x128, 8);
	add_bin(&b, 0x100, 10);
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 0, 1000, b.bytes, b.len);
}

START_TEST(bins_are_split)
{
	struct chunk_feed f = feed_of(EXACT);
	const struct pt_bins *b;

	three_bins(&f);
	b = pt_pipeline_profile(f.pipeline)->bins;
	ck_assert(b->exact);
	ck_assert_uint_eq(b->hits, 48);
	ck_assert_uint_eq(b->n_functions, 6);
	ck_assert_double_eq(function(b, ID_MAIN)->hits, 30);
	ck_assert_double_eq(function(b, ID_MAIN)->split, 0);
	ck_assert_double_eq(function(b, ID_MAIN)->share.share, 30.0 / 48);
	ck_assert_double_eq(function(b, ID_MAIN)->share.hi, 0);		/* exact */
	ck_assert_double_eq(function(b, ID_LEAF)->hits, 5);
	ck_assert_double_eq(function(b, ID_LEAF)->split, 5);
	ck_assert_double_eq(function(b, ID_LEAF)->share.lo, 0);
	ck_assert_double_eq(function(b, ID_LEAF)->share.hi, 10.0 / 48);
	ck_assert_double_eq(function(b, ID_ISR)->hits, 7);
	ck_assert_uint_eq(function(b, ID_ISR)->bins, 2);
	ck_assert_double_eq(function(b, ID_ISR)->share.hi, 18.0 / 48);
	ck_assert_double_eq(function(b, ID_RECURSIVE)->hits, 2);
	ck_assert_uint_eq(b->n_addresses, 3);
	ck_assert_uint_eq(b->address[0].address, 0x100);
	ck_assert_uint_eq(b->address[0].hits, 30);
	ck_assert_uint_eq(b->address[2].function, ID_ISR);
	chunk_feed_drop(&f);
}
END_TEST

/* 30 of 48: Wilson with t of 47 degrees (2.012) gives 48.1 % to 75.0 %. */
START_TEST(samples_have_intervals)
{
	struct chunk_feed f = feed_of(SAMPLED);
	const struct pt_bins *b;
	const struct pt_share *s;
	double n = 48, p = 30.0 / 48, k = 2.012 * 2.012 / n;

	three_bins(&f);
	b = pt_pipeline_profile(f.pipeline)->bins;
	ck_assert(!b->exact);
	s = &function(b, ID_MAIN)->share;
	ck_assert_double_eq_tol(s->lo, ((p + k / 2) - sqrt(k * p * (1 - p) + k * k / 4)) / (1 + k), 4e-3);
	ck_assert_double_eq_tol(s->hi, ((p + k / 2) + sqrt(k * p * (1 - p) + k * k / 4)) / (1 + k), 4e-3);
	ck_assert_double_eq(function(b, ID_LEAF)->share.lo, 0);
	ck_assert_double_gt(function(b, ID_LEAF)->share.hi, 10.0 / 48);
	ck_assert_int_eq(pt_pipeline_profile(f.pipeline)->shares, PT_BASIS_ESTIMATED);
	chunk_feed_drop(&f);
}
END_TEST

/* Samples of the program counter give the same histogram, at single addresses; sleep is apart. */
START_TEST(program_counters)
{
	static const uint32_t values[] = { 0x102, 0x102, LEAF, 0x300000 };
	struct chunk_feed f = feed_of(PCSR);
	uint8_t bytes[16], pc[PT_STATE_BYTES];
	const struct pt_bins *b;

	for (unsigned i = 0; i < 4; i++)
		pt_put_le32(bytes + 4 * i, values[i]);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, bytes, sizeof(bytes));
	pt_put_le64(pc, 0x102);
	chunk_put(&f, 0, PT_CHUNK_STATE, PT_STATE_SLEEP, 1000, 1000, pc, sizeof(pc));
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 1000, 2000, bytes, 4);
	b = pt_pipeline_profile(f.pipeline)->bins;
	ck_assert_uint_eq(b->hits, 4);
	ck_assert_uint_eq(b->asleep, 1);
	ck_assert_uint_eq(b->n_addresses, 3);
	ck_assert_uint_eq(b->address[0].address, 0x102);
	ck_assert_uint_eq(b->address[0].hits, 2);
	ck_assert_uint_eq(b->address[1].function, ID_LEAF);
	ck_assert_uint_eq(b->address[2].function, 0);
	ck_assert_double_eq(function(b, 0)->hits, 1);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(the_tables)
{
	struct chunk_feed f = feed_of(EXACT);
	struct pt_text text = { 0 }, addresses = { 0 };

	three_bins(&f);
	chunk_report(&f, &text, "bins", "text");
	ck_assert_msg(strstr(text.bytes, "function     hits          share %  split  bins\n"
					 "main           30             62.5            1\n"
					 "isr             7  14.6 (0.0-37.5)      7     2\n"
					 "leaf            5  10.4 (0.0-20.8)      5     1\n") != NULL, "%s", text.bytes);
	chunk_report(&f, &addresses, "addresses", "csv");
	ck_assert_msg(strstr(addresses.bytes, "0x100,8,30,0.625,\"main\",") != NULL, "%s", addresses.bytes);
	pt_text_free(&text);
	pt_text_free(&addresses);
	chunk_feed_drop(&f);
}
END_TEST

/* More addresses than fit, and bins as large as the world: bounded, and every hit is somewhere. */
START_TEST(too_much)
{
	struct chunk_feed f = feed_of(_i == 0 ? "format=bins\nsource=x\nexact=1\n"
					      : "format=bins\nsource=x\nbin_bytes=4294967295\nexact=1\n");
	struct chunk_bytes b = { .len = 0 };
	const struct pt_bins *bins;
	double sum = 0;

	for (uint64_t i = 0; i < PT_BINS_MAX + 500; i++) {
		add_bin(&b, _i == 0 ? i : i * UINT64_C(0x9e3779b97f4a7c15), 1);
		if (b.len + PT_BINS_BYTES > sizeof(b.bytes) || i == PT_BINS_MAX + 499) {
			chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, i, i + 1, b.bytes, b.len);
			b.len = 0;
		}
	}
	bins = pt_pipeline_profile(f.pipeline)->bins;
	ck_assert_uint_eq(bins->n_addresses, PT_BINS_MAX);
	ck_assert_uint_eq(bins->hits, PT_BINS_MAX);
	ck_assert_uint_eq(bins->dropped, 500);
	for (size_t i = 0; i < bins->n_functions; i++)
		sum += bins->function[i].hits;
	ck_assert_double_eq_tol(sum, PT_BINS_MAX, 1e-3);
	chunk_feed_drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bins");
	TCase *tc = tcase_create("bins");

	tcase_set_timeout(tc, 0);
	tcase_add_test(tc, bins_are_split);
	tcase_add_test(tc, samples_have_intervals);
	tcase_add_test(tc, program_counters);
	tcase_add_test(tc, the_tables);
	tcase_add_loop_test(tc, too_much, 0, 2);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
