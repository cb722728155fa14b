/* The three probes of the virtual S12ZVM, packet by packet: the pipe (probes/bdc/bdc_pipe.h), OSBDM, and
 * USBDM in both generations.
 * Sources: OSBDM-JM60 firmware, bdm_9s12z.c; usbdm-firmware V4.12.1.330 (JMxx), usbdm-kinetis V5.8.1. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/bdc/bdc_pipe.h"
#include "probes/virtual/chip/s12zvm.h"
#include "probes/virtual/setup.h"

static struct pt_vsetup rig;
static uint64_t now_ns;
static uint8_t answer[PT_VENGINE_MAX_PACKET_BYTES];
static size_t n_answer;
static unsigned n_answers;

static void open_rig(const char *words)
{
	struct pt_err err = { 0 };
	char name[200];

	snprintf(name, sizeof(name), "s12zvm?clock=virtual&%s", words);
	ck_assert_msg(pt_vsetup_open(&rig, name, &err) == 0, "%s", err.msg);
	now_ns = 0;
}

static void close_rig(void)
{
	pt_vsetup_close(&rig);
}

static struct pt_s12zvm *chip(void)
{
	return rig.ops->chip(rig.board);
}

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	(void)arg;
	ck_assert_uint_le(len_bytes, rig.link->packet_bytes);
	ck_assert_uint_ge(done_ns, now_ns);
	memcpy(answer, bytes, len_bytes);
	n_answer = len_bytes;
	now_ns = done_ns;
	n_answers++;
}

/* Returns how long it took. */
static uint64_t ask(const uint8_t *bytes, size_t n)
{
	uint64_t began_ns = now_ns;

	n_answers = 0;
	pt_vsetup_process(&rig, bytes, n, now_ns, on_response, NULL);
	return now_ns - began_ns;
}

#define ASK(...) ask((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))
#define EXPECT(...) do { \
		const uint8_t want_[] = { __VA_ARGS__ }; \
		ck_assert_uint_ge(n_answer, sizeof(want_)); \
		ck_assert_mem_eq(answer, want_, sizeof(want_)); \
	} while (0)

/* --- pipe */

static void setup_pipe(void)
{
	open_rig("probe=pipe&link=bulk-hs");
	ASK(0, 0, PT_PIPE_SYNC, PT_PIPE_SEND, 3, 0x0d, 0x80, 0xff);
	EXPECT(0, PT_PIPE_DONE, 2, 0x00, 0x12, 0x7a, 0x00);	/* 8 MHz */
}

START_TEST(pipe_says_what_it_is)
{
	ASK(7, 0, PT_PIPE_INFO);
	EXPECT(7, PT_PIPE_DONE, 1, 0x00, 0x02, 4);
	ck_assert_uint_eq(answer[6], n_answer - 7);
	ck_assert(memcmp(answer + 7, PT_LINK_VIRTUAL_PRODUCT, strlen(PT_LINK_VIRTUAL_PRODUCT)) == 0);
}
END_TEST

START_TEST(pipe_sends_and_receives)
{
	uint64_t ns = ASK(1, 0, PT_PIPE_SEND, 1, 0x2d, PT_PIPE_RECEIVE, 2);

	EXPECT(1, PT_PIPE_DONE, 2, 0x82, 0x00);
	ck_assert_uint_eq(ns, 3 * 8 * 16 * 125);
	ck_assert_uint_eq(n_answer, 5);
}
END_TEST

START_TEST(pipe_waits_for_ack)
{
	ASK(1, 0, PT_PIPE_SEND, 1, 0x02, PT_PIPE_ACK, 10, 0);
	EXPECT(1, PT_PIPE_DONE, 2, 1);
	ASK(2, 0, PT_PIPE_SEND, 4, 0x30, 0x80, 0, 0, PT_PIPE_ACK, 10, 0, PT_PIPE_RECEIVE, 1, PT_PIPE_CHECK,
	    PT_PIPE_SYNC);
	EXPECT(2, PT_PIPE_LONG_ACK, 4, 2, 0xee);
	ck_assert_uint_eq(n_answer, 5);
	ASK(3, 0, PT_PIPE_CHECK, PT_PIPE_CYCLES, 16, 0);	/* counts from the request's begin */
	EXPECT(3, PT_PIPE_DONE, 2);
	ck_assert_uint_eq(ASK(4, 0, PT_PIPE_ACK, 5, 0, PT_PIPE_INFO), 5000000);
	EXPECT(4, PT_PIPE_NO_ACK, 0);
	ck_assert_uint_eq(n_answer, 3);
}
END_TEST

