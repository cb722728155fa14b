/* Samples by several events: each has a histogram of its own, the functions' table has the first, and bins have no hits
 * of two kinds. All figures by hand; code: small_program.h. */
#include "chunk_feed.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/code/sampled.h"

#define BY(event)                                                                                                      \
	"format=pcsr\nsource=pc-sampling\nmode=agent\ntarget=small\nprobe=test\ncore_hz=0\ncost=none\nbatch=2\n" event
#define MISSES BY("event=MISSES\nevery=400\n")
#define BRANCHES BY("event=BRANCHES\nevery=10\n")
#define TIME BY("")

static struct chunk_feed feed_of(const char *const *words, size_t n_words)
{
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, words, n_words);

	pt_program_unref(program);
	return f;
}

/* Of each DATA chunk, with its time: in_main samples in main, the rest of two in leaf. */
static void feed(struct chunk_feed *f, unsigned source, unsigned n_chunks, unsigned in_main)
{
	for (unsigned i = 0; i < n_chunks; i++) {
		uint8_t bytes[8];

		pt_put_le32(bytes, in_main > 0 ? MAIN : LEAF);
		pt_put_le32(bytes + 4, in_main > 1 ? MAIN : LEAF);
		chunk_put(f, source, PT_CHUNK_DATA, PT_DATA_RESTARTS, 1000 * i, 1000 * i + 1000, bytes, sizeof(bytes));
	}
	chunk_end(f, source, 1000 * n_chunks);
}

static void expect_row(const struct pt_sampled_row *row, const char *function, size_t event, uint64_t samples,
		       double share)
{
	ck_assert_str_eq(row->function->name, function);
	ck_assert_uint_eq(row->event, event);
	ck_assert_uint_eq(row->samples, samples);
	ck_assert_double_eq_tol(row->share.share, share, 1e-9);
	ck_assert(row->share.lo <= share && share <= row->share.hi);
}

/* Misses are half in each; branches and time all in leaf, which so is first. */
START_TEST(a_histogram_each)
{
	static const char *const words[] = { "analysis=standard,bins" };
	struct chunk_feed f = feed_of(words, 1);
	const struct pt_profile *p;

	chunk_config_of(&f, 0, 0, MISSES);
	chunk_config_of(&f, 1, 0, BRANCHES);
	chunk_config_of(&f, 2, 0, TIME);
	feed(&f, 0, 6, 1);
	feed(&f, 1, 4, 0);
	feed(&f, 2, 2, 0);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->sampled->n_events, 3);
	ck_assert_str_eq(p->sampled->event[1].name, "BRANCHES");
	ck_assert_uint_eq(p->sampled->event[1].every, 10);
	ck_assert_str_eq(p->sampled->event[2].name, "time");
	ck_assert_uint_eq(p->sampled->event[0].samples, 12);
	ck_assert_uint_eq(p->sampled->n_rows, 6);
	expect_row(&p->sampled->row[0], "leaf", 0, 6, 0.5);
	expect_row(&p->sampled->row[1], "leaf", 1, 8, 1);
	expect_row(&p->sampled->row[2], "leaf", 2, 4, 1);
	expect_row(&p->sampled->row[3], "main", 0, 6, 0.5);
	expect_row(&p->sampled->row[4], "main", 1, 0, 0);
	ck_assert_uint_eq(p->samples, 12);		/* the functions' own are of misses */
	ck_assert_str_eq(p->sampled_by, "MISSES");
	ck_assert_uint_eq(p->bins->hits, 12);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(is_told)
{
	static const char *const wanted[] = {
		"pc-sampling by MISSES, mode agent",
		"pc-sampling by BRANCHES, mode agent",
		"\nlost       nothing\n",
		"12 samples in 6 batches, 0 of them asleep, one per 400 MISSES",
		"8 samples, one per 10 BRANCHES",
		"\naccuracy   self % of MISSES, 95 % interval, 12 samples",
		"\nevents\n",
		"leaf      BRANCHES",
	};
	struct chunk_feed f = feed_of(NULL, 0);
	struct pt_text text = { 0 };

	chunk_config_of(&f, 0, 0, MISSES);
	chunk_config_of(&f, 1, 0, BRANCHES);
	feed(&f, 0, 6, 1);
	feed(&f, 1, 4, 0);
	chunk_report(&f, &text, "functions", "details");
	chunk_report(&f, &text, "functions", "text");
	for (size_t i = 0; i < PT_LEN(wanted); i++)
		ck_assert_msg(strstr(text.bytes, wanted[i]) != NULL, "no '%s' in %s", wanted[i], text.bytes);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* By one event the functions' table has all. */
START_TEST(one_event_is_no_table)
{
	struct chunk_feed f = feed_of(NULL, 0);
	struct pt_text text = { 0 };

	chunk_config_of(&f, 0, 0, MISSES);
	feed(&f, 0, 6, 1);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->sampled->n_rows, 0);
	chunk_report(&f, &text, "functions", "text");
	ck_assert_msg(strstr(text.bytes, "\nevents\n") == NULL, "%s", text.bytes);
	pt_text_free(&text);
	text = (struct pt_text){ 0 };
	chunk_report(&f, &text, "events", "text");
	ck_assert_msg(strstr(text.bytes, "events: nothing to show; it is of samples by several events") != NULL, "%s",
		      text.bytes);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* Two cores, each with two events: rows are of each core's own. */
START_TEST(cores_are_apart)
{
	struct chunk_feed f = feed_of(NULL, 0);
	const struct pt_profile *p;

	chunk_config_of(&f, 0, 0, MISSES);
	chunk_config_of(&f, 1, 0, BRANCHES);
	chunk_config_of(&f, 2, 1, MISSES);
	chunk_config_of(&f, 3, 1, BRANCHES);
	feed(&f, 0, 6, 1);
	feed(&f, 1, 4, 0);
	feed(&f, 2, 3, 2);
	feed(&f, 3, 3, 2);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->sampled->n_rows, 2 + 2 + 2);
	for (size_t i = 0; i < p->sampled->n_rows; i++) {
		const struct pt_sampled_row *row = &p->sampled->row[i];

		if (p->sampled->event[row->event].core == 1)
			expect_row(row, "main", row->event, 6, 1);
	}
	chunk_feed_drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sampled");
	TCase *tc = tcase_create("sampled");

	tcase_add_test(tc, a_histogram_each);
	tcase_add_test(tc, is_told);
	tcase_add_test(tc, one_event_is_no_table);
	tcase_add_test(tc, cores_are_apart);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
