/* Entry/exit analysis: only the first instruction and the exits of chosen functions, and the two ends of named spans,
 * are events. They are points in the code; a prefix sum says which of them a run passed, and of most runs that it
 * passed none.
 *
 * An entry is the first instruction being executed, but not by a jump from inside (a loop), and not again after an
 * interrupt that cancelled it. An exit counts where the run was left by it: a conditional one that was not taken, or a
 * computed jump that stayed inside, is none. A function that jumps into the tail of another one ends where that tail
 * does. A named span begins before its first point is executed and ends before its second. Each core has a stack, a
 * clock and figures of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/points.h"
#include "profile/flow/runclock.h"
#include "profile/analyses/calls/spans.h"

enum { LEVELS = 32 };

struct lent {			/* the tail of owner runs for span, and its exit is span's */
	uint16_t owner;		/* PT_NO_FUNCTION: none does */
	uint32_t span;
};

struct level {			/* what an exception interrupted */
	uint64_t resume;
	uint64_t entered;	/* its last instruction was the entry of a span, here; PT_UNKNOWN: it was not */
	struct lent lent;
	struct { uint8_t left; uint16_t function; } before;	/* the run before what goes on at resume */
	bool at_once;		/* nothing was executed since */
};

struct walk {			/* of one core */
	struct entry_exit *of;
	struct pt_span_set *set;
	struct pt_span_stack *stack;
	struct pt_execution_function *function;	/* by id; of the result */
	bool ran;
	struct pt_runclock runclock;

	uint64_t clock, instructions, cycles;
	uint8_t left;			/* the run before: how, */
	uint16_t function_left;		/* and whose */
	uint64_t arrived;		/* clock at which an exception entered the code that
					 * runs now; PT_UNKNOWN: none did */
	uint64_t entered;		/* as in a level */
	uint64_t skip;			/* the entry here is executed once more */
	struct lent lent;
	struct level level[LEVELS];
	size_t n_levels;
};

struct entry_exit {
	struct pt_points *points;
	struct pt_spans result;
	struct pt_span_figures *span;	/* of the result */
	struct pt_span_core core[PT_RUN_CORES];
	size_t n_functions;
	uint32_t entry_cycles, chain_cycles;
	bool by_instructions;
	struct pt_runclock runclock;	/* as a core begins with it */
	struct walk *walk[PT_RUN_CORES];	/* NULL: this core gave no runs yet; there always is a first one */
};

static struct pt_span_at at(const struct walk *x, uint64_t clock, uint64_t address)
{
	uint64_t ns = pt_runclock_at(&x->runclock, x->of->by_instructions ? x->cycles : clock);

	return (struct pt_span_at){ .clock = clock, .ns = ns, .address = address };
}

static uint64_t ticks_of(const struct walk *x, uint64_t sums)
{
	return x->of->by_instructions ? pt_sum_instructions(sums) : pt_sum_cycles(sums);
}

/* --- marks that a run passed */

/* A jump to a function's own first instruction is a loop; one after an interrupt may be the entry once more. */
static bool enters(struct walk *x, const struct pt_run *run, const struct pt_point *mark)
{
	if (mark->address != run->begin)
		return true;
	if (x->skip == mark->address) {
		pt_span_row(x->set, mark->span)->refetched++;
		return false;
	}
	return x->left != PT_LEFT_BRANCH || x->function_left != run->function;
}

/* Was the run left by the exit at mark? end: behind its instruction. */
static bool leaves(const struct pt_run *run, const struct pt_point *mark, uint64_t end)
{
	if (mark->falls)
		return end < run->end || (run->left != PT_LEFT_BRANCH && run->left != PT_LEFT_RETURN);
	if (end != run->end)
		return false;
	if (run->left == PT_LEFT_BRANCH)
		return run->next_function != run->function || !mark->computed;
	return run->left == PT_LEFT_CALL || run->left == PT_LEFT_RETURN || run->left == PT_LEFT_EXCEPTION_RETURN ||
	       run->left == PT_LEFT_TAIL_CHAIN;
}

