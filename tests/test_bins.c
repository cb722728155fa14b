/* The histogram over code, from chunks to the table, computed by hand. */
#include <math.h>
#include <stdio.h>

#include "chunk_feed.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/limits/limits.h"
#include "program/model/linetable.h"
#include "report/table/order.h"
#include "report/views/views.h"
#include "trace/loss.h"

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

/* All bins, read when they do not count any more: it takes no time, and has an end. */
static void put_reading(struct chunk_feed *f, uint64_t from_ns, uint64_t to_ns, struct chunk_bytes *b)
{
	add_bin(b, MAIN, 0);
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, from_ns, to_ns, NULL, 0);
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, to_ns, to_ns, b->bytes, b->len);
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
	put_reading(f, 0, 1000, &b);
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

/* What is outside of all functions stands before the first of them and behind the last, in one bin: that has it once,
 * and no share ends above all of it. */
START_TEST(outside_in_two_places)
{
	struct chunk_feed f = feed_of("format=bins\nsource=mdm\nmode=count\nbin_bytes=4096\nexact=1\n");
	struct chunk_bytes bytes = { .len = 0 };
	const struct pt_bins *b;
	double sum = 0;

	add_bin(&bytes, 0, 20);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 0, 1000, bytes.bytes, bytes.len);
	b = pt_pipeline_profile(f.pipeline)->bins;
	ck_assert_uint_gt(b->n_functions, 6);
	for (size_t i = 0; i < b->n_functions; i++) {
		ck_assert_uint_eq(b->function[i].bins, 1);
		ck_assert_double_eq(b->function[i].share.hi, 1);
		sum += b->function[i].hits;
	}
	ck_assert_double_eq_tol(sum, 20, 1e-9);
	ck_assert_double_gt(function(b, PT_NO_FUNCTION)->hits, 10);
	chunk_feed_drop(&f);
}
END_TEST

/* The range ends within the bin at 128, and within that at 120: what stands behind its end was not counted. */
START_TEST(the_range_cuts_a_bin)
{
	static const struct { const char *high; uint64_t bytes; double isr; size_t n_functions; } rows[] = {
		{ "0x129", 2, 5 + 8, 3 }, { "0x123", 4, 0, 2 }, { "0x127", 8, 5, 3 },
	};
	char config[160];
	struct chunk_bytes b = { .len = 0 };
	struct pt_text out = { 0 };
	const struct pt_bins *bins;
	struct chunk_feed f;

	snprintf(config, sizeof(config), EXACT "high=%s\n", rows[_i].high);
	f = feed_of(config);
	add_bin(&b, 0x100, 20);
	add_bin(&b, 0x120, 10);
	if (_i == 0)
		add_bin(&b, 0x128, 8);
	put_reading(&f, 0, 1000, &b);
	bins = pt_pipeline_profile(f.pipeline)->bins;
	ck_assert_uint_eq(bins->n_functions, rows[_i].n_functions);
	ck_assert_uint_eq(bins->address[bins->n_addresses - 1].bytes, rows[_i].bytes);
	ck_assert_double_eq(function(bins, ID_LEAF)->hits, _i == 1 ? 10 : 5);
	ck_assert(bins->whole == (_i == 1));
	if (rows[_i].isr > 0)
		ck_assert_double_eq(function(bins, ID_ISR)->hits, rows[_i].isr);
	chunk_report(&f, &out, "functions", "gmon");	/* still bins of one size */
	ck_assert(memcmp(out.bytes, "gmon\1\0\0\0", 8) == 0);
	pt_text_free(&out);
	chunk_feed_drop(&f);
}
END_TEST

/* 30 of 48, padded by half a sample on either side: Beta(30, 18.5) and Beta(30.5, 18). */
START_TEST(samples_have_intervals)
{
	struct chunk_feed f = feed_of(SAMPLED);
	const struct pt_bins *b;
	const struct pt_share *s;

	three_bins(&f);
	b = pt_pipeline_profile(f.pipeline)->bins;
	ck_assert(!b->exact);
	s = &function(b, ID_MAIN)->share;
	ck_assert_double_eq_tol(s->lo, pt_beta_quantile(30, 18.5, 0.025), 1e-6);
	ck_assert_double_eq_tol(s->hi, pt_beta_quantile(30.5, 18, 0.975), 1e-6);
	ck_assert_double_eq(function(b, ID_LEAF)->share.lo, 0);
	ck_assert_double_gt(function(b, ID_LEAF)->share.hi, 10.0 / 48);
	ck_assert_int_eq(pt_pipeline_profile(f.pipeline)->shares, PT_BASIS_ESTIMATED);
	chunk_feed_drop(&f);
}
END_TEST

