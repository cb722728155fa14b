/* A model of the JTAG side of a debug port (JTAG-DP): a TAP with an IR of 4 bits whose DPACC and APACC reach the same
 * registers as the SWD side (swd_dp.h). A scan brings the result of the request before it; while that is under way it
 * answers WAIT, and what was shifted in is dropped. Sticky flags are cleared by writing ones to them in CTRL/STAT, or
 * by ABORT (version 1).
 *
 * Source: Arm IHI 0031 (ADIv5.2), chapter on the JTAG-DP. */
#ifndef PT_VIRTUAL_WIRE_JTAG_DP_H
#define PT_VIRTUAL_WIRE_JTAG_DP_H

#include "probes/virtual/wire/swd_dp.h"
#include "probes/virtual/wire/tap.h"

enum { PT_VJTAG_DP_IDCODE = 0x0ba00477 };	/* our choice; Arm's JTAG-DPs differ in the revision */

struct pt_vjtag_dp {
	struct pt_vdp *dp;
	struct pt_vjtap tap;
	struct pt_vdr rows[3];
	uint32_t result;		/* of the last read of a DP register */
	bool of_ap;			/* the result is that of an AP access */
	bool waits;			/* the scan under way has answered WAIT */
};

/* dp outlives it; it must not move. */
void pt_vjtag_dp_init(struct pt_vjtag_dp *jtag_dp, struct pt_vdp *dp);

#endif
