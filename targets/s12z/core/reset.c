/* Reset by the pin: in normal mode the core runs from its reset vector, in special single chip mode it waits in active
 * background before its first instruction. No other reset works on every part. Source: ZVHY p.227 (ENBDC and BDMACT out
 * of reset); the state of ENBDC after a reset into normal mode is UNVERIFIED, so it is read. */
#include "targets/s12z/core/s12z.h"
#include "base/util.h"

enum { AWAKE_MS = 1000, LOOK_AGAIN_MS = 1 };

static int pause_ms(struct pt_s12z *z, struct pt_err *err)
{
	return pt_link_wait(z->wire.link, pt_wire_s12z_now_ns(&z->wire) + LOOK_AGAIN_MS * PT_NS_PER_MS, err);
}

/* The clock, and BDCSI with it, restarts: until the deadline an error means "not yet". */
static int wait_awake(struct pt_s12z *z, struct pt_err *err)
{
	uint64_t until_ns = pt_wire_s12z_now_ns(&z->wire) + AWAKE_MS * PT_NS_PER_MS;

	for (;;) {
		int rc = pt_wire_s12z_sync(&z->wire, err);

		if (rc == 0)
			rc = pt_wire_s12z_look(&z->wire, err);
		if (rc == 0 || rc == PT_EIO || rc == PT_EINTERRUPTED || pt_wire_s12z_now_ns(&z->wire) >= until_ns)
			return rc;
		if (pause_ms(z, err) < 0)
			return err->code;
	}
}

int pt_s12z_after_reset(struct pt_s12z *z, struct pt_err *err)
{
	z->halted = false;
	z->wire.enabled = z->wire.was_reset = false;
	if (wait_awake(z, err) < 0)
		return pt_wrap(err, "after a reset");
	z->wire.enabled = (z->wire.csr & PT_BDC_ENBDC) != 0;
	if (z->dbg.saved)
		pt_dbg_was_reset(z);
	return pt_breaks_s12z_write_again(z, err);
}

static int do_reset(struct pt_s12z *z, enum pt_bdc_mode mode, struct pt_err *err)
{
	if (z->wire.ops->reset(z->wire.state, mode, err) < 0)
		return err->code;
	return pt_s12z_after_reset(z, err);
}

int pt_s12z_reset(void *state, enum pt_reset_kind kind, struct pt_err *err)
{
	struct pt_s12z *z = state;
	enum pt_bdc_mode mode = kind == PT_RESET_RUN ? PT_BDC_NORMAL : PT_BDC_SPECIAL;
	int rc;

	pt_link_shield(z->wire.link);	/* must not be interrupted before the breakpoints are set again */
	z->stepped = false;
	z->asked = mode == PT_BDC_SPECIAL;
	rc = do_reset(z, mode, err);
	if (rc == 0 && mode == PT_BDC_SPECIAL && (z->wire.csr & PT_BDC_BDMACT) == 0)
		rc = pt_fail(err, PT_EPROTO, "the core does not wait at its reset vector (BDCCSR 0x%04x)", z->wire.csr);
	pt_link_unshield(z->wire.link);
	z->was_reset = false;	/* our own reset: the client knows */
	return rc < 0 ? pt_wrap(err, "reset") : 0;
}
