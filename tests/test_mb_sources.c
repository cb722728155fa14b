/* What all sources of the target microblaze share, over an MDM in an array: ways, cores, the lock, a core in reset;
 * what is wrong says so. */
#include "mb_source_rig.h"

/* A register window or the pair, either half of 36 bits first, PBAR one bit shorter: found out, with the same
 * result. */
static const struct access {
	bool window, high_first;
	unsigned pbar_bits;
	const char *is;
} ways[] = {
	{ false, false, 10, "DBG_CTRL and DBG_DATA" },
	{ true, false, 10, "AXI window" },
	{ false, true, 10, "DBG_CTRL and DBG_DATA" },
};

START_TEST(ways_are_found_out)
{
	char line[600];

	mdm.window = ways[_i].window;
	mdm.high_first = ways[_i].high_first;
	mdm.pbar_bits = ways[_i].pbar_bits;
	use(&pt_source_mb_bins);
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x108, UINT64_C(0x312345678));
	stop();
	ck_assert_uint_eq(bin_at(0x108), UINT64_C(0x312345678));
	pt_mdm_describe(&mb->mdm, line, sizeof(line));
	ck_assert_msg(strstr(line, ways[_i].is) != NULL, "%s", line);
	ck_assert_msg(strstr(array_sink_config(&sink, "way"), ways[_i].is) != NULL, "%s",
		      array_sink_config(&sink, "way"));
	ck_assert_uint_eq(mdm.n_bad, 0);
}
END_TEST

/* What is wrong, and what it says. */
static const struct wrong {
	const char *word;
	unsigned bins;
	bool dead;
	const char *says;
} wrongs[] = {
	{ NULL, 0, false, "no profiling buffer answers" },
	{ NULL, 1024, true, "nothing drives the bits" },
	{ "mb.prof.size=0", 1024, false, "the core has no profiling buffer (C_DEBUG_PROFILE_SIZE)" },
	{ "mb.prof.size=8192", 1024, false, "mb.prof.size=8192, but the profiling buffer has 4096 bytes" },
	{ "mb.prof.size=16384", 1024, false, "mb.prof.size=16384, but the profiling buffer has 4096 bytes" },
	{ "mb.prof.size=131072", 1024, false, "say mb.prof.size=4096 " },
	{ "mb.prof.size=131072", 8192, false, "but the profiling buffer has 32768 bytes" },
	{ "mb.prof.size=4096", 8192, false, "but the profiling buffer has 32768 bytes" },
	{ "mb.prof.size=5000", 1024, false, "C_DEBUG_PROFILE_SIZE is 4096, 8192" },
	{ "mdm.access=xsdb", 1024, false, "mdm.xsdb=PROGRAM is missing" },
	{ "mdm.access=jtag", 1024, false, "mdm.jtag.experimental=on" },
	{ "mdm.access=none", 1024, false, "mdm.access=none" },
};

START_TEST(what_is_wrong)
{
	const struct wrong *w = &wrongs[_i];

	if (w->word != NULL)
		set(w->word);
	mdm.n_bins = w->bins;
	mdm.pbar_bits = w->bins != 0 ? (unsigned)__builtin_ctz(w->bins) : 10;
	mdm.dead = w->dead;
	source = &pt_source_mb_bins;
	open_mdm();
	ck_assert_int_lt(start(source, 0x100, 0x100), 0);
	ck_assert_msg(strstr(err.msg, w->says) != NULL, "%s", err.msg);
	ck_assert_uint_eq(sink.n_chunks, 0);
}
END_TEST

START_TEST(several_cores)
{
	mdm.n_cores = 3;
	set("mdm.core=2");
	use(&pt_source_mb_bins);
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 2, 0x100, 7);
	fake_mdm_hit(&mdm, 1, 0x100, 5);
	stop();
	ck_assert_uint_eq(bin_at(0x100), 7);
	ck_assert_uint_eq(mdm.n_bad, 0);
}
END_TEST

