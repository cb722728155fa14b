/* The sources bins and counters of the target microblaze over an MDM in an array, with numbers by hand; what is wrong
 * says so, and nothing that was collected is lost. */
#include <stdlib.h>
#include <string.h>

#include "array_sink.h"
#include "fake_mdm.h"
#include "harness.h"
#include "targets/lease.h"
#include "targets/microblaze/microblaze.h"
#include "trace/formats.h"
#include "trace/loss.h"
#include "util.h"

static struct fake_mdm mdm;
static struct array_mem memory;
static struct array_sink sink;
static struct pt_mb *mb;
static struct pt_target target;
static struct pt_params *settings, *words;
static struct pt_err err;
static void *state;
static const struct pt_source_ops *source;
static enum pt_run_state core_state;

static int fake_status(void *s, unsigned core, struct pt_core_status *out, struct pt_err *e)
{
	(void)s;
	(void)core;
	(void)e;
	*out = (struct pt_core_status){ .state = core_state, .addr = PT_UNKNOWN };
	return 0;
}

static int fake_pc(void *s, unsigned core, uint64_t *pc, struct pt_err *e)
{
	(void)s;
	(void)core;
	(void)e;
	*pc = 0x100;
	return 0;
}

static const struct pt_target_ops fake_ops = { .name = "microblaze", .status = fake_status, .pc = fake_pc };

static void setup(void)
{
	fake_mdm_init(&mdm);
	array_mem_init(&memory);
	memory.access_ns = 1000;
	fake_mdm_hook(&mdm, &memory);
	array_sink_init(&sink);
	settings = pt_params_new();
	words = pt_params_new();
	mb = calloc(1, sizeof(*mb));
	target = (struct pt_target){ .ops = &fake_ops, .state = mb };
	mb->target = &target;
	core_state = PT_RUNNING;
	err = (struct pt_err){ 0 };
}

static void teardown(void)
{
	pt_mdm_close(&mb->mdm);
	ck_assert_ptr_null(target.leases);
	array_mem_fini(&memory);
	array_sink_fini(&sink);
	pt_params_free(settings);
	pt_params_free(words);
	free(mb);
	free(state);
	state = NULL;
}

static void set(const char *word)
{
	ck_assert_msg(pt_params_add(settings, pt_mb_settings, PT_MB_N_SETTINGS, word, &err) == 0, "%s", err.msg);
}

static void say(const char *word)
{
	ck_assert_msg(pt_params_add(words, source->params, source->n_params, word, &err) == 0, "%s", err.msg);
}

static int open_mdm(void)
{
	if (!pt_params_given(settings, &pt_mb_settings[PT_MDM_AXI_BASE]))
		set("mdm.axi.base=0x41400000");
	ck_assert_msg(pt_mb_read_settings(mb, settings, &err) == 0, "%s", err.msg);
	mb->mdm.mem = &memory.mem;
	return pt_mdm_open(&mb->mdm, settings, &err);
}

static int start(const struct pt_source_ops *ops, uint64_t low, uint64_t size)
{
	struct pt_source_setup s = {
		.settings = words,
		.source = 3,
		.sink = &sink.sink,
		.config = "core_hz=100000000\n",
		.code = { low, size },
	};

	source = ops;
	if (state == NULL)
		state = calloc(1, ops->state_bytes);
	return ops->start(state, &target, &s, &err);
}

static void use(const struct pt_source_ops *ops)
{
	source = ops;
	ck_assert_msg(open_mdm() == 0, "%s", err.msg);
}

static void started(const struct pt_source_ops *ops, uint64_t low, uint64_t size)
{
	ck_assert_msg(start(ops, low, size) == 0, "%s", err.msg);
}

static void drain_until(uint64_t ns)
{
	while (memory.now_ns < ns) {
		int us = source->drain(state, &err);

		ck_assert_msg(us >= 0, "%s", err.msg);
		array_mem_pass(&memory, (uint64_t)us * 1000);
	}
}

