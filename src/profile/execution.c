/* The hot path and the results. A run costs two sums and no branch that depends on the program; a plain call writes one
 * frame and touches one cache line of the called function; a plain return reads both again and writes one note.
 * Everything else is in odd.c, behind one call. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bigmem.h"
#include "profile/stack.h"

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

/* --- steps */

static void give_steps(struct pt_execution *x)
{
	if (x->steps.n_steps > 0)
		x->sink.take(x->sink.arg, x->steps.step, x->steps.n_steps);
	x->steps.n_steps = 0;
}

struct pt_moment pt_stack_moment(const struct pt_execution *x, uint64_t clock)
{
	uint64_t ticks = clock > x->anchor ? clock - x->anchor : 0;

	return (struct pt_moment){
		.ns = x->anchor_ns + (uint64_t)((double)ticks * x->ns_per_tick),
		.error_ns = x->ns_per_tick > 0 ? 0 : PT_NO_BOUND_NS,
	};
}

static struct pt_step *step_at(struct pt_execution *x, enum pt_step_kind kind, uint16_t function, uint64_t clock)
{
	const struct context *context = &x->context[x->stack];
	struct pt_step *step;

	if (x->steps.n_steps == PT_BATCH_STEPS)
		give_steps(x);
	step = &x->steps.step[x->steps.n_steps++];
	*step = (struct pt_step){
		.clock = clock - x->skipped, .at = pt_stack_moment(x, clock), .period = PT_UNKNOWN, .site = PT_UNKNOWN,
		.function = function, .stack = x->stack, .task = context->task, .told = context->told,
		.core = x->core, .kind = (uint8_t)kind,
	};
	return step;
}

/* The time in code that is not the top frame's becomes a step when the frame or the stack changes. */
void pt_stack_tell_stray(struct pt_execution *x)
{
	if (x->stray_ticks > 0)
		step_at(x, PT_STEP_ELSEWHERE, x->stray_function, x->stray_until)->net = x->stray_ticks;
	x->stray_ticks = 0;
}

static struct pt_step *step(struct pt_execution *x, enum pt_step_kind kind, uint16_t function)
{
	pt_stack_tell_stray(x);
	return step_at(x, kind, function, x->now);
}

static enum pt_step_entry entry_of(const struct frame *frame)
{
	if ((frame->flags & UNSEEN) != 0)
		return PT_ENTRY_UNSEEN;
	if ((frame->flags & UNCALLED) != 0)
		return PT_ENTRY_UNCALLED;
	if ((frame->flags & HANDLER) != 0)
		return PT_ENTRY_EXCEPTION;
	return (frame->flags & TAIL) != 0 ? PT_ENTRY_TAIL : PT_ENTRY_CALL;
}

void pt_stack_entered(struct pt_execution *x, const struct frame *frame, uint64_t period)
{
	struct pt_step *s = step(x, PT_STEP_ENTER, frame->function);

	s->entry = (uint8_t)entry_of(frame);
	s->caller = frame->caller;
	s->site = frame->resume;
	s->period = period;
}

void pt_stack_left(struct pt_execution *x, const struct frame *frame, const struct pt_invocation *v)
{
	struct pt_step *s = step(x, PT_STEP_LEAVE, frame->function);

	s->entry = (uint8_t)entry_of(frame);
	s->caller = frame->caller;
	s->net = v->net;
	s->gross = v->gross;
	s->call = v->call;
	s->partial = (v->how & PT_INVOCATION_PARTIAL) != 0;
}

void pt_stack_switched(struct pt_execution *x, const struct pt_moment *at)
{
	struct pt_step *s = step(x, PT_STEP_SWITCH, PT_NO_FUNCTION);

	if (at != NULL)
		s->at = *at;
}

void pt_stack_forgot(struct pt_execution *x)
{
	step(x, PT_STEP_FORGET, PT_NO_FUNCTION);
}

/* --- the hot path */

/* A call of another function, with all intervals known or known to be unknown. False: leave it to odd.c. */
static inline bool plain_call(struct pt_execution *x, const struct pt_run *run, uint64_t now, bool tell)
{
	struct function *f = &x->function[run->next_function];
	uint64_t period = now - f->entered, inactive = now - f->left;
	struct frame *frame = x->top + 1;

	if (unlikely(run->next_function == run->function || f->entered < x->stretch || f->left < x->stretch ||
		     (period | inactive) >= PT_NOTE_UNKNOWN || full(x)))
		return false;
	*frame = (struct frame){
		.resume = run->end, .from = now, .period = (uint32_t)period,
		.inactive = f->innermost == 0 ? (uint32_t)inactive : PT_NOTE_UNKNOWN,
		.function = run->next_function, .caller = run->function, .outer = (uint16_t)f->innermost,
	};
	f->innermost = (uint32_t)(frame - x->frame);
	f->entered = now;
	f->count++;
	x->top = frame;
	if (tell)
		pt_stack_entered(x, frame, period);
	return true;
}

