/* The debug port model, clocked bit by bit: what wakes it, what silences it, what is posted, what sticks. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/wire/swd_dp.h"

enum { OK = 1, WAIT = 2, FAULT = 4, SILENT = 7 };
enum { DPIDR = 0x0bc11477 };
/* Request without parity: bit 0 APnDP, 1 RnW, [3:2] address, as CMSIS-DAP writes it. */
enum { R_DPIDR = 0x2, W_ABORT = 0x0, R_CTRL = 0x6, W_CTRL = 0x4, W_SELECT = 0x8, W_TARGETSEL = 0xc, R_RESEND = 0xa, R_RDBUFF = 0xe,
       R_AP0 = 0x3, W_AP0 = 0x1, R_APC = 0xf };
#define POWER_UP UINT32_C(0x50000000)
#define POWERED  UINT32_C(0xf0000000)

static struct pt_vdp dp;
static uint32_t ap_value;
static unsigned ap_waits, ap_reads, syncs, rescues;
static enum pt_vack ap_answer;

static enum pt_vack ap_read(void *arg, uint8_t reg, uint32_t *value)
{
	(void)arg;
	if (ap_waits > 0) {
		ap_waits--;
		return PT_VACK_WAIT;
	}
	*value = ap_value + reg + ap_reads++;
	return ap_answer;
}

static enum pt_vack ap_write(void *arg, uint8_t reg, uint32_t value)
{
	(void)arg, (void)reg;
	if (ap_waits > 0) {
		ap_waits--;
		return PT_VACK_WAIT;
	}
	ap_value = value;
	return ap_answer;
}

static struct pt_vap port = { .read = ap_read, .write = ap_write };

static struct pt_vap *ap_of(void *arg, unsigned apsel)
{
	(void)arg;
	return apsel == 0 ? &port : NULL;
}

static void on_sync(void *arg)
{
	(void)arg;
	syncs++;
}

static void on_rescue(void *arg)
{
	(void)arg;
	rescues++;
}

static void send(uint64_t bits, unsigned n)
{
	while (n-- > 0) {
		pt_vdp_clock(&dp, true, bits & 1);
		bits >>= 1;
	}
}

static uint64_t listen_bits(unsigned n)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n; i++)
		bits |= (uint64_t)pt_vdp_clock(&dp, false, 0) << i;
	return bits;
}

static void line_reset(void)
{
	send(UINT64_MAX >> 8, 56);
	send(0, 8);
}

static void jtag_to_swd(void)
{
	send(UINT64_MAX >> 8, 56);
	send(0xe79e, 16);
	line_reset();
}

static uint8_t framed(uint8_t request)
{
	return (uint8_t)(0x81 | request << 1 | __builtin_parity(request) << 5);
}

/* One transfer as a probe makes it: no data phase unless OK. */
static unsigned transfer(uint8_t request, uint32_t *value)
{
	unsigned ack;
	uint64_t data;

	send(framed(request), 8);
	listen_bits(1);
	ack = (unsigned)listen_bits(3);
	if (ack != OK) {
		listen_bits(ack == SILENT ? 34 : 1);
	} else if ((request & 2) != 0) {
		data = listen_bits(33);
		*value = (uint32_t)data;
		ck_assert_uint_eq(data >> 32, (unsigned)__builtin_parity(*value));
		listen_bits(1);
	} else {
		listen_bits(1);
		send(*value | (uint64_t)__builtin_parity(*value) << 32, 33);
	}
	return ack;
}

static uint32_t get(uint8_t request)
{
	uint32_t value = 0;

	ck_assert_uint_eq(transfer(request, &value), OK);
	return value;
}

static void set(uint8_t request, uint32_t value)
{
	ck_assert_uint_eq(transfer(request, &value), OK);
}

static void setup(void)
{
	struct pt_vdp_board board = { .ap = ap_of, .sync = on_sync };

	ap_value = 0x1000;
	ap_waits = ap_reads = syncs = rescues = 0;
	ap_answer = PT_VACK_OK;
	pt_vdp_init(&dp, &board, DPIDR, 0);
}

static void powered_setup(void)
{
	setup();
	jtag_to_swd();
	get(R_DPIDR);
	set(W_CTRL, POWER_UP);
	get(R_CTRL);
}

