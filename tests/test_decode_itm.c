/* The ITM's stream: packets by hand, and random streams, whole and damaged, whose events are known. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "config_text.h"
#include "decode/decoder.h"
#include "trace/itm_packets.h"
#include "harness.h"

enum { MOST_LINES = 8, MOST_ROW_BYTES = 64 };

static const struct {
	const char *name, *config;
	uint8_t bytes[MOST_ROW_BYTES];
	size_t n_bytes;
	const char *lines[MOST_LINES];
} rows[] = {
	{ "a letter", "aligned=1\n", { 0x01, 'A' }, 2, { "port write 0x0 = 0x41 (1 bytes)" } },
	{ "a word to port 1", "aligned=1\n", { 0x0b, 0x78, 0x56, 0x34, 0x12 }, 5, { "port write 0x1 = 0x12345678 (4 bytes)" } },
	{ "port 31 of page 7", "aligned=1\n", { 0x78, 0xf9, 1, 0, 0, 0, 0, 0, 0x80, 0xf9, 2 }, 11,
	  { "port write 0xff = 0x1 (1 bytes)", "port write 0x1f = 0x2 (1 bytes)" } },
	{ "a stamp dates what is before it", "aligned=1\n",
	  { 0x01, 'A', 0x60, 0x01, 'B', 0x01, 'C', 0xc0, 0x85, 0x01, 0x01, 'D' }, 12,
	  { "6 port write 0x0 = 0x41 (1 bytes)", "139 port write 0x0 = 0x42 (1 bytes)",
	    "139 port write 0x0 = 0x43 (1 bytes)", "port write 0x0 = 0x44 (1 bytes)" } },
	{ "the short stamp of 3", "aligned=1\n", { 0x01, 'A', 0x30 }, 3, { "3 port write 0x0 = 0x41 (1 bytes)" } },
	{ "the longest stamp", "aligned=1\n", { 0x01, 'A', 0xc0, 0xff, 0xff, 0xff, 0x7f }, 7,
	  { "268435455 port write 0x0 = 0x41 (1 bytes)" } },
	{ "a late stamp dates nothing, and time goes on", "aligned=1\n",
	  { 0x01, 'A', 0xd0, 0x7f, 0x01, 'B', 0xe0, 0x01, 0x01, 'C', 0xf0, 0x01, 0x01, 'D', 0x10 }, 15,
	  { "port write 0x0 = 0x41 (1 bytes)", "port write 0x0 = 0x42 (1 bytes)", "port write 0x0 = 0x43 (1 bytes)",
	    "130 port write 0x0 = 0x44 (1 bytes)" } },
	{ "exceptions", "aligned=1\n", { 0x0e, 0x0f, 0x10, 0x0e, 0x0f, 0x20, 0x0e, 0x00, 0x30, 0x0e, 0x10, 0x11 }, 12,
	  { "exception 15 enter", "exception 15 exit", "exception 0 return", "exception 272 enter" } },
	{ "samples", "aligned=1\n", { 0x17, 0x35, 0x12, 0x00, 0x08, 0x15, 0x00, 0x15, 0xff }, 9,
	  { "sample 0x08001234", "sample asleep", "counter 1 1" } },
	{ "counters that wrapped", "aligned=1\n", { 0x05, 0x28 }, 2, { "counter 259 256", "counter 261 1" } },
	{ "overflow", "aligned=1\n", { 0x70, 0x01, 'A', 0x10 }, 4, { "1 gap overflow", "1 port write 0x0 = 0x41 (1 bytes)" } },
	{ "an access, with pc and address", "aligned=1\naddress.0=0x20002000\n",
	  { 0x47, 0x34, 0x12, 0x00, 0x08, 0x4e, 0x10, 0x20, 0x8f, 0x2a, 0x00, 0x00, 0x00 }, 13,
	  { "pc 0x08001234", "memory write 0x20002010 = 0x2a (4 bytes)" } },
	{ "a read of a byte that a comparator stands for", "aligned=1\naddress.3=0x20000004\n", { 0xb5, 0x07 }, 2,
	  { "memory read 0x20000004 = 0x7 (1 bytes)" } },
	{ "an address of which the upper half is not known", "aligned=1\n", { 0x4e, 0x10, 0x20, 0x8d, 0x01 }, 5,
	  { "memory write 0xffffffffffffffff = 0x1 (1 bytes)" } },
	{ "a pc without its value", "aligned=1\naddress.0=0x20000000\n",
	  { 0x47, 0x34, 0x12, 0x00, 0x08, 0x01, 'A' }, 7,
	  { "pc 0x08001234", "memory write 0x20000000 = 0xffffffffffffffff (0 bytes)", "port write 0x0 = 0x41 (1 bytes)" } },
	{ "a value of another comparator is not its", "aligned=1\naddress.0=0x20000000\naddress.1=0x20000010\n",
	  { 0x47, 0x34, 0x12, 0x00, 0x08, 0x9d, 0x01 }, 7,
	  { "pc 0x08001234", "memory write 0x20000000 = 0xffffffffffffffff (0 bytes)", "memory write 0x20000010 = 0x1 (1 bytes)" } },
	{ "stamps of the global clock say nothing yet, and are whole", "aligned=1\n",
	  { 0x94, 0x81, 0x82, 0x01, 0xb4, 0x81, 0x80, 0x80, 0x00, 0x01, 'A' }, 11, { "port write 0x0 = 0x41 (1 bytes)" } },
	{ "an exception that no core has", "aligned=1\n", { 0x01, 'A', 0x0e, 0x0d, 0x10 }, 5, { "gap damaged" } },
	{ "one that this core has not", "aligned=1\nlast_exception=47\n", { 0x0e, 0x2f, 0x10, 0x0e, 0x30, 0x10 }, 6,
	  { "gap damaged" } },
	{ "a reserved header", "aligned=1\n", { 0x04 }, 1, { "gap damaged" } },
	{ "from somewhere on, up to a sync", "", { 0x12, 0x00, 0x08, 0, 0, 0, 0, 0, 0x80, 0x01, 'A' }, 11,
	  { "gap damaged", "port write 0x0 = 0x41 (1 bytes)" } },
	{ "from somewhere on, without a sync", "",
	  { 0x01, 1, 0x01, 2, 0x01, 3, 0x01, 4, 0x01, 5, 0x01, 6, 0x01, 7, 0x01, 8, 0x01, 9 }, 18,
	  { "gap damaged", "port write 0x0 = 0x9 (1 bytes)" } },
	{ "samples that may be port writes as well, read elsewhere", "",
	  { 0x20, 0x17, 0x10, 0x20, 3, 0, 0x17, 0x14, 0x20, 3, 0, 0x17, 0x18, 0x20, 3, 0, 0x17, 0x10, 0x20, 3, 0,
	    0x17, 0x10, 0x20, 3, 0, 0x17, 0x14, 0x20, 3, 0, 0x17, 0x18, 0x20, 3, 0, 0x17, 0x10, 0x20, 3, 0, 0x17, 0x10, 0x20,
	    3, 0, 0x17, 0x14, 0x20, 3, 0 }, 51, { "gap damaged" } },
	{ "samples, which are off", "aligned=1\nno_hardware=4\n", { 0x17, 0x10, 0x20, 3, 0 }, 5, { "gap damaged" } },
	{ "exceptions, which are off", "aligned=1\nno_hardware=2\n", { 0x0e, 0x0f, 0x10 }, 3, { "gap damaged" } },
	{ "a comparator that is off", "aligned=1\nno_hardware=0x20\n", { 0x8d, 0x01, 0x9d, 0x01 }, 4, { "gap damaged" } },
	{ "a port that is off", "aligned=1\nno_ports=2\n", { 0x09, 'A' }, 2, { "gap damaged" } },
	{ "too little to believe", "", { 0x01, 'A' }, 2, { "gap damaged" } },
	{ "the zeros of a sync are its own", "aligned=1\n", { 0x0b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 }, 11,
	  { "port write 0x1 = 0x0 (4 bytes)" } },
	{ "a long sync", "aligned=1\n", { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 'A' }, 15,
	  { "port write 0x0 = 0x41 (1 bytes)" } },
	{ "a sync that a wrong size has swallowed half of", "aligned=1\n",
	  { 0x03, 'A', 0, 0, 0, 0, 0, 0x80, 0x01, 'B' }, 10, { "gap damaged", "port write 0x0 = 0x42 (1 bytes)" } },
	{ "half a packet at the end", "aligned=1\n", { 0x01, 'A', 0x03, 1 }, 4,
	  { "port write 0x0 = 0x41 (1 bytes)", "gap damaged" } },
};

static struct pt_batch batch;
static uint64_t state[1024];

START_TEST(decodes_row)
{
	size_t n_lines = 0;
	char line[160];

	decoder_init(&pt_decoder_itm, state, 0, 0, rows[_i].config, strlen(rows[_i].config));
	batch.n_events = 0;
	ck_assert_uint_eq(pt_decoder_itm.feed(state, rows[_i].bytes, rows[_i].n_bytes, &batch), rows[_i].n_bytes);
	pt_decoder_itm.flush(state, &batch);
	while (n_lines < MOST_LINES && rows[_i].lines[n_lines] != NULL)
		n_lines++;
	for (size_t i = 0; i < batch.n_events; i++) {
		pt_event_print(&batch.event[i], line, sizeof(line));
		ck_assert_msg(i < n_lines && strcmp(line, rows[_i].lines[i]) == 0, "%s: event %zu is \"%s\"",
			      rows[_i].name, i, line);
	}
	ck_assert_msg(batch.n_events == n_lines, "%s: %zu events", rows[_i].name, batch.n_events);
}
END_TEST

/* By which comparator, and whether it matched and no more: of an access by itself, and in a run. */
START_TEST(accesses_have_the_number_of_their_comparator)
{
	static const struct { uint8_t bytes[2]; int comparator; bool matched; } accesses[] = {
		{ { 0x85, 7 }, 0, false }, { { 0x9d, 7 }, 1, false }, { { 0xad, 7 }, 2, false }, { { 0xb5, 7 }, 3, false },
		{ { 0x45, 1 }, 0, true }, { { 0x75, 1 }, 3, true },
	};

	for (size_t i = 0; i < PT_LEN(accesses); i++)
		for (size_t others = 0; others < 20; others += 10) {
			uint8_t bytes[2 + 20] = { accesses[i].bytes[0], accesses[i].bytes[1] };

			memset(bytes + 2, 0x10, others);
			decoder_init(&pt_decoder_itm, state, 0, 0, "aligned=1\n", 10);
			batch.n_events = 0;
			pt_decoder_itm.feed(state, bytes, 2 + others, &batch);
			pt_decoder_itm.flush(state, &batch);
			ck_assert_uint_eq(batch.n_events, 1);
			ck_assert_int_eq(pt_value_comparator(&batch.event[0]), accesses[i].comparator);
			ck_assert_int_eq(pt_value_matched(&batch.event[0]), accesses[i].matched);
			ck_assert_int_eq(pt_value_space(&batch.event[0]), PT_SPACE_MEMORY);
		}
}
END_TEST

