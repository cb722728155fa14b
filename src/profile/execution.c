/* The shadow stack. pt_execution_feed() is the hot path: a run costs two sums, a comparison and a switch; a call writes
 * one frame and touches one cache line of the called function; a return reads both again and writes one note.
 * Everything unusual is out of line. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "profile/execution.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

enum frame_flag {
	TAIL = 1,		/* entered by a tail call: returns together with the frame below */
	HANDLER = 2,		/* entered by an exception; resume is where the interrupted code goes on */
	UNSEEN = 4,		/* was running when the stretch began */
	UNCALLED = 8,		/* its entry was seen, but not who called */
};

struct frame {
	uint64_t resume;	/* return address; PT_UNKNOWN: not seen */
	uint64_t from;		/* clock at entry */
	uint64_t child;		/* gross of the calls made */
	uint64_t preempted;	/* whole time of exceptions taken meanwhile */
	uint64_t shared;	/* time in code that another function owns */
	uint64_t period, inactive;
	uint16_t function, caller;
	uint16_t outer;		/* index of the next frame below of the same function; 0: none */
	uint8_t flags, tails;	/* tails: tail calls directly below */
};

struct function {		/* what runs, calls and returns touch: one cache line */
	uint64_t entry;		/* first instruction; PT_UNKNOWN for code without a function */
	uint64_t instructions, cycles;
	uint64_t count;
	uint64_t entered, left;	/* clock at the last; before the stretch: not known */
	uint64_t innermost;	/* index of its uppermost frame; 0: none */
} __attribute__((aligned(64)));