enum step { END, RESET, SWITCH, TO_JTAG, LOWS, BAD_PARITY, IDCODE, SHORT_RESET, POWER_CYCLE, DORMANT };
static const struct { const char *name; enum step steps[6]; uint8_t request; unsigned ack; } wakings[] = {
	{ "silent at power-on", { END }, R_DPIDR, SILENT },
	{ "a line reset is not enough in JTAG mode", { RESET }, R_DPIDR, SILENT },
	{ "JTAG to SWD", { SWITCH }, R_DPIDR, OK },
	{ "DPIDR comes first", { SWITCH }, R_CTRL, SILENT },
	{ "after DPIDR all is open", { SWITCH, IDCODE }, R_CTRL, OK },
	{ "a line reset asks for DPIDR again", { SWITCH, IDCODE, RESET }, R_CTRL, SILENT },
	{ "a bad request silences", { SWITCH, IDCODE, BAD_PARITY }, R_DPIDR, SILENT },
	{ "idling does not help", { SWITCH, IDCODE, BAD_PARITY, LOWS }, R_DPIDR, SILENT },
	{ "a line reset helps", { SWITCH, IDCODE, BAD_PARITY, RESET }, R_DPIDR, OK },
	{ "49 highs are no line reset", { SWITCH, IDCODE, BAD_PARITY, SHORT_RESET }, R_DPIDR, SILENT },
	{ "idle clocks between transfers", { SWITCH, IDCODE, LOWS }, R_DPIDR, OK },
	{ "switched twice", { SWITCH, IDCODE, SWITCH }, R_DPIDR, OK },
	{ "SWD to JTAG", { SWITCH, IDCODE, TO_JTAG, RESET }, R_DPIDR, SILENT },
	{ "version 1 has no dormant state", { SWITCH, IDCODE, DORMANT }, R_DPIDR, SILENT },
	{ "and a host that wakes it from there finds it", { SWITCH, IDCODE, DORMANT, RESET }, R_DPIDR, OK },
	{ "power-on forgets", { SWITCH, IDCODE, POWER_CYCLE, RESET }, R_DPIDR, SILENT },
};

static void power_cycle(void)
{
	pt_vdp_power(&dp, false);
	ck_assert_uint_eq(listen_bits(8), 0xff);
	pt_vdp_power(&dp, true);
}

/* From the dormant state, where the line may have been anything, to SWD. Source: Arm IHI 0031, Serial Wire Debug. */
static void wake(void)
{
	static const uint8_t alert[] = { 0x92, 0xf3, 0x09, 0x62, 0x95, 0x2d, 0x85, 0x86,
					 0xe9, 0xaf, 0xdd, 0xe3, 0xa2, 0x0e, 0xbc, 0x19 };

	send(0xff, 8);
	for (size_t i = 0; i < sizeof(alert); i++)
		send(alert[i], 8);
	send(0x1a0, 12);
}

static void dormant(void)
{
	send(UINT64_MAX, 56);
	send(0xe3bc, 16);
	wake();
}

static void select_target(uint32_t value)
{
	line_reset();
	send(framed(W_TARGETSEL), 8);
	ck_assert_uint_eq(listen_bits(5), 0x1f);	/* nobody acknowledges */
	send(value | (uint64_t)__builtin_parity(value) << 32, 33);
}

static void take(enum step step)
{
	switch (step) {
	case RESET: line_reset(); break;
	case SWITCH: jtag_to_swd(); break;
	case TO_JTAG: send(UINT64_MAX >> 8, 56), send(0xe73c, 16); break;
	case LOWS: send(0, 60); break;
	case BAD_PARITY: send(framed(R_DPIDR) ^ 0x20, 8), send(0, 4); break;
	case IDCODE: ck_assert_uint_eq(get(R_DPIDR), DPIDR); break;
	case SHORT_RESET: send(UINT64_MAX, 49), send(0, 4); break;
	case POWER_CYCLE: power_cycle(); break;
	case DORMANT: dormant(); break;
	case END: break;
	}
}

START_TEST(wakes_and_falls_silent)
{
	uint32_t value = 0;

	for (size_t i = 0; wakings[_i].steps[i] != END; i++)
		take(wakings[_i].steps[i]);
	ck_assert_msg(transfer(wakings[_i].request, &value) == wakings[_i].ack, "%s", wakings[_i].name);
}
END_TEST

