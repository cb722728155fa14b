/* What every probe driver promises, whatever goes wrong on its link: each call of each driver is made with each fault
 * at each request it sends. The right code comes back, in time; the next call works, or the probe is gone for good. */
#include <string.h>

#include "harness.h"
#include "probe_contract.h"
#include "probes/registry.h"

struct pt_script contract_script;

void contract_fresh(const struct contract_driver *driver)
{
	memset(&contract_script, 0, sizeof(contract_script));
	contract_script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = 4096, .depth = 8 };
	contract_script.packet_ns = 10000;
	contract_script.turn_ns = 125000;
	contract_script.late_ns = 3 * PT_NS_PER_S;
	driver->make(&contract_script);
}

struct pt_probe *contract_open(const struct contract_driver *driver, struct pt_err *err)
{
	if (driver->connects)
		contract_script.n_queued = 0;
	return pt_probe_open_link(driver->ops, pt_script_link(&contract_script), NULL, err);
}

static const struct expect {
	enum pt_script_fault fault;
	int rc;			/* 0: any */
} expects[] = {
	{ PT_SCRIPT_SILENT, PT_ETIMEOUT }, { PT_SCRIPT_LATE, PT_ETIMEOUT }, { PT_SCRIPT_SHORT, PT_EPROTO },
	{ PT_SCRIPT_EMPTY, PT_EPROTO }, { PT_SCRIPT_WRONG, PT_EPROTO }, { PT_SCRIPT_GARBAGE, 0 },
	{ PT_SCRIPT_OVERSIZE, PT_EPROTO }, { PT_SCRIPT_UNPLUG, PT_EIO }, { PT_SCRIPT_UNPLUG_IN_FLIGHT, PT_EIO },
	{ PT_SCRIPT_INTERRUPT, PT_EINTERRUPTED },
};

/* Nobody need see it. */
static bool may_pass(const struct contract_driver *driver, const struct expect *expect)
{
	return expect->rc == 0 || (driver->formless && expect->fault == PT_SCRIPT_WRONG);
}

static void check_code(const struct contract_driver *driver, const struct expect *expect, const char *name, size_t at,
		       int rc, const struct pt_err *err)
{
	if (may_pass(driver, expect) || (contract_script.unanswered && expect->fault != PT_SCRIPT_UNPLUG))
		return;
	if (expect->fault == PT_SCRIPT_SHORT && contract_script.fault_done)
		return;		/* it was no longer to begin with */
	/* Of several responses in flight a lost one shows first as the wrong answer to its request. */
	if (expect->fault == PT_SCRIPT_SILENT && rc == PT_EPROTO)
		return;
	ck_assert_msg(rc == expect->rc, "%s, fault %d at request %zu: %d (%s), not %d", name, expect->fault, at, rc,
		      err->msg, expect->rc);
	ck_assert_msg(err->msg[0] != 0, "%s, fault %d at request %zu: no sentence", name, expect->fault, at);
}

/* After a fault that is over, at most one more call may fail before everything works again. */
static void check_recovers(const struct contract_driver *driver, const char *name, struct pt_probe *probe)
{
	struct pt_err err = { 0 };
	int rc = driver->wire->list(probe, &err);

	if (rc == PT_EFAULT || rc == PT_EPROTO) {
		driver->wire->clear(probe);
		rc = driver->wire->list(probe, &err);
	}
	if (rc == PT_ETIMEOUT) {
		contract_script.now_ns += contract_script.late_ns;
		rc = driver->wire->list(probe, &err);
	}
	ck_assert_msg(rc == 0, "%s after %s, fault %d at request %zu: %s", driver->ops->name, name,
		      contract_script.fault, contract_script.fault_at, err.msg);
}

static void expect_gone(const struct contract_driver *driver, struct pt_probe *probe)
{
	for (size_t i = 0; i < driver->wire->n_calls; i++) {
		const struct contract_call *call = &driver->wire->calls[i];
		struct pt_err err = { 0 };

		ck_assert_msg(call->run(probe, &err) == PT_EIO, "%s: %s on a probe that is gone: %s", driver->ops->name,
			      call->name, err.msg);
	}
}

static void plug_in(const struct contract_driver *driver)
{
	if (contract_script.gone && driver->replug != NULL)
		driver->replug();
	contract_script.fault = PT_SCRIPT_FINE;
	contract_script.gone = false;
	contract_script.now_ns += contract_script.late_ns;
}

/* The same device, plugged in again if need be, with whatever the fault left in its pipe. */
static void check_reopens(const struct contract_driver *driver, const char *name)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe;

	plug_in(driver);
	probe = contract_open(driver, &err);
	ck_assert_msg(probe != NULL, "reopen after %s, fault at request %zu: %s", name, contract_script.fault_at,
		      err.msg);
	ck_assert_int_eq(driver->wire->bring_up(probe, &err), 0);
	driver->wire->clear(probe);
	ck_assert_msg(driver->wire->list(probe, &err) == 0, "reopened after %s: %s", name, err.msg);
	pt_probe_close(probe);
}

