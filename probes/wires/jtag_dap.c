/* An access is a scan of 35 bits through DPACC or APACC; the next scan returns its result. So a list becomes a row of
 * scans with two more at its end, which read the last result and the sticky flags.
 *
 * A busy port answers WAIT and ignores the scan. With overrun detection it then ignores the following scans, too, until
 * the flag is cleared; so the list can continue at the first ignored access, and nothing is done twice. Therefore
 * overrun detection is added to each write of CTRL/STAT. */
#include "probes/wires/jtag_dap.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/wires/dap_list.h"
#include "probes/wires/jtag_chain.h"
#include "base/util.h"

enum { IR_ABORT = 0x8, IR_DPACC = 0xa, IR_APACC = 0xb, IR_BITS = 4 };
enum { ACC_BITS = 35, ACC_BYTES = 5, ACK_WAIT = 1, ACK_OK_FAULT = 2 };
enum { CTRL_STAT = 0x4, SELECT = 0x8, RDBUFF = 0xc };
enum { ORUNDETECT = 1 << 0, STICKYORUN = 1 << 1, STICKYCMP = 1 << 4, STICKYERR = 1 << 5, WDATAERR = 1 << 7 };
enum { STICKY = STICKYORUN | STICKYCMP | STICKYERR | WDATAERR, ABORT_CLEARS = 0x1e };
enum {
	MAX_ACCESSES = PT_DAP_LIST_USUAL,	/* between two reads of the sticky flags */
	AP_IDLE_CLOCKS = 8,	/* after an AP access: enough for a bus that is not slow */
	SCAN_MS = 1000,		/* without an answer from the probe */
};

struct pt_jtag_dap {
	const struct pt_jtag_ops *jtag;
	void *wire;
	struct pt_link *link;
	struct pt_params *settings;
	struct pt_jtag_chain chain;
	int tap;			/* of the debug port; -1: not connected */
	uint32_t select;		/* as left by the completed accesses */
	bool doubtful;			/* a call ended early: its scans may have caused an overrun */
	bool only_read;			/* since it was connected: sticky flags are from before that */
	struct pt_dap_list list;
	struct pt_dap_access access[MAX_ACCESSES + 2];
	uint8_t out[MAX_ACCESSES + 2][ACC_BYTES], in[MAX_ACCESSES + 2][ACC_BYTES];
	struct pt_jtag_op ops[3 * (MAX_ACCESSES + 2)];
};

static const uint8_t ir_abort = IR_ABORT, ir_dpacc = IR_DPACC, ir_apacc = IR_APACC;

/* --- scans -------------------------------------------------------------------------------------------------------- */

static size_t add_scan(struct pt_jtag_dap *dap, size_t n, size_t i)
{
	const struct pt_dap_access *access = &dap->access[i];
	uint64_t bits = (uint64_t)access->value << 3 | (access->a >> 1 & 6u) | access->read;

	for (int b = 0; b < ACC_BYTES; b++)
		dap->out[i][b] = (uint8_t)(bits >> 8 * b);
	if (i == 0 || access->ap != dap->access[i - 1].ap)
		dap->ops[n++] = (struct pt_jtag_op){
			.what = PT_JTAG_IR, .n_bits = IR_BITS, .out = access->ap ? &ir_apacc : &ir_dpacc,
			.end = PT_JTAG_TO_NEXT,
		};
	dap->ops[n++] = (struct pt_jtag_op){
		.what = PT_JTAG_DR, .n_bits = ACC_BITS, .out = dap->out[i], .in = dap->in[i], .end = PT_JTAG_TO_NEXT,
	};
	if (access->ap)
		dap->ops[n++] = (struct pt_jtag_op){ .what = PT_JTAG_IDLE, .n_bits = AP_IDLE_CLOCKS };
	return n;
}

static uint64_t captured(const struct pt_jtag_dap *dap, size_t i)
{
	uint64_t bits = 0;

	for (int b = 0; b < ACC_BYTES; b++)
		bits |= (uint64_t)dap->in[i][b] << 8 * b;
	return bits;
}

static int scan(struct pt_jtag_dap *dap, size_t n_accesses, struct pt_err *err)
{
	size_t n = 0, n_done;

	for (size_t i = 0; i < n_accesses; i++)
		n = add_scan(dap, n, i);
	return pt_jtag_chain_run(&dap->chain, (size_t)dap->tap, dap->ops, n, SCAN_MS, &n_done, err);
}

