#include "profile/flow/branch_block.h"

#include "base/util.h"

enum { PAIR_BYTES = 8 };

void pt_piece_runs(const struct pt_piece *piece, struct pt_run *out)
{
	const struct pt_code_span *span = piece->span;
	const struct pt_code_unit *at = piece->begin;
	uint64_t begin = pt_piece_address(piece, at);

	for (size_t i = 0; i < piece->n_pairs; i++) {
		uint64_t from = pt_le32(piece->pairs + i * PAIR_BYTES), to = pt_le32(piece->pairs + i * PAIR_BYTES + 4);
		const struct pt_code_unit *src = span->code + (from - span->base) / PT_PIECE_UNIT_BYTES;
		const struct pt_code_unit *dst = span->code + (to - span->base) / PT_PIECE_UNIT_BYTES;
		uint64_t sums = src->sums - at->sums;

		out[i] = (struct pt_run){
			.begin = begin, .end = from + (uint64_t)src->len_units * PT_PIECE_UNIT_BYTES, .next = to,
			.instructions = (uint16_t)(pt_sum_instructions(sums) + 1),
			.cycles = pt_sum_cycles(sums) + src->leave_cycles, .function = at->function,
			.left = src->flow & PT_FLOW_LEAVES, .next_function = dst->function,
		};
		begin = to;
		at = dst;
	}
}
