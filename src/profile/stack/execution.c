/* From runs to the shadow stack, the steps, and the results. Runs that jump inside their function cost two sums;
 * a first pass picks out those that may change the stack. Where no analysis wants runs or steps, plain.c makes the
 * statistics without runs. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "profile/stack/stack.h"

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

void pt_stack_give_steps(struct pt_execution *x)
{
	if (x->steps.n_steps > 0)
		x->sink.take(x->sink.arg, x->steps.step, x->steps.n_steps);
	x->steps.n_steps = 0;
}

struct pt_timestamp pt_stack_moment(const struct pt_execution *x, uint64_t clock)
{
	uint64_t ticks = clock > x->anchor ? clock - x->anchor : 0;

	return (struct pt_timestamp){
		.ns = x->anchor_ns + (uint64_t)((double)ticks * x->ns_per_tick),
		.error_ns = x->ns_per_tick > 0 ? 0 : PT_NO_BOUND_NS,
	};
}

static struct pt_call_event *step_at(struct pt_execution *x, enum pt_call_event_kind kind, uint16_t function,
				     uint64_t clock)
{
	const struct context *context = &x->context[x->stack];
	struct pt_call_event *step;

	if (x->steps.n_steps == PT_BATCH_CALL_EVENTS)
		pt_stack_give_steps(x);
	step = &x->steps.step[x->steps.n_steps++];
	*step = (struct pt_call_event){
		.clock = clock - x->skipped, .at = pt_stack_moment(x, clock), .period = PT_UNKNOWN, .site = PT_UNKNOWN,
		.function = function, .stack = x->stack, .task = context->task, .told = context->told,
		.core = x->core, .kind = (uint8_t)kind,
	};
	if (kind != PT_CALL_SWITCH && step->at.error_ns < PT_NO_BOUND_NS)
		step->at.error_ns += x->anchor_error_ns;
	return step;
}

/* The time in code that is not the top frame's becomes a step when the frame or the stack changes. */
void pt_stack_tell_stray(struct pt_execution *x)
{
	if (x->stray_ticks > 0)
		step_at(x, PT_CALL_ELSEWHERE, x->stray_function, x->stray_until)->net = x->stray_ticks;
	x->stray_ticks = 0;
}

static struct pt_call_event *step(struct pt_execution *x, enum pt_call_event_kind kind, uint16_t function)
{
	pt_stack_tell_stray(x);
	return step_at(x, kind, function, x->now);
}

static enum pt_call_entry entry_of(const struct frame *frame)
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
	struct pt_call_event *s = step(x, PT_CALL_ENTER, frame->function);

	s->entry = (uint8_t)entry_of(frame);
	s->caller = frame->caller;
	s->site = frame->resume;
	s->period = period;
}

void pt_stack_left(struct pt_execution *x, const struct frame *frame, const struct pt_invocation *v)
{
	struct pt_call_event *s = step(x, PT_CALL_LEAVE, frame->function);

	s->entry = (uint8_t)entry_of(frame);
	s->caller = frame->caller;
	s->net = v->net;
	s->gross = v->gross;
	s->call = v->call;
	s->partial = (v->how & PT_INVOCATION_PARTIAL) != 0;
}

void pt_stack_switched(struct pt_execution *x, const struct pt_timestamp *at)
{
	struct pt_call_event *s = step(x, PT_CALL_SWITCH, PT_NO_FUNCTION);

	if (at != NULL)
		s->at = *at;
}

void pt_stack_switched_inside(struct pt_execution *x)
{
	step(x, PT_CALL_SWITCH, PT_NO_FUNCTION)->called = 1;
}

void pt_stack_forgot(struct pt_execution *x)
{
	step(x, PT_CALL_FORGET, PT_NO_FUNCTION);
}

/* --- runs */

/* A run that may change the stack, and the sums up to its end. */
struct departure {
	uint64_t instructions, cycles;
	size_t run;
};