static void stop(void)
{
	ck_assert_msg(source->stop(state, &err) == 0, "%s", err.msg);
	array_sink_check(&sink);
}

/* Hits of the bin at address in all DATA chunks; *full: records that say that it was full. */
static uint64_t hits_at(uint64_t address, unsigned *full)
{
	uint64_t sum = 0;

	*full = 0;
	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *c = sink.chunk[i];

		for (uint32_t at = 0; c->kind == PT_CHUNK_DATA && at + PT_BINS_BYTES <= c->len_bytes;
		     at += PT_BINS_BYTES) {
			uint64_t hits = pt_le64(c->bytes + at + PT_BINS_HITS);

			if (pt_le64(c->bytes + at + PT_BINS_ADDRESS) != address)
				continue;
			*full += hits == PT_UNKNOWN;
			sum += hits == PT_UNKNOWN ? 0 : hits;
		}
	}
	return sum;
}

static uint64_t bin_at(uint64_t address)
{
	unsigned full;

	return hits_at(address, &full);
}

/* --- ways */

/* A register window or the pair, either half of 36 bits first, PBAR one bit shorter: found out, with the same
 * result. */
static const struct way {
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
	{ "mb.prof.size=8192", 1024, false, "fewer than mb.prof.size=8192 bytes" },
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

/* --- bins */

/* UG984 2018.2, Non-Intrusive Profiling: the table of range, buffer and bin. */
static const struct {
	uint64_t low, high;
	const char *size;
	unsigned bytes;
} ranges[] = {
	{ 0x0, 0xfff, "mb.prof.size=4096", 4 },
	{ 0x0, 0x1003, "mb.prof.size=4096", 8 },
	{ 0x0, 0x3fff, "mb.prof.size=4096", 16 },
	{ 0x80000000, 0x8003ffff, "mb.prof.size=131072", 8 },
	{ 0x80000000, 0x80040000, "mb.prof.size=131072", 16 },
};

START_TEST(bin_sizes)
{
	struct pt_bins_unit u = { .n_bins = 1024, .addr_bits = 32 };

	u.n_bins = _i < 3 ? 1024 : 32768;
	ck_assert_int_eq(pt_bins_unit_range(&u, PT_MB_SUB_THEN_SHIFT, ranges[_i].low, ranges[_i].high, -1, &err), 0);
	ck_assert_uint_eq(4u << u.shift, ranges[_i].bytes);
	ck_assert_uint_eq(u.low, ranges[_i].low);
	ck_assert_int_lt(
		pt_bins_unit_range(&u, PT_MB_SUB_THEN_SHIFT, ranges[_i].low, ranges[_i].high, -1 + (int)u.shift, &err),
		1);
}
END_TEST

/* Each rule of the index, on a range that no alignment saves: the address that the source gives a bin is the first of
 * those that the rule puts into it. */
START_TEST(index_rules)
{
	struct pt_bins_unit u = { .n_bins = 1024, .addr_bits = 32 };
	uint64_t low = 0x1234, high = 0x1234 + 16 * 1000;

	ck_assert_int_eq(pt_bins_unit_range(&u, (enum pt_mb_index)_i, low, high, 2, &err), 0);
	for (uint64_t pc = low; pc <= high; pc += 4) {
		uint64_t word = pc >> 2, from = u.low >> 2;
		uint32_t bin = (uint32_t)(_i == PT_MB_SUB_THEN_SHIFT   ? (word - from) >> u.shift
					  : _i == PT_MB_SHIFT_THEN_SUB ? (word >> u.shift) - (from >> u.shift)
								       : (word >> u.shift) & (u.n_bins - 1));

		ck_assert_uint_lt(bin, u.n_bins);
		ck_assert_uint_le(pt_bins_unit_address(&u, bin), pc);
		ck_assert_uint_lt(pc, pt_bins_unit_address(&u, bin) + 16);
	}
}
END_TEST

/* Readings while it counts add up to what was counted; so with the counting stopped for each, and with one at the
 * end. */
static const char *const modes[] = { "mode=live", "mode=snapshot", "mode=end" };

START_TEST(readings_add_up)
{
	uint64_t sum = 0;

	use(&pt_source_mb_bins);
	say(modes[_i]);
	say("period=20ms");
	started(source, 0x100, 0x1000);
	for (unsigned i = 0; i < 30; i++) {
		if (mdm.core[0].on) {
			fake_mdm_hit(&mdm, 0, 0x500, i + 1);
			sum += i + 1;
		}
		fake_mdm_hit(&mdm, 0, 0x10fc, 1);
		fake_mdm_hit(&mdm, 0, 0x1100, 1); /* behind the range */
		drain_until(memory.now_ns + 7000000);
	}
	stop();
	ck_assert_uint_gt(sum, 0);
	ck_assert_uint_eq(bin_at(0x500), sum);
	ck_assert_uint_eq(mdm.core[0].on, false);
	ck_assert_str_eq(array_sink_config(&sink, "counting"), "cycles");
	ck_assert_str_eq(array_sink_config(&sink, "bin_bytes"), "4");
	ck_assert_uint_gt(strtoul(array_sink_config(&sink, "skew_us"), NULL, 10), 0);
	if (_i == 1) /* a stretch for each reading that the counting was stopped for */
		ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM), 5);
	else /* the way in, the last of them, and the way out */
		ck_assert_uint_le(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM), 3);
}
END_TEST

