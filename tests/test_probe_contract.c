/* What every probe driver promises, whatever goes wrong on its link: each call of each driver is made with each fault
 * at each request it sends. The right code comes back, in time; the next call works, or the probe is gone for good. */
#include <string.h>

#include "fake_cmsis_dap.h"
#include "harness.h"
#include "probes/probe.h"
#include "scripted_link.h"

enum { SECOND_MS = 1000 };

/* --- one fixture per driver: a device that answers it, with memory at FAKE_DAP_BASE behind its first AP */

static struct fake_cmsis_dap fake;

static void make_cmsis_dap(struct pt_script *script)
{
	fake_cmsis_dap_init(&fake, 64, 4);
	script->answer = fake_cmsis_dap_answer;
	script->arg = &fake;
}

static void break_cmsis_dap(uint32_t fault_addr)
{
	fake.fault_addr = fault_addr;
}

static const struct driver {
	const struct pt_probe_ops *ops;
	void (*make)(struct pt_script *script);
	void (*break_address)(uint32_t fault_addr);
} drivers[] = {
#define X(drv) { &pt_##drv##_ops, make_##drv, break_##drv },
	PT_PROBE_DRIVERS(X)
#undef X
};

static struct pt_script script;

static struct pt_script *fresh(const struct driver *driver)
{
	memset(&script, 0, sizeof(script));
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = 4096, .depth = 8 };
	script.packet_ns = 10000;
	script.turn_ns = 125000;
	script.late_ns = 3 * PT_NS_PER_S;
	driver->make(&script);
	return &script;
}

static struct pt_probe *open_probe(const struct driver *driver, struct pt_err *err)
{
	return pt_probe_open_link(driver->ops, pt_script_link(&script), NULL, err);
}

/* --- the calls */

static int run_connect(const struct pt_dap_ops *dap, void *wire, struct pt_err *err)
{
	return dap->connect(wire, PT_DAP_SWD, err);
}

enum { LIST_WORDS = 40 };

/* Moves TAR about, so that a list out of order reads other words. 0 when the words are right, too. */
static int run_list(const struct pt_dap_ops *dap, void *wire, struct pt_err *err)
{
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
		{ .what = PT_DAP_POLL, .a = 4, .mask = 1, .value = 0, .time_us = 1000 },
		{ .what = PT_DAP_READ, .a = 0, .words = &one },
	};
	size_t n_done;
	int rc = dap->run(wire, ops, PT_LEN(ops), SECOND_MS, &n_done, err);

	if (rc < 0)
		return rc;
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	for (uint32_t i = 0; i < LIST_WORDS; i++)
		if (in[i] != 0x5a000000 + i)
			return pt_fail(err, PT_EARG, "word %u is 0x%x", i, in[i]);
	return back == 22 && one == 0x0bc11477 ? 0 : pt_fail(err, PT_EARG, "read 0x%x and 0x%x", back, one);
}

static int run_abort(const struct pt_dap_ops *dap, void *wire, struct pt_err *err)
{
	return dap->write_abort(wire, 0x1e, err);
}

static int run_sequence(const struct pt_dap_ops *dap, void *wire, struct pt_err *err)
{
	uint8_t bits[40];

	memset(bits, 0xff, sizeof(bits));
	return dap->sequence(wire, bits, 8 * sizeof(bits) - 3, err);
}

static int run_speed(const struct pt_dap_ops *dap, void *wire, struct pt_err *err)
{
	uint32_t used;

	return dap->set_speed(wire, 2000000, &used, err);
}

static int run_reset(const struct pt_dap_ops *dap, void *wire, struct pt_err *err)
{
	return dap->set_reset(wire, true, err);
}

static const struct call {
	const char *name;
	int (*run)(const struct pt_dap_ops *dap, void *wire, struct pt_err *err);
} calls[] = {
	{ "connect", run_connect }, { "run", run_list }, { "write_abort", run_abort }, { "sequence", run_sequence },
	{ "set_speed", run_speed }, { "set_reset", run_reset },
};

static const struct expect {
	enum pt_script_fault fault;
	int rc;			/* 0: any */
} expects[] = {
	{ PT_SCRIPT_SILENT, PT_ETIMEOUT }, { PT_SCRIPT_LATE, PT_ETIMEOUT }, { PT_SCRIPT_SHORT, PT_EPROTO },
	{ PT_SCRIPT_EMPTY, PT_EPROTO }, { PT_SCRIPT_WRONG, PT_EPROTO }, { PT_SCRIPT_GARBAGE, 0 },
	{ PT_SCRIPT_OVERSIZE, PT_EPROTO }, { PT_SCRIPT_UNPLUG, PT_EIO }, { PT_SCRIPT_UNPLUG_IN_FLIGHT, PT_EIO },
	{ PT_SCRIPT_INTERRUPT, PT_EINTERRUPTED },
};

