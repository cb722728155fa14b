/* A list of JTAG operations as the row of clocks that it amounts to: TMS, TDI, and which bits of TDO are read. Pure,
 * no I/O.
 *
 * Two cursors go over the same row: one takes clocks to send, as many as fit a packet; the other takes what came back,
 * in the same order. Both see the row in pieces of constant TMS, which is what CMSIS-DAP wants, too. */
#ifndef PT_PROBES_JTAG_BATCH_H
#define PT_PROBES_JTAG_BATCH_H

#include "probes/wires/jtag.h"

/* A place in the row: op == n_ops is its end. */
struct pt_jtag_cursor {
	size_t op;
	unsigned part;		/* of the operation: jtag_batch.c */
	uint32_t done_bits;	/* of the part */
};

/* Clocks in a row with the same TMS; never of two operations. */
struct pt_jtag_piece {
	uint32_t n_bits;
	bool tms;
	bool shifts;			/* in Shift: TDI counts */
	const uint8_t *out;	/* TDI from bit at_bit on; NULL: ones */
	uint8_t *in;		/* where TDO goes, from bit at_bit on; NULL: nowhere */
	uint32_t at_bit;
	size_t op;
	bool ends_op;
};

/* Is each operation well-formed? PT_EARG says what is not. */
int pt_jtag_check(const struct pt_jtag_op *ops, size_t n_ops, struct pt_err *err);

/* The next piece, of at most max_bits (1 or more), and the cursor behind it. False: nothing is here, because the
 * list ends, or because a PT_JTAG_DELAY comes first: that is the caller's, who goes on with `*at = (struct
 * pt_jtag_cursor){ .op = at->op + 1 }`. */
bool pt_jtag_next(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t max_bits,
		  struct pt_jtag_piece *piece);

/* At most max_bits from the cursor on as vectors, bit 0 of byte 0 first, of (max_bits + 7) / 8 bytes each. Returns how
 * many. */
uint32_t pt_jtag_vectors(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t max_bits,
			 uint8_t *tms, uint8_t *tdi);
/* What TDO was during the next n_bits of the row: to where the operations want it. */
void pt_jtag_take(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, const uint8_t *tdo,
		  uint32_t n_bits);

/* n bits from one place to another, bit 0 of byte 0 first; from NULL: ones. What lies around them in `to` stays. */
void pt_jtag_copy_bits(uint8_t *to, uint32_t to_bit, const uint8_t *from, uint32_t from_bit, uint32_t n_bits);

#endif
