/* The source watch on an ARMv7-M core (fake_m4.h) whose memory the test changes as time passes. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "harness.h"
#include "targets/contract/source_watch.h"
#include "targets/registry.h"
#include "tests/array_sink.h"
#include "tests/fake_m4.h"
#include "trace/formats.h"
#include "trace/loss.h"

enum { WORD = FAKE_M4_RAM + 0x100, BYTE = FAKE_M4_RAM + 0x201, LONG = FAKE_M4_RAM + 0x300, ACCESS_NS = 5000 };

static struct fake_m4 m4;
static struct array_sink sink;
static struct pt_target *target;
static struct pt_probe *probe;
static struct pt_params *settings;
static struct pt_err err;
static void *state;

static void setup(void)
{
	fake_m4_init(&m4);
	m4.dap.memory.access_ns = ACCESS_NS;
	array_sink_init(&sink);
	settings = pt_params_new();
	probe = pt_probe_open_link(&fake_dap_probe_ops, m4.dap.link, NULL, &err);
	m4.dap.link = NULL;
	target = pt_target_attach(probe, "cortexm", NULL, &err);
	ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
	state = calloc(1, pt_source_watch.state_bytes);
}

static void teardown(void)
{
	ck_assert_int_eq(pt_target_detach(target, true, &err), 0);
	pt_probe_close(probe);
	array_sink_fini(&sink);
	pt_params_free(settings);
	free(state);
	fake_m4_fini(&m4);
	err = (struct pt_err){ 0 };
}

static int start(const struct pt_source_place *places, size_t n, const char *word)
{
	struct pt_source_setup with = {
		.settings = settings, .sink = &sink.sink, .seed = 3, .config = "", .places = places, .n_places = n,
	};

	if (word != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_source_watch.params, pt_source_watch.n_params, word, &err),
				 0);
	return pt_source_watch.start(state, target, &with, &err);
}

static void drain(unsigned batches)
{
	while (array_sink_count(&sink, PT_CHUNK_DATA, -1) < batches) {
		int rc = pt_source_watch.drain(state, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		array_mem_pass(&m4.dap.memory, (uint64_t)rc * 1000);
	}
}

static void stop(void)
{
	ck_assert_int_eq(pt_source_watch.stop(state, &err), 0);
	array_sink_check(&sink);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
}

/* The i-th record of all, or NULL. */
static const uint8_t *record(size_t i)
{
	for (size_t c = 0; c < sink.n_chunks; c++) {
		size_t n = sink.chunk[c]->kind == PT_CHUNK_DATA ? sink.chunk[c]->len_bytes / PT_LOOKS_BYTES : 0;

		if (i < n)
			return sink.chunk[c]->bytes + i * PT_LOOKS_BYTES;
		i -= n;
	}
	return NULL;
}

START_TEST(each_round_looks_at_every_variable)
{
	static const struct pt_source_place places[] = { { .addr = WORD, .size_bytes = 4 }, { .addr = BYTE, .size_bytes = 1 } };
	uint64_t before_ns = 0;

	array_mem_set_word(&m4.dap.memory, WORD, 0x12345678);
	array_mem_set_word(&m4.dap.memory, BYTE & ~3u, 0xaabbccdd);
	ck_assert_msg(start(places, 2, "rounds=3") == 0, "%s", err.msg);
	drain(5);
	stop();
	ck_assert_str_eq(array_sink_config(&sink, "rounds"), "3");
	for (size_t i = 0; i < 5 * 3 * 2; i++) {
		const uint8_t *r = record(i);

		ck_assert_ptr_nonnull(r);
		ck_assert_uint_eq(r[PT_LOOKS_SIZE], i % 2 == 0 ? 4 : 1);
		ck_assert_uint_eq(pt_le64(r + PT_LOOKS_AT), i % 2 == 0 ? WORD : BYTE);
		ck_assert_uint_eq(pt_le64(r + PT_LOOKS_VALUE), i % 2 == 0 ? 0x12345678 : 0xcc);
		ck_assert_uint_ge(pt_le64(r + PT_LOOKS_TICKS), before_ns);
		before_ns = pt_le64(r + PT_LOOKS_TICKS);
	}
	ck_assert_ptr_null(record(5 * 3 * 2));
}
END_TEST

static void count_up(void *arg, uint64_t now_ns)
{
	(void)arg;
	array_mem_set_word(&m4.dap.memory, LONG, (uint32_t)(now_ns / 1000000));
	array_mem_set_word(&m4.dap.memory, LONG + 4, (uint32_t)(now_ns / 1000000));
}

/* Its two halves are always alike, but not for one that reads them one after the other: each look has both of one moment, or
 * says that it is torn. */
START_TEST(a_wide_variable_is_whole_or_torn)
{
	static const struct pt_source_place places[] = { { .addr = LONG, .size_bytes = 8 } };
	size_t n_torn = 0, n = 0;

	m4.dap.memory.tick = count_up;
	m4.dap.memory.access_ns = 300000;
	ck_assert_msg(start(places, 1, NULL) == 0, "%s", err.msg);
	drain(50);
	stop();
	for (const uint8_t *r; (r = record(n)) != NULL; n++) {
		bool torn = (r[PT_LOOKS_SIZE] & PT_LOOKS_TORN) != 0;

		n_torn += torn;
		ck_assert(torn || pt_le32(r + PT_LOOKS_VALUE) == pt_le32(r + PT_LOOKS_VALUE + 4));
	}
	ck_assert_uint_gt(n_torn, 0);
	ck_assert_uint_lt(n_torn, n);
}
END_TEST