enum { PIECE = PT_BATCH_RUNS };

/* Most runs jump inside their function. Finding the others takes no branch that depends on the program: that is what
 * makes it worth a pass of its own. out has room for n_runs + 1; the one behind the last has all the sums. */
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
	out[n] = (struct departure){ instructions, cycles, n_runs };
	return n;
}

INLINE bool plain(struct pt_execution *x, struct hot *h, const struct pt_run *run, enum tell tell)
{
	bool histograms = x->tally.hist != NULL;

	if (run->left == PT_LEFT_CALL)
		return stack_call(x, h, (struct call){ run->end, run->function, run->next_function },
				  histograms, tell);
	return run->left == PT_LEFT_RETURN && stack_return(x, h, run->next, histograms, tell);
}

/* Between two departures all runs are in the function of the first. Returns how many were taken: of the one behind them the
 * time was, too. */
INLINE size_t feed(struct pt_execution *x, const struct pt_run *run, size_t n_runs, enum tell tell)
{
	struct departure departure[PIECE + 1], before = { 0 };
	size_t n = find_departures(run, n_runs, departure), first = 0;
	uint64_t most = departure[n].instructions + departure[n].cycles;
	struct hot h = stack_take(x, most);

	for (size_t i = 0; first < n_runs; i++) {
		const struct departure *d = &departure[i];

		stack_pass(x, &h, run[first].function, run[first].begin,
			   spent_of(x, d->instructions - before.instructions, d->cycles - before.cycles), most);
		if (i == n)
			break;
		before = *d;
		first = d->run + 1;
		if (unlikely(!plain(x, &h, &run[d->run], tell))) {
			stack_put(x, &h);
			x->ahead = &run[d->run + 1];
			x->n_ahead = n_runs - d->run - 1 + x->n_beyond;
			if (pt_stack_undecided(x, &run[d->run]))
				return d->run;
			pt_stack_odd(x, &run[d->run]);
			x->n_ahead = 0;
			h = stack_take(x, most);
		}
	}
	stack_put(x, &h);
	return n_runs;
}

/* Apart from each other, so that steps do not take registers from who does not want them. */
static __attribute__((noinline)) size_t feed_only(struct pt_execution *x, const struct pt_run *run, size_t n_runs)
{
	return feed(x, run, n_runs, TELL_NOBODY);
}

static __attribute__((noinline)) size_t feed_and_tell(struct pt_execution *x, const struct pt_run *run, size_t n_runs)
{
	size_t taken = feed(x, run, n_runs, TELL_STEPS);

	pt_stack_tell_stray(x);
	return taken;
}

static size_t feed_decided(struct pt_execution *x, const struct pt_run *run, size_t n_runs, size_t n_beyond)
{
	size_t taken = 0;

	for (size_t n, some; taken < n_runs; taken += some) {
		n = n_runs - taken < PIECE ? n_runs - taken : PIECE;
		x->n_beyond = n_runs - taken - n + n_beyond;
		some = stepping(x) ? feed_and_tell(x, run + taken, n) : feed_only(x, run + taken, n);
		if (some < n)
			return taken + some;
	}
	return taken;
}

void pt_execution_feed(struct pt_execution *x, const struct pt_run *run, size_t n_runs)
{
	size_t taken = 0;

	if (unlikely(x->n_due > 0) && n_runs > 0)
		pt_stack_due(x, run);
	if (likely(!pt_held_any(x)))
		taken = feed_decided(x, run, n_runs, 0);
	if (unlikely(taken < n_runs))
		pt_held_runs(x, run + taken, n_runs - taken);
	pt_stack_give_steps(x);
}

void pt_execution_steps(struct pt_execution *x, const struct pt_call_sink *sink, uint16_t core)
{
	x->sink = *sink;
	x->core = core;
	x->stray_ticks = 0;
}

