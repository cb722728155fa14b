/* The source cyccnt on an ARMv7-M core (fake_m4.h) whose counters go at rates that the test chose: what is told of them,
 * when the wire is too slow for eight bits, and that the unit is left as it was. */
#include <string.h>

#include "base/util.h"
#include "harness.h"
#include "targets/contract/source.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/trace/sources.h"
#include "targets/registry.h"
#include "tests/array_sink.h"
#include "tests/fake_m4.h"
#include "trace/formats.h"
#include "trace/loss.h"

enum { CYCLES, CPI, EXCEPTIONS, SLEEP, LSU, FOLDED, N_COUNTERS, ROUNDS = 60 };

static struct fake_m4 m4;
static struct array_sink sink;
static struct pt_target *target;
static struct pt_probe *probe;
static struct pt_params *settings;
static struct pt_err err;
static void *state;

static void setup(void)
{
	static const uint32_t rates[] = { 3, 0, 5, 2, 1 };	/* CPI EXC SLEEP LSU FOLD, a microsecond */

	fake_m4_init(&m4);
	m4.cyccnt_per_us = 16;
	memcpy(m4.count_per_us, rates, sizeof(rates));
	m4.dap.memory.access_ns = 5000;		/* 80 cycles from one read to the next */
	m4.dwt_ctrl |= 1 << 12;			/* somebody's */
	array_sink_init(&sink);
	settings = pt_params_new();
	probe = pt_probe_open_link(&fake_dap_probe_ops, m4.dap.link, NULL, &err);
	m4.dap.link = NULL;
	target = NULL;
	state = calloc(1, pt_source_cyccnt.state_bytes);
}

static void attach(void)
{
	target = pt_target_attach(probe, "cortexm", NULL, &err);
	ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
}

static void teardown(void)
{
	ck_assert_ptr_null(target->leases);
	ck_assert_int_eq(pt_target_detach(target, true, &err), 0);
	ck_assert_uint_eq(m4.demcr, 0);
	ck_assert_uint_eq(m4.dwt_ctrl, UINT32_C(4) << 28 | 1 << 12);
	pt_probe_close(probe);
	array_sink_fini(&sink);
	pt_params_free(settings);
	free(state);
	fake_m4_fini(&m4);
}

static int start(const char *word)
{
	struct pt_source_setup with = { .settings = settings, .sink = &sink.sink, .seed = 3, .config = "" };

	if (word != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_source_cyccnt.params, pt_source_cyccnt.n_params, word,
					       &err),
				 0);
	return pt_source_cyccnt.start(state, target, &with, &err);
}

static void drain(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		int rc = pt_source_cyccnt.drain(state, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		array_mem_pass(&m4.dap.memory, (uint64_t)rc * 1000);
	}
}

static void stop(void)
{
	ck_assert_msg(pt_source_cyccnt.stop(state, &err) == 0, "%s", err.msg);
	array_sink_check(&sink);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
}

/* --- what was told ------------------------------------------------------------------------------------------------ */

static struct seen { uint64_t n, counted, ns, error_ns, last, last_ns; } seen[N_COUNTERS];

static void look_at_record(const uint8_t *at, uint64_t *error_ns)
{
	unsigned word = pt_le16(at + PT_COUNTERS_COUNTER), n = word & ~(unsigned)PT_COUNTERS_RESUMES;
	uint64_t ns = pt_le64(at + PT_COUNTERS_TICKS), reading = pt_le64(at + PT_COUNTERS_READING);
	struct seen *s = &seen[n < N_COUNTERS ? n : 0];

	if (n == PT_COUNTERS_ERROR) {
		*error_ns = reading;
		return;
	}
	ck_assert_uint_lt(n, N_COUNTERS);
	if (s->n++ > 0 && (word & PT_COUNTERS_RESUMES) == 0) {
		ck_assert_uint_gt(ns, s->last_ns);
		s->counted += n == CYCLES ? (uint32_t)(reading - s->last) : reading - s->last;
		s->ns += ns - s->last_ns;
		s->error_ns += 2 * *error_ns;
	}
	s->last = reading;
	s->last_ns = ns;
}

static void look(void)
{
	uint64_t error_ns = 0;

	memset(seen, 0, sizeof(seen));
	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *chunk = sink.chunk[i];

		for (size_t at = 0; chunk->kind == PT_CHUNK_DATA && at < chunk->len_bytes; at += PT_COUNTERS_BYTES)
			look_at_record(chunk->bytes + at, &error_ns);
	}
}

