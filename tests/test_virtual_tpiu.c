/* The virtual ITM and TPIU without a core: events at given cycles, and the bytes that come by the pin, with their times. */
#include <inttypes.h>

#include "harness.h"
#include "probes/virtual/unit/arm/itm.h"

enum { CORE_HZ = 25000000, MAX_BYTES = 1 << 16, ITM_ON = 0x0001000d, ITM_STAMPS = 0x0001000f };

static struct pt_vbus bus;
static struct pt_vwires wires;
static struct pt_vitm itm;
static struct pt_vtpiu tpiu;
static uint64_t now;
static struct pt_vtrace_packet packet[1024];
static struct pt_vtrace_log trace_log;
static struct pt_vswo_byte byte[MAX_BYTES];
static size_t n_bytes;

static void on_byte(void *arg, const struct pt_vswo_byte *b)
{
	(void)arg;
	ck_assert_uint_lt(n_bytes, MAX_BYTES);
	byte[n_bytes++] = *b;
}

static const struct pt_vswo_listener listener = { .byte = on_byte };

static void poke(const struct pt_vunit_ops *ops, void *unit, uint32_t offset, uint32_t value)
{
	const struct pt_vaccess access = { offset, 4, PT_VMASTER_DEBUG, true };

	ck_assert(ops->write(unit, offset, &access, value));
}

static uint32_t peek_itm(uint32_t offset)
{
	const struct pt_vaccess access = { offset, 4, PT_VMASTER_DEBUG, true };
	uint32_t value;

	ck_assert(pt_vitm_ops.read(&itm, offset, &access, &value));
	return value;
}

static void poke_tpiu(uint32_t offset, uint32_t value)
{
	poke(&pt_vtpiu_ops, &tpiu, offset, value);
}

static void power_on(uint32_t trace_hz)
{
	now = 0;
	n_bytes = 0;
	bus = (struct pt_vbus){ .now_cycle = &now };
	wires = (struct pt_vwires){ .bus = &bus, .core_hz = CORE_HZ };
	pt_vtpiu_init(&tpiu, &wires, trace_hz);
	pt_vitm_init(&itm, &wires, &tpiu);
	tpiu.pin.listener = &listener;
	trace_log = (struct pt_vtrace_log){ .packet = packet, .room = PT_LEN(packet) };
	itm.log = &trace_log;
	pt_vitm_enable(&itm, true);
}

static void set_up(uint32_t sppr, uint32_t acpr, uint32_t ffcr, uint32_t tcr)
{
	poke_tpiu(PT_VTPIU_SPPR, sppr);
	poke_tpiu(PT_VTPIU_ACPR, acpr);
	poke_tpiu(PT_VTPIU_FFCR, ffcr);
	poke(&pt_vitm_ops, &itm, PT_VITM_LAR, PT_VITM_KEY);
	poke(&pt_vitm_ops, &itm, PT_VITM_TER, UINT32_MAX);
	poke(&pt_vitm_ops, &itm, PT_VITM_TCR, tcr);
}

static void advance(uint64_t to_cycle)
{
	now = to_cycle;
	pt_vitm_advance(&itm, now);
}

static void write_port(unsigned port, uint32_t value, unsigned size_bytes, uint64_t at_cycle)
{
	const struct pt_vaccess access = { 4 * port, (uint8_t)size_bytes, PT_VMASTER_CPU, true };

	now = at_cycle;
	ck_assert(pt_vitm_ops.write(&itm, 4 * port, &access, value));
}

/* --- what becomes of events. Source of the bytes: facts on SWO, 7.1 */

