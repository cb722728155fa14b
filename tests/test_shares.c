/* The 95 % intervals of shares hold the truth as often as they say: with few bursts, and where the ring of mode stream
 * overruns. Each profile begins at another place of the program and has another jitter; its truth is what the model
 * executed meanwhile. (bench_burst: more of them, function by function.) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "harness.h"
#include "isa/isa.h"
#include "profile/analyses/code/lines.h"
#include "profile/analyses/calls/tree.h"
#include "profile/analyses/signals/tasks.h"
#include "report/laws/laws_parts.h"
#include "report/report.h"
#include "report/table/order.h"
#include "report/views/views.h"
#include "tests/inline_profile.h"

#define LEAST_SHARE 0.02	/* of a function that is judged */

static const struct {
	const char *name, *link, *mode;
	uint64_t ms;
	unsigned profiles;
	double least_used, most_used;	/* bursts that shares come from, in the mean */
} rows[] = {
	{ "a handful of bursts", "bulk-fs", "mode=burst", 600, 60, 5, 10 },
	{ "overruns, read at once", "tcp", "mode=stream", 650, 40, 6, 12 },
	{ "overruns, read slowly", "bulk-fs", "mode=stream", 650, 40, 6, 12 },
};

struct verdict { unsigned intervals, covered, profiles; double bias; };

static void judge(void *arg, size_t id, const char *name, struct pt_share share, double truth)
{
	struct verdict *v = arg;

	(void)id;
	if (truth < LEAST_SHARE || isnan(share.share))	/* too few bursts: none is shown */
		return;
	v->intervals++;
	v->covered += share.lo <= truth && truth <= share.hi;
	if (strcmp(name, "fibonacci") == 0) {
		v->bias += share.share - truth;
		v->profiles++;
	}
}

static double profile(size_t row, uint64_t seed, struct verdict *v)
{
	struct inline_setup setup = { .link = rows[row].link, .words = { rows[row].mode, "mtb-size=4096" },
				      .seed = seed, .truth = true };
	struct inline_profile p;
	double used;

	inline_open(&p, &setup);
	inline_start(&p, &setup);
	inline_drain(&p, rows[row].ms * PT_NS_PER_MS);
	inline_stop(&p);
	inline_shares(&p, judge, v);
	used = (double)pt_pipeline_profile(p.pipeline)->bursts_used;
	inline_close(&p);
	return used;
}

START_TEST(intervals_hold_the_truth)
{
	struct verdict v = { 0 };
	double used = 0, bias;

	for (unsigned i = 0; i < pt_random_runs(rows[_i].profiles); i++)
		used += profile(_i, i + 1, &v) / rows[_i].profiles;
	if (PT_SANITIZED)
		return;
	ck_assert_uint_ge(v.profiles, rows[_i].profiles / 2);
	bias = 100 * v.bias / v.profiles;
	ck_assert_msg(used >= rows[_i].least_used && used <= rows[_i].most_used, "%s: %.1f bursts", rows[_i].name,
		      used);
	ck_assert_msg(v.covered >= 0.93 * v.intervals,
		      "%s: %.1f %% of %u intervals hold the truth; fibonacci %+.1f points", rows[_i].name,
		      100.0 * v.covered / v.intervals, v.intervals, bias);
	ck_assert_msg(bias > -6 && bias < 6, "%s: fibonacci %+.1f points", rows[_i].name, bias);
}
END_TEST

/* --- a program that does the same every 12 ms, to the cycle of a clock that is in step with the probe's */

static const struct { const char *mode; uint64_t ms; double early_within; } in_step[] = {
	{ "mode=burst", 20000, 0.05 },
	{ "mode=stream", 10000, 0.07 },
};

static void see_early(void *arg, size_t id, const char *name, struct pt_share share, double truth)
{
	double *off = arg;

	(void)id;
	if (strcmp(name, "early") == 0)
		*off += share.share - truth;
}

