/* Reset by request or by pin, with the core running or stopped at its first instruction afterwards, and connecting to a
 * chip that is held in reset. Losing the bus for a time is normal here: until the deadline errors mean "not yet".
 * Source: Arm DDI 0419 (ARMv6-M), B3.2.6 (AIRCR), C1.6.3 (S_RESET_ST), C1.6.6 (VC_CORERESET). */
#include "targets/cortexm/core/cortexm.h"
#include "base/util.h"

enum { RESET_MS = 1000, PIN_MS = 20, LOOK_AGAIN_MS = 1 };
enum { COPC_OFF = 0 };	/* SIM_COPC.COPT, write-once after reset. Source: NXP KL27 Sub-Family Reference Manual, SIM */

static bool is_fatal(int rc)
{
	return rc == PT_EIO || rc == PT_EINTERRUPTED;
}

static int pause_ms(struct pt_cortexm *cm, uint32_t ms, struct pt_err *err)
{
	return pt_link_wait(pt_cortexm_port(cm)->link, pt_link_now_ns(pt_cortexm_port(cm)->link) + ms * PT_NS_PER_MS,
			    err);
}

/* Reads DHCSR until (it & mask) == match. what: the end of the sentence for PT_ETIMEOUT. */
static int wait_dhcsr(struct pt_cortexm *cm, uint32_t mask, uint32_t match, const char *what, struct pt_err *err)
{
	uint64_t deadline_ns = pt_link_now_ns(pt_cortexm_port(cm)->link) + RESET_MS * PT_NS_PER_MS;
	uint32_t dhcsr = 0;

	for (;;) {
		int rc = pt_cortexm_read_dhcsr(cm, &dhcsr, err);

		if (is_fatal(rc))
			return rc;
		if (rc == 0 && (dhcsr & mask) == match)
			return 0;
		if (pt_link_now_ns(pt_cortexm_port(cm)->link) >= deadline_ns)
			return pt_fail(err, PT_ETIMEOUT, "the core %s", what);
		rc = pause_ms(cm, LOOK_AGAIN_MS, err);
		if (rc < 0)
			return rc;
	}
}

static int pulse_pin(struct pt_cortexm *cm, struct pt_err *err)
{
	if (pt_cortexm_port(cm)->dap->set_reset(pt_cortexm_port(cm)->wire, true, err) < 0 ||
	    pause_ms(cm, PIN_MS, err) < 0 ||
	    pt_cortexm_port(cm)->dap->set_reset(pt_cortexm_port(cm)->wire, false, err) < 0)
		return pt_wrap(err, "pulse the reset pin");
	return 0;
}

/* The request may interrupt its own acknowledge: only a lost probe is an error. */
static int request_reset(struct pt_cortexm *cm, struct pt_err *err)
{
	int rc = pt_mem_write32(cm->mem, pt_cortexm_reg(cm, SCS_AIRCR), AIRCR_SYSRESETREQ, err);

	return is_fatal(rc) ? rc : 0;
}

/* S_RESET_ST shows that the reset has happened; an earlier read of DHCSR has cleared the mark of older resets. */
static int wait_reset_seen(struct pt_cortexm *cm, struct pt_err *err)
{
	uint64_t deadline_ns = pt_link_now_ns(pt_cortexm_port(cm)->link) + RESET_MS * PT_NS_PER_MS;

	while (!cm->was_reset) {
		if (pt_link_now_ns(pt_cortexm_port(cm)->link) >= deadline_ns)
			return pt_fail(err, PT_ETIMEOUT, "the core takes no notice of it");
		if (wait_dhcsr(cm, 0, 0, "does not come out of reset", err) < 0)
			return err->code;
		if (!cm->was_reset && pause_ms(cm, LOOK_AGAIN_MS, err) < 0)
			return err->code;
	}
	return wait_dhcsr(cm, DHCSR_S_RESET_ST, 0, "stays in reset", err);
}

static int do_reset(struct pt_cortexm *cm, struct pt_err *err)
{
	uint32_t dhcsr;

	if (pt_cortexm_read_dhcsr(cm, &dhcsr, err) < 0)
		return err->code;
	cm->was_reset = false;
	if ((cm->reset_pin ? pulse_pin(cm, err) : request_reset(cm, err)) < 0)
		return err->code;
	pt_mem_ap_forget(&cm->ap);
	cm->halted = false;
	return wait_reset_seen(cm, err);
}

static int catch_reset(struct pt_cortexm *cm, struct pt_err *err)
{
	int rc;

	cm->attended = true;
	if (pt_cortexm_enable_debug(cm, err) < 0 || pt_cortexm_set_demcr(cm, DEMCR_VC_CORERESET, 0, err) < 0)
		return err->code;
	rc = do_reset(cm, err);
	if (rc == 0)
		rc = wait_dhcsr(cm, DHCSR_S_HALT, DHCSR_S_HALT, "does not halt at the reset vector", err);
	if (rc < 0)
		return rc;
	return pt_cortexm_set_demcr(cm, 0, ~cm->found_demcr & DEMCR_VC_CORERESET, err);
}

static int stop_watchdog(struct pt_cortexm *cm, struct pt_err *err)
{
	uint8_t off = COPC_OFF;

	if (cm->chip.watchdog == 0)
		return 0;
	if (pt_mem_write(cm->mem, cm->chip.watchdog, &off, 1, err) < 0)
		return pt_wrap(err, "stop the watchdog");
	pt_pending_tell(cm->target, "stop the watchdog until the next reset");
	return 0;
}

int pt_cortexm_reset(void *state, enum pt_reset_kind kind, struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	int rc = kind == PT_RESET_RUN ? do_reset(cm, err) : catch_reset(cm, err);

	if (rc == 0)
		rc = pt_cortexm_breaks_write_again(cm, err);
	if (rc == 0 && kind == PT_RESET_INIT)
		rc = stop_watchdog(cm, err);
	cm->was_reset = false;	/* it was requested, and is not reported */
	return rc < 0 ? pt_wrap(err, "reset") : 0;
}

/* --- connect under reset ------------------------------------------------------------------------------------------ */

int pt_cortexm_hold_reset(struct pt_cortexm *cm, struct pt_err *err)
{
	if (pt_cortexm_port(cm)->dap->set_reset(pt_cortexm_port(cm)->wire, true, err) < 0)
		return pt_wrap(err, "connect under reset");
	return pause_ms(cm, PIN_MS, err);
}

int pt_cortexm_catch_reset_vector(struct pt_cortexm *cm, struct pt_err *err)
{
	uint64_t scs = cm->found.unit[PT_UNIT_SCS];

	if (scs == 0)
		cm->found.unit[PT_UNIT_SCS] = 0xe000e000;	/* not discovered yet; the architecture's address */
	if (pt_cortexm_save(cm, err) < 0 || pt_cortexm_enable_debug(cm, err) < 0 ||
	    pt_cortexm_set_demcr(cm, DEMCR_VC_CORERESET, 0, err) < 0)
		return pt_wrap(err, "catch the reset vector");
	return 0;
}

int pt_cortexm_release_reset(struct pt_cortexm *cm, struct pt_err *err)
{
	if (pt_cortexm_port(cm)->dap->set_reset(pt_cortexm_port(cm)->wire, false, err) < 0 ||
	    wait_dhcsr(cm, DHCSR_S_HALT, DHCSR_S_HALT, "does not halt at the reset vector", err) < 0)
		return pt_wrap(err, "let go of reset");
	cm->was_reset = false;
	return pt_cortexm_set_demcr(cm, 0, DEMCR_VC_CORERESET, err);
}
