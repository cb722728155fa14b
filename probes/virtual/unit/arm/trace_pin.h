/* Two registers of a made-up chip, a page at 0xe0042000: one gives the pin SWO to the trace port, as DBGMCU_CR of an STM32F4
 * does (bit 5, and no parallel trace in bits 7:6); the other divides TRACECLKIN by 1 to 256 while all runs, as a program
 * does that changes its PLL. A system reset clears the second, and the first where the chip forgets it. Source: facts on
 * SWO, 4 and 9. */
#ifndef PT_VIRTUAL_UNIT_TRACE_PIN_H
#define PT_VIRTUAL_UNIT_TRACE_PIN_H

#include "probes/virtual/unit/arm/itm.h"

enum { PT_VTRACE_PIN_CR = 4, PT_VTRACE_PIN_CLOCK = 8, PT_VTRACE_PIN_ENABLED = 0x20, PT_VTRACE_PIN_BITS = 0xe7 };

struct pt_vtrace_pin {
	struct pt_vitm *itm;
	bool forgets;		/* in a system reset */
	uint32_t control, divider;	/* divider: one less */
	uint32_t undivided_hz;
};

extern const struct pt_vunit_ops pt_vtrace_pin_ops;

void pt_vtrace_pin_init(struct pt_vtrace_pin *pin, struct pt_vitm *itm, bool forgets);

#endif