static void check_code(const struct expect *expect, const char *name, size_t at, int rc, const struct pt_err *err)
{
	if (expect->rc == 0)
		return;
	/* Of several responses in flight a lost one shows first as the wrong answer to its request. */
	if (expect->fault == PT_SCRIPT_SILENT && rc == PT_EPROTO)
		return;
	ck_assert_msg(rc == expect->rc, "%s, fault %d at request %zu: %d (%s), not %d", name, expect->fault, at, rc,
		      err->msg, expect->rc);
	ck_assert_msg(err->msg[0] != 0, "%s, fault %d at request %zu: no sentence", name, expect->fault, at);
}

/* After a fault that is over, at most one more call may fail before everything works again. */
static void check_recovers(const struct driver *driver, const char *name, const struct pt_dap_ops *dap, void *wire)
{
	struct pt_err err = { 0 };
	int rc = run_list(dap, wire, &err);

	if (rc == PT_EFAULT || rc == PT_EPROTO) {
		run_abort(dap, wire, &err);
		rc = run_list(dap, wire, &err);
	}
	if (rc == PT_ETIMEOUT) {
		script.now_ns += script.late_ns;
		rc = run_list(dap, wire, &err);
	}
	ck_assert_msg(rc == 0, "%s after %s, fault %d at request %zu: %s", driver->ops->name, name, script.fault,
		      script.fault_at, err.msg);
}

static void expect_gone(const struct pt_dap_ops *dap, void *wire)
{
	for (size_t i = 0; i < PT_LEN(calls); i++) {
		struct pt_err err = { 0 };

		ck_assert_msg(calls[i].run(dap, wire, &err) == PT_EIO, "%s on a probe that is gone: %s", calls[i].name,
			      err.msg);
	}
}

/* The same device, plugged in again if need be, with whatever the fault left in its pipe. */
static void check_reopens(const struct driver *driver, const char *name)
{
	struct pt_err err = { 0 };
	const struct pt_dap_ops *dap;
	struct pt_probe *probe;
	void *wire;

	script.fault = PT_SCRIPT_FINE;
	script.gone = false;
	script.now_ns += script.late_ns;
	probe = open_probe(driver, &err);
	ck_assert_msg(probe != NULL, "reopen after %s, fault at request %zu: %s", name, script.fault_at, err.msg);
	dap = pt_probe_dap(probe, &wire);
	ck_assert_int_eq(run_connect(dap, wire, &err), 0);
	run_abort(dap, wire, &err);
	ck_assert_msg(run_list(dap, wire, &err) == 0, "reopened after %s: %s", name, err.msg);
	pt_probe_close(probe);
}

/* One call with one fault at its i-th request. False: it does not make that many requests. */
static bool call_with_fault(const struct driver *driver, const struct call *call, const struct expect *expect, size_t i)
{
	struct pt_err err = { 0 };
	const struct pt_dap_ops *dap;
	struct pt_probe *probe;
	uint64_t began_ns;
	void *wire;
	bool hit;
	int rc;

	fresh(driver);
	probe = open_probe(driver, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	dap = pt_probe_dap(probe, &wire);
	script.fault_at = script.n_requests + i;
	script.fault = expect->fault;
	began_ns = script.now_ns;
	rc = call->run(dap, wire, &err);
	hit = script.gone || script.n_requests > script.fault_at;
	if (hit) {
		check_code(expect, call->name, i, rc, &err);
		ck_assert_uint_le(script.now_ns - began_ns, 2 * PT_NS_PER_S);
		if (script.gone)
			expect_gone(dap, wire);
		else
			check_recovers(driver, call->name, dap, wire);
	}
	pt_probe_close(probe);
	ck_assert_uint_eq(script.n_closed, 1);
	if (hit)
		check_reopens(driver, call->name);
	return hit;
}

START_TEST(survives_faults_in_calls)
{
	for (size_t c = 0; c < PT_LEN(calls); c++)
		for (size_t e = 0; e < PT_LEN(expects); e++) {
			size_t i = 0;

			while (call_with_fault(&drivers[_i], &calls[c], &expects[e], i))
				i++;
			ck_assert_uint_gt(i, 0);
		}
}
END_TEST

/* One open with one fault. A probe that cannot be opened leaves nothing behind, and can be opened later. */
static bool open_with_fault(const struct driver *driver, const struct expect *expect, size_t i)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	bool hit;

	fresh(driver);
	script.fault_at = i;
	script.fault = expect->fault;
	probe = open_probe(driver, &err);
	hit = script.gone || script.n_requests > i;
	if (hit && expect->rc != 0) {
		ck_assert_msg(probe == NULL, "opened in spite of fault %d at request %zu", expect->fault, i);
		check_code(expect, "open", i, err.code, &err);
	}
	ck_assert_uint_le(script.now_ns, 2 * PT_NS_PER_S);
	pt_probe_close(probe);
	ck_assert_uint_eq(script.n_closed, 1);
	script.fault = PT_SCRIPT_FINE;
	script.gone = false;
	script.now_ns += script.late_ns;
	probe = open_probe(driver, &err);
	ck_assert_msg(probe != NULL, "reopen after fault %d at request %zu: %s", expect->fault, i, err.msg);
	pt_probe_close(probe);
	return hit;
}