static int no_answer(uint64_t bits, struct pt_err *err)
{
	return pt_fail(err, PT_EPROTO, "the debug port does not answer on JTAG (acknowledge %u)", (unsigned)(bits & 7));
}

/* --- a few accesses ----------------------------------------------------------------------------------------------- */

/* One scan through DPACC; it captures the result of the previous access. */
static int scan_dpacc(struct pt_jtag_dap *dap, bool read, uint8_t a, uint32_t value, uint64_t *bits, struct pt_err *err)
{
	uint64_t shifted = (uint64_t)value << 3 | (a >> 1 & 6u) | read;
	uint8_t out[ACC_BYTES], in[ACC_BYTES] = { 0 };
	struct pt_jtag_op ops[] = {
		{ .what = PT_JTAG_IR, .n_bits = IR_BITS, .out = &ir_dpacc, .end = PT_JTAG_TO_NEXT },
		{ .what = PT_JTAG_DR, .n_bits = ACC_BITS, .out = out, .in = in },
	};
	size_t n_done;
	int rc;

	for (int b = 0; b < ACC_BYTES; b++)
		out[b] = (uint8_t)(shifted >> 8 * b);
	rc = pt_jtag_chain_run(&dap->chain, (size_t)dap->tap, ops, PT_LEN(ops), SCAN_MS, &n_done, err);
	*bits = 0;
	for (int b = 0; b < ACC_BYTES; b++)
		*bits |= (uint64_t)in[b] << 8 * b;
	return rc;
}

/* Waits for the result of an access in progress. */
static int await_outcome(struct pt_jtag_dap *dap, uint64_t until_ns, uint64_t *bits, struct pt_err *err)
{
	int rc;

	do {
		rc = scan_dpacc(dap, true, RDBUFF, 0, bits, err);
		if (rc < 0)
			return rc;
		if ((*bits & 7) == ACK_OK_FAULT)
			return 0;
	} while ((*bits & 7) == ACK_WAIT && pt_link_now_ns(dap->link) < until_ns);
	return (*bits & 7) == ACK_WAIT ? pt_fail(err, PT_ETIMEOUT, "the target answers WAIT") : no_answer(*bits, err);
}

/* A scan that captures WAIT was ignored. */
static int write_dp(struct pt_jtag_dap *dap, uint8_t a, uint32_t value, struct pt_err *err)
{
	uint64_t until_ns = pt_link_now_ns(dap->link) + SCAN_MS * PT_NS_PER_MS, bits;
	int rc;

	do
		rc = scan_dpacc(dap, false, a, value, &bits, err);
	while (rc == 0 && (bits & 7) == ACK_WAIT && pt_link_now_ns(dap->link) < until_ns);
	return rc == 0 && (bits & 7) == ACK_WAIT ? pt_fail(err, PT_ETIMEOUT, "the target answers WAIT") : rc;
}

/* Sticky flags are cleared by writing ones. */
static int clear_flags(struct pt_jtag_dap *dap, uint32_t flags, struct pt_err *err)
{
	return write_dp(dap, CTRL_STAT, dap->list.ctrl | flags, err);
}

static bool selects(const struct pt_dap_access *access)
{
	return !access->ap && !access->read && access->a == SELECT;
}

/* Notes SELECT after the first n accesses. */
static void note_select(struct pt_jtag_dap *dap, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (selects(&dap->access[i]))
			dap->select = dap->access[i].value;
}

/* An overrun drops only accesses to access ports: a later SELECT was written, although accesses before it were not
 * done. */
static int restore_select(struct pt_jtag_dap *dap, size_t i, size_t n, struct pt_err *err)
{
	note_select(dap, i);
	for (; i < n; i++)
		if (selects(&dap->access[i]))
			return write_dp(dap, SELECT, dap->select, err);
	return 0;
}

/* The access before scan i was under way when that was shifted: what came with the first scan that was not dropped is
 * its outcome, or with one more. i 0: the access is of an earlier row, and nothing waits for its outcome. */
static int go_on_after_wait(struct pt_jtag_dap *dap, size_t i, size_t n_scans, uint64_t until_ns, struct pt_err *err)
{
	uint64_t bits = ACK_WAIT;
	int rc = 0;

	for (size_t k = i + 1; k < n_scans && (bits & 7) == ACK_WAIT; k++)
		bits = captured(dap, k);
	if ((bits & 7) == ACK_WAIT)
		rc = await_outcome(dap, until_ns, &bits, err);
	else if ((bits & 7) != ACK_OK_FAULT)
		rc = no_answer(bits, err);
	if (rc == 0 && i > 0 && dap->access[i - 1].word != NULL)
		*dap->access[i - 1].word = (uint32_t)(bits >> 3);
	if (rc == 0)
		rc = restore_select(dap, i, n_scans, err);
	return rc < 0 ? rc : clear_flags(dap, STICKYORUN, err);
}

