/* The registers of the ITM and the TPIU of ARMv7-M, which hold what is written and identify themselves; no trace comes
 * out of them. Stimulus ports are always ready. Source: DDI 0403, C1.7 and C1.10; Cortex-M4 TRM, ITM and TPIU. */
#ifndef PT_VIRTUAL_UNIT_TRACE_PORT_H
#define PT_VIRTUAL_UNIT_TRACE_PORT_H

#include "probes/virtual/frame/registers.h"
#include "probes/virtual/unit/arm/coresight.h"

enum { PT_VTRACE_PORT_REGISTERS = 8 };

struct pt_vtrace_port {
	struct pt_vregs regs;
	struct pt_vcoresight ids;
	uint32_t value[PT_VTRACE_PORT_REGISTERS];
	bool has_ports;		/* the ITM's stimulus ports */
};

extern const struct pt_vunit_ops pt_vtrace_port_ops;	/* a 4 KiB page; the unit is a struct pt_vtrace_port */

void pt_vitm_init(struct pt_vtrace_port *itm);
void pt_vtpiu_init(struct pt_vtrace_port *tpiu);

#endif
