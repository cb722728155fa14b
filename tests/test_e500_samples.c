/* pc-sampling by the program's agent on the virtual e500: nothing halts, which functions take an event is what the core
 * itself counted in them, and everything is as it was at the end. */
#include "array_sink.h"
#include "e500_agent_rig.h"
#include "pipeline/pipeline.h"
#include "profile/result/profile.h"
#include "profile/analyses/code/sampled.h"
#include "targets/e500/trace/sources.h"

#define RUN_NS UINT64_C(150000000)

struct session {
	struct array_sink sink;
	struct pt_params *words;
	struct pt_source_setup setup;
	void *state;
};

static int start(struct session *s, const char *const *words, size_t n_words, struct pt_err *err)
{
	*s = (struct session){ .words = pt_params_new(), .state = calloc(1, pt_source_e500_samples.state_bytes) };
	array_sink_init(&s->sink);
	for (size_t i = 0; i < n_words; i++)
		ck_assert_msg(pt_params_add(s->words, pt_source_e500_samples.params, pt_source_e500_samples.n_params,
					    words[i], err) == 0,
			      "%s", err->msg);
	s->setup = (struct pt_source_setup){ .settings = s->words, .sink = &s->sink.sink, .seed = 1 };
	return pt_source_e500_samples.start(s->state, target, &s->setup, err);
}

/* The program gets on meanwhile, as one does whose board is not asked. */
static void rest(int us)
{
	usleep((unsigned)us);
	pthread_mutex_lock(&there.lock);
	if (there.runs && !there.ours) {
		now_ns += (uint64_t)us * 1000;
		pt_vrsp_engine.unasked(stub, now_ns, on_response, NULL);
		look();
	}
	pthread_mutex_unlock(&there.lock);
}

static void drain_for(struct session *s, uint64_t ns)
{
	struct pt_err err = { .msg = "" };

	for (uint64_t until_ns = board_ns() + ns; board_ns() < until_ns;) {
		int rest_us = pt_source_e500_samples.drain(s->state, &err);

		ck_assert_msg(rest_us >= 0, "%s", err.msg);
		if (rest_us > 0)
			rest(rest_us);
	}
}

static size_t samples_in(const struct session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->sink.n_chunks; i++)
		n += s->sink.chunk[i]->kind == PT_CHUNK_DATA ? s->sink.chunk[i]->len_bytes / 4 : 0;
	return n;
}

static void stop(struct session *s)
{
	struct pt_err err = { .msg = "" };

	ck_assert_msg(pt_source_e500_samples.stop(s->state, &err) == 0, "%s", err.msg);
	array_sink_check(&s->sink);
}

static void forget(struct session *s)
{
	pt_params_free(s->words);
	array_sink_fini(&s->sink);
	free(s->state);
}

static struct pt_pipeline *report(struct session *s)
{
	struct pt_params *params = pt_params_new();
	struct pt_err err = { .msg = "" };
	struct pt_pipeline *pipeline = pt_pipeline_new(program, params, &err);

	ck_assert_msg(pipeline != NULL, "%s", err.msg);
	for (size_t i = 0; i < s->sink.n_chunks; i++)
		pt_pipeline_feed(pipeline, s->sink.chunk[i]);
	pt_params_free(params);
	return pipeline;
}

/* --- shares */

/* 95 % of intervals have the truth in them: of a dozen functions three may miss theirs, none by more than its width. */
static void check_shares(const struct pt_profile *p)
{
	unsigned n_missed = 0;
	double known = 0;

	for (size_t i = 0; i < p->n_functions; i++) {
		const struct pt_profile_function *row = &p->function[i];
		double want, width = row->share.hi - row->share.lo;

		ck_assert_ptr_nonnull(row->function);
		want = truth_of(row->function);
		known += want;
		n_missed += want < row->share.lo || want > row->share.hi;
		ck_assert_msg(want > row->share.lo - width && want < row->share.hi + width,
			      "%s: %.4f, not %.4f (%.4f to %.4f)", row->function->name, want, row->share.share,
			      row->share.lo, row->share.hi);
	}
	ck_assert_uint_le(n_missed, 3);
	ck_assert_msg(known > 0.93, "%.3f", known);	/* handlers run with interrupts off: no sample is in them */
}

static const struct { const char *words[2]; unsigned event; const char *by; uint32_t every; } kinds[] = {
	{ { "event=CPU_CLK", "every=20000" }, 1, "", 20000 },
	{ { "event=cache-misses", "every=400" }, 41, "DL1_RELOADS", 400 },
	{ { "event=Com:9", "every=800" }, 9, "COMPLETED_LOAD_OPS", 800 },
};