/* n accesses, or those before one that was dropped: *n_done. looked: at the sticky flags behind them, too, which may have
 * been dropped where all n were done. */
static int run_once(struct pt_jtag_dap *dap, size_t n, uint64_t until_ns, size_t *n_done, bool *looked,
		    struct pt_err *err)
{
	int rc;

	dap->access[n] = (struct pt_dap_access){ .read = true, .a = CTRL_STAT };
	dap->access[n + 1] = (struct pt_dap_access){ .read = true, .a = RDBUFF };
	*n_done = 0;
	rc = scan(dap, n + 2, err);
	for (size_t i = 0; rc == 0 && i < n + 2; i++) {
		uint64_t bits = captured(dap, i);

		if ((bits & 7) == ACK_WAIT) {
			*n_done = i < n ? i : n;
			return go_on_after_wait(dap, i, n + 2, until_ns, err);
		}
		if (i == 0)	/* the first scan captured a result of another row */
			continue;
		if ((bits & 7) != ACK_OK_FAULT)
			return no_answer(bits, err);
		if (i <= n && dap->access[i - 1].word != NULL)
			*dap->access[i - 1].word = (uint32_t)(bits >> 3);
	}
	if (rc == 0)
		note_select(dap, n);
	if (rc == 0 && (captured(dap, n + 1) >> 3 & (STICKYCMP | STICKYERR | WDATAERR)) != 0)
		return pt_fail(err, PT_EFAULT, "the target answers FAULT");
	*n_done = n;
	*looked = rc == 0;
	return rc;
}

/* Runs all n, waits for a busy port, and checks whether one has failed. */
static int run_all(struct pt_jtag_dap *dap, size_t n, uint32_t timeout_ms, struct pt_err *err)
{
	uint64_t until_ns = 0;
	size_t n_done = n;
	bool looked = n == 0;
	int rc = 0;

	while (rc == 0 && !looked) {
		uint64_t now_ns = pt_link_now_ns(dap->link);

		if (n_done > 0)
			until_ns = now_ns + timeout_ms * PT_NS_PER_MS;
		else if (now_ns > until_ns)
			return pt_fail(err, PT_ETIMEOUT, "the target answers WAIT");
		rc = run_once(dap, n, until_ns, &n_done, &looked, err);
		n -= n_done;
		memmove(dap->access, dap->access + n_done, n * sizeof(dap->access[0]));
	}
	return rc;
}

static bool reads_port(const struct pt_dap_access *access, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all &= access[i].read && !access[i].ap;
	return all;
}

/* A TAP's reset leaves the flags alone, which another host has left, or a session that lost its probe. They say nothing of
 * a read of the port; the caller clears them before it uses an access port. */
static int run_row(void *state, const struct pt_dap_access *access, size_t n, uint32_t timeout_ms, struct pt_err *err)
{
	struct pt_jtag_dap *dap = state;
	int rc;

	dap->only_read &= reads_port(access, n);
	if (dap->doubtful && clear_flags(dap, STICKY, err) < 0)
		return err->code;
	memcpy(dap->access, access, n * sizeof(*access));
	rc = run_all(dap, n, timeout_ms, err);
	dap->doubtful = rc < 0 && rc != PT_EFAULT;
	return rc == PT_EFAULT && dap->only_read ? 0 : rc;
}

static int dap_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   struct pt_err *err)
{
	struct pt_jtag_dap *dap = state;

	*n_done = 0;
	if (dap->tap < 0)
		return pt_fail(err, PT_EPROTO, "no debug port was found on JTAG");
	return pt_dap_list_run(&dap->list, ops, n_ops, timeout_ms, n_done, err);
}

/* --- the rest of the wire ----------------------------------------------------------------------------------------- */

static bool is_port(const struct pt_jtag_tap *tap)
{
	return tap->ir_bits == IR_BITS && tap->part != NULL && tap->part->user[0] == 0;
}

