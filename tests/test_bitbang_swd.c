/* SWD over remote_bitbang: the driver on the model of a server, in front of a debug port whose bus takes its time.
 * What is asked is done once, in order; errors stick until they are cleared; silence is told apart. */
#include <string.h>

#include "busy_ap.h"
#include "harness.h"
#include "probes/registry.h"
#include "probes/virtual/probe/remote_bitbang.h"
#include "scripted_link.h"

enum { DPIDR = 0x0bc11477, DRW = 0xc };

static struct busy_ap behind;
static struct pt_vpace pace;
static struct pt_vfaults faults;
static struct pt_vbitbang *server;
static struct pt_script script;
static struct pt_probe *probe;
static const struct pt_dap_ops *dap;
static void *wire;
static struct pt_err err;
static uint8_t *response;
static size_t response_bytes;

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	(void)board, (void)to_ns;
}

static struct pt_vap *ap_of(struct pt_vboard *board, unsigned apsel)
{
	(void)board;
	return apsel == 0 ? &behind.ap : NULL;
}

static uint32_t dpidr(struct pt_vboard *board)
{
	(void)board;
	return DPIDR;
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	(void)board, (void)asserted;
}

static const struct pt_vboard_ops board_ops = {
	.name = "port", .advance = advance, .ap = ap_of, .dpidr = dpidr, .set_nreset = set_nreset,
};

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	(void)arg, (void)done_ns;
	memcpy(response, bytes, len_bytes);
	response_bytes = len_bytes;
}

static size_t serve(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *out, uint64_t *took_ns)
{
	(void)arg, (void)took_ns;
	response = out;
	response_bytes = 0;
	pt_vbitbang_engine.process(server, request, len_bytes, 0, on_response, NULL);
	return response_bytes;
}

static int run(struct pt_dap_op *ops, size_t n, size_t *n_done)
{
	return dap->run(wire, ops, n, 50, n_done, &err);
}

static void setup(void)
{
	struct pt_params *settings = pt_params_new();
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ, .a = 0, .words = &(uint32_t){ 0 } },
		{ .what = PT_DAP_WRITE, .a = 0, .value = 0x1e },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_WRITE, .a = 4, .value = 0x50000000 },
		{ .what = PT_DAP_POLL, .a = 4, .value = 0xa0000000, .mask = 0xa0000000, .time_us = 5000 },
	};
	size_t n_done;

	busy_ap_init(&behind);
	memset(&script, 0, sizeof(script));
	memset(&err, 0, sizeof(err));
	pt_vpace_init(&pace, &board_ops, NULL, false);
	server = pt_vbitbang_new(4000000, &pace, &faults);
	script.info = (struct pt_link_info){ .transport = "tcp", .packet_bytes = 2048, .depth = 4 };
	script.packet_ns = 10000;
	script.turn_ns = 125000;
	script.answer = serve;
	ck_assert_int_eq(pt_params_add(settings, pt_probe_params, pt_n_probe_params, "transport=swd", &err), 0);
	probe = pt_probe_open_link(&pt_bitbang_ops, pt_script_link(&script), settings, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	pt_params_free(settings);
	dap = pt_probe_dap(probe, &wire);
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
	ck_assert_msg(run(ops, PT_LEN(ops), &n_done) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	ck_assert_uint_eq(*ops[0].words, DPIDR);
}

static void teardown(void)
{
	pt_probe_close(probe);
	pt_vbitbang_engine.free(server);
}

/* Row 0: nothing is busy. */
START_TEST(does_each_access_once)
{
	static const unsigned each[] = { 0, 1, 2, 3, 7, 40 }, for_looks[] = { 1, 2, 3, 20 };
	uint32_t in[300], one = 0, id = 0, out[5] = { 1, 2, 3, 4, 5 };
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 300 },
		{ .what = PT_DAP_READ, .a = 0, .words = &id },
		{ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = DRW, .words = out, .n_words = 5 },
		{ .what = PT_DAP_DELAY, .time_us = 50 },
		{ .what = PT_DAP_READ, .ap = true, .a = DRW, .words = &one },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
	};
	size_t n_done;

	behind.busy_each = each[_i / 4];
	behind.busy_for = for_looks[_i % 4];
	ck_assert_msg(run(ops, PT_LEN(ops), &n_done) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	for (uint32_t i = 0; i < 300; i++)
		ck_assert_msg(in[i] == 0x5a000000 + i, "word %u: 0x%x", i, in[i]);
	ck_assert_uint_eq(one, 0x5a000000 + 300);
	ck_assert_uint_eq(id, DPIDR);
	ck_assert_uint_eq(behind.n_written, 5);
	ck_assert_mem_eq(behind.written, out, sizeof(out));
	ck_assert_uint_eq(behind.n_accesses, 306);
}
END_TEST