START_TEST(pipe_skips_behind_a_failure)
{
	ASK(1, 0, PT_PIPE_ACK, 1, 0);
	EXPECT(1, PT_PIPE_NO_ACK, 0);
	ASK(2, PT_PIPE_CHAINED, PT_PIPE_INFO);
	EXPECT(2, PT_PIPE_SKIPPED, 0);
	ASK(3, PT_PIPE_CHAINED, PT_PIPE_INFO);
	EXPECT(3, PT_PIPE_SKIPPED, 0);
	ASK(4, 0, PT_PIPE_CYCLES, 1, 0);
	EXPECT(4, PT_PIPE_DONE, 1);
	ASK(5, PT_PIPE_CHAINED, PT_PIPE_CYCLES, 1, 0);
	EXPECT(5, PT_PIPE_DONE, 1);
}
END_TEST

static const struct { uint8_t bytes[12]; size_t n; uint8_t status, done; } requests[] = {
	{ { 9 }, 1, PT_PIPE_BAD_REQUEST, 0 },
	{ { 9, 0 }, 2, PT_PIPE_DONE, 0 },
	{ { 9, 0, 0x77 }, 3, PT_PIPE_BAD_REQUEST, 0 },
	{ { 9, 0, PT_PIPE_CYCLES, 1, 0, PT_PIPE_CYCLES, 1 }, 7, PT_PIPE_BAD_REQUEST, 1 },
	{ { 9, 0, PT_PIPE_SEND, 5, 1, 2 }, 6, PT_PIPE_BAD_REQUEST, 0 },
	{ { 9, 0, PT_PIPE_RECEIVE, 255, PT_PIPE_RECEIVE, 255 }, 6, PT_PIPE_BAD_REQUEST, 1 },
	{ { 9, 0, PT_PIPE_CAPTURED, 0xff, 0xff }, 5, PT_PIPE_BAD_REQUEST, 0 },
	{ { 9, 0, PT_PIPE_POLL, 0, 0x2e, 0 }, 6, PT_PIPE_BAD_REQUEST, 0 },
};

START_TEST(pipe_answers_every_request)
{
	ask(requests[_i].bytes, requests[_i].n);
	ck_assert_uint_eq(n_answers, 1);
	EXPECT(9, requests[_i].status, requests[_i].done);
}
END_TEST

START_TEST(pipe_polls)
{
	uint64_t ns;

	*pt_s12zvm_bytes(chip(), 0x2e00, 1) = 0x5a;
	ASK(1, 0, PT_PIPE_POLL, 0x00, 0x2e, 0x00, 0xff, 0x5a, 0, 0xe8, 3, 0, 0);
	EXPECT(1, PT_PIPE_DONE, 1, 1, 0x5a);
	ns = ASK(2, 0, PT_PIPE_POLL, 0x00, 0x2e, 0x00, 0xff, 0x5b, 0, 0xe8, 3, 0, 0);
	EXPECT(2, PT_PIPE_EXPIRED, 1, 0, 0x5a);
	ck_assert_uint_ge(ns, 1000000);
	ck_assert_uint_le(ns, 1100000);
	ASK(3, 0, PT_PIPE_POLL, 0x00, 0x2e, 0x00, 0x0f, 0x0a, 1, 0, 0, 0, 0);	/* no ACK is on */
	EXPECT(3, PT_PIPE_NO_ACK, 0);
}
END_TEST