struct context {
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
	uint64_t anchor_ns, anchor;	/* the same moment on both clocks */
	double ns_per_tick;
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

const char *pt_execution_error_name(enum pt_execution_error what)
{
	static const char *const names[PT_N_EXECUTION_ERRORS] = {
		[PT_EXECUTION_SKIPPED_EXIT] = "exit not seen",
		[PT_EXECUTION_LONG_JUMP] = "long jump",
		[PT_EXECUTION_UNMATCHED_RETURN] = "return to a function that did not call",
		[PT_EXECUTION_UNMATCHED_EXCEPTION] = "exception return to code that was not interrupted",
		[PT_EXECUTION_TOO_DEEP] = "call stack too deep",
	};

	return what < PT_N_EXECUTION_ERRORS ? names[what] : "unknown";
}

static uint64_t stamp(const struct pt_execution *x, uint64_t clock)
{
	return x->anchor_ns + (uint64_t)(int64_t)((double)(int64_t)(clock - x->anchor) * x->ns_per_tick);
}

static void note_error(struct pt_execution *x, enum pt_execution_error what, const struct pt_run *run)
{
	x->errors.n[what]++;
	x->errors.address = run->end;
	x->errors.function = run->function;
	x->errors.at = stamp(x, x->now);
}

/* --- push and pop */

static void forget_all(struct pt_execution *x);

static inline struct frame *push(struct pt_execution *x, uint16_t function, uint64_t resume, uint8_t flags)
{
	struct function *f = &x->function[function];

	if (unlikely(x->top == x->frame + PT_EXECUTION_DEPTH - 1)) {
		x->errors.n[PT_EXECUTION_TOO_DEEP]++;
		forget_all(x);
	}
	*++x->top = (struct frame){
		.resume = resume, .from = x->now, .function = function, .flags = flags,
		.outer = (uint16_t)f->innermost, .period = PT_UNKNOWN, .inactive = PT_UNKNOWN,
	};
	f->innermost = (uint64_t)(x->top - x->frame);
	return x->top;
}

static inline struct frame *enter(struct pt_execution *x, uint16_t function, uint64_t resume, uint16_t caller,
				  uint8_t flags)
{
	struct function *f = &x->function[function];
	uint64_t now = x->now;
	uint64_t period = f->entered >= x->stretch ? now - f->entered : PT_UNKNOWN;
	uint64_t inactive = f->innermost == 0 && f->left >= x->stretch ? now - f->left : PT_UNKNOWN;
	struct frame *frame = push(x, function, resume, flags);

	frame->period = period;
	frame->inactive = inactive;
	frame->caller = caller;
	f->entered = now;
	f->count++;
	return frame;
}

/* What frame amounts to when it ends now; below gets its part. */
static inline struct pt_invocation end_frame(const struct pt_execution *x, const struct frame *frame, struct frame *below,
					     uint64_t now, uint16_t how)
{
	struct pt_invocation v = {
		.call = now - frame->from, .period = frame->period, .inactive = frame->inactive,
		.at = stamp(x, frame->from), .caller = frame->caller, .how = how,
	};

	v.gross = v.call - frame->preempted;
	v.net = v.gross - frame->child - frame->shared;
	if ((frame->flags & HANDLER) != 0) {
		below->preempted += v.call;
		v.how |= PT_INVOCATION_EXCEPTION;
	} else {
		below->child += v.gross;
		below->preempted += frame->preempted;
	}
	if (unlikely((frame->flags & UNSEEN) != 0))
		v.how |= PT_INVOCATION_PARTIAL;
	if (unlikely((frame->flags & (UNSEEN | UNCALLED)) != 0))
		v.how |= PT_INVOCATION_UNCALLED;
	return v;
}

static struct frame *handler_below(struct pt_execution *x, struct frame *frame)	/* or the floor */
{
	do
		frame--;
	while (frame > x->frame && (frame->flags & HANDLER) == 0);
	return frame;
}

/* Take the top frame off. how: PT_INVOCATION_PARTIAL if its exit was not seen, else 0. */
static inline void pop(struct pt_execution *x, uint16_t how)
{
	struct frame *frame = x->top--;
	struct function *f = &x->function[frame->function];
	struct pt_invocation v = end_frame(x, frame, x->top, x->now, how);

	f->left = how == 0 ? x->now : 0;
	f->innermost = frame->outer;
	if (x->frame + frame->outer < x->base || frame->outer == 0)
		v.how |= PT_INVOCATION_OUTER;
	if (unlikely(frame == x->base))
		x->base = handler_below(x, frame);
	pt_tally_add(x->tally, frame->function, &v);
}

/* The top frame returned, and with it those that tail-called it. */
static inline void pop_chain(struct pt_execution *x)
{
	uint8_t flags;

	do {
		flags = x->top->flags;
		pop(x, 0);
	} while (unlikely((flags & TAIL) != 0));
}

static void forget_to(struct pt_execution *x, const struct frame *frame)	/* which stays */
{
	while (x->top > frame)
		pop(x, PT_INVOCATION_PARTIAL);
}

static void take_up(struct pt_execution *x, struct context *context)
{
	x->top = x->base = x->frame;
	for (size_t i = 0; i < context->n_frames; i++) {
		struct function *f = &x->function[context->frame[i].function];

		context->frame[i].outer = (uint16_t)f->innermost;
		f->innermost = i + 1;
		*++x->top = context->frame[i];
	}
	x->top->preempted += x->now - context->parked;
	context->n_frames = 0;
	context->used = context->ambiguous;
}

static void forget_context(struct pt_execution *x, struct context *context)	/* while the stack is empty */
{
	context->ambiguous = false;
	if (context->used) {
		take_up(x, context);
		forget_to(x, x->frame);
	}
}

/* A gap: all that is open ends as unknown, and nothing that follows is measured from before it. */
static void forget_all(struct pt_execution *x)
{
	forget_to(x, x->frame);
	for (size_t i = 0; i < PT_EXECUTION_CONTEXTS; i++)
		forget_context(x, &x->context[i]);
	x->stretch = ++x->now;
}

/* --- calls, jumps and returns that are not plain */

static bool at_entry(const struct pt_execution *x, const struct pt_run *run)
{
	return run->next == x->function[run->next_function].entry;
}

static bool behind_a_call(const struct pt_execution *x, uint64_t address)
{
	for (uint64_t units = 1; units <= 2; units++) {
		const struct pt_code_unit *unit = pt_codemap_at(x->map, address - units * x->map->isa->unit_bytes);

		if (unit != NULL && unit->len_units == units &&
		    (unit->flow == PT_FLOW_CALL || unit->flow == PT_FLOW_INDIRECT_CALL))
			return true;
	}
	return false;
}

/* Unwind to the nearest frame of the function that a jump behind one of its calls goes to. */
static bool long_jump(struct pt_execution *x, const struct pt_run *run)
{
	const struct frame *frame = x->frame + x->function[run->next_function].innermost;

	if (frame == x->frame || frame < x->base || !behind_a_call(x, run->next))
		return false;
	note_error(x, PT_EXECUTION_LONG_JUMP, run);
	forget_to(x, frame);
	return true;
}

static void tail_call(struct pt_execution *x, const struct pt_run *run)
{
	uint64_t resume = x->top->resume;
	uint8_t flags = TAIL, tails = (uint8_t)(x->top->tails + 1);

	if (tails > PT_EXECUTION_TAILS) {	/* a chain of jumps without end: the one that jumps has left */
		flags = x->top->flags & TAIL;
		tails--;
		pop(x, 0);
	}
	enter(x, run->next_function, resume, run->function, flags)->tails = tails;
}

/* A branch into another function. */
static void jump(struct pt_execution *x, const struct pt_run *run)
{
	if (x->top == x->frame || run->next_function == x->top->function)
		return;			/* nothing is known yet; or back from shared code */
	if (run->next == x->top->resume && (x->top->flags & HANDLER) == 0)
		pop_chain(x);	/* "pop {r3}; bx r3" */
	else if (at_entry(x, run))
		tail_call(x, run);
	else
		long_jump(x, run);	/* else shared code */
}

static void unexpected_return(struct pt_execution *x, const struct pt_run *run)
{
	const struct frame *base = x->base, *frame = x->top;

	if (frame->resume == PT_UNKNOWN) {	/* called before the stretch began */
		if (frame > x->frame && frame->function != run->next_function)
			pop_chain(x);
		return;
	}
	while (frame > base && frame->resume != run->next)
		frame--;
	if (frame > base) {
		note_error(x, PT_EXECUTION_SKIPPED_EXIT, run);
		forget_to(x, frame);
		pop_chain(x);
		return;
	}
	for (frame = x->top; frame > base && (frame->flags & TAIL) != 0;)
		frame--;
	if (frame > base && frame[-1].function == run->next_function && !at_entry(x, run)) {
		pop_chain(x);	/* a helper that adjusts its return address */
	} else if (x->top->function != run->next_function) {
		if (at_entry(x, run)) {
			tail_call(x, run);	/* "push {r0}; pop {pc}" */
		} else if (!long_jump(x, run)) {
			note_error(x, PT_EXECUTION_UNMATCHED_RETURN, run);
			forget_to(x, base);
		}
	}
}

/* A run in code that is not the top frame's: the first of a stretch, or shared code. */
static void stray(struct pt_execution *x, const struct pt_run *run, uint64_t ticks)
{
	if (x->top > x->frame)
		x->top->shared += ticks;
	else if (run->instructions > 0 && run->begin == x->function[run->function].entry)
		enter(x, run->function, PT_UNKNOWN, PT_NO_FUNCTION, UNCALLED);
	else if (run->instructions > 0)
		push(x, run->function, PT_UNKNOWN, UNSEEN);
}

/* --- exceptions */

/* Flow put what entering the handler costs into the run before it: it is the handler's. Returns it on the clock. */
static uint64_t entry_time(struct pt_execution *x, const struct pt_run *run, uint32_t entry_cycles)
{
	uint32_t cycles = entry_cycles < run->cycles ? entry_cycles : run->cycles;

	x->function[run->function].cycles -= cycles;
	x->function[run->next_function].cycles += cycles;
	if (x->settings.clock != PT_FLOW_CYCLES)
		return 0;
	if (x->top > x->frame && x->top->function != run->function)
		x->top->shared -= cycles;	/* stray() took it for shared code's time */
	return cycles;
}

static void enter_handler(struct pt_execution *x, const struct pt_run *run, uint64_t resume)
{
	x->base = enter(x, run->next_function, resume, PT_NO_FUNCTION, HANDLER);
}

static void exception(struct pt_execution *x, const struct pt_run *run)
{
	uint64_t cost = entry_time(x, run, x->settings.exception_entry_cycles);

	x->now -= cost;
	enter_handler(x, run, run->end);
	x->now += cost;
}

/* The handler of the current level is left. Returns where it will resume; PT_UNKNOWN: it was entered before the
 * stretch began. */
static uint64_t leave_handler(struct pt_execution *x, const struct pt_run *run)
{
	const struct frame *handler = x->base, *frame = handler + 1;
	uint64_t resume = handler->resume;

	if (handler == x->frame) {
		if (x->top > x->frame)
			pop_chain(x);
		forget_to(x, x->frame);
		return PT_UNKNOWN;
	}
	while (frame <= x->top && (frame->flags & TAIL) != 0)
		frame++;
	if (frame <= x->top) {
		note_error(x, PT_EXECUTION_SKIPPED_EXIT, run);
		forget_to(x, frame - 1);
	}
	while (x->top >= handler)
		pop(x, 0);
	return resume;
}

static struct context *find_context(struct pt_execution *x, uint64_t resume)
{
	for (size_t i = 0; i < PT_EXECUTION_CONTEXTS; i++)
		if (x->context[i].used && x->context[i].resume == resume)
			return &x->context[i];
	return NULL;
}

static struct context *free_context(struct pt_execution *x)	/* while the stack is empty */
{
	struct context *oldest = &x->context[0];

