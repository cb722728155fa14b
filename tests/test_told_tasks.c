/* All the way from chunks to tasks and spans: a target that tells by messages of its instrumentation ports, alone and
 * beside branch trace. Figures by hand. */
#include "chunk_feed.h"
#include "profile/analyses/calls/spans.h"
#include "profile/analyses/signals/tasks.h"

#define VALUES "format=values\nsource=itm\nmode=stream\ntick_hz=1000000000\ntick_ppm=0\ntarget=small\nprobe=test\n"
#define HALT "format=mtb\nsource=mtb\nmode=halt\ntarget=small\nprobe=test\ncore_hz=1000000\ncost=halts\n"

static void add_story(struct chunk_bytes *b)	/* tasks on port 1, nested spans on port 2 */
{
	static const struct { uint64_t ns; unsigned port, value; } writes[] = {
		{ 1000, 1, 0x11 }, { 1100, 2, 3 }, { 1300, 2, 5 }, { 1800, 2, 2 }, { 2600, 2, 0 }, { 3000, 1, 0x22 },
		{ 4000, 1, 0x11 }, { 9000, 1, 0x22 },
	};

	for (size_t i = 0; i < PT_LEN(writes); i++)
		add_message(b, writes[i].ns, writes[i].port, 4, writes[i].value);
}

static struct chunk_feed feed_of(const char *const *words, size_t n_words)
{
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, words, n_words);

	pt_program_unref(program);
	return f;
}

static const struct pt_task *task_of(const struct pt_profile *p, const char *name)
{
	for (size_t i = 0; i < p->tasks->n_tasks; i++)
		if (strcmp(p->tasks->task[i].name, name) == 0)
			return &p->tasks->task[i];
	ck_abort_msg("no task %s", name);
}

static void expect_story(const struct pt_profile *p)
{
	const struct pt_task *a = task_of(p, "0x11"), *b = task_of(p, "0x22");
	const struct pt_spans *spans = p->signalled;

	ck_assert(p->tasks->by_signals);
	ck_assert_uint_eq(a->activations, 2);
	ck_assert_uint_eq(a->run, 2000 + 5000);
	ck_assert_uint_eq(a->slice.n, 2);
	ck_assert_uint_eq(a->slice.min, 2000);
	ck_assert_uint_eq(a->slice.max, 5000);
	ck_assert_uint_eq(a->period.total, 3000);
	ck_assert_uint_eq(a->suspended.total, 1000);
	ck_assert_uint_eq(b->activations, 2);
	ck_assert_uint_eq(b->run, 1000 + 1000);		/* the last slice goes on to the end */
	ck_assert_uint_eq(b->partial, 1);
	ck_assert_uint_eq(b->slice.n, 1);
	ck_assert_uint_eq(b->slice.unended, 1000);
	ck_assert_uint_eq(a->slice.unended, 0);
	ck_assert_uint_eq(p->tasks->observed, 9000);
	ck_assert_uint_eq(spans->n_spans, 2);
	ck_assert_uint_eq(spans->span[0].run.cycles, 200 + 800);
	ck_assert_uint_eq(spans->span[0].run.stat[PT_TALLY_GROSS].total, 1500);
	ck_assert_uint_eq(spans->span[1].run.cycles, 500);
}

START_TEST(told_by_messages)
{
	static const char *const words[] = { "signal=port.1:task,port.2:nested" };
	struct chunk_feed f = feed_of(words, 1);
	struct chunk_bytes messages = { .len = 0 };
	struct pt_text text = { 0 };

	add_story(&messages);
	chunk_config(&f, 0, VALUES);
	chunk_clock(&f, 0, 0, 0, 0);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 10000, messages.bytes, messages.len);
	chunk_end(&f, 0, 10000);
	expect_story(pt_pipeline_profile(f.pipeline));
	chunk_report(&f, &text, "tasks", "text");
	ck_assert_ptr_nonnull(strstr(text.bytes, "0x11"));
	ck_assert_ptr_nonnull(strstr(text.bytes, "77.8"));	/* 7 of 9 us */
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* One task runs from 1000 on; then up to 4000 something is lost. It is all that was seen, and not all of the time. */
START_TEST(load_is_a_bound_where_signals_are_missing)
{
	static const char *const words[] = { "signal=port.1:task" };
	struct chunk_feed f = feed_of(words, 1);
	struct chunk_bytes messages = { .len = 0 };
	struct pt_text text = { 0 };

	add_message(&messages, 1000, 1, 4, 0x11);
	chunk_config(&f, 0, VALUES);
	chunk_clock(&f, 0, 0, 0, 0);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 1000, 2000, messages.bytes, messages.len);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_OVERRUN, 2000, 5000, NULL, 0);
	chunk_end(&f, 0, 5000);
	chunk_report(&f, &text, "tasks", "csv");
	ck_assert_msg(strstr(text.bytes, ",0.25,1,") != NULL, "%s", text.bytes);
	pt_text_free(&text);
	chunk_report(&f, &text, "tasks", "text");
	ck_assert_msg(strstr(text.bytes, "\342\211\24525.0") != NULL, "%s", text.bytes);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* The same beside branch trace: main calls leaf and loops, in 2 us, and execution hears of the tasks. */
START_TEST(told_beside_flow)
{
	static const char *const words[] = { "signal=port.1:task,port.2:nested", "task-functions=on" };
	struct chunk_feed f = feed_of(words, 2);
	struct chunk_bytes messages = { .len = 0 }, flow = { .len = 0 };
	const struct pt_profile *p;
	uint64_t net = 0;

	add_story(&messages);
	for (int i = 0; i < 50; i++) {
		add_packet(&flow, 0x104, LEAF | (i == 0));
		add_packet(&flow, 0x122, 0x108);
		add_packet(&flow, 0x10a, 0x102);
	}
	chunk_config(&f, 0, HALT);
	chunk_config(&f, 1, VALUES);
	chunk_clock(&f, 1, 0, 0, 0);
	chunk_put(&f, 1, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 10000, messages.bytes, messages.len);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 10000, flow.bytes, flow.len);
	chunk_end(&f, 0, 10000);
	chunk_end(&f, 1, 10000);
	p = pt_pipeline_profile(f.pipeline);
	expect_story(p);
	for (size_t i = 0; i < p->tasks->n_tasks; i++)
		net += p->tasks->task[i].net + p->tasks->task[i].interrupts + p->tasks->task[i].undecided;
	ck_assert_uint_eq(net, p->cycles);	/* all that ran is somebody's, or undecided */
	ck_assert_uint_gt(p->tasks->n_functions, 0);
	chunk_feed_drop(&f);
}
END_TEST

/* Who does not ask for tasks, and whose target tells of none, has none; who asks gets what flow finds. */
START_TEST(not_told)
{
	static const char *const asked[] = { "analysis=tasks" };

	for (size_t i = 0; i < 2; i++) {
		struct chunk_feed f = feed_of(asked, i);
		struct chunk_bytes flow = { .len = 0 };

		add_packet(&flow, 0x104, LEAF | 1);
		add_packet(&flow, 0x122, 0x108);
		chunk_config(&f, 0, HALT);
		chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 10000, flow.bytes, flow.len);
		chunk_end(&f, 0, 10000);
		ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->tasks->n_tasks, 0);
		ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->tasks->flow > 0, i == 1);
		chunk_feed_drop(&f);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("told tasks");
	TCase *tc = tcase_create("told tasks");

	tcase_add_test(tc, told_by_messages);
	tcase_add_test(tc, load_is_a_bound_where_signals_are_missing);
	tcase_add_test(tc, told_beside_flow);
	tcase_add_test(tc, not_told);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
