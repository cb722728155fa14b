/* What every unit of a chip is wired to: the bus with its clock, and lines into the core and the chip. The chip owns
 * it; units keep a pointer. NULL functions: the line is not connected. */
#ifndef PT_VIRTUAL_UNIT_WIRES_H
#define PT_VIRTUAL_UNIT_WIRES_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/bus.h"
#include "util.h"

struct pt_vwires {
	struct pt_vbus *bus;	/* now_cycle: time in core clocks since power-on */
	uint32_t core_hz;
	void *arg;
	void (*irq)(void *arg, unsigned line, bool level);
	void (*taps_changed)(void *arg);	/* a unit's tap wants more or fewer calls than before */
};

static inline uint64_t pt_vwires_now(const struct pt_vwires *wires)
{
	return wires->bus->now_cycle != NULL ? *wires->bus->now_cycle : 0;
}

static inline uint64_t pt_vwires_cycles(const struct pt_vwires *wires, uint64_t ns)
{
	return ns / PT_NS_PER_S * wires->core_hz + ns % PT_NS_PER_S * wires->core_hz / PT_NS_PER_S;
}

static inline void pt_vwires_irq(const struct pt_vwires *wires, unsigned line, bool level)
{
	if (wires->irq != NULL)
		wires->irq(wires->arg, line, level);
}

static inline void pt_vwires_taps_changed(const struct pt_vwires *wires)
{
	if (wires->taps_changed != NULL)
		wires->taps_changed(wires->arg);
}

#endif