START_TEST(shares_are_what_the_core_counted)
{
	struct pt_err err = { .msg = "" };
	struct pt_pipeline *pipeline;
	const struct pt_profile *p;
	struct session s;

	begin();
	run_it();
	ck_assert_msg(start(&s, kinds[_i].words, 2, &err) == 0, "%s", err.msg);
	watch(kinds[_i].event);
	drain_for(&s, RUN_NS);
	stop(&s);
	pthread_mutex_lock(&there.lock);
	pt_ve500_remove_observer(there.chip->cpu, &observer);
	pthread_mutex_unlock(&there.lock);
	pipeline = report(&s);
	p = pt_pipeline_profile(pipeline);
	ck_assert_str_eq(p->mode, "agent");
	ck_assert_str_eq(p->sampled_by, kinds[_i].by);
	/* A sample for each period, and the ends. */
	ck_assert_uint_ge(p->samples, truth.total / kinds[_i].every * 9 / 10);
	ck_assert_uint_le(p->samples, truth.total / kinds[_i].every * 11 / 10 + 10);
	ck_assert_uint_eq(p->loss.lost_ns, 0);
	check_shares(p);
	ck_assert_str_eq(p->cost + strlen(p->cost) - strlen("in use"), "in use");
	ck_assert_ptr_nonnull(strstr(p->cost, "0 halts"));
	ck_assert_uint_eq(there.n_runs, 1);		/* never again halted and let go, by the server's own count */
	ck_assert_uint_eq(there.n_changed, 0);
	pt_pipeline_free(pipeline);
	forget(&s);
	end();
}
END_TEST

/* --- several events */

static const char *const two_events[] = { "event=cache-misses,Com:9", "every=400,800" };
static const struct { unsigned number; const char *name; uint32_t every; } of_two[] = {
	{ 41, "DL1_RELOADS", 400 }, { 9, "COMPLETED_LOAD_OPS", 800 },
};

/* As of one event, of a row per function and event. */
static void check_event(const struct pt_sampled *s, size_t event)
{
	unsigned n_missed = 0;
	double known = 0;

	for (size_t i = 0; i < s->n_rows; i++) {
		const struct pt_sampled_row *row = &s->row[i];
		double want, width = row->share.hi - row->share.lo;

		if (row->event != event)
			continue;
		ck_assert_ptr_nonnull(row->function);
		want = truth_of(row->function);
		known += want;
		n_missed += want < row->share.lo || want > row->share.hi;
		ck_assert_msg(want > row->share.lo - width && want < row->share.hi + width,
			      "%s: %.4f, not %.4f (%.4f to %.4f)", row->function->name, want, row->share.share,
			      row->share.lo, row->share.hi);
	}
	ck_assert_uint_le(n_missed, 3);
	ck_assert_msg(known > 0.93, "%.3f", known);
}

/* Both at a time; the core's own count is of one of them in each run. */
START_TEST(each_event_has_its_own_histogram)
{
	struct pt_err err = { .msg = "" };
	struct pt_pipeline *pipeline;
	const struct pt_profile *p;
	const struct pt_sampled_event *event;
	struct session s;

	begin();
	run_it();
	ck_assert_msg(start(&s, two_events, 2, &err) == 0, "%s", err.msg);
	watch(of_two[_i].number);
	drain_for(&s, RUN_NS);
	stop(&s);
	pthread_mutex_lock(&there.lock);
	pt_ve500_remove_observer(there.chip->cpu, &observer);
	pthread_mutex_unlock(&there.lock);
	pipeline = report(&s);
	p = pt_pipeline_profile(pipeline);
	ck_assert_uint_eq(p->n_sources, 2);
	ck_assert_ptr_nonnull(p->sampled);
	ck_assert_uint_eq(p->sampled->n_events, 2);
	event = &p->sampled->event[_i];
	ck_assert_str_eq(event->name, of_two[_i].name);
	ck_assert_uint_eq(event->every, of_two[_i].every);
	ck_assert_uint_ge(event->samples, truth.total / of_two[_i].every * 9 / 10);
	ck_assert_uint_le(event->samples, truth.total / of_two[_i].every * 11 / 10 + 10);
	check_event(p->sampled, (size_t)_i);
	ck_assert_str_eq(p->sampled_by, "DL1_RELOADS");	/* functions have those of the first */
	ck_assert_uint_eq(p->samples, p->sampled->event[0].samples);
	ck_assert_uint_eq(p->sources[1].loss.lost_ns + p->sources[0].loss.lost_ns, 0);
	ck_assert_uint_eq(p->sources[1].mismatch_ns + p->sources[0].mismatch_ns, 0);
	ck_assert_ptr_nonnull(strstr(p->cost, "PMC3, PMC2 and PMGC0"));
	ck_assert_uint_eq(there.n_runs, 1);
	ck_assert_uint_eq(there.n_changed, 0);
	pt_pipeline_free(pipeline);
	forget(&s);
	end();
}
END_TEST

