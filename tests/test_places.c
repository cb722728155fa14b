/* Shares of lines and instructions from pc samples: what the virtual board counted itself lies in their intervals. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "profile/analyses/code/bins.h"
#include "profile/stats/places.h"
#include "program/model/linetable.h"
#include "report/report.h"
#include "tests/inline_profile.h"

enum { RUN_MS = 4000, ROOM_FOR = 128, SHORT_RUNS = 30, SHORT_MS = 300 };

/* Cycles that the board counted in code of this line. */
static uint64_t truth_of_line(struct inline_profile *p, uint32_t file, uint32_t line)
{
	uint64_t cycles = 0;
	size_t n;
	const struct pt_line_range *range = pt_program_lines(p->program, &n);

	for (size_t i = 0; i < n; i++)
		if (range[i].file == file && range[i].line == line)
			cycles += pt_vtruth_sum(&p->truth, (uint32_t)range[i].from, (uint32_t)range[i].to).cycles;
	return cycles;
}

static const struct pt_profile_place *row_of_line(const struct pt_profile *profile, uint64_t key)
{
	for (size_t i = 0; i < profile->n_sampled_lines; i++)
		if (profile->sampled_line[i].place.key == key)
			return &profile->sampled_line[i];
	return NULL;
}

/* Each line that took more than a percent: has a row, and nearly all intervals hold what the board counted. */
static void judge_lines(struct inline_profile *p, const struct pt_profile *profile)
{
	double all = (double)pt_vtruth_total(&p->truth).cycles;
	size_t n, looked_at = 0, held = 0;
	struct pt_code_line *line = pt_program_code_lines(p->program, &n);

	ck_assert_ptr_nonnull(line);
	for (size_t i = 0; i < n; i++) {
		double truth = (double)truth_of_line(p, line[i].file, line[i].line) / all;
		const struct pt_profile_place *row =
			row_of_line(profile, ((uint64_t)line[i].file << 32) + line[i].line);

		if (truth < 0.01)
			continue;
		ck_assert_msg(row != NULL, "line %u, %.3f of the time, was not found", line[i].line, truth);
		looked_at++;
		held += truth >= row->place.share.lo && truth <= row->place.share.hi;
	}
	free(line);
	ck_assert_uint_ge(looked_at, 15);
	ck_assert_msg(10 * held >= 9 * looked_at, "%zu of %zu intervals hold the truth", held, looked_at);
}

/* Instructions of a function add up to its samples. */
static void judge_instructions(const struct pt_profile *profile)
{
	uint64_t all = 0;

	for (size_t i = 0; i < profile->n_functions; i++) {
		uint64_t sum = 0;

		for (size_t k = 0; k < profile->n_sampled_insns; k++)
			if (profile->sampled_insn[k].function == profile->function[i].id)
				sum += profile->sampled_insn[k].place.samples;
		if (profile->function[i].id != PT_NO_FUNCTION)
			ck_assert_uint_eq(sum, profile->function[i].samples);
		all += sum;
	}
	ck_assert_uint_gt(all, 1000);
}

/* The annotated source has the interval of each line with samples. */
static void judge_annotated(const struct pt_profile *profile)
{
	static const struct pt_query annotate = { .format = "annotate" };
	struct pt_text out = { 0 };
	struct pt_err err = { 0 };

	ck_assert_msg(pt_report_render(profile, &annotate, &out, &err) == 0, "%s", err.msg);
	for (size_t i = 0; i < profile->n_sampled_lines; i++) {
		const struct pt_place *place = &profile->sampled_line[i].place;
		char want[80];

		snprintf(want, sizeof(want), "%5.1f%% %4s(%.1f-%.1f) %5u  ", 100 * place->share.share, "",
			 100 * place->share.lo, 100 * place->share.hi, (unsigned)place->key);
		if (place->share.hi < 0.095)	/* as wide as most are */
			ck_assert_msg(strstr(out.bytes, want) != NULL, "no \"%s\" in %s", want, out.bytes);
	}
	ck_assert_ptr_nonnull(strstr(out.bytes, "self %          95 %  line\n"));
	pt_text_free(&out);
}

struct handlers { size_t looked_at, held; };

/* SysTick's takes half a microsecond every millisecond: samples at distances that are in step with the core's clock
 * would meet it always or never. */
static void see_handler(void *arg, size_t id, const char *name, struct pt_share share, double truth)
{
	struct handlers *seen = arg;

	(void)id;
	if (strstr(name, "Handler") == NULL || truth == 0)
		return;
	seen->looked_at++;
	seen->held += truth >= share.lo && truth <= share.hi;
}

START_TEST(lines_of_samples_hold_the_truth)
{
	struct inline_setup setup = { .source = "pcsr", .seed = (uint64_t)_i + 1, .truth = true,
				      .uri = "&core-drift=30" };
	struct inline_profile p;
	const struct pt_profile *profile;
	struct handlers handlers = { 0 };

	inline_open(&p, &setup);
	inline_start(&p, &setup);
	inline_drain(&p, RUN_MS * PT_NS_PER_MS);
	inline_stop(&p);
	profile = pt_pipeline_profile(p.pipeline);
	judge_lines(&p, profile);
	judge_instructions(profile);
	judge_annotated(profile);
	inline_shares(&p, see_handler, &handlers);
	ck_assert_uint_ge(handlers.looked_at, 3);
	ck_assert_msg(handlers.held == handlers.looked_at, "%zu of %zu handlers", handlers.held, handlers.looked_at);
	inline_close(&p);
}
END_TEST