struct event { unsigned cycle; uint16_t id, size; uint32_t value; };	/* id: of the DWT; PORT + n; SYNC; of size 0: no more */
enum { PORT = 0x100, SYNC = 0x200 };
static const struct {
	const char *name;
	uint32_t tcr;
	unsigned fifo_room;
	struct event event[6];
	uint8_t want[20];
	size_t n;
} rows[] = {
	{ "sync", ITM_ON, 4, { { 10, SYNC, 1, 0 } }, { 0, 0, 0, 0, 0, 0x80 }, 6 },
	{ "sync off", 0x00010009, 4, { { 10, SYNC, 1, 0 } }, { 0 }, 0 },
	{ "ports, stamp in a byte", ITM_STAMPS, 4, { { 6, PORT, 1, 'A' }, { 6, PORT + 1, 4, 0x12345678 } },
	  { 0x01, 0x41, 0x0b, 0x78, 0x56, 0x34, 0x12, 0x60 }, 8 },
	{ "enter, stamp in bytes", ITM_STAMPS, 4, { { 133, 1, 2, 0x100f } }, { 0x0e, 0x0f, 0x10, 0xc0, 0x85, 0x01 }, 6 },
	{ "exit and return, stamp delayed", ITM_STAMPS, 2, { { 107, 1, 2, 0x200f }, { 107, 1, 2, 0x3000 } },
	  { 0x0e, 0x0f, 0x20, 0x0e, 0x00, 0x30, 0xd0, 0x7f }, 8 },
	{ "packet delayed", ITM_STAMPS, 1, { { 3, PORT, 1, 'A' }, { 4, 0, 1, 8 } }, { 0x01, 0x41, 0x05, 0x08, 0xf0, 0x21 }, 6 },
	{ "both delayed, then none", ITM_STAMPS, 4, { { 3, PORT, 1, 'A' }, { 400, 0, 1, 8 } },
	  { 0x01, 0x41, 0x30, 0x05, 0x08, 0xc0, 0x8d, 0x03 }, 8 },
	{ "samples", ITM_ON, 4, { { 10, 2, 4, 0x08001234 }, { 20, 2, 1, 0 } }, { 0x17, 0x34, 0x12, 0x00, 0x08, 0x15, 0x00 }, 7 },
	{ "overflow", ITM_ON, 1, { { 10, 0, 1, 1 }, { 11, 0, 1, 2 }, { 12, 0, 1, 4 }, { 13, 0, 1, 8 }, { 100, 0, 1, 16 } },
	  { 0x05, 0x01, 0x05, 0x02, 0x70, 0x05, 0x10 }, 7 },
	{ "a port goes first, and is lost alone", ITM_ON, 1, { { 10, 0, 1, 1 }, { 11, 0, 1, 2 }, { 12, PORT, 1, 'A' }, { 13, PORT, 1, 'B' } },
	  { 0x05, 0x01, 0x01, 0x41, 0x05, 0x02, 0x70 }, 7 },
	{ "event counter", ITM_ON, 4, { { 10, 0, 1, 8 } }, { 0x05, 0x08 }, 2 },
	{ "comparator 0: pc, address, value", ITM_STAMPS, 4,
	  { { 3, 8, 4, 0x08001234 }, { 3, 9, 2, 0x2010 }, { 3, 17, 4, 0x2a } },
	  { 0x47, 0x34, 0x12, 0x00, 0x08, 0x4e, 0x10, 0x20, 0x8f, 0x2a, 0x00, 0x00, 0x00, 0x30 }, 14 },
	{ "no DWT without TXENA", 0x00010005, 4, { { 10, 0, 1, 8 } }, { 0 }, 0 },
	{ "nothing without ITMENA", 0x0001000e, 4, { { 10, 0, 1, 8 }, { 11, PORT, 1, 'A' } }, { 0 }, 0 },
	{ "stamp of 16 clocks", 0x0001020f, 4, { { 100, PORT, 1, 'A' }, { 200, PORT, 1, 'B' } }, { 0x01, 0x41, 0x60, 0x01, 0x42, 0x60 }, 6 },
	{ "no stamp of no clocks", 0x0001030f, 4, { { 60, PORT, 1, 'A' }, { 120, PORT, 1, 'B' } }, { 0x01, 0x41, 0x01, 0x42, 0x10 }, 5 },
	{ "the widest stamp", ITM_STAMPS, 4, { { 0xfffffff, PORT, 1, 'A' } }, { 0x01, 0x41, 0xc0, 0xff, 0xff, 0xff, 0x7f }, 7 },
	{ "a stamp too far", ITM_STAMPS, 4, { { 0x10000009, PORT, 1, 'A' } }, { 0x70, 0x01, 0x41, 0xc0, 0x09 }, 5 },
	{ "global stamp, then its low bits", 0x00010c09, 4, { { 0x100, 0, 1, 1 }, { 0x40f7, 0, 1, 1 } },
	  { 0x05, 0x01, 0x94, 0x8a, 0x82, 0x80, 0x40, 0xb4, 0x80, 0x80, 0x80, 0x00, 0x05, 0x01, 0x94, 0x81, 0x82, 0x01 }, 18 },
	{ "global stamp, its high bits changed", 0x00010c09, 4, { { 0x7fffff6, 0, 1, 1 } },
	  { 0x05, 0x01, 0x94, 0x80, 0x80, 0x80, 0x40, 0xb4, 0x82, 0x80, 0x80, 0x00 }, 12 },
};

