/* The firmware of a virtual FTDI chip with an MPSSE, channel A: a byte stream of opcodes that move pins, in front of
 * SWD or JTAG pins. What the chip is besides (control requests of USB, status bytes in front of each packet, the
 * latency timer) is in mpsse_usb.c.
 *
 * Sources: FTDI AN_108 (opcodes), AN_129 (pins); ftdi.h of libftdi1 (control requests). */
#ifndef PT_VIRTUAL_PROBE_MPSSE_H
#define PT_VIRTUAL_PROBE_MPSSE_H

#include <stdint.h>

#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"
#include "probes/virtual/probe/engine.h"

enum { PT_VMPSSE_MOST_BYTES = 16384 };	/* of a request; a stream, so that it may end in the middle of an opcode */

enum pt_vmpsse_chip {
	PT_VMPSSE_FT2232H, PT_VMPSSE_FT232H, PT_VMPSSE_FT4232H, PT_VMPSSE_FT2232C,
	PT_VMPSSE_CLONE,	/* says that it is an FT2232C, and answers no opcode */
	PT_VMPSSE_N_CHIPS
};

/* TCK or SWCLK is ADBUS0, nTRST ADBUS4, nSRST ADBUS5; a pin that is no output is pulled up. */
enum pt_vmpsse_wiring {
	PT_VMPSSE_TIED,		/* SWDIO is ADBUS1 and ADBUS2, directly */
	PT_VMPSSE_RESISTOR,	/* ADBUS1 reaches SWDIO through a resistor: the target is the stronger one */
	PT_VMPSSE_OPEN,		/* SWDIO is ADBUS1 alone: nothing can be read */
	PT_VMPSSE_JTAG,		/* TDI, TDO and TMS are ADBUS1 to ADBUS3 */
	PT_VMPSSE_RTCK,		/* the same, and RTCK, which follows TCK, is ADBUS7 */
};

struct pt_vmpsse_config {
	enum pt_vmpsse_chip chip;
	enum pt_vmpsse_wiring wiring;
	uint32_t max_hz;	/* as fast as the cable is; the chip may be slower */
};

extern const struct pt_vengine_ops pt_vmpsse_engine;

struct pt_vmpsse;
/* pace and faults outlive it. NULL only without memory. */
struct pt_vmpsse *pt_vmpsse_new(const struct pt_vmpsse_config *config, struct pt_vpace *pace,
				struct pt_vfaults *faults);

#endif
