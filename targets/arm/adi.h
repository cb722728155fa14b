/* The debug port of an Arm chip over a probe's dap wire: power-up, AP selection, recovery from errors.
 * Board thread only. Source: Arm IHI 0031 (ADIv5). */
#ifndef PT_ARM_ADI_H
#define PT_ARM_ADI_H

#include "base/error.h"
#include "probes/wires/link.h"
#include "probes/wires/probe.h"

/* DP registers by A[3:2]; AP registers by their low byte. Source: IHI 0031, 2.3 and 7.5. */
enum { DP_DPIDR = 0x0, DP_ABORT = 0x0, DP_CTRL_STAT = 0x4, DP_SELECT = 0x8 };
enum { AP_CSW = 0x00, AP_TAR = 0x04, AP_DRW = 0x0c, AP_BD0 = 0x10, AP_CFG = 0xf4, AP_BASE = 0xf8, AP_IDR = 0xfc };

enum {
	ABORT_DAP = 0x01,	/* aborts the AP access in progress */
	ABORT_CLEAR = 0x1e,	/* all sticky flags */
};

enum { PT_ADI_SHARED = 8 };

struct pt_adi {
	const struct pt_dap_ops *dap;
	void *wire;		/* dap's state */
	struct pt_link *link;	/* its clock */
	uint32_t dpidr;
	/* On a wire of several ports (SWD multi-drop): the value of TARGETSEL that selects this one. 0: it is the only
	 * one, as far as is known; may be set before the first pt_adi_connect(). */
	uint32_t targetsel;
	uint32_t shared[PT_ADI_SHARED];		/* values of chips whose ports share a wire, most likely first; else 0 */
	uint32_t select;	/* as last written, if select_known */
	bool select_known;
	/* number of reconnections that found the debug domain off: each reader remembers the number it has handled */
	unsigned power_losses;
	/* If several ports of a wire are in use: the selected one; NULL: unknown. One pointer for all of them, owned by
	 * the caller. NULL: this is the only port in use. */
	struct pt_adi **selected;
};

void pt_adi_init(struct pt_adi *adi, const struct pt_dap_ops *dap, void *wire, struct pt_link *link);

/* Connects the wire, reads DPIDR, clears sticky flags, powers the debug domain up; within 1 s. If no port answers, or
 * one that shares its wire, as its TARGETID shows, those of `shared` are tried; the first that answers is selected. PT_EPROTO: nothing
 * answers, PT_ETIMEOUT: the power-up is not acknowledged, PT_EIO. */
int pt_adi_connect(struct pt_adi *adi, struct pt_err *err);

/* Call it before making a batch for this port: selects it, if another port of the wire is selected. Errors as of
 * pt_adi_connect(). */
int pt_adi_begin(struct pt_adi *adi, struct pt_err *err);

/* Makes *op the write of SELECT that the next access to register reg (0..0xff) of AP ap needs. False: none is needed.
 * Assumes that the batch will be run: an error in pt_adi_run() forgets it. */
bool pt_adi_select(struct pt_adi *adi, uint8_t ap, uint8_t reg, struct pt_dap_op *op);

/* Runs a batch, like the wire's run. After an error the port is made usable again if possible: sticky flags cleared
 * (PT_EFAULT), the access aborted (PT_ETIMEOUT), or connected again (PT_EPROTO). */
int pt_adi_run(struct pt_adi *adi, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err);

/* Single AP registers, for discovery and for an AP that is not memory. */
int pt_adi_read_ap(struct pt_adi *adi, uint8_t ap, uint8_t reg, uint32_t *value, struct pt_err *err);
int pt_adi_write_ap(struct pt_adi *adi, uint8_t ap, uint8_t reg, uint32_t value, struct pt_err *err);
/* n_words reads of the same register in one batch. */
int pt_adi_read_ap_often(struct pt_adi *adi, uint8_t ap, uint8_t reg, uint32_t *words, uint32_t n_words,
			 struct pt_err *err);

#endif
