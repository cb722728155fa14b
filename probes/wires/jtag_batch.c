/* An operation is a row of parts, each with one TMS:
 *
 *	RESET	1 1 1 1 1 | 0
 *	IDLE	0 ...
 *	scan	1 (IR: 1 1) | 0 0 | head, data and tail, the last of them with 1 | 1 | 0
 *
 * A scan begins the same way in Run-Test/Idle and in Update, so the last 0 is left out when another one follows.
 * Source: IEEE 1149.1, figure 6-1. */
#include "probes/wires/jtag_batch.h"

#include <string.h>

enum { RESET_CLOCKS = 5 };
enum { ENTER, TO_SHIFT, SHIFT, TO_UPDATE, TO_IDLE, N_SCAN_PARTS };

static bool is_scan(const struct pt_jtag_op *op)
{
	return op->what == PT_JTAG_IR || op->what == PT_JTAG_DR;
}

static uint64_t scan_bits(const struct pt_jtag_op *op)
{
	return (uint64_t)op->head_bits + op->n_bits + op->tail_bits;
}

int pt_jtag_check(const struct pt_jtag_op *ops, size_t n_ops, struct pt_err *err)
{
	for (size_t i = 0; i < n_ops; i++) {
		const struct pt_jtag_op *op = &ops[i];
		bool counts = is_scan(op) || op->what == PT_JTAG_IDLE;

		if (op->what < PT_JTAG_RESET || op->what > PT_JTAG_DELAY)
			return pt_fail(err, PT_EARG, "operation %zu: there is no JTAG operation %u", i, op->what);
		if (op->end > PT_JTAG_TO_NEXT)
			return pt_fail(err, PT_EARG, "operation %zu: a scan cannot end in %u", i, op->end);
		if (counts && (op->n_bits == 0 || (is_scan(op) ? scan_bits(op) : op->n_bits) > PT_JTAG_MAX_BITS))
			return pt_fail(err, PT_EARG, "operation %zu: %u bits, not 1 to %d", i, op->n_bits,
				       PT_JTAG_MAX_BITS);
	}
	return 0;
}

/* --- the row ------------------------------------------------------------------------------------------------------ */

/* A part of an operation: its clocks and their TMS; 0 clocks: no such part. */
static uint32_t part_of_scan(const struct pt_jtag_op *op, bool scan_follows, unsigned part, bool *tms)
{
	static const bool levels[N_SCAN_PARTS] = { [ENTER] = true, [TO_UPDATE] = true };

	*tms = levels[part];
	switch (part) {
	case ENTER:
		return op->what == PT_JTAG_IR ? 2 : 1;
	case TO_SHIFT:
		return 2;
	case SHIFT:
		return (uint32_t)scan_bits(op);
	case TO_UPDATE:
		return 1;
	default:
		return op->end == PT_JTAG_TO_NEXT && scan_follows ? 0 : 1;
	}
}

