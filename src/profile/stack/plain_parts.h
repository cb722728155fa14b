/* What the passes of plain.c share. No other file includes this. */
#ifndef PT_PROFILE_PLAIN_PARTS_H
#define PT_PROFILE_PLAIN_PARTS_H

#include "profile/stack/plain.h"
#include "profile/stack/stack.h"
#include "base/util.h"

enum { PIECE = PT_PIECE_PAIRS, UNIT_BYTES = PT_PIECE_UNIT_BYTES, PAIR_BYTES = 8 };
enum { MOST_TICKS = PT_SUM_CYCLES_MASK };	/* of a piece, on either clock */

_Static_assert(sizeof(struct pt_code_unit) == 16, "units lie by a power of two");

/* bytes: from the base, a multiple of UNIT_BYTES. Without a division to drop what is not there. */
static inline const struct pt_code_unit *unit_at(const struct pt_code_unit *code, uint32_t bytes)
{
	return (const void *)((const char *)code + (size_t)bytes * (sizeof(*code) / UNIT_BYTES));
}

static inline const struct pt_code_unit *source(const struct pt_code_unit *code, uint64_t offsets)
{
	return unit_at(code, (uint32_t)offsets);
}

static inline const struct pt_code_unit *destination(const struct pt_code_unit *code, uint64_t offsets)
{
	return unit_at(code, (uint32_t)(offsets >> 32));
}

INLINE uint64_t ticks_of(uint64_t sums, bool by_cycles)
{
	return by_cycles ? pt_sum_cycles(sums) : pt_sum_instructions(sums);
}

INLINE struct spent spent_in(uint64_t sums, bool by_cycles)
{
	return (struct spent){ ticks_of(sums, by_cycles), ticks_of(sums, !by_cycles) };
}

/* The run that departure i ended, as far as pt_stack_odd() looks at it. function: of the code that ran. */
static inline struct pt_run run_of(const struct pt_piece *piece, size_t i, uint16_t function)
{
	const struct pt_code_unit *src = source(piece->span->code, piece->offsets[i]);
	const struct pt_code_unit *dst = destination(piece->span->code, piece->offsets[i]);

	return (struct pt_run){
		.end = pt_piece_address(piece, src + src->len_units), .next = pt_piece_address(piece, dst),
		.function = function, .next_function = dst->function, .left = src->flow & PT_FLOW_LEAVES,
	};
}

/* Is departure i a computed jump inside a function? That changes no stack. */
static inline bool stays(const struct pt_code_unit *src, const struct pt_code_unit *dst)
{
	return (src->flow & PT_FLOW_LEAVES) == PT_LEFT_BRANCH && src->function == dst->function;
}

/* The departures of a piece (plain_calls.c). sink: who wants its steps; NULL: nobody. */
void pt_plain_depart(struct pt_execution *x, const struct pt_piece *piece, const struct pt_plain_sink *sink);

/* --- steps in brief, in order with those that are not (plain_tell.c) */

struct teller {
	const struct pt_plain_sink *sink;
	struct pt_compact_event *next;		/* where the next one goes, */
	uint64_t since;			/* and the clock that its ticks count from */
	const struct frame *first, *lowest;	/* on top before the first of them; and since then, at the lowest */
	struct pt_compact_batch batch;
};

void pt_tell_begin(const struct pt_execution *x, struct teller *t);
/* Once all that were told of are frames, or none any more; before anything may become a step that is not brief. */
void pt_tell_give(const struct pt_execution *x, struct teller *t);
void pt_tell_go_on(struct pt_execution *x, struct teller *t);	/* behind that */

#endif