/* How far off the shares are: of the time awake, and asleep. */
static void look_in_step(unsigned row, uint64_t seed, double *early, double *asleep)
{
	enum { PERIOD = 576000, AWAKE = 172860 };	/* cycles, as the board counts them */
	char elf[512];
	struct inline_setup setup = { .link = "bulk-fs", .elf = elf, .seed = seed, .truth = true,
				      .words = { in_step[row].mode } };
	struct inline_profile p;

	snprintf(elf, sizeof(elf), "%s/tests/firmware/periodic.elf", getenv("srcdir") != NULL ? getenv("srcdir") : ".");
	inline_open(&p, &setup);
	inline_start(&p, &setup);
	inline_drain(&p, in_step[row].ms * PT_NS_PER_MS);
	inline_stop(&p);
	inline_shares(&p, see_early, early);
	*asleep += pt_pipeline_profile(p.pipeline)->core[0].asleep.share - (1 - (double)AWAKE / PERIOD);
	inline_close(&p);
}

START_TEST(no_part_of_a_periodic_program_is_favoured)
{
	enum { SEEDS = 5 };
	double early = 0, asleep = 0;

	for (uint64_t seed = 1; seed <= pt_random_runs(SEEDS); seed++)
		look_in_step((unsigned)_i, seed, &early, &asleep);
	if (PT_SANITIZED)
		return;
	ck_assert_msg(fabs(early / SEEDS) < in_step[_i].early_within, "%s: early %+.3f", in_step[_i].mode,
		      early / SEEDS);
	ck_assert_msg(fabs(asleep / SEEDS) < 0.03, "%s: asleep %+.3f", in_step[_i].mode, asleep / SEEDS);
}
END_TEST

/* --- samples and bursts side by side */

/* With beat.elf a handler of 3.8 % has 1.5 % for being entered, which samples, and the board's own count, have where it
 * interrupted. */
static const struct { const char *elf; uint64_t ms; unsigned profiles; double width; } together[] = {
	{ "demo.elf", 1000, 15, 0.16 },
	{ "beat.elf", 600, 12, 0.08 },
};

struct both { unsigned intervals, covered; double width, handler; };

static double truth_of(struct pt_vtruth *truth, const struct pt_function *f, bool handler)
{
	enum { ENTRY = 15 };
	uint32_t from = (uint32_t)f->address;
	uint64_t entered = handler ? pt_vtruth_sum(truth, from, from + 2).instructions * ENTRY : 0;

	return (double)(pt_vtruth_sum(truth, from, from + (uint32_t)f->size).cycles + entered) /
	       (double)pt_vtruth_total(truth).cycles;
}

static void judge_both(struct both *v, const struct pt_profile *p, struct pt_vtruth *truth, bool beat)
{
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct pt_profile_function *f = &p->function[i];
		bool handler = f->function != NULL && strcmp(f->function->name, "SysTick_Handler") == 0;
		double is;

		if (f->function == NULL || beat != handler)
			continue;	/* of beat.elf's others nobody counted how often they were interrupted */
		is = truth_of(truth, f->function, handler);
		if (handler)
			v->handler += f->share.share - is;
		if (is < LEAST_SHARE)
			continue;
		v->intervals++;
		v->covered += f->share.lo <= is && is <= f->share.hi;
		v->width = fmax(v->width, f->share.hi - f->share.lo);
	}
}

static void profile_both(unsigned row, uint64_t seed, struct both *v)
{
	char elf[512];
	struct inline_setup setup = { .source = "mtb+pcsr", .elf = elf, .seed = seed, .truth = true,
				      .uri = "&core-drift=30" };
	struct inline_profile p;

	snprintf(elf, sizeof(elf), "%s/tests/firmware/%s", getenv("srcdir") != NULL ? getenv("srcdir") : ".",
		 together[row].elf);
	inline_open(&p, &setup);
	pt_pipeline_set_isa(p.pipeline, pt_isa_thumb_v6m.name);	/* as a session says */
	inline_start(&p, &setup);
	inline_drain(&p, together[row].ms * PT_NS_PER_MS);
	inline_stop(&p);
	judge_both(v, pt_pipeline_profile(p.pipeline), &p.truth, strcmp(together[row].elf, "beat.elf") == 0);
	ck_assert_ptr_nonnull(pt_pipeline_profile(p.pipeline)->core[0].calibration);
	ck_assert_ptr_null(pt_pipeline_profile(p.pipeline)->contradiction);
	inline_close(&p);	/* checks the laws: one share in all tables */
}

