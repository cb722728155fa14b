/* What a probe's receiver makes of the pin SWO of a virtual chip: bytes at the receiver's own rate, which need not be that
 * of the pin. Where they differ, the levels of the line are sampled at the middles of the receiver's bits, so that false
 * bytes and missing stop bits come out as a UART makes them. */
#ifndef PT_VIRTUAL_WIRE_SWO_RECEIVER_H
#define PT_VIRTUAL_WIRE_SWO_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/swo.h"

struct pt_vswo_receiver {
	/* A byte, or what was taken for one: bad when it had no stop bit. Called while the board advances. */
	void (*got)(void *arg, uint8_t byte, bool bad);
	void *arg;

	/* inside */
	struct pt_vswo_listener listener;
	struct pt_vswo *pin;
	enum pt_vswo_coding coding;
	uint64_t bit_ps;		/* the receiver's */
	uint64_t sender_bit_ps;		/* the last that came */
	uint64_t line_ps;		/* the line is known up to here */
	bool low;			/* and is low there */
	bool in_frame;
	uint64_t start_ps;		/* of its start bit */
	unsigned next_bit;		/* to be sampled: 0 start, 1..8 data, 9 stop */
	uint8_t bits;
};

/* Begin to receive; got and arg are set. pin: NULL: nothing ever comes. */
void pt_vswo_receiver_start(struct pt_vswo_receiver *rx, struct pt_vswo *pin, enum pt_vswo_coding coding,
			    uint32_t bits_per_s);
void pt_vswo_receiver_stop(struct pt_vswo_receiver *rx);
/* The board's time is now_ns: a byte that waits for the line's rest to be sampled may be through. */
void pt_vswo_receiver_idle(struct pt_vswo_receiver *rx, uint64_t now_ns);

#endif
