/* The source pcsr against a register that follows a made-up program counter, with a core that sleeps now and then. */
#include <string.h>

#include "harness.h"
#include "targets/registry.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/trace/sources.h"
#include "tests/array_mem.h"
#include "profile/stats/estimate.h"
#include "tests/array_sink.h"
#include "trace/loss.h"

enum { PCSR = 0xe000101c, SLEEP_PC = 0x2000, WORK_PC = 0x1000, PHASE_PC = 0x3000 };

static struct array_mem memory;
static struct array_sink sink;
static struct pt_target target;
static struct pt_cortexm *cm;
static struct pt_params *settings;
static struct pt_err err;
static void *state;

static struct {
	uint32_t dhcsr, demcr;
	uint64_t awake_ns, asleep_ns;	/* takes turns */
	uint32_t constant;		/* not 0: PCSR reads as this */
	uint64_t period_ns;		/* not 0: does the same every so often, PHASE_PC in the first third of it */
	bool absent;
	uint64_t n_reads, held_up_at, held_up_ns;	/* at that read of PCSR so much time passes */
} model;

static bool sleeps(void)
{
	return model.asleep_ns != 0 && memory.now_ns % (model.awake_ns + model.asleep_ns) >= model.awake_ns;
}

static uint32_t read_core(void *arg, uint64_t addr)
{
	(void)arg;
	switch (addr) {
	case PCSR:
		if (++model.n_reads == model.held_up_at)
			memory.now_ns += model.held_up_ns;
		if (model.absent || (model.demcr & DEMCR_TRCENA) == 0)
			return 0;
		if (model.constant != 0)
			return model.constant;
		if (model.period_ns != 0 && memory.now_ns % model.period_ns < model.period_ns / 3)
			return PHASE_PC;
		return (model.dhcsr & DHCSR_S_HALT) != 0 ? UINT32_MAX :
		       sleeps() ? SLEEP_PC : WORK_PC + (uint32_t)(memory.now_ns / 100 % 64) * 2;
	case 0xe000edf0: return model.dhcsr | DHCSR_S_REGRDY | (sleeps() ? DHCSR_S_SLEEP : 0);
	case 0xe000edfc: return model.demcr;
	default: return 0;
	}
}

static void write_core(void *arg, uint64_t addr, uint32_t value)
{
	(void)arg;
	if (addr == 0xe000edfc)
		model.demcr = value;
}

static void setup(void)
{
	memset(&model, 0, sizeof(model));
	array_mem_init(&memory);
	array_mem_hook(&memory, &(struct array_hook){ 0xe0000000, 0x10000, read_core, write_core, NULL });
	array_sink_init(&sink);
	cm = calloc(1, sizeof(*cm));
	cm->target = &target;
	cm->mem = &memory.mem;
	cm->found.unit[PT_UNIT_SCS] = 0xe000e000;
	cm->found.unit[PT_UNIT_DWT] = 0xe0001000;
	target = (struct pt_target){ .ops = &pt_cortexm_ops, .state = cm };
	settings = pt_params_new();
	state = calloc(1, pt_source_pcsr.state_bytes);
}

static void teardown(void)
{
	array_mem_fini(&memory);
	array_sink_fini(&sink);
	pt_params_free(settings);
	ck_assert_ptr_null(target.leases);
	free(state);
	free(cm);
}

static uint64_t seed = 3;

static int start(const char *word)
{
	struct pt_source_setup with = { .settings = settings, .sink = &sink.sink, .seed = seed, .config = "" };

	if (word != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_source_pcsr.params, pt_source_pcsr.n_params, word, &err),
				 0);
	return pt_source_pcsr.start(state, &target, &with, &err);
}

static void drain(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		int rc = pt_source_pcsr.drain(state, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		array_mem_pass(&memory, (uint64_t)rc * 1000);
	}
}

static void stop(void)
{
	ck_assert_msg(pt_source_pcsr.stop(state, &err) == 0, "%s", err.msg);
	array_sink_check(&sink);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
	ck_assert_uint_eq(model.demcr, 0);
}