	for (size_t i = 0; i < PT_EXECUTION_CONTEXTS; i++) {
		if (!x->context[i].used)
			return &x->context[i];
		if (x->context[i].parked < oldest->parked)
			oldest = &x->context[i];
	}
	x->errors.n[PT_EXECUTION_TOO_DEEP]++;
	forget_context(x, oldest);
	return oldest;
}

static void park_in(struct pt_execution *x, struct context *context, uint64_t resume, const struct frame *frames,
		    size_t n_frames)
{
	memcpy(context->frame, frames, n_frames * sizeof(*frames));
	context->n_frames = n_frames;
	context->used = true;
	context->resume = resume;
	context->parked = x->now;
}

/* Take the whole stack away until an exception returns to resume. Returns with an empty stack. */
static void park(struct pt_execution *x, uint64_t resume)
{
	size_t n_frames = (size_t)(x->top - x->frame);
	struct context *context = find_context(x, resume);
	bool ambiguous = context != NULL;
	struct frame kept[PT_EXECUTION_CONTEXT_DEPTH];

	if (n_frames > PT_EXECUTION_CONTEXT_DEPTH)
		x->errors.n[PT_EXECUTION_TOO_DEEP]++;
	if (ambiguous || n_frames > PT_EXECUTION_CONTEXT_DEPTH) {
		forget_to(x, x->frame);
		n_frames = 0;
	}
	for (; x->top > x->frame; x->top--)
		x->function[x->top->function].innermost = x->top->outer;
	memcpy(kept, x->frame + 1, n_frames * sizeof(*kept));
	if (ambiguous)
		forget_context(x, context);
	else
		context = free_context(x);
	park_in(x, context, resume, kept, n_frames);
	context->ambiguous = ambiguous;
}

/* An exception returned elsewhere than where it had interrupted. */
static void switch_context(struct pt_execution *x, const struct pt_run *run, uint64_t resume)
{
	struct context *context = find_context(x, run->next);
	const struct frame *frame = x->base;

	if (context == NULL && run->next - resume <= 4)
		return;			/* a fault handler that skips the instruction */
	if (x->base == x->frame) {
		park(x, resume);
		context = find_context(x, run->next);	/* parking may have cost it its slot */
		if (context != NULL)
			take_up(x, context);
		return;
	}
	note_error(x, PT_EXECUTION_UNMATCHED_EXCEPTION, run);
	while (frame > x->frame && ((frame->flags & HANDLER) == 0 || frame->resume != run->next))
		frame--;
	forget_to(x, frame > x->frame ? frame - 1 : frame);	/* several levels were left at once */
}

static void exception_return(struct pt_execution *x, const struct pt_run *run)
{
	uint64_t resume = leave_handler(x, run);

	if (resume != run->next && resume != PT_UNKNOWN)
		switch_context(x, run, resume);
}

static void tail_chain(struct pt_execution *x, const struct pt_run *run)
{
	uint64_t cost = entry_time(x, run, x->settings.tail_chain_cycles);

	x->now -= cost;
	enter_handler(x, run, leave_handler(x, run));
	x->now += cost;
}

/* --- the hot path */

static inline void departure(struct pt_execution *x, const struct pt_run *run)
{
	switch (run->left) {
	case PT_LEFT_BRANCH:
		if (unlikely(run->next_function != run->function))
			jump(x, run);
		break;
	case PT_LEFT_CALL:		/* "bl" to a label of the same function only jumps */
		if (run->next_function != run->function || at_entry(x, run))
			enter(x, run->next_function, run->end, run->function, 0);
		break;
	case PT_LEFT_RETURN:
		if (unlikely(run->next != x->top->resume))
			unexpected_return(x, run);
		else
			pop_chain(x);
		break;
	case PT_LEFT_EXCEPTION:
		exception(x, run);
		break;
	case PT_LEFT_EXCEPTION_RETURN:
		exception_return(x, run);
		break;
	case PT_LEFT_TAIL_CHAIN:
		tail_chain(x, run);
		break;
	case PT_LEFT_DEBUG:
		if (run->next != run->end)
			forget_all(x);
		break;
	default:
		forget_all(x);
		break;
	}
}

static inline void feed(struct pt_execution *x, const struct pt_run *run, size_t n_runs, bool by_cycles)
{
	for (const struct pt_run *end = run + n_runs; run < end; run++) {
		struct function *f = &x->function[run->function];
		uint32_t ticks = by_cycles ? run->cycles : run->instructions;

		f->instructions += run->instructions;
		f->cycles += run->cycles;
		if (unlikely(run->function != x->top->function))
			stray(x, run, ticks);
		x->now += ticks;
		departure(x, run);
	}
}

void pt_execution_feed(struct pt_execution *x, const struct pt_run *run, size_t n_runs)
{
	if (x->settings.clock == PT_FLOW_CYCLES)
		feed(x, run, n_runs, true);
	else
		feed(x, run, n_runs, false);
}

void pt_execution_anchor(struct pt_execution *x, uint64_t ns, double hz)
{
	x->anchor_ns = ns;
	x->anchor = x->now;
	x->ns_per_tick = hz > 0 ? 1e9 / hz : 0;
}

/* --- results */

static void add_unhooked(struct pt_stat *stat, uint64_t value, uint64_t at)	/* a copy: its histogram is not its own */
{
	struct pt_hist *hist = stat->hist;

	stat->hist = NULL;
	if (value != PT_UNKNOWN)
		pt_stat_add(stat, value, at);
	stat->hist = hist;
}

/* What is open counts as partial, in the rows only. frames are a copy. */
static void add_open(struct pt_execution *x, struct frame *frames, size_t n_frames, uint64_t now)
{
	struct frame nobody = { 0 };
	size_t base = n_frames;		/* index + 1 of the handler whose level frames[i - 1] is on; 0: the floor */

	for (size_t i = n_frames; i > 0; i--) {
		struct frame *frame = &frames[i - 1];
		struct pt_invocation v = end_frame(x, frame, i > 1 ? frame - 1 : &nobody, now, PT_INVOCATION_PARTIAL);
		struct pt_execution_function *row = &x->rows[frame->function];

		while (base > i || (base > 0 && (frames[base - 1].flags & HANDLER) == 0))
			base--;
		row->partial++;
		row->exceptions += (frame->flags & HANDLER) != 0;
		row->gross_total += frame->outer < base || frame->outer == 0 ? v.gross : 0;
		add_unhooked(&row->stat[PT_TALLY_PERIOD], v.period, v.at);
		add_unhooked(&row->stat[PT_TALLY_INACTIVE], v.inactive, v.at);
		if ((v.how & PT_INVOCATION_UNCALLED) == 0)
			x->edges[x->result.n_edges++] = (struct pt_edge){ v.caller, frame->function, 1, v.gross };
	}
}

static void add_all_open(struct pt_execution *x)
{
	static_assert(sizeof(struct frame) == 64, "a frame fills a cache line");
	size_t n_frames = (size_t)(x->top - x->frame);

	memcpy(x->scratch, x->frame + 1, n_frames * sizeof(*x->scratch));
	add_open(x, x->scratch, n_frames, x->now);
	for (size_t i = 0; i < PT_EXECUTION_CONTEXTS; i++) {
		const struct context *context = &x->context[i];

		memcpy(x->scratch, context->frame, context->n_frames * sizeof(*x->scratch));
		add_open(x, x->scratch, context->n_frames, context->parked);
	}
}

static void add_settled(struct pt_execution *x)
{
	for (size_t f = 0; f < x->n_functions; f++) {
		const struct pt_tally_function *settled = pt_tally_function(x->tally, (uint16_t)f);
		struct pt_execution_function *row = &x->rows[f];

		*row = (struct pt_execution_function){
			.count = x->function[f].count, .partial = settled->partial,
			.instructions = x->function[f].instructions, .cycles = x->function[f].cycles,
			.gross_total = settled->gross_total, .exceptions = settled->exceptions,
		};
		memcpy(row->stat, settled->stat, sizeof(row->stat));
		x->result.instructions += row->instructions;
		x->result.cycles += row->cycles;
	}
}

const struct pt_execution_result *pt_execution_result(struct pt_execution *x)
{
	pt_tally_settle(x->tally);
	x->result = (struct pt_execution_result){
		.function = x->rows, .n_functions = x->n_functions, .edge = x->edges,
		.n_edges = pt_tally_edges(x->tally, x->edges), .edges_lost = pt_tally_edges_lost(x->tally),
		.errors = x->errors,
	};
	add_settled(x);
	add_all_open(x);
	x->result.n_edges = pt_edges_merge(x->edges, x->result.n_edges);
	return &x->result;
}

/* --- life */

struct pt_execution *pt_execution_new(const struct pt_function *functions, size_t n_functions,
				      const struct pt_codemap *map, const struct pt_flow_settings *settings)
{
	struct pt_execution *x = calloc(1, sizeof(*x));

	if (x == NULL)
		return NULL;
	x->map = map;
	x->settings = *settings;
	x->now = x->stretch = 1;
	x->n_functions = n_functions < FLOOR ? n_functions + 1 : FLOOR;
	x->top = x->base = x->frame;
	x->frame[0] = (struct frame){ .resume = PT_UNKNOWN, .function = FLOOR };
	x->errors.address = x->errors.at = PT_UNKNOWN;
	x->function = aligned_alloc(64, x->n_functions * sizeof(*x->function));
	x->rows = calloc(x->n_functions, sizeof(*x->rows));
	x->edges = calloc(PT_TALLY_EDGES + PT_EXECUTION_DEPTH + PT_EXECUTION_CONTEXTS * PT_EXECUTION_CONTEXT_DEPTH,
			  sizeof(*x->edges));
	x->tally = pt_tally_new(x->n_functions);
	if (x->function == NULL || x->rows == NULL || x->edges == NULL || x->tally == NULL) {
		pt_execution_free(x);
		return NULL;
	}
	memset(x->function, 0, x->n_functions * sizeof(*x->function));
	for (size_t f = 0; f < x->n_functions; f++)
		x->function[f].entry = f == PT_NO_FUNCTION ? PT_UNKNOWN : functions[f - 1].address;
	return x;
}

void pt_execution_free(struct pt_execution *x)
{
	if (x == NULL)
		return;
	free(x->function);
	free(x->rows);
	free(x->edges);
	pt_tally_free(x->tally);
	free(x);
}
