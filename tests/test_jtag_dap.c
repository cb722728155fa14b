/* The debug port behind a JTAG TAP: what is asked of it is done, once, in order, however long its bus takes; errors
 * stick until they are cleared; a port that is not there, or is held, is told apart. The port is the model that
 * OpenOCD drives, too. */
#include <string.h>

#include "busy_ap.h"
#include "fake_jtag.h"
#include "harness.h"
#include "probes/wires/jtag_dap.h"
#include "probes/virtual/wire/jtag_dp.h"
#include "scripted_link.h"

enum { DPIDR = 0x0bc11477, CSW = 0, TAR = 4, DRW = 0xc };

static struct pt_vdp port;
static struct pt_vjtag_dp jtag_dp;
static struct fake_jtag chain;
static struct pt_script script;
static struct pt_link *link_;
static struct pt_jtag_dap *dap;
static struct pt_err err;

static struct busy_ap behind;

static struct pt_vap *ap_of(void *arg, unsigned apsel)
{
	(void)arg;
	return apsel == 0 ? &behind.ap : NULL;
}

static void on_sync(void *arg)
{
	(void)arg;
}

/* So many scans on, one is answered by WAIT. */
static unsigned forced_in;

static void on_request(void *arg)
{
	(void)arg;
	if (forced_in > 0 && --forced_in == 0)
		port.forced_ack = PT_VACK_WAIT;
}

static void setup(void)
{
	const struct pt_vdp_board board = { .ap = ap_of, .sync = on_sync, .request = on_request };

	pt_vdp_init(&port, &board, DPIDR, 0);
	pt_vjtag_dp_init(&jtag_dp, &port);
	fake_jtag_init(&chain, (struct pt_vjtap *const[]){ &jtag_dp.tap }, 1);
	memset(&script, 0, sizeof(script));
	memset(&err, 0, sizeof(err));
	forced_in = 0;
	chain.link = &script;
	chain.pass_ns = 10000;
	link_ = pt_script_link(&script);
	dap = pt_jtag_dap_new(&fake_jtag_ops, &chain, link_, NULL);
	busy_ap_init(&behind);
}

static void teardown(void)
{
	pt_jtag_dap_free(dap);
	pt_link_close(link_);
}

static int run(struct pt_dap_op *ops, size_t n, size_t *n_done)
{
	return pt_jtag_dap_ops.run(dap, ops, n, 50, n_done, &err);
}

static void power_up(void)
{
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .a = 0, .value = 0x1e },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_WRITE, .a = 4, .value = 0x50000000 },
		{ .what = PT_DAP_POLL, .a = 4, .value = 0xa0000000, .mask = 0xa0000000, .time_us = 5000 },
	};
	size_t n_done;

	ck_assert_msg(pt_jtag_dap_ops.connect(dap, PT_DAP_SWD, &err) == 0, "%s", err.msg);
	ck_assert_msg(run(ops, 3, &n_done) == 0, "%s", err.msg);
	port.clocks += 100;	/* the model's power takes clocks that the fake chain does not give it */
	ck_assert_int_eq(run(ops + 3, 1, &n_done), 0);
	ck_assert_uint_eq(n_done, 1);
}

START_TEST(reads_and_writes)
{
	uint32_t id = 0, one = 0, in[300], out[3] = { 11, 22, 33 };
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ, .a = 0, .words = &id },
		{ .what = PT_DAP_WRITE, .ap = true, .a = TAR, .value = 7 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 300 },
		{ .what = PT_DAP_DELAY, .time_us = 50 },
		{ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = DRW, .words = out, .n_words = 3 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 0 },
		{ .what = PT_DAP_READ, .ap = true, .a = DRW, .words = &one },
	};
	size_t n_done;

	power_up();
	ck_assert_msg(run(ops, PT_LEN(ops), &n_done) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	ck_assert_uint_eq(id, DPIDR);
	for (uint32_t i = 0; i < 300; i++)
		ck_assert_uint_eq(in[i], 0x5a000000 + i);
	ck_assert_uint_eq(one, 0x5a000000 + 300);
	ck_assert_uint_eq(behind.n_written, 4);
	ck_assert_uint_eq(behind.written[3], 33);
	for (size_t i = 1; i < PT_LEN(ops); i++)
		ck_assert_uint_ge(ops[i].done_ns, ops[i - 1].done_ns);
}
END_TEST

