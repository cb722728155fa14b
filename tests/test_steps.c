/* The demo firmware's stream, with interrupts, tail calls, tail chains and gaps: who follows the steps comes to the
 * same figures as execution itself. Hand-made streams and random ones: test_execution.c. */
#include "config_text.h"
#include "decode/decoder.h"
#include "harness.h"
#include "tests/inline_profile.h"
#include "tests/step_follower.h"
#include "trace/formats.h"
#include "trace/loss.h"

static const struct {
	const char *name, *words[3];
	enum pt_flow_clock clock;
	bool gaps;
} rows[] = {
	{ "all of it", { "mode=halt", "mtb-size=4096" }, PT_FLOW_CYCLES, false },
	{ "all of it, by instructions", { "mode=halt", "mtb-size=1024" }, PT_FLOW_INSTRUCTIONS, false },
	{ "with gaps", { "mode=burst", "mtb-size=4096" }, PT_FLOW_CYCLES, true },
	{ "with many gaps, by instructions", { "mode=burst", "mtb-size=1024" }, PT_FLOW_INSTRUCTIONS, true },
};

/* The way from chunks to runs, as decoder.h and flow.h describe it. */
struct path {
	void *state;
	struct pt_flow flow;
	struct pt_codemap *map;
	struct pt_execution *with, *without;	/* steps */
	struct step_follower *follower;
	struct pt_batch events;
	struct pt_run_batch runs;
	bool held;
	bool resumed;			/* held and let go at a known pc, and no trace since: nothing is missing */
};

static void run_on(struct path *p)
{
	pt_execution_feed(p->with, p->runs.run, p->runs.n_runs);
	pt_execution_feed(p->without, p->runs.run, p->runs.n_runs);
	p->runs.n_runs = 0;
}

static void walk(struct path *p)
{
	for (size_t n = 0; n < p->events.n_events; run_on(p))
		n += pt_flow_feed(&p->flow, p->events.event + n, p->events.n_events - n, &p->runs);
	p->events.n_events = 0;
}

static void see_data(struct path *p, const struct pt_chunk *chunk)
{
	if (chunk->cause == PT_DATA_RESTARTS && !p->resumed)
		pt_decoder_mtb.gap(p->state, PT_GAP_RESTART, 0, 0, &p->events);
	p->resumed = false;
	walk(p);
	for (size_t n = 0; n < chunk->len_bytes; walk(p))
		n += pt_decoder_mtb.feed(p->state, chunk->bytes + n, chunk->len_bytes - n, &p->events);
}

static void see_state(struct path *p, const struct pt_chunk *chunk)
{
	uint64_t pc = pt_le64(chunk->bytes + PT_STATE_PC);

	pt_decoder_mtb.state(p->state, (enum pt_state)chunk->cause, pc, &p->events);
	p->held = chunk->cause == PT_STATE_HALT;
	p->resumed = chunk->cause != PT_STATE_HALT && pc != PT_UNKNOWN;
}

static void see(void *arg, const struct pt_chunk *chunk)
{
	struct path *p = arg;

	if (chunk->kind == PT_CHUNK_CONFIG)
		decoder_init(&pt_decoder_mtb, p->state, chunk->source, chunk->core, (const char *)chunk->bytes,
			     chunk->len_bytes);
	if (chunk->kind == PT_CHUNK_DATA)
		see_data(p, chunk);
	if (chunk->kind == PT_CHUNK_STATE)
		see_state(p, chunk);
	if (chunk->kind == PT_CHUNK_LOSS && chunk->cause != PT_LOSS_SLEEP && !p->held)
		pt_decoder_mtb.gap(p->state, PT_GAP_LOSS, 0, chunk->lost_bytes, &p->events);
	walk(p);
}

static struct pt_execution *execution(const struct path *p, const struct pt_program *program,
				      const struct pt_flow_settings *settings)
{
	size_t n;
	const struct pt_function *functions = pt_program_functions(program, &n);
	struct pt_execution *x = pt_execution_new(functions, n, p->map, settings);

	ck_assert_ptr_nonnull(x);
	return x;
}

static void open_path(struct path *p, const struct inline_profile *profile, enum pt_flow_clock clock)
{
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_thumb_v6m);
	struct pt_call_sink sink;
	size_t n;

	pt_program_functions(profile->program, &n);
	settings.clock = clock;
	p->state = calloc(1, pt_decoder_mtb.state_bytes);
	p->map = pt_codemap_new(profile->program, &pt_isa_thumb_v6m);
	pt_flow_init(&p->flow, p->map, &settings);
	p->with = execution(p, profile->program, &settings);
	p->without = execution(p, profile->program, &settings);
	p->follower = step_follower_new(n + 1);
	sink = step_follower_sink(p->follower);
	pt_execution_steps(p->with, &sink, 0);
}

static void close_path(struct path *p)
{
	pt_execution_free(p->with);
	pt_execution_free(p->without);
	pt_codemap_free(p->map);
	step_follower_free(p->follower);
	free(p->state);
}

START_TEST(steps_are_the_execution)
{
	struct inline_setup setup = { .seed = 3, .reset = true };
	bool by_instructions = rows[_i].clock == PT_FLOW_INSTRUCTIONS;
	static struct path path;
	struct inline_profile profile;

	for (size_t i = 0; i < PT_LEN(rows[_i].words); i++)
		setup.words[i] = rows[_i].words[i];
	inline_open(&profile, &setup);
	open_path(&path, &profile, rows[_i].clock);
	profile.see = see;
	profile.see_arg = &path;
	inline_start(&profile, &setup);
	inline_drain(&profile, 600 * PT_NS_PER_MS);
	inline_halt(&profile);
	inline_stop(&profile);
	step_follower_expect(path.follower, pt_execution_result(path.with), by_instructions, rows[_i].name);
	step_follower_expect(path.follower, pt_execution_result(path.without), by_instructions, "without steps");
	ck_assert_uint_gt(step_follower_n(path.follower, PT_CALL_ENTER), 900);
	ck_assert_uint_gt(step_follower_n(path.follower, PT_CALL_LEAVE), 900);
	ck_assert_uint_eq(step_follower_n(path.follower, PT_CALL_FORGET) > 2, rows[_i].gaps);
	close_path(&path);
	inline_close(&profile);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("steps");
	TCase *tc = tcase_create("steps");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, steps_are_the_execution, 0, PT_LEN(rows));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