static void happens(const struct event *event)
{
	if (event->id == SYNC)
		pt_vitm_synchronise(&itm, event->cycle);
	else if (event->id >= PORT)
		write_port(event->id - PORT, event->value, event->size, event->cycle);
	else
		pt_vitm_report(&itm, event->id, event->value, event->size, event->cycle);
}

START_TEST(events_become_bytes)
{
	uint64_t last = 0;

	power_on(0);
	itm.fifo_room = rows[_i].fifo_room;
	set_up(2, 0, 0x100, rows[_i].tcr);
	for (const struct event *event = rows[_i].event; event->size != 0; event++) {
		happens(event);
		last = event->cycle;
	}
	advance(last + 2000);
	for (size_t i = 0; i < n_bytes && i < rows[_i].n; i++)
		ck_assert_msg(byte[i].byte == rows[_i].want[i], "%s: byte %zu is %02x", rows[_i].name, i, byte[i].byte);
	ck_assert_msg(n_bytes == rows[_i].n, "%s: %zu bytes", rows[_i].name, n_bytes);
	ck_assert_uint_eq(peek_itm(PT_VITM_TCR) & PT_VITM_BUSY, 0);
}
END_TEST

/* --- when they come */

static const struct { const char *name; uint32_t trace_hz, sppr, acpr, drift_ppm; uint64_t bit_ps; unsigned byte_ns; } clocks[] = {
	{ "UART at the core's clock", 0, 2, 0, 0, 40000, 400 },
	{ "2.083 MBd", 0, 2, 11, 0, 480000, 4800 },
	{ "a clock of its own", 32000000, 2, 31, 0, 1000000, 10000 },
	{ "a clock that is fast", 0, 2, 11, 10000, 475248, 4752 },
	{ "Manchester", 0, 1, 11, 0, 960000, 7680 },
};
START_TEST(bytes_have_their_times)
{
	power_on(clocks[_i].trace_hz);
	wires.drift_ppm = clocks[_i].drift_ppm;
	tpiu.origin_ns = 1000;
	set_up(clocks[_i].sppr, clocks[_i].acpr, 0x100, ITM_ON);
	pt_vitm_report(&itm, 2, 0x12345678, 4, 25000);
	advance(30000);
	ck_assert_uint_eq(n_bytes, 5);
	for (unsigned i = 0; i < n_bytes; i++) {
		ck_assert_msg(byte[i].bit_ps == clocks[_i].bit_ps, "%s: %" PRIu64, clocks[_i].name, byte[i].bit_ps);
		ck_assert_int_eq(byte[i].coding, clocks[_i].sppr == 1 ? PT_VSWO_MANCHESTER : PT_VSWO_UART);
		if (i > 1)	/* of Manchester the first is longer: its start bit */
			ck_assert_uint_le(byte[i].begin_ns - byte[i - 1].begin_ns - clocks[_i].byte_ns, 1);
	}
	if (clocks[_i].drift_ppm == 0)
		ck_assert_uint_eq(byte[0].begin_ns, 1000 + 1000000);
}
END_TEST

/* A byte is told when it is through, and not before. */
START_TEST(a_byte_is_told_at_its_end)
{
	power_on(0);
	set_up(2, 9, 0x100, ITM_ON);
	write_port(0, 'A', 1, 1000);
	advance(1099);
	ck_assert_uint_eq(n_bytes, 0);
	advance(1100);
	ck_assert_uint_eq(n_bytes, 1);
	advance(1200);
	ck_assert_uint_eq(n_bytes, 2);
}
END_TEST

/* Eight bytes behind a start bit, then a bit of silence. */
START_TEST(manchester_has_groups_of_eight)
{
	const unsigned bit_ns = 80;

	power_on(0);
	set_up(1, 0, 0x100, ITM_ON);
	for (unsigned i = 0; i < 4; i++)
		pt_vitm_report(&itm, 2, i, 4, 1000);
	advance(10000);
	ck_assert_uint_eq(n_bytes, 20);
	for (unsigned i = 1; i < n_bytes; i++)
		ck_assert_uint_eq(byte[i].begin_ns - byte[i - 1].begin_ns, bit_ns * (i % 8 == 1	  ? 9
										     : i % 8 == 0 ? 9
												  : 8));
}
END_TEST