START_TEST(pipe_drives_pins)
{
	ASK(1, 0, PT_PIPE_DRIVE, PT_PIPE_BKGD | PT_PIPE_RESET, 0, PT_PIPE_DELAY, 0xe8, 3, 0, 0, PT_PIPE_DRIVE,
	    PT_PIPE_RESET, PT_PIPE_RESET, PT_PIPE_DELAY, 0xe8, 3, 0, 0, PT_PIPE_DRIVE, PT_PIPE_BKGD, PT_PIPE_BKGD,
	    PT_PIPE_SYNC);
	EXPECT(1, PT_PIPE_DONE, 6);
	ASK(2, 0, PT_PIPE_SEND, 1, 0x2d, PT_PIPE_RECEIVE, 2);
	EXPECT(2, PT_PIPE_DONE, 2, 0xc2, 0x00);
	ASK(3, 0, PT_PIPE_DRIVE, PT_PIPE_POWER, 0, PT_PIPE_SYNC);
	EXPECT(3, PT_PIPE_NO_TARGET, 1);
	ASK(4, 0, PT_PIPE_DRIVE, PT_PIPE_POWER, PT_PIPE_POWER, PT_PIPE_SYNC);
	EXPECT(4, PT_PIPE_DONE, 2, 0x00, 0x12, 0x7a, 0x00);
}
END_TEST

/* --- capture through the pipe */

/* What both lines did, as a decoder of synchronous data takes it: a bit at each edge of PDOCLK. */
static uint8_t stream[1 << 16];
static size_t n_bits;
static unsigned last_clock, last_data;
static uint64_t samples, data_since, closest;	/* closest: samples from a change of PDO to the edge that takes it */

static void take_run(unsigned levels, uint32_t n)
{
	unsigned clock = levels >> 1;

	if ((levels & 1) != last_data)
		data_since = samples;
	last_data = levels & 1;
	samples += n;
	if (clock == last_clock)
		return;
	if (samples - n - data_since < closest)
		closest = samples - n - data_since;
	last_clock = clock;
	if (n_bits / 8 == sizeof(stream))
		return;
	stream[n_bits / 8] |= (uint8_t)((levels & 1) << n_bits % 8);
	n_bits++;
}

/* One CAPTURED. Returns whether more comes; *lost adds up. */
static bool fetch(uint64_t *lost)
{
	ASK(1, 0, PT_PIPE_CAPTURED, 0xe0, 0x01);
	EXPECT(1, PT_PIPE_DONE, 1);
	*lost += pt_le32(answer + 12);
	for (size_t i = 18, end = 18 + pt_le16(answer + 16); i < end; i++) {
		unsigned levels = (answer[i] >> 7 & 1) << 1 | (answer[i] >> 6 & 1);
		unsigned code = answer[i] & 63;

		if (code >= 48) {	/* two, and the clock the other way round */
			take_run(levels, 1 + (code - 48) / 4);
			take_run(levels ^ 2, 1 + (code - 48) % 4);
		} else if (code > 0) {
			take_run(levels, code);
		} else {
			take_run(levels, answer[i + 1] | (uint32_t)answer[i + 2] << 8 | (uint32_t)answer[i + 3] << 16);
			i += 3;
		}
	}
	return answer[3] == 0;
}

static void begin_capture(uint32_t hz)
{
	memset(stream, 0, sizeof(stream));
	n_bits = last_clock = last_data = 0;
	samples = data_since = 0;
	closest = UINT64_MAX;
	ASK(1, 0, PT_PIPE_CAPTURE, (uint8_t)hz, (uint8_t)(hz >> 8), (uint8_t)(hz >> 16), (uint8_t)(hz >> 24));
}

static void write_reg(uint16_t at, uint8_t value)
{
	ASK(1, 0, PT_PIPE_SEND, 5, 0x10, 0, (uint8_t)(at >> 8), (uint8_t)at, value, PT_PIPE_CYCLES, 16, 0);
	EXPECT(1, PT_PIPE_DONE, 2);
}

static void profile_for(uint32_t us)
{
	write_reg(0x102, 0x40);
	write_reg(0x103, 0x06);
	write_reg(0x100, 0x80);
	ASK(1, 0, PT_PIPE_DELAY, (uint8_t)us, (uint8_t)(us >> 8), (uint8_t)(us >> 16), 0);
	write_reg(0x100, 0x00);
}

static unsigned line_bytes(uint8_t info)
{
	return (info & 0xf) == 0 ? 4 : (info & 0xf) == 2 ? 6 : 8;
}

static void expect_line(const uint8_t *got, const uint8_t *line)
{
	ck_assert_mem_eq(got, line, line_bytes(line[0]));
}

