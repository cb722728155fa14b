/* One stream of the demo firmware, analysed in three ways: what two of them can know must be the same. All of it is
 * seen (mode halt, from reset), so every entry has its exit but for what is open at the end. */
#include <string.h>

#include "harness.h"
#include "profile/analyses/calls/spans.h"
#include "tests/inline_profile.h"

enum { EXECUTION, ENTRY_EXIT, RANGE, ALL, WAYS };
static const char *const words[WAYS] = {
	"analysis=execution", "analysis=entry-exit", "analysis=range", "analysis=execution,range,entry-exit",
};

struct ways { struct pt_pipeline *pipeline[WAYS]; };

static void see(void *arg, const struct pt_chunk *chunk)
{
	const struct ways *ways = arg;

	for (size_t i = 0; i < WAYS; i++)
		pt_pipeline_feed(ways->pipeline[i], chunk);
}

static void open_ways(struct ways *ways, struct pt_program *program)
{
	struct pt_err err = { 0 };

	for (size_t i = 0; i < WAYS; i++) {
		struct pt_params *params = pt_params_new();

		ck_assert_msg(pt_pipeline_add(params, words[i], &err) == 0, "%s", err.msg);
		ways->pipeline[i] = pt_pipeline_new(program, params, &err);
		ck_assert_msg(ways->pipeline[i] != NULL, "%s: %s", words[i], err.msg);
		pt_params_free(params);
	}
}

static const struct pt_execution_function *run_of(const struct pt_profile *p, size_t id)
{
	static const struct pt_execution_function none;

	return p->by_id[id] != NULL ? p->by_id[id]->run : &none;
}

static bool tail_calls(const struct pt_profile *p, uint16_t id)	/* its call ends where the tail call begins */
{
	return strcmp(p->by_id[id]->function->name, "forward") == 0;
}

/* Of whole invocations where all functions are looked at, net and gross are the same in both. */
static void compare_entry_exit(const struct pt_profile *execution, const struct pt_profile *spans)
{
	size_t n = 0;

	for (uint16_t id = 1; id < execution->n_ids; id++) {
		const struct pt_execution_function *x = run_of(execution, id), *s = run_of(spans, id);
		const char *name = execution->by_id[id] != NULL ? execution->by_id[id]->function->name : "?";

		ck_assert_msg(x->count == s->count, "%s: %u entries, %u", name, (unsigned)x->count, (unsigned)s->count);
		if (x->count == 0 || tail_calls(execution, id))
			continue;
		ck_assert_msg(x->stat[PT_TALLY_NET].n == s->stat[PT_TALLY_NET].n, "%s: %u whole, %u", name,
			      (unsigned)x->stat[PT_TALLY_NET].n, (unsigned)s->stat[PT_TALLY_NET].n);
		n += x->stat[PT_TALLY_CALL].total == s->stat[PT_TALLY_CALL].total && x->stat[PT_TALLY_CALL].n > 0;
	}
	ck_assert_uint_ge(n, 30);
	for (size_t e = 0; e < PT_N_SPAN_ERRORS; e++)
		ck_assert_uint_eq(spans->spans->errors[e], 0);
}

static void compare_range(const struct pt_profile *execution, const struct pt_profile *range)
{
	for (size_t id = 0; id < execution->n_ids; id++) {
		ck_assert_uint_eq(run_of(execution, id)->instructions, run_of(range, id)->instructions);
		ck_assert_uint_eq(run_of(execution, id)->cycles, run_of(range, id)->cycles);
		ck_assert(run_of(range, id)->count + run_of(range, id)->partial > 0 ||
			  run_of(execution, id)->count == 0);
	}
	ck_assert_uint_eq(execution->instructions, range->instructions);
	ck_assert_uint_eq(execution->cycles, range->cycles);
}

START_TEST(agree)
{
	struct inline_setup setup = { .seed = 5, .reset = true, .words = { "mode=halt", "mtb-size=4096" } };
	const struct pt_profile *execution, *spans, *range, *all;
	struct inline_profile p;
	struct ways ways;

	inline_open(&p, &setup);
	open_ways(&ways, p.program);
	p.see = see;
	p.see_arg = &ways;
	inline_start(&p, &setup);
	inline_drain(&p, 300 * PT_NS_PER_MS);
	inline_halt(&p);
	inline_stop(&p);
	execution = pt_pipeline_profile(ways.pipeline[EXECUTION]);
	spans = pt_pipeline_profile(ways.pipeline[ENTRY_EXIT]);
	range = pt_pipeline_profile(ways.pipeline[RANGE]);
	all = pt_pipeline_profile(ways.pipeline[ALL]);
	ck_assert_str_eq(execution->analysis, "execution");
	ck_assert_str_eq(spans->analysis, "entry-exit");
	ck_assert_str_eq(range->analysis, "range");
	ck_assert_str_eq(all->analysis, "execution");
	ck_assert(execution->spans == NULL && execution->ranges == NULL);
	ck_assert(all->spans != NULL && all->ranges != NULL);
	compare_range(execution, range);
	compare_entry_exit(execution, spans);
	compare_entry_exit(execution, all);
	for (size_t i = 0; i < WAYS; i++)
		pt_pipeline_free(ways.pipeline[i]);
	inline_close(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("three ways");
	TCase *tc = tcase_create("three ways");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, agree);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
