/* A piece of plain trace: branches from instruction to instruction inside one span of code, each checked against the
 * code map, and nothing else. Runs in brief: what of a run (run.h) the code map knows is not written again.
 *
 * Run i began where pair i - 1 went to (the first one at begin), ended behind the instruction that is pair i's source,
 * and was left by it. Departures are those that may change the stack: calls, returns, and branches into another
 * function or computed; between two of them all is in one function. */
#ifndef PT_PROFILE_PIECE_H
#define PT_PROFILE_PIECE_H

#include "profile/flow/run.h"
#include "program/code/codemap.h"

/* Instruction sets with other units have no pieces. */
enum { PT_PIECE_PAIRS = PT_SHORT_RUNS, PT_PIECE_UNIT_BYTES = 2 };

struct pt_piece {
	const struct pt_code_span *span;	/* of all of it; below 4 GiB */
	const struct pt_code_unit *begin, *unit;	/* where it begins; where what follows does */
	const uint8_t *pairs;		/* from and to, 32 bits each, little-endian */
	size_t n_pairs;
	size_t n_departures;
	/* By departure: instructions and modelled cycles from begin up to it, as sums of the code map; behind the
	 * last: of all. As pt_sum_instructions() and pt_sum_cycles() give them, they have not carried. */
	uint64_t sums[PT_PIECE_PAIRS + 1];
	/* From and, in the upper half, to: bytes from the span's base; likewise. Behind the last: nothing. */
	uint64_t offsets[PT_PIECE_PAIRS + 1];
};

/* The address of a unit of the piece's span. */
static inline uint64_t pt_piece_address(const struct pt_piece *piece, const struct pt_code_unit *unit)
{
	return piece->span->base + (uint64_t)(unit - piece->span->code) * PT_PIECE_UNIT_BYTES;
}

/* All of its runs: n_pairs of them. */
void pt_piece_runs(const struct pt_piece *piece, struct pt_run *out);

#endif