/* In instructions, over a range of one's own, adding to what there is. */
START_TEST(options_of_mbprofile)
{
	use(&pt_source_mb_bins);
	mdm.core[0].bin[4] = 1000;
	say("count=instructions");
	say("low=0x2000");
	say("high=0x2fff");
	say("cumulate=on");
	started(source, 0, 0);
	ck_assert_uint_eq(mdm.core[0].pctrlr, 0x80); /* B = 0, instructions, on */
	fake_mdm_hit(&mdm, 0, 0x2010, 3);
	stop();
	ck_assert_uint_eq(bin_at(0x2010), 1003);
	ck_assert_str_eq(array_sink_config(&sink, "counting"), "instructions");
}
END_TEST

/* The unit counts from an address that is aligned; what was not asked for is not told. */
START_TEST(a_range_that_is_not_aligned)
{
	use(&pt_source_mb_bins);
	say("low=0x2018");
	say("high=0x2fff");
	say("bin-bytes=16");
	started(source, 0, 0);
	ck_assert_uint_eq(mdm.core[0].plar, 0);
	fake_mdm_hit(&mdm, 0, 0x200c, 5);
	fake_mdm_hit(&mdm, 0, 0x2010, 6); /* the bin that 0x2018 lies in */
	fake_mdm_hit(&mdm, 0, 0x2024, 7);
	stop();
	ck_assert_uint_eq(bin_at(0x2000), 0);
	ck_assert_uint_eq(bin_at(0x2010), 6);
	ck_assert_uint_eq(bin_at(0x2020), 7);
	ck_assert_str_eq(array_sink_config(&sink, "low"), "0x2010");
}
END_TEST

START_TEST(no_range)
{
	use(&pt_source_mb_bins);
	ck_assert_int_eq(start(source, 0, 0), PT_EARG);
	ck_assert_msg(strstr(err.msg, "low=ADDR and high=ADDR") != NULL, "%s", err.msg);
}
END_TEST

/* 2^36 - 1 is the end: what it has is a bound. */
START_TEST(a_full_bin)
{
	unsigned full;

	use(&pt_source_mb_bins);
	say("period=10ms");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, PT_BIN_FULL);
	drain_until(memory.now_ns + 100000000);
	stop();
	ck_assert_uint_eq(hits_at(0x100, &full), PT_BIN_FULL);
	ck_assert_uint_eq(full, 1);
}
END_TEST

