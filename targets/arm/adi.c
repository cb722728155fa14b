/* The SW-DP. Everything is a batch; SELECT is written only when it changes. An error in a batch leaves the port in
 * one of three states, and each has its way back: sticky flags (clear them), an access that never ends (abort it), a
 * wire that does not answer (connect anew, and notice whether the chip had lost power). */
#include <string.h>

#include "targets/arm/adi.h"
#include "base/util.h"

enum { BATCH_MS = 1000, POWER_UP_MS = 1000, POLL_US = 5000 };

/* CTRL/STAT. Source: IHI 0031, 2.3.2 */
#define POWER_UP_REQUEST UINT32_C(0x50000000)	/* CSYSPWRUPREQ, CDBGPWRUPREQ */
#define POWER_UP_ACK UINT32_C(0xa0000000)	/* CSYSPWRUPACK, CDBGPWRUPACK */

void pt_adi_init(struct pt_adi *adi, const struct pt_dap_ops *dap, void *wire, struct pt_link *link)
{
	memset(adi, 0, sizeof(*adi));
	adi->dap = dap;
	adi->wire = wire;
	adi->link = link;
}

static int run(struct pt_adi *adi, struct pt_dap_op *ops, size_t n_ops, size_t *n_done, struct pt_err *err)
{
	return adi->dap->run(adi->wire, ops, n_ops, BATCH_MS, n_done, err);
}

/* Clear, ask for power, wait. Returns 0 or 1 (not yet acknowledged). */
static int ask_for_power(struct pt_adi *adi, uint32_t *found, struct pt_err *err)
{
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .a = DP_ABORT, .value = ABORT_CLEAR },
		{ .what = PT_DAP_WRITE, .a = DP_SELECT, .value = 0 },	/* DPBANKSEL 0: else 4 is not CTRL/STAT */
		{ .what = PT_DAP_READ, .a = DP_CTRL_STAT, .words = found },
		{ .what = PT_DAP_WRITE, .a = DP_CTRL_STAT, .value = POWER_UP_REQUEST },
		{ .what = PT_DAP_POLL, .a = DP_CTRL_STAT, .value = POWER_UP_ACK, .mask = POWER_UP_ACK,
		  .time_us = POLL_US },
	};
	size_t n_done = 0;
	int rc = run(adi, ops, PT_LEN(ops), &n_done, err);

	if (rc < 0)
		return rc;
	adi->select = 0;
	adi->select_known = true;
	return n_done == PT_LEN(ops) ? 0 : 1;
}

static int power_up(struct pt_adi *adi, struct pt_err *err)
{
	uint64_t deadline_ns = pt_link_now_ns(adi->link) + POWER_UP_MS * PT_NS_PER_MS;
	uint32_t found = 0;
	int rc = ask_for_power(adi, &found, err);

	if (rc >= 0 && (found & POWER_UP_ACK) != POWER_UP_ACK)
		adi->power_lost = true;
	while (rc == 1 && pt_link_now_ns(adi->link) < deadline_ns)
		rc = ask_for_power(adi, &found, err);
	if (rc == 1)
		return pt_fail(err, PT_ETIMEOUT, "the chip does not power its debug port up");
	return rc;
}

int pt_adi_connect(struct pt_adi *adi, struct pt_err *err)
{
	struct pt_dap_op dpidr = { .what = PT_DAP_READ, .a = DP_DPIDR, .words = &adi->dpidr };
	size_t n_done = 0;

	adi->select_known = false;
	if (adi->dap->connect(adi->wire, PT_DAP_SWD, err) < 0)
		return pt_wrap(err, "bring up the debug port");
	if (run(adi, &dpidr, 1, &n_done, err) < 0)
		return pt_wrap(err, "no chip answers: check power and cable");
	if (power_up(adi, err) < 0)
		return pt_wrap(err, "power up the debug port (DPIDR 0x%08x)", (unsigned)adi->dpidr);
	return 0;
}

bool pt_adi_select(struct pt_adi *adi, uint8_t ap, uint8_t reg, struct pt_dap_op *op)
{
	uint32_t select = (uint32_t)ap << 24 | (reg & 0xf0u);

	if (adi->select_known && adi->select == select)
		return false;
	adi->select = select;
	adi->select_known = true;
	*op = (struct pt_dap_op){ .what = PT_DAP_WRITE, .a = DP_SELECT, .value = select };
	return true;
}

/* Make the port usable after rc. What cannot be done now shows at the next batch, so errors are dropped here. */
static void recover(struct pt_adi *adi, int rc)
{
	struct pt_err ignored = { 0 };

	adi->select_known = false;
	if (rc == PT_ETIMEOUT && adi->dap->write_abort(adi->wire, ABORT_DAP, &ignored) == PT_ETIMEOUT)
		return;		/* it is the probe that does not answer */
	if (rc == PT_EFAULT || rc == PT_ETIMEOUT)
		adi->dap->write_abort(adi->wire, ABORT_CLEAR, &ignored);
	if (rc == PT_EPROTO)
		pt_adi_connect(adi, &ignored);
}

int pt_adi_run(struct pt_adi *adi, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err)
{
	int rc = adi->dap->run(adi->wire, ops, n_ops, timeout_ms, n_done, err);

	if (rc < 0)
		recover(adi, rc);
	return rc;
}

static int run_ap(struct pt_adi *adi, uint8_t ap, uint8_t reg, const struct pt_dap_op *access, struct pt_err *err)
{
	struct pt_dap_op ops[2];
	size_t n = pt_adi_select(adi, ap, reg, &ops[0]) ? 1 : 0, n_done = 0;

	ops[n] = *access;
	ops[n].ap = true;
	ops[n].a = reg & 0xc;
	if (pt_adi_run(adi, ops, n + 1, BATCH_MS, &n_done, err) < 0)
		return pt_wrap(err, "register 0x%02x of access port %u", reg, ap);
	return 0;
}

int pt_adi_read_ap(struct pt_adi *adi, uint8_t ap, uint8_t reg, uint32_t *value, struct pt_err *err)
{
	return run_ap(adi, ap, reg, &(struct pt_dap_op){ .what = PT_DAP_READ, .words = value }, err);
}

int pt_adi_write_ap(struct pt_adi *adi, uint8_t ap, uint8_t reg, uint32_t value, struct pt_err *err)
{
	return run_ap(adi, ap, reg, &(struct pt_dap_op){ .what = PT_DAP_WRITE, .value = value }, err);
}

int pt_adi_read_ap_often(struct pt_adi *adi, uint8_t ap, uint8_t reg, uint32_t *words, uint32_t n_words,
			 struct pt_err *err)
{
	return run_ap(adi, ap, reg,
		      &(struct pt_dap_op){ .what = PT_DAP_READ_BLOCK, .words = words, .n_words = n_words }, err);
}
