/* What the source counters says that it cost the program is what the server saw it do: how often the program was halted
 * and let go, for readings and to set up, by which way. */
#include "array_sink.h"
#include "trace/config.h"
#include "e500_agent_rig.h"
#include "targets/e500/trace/sources.h"

enum { READINGS = 12 };

static struct array_sink sink;
static struct pt_params *words;
static void *state;

/* How often the program was let go; it runs now. */
static unsigned runs_now(void)
{
	bool runs = false;
	unsigned n;

	while (!runs) {		/* nothing answers what lets it go */
		pthread_mutex_lock(&there.lock);
		runs = there.runs;
		n = there.n_runs;
		pthread_mutex_unlock(&there.lock);
	}
	return n;
}

static void halt_and_look(void)
{
	struct pt_err err = { .msg = "" };

	ck_assert_int_eq(target->ops->halt(target->state, 0, &err), 0);
	read_named("pmc0");
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
}

static void start(void)
{
	const struct pt_source_ops *source = &pt_source_e500_counters;
	struct pt_source_setup setup = { .sink = &sink.sink, .config = "virtual=1\n", .seed = 5 };
	struct pt_err err = { .msg = "" };

	array_sink_init(&sink);
	words = pt_params_new();
	ck_assert_int_eq(pt_params_add(words, source->params, source->n_params, "events=1,2,9,10", &err), 0);
	setup.settings = words;
	state = calloc(1, source->state_bytes);
	ck_assert_msg(source->start(state, target, &setup, &err) == 0, "%s", err.msg);
}

static void drain(void)
{
	size_t n_data = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	struct pt_err err = { .msg = "" };

	while (array_sink_count(&sink, PT_CHUNK_DATA, -1) == n_data) {
		int rc = pt_source_e500_counters.drain(state, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		if (rc > 0)
			usleep((useconds_t)rc);
	}
}

static void stop(void)
{
	struct pt_err err = { .msg = "" };

	ck_assert_msg(pt_source_e500_counters.stop(state, &err) == 0, "%s", err.msg);
	array_sink_check(&sink);
	free(state);
	pt_params_free(words);
}

/* It stands right before END. */
static const struct pt_chunk *last_cost(void)
{
	const struct pt_chunk *chunk = sink.chunk[sink.n_chunks - 2];

	ck_assert_int_eq(chunk->kind, PT_CHUNK_COST);
	return chunk;
}

static uint64_t number(const char *key)
{
	struct pt_config config;
	uint64_t value;

	ck_assert(pt_config_init(&config, (const char *)last_cost()->bytes, last_cost()->len_bytes));
	value = pt_config_number(&config, key, PT_UNKNOWN);
	pt_config_fini(&config);
	return value;
}

static const char *method(const char *key)
{
	static char text[200];
	struct pt_config config;

	ck_assert(pt_config_init(&config, (const char *)last_cost()->bytes, last_cost()->len_bytes));
	pt_config_text(&config, key, text, sizeof(text));
	pt_config_fini(&config);
	return text;
}

static void run_on(const char *core, const char *const *target_words, size_t n_words)
{
	const char *const board_words[] = { core, core != NULL ? "dcsr=on" : NULL, NULL };
	struct pt_err err = { .msg = "" };

	attach_to("modern", board_words, target_words, n_words);
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
}

static void finish(void)
{
	array_sink_fini(&sink);
	leave();
}

/* What a debugger halts and looks at meanwhile is not the profile's. */
START_TEST(each_halt_is_told)
{
	uint64_t halts, sampling_ns;
	unsigned before;

	run_on(NULL, with_ram, PT_LEN(with_ram));
	before = runs_now();
	start();
	for (unsigned i = 0; i < READINGS; i++) {
		drain();
		if (i == READINGS / 2)
			halt_and_look();
	}
	stop();
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_COST, -1), 2);	/* one came at the beginning */
	ck_assert_ptr_nonnull(strstr(method("way.0"), "scratch code at 0x00800000 (wakes a core that waits)"));
	ck_assert_str_eq(method("way.1"), "");
	halts = number("halts.0");
	ck_assert_uint_ge(halts, READINGS);
	ck_assert_uint_eq(number("samples.0"), halts);
	ck_assert_uint_eq(halts + number("setup_halts.0"), runs_now() - before - 1);
	ck_assert_uint_gt(number("setup_halts.0"), 2);
	ck_assert_uint_le(number("packets.0"), MOST_PACKETS * halts);
	sampling_ns = number("halted_ns.0");
	ck_assert_uint_gt(number("shortest_ns.0"), 0);
	ck_assert_uint_le(number("shortest_ns.0") * halts, sampling_ns);
	ck_assert_uint_ge(number("longest_ns.0") * halts, sampling_ns);
	ck_assert_uint_lt(sampling_ns, number("time_ns"));
	finish();
}
END_TEST