static int find_port(struct pt_jtag_dap *dap, struct pt_err *err)
{
	const struct pt_param *row = &pt_jtag_params[PT_JTAG_TAP];
	const struct pt_jtag_tap *first;
	size_t n = 0;

	if (pt_params_given(dap->settings, row))
		return pt_jtag_chain_tap(&dap->chain, dap->settings, err);
	for (size_t i = 0; i < dap->chain.n_taps; i++)
		if (is_port(&dap->chain.tap[i]) && n++ == 0)
			dap->tap = (int)i;
	if (n == 1)
		return dap->tap;
	dap->tap = -1;
	if (n > 1)
		return pt_fail(err, PT_EARG, "the chain has %zu debug ports: set jtag.tap", n);
	first = &dap->chain.tap[0];
	return pt_fail(err, PT_EUNSUPPORTED,
		       "no TAP of the chain is a debug port that is known; the first has IDCODE 0x%08x%s%s%s",
		       first->idcode, first->part != NULL ? ", " : "", first->part != NULL ? first->part->name : "",
		       first->part != NULL && first->part->user[0] != 0 ? ": for what is in it name the --target" : "");
}

static int dap_connect(void *state, enum pt_dap_line line, struct pt_err *err)
{
	struct pt_jtag_dap *dap = state;
	struct pt_err local = { 0 };

	(void)line;
	err = err != NULL ? err : &local;
	dap->tap = -1;
	dap->list.ctrl = ORUNDETECT;
	dap->only_read = true;
	if (dap->jtag->connect(dap->wire, err) < 0 ||
	    pt_jtag_chain_find(&dap->chain, dap->jtag, dap->wire, dap->settings, err) < 0)
		return err->code;
	dap->tap = find_port(dap, err);
	return dap->tap < 0 ? err->code : 0;
}

static int dap_write_abort(void *state, uint32_t value, struct pt_err *err)
{
	struct pt_jtag_dap *dap = state;
	uint64_t bits = (uint64_t)value << 3;
	uint8_t out[ACC_BYTES];
	struct pt_jtag_op ops[] = {
		{ .what = PT_JTAG_IR, .n_bits = IR_BITS, .out = &ir_abort, .end = PT_JTAG_TO_NEXT },
		{ .what = PT_JTAG_DR, .n_bits = ACC_BITS, .out = out },
	};
	size_t n_done;
	int rc;

	if (dap->tap < 0)
		return pt_fail(err, PT_EPROTO, "no debug port was found on JTAG");
	for (int b = 0; b < ACC_BYTES; b++)
		out[b] = (uint8_t)(bits >> 8 * b);
	rc = pt_jtag_chain_run(&dap->chain, (size_t)dap->tap, ops, PT_LEN(ops), SCAN_MS, &n_done, err);
	if (rc == 0 && (value & ABORT_CLEARS) != 0)	/* a port of version 0 does not have these bits in ABORT */
		rc = clear_flags(dap, STICKY, err);
	return rc;
}

static int dap_sequence(void *state, const uint8_t *bits, size_t n_bits, struct pt_err *err)
{
	(void)state, (void)bits, (void)n_bits;
	return pt_fail(err, PT_EUNSUPPORTED, "sequences on SWDIO need a probe with SWD");
}

static int dap_set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	struct pt_jtag_dap *dap = state;

	return dap->jtag->set_speed(dap->wire, hz, hz_used, err);
}

static int dap_set_reset(void *state, bool asserted, struct pt_err *err)
{
	struct pt_jtag_dap *dap = state;

	return dap->jtag->set_reset(dap->wire, false, asserted, err);
}

static const struct pt_dap_list_ops list_ops = { .run = run_row, .write_abort = dap_write_abort };

const struct pt_dap_ops pt_jtag_dap_ops = {
	.connect = dap_connect, .run = dap_run, .write_abort = dap_write_abort, .sequence = dap_sequence,
	.set_speed = dap_set_speed, .set_reset = dap_set_reset, .own_taps = true,
};

struct pt_jtag_dap *pt_jtag_dap_new(const struct pt_jtag_ops *jtag, void *wire, struct pt_link *link,
				    const struct pt_params *settings)
{
	struct pt_jtag_dap *dap = pt_alloc(sizeof(*dap));

	dap->jtag = jtag;
	dap->wire = wire;
	dap->link = link;
	dap->list = (struct pt_dap_list){ .ops = &list_ops, .state = dap, .link = link };
	dap->tap = -1;
	dap->settings = pt_params_copy(settings);
	if (dap->settings == NULL) {
		free(dap);
		return NULL;
	}
	return dap;
}

bool pt_jtag_dap_connected(const struct pt_jtag_dap *dap)
{
	return dap->tap >= 0;
}

void pt_jtag_dap_free(struct pt_jtag_dap *dap)
{
	if (dap != NULL)
		pt_params_free(dap->settings);
	free(dap);
}