/* 2^36 cycles at 100 MHz are 687 s: a bin that reads less than before has wrapped if so much time is over. */
START_TEST(a_bin_that_wraps)
{
	unsigned full;

	set("mb.freq_hz=100M");
	use(&pt_source_mb_bins);
	say("period=600s");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, PT_BIN_FULL - 99);
	drain_until(memory.now_ns + UINT64_C(601000000000));
	fake_mdm_hit(&mdm, 0, 0x100, 150);
	drain_until(memory.now_ns + UINT64_C(601000000000));
	stop();
	ck_assert_uint_eq(hits_at(0x100, &full), PT_BIN_FULL + 51);
}
END_TEST

/* Cross triggers start and stop it: their register is programmed, and cleared at the end. */
START_TEST(cross_triggers)
{
	use(&pt_source_mb_bins);
	say("trigger=cross");
	say("start-input=2");
	say("stop-input=3");
	started(source, 0x100, 0x100);
	ck_assert_uint_eq(mdm.xtrig[7], 1u << (11 - 2) | 7);
	ck_assert_uint_eq(mdm.xtrig[6], 1u << (11 - 3) | 6);
	ck_assert(!mdm.core[0].on);
	stop();
	ck_assert_uint_eq(mdm.xtrig[7], 7);
	ck_assert_uint_eq(mdm.xtrig[6], 6);
}
END_TEST

/* A halt of the core, then a way that fails for good: what was counted before is there, and the end is told. */
START_TEST(the_way_is_lost)
{
	int rc = 0;

	use(&pt_source_mb_bins);
	say("period=10ms");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, 11);
	drain_until(memory.now_ns + 100000000);
	ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x100, &err), 0);
	array_mem_pass(&memory, 50000000);
	ck_assert_int_eq(source->on_state(state, PT_STATE_RUN, 0, 0x100, &err), 0);
	for (int i = 0; i < 1000 && rc >= 0; i++) {
		memory.fail_code = PT_EIO;
		memory.fail_after = 0;
		rc = source->drain(state, &err);
		array_mem_pass(&memory, rc > 0 ? (uint64_t)rc * 1000 : 0);
	}
	ck_assert_int_eq(rc, PT_EIO);
	memory.fail_code = PT_EIO;
	source->stop(state, &err);
	array_sink_check(&sink);
	ck_assert_uint_eq(bin_at(0x100), 11);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 1);
}
END_TEST

/* At a halt, what ran up to it is read at once, not when the next reading would be due; once is enough. */
START_TEST(a_halt_is_followed_by_a_reading)
{
	static const char *const how[] = { "mode=live", "mode=snapshot" };
	size_t n_data;

	use(&pt_source_mb_bins);
	say(how[_i]);
	say("period=10s");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, 5);
	array_mem_pass(&memory, 3000000);
	ck_assert_uint_eq(bin_at(0x100), 0);
	ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x100, &err), 0);
	drain_until(memory.now_ns + 1000000000);
	ck_assert_uint_eq(bin_at(0x100), 5);
	n_data = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	drain_until(memory.now_ns + 1000000000);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), n_data);
	ck_assert_int_eq(source->on_state(state, PT_STATE_RUN, 0, 0x100, &err), 0);
	fake_mdm_hit(&mdm, 0, 0x100, 7);
	drain_until(memory.now_ns + 1000000);
	ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x100, &err), 0);
	drain_until(memory.now_ns + 1000000000);
	ck_assert_uint_eq(bin_at(0x100), 12);
	stop();
	ck_assert_uint_eq(bin_at(0x100), 12);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 2);
}
END_TEST

