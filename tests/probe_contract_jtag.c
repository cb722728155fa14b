/* What drivers of the wire jtag promise, besides what all do: the calls that the contract makes with every fault, and
 * tests of the wire's own. The device has two TAPs; the one nearer to TDI has a register that keeps what was written
 * into it. */
#include <string.h>

#include "harness.h"
#include "probe_contract.h"

enum { IR_KEEPS = 0x03, REGISTER_BITS = 64, N_WORDS = 40 };

static int run_connect(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);

	return jtag->connect(wire, err);
}

/* Each word comes back with the scan that brings the next: a list out of order, or a bit lost, reads another. */
static int run_list(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);
	uint8_t ir = IR_KEEPS, out[N_WORDS][8], in[N_WORDS][8];
	struct pt_jtag_op ops[N_WORDS + 4];
	size_t n = 0, n_done;
	int rc;

	ops[n++] = (struct pt_jtag_op){ .what = PT_JTAG_IR, .n_bits = 6, .head_bits = 4, .out = &ir, .end = PT_JTAG_TO_NEXT };
	for (unsigned i = 0; i < N_WORDS; i++) {
		memset(out[i], (int)(0x31 + 7 * i), 8);
		ops[n++] = (struct pt_jtag_op){
			.what = PT_JTAG_DR, .n_bits = REGISTER_BITS, .head_bits = 1, .out = out[i], .in = in[i],
			.end = i % 2 == 0 ? PT_JTAG_TO_NEXT : PT_JTAG_TO_IDLE,
		};
	}
	ops[n++] = (struct pt_jtag_op){ .what = PT_JTAG_IDLE, .n_bits = 9 };
	ops[n++] = (struct pt_jtag_op){ .what = PT_JTAG_DELAY, .time_us = 50 };
	ops[n++] = (struct pt_jtag_op){ .what = PT_JTAG_DR, .n_bits = REGISTER_BITS, .head_bits = 1, .in = in[0] };
	rc = jtag->run(wire, ops, n, 1000, &n_done, err);
	if (rc < 0)
		return rc;
	ck_assert_uint_eq(n_done, n);
	for (unsigned i = 1; i < N_WORDS; i++)
		if (memcmp(in[i], out[i - 1], 8) != 0)
			return pt_fail(err, PT_EPROTO, "word %u is 0x%02x...", i, in[i][0]);
	return memcmp(in[0], out[N_WORDS - 1], 8) == 0
		       ? 0
		       : pt_fail(err, PT_EPROTO, "the last word is 0x%02x...", in[0][0]);
}

/* Of a probe whose port has to be chosen first. */
static int run_connected(struct pt_probe *probe, struct pt_err *err)
{
	int rc = run_connect(probe, err);

	return rc < 0 ? rc : run_list(probe, err);
}

static int run_speed(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);
	uint32_t used;

	return jtag->set_speed(wire, 2000000, &used, err);
}

static int run_reset(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);

	return jtag->set_reset(wire, false, true, err);
}

/* A reset that was asked for is still there. */
static void let_go(struct pt_probe *probe)
{
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);

	jtag->set_reset(wire, false, false, NULL);
}

static const struct contract_call xvc_calls[] = { { "connect", run_connect }, { "run", run_list }, { "set_speed", run_speed } };
static const struct contract_call pins_calls[] = {
	{ "connect", run_connect }, { "run", run_connected }, { "set_reset", run_reset },
};

const struct contract_wire contract_jtag_xvc = {
	.calls = xvc_calls, .n_calls = PT_LEN(xvc_calls), .bring_up = run_connect, .list = run_list, .clear = let_go,
};
const struct contract_wire contract_jtag_pins = {
	.calls = pins_calls, .n_calls = PT_LEN(pins_calls), .bring_up = run_connect, .list = run_connected,
	.clear = let_go,
};

START_TEST(refuses_what_cannot_be_run)
{
	static struct pt_jtag_op bad[] = {
		{ .what = 99 }, { .what = PT_JTAG_DR },
		{ .what = PT_JTAG_DR, .n_bits = PT_JTAG_MAX_BITS, .tail_bits = 1 },
	};
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	size_t n_done = 7, n_requests;
	void *wire;

	contract_fresh(&contract_drivers[_i]);
	probe = contract_open(&contract_drivers[_i], &err);
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);
	n_requests = contract_script.n_requests;
	for (size_t i = 0; i < PT_LEN(bad); i++)
		ck_assert_int_eq(jtag->run(wire, &bad[i], 1, 1000, &n_done, &err), PT_EARG);
	ck_assert_uint_eq(n_done, 0);
	ck_assert_uint_eq(contract_script.n_requests, n_requests);
	pt_probe_close(probe);
}
END_TEST

