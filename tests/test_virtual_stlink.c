/* The model of an ST-Link's firmware byte by byte, as OpenOCD's driver speaks with a real one, and what it does to a host
 * that breaks the rules. Source of the exchange: OpenOCD 0.12 with stlink_usb.c; of the layouts: pyOCD, probe-rs. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/boards.h"
#include "probes/virtual/probe/stlink.h"
#include "probes/wires/link.h"
#include "base/util.h"

enum { PACKET = 16, MOST = 64 };
#define SOON UINT64_C(400000000)

static struct pt_link *link_;
static struct pt_err err;
static uint8_t reply[PT_VSTLINK_MOST_BYTES];

static void open_board(const char *words)
{
	char text[128];

	snprintf(text, sizeof(text), "kl27?clock=virtual&probe=stlink&%s", words);
	link_ = pt_model_link_open(text, &err);
	ck_assert_msg(link_ != NULL, "%s", err.msg);
}

static void close_board(void)
{
	pt_link_close(link_);
	link_ = NULL;
}

static void send(const uint8_t *bytes, size_t n)
{
	ck_assert_msg(pt_link_submit(link_, bytes, n, pt_link_now_ns(link_) + SOON, &err) == 0, "%s", err.msg);
}

static int receive(void)
{
	return pt_link_receive(link_, reply, sizeof(reply), pt_link_now_ns(link_) + SOON, &err);
}

/* Hexadecimal digits with blanks, zeros behind the last: a command. Returns its reply's length. */
static size_t parse(const char *hex, uint8_t *out)
{
	size_t n = 0;
	int used;

	while (sscanf(hex, " %2hhx%n", &out[n], &used) == 1 && n < MOST) {
		hex += used;
		n++;
	}
	return n;
}

static void command(const char *hex)
{
	uint8_t bytes[MOST] = { 0 };

	parse(hex, bytes);
	send(bytes, PACKET);
}

static int ask(const char *hex)
{
	command(hex);
	return receive();
}