void pt_execution_anchor(struct pt_execution *x, uint64_t ns, double hz)
{
	if (pt_held_any(x)) {
		pt_held_anchor(x, ns, hz);
		return;
	}
	x->anchor = x->now;
	x->anchor_ns = ns;
	x->ns_per_tick = hz > 0 ? 1e9 / hz : 0;
	pt_tally_anchor(&x->tally, x->now, ns, x->ns_per_tick);
}

void pt_execution_anchor_error(struct pt_execution *x, uint64_t error_ns)
{
	if (pt_held_any(x)) {
		pt_held_anchor_error(x, error_ns);
		return;
	}
	x->anchor_error_ns = error_ns < PT_NO_BOUND_NS ? error_ns : PT_NO_BOUND_NS;
}

/* --- results */

static void add_time(const struct pt_execution *x, struct pt_execution_function *row, uint64_t ticks, uint64_t second)
{
	row->cycles += x->by_cycles ? ticks : second;
	row->instructions += x->by_cycles ? second : ticks;
}

/* As in odd_departures.c, of a copy; level: of frames[i], its handler's index + 1. */
static bool call_is_inside_one_like_it(const struct pt_execution *x, const struct frame *frames, size_t i, size_t level)
{
	for (const struct frame *f = frames[i].outer; f != NULL && f >= x->frame + level;) {
		const struct frame *copy = &frames[f - x->frame - 1];

		if (copy->caller == frames[i].caller && (copy->flags & (UNSEEN | UNCALLED | HANDLER)) == 0)
			return true;
		f = copy->outer;
	}
	return false;
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
		pt_stat_add_unended(&row->stat[PT_TALLY_NET], v.net, 0);
		pt_stat_add_unended(&row->stat[PT_TALLY_GROSS], v.gross, 0);
		pt_stat_add_unended(&row->stat[PT_TALLY_CALL], v.call, 0);
		row->gross_total += frame->outer == NULL || frame->outer < x->frame + base ? v.gross : 0;
		add_time(x, row, v.net, frame->second);
		if ((v.how & PT_INVOCATION_UNCALLED) == 0)
			x->edges[x->result.n_edges++] = (struct pt_edge){
				.from = frame->caller, .to = frame->function, .count = 1,
				.gross = call_is_inside_one_like_it(x, frames, i - 1, base) ? 0 : v.gross,
			};
	}
}

static void add_all_open(struct pt_execution *x)
{
	size_t n_frames = (size_t)(x->top - x->frame);

	memcpy(x->scratch, x->frame + 1, n_frames * sizeof(*x->scratch));
	add_open(x, x->scratch, n_frames, x->now);
	for (size_t i = 0; i < x->n_contexts; i++) {
		const struct context *context = &x->context[i];

		memcpy(x->scratch, x->kept[i], context->n_frames * sizeof(*x->scratch));
		add_open(x, x->scratch, context->n_frames, context->parked);
	}
}

static void add_ended(struct pt_execution *x)
{
	for (size_t f = 0; f < x->n_functions; f++) {
		const struct pt_tally_function *function = &x->tally.function[f];
		const struct pt_tally_rest *rest = &x->tally.rest[f];
		struct pt_execution_function *row = &x->rows[f];

		*row = (struct pt_execution_function){
			.count = pt_tally_count(&x->tally, (uint16_t)f), .partial = rest->partial,
			.exceptions = rest->exceptions,
			.gross_total = function->window[PT_WINDOW_GROSS].total + rest->gross,
		};
		add_time(x, row, function->window[PT_WINDOW_NET].total + rest->net, function->second);
		for (size_t k = 0; k < PT_N_TALLY_KINDS; k++)
			row->stat[k] = pt_tally_stat(&x->tally, (uint16_t)f, (enum pt_tally_kind)k);
		for (enum pt_tally_kind k = PT_TALLY_PERIOD; k < PT_N_TALLY_KINDS; k++)
			pt_stat_add_unended(&row->stat[k], stack_waited(x, f, k), 0);
	}
}

