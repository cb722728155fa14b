/* Halts, resumes and steps the core, and reads its state. C_DEBUGEN is set only when a client halts the core or sets a
 * breakpoint: before that the program runs as without a debugger. Source: Arm DDI 0419 (ARMv6-M), C1.6. */
#include <string.h>

#include "targets/cortexm/core/cortexm.h"
#include "base/util.h"

enum { BATCH_MS = 1000, HALT_MS = 1000, STEP_MS = 200, POLL_US = 5000 };

/* --- as it was found ---------------------------------------------------------------------------------------------- */

/* A core that was halted by somebody else before stays halted, unless resume. C_MASKINTS is cleared while the core is
 * still halted. */
int pt_cortexm_restore(struct pt_cortexm *cm, bool resume, struct pt_err *err)
{
	uint32_t debugen = cm->under_reset ? 0 : cm->found_dhcsr & DHCSR_C_DEBUGEN, dhcsr = 0;
	int rc;

	if (!cm->found_saved)
		return 0;
	rc = pt_cortexm_set_demcr(cm, cm->found_demcr, ~cm->found_demcr, err);
	if (rc < 0 || pt_cortexm_read_dhcsr(cm, &dhcsr, err) < 0)
		return pt_wrap(err, "put the core back as it was found");
	if ((dhcsr & DHCSR_S_HALT) != 0) {
		if (!resume)
			return 0;
		if (pt_cortexm_resume(cm, 0, err) < 0)
			return pt_wrap(err, "let the core run on");
	}
	if (debugen == 0 && cm->debug_on && pt_cortexm_write_dhcsr(cm, 0, err) < 0)
		return pt_wrap(err, "turn halting debug off");
	cm->debug_on = debugen != 0;
	return 0;
}

bool pt_cortexm_is_counted(const struct pt_cortexm *cm)
{
	char samples[PT_PENDING_UNIT], cycles[PT_PENDING_UNIT];

	return pt_lease_held(cm->target, pt_cortexm_unit(cm, samples, "dwt.pcsr")) ||
	       pt_lease_held(cm->target, pt_cortexm_unit(cm, cycles, "dwt.cyccnt"));
}

/* Without a debugger a BKPT of the program causes a HardFault again, and a HardFault no longer halts the core. */
int pt_cortexm_leave(void *state, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	uint32_t ours = DEMCR_VC_CORERESET | DEMCR_VC_HARDERR | pt_cortexm_vector_catch(cm), dhcsr = 0;

	cm->attended = false;
	if (!cm->found_saved || cm->source_halts || pt_cortexm_breaks_any(cm) || pt_cortexm_breaks_watching(cm) ||
	    pt_lease_held(cm->target, "halting debug"))	/* semihosting: its BKPT must halt */
		return 0;
	if (!pt_cortexm_is_counted(cm))	/* else DWT_CTRL needs TRCENA */
		ours |= DEMCR_TRCENA;
	if (pt_cortexm_set_demcr(cm, cm->found_demcr & ours, ~cm->found_demcr & ours, err) < 0 ||
	    pt_cortexm_read_dhcsr(cm, &dhcsr, err) < 0)
		return err->code;
	if ((dhcsr & DHCSR_S_HALT) != 0 || !cm->debug_on ||
	    (!cm->under_reset && (cm->found_dhcsr & DHCSR_C_DEBUGEN) != 0))
		return 0;
	if (pt_cortexm_write_dhcsr(cm, 0, err) < 0)
		return pt_wrap(err, "turn halting debug off");
	cm->debug_on = false;
	return 0;
}

/* --- why it halted ------------------------------------------------------------------------------------------------ */

static const enum pt_halt_reason watch_reason[] = {
	[PT_WATCH_WRITE] = PT_HALT_WATCH_WRITE, [PT_WATCH_READ] = PT_HALT_WATCH_READ,
	[PT_WATCH_ACCESS] = PT_HALT_WATCH_ACCESS,
};

static int breakpoint_reason(struct pt_cortexm *cm, struct pt_core_status *stop, struct pt_err *err)
{
	enum pt_break_kind kind;
	uint64_t pc;

	if (pt_cortexm_pc(cm, 0, &pc, err) < 0)
		return err->code;
	stop->reason = PT_HALT_BKPT;
	if (pt_cortexm_breaks_at(cm, (uint32_t)pc, &kind)) {
		stop->reason = kind == PT_BREAK_SW ? PT_HALT_BREAK_SW : PT_HALT_BREAK_HW;
		stop->addr = pc;
	}
	return 0;
}