START_TEST(samples_in_batches)
{
	size_t n_runs;

	ck_assert_msg(start("batch=32") == 0, "%s", err.msg);
	n_runs = memory.n_runs;
	drain(50);
	ck_assert_uint_eq(memory.n_runs - n_runs, 50);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), 200);
	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == PT_CHUNK_DATA)
			ck_assert_uint_eq(sink.chunk[i]->len_bytes, 4 * 32);
	stop();
	ck_assert_str_eq(array_sink_config(&sink, "batch"), "32");
}
END_TEST

/* A daemon that is stopped for 12 s, or a server that is: nobody looked meanwhile. */
START_TEST(who_is_held_up_does_not_look)
{
	uint64_t began_ns = memory.now_ns, observed_ns = 0;

	model.held_up_at = 2000;
	model.held_up_ns = 12 * UINT64_C(1000000000);
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	drain(100);
	stop();
	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == PT_CHUNK_DATA)
			observed_ns += sink.chunk[i]->to_ns - sink.chunk[i]->from_ns;
	ck_assert_uint_gt(model.n_reads, 4000);
	ck_assert_uint_gt(memory.now_ns - began_ns, model.held_up_ns);
	ck_assert_uint_gt(observed_ns, 0);
	ck_assert_uint_lt(observed_ns, memory.now_ns - began_ns - model.held_up_ns);
}
END_TEST

/* The second is a core that naps between short interrupts: batches that are asleep at both ends have work in them. */
static const struct { uint64_t awake_ns, asleep_ns; unsigned n_rounds, least_percent, most_percent; } naps[] = {
	{ 700000, 300000, 300, 25, 35 }, { 10000, 90000, 40, 85, 95 },
};

START_TEST(sleep_is_kept_apart)
{
	bool asleep = false;
	unsigned n_asleep = 0, n_wrong = 0, n = 0;

	model.awake_ns = naps[_i].awake_ns;
	model.asleep_ns = naps[_i].asleep_ns;
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	drain(naps[_i].n_rounds);
	stop();
	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *chunk = sink.chunk[i];

		if (chunk->kind == PT_CHUNK_STATE)
			asleep = chunk->cause == PT_STATE_SLEEP;
		for (uint32_t at = 0; chunk->kind == PT_CHUNK_DATA && at < chunk->len_bytes; at += 4, n++) {
			n_asleep += asleep;
			n_wrong += (pt_le32(chunk->bytes + at) == SLEEP_PC) != asleep;
		}
	}
	ck_assert_uint_gt(n, naps[_i].n_rounds * 32);
	ck_assert_msg(n_asleep > n / 100 * naps[_i].least_percent && n_asleep < n / 100 * naps[_i].most_percent,
		      "%u of %u", n_asleep, n);
	ck_assert_msg(n_wrong < n / 200, "%u of %u", n_wrong, n);
}
END_TEST

static const struct { uint32_t constant; bool absent; const char *says; } refused[] = {
	{ 0, true, "no DWT_PCSR" },
	{ UINT32_MAX, false, "not permit" },
};

START_TEST(says_why_not)
{
	model.constant = refused[_i].constant;
	model.absent = refused[_i].absent;
	ck_assert_int_eq(start(NULL), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, refused[_i].says) != NULL, "%s", err.msg);
	ck_assert_uint_eq(model.demcr, 0);
}
END_TEST

START_TEST(halted_is_no_sample)
{
	size_t n;

	ck_assert_int_eq(start(NULL), 0);
	drain(3);
	n = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	model.dhcsr = DHCSR_S_HALT;
	drain(2);	/* before the board has seen it */
	ck_assert_int_eq(pt_source_pcsr.on_state(state, PT_STATE_HALT, 0, 0x1000, &err), 0);
	drain(2);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), n);
	model.dhcsr = 0;
	ck_assert_int_eq(pt_source_pcsr.on_state(state, PT_STATE_RUN, 0, 0x1000, &err), 0);
	drain(2);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 1);
	ck_assert_uint_gt(array_sink_count(&sink, PT_CHUNK_DATA, -1), n);
	stop();
}
END_TEST

