/* Runs batches and explains faults: BDCCSR shows what failed. Its flags are cleared before anything else, because they
 * stay set and would be taken for failures of later commands. See wire.h. */
#include <stdio.h>
#include <string.h>

#include "targets/s12z/core/wire.h"
#include "base/util.h"

enum { BATCH_MS = 500 };

/* WAIT and STOP are not errors: they show what the core did. Source: ZVHY, 5.3.2.2 */
static const struct { uint8_t flag; const char *why; } reasons[] = {
	{ PT_BDC_ILLACC, "there is nothing at this address (ILLACC)" },
	{ PT_BDC_NORESP, "the core's bus does not answer: no free cycle (NORESP)" },
	{ PT_BDC_RDINV, "what was read is not valid, an ECC error maybe (RDINV)" },
	{ PT_BDC_ILLCMD, "the command is not possible now (ILLCMD)" },
	{ PT_BDC_OVRUN, "commands came too fast (OVRUN)" },
	{ PT_BDC_RAMWF, "writing RAM failed (RAMWF)" },
};

void pt_wire_s12z_init(struct pt_wire_s12z *wire, const struct pt_bdc_ops *ops, void *state, struct pt_link *link)
{
	*wire = (struct pt_wire_s12z){
		.ops = ops, .state = state, .link = link, .can = ops->can(state), .enable = true
	};
	pt_bdccsr_parse(&wire->bits, PT_BDCCSR_STANDARD, NULL);
}

uint64_t pt_wire_s12z_now_ns(const struct pt_wire_s12z *wire)
{
	return pt_link_now_ns(wire->link);
}

static int one(struct pt_wire_s12z *wire, struct pt_bdc_op *op, struct pt_err *err)
{
	size_t n_done;
	int rc = wire->ops->run(wire->state, op, 1, BATCH_MS, &n_done, err);

	wire->stale |= rc == PT_EINTERRUPTED;
	return rc;
}

/* An undriven wire reads as ones. Source: ZVHY 5.3.2.1 */
enum { BDCCSR_ZERO = 0x1000 };

int pt_wire_s12z_look(struct pt_wire_s12z *wire, struct pt_err *err)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_BDCCSR };

	if (one(wire, &op, err) < 0)
		return pt_wrap(err, "read BDCCSR");
	op.value = pt_bdccsr_seen(&wire->bits, (uint16_t)op.value);
	if ((op.value & BDCCSR_ZERO) != 0)
		return pt_fail(err, PT_EPROTO,
			       "the target does not answer: BDCCSR reads 0x%04x, and its bit 12 is always 0 "
			       "(no clock, no power, or the wire is off)",
			       (unsigned)op.value);
	wire->csr = (uint16_t)op.value;
	return 0;
}

/* --- as it was found, noted --------------------------------------------------------------------------------------- */

/* PT_PENDING_RUNNING: a core in active background needs ENBDC to stay there. */
static void note_csr(const struct pt_wire_s12z *wire, uint16_t ours)
{
	const struct pt_pending_row row = { .unit = "bdc", .kind = PT_PENDING_REG, .when = PT_PENDING_RUNNING,
					    .width_bytes = 2, .was = wire->found, .ours = ours & PT_BDC_PUT_BACK,
					    .check = PT_BDC_PUT_BACK, .mask = PT_BDC_PUT_BACK };

	if (row.ours != row.was)
		pt_pending_note(wire->target, &row, 1);
}

void pt_wire_s12z_note(const struct pt_wire_s12z *wire)
{
	note_csr(wire, (uint16_t)((wire->enabled ? PT_BDC_ENBDC : 0u) | wire->keep));
}

int pt_wire_s12z_write_csr(struct pt_wire_s12z *wire, bool enbdc, uint8_t clear, struct pt_err *err)
{
	uint16_t value = (uint16_t)((enbdc ? PT_BDC_ENBDC : 0u) | wire->keep | clear);
	struct pt_bdc_op op = { .what = PT_BDC_WRITE_BDCCSR, .value = pt_bdccsr_sent(&wire->bits, value) };

	note_csr(wire, value);
	if (one(wire, &op, err) < 0)
		return pt_wrap(err, "write BDCCSR");
	if ((value & PT_BDC_PUT_BACK) == wire->found)
		pt_pending_settle(wire->target, "bdc");
	wire->enabled = enbdc;
	if ((clear & PT_BDC_ERRORS) == PT_BDC_ERRORS)
		wire->stale = false;
	wire->csr = (uint16_t)((wire->csr & ~(PT_BDC_ENBDC | clear)) | (enbdc ? PT_BDC_ENBDC : 0));
	return 0;
}

int pt_wire_s12z_sync(struct pt_wire_s12z *wire, struct pt_err *err)
{
	struct pt_bdc_op op = { .what = PT_BDC_SYNC };

	if (one(wire, &op, err) < 0)
		return pt_wrap(err, "measure the target's clock");
	wire->bdcsi_hz = op.value;
	return 0;
}

int pt_wire_s12z_connect(struct pt_wire_s12z *wire, struct pt_err *err)
{
	if (wire->ops->connect(wire->state, &wire->bdcsi_hz, err) < 0)
		return pt_wrap(err, "connect to the BDC (power, clock and BKGD of the target?)");
	if (pt_wire_s12z_look(wire, err) < 0)
		return err->code;
	wire->keep = wire->csr & PT_BDC_SETTINGS;
	wire->found = wire->csr & PT_BDC_PUT_BACK;
	wire->enabled =
		(wire->csr & (PT_BDC_ENBDC | PT_BDC_FLAGS)) == PT_BDC_ENBDC; /* old flags: writing it clears them */
	return 0;
}