/* A core that sleeps is no core that is held, and a reset takes nothing away that was counted. */
START_TEST(asleep_and_reset)
{
	core_state = PT_SLEEPING;
	use(&pt_source_mb_bins);
	say("period=10ms");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, 5);
	drain_until(memory.now_ns + 50000000);
	ck_assert_uint_eq(bin_at(0x100), 5);
	fake_mdm_hit(&mdm, 0, 0x100, 4);
	ck_assert_int_eq(source->on_state(state, PT_STATE_RESET, 0, PT_UNKNOWN, &err), 0);
	fake_mdm_hit(&mdm, 0, 0x100, 3);
	drain_until(memory.now_ns + 50000000);
	stop();
	ck_assert_uint_eq(bin_at(0x100), 12);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 0);
}
END_TEST

START_TEST(one_owner)
{
	use(&pt_source_mb_bins);
	ck_assert_int_eq(pt_lease_take(&target, "mb.profiling.0", "branch trace", &err), 0);
	ck_assert_int_eq(start(source, 0x100, 0x100), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "branch trace") != NULL, "%s", err.msg);
	pt_lease_drop(&target, "mb.profiling.0", "branch trace");
}
END_TEST

/* --- counters */

/* The last reading of a counter, how many there were, and how many turns began. */
static uint64_t last_of(unsigned counter, unsigned *n, unsigned *turns)
{
	uint64_t last = PT_UNKNOWN;

	*n = *turns = 0;
	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *c = sink.chunk[i];

		for (uint32_t at = 0; c->kind == PT_CHUNK_DATA && at + PT_COUNTERS_BYTES <= c->len_bytes;
		     at += PT_COUNTERS_BYTES) {
			unsigned word = pt_le16(c->bytes + at + PT_COUNTERS_COUNTER);

			if ((word & ~(unsigned)PT_COUNTERS_RESUMES) != counter)
				continue;
			last = pt_le64(c->bytes + at + PT_COUNTERS_READING);
			*n += 1;
			*turns += (word & PT_COUNTERS_RESUMES) != 0;
		}
	}
	return last;
}

START_TEST(counters_that_fit)
{
	unsigned n, turns;

	use(&pt_source_mb_counters);
	say("events=cycles,instructions,41");
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 30, 1000);
	fake_mdm_count(&mdm, 0, 41, 77);
	fake_mdm_count(&mdm, 0, 57, 4);
	drain_until(memory.now_ns + 350000000);
	fake_mdm_count(&mdm, 0, 30, 500);
	stop();
	ck_assert_uint_eq(last_of(0, &n, &turns), 1500);
	ck_assert_uint_eq(turns, 1);
	ck_assert_uint_ge(n, 4);
	ck_assert_uint_eq(last_of(2, &n, &turns), 77);
	ck_assert_uint_eq(last_of(3, &n, &turns), 4); /* latencies: n, sum, squares, min, max */
	ck_assert_uint_eq(last_of(4, &n, &turns), 40);
	ck_assert_uint_eq(last_of(5, &n, &turns), 400);
	ck_assert_uint_eq(last_of(6, &n, &turns), 10);
	ck_assert_uint_eq(last_of(7, &n, &turns), 10);
	ck_assert_str_eq(array_sink_config(&sink, "counter.2"), "loads");
	ck_assert_str_eq(array_sink_config(&sink, "counter.6"), "interrupt.latency.min");
	ck_assert_str_eq(array_sink_config(&sink, "counter.6.kind"), "least");
	ck_assert_msg(strstr(array_sink_config(&sink, "cost"), ": 30 0 41 57") != NULL, "%s",
		      array_sink_config(&sink, "cost"));
	ck_assert_str_eq(array_sink_config(&sink, "counter.2.note"), "event 41");
	ck_assert_str_eq(array_sink_config(&sink, "counter.7.note"), "event 57");
	ck_assert_uint_eq(mdm.n_bad, 0);
	ck_assert(!mdm.core[0].counting);
}
END_TEST

