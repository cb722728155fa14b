/* Converts a list of JTAG operations to a row of clocks: TMS, TDI, and which bits of TDO are read. Pure, no I/O.
 *
 * Two cursors go over the same row: one for clocks to send, as many as fit a packet; the other for received bits, in
 * the same order. Both see the row in pieces of constant TMS, as CMSIS-DAP needs them, too. */
#ifndef PT_PROBES_JTAG_BATCH_H
#define PT_PROBES_JTAG_BATCH_H

#include "probes/wires/jtag.h"

/* A position in the row: op == n_ops is its end. */
struct pt_jtag_cursor {
	size_t op;
	unsigned part;		/* of the operation: jtag_batch.c */
	uint32_t done_bits;	/* of the part */
};

/* Consecutive clocks with the same TMS, of one operation. */
struct pt_jtag_piece {
	uint32_t n_bits;
	bool tms;
	bool shifts;			/* in Shift: TDI is used */
	const uint8_t *out;	/* TDI from bit at_bit on; NULL: ones */
	uint8_t *in;		/* destination of TDO, from bit at_bit on; NULL: nowhere */
	uint32_t at_bit;
	size_t op;
	bool ends_op;
};

/* Checks that each operation is valid. PT_EARG says what is wrong. */
int pt_jtag_check(const struct pt_jtag_op *ops, size_t n_ops, struct pt_err *err);

/* Returns the next piece, of at most max_bits (1 or more), and advances the cursor. False: the list ends, or a
 * PT_JTAG_DELAY is next: the caller does the delay, and continues with `*at = (struct pt_jtag_cursor){ .op = at->op + 1
 * }`. */
bool pt_jtag_next(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t max_bits,
		  struct pt_jtag_piece *piece);

/* Writes at most max_bits from the cursor on as vectors, bit 0 of byte 0 first, of (max_bits + 7) / 8 bytes each.
 * Returns how many. */
uint32_t pt_jtag_vectors(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t max_bits,
			 uint8_t *tms, uint8_t *tdi);
/* Copies TDO of the next n_bits of the row to the destinations of the operations. */
void pt_jtag_take(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, const uint8_t *tdo,
		  uint32_t n_bits);

/* Copies n bits, bit 0 of byte 0 first; from NULL: ones. Other bits in `to` are kept. */
void pt_jtag_copy_bits(uint8_t *to, uint32_t to_bit, const uint8_t *from, uint32_t from_bit, uint32_t n_bits);

#endif