/* --- faults ------------------------------------------------------------------------------------------------------- */

/* Sleep of the core is not an error, and its flags stay for the status. */
static int clear_flags(struct pt_wire_s12z *wire, struct pt_err *err)
{
	uint8_t errors = PT_BDC_FLAGS & ~(PT_BDC_WAIT | PT_BDC_STOP);

	if ((wire->csr & PT_BDC_OVRUN) != 0 && pt_wire_s12z_sync(wire, err) < 0) /* only a SYNC clears OVRUN */
		return err->code;
	return pt_wire_s12z_write_csr(wire, (wire->csr & PT_BDC_ENBDC) != 0, errors, err);
}

static bool is_asleep(uint16_t csr)
{
	return (csr & PT_BDC_NORESP) != 0 && (csr & PT_BDC_STOP) != 0 && (csr & PT_BDC_BDCCIS) == 0;
}

static int say_flags(uint16_t csr, struct pt_err *err)
{
	if (is_asleep(csr))
		return pt_fail(err, PT_EFAULT,
			       "the core is in STOP mode, where the BDC reaches no memory "
			       "(run-in-stop=on changes that)");
	for (size_t i = 0; i < PT_LEN(reasons); i++)
		if ((csr & reasons[i].flag) != 0)
			return pt_fail(err, PT_EFAULT, "%s", reasons[i].why);
	return pt_fail(err, PT_EFAULT, "the target refuses, and the probe cannot say why");
}

int pt_wire_s12z_find(struct pt_wire_s12z *wire, struct pt_err *err)
{
	int rc = pt_wire_s12z_look(wire, err);

	if (rc == 0 || rc == PT_EIO || rc == PT_EINTERRUPTED)
		return rc;
	return pt_wire_s12z_sync(wire, err) < 0 ? err->code : pt_wire_s12z_look(wire, err);
}

/* Checks that the target answers, and reads BDCCSR. *seen: its value before the flags are cleared. */
static int take_flags(struct pt_wire_s12z *wire, uint16_t *seen, struct pt_err *err)
{
	bool was_enabled = wire->enabled;

	if (pt_wire_s12z_find(wire, err) < 0)
		return err->code;
	*seen = wire->csr;
	if (was_enabled && (*seen & PT_BDC_ENBDC) == 0) {
		wire->enabled = wire->stale = false;
		wire->was_reset = true;
		return pt_fail(err, PT_EFAULT, "the target has been reset");
	}
	return clear_flags(wire, err) < 0 ? err->code : 0;
}

/* Explains a batch that failed with *err. Without a flag the first error is kept. */
static int judge(struct pt_wire_s12z *wire, struct pt_err *err)
{
	struct pt_err first = *err;
	uint16_t seen;

	if (take_flags(wire, &seen, err) < 0)
		return err->code;
	wire->asleep = is_asleep(seen);
	if (first.code == PT_EFAULT || wire->asleep)
		return say_flags(seen, err);
	*err = first;
	if (first.code == PT_EPROTO)	/* a transient error of the probe: the target answers */
		err->code = PT_ETIMEOUT;
	return err->code;
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

static bool needs_enbdc(const struct pt_bdc_op *ops, size_t n_ops)
{
	bool needs = false;

	for (size_t i = 0; i < n_ops; i++)
		needs |= ops[i].what >= PT_BDC_BACKGROUND && ops[i].what != PT_BDC_DELAY;
	return needs;
}

/* Sets ENBDC if it is not known to be set. */
static int enable(struct pt_wire_s12z *wire, struct pt_err *err)
{
	if (wire->enabled)
		return 0;
	if (!wire->enable)
		return pt_fail(err, PT_ESTATE, "the part is secured");
	return pt_wire_s12z_write_csr(wire, true, PT_BDC_FLAGS, err);
}

static bool may_be_blamed(const struct pt_bdc_op *ops, size_t n_ops)
{
	bool may = false;

	for (size_t i = 0; i < n_ops; i++)
		may |= ops[i].what >= PT_BDC_NOP && ops[i].what < PT_BDC_DELAY && ops[i].what != PT_BDC_SYNC_PC;
	return may;
}

/* An urgent job may interrupt a batch, also between a sleeping core's SYNC_PC and the clearing of its NORESP: then a
 * later read would be taken for the failed one. */
static int forget_flags(struct pt_wire_s12z *wire, const struct pt_bdc_op *ops, size_t n_ops, struct pt_err *err)
{
	uint16_t seen;

	if (!wire->stale || !wire->enabled || !may_be_blamed(ops, n_ops))
		return 0;
	return take_flags(wire, &seen, err);
}

int pt_wire_s12z_run(struct pt_wire_s12z *wire, struct pt_bdc_op *ops, size_t n_ops, size_t *n_done, struct pt_err *err)
{
	size_t done = 0;
	int rc = forget_flags(wire, ops, n_ops, err);

	if (rc < 0) {
		if (n_done != NULL)
			*n_done = 0;
		return rc;
	}
	rc = needs_enbdc(ops, n_ops) ? enable(wire, err) : 0;
	if (rc == 0 && n_ops > 0)
		rc = wire->ops->run(wire->state, ops, n_ops, BATCH_MS, &done, err);
	if (rc == 0)
		wire->asleep = false;
	else if (rc == PT_EFAULT || rc == PT_ETIMEOUT || rc == PT_EPROTO)
		rc = judge(wire, err);
	wire->stale |= rc == PT_EINTERRUPTED;
	if (n_done != NULL)
		*n_done = done;
	return rc;
}
