/* Several sources in one profile, with figures computed by hand. */
#include <stddef.h>

#include "chunk_feed.h"
#include "profile/result/analysis.h"
#include "profile/analyses/signals/external_lines.h"
#include "pipeline/pipeline_parts.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/signals/tasks.h"
#include "profile/analyses/calls/tree.h"

enum { ID_MAIN = 1, ID_LEAF };

#define HALT "format=mtb\nsource=mtb\nmode=halt\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=1000000\ncost=halts\n"
#define PCSR "format=pcsr\nsource=pcsr\nmode=sample\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=0\ncost=bus\nbatch=4\n"

static struct chunk_feed feed_of(const char *const *words, size_t n_words)
{
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, words, n_words);

	pt_program_unref(program);
	return f;
}

static void two_turns(struct chunk_bytes *b)
{
	for (int i = 0; i < 2; i++) {
		add_packet(b, 0x104, LEAF | (i == 0));
		add_packet(b, 0x122, 0x108);
		add_packet(b, 0x10a, 0x102);
	}
}

static void add_sample(struct chunk_bytes *b, uint32_t pc)
{
	pt_put_le32(b->bytes + b->len, pc);
	b->len += 4;
}

/* Branch trace and samples at once: the functions have figures of both, each source its own account. */
START_TEST(flow_and_samples_together)
{
	struct chunk_feed f = feed_of(NULL, 0);
	struct chunk_bytes flow = { .len = 0 }, samples = { .len = 0 };
	const struct pt_profile *p;

	two_turns(&flow);
	for (int i = 0; i < 4; i++)
		add_sample(&samples, i == 0 ? LEAF : 0x102);
	chunk_config(&f, 0, HALT);
	chunk_config(&f, 3, PCSR);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, flow.bytes, flow.len);
	chunk_put(&f, 3, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 400, samples.bytes, samples.len);
	chunk_put(&f, 3, PT_CHUNK_LOSS, PT_LOSS_HOST, 400, 1000, NULL, 0);
	chunk_end(&f, 0, 1000);
	ck_assert(!pt_pipeline_profile(f.pipeline)->ended);
	chunk_end(&f, 3, 1000);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert(p->ended);
	ck_assert_uint_eq(p->by_id[ID_LEAF]->run->count, 2);
	ck_assert_uint_eq(p->by_id[ID_LEAF]->samples, 1);
	ck_assert_uint_eq(p->by_id[ID_MAIN]->samples, 3);
	ck_assert_uint_eq(p->n_sources, 2);
	ck_assert_str_eq(p->sources[1].source, "pcsr");
	ck_assert_uint_eq(p->sources[1].number, 3);
	ck_assert_uint_eq(p->sources[0].loss.lost_ns, 0);
	ck_assert_uint_eq(p->sources[1].loss.lost_ns, 600);
	ck_assert_uint_eq(p->sources[1].loss.observed_ns, 400);
	ck_assert_uint_eq(p->sources[1].samples, 4);
	ck_assert_uint_eq(pt_profile_run_ns(p), 1000);	/* once, though both lasted as long */
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(each_source_has_its_line)
{
	struct chunk_feed f = feed_of(NULL, 0);
	struct pt_text text = { 0 }, json = { 0 };

	chunk_config(&f, 0, HALT);
	chunk_config(&f, 1, PCSR);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_DRAIN, 0, 1000, NULL, 0);
	chunk_put(&f, 1, PT_CHUNK_LOSS, PT_LOSS_HOST, 0, 500, NULL, 0);
	chunk_report(&f, &text, "gaps", "details");
	chunk_report(&f, &text, "gaps", "text");
	ck_assert_ptr_nonnull(
		strstr(text.bytes,
		       "time       mtb: 1.000 us = at most 0 s observed + at least 1.000 us unobserved + 0 s lost\n"));
	ck_assert_ptr_nonnull(
		strstr(text.bytes, "           pcsr: 500 ns = 0 s observed (0.00 %) + 0 s unobserved + 500 ns lost\n"));
	ck_assert_ptr_nonnull(
		strstr(text.bytes, "lost       mtb: nothing\n           pcsr: host too slow 500 ns in 1\n"));
	ck_assert_ptr_nonnull(
		strstr(text.bytes, "host too slow  lost             1           500 ns     100.0  pcsr\n"));
	chunk_report(&f, &json, "gaps", "json");
	ck_assert_ptr_nonnull(strstr(json.bytes, "\"sources\": ["));
	pt_text_free(&text);
	pt_text_free(&json);
	chunk_feed_drop(&f);
}
END_TEST

