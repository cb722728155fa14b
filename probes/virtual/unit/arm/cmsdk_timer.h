/* Model of the APB timer of Arm's Cortex-M System Design Kit (DDI 0479, 4.3): counts down from RELOAD at the core's
 * clock. Without the external input. */
#ifndef PT_VIRTUAL_UNIT_CMSDK_TIMER_H
#define PT_VIRTUAL_UNIT_CMSDK_TIMER_H

#include "probes/virtual/frame/timer.h"
#include "probes/virtual/frame/wires.h"

struct pt_vcmsdk_timer {
	const struct pt_vwires *wires;
	unsigned irq;
	struct pt_vtimer timer;		/* from the value that was loaded last to 0 */
	uint32_t ctrl, reload;
	uint32_t held;			/* the value while it stands */
	bool pending;
};

extern const struct pt_vunit_ops pt_vcmsdk_timer_ops;	/* a 4 KiB page; the unit is a struct pt_vcmsdk_timer */

void pt_vcmsdk_timer_init(struct pt_vcmsdk_timer *timer, const struct pt_vwires *wires, unsigned irq);

#endif
