/* Framing: what comes out is the same however the stream is cut, nothing is an error of the caller, and what the
 * builder makes the parser reads back. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "base/rsp_frame.h"

enum { ROOM = 32 };	/* of the payload in these tests: the largest packet has 31 bytes */

/* want: one letter per item (P packet with its payload in <>, N notification, I interrupt, + - acks, D damaged,
 * O oversize) */
static const struct { const char *name, *in, *want; } cases[] = {
	{ "a packet", "$qC#b4", "P<qC>" },
	{ "an empty packet", "$#00", "P<>" },
	{ "upper case checksum", "$OK#9A", "P<OK>" },
	{ "two in one segment", "$?#3f$g#67", "P<?>P<g>" },
	{ "ack, packet, nak", "+$?#3f-", "+P<?>-" },
	{ "interrupt between packets", "$?#3f\003$g#67", "P<?>IP<g>" },
	{ "0x03 is data inside a packet", "$X\003#5b", "P<X\003>" },
	{ "escaped marks", "$}\003}\004}]}\012#62", "P<#$}*>" },
	{ "a notification", "%Stop:T05#99", "N<Stop:T05>" },
	{ "a run of four", "$0* #7a", "P<0000>" },
	{ "a run of an escaped byte", "$}]* #24", "P<}}}}>" },
	{ "wrong checksum", "$?#40$?#3f", "DP<?>" },
	{ "no digits in the checksum", "$?#zz$?#3f", "DP<?>" },
	{ "escape without a byte", "$a}#de$?#3f", "DP<?>" },
	{ "run without a count", "$a*#8b$?#3f", "DP<?>" },
	{ "run of nothing", "$* #4a$?#3f", "DP<?>" },
	{ "run count too small", "$0*\001#5b$?#3f", "DP<?>" },
	{ "garbage between packets", "hello\xff\n$?#3f#3f", "SSSSSSSP<?>SSS" },
	{ "a lost end costs one packet", "$m0,8$?#3f", "P<?>" },
	{ "a lost checksum costs one packet", "$m0,8#$?#3f", "P<?>" },
	{ "largest packet", "$0123456789012345678901234567890#57", "P<0123456789012345678901234567890>" },
	{ "one byte too large", "$01234567890123456789012345678901#03$?#3f", "OP<?>" },
	{ "a run too large", "$0*~*~*~#00$?#3f", "OP<?>" },
	{ "half a packet", "$m0,8#b", "" },
};

static void print_item(char *out, size_t out_bytes, enum pt_rsp_item item, const struct pt_rsp *rsp)
{
	static const char letters[] = { 0, 'P', 'N', 'I', '+', '-', 'D', 'S', 'O' };
	size_t n = strlen(out);

	if (item == PT_RSP_PACKET || item == PT_RSP_NOTIFICATION)
		snprintf(out + n, out_bytes - n, "%c<%.*s>", letters[item], (int)rsp->len_bytes, (char *)rsp->payload);
	else if (item != PT_RSP_NONE)
		snprintf(out + n, out_bytes - n, "%c", letters[item]);
}

static void feed_in_pieces(const char *in, size_t piece, char *out, size_t out_bytes)
{
	uint8_t payload[ROOM];
	size_t len = strlen(in);
	struct pt_rsp rsp;

	out[0] = '\0';
	pt_rsp_init(&rsp, payload, sizeof(payload));
	for (size_t at = 0; at < len;) {
		size_t n = len - at < piece ? len - at : piece;
		enum pt_rsp_item item;

		at += pt_rsp_feed(&rsp, (const uint8_t *)in + at, n, &item);
		print_item(out, out_bytes, item, &rsp);
	}
}

START_TEST(reads_case)
{
	for (size_t piece = 1; piece <= 64; piece++) {
		char got[512];

		feed_in_pieces(cases[_i].in, piece, got, sizeof(got));
		ck_assert_msg(strcmp(got, cases[_i].want) == 0, "%s, in pieces of %zu: %s", cases[_i].name, piece, got);
	}
}
END_TEST

START_TEST(reads_what_it_builds)
{
	struct pt_rsp_frame frame = { 0 };
	uint8_t payload[1024], bytes[256];
	enum pt_rsp_item item;
	struct pt_rsp rsp;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	pt_rsp_init(&rsp, payload, sizeof(payload));
	for (int round = 0; round < 2; round++) {
		pt_rsp_begin(&frame, '$');
		pt_rsp_text(&frame, "%s:%x,", "X", 0x100);
		pt_rsp_binary(&frame, bytes, sizeof(bytes));
		pt_rsp_hex(&frame, bytes + 0x7f, 2);
		ck_assert(pt_rsp_end(&frame));
		ck_assert_uint_eq(pt_rsp_feed(&rsp, frame.bytes, frame.len_bytes, &item), frame.len_bytes);
		ck_assert_int_eq(item, PT_RSP_PACKET);
		ck_assert_uint_eq(rsp.len_bytes, 6 + 256 + 4);
		ck_assert_mem_eq(rsp.payload, "X:100,", 6);
		ck_assert_mem_eq(rsp.payload + 6, bytes, 256);
		ck_assert_mem_eq(rsp.payload + 6 + 256, "7f80", 4);
	}
	pt_rsp_free(&frame);
}
END_TEST