/* main calls leaf twice: a chain of two, by way of execution's steps. */
START_TEST(steps_reach_the_tree)
{
	struct chunk_feed f = feed_of(NULL, 0);
	struct chunk_bytes flow = { .len = 0 };
	const struct pt_tree *tree;

	two_turns(&flow);
	chunk_config(&f, 0, HALT);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, flow.bytes, flow.len);
	chunk_end(&f, 0, 1000);
	tree = pt_pipeline_profile(f.pipeline)->tree;
	ck_assert_uint_eq(tree->n_nodes, 4);
	ck_assert_uint_eq(tree->node[1].entry, PT_TREE_NO_CALLER);
	ck_assert_uint_eq(tree->node[3].function, ID_LEAF);
	ck_assert_uint_eq(tree->node[tree->node[3].parent].function, ID_MAIN);
	ck_assert_uint_eq(tree->node[3].count, 2);
	chunk_feed_drop(&f);
}
END_TEST

/* A wrong name gets the right ones; without execution there are no functions. */
START_TEST(analyses_are_chosen)
{
	static const char *const none[] = { "analysis=nothing" }, *const only_tree[] = { "analysis=execution" };
	struct pt_program *program = small_program();
	struct pt_params *params = pt_params_new();
	struct pt_err err = { 0 };
	struct chunk_feed f;

	ck_assert_int_eq(pt_pipeline_add(params, none[0], &err), 0);
	ck_assert_ptr_null(pt_pipeline_new(program, params, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "there is no 'nothing'; there are: standard all none execution"));
	pt_params_free(params);
	pt_program_unref(program);
	f = feed_of(only_tree, 1);
	ck_assert_ptr_null(pt_pipeline_profile(f.pipeline)->tree);
	chunk_feed_drop(&f);
	f = feed_of(NULL, 0);
	ck_assert_ptr_nonnull(pt_pipeline_profile(f.pipeline)->tree);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(words_of_all_analyses_are_known)
{
	struct pt_params *params = pt_params_new();
	struct pt_err err = { 0 };
	size_t n = 0;

	while (pt_pipeline_param(n) != NULL)
		ck_assert(pt_pipeline_knows(pt_pipeline_param(n++)->key));
	for (size_t i = 0; pt_analyses[i] != NULL; i++)
		n -= pt_analyses[i]->n_params;
	ck_assert_uint_gt(n, 5);
	ck_assert(pt_pipeline_knows("variables"));
	ck_assert(!pt_pipeline_knows("analysi") && !pt_pipeline_knows("analysis2=x"));
	ck_assert_int_eq(pt_pipeline_add(params, "colour=red", &err), PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "core-clock"));
	ck_assert_int_eq(pt_pipeline_add(params, "core-clock=8M", &err), 0);
	ck_assert_uint_eq(pt_pipeline_core_hz(params), 8000000);
	pt_params_free(params);
}
END_TEST

/* More sources than there are lanes: the others are as before. */
START_TEST(too_many_sources)
{
	struct chunk_feed f = feed_of(NULL, 0);

	for (unsigned i = 0; i < 40; i++) {
		chunk_config(&f, i, PCSR);
		chunk_put(&f, i, PT_CHUNK_LOSS, PT_LOSS_HOST, 0, 10, NULL, 0);
	}
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->n_sources, 32);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->loss.lost_ns, 320);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->sources_refused, 8);
	chunk_feed_drop(&f);
}
END_TEST

