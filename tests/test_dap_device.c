/* The firmware model of the probe, packet by packet: how a host attaches, what each command answers, where batches end,
 * and requests that lie about their length. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fake_board.h"
#include "harness.h"
#include "probes/virtual/probe/cmsis_dap.h"

enum { PACKET = 64, MAX_RESPONSES = 16 };

static struct pt_vboard *board;
static struct pt_vpace pace;
static struct pt_vfaults faults;
static struct pt_vdap *dap;
static char said[MAX_RESPONSES][3 * PACKET + 1];	/* responses as hex */
static size_t n_said;
static uint64_t now_ns;

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	char *out = said[n_said++];

	(void)arg;
	ck_assert_uint_le(len_bytes, PACKET);
	ck_assert_uint_le(n_said, MAX_RESPONSES);
	*out = '\0';
	for (size_t i = 0; i < len_bytes; i++)
		out += sprintf(out, i > 0 ? " %02x" : "%02x", bytes[i]);
	ck_assert_uint_ge(done_ns, now_ns);
	now_ns = done_ns;
}

/* A copy of exactly the request's size, so that the sanitizers see a read beyond it. */
static const char *send_bytes(const uint8_t *bytes, size_t len_bytes)
{
	uint8_t *copy = malloc(len_bytes > 0 ? len_bytes : 1);

	memcpy(copy, bytes, len_bytes);
	n_said = 0;
	pt_vdap_process(dap, copy, len_bytes, now_ns, on_response, NULL);
	free(copy);
	return n_said > 0 ? said[n_said - 1] : "nothing";
}

static const char *say(const char *hex)
{
	uint8_t bytes[512];
	size_t n = 0;
	unsigned byte;
	int used;

	while (sscanf(hex, "%2x%n", &byte, &used) == 1) {
		bytes[n++] = (uint8_t)byte;
		hex += used;
	}
	return send_bytes(bytes, n);
}

static void expect(const char *request, const char *response)
{
	const char *got = say(request);

	ck_assert_msg(strcmp(got, response) == 0, "%s -> %s, not %s", request, got, response);
}

static void setup(void)
{
	struct pt_vdap_config config = {
		.packet_bytes = PACKET, .packet_count = 8, .max_swclk_hz = 4000000, .product = "virtual CMSIS-DAP", .serial = "S1",
	};

	board = pt_vboard_kl27.make(NULL, NULL, 0, NULL);
	now_ns = 0;
	pt_vpace_init(&pace, &pt_vboard_kl27, board, false);
	ck_assert_int_eq(pt_vfaults_parse(&faults, NULL, NULL), 0);
	dap = pt_vdap_new(&config, &pace, &faults);
}

static void teardown(void)
{
	pt_vdap_free(dap);
	pt_vboard_kl27.free(board);
}

#define JTAG_TO_SWD "12 88 ff ff ff ff ff ff ff 9e e7 ff ff ff ff ff ff ff 00"

static const char *const attach[][2] = {	/* to a Cortex-M0+, step by step */
	{ "00 ff", "00 02 40 00" },
	{ "00 fe", "00 01 08" },
	{ "00 f0", "00 01 13" },	/* SWD, JTAG, and batches of commands */
	{ "02 01", "02 01" },
	{ "11 40 42 0f 00", "11 00" },
	{ "04 00 40 00 00 04", "04 00" },
	{ "13 00", "13 00" },
	{ JTAG_TO_SWD, "12 00" },
	{ "05 00 01 02", "05 01 01 77 14 c1 0b" },
	{ "05 00 02 00 1e 00 00 00 04 00 00 00 50", "05 02 01" },
	{ "05 00 01 06", "05 01 01 00 00 00 f0" },
	{ "05 00 02 08 f0 00 00 00 0f", "05 02 01 31 00 77 04" },
	{ "05 00 01 0b", "05 01 01 03 20 00 f0" },
	{ "05 00 03 08 00 00 00 00 01 12 00 00 22 05 00 00 00 f0", "05 03 01" },
	{ "06 00 04 00 0f", "06 04 00 01 00 00 00 00 00 00 00 80 08 00 00 00 0c 00 00 00" },
	{ "05 00 02 01 02 00 00 22 05 1c 10 00 e0", "05 02 01" },
	{ "06 00 0f 00 0f", "06 0f 00 01 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 05 00 00 00 "
	  "06 00 00 00 07 00 00 00 08 00 00 00 09 00 00 00 0a 00 00 00 0b 00 00 00 0c 00 00 00 0d 00 00 00 0e 00 00 "
	  "00" },
	{ "05 00 04 05 00 00 00 f0 08 10 00 00 00 20 00 00 00 80 17 00 00 00 00", "05 04 01" },
};

