/* Model of an AXI Interrupt Controller (PG099): up to 32 inputs, standard mode. Register layout as in its "Register
 * Space" table; edges are kept until they are acknowledged, levels come again while their input is high. */
#ifndef PT_VIRTUAL_UNIT_AXI_INTC_H
#define PT_VIRTUAL_UNIT_AXI_INTC_H

#include "probes/virtual/frame/wires.h"

struct pt_vaxi_intc {
	void *arg;
	void (*output)(void *arg, bool level);	/* to the core's interrupt */
	uint32_t edges;		/* inputs that are edge-sensitive (C_KIND_OF_INTR) */
	uint32_t inputs, isr, ier, mer;
	bool out;
};

extern const struct pt_vunit_ops pt_vaxi_intc_ops;	/* the unit is a struct pt_vaxi_intc */

void pt_vaxi_intc_input(struct pt_vaxi_intc *intc, unsigned line, bool level);

#endif
