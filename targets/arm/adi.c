/* The SW-DP. Everything is a batch; SELECT is written only when it changes. An error in a batch leaves the port in one
 * of three states, each with its recovery: sticky flags (cleared), an access that does not end (aborted), a wire that
 * does not answer (connected again, with a check whether the chip had lost power). */
#include <string.h>

#include "targets/arm/adi.h"
#include "base/util.h"

enum { BATCH_MS = 1000, POWER_UP_MS = 1000, POLL_US = 5000 };

enum { BANK_TARGETID = 2, SAME_CHIP = 0x0fffffff };	/* the bits of TARGETSEL that all ports of a chip share */

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

/* Clears flags, requests power, and waits. Returns 0 or 1 (not yet acknowledged). */
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
		adi->power_losses++;
	while (rc == 1 && pt_link_now_ns(adi->link) < deadline_ns)
		rc = ask_for_power(adi, &found, err);
	if (rc == 1)
		return pt_fail(err, PT_ETIMEOUT, "the chip does not power its debug port up");
	return rc;
}

/* --- one of several ports on a wire ------------------------------------------------------------------------------- */

/* TARGETSEL is written first after a line reset, and no port acknowledges it. Each byte LSB first. Source: IHI 0031,
 * "Target selection protocol". */
static int write_targetsel(struct pt_adi *adi, uint32_t targetsel, const uint8_t *before, size_t n_bytes,
			   struct pt_err *err)
{
	enum { REQUEST = 0x99, UNDRIVEN = 0x1f, UNDRIVEN_BITS = 5, BITS = 8 + UNDRIVEN_BITS + 32 + 1, MOST_BYTES = 28 };
	uint64_t write = REQUEST | UNDRIVEN << 8 | (uint64_t)targetsel << (8 + UNDRIVEN_BITS) |
			 (uint64_t)__builtin_parity(targetsel) << (BITS - 1);
	uint8_t bits[MOST_BYTES + 8];

	memcpy(bits, before, n_bytes);
	pt_put_le64(bits + n_bytes, write);
	return adi->dap->sequence(adi->wire, bits, 8 * n_bytes + BITS, err);
}

/* Switches from the dormant state to SWD, and resets the line. Source: IHI 0031, "Dormant operation". */
static int wake_and_select(struct pt_adi *adi, uint32_t targetsel, struct pt_err *err)
{
	static const uint8_t wake[] = {
		0xff, 0x92, 0xf3, 0x09, 0x62, 0x95, 0x2d, 0x85, 0x86, 0xe9, 0xaf, 0xdd, 0xe3, 0xa2, 0x0e, 0xbc, 0x19,
		0xa0, 0xf1, 0xff,	/* 4 lows, the activation code 0x1a, highs */
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00,
	};

	return write_targetsel(adi, targetsel, wake, sizeof(wake), err);
}

/* All ports of the wire are awake. A port that has lost its power was woken together with another one that had, and
 * must be asked again. */
static int select_anew(struct pt_adi *adi, struct pt_err *err)
{
	static const uint8_t line_reset[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00 };
	uint32_t power = 0;
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ, .a = DP_DPIDR, .words = &adi->dpidr },
		{ .what = PT_DAP_WRITE, .a = DP_SELECT, .value = 0 },
		{ .what = PT_DAP_READ, .a = DP_CTRL_STAT, .words = &power },
	};
	size_t n_done = 0;
	int rc;

	adi->select_known = false;
	if (write_targetsel(adi, adi->targetsel, line_reset, sizeof(line_reset), err) < 0)
		return pt_wrap(err, "select one of several debug ports on the wire");
	rc = run(adi, ops, PT_LEN(ops), &n_done, err);
	if (rc < 0)
		return rc;
	adi->select = 0;
	adi->select_known = true;
	return (power & POWER_UP_ACK) == POWER_UP_ACK ? 0 : power_up(adi, err);
}