/* The stream of the pins is the lines of the buffer, in order: for a session of less than 64 of them. */
START_TEST(the_captured_stream_is_the_buffer)
{
	uint64_t lost = 0;
	size_t at = 0;
	unsigned n = 0;

	begin_capture(200000000);
	EXPECT(1, PT_PIPE_DONE, 1, 0x00, 0xc2, 0xeb, 0x0b);
	profile_for(60);
	ASK(1, 0, PT_PIPE_DELAY, 0xe8, 3, 0, 0, PT_PIPE_CAPTURE_STOP);
	while (fetch(&lost))
		continue;
	ck_assert_uint_eq(lost, 0);
	ck_assert_uint_ge(chip()->dbg.n_lines, 10);
	ck_assert_uint_lt(chip()->dbg.n_lines, 64);
	for (; n < chip()->dbg.n_lines; n++) {
		expect_line(stream + at, chip()->dbg.line[n]);
		at += line_bytes(chip()->dbg.line[n][0]);
	}
	ck_assert_uint_eq(8 * at, n_bits);
	ck_assert_uint_eq(stream[at - 8] & 0x10, 0x10);		/* TERM */
	ck_assert_uint_ge(samples, 1060 * 200);
	ck_assert_uint_eq(closest, 4);		/* data stand for a bus cycle, 20 ns, before the edge */
}
END_TEST

START_TEST(a_capture_has_its_limits)
{
	uint64_t lost = 0;

	begin_capture(500000000);
	EXPECT(1, PT_PIPE_DONE, 1, 0, 0, 0, 0);
	fetch(&lost);
	EXPECT(1, PT_PIPE_DONE, 1, 1);
	ck_assert_uint_eq(n_answer, 3 + 15);
}
END_TEST

/* The host sleeps while the pins send: the buffer is full at some time, and what is missing is counted. */
START_TEST(a_slow_host_loses_samples_and_is_told)
{
	uint64_t lost = 0, began_ns;

	begin_capture(100000000);
	began_ns = pt_le64(answer + 7);
	write_reg(0x102, 0x40);
	write_reg(0x103, 0x06);
	write_reg(0x100, 0x80);
	ASK(1, 0, PT_PIPE_DELAY, 0x80, 0x1a, 0x06, 0);		/* 400 ms */
	ASK(1, 0, PT_PIPE_CAPTURE_STOP);
	while (fetch(&lost))
		continue;
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_le((samples + lost) - (now_ns - began_ns) / 10, 100000);
	ck_assert_uint_ge(samples + lost, 40000000);
}
END_TEST

START_TEST(a_reset_does_not_end_a_capture)
{
	uint64_t lost = 0;

	begin_capture(100000000);
	write_reg(0x102, 0x40);
	write_reg(0x103, 0x06);
	write_reg(0x100, 0x80);
	ASK(1, 0, PT_PIPE_DRIVE, PT_PIPE_RESET, 0, PT_PIPE_DELAY, 0x10, 0, 0, 0, PT_PIPE_DRIVE, PT_PIPE_RESET,
	    PT_PIPE_RESET, PT_PIPE_DELAY, 0xe8, 3, 0, 0, PT_PIPE_SYNC, PT_PIPE_SEND, 3, 0x0d, 0x80, 0xff);
	EXPECT(1, PT_PIPE_DONE, 6);
	for (int i = 0; i < 50; i++)
		fetch(&lost);
	n_bits = last_clock = 0;				/* what follows is a new session */
	memset(stream, 0, sizeof(stream));
	profile_for(40);
	ASK(1, 0, PT_PIPE_DELAY, 0xe8, 3, 0, 0, PT_PIPE_CAPTURE_STOP);
	while (fetch(&lost))
		continue;
	ck_assert_uint_eq(lost, 0);
	expect_line(stream, chip()->dbg.line[0]);
}
END_TEST

START_TEST(without_pins_there_is_no_capture)
{
	close_rig();
	open_rig("probe=pipe&pins=off");
	begin_capture(1000000);
	EXPECT(1, PT_PIPE_BAD_REQUEST, 0);
}
END_TEST

/* --- OSBDM */

static void setup_osbdm(void)
{
	open_rig("probe=osbdm");
	ASK(0x11);
	EXPECT(0x11, 2);
	ASK(0x27, 0x2d, 0, 7, 0, 0x00, 0x0d, 0x00, 0x80, 0x00, 0xff);
}