/* One of several ports on a wire. */
START_TEST(a_port_among_others_is_selected)
{
	enum { MINE = 0x11002927, OTHER = 0x01002927 };
	struct pt_vdp_board board = { .ap = ap_of, .sync = on_sync, .rescue = on_rescue };
	uint32_t value = 0;

	pt_vdp_init(&dp, &board, DPIDR, MINE);
	jtag_to_swd();
	ck_assert_uint_eq(transfer(R_DPIDR, &value), SILENT);	/* dormant: nothing but the alert reaches it */
	wake();
	ck_assert_uint_eq(transfer(R_DPIDR, &value), SILENT);
	line_reset();
	ck_assert_uint_eq(get(R_DPIDR), DPIDR);			/* as all others do */
	set(W_SELECT, 2);
	ck_assert_uint_eq(get(R_CTRL), MINE & 0x0fffffff);
	set(W_SELECT, 3);
	ck_assert_uint_eq(get(R_CTRL), (MINE & 0xf0000000) | 1);
	set(W_SELECT, 0);
	set(W_CTRL, POWER_UP);
	get(R_CTRL);
	get(R_AP0);
	ck_assert_uint_eq(get(R_RDBUFF), 0);
	ck_assert_uint_eq(rescues, 1);
	select_target(OTHER);
	ck_assert_uint_eq(transfer(R_DPIDR, &value), SILENT);
	select_target(MINE);
	ck_assert_uint_eq(get(R_DPIDR), DPIDR);
	set(W_CTRL, POWER_UP);
	get(R_AP0);
	ck_assert_uint_eq(get(R_RDBUFF), 0x1000);
	ck_assert_uint_eq(rescues, 1);
	set(W_TARGETSEL, OTHER);				/* not behind a line reset: nothing */
	ck_assert_uint_eq(get(R_DPIDR), DPIDR);
	power_cycle();
	select_target(MINE);
	ck_assert_uint_eq(transfer(R_DPIDR, &value), SILENT);
}
END_TEST

START_TEST(power_up_is_a_handshake)
{
	uint32_t value = 0;

	jtag_to_swd();
	get(R_DPIDR);
	get(R_AP0);	/* without power: the error is posted */
	ck_assert_uint_eq(transfer(R_RDBUFF, &value), FAULT);
	ck_assert_uint_eq(get(R_CTRL) & PT_VDP_STICKYERR, PT_VDP_STICKYERR);
	set(W_ABORT, 0x1e);
	set(W_CTRL, POWER_UP);
	ck_assert_uint_eq(get(R_CTRL) & POWERED, POWER_UP);	/* asked, not yet granted */
	ck_assert_uint_eq(get(R_CTRL) & POWERED, POWERED);
	ck_assert_uint_eq(ap_reads, 0);
}
END_TEST

START_TEST(ap_reads_are_posted)
{
	get(R_AP0);
	ck_assert_uint_eq(get(R_APC), 0x1000);
	ck_assert_uint_eq(get(R_RDBUFF), 0x100d);
	ck_assert_uint_eq(get(R_RESEND), 0x100d);
	ck_assert_uint_eq(ap_reads, 2);
	ck_assert_uint_eq(syncs, 2);
	set(W_SELECT, 0xf0);
	get(R_APC);
	ck_assert_uint_eq(get(R_RDBUFF), 0x1000 + 0xfc + 2);
}
END_TEST

START_TEST(absent_aps_read_as_zero)
{
	set(W_SELECT, 0x05000000);
	set(W_AP0, 1);
	get(R_AP0);
	ck_assert_uint_eq(get(R_RDBUFF), 0);
	ck_assert_uint_eq(ap_value, 0x1000);
}
END_TEST

START_TEST(errors_stick_until_aborted)
{
	uint32_t value = 0;

	ap_answer = PT_VACK_ERROR;
	get(R_AP0);		/* taken; the bus error shows with the next one */
	ap_answer = PT_VACK_OK;
	for (int i = 0; i < 2; i++)
		ck_assert_uint_eq(transfer(R_RDBUFF, &value), FAULT);
	ck_assert_uint_eq(transfer(W_SELECT, &value), FAULT);
	ck_assert_uint_eq(get(R_DPIDR), DPIDR);
	set(W_ABORT, 1 << 2);
	get(R_AP0);
	get(R_RDBUFF);
}
END_TEST