/* Each core's sums, in sources of their own; a debug register is of the one that was selected last. */
START_TEST(all_cores)
{
	uint64_t sum[3] = { 0 };

	mdm.n_cores = 3;
	use(&pt_source_mb_bins);
	say("core=all");
	say("period=10ms");
	started(source, 0x100, 0x100);
	for (unsigned core = 0; core < 3; core++) /* one write to all of them */
		ck_assert(mdm.core[core].on && mdm.core[core].turned == mdm.core[0].turned);
	for (unsigned i = 0; i < 20; i++) {
		for (unsigned core = 0; core < 3; core++)
			fake_mdm_hit(&mdm, core, 0x100, core + 1);
		drain_until(memory.now_ns + 5000000);
	}
	ck_assert_msg(source->stop(state, &err) == 0, "%s", err.msg);
	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *c = sink.chunk[i];

		ck_assert_uint_lt(c->core, 3);
		ck_assert_uint_eq(c->source, 3 + c->core);
		for (uint32_t at = 0; c->kind == PT_CHUNK_DATA && at < c->len_bytes; at += PT_BINS_BYTES)
			sum[c->core] += pt_le64(c->bytes + at + PT_BINS_HITS);
	}
	for (unsigned core = 0; core < 3; core++) {
		ck_assert_uint_eq(sum[core], 20 * (core + 1));
		ck_assert(!mdm.core[core].on && mdm.core[core].turned == mdm.core[0].turned);
	}
	ck_assert_msg(strstr(array_sink_config(&sink, "cost"), "cores start and stop by one command") != NULL, "%s",
		      array_sink_config(&sink, "cost"));
	ck_assert_uint_eq(mdm.n_bad, 0);
}
END_TEST

static uint64_t held_ns(unsigned core)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->core == core && sink.chunk[i]->kind == PT_CHUNK_LOSS &&
		    sink.chunk[i]->cause == PT_LOSS_HALTED)
			ns += sink.chunk[i]->to_ns - sink.chunk[i]->from_ns;
	return ns;
}

/* Whose a halt is, by what the GDB server lists: a thread for each of the MDM's two cores, or else its first for both.
 * */
static const struct {
	const char *of;
	unsigned threads, halted;
	bool held[2];
} whose[] = {
	{ "core=all", 2, 0, { true, false } },	{ "core=all", 2, 1, { false, true } },
	{ "core=all", 1, 0, { true, true } },	{ "core=all", 3, 0, { true, true } },
	{ "core=all", 3, 1, { false, false } }, { "core=1", 2, 0, { false, false } },
	{ "core=1", 2, 1, { false, true } },	{ "core=1", 1, 0, { false, true } },
};

START_TEST(one_core_halts)
{
	static const struct pt_source_ops *const both[] = { &pt_source_mb_bins, &pt_source_mb_counters };
	unsigned row = (unsigned)_i / 2;

	mdm.n_cores = 2;
	use(both[_i % 2]);
	say(whose[row].of);
	mb->behind_server = true;
	mb->remote.n_cores = whose[row].threads;
	started(source, 0x100, 0x100);
	drain_until(memory.now_ns + 20000000);
	ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, whose[row].halted, 0x100, &err), 0);
	array_mem_pass(&memory, 50000000);
	ck_assert_int_eq(source->on_state(state, PT_STATE_RUN, whose[row].halted, 0x100, &err), 0);
	drain_until(memory.now_ns + 20000000);
	ck_assert_msg(source->stop(state, &err) == 0, "%s", err.msg);
	for (unsigned core = 0; core < 2; core++)
		ck_assert_msg(whose[row].held[core] ? held_ns(core) >= 50000000 && held_ns(core) < 51000000
						    : held_ns(core) == 0,
			      "row %u: core %u was held for %llu ns", row, core, (unsigned long long)held_ns(core));
}
END_TEST

/* One that there is not; and one that has no buffer: those before it are undone. */
START_TEST(a_core_that_cannot)
{
	mdm.n_cores = 2;
	use(&pt_source_mb_bins);
	say("core=2");
	ck_assert_int_eq(start(source, 0x100, 0x100), PT_EARG);
	ck_assert_msg(strstr(err.msg, "the MDM has cores 0 to 1, or all") != NULL, "%s", err.msg);
	say("core=all");
	ck_assert_int_eq(pt_lease_take(&target, "mb.profiling.1", "somebody", &err), 0);
	ck_assert_int_eq(start(source, 0x100, 0x100), PT_EBUSY);
	ck_assert_msg(strncmp(err.msg, "core 1: ", 8) == 0 && strstr(err.msg, "somebody") != NULL, "%s", err.msg);
	pt_lease_drop(&target, "mb.profiling.1", "somebody");
	ck_assert(!mdm.core[0].on);
}
END_TEST

/* The lock is held for a while, then given back: nothing is lost. */
START_TEST(the_lock)
{
	use(&pt_source_mb_bins);
	say("period=10ms");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, 9);
	mdm.locked = 5;
	drain_until(memory.now_ns + 200000000);
	ck_assert_uint_eq(mdm.locked, 0);
	ck_assert_uint_eq(bin_at(0x100), 9);
	stop();
}
END_TEST

/* The debug registers of a core in reset read 0, and take nothing. */
static const struct {
	const struct pt_source_ops *source;
	const char *says;
} in_reset[] = {
	{ &pt_source_mb_bins, "no profiling buffer answers" },
	{ &pt_source_mb_counters, "no performance counter answers" },
	{ &pt_source_mb_trace, "the trace unit does not start" },
};