/* --- random streams ----------------------------------------------------------------------------------------------- */

enum { MOST_PACKETS = 4000, MOST_BYTES = 8 * MOST_PACKETS, SYNC_EVERY = 200 };

static struct {
	uint8_t bytes[MOST_BYTES];
	size_t n_bytes;
	struct pt_itm_packet packet[MOST_PACKETS];
	size_t n_packets;
} sent;

static uint32_t dice(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void put_bytes(uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sent.bytes[sent.n_bytes++] = (uint8_t)(value >> 8 * i);
}

static void put_sevens(uint64_t value, unsigned least)
{
	unsigned n = 0;

	do
		sent.bytes[sent.n_bytes++] =
			(uint8_t)((value & 0x7f) | ((value >> 7) != 0 || n + 1 < least ? 0x80 : 0));
	while (value >>= 7, ++n < least || value != 0);
}

static void put_sized(uint8_t header, uint64_t value, unsigned n)
{
	sent.bytes[sent.n_bytes++] = (uint8_t)(header | (n == 4 ? 3 : n));
	put_bytes(value, n);
}

/* A packet of any kind, as a chip may send it; what it says in packet. */
static void put_packet(uint32_t *seed, struct pt_itm_packet *packet)
{
	static const uint8_t sizes[] = { 1, 2, 4 };
	unsigned n = sizes[dice(seed) % 3], which = dice(seed) % 32;
	uint64_t value = (uint64_t)dice(seed) << 8 ^ dice(seed);
	size_t from = sent.n_bytes;

	value &= n == 4 ? UINT32_MAX : (1u << 8 * n) - 1;
	*packet = (struct pt_itm_packet){ .kind = PT_ITM_HARDWARE, .n_bytes = (uint8_t)n, .value = value };
	switch (dice(seed) % 8) {
	case 0:
		packet->kind = PT_ITM_LOCAL_STAMP;
		packet->n_bytes = 0;
		packet->value = value & 0xfffffff;
		packet->late = dice(seed) % 4;
		sent.bytes[sent.n_bytes++] = (uint8_t)(0xc0 | packet->late << 4);
		put_sevens(packet->value, 1);
		break;
	case 1:
		packet->kind = PT_ITM_LOCAL_STAMP;
		packet->n_bytes = 0;
		packet->value = 1 + which % 6;
		put_bytes(packet->value << 4, 1);
		break;
	case 2:
		packet->which = PT_ITM_EXCEPTION;
		packet->n_bytes = 2;
		packet->value = (16 + which) | UINT64_C(0x1000) << dice(seed) % 2;
		put_sized(0x0c, packet->value, 2);
		break;
	case 3:
	case 4:
		packet->which = PT_ITM_PC_SAMPLE;
		packet->n_bytes = 4;
		put_sized(0x14, value, 4);
		break;
	case 5:
		packet->which = (uint8_t)(PT_ITM_DATA_READ + which % 8);
		put_sized((uint8_t)(packet->which << 3 | 4), value, n);
		break;
	case 6:
		packet->kind = PT_ITM_GLOBAL_HIGH;
		packet->n_bytes = 0;
		packet->value = value & 0x3fffff;
		put_bytes(0xb4, 1);
		put_sevens(packet->value, 4);
		break;
	default:
		packet->kind = PT_ITM_PORT;
		packet->which = (uint8_t)which;
		put_sized((uint8_t)(which << 3), value, n);
	}
	packet->total_bytes = sent.n_bytes - from;
}

static void make_stream(uint32_t seed)
{
	sent.n_bytes = sent.n_packets = 0;
	while (sent.n_packets < MOST_PACKETS) {
		struct pt_itm_packet *packet = &sent.packet[sent.n_packets++];

		if (sent.n_packets % SYNC_EVERY == 1) {
			*packet = (struct pt_itm_packet){ .kind = PT_ITM_SYNC, .total_bytes = 6 };
			put_bytes(UINT64_C(0x800000000000), 6);
		} else {
			put_packet(&seed, packet);
		}
	}
}

static bool same(const struct pt_itm_packet *a, const struct pt_itm_packet *b)
{
	return a->kind == b->kind && a->which == b->which && a->n_bytes == b->n_bytes && a->late == b->late &&
	       a->value == b->value && a->total_bytes == b->total_bytes;
}

START_TEST(packets_are_those_that_were_sent)
{
	struct pt_itm_packets s = { .believed = _i % 2 != 0 };
	struct pt_itm_packet got[PT_ITM_ROOM];
	size_t at = 0;

	make_stream((uint32_t)_i);
	for (size_t i = 0; i < sent.n_bytes;) {
		size_t most = _i % 4 < 2 ? 1 + i % 7 : sent.n_bytes;	/* in pieces, or all at once */
		unsigned n;

		i += pt_itm_take(&s, sent.bytes + i, most < sent.n_bytes - i ? most : sent.n_bytes - i, got, &n);
		for (unsigned k = 0; k < n; k++) {
			if (got[k].kind == PT_ITM_FOUND && at == 0 && got[k].value == 0)
				continue;
			ck_assert_msg(at < sent.n_packets && same(&got[k], &sent.packet[at]), "seed %d, packet %zu", _i,
				      at);
			at++;
		}
	}
	ck_assert_uint_eq(at, sent.n_packets);
	ck_assert_uint_eq(pt_itm_rest(&s), 0);
}
END_TEST

/* One bit of every 3,000 is wrong: bytes are in packets or counted as lost, and behind a sync all is as it was sent. */
START_TEST(no_byte_is_unaccounted_for)
{
	struct pt_itm_packets s = { 0 };
	struct pt_itm_packet got[PT_ITM_ROOM];
	uint32_t seed = (uint32_t)_i;
	uint64_t accounted = 0;

	make_stream(seed);
	for (size_t at = dice(&seed) % 3000; at < 8 * sent.n_bytes; at += 1 + dice(&seed) % 6000)
		sent.bytes[at / 8] ^= (uint8_t)(1u << at % 8);
	for (size_t i = 0; i < sent.n_bytes;) {
		unsigned n;

		i += pt_itm_take(&s, sent.bytes + i, sent.n_bytes - i, got, &n);
		for (unsigned k = 0; k < n; k++)
			accounted += got[k].total_bytes + (got[k].kind == PT_ITM_FOUND ? got[k].value : 0);
	}
	ck_assert_uint_eq(accounted + pt_itm_rest(&s), sent.n_bytes);
}
END_TEST

/* --- events of damaged streams ------------------------------------------------------------------------------------ */

enum { MOST_EVENTS = 2 * MOST_PACKETS };

static struct log { struct pt_event event[MOST_EVENTS]; size_t n_events; } whole, damaged;

/* In pieces of so many bytes at most. */
static void decode(struct log *log, size_t most)
{
	static const char config[] = "aligned=1\naddress.0=0\naddress.1=0\naddress.2=0\naddress.3=0\n";

	decoder_init(&pt_decoder_itm, state, 0, 0, config, strlen(config));
	log->n_events = 0;
	for (size_t at = 0; at <= sent.n_bytes;) {
		batch.n_events = 0;
		if (at < sent.n_bytes)
			at += pt_decoder_itm.feed(state, sent.bytes + at,
						  sent.n_bytes - at < most ? sent.n_bytes - at : most, &batch);
		else if (at++ == sent.n_bytes)
			pt_decoder_itm.flush(state, &batch);
		for (size_t i = 0; i < batch.n_events; i++)
			log->event[log->n_events++] = batch.event[i];
	}
}

static bool says_the_same(const struct pt_event *a, const struct pt_event *b)
{
	struct pt_event timeless = *a;

	timeless.ticks = b->ticks;	/* it begins anew behind a gap */
	return pt_event_eq(&timeless, b);
}

/* Events that are not of the longest sequence that both have. */
static size_t wrong_events(void)
{
	static uint16_t common[2][MOST_EVENTS + 1];
	size_t n_events = 0, now = 0;

	memset(common, 0, sizeof(common));
	for (size_t i = 0; i < damaged.n_events; i++) {
		if (damaged.event[i].kind == PT_EV_GAP)
			continue;
		n_events++;
		now = 1 - now;
		for (size_t k = 0; k < whole.n_events; k++) {
			uint16_t skip =
				common[1 - now][k + 1] > common[now][k] ? common[1 - now][k + 1] : common[now][k];
			bool same = says_the_same(&damaged.event[i], &whole.event[k]);

			common[now][k + 1] = same ? (uint16_t)(common[1 - now][k] + 1) : skip;
		}
	}
	return n_events - common[now][whole.n_events];
}

/* One that shifts what follows is found, and what came of it is dropped. One in a payload makes a wrong event that the
 * stream cannot show, and so do, rarely, two packets that another size makes of one. */
START_TEST(a_wrong_bit_makes_one_wrong_event_at_most)
{
	size_t n_bits = 0, n_events = 0;

	for (uint32_t first = 0; first < 8; first++) {
		uint32_t seed = first;

		make_stream(seed);
		decode(&whole, SIZE_MAX);
		for (size_t at = dice(&seed) % 3000; at < 8 * sent.n_bytes; at += 1500 + dice(&seed) % 3000) {
			sent.bytes[at / 8] ^= (uint8_t)(1u << at % 8);
			n_bits++;
		}
		decode(&damaged, SIZE_MAX);
		ck_assert_uint_gt(damaged.n_events, whole.n_events / 2);
		n_events += wrong_events();
	}
	ck_assert_msg(n_events <= n_bits, "%zu wrong events of %zu wrong bits", n_events, n_bits);
}
END_TEST

/* Pieces of less than the longest packet have no run of packets in them. */
START_TEST(a_run_says_what_its_packets_say_one_by_one)
{
	uint32_t seed = (uint32_t)_i;

	make_stream(seed);
	for (size_t at = dice(&seed) % 3000; at < 8 * sent.n_bytes; at += 500 + dice(&seed) % 9000)
		sent.bytes[at / 8] ^= (uint8_t)(1u << at % 8);
	decode(&whole, SIZE_MAX);
	decode(&damaged, 4);
	ck_assert_uint_eq(whole.n_events, damaged.n_events);
	for (size_t i = 0; i < whole.n_events; i++)
		ck_assert_msg(pt_event_eq(&whole.event[i], &damaged.event[i]), "event %zu", i);
}
END_TEST

/* Each packet has as many events as one can have. */
START_TEST(no_counter_is_lost_where_all_wrap_at_once)
{
	sent.n_bytes = 0;
	for (unsigned i = 0; i < 200; i++)
		put_sized(0x04, 0x3f, 1);
	for (size_t most = 1; most < 6; most++) {
		decode(&whole, most);
		ck_assert_uint_eq(whole.n_events, 200 * 6);
		for (size_t i = 0; i < whole.n_events; i++)
			ck_assert_uint_eq(whole.event[i].counter.id, PT_COUNTER_NAMED + i % 6);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decode_itm");
	TCase *tc = tcase_create("itm");

	tcase_add_loop_test(tc, decodes_row, 0, PT_LEN(rows));
	tcase_add_test(tc, accesses_have_the_number_of_their_comparator);
	tcase_add_loop_test(tc, packets_are_those_that_were_sent, 0, 20);
	tcase_add_loop_test(tc, no_byte_is_unaccounted_for, 0, 50);
	tcase_add_loop_test(tc, a_run_says_what_its_packets_say_one_by_one, 0, 50);
	tcase_add_test(tc, no_counter_is_lost_where_all_wrap_at_once);
	tcase_add_test(tc, a_wrong_bit_makes_one_wrong_event_at_most);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
