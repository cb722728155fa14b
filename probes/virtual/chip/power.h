/* What every chip has of its supply and its reset pin, in the board's time. The chip says what a reset is; what is here
 * says when there is one. */
#ifndef PT_VIRTUAL_POWER_H
#define PT_VIRTUAL_POWER_H

#include "probes/virtual/frame/wires.h"

struct pt_vpower {
	uint64_t now_ns, since_ns;	/* board time; when power came last */
	bool on, nreset;		/* nreset: the pin is asserted */
};

/* Board time goes on to to_ns. Returns the cycle since power-on that the core is to reach; 0: no power, or to_ns is no
 * later than it was. */
uint64_t pt_vpower_advance(struct pt_vpower *power, const struct pt_vwires *wires, uint64_t to_ns);
/* True: the pin has changed and there is power, so the chip is to act on it. */
bool pt_vpower_set_nreset(struct pt_vpower *power, bool asserted);
/* True: power has just come on, and the chip begins from nothing. */
bool pt_vpower_set(struct pt_vpower *power, bool on);

/* RAM holds anything after power-on; the same anything each time, so that runs repeat. */
void pt_vpower_scramble(uint8_t *ram, size_t n_bytes);

#endif