static void attached_setup(void)
{
	setup();
	for (size_t i = 0; i < 14; i++)
		say(attach[i][0]);
}

START_TEST(worked_exchange)
{
	for (size_t i = 0; i < PT_LEN(attach); i++)
		expect(attach[i][0], attach[i][1]);
	ck_assert_uint_ge(board->now_ns, FAKE_MTB_STOPS_NS);	/* the match waited in the probe */
	ck_assert_uint_le(board->now_ns, FAKE_MTB_STOPS_NS + 100000);
}
END_TEST

/* --- each command on its own */

static const char *const answers[][2] = {
	{ "00 02", "00 12 76 69 72 74 75 61 6c 20 43 4d 53 49 53 2d 44 41 50 00" },
	{ "00 03", "00 03 53 31 00" },
	{ "00 04", "00 06 32 2e 31 2e 31 00" },
	{ "00 05", "00 00" },
	{ "00 fd", "00 00" },
	{ "01 00 01", "01 00" },
	{ "01 07 01", "01 ff" },
	{ "02 00", "02 01" },
	{ "02 02", "02 02" },
	{ "02 03", "02 00" },			/* no such port */
	{ "03", "03 00" },
	{ "05 00 01 02", "05 00 00" },		/* before Connect */
	{ "06 00 04 00 0f", "06 00 00 00" },
	{ "08 00 1e 00 00 00", "08 ff" },
	{ "0a", "0a 00 00" },
	{ "11 00 00 00 00", "11 ff" },
	{ "14 01 41 00", "14 ff" },
	{ "15 01 04", "15 00" },
	{ "15 09 04 04 04 04 04 04 04 04 04", "15 ff" },	/* more than it holds */
	{ "14 01 45 1f", "14 ff" },		/* not connected by JTAG */
	{ "16 00", "16 ff" },
	{ "17 01", "ff" },			/* no SWO */
	{ "1f 00", "ff" },			/* no UART */
	{ "55 01 02", "ff" },
	{ "80", "ff" },
	{ "07", "nothing" },
	{ "", "nothing" },
	{ "10 00 00 00 00 00 00", "10 80" },
	{ "10 00 80 00 00 00 00", "10 00" },	/* nRESET low */
	{ "7f 03 00 fe 02 01 09 01 00", "7f 03 00 01 08 02 01 09 00" },
	{ "7f 02 55 02 01", "7f 01 ff" },	/* what follows an unknown command is lost */
	{ "7f 02 7f 01 02 01", "7f 01 ff" },	/* no batch in a batch */
	/* cut short: never read past the end, never done */
	{ "00", "00 ff" },
	{ "02", "02 ff" },
	{ "04 00 40", "04 ff" },
	{ "05", "05 00 00" },
	{ "05 00", "05 00 00" },
	{ "06 00 01", "06 00 00 00" },
	{ "10 80 80 01", "10 ff" },
	{ "12 88 ff ff", "12 ff" },
	{ "12 00 ff", "12 ff" },
	{ "1d 02 08", "1d ff" },
	{ "7f", "7f 00" },
};

START_TEST(command_answers)
{
	expect(answers[_i][0], answers[_i][1]);
}
END_TEST

/* --- batches on an attached target: CSW word with increment, TAR at the MTB */