static uint32_t part_of(const struct pt_jtag_op *ops, size_t n_ops, const struct pt_jtag_cursor *at, bool *tms)
{
	const struct pt_jtag_op *op = &ops[at->op];

	if (is_scan(op) && at->part < N_SCAN_PARTS)
		return part_of_scan(op, at->op + 1 < n_ops && is_scan(op + 1), at->part, tms);
	*tms = op->what == PT_JTAG_RESET && at->part == 0;
	if (op->what == PT_JTAG_RESET && at->part <= 1)
		return at->part == 0 ? RESET_CLOCKS : 1;
	return op->what == PT_JTAG_IDLE && at->part == 0 ? op->n_bits : 0;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Shifts head, data, tail; the last bit of all has TMS 1. */
static void shift_piece(const struct pt_jtag_op *op, uint32_t done_bits, struct pt_jtag_piece *piece)
{
	uint32_t data_end = op->head_bits + op->n_bits, last = (uint32_t)scan_bits(op) - 1;

	if (done_bits < op->head_bits) {
		piece->n_bits = least(piece->n_bits, op->head_bits - done_bits);
	} else if (done_bits < data_end) {
		piece->n_bits = least(piece->n_bits, data_end - done_bits);
		piece->out = op->out;
		piece->in = op->in;
		piece->at_bit = done_bits - op->head_bits;
	}
	piece->tms = done_bits == last;
	if (!piece->tms)
		piece->n_bits = least(piece->n_bits, last - done_bits);
}

static bool at_end_of_op(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor at, uint32_t left)
{
	bool tms;

	at.part++;
	return left == 0 && part_of(ops, n_ops, &at, &tms) == 0;
}

bool pt_jtag_next(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t max_bits,
		  struct pt_jtag_piece *piece)
{
	uint32_t left;

	if (at->op >= n_ops || ops[at->op].what == PT_JTAG_DELAY)
		return false;
	*piece = (struct pt_jtag_piece){ .op = at->op };
	left = part_of(ops, n_ops, at, &piece->tms) - at->done_bits;
	piece->n_bits = least(left, max_bits);
	piece->shifts = is_scan(&ops[at->op]) && at->part == SHIFT;
	if (piece->shifts)
		shift_piece(&ops[at->op], at->done_bits, piece);
	left -= piece->n_bits;
	piece->ends_op = at_end_of_op(ops, n_ops, *at, left);
	at->done_bits += piece->n_bits;
	if (piece->ends_op)
		*at = (struct pt_jtag_cursor){ .op = at->op + 1 };
	else if (left == 0)
		*at = (struct pt_jtag_cursor){ .op = at->op, .part = at->part + 1 };
	return true;
}

/* --- bits --------------------------------------------------------------------------------------------------------- */

static unsigned bit_of(const uint8_t *bits, uint32_t at)
{
	return bits == NULL ? 1 : bits[at / 8] >> (at % 8) & 1;
}

/* 8 bits from `bits`. */
static uint8_t eight_of(const uint8_t *bits, uint32_t at)
{
	if (bits == NULL)
		return 0xff;
	return (uint8_t)(at % 8 == 0 ? bits[at / 8] : bits[at / 8] >> at % 8 | bits[at / 8 + 1] << (8 - at % 8));
}

void pt_jtag_copy_bits(uint8_t *to, uint32_t to_bit, const uint8_t *from, uint32_t from_bit, uint32_t n_bits)
{
	uint32_t i = 0;

	while (i < n_bits) {
		uint8_t *byte = &to[(to_bit + i) / 8];
		unsigned at = (to_bit + i) % 8;

		if (at == 0 && n_bits - i >= 8) {
			*byte = eight_of(from, from_bit + i);
			i += 8;
		} else {
			*byte = (uint8_t)((*byte & ~(1u << at)) | bit_of(from, from_bit + i) << at);
			i++;
		}
	}
}

static void set_bits(uint8_t *to, uint32_t to_bit, bool level, uint32_t n_bits)
{
	static const uint8_t zeros[1] = { 0 };

	for (uint32_t i = 0, n; i < n_bits; i += n) {	/* 8 bits at a time, the size of zeros */
		n = least(n_bits - i, 8 - (to_bit + i) % 8);
		pt_jtag_copy_bits(to, to_bit + i, level ? NULL : zeros, 0, n);
	}
}

uint32_t pt_jtag_vectors(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t max_bits,
			 uint8_t *tms, uint8_t *tdi)
{
	struct pt_jtag_piece piece;
	uint32_t n = 0;

	while (n < max_bits && pt_jtag_next(ops, n_ops, at, max_bits - n, &piece)) {
		set_bits(tms, n, piece.tms, piece.n_bits);
		pt_jtag_copy_bits(tdi, n, piece.out, piece.at_bit, piece.n_bits);
		n += piece.n_bits;
	}
	if (n % 8 != 0) {	/* the padding of the last byte */
		tms[n / 8] &= (uint8_t)((1u << n % 8) - 1);
		tdi[n / 8] &= (uint8_t)((1u << n % 8) - 1);
	}
	return n;
}

static void keep(const struct pt_jtag_op *op, const struct pt_jtag_piece *piece, const uint8_t *tdo, uint32_t at)
{
	uint32_t end = piece->at_bit + piece->n_bits;

	pt_jtag_copy_bits(piece->in, piece->at_bit, tdo, at, piece->n_bits);
	if (end == op->n_bits && end % 8 != 0)
		piece->in[end / 8] &= (uint8_t)((1u << end % 8) - 1);
}

void pt_jtag_take(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, const uint8_t *tdo,
		  uint32_t n_bits)
{
	struct pt_jtag_piece piece;

	for (uint32_t n = 0; n < n_bits && pt_jtag_next(ops, n_ops, at, n_bits - n, &piece); n += piece.n_bits)
		if (piece.in != NULL)
			keep(&ops[piece.op], &piece, tdo, n);
}