/* DFSR may show several reasons; the most specific one is used. Source: DDI 0419, C1.6.2 */
static int find_reason(struct pt_cortexm *cm, struct pt_err *err)
{
	struct pt_core_status stop = { .state = PT_HALTED, .addr = PT_UNKNOWN };
	enum pt_break_kind kind = PT_BREAK_HW;
	uint32_t dfsr = 0;

	if (pt_mem_read32(cm->mem, pt_cortexm_reg(cm, SCS_DFSR), &dfsr, err) < 0)
		return pt_wrap(err, "read DFSR");
	if ((dfsr & DFSR_VCATCH) != 0) {
		stop.reason = PT_HALT_VECTOR_CATCH;
	} else if ((dfsr & DFSR_BKPT) != 0) {
		if (breakpoint_reason(cm, &stop, err) < 0)
			return err->code;
	} else if ((dfsr & DFSR_DWTTRAP) != 0) {
		bool ours = pt_cortexm_breaks_watched(cm, &kind, &stop.addr);

		stop.reason = ours ? watch_reason[kind] : PT_HALT_EXTERNAL;
	} else if ((dfsr & DFSR_EXTERNAL) != 0) {
		stop.reason = cm->source_halts ? PT_HALT_TRACE : PT_HALT_EXTERNAL;
	} else {
		stop.reason = cm->stepped ? PT_HALT_STEP : PT_HALT_REQUEST;
	}
	cm->stop = stop;
	cm->halted = true;
	return 0;
}

/* --- status ------------------------------------------------------------------------------------------------------- */

/* Translates an error of the wire to a state of the core, if it is one. */
static int status_of_error(int rc, struct pt_core_status *out)
{
	if (rc == PT_EFAULT)
		out->state = PT_IN_RESET;	/* the AP answers, the bus does not */
	else if (rc == PT_EPROTO || rc == PT_ETIMEOUT)
		out->state = PT_LOST;
	else
		return rc;
	return 0;
}

/* A read clears S_RESET_ST: if it is still set the core is still in reset. */
static int after_reset(struct pt_cortexm *cm, uint32_t *dhcsr, bool *in_reset, struct pt_err *err)
{
	if (pt_cortexm_read_dhcsr(cm, dhcsr, err) < 0)
		return err->code;
	*in_reset = (*dhcsr & DHCSR_S_RESET_ST) != 0;
	if (*in_reset)
		return 0;
	pt_mem_ap_forget(&cm->ap);
	return pt_cortexm_breaks_write_again(cm, err);
}

static enum pt_run_state running_state(uint32_t dhcsr)
{
	if ((dhcsr & DHCSR_S_LOCKUP) != 0)
		return PT_LOCKED_UP;
	return (dhcsr & DHCSR_S_SLEEP) != 0 ? PT_SLEEPING : PT_RUNNING;
}

static int read_status(struct pt_cortexm *cm, struct pt_core_status *out, struct pt_err *err)
{
	uint64_t asked_ns = pt_mem_now_ns(cm->mem);
	bool in_reset = false;
	uint32_t dhcsr;
	int rc = pt_cortexm_read_dhcsr(cm, &dhcsr, err);

	if (rc == 0 && pt_cortexm_lost_power(cm))
		cm->was_reset = true;
	if (rc == 0)
		cm->power_losses = pt_cortexm_port(cm)->power_losses;
	if (rc == 0 && cm->was_reset)
		rc = after_reset(cm, &dhcsr, &in_reset, err);
	if (rc < 0)
		return rc;
	if (in_reset) {
		out->state = PT_IN_RESET;
	} else if ((dhcsr & DHCSR_S_HALT) != 0) {
		rc = cm->halted ? 0 : find_reason(cm, err);
		*out = cm->stop;
	} else {
		out->state = running_state(dhcsr);
		cm->ran_ns = asked_ns;
	}
	return rc;
}

int pt_cortexm_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	int rc;

	(void)core;
	*out = (struct pt_core_status){ .addr = PT_UNKNOWN };
	rc = read_status(cm, out, err);
	if (rc < 0)
		return status_of_error(rc, out) < 0 ? pt_wrap(err, "read the state of the core") : 0;
	out->was_reset = cm->was_reset && out->state != PT_IN_RESET;
	if (out->was_reset)
		cm->was_reset = false;
	return 0;
}

/* --- halt, resume, step ------------------------------------------------------------------------------------------- */

struct control_batch {		/* writes of control registers and a poll of S_HALT, in one round trip */
	struct pt_mem_op op[6];
	uint8_t bytes[6][4];
	size_t n;
};

static void put(struct pt_cortexm *cm, struct control_batch *batch, uint32_t offset, uint32_t value)
{
	pt_put_le32(batch->bytes[batch->n], value);
	batch->op[batch->n] = (struct pt_mem_op){
		.what = PT_MEM_WRITE, .width_bytes = 4, .addr = pt_cortexm_reg(cm, offset),
		.bytes = batch->bytes[batch->n],
		.len_bytes = 4,
	};
	batch->n++;
}

/* Returns 1 when halted, 0 when not yet. */
static int run_until_halted(struct pt_cortexm *cm, struct control_batch *batch, struct pt_err *err)
{
	struct pt_mem_op *poll = &batch->op[batch->n];
	size_t n_done = 0;

	*poll = (struct pt_mem_op){
		.what = PT_MEM_POLL, .addr = pt_cortexm_reg(cm, SCS_DHCSR), .mask = DHCSR_S_HALT, .match = DHCSR_S_HALT,
		.time_us = POLL_US,
	};
	if (pt_mem_run(cm->mem, batch->op, batch->n + 1, BATCH_MS, &n_done, err) < 0)
		return err->code;
	pt_cortexm_saw(cm, poll->match_seen);
	return n_done == batch->n + 1;
}

