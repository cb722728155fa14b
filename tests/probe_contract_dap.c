/* What drivers of the wire dap promise, besides what all do: the calls that the contract makes with every fault, and
 * tests of the wire's own. */
#include <string.h>

#include "fake_cmsis_dap.h"
#include "harness.h"
#include "probe_contract.h"

static int run_connect(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);

	return dap->connect(wire, PT_DAP_SWD, err);
}

enum { LIST_WORDS = 40 };

/* Moves TAR about, so that a list out of order reads other words. 0 when the words are right, too. */
static int run_list(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	uint32_t in[LIST_WORDS], back = 0, one = 0, out[3] = { 11, 22, 33 };
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000012 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = in, .n_words = LIST_WORDS },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE + 0x100 },
		{ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = 0xc, .words = out, .n_words = 3 },
		{ .what = PT_DAP_DELAY, .time_us = 50 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE + 0x104 },
		{ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = &back },
		{ .what = PT_DAP_POLL, .a = 4, .mask = 1 << 5, .value = 0, .time_us = 1000 },
		{ .what = PT_DAP_READ, .a = 0, .words = &one },
	};
	size_t n_done;
	int rc = dap->run(wire, ops, PT_LEN(ops), 1000, &n_done, err);

	if (rc < 0)
		return rc;
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	for (uint32_t i = 0; i < LIST_WORDS; i++)
		if (in[i] != 0x5a000000 + i)
			return pt_fail(err, PT_EARG, "word %u is 0x%x", i, in[i]);
	return back == 22 && one == 0x0bc11477 ? 0 : pt_fail(err, PT_EARG, "read 0x%x and 0x%x", back, one);
}

static int run_abort(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);

	return dap->write_abort(wire, 0x1e, err);
}

static int run_sequence(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	uint8_t bits[40];

	memset(bits, 0xff, sizeof(bits));
	return dap->sequence(wire, bits, 8 * sizeof(bits) - 3, err);
}

static int run_speed(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	uint32_t used;

	return dap->set_speed(wire, 2000000, &used, err);
}

static int run_reset(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);

	return dap->set_reset(wire, true, err);
}

static int run_connected_sequence(struct pt_probe *probe, struct pt_err *err)
{
	int rc = run_connect(probe, err);

	return rc < 0 ? rc : run_sequence(probe, err);
}

static void let_go(struct pt_probe *probe)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);

	dap->set_reset(wire, false, NULL);
}

static void clear_error(struct pt_probe *probe)
{
	run_abort(probe, NULL);
}

static const struct contract_call calls[] = {
	{ "connect", run_connect }, { "run", run_list }, { "write_abort", run_abort }, { "sequence", run_sequence },
	{ "set_speed", run_speed }, { "set_reset", run_reset },
};

const struct contract_wire contract_dap = {
	.calls = calls, .n_calls = PT_LEN(calls), .bring_up = run_connect, .list = run_list, .clear = clear_error,
};

/* The same in front of a port that answers nothing before DPIDR was read, and keeps its flags. */
static int run_from_reset(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	uint32_t id;
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ, .a = 0, .words = &id },
		{ .what = PT_DAP_WRITE, .a = 0, .value = 0x1e },
		{ .what = PT_DAP_WRITE, .a = 4, .value = 0x50000000 },
		{ .what = PT_DAP_POLL, .a = 4, .value = 0xa0000000, .mask = 0xa0000000, .time_us = 5000 },
	};
	size_t n_done;
	int rc = run_connect(probe, err);

	if (rc == 0)
		rc = dap->run(wire, ops, PT_LEN(ops), 1000, &n_done, err);
	return rc < 0 ? rc : run_list(probe, err);
}

static const struct contract_call swd_calls[] = {
	{ "connect", run_connect }, { "run", run_from_reset }, { "sequence", run_connected_sequence },
	{ "set_speed", run_speed }, { "set_reset", run_reset },
};