START_TEST(a_core_in_reset)
{
	set("mb.trace.size=8192");
	use(in_reset[_i].source);
	mdm.core[0].held = true;
	ck_assert_int_eq(start(source, 0x100, 0x100), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, in_reset[_i].says) != NULL, "%s", err.msg);
	ck_assert_msg(strstr(err.msg, "held in reset") != NULL, "%s", err.msg);
	ck_assert_uint_eq(sink.n_chunks, 0);
}
END_TEST

/* --- killed ------------------------------------------------------------------------------------------------------- */

static char *kept;

static void keep(void *arg, const char *text, size_t len_bytes)
{
	(void)arg;
	free(kept);
	kept = text != NULL ? strndup(text, len_bytes) : NULL;
}

static void hear(void *arg, bool done, const char *sentence)
{
	ck_assert(!done && strstr(sentence, " is stopped; what its registers held before cannot be read") != NULL);
	++*(unsigned *)arg;
}

static const struct {
	const struct pt_source_ops *source;
	const char *word;
	unsigned n_units;
} at_work[] = {
	{ &pt_source_mb_bins, "mode=live", 1 },		{ &pt_source_mb_bins, "mode=snapshot", 1 },
	{ &pt_source_mb_bins, "trigger=cross", 1 },	{ &pt_source_mb_bins, "core=all", 4 },
	{ &pt_source_mb_counters, "core=all", 4 },	{ &pt_source_mb_counters, "events=cycles,loads", 1 },
	{ &pt_source_mb_trace, "mode=ring", 1 },	{ &pt_source_mb_trace, "mode=burst", 1 },
};

static bool anything_works(void)
{
	bool any = false;

	for (size_t i = 0; i < FAKE_MDM_CORES; i++)
		any |= mdm.core[i].on || mdm.core[i].counting || mdm.core[i].tracing;
	for (unsigned output = 0; output < 8; output++)
		any |= (mdm.xtrig[output] & 0xff0) != 0;	/* inputs that drive it */
	return any;
}

/* As the process after the one that was killed, which knows nothing but the text. */
static void put_back(unsigned n_units)
{
	struct pt_pending *next = pt_pending_new(keep, NULL);
	unsigned n_heard = 0;

	ck_assert_msg(pt_pending_parse(next, kept, strlen(kept), &err) == 0, "%s", err.msg);
	ck_assert_msg(pt_pending_put_back(next, &target, hear, &n_heard, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_heard, n_units);
	pt_pending_free(next);
}

/* Whatever a unit does when the process is killed, the next one ends it; and a profile that ends by itself leaves nothing
 * noted. */
START_TEST(who_is_killed_leaves_nothing_at_work)
{
	static const struct pt_target_ops ops = { .name = "microblaze", .status = fake_status, .pc = fake_pc,
						  .chip = fake_chip, .mem = fake_mem,
						  .pending_write = pt_mb_pending_write };
	bool worked = false;

	set("mb.trace.size=8192");
	mdm.n_cores = FAKE_MDM_CORES;
	use(at_work[_i].source);
	say(at_work[_i].word);
	say("period=10ms");
	target.ops = &ops;
	target.pending = pt_pending_new(keep, NULL);
	started(source, 0x100, 0x100);
	for (unsigned k = 1; k <= 20; k++) {
		ck_assert_ptr_nonnull(kept);
		worked |= anything_works();
		put_back(at_work[_i].n_units);
		ck_assert(!anything_works() && kept == NULL);
		stop();
		array_sink_fini(&sink);
		array_sink_init(&sink);
		started(source, 0x100, 0x100);
		drain_until(memory.now_ns + k * 7000000);
	}
	ck_assert(worked);
	stop();
	ck_assert_ptr_null(kept);
	pt_pending_free(target.pending);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mb_sources");
	TCase *tc = tcase_create("mb_sources");

	tcase_set_timeout(tc, 0);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, ways_are_found_out, 0, PT_LEN(ways));
	tcase_add_loop_test(tc, what_is_wrong, 0, PT_LEN(wrongs));
	tcase_add_test(tc, several_cores);
	tcase_add_test(tc, all_cores);
	tcase_add_loop_test(tc, one_core_halts, 0, 2 * PT_LEN(whose));
	tcase_add_test(tc, a_core_that_cannot);
	tcase_add_test(tc, the_lock);
	tcase_add_loop_test(tc, a_core_in_reset, 0, PT_LEN(in_reset));
	tcase_add_loop_test(tc, who_is_killed_leaves_nothing_at_work, 0, PT_LEN(at_work));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