START_TEST(what_is_read_outside_halts_nothing)
{
	static const char *const target_words[] = {
		"e500.core=e6500", "e500.dcsr.base=0xf1000000", "upstream-memory=running",
	};
	unsigned before;

	run_on("core=e6500", target_words, PT_LEN(target_words));
	before = runs_now();
	start();
	for (unsigned i = 0; i < READINGS; i++)
		drain();
	stop();
	ck_assert_uint_eq(runs_now(), before);
	ck_assert_ptr_nonnull(strstr(method("way.0"), "core proxy in DCSR"));
	ck_assert_str_eq(method("way.1"), "");
	ck_assert_uint_ge(number("samples.0"), READINGS);
	ck_assert_uint_eq(number("halts.0") + number("setup_halts.0"), 0);
	ck_assert_ptr_nonnull(strstr(array_sink_config(&sink, "cost"), "halts nothing"));
	finish();
}
END_TEST

/* Counters are read outside, once they are seen to move; everything else is done by scratch code. */
START_TEST(two_ways_have_their_own_cost)
{
	static const char *const target_words[] = {
		"e500.core=mc", "e500.dcsr.base=0xf1000000", "upstream-memory=running", "e500.dcsr.capture=free",
		"e500.scratch=0x800000:0x200",
	};
	unsigned before;

	run_on("core=mc", target_words, PT_LEN(target_words));
	before = runs_now();
	start();
	for (unsigned i = 0; i < READINGS; i++)
		drain();
	stop();
	ck_assert_ptr_nonnull(strstr(method("way.0"), "captured counters"));
	ck_assert_uint_eq(number("halts.0") + number("setup_halts.0"), 0);
	ck_assert_ptr_nonnull(strstr(method("way.1"), "scratch code"));
	ck_assert_uint_eq(number("halts.1") + number("setup_halts.1"), runs_now() - before);
	ck_assert_uint_gt(number("setup_halts.1"), 2);
	ck_assert_uint_ge(number("samples.0") + number("samples.1"), READINGS);
	ck_assert_uint_gt(number("samples.0"), number("samples.1"));
	ck_assert_ptr_nonnull(strstr(array_sink_config(&sink, "cost"), "what is counted is set by scratch code"));
	finish();
}
END_TEST

static void swap_magic(uint8_t *magic)
{
	uint64_t addr = e500->agent_addr + 4 * PT_E500_BOX_MAGIC;
	struct pt_err err = { .msg = "" };
	uint8_t there_now[4];

	ck_assert_int_eq(pt_mem_read(&e500->remote.mem, addr, there_now, sizeof(there_now), &err), 0);
	ck_assert_int_eq(pt_mem_write(&e500->remote.mem, addr, magic, sizeof(there_now), &err), 0);
	memcpy(magic, there_now, sizeof(there_now));
}

/* As if the program had not begun: until the agent is there, it is halted for each reading. */
START_TEST(who_is_late_halts_a_part)
{
	uint8_t magic[4] = { 0 };
	unsigned before;

	begin_with(with_ram[0]);
	swap_magic(magic);
	run_it();
	before = runs_now();
	start();
	ck_assert_ptr_nonnull(
		strstr(array_sink_config(&sink, "cost"),
		       "once it answers: halts nothing; until then "
		       "scratch code at 0x00800000 (wakes a core that waits): INTRUSIVE, halts the program for each "
		       "reading; count=unmarked"));
	for (unsigned i = 0; i < READINGS; i++)
		drain();
	swap_magic(magic);
	while (e500->pm.last != &pt_e500_by_agent)
		drain();
	for (unsigned i = 0; i < READINGS; i++)
		drain();
	stop();
	ck_assert_ptr_nonnull(strstr(method("way.0"), "agent at"));
	ck_assert_uint_eq(number("halts.0") + number("setup_halts.0"), 0);
	ck_assert_uint_ge(number("samples.0"), READINGS);
	ck_assert_ptr_nonnull(strstr(method("way.1"), "scratch code"));
	ck_assert_uint_ge(number("samples.1"), READINGS);
	ck_assert_uint_eq(number("halts.1") + number("setup_halts.1"), runs_now() - before);
	array_sink_fini(&sink);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_cost");
	TCase *tc = tcase_create("board");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, each_halt_is_told);
	tcase_add_test(tc, what_is_read_outside_halts_nothing);
	tcase_add_test(tc, two_ways_have_their_own_cost);
	tcase_add_test(tc, who_is_late_halts_a_part);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
