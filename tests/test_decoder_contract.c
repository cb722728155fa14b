/* What every decoder promises, for each in the list: the same events for any split of the stream, a gap where it was
 * cut and a fresh start behind it, no input that is an error, no more events than the batch has room for. */
#include <string.h>

#include "config_text.h"
#include "decode/decoder.h"
#include "harness.h"
#include "trace/formats.h"

enum { MOST_EVENTS = 8192, STREAM_BYTES = 4096 };

#define X(decoder) &pt_decoder_##decoder,
static const struct pt_decoder *const decoders[] = { PT_DECODERS(X) };
#undef X

struct log { struct pt_event event[MOST_EVENTS]; size_t n_events; };

static uint64_t state[2][1024];
static struct log logs[2];
static struct pt_batch batch;

static uint32_t dice(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Words that mean something to the formats there are: code, EXC_RETURN, refused samples, with and without bit 0. */
static void interesting(uint8_t *bytes, size_t len_bytes, uint32_t seed)
{
	static const uint32_t words[] = {
		0x100, 0x101, 0x2000, 0x2001, 0xfffffff0, 0xfffffff1, 0xfffffff9, 0xffffffff, 0, 0xff000000,
	};

	for (size_t i = 0; i + 4 <= len_bytes; i += 4) {
		size_t n = dice(&seed) % 4 != 0 ? 4 : PT_LEN(words);

		pt_put_le32(bytes + i, words[dice(&seed) % n]);
	}
}

static void random_bytes(uint8_t *bytes, size_t len_bytes, uint32_t seed)
{
	for (size_t i = 0; i < len_bytes; i++)
		bytes[i] = (uint8_t)dice(&seed);
}

static void (*const makers[])(uint8_t *bytes, size_t len_bytes, uint32_t seed) = { interesting, random_bytes };

static void take(struct log *log)
{
	ck_assert_uint_le(batch.n_events, PT_BATCH_EVENTS);
	ck_assert_uint_le(log->n_events + batch.n_events, MOST_EVENTS);
	memcpy(log->event + log->n_events, batch.event, batch.n_events * sizeof(batch.event[0]));
	log->n_events += batch.n_events;
	batch.n_events = 0;
}

static void begin(const struct pt_decoder *d, int which)
{
	static const char config[] = "format=x\nsource=y\n";

	memset(state[which], 0xa5, sizeof(state[which]));	/* whatever it held */
	decoder_init(d, state[which], 3, 1, config, strlen(config));
	logs[which].n_events = 0;
}

/* room: events that fit before the batch must be emptied. */
static void feed(const struct pt_decoder *d, int which, const uint8_t *bytes, size_t len_bytes, size_t room)
{
	for (size_t at = 0; at < len_bytes;) {
		size_t taken, skip = PT_BATCH_EVENTS - room;

		memset(batch.event, 0, sizeof(batch.event));
		batch.n_events = skip;
		taken = d->feed(state[which], bytes + at, len_bytes - at, &batch);
		ck_assert_uint_gt(taken, 0);
		ck_assert_uint_le(taken, len_bytes - at);
		ck_assert_uint_le(batch.n_events, PT_BATCH_EVENTS);
		if (taken < len_bytes - at)
			ck_assert_uint_lt(PT_BATCH_EVENTS - batch.n_events, PT_DECODER_ROOM);
		at += taken;
		memmove(batch.event, batch.event + skip, (batch.n_events - skip) * sizeof(batch.event[0]));
		batch.n_events -= skip;
		take(&logs[which]);
	}
}

static void finish(const struct pt_decoder *d, int which)
{
	d->flush(state[which], &batch);
	take(&logs[which]);
}

static void expect_same(const struct pt_decoder *d, size_t at)
{
	ck_assert_msg(logs[0].n_events == logs[1].n_events, "%s, split at %zu: %zu and %zu events", d->name, at,
		      logs[0].n_events, logs[1].n_events);
	for (size_t i = 0; i < logs[0].n_events; i++)
		ck_assert_msg(pt_event_eq(&logs[0].event[i], &logs[1].event[i]), "%s, split at %zu: event %zu", d->name,
			      at, i);
}

START_TEST(any_split_gives_the_same_events)
{
	const struct pt_decoder *d = decoders[_i];
	uint8_t bytes[64];

	for (size_t maker = 0; maker < PT_LEN(makers); maker++)
		for (uint32_t seed = 0; seed < 50; seed++)
			for (size_t at = 0; at <= sizeof(bytes); at++) {
				makers[maker](bytes, sizeof(bytes), seed);
				begin(d, 0);
				feed(d, 0, bytes, sizeof(bytes), PT_BATCH_EVENTS);
				finish(d, 0);
				begin(d, 1);
				feed(d, 1, bytes, at, PT_BATCH_EVENTS);
				feed(d, 1, bytes + at, sizeof(bytes) - at, PT_BATCH_EVENTS);
				finish(d, 1);
				expect_same(d, at);
			}
}
END_TEST

START_TEST(any_room_gives_the_same_events)
{
	const struct pt_decoder *d = decoders[_i];
	uint8_t bytes[STREAM_BYTES];

	for (size_t maker = 0; maker < PT_LEN(makers); maker++)
		for (size_t room = PT_DECODER_ROOM; room < 20; room++) {
			makers[maker](bytes, sizeof(bytes), 7);
			begin(d, 0);
			feed(d, 0, bytes, sizeof(bytes), PT_BATCH_EVENTS);
			begin(d, 1);
			feed(d, 1, bytes, sizeof(bytes), room);
			expect_same(d, room);
		}
}
END_TEST

START_TEST(one_byte_at_a_time_gives_the_same_events)
{
	const struct pt_decoder *d = decoders[_i];
	uint8_t bytes[STREAM_BYTES];

	for (size_t maker = 0; maker < PT_LEN(makers); maker++) {
		makers[maker](bytes, sizeof(bytes), 11);
		begin(d, 0);
		feed(d, 0, bytes, sizeof(bytes), PT_BATCH_EVENTS);
		begin(d, 1);
		for (size_t i = 0; i < sizeof(bytes); i++)
			feed(d, 1, bytes + i, 1, PT_BATCH_EVENTS);
		expect_same(d, 1);
	}
}
END_TEST

/* Behind a gap a decoder knows nothing of what came before: the rest decodes as if it were all there is. */
START_TEST(a_cut_is_a_gap_and_a_fresh_start)
{
	const struct pt_decoder *d = decoders[_i];
	uint8_t bytes[64];

	for (uint32_t seed = 0; seed < 50; seed++)
		for (size_t at = 0; at <= sizeof(bytes); at++) {
			const struct pt_event *gap;

			interesting(bytes, sizeof(bytes), seed);
			begin(d, 1);
			feed(d, 1, bytes, at, PT_BATCH_EVENTS);
			d->gap(state[1], PT_GAP_LOSS, 77, 99, &batch);
			ck_assert_uint_ge(batch.n_events, 1);
			ck_assert_uint_le(batch.n_events, PT_BATCH_EVENTS);
			gap = &batch.event[batch.n_events - 1];
			ck_assert_uint_eq(gap->kind, PT_EV_GAP);
			ck_assert_uint_eq(gap->cause, PT_GAP_LOSS);
			ck_assert_uint_eq(gap->gap.ns, 77);
			ck_assert_uint_eq(gap->gap.bytes, 99);
			batch.n_events = 0;
			logs[1].n_events = 0;
			feed(d, 1, bytes, sizeof(bytes), PT_BATCH_EVENTS);
			finish(d, 1);
			begin(d, 0);
			feed(d, 0, bytes, sizeof(bytes), PT_BATCH_EVENTS);
			finish(d, 0);
			expect_same(d, at);
		}
}
END_TEST

START_TEST(states_come_at_any_time)
{
	static const enum pt_state what[] = {
		PT_STATE_RUN, PT_STATE_HALT, PT_STATE_RESET, PT_STATE_SLEEP, PT_STATE_PC_WRITTEN,
	};
	static const uint64_t pcs[] = { 0x100, 0x2000, PT_UNKNOWN, 0 };
	const struct pt_decoder *d = decoders[_i];
	uint32_t seed = 5;
	uint8_t bytes[32];

	begin(d, 0);
	for (int i = 0; i < 5000; i++) {
		interesting(bytes, sizeof(bytes), seed);
		feed(d, 0, bytes, dice(&seed) % sizeof(bytes), PT_BATCH_EVENTS);
		d->state(state[0], what[dice(&seed) % PT_LEN(what)], pcs[dice(&seed) % PT_LEN(pcs)], &batch);
		ck_assert_uint_le(batch.n_events, PT_BATCH_EVENTS);
		batch.n_events = 0;
		logs[0].n_events = 0;
	}
	d->flush(state[0], &batch);
	ck_assert_uint_le(batch.n_events, PT_BATCH_EVENTS);
}
END_TEST

START_TEST(events_name_their_source)
{
	const struct pt_decoder *d = decoders[_i];
	uint8_t bytes[STREAM_BYTES];

	interesting(bytes, sizeof(bytes), 3);
	begin(d, 0);
	feed(d, 0, bytes, sizeof(bytes), PT_BATCH_EVENTS);
	finish(d, 0);
	ck_assert_uint_gt(logs[0].n_events, 0);
	for (size_t i = 0; i < logs[0].n_events; i++) {
		ck_assert_uint_eq(logs[0].event[i].source, 3);
		ck_assert_uint_eq(logs[0].event[i].core, 1);
	}
}
END_TEST

START_TEST(is_found_by_its_name)
{
	ck_assert_ptr_eq(pt_decoder_find(decoders[_i]->name), decoders[_i]);
	ck_assert_uint_le(decoders[_i]->state_bytes, sizeof(state[0]));
	ck_assert_ptr_null(pt_decoder_find("nothing"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decoder_contract");
	TCase *tc = tcase_create("all");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, any_split_gives_the_same_events, 0, PT_LEN(decoders));
	tcase_add_loop_test(tc, any_room_gives_the_same_events, 0, PT_LEN(decoders));
	tcase_add_loop_test(tc, one_byte_at_a_time_gives_the_same_events, 0, PT_LEN(decoders));
	tcase_add_loop_test(tc, a_cut_is_a_gap_and_a_fresh_start, 0, PT_LEN(decoders));
	tcase_add_loop_test(tc, states_come_at_any_time, 0, PT_LEN(decoders));
	tcase_add_loop_test(tc, events_name_their_source, 0, PT_LEN(decoders));
	tcase_add_loop_test(tc, is_found_by_its_name, 0, PT_LEN(decoders));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