/* The clock before the instruction of unit, in a run that began at first with the clock at begin. */
static uint64_t clock_at(const struct walk *x, uint64_t begin, const struct pt_code_unit *first,
			 const struct pt_code_unit *unit)
{
	return begin + ticks_of(x, unit->sums - first->sums);
}

static void pass_entry(struct walk *x, const struct pt_run *run, const struct pt_point *mark, uint64_t clock)
{
	struct pt_span_at when;

	if (!enters(x, run, mark))
		return;
	when = at(x, mark->address == run->begin && x->arrived != PT_UNKNOWN ? x->arrived : clock, mark->address);
	pt_span_enter(x->stack, mark->span, mark->what == PT_POINT_ENTRY, &when);
	x->entered = mark->address;
}

static void pass_exit(struct walk *x, const struct pt_point *mark, uint64_t clock)
{
	struct pt_span_at when = at(x, clock, mark->address);
	bool lent = x->lent.owner != PT_NO_FUNCTION && x->lent.owner == pt_span_row(x->set, mark->span)->id;
	uint32_t span = lent ? x->lent.span : mark->span;

	x->lent = (struct lent){ mark->into, span };
	if (mark->into == PT_NO_FUNCTION)
		pt_span_leave(x->stack, span, &when);
}

static void pass_marks(struct walk *x, const struct pt_run *run, const struct pt_points_passed *here,
		       uint64_t end_clock)
{
	uint64_t begin = x->clock;

	for (const struct pt_point *mark = here->first; mark < here->behind; mark++) {
		const struct pt_code_unit *unit = here->code + ((mark->address - run->begin) >> here->shift);
		uint64_t end = mark->address + ((uint64_t)unit->len_units << here->shift);
		uint64_t clock = clock_at(x, begin, here->code, unit);
		struct pt_span_at when = at(x, clock, mark->address);

		if (mark->what == PT_POINT_ENTRY || mark->what == PT_POINT_BEGIN) {
			pass_entry(x, run, mark, clock);
		} else if (mark->what == PT_POINT_END) {
			if (pt_span_is_open(x->stack, mark->span))	/* else somebody came there by another way */
				pt_span_leave(x->stack, mark->span, &when);
		} else if (leaves(run, mark, end)) {
			pass_exit(x, mark,
				  end == run->end ? end_clock : clock_at(x, begin, here->code, unit + unit->len_units));
		}
		if (end != run->end)
			x->entered = PT_UNKNOWN;
	}
}

/* --- how a run was left */

static void interrupt(struct walk *x, const struct pt_run *run)
{
	uint64_t cost = run->cycles < x->of->entry_cycles ? run->cycles : x->of->entry_cycles;
	bool nothing = run->begin == run->end;
	struct pt_span_at when;

	if (x->n_levels == LEVELS)
		memmove(x->level, x->level + 1, --x->n_levels * sizeof(*x->level));
	x->level[x->n_levels++] = (struct level){
		.resume = run->end, .entered = nothing ? PT_UNKNOWN : x->entered,
		.before = { x->left, x->function_left }, .at_once = nothing, .lent = x->lent,
	};
	x->lent.owner = PT_NO_FUNCTION;
	x->arrived = x->clock - (x->of->by_instructions ? 0 : cost);
	when = at(x, x->arrived, run->end);
	pt_span_interrupt(x->stack, run->end, &when);
}

static void chain(struct walk *x, const struct pt_run *run, uint64_t clock)
{
	struct pt_span_at when = at(x, clock, run->end);

	x->arrived = clock;
	pt_span_chain(x->stack, &when);
}