static const struct { const char *name, *before, *request, *response; } batches[] = {
	{ "reads of an AP are not one behind", "", "05 00 03 07 0b 07",
	  "05 03 01 00 00 00 f0 00 00 00 00 00 00 00 f0" },
	{ "AP and DP reads mixed", "", "05 00 03 07 02 07", "05 03 01 00 00 00 f0 77 14 c1 0b 00 00 00 f0" },
	{ "a read after a write", "", "05 00 02 05 10 00 00 20 07", "05 02 01 10 00 00 20" },
	{ "a write's error shows at once", "05 00 01 05 00 00 00 30", "05 00 01 0d 01 00 00 00", "05 01 04" },
	{ "the batch ends at the error", "05 00 01 05 00 00 00 30", "05 00 03 0d 01 00 00 00 07 07", "05 01 04" },
	{ "a posted read's error", "05 00 01 05 00 00 00 30", "05 00 02 0f 07", "05 01 04" },
	{ "sticky until WriteABORT", "05 00 02 05 00 00 00 30 0f", "05 00 01 07", "05 00 04" },
	{ "a block that fails at once", "05 00 01 05 00 00 00 30", "06 00 02 00 0f", "06 00 00 04" },
	{ "a block over a 1 KiB border", "05 00 01 05 f8 07 00 20", "06 00 04 00 0f",
	  "06 04 00 01 c9 d6 e3 f0 fd 0a 17 24 1c 29 36 43 50 5d 6a 77" },
	{ "a match that fails", "04 00 00 00 03 00", "05 00 03 20 ff 00 00 00 1b 55 00 00 00 02", "05 01 11" },
	{ "a match that succeeds", "", "05 00 03 20 ff 00 00 00 1b 00 00 00 00 02", "05 03 01 77 14 c1 0b" },
	{ "a batch cut short", "", "05 00 03 02 05 00 00", "05 01 08 77 14 c1 0b" },
	{ "a block of more than was sent", "", "06 00 04 00 05 00 00 00 20 00 00", "06 01 00 08" },
	{ "a block larger than a packet", "", "06 00 10 00 0f", "06 00 00 08" },
	{ "a block of nothing", "", "06 00 00 00 0f", "06 00 00 00" },
	{ "commands after a batch", "", "7f 02 05 00 01 02 00 fe", "7f 02 05 01 01 77 14 c1 0b 00 01 08" },
	{ "what a failed batch skipped", "05 00 02 05 00 00 00 30 0f", "7f 02 05 00 03 07 05 01 02 03 04 07 00 fe",
	  "7f 02 05 00 04 00 01 08" },
};

START_TEST(batch_ends_where_it_should)
{
	const char *got;

	say(batches[_i].before);
	got = say(batches[_i].request);
	ck_assert_msg(strcmp(got, batches[_i].response) == 0, "%s: %s", batches[_i].name, got);
}
END_TEST

START_TEST(reads_stop_where_the_packet_is_full)
{
	uint8_t request[3 + 20] = { 5, 0, 20 };

	memset(request + 3, 0x02, 20);	/* 20 values of 4 bytes do not fit 64 */
	send_bytes(request, sizeof(request));
	ck_assert_int_eq(strncmp(said[0], "05 0f 08", 8), 0);
}
END_TEST

START_TEST(writes_reach_memory)
{
	expect("05 00 01 05 00 00 00 20", "05 01 01");
	expect("06 00 02 00 0d 78 56 34 12 ef cd ab 90", "06 02 00 01");
	ck_assert_uint_eq(pt_le32(board->ram), 0x12345678);
	ck_assert_uint_eq(pt_le32(board->ram + 4), 0x90abcdef);
}
END_TEST

/* --- WAIT and FAULT injected at the next transfers */

static const struct { const char *name, *fault, *configure, *request, *response; } retries[] = {
	{ "WAIT within the retries", "wait@1+3", "04 00 03 00 00 00", "05 00 01 07", "05 01 01 00 00 00 f0" },
	{ "WAIT beyond them", "wait@1+4", "04 00 03 00 00 00", "05 00 02 07 07", "05 00 02" },
	{ "WAIT in the middle", "wait@2+4", "04 00 03 00 00 00", "05 00 03 02 0e 02", "05 01 02 77 14 c1 0b" },
	{ "FAULT", "fault@2", "04 00 03 00 00 00", "05 00 03 02 07 02", "05 01 04 77 14 c1 0b" },
	{ "a block that meets WAIT", "wait@3+9", "04 00 03 00 00 00", "06 00 03 00 07", "06 01 00 02 00 00 00 f0" },
};

START_TEST(retries_as_configured)
{
	char text[64];
	const char *got;

	snprintf(text, sizeof(text), "%.*s@%" PRIu64 "%s", (int)strcspn(retries[_i].fault, "@"), retries[_i].fault,
		 pt_vdap_transfers(dap) + strtoul(strchr(retries[_i].fault, '@') + 1, NULL, 10),
		 strchr(retries[_i].fault, '+') != NULL ? strchr(retries[_i].fault, '+') : "");
	ck_assert_int_eq(pt_vfaults_parse(&faults, text, NULL), 0);
	say(retries[_i].configure);
	got = say(retries[_i].request);
	ck_assert_msg(strncmp(got, retries[_i].response, strlen(retries[_i].response)) == 0, "%s: %s", retries[_i].name,
		      got);
}
END_TEST

