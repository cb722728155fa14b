/* Lists of operations to packets, byte by byte, and responses back. Expected bytes: CMSIS-DAP 2.x reference,
 * Commands. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/dap/cmsis_dap.h"

enum { MAX_OPS = 6 };

static uint32_t words[16384] = { 0x11111111, 0x22222222, 0x33333333 };

#define R(ap_, a_) { .what = PT_DAP_READ, .ap = ap_, .a = a_, .words = words }
#define W(ap_, a_, v) { .what = PT_DAP_WRITE, .ap = ap_, .a = a_, .value = v }
#define RB(n) { .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = n }
#define WB(n) { .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = n }
#define POLL(ap_, a_, m, v) { .what = PT_DAP_POLL, .ap = ap_, .a = a_, .mask = m, .value = v, .time_us = 100 }
#define POLL_SEEN(ap_, a_, m, v) { .what = PT_DAP_POLL, .ap = ap_, .a = a_, .mask = m, .value = v, .time_us = 100, \
				   .words = words }
#define DELAY(us) { .what = PT_DAP_DELAY, .time_us = us }

/* --- packing */

static const struct {
	const char *name;
	struct pt_dap_op ops[MAX_OPS];
	const char *bytes;		/* hex; the first packet of 64 bytes */
	struct pt_dap_cursor to;
	bool atomic;
} packs[] = {
	{ "DPIDR", { R(0, 0) }, "05 00 01 02", { 1, 0 }, false },
	{ "clear and power up", { W(0, 0, 0x1e), W(0, 4, 0x50000000) },
	  "05 00 02 00 1e 00 00 00 04 00 00 00 50", { 2, 0 }, false },
	{ "wait for power", { POLL(0, 4, 0xa0000000, 0xa0000000) },
	  "05 00 02 20 00 00 00 a0 16 00 00 00 a0", { 1, 0 }, false },
	{ "IDR of AP 0", { W(0, 8, 0xf0), R(1, 0xc) }, "05 00 02 08 f0 00 00 00 0f", { 2, 0 }, false },
	{ "BASE of AP 0", { R(1, 8) }, "05 00 01 0b", { 1, 0 }, false },
	{ "CSW, TAR and four words in one", { W(1, 0, 0x22000012), W(1, 4, 0xf0000000), RB(4) },
	  "05 00 06 01 12 00 00 22 05 00 00 00 f0 0f 0f 0f 0f", { 3, 0 }, false },
	{ "four words", { RB(4) }, "06 00 04 00 0f", { 1, 0 }, false },
	{ "15 samples of the pc fill a packet", { RB(16) }, "06 00 0f 00 0f", { 0, 15 }, false },
	{ "MTB stopped itself", { POLL(1, 4, 0x80000000, 0), R(1, 0) },
	  "05 00 03 20 00 00 00 80 17 00 00 00 00 03", { 2, 0 }, false },
	{ "a poll that tells what it saw", { POLL_SEEN(1, 4, 0x80000000, 0) },
	  "05 00 03 20 00 00 00 80 17 00 00 00 00 07", { 1, 0 }, false },
	{ "words to write", { WB(2) }, "06 00 02 00 0d 11 11 11 11 22 22 22 22", { 1, 0 }, false },
	{ "same register, several operations", { R(0, 4), R(0, 4), R(0, 4) }, "06 00 03 00 06", { 3, 0 }, false },
	{ "an empty block between", { R(0, 0), RB(0), R(0, 4) }, "05 00 02 02 06", { 3, 0 }, false },
	{ "a delay alone", { DELAY(1000) }, "09 e8 03", { 1, 0 }, false },
	{ "a delay apart", { W(0, 8, 0), DELAY(5), R(0, 0) }, "05 00 01 08 00 00 00 00", { 1, 0 }, false },
	{ "a delay bound to its neighbours", { W(0, 8, 0), DELAY(5), R(0, 0) },
	  "7f 03 05 00 01 08 00 00 00 00 09 05 00 05 00 01 02", { 3, 0 }, true },
	{ "a delay first", { DELAY(5), R(0, 0) }, "7f 02 09 05 00 05 00 01 02", { 2, 0 }, true },
	{ "nothing to bind", { W(0, 8, 0), R(0, 0) }, "05 00 02 08 00 00 00 00 02", { 2, 0 }, true },
	{ "poll and reads keep together", { WB(9), W(1, 4, 0), POLL(1, 4, 1, 0), RB(4) },
	  "05 00 0a 0d 11 11 11 11 0d 22 22 22 22 0d 33 33 33 33 0d 00 00 00 00 0d 00 00 00 00 "
	  "0d 00 00 00 00 0d 00 00 00 00 0d 00 00 00 00 0d 00 00 00 00 05 00 00 00 00", { 2, 0 }, false },
};