/* What was interrupted goes on, as if nothing had been; or something else does. */
static void go_on(struct walk *x, const struct pt_run *run)
{
	struct pt_span_at when = at(x, x->clock, run->end);
	const struct level *level;

	pt_span_return(x->stack, run->next, &when);
	x->left = PT_LEFT_EXCEPTION_RETURN;
	x->lent.owner = PT_NO_FUNCTION;
	if (x->n_levels == 0)
		return;
	level = &x->level[--x->n_levels];
	if (level->resume == run->next)
		x->lent = level->lent;
	if (level->entered == run->next)
		x->skip = run->next;
	if (level->at_once && level->resume == run->next) {
		x->left = level->before.left;
		x->function_left = level->before.function;
	}
}

static void gap(struct walk *x)
{
	struct pt_span_at when = at(x, x->clock, PT_UNKNOWN);

	pt_span_gap(x->stack, &when);
	x->n_levels = 0;
	x->left = PT_LEFT_GAP;
	x->lent.owner = PT_NO_FUNCTION;
}

static void one(struct walk *x, const struct pt_run *run)
{
	uint64_t end = x->clock + (x->of->by_instructions ? run->instructions : run->cycles);
	uint64_t cost = run->left == PT_LEFT_TAIL_CHAIN && !x->of->by_instructions ? x->of->chain_cycles : 0;
	uint64_t left = cost < end - x->clock ? end - cost : x->clock;	/* when the last instruction was through */
	struct pt_points_passed here;

	x->entered = PT_UNKNOWN;
	if (pt_points_passed(x->of->points, run->begin, run->end, &here))
		pass_marks(x, run, &here, left);
	x->clock = end;
	x->instructions += run->instructions;
	x->cycles += run->cycles;
	x->skip = PT_UNKNOWN;
	if (run->begin != run->end)
		x->arrived = PT_UNKNOWN;
	if (run->left == PT_LEFT_EXCEPTION)
		interrupt(x, run);
	if (run->left == PT_LEFT_EXCEPTION_RETURN) {
		go_on(x, run);
		return;
	}
	if (run->left == PT_LEFT_TAIL_CHAIN)
		chain(x, run, left);
	x->left = run->left;
	x->function_left = run->function;
	if (run->left == PT_LEFT_GAP || (run->left == PT_LEFT_DEBUG && run->next != run->end))
		gap(x);
}

static void walk_free(struct walk *walk)
{
	if (walk == NULL)
		return;
	pt_span_set_free(walk->set);	/* and its stack */
	free(walk->function);
	free(walk);
}

static struct walk *walk_new(struct entry_exit *x)
{
	struct walk *walk = pt_alloc(sizeof(*walk));
	size_t n = pt_points_spans(x->points);

	*walk = (struct walk){
		.of = x, .set = pt_span_set_new(n), .function = pt_alloc_array(x->n_functions, sizeof(*walk->function)),
		.runclock = x->runclock, .left = PT_LEFT_GAP, .skip = PT_UNKNOWN, .entered = PT_UNKNOWN,
		.arrived = PT_UNKNOWN,
	};
	walk->stack = pt_span_stack_new(walk->set);
	for (size_t i = 0; i < n; i++)
		pt_points_name(x->points, i, pt_span_row(walk->set, i));
	return walk;
}

/* NULL: a core of too high a number. */
static struct walk *walk_of(struct entry_exit *x, uint16_t core)
{
	if (core >= PT_RUN_CORES)
		return NULL;
	if (x->walk[core] == NULL)
		x->walk[core] = walk_new(x);
	return x->walk[core];
}

static void take_runs(void *analysis, const struct pt_run *run, size_t n, uint16_t core, struct pt_timestamp from)
{
	struct walk *walk = walk_of(analysis, core);

	if (walk == NULL)
		return;
	walk->ran |= n > 0;
	pt_runclock_begin(&walk->runclock, walk->cycles, from);
	for (size_t i = 0; i < n; i++)
		one(walk, &run[i]);
}