/* --- what was there is put back */

static const uint32_t before[][2] = { { PT_E500_PMC0 + 3, 0x1234 }, { PT_E500_PMLCA0 + 3, 0x80090000 },
				      { PT_E500_PMLCA0, 0x80010000 }, { PT_E500_PMLCB0 + 3, 0x305 } };

static void set_before(void)
{
	pthread_mutex_lock(&there.lock);
	for (size_t i = 0; i < PT_LEN(before); i++)
		pt_ve500_pm_write(there.chip->pm, before[i][0], before[i][1]);
	pthread_mutex_unlock(&there.lock);
}

static void check_before(void)
{
	pthread_mutex_lock(&there.lock);
	for (size_t i = 0; i < PT_LEN(before); i++) {
		uint32_t value = 0;

		pt_ve500_pm_read(there.chip->pm, before[i][0], &value);
		ck_assert_msg(value == before[i][1], "PMR %u: 0x%x", before[i][0], value);
	}
	ck_assert_uint_eq(there.chip->pm->pmgc0, 0);
	pthread_mutex_unlock(&there.lock);
}

static void pass_packets(unsigned n)
{
	struct pt_err err = { .msg = "" };
	uint8_t byte;

	while (n-- > 0)
		ck_assert_int_eq(pt_mem_read(&e500->remote.mem, TEXT, &byte, 1, &err), 0);
}

/* Begun and ended while the core is halted: what the agent is to do it finds when the core goes on. */
START_TEST(begins_and_ends_at_a_halt)
{
	const char *const words[] = { "event=instructions" };
	struct pt_err err = { .msg = "" };
	struct session s;

	begin();
	set_before();
	ck_assert_msg(start(&s, words, 1, &err) == 0, "%s", err.msg);
	ck_assert_int_gt(pt_source_e500_samples.drain(s.state, &err), 0);
	ck_assert_uint_eq(there.chip->pm->pmlca[3], 0x80090000);
	run_it();
	drain_for(&s, RUN_NS);
	ck_assert_uint_gt(array_sink_count(&s.sink, PT_CHUNK_DATA, -1), 10);
	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	ck_assert_int_eq(pt_source_e500_samples.on_state(s.state, PT_STATE_HALT, 0, 0, &err), 0);
	stop(&s);
	run_it();
	pass_packets(40);
	check_before();
	ck_assert_uint_eq(there.n_runs, 2);		/* as often as the test let it */
	forget(&s);
	end();
}
END_TEST

/* A proftap that was killed while it sampled: the next one is not kept out. */
START_TEST(what_a_dead_one_left_is_cleared)
{
	const char *const words[] = { "event=instructions", "every=20000" };
	struct pt_err err = { .msg = "" };
	struct session dead, s;

	begin();
	run_it();
	ck_assert_int_eq(start(&dead, words, 2, &err), 0);
	drain_for(&dead, RUN_NS / 10);
	pt_lease_drop(target, "performance monitor", "pc-sampling");
	disconnect();
	connect_there();
	tell_symbol();
	run_it();
	ck_assert_msg(start(&s, words, 2, &err) == 0, "%s", err.msg);
	drain_for(&s, RUN_NS / 10);
	ck_assert_uint_gt(array_sink_count(&s.sink, PT_CHUNK_DATA, -1), 1);
	stop(&s);
	ck_assert_uint_eq(there.chip->pm->pmgc0 | there.chip->pm->pmlca[3] | there.chip->pm->pmc[3], 0);
	free(((struct pt_cores *)dead.state)->core[0].state);	/* which nobody has stopped */
	forget(&dead);
	forget(&s);
	end();
}
END_TEST

/* --- what is lost */

static uint32_t stored(void)
{
	uint32_t n;

	pthread_mutex_lock(&there.lock);
	n = pt_e500_peek(there.chip, (uint32_t)e500->agent_addr + 4 * PT_E500_BOX_HEAD);
	pthread_mutex_unlock(&there.lock);
	return n;
}

/* Nobody fetches for a while: the agent goes on, and each sample of its is there or lost. */
START_TEST(what_was_overwritten_is_counted)
{
	const char *const words[] = { "event=instructions", "every=4000" };
	struct pt_err err = { .msg = "" };
	uint64_t n_lost = 0;
	struct session s;
	uint32_t first;

	begin();
	run_it();
	ck_assert_int_eq(start(&s, words, 2, &err), 0);
	first = stored();
	drain_for(&s, RUN_NS / 10);
	pass_packets(1000);
	drain_for(&s, RUN_NS / 10);
	pthread_mutex_lock(&there.lock);	/* none comes while the rest is fetched */
	pt_ve500_pm_write(there.chip->pm, PT_E500_PMGC0, FAC);
	pthread_mutex_unlock(&there.lock);
	stop(&s);
	for (size_t i = 0; i < s.sink.n_chunks; i++) {
		const struct pt_chunk *chunk = s.sink.chunk[i];

		if (chunk->kind == PT_CHUNK_LOSS && chunk->cause == PT_LOSS_OVERRUN) {
			ck_assert_uint_ne(chunk->lost_bytes, PT_UNKNOWN);
			n_lost += chunk->lost_bytes / 4;
		}
	}
	ck_assert_uint_gt(n_lost, 100);
	ck_assert_uint_gt(samples_in(&s), 300);
	ck_assert_uint_eq(samples_in(&s) + n_lost, stored() - first);
	forget(&s);
	end();
}
END_TEST

