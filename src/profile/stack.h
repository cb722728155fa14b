/* The shadow stack of execution.c, shared by its parts: what every call and return does (execution.c), what only odd
 * ones do (odd.c), and which stack runs (contexts.c). Nobody else includes this. */
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

enum context_state {
	UNUSED,
	RUNS,			/* its frames are those of struct pt_execution */
	PARKED,			/* interrupted, and not gone on with */
	DOUBTFUL,		/* several stacks were left at this address: nobody can tell which one comes back */
};

struct context {		/* a stack; its index is its number in steps */
	enum context_state state;
	uint16_t task;		/* PT_NO_TASK: none, or not known */
	bool told;		/* a task signal told whose it is; else flow found it */
	size_t n_frames;	/* PARKED: those in kept */
	uint64_t resume;	/* where it goes on, or went on last; PT_UNKNOWN: not known */
	uint64_t parked;	/* clock */
};

struct due {			/* a task signal that has not taken effect yet */
	struct pt_moment at;
	uint16_t task;
	bool in_order;
};
enum { DUES = 64 };		/* more wait for nothing */

typedef struct frame pt_kept_frames[PT_EXECUTION_CONTEXT_DEPTH];

struct pt_execution {
	uint64_t now, stretch;	/* clock, and where it was behind the last gap; > 0, so that 0 is long ago */
	uint64_t skipped;	/* ticks of it that nothing took: one to begin with and one for each gap */
	struct frame *top;	/* frame[0] is the floor: no function, never left */
	struct frame *base;	/* the uppermost handler: where the current level begins; or the floor */
	struct function *function;
	struct pt_tally *tally;
	const struct pt_codemap *map;
	struct pt_flow_settings settings;
	size_t n_functions;
	struct context context[PT_STEP_STACKS];
	pt_kept_frames *kept;		/* per context; memory is taken when one is parked */
	size_t n_contexts;		/* of them were ever used */
	uint16_t stack;			/* the context that runs */
	uint64_t switched;		/* clock at the last switch that flow found and no signal was taken for; 0: none */
	struct due due[DUES];		/* in order */
	size_t n_due;
	bool told_in_order;		/* task signals stand in the stream of the runs */
	struct pt_execution_errors errors;

	/* what ran last in code that is not the top frame's: that long, until then */
	uint64_t stray_ticks, stray_until;
	uint16_t stray_function;

	struct pt_step_sink sink;	/* take NULL: nobody wants steps */
	uint16_t core;
	uint64_t anchor, anchor_ns;	/* the last */
	double ns_per_tick;		/* 0: not known */
	struct pt_step_batch steps;

	struct pt_execution_result result;
	struct pt_execution_function *rows;	/* result.function */
	struct pt_edge *edges;		/* result.edge */
	struct frame frame[PT_EXECUTION_DEPTH], scratch[PT_EXECUTION_DEPTH];
};

enum {
	FLOOR = UINT16_MAX,	/* the function of frame[0]: no id is that high */
	SKIPPED_BYTES = 4,	/* a fault handler may return that far behind where it came from */
};

static inline bool full(const struct pt_execution *x)
{
	return x->top == x->frame + PT_EXECUTION_DEPTH - 1;
}

static inline bool stepping(const struct pt_execution *x)
{
	return x->sink.take != NULL;
}

/* --- steps (execution.c); only while stepping() */

struct pt_moment pt_stack_moment(const struct pt_execution *x, uint64_t clock);	/* not before the last anchor */
void pt_stack_entered(struct pt_execution *x, const struct frame *frame, uint64_t period);
void pt_stack_left(struct pt_execution *x, const struct frame *frame, const struct pt_invocation *v);
void pt_stack_switched(struct pt_execution *x, const struct pt_moment *at);	/* NULL: just now */
void pt_stack_forgot(struct pt_execution *x);
void pt_stack_tell_stray(struct pt_execution *x);	/* before more of it, or of anything else, is told */

/* --- frames (odd.c) */

/* What frame amounts to when it ends now; below gets its part. how: PT_INVOCATION_PARTIAL or 0. */
struct pt_invocation pt_stack_end(const struct frame *frame, struct frame *below, uint64_t now, uint16_t how);

/* frame stays; what lies above is left as partial. */
void pt_stack_forget_to(struct pt_execution *x, const struct frame *frame);

/* Runs that took ticks, from run on, in code that is not the top frame's: the first of a stretch, or shared code. Before
 * now is put forward. */
void pt_stack_stray(struct pt_execution *x, const struct pt_run *run, uint64_t ticks);

/* Everything that the hot path does not do itself. now includes the run. */
void pt_stack_odd(struct pt_execution *x, const struct pt_run *run);

/* --- which stack runs (contexts.c) */

/* An exception returned to thread code, by run. resume: where it had come from; PT_UNKNOWN: not seen. */
void pt_stack_thread(struct pt_execution *x, const struct pt_run *run, uint64_t resume);
void pt_stack_due(struct pt_execution *x, const struct pt_run *run);	/* signals may take effect before run */
void pt_stack_forget_parked(struct pt_execution *x);	/* while the running stack is empty */
void pt_stack_forget_task(struct pt_execution *x);	/* there was a gap */

#endif
