/* Halt, resume, step, and the state of the core. ENBDC is set only when needed: with it, a BGND instruction of the
 * program stops the core, and without it BGND does nothing. Source: ZVHY 5.3.2, 5.4; ZVM p.163-168. */
#include <string.h>

#include "targets/s12z/core/s12z.h"
#include "base/util.h"

enum { HALT_MS = 1000, STEP_MS = 500, LOOK_US = 100, BGND_BYTES = 1 };
enum { SLEEP_STAYS = PT_BDC_FLAGS & ~(PT_BDC_WAIT | PT_BDC_STOP) };

/* --- why it halted ------------------------------------------------------------------------------------------------ */

/* True: our BGND is at pc, or one byte before it. The first unambiguous case shows where the pc is after a BGND. */
static bool at_bgnd(struct pt_s12z *z, uint32_t pc)
{
	bool at = pt_breaks_s12z_soft_at(z, pc), behind = pt_breaks_s12z_soft_at(z, (pc - BGND_BYTES) & 0xffffff);

	if (at != behind)
		z->bgnd_pc = at ? PT_BGND_AT : PT_BGND_BEHIND;
	return z->bgnd_pc == PT_BGND_AT ? at : behind;
}

/* GDB expects the pc at the breakpoint. */
static int take_bgnd(struct pt_s12z *z, uint32_t pc, struct pt_core_status *stop, struct pt_err *err)
{
	uint64_t at = z->bgnd_pc == PT_BGND_AT ? pc : pc - BGND_BYTES;
	const uint16_t row = PT_S12Z_ROW_P;

	stop->reason = PT_HALT_BREAK_SW;
	stop->addr = at;
	return at != pc ? pt_s12z_write_registers(z, 0, &row, 1, &at, err) : 0;
}

static void take_comparator(const struct pt_s12z *z, uint32_t pc, struct pt_core_status *stop)
{
	enum pt_break_kind kind;

	stop->reason = PT_HALT_EXTERNAL;	/* TRIG, an external event */
	if (!pt_breaks_s12z_at(z, pc, &kind))
		return;
	stop->reason = kind == PT_BREAK_SW ? PT_HALT_BREAK_SW : PT_HALT_BREAK_HW;
	stop->addr = pc;
}

/* Not a breakpoint of ours: a BGND in the program, or another debugger. */
static void take_other(struct pt_s12z *z, uint32_t pc, struct pt_core_status *stop)
{
	struct pt_err ignored = { 0 };
	uint8_t before = 0xff;

	stop->reason = z->stepped ? PT_HALT_STEP : z->asked ? PT_HALT_REQUEST : PT_HALT_EXTERNAL;
	if (stop->reason == PT_HALT_EXTERNAL && pc > 0 && pt_s12z_get8(z, pc - BGND_BYTES, &before, &ignored) == 0 &&
	    before == 0)
		stop->reason = PT_HALT_BKPT;
}

static int find_reason(struct pt_s12z *z, struct pt_err *err)
{
	static const enum pt_halt_reason watch_reason[] = {
		[PT_WATCH_WRITE] = PT_HALT_WATCH_WRITE, [PT_WATCH_READ] = PT_HALT_WATCH_READ,
		[PT_WATCH_ACCESS] = PT_HALT_WATCH_ACCESS,
	};
	struct pt_core_status stop = { .state = PT_HALTED, .addr = PT_UNKNOWN };
	enum pt_break_kind kind = PT_WATCH_ACCESS;
	bool ended, watch;
	uint64_t pc;
	int rc = 0;

	if (pt_s12z_pc(z, 0, &pc, err) < 0 || pt_breaks_s12z_ended(z, &ended, &watch, &kind, &stop.addr, err) < 0)
		return err->code;
	if (watch)
		stop.reason = watch_reason[kind];
	else if (ended)
		take_comparator(z, (uint32_t)pc, &stop);
	else if (!z->stepped && !z->asked && at_bgnd(z, (uint32_t)pc))
		rc = take_bgnd(z, (uint32_t)pc, &stop, err);
	else
		take_other(z, (uint32_t)pc, &stop);
	z->stop = stop;
	z->halted = rc == 0;
	return rc;
}

/* --- status ------------------------------------------------------------------------------------------------------- */

/* WAIT and STOP show that the core has entered these modes, not that it is still in them. SYNC_PC answers 0xee in them
 * (ZVM p.166); its failure also sets flags in BDCCSRL, which are cleared. */