START_TEST(reset_and_power_faults_reach_the_board)
{
	char text[64];
	uint64_t next = pt_vdap_transfers(dap) + 1;

	snprintf(text, sizeof(text), "reset@%" PRIu64 "+2,power@%" PRIu64, next, next + 3);
	ck_assert_int_eq(pt_vfaults_parse(&faults, text, NULL), 0);
	expect("05 00 01 02", "05 01 01 77 14 c1 0b");
	ck_assert(board->nreset_low);
	expect("05 00 01 02", "05 01 01 77 14 c1 0b");
	expect("05 00 01 02", "05 01 01 77 14 c1 0b");
	ck_assert(!board->nreset_low);
	ck_assert_uint_eq(board->resets, 1);
	expect("05 00 01 02", "05 00 07");
	ck_assert(board->off);
	expect("05 00 01 02", "05 00 07");	/* back, but the debug port has forgotten everything */
	ck_assert(!board->off);
	say(JTAG_TO_SWD);
	expect("05 00 01 02", "05 01 01 77 14 c1 0b");
	expect("05 00 01 06", "05 01 01 00 00 00 00");
}
END_TEST

/* --- bits by hand, queueing, time */

START_TEST(a_host_may_bit_bang)
{
	/* 8 request bits out, 1 turnaround and 3 acknowledge bits in, 32 data bits, parity and turnaround in */
	expect("1d 04 08 a5 84 a0 82", "1d 00 03 77 14 c1 0b 02");
}
END_TEST

START_TEST(clocks_by_pins)
{
	uint64_t before = now_ns;

	for (int i = 0; i < 60; i++) {		/* a line reset, by hand */
		expect("10 02 03 00 00 00 00", "10 82");
		expect("10 03 03 00 00 00 00", "10 83");
	}
	expect("05 00 01 06", "05 00 07");
	expect("12 40 ff ff ff ff ff ff ff 00", "12 00");
	expect("05 00 01 02", "05 01 01 77 14 c1 0b");
	expect("10 20 20 e8 03 00 00", "10 83");	/* an absent pin is waited for in vain, 1 ms */
	ck_assert_uint_ge(now_ns, before + 1000000);
}
END_TEST

START_TEST(queued_packets_wait_for_another)
{
	expect("7e 02 00 fe 00 ff", "nothing");
	expect("7e 01 05 00 01 02", "nothing");
	expect("01 00 01", "01 00");
	ck_assert_uint_eq(n_said, 3);
	ck_assert_str_eq(said[0], "7f 02 00 01 08 00 02 40 00");
	ck_assert_str_eq(said[1], "7f 01 05 01 01 77 14 c1 0b");
}
END_TEST

START_TEST(the_queue_is_bounded)
{
	for (int i = 0; i < 8; i++)
		expect("7e 01 00 fe", "nothing");
	ck_assert_str_eq(say("7e 01 00 fe"), "ff");
	ck_assert_uint_eq(n_said, 8 + 1);
}
END_TEST

static const struct { const char *name, *configure, *request; uint64_t clocks; } costs[] = {
	{ "a DP read", "04 00 00 00 00 00", "05 00 01 02", 46 },
	{ "a DP write", "04 00 00 00 00 00", "05 00 01 08 00 00 00 00", 2 * 46 },	/* and RDBUFF */
	{ "an AP read", "04 00 00 00 00 00", "05 00 01 07", 2 * 46 },
	{ "a block of 15", "04 00 00 00 00 00", "06 00 0f 00 07", 16 * 46 },
	{ "with 2 idle clocks", "04 02 00 00 00 00", "06 00 0f 00 07", 16 * 48 },
	{ "a line reset", "04 00 00 00 00 00", "12 40 ff ff ff ff ff ff ff 00", 64 },
	{ "a delay of 1 ms", "04 00 00 00 00 00", "09 e8 03", 1000 },
};