/* --- frames */

/* A frame as the facts on Cortex-M, 5, have it. Returns how many bytes of the stream are in it. */
static size_t unframe(const uint8_t *frame, uint8_t *stream, uint8_t *out)
{
	size_t n = 0;

	for (unsigned i = 0; i < 15; i++) {
		bool flag = frame[15] >> i / 2 & 1, is_id = i % 2 == 0 && (frame[i] & 1) != 0;
		uint8_t id = frame[i] >> 1;

		if (is_id && flag && i + 1 < 15) {	/* behind the next byte */
			if (*stream == 1)
				out[n++] = frame[i + 1];
			i++;
		} else if (!is_id && *stream == 1) {
			out[n++] = i % 2 == 0 ? frame[i] | flag : frame[i];
		}
		if (is_id)
			*stream = id;
	}
	return n;
}

static void collect(uint8_t *out, size_t *n_out)
{
	uint8_t frame[16], stream = 0;
	size_t i = 0;

	while (i + 16 <= n_bytes) {
		if (byte[i].byte == 0xff && byte[i + 1].byte == 0xff && byte[i + 2].byte == 0xff &&
		    byte[i + 3].byte == 0x7f) {
			i += 4;
			continue;
		}
		for (unsigned k = 0; k < 16; k++)
			frame[k] = byte[i + k].byte;
		*n_out += unframe(frame, &stream, out + *n_out);
		i += 16;
	}
}

START_TEST(frames_have_what_was_sent)
{
	static uint8_t got[MAX_BYTES];
	size_t n = 0, at = 0;
	uint32_t noise = (uint32_t)_i * 2654435761u + 1;
	uint64_t cycle = 1000;

	power_on(0);
	set_up(2, 0, 0x102, ITM_ON);
	for (unsigned i = 0; i < 200; i++) {
		noise = noise * 1664525u + 1013904223u;
		cycle += noise >> 24 & (_i % 2 ? 0x3f : 0xff);
		pt_vitm_report(&itm, noise >> 8 & 7, noise * 3, 1u << (noise >> 20) % 3, cycle);
	}
	advance(cycle + 2000);
	collect(got, &n);
	for (size_t i = 0; i < trace_log.n; i++)
		for (unsigned k = 0; !packet[i].lost && k < packet[i].n_bytes; k++, at++)
			ck_assert_msg(at < n && got[at] == packet[i].bytes[k], "byte %zu of %zu", at, n);
	ck_assert_uint_eq(at, n);
	ck_assert_uint_ge(n_bytes, (cycle + 2000) / 10 - 1);		/* never silent */
}
END_TEST

/* EnFTC alone: the same frames without synchronisation packets, and silence where nothing waits. */
START_TEST(half_a_formatter_waits_for_data)
{
	static uint8_t got[MAX_BYTES];
	size_t n = 0, at = 0;

	power_on(0);
	set_up(2, 0, 0x101, ITM_ON);
	ck_assert_uint_eq(tpiu.value[5], 0x100);	/* a Cortex-M4's has no such bit */
	power_on(0);
	tpiu.has_enftc = true;
	set_up(2, 0, 0x101, ITM_ON);
	for (unsigned i = 0; i < 100; i++)
		pt_vitm_report(&itm, 2, i * 0x01030507, 4, 1000 + 200 * i);
	advance(100000);
	ck_assert_uint_le(n_bytes, 540);
	ck_assert_uint_ge(n_bytes, 530);
	for (size_t i = 0; i < n_bytes; i++)
		n += i + 4 <= n_bytes && byte[i].byte == 0xff && byte[i + 1].byte == 0xff && byte[i + 3].byte == 0x7f;
	ck_assert_uint_eq(n, 0);
	collect(got, &n);
	for (size_t i = 0; i < trace_log.n && at < n; i++)
		for (unsigned k = 0; k < packet[i].n_bytes && at < n; k++, at++)
			ck_assert_uint_eq(got[at], packet[i].bytes[k]);
	ck_assert_uint_ge(n, 490);
}
END_TEST

