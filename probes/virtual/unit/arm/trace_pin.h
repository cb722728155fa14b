/* A register that gives the pin SWO to the trace port, as DBGMCU_CR of an STM32F4 does: bit 5, and no parallel trace in
 * bits 7:6. A page at 0xe0042000; what a system reset does to it is the chip's choice. Source: facts on SWO, 4 and 9. */
#ifndef PT_VIRTUAL_UNIT_TRACE_PIN_H
#define PT_VIRTUAL_UNIT_TRACE_PIN_H

#include "probes/virtual/unit/arm/tpiu.h"

enum { PT_VTRACE_PIN_CR = 4, PT_VTRACE_PIN_ENABLED = 0x20, PT_VTRACE_PIN_BITS = 0xe7 };

struct pt_vtrace_pin {
	struct pt_vtpiu *tpiu;
	bool forgets;		/* in a system reset */
	uint32_t control;
};

extern const struct pt_vunit_ops pt_vtrace_pin_ops;

void pt_vtrace_pin_init(struct pt_vtrace_pin *pin, struct pt_vtpiu *tpiu, bool forgets);

#endif