static int read_dpidr(struct pt_adi *adi, uint32_t targetsel, struct pt_err *err)
{
	struct pt_dap_op dpidr = { .what = PT_DAP_READ, .a = DP_DPIDR, .words = &adi->dpidr };
	size_t n_done = 0;
	int rc;

	adi->select_known = false;
	if (adi->dap->connect(adi->wire, PT_DAP_SWD, err) < 0)
		return pt_wrap(err, "bring up the debug port");
	if (targetsel != 0 && wake_and_select(adi, targetsel, err) < 0)
		return pt_wrap(err, "select one of several debug ports on the wire");
	rc = run(adi, &dpidr, 1, &n_done, err);
	if (rc < 0 && targetsel != 0)
		return pt_wrap(err, "no debug port answers to swd-target=0x%08x: check the number, power and cable",
			       (unsigned)targetsel);
	return rc < 0 ? pt_wrap(err, "no chip answers: check power and cable") : 0;
}

/* After a line reset, until TARGETSEL is written, all ports of a wire answer at once. Power must not be requested then:
 * the third port of an RP2040 would reset the chip. */
static int answers_with_others(struct pt_adi *adi, struct pt_err *err)
{
	uint32_t targetid = 0;
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .a = DP_ABORT, .value = ABORT_CLEAR },
		{ .what = PT_DAP_WRITE, .a = DP_SELECT, .value = BANK_TARGETID },
		{ .what = PT_DAP_READ, .a = DP_CTRL_STAT, .words = &targetid },
	};
	size_t n_done = 0;

	if (adi->shared[0] == 0 || adi->dap->own_taps ||
	    (adi->dpidr >> 12 & 0xf) < 2) /* version 1 has no such register */
		return 0;
	if (run(adi, ops, PT_LEN(ops), &n_done, err) < 0)
		return pt_wrap(err, "read TARGETID");
	for (size_t i = 0; i < PT_ADI_SHARED; i++)
		if (adi->shared[i] != 0 && ((adi->shared[i] ^ targetid) & SAME_CHIP) == 0)
			return 1;
	return 0;
}

/* If none answers, the error is that of the single port. */
static int find_shared(struct pt_adi *adi, struct pt_err *err)
{
	struct pt_err ignored = { 0 };

	for (size_t i = 0; i < PT_ADI_SHARED && adi->shared[i] != 0; i++)
		if (read_dpidr(adi, adi->shared[i], &ignored) == 0) {
			adi->targetsel = adi->shared[i];
			return 0;
		}
	return err->code;
}

static int find_port(struct pt_adi *adi, struct pt_err *err)
{
	int rc = read_dpidr(adi, adi->targetsel, err);

	if (adi->targetsel != 0)
		return rc;
	if (rc == 0)
		rc = answers_with_others(adi, err);
	if (rc == 1)
		rc = pt_fail(err, PT_EPROTO, "several debug ports share the wire, and none could be selected");
	return rc == PT_EPROTO ? find_shared(adi, err) : rc;
}

int pt_adi_connect(struct pt_adi *adi, struct pt_err *err)
{
	if (adi->selected != NULL)
		*adi->selected = NULL;
	if (find_port(adi, err) < 0)
		return err->code;
	if (adi->targetsel == 0)
		memset(adi->shared, 0, sizeof(adi->shared));	/* it is alone, and need not be looked for again */
	if (power_up(adi, err) < 0)
		return pt_wrap(err, "power up the debug port (DPIDR 0x%08x)", (unsigned)adi->dpidr);
	if (adi->selected != NULL)
		*adi->selected = adi;
	return 0;
}

/* A port that has slept since then, or lost its power, needs a new connection. */
int pt_adi_begin(struct pt_adi *adi, struct pt_err *err)
{
	struct pt_err own = { 0 };
	int rc;

	if (adi->selected == NULL || *adi->selected == adi)
		return 0;
	err = err != NULL ? err : &own;
	*adi->selected = NULL;
	rc = select_anew(adi, err);
	if (rc == PT_EPROTO)
		return pt_adi_connect(adi, err);
	if (rc == 0)
		*adi->selected = adi;
	return rc;
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

/* Makes the port usable after the error rc. Errors are dropped here, because they show again at the next batch. */
static void recover(struct pt_adi *adi, int rc)
{
	struct pt_err ignored = { 0 };

	adi->select_known = false;
	if (rc == PT_ETIMEOUT && adi->dap->write_abort(adi->wire, ABORT_DAP, &ignored) == PT_ETIMEOUT)
		return;		/* the probe does not answer */
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
	size_t n, n_done = 0;

	if (pt_adi_begin(adi, err) < 0)
		return err->code;
	n = pt_adi_select(adi, ap, reg, &ops[0]) ? 1 : 0;
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