/* A return to where the top frame, entered by a plain call, waits for it. */
static inline bool plain_return(struct pt_execution *x, const struct pt_run *run, uint64_t now, bool tell)
{
	struct frame *frame = x->top, *below = frame - 1;
	struct function *f = &x->function[frame->function];
	uint64_t call = now - frame->from, gross = call - frame->preempted;
	struct pt_note note = {
		.net = (uint32_t)(gross - frame->others), .gross = (uint32_t)gross, .call = (uint32_t)call,
		.period = frame->period, .inactive = frame->inactive, .caller = frame->caller, .from = frame->from,
	};

	if (unlikely(run->next != frame->resume || frame->flags != 0 || call >= PT_NOTE_UNKNOWN ||
		     frame->period == PT_NOTE_UNKNOWN))
		return false;
	below->others += gross;
	below->preempted += frame->preempted;
	f->left = now;
	f->innermost = frame->outer;
	f->gross += x->frame + frame->outer < x->base || frame->outer == 0 ? gross : 0;
	x->top = below;
	pt_tally_note(x->tally, frame->function, &note);
	if (tell)
		pt_stack_left(x, frame, &(struct pt_invocation){ .net = note.net, .gross = gross, .call = call });
	return true;
}

static inline bool plain(struct pt_execution *x, const struct pt_run *run, uint64_t now, bool tell)
{
	if (run->left == PT_LEFT_CALL)
		return plain_call(x, run, now, tell);
	return run->left == PT_LEFT_RETURN && plain_return(x, run, now, tell);
}

/* A run that may change the stack, and the sums up to its end. */
struct departure {
	uint64_t instructions, cycles;
	size_t run;
};

enum { PIECE = PT_BATCH_RUNS };

/* Most runs jump inside their function. Finding the others takes no branch that depends on the program: that is what
 * makes it worth a pass of its own. out has room for n_runs + 1. */
static size_t find_departures(const struct pt_run *run, size_t n_runs, struct departure *out)
{
	uint64_t instructions = 0, cycles = 0;
	size_t n = 0;

	for (size_t i = 0; i < n_runs; i++) {
		instructions += run[i].instructions;
		cycles += run[i].cycles;
		out[n] = (struct departure){ instructions, cycles, i };
		n += (run[i].left != PT_LEFT_BRANCH) | (run[i].function != run[i].next_function);
	}
	return n;
}

/* What ran since the departure before, all of it in the function of first: its time, and a place on the stack. */
static inline void charge(struct pt_execution *x, const struct pt_run *first, const struct departure *from,
			  const struct departure *to, bool by_cycles)
{
	uint64_t instructions = to->instructions - from->instructions, cycles = to->cycles - from->cycles;
	struct function *f = &x->function[first->function];
	uint64_t ticks = by_cycles ? cycles : instructions;

	f->instructions += instructions;
	f->cycles += cycles;
	if (unlikely(first->function != x->top->function) && instructions > 0)
		pt_stack_stray(x, first, ticks);
	x->now += ticks;
}

static inline void feed(struct pt_execution *x, const struct pt_run *run, size_t n_runs, bool by_cycles, bool tell)
{
	struct departure departure[PIECE + 1], before = { 0 };
	size_t n = find_departures(run, n_runs, departure), first = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pt_run *last = &run[departure[i].run];

		charge(x, &run[first], &before, &departure[i], by_cycles);
		before = departure[i];
		first = before.run + 1;
		if (unlikely(!plain(x, last, x->now, tell)))
			pt_stack_odd(x, last);
	}
	if (first < n_runs)		/* the sums at the end stand behind the last departure */
		charge(x, &run[first], &before, &departure[n], by_cycles);
}

/* Apart from the rest, so that steps do not take registers from who does not want them. */
static __attribute__((noinline)) void feed_and_tell(struct pt_execution *x, const struct pt_run *run, size_t n_runs)
{
	feed(x, run, n_runs, x->settings.clock == PT_FLOW_CYCLES, true);
	pt_stack_tell_stray(x);
}