/* Stamps of the trace clock; and of a counter with fewer bits. */
START_TEST(stamps_count_what_is_asked)
{
	static const uint8_t want[] = { 0x01, 'A', 0xc0, 0x7d, 0x70, 0x01, 'B', 0xc0, 0x83, 0x01 };

	power_on(CORE_HZ / 2);
	itm.stamp_bits = 8;
	set_up(2, 0, 0x100, ITM_STAMPS | PT_VITM_SWOENA);
	write_port(0, 'A', 1, 250);		/* 125 */
	write_port(0, 'B', 1, 250 + 2 * (256 + 131));
	advance(10000);
	ck_assert_uint_ge(n_bytes, sizeof(want));
	for (size_t i = 0; i < sizeof(want); i++)
		ck_assert_msg(byte[i].byte == want[i], "byte %zu is %02x", i, byte[i].byte);
}
END_TEST

/* Without a listener what is idle is counted as it would have been sent. */
START_TEST(idle_is_counted)
{
	uint64_t heard;

	power_on(0);
	set_up(2, 9, 0x102, ITM_ON);
	advance(1000000);
	heard = tpiu.n_bytes;
	ck_assert_uint_eq(heard, n_bytes);
	ck_assert_uint_eq(byte[3].byte, 0x7f);
	power_on(0);
	tpiu.pin.listener = NULL;
	set_up(2, 9, 0x102, ITM_ON);
	advance(1000000);
	ck_assert_uint_eq(tpiu.n_bytes, heard);
}
END_TEST

/* Nothing has been written, and no byte has come: the line is at rest, as the core costs nothing then. */
START_TEST(a_line_that_is_not_used_is_silent)
{
	power_on(0);
	advance(1000000);
	ck_assert_uint_eq(n_bytes, 0);
	poke_tpiu(PT_VTPIU_SPPR, 2);
	advance(1000100);
	ck_assert_uint_gt(n_bytes, 0);
	ck_assert_uint_ge(byte[0].begin_ns, 40000000);
}
END_TEST

/* With SPPR 0 there is no pin that takes them, and nothing waits. */
START_TEST(a_parallel_port_takes_all)
{
	power_on(0);
	set_up(0, 0, 0x100, ITM_ON);
	for (unsigned i = 0; i < 100; i++)
		pt_vitm_report(&itm, 2, i, 4, 1000 + i);
	advance(2000);
	ck_assert_uint_eq(n_bytes, 0);
	ck_assert_uint_eq(peek_itm(PT_VITM_TCR) & PT_VITM_BUSY, 0);
	for (size_t i = 0; i < trace_log.n; i++)
		ck_assert(!packet[i].lost);
}
END_TEST

/* The clock stops in the middle of a byte: that one is longer, what follows is as before. */
START_TEST(a_clock_that_stops_holds_the_line)
{
	power_on(0);
	set_up(2, 9, 0x100, ITM_ON);
	pt_vitm_report(&itm, 0, 1, 1, 1000);
	advance(1050);
	pt_vtpiu_stop_clock(&tpiu, 10000);
	advance(11149);
	ck_assert_uint_eq(n_bytes, 1);
	ck_assert_uint_eq(byte[0].begin_ns, 40000);
	ck_assert_uint_eq(byte[0].bit_ps, 400000 * 101);
	advance(11150);
	ck_assert_uint_eq(n_bytes, 1);
	advance(11200);
	ck_assert_uint_eq(n_bytes, 2);
	ck_assert_uint_eq(byte[1].begin_ns, (1100 + 10000) * 40);
	ck_assert_uint_eq(byte[1].bit_ps, 400000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("virtual tpiu");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, events_become_bytes, 0, PT_LEN(rows));
	tcase_add_loop_test(all, bytes_have_their_times, 0, PT_LEN(clocks));
	tcase_add_test(all, a_byte_is_told_at_its_end);
	tcase_add_test(all, manchester_has_groups_of_eight);
	tcase_add_loop_test(all, frames_have_what_was_sent, 0, 20);
	tcase_add_test(all, half_a_formatter_waits_for_data);
	tcase_add_test(all, stamps_count_what_is_asked);
	tcase_add_test(all, idle_is_counted);
	tcase_add_test(all, a_line_that_is_not_used_is_silent);
	tcase_add_test(all, a_parallel_port_takes_all);
	tcase_add_test(all, a_clock_that_stops_holds_the_line);
	suite_add_tcase(suite, all);
	return pt_run_suite(suite);
}
