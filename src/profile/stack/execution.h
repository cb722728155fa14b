/* Range-analyzed execution profiling: runs become invocations of functions, by a shadow stack.
 *
 * Time and instructions of a run belong to the function that owns the code. How a run was left says what it does to
 * the stack:
 *   call                   pushes the called function with the address it will return to
 *   return                 pops the frame that waits for this address. If it is not the top one, what lies above was
 *                          left without being seen to (error, partial); a return elsewhere into the caller is a helper
 *                          that adjusts its return address (switch tables); one into nothing known starts a new stack
 *   jump                   to another function's first instruction is a tail call: a call that returns to the caller's
 *                          caller. Into the middle: behind a call in a function on the stack, or at the landing pad of
 *                          an open call in it (C++), a long jump that unwinds to it: what it leaves ends there; else shared code (tail merging,
 *                          cold parts), whose time is its owner's and no invocation's. To a function's own first
 *                          instruction it is a loop.
 *   straight on            into another function's first instruction, or back to there from a call that was its
 *                          caller's last instruction: a tail call, too
 *   exception              pushes the handler on a level of its own; its whole time is preemption for those below: not
 *                          in their gross, but in their call
 *   exception return       pops the handler. Within an instruction of where it came from, that goes on: one was
 *                          skipped, or is executed again. Elsewhere it is a switch to another context:
 *                          the one left is parked under its address and taken up again when an exception returns there.
 *                          Of several that were left at one address, the one that waits where the code there returns
 *                          to: runs are kept until that is seen. Where several wait there, or it is not seen within
 *                          PT_HELD_RUNS (stack.h), none of them is believed
 *   task signal            each task has a stack of its own. In a handler, the switch takes effect when thread code
 *                          goes on; in thread code, at once. A task that goes on elsewhere than where it was left has
 *                          been thrown away and made anew. While a task does not run, its functions are preempted
 *   gap                    ends every open invocation as unknown (partial); times never continue over it
 * Cycles that flow adds for entering an exception are moved from the interrupted function to the handler.
 *
 * An invocation without both ends seen is partial: counted, and in totals, but not in least, most and average.
 * Bounded: PT_EXECUTION_DEPTH frames, PT_EXECUTION_CONTEXTS contexts, PT_EXECUTION_TASKS tasks; beyond that, as after a
 * gap. What cannot be is counted with its last position and never stops anything. Pure; one thread at a time. */
#ifndef PT_PROFILE_EXECUTION_H
#define PT_PROFILE_EXECUTION_H

#include "profile/flow/flow.h"
#include "profile/flow/run.h"
#include "profile/stack/call_event.h"
#include "profile/stack/tally.h"
#include "program/code/codemap.h"

enum {
	PT_EXECUTION_DEPTH = 1024,
	PT_EXECUTION_TASKS = 256,	/* indices in the task map are below it */
	PT_EXECUTION_CONTEXTS = PT_CALL_STACKS - PT_EXECUTION_TASKS - 1,	/* that no task signal told of */
	PT_EXECUTION_CONTEXT_DEPTH = 64,
	PT_EXECUTION_TAILS = 16,	/* tail calls in a row that stay on the stack; then the caller counts as left */
};

enum pt_execution_error {
	PT_EXECUTION_SKIPPED_EXIT,	/* a return went past frames whose exits were not seen */
	PT_EXECUTION_LONG_JUMP,		/* a jump back into a function further down */
	PT_EXECUTION_UNMATCHED_RETURN,	/* a return into a function that is not waiting for one */
	PT_EXECUTION_UNMATCHED_EXCEPTION,	/* an exception returned where nothing was interrupted */
	PT_EXECUTION_TOO_DEEP,		/* a bound above was reached */
	PT_N_EXECUTION_ERRORS,
};

struct pt_execution_errors {
	uint64_t n[PT_N_EXECUTION_ERRORS];
	uint64_t address, at;	/* of the last: the instruction's end and the stamp; PT_UNKNOWN: none */
	uint16_t function;
};

const char *pt_execution_error_name(enum pt_execution_error error);

struct pt_execution_function {
	uint64_t count;		/* entries seen */
	uint64_t partial;	/* invocations with an end unseen; open ones included */
	uint64_t instructions, cycles;	/* net, all of them */
	uint64_t gross_total;	/* on the profile's clock; recursion once, open and partial ones included */
	uint64_t exceptions;	/* entries by exception, out of count */
	struct pt_stat stat[PT_N_TALLY_KINDS];	/* of whole invocations, on the profile's clock */
};

struct pt_execution_result {
	const struct pt_execution_function *function;	/* by id; 0 is code that no function owns */
	size_t n_functions;
	/* by from and to; open calls included; gross: a call inside the same call not again */
	const struct pt_edge *edge;
	size_t n_edges;
	uint64_t edges_lost;
	uint64_t instructions, cycles;	/* sums over function */
	struct pt_execution_errors errors;
};

struct pt_execution;

/* functions: by id - 1, as in the code map; copied. map is the caller's and outlives it. settings: the clock of all
 * times, and the exception cycles as flow adds them. */
struct pt_execution *pt_execution_new(const struct pt_function *functions, size_t n_functions,
				      const struct pt_codemap *map, const struct pt_flow_settings *settings);
void pt_execution_free(struct pt_execution *x);

/* The runs that follow began at ns on the probe's clock; hz: how fast the profile's clock runs, 0 = not known (then
 * what follows is all stamped ns). */
void pt_execution_anchor(struct pt_execution *x, uint64_t ns, double hz);
/* How wrong anchors are from now on, as far as the source promises: part of the timestamp of each but a SWITCH,
 * whose error says something else (call_event.h). */
void pt_execution_anchor_error(struct pt_execution *x, uint64_t error_ns);

/* From now on sink takes the call events of core, at the latest when the call that made them returns; before
 * the first run, or it misses what is open. Copied; a sink without take, as before this call: nobody wants them, and
 * they cost nothing. */
void pt_execution_steps(struct pt_execution *x, const struct pt_call_sink *sink, uint16_t core);

/* A task signal: task runs from here on; PT_NO_TASK, or an index that is too high: none does. in_order: it stands in
 * the stream of the runs, behind those that were fed. Else it came from another source, at is when, and it should be
 * told before runs that late are fed: then a switch that flow finds within the error of at is taken for it, exactly
 * where it happened; where flow finds none, it takes effect when at is over, and what ran within the error of it is
 * not decided: the call event says so. */
void pt_execution_task(struct pt_execution *x, uint16_t task, struct pt_timestamp at, bool in_order);

/* What takes call events has charged time up to here when this returns. It decides like a result. */
void pt_execution_clock(struct pt_execution *x);

void pt_execution_feed(struct pt_execution *x, const struct pt_run *run, size_t n_runs);

/* Statistics so far, with what is open counted as partial, without changing what comes; but which of several stacks runs is
 * decided by what is known now. Valid until the next call. */
const struct pt_execution_result *pt_execution_result(struct pt_execution *x);

#endif
