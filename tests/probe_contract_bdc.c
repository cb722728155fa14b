/* What drivers of the wire bdc promise, besides what all do: the calls that the contract makes with every fault, and
 * tests of the wire's own. The devices have a fake S12Z behind BKGD (fake_bdc.h). */
#include <string.h>

#include "fake_bdc.h"
#include "harness.h"
#include "probe_contract.h"

enum { SECOND_MS = 1000, ENABLE = 0x80ff, LINES = 20 };

static bool can(struct pt_probe *probe, enum pt_bdc_do what)
{
	void *wire;
	const struct pt_bdc_ops *bdc = pt_probe_bdc(probe, &wire);

	return (bdc->can(wire) >> what & 1) != 0;
}

static int run(struct pt_probe *probe, struct pt_bdc_op *ops, size_t n_ops, size_t *n_done, struct pt_err *err)
{
	void *wire;
	const struct pt_bdc_ops *bdc = pt_probe_bdc(probe, &wire);

	return bdc->run(wire, ops, n_ops, SECOND_MS, n_done, err);
}

static int run_connect(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_bdc_ops *bdc = pt_probe_bdc(probe, &wire);
	uint32_t hz = 0;
	int rc = bdc->connect(wire, &hz, err);

	return rc == 0 && (hz < FAKE_BDC_HZ * 0.99 || hz > FAKE_BDC_HZ * 1.01) ? pt_fail(err, PT_EARG, "%u Hz", hz)
									       : rc;
}

static int run_reset(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_bdc_ops *bdc = pt_probe_bdc(probe, &wire);

	return bdc->reset(wire, PT_BDC_SPECIAL, err);
}

/* --- a list of everything ----------------------------------------------------------------------------------------- */

static uint8_t bytes[40], words[10], longs[80], back[6], lines[8 * LINES], port[8];
static const uint8_t out[6] = { 1, 2, 3, 4, 5, 6 };
static uint8_t out_copy[6];

#define MEM(kind, size, at, to, count) \
	{ .what = PT_BDC_##kind, .size_bytes = size, .addr = at, .bytes = to, .n = count }

static bool as_made(const uint8_t *got, uint32_t addr, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != (uint8_t)((addr + i) * 7))
			return false;
	return true;
}

static bool lines_right(unsigned first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < 8; j++)
			if (lines[8 * i + j] != (uint8_t)(16 * (first + i) + j))
				return false;
	return true;
}

/* In the middle of it the core is halted, and runs again at the end. */
static int run_list(struct pt_probe *probe, struct pt_err *err)
{
	struct pt_bdc_op ops[] = {
		{ .what = PT_BDC_WRITE_BDCCSR, .value = ENABLE },
		MEM(READ_MEM, 1, 0x1001, bytes, 40),
		MEM(READ_MEM, 2, 0x1102, words, 5),
		MEM(READ_MEM, 4, 0x1204, longs, 20),
		MEM(WRITE_MEM, 2, 0x2000, out_copy, 3),
		{ .what = PT_BDC_DELAY, .time_us = 50 },
		MEM(READ_MEM, 1, 0x2000, back, 6),
		MEM(WRITE_MEM, 2, 0x104, out_copy, 1),
		{ .what = PT_BDC_READ_DBGTB, .n = LINES, .bytes = lines },
		MEM(READ_SAME, 2, 0x1300, port, 4),
		{ .what = PT_BDC_POLL, .addr = FAKE_BDC_POLLED, .mask = 0x80, .value = 0x80, .time_us = 8000 },
		{ .what = PT_BDC_BACKGROUND },
		{ .what = PT_BDC_WRITE_RN, .crn = 6, .value = 0x12345678 },
		{ .what = PT_BDC_READ_RN, .crn = 6 },
		{ .what = PT_BDC_READ_BDCCSR },
		{ .what = PT_BDC_STEP1 },
		{ .what = PT_BDC_GO },
	};
	size_t n_done;
	int rc;

	memcpy(out_copy, out, sizeof(out));
	memset(lines, 0, sizeof(lines));
	rc = run(probe, ops, PT_LEN(ops), &n_done, err);
	if (rc < 0)
		return rc;
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	for (size_t i = 0; i < PT_LEN(ops); i++)
		if (ops[i].done_ns < ops[i].sent_ns || (i > 0 && ops[i].done_ns < ops[i - 1].done_ns))
			return pt_fail(err, PT_EARG, "times of operation %zu", i);
	if (!as_made(bytes, 0x1001, 40) || !as_made(words, 0x1102, 10) || !as_made(longs, 0x1204, 80))
		return pt_fail(err, PT_EARG, "memory is wrong: %02x, %02x, %02x", bytes[0], words[0], longs[0]);
	if (memcmp(back, out, 6) != 0 || memcmp(port, port + 2, 2) != 0 || !as_made(port, 0x1300, 2))
		return pt_fail(err, PT_EARG, "what was written is not there");
	if (!lines_right(0, LINES))
		return pt_fail(err, PT_EARG, "lines are wrong: %02x %02x", lines[0], lines[8]);
	if (ops[10].value != 0x80 || ops[13].value != 0x12345678 || (ops[14].value & 0xc000) != 0xc000)
		return pt_fail(err, PT_EARG, "0x%x, 0x%x, 0x%x", ops[10].value, ops[13].value, ops[14].value);
	return 0;
}