/* Within what the stamps may be off. */
static void rate_is(unsigned counter, double per_us)
{
	const struct seen *s = &seen[counter];
	double ns = (double)s->ns, error = (double)s->error_ns;

	ck_assert_uint_gt(s->n, 0);
	ck_assert_msg((double)s->counted * 1000 <= per_us * (ns + error) + 1000 * (double)s->n &&
			      (double)s->counted * 1000 >= per_us * (ns - error) - 1000 * (double)s->n,
		      "counter %u: %llu in %llu ns, and not %f a us", counter, (unsigned long long)s->counted,
		      (unsigned long long)s->ns, per_us);
}

START_TEST(counts_cycles_and_stalls)
{
	attach();
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	ck_assert_uint_eq(m4.dwt_ctrl & 0x3e1001, 0x3e1001);
	drain(ROUNDS);
	stop();
	look();
	ck_assert_str_eq(array_sink_config(&sink, "counters"), "6");
	ck_assert_str_eq(array_sink_config(&sink, "counter.4"), "lsu");
	rate_is(CYCLES, 16);
	rate_is(CPI, 3);
	rate_is(EXCEPTIONS, 0);
	rate_is(SLEEP, 5);
	rate_is(LSU, 2);
	rate_is(FOLDED, 1);
	ck_assert_uint_ge(seen[LSU].n, 10);
	ck_assert_uint_lt(seen[LSU].error_ns, seen[LSU].ns / 5);
}
END_TEST

/* 640 cycles from read to read: eight bits may have wrapped twice, and nothing is said of them. */
START_TEST(a_slow_wire_counts_cycles_alone)
{
	m4.dap.memory.access_ns = 40000;
	attach();
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	drain(10);
	stop();
	look();
	ck_assert_str_eq(array_sink_config(&sink, "counters"), "1");
	rate_is(CYCLES, 16);
	ck_assert_uint_eq(seen[CPI].n, 0);
}
END_TEST

START_TEST(events_that_cannot_be_are_refused)
{
	m4.dap.memory.access_ns = 40000;
	attach();
	ck_assert_int_eq(start("events=all"), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "cycles go by between two reads") != NULL, "%s", err.msg);
}
END_TEST

/* It becomes slow in the middle (the core's clock was raised): those slots are left out. */
START_TEST(a_faster_core_is_noticed)
{
	uint64_t n;

	attach();
	ck_assert_msg(start(NULL) == 0, "%s", err.msg);
	drain(20);
	look();
	n = seen[CPI].n + seen[LSU].n;
	m4.cyccnt_per_us = 160;
	drain(20);
	stop();
	look();
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_eq(seen[CPI].n + seen[LSU].n, n);
}
END_TEST

/* Halted, nothing is read; it goes on behind that. */
START_TEST(rests_while_halted)
{
	attach();
	ck_assert_msg(start("events=none") == 0, "%s", err.msg);
	drain(10);
	ck_assert_int_eq(pt_source_cyccnt.on_state(state, PT_STATE_HALT, 0, 0x100, &err), 0);
	ck_assert_int_eq(pt_source_cyccnt.drain(state, &err), 200000);
	array_mem_pass(&m4.dap.memory, 1000000);
	ck_assert_int_eq(pt_source_cyccnt.on_state(state, PT_STATE_RUN, 0, 0x100, &err), 0);
	drain(10);
	stop();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 1);
}
END_TEST

static const struct { uint32_t cpuid, dwt_ctrl; const char *why; } without[] = {
	{ 0x410cc601, UINT32_C(4) << 28 | 1 << 12, "Cortex-M0+ r0p1 has no cycle counter" },
	{ 0x410fc241, UINT32_C(4) << 28 | 1 << 12 | 1 << 25, "NOCYCCNT" },
};
START_TEST(a_core_without_says_so)
{
	m4.cpuid = without[_i].cpuid;
	m4.dwt_ctrl = without[_i].dwt_ctrl;
	attach();
	ck_assert_int_eq(start(NULL), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, without[_i].why) != NULL, "%s", err.msg);
	m4.dwt_ctrl &= ~(UINT32_C(1) << 25);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cyccnt_source");
	TCase *tc = tcase_create("cyccnt");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, counts_cycles_and_stalls);
	tcase_add_test(tc, a_slow_wire_counts_cycles_alone);
	tcase_add_test(tc, events_that_cannot_be_are_refused);
	tcase_add_test(tc, a_faster_core_is_noticed);
	tcase_add_test(tc, rests_while_halted);
	tcase_add_loop_test(tc, a_core_without_says_so, 0, PT_LEN(without));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
