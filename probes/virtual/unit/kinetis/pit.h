/* Model of the Kinetis PIT, two channels counting bus clocks down (KL27 RM, chapter PIT). Channel 1 may be chained to
 * channel 0. FRZ is kept but time goes on in Debug state. */
#ifndef PT_VIRTUAL_UNIT_PIT_H
#define PT_VIRTUAL_UNIT_PIT_H

#include "probes/virtual/frame/timer.h"
#include "probes/virtual/frame/wires.h"

enum { PT_VPIT_CHANNELS = 2 };

struct pt_vpit {
	const struct pt_vwires *wires;
	unsigned irq, bus_divider;	/* core clocks per bus clock */
	uint32_t mcr;
	struct {
		struct pt_vtimer timer;
		uint32_t load, control;
		bool flag;
	} channel[PT_VPIT_CHANNELS];
	uint32_t chained_left;		/* rounds of channel 0 until chained channel 1 ends */
};

extern const struct pt_vunit_ops pt_vpit_ops;	/* a 4 KiB page; the unit is a struct pt_vpit */

void pt_vpit_init(struct pt_vpit *pit, const struct pt_vwires *wires, unsigned irq, unsigned bus_divider);

#endif
