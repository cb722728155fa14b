/* The target's access to the BDC: runs batches of struct pt_bdc_op, sets ENBDC when needed, and explains faults. Board
 * thread only. Source: ZVHY, chapter 5 (S12ZBDCV2). */
#ifndef PT_S12Z_WIRE_H
#define PT_S12Z_WIRE_H

#include "probes/wires/probe.h"
#include "targets/contract/target.h"
#include "targets/s12z/core/bdccsr.h"

/* Bits of BDCCSR: those kept as found or set by us, and those restored. */
enum { PT_BDC_SETTINGS = PT_BDC_BDCCIS | PT_BDC_STEAL | PT_BDC_CLKSW, PT_BDC_PUT_BACK = PT_BDC_ENBDC | PT_BDC_SETTINGS };

struct pt_wire_s12z {
	struct pt_target *target;	/* its notes keep BDCCSR as found; NULL: nothing is noted */
	const struct pt_bdc_ops *ops;
	void *state;
	struct pt_link *link;
	uint32_t can;			/* bits 1 << enum pt_bdc_do */
	uint32_t bdcsi_hz;		/* last measured */
	struct pt_bdccsr bits;		/* positions of BDCCSR's bits */
	uint16_t csr;			/* BDCCSR as last read, with the bits of bdc.h */
	uint16_t keep;			/* bits of its high byte that we write besides ENBDC */
	uint16_t wanted;		/* those of them that the user requested */
	uint16_t found;			/* PT_BDC_PUT_BACK bits as found, to be restored */
	bool enabled;			/* ENBDC was seen set since the last known reset */
	bool enable;			/* batches may set ENBDC when needed */
	bool was_reset;			/* ENBDC was set, and was found clear */
	bool stale;			/* BDCCSR may have flags of an interrupted batch */
	bool asleep;			/* the last batch failed because the core is in STOP mode, where memory is not
					 * accessible */
};

/* No I/O. */
void pt_wire_s12z_init(struct pt_wire_s12z *wire, const struct pt_bdc_ops *ops, void *state, struct pt_link *link);
/* Sends SYNC, and reads BDCCSR. Nothing is written. PT_EPROTO: no answer. */
int pt_wire_s12z_connect(struct pt_wire_s12z *wire, struct pt_err *err);
/* Measures the target's clock again: after a reset it may differ. */
int pt_wire_s12z_sync(struct pt_wire_s12z *wire, struct pt_err *err);

static inline bool pt_wire_s12z_can(const struct pt_wire_s12z *wire, enum pt_bdc_do what)
{
	return (wire->can & UINT32_C(1) << what) != 0;
}

/* Runs a batch; sets ENBDC first if it is not known to be set. After a fault BDCCSR is read and its flags are cleared.
 *   n_done   out: operations completed; may be NULL. A poll that expired is the last: its index, and 0 is returned
 * Errors as of pt_bdc_ops.run, but: PT_EFAULT has a sentence that says which flag, and PT_EPROTO is left for
 * a target that gives no answer at all (no clock, no power, held in reset, no wire): BDCCSR, which can always
 * be read, was asked for. */
int pt_wire_s12z_run(struct pt_wire_s12z *wire, struct pt_bdc_op *ops, size_t n_ops, size_t *n_done,
		     struct pt_err *err);

/* Reads BDCCSR into wire->csr. */
int pt_wire_s12z_look(struct pt_wire_s12z *wire, struct pt_err *err);
/* The same, after a SYNC if there is no answer at first: the clock may have changed. PT_EPROTO: there is no target;
 * PT_ETIMEOUT: the probe does not answer. */
int pt_wire_s12z_find(struct pt_wire_s12z *wire, struct pt_err *err);
/* Writes BDCCSR: ENBDC or not, wire->keep, and clears the given flags (PT_BDC_FLAGS: all). The change is noted before,
 * as long as it differs from the value found. */
int pt_wire_s12z_write_csr(struct pt_wire_s12z *wire, bool enbdc, uint8_t clear, struct pt_err *err);

/* Notes that BDCCSR differs from the value found, if it does: it may have been written when no notes were kept. */
void pt_wire_s12z_note(const struct pt_wire_s12z *wire);

uint64_t pt_wire_s12z_now_ns(const struct pt_wire_s12z *wire);

#endif
