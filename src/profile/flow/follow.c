/* Flow's hot loop: plain branches inside one span of code, without a call, a division or a branch that depends on what
 * the program under test does. */
#include <assert.h>

#include "profile/flow/follow.h"
#include "base/util.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

static_assert((int)PT_LEFT_BRANCH == (PT_FLOW_BRANCH & PT_FLOW_LEAVES), "a jump is a branch");
static_assert((int)PT_LEFT_CALL == (PT_FLOW_CALL & PT_FLOW_LEAVES), "a call is a call");
static_assert((int)PT_LEFT_RETURN == (PT_FLOW_RETURN & PT_FLOW_LEAVES), "a return is a return");
static_assert((unsigned)PT_MOST_REACH <= (unsigned)PT_CODEMAP_PAD, "a run ends inside the padding");

/* To the right; an address that is not a multiple of a unit comes out too large for any span. */
static inline uint64_t rotate(uint64_t value, unsigned bits)
{
	return value >> bits | value << (-bits & 63);
}

/* Without a branch that the compiler could not be talked out of otherwise. */
static inline bool either_is_0(uint32_t a, uint32_t b)
{
	return (uint64_t)a * b == 0;
}

/* The hot loop: as many plain branches inside the span of the held run as stand at the head of event. Returns how
 * many; each made one run. The conditions are those of by_instruction(), of short runs inside one function. Only one of them depends on what the program
 * does, whether a branch is direct; it is kept out of the processor's branch prediction. shift: of addresses to
 * units; constant where this is inlined. */
static inline __attribute__((always_inline)) size_t follow(struct pt_flow *f, const struct pt_event *event, size_t n,
							   struct pt_run *run, unsigned shift)
{
	const struct pt_code_unit *at = f->at, *const code = f->span->code;
	const uint64_t base = f->span->base, n_units = (f->span->end - base) >> shift;
	uint64_t begin = f->begin;
	size_t i;

	for (i = 0; i < n; i++, event++, run++) {
		uint64_t from = rotate(event->branch.from - begin, shift), to = rotate(event->branch.to - base, shift);
		const struct pt_code_unit *src, *dst;
		uint64_t sums;

		if (event->kind != PT_EV_BRANCH || event->cause != PT_BY_INSTRUCTION || from > pt_codemap_reach(at) ||
		    to >= n_units)
			break;
		src = at + from;
		dst = code + to;
		sums = src->sums - at->sums;
		if (!dst->plain ||
		    !either_is_0(src->target ^ (((uint32_t)to << shift) + 1), src->target ^ PT_ANY_TARGET))
			break;
		run->begin = begin;
		run->end = event->branch.from + ((uint64_t)src->len_units << shift);
		run->next = begin = event->branch.to;
		run->assumed = 0;
		run->instructions = (uint16_t)(pt_sum_instructions(sums) + 1);
		run->cycles = pt_sum_cycles(sums) + src->leave_cycles;
		run->function = at->function;
		run->next_function = dst->function;
		run->left = src->flow & PT_FLOW_LEAVES;
		at = dst;
	}
	if (i > 0) {
		f->at = at;
		f->begin = begin;
		f->reached_bytes = 0;
		f->open = true;
	}
	return i;
}

/* A copy for each size of unit, apart from each other and from the rest: together they would not fit the registers. */
#define FOLLOW(name, shift) \
	static __attribute__((noinline)) size_t name(struct pt_flow *f, const struct pt_event *event, size_t n, \
						     struct pt_run *run) \
	{ \
		return follow(f, event, n, run, shift); \
	}
FOLLOW(follow_1, 0)
FOLLOW(follow_2, 1)
FOLLOW(follow_4, 2)

size_t pt_flow_follow(struct pt_flow *f, const struct pt_event *event, size_t n, struct pt_run *run)
{
	switch (f->map->isa->unit_bytes) {
	case 1:
		return follow_1(f, event, n, run);
	case 2:
		return follow_2(f, event, n, run);
	default:
		return follow_4(f, event, n, run);
	}
}