const struct contract_wire contract_swd = {
	.calls = swd_calls, .n_calls = PT_LEN(swd_calls), .bring_up = run_from_reset, .list = run_from_reset,
	.clear = let_go,
};

/* A probe that moves registers and shows no bits has no sequences. */
static const struct contract_call register_calls[] = {
	{ "connect", run_connect }, { "run", run_list }, { "write_abort", run_abort },
	{ "set_speed", run_speed }, { "set_reset", run_reset },
};

const struct contract_wire contract_dap_registers = {
	.calls = register_calls, .n_calls = PT_LEN(register_calls), .bring_up = run_connect, .list = run_list,
	.clear = clear_error,
};

/* FAULT stays until it is cleared, and names the operation. */
START_TEST(error_is_sticky)
{
	uint32_t words[3];
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000012 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE + 0x200 },
		{ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = &words[0] },
		{ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = &words[1] },
		{ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = &words[2] },
	};
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	void *wire;
	size_t n_done;

	contract_fresh(&contract_drivers[_i]);
	contract_drivers[_i].break_address(FAKE_DAP_BASE + 0x204);
	probe = contract_open(&contract_drivers[_i], &err);
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	ck_assert_int_eq(dap->run(wire, ops, PT_LEN(ops), 1000, &n_done, &err), PT_EFAULT);
	ck_assert_uint_ge(n_done, 2);	/* not past the one that failed, and not before the one ahead of it */
	ck_assert_uint_le(n_done, 3);
	ck_assert_int_eq(dap->run(wire, ops, PT_LEN(ops), 1000, &n_done, &err), PT_EFAULT);
	ck_assert_uint_eq(n_done, 0);
	contract_drivers[_i].break_address(0);
	ck_assert_int_eq(dap->write_abort(wire, 0x1e, &err), 0);
	ck_assert_int_eq(dap->run(wire, ops, PT_LEN(ops), 1000, &n_done, &err), 0);
	ck_assert_uint_eq(words[2], 0x5a000082);
	pt_probe_close(probe);
}
END_TEST

START_TEST(refuses_what_cannot_be_run)
{
	static const struct pt_dap_op bad[][2] = {
		{ { .what = 99 } },
		{ { .what = PT_DAP_READ, .a = 0 } },
		{ { .what = PT_DAP_WRITE, .a = 3 } },
		{ { .what = PT_DAP_READ_BLOCK, .n_words = 2 } },
		{ { .what = PT_DAP_DELAY, .time_us = 65536 } },
		{ { .what = PT_DAP_DELAY, .time_us = 0 } },
		{ { .what = PT_DAP_POLL, .a = 4, .time_us = 10 }, { .what = PT_DAP_WRITE, .a = 8 } },
		{ { .what = PT_DAP_POLL, .a = 4, .time_us = 10 }, { .what = PT_DAP_POLL, .a = 4, .time_us = 10 } },
	};
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	size_t n_done, n_requests;
	void *wire;

	contract_fresh(&contract_drivers[_i]);
	probe = contract_open(&contract_drivers[_i], &err);
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	n_requests = contract_script.n_requests;
	for (size_t i = 0; i < PT_LEN(bad); i++) {
		struct pt_dap_op ops[2] = { bad[i][0], bad[i][1] };

		ck_assert_int_eq(dap->run(wire, ops, ops[1].what != 0 ? 2 : 1, 1000, &n_done, &err), PT_EARG);
		ck_assert_uint_eq(n_done, 0);
	}
	ck_assert_int_eq(dap->run(wire, NULL, 0, 1000, &n_done, &err), 0);
	ck_assert_uint_eq(contract_script.n_requests, n_requests);
	pt_probe_close(probe);
}
END_TEST

void contract_dap_tests(TCase *tc, int i)
{
	tcase_add_loop_test(tc, error_is_sticky, i, i + 1);
	tcase_add_loop_test(tc, refuses_what_cannot_be_run, i, i + 1);
}
