/* The probe's end of a JTAG cable as a model: TCK, TMS, TDI, TDO, nTRST and nSRST, and the time each clock takes. At the other
 * end hangs the chain of TAPs of a virtual board; a chip with one port for SWD and JTAG sees TMS as its SWDIO, too. */
#ifndef PT_VIRTUAL_WIRE_JTAG_PINS_H
#define PT_VIRTUAL_WIRE_JTAG_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/virtual/wire/pace.h"
#include "probes/virtual/wire/pin_clock.h"
#include "probes/virtual/wire/tap.h"

enum { PT_VJTAG_MAX_TAPS = 8 };

struct pt_vjtag {
	struct pt_vpace *pace;
	struct pt_vclock *clock;	/* of the probe */
	struct pt_vtap *tap[PT_VJTAG_MAX_TAPS];	/* tap[0] is nearest to TDO */
	size_t n_taps;
	bool trst, srst;		/* asserted */
};

/* The TAPs of the board, if it has any. pace and clock outlive jtag. */
void pt_vjtag_init(struct pt_vjtag *jtag, struct pt_vpace *pace, struct pt_vclock *clock);

/* One TCK cycle with these levels. Returns TDO as it was at the rising edge; 1 from a cable without TAPs. */
unsigned pt_vjtag_clock(struct pt_vjtag *jtag, bool tms, unsigned tdi);
unsigned pt_vjtag_tdo(const struct pt_vjtag *jtag);
/* true: asserted (the pins are active low). */
void pt_vjtag_set_reset(struct pt_vjtag *jtag, bool trst, bool srst);

#endif