/* --- many short profiles */

struct coverage { size_t looked_at, held; };

static void judge_share(struct coverage *c, double truth, struct pt_share share)
{
	if (truth < 0.01)
		return;
	c->looked_at++;
	c->held += truth >= share.lo && truth <= share.hi;
}

/* What the same samples would say if they were independent of each other. */
static struct pt_share as_independent(double share, uint64_t samples)
{
	struct pt_cluster_total total = { .n = samples, .y = (double)samples, .yy = (double)samples };
	double x = share * (double)samples;

	return pt_cluster_share(&total, &(struct pt_cluster_sum){ x, x, x });
}

static void judge_bins(struct inline_profile *p, const struct pt_profile *profile, struct coverage *batches,
		       struct coverage *independent)
{
	double all = (double)pt_vtruth_total(&p->truth).cycles;
	size_t n;
	const struct pt_function *f = pt_program_functions(p->program, &n);

	for (size_t i = 0; i < profile->bins->n_functions; i++) {
		const struct pt_bins_function *row = &profile->bins->function[i];
		const struct pt_function *of;
		double truth;

		if (row->function == PT_NO_FUNCTION)
			continue;
		of = &f[row->function - 1];
		truth = (double)pt_vtruth_sum(&p->truth, (uint32_t)of->address, (uint32_t)(of->address + of->size))
				.cycles /
			all;
		judge_share(batches, truth, row->share);
		judge_share(independent, truth, as_independent(row->share.share, profile->bins->hits));
		ck_assert_double_eq(row->share.lo, profile->by_id[row->function]->share.lo);
		ck_assert_double_eq(row->share.hi, profile->by_id[row->function]->share.hi);
	}
}

static void judge_sampled_lines(struct inline_profile *p, const struct pt_profile *profile, struct coverage *c)
{
	double all = (double)pt_vtruth_total(&p->truth).cycles;

	for (size_t i = 0; i < profile->n_sampled_lines; i++) {
		const struct pt_place *place = &profile->sampled_line[i].place;

		judge_share(c, (double)truth_of_line(p, (uint32_t)(place->key >> 32), (uint32_t)place->key) / all,
			    place->share);
	}
}

/* Intervals of 95 % hold what the board itself counted in 90 % of cases at least; taken for independent, the same
 * samples have intervals that do not. */
START_TEST(short_profiles)
{
	struct coverage bins = { 0 }, independent = { 0 }, lines = { 0 };

	for (unsigned seed = 1; seed <= pt_random_runs(SHORT_RUNS); seed++) {
		struct inline_setup setup = { .source = "pcsr", .seed = seed, .truth = true };
		struct inline_profile p;
		const struct pt_profile *profile;

		inline_open(&p, &setup);
		inline_start(&p, &setup);
		inline_drain(&p, SHORT_MS * PT_NS_PER_MS);
		inline_stop(&p);
		profile = pt_pipeline_profile(p.pipeline);
		judge_bins(&p, profile, &bins, &independent);
		judge_sampled_lines(&p, profile, &lines);
		inline_close(&p);
	}
	if (PT_SANITIZED)
		return;
	ck_assert_uint_ge(bins.looked_at, 5 * SHORT_RUNS);
	ck_assert_uint_ge(lines.looked_at, 10 * SHORT_RUNS);
	ck_assert_msg(10 * bins.held >= 9 * bins.looked_at, "%zu of %zu of bins", bins.held, bins.looked_at);
	ck_assert_msg(10 * lines.held >= 9 * lines.looked_at, "%zu of %zu of lines", lines.held, lines.looked_at);
	ck_assert_msg(10 * independent.held < 9 * independent.looked_at, "%zu of %zu if independent", independent.held,
		      independent.looked_at);
}
END_TEST

/* --- bounds */

/* More places than there is room for are in the sum, and have no row. */
START_TEST(bounded)
{
	struct pt_places *places = pt_places_new();
	double sum = 0;

	for (uint64_t key = 1; key <= PT_PLACES_MAX + ROOM_FOR; key++) {
		pt_places_sample(places, pt_places_number(places, key << 32, key));
		pt_places_sample(places, pt_places_number(places, 0, key));
		pt_places_end_batch(places);
	}
	ck_assert_uint_eq(pt_places_n(places), PT_PLACES_MAX);
	for (size_t i = 0; i < pt_places_n(places); i++) {
		struct pt_place place = pt_places_at(places, i);

		ck_assert_uint_eq(place.samples, 1);
		ck_assert_uint_eq(place.address, i + 1);
		sum += place.share.share;
	}
	ck_assert_double_eq_tol(sum, 0.5 * PT_PLACES_MAX / (PT_PLACES_MAX + ROOM_FOR), 1e-9);
	pt_places_free(places);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("places");
	TCase *tc = tcase_create("places");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, lines_of_samples_hold_the_truth, 0, 3);
	tcase_add_test(tc, short_profiles);
	tcase_add_test(tc, bounded);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