START_TEST(osbdm_says_what_it_is)
{
	ASK(0x50);
	EXPECT(0x50, 12, 1, 1, 31, 9, 0, 26);
	ck_assert_uint_eq(n_answer, 64);
	ASK(0x10);
	EXPECT(0x10, 12, 0, 0, 1);
	ASK(0x26);
	EXPECT(0x26, 6, 0, 0, 0x03, 0xc0);		/* 960 ticks: 8 MHz */
}
END_TEST

START_TEST(osbdm_runs_scripts)
{
	uint64_t ns = ASK(0x27, 0x2d, 0, 7, 0, 0x00, 0x2d, 0x01, 0, 0x01, 0);

	EXPECT(0x27, 64, 0, 2, 0x82, 0x00);
	ck_assert_uint_eq(ns, 3 * (8 + 1) * 16 * 125);
	ASK(0x27, 0x2d, 0, 13, 0, 0, 0x30, 0, 0xff, 0, 0xff, 0, 0xfd, 1, 0);	/* cut: 13 bytes are announced */
	EXPECT(0x27, 64, 0, 1, (uint8_t)(pt_s12zvm_peek(chip(), 0xfffffc) >> 16));
	ASK(0x27, 0x1d, 0, 4, 0x00, 0x2d, 0x07, 0);
	EXPECT(0x27, 64, 0, 1, 0x82);
}
END_TEST

START_TEST(osbdm_reads_three_lines_a_packet)
{
	uint8_t request[64] = { 0x27, 0x2d, 0, 1 + 2 * 27, 0 };

	for (unsigned i = 0; i < 27; i++) {
		request[5 + 2 * i] = i % 9 == 0 ? 0 : 1;
		request[6 + 2 * i] = i % 9 == 0 ? 0x07 : 0;
	}
	ASK(0x27, 0x2d, 0, 11, 0, 0, 0x10, 0, 0, 0, 1, 0, 2, 0, 0x40);			/* TSOURCE */
	ASK(0x27, 0x2d, 0, 13, 0, 0, 0x14, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0);		/* unlock */
	ask(request, sizeof(request));
	EXPECT(0x27, 64, 0, 24);
	for (unsigned line = 0; line < 3; line++)
		for (unsigned i = 0; i < 8; i++)
			ck_assert_uint_eq(answer[4 + 8 * line + i], chip()->dbg.line[line][i < 4 ? 3 - i : 11 - i]);
}
END_TEST

static const struct { uint8_t command, reply; } stubs[] = {
	{ 0x20, 0x20 }, { 0x21, 0x21 }, { 0x22, 0x22 }, { 0x30, 1 }, { 0x31, 1 }, { 0x32, 1 }, { 0x99, 2 }, { 0x01, 2 },
};

START_TEST(osbdm_has_stubs)
{
	ASK(stubs[_i].command, 0, 0, 0);
	ck_assert_uint_eq(answer[0], stubs[_i].reply);
	ck_assert_int_eq(pt_vs12z_state(chip()->cpu) == PT_VS12Z_BDM, false);
}
END_TEST

START_TEST(osbdm_resets_into_background)
{
	ASK(0x1b, 2);
	EXPECT(0x1b, 2);
	ASK(0x23);
	EXPECT(0x23, 2);
	ASK(0x27, 0x2d, 0, 7, 0, 0x00, 0x2d, 0x01, 0, 0x01, 0);
	EXPECT(0x27, 64, 0, 2, 0xc2, 0x00);
	ASK(0x10);
	EXPECT(0x10, 12, 0, 1);
	ASK(0x1b, 3);
	ASK(0x23);
	ASK(0x27, 0x2d, 0, 7, 0, 0x00, 0x2d, 0x01, 0, 0x01, 0);
	EXPECT(0x27, 64, 0, 2, 0x02);
	ASK(0x27, 0x20, 0, 0);
	ASK(0x23);
	EXPECT(1, 2);				/* no power: no answer to SYNC */
	ASK(0x27, 0x21, 0, 0);
	ASK(0x23);
	EXPECT(0x23, 2);
}
END_TEST

/* --- USBDM */

static void setup_v5(void)
{
	open_rig("probe=usbdm");
	ASK(3, 1, 11);
	EXPECT(0);
	ASK(2, 15);
	EXPECT(0);
}

