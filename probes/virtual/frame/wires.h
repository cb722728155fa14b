/* What every unit of a chip is wired to: the bus with its clock, and lines into the core and the chip. The chip owns
 * it; units keep a pointer. NULL functions: the line is not connected. */
#ifndef PT_VIRTUAL_UNIT_WIRES_H
#define PT_VIRTUAL_UNIT_WIRES_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/bus.h"
#include "base/util.h"

struct pt_vwires {
	struct pt_vbus *bus;	/* now_cycle: time in core clocks since power-on */
	uint32_t core_hz;	/* as its crystal says */
	void *arg;
	void (*irq)(void *arg, unsigned line, bool level);
	void (*taps_changed)(void *arg);	/* a unit's observer wants more or fewer calls than before */
	uint32_t drift_ppm;	/* so much faster than that the core's clock is, on the clock of the probe */
};

static inline uint64_t pt_vwires_now(const struct pt_vwires *wires)
{
	return wires->bus->now_cycle != NULL ? *wires->bus->now_cycle : 0;
}

static inline uint64_t pt_vwires_cycles(const struct pt_vwires *wires, uint64_t ns)
{
	uint64_t cycles = ns / PT_NS_PER_S * wires->core_hz + ns % PT_NS_PER_S * wires->core_hz / PT_NS_PER_S;

	return cycles + cycles / 1000000 * wires->drift_ppm + cycles % 1000000 * wires->drift_ppm / 1000000;
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