START_TEST(starts_halted_and_survives_trouble)
{
	int rest_us;

	model.dhcsr = DHCSR_S_HALT;
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	drain(2);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), 0);
	model.dhcsr = 0;
	pt_source_pcsr.on_state(state, PT_STATE_RUN, 0, PT_UNKNOWN, &err);
	memory.fail_code = PT_EFAULT;
	memory.fail_after = 6;
	drain(10);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_PROBE), 1);
	model.dhcsr = DHCSR_S_RESET_ST;
	memory.fail_code = PT_EFAULT;
	memory.fail_after = 6;
	drain(10);
	model.dhcsr = 0;
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 1);
	ck_assert(cm->was_reset);
	ck_assert_int_eq(pt_source_pcsr.on_state(state, PT_STATE_RESET, 0, PT_UNKNOWN, &err), 0);
	memory.fail_code = PT_EFAULT;	/* held in reset: it does not take DEMCR yet */
	memory.fail_after = 0;
	rest_us = pt_source_pcsr.drain(state, &err);
	ck_assert_int_gt(rest_us, 0);
	ck_assert_uint_eq(cm->demcr & DEMCR_TRCENA, 0);
	array_mem_pass(&memory, (uint64_t)rest_us * 1000);
	drain(1);
	ck_assert_uint_eq(cm->demcr & DEMCR_TRCENA, DEMCR_TRCENA);
	for (size_t at = 0; at < 20; at++) {
		memory.fail_code = PT_EINTERRUPTED;
		memory.fail_after = at;
		ck_assert_int_ne(pt_source_pcsr.drain(state, &err), PT_EIO);
	}
	memory.fail_code = 0;
	stop();
}
END_TEST

/* The share of the program's phase, and whether its interval, with batches as clusters, holds the truth. */
static bool phase_held(void)
{
	struct pt_cluster_total total = { 0 };
	struct pt_cluster_sum sum = { 0 };
	struct pt_share share;

	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *chunk = sink.chunk[i];
		double hits = 0;

		if (chunk->kind != PT_CHUNK_DATA)
			continue;
		for (uint32_t at = 0; at < chunk->len_bytes; at += 4)
			hits += pt_le32(chunk->bytes + at) == PHASE_PC;
		pt_cluster_add_total(&total, chunk->len_bytes / 4.0);
		pt_cluster_add(&sum, hits, chunk->len_bytes / 4.0);
	}
	share = pt_cluster_share(&total, &sum);
	return share.lo <= 1.0 / 3 && share.hi >= 1.0 / 3;
}

/* Its period is the mean distance of batches, each of them long, were they one uniform delay apart. */
START_TEST(a_program_in_step_is_sampled_evenly)
{
	enum { SEEDS = 40, ROUNDS = 60, ACCESS_NS = 12000, BATCH = 256, MEAN_DELAY_NS = 1000000 };
	unsigned held = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		memory.access_ns = ACCESS_NS;
		memory.now_ns = seed * 98765;
		model.period_ns = MEAN_DELAY_NS + (BATCH + 2) * ACCESS_NS;
		ck_assert_msg(start("batch=256") == 0, "%s", err.msg);
		drain(ROUNDS);
		stop();
		held += phase_held();
		teardown();
		setup();
	}
	seed = 3;
	ck_assert_msg(10 * held >= 9 * SEEDS, "%u of %d intervals hold the truth", held, SEEDS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pcsr source");
	TCase *tc = tcase_create("pcsr");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, samples_in_batches);
	tcase_add_test(tc, who_is_held_up_does_not_look);
	tcase_add_loop_test(tc, sleep_is_kept_apart, 0, PT_LEN(naps));
	tcase_add_loop_test(tc, says_why_not, 0, PT_LEN(refused));
	tcase_add_test(tc, a_program_in_step_is_sampled_evenly);
	tcase_add_test(tc, halted_is_no_sample);
	tcase_add_test(tc, starts_halted_and_survives_trouble);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
