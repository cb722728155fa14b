/* Frames of a trace port: by hand, and what random streams are when they have gone through them, with synchronisation. */
#include <stdbool.h>
#include <string.h>

#include "base/util.h"
#include "decode/tpiu_frames.h"
#include "harness.h"

enum { MOST_BYTES = 4000 };

static const struct {
	const char *name;
	uint8_t frame[PT_TPIU_FRAME_BYTES];
	struct pt_tpiu_byte want[PT_TPIU_MOST];
	unsigned n;
} rows[] = {
	{ "all of one stream", { 0x03, 0x55, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0x82 },
	  { { 1, 0x55 }, { 1, 3 }, { 1, 3 }, { 1, 4 }, { 1, 5 }, { 1, 6 }, { 1, 7 }, { 1, 8 }, { 1, 9 }, { 1, 10 }, { 1, 11 },
	    { 1, 12 }, { 1, 13 }, { 1, 15 } }, 14 },
	{ "a change at once, and one behind the next byte", { 0x03, 1, 0x05, 2, 0x07, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0x04 },
	  { { 1, 1 }, { 2, 2 }, { 2, 3 }, { 3, 0 }, { 3, 4 }, { 3, 0 }, { 3, 5 }, { 3, 0 }, { 3, 6 }, { 3, 0 }, { 3, 7 }, { 3, 0 } },
	  12 },
};

START_TEST(reads_row)
{
	struct pt_tpiu_byte got[PT_TPIU_MOST];
	struct pt_tpiu s;
	unsigned n = 0;

	pt_tpiu_init(&s, true);

	for (size_t i = 0; i < PT_TPIU_FRAME_BYTES; i++)
		n = pt_tpiu_take(&s, rows[_i].frame[i], got);
	ck_assert_msg(n == rows[_i].n, "%s: %u bytes", rows[_i].name, n);
	for (unsigned i = 0; i < n; i++)
		ck_assert_msg(got[i].stream == rows[_i].want[i].stream && got[i].byte == rows[_i].want[i].byte,
			      "%s: byte %u", rows[_i].name, i);
}
END_TEST

/* --- random streams ----------------------------------------------------------------------------------------------- */

static struct pt_tpiu_byte sent[MOST_BYTES + PT_TPIU_MOST], got[MOST_BYTES + PT_TPIU_MOST];
static uint8_t port[4 * MOST_BYTES];
static size_t n_sent, n_got, n_port;