/* Each access is made once, in order, whichever of them finds the port busy and however long. */
START_TEST(waits_for_a_busy_port)
{
	static const unsigned each[] = { 1, 2, 3, 7, 40 }, for_looks[] = { 1, 2, 3, 20, 200 };
	uint32_t in[40], out[5] = { 1, 2, 3, 4, 5 };
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 40 },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = DRW, .words = out, .n_words = 5 },
	};
	size_t n_done;

	power_up();
	behind.busy_each = each[_i / 5];
	behind.busy_for = for_looks[_i % 5];
	ck_assert_msg(run(ops, PT_LEN(ops), &n_done) == 0, "%s", err.msg);
	for (uint32_t i = 0; i < 40; i++)
		ck_assert_msg(in[i] == 0x5a000000 + i, "word %u: 0x%x", i, in[i]);
	ck_assert_uint_eq(behind.n_written, 5);
	ck_assert_mem_eq(behind.written, out, sizeof(out));
	ck_assert_uint_eq(behind.n_accesses, 45);
}
END_TEST

/* Whichever it is: the first of a row, or one that only puts the port in order. */
START_TEST(a_wait_at_any_scan_loses_nothing)
{
	uint32_t in[6] = { 0 };
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = TAR, .value = 7 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 3 },
		{ .what = PT_DAP_DELAY, .time_us = 50 },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in + 3, .n_words = 3 },
	};
	size_t n_done;

	power_up();
	forced_in = 1 + (unsigned)_i;
	behind.busy_each = 3;
	behind.busy_for = 2;
	ck_assert_msg(run(ops, PT_LEN(ops), &n_done) == 0, "%s", err.msg);
	ck_assert_uint_eq(forced_in, 0);
	ck_assert_uint_eq(behind.n_accesses, 7);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(in[i], 0x5a000000 + i);
}
END_TEST

START_TEST(errors_stick_until_they_are_cleared)
{
	uint32_t in[8];
	struct pt_dap_op op = { .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 8 };
	size_t n_done = 9;

	power_up();
	behind.fault_at = 3;
	ck_assert_int_eq(run(&op, 1, &n_done), PT_EFAULT);
	ck_assert_uint_eq(n_done, 0);
	ck_assert_uint_eq(behind.n_accesses, 3);	/* what stood behind it was not done */
	ck_assert_int_eq(run(&op, 1, &n_done), PT_EFAULT);
	ck_assert_uint_eq(behind.n_accesses, 3);
	ck_assert_int_eq(pt_jtag_dap_ops.write_abort(dap, 0x1e, &err), 0);
	ck_assert_int_eq(run(&op, 1, &n_done), 0);
	ck_assert_uint_eq(in[7], 0x5a000002 + 7);
}
END_TEST

/* Also where the look at the sticky flags is what a busy port drops: the last access of a row may have failed. */
START_TEST(an_error_beside_a_wait_is_seen)
{
	uint32_t in[8];
	struct pt_dap_op op = { .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 8 };
	size_t n_done = 9;

	power_up();
	behind.busy_each = 1 + (unsigned)_i % 8;
	behind.busy_for = 2;
	behind.fault_at = 1 + (unsigned)_i / 8;
	ck_assert_int_eq(run(&op, 1, &n_done), PT_EFAULT);
	ck_assert_uint_eq(n_done, 0);
	ck_assert_uint_eq(behind.n_accesses, behind.fault_at);
}
END_TEST

START_TEST(flags_from_before_do_not_hide_the_port)
{
	uint32_t id = 0;
	struct pt_dap_op read = { .what = PT_DAP_READ, .a = 0, .words = &id };
	struct pt_dap_op write = { .what = PT_DAP_WRITE, .ap = true, .a = TAR, .value = 1 };
	size_t n_done;

	power_up();
	behind.fault_at = 1;
	ck_assert_int_eq(run(&write, 1, &n_done), PT_EFAULT);
	ck_assert_int_eq(pt_jtag_dap_ops.connect(dap, PT_DAP_SWD, &err), 0);
	ck_assert_msg(run(&read, 1, &n_done) == 0, "%s", err.msg);
	ck_assert_uint_eq(id, DPIDR);
	ck_assert_int_eq(run(&write, 1, &n_done), PT_EFAULT);	/* it was not done */
	ck_assert_int_eq(run(&read, 1, &n_done), PT_EFAULT);
}
END_TEST