static void setup_v4(void)
{
	open_rig("probe=usbdm&usbdm=v4");
	ASK(3, 1, 11);
	ASK(2, 15);
	EXPECT(0);
}

START_TEST(usbdm_says_what_it_can)
{
	ASK(2, 5);
	EXPECT(0, 0x40, 0x00, 0x00, 0xfe);
	ck_assert_uint_eq(n_answer, 8);
	ASK(2, 0x80 | 17);
	EXPECT(0x80, 0x03, 0xc0);
	ASK(2, 4);
	EXPECT(0, 0x00, 0x4d);			/* ACK, SYNC, reset is high, external power */
}
END_TEST

START_TEST(usbdm_numbers_its_answers)
{
	for (uint8_t n = 0; n < 4; n++) {
		ASK(2, (uint8_t)(n << 6 | 20));
		EXPECT((uint8_t)(n << 6), 0, 0, 0, 0x82);
	}
	ASK(2, 0x40 | 63);
	EXPECT(0x40 | 4);
}
END_TEST

static const struct { uint8_t bytes[12]; size_t n; uint8_t status; } bad[] = {
	{ { 1 }, 1, 1 }, { { 9, 33, 1 }, 3, 1 }, { { 3, 33, 1 }, 3, 1 }, { { 8, 33, 3, 3, 0, 0, 0, 0 }, 8, 1 },
	{ { 8, 33, 2, 3, 0, 0, 0, 0 }, 8, 1 }, { { 8, 33, 1, 0, 0, 0, 0, 0 }, 8, 1 },
	{ { 8, 33, 1, 1, 1, 0, 0, 0 }, 8, 1 },
	{ { 8, 33, 1, 254, 0, 0, 0, 0 }, 8, 1 }, { { 9, 32, 1, 2, 0, 0, 0x2e, 0, 1 }, 9, 1 },
	{ { 4, 27, 0, 16 }, 4, 1 },
	{ { 3, 1, 77 }, 3, 15 }, { { 2, 40 }, 2, 4 },
};

START_TEST(usbdm_refuses_nonsense)
{
	ask(bad[_i].bytes, bad[_i].n);
	ck_assert_uint_eq(n_answers, 1);
	EXPECT(bad[_i].status);
	ck_assert_uint_eq(n_answer, 1);
}
END_TEST

START_TEST(usbdm_wants_a_connection)
{
	close_rig();
	open_rig("probe=usbdm");
	ASK(2, 20);
	EXPECT(5);
	ASK(2, 15);
	EXPECT(15);
	ASK(3, 1, 11);
	ASK(4, 8, 0, 2);			/* BKGD low: no SYNC */
	ASK(2, 15);
	EXPECT(21);
	ASK(4, 8, 0xff, 0xff);
	ASK(2, 15);
	EXPECT(0);
}
END_TEST

START_TEST(usbdm_moves_memory)
{
	ASK(12, 32, 2, 4, 0, 0, 0x2e, 0x00, 0x12, 0x34, 0x56, 0x78);
	EXPECT(0);
	ck_assert_uint_eq(pt_s12zvm_peek(chip(), 0x2e00), 0x12345678);
	ASK(8, 33, 1, 4, 0, 0, 0x2e, 0x00);
	EXPECT(0, 0x12, 0x34, 0x56, 0x78);
	ASK(8, 33, 4, 252, 0, 0xff, 0x80, 0x00);
	ck_assert_uint_eq(n_answer, 253);
	ck_assert_mem_eq(answer + 1, pt_s12zvm_bytes(chip(), 0xff8000, 252), 252);
}
END_TEST

/* Two bytes at a time are words of the window; more runs past it. */
START_TEST(usbdm_reads_lines_by_words)
{
	ASK(9, 32, 1, 1, 0, 0, 0x01, 0x02, 0x40);
	ASK(10, 32, 2, 2, 0, 0, 0x01, 0x04, 0, 0);
	for (unsigned i = 0; i < 8; i++) {
		ASK(8, 33, 2, 2, 0, 0, 0x01, 0x04);
		EXPECT(0, chip()->dbg.line[i / 4][i % 4 * 2 + 1], chip()->dbg.line[i / 4][i % 4 * 2]);
	}
	ASK(8, 33, 2, 4, 0, 0, 0x01, 0x04);
	EXPECT(0, chip()->dbg.line[2][1], chip()->dbg.line[2][0], 0, 0);	/* then DBGCNT and DBGSCR1 */
}
END_TEST