/* Seven events in two counters: four groups, each with its turns, none with anybody else's counts. */
START_TEST(counters_take_turns)
{
	unsigned n, turns;

	set("mb.perf.events=2");
	set("mb.perf.latency=0");
	mdm.n_events = 2;
	mdm.n_latencies = 0;
	use(&pt_source_mb_counters);
	say("events=1,2,3,4,5,6,7");
	say("period=10ms");
	started(source, 0, 0);
	for (unsigned i = 0; i < 60; i++) {
		for (unsigned event = 1; event <= 7; event++)
			fake_mdm_count(&mdm, 0, event, event);
		drain_until(memory.now_ns + 10000000);
	}
	stop();
	ck_assert_str_eq(array_sink_config(&sink, "groups"), "4");
	for (unsigned i = 0; i < 7; i++) {
		uint64_t last = last_of(i, &n, &turns);

		ck_assert_uint_ge(turns, 5);
		ck_assert_msg(last % (i + 1) == 0, "%u: %u", i, (unsigned)last);
	}
	ck_assert_uint_eq(mdm.n_bad, 0);
}
END_TEST

/* A core that sleeps runs, as far as counters go: they are read, and what they count is in the trace. */
START_TEST(counters_of_a_core_asleep)
{
	unsigned n, turns;

	core_state = PT_SLEEPING;
	use(&pt_source_mb_counters);
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 30, 100);
	drain_until(memory.now_ns + 250000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 100);
	ck_assert_uint_ge(n, 3);
	stop();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, -1), 0);
}
END_TEST

/* A reset clears the counters: what they had counted since the last reading is a loss that is told, and then they begin
 * anew, from zero. */
START_TEST(counters_over_a_reset)
{
	unsigned n, turns;

	use(&pt_source_mb_counters);
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 30, 100);
	drain_until(memory.now_ns + 150000000);
	fake_mdm_count(&mdm, 0, 30, 40);
	array_mem_pass(&memory, 30000000);
	memset(mdm.core[0].count, 0, sizeof(mdm.core[0].count));
	mdm.core[0].counting = false;
	ck_assert_int_eq(source->on_state(state, PT_STATE_RESET, 0, 0, &err), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 1);
	drain_until(memory.now_ns + 1000000);
	fake_mdm_count(&mdm, 0, 30, 7);
	drain_until(memory.now_ns + 150000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 7);
	ck_assert_uint_eq(turns, 2);
	stop();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_RESET), 1);
	ck_assert(!mdm.core[0].counting);
}
END_TEST

/* Sums that have run over are left out, and the counters begin anew. */
START_TEST(sums_that_run_over)
{
	unsigned n, before, turns;

	use(&pt_source_mb_counters);
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 57, 4);
	drain_until(memory.now_ns + 150000000);
	last_of(5, &before, &turns);
	mdm.core[0].status = 2;
	drain_until(memory.now_ns + 100000000);
	mdm.core[0].status = 0;
	stop();
	ck_assert_uint_eq(last_of(5, &n, &turns), 0);
	ck_assert_uint_eq(n, before + 2); /* no reading, but a turn that begins at zero, and its end */
	ck_assert_uint_eq(turns, 2);
}
END_TEST

/* --- a core in reset: its debug registers read 0, and take nothing */

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

/* The time in which it does not answer is a loss, and nothing is counted twice when it does again: its bins have what
 * they had. */
START_TEST(bins_while_in_reset)
{
	use(&pt_source_mb_bins);
	say("period=10ms");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x108, 500);
	drain_until(memory.now_ns + 50000000);
	mdm.core[0].held = true;
	drain_until(memory.now_ns + 200000000);
	ck_assert_uint_eq(bin_at(0x108), 500);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 2);
	mdm.core[0].held = false;
	fake_mdm_hit(&mdm, 0, 0x108, 7);
	drain_until(memory.now_ns + 200000000);
	ck_assert_uint_eq(bin_at(0x108), 507);
	mdm.core[0].held = true;
	stop();
	ck_assert_uint_eq(bin_at(0x108), 507);
}
END_TEST

