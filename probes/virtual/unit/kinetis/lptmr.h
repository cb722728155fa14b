/* Model of the Kinetis LPTMR in its time counter mode (KL27 RM, chapter LPTMR): counts up to CMR and sets TCF. Pulse
 * counting needs a pin and is not modelled: the counter then stands still. */
#ifndef PT_VIRTUAL_UNIT_LPTMR_H
#define PT_VIRTUAL_UNIT_LPTMR_H

#include "probes/virtual/frame/timer.h"
#include "probes/virtual/frame/wires.h"

struct pt_vlptmr {
	const struct pt_vwires *wires;
	unsigned irq;
	struct pt_vtimer timer;
	uint32_t csr, psr, cmr, latched;
};

extern const struct pt_vunit_ops pt_vlptmr_ops;	/* a 4 KiB page; the unit is a struct pt_vlptmr */

void pt_vlptmr_init(struct pt_vlptmr *lptmr, const struct pt_vwires *wires, unsigned irq);

#endif