static int find_sleep(struct pt_s12z *z, struct pt_core_status *out, struct pt_err *err)
{
	uint8_t pc[4] = { 0 };
	struct pt_bdc_op op = { .what = PT_BDC_SYNC_PC, .n = 1, .bytes = pc };
	int rc;

	if ((z->wire.csr & (PT_BDC_WAIT | PT_BDC_STOP)) == 0 || !z->wire.enabled)
		return 0;
	if (!pt_wire_s12z_can(&z->wire, PT_BDC_SYNC_PC)) {
		out->state = PT_SLEEPING; /* or has slept; without SYNC_PC, the flags are cleared for the next check */
		return pt_wire_s12z_write_csr(&z->wire, true, PT_BDC_WAIT | PT_BDC_STOP, err);
	}
	rc = pt_wire_s12z_run(&z->wire, &op, 1, NULL, err);
	if (rc < 0 && rc != PT_EFAULT)
		return rc;
	if (rc == PT_EFAULT || pt_le32(pc) == 0xeeeeee)
		out->state = PT_SLEEPING;
	/* while it sleeps these flags stay set for the next check */
	return pt_wire_s12z_write_csr(&z->wire, true, out->state == PT_SLEEPING ? SLEEP_STAYS : PT_BDC_FLAGS, err);
}

static int look(struct pt_s12z *z, struct pt_err *err)
{
	bool was_enabled = z->wire.enabled;
	int rc = pt_wire_s12z_find(&z->wire, err);

	if (rc == 0 && was_enabled && (z->wire.csr & PT_BDC_ENBDC) == 0)
		z->wire.was_reset = true;
	if (rc == 0 && z->wire.was_reset) {
		z->wire.was_reset = false;
		z->was_reset = true;
		rc = pt_s12z_after_reset(z, err);
	}
	return rc;
}

static int read_status(struct pt_s12z *z, struct pt_core_status *out, struct pt_err *err)
{
	int rc = look(z, err);

	if (rc < 0)
		return rc;
	if ((z->wire.csr & PT_BDC_BDMACT) != 0) {
		rc = z->halted ? 0 : find_reason(z, err);
		*out = z->stop;
		return rc;
	}
	z->halted = false;
	out->state = PT_RUNNING;
	return find_sleep(z, out, err);
}

int pt_s12z_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err)
{
	struct pt_s12z *z = state;
	int rc;

	(void)core;
	*out = (struct pt_core_status){ .addr = PT_UNKNOWN };
	rc = read_status(z, out, err);
	if (rc == 0 && z->dbg.owed && out->state != PT_SLEEPING) {
		rc = pt_dbg_pay(z, err);
		if (rc == PT_EFAULT && z->wire.asleep)	/* asleep again, or a probe that cannot detect sleep */
			rc = 0;
	}
	if (rc == PT_EPROTO || rc == PT_ETIMEOUT || rc == PT_EFAULT) {
		out->state = PT_LOST;
		return 0;
	}
	if (rc < 0)
		return pt_wrap(err, "read the state of the core");
	out->was_reset = z->was_reset;
	z->was_reset = false;
	return 0;
}

/* --- halt, step, resume ------------------------------------------------------------------------------------------- */

static int does_not_halt(const struct pt_s12z *z, bool pending, struct pt_err *err)
{
	const char *when = (z->wire.csr & PT_BDC_STOP) != 0 ? "is in STOP mode; it halts when it leaves that"
			   : pending || (z->wire.csr & PT_BDC_WAIT) != 0
				   ? "waits for an interrupt (WAI); it halts when one comes"
				   : "does not halt";

	return pt_fail(err, PT_ETIMEOUT, "the core %s", when);
}

/* pending: the BDC has reported that it cannot halt the core yet. PT_ETIMEOUT: the core does not halt. */
static int wait_halted(struct pt_s12z *z, uint32_t timeout_ms, bool pending, struct pt_err *err)
{
	uint64_t until_ns = pt_wire_s12z_now_ns(&z->wire) + timeout_ms * PT_NS_PER_MS;

	for (;;) {
		struct pt_bdc_op delay = { .what = PT_BDC_DELAY, .time_us = LOOK_US };

		if (pt_wire_s12z_look(&z->wire, err) < 0)
			return err->code;
		if ((z->wire.csr & PT_BDC_BDMACT) != 0)
			return 0;
		if (pt_wire_s12z_now_ns(&z->wire) >= until_ns)
			return does_not_halt(z, pending, err);
		if (pt_wire_s12z_run(&z->wire, &delay, 1, NULL, err) < 0)
			return err->code;
	}
}

static int command(struct pt_s12z *z, enum pt_bdc_do what, struct pt_err *err)
{
	struct pt_bdc_op op = { .what = (uint8_t)what };

	return pt_wire_s12z_run(&z->wire, &op, 1, NULL, err);
}

int pt_s12z_halt(void *state, unsigned core, struct pt_err *err)
{
	struct pt_s12z *z = state;
	int rc;

	(void)core;
	if (pt_wire_s12z_look(&z->wire, err) < 0)
		return pt_wrap(err, "halt");
	if ((z->wire.csr & PT_BDC_BDMACT) != 0)
		return 0;
	z->halted = z->stepped = false;
	z->asked = true;
	rc = command(z, PT_BDC_BACKGROUND, err);
	if (rc < 0 && rc != PT_EFAULT)	/* NORESP: in WAI it stays pending (ZVMB p.146) */
		return pt_wrap(err, "halt");
	return wait_halted(z, HALT_MS, rc == PT_EFAULT, err);
}