/* What they had counted since the last reading nobody knows; they begin anew when it is back. */
START_TEST(counters_while_in_reset)
{
	unsigned n, turns;

	use(&pt_source_mb_counters);
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 30, 100);
	drain_until(memory.now_ns + 250000000);
	mdm.core[0].held = true;
	drain_until(memory.now_ns + 500000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 100);
	ck_assert_uint_eq(turns, 1);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 2);
	mdm.core[0].held = false;
	drain_until(memory.now_ns + 60000000);
	fake_mdm_count(&mdm, 0, 30, 9);
	drain_until(memory.now_ns + 250000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 9);
	ck_assert_uint_eq(turns, 2);
	stop();
}
END_TEST

/* Where no mark stays, a setting leaves the look away: what reads 0 has counted nothing, unless it had counted
 * before. */
START_TEST(counters_that_cannot_be_written)
{
	unsigned n, turns;

	if (_i == 1)
		set("mb.perf.check=off");
	use(&pt_source_mb_counters);
	mdm.counters_fixed = true;
	if (_i == 0) {
		ck_assert_int_eq(start(source, 0, 0), PT_EUNSUPPORTED);
		ck_assert_msg(strstr(err.msg, "mb.perf.check=off") != NULL, "%s", err.msg);
		return;
	}
	started(source, 0, 0);
	drain_until(memory.now_ns + 250000000);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 0);
	fake_mdm_count(&mdm, 0, 30, 100);
	drain_until(memory.now_ns + 150000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 100);
	ck_assert_uint_eq(turns, 1);
	mdm.core[0].held = true;
	drain_until(memory.now_ns + 500000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 100);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 2);
	mdm.core[0].held = false;
	drain_until(memory.now_ns + 250000000);
	fake_mdm_count(&mdm, 0, 30, 9);
	drain_until(memory.now_ns + 150000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 9);
	stop();
	ck_assert_msg(strstr(array_sink_config(&sink, "cost"), "not checked") != NULL, "%s",
		      array_sink_config(&sink, "cost"));
}
END_TEST

/* Nothing has happened, and the core is there: readings go on. */
START_TEST(counters_of_nothing)
{
	unsigned n, turns;

	use(&pt_source_mb_counters);
	started(source, 0, 0);
	drain_until(memory.now_ns + 450000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 0);
	ck_assert_uint_ge(n, 4);
	ck_assert_uint_eq(turns, 1);
	fake_mdm_count(&mdm, 0, 30, 5);
	drain_until(memory.now_ns + 150000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 5);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 0);
	stop();
}
END_TEST

static const struct pt_chunk *last_data(void)
{
	for (size_t i = sink.n_chunks; i-- > 0;)
		if (sink.chunk[i]->kind == PT_CHUNK_DATA)
			return sink.chunk[i];
	ck_abort_msg("no DATA");
}

/* Armed while the core is held, it has what ran from there on: a step into an interrupt is one item, and continues what
 * is known of the core. What began in the midst of something does not. */
START_TEST(trace_of_a_step)
{
	set("mb.trace.size=8192");
	core_state = PT_HALTED;
	use(&pt_source_mb_trace);
	say("mode=ring");
	started(source, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(source->on_state(state, PT_STATE_RUN, 0, 0x100, &err), 0);
		mdm.core[0].trace[mdm.core[0].n_trace++] = 0x3c00a;
		ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x10, &err), 0);
		drain_until(memory.now_ns + 1000000);
		ck_assert_uint_eq(last_data()->len_bytes, 3);
		ck_assert_uint_eq(last_data()->cause, 0);
	}
	stop();
	array_sink_fini(&sink);
	array_sink_init(&sink);
	core_state = PT_RUNNING;
	started(source, 0, 0);
	mdm.core[0].trace[mdm.core[0].n_trace++] = 0x3c00a;
	ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x10, &err), 0);
	drain_until(memory.now_ns + 1000000);
	ck_assert_uint_eq(last_data()->cause, 1);
	stop();
}
END_TEST