START_TEST(survives_faults_in_open)
{
	for (size_t e = 0; e < PT_LEN(expects); e++) {
		size_t i = 0;

		while (open_with_fault(&drivers[_i], &expects[e], i))
			i++;
		ck_assert_uint_gt(i, 2);
	}
}
END_TEST

START_TEST(closes_in_time_whatever_happens)
{
	for (size_t e = 0; e < PT_LEN(expects); e++)
		for (size_t i = 0; i < 4; i++) {
			struct pt_err err = { 0 };
			struct pt_probe *probe;
			uint64_t began_ns;

			fresh(&drivers[_i]);
			probe = open_probe(&drivers[_i], &err);
			script.fault_at = script.n_requests + i;
			script.fault = expects[e].fault;
			began_ns = script.now_ns;
			pt_probe_close(probe);
			ck_assert_uint_eq(script.n_closed, 1);
			ck_assert_uint_le(script.now_ns - began_ns, 2 * PT_NS_PER_S);
		}
}
END_TEST

/* FAULT stays until it is cleared, and names the operation. */
START_TEST(error_is_sticky)
{
	const struct driver *driver = &drivers[_i];
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

	fresh(driver);
	driver->break_address(FAKE_DAP_BASE + 0x204);
	probe = open_probe(driver, &err);
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	ck_assert_int_eq(dap->run(wire, ops, PT_LEN(ops), SECOND_MS, &n_done, &err), PT_EFAULT);
	ck_assert_uint_ge(n_done, 2);	/* not past the one that failed, and not before the one ahead of it */
	ck_assert_uint_le(n_done, 3);
	ck_assert_int_eq(dap->run(wire, ops, PT_LEN(ops), SECOND_MS, &n_done, &err), PT_EFAULT);
	ck_assert_uint_eq(n_done, 0);
	driver->break_address(0);
	ck_assert_int_eq(dap->write_abort(wire, 0x1e, &err), 0);
	ck_assert_int_eq(dap->run(wire, ops, PT_LEN(ops), SECOND_MS, &n_done, &err), 0);
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

	fresh(&drivers[_i]);
	probe = open_probe(&drivers[_i], &err);
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	n_requests = script.n_requests;
	for (size_t i = 0; i < PT_LEN(bad); i++) {
		struct pt_dap_op ops[2] = { bad[i][0], bad[i][1] };

		ck_assert_int_eq(dap->run(wire, ops, ops[1].what != 0 ? 2 : 1, SECOND_MS, &n_done, &err), PT_EARG);
		ck_assert_uint_eq(n_done, 0);
	}
	ck_assert_int_eq(dap->run(wire, NULL, 0, SECOND_MS, &n_done, &err), 0);
	ck_assert_uint_eq(script.n_requests, n_requests);
	pt_probe_close(probe);
}
END_TEST

/* An interrupt that comes while nothing is under way cuts the next call, once. */
START_TEST(interrupt_is_not_lost)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	void *wire;

	fresh(&drivers[_i]);
	probe = open_probe(&drivers[_i], &err);
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	pt_probe_interrupt(probe);
	ck_assert_int_eq(run_list(dap, wire, &err), PT_EINTERRUPTED);
	ck_assert_int_eq(run_list(dap, wire, &err), 0);
	pt_probe_close(probe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe_contract");
	TCase *tc = tcase_create("drivers");
	int n = (int)PT_LEN(drivers);

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, survives_faults_in_calls, 0, n);
	tcase_add_loop_test(tc, survives_faults_in_open, 0, n);
	tcase_add_loop_test(tc, closes_in_time_whatever_happens, 0, n);
	tcase_add_loop_test(tc, error_is_sticky, 0, n);
	tcase_add_loop_test(tc, refuses_what_cannot_be_run, 0, n);
	tcase_add_loop_test(tc, interrupt_is_not_lost, 0, n);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