/* The registers are cleared, and the agent begins anew: so does sampling. */
START_TEST(goes_on_after_a_reset)
{
	const char *const words[] = { "event=instructions", "every=20000" };
	struct pt_err err = { .msg = "" };
	struct session s;
	size_t n_samples;

	begin();
	run_it();
	ck_assert_int_eq(start(&s, words, 2, &err), 0);
	drain_for(&s, RUN_NS / 10);
	pthread_mutex_lock(&there.lock);
	pt_e500_reset(there.chip, false);
	pthread_mutex_unlock(&there.lock);
	ck_assert_int_eq(pt_source_e500_samples.on_state(s.state, PT_STATE_RESET, 0, 0, &err), 0);
	n_samples = samples_in(&s);
	drain_for(&s, RUN_NS / 3);
	ck_assert_uint_gt(samples_in(&s), n_samples + 10);
	ck_assert_uint_eq(array_sink_count(&s.sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 1);
	stop(&s);
	ck_assert_uint_eq(there.chip->pm->pmgc0 | there.chip->pm->pmlca[3], 0);
	forget(&s);
	end();
}
END_TEST

/* --- errors */

static const struct { const char *words[2]; int want; const char *says; } wrong[] = {
	{ { "event=no-such" }, PT_EARG, "no-such" },
	{ { "event=78" }, PT_EUNSUPPORTED, "source=counters has those" },
	{ { "event=0" }, PT_EARG, "never comes" },
	{ { "event=1,2,Ref:1" }, PT_EARG, "event: CPU_CLK is in the list twice" },
	{ { "event=1,2,8,9,10" }, PT_EARG, "each takes a counter, and e500v2 has 4: no more than 4 at a time" },
	{ { "event=1,2,8", "every=5,6" }, PT_EARG, "every: 2 numbers for 3 events: one for all of them, or one for each" },
	{ { "event=1,2", "every=5,none" }, PT_EARG, "every=none: numbers from 1 to 536870912" },
	{ { "event=1,78" }, PT_EUNSUPPORTED, "source=counters has those" },
	{ { "event=instructions", "mode=halt" }, PT_EARG, "need an agent" },
};

START_TEST(says_what_is_wrong)
{
	struct pt_err err = { .msg = "" };
	struct session s;

	begin();
	run_it();
	ck_assert_int_eq(start(&s, wrong[_i].words, wrong[_i].words[1] != NULL ? 2 : 1, &err), wrong[_i].want);
	ck_assert_msg(strstr(err.msg, wrong[_i].says) != NULL, "%s", err.msg);
	forget(&s);
	end();
}
END_TEST

/* Time without an agent: each sample halts, and is announced. An event then is an error, not another thing sampled. */
START_TEST(without_an_agent)
{
	const char *const words[] = { "event=cache-misses" };
	struct pt_err err = { .msg = "" };
	struct session s;

	begin();
	target->ops->symbol(target->state, 0, PT_UNKNOWN);
	run_it();
	ck_assert_int_eq(start(&s, words, 1, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "no symbol proftap_agent"));
	forget(&s);
	ck_assert_int_eq(start(&s, words, 0, &err), 0);
	ck_assert_ptr_nonnull(strstr(array_sink_config(&s.sink, "cost"), "INTRUSIVE"));
	ck_assert_str_eq(array_sink_config(&s.sink, "mode"), "halt");
	stop(&s);
	forget(&s);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_samples");
	TCase *tc = tcase_create("samples");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, shares_are_what_the_core_counted, 0, PT_LEN(kinds));
	tcase_add_loop_test(tc, each_event_has_its_own_histogram, 0, PT_LEN(of_two));
	tcase_add_test(tc, begins_and_ends_at_a_halt);
	tcase_add_test(tc, what_a_dead_one_left_is_cleared);
	tcase_add_test(tc, what_was_overwritten_is_counted);
	tcase_add_test(tc, goes_on_after_a_reset);
	tcase_add_loop_test(tc, says_what_is_wrong, 0, PT_LEN(wrong));
	tcase_add_test(tc, without_an_agent);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