#define LINES "format=lines\nsource=lines\nmode=all\ntick_hz=1000000000\nlines=1\nline.0=pin\n"

/* A second source changes nothing of what the first one says, in whatever pieces both come. */
START_TEST(order_changes_no_figure)
{
	struct chunk_feed alone = feed_of(NULL, 0), both = feed_of(NULL, 0);
	struct chunk_bytes flow = { .len = 0 }, lines = { .len = 0 };
	const struct pt_profile *a, *b;

	two_turns(&flow);
	for (uint64_t i = 0; i < 100; i++)
		add_line(&lines, i * 100, 0, i & 1);
	chunk_config(&alone, 0, HALT);
	chunk_config(&both, 0, HALT);
	for (unsigned i = 0; i < 10; i++) {
		unsigned cause = i == 0 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS;

		if (i == 2)
			chunk_config(&both, 1, LINES);
		flow.bytes[4] = LEAF | (i == 0);
		chunk_put(&alone, 0, PT_CHUNK_DATA, cause, i * 1000, i * 1000 + 1000, flow.bytes, flow.len);
		chunk_put(&both, 0, PT_CHUNK_DATA, cause, i * 1000, i * 1000 + 1000, flow.bytes, flow.len);
		for (unsigned k = 0; i == 5 && k < 100; k += (unsigned)_i + 1) {
			unsigned n = k + (unsigned)_i + 1 > 100 ? 100 - k : (unsigned)_i + 1;

			chunk_put(&both, 1, PT_CHUNK_DATA, PT_DATA_FOLLOWS, k * 100, (k + n) * 100,
				  lines.bytes + 12 * k, 12 * n);
		}
	}
	chunk_end(&alone, 0, 10000);
	chunk_end(&both, 1, 10000);
	chunk_end(&both, 0, 10000);
	a = pt_pipeline_profile(alone.pipeline);
	b = pt_pipeline_profile(both.pipeline);
	ck_assert_uint_eq(a->by_id[ID_LEAF]->run->count, 20);
	ck_assert_uint_eq(b->by_id[ID_LEAF]->run->count, 20);
	ck_assert_uint_eq(a->cycles, b->cycles);
	ck_assert_mem_eq(&a->by_id[ID_MAIN]->run->stat[PT_TALLY_GROSS], &b->by_id[ID_MAIN]->run->stat[PT_TALLY_GROSS],
			 offsetof(struct pt_stat, hist));
	ck_assert_int_eq(b->counts, PT_BASIS_EXACT);
	ck_assert_uint_eq(b->sources[1].values, 100);
	ck_assert_uint_eq(b->sources[0].loss.observed_ns, a->loss.observed_ns);
	ck_assert_uint_eq(b->sources[1].loss.observed_ns, 10000);
	ck_assert_uint_eq(b->out_of_order, 0);
	ck_assert(b->ended);
	chunk_feed_drop(&alone);
	chunk_feed_drop(&both);
}
END_TEST

/* --- one stream with events of several kinds, as an instrumentation trace is */

static const struct pt_decoder mixed = { .name = "mixed", .gives = PT_GIVES_FLOW | PT_GIVES_OTHER };

static struct pt_event branch(uint64_t from, uint64_t to)
{
	return (struct pt_event){
		.kind = PT_EV_BRANCH, .cause = PT_BY_INSTRUCTION, .ticks = PT_UNKNOWN, .branch = { from, to },
	};
}

static size_t add_turns(struct pt_event *event, size_t n, unsigned turns)
{
	while (turns-- > 0) {
		event[n++] = branch(0x104, LEAF);
		event[n++] = branch(0x122, 0x108);
		event[n++] = branch(0x10a, 0x102);
	}
	return n;
}