void pt_execution_feed(struct pt_execution *x, const struct pt_run *run, size_t n_runs)
{
	bool by_cycles = x->settings.clock == PT_FLOW_CYCLES;

	if (unlikely(x->n_due > 0) && n_runs > 0)
		pt_stack_due(x, run);
	for (size_t n; n_runs > 0; run += n, n_runs -= n) {
		n = n_runs < PIECE ? n_runs : PIECE;
		if (stepping(x))
			feed_and_tell(x, run, n);
		else if (by_cycles)
			feed(x, run, n, true, false);
		else
			feed(x, run, n, false, false);
	}
	give_steps(x);
}

void pt_execution_steps(struct pt_execution *x, const struct pt_step_sink *sink, uint16_t core)
{
	x->sink = *sink;
	x->core = core;
	x->stray_ticks = 0;
}

void pt_execution_anchor(struct pt_execution *x, uint64_t ns, double hz)
{
	x->anchor = x->now;
	x->anchor_ns = ns;
	x->ns_per_tick = hz > 0 ? 1e9 / hz : 0;
	pt_tally_anchor(x->tally, x->now, ns, x->ns_per_tick);
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
		struct pt_invocation v = pt_stack_end(frame, i > 1 ? frame - 1 : &nobody, now, PT_INVOCATION_PARTIAL);
		struct pt_execution_function *row = &x->rows[frame->function];

		while (base > i || (base > 0 && (frames[base - 1].flags & HANDLER) == 0))
			base--;
		row->partial++;
		row->gross_total += frame->outer < base || frame->outer == 0 ? v.gross : 0;
		add_unhooked(&row->stat[PT_TALLY_PERIOD], v.period, pt_tally_stamp(x->tally, v.from));
		add_unhooked(&row->stat[PT_TALLY_INACTIVE], v.inactive, pt_tally_stamp(x->tally, v.from));
		if ((v.how & PT_INVOCATION_UNCALLED) == 0)
			x->edges[x->result.n_edges++] = (struct pt_edge){ v.caller, frame->function, 1, v.gross };
	}
}

static void add_all_open(struct pt_execution *x)
{
	static_assert(sizeof(struct frame) == 48, "a frame is three vectors");
	size_t n_frames = (size_t)(x->top - x->frame);

	memcpy(x->scratch, x->frame + 1, n_frames * sizeof(*x->scratch));
	add_open(x, x->scratch, n_frames, x->now);
	for (size_t i = 0; i < x->n_contexts; i++) {
		const struct context *context = &x->context[i];

		memcpy(x->scratch, x->kept[i], context->n_frames * sizeof(*x->scratch));
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
			.gross_total = x->function[f].gross, .exceptions = x->function[f].exceptions,
		};
		memcpy(row->stat, settled->stat, sizeof(row->stat));
		x->result.instructions += row->instructions;
		x->result.cycles += row->cycles;
	}
}

const struct pt_execution_result *pt_execution_result(struct pt_execution *x)
{
	if (stepping(x)) {
		step(x, PT_STEP_CLOCK, PT_NO_FUNCTION);
		give_steps(x);
	}
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
	x->now = x->stretch = x->skipped = 1;
	x->n_functions = n_functions < FLOOR ? n_functions + 1 : FLOOR;
	x->top = x->base = x->frame;
	x->frame[0] = (struct frame){ .resume = PT_UNKNOWN, .function = FLOOR };
	x->errors.address = x->errors.at = PT_UNKNOWN;
	x->context[0] = (struct context){ .state = RUNS, .task = PT_NO_TASK };
	x->n_contexts = 1;
	x->function = pt_big_calloc(x->n_functions, sizeof(*x->function));
	x->rows = calloc(x->n_functions, sizeof(*x->rows));
	x->edges = calloc(PT_TALLY_EDGES + PT_EXECUTION_DEPTH + PT_STEP_STACKS * PT_EXECUTION_CONTEXT_DEPTH,
			  sizeof(*x->edges));
	x->kept = pt_big_calloc(PT_STEP_STACKS, sizeof(*x->kept));
	x->tally = pt_tally_new(x->n_functions);
	if (x->function == NULL || x->rows == NULL || x->edges == NULL || x->kept == NULL || x->tally == NULL) {
		pt_execution_free(x);
		return NULL;
	}
	for (size_t f = 0; f < x->n_functions; f++)
		x->function[f].entry = f == PT_NO_FUNCTION ? PT_UNKNOWN : functions[f - 1].address;
	return x;
}

void pt_execution_free(struct pt_execution *x)
{
	if (x == NULL)
		return;
	pt_big_free(x->function, x->n_functions * sizeof(*x->function));
	free(x->rows);
	free(x->edges);
	pt_big_free(x->kept, PT_STEP_STACKS * sizeof(*x->kept));
	pt_tally_free(x->tally);
	free(x);
}