/* The moment that is told, with its error, has the value of that moment. */
START_TEST(moments_are_within_their_errors)
{
	static const struct pt_source_place places[] = { { .addr = LONG, .size_bytes = 4 } };
	uint64_t error_ns = 0;
	size_t n = 0;

	m4.dap.memory.tick = count_up;
	ck_assert_msg(start(places, 1, "period=20ms") == 0, "%s", err.msg);
	drain(50);
	stop();
	for (size_t c = 0; c < sink.n_chunks; c++) {
		const struct pt_chunk *chunk = sink.chunk[c];

		if (chunk->kind == PT_CHUNK_CLOCK)
			error_ns = pt_le64(chunk->bytes + PT_CLOCK_ERROR_NS);
		for (size_t at = 0; chunk->kind == PT_CHUNK_DATA && at < chunk->len_bytes; at += PT_LOOKS_BYTES, n++) {
			uint64_t ns = pt_le64(chunk->bytes + at + PT_LOOKS_TICKS),
				 value = pt_le64(chunk->bytes + at + PT_LOOKS_VALUE);

			ck_assert_uint_le((ns - error_ns) / 1000000, value);
			ck_assert_uint_ge((ns + error_ns) / 1000000, value);
			ck_assert_uint_ge(ns, chunk->from_ns);
			ck_assert_uint_le(ns, chunk->to_ns);
		}
	}
	ck_assert_uint_eq(n, 50 * 32);
}
END_TEST

/* A row of 32 looks takes 64 ms and the turn-around: 19 of them last 40 ms, and the rest between two rows is a fortieth of that
 * in the mean. What the user says stays so. */
START_TEST(the_rate_is_what_the_link_allows)
{
	static const struct { const char *word; uint64_t rounds, least_us, most_us; } rows[] = {
		{ NULL, 19, 900, 1000 }, { "rounds=10", 10, 500, 520 }, { "period=7ms", 19, 7000, 7000 },
	};
	static const struct pt_source_place places[] = { { .addr = WORD, .size_bytes = 4 } };
	uint64_t period_us;

	m4.dap.memory.access_ns = 2000000;
	ck_assert_msg(start(places, 1, rows[_i].word) == 0, "%s", err.msg);
	drain(2);
	stop();
	period_us = strtoull(array_sink_config(&sink, "period_us"), NULL, 10);
	ck_assert_uint_eq(strtoull(array_sink_config(&sink, "rounds"), NULL, 10), rows[_i].rounds);
	ck_assert_uint_ge(period_us, rows[_i].least_us);
	ck_assert_uint_le(period_us, rows[_i].most_us);
}
END_TEST

START_TEST(a_halted_core_is_not_looked_at)
{
	static const struct pt_source_place places[] = { { .addr = WORD, .size_bytes = 4 } };
	size_t n;

	ck_assert_msg(start(places, 1, NULL) == 0, "%s", err.msg);
	drain(3);
	ck_assert_int_eq(pt_source_watch.on_state(state, PT_STATE_HALT, 0, 0x100, &err), 0);
	n = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	for (int i = 0; i < 5; i++) {
		array_mem_pass(&m4.dap.memory, UINT64_C(1000000));
		ck_assert_int_gt(pt_source_watch.drain(state, &err), 0);
	}
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), n);
	ck_assert_int_eq(pt_source_watch.on_state(state, PT_STATE_RUN, 0, PT_UNKNOWN, &err), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 1);
	drain((unsigned)n + 1);
	stop();
}
END_TEST

static const struct {
	struct pt_source_place place;
	size_t n;
	const char *why;
} refused[] = {
	{ { .addr = WORD, .size_bytes = 4 }, 0, "no variable is named" },
	{ { .addr = WORD, .size_bytes = 12 }, 1, "has 12 bytes, and 8 are looked at at most: name a member of it" },
	{ { .addr = 0xa0000000, .size_bytes = 4 }, 1, "look at the variable at 0xa0000000" },
};

START_TEST(what_cannot_be_is_refused)
{
	ck_assert_int_lt(start(&refused[_i].place, refused[_i].n, NULL), 0);
	ck_assert_msg(strstr(err.msg, refused[_i].why) != NULL, "%s", err.msg);
	ck_assert_uint_eq(sink.n_chunks, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("watch_source");
	TCase *tc = tcase_create("looks");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_round_looks_at_every_variable);
	tcase_add_test(tc, a_wide_variable_is_whole_or_torn);
	tcase_add_test(tc, moments_are_within_their_errors);
	tcase_add_loop_test(tc, the_rate_is_what_the_link_allows, 0, 3);
	tcase_add_test(tc, a_halted_core_is_not_looked_at);
	tcase_add_loop_test(tc, what_cannot_be_is_refused, 0, PT_LEN(refused));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
