/* See fake_dap.h. Errors of posted writes show at the next AP access or at the end of the batch, as on a probe that
 * reads RDBUFF after the last write of a packet. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tests/fake_dap.h"
#include "base/util.h"

enum { RUN_NS = 125000 };	/* a round trip */

/* --- MEM-AP ------------------------------------------------------------------------------------------------------- */

static uint8_t width(const struct fake_dap *dap)
{
	return (uint8_t)(1u << (dap->csw & 7));
}

/* The lanes are those of the address; TAR counts inside a 1 KiB block only. */
static void access_drw(struct fake_dap *dap, bool write, uint32_t *value)
{
	uint8_t n = width(dap);
	unsigned shift = 8 * (dap->tar & (4u - n));
	uint32_t lane = write ? *value >> shift : 0, next = (dap->tar & ~1023u) | ((dap->tar + n) & 1023u);
	bool ok = array_mem_access(&dap->memory, dap->tar, n, write, &lane);

	dap->sticky |= !ok;
	if (!write)
		*value = lane << shift;
	if ((dap->csw & 0x30) == 0x10 && (ok || dap->tar_moves_on_fault))
		dap->tar = next;
}

static void access_line(struct fake_dap *dap, uint8_t reg, bool write, uint32_t *value)
{
	dap->sticky |= !array_mem_access(&dap->memory, (dap->tar & ~15u) + (reg & 0xc), 4, write, value);
}

static void access_mem_ap(struct fake_dap *dap, uint8_t reg, bool write, uint32_t *value)
{
	switch (reg) {
	case 0x00:
		dap->n_csw++;
		if (write)
			dap->csw = *value;
		*value = dap->csw;
		return;
	case 0x04:
		dap->n_tar++;
		if (write)
			dap->tar = *value;
		*value = dap->tar;
		return;
	case 0x0c:
		dap->n_data++;
		access_drw(dap, write, value);
		return;
	case 0x10: case 0x14: case 0x18: case 0x1c:
		dap->n_data++;
		access_line(dap, reg, write, value);
		return;
	case 0xf8:
		*value = dap->base;
		return;
	case 0xfc:
		*value = dap->idr[0];
		return;
	default:
		*value = 0;
	}
}

static void access_ap(struct fake_dap *dap, uint8_t a, bool write, uint32_t *value)
{
	uint8_t ap = (uint8_t)(dap->select >> 24), reg = (uint8_t)((dap->select & 0xf0) | a);

	if (ap == 0)
		access_mem_ap(dap, reg, write, value);
	else if (reg == 0xfc && !write)
		*value = ap < PT_LEN(dap->idr) ? dap->idr[ap] : 0;
	else if (write && dap->write_ap != NULL)
		dap->write_ap(dap, ap, reg, *value);
	else if (!write)
		*value = dap->read_ap != NULL ? dap->read_ap(dap, ap, reg) : 0;
}

/* --- DP ----------------------------------------------------------------------------------------------------------- */

static void access_dp(struct fake_dap *dap, uint8_t a, bool write, uint32_t *value)
{
	if (write && a == 0x0 && (*value & 4) != 0)
		dap->sticky = false;
	if (write && a == 0x4)
		dap->ctrl_stat = *value | (*value & 0x50000000) << 1;
	if (write && a == 0x8) {
		dap->n_select++;
		dap->select = *value;
	}
	if (!write)
		*value = a == 0x0 ? 0x0bc11477 : a == 0x4 ? dap->ctrl_stat | (dap->sticky ? 0x20 : 0) : 0;
}

/* One transfer; false: FAULT. */
static bool transfer(struct fake_dap *dap, const struct pt_dap_op *op, bool write, uint32_t *value)
{
	if (dap->sticky && (op->ap || !(op->a == 0x0 || (op->a == 0x4 && !write))))
		return false;
	if (!op->ap)
		access_dp(dap, op->a, write, value);
	else
		access_ap(dap, op->a, write, value);
	return write || !dap->sticky || !op->ap;	/* a read's own error shows at once */
}

static bool poll(struct fake_dap *dap, const struct pt_dap_op *op, bool *expired)
{
	uint64_t until_ns = dap->memory.now_ns + op->time_us * UINT64_C(1000);
	uint32_t value = 0;

	for (;;) {
		if (!transfer(dap, op, false, &value))
			return false;
		if (op->words != NULL)
			*op->words = value;
		*expired = (value & op->mask) != op->value;
		if (!*expired || dap->memory.now_ns >= until_ns)
			return true;
		array_mem_pass(&dap->memory, 10000);
	}
}

/* Returns false on FAULT. */
static bool do_op(struct fake_dap *dap, struct pt_dap_op *op, bool *expired)
{
	bool write = op->what == PT_DAP_WRITE || op->what == PT_DAP_WRITE_BLOCK;
	bool block = op->what == PT_DAP_READ_BLOCK || op->what == PT_DAP_WRITE_BLOCK;
	bool ok = true;

	if (op->what == PT_DAP_POLL)
		return poll(dap, op, expired);
	if (op->what == PT_DAP_DELAY) {
		array_mem_pass(&dap->memory, op->time_us * UINT64_C(1000));
		return true;
	}
	for (uint32_t i = 0; ok && i < (block ? op->n_words : 1); i++) {
		uint32_t value = op->what == PT_DAP_WRITE ? op->value : write ? op->words[i] : 0;

		ok = transfer(dap, op, write, &value);
		if (!write && ok)
			op->words[i] = value;
	}
	return ok;
}