static void add_up(struct pt_execution *x)
{
	for (size_t f = 0; f < x->n_functions; f++) {
		x->result.instructions += x->rows[f].instructions;
		x->result.cycles += x->rows[f].cycles;
	}
}

/* Of a result: those that have a site, those that have none, and calls that are open. */
static size_t most_edges(const struct pt_execution *x)
{
	return x->map->n_sites + PT_TALLY_EDGES + PT_EXECUTION_DEPTH +
	       (size_t)PT_CALL_STACKS * PT_EXECUTION_CONTEXT_DEPTH;
}

void pt_execution_clock(struct pt_execution *x)
{
	pt_held_decide(x);
	if (!stepping(x))
		return;
	step(x, PT_CALL_CLOCK, PT_NO_FUNCTION);
	pt_stack_give_steps(x);
}

const struct pt_execution_result *pt_execution_result(struct pt_execution *x)
{
	pt_execution_clock(x);
	pt_tally_settle(&x->tally);
	pt_big_touch(x->edges, most_edges(x) * sizeof(*x->edges));
	x->result = (struct pt_execution_result){
		.function = x->rows, .n_functions = x->n_functions, .edge = x->edges,
		.n_edges = pt_tally_edges(&x->tally, x->edges), .edges_lost = pt_tally_edges_lost(&x->tally),
		.errors = x->errors,
	};
	add_ended(x);
	add_all_open(x);
	add_up(x);
	x->result.n_edges = pt_edges_merge(x->edges, x->result.n_edges);
	return &x->result;
}

/* --- life */

static const struct pt_held_ways ways = { feed_decided, pt_execution_anchor, pt_execution_anchor_error };

struct pt_execution *pt_execution_new(const struct pt_function *functions, size_t n_functions,
				      const struct pt_codemap *map, const struct pt_flow_settings *settings)
{
	struct pt_execution *x = pt_big_alloc(1, sizeof(*x));	/* frames are whole cache lines */

	x->map = map;
	x->held = pt_held_new(&ways);
	x->settings = *settings;
	x->by_cycles = settings->clock == PT_FLOW_CYCLES;
	x->now = x->stretch = x->skipped = 1;
	x->n_functions = n_functions < FLOOR ? n_functions + 1 : FLOOR;
	x->top = x->base = x->frame;
	x->frame[0] = (struct frame){ .resume = PT_UNKNOWN, .function = FLOOR };
	x->errors.address = x->errors.at = PT_UNKNOWN;
	x->context[0] = (struct context){ .state = RUNS, .task = PT_NO_TASK };
	x->n_contexts = 1;
	x->entry = pt_alloc_array(x->n_functions, sizeof(*x->entry));
	x->innermost = pt_alloc_array(x->n_functions, sizeof(*x->innermost));
	/* these two are made anew for each result */
	x->rows = pt_realloc_array(NULL, x->n_functions, sizeof(*x->rows));
	x->edges = pt_big_alloc(most_edges(x), sizeof(*x->edges));
	x->kept = pt_big_alloc(PT_CALL_STACKS, sizeof(*x->kept));
	pt_tally_init(&x->tally, x->n_functions, settings->histograms);
	for (size_t f = 0; f < x->n_functions; f++)
		x->entry[f] = f == PT_NO_FUNCTION ? PT_UNKNOWN : functions[f - 1].address;
	return x;
}

void pt_execution_free(struct pt_execution *x)
{
	if (x == NULL)
		return;
	free(x->held);
	free(x->entry);
	free(x->innermost);
	free(x->rows);
	pt_big_free(x->edges, most_edges(x) * sizeof(*x->edges));
	pt_big_free(x->kept, PT_CALL_STACKS * sizeof(*x->kept));
	pt_tally_fini(&x->tally);
	pt_big_free(x, sizeof(*x));
}