START_TEST(errors_stick_until_they_are_cleared)
{
	uint32_t in[8], out[2] = { 1, 2 };
	struct pt_dap_op read = { .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 8 };
	struct pt_dap_op write = { .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = DRW, .words = out, .n_words = 2 };
	size_t n_done = 9;

	behind.fault_at = 3;
	ck_assert_int_eq(run(&read, 1, &n_done), PT_EFAULT);
	ck_assert_uint_eq(n_done, 0);
	ck_assert_uint_eq(behind.n_accesses, 3);	/* what stood behind it was not done */
	ck_assert_int_eq(run(&read, 1, &n_done), PT_EFAULT);
	ck_assert_int_eq(dap->write_abort(wire, 0x1e, &err), 0);
	ck_assert_int_eq(run(&read, 1, &n_done), 0);
	ck_assert_uint_eq(in[7], 0x5a000002 + 7);
	behind.fault_at = behind.n_accesses + 2;	/* of the last write, too */
	ck_assert_int_eq(run(&write, 1, &n_done), PT_EFAULT);
}
END_TEST

START_TEST(gives_up_on_a_port_that_hangs)
{
	uint32_t value;
	struct pt_dap_op op = { .what = PT_DAP_READ, .ap = true, .a = DRW, .words = &value };
	size_t n_done;

	behind.busy_each = 1;
	behind.busy_for = UINT32_MAX;
	ck_assert_int_eq(run(&op, 1, &n_done), PT_ETIMEOUT);
	ck_assert_ptr_nonnull(strstr(err.msg, "WAIT"));
	behind.busy_each = behind.busy_left = 0;
	ck_assert_int_eq(dap->write_abort(wire, 1, &err), 0);
	ck_assert_int_eq(dap->write_abort(wire, 0x1e, &err), 0);
	ck_assert_int_eq(run(&op, 1, &n_done), 0);
}
END_TEST

/* A line reset that nobody asked for: the port answers nothing but DPIDR. */
START_TEST(says_that_nobody_answers)
{
	static const uint8_t ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00 };
	uint32_t value;
	struct pt_dap_op op = { .what = PT_DAP_READ, .ap = true, .a = DRW, .words = &value };
	size_t n_done;

	ck_assert_int_eq(dap->sequence(wire, ones, 64, &err), 0);
	ck_assert_int_eq(run(&op, 1, &n_done), PT_EPROTO);
	ck_assert_ptr_nonnull(strstr(err.msg, "does not answer on SWD"));
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
	op = (struct pt_dap_op){ .what = PT_DAP_READ, .a = 0, .words = &value };
	ck_assert_int_eq(run(&op, 1, &n_done), 0);
	ck_assert_uint_eq(value, DPIDR);
}
END_TEST

/* A long list waits for the network once or twice, not for each transfer. */
START_TEST(keeps_the_cable_busy)
{
	uint32_t in[256];
	struct pt_dap_op op = { .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 256 };
	struct pt_link_traffic before, after;
	size_t n_done;

	pt_link_traffic(pt_probe_link(probe), &before);
	ck_assert_int_eq(run(&op, 1, &n_done), 0);
	pt_link_traffic(pt_probe_link(probe), &after);
	ck_assert_uint_eq(after.round_trips - before.round_trips, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bitbang_swd");
	TCase *tc = tcase_create("bitbang_swd");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, does_each_access_once, 0, 24);
	tcase_add_test(tc, errors_stick_until_they_are_cleared);
	tcase_add_test(tc, gives_up_on_a_port_that_hangs);
	tcase_add_test(tc, says_that_nobody_answers);
	tcase_add_test(tc, keeps_the_cable_busy);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