START_TEST(samples_and_bursts_make_one_estimate)
{
	struct both v = { 0 };

	for (unsigned i = 0; i < pt_random_runs(together[_i].profiles); i++)
		profile_both((unsigned)_i, i + 1, &v);
	if (PT_SANITIZED)
		return;
	ck_assert_msg(v.covered >= 0.93 * v.intervals, "%s: %u of %u intervals hold the truth", together[_i].elf,
		      v.covered, v.intervals);
	ck_assert_msg(v.width < together[_i].width, "%s: %.3f wide", together[_i].elf, v.width);
	ck_assert_msg(fabs(v.handler / together[_i].profiles) < 0.002, "%s: the handler is %+.4f off", together[_i].elf,
		      v.handler / together[_i].profiles);
}
END_TEST

/* Snapshots of the S12Z's buffer agree so well that bursts alone leave little open; but how much a function takes is
 * what samples say, so no chain of calls is surer than samples are of the function at its end. */
START_TEST(chains_are_no_surer_than_their_function)
{
	char elf[512];
	struct inline_setup setup = { .board = "s12zvm", .source = "dbg-profile+sync-pc", .elf = elf, .seed = 1,
				      .uri = "&pdoe0=holds" };
	struct inline_profile p;
	const struct pt_profile *profile;
	unsigned n = 0;

	snprintf(elf, sizeof(elf), "%s/tests/firmware/s12z_demo.elf",
		 getenv("srcdir") != NULL ? getenv("srcdir") : ".");
	inline_open(&p, &setup);
	inline_start(&p, &setup);
	inline_drain(&p, 2 * PT_NS_PER_S);
	inline_stop(&p);
	profile = pt_pipeline_profile(p.pipeline);
	ck_assert(profile->core[0].windowed);
	ck_assert_msg(profile->tree->node[0].gross_share.lo == 1 && profile->tree->node[0].gross_share.hi == 1,
		      "all of it is %g to %g of it", profile->tree->node[0].gross_share.lo,
		      profile->tree->node[0].gross_share.hi);
	for (size_t i = 1; i < profile->tree->n_nodes; i++) {
		const struct pt_tree_node *node = &profile->tree->node[i];
		const struct pt_share *own =
			node->function != PT_NO_FUNCTION ? &profile->core[0].calibration[node->function].share : NULL;

		if (own == NULL || !(node->net_share.share > 0) || !(own->share > 0))
			continue;
		n++;
		ck_assert_msg(node->net_share.lo / node->net_share.share <= own->lo / own->share + 1e-9,
			      "node %zu: at least %.3f of its share, its function %.3f", i,
			      node->net_share.lo / node->net_share.share, own->lo / own->share);
	}
	ck_assert_uint_gt(n, 20);
	inline_close(&p);
}
END_TEST

/* The first instruction of a handler has what entering it takes, which only the bursts know: how sure they are of that is
 * in its limits. */
START_TEST(a_handlers_first_instruction_is_no_surer_than_its_entries)
{
	char elf[512];
	struct inline_setup setup = { .source = "mtb+pcsr", .elf = elf, .seed = 2, .uri = "&core-drift=30" };
	struct inline_profile p;
	const struct pt_profile *profile;
	const struct pt_function *functions;
	size_t n_functions;
	unsigned n = 0;

	snprintf(elf, sizeof(elf), "%s/tests/firmware/demo.elf", getenv("srcdir") != NULL ? getenv("srcdir") : ".");
	inline_open(&p, &setup);
	pt_pipeline_set_isa(p.pipeline, pt_isa_thumb_v6m.name);
	inline_start(&p, &setup);
	inline_drain(&p, 600 * PT_NS_PER_MS);
	inline_stop(&p);
	profile = pt_pipeline_profile(p.pipeline);
	ck_assert(profile->core[0].windowed && profile->lines != NULL);
	functions = pt_program_functions(profile->program, &n_functions);
	for (size_t i = 0; i < profile->lines->n_insns; i++) {
		const struct pt_lines_insn *insn = &profile->lines->insn[i];
		const struct pt_calibration *c = &profile->core[0].calibration[insn->function];

		if (insn->function == PT_NO_FUNCTION || !(c->entered > 0) ||
		    insn->address != functions[insn->function - 1].address)
			continue;
		n++;
		ck_assert(c->entered_error > 0);
		ck_assert_msg(insn->share.share - insn->share.lo >= fmin(insn->share.share, c->entered_error) - 1e-9,
			      "%.5f, at least %.5f, entered to within %.5f", insn->share.share, insn->share.lo,
			      c->entered_error);
	}
	ck_assert_uint_gt(n, 0);
	inline_close(&p);
}
END_TEST