/* Runs the batch, then polls until the deadline. PT_ETIMEOUT: it does not halt. */
static int wait_halted(struct pt_cortexm *cm, struct control_batch *batch, uint32_t timeout_ms, struct pt_err *err)
{
	uint64_t deadline_ns = pt_mem_now_ns(cm->mem) + timeout_ms * PT_NS_PER_MS;
	int rc = run_until_halted(cm, batch, err);

	batch->n = 0;
	while (rc == 0 && pt_mem_now_ns(cm->mem) < deadline_ns)
		rc = run_until_halted(cm, batch, err);
	if (rc == 0)
		return pt_fail(err, PT_ETIMEOUT, "the core does not halt");
	return rc < 0 ? rc : 0;
}

int pt_cortexm_halt(void *state, unsigned core, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	struct control_batch batch = { .n = 0 };

	(void)core;
	cm->attended = true;
	if (pt_cortexm_enable_debug(cm, err) < 0)
		return err->code;
	if (!cm->halted)
		cm->stepped = false;
	put(cm, &batch, SCS_DHCSR, DHCSR_KEY | DHCSR_C_DEBUGEN | DHCSR_C_HALT);
	cm->ints_masked = false;
	return wait_halted(cm, &batch, HALT_MS, err);
}

/* C_MASKINTS may change only while C_HALT is written as 1. Source: DDI 0419, C1.6.3 */
static void put_run(struct pt_cortexm *cm, struct control_batch *batch, uint32_t step, bool mask_ints)
{
	uint32_t mask = mask_ints ? DHCSR_C_MASKINTS : 0;

	put(cm, batch, SCS_DFSR, DFSR_ALL);
	if (mask_ints != cm->ints_masked)
		put(cm, batch, SCS_DHCSR, DHCSR_KEY | DHCSR_C_DEBUGEN | DHCSR_C_HALT | mask);
	put(cm, batch, SCS_DHCSR, DHCSR_KEY | DHCSR_C_DEBUGEN | step | mask);
	cm->ints_masked = mask_ints;
	cm->halted = false;
	cm->stepped = step != 0;
}

static int step_once(struct pt_cortexm *cm, bool mask_ints, struct pt_err *err)
{
	struct control_batch batch = { .n = 0 };
	int rc;

	if (pt_cortexm_breaks_sync(cm, err) < 0)
		return err->code;
	put_run(cm, &batch, DHCSR_C_STEP, mask_ints);
	rc = wait_halted(cm, &batch, STEP_MS, err);
	if (rc != PT_ETIMEOUT)
		return rc;
	/* it sleeps: the step does not end by itself */
	put(cm, &batch, SCS_DHCSR, DHCSR_KEY | DHCSR_C_DEBUGEN | DHCSR_C_HALT);
	return wait_halted(cm, &batch, HALT_MS, err);
}

/* The core would stop at once at a breakpoint at its pc: this one is removed for the first instruction. Returns 1 if it
 * stepped, 0 if there is none. */
static int step_off_breakpoint(struct pt_cortexm *cm, bool mask_ints, struct pt_err *err)
{
	struct pt_err put_back = { 0 };
	enum pt_break_kind kind;
	uint64_t pc;
	int rc;

	if (!pt_cortexm_breaks_any(cm))
		return 0;
	if (pt_cortexm_pc(cm, 0, &pc, err) < 0)
		return err->code;
	if (!pt_cortexm_breaks_at(cm, (uint32_t)pc, &kind))
		return 0;
	if (pt_cortexm_breaks_lift(cm, (uint32_t)pc, true, err) < 0)
		return err->code;
	rc = step_once(cm, mask_ints, err);
	if (pt_cortexm_breaks_lift(cm, (uint32_t)pc, false, &put_back) < 0 && rc == 0) {
		*err = put_back;
		rc = put_back.code;
	}
	return rc < 0 ? rc : 1;
}

int pt_cortexm_resume(void *state, unsigned core, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	struct control_batch batch = { .n = 0 };

	(void)core;
	if (step_off_breakpoint(cm, true, err) < 0)
		return pt_wrap(err, "step off a breakpoint");
	if (pt_cortexm_breaks_sync(cm, err) < 0)
		return pt_wrap(err, "resume");
	put_run(cm, &batch, 0, false);
	if (pt_mem_run(cm->mem, batch.op, batch.n, BATCH_MS, NULL, err) < 0)
		return pt_wrap(err, "resume");
	return 0;
}

int pt_cortexm_step(void *state, unsigned core, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	int rc;

	(void)core;
	rc = step_off_breakpoint(cm, cm->mask_step, err);
	if (rc == 0)
		rc = step_once(cm, cm->mask_step, err);
	return rc < 0 ? pt_wrap(err, "step") : 0;
}