START_TEST(a_busy_ap_says_wait)
{
	uint32_t value = 7;

	ap_waits = 3;		/* the access itself is buffered */
	ck_assert_uint_eq(transfer(W_AP0, &value), OK);
	ck_assert_uint_eq(transfer(R_AP0, &value), WAIT);
	ck_assert_uint_eq(transfer(W_SELECT, &value), WAIT);
	get(R_CTRL);
	ck_assert_uint_eq(transfer(R_AP0, &value), OK);
	ck_assert_uint_eq(ap_value, 7);
	ap_waits = 100;
	get(R_AP0);
	ck_assert_uint_eq(transfer(R_RDBUFF, &value), WAIT);
	set(W_ABORT, 1);	/* DAPABORT gives the access up */
	get(R_RDBUFF);
}
END_TEST

START_TEST(a_write_with_bad_parity_sticks)
{
	uint32_t value = 0;

	send(framed(W_SELECT), 8);
	listen_bits(1);
	ck_assert_uint_eq(listen_bits(3), OK);
	listen_bits(1);
	send(1, 33);
	ck_assert_uint_eq(get(R_CTRL) & 1 << 7, 1 << 7);
	ck_assert_uint_eq(transfer(R_AP0, &value), FAULT);
	set(W_ABORT, 1 << 3);
	get(R_AP0);
}
END_TEST

START_TEST(overrun_detection_keeps_the_data_phase)
{
	set(W_CTRL, POWER_UP | 1);
	ap_waits = 2;
	get(R_AP0);
	send(framed(R_RDBUFF), 8);
	listen_bits(1);
	ck_assert_uint_eq(listen_bits(3), WAIT);
	listen_bits(34);	/* data phase although refused */
	ck_assert_uint_eq(get(R_CTRL) & 2, 2);
	set(W_ABORT, 1 << 4);
	get(R_RDBUFF);
}
END_TEST

START_TEST(turnaround_follows_dlcr)
{
	set(W_SELECT, 1);
	set(W_CTRL, 1 << 8);
	send(framed(R_DPIDR), 8);
	listen_bits(2);
	ck_assert_uint_eq(listen_bits(3), OK);
	ck_assert_uint_eq(listen_bits(32), DPIDR);
	listen_bits(3);
	line_reset();		/* and back to one clock */
	ck_assert_uint_eq(get(R_DPIDR), DPIDR);
}
END_TEST

static const struct { uint8_t forced; unsigned first, second; } forcings[] = {
	{ WAIT, WAIT, OK }, { FAULT, FAULT, FAULT },
};

START_TEST(injected_acks)
{
	uint32_t value = 0;

	dp.forced_ack = forcings[_i].forced;
	get(R_DPIDR);		/* cannot be refused, so the fault stays for the next */
	ck_assert_uint_eq(transfer(R_AP0, &value), forcings[_i].first);
	ck_assert_uint_eq(ap_reads, 0);
	ck_assert_uint_eq(transfer(R_AP0, &value), forcings[_i].second);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swd_dp");
	TCase *line = tcase_create("line"), *access = tcase_create("access");

	tcase_add_checked_fixture(line, setup, NULL);
	tcase_add_loop_test(line, wakes_and_falls_silent, 0, PT_LEN(wakings));
	tcase_add_test(line, a_port_among_others_is_selected);
	tcase_add_test(line, power_up_is_a_handshake);
	tcase_add_checked_fixture(access, powered_setup, NULL);
	tcase_add_test(access, ap_reads_are_posted);
	tcase_add_test(access, absent_aps_read_as_zero);
	tcase_add_test(access, errors_stick_until_aborted);
	tcase_add_test(access, a_busy_ap_says_wait);
	tcase_add_test(access, a_write_with_bad_parity_sticks);
	tcase_add_test(access, overrun_detection_keeps_the_data_phase);
	tcase_add_test(access, turnaround_follows_dlcr);
	tcase_add_loop_test(access, injected_acks, 0, PT_LEN(forcings));
	suite_add_tcase(suite, line);
	suite_add_tcase(suite, access);
	return pt_run_suite(suite);
}