static struct pt_event task(uint64_t id)
{
	return (struct pt_event){
		.kind = PT_EV_VALUE, .cause = PT_SPACE_PORT * 2 + 1, .n = 1, .ticks = PT_UNKNOWN, .value = { 1, id },
	};
}

static const struct pt_task *task_row(const struct pt_tasks *tasks, uint16_t id)
{
	for (size_t i = 0; i < tasks->n_tasks; i++)
		if (tasks->task[i].kind == PT_TASK_TOLD && tasks->task[i].id == id)
			return &tasks->task[i];
	ck_abort_msg("no task %u", id);
	return NULL;
}

/* A turn of main's loop takes 10 cycles, the first 9. Task 7 has two of them, and what ran before anybody told
 * (call_event.h), task 9 three, whatever the batches are: values act between the runs where they stand. */
START_TEST(values_act_where_they_stand)
{
	static const char *const words[] = { "analysis=all", "signal=port.1.1:task" };
	struct chunk_feed f = feed_of(words, PT_LEN(words));
	struct pt_event event[64] = { { .kind = PT_EV_GAP, .cause = PT_GAP_RESTART, .ticks = PT_UNKNOWN } };
	const struct pt_tasks *tasks;
	struct pt_source_ctx *ctx;
	size_t n = 1;

	n = add_turns(event, n, 1);
	event[n++] = task(7);
	n = add_turns(event, n, 2);
	event[n++] = task(9);
	n = add_turns(event, n, 3);
	event[n++] = task(0);
	n = add_turns(event, n, 1);
	chunk_config(&f, 0, HALT);
	ctx = f.pipeline->ctx[0];
	ctx->decoder = &mixed;
	for (size_t i = 0, k; i < n; i += k) {
		k = n - i < (size_t)_i + 1 ? n - i : (size_t)_i + 1;
		pt_sort_events(ctx, event + i, NULL, k);
	}
	tasks = pt_pipeline_profile(f.pipeline)->tasks;
	ck_assert_ptr_nonnull(tasks);
	ck_assert_uint_eq(task_row(tasks, 0)->net, 29);
	ck_assert_uint_eq(task_row(tasks, 1)->net, 30);
	ctx->decoder = pt_decoder_find("mtb");
	chunk_feed_drop(&f);
}
END_TEST

#define SLOW "format=counters\nsource=pmu\ntick_hz=1000000\ncounters=1\ncounter.0=cycles\n"

/* Two clocks of 1 MHz by name. One is right, the other loses 1 %: 990 ticks in a millisecond, as the anchors show. Both
 * count 1000 in 1000 of their ticks: 1 and 0.99 million in a second. */
START_TEST(clocks_that_drift)
{
	struct chunk_feed f = feed_of(NULL, 0);
	const struct pt_counters *c;

	f.lawless = true;	/* chunks do not follow each other */
	chunk_config(&f, 0, SLOW);
	chunk_config(&f, 1, SLOW);
	for (uint64_t ms = 0; ms <= 100; ms++)
		for (unsigned s = 0; s < 2; s++) {
			struct chunk_bytes b = { .len = 0 };
			uint64_t ticks = ms * (s == 0 ? 1000 : 990);

			pt_put_le64(b.bytes + PT_COUNTERS_TICKS, ticks);
			pt_put_le16(b.bytes + PT_COUNTERS_COUNTER, 0);
			pt_put_le64(b.bytes + PT_COUNTERS_READING, ticks);
			chunk_clock(&f, s, ticks, ms * 1000000, 200);
			chunk_put(&f, s, PT_CHUNK_DATA, PT_DATA_FOLLOWS, ms * 1000000, ms * 1000000 + 1000, b.bytes,
				  PT_COUNTERS_BYTES);
		}
	chunk_end(&f, 0, 100001000);
	chunk_end(&f, 1, 100001000);
	c = pt_pipeline_profile(f.pipeline)->counters;
	ck_assert_uint_eq(c->n_counters, 2);
	ck_assert_uint_eq(c->counter[0].total, 100000);
	ck_assert_uint_eq(c->counter[1].total, 99000);
	ck_assert_uint_eq(c->counter[1].timed_ns, 100000000);
	ck_assert_double_eq_tol(c->counter[0].rate_min, 1e6, 1e-3);
	ck_assert_double_eq_tol(c->counter[1].rate_min, 0.99e6, 1e-3);
	ck_assert_double_eq_tol(c->counter[1].rate_max, 0.99e6, 1e-3);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->out_of_order, 0);
	chunk_feed_drop(&f);
}
END_TEST

