/* core= of the e500's sources on a board with two cores: each core's counts are what its own performance monitor and its
 * own core have, rows of two cores are never one, and each has its registers back. */
#include "e500_counters_rig.h"
#include "trace/loss.h"
#include "targets/e500/trace/sources.h"

enum { CORES = 2, ROUNDS_EACH = 10, INSTRUCTIONS = 2, CYCLES_A_STEP = STEP_NS / 10 };

static const char *const two_cores[] = { "cores=2", NULL };

static uint32_t pmr_of(unsigned core, unsigned pmr)
{
	uint32_t value = 0;

	ck_assert(pt_ve500_pm_read(&there.chip->node[core].pm, pmr, &value));
	return value;
}

static void begin(const char *const *source_words, size_t n)
{
	attach_to("modern", two_cores, with_ram, PT_LEN(with_ram));
	for (unsigned core = 0; core < CORES; core++)
		ck_assert(pt_ve500_pm_write(&there.chip->node[core].pm, PT_E500_PMLCA0 + 1, 0x80070000 + core));
	ck_assert_int_eq(target->ops->resume(target->state, 0, &(struct pt_err){ 0 }), 0);
	start(source_words, n);
}

static void end(void)
{
	stop();
	for (unsigned core = 0; core < CORES; core++) {
		ck_assert_uint_eq(pmr_of(core, PT_E500_PMLCA0 + 1), 0x80070000);	/* no bit below is there */
		ck_assert_uint_eq(pmr_of(core, PT_E500_PMLCA0 + 3), 0);
		ck_assert_uint_eq(pmr_of(core, PT_E500_PMGC0), 0);
	}
	leave();
}

static void check_near(uint64_t value, uint32_t now)
{
	ck_assert_uint_le(value, now);
	ck_assert_uint_le(now - value, 2 * CYCLES_A_STEP);
}

/* The last records of a counter: time passes with packets alone, so the core still has that much, or is a step on. */
static void check_last(const struct pt_chunk *chunk, const struct pt_e500_counting *c)
{
	struct record record[64];
	size_t n = records_of(chunk, record, PT_LEN(record));

	ck_assert_uint_ge(n, c->n);
	pthread_mutex_lock(&there.lock);
	for (size_t i = n - c->n; i < n; i++)
		for (size_t k = 0; k < c->n_places; k++)
			if (c->place[k].want == record[i].counter)
				check_near(record[i].value, pmr_of(chunk->core, PT_E500_PMC0 + c->place[k].pmc));
	pthread_mutex_unlock(&there.lock);
}

START_TEST(counters_of_all)
{
	static const char *const source_words[] = { "core=all", "events=instructions,branches,cycles", "period=1ms",
						    "chain=off" };
	unsigned n_read[CORES] = { 0 };
	struct pt_e500_counting c;

	begin(source_words, PT_LEN(source_words));
	c = plan_of();
	for (unsigned round = 0; round < CORES * ROUNDS_EACH; round++) {
		const struct pt_chunk *chunk;

		drain();
		chunk = last_data();
		ck_assert_uint_lt(chunk->core, CORES);
		ck_assert_uint_eq(chunk->source, chunk->core);
		check_last(chunk, &c);
		n_read[chunk->core]++;
	}
	ck_assert_uint_gt(n_read[0], ROUNDS_EACH / 2);
	ck_assert_uint_gt(n_read[1], ROUNDS_EACH / 2);
	end();
}
END_TEST

/* One of them: the other is not touched. */
START_TEST(counters_of_one)
{
	static const char *const source_words[] = { "core=1", "events=instructions", "period=1ms" };

	begin(source_words, PT_LEN(source_words));
	for (unsigned round = 0; round < ROUNDS_EACH; round++) {
		drain();
		ck_assert_uint_eq(last_data()->core, 1);
	}
	pthread_mutex_lock(&there.lock);
	ck_assert_uint_eq(pmr_of(1, PT_E500_PMLCA0 + 3), FCM1 | INSTRUCTIONS << 16);
	ck_assert_uint_eq(pmr_of(0, PT_E500_PMLCA0 + 3), 0);
	pthread_mutex_unlock(&there.lock);
	end();
}
END_TEST

/* Windows that each core ends by itself: as many events as were asked for, of its own. */
START_TEST(windows_of_all)
{
	static const char *const source_words[] = { "core=all", "until=branches:700", "events=instructions",
						    "period=1ms" };
	uint64_t last[CORES][2] = { { 0 } }, n_windows[CORES] = { 0 };
	struct record record[64];

	begin(source_words, PT_LEN(source_words));
	for (unsigned round = 0; round < 4 * CORES * ROUNDS_EACH; round++)
		drain();
	for (size_t at = 0; at < sink.n_chunks; at++) {
		unsigned core = sink.chunk[at]->core;
		size_t n =
			sink.chunk[at]->kind == PT_CHUNK_DATA ? records_of(sink.chunk[at], record, PT_LEN(record)) : 0;

		for (size_t i = 0; i < n; i++) {
			if (record[i].counter < 2)
				last[core][record[i].counter] = record[i].value;
			if (record[i].counter != 3 || record[i].value == n_windows[core])
				continue;
			ck_assert_uint_eq(last[core][0], 700);
			ck_assert_uint_gt(last[core][1], 700);
			n_windows[core] = record[i].value;
		}
	}
	ck_assert_uint_gt(n_windows[0], 3);
	ck_assert_uint_gt(n_windows[1], 3);
	end();
}
END_TEST

static const struct { const char *word, *says; } wrong[] = {
	{ "core=2", "core=2: the GDB server has cores 0 to 1, or all" },
	{ "core=both", "core=both: the GDB server has cores 0 to 1, or all" },
};

START_TEST(no_such_core)
{
	const struct pt_source_ops *source = _i % 2 == 0 ? &pt_source_e500_counters : &pt_source_e500_samples;
	struct pt_source_setup setup = { .sink = &sink.sink };
	struct pt_params *params = pt_params_new();
	struct pt_err err = { .msg = "" };

	attach_to("modern", two_cores, with_ram, PT_LEN(with_ram));
	array_sink_init(&sink);
	ck_assert_int_eq(pt_params_add(params, source->params, source->n_params, wrong[_i / 2].word, &err), 0);
	setup.settings = params;
	state = calloc(1, source->state_bytes);
	ck_assert_int_eq(source->start(state, target, &setup, &err), PT_EARG);
	ck_assert_str_eq(err.msg, wrong[_i / 2].says);
	free(state);
	pt_params_free(params);
	array_sink_fini(&sink);
	leave();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_all_cores");
	TCase *tc = tcase_create("cores");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, counters_of_all);
	tcase_add_test(tc, counters_of_one);
	tcase_add_test(tc, windows_of_all);
	tcase_add_loop_test(tc, no_such_core, 0, 2 * PT_LEN(wrong));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
