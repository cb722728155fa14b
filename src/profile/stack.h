/* The shadow stack of execution.c, shared by its two halves: what every call and return does (execution.c), and what
 * only odd ones do (odd.c). Nobody else includes this. */
#ifndef PT_PROFILE_STACK_H
#define PT_PROFILE_STACK_H

#include "profile/execution.h"

#define unlikely(x) __builtin_expect(!!(x), 0)
#define likely(x) __builtin_expect(!!(x), 1)

enum frame_flag {
	TAIL = 1,		/* entered by a tail call: returns together with the frame below */
	HANDLER = 2,		/* entered by an exception; resume is where the interrupted code goes on */
	UNSEEN = 4,		/* was running when the stretch began */
	UNCALLED = 8,		/* its entry was seen, but not who called */
};

struct frame {
	uint64_t resume;	/* return address; PT_UNKNOWN: not seen */
	uint64_t from;		/* clock at entry */
	uint64_t others;	/* gross of the calls made, and time in code that another function owns */
	uint64_t preempted;	/* whole time of exceptions taken meanwhile */
	uint32_t period, inactive;	/* PT_NOTE_UNKNOWN */
	uint16_t function, caller;
	uint16_t outer;		/* index of the next frame below of the same function; 0: none */
	uint8_t flags, tails;	/* tails: tail calls directly below */
};

struct function {		/* what runs, calls and returns touch: one cache line */
	uint64_t entry;		/* first instruction; PT_UNKNOWN for code without a function */
	uint64_t instructions, cycles;
	uint64_t count;
	uint64_t entered, left;	/* clock at the last; before the stretch: not known */
	uint64_t gross;		/* with the function on the stack, recursion once */
	uint32_t innermost;	/* index of its uppermost frame; 0: none */
	uint32_t exceptions;	/* entries by exception */
} __attribute__((aligned(64)));

struct context {		/* interrupted, and not gone on with */
	bool used;
	bool ambiguous;		/* several contexts were left at this address: nobody can tell which one comes back */
	uint64_t resume;
	uint64_t parked;	/* clock */
	size_t n_frames;
	struct frame frame[PT_EXECUTION_CONTEXT_DEPTH];
};

struct pt_execution {
	uint64_t now, stretch;	/* clock, and where it was behind the last gap; > 0, so that 0 is long ago */
	struct frame *top;	/* frame[0] is the floor: no function, never left */
	struct frame *base;	/* the uppermost handler: where the current level begins; or the floor */
	struct function *function;
	struct pt_tally *tally;
	const struct pt_codemap *map;
	struct pt_flow_settings settings;
	size_t n_functions;
	struct context context[PT_EXECUTION_CONTEXTS];
	struct pt_execution_errors errors;
	struct pt_execution_result result;
	struct pt_execution_function *rows;	/* result.function */
	struct pt_edge *edges;		/* result.edge */
	struct frame frame[PT_EXECUTION_DEPTH], scratch[PT_EXECUTION_DEPTH];
};

enum { FLOOR = UINT16_MAX };	/* the function of frame[0]: no id is that high */

static inline bool full(const struct pt_execution *x)
{
	return x->top == x->frame + PT_EXECUTION_DEPTH - 1;
}

/* What frame amounts to when it ends now; below gets its part. how: PT_INVOCATION_PARTIAL or 0. */
struct pt_invocation pt_stack_end(const struct frame *frame, struct frame *below, uint64_t now, uint16_t how);

/* Runs that took ticks, from run on, in code that is not the top frame's: the first of a stretch, or shared code. Before
 * now is put forward. */
void pt_stack_stray(struct pt_execution *x, const struct pt_run *run, uint64_t ticks);

/* Everything that the hot path does not do itself. now includes the run. */
void pt_stack_odd(struct pt_execution *x, const struct pt_run *run);

#endif