/* Comparators are off during STEP1 and in active background (ZVHY p.227), but a BGND is not, and is lifted. */
static int step_once(struct pt_s12z *z, struct pt_err *err)
{
	struct pt_err put_back = { 0 };
	uint64_t pc = 0;
	bool lift;
	int rc;

	if (pt_s12z_pc(z, 0, &pc, err) < 0)
		return err->code;
	if (z->breaks.record && z->dbg.armed && pt_dbg_disarm(z, err) < 0)	/* a step is not recorded */
		return err->code;
	lift = pt_breaks_s12z_soft_at(z, (uint32_t)pc);
	if (lift && pt_breaks_s12z_lift(z, (uint32_t)pc, true, err) < 0)
		return err->code;
	z->halted = z->asked = false;
	z->stepped = true;
	rc = command(z, PT_BDC_STEP1, err);
	if (rc == 0)
		rc = wait_halted(z, STEP_MS, false, err);
	if (lift && pt_breaks_s12z_lift(z, (uint32_t)pc, false, &put_back) < 0 && rc == 0) {
		*err = put_back;
		rc = put_back.code;
	}
	return rc;
}

int pt_s12z_step(void *state, unsigned core, struct pt_err *err)
{
	(void)core;
	return step_once(state, err) < 0 ? pt_wrap(err, "step") : 0;
}

static int step_off_breakpoint(struct pt_s12z *z, struct pt_err *err)
{
	enum pt_break_kind kind;
	uint64_t pc;

	z->breaks.went_on_at = PT_UNKNOWN;
	if (!pt_breaks_s12z_any(z))
		return 0;
	if (pt_s12z_pc(z, 0, &pc, err) < 0)
		return err->code;
	if (!pt_breaks_s12z_at(z, (uint32_t)pc, &kind))
		return 0;
	if (step_once(z, err) < 0)
		return err->code;
	return z->breaks.record ? pt_s12z_pc(z, 0, &z->breaks.went_on_at, err) : 0;
}

int pt_s12z_resume(void *state, unsigned core, struct pt_err *err)
{
	struct pt_s12z *z = state;

	(void)core;
	if (step_off_breakpoint(z, err) < 0)
		return pt_wrap(err, "step off a breakpoint");
	if (pt_breaks_s12z_arm(z, err) < 0)
		return pt_wrap(err, "resume");
	z->halted = z->stepped = z->asked = false;
	return command(z, PT_BDC_GO, err) < 0 ? pt_wrap(err, "resume") : 0;
}

/* --- as it was found ---------------------------------------------------------------------------------------------- */

static bool enbdc_was_set(const struct pt_s12z *z)
{
	return (z->wire.found & PT_BDC_ENBDC) != 0;
}

/* Gives the value found at attach: attach sets ENBDC, which would be taken for a leftover of the previous process. */
int pt_s12z_pending_read(void *state, const struct pt_pending_row *rows, size_t n, uint32_t *values, struct pt_err *err)
{
	const struct pt_s12z *z = state;

	(void)rows;
	(void)err;
	for (size_t i = 0; i < n; i++)
		values[i] = z->wire.found;
	return 0;
}

/* The value counts as found from here on. The next command that needs ENBDC sets it. */
int pt_s12z_pending_write(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
			  struct pt_err *err)
{
	struct pt_s12z *z = state;

	(void)rows;
	for (size_t i = 0; i < n; i++)
		z->wire.found = (uint16_t)(values[i] & PT_BDC_PUT_BACK);
	z->wire.keep = (z->wire.found & PT_BDC_SETTINGS) | z->wire.wanted;
	return pt_wire_s12z_write_csr(&z->wire, enbdc_was_set(z), 0, err);
}

/* Without resume a halted core stays halted. */
int pt_s12z_restore(struct pt_s12z *z, bool resume, struct pt_err *err)
{
	if (!z->found_saved)
		return 0;
	if (pt_wire_s12z_look(&z->wire, err) < 0)
		return pt_wrap(err, "put the core back as it was found");
	if ((z->wire.csr & PT_BDC_BDMACT) != 0) {
		if (!resume)
			return 0;	/* without ENBDC it could not stay halted */
		if (pt_s12z_resume(z, 0, err) < 0)
			return pt_wrap(err, "let the core run on");
	}
	z->wire.keep = z->wire.found & PT_BDC_SETTINGS;
	return pt_wire_s12z_write_csr(&z->wire, enbdc_was_set(z), PT_BDC_FLAGS, err);
}

/* Clears ENBDC when no client is left, so that a BGND of the program does nothing again. The next command that needs
 * ENBDC sets it. */
int pt_s12z_leave(void *state, struct pt_err *err)
{
	struct pt_s12z *z = state;

	pt_flash_s12z_forget(z);	/* of an unfinished load */
	if (!z->found_saved || enbdc_was_set(z) || z->n_sources > 0 || pt_breaks_s12z_any(z) || !z->wire.enabled)
		return 0;
	if (pt_wire_s12z_look(&z->wire, err) < 0)
		return err->code;
	if ((z->wire.csr & PT_BDC_BDMACT) != 0)
		return 0;
	return pt_wire_s12z_write_csr(&z->wire, false, 0, err);
}