/* More than one is outstanding where the driver does not wait for each, the stamps are in order, and the whole of a long list costs few waits. */
START_TEST(keeps_the_cable_busy)
{
	uint8_t ir = IR_KEEPS, in[2000];
	struct pt_jtag_op ops[] = {
		{ .what = PT_JTAG_IR, .n_bits = 6, .head_bits = 4, .out = &ir },
		{ .what = PT_JTAG_DR, .n_bits = 8 * sizeof(in), .head_bits = 1, .in = in },
		{ .what = PT_JTAG_DR, .n_bits = REGISTER_BITS, .head_bits = 1, .in = in },
	};
	struct pt_link_traffic before, after;
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	size_t n_done;
	void *wire;

	contract_fresh(&contract_drivers[_i]);
	probe = contract_open(&contract_drivers[_i], &err);
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);
	ck_assert_int_eq(jtag->connect(wire, &err), 0);
	pt_link_traffic(pt_probe_link(probe), &before);
	ck_assert_int_eq(jtag->run(wire, ops, PT_LEN(ops), 1000, &n_done, &err), 0);
	pt_link_traffic(pt_probe_link(probe), &after);
	if (contract_drivers[_i].in_turns) {
		ck_assert_uint_eq(contract_script.most_outstanding, 1);
	} else {
		ck_assert_uint_gt(contract_script.most_outstanding, 1);
		ck_assert_uint_eq(after.round_trips - before.round_trips, 1);
	}
	for (size_t i = 0; i < PT_LEN(ops); i++) {
		ck_assert_uint_le(ops[i].sent_ns, ops[i].done_ns);
		ck_assert(i == 0 || ops[i].done_ns >= ops[i - 1].done_ns);
	}
	pt_probe_close(probe);
}
END_TEST

/* --- any list: both TAPs in BYPASS are two bits, which are 0 at first, and what goes in comes out behind them */

enum { LISTS = 300, MOST_OPS = 12, MOST_BITS = 300 };

static struct scan {
	uint8_t out[MOST_BITS / 8 + 1], in[MOST_BITS / 8 + 1];
} scans[MOST_OPS];

static uint32_t below(uint32_t n)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % n;
}

static struct pt_jtag_op any_op(struct scan *scan)
{
	struct pt_jtag_op op = { .what = PT_JTAG_DR, .n_bits = 1 + below(below(2) == 0 ? 12 : MOST_BITS) };

	if (below(6) == 0)
		return (struct pt_jtag_op){ .what = PT_JTAG_IDLE, .n_bits = 1 + below(100) };
	for (size_t i = 0; i < sizeof(scan->out); i++)
		scan->out[i] = (uint8_t)below(256);
	memset(scan->in, 0xa5, sizeof(scan->in));
	op.head_bits = below(2) * below(10);
	op.tail_bits = below(2) * below(10);
	op.out = below(4) != 0 ? scan->out : NULL;
	op.in = below(3) != 0 ? scan->in : NULL;
	op.end = below(2) == 0 ? PT_JTAG_TO_NEXT : 0;
	return op;
}

static unsigned bit_of(const uint8_t *bits, uint32_t at)
{
	return bits[at / 8] >> at % 8 & 1;
}

/* Bit i of what TDI is during a scan. */
static unsigned tdi_at(const struct pt_jtag_op *op, uint32_t i)
{
	return i < op->head_bits || i >= op->head_bits + op->n_bits || op->out == NULL
		       ? 1
		       : bit_of(op->out, i - op->head_bits);
}

static void check_scan(const struct pt_jtag_op *op, int list)
{
	for (uint32_t i = 0; op->in != NULL && i < op->n_bits; i++) {
		uint32_t at = op->head_bits + i;

		ck_assert_msg(bit_of(op->in, i) == (at < 2 ? 0 : tdi_at(op, at - 2)), "list %d, %u bits, bit %u", list,
			      op->n_bits, i);
	}
	for (uint32_t i = op->n_bits; op->in != NULL && i % 8 != 0; i++)
		ck_assert_uint_eq(bit_of(op->in, i), 0);
}

START_TEST(any_list_is_shifted_as_it_is)
{
	struct pt_jtag_op bypass = { .what = PT_JTAG_IR, .n_bits = 10 }, ops[MOST_OPS];
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	size_t n_done;
	void *wire;

	contract_fresh(&contract_drivers[_i]);
	probe = contract_open(&contract_drivers[_i], &err);
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);
	ck_assert_int_eq(jtag->connect(wire, &err), 0);
	ck_assert_int_eq(jtag->run(wire, &bypass, 1, 1000, &n_done, &err), 0);
	for (int list = 0; list < LISTS; list++) {
		size_t n = 1 + below(MOST_OPS);

		for (size_t i = 0; i < n; i++)
			ops[i] = any_op(&scans[i]);
		ck_assert_msg(jtag->run(wire, ops, n, 1000, &n_done, &err) == 0, "list %d: %s", list, err.msg);
		for (size_t i = 0; i < n; i++)
			check_scan(&ops[i], list);
	}
	pt_probe_close(probe);
}
END_TEST

void contract_jtag_tests(TCase *tc, int i)
{
	tcase_add_loop_test(tc, any_list_is_shifted_as_it_is, i, i + 1);
	tcase_add_loop_test(tc, refuses_what_cannot_be_run, i, i + 1);
	tcase_add_loop_test(tc, keeps_the_cable_busy, i, i + 1);
}