/* Samples of two cores in turn, each batch in one place: there are four independent looks at each core, not sixteen. */
START_TEST(batches_are_clusters)
{
	static const uint32_t places[] = { 0x102, LEAF };
	struct pt_cluster_total total = { .n = 4, .y = 16, .yy = 64 };
	struct pt_share want = pt_cluster_share(&total, &(struct pt_cluster_sum){ .x = 8, .xx = 32, .xy = 32 });
	struct chunk_feed f = feed_of(PCSR);
	const struct pt_bins *b;
	uint8_t bytes[16];

	chunk_config_of(&f, 1, 1, PCSR);
	for (unsigned i = 0; i < 8; i++) {
		for (unsigned k = 0; k < 4; k++)
			pt_put_le32(bytes + 4 * k, places[i / 2 % 2]);
		chunk_put(&f, i % 2, PT_CHUNK_DATA, PT_DATA_RESTARTS, 1000 * i, 1000 * i + 1000, bytes, sizeof(bytes));
	}
	chunk_end(&f, 0, 8000);
	chunk_end(&f, 1, 8000);
	b = pt_pipeline_profile(f.pipeline)->bins;
	ck_assert_uint_eq(b->n_cores, 2);
	ck_assert_uint_eq(b->n_functions, 4);
	for (size_t i = 0; i < b->n_functions; i++) {
		ck_assert_double_eq(b->function[i].share.share, 0.5);
		ck_assert_double_eq(b->function[i].share.lo, want.lo);
		ck_assert_double_eq(b->function[i].share.hi, want.hi);
	}
	ck_assert_double_lt(want.lo, 0.1);	/* of sixteen: 0.26 */
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
	ck_assert_double_eq(b->address[0].share.share, 0.5);
	ck_assert(b->address[0].share.lo < 0.5 && b->address[0].share.hi > 0.5);	/* two batches */
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
	ck_assert_msg(strstr(text.bytes, "function     hits  self %  interval  last %  split  bins\n"
					 "main           30    62.5              62.5            1\n"
					 "isr             7    14.6  0.0-37.5    14.6      7     2\n"
					 "leaf            5    10.4  0.0-20.8    10.4      5     1\n") != NULL,
		      "%s", text.bytes);
	chunk_report(&f, &addresses, "addresses", "csv");
	ck_assert_msg(strstr(addresses.bytes, "0x100,8,30,0.625,,\"main\",") != NULL, "%s", addresses.bytes);
	ck_assert(pt_pipeline_profile(f.pipeline)->bins->address[0].share.hi == 0);	/* exact */
	pt_text_free(&text);
	pt_text_free(&addresses);
	chunk_feed_drop(&f);
}
END_TEST

static void reading(struct chunk_feed *f, uint64_t main_hits, uint64_t leaf_hits, bool whole)
{
	struct chunk_bytes b = { .len = 0 };

	if (main_hits > 0)
		add_bin(&b, 0x100, main_hits);
	if (leaf_hits > 0)
		add_bin(&b, 0x120, leaf_hits);
	if (whole)
		add_bin(&b, 0x100, 0);
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 0, 1000, b.bytes, b.len);
}