static size_t n_ops_of(const struct pt_dap_op *ops)
{
	size_t n = 0;

	while (n < MAX_OPS && ops[n].what != 0)
		n++;
	return n;
}

static void hex(const uint8_t *bytes, size_t len, char *out)
{
	out[0] = 0;
	for (size_t i = 0; i < len; i++)
		out += sprintf(out, "%s%02x", i > 0 ? " " : "", bytes[i]);
}

START_TEST(packs_as_documented)
{
	const struct pt_dap_limits limits = { 64, packs[_i].atomic };
	struct pt_dap_packet packet;
	char got[3 * 64 + 1];
	uint8_t bytes[64];
	size_t len = pt_dap_pack(&limits, packs[_i].ops, n_ops_of(packs[_i].ops), (struct pt_dap_cursor){ 0, 0 },
				 &packet, bytes);

	hex(bytes, len, got);
	ck_assert_msg(strcmp(got, packs[_i].bytes) == 0, "%s: %s", packs[_i].name, got);
	ck_assert_uint_eq(packet.to.op, packs[_i].to.op);
	ck_assert_uint_eq(packet.to.word, packs[_i].to.word);
}
END_TEST

/* Reading or writing memory in blocks of 1 KiB with a TAR write before each: packets for all of it. */
static const struct {
	size_t packet_bytes;
	bool write;
	unsigned packets;
} fills[] = {
	{ 64, false, 1093 },	/* 15 words each: the TAR writes cost nothing */
	{ 512, false, 130 },	/* 127 */
	{ 1024, false, 65 },	/* 255, of which a TAR write takes one */
	{ 64, true, 1184 },	/* 14 words in a block, fewer where a TAR write is among them */
	{ 512, true, 144 },
};

static size_t dump_ops(struct pt_dap_op *ops, bool write)
{
	size_t n = 0;

	for (uint32_t at = 0; at < PT_LEN(words); at += 256) {
		ops[n++] = (struct pt_dap_op)W(true, 4, 0x20000000 + 4 * at);
		ops[n++] = (struct pt_dap_op){ .what = write ? PT_DAP_WRITE_BLOCK : PT_DAP_READ_BLOCK, .ap = true,
					       .a = 0xc,
					       .words = words + at, .n_words = 256 };
	}
	return n;
}

START_TEST(fills_packets)
{
	const struct pt_dap_limits limits = { fills[_i].packet_bytes, false };
	static struct pt_dap_op ops[128];
	size_t n_ops = dump_ops(ops, fills[_i].write);
	struct pt_dap_cursor at = { 0, 0 };
	unsigned packets = 0;

	for (; at.op < n_ops; packets++) {
		struct pt_dap_packet packet;
		uint8_t bytes[1024];

		ck_assert_uint_le(pt_dap_pack(&limits, ops, n_ops, at, &packet, bytes), limits.packet_bytes);
		at = packet.to;
	}
	ck_assert_uint_eq(packets, fills[_i].packets);
}
END_TEST

/* --- unpacking */

