/* The shadow stack of execution.c, shared by its parts: what every call and return does (here, inlined by execution.c
 * and plain.c), what only odd ones do (odd_departures.c), and which stack runs (contexts.c). No other file includes
 * this. */
#ifndef PT_PROFILE_STACK_H
#define PT_PROFILE_STACK_H

#include "profile/stack/compact_events.h"
#include "profile/stack/execution.h"

#define unlikely(x) __builtin_expect(!!(x), 0)
#define likely(x) __builtin_expect(!!(x), 1)

enum frame_flag {
	TAIL = 1,		/* entered by a tail call: returns together with the frame below */
	HANDLER = 2,		/* entered by an exception; resume is where the interrupted code goes on */
	UNSEEN = 4,		/* was running when the stretch began */
	UNCALLED = 8,		/* its entry was seen, but not who called */
	RECURSIVE = 16,		/* the function was on the stack already */
};

struct frame {			/* one cache line */
	uint64_t resume;	/* return address; PT_UNKNOWN: not seen */
	uint64_t from;		/* clock at entry */
	uint64_t others;	/* gross of the calls made, and time in code that another function owns */
	uint64_t second;	/* its net time on the second clock */
	uint64_t preempted;	/* whole time of exceptions taken meanwhile */
	struct frame *outer;	/* the next one below of the same function; NULL: none. In a context, as it was */
	uint32_t edge;		/* of the call, in the tally */
	uint16_t function, caller;
	uint8_t flags, tails;	/* tails: tail calls directly below */
} __attribute__((aligned(64)));

enum context_state {
	UNUSED,
	RUNS,			/* its frames are those of struct pt_execution */
	PARKED,			/* interrupted, and not gone on with */
	DOUBTFUL,		/* several stacks were left at this address, and one went on: it is not known which */
};

struct context {		/* a stack; its index is its number in steps */
	enum context_state state;
	uint16_t task;		/* PT_NO_TASK: none, or not known */
	bool told;		/* a task signal told whose it is; else flow found it */
	bool called;		/* what is seen of it, or was when it became DOUBTFUL, has a caller below */
	size_t n_frames;	/* PARKED: those in kept */
	uint64_t resume;	/* where it goes on, or went on last; PT_UNKNOWN: not known */
	uint64_t parked;	/* clock */
};

struct due {			/* a task signal that has not taken effect yet */
	struct pt_timestamp at;
	uint16_t task;
	bool in_order;
};
enum { DUES = 64 };		/* more wait for nothing */

struct held;			/* held.c */

typedef struct frame pt_kept_frames[PT_EXECUTION_CONTEXT_DEPTH];

struct pt_execution {
	uint64_t now, stretch;	/* clock, and where it was behind the last gap; > 0, so that 0 is long ago */
	uint64_t n_stretches;	/* that have ended */
	uint64_t skipped;	/* ticks of it that nothing took: one to begin with and one for each gap */
	bool by_cycles;		/* the clock counts cycles and the second one instructions; or the other way round */
	struct frame *top;	/* frame[0] is the floor: no function, never left */
	struct frame *base;	/* the uppermost handler: where the current level begins; or the floor */
	struct pt_tally tally;
	uint64_t *entry;	/* of each function its first instruction; PT_UNKNOWN for code without a function */
	uint16_t *innermost;	/* of each function its uppermost frame, as an index; 0: none */
	const struct pt_codemap *map;
	struct pt_flow_settings settings;
	size_t n_functions;
	struct context context[PT_CALL_STACKS];
	pt_kept_frames *kept;		/* per context; memory is taken when one is parked */
	size_t n_contexts;		/* of them were ever used */
	uint16_t stack;			/* the context that runs */
	uint64_t switched;		/* clock at the last switch that flow found and no signal told of; 0: none */
	struct due due[DUES];		/* in order */
	size_t n_due;
	const struct pt_run *ahead;	/* behind the one that is looked at: what is known already of what came then */
	size_t n_ahead, n_beyond;	/* n_beyond: of those that are fed now, behind this piece */
	struct held *held;		/* runs that wait for later ones */
	enum { PT_STACK_WAITS, PT_STACK_DECIDES_ONCE, PT_STACK_DECIDES } decides;	/* without later ones */
	bool told_in_order;		/* task signals stand in the stream of the runs */
	struct pt_execution_errors errors;

	/* what ran last in code that is not the top frame's: that long, until then */
	uint64_t stray_ticks, stray_until;
	uint16_t stray_function;

	struct pt_call_sink sink;	/* take NULL: no analysis wants steps */
	uint16_t core;
	uint64_t anchor, anchor_ns, anchor_error_ns;	/* the last */
	double ns_per_tick;		/* 0: not known */
	struct pt_call_batch steps;

	struct pt_execution_result result;
	struct pt_execution_function *rows;	/* result.function */
	struct pt_edge *edges;		/* result.edge */
	struct frame frame[PT_EXECUTION_DEPTH], scratch[PT_EXECUTION_DEPTH];
};