static bool only_reads_follow_polls(const struct pt_dap_op *ops, size_t n_ops)
{
	bool polled = false;

	for (size_t i = 0; i < n_ops; i++) {
		if (polled && ops[i].what != PT_DAP_READ && ops[i].what != PT_DAP_READ_BLOCK)
			return false;
		polled |= ops[i].what == PT_DAP_POLL;
	}
	return true;
}

static int run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err)
{
	struct fake_dap *dap = state;
	bool expired = false;
	size_t i;

	(void)timeout_ms;
	*n_done = 0;
	if (!only_reads_follow_polls(ops, n_ops))
		return pt_fail(err, PT_EARG, "a write behind a poll");
	dap->n_runs++;
	dap->deaf |= dap->absent;
	if (dap->deaf)
		return pt_fail(err, PT_EPROTO, "no acknowledge");
	array_mem_pass(&dap->memory, RUN_NS);
	for (i = 0; i < n_ops && !expired; i++) {
		ops[i].sent_ns = dap->memory.now_ns;
		if (!do_op(dap, &ops[i], &expired))
			break;
		ops[i].done_ns = dap->memory.now_ns;
	}
	*n_done = expired ? i - 1 : i;
	if (!dap->sticky)
		return 0;
	if (*n_done > 0 && ops[*n_done - 1].ap && (*n_done == n_ops || ops[*n_done].what != PT_DAP_READ))
		--*n_done;	/* the write before may be the one that failed */
	return pt_fail(err, PT_EFAULT, "FAULT");
}

static int connect_line(void *state, enum pt_dap_line line, struct pt_err *err)
{
	struct fake_dap *dap = state;

	(void)line;
	(void)err;
	dap->n_connects++;
	dap->deaf = dap->absent;
	return 0;
}

static int write_abort(void *state, uint32_t value, struct pt_err *err)
{
	struct fake_dap *dap = state;

	(void)err;
	dap->n_aborts++;
	access_dp(dap, 0, true, &value);
	return 0;
}

static int set_reset(void *state, bool asserted, struct pt_err *err)
{
	struct fake_dap *dap = state;

	(void)err;
	dap->n_reset_pin += asserted;
	return 0;
}

/* No port of ours is among others: it hears nothing in it. */
static int sequence(void *state, const uint8_t *bits, size_t n_bits, struct pt_err *why)
{
	(void)state, (void)bits, (void)n_bits, (void)why;
	return 0;
}

const struct pt_dap_ops fake_dap_ops = {
	.connect = connect_line, .run = run, .write_abort = write_abort, .sequence = sequence, .set_reset = set_reset,
};

/* --- link and probe around it ------------------------------------------------------------------------------------- */

static uint64_t link_now_ns(void *state)
{
	return ((struct fake_dap *)state)->memory.now_ns;
}

static int link_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct array_mem *memory = &((struct fake_dap *)state)->memory;

	(void)err;
	if (until_ns > memory->now_ns)
		array_mem_pass(memory, until_ns - memory->now_ns);
	return 0;
}

static void link_info(void *state, struct pt_link_info *out)
{
	(void)state;
	strcpy(out->transport, "fake");
}

static void link_close(void *state)
{
	(void)state;
}

static void link_interrupt(void *state)
{
	(void)state;
}

static const struct pt_link_ops link_ops = {
	.name = "fake", .close = link_close, .info = link_info, .now_ns = link_now_ns, .wait = link_wait,
	.interrupt = link_interrupt,
};

/* A driver cannot see its link's state: the wire is the one that was made last. */
static int probe_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	(void)state;
	(void)link;
	(void)settings;
	(void)err;
	return 0;
}

static void probe_close(void *state)
{
	(void)state;
}

static struct fake_dap *opened;

static int probe_connect(void *state, enum pt_dap_line line, struct pt_err *err)
{
	(void)state;
	return connect_line(opened, line, err);
}

static int probe_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		     struct pt_err *err)
{
	(void)state;
	return run(opened, ops, n_ops, timeout_ms, n_done, err);
}

static int probe_abort(void *state, uint32_t value, struct pt_err *err)
{
	(void)state;
	return write_abort(opened, value, err);
}

static int probe_reset(void *state, bool asserted, struct pt_err *err)
{
	(void)state;
	return set_reset(opened, asserted, err);
}

static const struct pt_dap_ops probe_dap_ops = {
	.connect = probe_connect, .run = probe_run, .write_abort = probe_abort, .sequence = sequence, .set_reset = probe_reset,
};

const struct pt_probe_ops fake_dap_probe_ops = {
	.name = "fake", .state_bytes = 1, .open = probe_open, .close = probe_close,
	.dap = &probe_dap_ops,
};

void fake_dap_init(struct fake_dap *dap)
{
	memset(dap, 0, sizeof(*dap));
	array_mem_init(&dap->memory);
	dap->idr[0] = 0x04770031;
	dap->base = 0xf0002003;
	dap->link = pt_link_new(&link_ops, dap);
	opened = dap;
}

void fake_dap_fini(struct fake_dap *dap)
{
	if (dap->link != NULL)
		pt_link_close(dap->link);
	array_mem_fini(&dap->memory);
}
