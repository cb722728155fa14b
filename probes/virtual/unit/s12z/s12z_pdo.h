/* The pins PDO and PDOCLK of an S12Z's profiling transmitter, as a listener on the board hears them: bytes with the bus
 * cycle of their first bit. Source: S12ZVHY/S12ZVHL RM Rev. 1.05, pp. 222-226; that both edges of PDOCLK strobe is
 * UNVERIFIED.
 *
 * A bit takes two bus cycles. Its level is on PDO from the first on; PDOCLK toggles at the beginning of the second,
 * so that data are stable around the edge (where exactly is UNVERIFIED). Both rest low, PDO with the last bit's
 * level. */
#ifndef PT_VIRTUAL_UNIT_S12Z_PDO_H
#define PT_VIRTUAL_UNIT_S12Z_PDO_H

#include <stdint.h>

enum { PT_VPDO_BIT_CYCLES = 2, PT_VPDO_BYTE_CYCLES = 16 };

struct pt_vpdo_listener {
	void *arg;
	/* LSB first; n_bits is 8, or fewer when a reset cut it, after which both pins are low. In order of time; called
	 * when the byte is through. */
	void (*bits)(void *arg, uint64_t cycle, uint8_t byte, unsigned n_bits);
};

struct pt_vpdo {			/* the chip's; the transmitter fills it */
	uint32_t bus_hz;
	uint64_t origin_ns;		/* the board's time at cycle 0 of its power-on */
	void *unit;
	/* Tell the listener of what is through by now. Returns the cycle up to which the pins are known: now, or where
	 * a byte began that is under way. */
	uint64_t (*settle)(void *unit);
	const struct pt_vpdo_listener *listener;	/* the listener puts itself here; NULL: none */
};

#endif