/* Hits of main, and of the bin that is half leaf's, by reading; what the last whole one with hits tells. */
START_TEST(the_last_reading)
{
	static const struct { uint64_t main, shared; bool whole; double main_last, leaf_last; } rows[] = {
		{ 5, 5, false, NAN, NAN }, { 5, 5, true, 0.5, 0.25 }, { 30, 10, false, 0.5, 0.25 },
		{ 0, 0, true, 0.75, 0.125 }, { 0, 0, true, 0.75, 0.125 }, { 0, 7, true, 0, 0.5 }, { 9, 0, true, 1, 0 },
	};
	struct chunk_feed f = feed_of(EXACT);
	struct pt_text text = { 0 };

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		const struct pt_bins *b;
		double main_last, leaf_last;

		reading(&f, rows[i].main, rows[i].shared, rows[i].whole);
		b = pt_pipeline_profile(f.pipeline)->bins;
		main_last = function(b, ID_MAIN)->last;
		leaf_last = function(b, ID_LEAF)->last;
		ck_assert_int_eq(isnan(main_last), isnan(rows[i].main_last));
		ck_assert_msg(isnan(main_last) || (main_last == rows[i].main_last && leaf_last == rows[i].leaf_last),
			      "row %zu: %g %g", i, main_last, leaf_last);
		ck_assert_uint_eq(b->n_addresses, 2);
	}
	chunk_report(&f, &text, "bins", "csv");
	ck_assert_msg(strstr(text.bytes, "last") != NULL, "%s", text.bytes);
	pt_text_free(&text);
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

#define CYCLES "format=bins\nsource=bins\nmode=snapshot\nbin_bytes=8\nexact=1\ncounting=cycles\nlow=0x100\nhigh=0x12f\n"

/* The functions' own table has what bins counted, as net time; a share of a shared bin has an interval. */
START_TEST(functions_of_bins)
{
	struct chunk_feed f = feed_of(CYCLES);
	struct pt_text text = { 0 };
	const struct pt_profile *p;

	three_bins(&f);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert(p->by_bins && !p->no_code && !p->by_instructions);
	ck_assert_str_eq(p->analysis, "bins");
	ck_assert_uint_eq(p->cycles, 48);
	ck_assert_int_eq(p->times, PT_BASIS_ESTIMATED);
	ck_assert_int_eq(p->counts, PT_BASIS_NONE);
	ck_assert_uint_eq(p->by_id[ID_MAIN]->run->cycles, 30);
	ck_assert_uint_eq(p->by_id[ID_ISR]->run->cycles, 7);
	chunk_report(&f, &text, "functions", "text");
	chunk_report(&f, &text, "functions", "details");
	ck_assert_msg(strstr(text.bytes, "clock cycles, as the core counted them") != NULL, "%s", text.bytes);
	ck_assert_msg(strstr(text.bytes, "48 clock cycles in 3 bins; a bin that lies in several") != NULL, "%s",
		      text.bytes);
	ck_assert_msg(strstr(text.bytes, "main           30    62.5            main.c:3\n") != NULL, "%s", text.bytes);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* One bin to a function: exact, in instructions. */
START_TEST(exact_functions)
{
	struct chunk_feed f =
		feed_of("format=bins\nsource=bins\nmode=end\nbin_bytes=4\nexact=1\ncounting=instructions\n");
	struct chunk_bytes b = { .len = 0 };
	const struct pt_profile *p;

	add_bin(&b, LEAF, 100);
	add_bin(&b, MAIN, 300);
	put_reading(&f, 0, 1000, &b);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert(p->by_instructions && p->bins->whole);
	ck_assert_int_eq(p->times, PT_BASIS_EXACT);
	ck_assert_int_eq(p->shares, PT_BASIS_EXACT);
	ck_assert_uint_eq(p->by_id[ID_LEAF]->run->instructions, 100);
	ck_assert_double_eq(p->by_id[ID_LEAF]->share.share, 0.25);
	chunk_feed_drop(&f);
}
END_TEST

/* Bins that count while they are read are not of one instant: what 100 kHz may count from the first one's reading to the last
 * one's bounds the shares, until they are read behind the end of counting. */
static void part(struct chunk_feed *f, uint64_t from_ns, uint64_t to_ns, uint64_t main_hits, uint64_t leaf_hits,
		 bool ends)
{
	struct chunk_bytes b = { .len = 0 };

	if (main_hits > 0)
		add_bin(&b, MAIN, main_hits);
	if (leaf_hits > 0)
		add_bin(&b, LEAF, leaf_hits);
	if (ends)
		add_bin(&b, MAIN, 0);
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, from_ns, to_ns, b.bytes, b.len);
}