START_TEST(usbdm_halts_and_steps)
{
	uint32_t pc;

	ASK(2, 25);
	EXPECT(0);
	ASK(2, 20);
	EXPECT(0, 0, 0, 0, 0xc2);
	ASK(4, 27, 0, 11);
	pc = pt_vs12z_pc(chip()->cpu);
	EXPECT(0, 0, (uint8_t)(pc >> 16), (uint8_t)(pc >> 8), (uint8_t)pc);
	ASK(8, 26, 0, 2, 0, 0, 0x12, 0x34);
	EXPECT(0);
	ck_assert_uint_eq(pt_vs12z_reg(chip()->cpu, PT_VS12Z_D2), 0x1234);
	ASK(2, 23);
	EXPECT(0);
	ASK(6, 21, 0, 0, 0, 0x80);
	EXPECT(0);
	ASK(2, 24);
	EXPECT(0);
	ASK(2, 20);
	EXPECT(0, 0, 0, 0, 0x82);
	ASK(3, 22, 0 | 1 << 2);			/* special, by hardware */
	EXPECT(0);
	ASK(2, 15);
	ASK(2, 20);
	EXPECT(0, 0, 0, 0, 0xc2);
}
END_TEST

START_TEST(usbdm_times_out_without_an_ack)
{
	close_rig();
	open_rig("probe=usbdm&fault=wait@6+1");
	ASK(3, 1, 11);
	ASK(2, 15);				/* SYNC, ACK_ENABLE, READ_BDCCSR, WRITE_BDCCSR */
	EXPECT(0);
	ASK(8, 33, 1, 1, 0, 0, 0x2e, 0);
	EXPECT(0);
	ASK(8, 33, 1, 1, 0, 0, 0x2e, 0);
	EXPECT(30);
	ASK(8, 33, 1, 1, 0, 0, 0x2e, 0);
	EXPECT(0);
}
END_TEST

START_TEST(usbdm_says_when_it_is_busy)
{
	close_rig();
	open_rig("probe=usbdm&usbdm=v5-busy");
	ASK(3, 0x40 | 22, 1);
	ck_assert_uint_eq(n_answers, 2);
	EXPECT(0x40);
}
END_TEST

START_TEST(old_usbdm_toggles_and_takes_two_parts)
{
	uint8_t first[62] = { 108, 0x80 | 32, 1, 100, 0, 0, 0x2e, 0x00 }, second[1 + 108 - 62] = { 0 };

	ASK(2, 0x80 | 20);
	EXPECT(0x80, 0, 0, 0, 0x82);
	for (unsigned i = 0; i < 54; i++)
		first[8 + i] = (uint8_t)i;
	for (unsigned i = 54; i < 100; i++)
		second[1 + i - 54] = (uint8_t)i;
	ask(first, sizeof(first));
	ck_assert_uint_eq(n_answers, 0);
	ask(second, sizeof(second));
	ck_assert_uint_eq(n_answers, 1);
	EXPECT(0x80);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(*pt_s12zvm_bytes(chip(), 0x2e00 + i, 1), i);
	ask(first, sizeof(first));		/* given up: another request begins */
	ASK(2, 20);
	EXPECT(0, 0, 0, 0, 0x82);
}
END_TEST

START_TEST(custom_is_the_mass_erase)
{
	ASK(2, 18);
	EXPECT(0);
	ASK(2, 20);
	EXPECT(0, 0, 0, 0, 0x83);
}
END_TEST

/* --- all of them */

static const char *const words[] = { "probe=pipe", "probe=osbdm", "probe=usbdm", "probe=usbdm&usbdm=v4" };