static const struct {
	const char *name;
	struct pt_dap_op ops[MAX_OPS];
	const char *response;
	enum pt_dap_ack ack;
	struct pt_dap_cursor done;
	bool repeatable, atomic;
} unpacks[] = {
	{ "DPIDR", { R(0, 0) }, "05 01 01 77 14 c1 0b", PT_DAP_ACK_OK, { 1, 0 }, false, false },
	{ "padded", { R(0, 0) }, "05 01 01 77 14 c1 0b 00 00 00", PT_DAP_ACK_OK, { 1, 0 }, false, false },
	{ "block", { RB(2) }, "06 02 00 01 01 00 00 00 02 00 00 00", PT_DAP_ACK_OK, { 1, 0 }, false, false },
	{ "poll met", { POLL(1, 4, 1, 0), R(1, 0) }, "05 03 01 07 00 00 00", PT_DAP_ACK_OK, { 2, 0 }, false, false },
	{ "poll expired", { W(1, 4, 0), POLL(1, 4, 1, 0), R(1, 0) }, "05 02 11", PT_DAP_ACK_EXPIRED, { 1, 0 }, false,
	  false },
	{ "FAULT at a write: the one before may be it", { W(1, 0, 0), W(1, 4, 0), W(1, 0xc, 0) }, "05 02 04",
	  PT_DAP_ACK_FAULT,
	  { 1, 0 }, false, false },
	{ "FAULT at a DP access after a write of the AP", { W(1, 0xc, 0), R(0, 0), W(0, 8, 0) }, "05 02 04 77 14 c1 0b",
	  PT_DAP_ACK_FAULT, { 0, 0 }, false, false },
	{ "FAULT at once", { R(1, 0xc), R(1, 0) }, "05 00 04", PT_DAP_ACK_FAULT, { 0, 0 }, false, false },
	{ "FAULT, a read counted but not delivered", { R(1, 0xc), R(1, 0) }, "05 01 04", PT_DAP_ACK_FAULT, { 0, 0 },
	  false, false },
	{ "FAULT in a block of reads", { RB(4) }, "06 02 00 04 01 00 00 00 02 00 00 00", PT_DAP_ACK_FAULT, { 0, 2 },
	  false, false },
	{ "FAULT in a block of writes: late", { WB(4) }, "06 02 00 04", PT_DAP_ACK_FAULT, { 0, 1 }, false, false },
	{ "WAIT at a write can go on", { W(1, 4, 0), W(1, 0xc, 0) }, "05 01 02", PT_DAP_ACK_WAIT, { 1, 0 }, true,
	  false },
	{ "WAIT at the first read can go on", { R(1, 0xc), R(1, 0) }, "05 00 02", PT_DAP_ACK_WAIT, { 0, 0 }, true,
	  false },
	{ "WAIT behind a posted read cannot", { R(1, 0xc), R(1, 0) }, "05 01 02", PT_DAP_ACK_WAIT, { 0, 0 }, false,
	  false },
	{ "WAIT in a block of reads cannot", { RB(4) }, "06 00 00 02", PT_DAP_ACK_WAIT, { 0, 0 }, false, false },
	{ "WAIT in a block of writes can", { WB(4) }, "06 02 00 02", PT_DAP_ACK_WAIT, { 0, 2 }, true, false },
	{ "WAIT for the last write's end cannot", { W(1, 4, 0), W(1, 0xc, 0) }, "05 02 02", PT_DAP_ACK_WAIT, { 1, 0 },
	  false, false },
	{ "nobody there", { R(0, 0) }, "05 00 07", PT_DAP_ACK_NONE, { 0, 0 }, false, false },
	{ "parity", { R(0, 0) }, "05 00 09", PT_DAP_ACK_NONE, { 0, 0 }, false, false },
	{ "not connected", { R(0, 0) }, "05 00 00", PT_DAP_ACK_NONE, { 0, 0 }, false, false },
	{ "bound", { W(0, 8, 0), DELAY(5), R(0, 0) }, "7f 03 05 01 01 09 00 05 01 01 77 14 c1 0b", PT_DAP_ACK_OK,
	  { 3, 0 }, false, true },
	{ "WAIT among the bound: what follows went on", { W(0, 8, 0), DELAY(5), R(0, 0) },
	  "7f 03 05 00 02 09 00 05 01 01 77 14 c1 0b",
	  PT_DAP_ACK_WAIT, { 0, 0 }, false, true },
	{ "bound, too few", { W(0, 8, 0), DELAY(5), R(0, 0) }, "7f 02 05 01 01 09 00", PT_DAP_ACK_NONSENSE, { 0, 0 },
	  false, true },
	{ "bound, cut", { W(0, 8, 0), DELAY(5), R(0, 0) }, "7f 03 05 01 01 09", PT_DAP_ACK_NONSENSE, { 1, 0 }, false,
	  true },
	{ "a delay refused", { DELAY(5) }, "09 ff", PT_DAP_ACK_NONSENSE, { 0, 0 }, false, false },
	{ "nothing", { R(0, 0) }, "", PT_DAP_ACK_NONSENSE, { 0, 0 }, false, false },
	{ "another command's", { R(0, 0) }, "06 01 00 01 00 00 00 00", PT_DAP_ACK_NONSENSE, { 0, 0 }, false, false },
	{ "OK but too few", { R(0, 0), R(0, 4) }, "05 01 01 77 14 c1 0b", PT_DAP_ACK_NONSENSE, { 0, 0 }, false, false },
	{ "more than was asked", { R(0, 0) }, "05 02 01 77 14 c1 0b 00 00 00 00", PT_DAP_ACK_NONSENSE, { 0, 0 }, false,
	  false },
	{ "words missing", { RB(2) }, "06 02 00 01 01 00 00 00", PT_DAP_ACK_NONSENSE, { 0, 0 }, false, false },
	{ "more words than asked", { RB(2) }, "06 ff ff 01", PT_DAP_ACK_NONSENSE, { 0, 0 }, false, false },
	{ "a mismatch without a poll", { R(0, 0) }, "05 00 11", PT_DAP_ACK_NONSENSE, { 0, 0 }, false, false },
};