START_TEST(gives_up_on_a_port_that_hangs)
{
	uint32_t value;
	struct pt_dap_op op = { .what = PT_DAP_READ, .ap = true, .a = DRW, .words = &value };
	size_t n_done;

	power_up();
	behind.busy_each = 1;
	behind.busy_for = UINT32_MAX - 1;
	chain.pass_ns = 1000000;	/* each list takes a millisecond */
	ck_assert_int_eq(run(&op, 1, &n_done), PT_ETIMEOUT);
	ck_assert_ptr_nonnull(strstr(err.msg, "WAIT"));
	behind.busy_each = behind.busy_left = 0;
	ck_assert_int_eq(pt_jtag_dap_ops.write_abort(dap, 1, &err), 0);
	ck_assert_int_eq(pt_jtag_dap_ops.write_abort(dap, 0x1e, &err), 0);
	ck_assert_int_eq(run(&op, 1, &n_done), 0);
}
END_TEST

START_TEST(a_poll_that_expires_is_no_error)
{
	uint32_t last = 0;
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ, .a = 0 + 4, .words = &last },
		{ .what = PT_DAP_POLL, .a = 4, .mask = 1u << 26, .value = 1u << 26, .time_us = 3000, .words = &last },
	};
	size_t n_done;

	power_up();
	ck_assert_int_eq(run(ops, PT_LEN(ops), &n_done), 0);
	ck_assert_uint_eq(n_done, 1);
	ck_assert_uint_eq(last & 0xf0000000, 0xf0000000);
}
END_TEST

START_TEST(says_that_there_is_no_port)
{
	static const struct pt_vjtap_config fpga = {
		.ir_bits = 6, .ir_capture = 0x11, .has_idcode = true, .idcode = 0x13722093, .idcode_ir = 9,
	};
	struct pt_dap_op op = { .what = PT_DAP_READ, .a = 0, .words = &behind.next_word };
	struct pt_vjtap tap;
	size_t n_done;

	pt_vjtap_init(&tap, &fpga);
	fake_jtag_init(&chain, (struct pt_vjtap *const[]){ &tap }, 1);
	ck_assert_int_eq(pt_jtag_dap_ops.connect(dap, PT_DAP_SWD, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "0x13722093"));
	ck_assert_int_eq(run(&op, 1, &n_done), PT_EPROTO);
	chain.tdo = FAKE_JTAG_TDO_0;
	ck_assert_int_eq(pt_jtag_dap_ops.connect(dap, PT_DAP_SWD, &err), PT_EPROTO);
	ck_assert_ptr_nonnull(strstr(err.msg, "TDO is always 0"));
}
END_TEST

START_TEST(a_port_that_falls_silent)
{
	struct pt_dap_op op = { .what = PT_DAP_READ, .a = 0, .words = &behind.next_word };
	size_t n_done;

	power_up();
	chain.tdo = FAKE_JTAG_TDO_1;
	ck_assert_int_eq(run(&op, 1, &n_done), PT_EPROTO);
	ck_assert_ptr_nonnull(strstr(err.msg, "does not answer any more, TDO is always 1"));
	chain.tdo = FAKE_JTAG_FINE;
	ck_assert_int_eq(run(&op, 1, &n_done), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jtag_dap");
	TCase *tc = tcase_create("jtag_dap");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, reads_and_writes);
	tcase_add_loop_test(tc, waits_for_a_busy_port, 0, 25);
	tcase_add_loop_test(tc, a_wait_at_any_scan_loses_nothing, 0, 20);
	tcase_add_loop_test(tc, an_error_beside_a_wait_is_seen, 0, 64);
	tcase_add_test(tc, errors_stick_until_they_are_cleared);
	tcase_add_test(tc, flags_from_before_do_not_hide_the_port);
	tcase_add_test(tc, gives_up_on_a_port_that_hangs);
	tcase_add_test(tc, a_poll_that_expires_is_no_error);
	tcase_add_test(tc, says_that_there_is_no_port);
	tcase_add_test(tc, a_port_that_falls_silent);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