START_TEST(time_on_the_cable)
{
	uint64_t before;

	expect("11 40 42 0f 00", "11 00");	/* 1 MHz: a clock is 1 us */
	say(costs[_i].configure);
	before = now_ns;
	say(costs[_i].request);
	ck_assert_msg(now_ns - before == costs[_i].clocks * 1000, "%s: %" PRIu64 " ns", costs[_i].name,
		      now_ns - before);
}
END_TEST

START_TEST(the_clock_has_a_ceiling)
{
	uint64_t before;

	expect("04 00 00 00 00 00", "04 00");
	expect("11 00 e1 f5 05", "11 00");	/* 100 MHz asked */
	before = now_ns;
	say("05 00 01 02");
	ck_assert_uint_eq(now_ns - before, 46 * 250);
}
END_TEST

START_TEST(any_bytes_are_survived)
{
	uint32_t x = 12345 + (uint32_t)_i;
	uint8_t request[PACKET + 8];

	for (int round = 0; round < 300; round++) {
		size_t len = (x >> 8) % sizeof(request);

		for (size_t i = 0; i < len; i++) {
			x = x * 1664525 + 1013904223;
			request[i] = (uint8_t)(x >> 24);
		}
		request[0] %= 0x20;
		if (request[0] == 0x10 || (request[0] == 0x04))	/* not hours of waiting */
			request[0] = 0x7f;
		send_bytes(request, len);
		x = x * 1664525 + 1013904223;
	}
	expect("00 fe", "00 01 08");
}
END_TEST

static const struct { const char *text; int rc; } fault_words[] = {
	{ "", 0 }, { "wait@1", 0 }, { "stall@3+2,unplug@9", 0 }, { "wait", PT_EARG }, { "wait@0", PT_EARG },
	{ "wait@-1", PT_EARG }, { "wait@1+", PT_EARG }, { "wait@1;fault@2", PT_EARG }, { "heat@1", PT_EARG },
	{ "wait@99999999999999999999999", PT_EARG },
	{ "wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,wait@1,"
	  "wait@1,wait@1", PT_EARG },
};

START_TEST(fault_words_are_checked)
{
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_vfaults_parse(&faults, fault_words[_i].text, &err), fault_words[_i].rc);
	ck_assert_int_eq(err.msg[0] != '\0', fault_words[_i].rc != 0);
}
END_TEST

START_TEST(reads_the_idcode_by_jtag)
{
	expect("02 02", "02 02");
	expect("14 04 45 1f 01 00 41 00 02 00", "14 00");	/* Test-Logic-Reset, Run-Test/Idle, Shift-DR */
	expect("14 02 9f ff ff ff ff c1 01", "14 00 77 04 a0 0b 00");
	expect("14 02 41 00 01 00", "14 00");
	expect("15 01 04", "15 00");
	expect("16 00", "16 00 77 04 a0 0b");
	expect("16 01", "16 ff");
	expect("14 02 9f ff ff", "14 ff");			/* cut short */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dap_device");
	TCase *fresh = tcase_create("fresh"), *attached = tcase_create("attached");

	tcase_add_checked_fixture(fresh, setup, teardown);
	tcase_add_test(fresh, worked_exchange);
	tcase_add_loop_test(fresh, command_answers, 0, PT_LEN(answers));
	tcase_add_test(fresh, reads_the_idcode_by_jtag);
	tcase_add_loop_test(fresh, fault_words_are_checked, 0, PT_LEN(fault_words));
	tcase_add_checked_fixture(attached, attached_setup, teardown);
	tcase_add_loop_test(attached, batch_ends_where_it_should, 0, PT_LEN(batches));
	tcase_add_test(attached, reads_stop_where_the_packet_is_full);
	tcase_add_test(attached, writes_reach_memory);
	tcase_add_loop_test(attached, retries_as_configured, 0, PT_LEN(retries));
	tcase_add_test(attached, reset_and_power_faults_reach_the_board);
	tcase_add_test(attached, a_host_may_bit_bang);
	tcase_add_test(attached, clocks_by_pins);
	tcase_add_test(attached, queued_packets_wait_for_another);
	tcase_add_test(attached, the_queue_is_bounded);
	tcase_add_loop_test(attached, time_on_the_cable, 0, PT_LEN(costs));
	tcase_add_test(attached, the_clock_has_a_ceiling);
	tcase_add_loop_test(attached, any_bytes_are_survived, 0, 20);
	suite_add_tcase(suite, fresh);
	suite_add_tcase(suite, attached);
	return pt_run_suite(suite);
}
