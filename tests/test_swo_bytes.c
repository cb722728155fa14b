/* What other programs get of pin SWO: the bytes as they are, a word where some are missing, the text of port 0. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "harness.h"
#include "swodoor/swo_bytes.h"
#include "trace/loss.h"

static struct pt_text raw, text;

static void take_raw(void *arg, const uint8_t *data, size_t len_bytes)
{
	(void)arg;
	for (size_t i = 0; i < len_bytes; i++)
		pt_text_add(&raw, "%02x", data[i]);
}

static void take_text(void *arg, const uint8_t *data, size_t len_bytes)
{
	(void)arg;
	pt_text_bytes(&text, data, len_bytes);
}

static void put(struct pt_swo_bytes *s, unsigned source, unsigned kind, unsigned cause, const char *bytes, size_t n)
{
	static const struct pt_swo_sink sink = { take_raw, take_text, NULL };
	struct pt_chunk *chunk = calloc(1, sizeof(*chunk) + n);

	chunk->source = (uint16_t)source;
	chunk->kind = (uint16_t)kind;
	chunk->cause = (uint16_t)cause;
	chunk->len_bytes = (uint32_t)n;
	memcpy(chunk->bytes, bytes, n);
	pt_swo_bytes_take(s, chunk, &sink);
	free(chunk);
}

#define CONFIG(s, source, format) put(s, source, PT_CHUNK_CONFIG, 0, "format=" format "\n", sizeof("format=" format "\n") - 1)
#define SEND(s, source, bytes) put(s, source, PT_CHUNK_DATA, PT_DATA_FOLLOWS, bytes, sizeof(bytes) - 1)

static void expect(const char *want_raw, const char *want_text)
{
	pt_text_bytes(&raw, "", 1);
	pt_text_bytes(&text, "", 1);
	ck_assert_str_eq(raw.bytes, want_raw);
	ck_assert_str_eq(text.bytes, want_text);
	pt_text_free(&raw);
	pt_text_free(&text);
	raw = text = (struct pt_text){ 0 };
}

#define HOLE "00000000000000000000000080"

START_TEST(bytes_go_out_as_they_came)
{
	struct pt_swo_bytes s = { .begun = false };

	CONFIG(&s, 1, "itm");
	SEND(&s, 1,
	     "\x01"
	     "A\x09"
	     "B\x02"); /* ports 0, 1 and 0 again */
	SEND(&s, 1, "hi");
	expect("014109420268"
	       "69",
	       "Ahi");
}
END_TEST

/* However they come, a packet goes out when its last byte is there; a sync with more zeros than a packet has bytes, too. */
START_TEST(packets_go_out_whole)
{
	struct pt_swo_bytes s = { .begun = false };

	CONFIG(&s, 1, "itm");
	SEND(&s, 1, "\x03");
	expect("", "");
	SEND(&s, 1, "ab");
	expect("", "");
	SEND(&s, 1, "cd\x01");
	expect("0361626364", "abcd");
	SEND(&s, 1, "e\0\0\0\0");
	expect("0165", "e");
	SEND(&s, 1, "\0\0\0\0\0\0\0\0\0\0");
	expect("0000000000000000000000000000", "");
	SEND(&s, 1, "\x80\xff");
	expect("80", "");
	put(&s, 1, PT_CHUNK_LOSS, PT_LOSS_OVERRUN, "", 0);
	SEND(&s, 1, "\x01h");
	expect(HOLE "700168", "h");
	SEND(&s, 1, "\x04zz");	/* no packet: it goes out as it is */
	expect("047a7a", "");
}
END_TEST

START_TEST(what_is_missing_is_said)
{
	struct pt_swo_bytes s = { .begun = false };

	CONFIG(&s, 0, "itm");
	put(&s, 0, PT_CHUNK_LOSS, PT_LOSS_NOT_ARMED, "", 0);	/* nothing came yet */
	SEND(&s, 0,
	     "\x03"
	     "ab"); /* the half of a packet, which nobody gets */
	put(&s, 0, PT_CHUNK_LOSS, PT_LOSS_OVERRUN, "", 0);
	SEND(&s, 0,
	     "\x01"
	     "c");
	put(&s, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS,
	    "\x01"
	    "d",
	    2);
	expect(HOLE "70"
		    "0163" HOLE "0164",
	       "cd");
}
END_TEST

START_TEST(set_up_anew_there_is_a_hole)
{
	struct pt_swo_bytes s = { .begun = false };

	CONFIG(&s, 0, "itm");
	SEND(&s, 0,
	     "\x01"
	     "a");
	CONFIG(&s, 0, "itm");
	put(&s, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS,
	    "\x01"
	    "b",
	    2);
	expect("0161" HOLE "0162", "ab");
}
END_TEST

/* Of several sources the first; of other formats nothing; of the next profile again. */
START_TEST(one_source_goes_out)
{
	struct pt_swo_bytes s = { .begun = false };

	CONFIG(&s, 0, "pcsr");
	CONFIG(&s, 1, "itm");
	CONFIG(&s, 2, "itm");
	SEND(&s, 0,
	     "\x01"
	     "x");
	SEND(&s, 1,
	     "\x01"
	     "a");
	SEND(&s, 2,
	     "\x01"
	     "y");
	put(&s, 1, PT_CHUNK_END, 0, "", 0);
	CONFIG(&s, 2, "itm");
	SEND(&s, 2,
	     "\x01"
	     "b");
	put(&s, 60000, PT_CHUNK_CONFIG, 0, "format=itm\n", 11);
	expect("01610162", "ab");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swo_bytes");
	TCase *tc = tcase_create("bytes");

	tcase_add_test(tc, bytes_go_out_as_they_came);
	tcase_add_test(tc, packets_go_out_whole);
	tcase_add_test(tc, what_is_missing_is_said);
	tcase_add_test(tc, set_up_anew_there_is_a_hole);
	tcase_add_test(tc, one_source_goes_out);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