static size_t unhex(const char *text, uint8_t *out)
{
	size_t n = 0;
	unsigned byte;

	for (; sscanf(text, "%2x", &byte) == 1; text += text[2] == ' ' ? 3 : 2)
		out[n++] = (uint8_t)byte;
	return n;
}

START_TEST(unpacks_or_says_where_it_stopped)
{
	const struct pt_dap_limits limits = { 64, unpacks[_i].atomic };
	size_t n_ops = n_ops_of(unpacks[_i].ops), len;
	struct pt_dap_packet packet;
	struct pt_dap_result result;
	uint8_t out[64], in[64], *exact;

	pt_dap_pack(&limits, unpacks[_i].ops, n_ops, (struct pt_dap_cursor){ 0, 0 }, &packet, out);
	len = unhex(unpacks[_i].response, in);
	exact = malloc(len + 1);	/* so that a byte past the end is seen by the sanitizer */
	memcpy(exact + 1, in, len);
	pt_dap_unpack(&packet, unpacks[_i].ops, n_ops, exact + 1, len, &result);
	free(exact);
	ck_assert_msg(result.ack == unpacks[_i].ack, "%s: %d", unpacks[_i].name, result.ack);
	if (result.ack == PT_DAP_ACK_NONSENSE)
		return;
	ck_assert_msg(result.done.op == unpacks[_i].done.op && result.done.word == unpacks[_i].done.word, "%s: %zu, %u",
		      unpacks[_i].name, result.done.op, result.done.word);
	ck_assert_msg(result.repeatable == unpacks[_i].repeatable, "%s", unpacks[_i].name);
}
END_TEST

START_TEST(words_go_to_their_operations)
{
	uint32_t a = 0, b[2] = { 0 }, c = 0;
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ, .a = 0, .words = &a },
		{ .what = PT_DAP_WRITE, .a = 8 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = b, .n_words = 2 },
		{ .what = PT_DAP_READ, .a = 4, .words = &c },
	};
	static const uint8_t response[] = { 5, 5, 1, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0 };
	const struct pt_dap_limits limits = { 64, false };
	struct pt_dap_packet packet;
	struct pt_dap_result result;
	uint8_t out[64];

	pt_dap_pack(&limits, ops, 4, (struct pt_dap_cursor){ 0, 0 }, &packet, out);
	pt_dap_unpack(&packet, ops, 4, response, sizeof(response), &result);
	ck_assert_int_eq(result.ack, PT_DAP_ACK_OK);
	ck_assert_uint_eq(a, 1);
	ck_assert_uint_eq(b[0], 2);
	ck_assert_uint_eq(b[1], 3);
	ck_assert_uint_eq(c, 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cmsis_dap_pack");
	TCase *tc = tcase_create("packets");

	tcase_add_loop_test(tc, packs_as_documented, 0, (int)PT_LEN(packs));
	tcase_add_loop_test(tc, fills_packets, 0, (int)PT_LEN(fills));
	tcase_add_loop_test(tc, unpacks_or_says_where_it_stopped, 0, (int)PT_LEN(unpacks));
	tcase_add_test(tc, words_go_to_their_operations);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