/* Two traces of one core: that the second is not in the figures is said. And so is what did not fit. */
START_TEST(what_is_not_in_it_is_said)
{
	static const char *const word = "variables=port.1.2";
	struct chunk_feed f = feed_of(&word, 1);
	struct chunk_bytes flow = { .len = 0 }, b = { .len = 0 };
	struct pt_text text = { 0 };
	const struct pt_profile *p;

	two_turns(&flow);
	add_message(&b, 0, 1, 1, 5);		/* half a value, and then a whole one */
	add_message(&b, 1, 1, 2, 5);
	chunk_config(&f, 0, HALT);
	chunk_config(&f, 1, HALT);
	chunk_config(&f, 2, "format=values\nsource=itm\n");
	for (unsigned s = 0; s < 2; s++)
		chunk_put(&f, s, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, flow.bytes, flow.len);
	chunk_put(&f, 2, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 0, 1000, b.bytes, b.len);
	for (unsigned s = 0; s < 3; s++)
		chunk_end(&f, s, 1000);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->by_id[ID_LEAF]->run->count, 2);
	ck_assert_uint_eq(p->sources[1].branches, 7);	/* the stretch's end is one */
	chunk_report(&f, &text, "functions", "details");
	ck_assert_msg(strstr(text.bytes, "note       1 values are incomplete: some of their parts are missing.\n") !=
			      NULL,
		      "%s", text.bytes);
	ck_assert_ptr_nonnull(strstr(text.bytes, "warning    Ignored: mtb is a second trace of core 0, "));
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* Opened anew while something of it is held: that was of the old kind, and the new one is not mixed up with it. */
START_TEST(a_source_changes_its_kind)
{
	struct chunk_feed f = feed_of(NULL, 0);
	struct chunk_bytes flow = { .len = 0 }, lines = { .len = 0 };
	const struct pt_profile *p;

	two_turns(&flow);
	add_line(&lines, 5, 0, 0);
	add_line(&lines, 8, 0, 1);
	chunk_config(&f, 0, HALT);
	chunk_config(&f, 1, PCSR);	/* says nothing: the other one waits for it */
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, flow.bytes, flow.len);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->branches, 0);
	chunk_config(&f, 0, LINES);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 1000, 2000, lines.bytes, lines.len);
	chunk_end(&f, 0, 2000);
	chunk_end(&f, 1, 2000);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->sources[0].branches, 6);
	ck_assert_uint_eq(p->sources[0].values, 2);
	ck_assert_uint_eq(p->aux->line[0].rises, 1);
	chunk_feed_drop(&f);
}
END_TEST

static uint32_t dice(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*seed >> 33);
}

static void add_anything(uint64_t *seed, uint8_t *bytes, size_t len)
{
	for (size_t k = 0; k + 8 <= len; k += 2)
		switch (dice(seed) % 5) {
		case 0:
			pt_put_le32(bytes + k, MAIN + dice(seed) % 0x40);
			break;
		case 1:
			pt_put_le64(bytes + k, dice(seed) % 2 == 0 ? 5 : dice(seed));
			break;
		case 2:
			pt_put_le64(bytes + k, dice(seed) % 4);
			break;
		case 3:
			bytes[k] = (uint8_t)dice(seed);
			break;
		default:
			break;
		}
}

