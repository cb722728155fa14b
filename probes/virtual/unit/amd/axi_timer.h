/* Model of an AXI Timer (PG079): two counters of 32 bits, generate mode, up or down, with reload and interrupt.
 * Capture, PWM, cascade and 64 bits are not there. */
#ifndef PT_VIRTUAL_UNIT_AXI_TIMER_H
#define PT_VIRTUAL_UNIT_AXI_TIMER_H

#include "probes/virtual/frame/wires.h"

struct pt_vaxi_timer {
	const struct pt_vwires *wires;
	unsigned irq;			/* line of both counters */
	struct pt_vaxi_counter {
		uint32_t tcsr, tlr;
		uint64_t count;		/* at from_cycle */
		uint64_t from_cycle;
	} counter[2];
};

extern const struct pt_vunit_ops pt_vaxi_timer_ops;	/* the unit is a struct pt_vaxi_timer */

void pt_vaxi_timer_init(struct pt_vaxi_timer *timer, const struct pt_vwires *wires, unsigned irq);

#endif
