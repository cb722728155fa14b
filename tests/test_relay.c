/* A probe served as CMSIS-DAP: what a host asks of the server, and what the device behind the driver makes of it. The
 * device is the simple one of the driver's own tests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "fake_cmsis_dap.h"
#include "harness.h"
#include "probes/registry.h"
#include "probes/served/relay.h"
#include "scripted_link.h"

enum { RANDOM_REQUESTS = 20000 };

static struct fake_cmsis_dap fake;
static struct pt_script script;
static struct pt_probe *probe;
static struct pt_relay *relay;
static uint8_t response[PT_RELAY_PACKET_BYTES];
static size_t n_response;

static void setup(void)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };

	fake_cmsis_dap_init(&fake, 512, 4);
	memset(&script, 0, sizeof(script));
	script.answer = fake_cmsis_dap_answer;
	script.arg = &fake;
	script.packet_ns = 10000;
	script.turn_ns = 125000;
	fake.clock_ns = 250;
	script.info = (struct pt_link_info){ .transport = "bulk", .product = "My CMSIS-DAP", .serial = "S1", .packet_bytes = 4096, .depth = 64 };
	probe = pt_probe_open_link(&pt_cmsis_dap_ops, pt_script_link(&script), settings, &err);
	pt_params_free(settings);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	relay = pt_relay_new(probe, &err);
	ck_assert_ptr_nonnull(relay);
}

static void teardown(void)
{
	pt_relay_free(relay);
	pt_probe_close(probe);
}

static void ask(const uint8_t *request, size_t len_bytes)
{
	n_response = pt_relay_answer(relay, request, len_bytes, response);
}

static size_t from_hex(const char *hex, uint8_t *bytes)
{
	size_t n = 0;
	unsigned value;

	for (; sscanf(hex, "%2x", &value) == 1; hex += 2 + (hex[2] == ' '))
		bytes[n++] = (uint8_t)value;
	return n;
}

/* In this order, on one connection. Source: CMSIS-DAP 2.x reference, Commands. */
static const struct { const char *what, *request, *answer; } asked[] = {
	{ "packet size", "00ff", "0002 0004" },
	{ "product", "0002", "000d 4d7920434d5349532d44415000" },
	{ "capabilities: SWD", "00f0", "0001 01" },
	{ "an information that there is not", "0042", "0000" },
	{ "JTAG", "0202", "0200" },
	{ "SWD", "0201", "0201" },
	{ "1 MHz", "1140420f00", "1100" },
	{ "0 Hz", "1100000000", "11ff" },
	{ "retries of a match", "04000000 0800", "0400" },
	{ "line reset", "1233ffffffffffffff", "1200" },
	{ "power up, and DPIDR", "05000204 00000050 02", "050201 7714c10b" },
	{ "CSW, TAR, one word", "05000301 12000000 05 00000020 0f", "050301 0000005a" },
	{ "a block", "060002000f", "06020001 0100005a 0200005a" },
	{ "a block to write", "05000105 00000020", "050101" },
	{ "two words", "060002000d aabbccdd 11223344", "06020001" },
	{ "are there", "05000305 00000020 0f 0f", "050301 aabbccdd 11223344" },
	{ "a match in bank 1", "05000308 10000000 20 ffffffff 17 00000080", "050301" },
	{ "none", "05000217 01000000 02", "050011" },
	{ "nothing", "050000", "050001" },
	{ "a block of no words", "060000000f", "06000008" },
	{ "one of too many", "060001010f", "06000008" },
	{ "abort", "08001e000000", "0800" },
	{ "a delay", "090a00", "0900" },
	{ "nRESET low", "10008000000000", "1000" },
	{ "and high", "10808000000000", "1080" },
	{ "a command that there is not", "1d01", "ff" },
	{ "a request that is cut", "050002", "050008" },
	{ "disconnect", "03", "0300" },
};

START_TEST(answers_as_a_probe)
{
	uint8_t request[64], want[64];

	fake.poll_reads = 0;
	fake.bd1_after = 0x80000000;
	for (size_t i = 0; i < PT_LEN(asked); i++) {
		size_t n = from_hex(asked[i].answer, want);

		ask(request, from_hex(asked[i].request, request));
		ck_assert_msg(n_response == n && memcmp(response, want, n) == 0,
			      "%s: %zu bytes, %02x %02x %02x %02x %02x", asked[i].what, n_response, response[0],
			      response[1], response[2], response[3], response[4]);
	}
}
END_TEST

/* The count says how far it came, and what was read until then is in the answer. */
START_TEST(reports_a_fault_where_it_is)
{
	uint8_t request[64];

	fake.fault_addr = FAKE_DAP_BASE + 4;
	ask(request, from_hex("0201", request));
	ask(request, from_hex("05000201 12000000 05 00000020", request));
	ask(request, from_hex("0500030f 0f 0f", request));
	ck_assert_uint_eq(response[1], 1);
	ck_assert_uint_eq(response[2], 4);
	ck_assert_uint_eq(n_response, 7);
	ck_assert_uint_eq(pt_le32(response + 3), 0x5a000000);
	script.gone = true;
	ask(request, from_hex("05000102", request));
	ck_assert_uint_eq(response[1], 0);
	ck_assert_uint_eq(response[2], 7);
}
END_TEST

START_TEST(survives_any_request)
{
	uint8_t request[64];

	srand(1);
	for (unsigned i = 0; i < RANDOM_REQUESTS; i++) {
		size_t n = 1 + (size_t)rand() % sizeof(request);

		for (size_t k = 0; k < n; k++)
			request[k] = (uint8_t)rand();
		request[0] &= 0x1f;
		ask(request, n);
		ck_assert_uint_ge(n_response, 1);
		ck_assert_uint_le(n_response, PT_RELAY_PACKET_BYTES);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("relay");
	TCase *tc = tcase_create("relay");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, answers_as_a_probe);
	tcase_add_test(tc, reports_a_fault_where_it_is);
	tcase_add_test(tc, survives_any_request);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