enum {
	FLOOR = UINT16_MAX,	/* the function of frame[0]: no id is that high */
	SKIPPED_BYTES = 4,	/* an exception may return that far from where it came: see pt_stack_near() */
};

/* Does next go on with what was interrupted at resume? A fault handler may skip the instruction there; one that was
 * fetched before the interrupt, and cancelled by it, is executed again. */
static inline bool pt_stack_near(uint64_t next, uint64_t resume)
{
	return next - resume + SKIPPED_BYTES <= 2 * SKIPPED_BYTES;
}

/* NULL: none. */
static inline struct frame *innermost(struct pt_execution *x, uint16_t function)
{
	return x->innermost[function] != 0 ? x->frame + x->innermost[function] : NULL;
}

static inline void set_innermost(struct pt_execution *x, uint16_t function, const struct frame *frame)
{
	x->innermost[function] = frame != NULL ? (uint16_t)(frame - x->frame) : 0;
}

static inline bool full(const struct pt_execution *x)
{
	return x->top == x->frame + PT_EXECUTION_DEPTH - 1;
}

static inline bool stepping(const struct pt_execution *x)
{
	return x->sink.take != NULL;
}

/* --- steps (execution.c); only while stepping() */

struct pt_timestamp pt_stack_moment(const struct pt_execution *x, uint64_t clock);	/* not before the last anchor */
void pt_stack_entered(struct pt_execution *x, const struct frame *frame, uint64_t period);
void pt_stack_left(struct pt_execution *x, const struct frame *frame, const struct pt_invocation *v);
void pt_stack_switched(struct pt_execution *x, const struct pt_timestamp *at);	/* NULL: just now */
void pt_stack_switched_inside(struct pt_execution *x);	/* to a call in a stack of which no more is known */
void pt_stack_forgot(struct pt_execution *x);
void pt_stack_tell_stray(struct pt_execution *x);	/* before more of it, or of anything else, is told */
void pt_stack_give_steps(struct pt_execution *x);	/* to the sink; before anything that has to come behind them */

/* --- frames (odd_departures.c) */

/* What frame amounts to when it ends now; below gets its part. how: PT_INVOCATION_PARTIAL or 0. */
struct pt_invocation pt_stack_end(const struct frame *frame, struct frame *below, uint64_t now, uint16_t how);

/* frame stays; what lies above is left as partial. */
void pt_stack_forget_to(struct pt_execution *x, const struct frame *frame);
void pt_stack_cut(struct pt_execution *x);	/* all that is open was so up to now, or until its stack was left */

/* Time on both clocks. */
struct spent { uint64_t ticks, second; };

static inline struct spent spent_of(const struct pt_execution *x, uint64_t instructions, uint64_t cycles)
{
	return x->by_cycles ? (struct spent){ cycles, instructions } : (struct spent){ instructions, cycles };
}

/* So long no entry of the function came behind the last one (a period), or behind its last exit (inactive); 0: not known. */
static inline uint64_t stack_waited(const struct pt_execution *x, size_t function, enum pt_tally_kind kind)
{
	const struct pt_tally_function *f = &x->tally.function[function];
	uint64_t since = kind == PT_TALLY_PERIOD ? f->entered : x->innermost[function] == 0 ? f->left : 0;

	return since >= x->stretch ? x->now - since : 0;
}

/* Runs that took so long, from begin on, in code of function, which is not the top frame's: the first of a stretch, or
 * shared code. Before now is put forward. */
void pt_stack_stray(struct pt_execution *x, uint16_t function, uint64_t begin, struct spent spent);

/* Everything that the hot path does not do itself. now includes the run. */
void pt_stack_odd(struct pt_execution *x, const struct pt_run *run);

/* --- which stack runs (contexts.c) */

/* An exception returned to thread code, by run. resume: where it had come from; PT_UNKNOWN: not seen. */
void pt_stack_thread(struct pt_execution *x, const struct pt_run *run, uint64_t resume);
/* The same run, before that. True: several stacks may go on there, and the runs known so far do not show which. */
bool pt_stack_undecided(struct pt_execution *x, const struct pt_run *run);
void pt_stack_due(struct pt_execution *x, const struct pt_run *run);	/* signals may take effect before run */
void pt_stack_forget_parked(struct pt_execution *x);	/* while the running stack is empty */
void pt_stack_forget_task(struct pt_execution *x);	/* there was a gap */

/* --- runs that wait until it is decided which stack they are of (held.c). What is found does not depend on how many runs
 * were fed together, as long as what decides comes within PT_HELD_RUNS. */

enum { PT_HELD_RUNS = 1024 };

struct pt_held_ways {		/* to what they wait for */
	/* As many as are decided; n_beyond more are known behind them. */
	size_t (*feed)(struct pt_execution *x, const struct pt_run *run, size_t n_runs, size_t n_beyond);
	void (*anchor)(struct pt_execution *x, uint64_t ns, double hz);
	void (*anchor_error)(struct pt_execution *x, uint64_t error_ns);
};

struct held *pt_held_new(const struct pt_held_ways *ways);	/* ways: static */
bool pt_held_any(const struct pt_execution *x);
void pt_held_runs(struct pt_execution *x, const struct pt_run *run,
		  size_t n_runs); /* the first is undecided, or some wait */