static void clear_error(struct pt_probe *probe)
{
	struct pt_bdc_op op = { .what = PT_BDC_WRITE_BDCCSR, .value = ENABLE };
	size_t n_done;

	run_connect(probe, NULL);
	run(probe, &op, 1, &n_done, NULL);
}

static int run_poll(struct pt_probe *probe, struct pt_err *err)
{
	struct pt_bdc_op ops[] = {
		{ .what = PT_BDC_POLL, .addr = 0x1000, .mask = 1, .value = 1, .time_us = 12000 },
		MEM(WRITE_MEM, 1, 0x2100, out_copy, 1),
	};
	size_t n_done;
	int rc = run(probe, ops, 2, &n_done, err);

	return rc < 0				  ? rc
	       : n_done == 0 && ops[0].value == 0 ? 0
						  : pt_fail(err, PT_EARG, "%zu, 0x%x", n_done, ops[0].value);
}

static const struct contract_call calls[] = {
	{ "connect", run_connect }, { "run", run_list }, { "poll", run_poll }, { "reset", run_reset },
};

const struct contract_wire contract_bdc = {
	.calls = calls, .n_calls = PT_LEN(calls), .bring_up = run_connect, .list = run_list, .clear = clear_error,
};

/* --- tests of the wire's own -------------------------------------------------------------------------------------- */

static struct pt_probe *probe;
static struct pt_err err;

