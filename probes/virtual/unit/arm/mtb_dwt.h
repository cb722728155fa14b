/* Model of the MTB_DWT of Kinetis parts (KL25 RM 19.32, PERI_MTBDWT): two comparators on fetch or data addresses whose
 * matches start and stop the MTB. Not the core's DWT. */
#ifndef PT_VIRTUAL_UNIT_MTB_DWT_H
#define PT_VIRTUAL_UNIT_MTB_DWT_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/cpu.h"
#include "probes/virtual/unit/arm/comparator.h"
#include "probes/virtual/frame/wires.h"

enum {
	PT_VMTB_DWT_CTRL = 0x000,
	PT_VMTB_DWT_COMP0 = 0x020,	/* COMP, MASK, FCT; 16 bytes per comparator */
	PT_VMTB_DWT_TBCTRL = 0x200,
};

struct pt_vmtb_dwt {
	const struct pt_vwires *wires;
	void *arg;
	void (*fire)(void *arg, bool start);	/* TSTART (true) or TSTOP to the MTB */
	struct pt_vobserver observer;			/* the chip hangs it on its core; empty while both are off */
	struct pt_vcomparator comparator[2];
	uint32_t tbctrl;			/* bit n: a match of comparator n is TSTART */
};

extern const struct pt_vunit_ops pt_vmtb_dwt_ops;	/* a 4 KiB page; the unit is a struct pt_vmtb_dwt */

void pt_vmtb_dwt_init(struct pt_vmtb_dwt *dwt, const struct pt_vwires *wires, void (*fire)(void *arg, bool start),
		      void *arg);

#endif