void pt_held_anchor(struct pt_execution *x, uint64_t ns, double hz);	/* while some wait: behind them */
void pt_held_anchor_error(struct pt_execution *x, uint64_t error_ns);
void pt_held_decide(struct pt_execution *x);	/* as well as is known now; none waits then */

/* --- the hot path */

#define INLINE static inline __attribute__((always_inline))

enum tell { TELL_NOBODY, TELL_STEPS, TELL_BRIEFLY };	/* of calls and returns */

/* What is in use all the time, in variables of its own: the compiler cannot know that no frame is where a pointer lies.
 * top and now are written back before anything odd. */
struct hot {
	struct frame *top, *limit;
	uint64_t now;
	uint64_t oldest;	/* moments from here on are of this stretch, and intervals from there fit 32 bits */
	struct pt_tally_function *function;
	struct pt_compact_event *compact;	/* TELL_BRIEFLY: where the next one goes, */
	uint64_t since;		/* and what its ticks count from */
};

/* most: how much time may pass at most before it is taken anew. */
INLINE struct hot stack_take(struct pt_execution *x, uint64_t most)
{
	uint64_t end = x->now + most, oldest = end > UINT32_MAX ? end - UINT32_MAX : 0;

	return (struct hot){
		.top = x->top, .limit = x->frame + PT_EXECUTION_DEPTH - 1, .now = x->now,
		.oldest = oldest > x->stretch ? oldest : x->stretch,
		.function = x->tally.function,
	};
}

INLINE void stack_put(struct pt_execution *x, const struct hot *h)
{
	x->top = h->top;
	x->now = h->now;
}

/* Time that passed up to here, from begin on, in function. */
INLINE void stack_pass(struct pt_execution *x, struct hot *h, uint16_t function, uint64_t begin, struct spent spent,
		       uint64_t most)
{
	if (likely(function == h->top->function)) {
		h->top->second += spent.second;
	} else {
		stack_put(x, h);
		pt_stack_stray(x, function, begin, spent);
		*h = stack_take(x, most);
	}
	h->now += spent.ticks;
}

/* A call. */
struct call {
	uint64_t resume;
	uint16_t caller, callee;
};

/* A call of a function that is not on the stack, with all intervals known. False: leave it to pt_stack_odd(). */
INLINE bool stack_call(struct pt_execution *x, struct hot *h, struct call call, bool histograms, enum tell tell)
{
	struct pt_tally_function *f = &h->function[call.callee];
	uint64_t now = h->now, period = now - f->entered;
	struct frame *frame = h->top;
	uint32_t edge;

	if (unlikely(x->innermost[call.callee] != 0 || f->entered < h->oldest || f->left < h->oldest ||
		     call.callee == call.caller || frame == h->limit))
		return false;
	edge = pt_tally_edge(&x->tally, call.caller, call.callee);
	pt_tally_entered(&x->tally, f, call.callee, now, histograms);
	*++frame = (struct frame){
		.resume = call.resume, .from = now, .edge = edge, .function = call.callee, .caller = call.caller,
	};
	h->top = frame;
	set_innermost(x, call.callee, frame);
	f->entered = now;
	f->unended++;
	if (tell == TELL_STEPS) {
		stack_put(x, h);
		pt_stack_entered(x, frame, period);
	}
	return true;
}

/* A return to where the top frame, entered by a plain call, waits for it. False: leave it to pt_stack_odd(). */
INLINE bool stack_return(struct pt_execution *x, struct hot *h, uint64_t next, bool histograms, enum tell tell)
{
	struct frame *frame = h->top;
	uint16_t function = frame->function;
	struct pt_tally_function *f = &h->function[function];
	uint64_t call = h->now - frame->from, gross = call - frame->preempted, net = gross - frame->others;

	if (unlikely(next != frame->resume || frame->flags != 0 || frame->from < h->oldest))
		return false;
	if (likely(frame->preempted == 0)) {
		pt_tally_ended(&x->tally, f, function, net, gross, frame->from, histograms);
		f->unended--;
		pt_tally_count_edge(&x->tally, frame->edge, gross);
	} else {
		pt_tally_add(&x->tally, function, &(struct pt_invocation){
			.net = net, .gross = gross, .call = call, .from = frame->from, .edge = frame->edge,
		});
	}
	frame[-1].others += gross;
	frame[-1].preempted += frame->preempted;
	f->second += frame->second;
	f->left = h->now;
	x->innermost[function] = 0;
	h->top = frame - 1;
	if (tell == TELL_BRIEFLY)
		*h->compact++ = (struct pt_compact_event){
			.ticks = (uint32_t)(h->now - h->since), .net = (uint32_t)net, .gross = (uint32_t)gross,
			.call = (uint32_t)call, .function = function, .caller = frame->caller, .left = 1,
		};
	if (tell == TELL_STEPS) {
		stack_put(x, h);
		pt_stack_left(x, frame, &(struct pt_invocation){ .net = net, .gross = gross, .call = call });
	}
	return true;
}

#endif