/* Whatever comes from however many sources, in whatever order: nothing breaks, all views render, and every account of
 * time stays an identity. */
START_TEST(anything_from_anybody)
{
	static const char *const configs[] = {
		HALT, PCSR, LINES, "format=values\ntick_hz=3\n", "format=counters\ncounters=3\ncounter.1.bits=8\n",
		"format=bins\nbin_bytes=16\n", "format=bins\nbin_bytes=1\nexact=1\n", "format=nothing\n", "",
		"format=lines\nlines=3\nline.1.bits=70\ntick_hz=18446744073709551614\ntick_ppm=4000000000\n",
	};
	static const char *const words[] = {
		"analysis=all", "variables=port.5,port.0x300:state", "signal=port.1.1:nested,port.0.2:task,port.2:service",
		"two-point=port.3:1..2", "latency=pin:rise->leaf", "metric=a:cycles/seconds",
	};
	struct chunk_feed f = feed_of(words, PT_LEN(words));
	const struct pt_loss_sum *account;
	uint64_t seed = (uint64_t)_i + 1, now = 0;
	struct pt_text json = { 0 };
	const struct pt_profile *p;
	uint8_t bytes[800] = { 0 };

	f.lawless = true;	/* chunks do not follow each other */
	for (int i = 0; i < 4000; i++) {
		unsigned source = dice(&seed) % 6, kind = dice(&seed) % 9;
		size_t len = dice(&seed) % sizeof(bytes);

		add_anything(&seed, bytes, len);
		if (dice(&seed) % 60 == 0 || i < 6)
			chunk_config(&f, i < 6 ? (unsigned)i : source, configs[dice(&seed) % PT_LEN(configs)]);
		else if (kind != PT_CHUNK_CONFIG && (kind != PT_CHUNK_END || dice(&seed) % 100 == 0))
			chunk_put(&f, source, kind, dice(&seed) % 20, now, now + dice(&seed) % 100000, bytes,
				  kind == PT_CHUNK_CLOCK && len > 24 ? 24 : len);
		now += dice(&seed) % 50000;
		if (dice(&seed) % 500 == 0)
			now = dice(&seed) % 3 == 0 ? UINT64_MAX - 1000000 : dice(&seed);
		if (i % 1000 == 0)
			pt_pipeline_profile(f.pipeline);
	}
	for (unsigned source = 0; source < 6; source++)
		chunk_end(&f, source, now);
	p = pt_pipeline_profile(f.pipeline);
	for (size_t i = 0; (account = pt_profile_account(p, i)) != NULL; i++)
		ck_assert_uint_eq(account->total_ns, account->observed_ns + account->unobserved_ns + account->lost_ns);
	ck_assert_ptr_nonnull(chunk_report(&f, &json, "functions", "json"));
	pt_text_free(&json);
	chunk_feed_drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sources");
	TCase *tc = tcase_create("sources");

	tcase_set_timeout(tc, 0);
	tcase_add_test(tc, flow_and_samples_together);
	tcase_add_test(tc, each_source_has_its_line);
	tcase_add_test(tc, steps_reach_the_tree);
	tcase_add_test(tc, analyses_are_chosen);
	tcase_add_test(tc, words_of_all_analyses_are_known);
	tcase_add_test(tc, too_many_sources);
	tcase_add_loop_test(tc, order_changes_no_figure, 0, 12);
	tcase_add_test(tc, a_source_changes_its_kind);
	tcase_add_loop_test(tc, values_act_where_they_stand, 0, 8);
	tcase_add_test(tc, clocks_that_drift);
	tcase_add_test(tc, what_is_not_in_it_is_said);
	tcase_add_loop_test(tc, anything_from_anybody, 0, 10);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