static enum pt_rsp_item read_item(const struct pt_rsp_frame *frame)
{
	enum pt_rsp_item item;
	struct pt_rsp rsp;
	uint8_t room[64];

	pt_rsp_init(&rsp, room, sizeof(room));
	pt_rsp_feed(&rsp, frame->bytes, frame->len_bytes, &item);
	return item;
}

/* Two packets with escapes and runs as one: what is between their marks, and the sum of their sums. */
START_TEST(joins_packets)
{
	static const char whole[] = "$ab}]c0* d#";
	struct pt_rsp_frame frame = { 0 };

	pt_rsp_begin(&frame, '$');
	pt_rsp_raw(&frame, "ab}]", 4);
	pt_rsp_raw(&frame, "c0* d", 5);
	ck_assert(pt_rsp_end_with(&frame, (uint8_t)('a' + 'b' + '}' + ']' + 'c' + '0' + '*' + ' ' + 'd')));
	ck_assert_uint_eq(frame.len_bytes, strlen(whole) + 2);
	ck_assert_mem_eq(frame.bytes, whole, strlen(whole));
	ck_assert_int_eq(read_item(&frame), PT_RSP_PACKET);
	pt_rsp_begin(&frame, '$');
	pt_rsp_raw(&frame, frame.bytes, PT_RSP_MAX_FRAME_BYTES + 1);
	ck_assert(!pt_rsp_end_with(&frame, 0));
	pt_rsp_free(&frame);
}
END_TEST

START_TEST(refuses_a_frame_without_bound)
{
	static uint8_t bytes[64 * 1024];
	struct pt_rsp_frame frame = { 0 };

	pt_rsp_begin(&frame, '$');
	for (int i = 0; i < 8; i++)
		pt_rsp_binary(&frame, bytes, sizeof(bytes));
	ck_assert(!pt_rsp_end(&frame));
	ck_assert_uint_le(frame.room_bytes, PT_RSP_MAX_FRAME_BYTES);
	pt_rsp_begin(&frame, '$');
	ck_assert(pt_rsp_end(&frame));
	ck_assert_mem_eq(frame.bytes, "$#00", 4);
	pt_rsp_free(&frame);
}
END_TEST

START_TEST(fits_escaped_bytes)
{
	ck_assert_uint_eq(pt_rsp_escaped_fit("abcd", 4, 3), 3);
	ck_assert_uint_eq(pt_rsp_escaped_fit("a}b#", 4, 4), 3);
	ck_assert_uint_eq(pt_rsp_escaped_fit("a}b#", 4, 6), 4);
	ck_assert_uint_eq(pt_rsp_escaped_fit("}", 1, 1), 0);
}
END_TEST

static const struct { const char *in; bool good; uint64_t value; size_t left; } numbers[] = {
	{ "0", true, 0, 0 },
	{ "20000aF0,4", true, 0x20000af0, 2 },
	{ "ffffffffffffffff", true, UINT64_MAX, 0 },
	{ "1ffffffffffffffff", false, 0, 0 },
	{ "", false, 0, 0 },
	{ "-1", false, 0, 0 },
	{ "x", false, 0, 0 },
};

START_TEST(reads_number)
{
	const uint8_t *in = (const uint8_t *)numbers[_i].in;
	struct pt_rsp_args args = { in, in + strlen(numbers[_i].in) };
	uint64_t value;

	ck_assert_int_eq(pt_rsp_number(&args, &value), numbers[_i].good);
	if (numbers[_i].good) {
		ck_assert_uint_eq(value, numbers[_i].value);
		ck_assert_uint_eq(pt_rsp_left(&args), numbers[_i].left);
	}
}
END_TEST

START_TEST(reads_words_and_bytes)
{
	const uint8_t *in = (const uint8_t *)"vCont;0aFfg";
	struct pt_rsp_args args = { in, in + 11 };
	uint8_t out[3];

	ck_assert(!pt_rsp_take(&args, "vRun;"));
	ck_assert(pt_rsp_take(&args, "vCont;"));
	ck_assert(!pt_rsp_take(&args, "0aFfgx"));
	ck_assert(!pt_rsp_bytes(&args, out, 3));
	ck_assert(pt_rsp_bytes(&args, out, 2));
	ck_assert_mem_eq(out, "\x0a\xff", 2);
	ck_assert(!pt_rsp_bytes(&args, out, 1));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rsp");
	TCase *tc = tcase_create("framing");

	tcase_add_loop_test(tc, reads_case, 0, PT_LEN(cases));
	tcase_add_test(tc, reads_what_it_builds);
	tcase_add_test(tc, joins_packets);
	tcase_add_test(tc, refuses_a_frame_without_bound);
	tcase_add_test(tc, fits_escaped_bytes);
	tcase_add_loop_test(tc, reads_number, 0, PT_LEN(numbers));
	tcase_add_test(tc, reads_words_and_bytes);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