/* Counts of lines, instructions and inlined calls are estimates with intervals: here of each function's first instruction,
 * which its own counter in RAM tells of. */
START_TEST(counts_of_instructions_hold_the_truth)
{
	enum { PROFILES = 12 };
	unsigned judged = 0, held = 0;

	for (uint64_t seed = 1; seed <= pt_random_runs(PROFILES); seed++) {
		struct inline_setup setup = { .source = "mtb", .words = { "mode=burst" }, .seed = seed };
		const struct pt_function *functions;
		uint32_t before[64] = { 0 }, after;
		struct inline_profile p;
		const struct pt_lines_insn *insn;
		size_t n;

		inline_open(&p, &setup);
		functions = pt_program_functions(p.program, &n);
		for (size_t i = 0; i < n && i < PT_LEN(before); i++)
			inline_counter(&p, functions[i].address, &before[i]);
		inline_start(&p, &setup);
		inline_drain(&p, PT_NS_PER_S);
		inline_stop(&p);
		for (size_t i = 0; i < n && i < PT_LEN(before); i++) {
			insn = pt_lines_insn_at(pt_pipeline_profile(p.pipeline)->lines, functions[i].address);
			if (insn == NULL || isnan(insn->executed.value) ||
			    !inline_counter(&p, functions[i].address, &after))
				continue;
			judged++;
			held += insn->executed.lo <= after - before[i] && after - before[i] <= insn->executed.hi;
		}
		inline_close(&p);
	}
	if (PT_SANITIZED)
		return;
	ck_assert_uint_gt(judged, 15 * PROFILES);
	ck_assert_msg(held >= 0.93 * judged, "%u of %u", held, judged);
}
END_TEST

/* The same in the table and in the annotated source: no count of bursts without its interval, or its sign. */
START_TEST(counts_of_lines_say_what_they_are)
{
	static const struct pt_query annotate = { .format = "annotate" };
	struct inline_setup setup = { .source = "mtb", .words = { "mode=burst" }, .seed = 3 };
	const struct pt_view *view = pt_view_find("lines");
	struct pt_value values[PT_LAW_COLUMNS];
	const struct pt_profile *profile;
	struct inline_profile p;
	struct pt_text out = { 0 };
	int count = pt_view_column(view, "count"), marked = 0;

	inline_open(&p, &setup);
	inline_start(&p, &setup);
	inline_drain(&p, (_i == 0 ? 1000 : 40) * PT_NS_PER_MS);
	inline_stop(&p);
	profile = pt_pipeline_profile(p.pipeline);
	ck_assert(profile->core[0].windowed == (_i == 0));
	for (size_t i = 0; i < view->n_rows(profile); i++) {
		view->row(profile, i, values);
		if (values[count].u == PT_UNKNOWN)
			continue;
		ck_assert(values[count].at_least == (_i == 1));
		ck_assert(_i == 1 ||
			  (values[count].basis == PT_BASIS_ESTIMATED && values[count].lo < values[count].hi));
		marked++;
	}
	ck_assert_int_gt(marked, 50);
	ck_assert_int_eq(pt_report_render(profile, &annotate, &out, NULL), 0);
	ck_assert((strstr(out.bytes, "≥") != NULL) == (_i == 1));
	ck_assert((strstr(out.bytes, "% (") != NULL || strstr(out.bytes, "%   (") != NULL) == (_i == 0));
	ck_assert((strstr(out.bytes, "0.0% ") != NULL) == (_i == 0));	/* a tally makes no share */
	pt_text_free(&out);
	inline_close(&p);
}
END_TEST

/* A task is what each function was of it, and functions have the samples' shares. Lines, too, of which some are inlined in
 * several functions, have the same sum: the laws say so at the end. */
