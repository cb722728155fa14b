/* The probe's end of a JTAG cable as a model: TCK, TMS, TDI, TDO, nTRST and nSRST, and the time each clock takes. At
 * the other end hangs the chain of TAPs of a virtual board, or the JTAG side of its debug port: a port for both sees
 * TMS as its SWDIO, too, and is on JTAG until it is switched to SWD (Arm IHI 0031, SWJ-DP). */
#ifndef PT_VIRTUAL_WIRE_JTAG_PINS_H
#define PT_VIRTUAL_WIRE_JTAG_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/virtual/wire/jtag_dp.h"
#include "probes/virtual/frame/pace.h"
#include "probes/virtual/wire/pin_clock.h"
#include "probes/virtual/wire/tap.h"

enum { PT_VJTAG_MAX_TAPS = 8 };

struct pt_vjtag {
	struct pt_vpace *pace;
	struct pt_vclock *clock;	/* of the probe */
	struct pt_vdp *port;		/* the board's port for SWD and JTAG; NULL: it has TAPs of its own */
	struct pt_vjtag_dp dp;		/* its JTAG side */
	struct pt_vjtap *tap[PT_VJTAG_MAX_TAPS];	/* tap[0] is nearest to TDO */
	size_t n_taps;
	bool trst, srst;		/* asserted */
};

/* The TAPs of the board; where it has none, that of port, which may be NULL. All outlive jtag, and it must not move. */
void pt_vjtag_init(struct pt_vjtag *jtag, struct pt_vpace *pace, struct pt_vclock *clock, struct pt_vdp *port);

/* One TCK cycle with these levels. Returns TDO as it was at the rising edge; 1 from a cable without TAPs. */
unsigned pt_vjtag_clock(struct pt_vjtag *jtag, bool tms, unsigned tdi);
unsigned pt_vjtag_tdo(const struct pt_vjtag *jtag);
/* true: asserted (the pins are active low). */
void pt_vjtag_set_reset(struct pt_vjtag *jtag, bool trst, bool srst);

#endif
