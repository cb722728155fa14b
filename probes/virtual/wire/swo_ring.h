/* A receiver of SWO with a ring behind it, as the firmware of an ST-Link or a J-Link has one: what it does when the ring
 * is full is what its host has to find out. */
#ifndef PT_VIRTUAL_WIRE_SWO_RING_H
#define PT_VIRTUAL_WIRE_SWO_RING_H

#include "probes/virtual/wire/swo_receiver.h"

enum pt_vswo_full {
	PT_VSWO_DROPS,			/* what comes is dropped, and overrun is set */
	PT_VSWO_OVERWRITES,		/* the oldest is overwritten, without a word */
	PT_VSWO_WRAPS,			/* the ring seems empty again, without a word */
};

struct pt_vswo_ring {
	struct pt_vswo_receiver receiver;
	uint8_t *bytes;
	uint32_t size;			/* 0: it does not receive */
	enum pt_vswo_full full;
	uint64_t in, out;		/* bytes put there and taken, since the start */
	uint64_t n_lost;		/* in all */
	bool overrun;
};

/* size: 1 or more. A ring that receives is stopped first. */
void pt_vswo_ring_start(struct pt_vswo_ring *ring, struct pt_vswo *pin, uint32_t bits_per_s, uint32_t size,
			enum pt_vswo_full full);
void pt_vswo_ring_stop(struct pt_vswo_ring *ring);	/* and frees; one that is all zero is fine */
uint32_t pt_vswo_ring_waiting(const struct pt_vswo_ring *ring);
/* Up to room bytes; how many. */
uint32_t pt_vswo_ring_take(struct pt_vswo_ring *ring, uint8_t *bytes, uint32_t room);

#endif
