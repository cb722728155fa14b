/* Items of a MicroBlaze's trace: rows by hand, and streams of the virtual board. */
#define _GNU_SOURCE	/* memmem */
#include <string.h>

#include "config_text.h"
#include "decode/decoder.h"
#include "golden.h"
#include "harness.h"
#include "base/util.h"

enum { MOST_ITEMS = 16, MOST_LINES = 8 };

#define PC(address) 0x10000 | (address) >> 16, 0x10000 | ((address)&0xffff)

static const struct {
	const char *name, *config;
	uint32_t items[MOST_ITEMS];
	size_t n_items;
	const char *lines[MOST_LINES];
} rows[] = {
	{ "a pc is where flow begins", "trace=flow\n", { PC(0x90001000) }, 2, { "start 0x90001000" } },
	{ "outcomes, the first on the left",
	  "trace=flow\n",
	  { PC(0x100), 0x03a00 },
	  3,
	  { "start 0x00000100", "atoms 3 0x5" } },
	{ "outcomes before any pc", "trace=flow\n", { 0x03a00 }, 1, { NULL } },
	{ "filler", "trace=flow\n", { PC(0x100), 0x00fff }, 3, { "start 0x00000100" } },
	{ "where a taken branch went is no news",
	  "trace=flow\n",
	  { PC(0x100), 0x01800, PC(0x200) },
	  5,
	  { "start 0x00000100", "atoms 1 0x1" } },
	{ "where an unconditional one went is",
	  "trace=flow\n",
	  { PC(0x100), 0x01000, PC(0x200) },
	  5,
	  { "start 0x00000100", "atoms 1 0x0", "branch unknown -> 0x00000200 instruction" } },
	{ "returns alone",
	  "trace=flow\npc=returns\n",
	  { PC(0x100), 0x01800, PC(0x200) },
	  5,
	  { "start 0x00000100", "atoms 1 0x1", "indirect -> 0x00000200" } },
	{ "half a pc, then something else",
	  "trace=flow\n",
	  { PC(0x100), 0x10000, 0x01800 },
	  4,
	  { "start 0x00000100", "gap damaged" } },
	{ "two counts in an item",
	  "trace=flow-cycles\n",
	  { PC(0x100), 0x08000 | 5 << 8 | 1 << 7 | 3 << 1 },
	  3,
	  { "0 start 0x00000100", "5 atoms 1 0x1", "8 atoms 1 0x0" } },
	{ "the lower one first",
	  "trace=flow-cycles\nshort_order=lower_first\n",
	  { PC(0x100), 0x08000 | 5 << 8 | 1 << 7 | 3 << 1 },
	  3,
	  { "0 start 0x00000100", "3 atoms 1 0x0", "8 atoms 1 0x1" } },
	{ "a long count",
	  "trace=flow-cycles\n",
	  { PC(0x100), 0x0c000 | 1000 << 1 | 1 },
	  3,
	  { "0 start 0x00000100", "1000 atoms 1 0x1" } },
	{ "an interrupt",
	  "trace=flow\nvectors=0x1000\n",
	  { PC(0x100), 0x3c00a },
	  3,
	  { "start 0x00000100", "branch unknown -> 0x00001010 exception" } },
	{ "a software event and a stamp",
	  "trace=events\n",
	  { 0x34064, 0x30123 },
	  2,
	  { "100 port write 0x0 = 0x123 (2 bytes)" } },
	{ "cross triggers", "trace=flow\n", { 0x38005 }, 1, { "port write 0x1 = 0x5 (2 bytes)" } },
};

static void init(void *state, const char *config)
{
	decoder_init(&pt_decoder_mdm_trace, state, 0, 0, config, strlen(config));
}

static size_t bytes_of(const uint32_t *items, size_t n, uint8_t *bytes)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned b = 0; b < 3; b++)
			bytes[3 * i + b] = (uint8_t)(items[i] >> 8 * b);
	return 3 * n;
}

START_TEST(decodes_row)
{
	uint8_t bytes[3 * MOST_ITEMS];
	static struct pt_batch batch;
	uint64_t state[64];
	char line[160];
	size_t n = 0, len = bytes_of(rows[_i].items, rows[_i].n_items, bytes);

	batch.n_events = 0;
	init(state, rows[_i].config);
	ck_assert_uint_eq(pt_decoder_mdm_trace.feed(state, bytes, len, &batch), len);
	while (n < MOST_LINES && rows[_i].lines[n] != NULL)
		n++;
	for (size_t i = 0; i < n && i < batch.n_events; i++)
		ck_assert_str_eq(pt_event_print(&batch.event[i], line, sizeof(line)), rows[_i].lines[i]);
	ck_assert_msg(batch.n_events == n, "%s: %zu events", rows[_i].name, batch.n_events);
}
END_TEST

/* Behind a gap nobody knows which half of a pc comes first, up to an item that is none. */
START_TEST(halves_behind_a_gap)
{
	static const uint32_t items[] = { 0x10100, PC(0x200), 0x01800, PC(0x300) };
	uint8_t bytes[3 * MOST_ITEMS];
	static struct pt_batch batch;
	uint64_t state[64];
	char line[160];

	batch.n_events = 0;
	init(state, "trace=flow\n");
	pt_decoder_mdm_trace.gap(state, PT_GAP_LOSS, 0, 0, &batch);
	batch.n_events = 0;
	pt_decoder_mdm_trace.feed(state, bytes, bytes_of(items, PT_LEN(items), bytes), &batch);
	ck_assert_uint_eq(batch.n_events, 1);
	ck_assert_str_eq(pt_event_print(&batch.event[0], line, sizeof(line)), "start 0x00000300");
}
END_TEST

/* --- streams of the virtual board: the lines of CONFIG that matter, an empty one, then what was read -------------- */

static void print_stream(const uint8_t *bytes, size_t len_bytes, FILE *out)
{
	const char *config = (const char *)bytes, *end = memmem(bytes, len_bytes, "\n\n", 2);
	static struct pt_batch batch;
	uint64_t state[64];
	char line[160];

	ck_assert_ptr_nonnull(end);
	decoder_init(&pt_decoder_mdm_trace, state, 0, 0, config, (size_t)(end + 1 - config));
	for (size_t at = (size_t)(end + 2 - config); at < len_bytes;) {
		batch.n_events = 0;
		at += pt_decoder_mdm_trace.feed(state, bytes + at, len_bytes - at, &batch);
		for (size_t i = 0; i < batch.n_events; i++)
			fprintf(out, "%s\n", pt_event_print(&batch.event[i], line, sizeof(line)));
	}
}

static const char *const golden[] = { "mdm_flow", "mdm_flow_cycles", "mdm_complete" };

START_TEST(golden_stream)
{
	expect_golden(golden[_i], ".mdm", ".events", print_stream);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decode_mdm_trace");
	TCase *tc = tcase_create("items");

	tcase_add_loop_test(tc, decodes_row, 0, PT_LEN(rows));
	tcase_add_test(tc, halves_behind_a_gap);
	tcase_add_loop_test(tc, golden_stream, 0, PT_LEN(golden));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
