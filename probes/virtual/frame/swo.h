/* The pin SWO of a virtual chip, as what listens at the other end of the wire hears it: whole bytes, with their rate. The
 * chip's trace port fills it, the model of a probe listens; what a receiver with another rate makes of a byte is the
 * receiver's matter (the bits of a byte are known, so framing errors and false bytes can be worked out). */
#ifndef PT_VIRTUAL_SWO_H
#define PT_VIRTUAL_SWO_H

#include <stdint.h>

enum pt_vswo_coding { PT_VSWO_UART = 1, PT_VSWO_MANCHESTER };

struct pt_vswo_byte {
	uint64_t begin_ns;		/* of its start bit, the board's time */
	uint64_t bit_ps;		/* how long a bit takes, picoseconds */
	enum pt_vswo_coding coding;
	uint8_t byte;
};

struct pt_vswo_listener {
	void *arg;
	/* In order of time; called while the board advances, when the byte is through. */
	void (*byte)(void *arg, const struct pt_vswo_byte *byte);
};

struct pt_vswo {			/* the chip's */
	const struct pt_vswo_listener *listener;	/* the listener puts itself here; NULL: none */
	const struct pt_vswo_listener *log;		/* hears the same; NULL: none */
};

#endif