/* One call with one fault at its i-th request. False: it does not make that many requests. */
static bool call_with_fault(const struct contract_driver *driver, const struct contract_call *call,
			    const struct expect *expect, size_t i)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	uint64_t began_ns;
	bool hit;
	int rc;

	contract_fresh(driver);
	probe = contract_open(driver, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	contract_script.fault_at = contract_script.n_requests + i;
	contract_script.fault = expect->fault;
	began_ns = contract_script.now_ns;
	rc = call->run(probe, &err);
	hit = contract_script.gone || contract_script.n_requests > contract_script.fault_at;
	if (hit) {
		check_code(driver, expect, call->name, i, rc, &err);
		ck_assert_uint_le(contract_script.now_ns - began_ns, 2 * PT_NS_PER_S);
		if (contract_script.gone)
			expect_gone(driver, probe);
		else
			check_recovers(driver, call->name, probe);
	}
	pt_probe_close(probe);
	ck_assert_uint_eq(contract_script.n_closed, 1);
	if (hit)
		check_reopens(driver, call->name);
	return hit;
}

START_TEST(survives_faults_in_calls)
{
	const struct contract_wire *wire = contract_drivers[_i].wire;

	for (size_t c = 0; c < wire->n_calls; c++)
		for (size_t e = 0; e < PT_LEN(expects); e++) {
			size_t i = 0;

			while (call_with_fault(&contract_drivers[_i], &wire->calls[c], &expects[e], i))
				i++;
			ck_assert_uint_gt(i, 0);
		}
}
END_TEST

/* One open with one fault. A probe that cannot be opened leaves nothing behind, and can be opened later. */
static bool open_with_fault(const struct contract_driver *driver, const struct expect *expect, size_t i)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe;
	bool hit;

	contract_fresh(driver);
	contract_script.fault_at = i;
	contract_script.fault = expect->fault;
	probe = contract_open(driver, &err);
	hit = contract_script.gone || contract_script.n_requests > i;
	if (hit && !may_pass(driver, expect) && (!contract_script.unanswered || contract_script.gone)) {
		ck_assert_msg(probe == NULL, "opened in spite of fault %d at request %zu", expect->fault, i);
		check_code(driver, expect, "open", i, err.code, &err);
	}
	ck_assert_uint_le(contract_script.now_ns, 2 * PT_NS_PER_S);
	pt_probe_close(probe);
	ck_assert_uint_eq(contract_script.n_closed, 1);
	plug_in(driver);
	probe = contract_open(driver, &err);
	ck_assert_msg(probe != NULL, "reopen after fault %d at request %zu: %s", expect->fault, i, err.msg);
	pt_probe_close(probe);
	return hit;
}

START_TEST(survives_faults_in_open)
{
	for (size_t e = 0; e < PT_LEN(expects); e++) {
		size_t i = 0;

		while (open_with_fault(&contract_drivers[_i], &expects[e], i))
			i++;
		ck_assert_uint_ge(i, contract_drivers[_i].opens_with);
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

			contract_fresh(&contract_drivers[_i]);
			probe = contract_open(&contract_drivers[_i], &err);
			contract_script.fault_at = contract_script.n_requests + i;
			contract_script.fault = expects[e].fault;
			began_ns = contract_script.now_ns;
			pt_probe_close(probe);
			ck_assert_uint_eq(contract_script.n_closed, 1);
			ck_assert_uint_le(contract_script.now_ns - began_ns, 2 * PT_NS_PER_S);
		}
}
END_TEST

/* An interrupt that comes while nothing is under way cuts the next call, once. */
START_TEST(interrupt_is_not_lost)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe;

	contract_fresh(&contract_drivers[_i]);
	probe = contract_open(&contract_drivers[_i], &err);
	pt_probe_interrupt(probe);
	ck_assert_int_eq(contract_drivers[_i].wire->list(probe, &err), PT_EINTERRUPTED);
	ck_assert_int_eq(contract_drivers[_i].wire->list(probe, &err), 0);
	pt_probe_close(probe);
}
END_TEST

/* A driver that nobody gave a device to would be tested by nothing. One that makes its link itself takes none by script:
 * rsp has its clauses in tests/test_gdb_server.c, logic in tests/test_logic.c. */
START_TEST(every_driver_has_a_device)
{
#define X(drv) &pt_##drv##_ops,
	static const struct pt_probe_ops *const drivers[] = { PT_PROBE_DRIVERS(X) };
#undef X

	for (size_t i = 0; i < PT_LEN(drivers); i++) {
		bool has = drivers[i]->connect != NULL;

		for (size_t n = 0; n < contract_n_drivers; n++)
			has = has || contract_drivers[n].ops == drivers[i];
		ck_assert_msg(has, "%s has no row in tests/probe_contract_devices.c", drivers[i]->name);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe_contract");
	TCase *tc = tcase_create("drivers");
	int n = (int)contract_n_drivers;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, every_driver_has_a_device);
	tcase_add_loop_test(tc, survives_faults_in_calls, 0, n);
	tcase_add_loop_test(tc, survives_faults_in_open, 0, n);
	tcase_add_loop_test(tc, closes_in_time_whatever_happens, 0, n);
	tcase_add_loop_test(tc, interrupt_is_not_lost, 0, n);
	for (int i = 0; i < n; i++)
		if (contract_drivers[i].tests != NULL)
			contract_drivers[i].tests(tc, i);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