START_TEST(tasks_are_fitted_to_samples)
{
	char elf[512];
	struct inline_setup setup = { .source = "mtb+pcsr", .elf = elf, .seed = 1, .uri = "&core-drift=30",
				      .analysis = "analysis=tasks,lines" };
	struct inline_profile p;
	const struct pt_profile *profile;
	double sum = 0, off = 0;

	snprintf(elf, sizeof(elf), "%s/tests/firmware/tasks.elf", getenv("srcdir") != NULL ? getenv("srcdir") : ".");
	inline_open(&p, &setup);
	pt_pipeline_set_isa(p.pipeline, pt_isa_thumb_v6m.name);
	inline_start(&p, &setup);
	inline_drain(&p, 1500 * PT_NS_PER_MS);
	inline_stop(&p);
	profile = pt_pipeline_profile(p.pipeline);
	ck_assert(profile->core[0].windowed);
	ck_assert_uint_gt(profile->tasks->n_tasks, 2);
	ck_assert_uint_gt(profile->tasks->n_parts, 10);
	for (size_t i = 0; i < profile->tasks->n_tasks; i++) {
		const struct pt_task *task = &profile->tasks->task[i];
		double load = pt_task_load(profile->tasks, task);

		sum += load;
		ck_assert_msg(task->share.lo <= load + 1e-6 && load <= task->share.hi + 1e-6, "%s: %.4f (%.4f to %.4f)",
			      task->name, load, task->share.lo, task->share.hi);
	}
	for (size_t id = 0; id < profile->n_functions; id++)	/* bursts alone say something else */
		off = fmax(off, fabs(profile->function[id].share.share -
				     profile->core[0].calibration[profile->function[id].id].by_bursts.share));
	ck_assert(off > 1e-3);
	ck_assert_double_eq_tol(sum, 1, 1e-6);
	inline_close(&p);	/* checks the laws: functions have the same share in all tasks together */
}
END_TEST

/* Samples that all say one thing, as of a core that tells another pc than it has. */
static void spoil(void *arg, const struct pt_chunk *chunk)
{
	struct pt_chunk *own = ((struct inline_profile *)arg)->chunk;

	if (chunk != own || chunk->source != 1 || chunk->kind != PT_CHUNK_DATA)
		return;
	for (uint32_t at = 0; at + 4 <= chunk->len_bytes; at += 4)
		pt_put_le32(own->bytes + at, 0x450);	/* in a handler */
}

START_TEST(sources_that_contradict_each_other_are_told)
{
	char elf[512];
	struct inline_setup setup = { .source = "mtb+pcsr", .elf = elf, .seed = 1, .uri = "&core-drift=30" };
	struct inline_profile p;
	const char *said;

	snprintf(elf, sizeof(elf), "%s/tests/firmware/beat.elf", getenv("srcdir") != NULL ? getenv("srcdir") : ".");
	inline_open(&p, &setup);
	pt_pipeline_set_isa(p.pipeline, pt_isa_thumb_v6m.name);
	p.see = spoil;
	p.see_arg = &p;
	inline_start(&p, &setup);
	inline_drain(&p, 600 * PT_NS_PER_MS);
	inline_stop(&p);
	said = pt_pipeline_profile(p.pipeline)->contradiction;
	ck_assert_ptr_nonnull(said);
	ck_assert_msg(strstr(said, "samples and bursts differ by more than chance explains") != NULL, "%s", said);
	inline_close(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shares");
	TCase *tc = tcase_create("shares");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, intervals_hold_the_truth, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, samples_and_bursts_make_one_estimate, 0, PT_LEN(together));
	tcase_add_test(tc, chains_are_no_surer_than_their_function);
	tcase_add_test(tc, tasks_are_fitted_to_samples);
	tcase_add_test(tc, counts_of_instructions_hold_the_truth);
	tcase_add_loop_test(tc, counts_of_lines_say_what_they_are, 0, 2);
	tcase_add_test(tc, sources_that_contradict_each_other_are_told);
	tcase_add_loop_test(tc, no_part_of_a_periodic_program_is_favoured, 0, PT_LEN(in_step));
	suite_add_tcase(suite, tc);
	tc = tcase_create("entries");
	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, a_handlers_first_instruction_is_no_surer_than_its_entries);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