static uint32_t dice(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void put_port(uint32_t *seed, const uint8_t *frame)
{
	static const uint8_t full[] = { 0xff, 0xff, 0xff, 0x7f }, half[] = { 0xff, 0x7f };

	for (size_t i = 0; i < PT_TPIU_FRAME_BYTES; i += 2) {
		for (unsigned n = dice(seed) % 8 == 0 ? dice(seed) % 3 : 0; n > 0; n--, n_port += 2)
			memcpy(port + n_port, half, 2);
		memcpy(port + n_port, frame + i, 2);
		n_port += 2;
	}
	if (dice(seed) % 5 == 0) {
		memcpy(port + n_port, full, sizeof(full));
		n_port += sizeof(full);
	}
}

/* One frame, as a formatter with bytes of several sources at hand would make it. */
static void make_frame(uint32_t *seed, uint8_t *stream)
{
	uint8_t frame[PT_TPIU_FRAME_BYTES] = { 0 };

	for (unsigned i = 0; i < PT_TPIU_FRAME_BYTES / 2; i++) {
		uint8_t byte = (uint8_t)dice(seed), before = *stream;
		bool changes = dice(seed) % 3 == 0 || n_sent == 0,
		     later = changes && i < 7 && n_sent > 0 && dice(seed) % 2 == 0;

		if (changes) {
			*stream = (uint8_t)(1 + dice(seed) % 0x6f);
			frame[2 * i] = (uint8_t)(*stream << 1 | 1);
		} else {
			frame[2 * i] = byte & 0xfe;
			sent[n_sent++] = (struct pt_tpiu_byte){ *stream, byte };
		}
		frame[15] |= (uint8_t)((changes ? later : (byte & 1)) << i);
		if (i == 7)
			break;
		frame[2 * i + 1] = (uint8_t)dice(seed);
		sent[n_sent++] = (struct pt_tpiu_byte){ later ? before : *stream, frame[2 * i + 1] };
	}
	put_port(seed, frame);
}

START_TEST(streams_are_as_they_were_sent)
{
	struct pt_tpiu s;
	uint32_t seed = (uint32_t)_i;
	uint8_t stream = 0;

	pt_tpiu_init(&s, true);
	n_sent = n_got = n_port = 0;
	while (n_sent < MOST_BYTES - PT_TPIU_MOST)
		make_frame(&seed, &stream);
	for (size_t i = 0; i < n_port; i++)
		n_got += pt_tpiu_take(&s, port[i], got + n_got);
	ck_assert_uint_eq(n_got, n_sent);
	for (size_t i = 0; i < n_sent; i++)
		ck_assert_msg(got[i].stream == sent[i].stream && got[i].byte == sent[i].byte, "byte %zu", i);
}
END_TEST

/* Whatever comes, a full synchronisation is where the next frame begins, and each byte is of a frame, of synchronisation,
 * or skipped. */
START_TEST(a_sync_ends_all_doubt)
{
	static const uint8_t sync[] = { 0xff, 0xff, 0xff, 0x7f };
	struct pt_tpiu_byte out[PT_TPIU_MOST];
	struct pt_tpiu s;
	uint32_t seed = (uint32_t)_i;

	pt_tpiu_init(&s, _i % 2 == 0);
	for (int i = 0; i < 1000 + _i; i++)
		ck_assert_uint_le(pt_tpiu_take(&s, (uint8_t)dice(&seed), out), PT_TPIU_MOST);
	for (size_t i = 0; i < sizeof(sync); i++)
		pt_tpiu_take(&s, sync[i], out);
	ck_assert(s.aligned);
	ck_assert_uint_eq(s.n_bytes, 0);
	ck_assert_uint_eq(pt_tpiu_rest(&s), s.skipped);
}
END_TEST

/* Bytes are cut out of a stream with synchronisation: what is given behind the next one is what was sent, and up to there no
 * more is given than one frame read at the wrong place would. */
START_TEST(a_cut_is_noticed)
{
	enum { BEFORE = 1000 };
	struct pt_tpiu s;
	uint32_t seed = 100 + (uint32_t)_i;
	uint8_t stream = 0;
	size_t cut, n_cut = 1 + (size_t)_i % 40, same = 0;

	n_sent = n_got = n_port = 0;
	while (n_sent < MOST_BYTES - PT_TPIU_MOST)
		make_frame(&seed, &stream);
	cut = BEFORE + dice(&seed) % 100;
	pt_tpiu_init(&s, true);
	for (size_t i = 0; i < n_port; i++)
		if (i < cut || i >= cut + n_cut)
			n_got += pt_tpiu_take(&s, port[i], got + n_got);
	while (same < n_got && same < n_sent && got[n_got - 1 - same].stream == sent[n_sent - 1 - same].stream &&
	       got[n_got - 1 - same].byte == sent[n_sent - 1 - same].byte)
		same++;
	ck_assert_msg(same > n_sent / 2, "the last %zu of %zu are as sent", same, n_sent);
	/* an even number may be whole frames and halves of synchronisation */
	ck_assert_msg(s.skipped > 0 || n_cut % 2 == 0, "%zu bytes cut at %zu and nothing skipped", n_cut, cut);
}
END_TEST

START_TEST(unaligned_bytes_are_counted)
{
	static const uint8_t bytes[] = { 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 3, 0x7e };
	struct pt_tpiu_byte out[PT_TPIU_MOST];
	struct pt_tpiu s;

	pt_tpiu_init(&s, false);
	for (size_t i = 0; i < sizeof(bytes); i++)
		pt_tpiu_take(&s, bytes[i], out);
	ck_assert(s.aligned);
	ck_assert_uint_eq(s.skipped, 3);
	ck_assert_uint_eq(pt_tpiu_rest(&s), 5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tpiu_frames");
	TCase *tc = tcase_create("frames");

	tcase_add_loop_test(tc, reads_row, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, streams_are_as_they_were_sent, 0, 20);
	tcase_add_loop_test(tc, a_sync_ends_all_doubt, 0, 50);
	tcase_add_loop_test(tc, a_cut_is_noticed, 0, 40);
	tcase_add_test(tc, unaligned_bytes_are_counted);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
