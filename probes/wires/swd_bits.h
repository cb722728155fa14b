/* Transfers of SWD as the bits that a probe shifts, and what the bits that came back say. Pure, no I/O.
 *
 * A transfer is a request, which the host drives; a turnaround, the acknowledge and, of a read, data and parity, which
 * the host takes; of a write, another turnaround, then data and parity, which the host drives. Under overrun detection
 * the data phase is always there, whatever the acknowledge says: so the bits of many transfers are known before the
 * first of them is acknowledged.
 * Source: Arm IHI 0031, Serial Wire Debug protocol, "Sticky overrun behavior". */
#ifndef PT_PROBES_SWD_BITS_H
#define PT_PROBES_SWD_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/wires/dap_list.h"

enum { PT_SWD_OK = 1, PT_SWD_WAIT = 2, PT_SWD_FAULT = 4 };	/* ACK[0:2], as it is shifted */

enum {
	PT_SWD_REQUEST_BITS = 8, PT_SWD_ACK_BITS = 3, PT_SWD_DATA_BITS = 33,	/* data with its parity */
	/* What the host takes, turnarounds of one clock included. */
	PT_SWD_READ_IN_BITS = 1 + PT_SWD_ACK_BITS + PT_SWD_DATA_BITS + 1,
	PT_SWD_WRITE_IN_BITS = 1 + PT_SWD_ACK_BITS + 1,
	PT_SWD_TRANSFER_CLOCKS = PT_SWD_REQUEST_BITS + PT_SWD_READ_IN_BITS,	/* a write has as many */
	PT_SWD_MOST_SPANS = 3,
};

/* Clocks in a row of one direction. */
struct pt_swd_span {
	bool drive;		/* the host drives SWDIO; else it takes what the target drives */
	uint8_t n_bits;
	uint64_t bits;		/* what it drives, bit 0 first */
};

/* A transfer, or clocks in which SWDIO is driven low, as spans. Returns how many, PT_SWD_MOST_SPANS at most. */
size_t pt_swd_spans(const struct pt_dap_access *transfer, struct pt_swd_span *span);

/* The same as two vectors from bit at_bit on, bit 0 of byte 0 first: direction (1: the host drives) and what it drives.
 * Bits of the last byte behind the transfer are zero. Returns its clocks. */
uint32_t pt_swd_vectors(const struct pt_dap_access *transfer, uint8_t *direction, uint8_t *out, uint32_t at_bit);
/* n_clocks in which the host drives SWDIO low. */
uint32_t pt_swd_idle_vectors(uint32_t n_clocks, uint8_t *direction, uint8_t *out, uint32_t at_bit);
/* What the host took in the transfer whose first clock is at_bit. */
uint64_t pt_swd_taken(const struct pt_dap_access *transfer, const uint8_t *in, uint32_t at_bit);

struct pt_swd_answer {
	uint8_t ack;
	bool bad_parity;
	uint32_t data;		/* of a read */
};
/* taken: the bits of the span that the host takes, or those of it that a driver wants. ack_offset: how many of them
 * come before the acknowledge: 1 where a bit is sampled before the clock rises (MPSSE), 0 where that of the turnaround
 * is the first of the acknowledge already (J-Link), or is left out. */
struct pt_swd_answer pt_swd_answer(const struct pt_dap_access *transfer, unsigned ack_offset, uint64_t taken);

/* Line reset, the JTAG-to-SWD switch, line reset, idle. Source: Arm IHI 0031, SWJ-DP select sequences. */
enum { PT_SWD_SELECT_BITS = 136 };
extern const uint8_t pt_swd_select[PT_SWD_SELECT_BITS / 8];
/* The way back, on TMS: line reset, the switch, Test-Logic-Reset. A TAP that knows no SWD comes to no Capture, Shift or
 * Update by it. */
enum { PT_SWD_LEAVE_BITS = 80 };
extern const uint8_t pt_swd_leave[PT_SWD_LEAVE_BITS / 8];

#endif