static void expect(const char *hex, const char *answer)
{
	uint8_t want[MOST];
	size_t n = parse(answer, want);
	int got = ask(hex);

	ck_assert_msg(got == (int)n, "%s: %d bytes, not %zu", hex, got, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(reply[i] == want[i], "%s: byte %zu is %02x, not %02x", hex, i, reply[i], want[i]);
}

/* What has data behind it, or nothing, and is not answered. */
static void tell(const char *hex, const char *data)
{
	uint8_t bytes[MOST];
	size_t n = parse(data, bytes);

	command(hex);
	if (n > 0)
		send(bytes, n);
}

static void enter(void)
{
	expect("f2 30 a3", "80 00");
	expect("f2 4b 00", "80 00");
}

static const struct { const char *words, *ask, *answer; } exchange[] = {
	{ "stlink=v2j37", "f1", "29 47 83 04 48 37" },
	{ "stlink=v21", "f1", "29 db 83 04 4b 37" },
	{ "stlink=v3j7", "f1", "30 00 83 04 4f 37" },
	{ "stlink=v3j7", "fb", "03 00 07 02 03 00 00 00 83 04 4f 37" },
	{ "", "f5", "01 00" },
	{ "", "f7", "cf 05 00 00 fd 07 00 00" },
	{ "", "f2 43 00 00", "80 00" },
	{ "", "f2 43 04 00", "41 00" },		/* not in its table */
	{ "stlink=v3j7", "f2 43 00 00", "42 00" },
	{ "stlink=v3j7", "f2 61 00 00 a0 0f 00 00", "80 00 00 00 e4 0c 00 00" },
	{ "", "f2 61 00 00 a0 0f 00 00", "42 00" },
	{ "", "f2 3c 01", "80 00" },
	{ "", "f2 45 ff ff 04 00", "09 00" },	/* not entered */
	{ "", "f2 99", "09 00" },
};

START_TEST(answers_as_a_real_one)
{
	open_board(exchange[_i].words);
	expect(exchange[_i].ask, exchange[_i].answer);
	close_board();
}
END_TEST

START_TEST(attaches_as_openocd_does)
{
	open_board("stlink=v2j37");
	enter();
	expect("f5", "02 00");
	expect("f2 07 00 ed 00 e0 04 00", "01 c6 0c 41");
	expect("f2 3e", "80 00 00 00 00 00 00 00 00 00 00 00");
	expect("f2 46 ff ff 04 00 20 00 00 50", "80 00");
	expect("f2 45 ff ff 04 00", "80 00 00 00 40 00 00 f0");
	expect("f2 31", "80 00 00 00 77 14 c1 0b 00 00 00 00");
	expect("f2 45 00 00 fc 00", "80 00 00 00 31 00 77 04");
	tell("f2 21", "");
	expect("f5", "01 00");
	close_board();
}
END_TEST

START_TEST(moves_memory_of_every_width)
{
	open_board("stlink=v2j37");
	enter();
	tell("f2 08 00 00 00 20 08 00", "11 22 33 44 55 66 77 88");
	expect("f2 3e", "80 00 00 00 00 00 00 00 00 00 00 00");
	expect("f2 36 04 00 00 20", "80 00 00 00 55 66 77 88");
	tell("f2 48 02 00 00 20 02 00", "aa bb");
	tell("f2 0d 05 00 00 20 01 00", "cc");
	expect("f2 07 00 00 00 20 08 00", "11 22 aa bb 55 cc 77 88");
	expect("f2 47 02 00 00 20 04 00", "aa bb 55 cc");
	expect("f2 0c 05 00 00 20 02 00", "cc 77");
	expect("f2 0c 05 00 00 20 01 00", "cc 00");	/* one comes as two */
	expect("f2 35 00 00 00 20 01 02 03 04", "80 00");
	expect("f2 54 00 00 00 20 08 00", "01 02 03 04 01 02 03 04");
	tell("f2 50 00 00 00 20 08 00", "05 05 05 05 06 06 06 06");
	expect("f2 36 00 00 00 20", "80 00 00 00 06 06 06 06");
	close_board();
}
END_TEST

/* Writes are an address and a value; values come first, then statuses. */
START_TEST(runs_a_list_of_words)
{
	open_board("stlink=v2j37");
	enter();
	tell("f2 51 04 00 00 00", "01 02 03 03  00 00 00 20  78 56 34 12  00 00 00 20  00 ed 00 e0");
	expect("f2 52",
	       "00 00 00 00 00 00 00 00 78 56 34 12 01 c6 0c 41 80 00 00 00 80 00 00 00 80 00 00 00 80 00 00 00");
	close_board();
}
END_TEST

/* Where it failed, and that it stays so until it is cleared. */
START_TEST(says_where_memory_failed)
{
	open_board("stlink=v2j37");
	enter();
	ck_assert_int_eq(ask("f2 07 00 60 00 20 10 00"), 16);	/* behind the RAM */
	expect("f2 3e", "11 00 00 00 00 60 00 20 00 00 00 00");
	expect("f2 36 00 00 00 20", "11 00 00 00 00 00 00 00");
	expect("f2 46 ff ff 00 00 1e 00 00 00", "80 00");
	ck_assert_int_eq(ask("f2 36 00 00 00 20"), 8);
	ck_assert_uint_eq(reply[0], 0x80);
	close_board();
}
END_TEST

START_TEST(waits_are_the_hosts_business)
{
	open_board("stlink=v2j37&fault=wait@20+2");
	enter();
	for (int i = 0; i < 40 && (ask("f2 36 00 00 00 20"), reply[0] == 0x80); i++)
		continue;
	ck_assert_msg(reply[0] == 0x10 || reply[0] == 0x14, "%02x", reply[0]);
	for (int i = 0; i < 3; i++)
		ask("f2 36 00 00 00 20");
	ck_assert_uint_eq(reply[0], 0x80);
	close_board();
}
END_TEST

static const struct { const char *words, *hex; } too_old[] = {
	{ "stlink=v2j20", "f2 45 ff ff 04 00" },
	{ "stlink=v2j27", "f2 4b 00" },
	{ "stlink=v2j24", "f2 47 00 00 00 20 02 00" },
	{ "stlink=v2j31", "f2 54 00 00 00 20 04 00" },
	{ "stlink=v2j31", "f2 51 01 00 00 00" },
};

START_TEST(old_firmware_knows_less)
{
	open_board(too_old[_i].words);
	expect("f2 30 a3", "80 00");
	expect(too_old[_i].hex, "42 00");
	close_board();
}
END_TEST

static const struct { const char *hex, *data; bool writes; } hangs[] = {
	{ "f2 07 00 00 00 20 05 00", "", false },
	{ "f2 0c 00 00 00 20 03 00", "", false },
	{ "f2 07 00 00 00 20 01 00", "", false },
	{ "f2 51 41 00 00 00", "", true },		/* 65 items on a V2 */
};

START_TEST(hangs_on_what_hung_a_real_one)
{
	open_board("stlink=v2j37");
	enter();
	command(hangs[_i].hex);
	ck_assert_int_eq(ask("f1"), PT_ETIMEOUT);
	close_board();
}
END_TEST

static const struct { const char *hex; const char *status; } refused[] = {
	{ "f2 07 02 00 00 20 04 00", "0a" }, { "f2 07 00 00 00 20 06 00", "0a" }, { "f2 0c 00 00 00 20 42 00", "06" },
};

START_TEST(refuses_what_is_out_of_its_limits)
{
	open_board("stlink=v2j37");
	enter();
	ask(refused[_i].hex);
	ask("f2 3e");
	ck_assert_uint_eq(reply[0], strtoul(refused[_i].status, NULL, 16));
	close_board();
}
END_TEST

START_TEST(access_ports_are_opened_first)
{
	open_board("stlink=v2j37");
	expect("f2 30 a3", "80 00");
	expect("f2 45 00 00 00 00", "1d 00 00 00 00 00 00 00");
	expect("f2 45 01 00 fc 00", "80 00 00 00 20 00 1c 00");	/* MDM-AP of a Kinetis */
	expect("f2 4b 01", "80 00");
	expect("f2 4b 07", "1d 00");
	close_board();
}
END_TEST

START_TEST(reaches_the_port_by_jtag)
{
	open_board("stlink=v2j37");
	expect("f2 30 a4", "80 00");
	expect("f2 4b 00", "80 00");
	expect("f2 31", "80 00 00 00 77 04 a0 0b 00 00 00 00");
	tell("f2 08 00 00 00 20 08 00", "11 22 33 44 55 66 77 88");
	expect("f2 07 00 00 00 20 08 00", "11 22 33 44 55 66 77 88");
	ck_assert_int_eq(ask("f2 36 00 60 00 20"), 8);
	ck_assert_uint_eq(reply[0], 0x19);
	expect("f2 46 ff ff 04 00 b2 00 00 50", "80 00");	/* the flags, and power */
	expect("f2 36 04 00 00 20", "80 00 00 00 55 66 77 88");
	close_board();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("virtual_stlink");
	TCase *tc = tcase_create("model");

	tcase_add_loop_test(tc, answers_as_a_real_one, 0, PT_LEN(exchange));
	tcase_add_test(tc, attaches_as_openocd_does);
	tcase_add_test(tc, moves_memory_of_every_width);
	tcase_add_test(tc, runs_a_list_of_words);
	tcase_add_test(tc, says_where_memory_failed);
	tcase_add_test(tc, waits_are_the_hosts_business);
	tcase_add_loop_test(tc, old_firmware_knows_less, 0, PT_LEN(too_old));
	tcase_add_loop_test(tc, hangs_on_what_hung_a_real_one, 0, PT_LEN(hangs));
	tcase_add_loop_test(tc, refuses_what_is_out_of_its_limits, 0, PT_LEN(refused));
	tcase_add_test(tc, access_ports_are_opened_first);
	tcase_add_test(tc, reaches_the_port_by_jtag);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