/* A core that sleeps runs, as far as windows go. */
START_TEST(trace_of_a_core_asleep)
{
	set("mb.trace.size=8192");
	core_state = PT_SLEEPING;
	use(&pt_source_mb_trace);
	say("period=1ms");
	started(source, 0, 0);
	for (unsigned i = 0; i < 20; i++) {
		mdm.core[0].trace[mdm.core[0].n_trace++] = 0x3c00a;
		drain_until(memory.now_ns + 1000000);
	}
	ck_assert_uint_gt(array_sink_count(&sink, PT_CHUNK_DATA, -1), 1);
	stop();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_HALT), 0);
	ck_assert(!mdm.core[0].tracing);
}
END_TEST

/* A window that does not start is none. */
START_TEST(trace_while_in_reset)
{
	size_t n_data;

	set("mb.trace.size=8192");
	use(&pt_source_mb_trace);
	say("period=1ms");
	started(source, 0, 0);
	drain_until(memory.now_ns + 20000000);
	mdm.core[0].held = true;
	drain_until(memory.now_ns + 5000000);
	n_data = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	drain_until(memory.now_ns + 200000000);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), n_data);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 2);
	mdm.core[0].held = false;
	drain_until(memory.now_ns + 200000000);
	ck_assert_uint_gt(array_sink_count(&sink, PT_CHUNK_DATA, -1), n_data);
	stop();
}
END_TEST

static const struct {
	const char *word, *says;
} bad_lists[] = {
	{ "events=cycles,nonsense", "there is no 'nonsense'" },
	{ "events=57", "there is no '57'" },
	{ "latencies=cycles", "there is no 'cycles'" },
};

START_TEST(lists_that_make_no_sense)
{
	use(&pt_source_mb_counters);
	say(bad_lists[_i].word);
	ck_assert_int_eq(start(source, 0, 0), PT_EARG);
	ck_assert_msg(strstr(err.msg, bad_lists[_i].says) != NULL, "%s", err.msg);
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
	tcase_add_loop_test(tc, bin_sizes, 0, PT_LEN(ranges));
	tcase_add_loop_test(tc, index_rules, 0, 3);
	tcase_add_loop_test(tc, readings_add_up, 0, PT_LEN(modes));
	tcase_add_test(tc, options_of_mbprofile);
	tcase_add_test(tc, a_range_that_is_not_aligned);
	tcase_add_test(tc, no_range);
	tcase_add_test(tc, a_full_bin);
	tcase_add_test(tc, a_bin_that_wraps);
	tcase_add_test(tc, cross_triggers);
	tcase_add_test(tc, the_way_is_lost);
	tcase_add_loop_test(tc, a_halt_is_followed_by_a_reading, 0, 2);
	tcase_add_test(tc, asleep_and_reset);
	tcase_add_test(tc, one_owner);
	tcase_add_test(tc, counters_that_fit);
	tcase_add_test(tc, counters_take_turns);
	tcase_add_test(tc, counters_of_a_core_asleep);
	tcase_add_test(tc, counters_over_a_reset);
	tcase_add_test(tc, sums_that_run_over);
	tcase_add_loop_test(tc, a_core_in_reset, 0, PT_LEN(in_reset));
	tcase_add_test(tc, bins_while_in_reset);
	tcase_add_test(tc, counters_while_in_reset);
	tcase_add_loop_test(tc, counters_that_cannot_be_written, 0, 2);
	tcase_add_test(tc, counters_of_nothing);
	tcase_add_test(tc, trace_of_a_core_asleep);
	tcase_add_test(tc, trace_while_in_reset);
	tcase_add_test(tc, trace_of_a_step);
	tcase_add_loop_test(tc, lists_that_make_no_sense, 0, PT_LEN(bad_lists));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