static void expect_leaf(struct chunk_feed *f, double lo, double share, double hi)
{
	const struct pt_profile *p = pt_pipeline_profile(f->pipeline);
	const struct pt_share *is = &p->by_id[ID_LEAF]->share;
	const struct pt_view *view = pt_view_find("lines");
	struct pt_value value[96];

	ck_assert_int_eq(p->shares, lo < hi ? PT_BASIS_ESTIMATED : PT_BASIS_EXACT);
	ck_assert_msg(fabs(is->share - share) < 1e-4 && fabs(is->lo - lo) < 1e-4 && fabs(is->hi - hi) < 1e-4,
		      "%.4f (%.4f to %.4f)", is->share, is->lo, is->hi);
	ck_assert_double_eq(function(p->bins, ID_LEAF)->share.hi, is->hi);
	for (size_t i = 0; i < view->n_rows(p); i++) {
		view->row(p, i, value);
		ck_assert_int_eq(value[pt_view_column(view, "net_share")].basis, p->shares);
	}
}

START_TEST(bins_that_count_while_they_are_read)
{
	struct chunk_feed f =
		feed_of("format=bins\nsource=bins\nmode=live\nbin_bytes=4\nexact=1\ncounting=cycles\ncore_hz=100000\n");
	struct pt_text text = { 0 };

	part(&f, 0, 900000, 0, 0, false);
	part(&f, 900000, 950000, 75, 0, false);
	ck_assert_int_eq(pt_pipeline_profile(f.pipeline)->shares, PT_BASIS_ESTIMATED);
	part(&f, 950000, 1000000, 0, 25, true);
	expect_leaf(&f, 14.8 / 89.8, 0.25, 25 / 89.8);
	chunk_report(&f, &text, "functions", "text");
	ck_assert_msg(strstr(text.bytes, "bounded: bins were not read at one instant") != NULL, "%s", text.bytes);
	part(&f, 1000000, 1900000, 0, 0, false);
	part(&f, 1900000, 1950000, 90, 0, false);	/* main's is read again, leaf's is not */
	expect_leaf(&f, 0, 25.0 / 190, 25 / (190 - 107.1));
	part(&f, 1950000, 2000000, 0, 10, true);
	expect_leaf(&f, (35 - 10.2) / (200 - 10.2), 35.0 / 200, 35 / (200 - 10.2));
	part(&f, 2000000, 2500000, 0, 0, false);
	part(&f, 2500000, 2500000, 40, 10, true);	/* counting has ended */
	expect_leaf(&f, 0, 45.0 / 250, 0);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* Halted when main's bins had been read and leaf's had not: older versions read those alone behind the halt, so main lacks
 * what it counted up to it. From the first bin on again, everything is of the halt. */
static const struct halted_amid {
	const char *config;
	uint64_t main, leaf;
	bool bounded;
} halted_amid[] = {
	{ "", 0, 30, true },
	{ "", 0, 0, true },
	{ "", 10, 30, false },
	{ "rereads=1\n", 0, 30, false },
	{ "rereads=1\n", 0, 0, false },
};

START_TEST(halted_in_the_midst_of_a_reading)
{
	const struct halted_amid *row = &halted_amid[_i];
	double leaf = 20 + (double)row->leaf, all = 120 + (double)(row->main + row->leaf),
	       apart = row->bounded ? 5.1 : 0;
	char config[160];
	struct chunk_feed f;

	snprintf(config, sizeof(config),
		 "format=bins\nsource=bins\nmode=live\nbin_bytes=4\nexact=1\ncounting=cycles\n"
		 "core_hz=100000\n%s",
		 row->config);
	f = feed_of(config);
	part(&f, 0, 800000, 0, 20, true);
	part(&f, 800000, 900000, 0, 0, false);
	part(&f, 900000, 950000, 100, 0, false);
	part(&f, 950000, 950000, row->main, row->leaf, true);
	expect_leaf(&f, row->bounded ? (leaf - apart) / (all - apart) : 0, leaf / all,
		    row->bounded ? leaf / (all - apart) : 0);
	chunk_feed_drop(&f);
}
END_TEST

/* A snapshot of which a part is there, as in a file that was cut: those bins are newer than the others. */
START_TEST(a_reading_that_is_not_whole)
{
	struct chunk_feed f = feed_of(
		"format=bins\nsource=bins\nmode=snapshot\nbin_bytes=4\nexact=1\ncounting=cycles\ncore_hz=100000\n");
	struct chunk_bytes b = { .len = 0 };

	add_bin(&b, MAIN, 300);
	add_bin(&b, LEAF, 100);
	put_reading(&f, 0, 5000000, &b);
	expect_leaf(&f, 0, 0.25, 0);
	part(&f, 5000000, 6000000, 0, 0, false);
	part(&f, 6000000, 6000000, 100, 0, false);
	expect_leaf(&f, 0, 0.2, 100 / (500 - 102.0));
	chunk_feed_drop(&f);
}
END_TEST

/* A real line table: each bin of 4 bytes has as many hits as bytes, so that a line has as many as
 * its code has bytes. */
START_TEST(lines_of_bins)
{
	char path[512];
	struct pt_err err = { 0 };
	struct pt_program *program;
	const struct pt_line_range *range;
	struct chunk_feed f;
	struct chunk_bytes b = { .len = 0 };
	const struct pt_bins *bins;
	size_t n = 0, seen = 0;
	double sum = 0, split = 0, bytes = 0;

	snprintf(path, sizeof(path), "%s/tests/firmware/demo.elf", getenv("srcdir") != NULL ? getenv("srcdir") : ".");
	program = pt_program_open(path, 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	range = pt_program_lines(program, &n);
	f = chunk_feed_of(program, NULL, 0);
	chunk_config(&f, 0, "format=bins\nsource=bins\nbin_bytes=4\nexact=1\ncounting=cycles\n");
	for (size_t i = 0; i < 16; i++)
		add_bin(&b, (range[0].from & ~UINT64_C(3)) + 4 * i, 4);
	for (size_t i = 0; i < n; i++)
		for (uint64_t at = range[i].from; at < range[i].to; at++)
			bytes += range[i].line != 0 && at < (range[0].from & ~UINT64_C(3)) + 64;
	put_reading(&f, 0, 1000, &b);
	bins = pt_pipeline_profile(f.pipeline)->bins;
	for (seen = 0; seen < bins->n_lines; seen++) {
		sum += bins->line[seen].hits;
		split += bins->line[seen].split;
		ck_assert(seen == 0 || bins->line[seen - 1].file != bins->line[seen].file ||
			  bins->line[seen - 1].line < bins->line[seen].line);
	}
	ck_assert_uint_gt(seen, 3);
	ck_assert_double_eq_tol(sum, bytes, 1e-9);
	ck_assert_double_gt(split, 0);		/* 2-byte instructions: some line ends inside a bin */
	chunk_feed_drop(&f);
	pt_program_unref(program);
}
END_TEST

/* A bin that has reached its end says so, and its hits are a bound. */
START_TEST(full_bins)
{
	struct chunk_feed f = feed_of(CYCLES);
	struct pt_text text = { 0 };
	struct chunk_bytes b = { .len = 0 };

	add_bin(&b, MAIN, 68719476735);
	add_bin(&b, MAIN, PT_UNKNOWN);
	put_reading(&f, 0, 1000, &b);
	chunk_report(&f, &text, "bins", "details");
	ck_assert(!pt_pipeline_profile(f.pipeline)->bins->exact);
	ck_assert_int_eq(pt_pipeline_profile(f.pipeline)->times, PT_BASIS_ESTIMATED);
	ck_assert_msg(strstr(text.bytes, "1 readings found a full bin: its hits are a lower bound.") != NULL, "%s",
		      text.bytes);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* 1 ms observed at 100 kHz is 100 cycles: 48 were counted, and the rest is a row, so that all rows are what was observed.
 * Behind a loss of 2 ms it is still of that 1 ms. More than the clock has is said, and is no exact time; what begins or
 * ends within a packet is no more than that. */
static const struct rest {
	const char *is, *config;
	uint64_t hits, rest;
	bool beyond;
} rests[] = {
	{ "a rest", "core_hz=100000\n", 48, 52, false },
	{ "no rest", "core_hz=100000\n", 100, 0, false },
	{ "a packet more", "core_hz=100000\n", 900, 0, false },
	{ "heard late that it runs", "core_hz=100000\n", 1250, 0, false },
	{ "beyond the clock", "core_hz=100000\n", 3000, PT_UNKNOWN, true },
	{ "no clock", "", 48, PT_UNKNOWN, false },
	{ "with what was there before", "core_hz=100000\ncumulate=1\n", 30000, PT_UNKNOWN, false },
};

START_TEST(what_was_not_counted)
{
	const struct rest *r = &rests[_i];
	struct pt_value value[96];
	const struct pt_profile *p;
	struct pt_text text = { 0 };
	struct chunk_bytes b = { .len = 0 };
	struct chunk_feed f;
	char config[200];
	size_t n;

	snprintf(config, sizeof(config), "%s%s", CYCLES, r->config);
	f = feed_of(config);
	add_bin(&b, MAIN, r->hits);
	put_reading(&f, 0, 500000, &b);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_HALTED, 500000, 2500000, NULL, 0);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 2500000, 3000000, b.bytes, 0);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_msg(p->core[0].rest_cycles == r->rest, "%s: %llu", r->is, (unsigned long long)p->core[0].rest_cycles);
	ck_assert_msg(p->core[0].beyond_clock == r->beyond, "%s", r->is);
	ck_assert_int_eq(p->times, r->beyond ? PT_BASIS_ESTIMATED : PT_BASIS_EXACT);
	for (unsigned v = 0; v < 2; v++) {
		const struct pt_view *view = pt_view_find(v == 0 ? "bins" : "functions");

		n = view->n_rows(p);
		view->row(p, n - 1, value);
		ck_assert_uint_eq(n, r->rest != 0 && r->rest != PT_UNKNOWN ? 2 : 1);
		ck_assert_int_eq(strcmp(value[0].text, "(asleep or outside)") == 0, n == 2);
	}
	chunk_report(&f, &text, "functions", "text");
	ck_assert_msg((strstr(text.bytes, "observed   480.0 us in bins (16 %), asleep or outside 520.0 us") != NULL) ==
			      (r->rest == 52),
		      "%s: %s", r->is, text.bytes);
	ck_assert_msg((strstr(text.bytes, "more than a clock of 100.0 kHz gives") != NULL) == r->beyond, "%s",
		      text.bytes);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* Rules see bins as they see samples: main's share is exact, leaf's lies between none and all of its bin; what has no
 * hits ran not at all, where it was counted. */
static const struct { const char *rule; enum pt_verdict verdict; } rules[] = {
	{ "share(main) <= 63 %", PT_VERDICT_PASSED }, { "share(main) <= 62 %", PT_VERDICT_FAILED },
	{ "share(leaf) <= 15 %", PT_VERDICT_UNDECIDED }, { "share(leaf) <= 25 %", PT_VERDICT_PASSED },
	{ "share(jump) <= 1 %", PT_VERDICT_UNDECIDED },	/* behind the range that was counted */
};

START_TEST(rules_see_bins)
{
	struct pt_program *program = small_program();
	char word[80];
	const char *words[] = { word };
	struct chunk_feed f;

	snprintf(word, sizeof(word), "limits=%s", rules[_i].rule);
	f = chunk_feed_of(program, words, 1);
	pt_program_unref(program);
	chunk_config(&f, 0, CYCLES);
	three_bins(&f);
	ck_assert_msg(pt_pipeline_profile(f.pipeline)->limits->limit[0].verdict == rules[_i].verdict, "%s: %s",
		      rules[_i].rule, pt_pipeline_profile(f.pipeline)->limits->limit[0].why);
	chunk_feed_drop(&f);
}
END_TEST

/* The records of gmon.out over each other: what each bin holds. Little-endian, as the program is. */
static uint64_t gmon_bin(const struct pt_text *out, unsigned bytes, uint64_t address, unsigned *records)
{
	const uint8_t *at = (const uint8_t *)out->bytes + 20, *end = (const uint8_t *)out->bytes + out->len_bytes;
	uint64_t sum = 0;

	for (*records = 0; at < end && *at == 0; (*records)++) {
		uint64_t low = pt_le32(at + 1), high = pt_le32(at + 5), n = pt_le32(at + 9), size = (high - low) / n;

		ck_assert_uint_eq(size, bytes);
		if (address >= low && address < high)
			sum += pt_le16(at + 33 + 2 * ((address - low) / size));
		at += 33 + 2 * n;
	}
	ck_assert_ptr_eq(at, end);
	return sum;
}

/* Nobody knows since when it has counted: what was observed is a bound, and says why. */
START_TEST(begun_by_triggers)
{
	struct chunk_feed f =
		feed_of("format=bins\nsource=bins\nmode=live\nbin_bytes=8\nexact=1\ncounting=cycles\ntriggered=1\n");
	struct chunk_bytes b = { .len = 0 };
	struct pt_text out = { 0 };

	add_bin(&b, 0x100, 20);
	put_reading(&f, 0, 1000, &b);
	ck_assert(pt_pipeline_profile(f.pipeline)->observed_is_bound);
	chunk_report(&f, &out, "functions", "text");
	ck_assert_msg(strstr(out.bytes, "\nobserved   at most 1.000 us (100 %)") != NULL, "%s", out.bytes);
	chunk_report(&f, &out, "functions", "details");
	ck_assert_msg(strstr(out.bytes, "at most: hardware triggers begin and end") != NULL, "%s", out.bytes);
	pt_text_free(&out);
	chunk_feed_drop(&f);
}
END_TEST

/* Before the first reading it says that there is none yet, not what one could do to see variables. */
START_TEST(before_the_first_reading)
{
	struct chunk_feed f = feed_of("format=bins\nsource=bins\nmode=live\nbin_bytes=8\nexact=1\ncounting=cycles\n");
	struct pt_text out = { 0 };

	chunk_report(&f, &out, "", "text");
	ck_assert_msg(strstr(out.bytes, "accuracy   no figures: nothing was recorded yet\n") != NULL, "%s", out.bytes);
	ck_assert_msg(strstr(out.bytes, "bins: nothing to show; nothing has been recorded yet\n") != NULL, "%s",
		      out.bytes);
	pt_text_free(&out);
	chunk_feed_drop(&f);
}
END_TEST

/* As many records as a bin of 16 bits needs, and none with a rate that is not the clock's; beyond
 * 16 of them, a divisor. */
START_TEST(gmon_of_bins)
{
	struct chunk_feed f =
		feed_of("format=bins\nsource=bins\ncore_hz=100000000\nbin_bytes=8\nexact=1\ncounting=cycles\n");
	struct chunk_bytes b = { .len = 0 };
	uint64_t hits = _i == 0 ? 200000 : 3000000000;
	struct pt_text out = { 0 };
	unsigned records;

	add_bin(&b, 0x100, hits);
	add_bin(&b, 0x118, 7000);
	add_bin(&b, 0x20000000, 5000);		/* far away: a span of its own */
	put_reading(&f, 0, 1000, &b);
	chunk_report(&f, &out, "functions", "gmon");
	ck_assert(memcmp(out.bytes, "gmon\1\0\0\0", 8) == 0);
	ck_assert_uint_eq(pt_le32((const uint8_t *)out.bytes + 33), _i == 0 ? 100000000u : 10000u);
	ck_assert_str_eq(out.bytes + 37, "seconds");
	ck_assert_uint_eq(gmon_bin(&out, 8, 0x100, &records), _i == 0 ? 200000 : 300000);
	ck_assert_uint_eq(records, _i == 0 ? 5 : 6);
	ck_assert_uint_eq(gmon_bin(&out, 8, 0x118, &records), _i == 0 ? 7000 : 1);
	ck_assert_uint_eq(gmon_bin(&out, 8, 0x20000000, &records), _i == 0 ? 5000 : 1);
	pt_text_free(&out);
	chunk_feed_drop(&f);
}
END_TEST

/* Samples are no time, whatever the core's clock; and as gprof counts hits in bins of less than 2 bytes twice, those
 * are 2 wide: 0x102 three times, 0x103 and 0x106 once, and LEAF. */
/* The range ends within the last bin: gprof's bins end there, too, and each of them has its part of a wider one. */
START_TEST(gmon_of_a_cut_bin)
{
	struct chunk_feed f = feed_of("format=bins\nsource=bins\nbin_bytes=32\nexact=1\ncounting=cycles\nhigh=0x14b\n");
	struct chunk_bytes b = { .len = 0 };
	struct pt_text out = { 0 };
	unsigned records;
	uint64_t sum = 0;

	add_bin(&b, 0x100, 1003);
	add_bin(&b, 0x140, 600);
	put_reading(&f, 0, 1000, &b);
	chunk_report(&f, &out, "functions", "gmon");
	for (uint64_t at = 0x100; at < 0x120; at += 4) {
		ck_assert(gmon_bin(&out, 4, at, &records) == 125 || gmon_bin(&out, 4, at, &records) == 126);
		sum += gmon_bin(&out, 4, at, &records);
	}
	ck_assert_uint_eq(sum, 1003);
	for (uint64_t at = 0x140; at < 0x14c; at += 4)
		ck_assert_uint_eq(gmon_bin(&out, 4, at, &records), 200);
	ck_assert_uint_eq(gmon_bin(&out, 4, 0x14c, &records), 0);
	pt_text_free(&out);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(gmon_of_samples)
{
	static const uint32_t values[] = { 0x106, 0x102, LEAF, 0x102, 0x103, 0x102 };
	struct chunk_feed f = feed_of(PCSR "core_hz=48000000\n");
	struct pt_text out = { 0 };
	uint8_t bytes[4 * PT_LEN(values)];
	unsigned records;

	for (size_t i = 0; i < PT_LEN(values); i++)
		pt_put_le32(bytes + 4 * i, values[i]);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, bytes, sizeof(bytes));
	chunk_report(&f, &out, "functions", "gmon");
	ck_assert_uint_eq(pt_le32((const uint8_t *)out.bytes + 33), 1);
	ck_assert_str_eq(out.bytes + 37, "samples");
	ck_assert_uint_eq(gmon_bin(&out, 2, 0x102, &records), 4);
	ck_assert_uint_eq(gmon_bin(&out, 2, 0x104, &records), 0);
	ck_assert_uint_eq(gmon_bin(&out, 2, 0x106, &records), 1);
	ck_assert_uint_eq(gmon_bin(&out, 2, LEAF, &records), 1);
	pt_text_free(&out);
	chunk_feed_drop(&f);
}
END_TEST

/* Nor are they in bins. */
START_TEST(gmon_of_samples_in_bins)
{
	struct chunk_feed f = feed_of(SAMPLED "core_hz=48000000\n");
	struct pt_text out = { 0 };
	unsigned records;

	three_bins(&f);
	chunk_report(&f, &out, "functions", "gmon");
	ck_assert_uint_eq(pt_le32((const uint8_t *)out.bytes + 33), 1);
	ck_assert_str_eq(out.bytes + 37, "samples");
	ck_assert_uint_eq(gmon_bin(&out, 8, 0x100, &records), 30);
	pt_text_free(&out);
	chunk_feed_drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bins");
	TCase *tc = tcase_create("bins");

	tcase_set_timeout(tc, 0);
	tcase_add_test(tc, bins_are_split);
	tcase_add_test(tc, outside_in_two_places);
	tcase_add_loop_test(tc, the_range_cuts_a_bin, 0, 3);
	tcase_add_test(tc, samples_have_intervals);
	tcase_add_test(tc, batches_are_clusters);
	tcase_add_test(tc, program_counters);
	tcase_add_test(tc, the_tables);
	tcase_add_test(tc, the_last_reading);
	tcase_add_loop_test(tc, too_much, 0, 2);
	tcase_add_test(tc, functions_of_bins);
	tcase_add_test(tc, exact_functions);
	tcase_add_test(tc, bins_that_count_while_they_are_read);
	tcase_add_loop_test(tc, halted_in_the_midst_of_a_reading, 0, PT_LEN(halted_amid));
	tcase_add_loop_test(tc, halted_in_the_midst_of_a_reading, 0, PT_LEN(halted_amid));
	tcase_add_test(tc, a_reading_that_is_not_whole);
	tcase_add_test(tc, lines_of_bins);
	tcase_add_test(tc, full_bins);
	tcase_add_loop_test(tc, what_was_not_counted, 0, PT_LEN(rests));
	tcase_add_loop_test(tc, rules_see_bins, 0, PT_LEN(rules));
	tcase_add_test(tc, begun_by_triggers);
	tcase_add_test(tc, before_the_first_reading);
	tcase_add_loop_test(tc, gmon_of_bins, 0, 2);
	tcase_add_test(tc, gmon_of_a_cut_bin);
	tcase_add_test(tc, gmon_of_samples);
	tcase_add_test(tc, gmon_of_samples_in_bins);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
