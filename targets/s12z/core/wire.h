/* The BDC as the target uses it: batches of struct pt_bdc_op, with ENBDC set when they need it, and with faults
 * explained. Board thread only. Source: ZVHY, chapter 5 (S12ZBDCV2). */
#ifndef PT_S12Z_WIRE_H
#define PT_S12Z_WIRE_H

#include "probes/wires/probe.h"
#include "targets/contract/target.h"
#include "targets/s12z/core/bdccsr.h"

/* Of BDCCSR: what we set, what is left as found, and what is put back. */
enum { PT_BDC_SETTINGS = PT_BDC_BDCCIS | PT_BDC_STEAL | PT_BDC_CLKSW, PT_BDC_PUT_BACK = PT_BDC_ENBDC | PT_BDC_SETTINGS };

struct pt_wire_s12z {
	struct pt_target *target;	/* whose note has what BDCCSR held; NULL: nothing is noted */
	const struct pt_bdc_ops *ops;
	void *state;
	struct pt_link *link;
	uint32_t can;			/* bits 1 << enum pt_bdc_do */
	uint32_t bdcsi_hz;		/* as measured last */
	struct pt_bdccsr bits;		/* where its bits are */
	uint16_t csr;			/* BDCCSR as seen last, its bits where bdc.h has them */
	uint16_t keep;			/* bits of its high byte that we write besides ENBDC */
	uint16_t wanted;		/* of those, what the user has asked for */
	uint16_t found;			/* PT_BDC_PUT_BACK as found: what is put back */
	bool enabled;			/* we have seen ENBDC set since the last reset that we know of */
	bool enable;			/* commands may set it where they need it */
	bool was_reset;			/* ENBDC had been set and was found clear */
	bool stale;			/* BDCCSR may have flags of a batch that was interrupted */
	bool asleep;			/* the last batch failed because the core is in STOP
					 * mode: its memory is out of reach */
};

/* No I/O. */
void pt_wire_s12z_init(struct pt_wire_s12z *wire, const struct pt_bdc_ops *ops, void *state, struct pt_link *link);
/* SYNC, and BDCCSR as it is. Nothing is written. PT_EPROTO: nothing answers. */
int pt_wire_s12z_connect(struct pt_wire_s12z *wire, struct pt_err *err);
/* The target's clock again: behind a reset it may be another one. */
int pt_wire_s12z_sync(struct pt_wire_s12z *wire, struct pt_err *err);

static inline bool pt_wire_s12z_can(const struct pt_wire_s12z *wire, enum pt_bdc_do what)
{
	return (wire->can & UINT32_C(1) << what) != 0;
}

/* Run a batch; sets ENBDC first if it is not known to be set. After a fault BDCCSR is read and its flags are cleared.
 *   n_done   out: operations completed; may be NULL. A poll that expired is the last: its index, and 0 is returned
 * Errors as of pt_bdc_ops.run, but: PT_EFAULT has a sentence that says which flag, and PT_EPROTO is left for
 * a target that gives no answer at all (no clock, no power, held in reset, no wire): BDCCSR, which can always
 * be read, was asked for. */
int pt_wire_s12z_run(struct pt_wire_s12z *wire, struct pt_bdc_op *ops, size_t n_ops, size_t *n_done,
		     struct pt_err *err);

/* BDCCSR into wire->csr. */
int pt_wire_s12z_look(struct pt_wire_s12z *wire, struct pt_err *err);
/* The same, behind a SYNC if it does not answer at first: its clock may have changed. PT_EPROTO: there is no target;
 * PT_ETIMEOUT: the probe does not answer. */
int pt_wire_s12z_find(struct pt_wire_s12z *wire, struct pt_err *err);
/* Write BDCCSR: ENBDC or not, wire->keep, and those flags cleared (PT_BDC_FLAGS: all). Noted before, for as long as it is
 * not as found. */
int pt_wire_s12z_write_csr(struct pt_wire_s12z *wire, bool enbdc, uint8_t clear, struct pt_err *err);

/* That BDCCSR is not as it was found, if it is not: it was written when no notes were kept. */
void pt_wire_s12z_note(const struct pt_wire_s12z *wire);

uint64_t pt_wire_s12z_now_ns(const struct pt_wire_s12z *wire);

#endif