static void take_window(void *analysis, uint16_t core, const struct pt_time_window *window)
{
	struct walk *walk = walk_of(analysis, core);

	if (walk == NULL)
		return;
	if (window == NULL)
		pt_span_window_begins(walk->stack, walk->clock);
	else
		pt_span_window_ended(walk->stack, walk->clock, window->cut, window->scale);
}

/* --- life */

static void take_config(void *analysis, uint16_t source, const struct pt_config *config)
{
	struct entry_exit *x = analysis;

	(void)source;
	pt_runclock_config(&x->runclock, config);
	for (size_t i = 0; i < PT_RUN_CORES; i++)
		if (x->walk[i] != NULL)
			pt_runclock_config(&x->walk[i]->runclock, config);
}

/* The figures of a core behind those of the cores before. */
static void give_core(struct entry_exit *x, uint16_t number, bool windowed)
{
	struct walk *walk = x->walk[number];
	struct pt_spans *to = &x->result;
	const struct pt_spans *from;

	pt_span_pass(walk->stack, walk->clock);
	from = pt_span_result(walk->set);
	if (windowed)
		pt_span_give_lengths(walk->set);
	for (size_t i = 0; i < from->n_spans; i++) {
		struct pt_span_figures *span = &x->span[to->n_spans++];

		*span = from->span[i];
		span->core = number;
		if (span->by == PT_SPAN_BY_FUNCTION) {
			walk->function[span->id] = span->run;
			walk->function[span->id].instructions = x->by_instructions ? span->run.cycles : 0;
		}
	}
	for (size_t i = 0; i < PT_N_SPAN_ERRORS; i++)
		to->errors[i] += from->errors[i];
	to->forgotten += from->forgotten;
	x->core[to->n_cores++] = (struct pt_span_core){
		.core = number, .observed = walk->clock, .instructions = walk->instructions, .cycles = walk->cycles,
		.function = walk->function, .n_functions = x->n_functions,
	};
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct entry_exit *x = analysis;
	size_t n = 0;

	for (size_t i = 0; i < PT_RUN_CORES; i++)
		n += x->walk[i] != NULL && x->walk[i]->ran;
	x->span = pt_realloc_array(x->span, (n + (n == 0)) * pt_points_spans(x->points) + 1, sizeof(*x->span));
	x->result = (struct pt_spans){ .span = x->span, .core = x->core };
	for (uint16_t i = 0; i < PT_RUN_CORES; i++)
		if (x->walk[i] != NULL && (x->walk[i]->ran || (n == 0 && i == 0)))
			give_core(x, i, pt_profile_windowed(profile, i) != NULL);
	profile->spans = &x->result;
}

static void entry_exit_free(void *analysis)
{
	struct entry_exit *x = analysis;

	for (size_t i = 0; i < PT_RUN_CORES; i++)
		walk_free(x->walk[i]);
	pt_points_free(x->points);
	free(x->span);
	free(x);
}

static void *entry_exit_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct entry_exit *x = pt_alloc(sizeof(*x));
	struct pt_flow_settings flow = pt_flow_standards(setup->map->isa);

	x->points = pt_points_new(setup, err);
	if (x->points == NULL) {
		free(x);
		return NULL;
	}
	x->runclock = pt_runclock_of(setup->words);
	x->n_functions = setup->n_functions;
	walk_of(x, 0);
	if (setup->flow != NULL)
		flow = *setup->flow;
	x->entry_cycles = flow.exception_entry_cycles;
	x->chain_cycles = flow.tail_chain_cycles;
	x->by_instructions = setup->by_instructions;
	return x;
}

const struct pt_analysis pt_analysis_entry_exit = {
	.name = "entry-exit", .help = "entries and exits of chosen functions (functions=) and named spans (span=)",
	.params = pt_point_params, .n_params = PT_POINT_PARAMS, .open = entry_exit_new, .close = entry_exit_free,
	.runs = take_runs, .window = take_window, .config = take_config, .result = give,
};
