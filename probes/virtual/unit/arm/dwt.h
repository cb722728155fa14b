/* Model of the ARMv6-M DWT at 0xe0001000: two watchpoint comparators and the pc sample register (DDI 0419 C1.8). */
#ifndef PT_VIRTUAL_UNIT_DWT_H
#define PT_VIRTUAL_UNIT_DWT_H

#include "probes/virtual/cpu/cortexm/cortexm.h"
#include "probes/virtual/unit/arm/comparator.h"
#include "probes/virtual/frame/wires.h"

enum { PT_VDWT_CTRL = 0x00, PT_VDWT_PCSR = 0x1c, PT_VDWT_COMP0 = 0x20 };

struct pt_vdwt {
	const struct pt_vwires *wires;
	struct pt_vcpu *cpu;
	struct pt_vtap tap;		/* the chip hangs it on its core; empty while no comparator can fire */
	struct pt_vcomparator comparator[2];
	bool traced;			/* DEMCR.TRCENA */
	bool debugging;			/* DHCSR.C_DEBUGEN: a match halts; without it, it only sets MATCHED */
};

extern const struct pt_vunit_ops pt_vdwt_ops;	/* a 4 KiB page; the unit is a struct pt_vdwt */

void pt_vdwt_init(struct pt_vdwt *dwt, const struct pt_vwires *wires, struct pt_vcpu *cpu);
/* From the debug unit, when DEMCR.TRCENA or C_DEBUGEN change. */
void pt_vdwt_enable(struct pt_vdwt *dwt, bool traced, bool debugging);

#endif