static const struct contract_driver *open_up(int i)
{
	const struct contract_driver *driver = &contract_drivers[i];

	contract_fresh(driver);
	probe = contract_open(driver, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	ck_assert_msg(run_connect(probe, &err) == 0, "%s: %s", driver->ops->name, err.msg);
	clear_error(probe);
	return driver;
}

/* One that was refused says so, and what stands behind it was not done, where the probe sees ACK. */
START_TEST(bdc_refusal_names_the_operation)
{
	const struct contract_driver *driver = open_up(_i);
	uint8_t got[3] = { 0 }, one = 0x77;
	struct pt_bdc_op ops[] = {
		MEM(READ_MEM, 1, 0x1000, &got[0], 1), MEM(READ_MEM, 1, 0x1004, &got[1], 1),
		MEM(WRITE_MEM, 1, 0x2000, &one, 1), MEM(READ_MEM, 1, 0x1008, &got[2], 1),
	};
	size_t n_done;

	driver->break_address(0x1004);
	ck_assert_int_eq(run(probe, ops, PT_LEN(ops), &n_done, &err), PT_EFAULT);
	ck_assert_uint_eq(n_done, 1);
	ck_assert_uint_eq(got[0], (uint8_t)(0x1000 * 7));
	driver->break_address(0);
	clear_error(probe);
	ck_assert_msg(run(probe, ops, 2, &n_done, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(got[1], (uint8_t)(0x1004 * 7));
	ops[2].what = PT_BDC_READ_MEM;
	ck_assert_int_eq(run(probe, &ops[2], 1, &n_done, &err), 0);
	if (can(probe, PT_BDC_ACK_ENABLE))
		ck_assert_uint_ne(one, 0x77);
	pt_probe_close(probe);
}
END_TEST

/* 0xee that is really there is no error. */
START_TEST(bdc_takes_0xee_for_what_it_is)
{
	uint8_t ee[4] = { 0xee, 0xee, 0xee, 0xee }, got[4] = { 0 };
	struct pt_bdc_op ops[] = { MEM(WRITE_MEM, 4, 0x2000, ee, 1), MEM(READ_MEM, 4, 0x2000, got, 1) };
	size_t n_done;

	open_up(_i);
	ck_assert_msg(run(probe, ops, 2, &n_done, &err) == 0, "%s", err.msg);
	ck_assert_mem_eq(got, ee, 4);
	pt_probe_close(probe);
}
END_TEST

START_TEST(bdc_refuses_what_cannot_be_run)
{
	static const struct pt_bdc_op bad[] = {
		{ .what = PT_N_BDC_DOS }, { .what = PT_BDC_READ_MEM, .size_bytes = 3, .n = 1, .bytes = bytes },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = 2, .n = 1, .bytes = bytes },
		{ .what = PT_BDC_READ_RN, .crn = 13 }, { .what = PT_BDC_READ_DBGTB, .n = 1 },
	};
	size_t n_done, n_requests;

	open_up(_i);
	n_requests = contract_script.n_requests;
	for (size_t i = 0; i < PT_LEN(bad); i++) {
		struct pt_bdc_op ops[2] = { { .what = PT_BDC_READ_BDCCSR }, bad[i] };

		ck_assert_int_eq(run(probe, ops, 2, &n_done, &err), PT_EARG);
		ck_assert_uint_eq(n_done, 0);
	}
	for (unsigned what = 0; what < PT_N_BDC_DOS; what++) {
		struct pt_bdc_op op = { .what = (uint8_t)what, .size_bytes = 1, .n = 1, .bytes = bytes };

		if (!can(probe, what))
			ck_assert_int_eq(run(probe, &op, 1, &n_done, &err), PT_EUNSUPPORTED);
	}
	ck_assert_int_eq(run(probe, NULL, 0, &n_done, &err), 0);
	ck_assert_uint_eq(contract_script.n_requests, n_requests);
	pt_probe_close(probe);
}
END_TEST

/* Whatever the length of a row, and wherever packets end in it. */
START_TEST(bdc_rows_of_any_length)
{
	static uint8_t row[600];

	open_up(_i);
	for (uint32_t n = 1; n < 140; n += n < 20 ? 1 : 17)
		for (uint8_t size = 1; size <= 4; size = (uint8_t)(2 * size)) {
			struct pt_bdc_op ops[] = { MEM(READ_MEM, size, 0x3000, row, n),
						   MEM(WRITE_MEM, size, 0x5000, row, n),
						   MEM(READ_MEM, size, 0x5000, row, n) };
			size_t n_done;

			ck_assert_msg(run(probe, ops, 1, &n_done, &err) == 0, "%u of %u bytes: %s", n, size, err.msg);
			ck_assert_msg(as_made(row, 0x3000, n * size), "%u of %u bytes", n, size);
			ck_assert_msg(run(probe, &ops[1], 1, &n_done, &err) == 0, "%s", err.msg);
			memset(row, 0, sizeof(row));
			ck_assert_msg(run(probe, &ops[2], 1, &n_done, &err) == 0, "%s", err.msg);
			ck_assert_msg(as_made(row, 0x3000, n * size), "%u of %u bytes written", n, size);
		}
	pt_probe_close(probe);
}
END_TEST

START_TEST(bdc_with_status)
{
	const struct contract_driver *driver = open_up(_i);
	uint8_t got[8];
	struct pt_bdc_op op = MEM(READ_MEM, 2, 0x1000, got, 4);
	size_t n_done;

	op.ws = true;
	ck_assert_msg(run(probe, &op, 1, &n_done, &err) == 0, "%s", err.msg);
	ck_assert(as_made(got, 0x1000, 8));
	ck_assert_uint_eq(op.status, 0);
	if (!can(probe, PT_BDC_SYNC_PC))	/* its firmware has no such commands */
		return;
	driver->break_address(0x1002);
	ck_assert_msg(run(probe, &op, 1, &n_done, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(op.status, PT_BDC_ILLACC);
	pt_probe_close(probe);
}
END_TEST

START_TEST(bdc_samples_the_pc)
{
	uint8_t pcs[4 * 30];
	struct pt_bdc_op op = { .what = PT_BDC_SYNC_PC, .n = 30, .bytes = pcs };
	size_t n_done;

	open_up(_i);
	if (can(probe, PT_BDC_SYNC_PC)) {
		ck_assert_msg(run(probe, &op, 1, &n_done, &err) == 0, "%s", err.msg);
		for (unsigned i = 0; i < 30; i++)
			ck_assert_uint_eq(pt_le32(pcs + 4 * i), 0xff8000);
	}
	pt_probe_close(probe);
}
END_TEST

/* A long wait is given up when somebody calls, wherever it goes on. */
START_TEST(bdc_interrupts_long_waits)
{
	struct pt_bdc_op waits[] = {
		{ .what = PT_BDC_DELAY, .time_us = 100000000 },
		{ .what = PT_BDC_POLL, .addr = 0x1000, .mask = 1, .value = 1, .time_us = 100000000 },
	};
	size_t n_done;

	for (size_t i = 0; i < PT_LEN(waits); i++) {
		open_up(_i);
		contract_script.interrupt_at_ns = contract_script.now_ns + 20 * PT_NS_PER_MS;
		ck_assert_int_eq(run(probe, &waits[i], 1, &n_done, &err), PT_EINTERRUPTED);
		ck_assert_uint_eq(n_done, 0);
		ck_assert_uint_le(contract_script.now_ns, contract_script.interrupt_at_ns + 50 * PT_NS_PER_MS);
		contract_script.interrupt_at_ns = 0;
		ck_assert_msg(run_list(probe, &err) == 0, "%s", err.msg);
		pt_probe_close(probe);
	}
}
END_TEST

void contract_bdc_tests(TCase *tc, int i)
{
	tcase_add_loop_test(tc, bdc_refusal_names_the_operation, i, i + 1);
	tcase_add_loop_test(tc, bdc_takes_0xee_for_what_it_is, i, i + 1);
	tcase_add_loop_test(tc, bdc_refuses_what_cannot_be_run, i, i + 1);
	tcase_add_loop_test(tc, bdc_rows_of_any_length, i, i + 1);
	tcase_add_loop_test(tc, bdc_with_status, i, i + 1);
	tcase_add_loop_test(tc, bdc_samples_the_pc, i, i + 1);
	tcase_add_loop_test(tc, bdc_interrupts_long_waits, i, i + 1);
}
