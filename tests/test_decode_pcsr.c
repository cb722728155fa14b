/* pc samples: bit 0 means nothing, all ones is no sample, and sleep is a matter of state. */
#include "config_text.h"
#include "decode/decoder.h"
#include "harness.h"

static const struct {
	const char *name;
	enum pt_state before;	/* 0: none */
	uint32_t value;
	uint8_t kind;
	uint64_t first, second;	/* of the union */
} rows[] = {
	{ "a sample", 0, 0x1234, PT_EV_SAMPLE, 0, 0x1234 },
	{ "bit 0", 0, 0x1235, PT_EV_SAMPLE, 0, 0x1234 },
	{ "refused", 0, 0xffffffff, PT_EV_COUNTER, PT_COUNTER_REFUSED, 1 },
	{ "asleep", PT_STATE_SLEEP, 0x1234, PT_EV_SAMPLE, 0, PT_UNKNOWN },
	{ "refused while asleep", PT_STATE_SLEEP, 0xffffffff, PT_EV_COUNTER, PT_COUNTER_REFUSED, 1 },
	{ "awake again", PT_STATE_RUN, 0x1234, PT_EV_SAMPLE, 0, 0x1234 },
};

START_TEST(decodes_row)
{
	static struct pt_batch batch;
	uint64_t state[64];
	uint8_t bytes[4];

	pt_put_le32(bytes, rows[_i].value);
	decoder_init(&pt_decoder_pcsr, state, 0, 0, "", 0);
	batch.n_events = 0;
	if (rows[_i].before != 0)
		pt_decoder_pcsr.state(state, rows[_i].before, PT_UNKNOWN, &batch);
	ck_assert_uint_eq(pt_decoder_pcsr.feed(state, bytes, sizeof(bytes), &batch), sizeof(bytes));
	ck_assert_uint_eq(batch.n_events, 1);
	ck_assert_uint_eq(batch.event[0].kind, rows[_i].kind);
	ck_assert_uint_eq(batch.event[0].ticks, PT_UNKNOWN);
	ck_assert_uint_eq(batch.event[0].branch.from, rows[_i].first);
	ck_assert_uint_eq(batch.event[0].branch.to, rows[_i].second);
}
END_TEST

START_TEST(any_byte_may_be_code)
{
	static const char config[] = "format=pcsr\nbit0=1\n";
	static struct pt_batch batch;
	uint64_t state[64];
	uint8_t bytes[4];

	pt_put_le32(bytes, 0xff8001);
	decoder_init(&pt_decoder_pcsr, state, 0, 0, config, sizeof(config) - 1);
	batch.n_events = 0;
	pt_decoder_pcsr.feed(state, bytes, sizeof(bytes), &batch);
	ck_assert_uint_eq(batch.n_events, 1);
	ck_assert_uint_eq(batch.event[0].branch.to, 0xff8001);
}
END_TEST

/* A program counter of 64 bits is no shorter one, and a value that stops in the middle is none. */
START_TEST(wide_ones)
{
	static const char config[] = "format=pcsr\npc_bytes=8\nbit0=1\n";
	static struct pt_batch batch;
	uint64_t state[64];
	uint8_t bytes[20] = { 0 };

	pt_put_le64(bytes, 0x7ffff7c01235);
	memset(bytes + 8, 0xff, 8);
	decoder_init(&pt_decoder_pcsr, state, 0, 0, config, sizeof(config) - 1);
	batch.n_events = 0;
	ck_assert_uint_eq(pt_decoder_pcsr.feed(state, bytes, sizeof(bytes), &batch), sizeof(bytes));
	ck_assert_uint_eq(batch.n_events, 2);
	ck_assert_uint_eq(batch.event[0].branch.to, 0x7ffff7c01235);
	ck_assert_uint_eq(batch.event[1].counter.id, PT_COUNTER_REFUSED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decode_pcsr");
	TCase *tc = tcase_create("samples");

	tcase_add_loop_test(tc, decodes_row, 0, PT_LEN(rows));
	tcase_add_test(tc, any_byte_may_be_code);
	tcase_add_test(tc, wide_ones);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