START_TEST(any_bytes_get_an_answer_that_fits)
{
	uint32_t noise = 12345;
	uint8_t request[300];

	open_rig(words[_i]);
	for (unsigned i = 0; i < 3000; i++) {
		size_t n = 1 + (noise >> 8) % (rig.link->packet_bytes < 260 ? rig.link->packet_bytes : 260);

		for (size_t b = 0; b < n; b++) {
			noise = noise * 1664525 + 1013904223;
			request[b] = (uint8_t)(noise >> 24);
			if (b < 8 && (noise >> 20 & 3) != 0)
				request[b] &= 0x3f;	/* near what makes sense */
			if (request[b] == PT_PIPE_ACK || request[b] == PT_PIPE_DELAY || request[b] == PT_PIPE_POLL)
				request[b] = PT_PIPE_CHECK;	/* hours, if the noise says so */
		}
		ask(request, n);
		ck_assert_uint_le(n_answers, 1);
	}
	close_rig();
}
END_TEST

/* The same requests make the same answers at the same times. */
START_TEST(it_repeats)
{
	uint64_t sum[2] = { 0, 0 };

	for (unsigned round = 0; round < 2; round++) {
		uint64_t lost = 0;

		open_rig("probe=pipe&seed=7");
		ASK(0, 0, PT_PIPE_SYNC, PT_PIPE_SEND, 3, 0x0d, 0x80, 0xff);
		begin_capture(100000000);
		profile_for(500);
		for (unsigned i = 0; i < 100; i++) {
			fetch(&lost);
			for (size_t b = 0; b < n_answer; b++)
				sum[round] = sum[round] * 31 + answer[b];
			sum[round] = sum[round] * 31 + now_ns;
		}
		close_rig();
	}
	ck_assert_uint_eq(sum[0], sum[1]);
}
END_TEST

static TCase *cases_of(Suite *suite, const char *name, void (*open)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, open, open != NULL ? close_rig : NULL);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(suite, tc);
	return tc;
}

static void add_pipe(TCase *tc)
{
	tcase_add_test(tc, pipe_says_what_it_is);
	tcase_add_test(tc, pipe_sends_and_receives);
	tcase_add_test(tc, pipe_waits_for_ack);
	tcase_add_test(tc, pipe_skips_behind_a_failure);
	tcase_add_loop_test(tc, pipe_answers_every_request, 0, PT_LEN(requests));
	tcase_add_test(tc, pipe_polls);
	tcase_add_test(tc, pipe_drives_pins);
	tcase_add_test(tc, the_captured_stream_is_the_buffer);
	tcase_add_test(tc, a_capture_has_its_limits);
	tcase_add_test(tc, a_slow_host_loses_samples_and_is_told);
	tcase_add_test(tc, a_reset_does_not_end_a_capture);
	tcase_add_test(tc, without_pins_there_is_no_capture);
}

static void add_usbdm(TCase *tc)
{
	tcase_add_test(tc, usbdm_says_what_it_can);
	tcase_add_test(tc, usbdm_numbers_its_answers);
	tcase_add_loop_test(tc, usbdm_refuses_nonsense, 0, PT_LEN(bad));
	tcase_add_test(tc, usbdm_wants_a_connection);
	tcase_add_test(tc, usbdm_moves_memory);
	tcase_add_test(tc, usbdm_reads_lines_by_words);
	tcase_add_test(tc, usbdm_halts_and_steps);
	tcase_add_test(tc, usbdm_times_out_without_an_ack);
	tcase_add_test(tc, usbdm_says_when_it_is_busy);
	tcase_add_test(tc, custom_is_the_mass_erase);
}

int main(void)
{
	Suite *suite = suite_create("s12z probes");
	TCase *osbdm = cases_of(suite, "osbdm", setup_osbdm), *all = cases_of(suite, "all", NULL);

	add_pipe(cases_of(suite, "pipe", setup_pipe));
	tcase_add_test(osbdm, osbdm_says_what_it_is);
	tcase_add_test(osbdm, osbdm_runs_scripts);
	tcase_add_test(osbdm, osbdm_reads_three_lines_a_packet);
	tcase_add_loop_test(osbdm, osbdm_has_stubs, 0, PT_LEN(stubs));
	tcase_add_test(osbdm, osbdm_resets_into_background);
	add_usbdm(cases_of(suite, "usbdm v5", setup_v5));
	tcase_add_test(cases_of(suite, "usbdm v4", setup_v4), old_usbdm_toggles_and_takes_two_parts);
	tcase_add_loop_test(all, any_bytes_get_an_answer_that_fits, 0, PT_LEN(words));
	tcase_add_test(all, it_repeats);
	return pt_run_suite(suite);
}
