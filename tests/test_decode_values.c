/* The streams that we make ourselves, "lines", "values", "watch", "counters" and "bins": what a record becomes, and that damage
 * is a gap and no more. */
#include <string.h>

#include "config_text.h"
#include "decode/decoder.h"
#include "harness.h"
#include "trace/formats.h"

static const struct {
	const char *name;
	const struct pt_decoder *decoder;
	uint8_t bytes[48];
	size_t n_bytes;
	const char *lines[3];	/* as pt_event_print() has them */
} rows[] = {
	{ "a line goes high", &pt_decoder_lines, { 5, 0, 0, 0, 0, 0, 0, 0, 3, 1, 1, 1 }, 12,
	  { "5 line write 0x103 = 0x1 (1 bytes)" } },
	{ "a vector", &pt_decoder_lines, { 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0x34, 0x12 }, 13,
	  { "256 line write 0x2 = 0x1234 (2 bytes)" } },
	{ "a level that nobody knows", &pt_decoder_lines, { 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 11,
	  { "7 line write 0x0 = 0xffffffffffffffff (0 bytes)" } },
	{ "two lines", &pt_decoder_lines,
	  { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1 }, 24,
	  { "1 line write 0x0 = 0x0 (1 bytes)", "2 line write 0x1 = 0x1 (1 bytes)" } },
	{ "a head without sense, and what follows", &pt_decoder_lines,
	  { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1 }, 23,
	  { "gap damaged", "2 line write 0x1 = 0x1 (1 bytes)" } },
	{ "half a record", &pt_decoder_lines, { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }, 11, { "gap damaged" } },
	{ "a write to memory", &pt_decoder_values,
	  { 9, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 0x20, 0, 0, 0, 0, 0x2a, 0, 0, 0, 0, 0, 0, 0 }, 26,
	  { "9 memory write 0x20000000 = 0x2a (4 bytes)" } },
	{ "a read", &pt_decoder_values,
	  { 9, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x20, 0, 0, 0, 0, 0x2a, 0, 0, 0, 0, 0, 0, 0 }, 26,
	  { "9 memory read 0x20000000 = 0x2a (2 bytes)" } },
	{ "a port, with the pc", &pt_decoder_values,
	  { 9, 0, 0, 0, 0, 0, 0, 0, 0x83, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0x41, 0, 0, 0, 0, 0, 0, 0, 0, 1 }, 34,
	  { "9 pc 0x00000100", "9 port write 0x5 = 0x41 (1 bytes)" } },
	{ "a space that there is not", &pt_decoder_values, { 9, 0, 0, 0, 0, 0, 0, 0, 6, 1 }, 10, { "gap damaged" } },
	{ "a size that there is not", &pt_decoder_values, { 9, 0, 0, 0, 0, 0, 0, 0, 1, 0 }, 10, { "gap damaged" } },
	{ "a look", &pt_decoder_watch,
	  { 9, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0x20, 0, 0, 0, 0, 0x2a, 1, 0, 0, 0, 0, 0, 0 }, 25,
	  { "9 look at 0x20000000: 0x12a (4 bytes)" } },
	{ "a torn one", &pt_decoder_watch,
	  { 9, 0, 0, 0, 0, 0, 0, 0, 0x88, 0, 0, 0, 0x20, 0, 0, 0, 0, 0x2a, 1, 0, 0, 0, 0, 0, 0 }, 25,
	  { "9 look at 0x20000000: torn (8 bytes)" } },
	{ "a look at nothing", &pt_decoder_watch, { 9, 0, 0, 0, 0, 0, 0, 0, 0x80 }, 9, { "gap damaged" } },
	{ "a first reading and the next", &pt_decoder_counters,
	  { 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xf0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xf9, 0, 0, 0, 0, 0, 0, 0 }, 36,
	  { "1 counter 258 0", "3 counter 258 9" } },
	{ "a counter that there is not", &pt_decoder_counters,
	  { 1, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0xf0, 0, 0, 0, 0, 0, 0, 0 }, 18, { "1 gap damaged" } },
	{ "half a reading", &pt_decoder_counters, { 1, 0, 0 }, 3, { "gap damaged" } },
	{ "a bin", &pt_decoder_bins, { 0, 1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0 }, 16, { "bin 0x100 7" } },
	{ "half a bin", &pt_decoder_bins, { 0, 1, 0 }, 3, { "gap damaged" } },
	{ "half a value", &pt_decoder_values, { 9, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0 }, 11, { "gap damaged" } },
};

START_TEST(decodes_row)
{
	const struct pt_decoder *d = rows[_i].decoder;
	static struct pt_batch batch;
	uint64_t state[512];
	char line[160];
	size_t n = 0;

	batch.n_events = 0;
	decoder_init(d, state, 0, 0, "", 0);
	ck_assert_uint_eq(d->feed(state, rows[_i].bytes, rows[_i].n_bytes, &batch), rows[_i].n_bytes);
	d->flush(state, &batch);
	while (n < PT_LEN(rows[_i].lines) && rows[_i].lines[n] != NULL)
		n++;
	ck_assert_msg(batch.n_events == n, "%s: %zu events", rows[_i].name, batch.n_events);
	for (size_t i = 0; i < n; i++)
		ck_assert_str_eq(pt_event_print(&batch.event[i], line, sizeof(line)), rows[_i].lines[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decode_values");
	TCase *tc = tcase_create("records");

	tcase_add_loop_test(tc, decodes_row, 0, PT_LEN(rows));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
