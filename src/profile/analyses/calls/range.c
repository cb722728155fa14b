/* Range analysis: time belongs to whichever body the pc is in. No stack, so nothing can confuse it: not optimisation,
 * not long jumps, not task switches that are not reported. What is shared (merged tails, helpers in the prologue) is
 * charged to the function that owns the code. An entry is the body being entered from elsewhere: by a call, but also
 * by the return from one, or from an interrupt. What entering an exception costs is the handler's. Each core is in a
 * body of its own, on a clock of its own, and so are the figures. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"
#include "profile/stats/histlog.h"
#include "profile/stats/survivals.h"
#include "profile/flow/runclock.h"
#include "profile/analyses/calls/spans.h"

enum { NOWHERE = UINT32_MAX };

struct body {
	struct pt_execution_function run;
	struct pt_hist *hist;		/* PT_N_TALLY_KINDS of them; NULL: not needed yet */
};

struct seen { uint64_t entered, left; };	/* clock + 1 at the last; 0: not known */

struct way {			/* of the pc of one core */
	struct body *body;		/* by id; NULL: this core gave no runs yet */
	struct seen *seen;		/* by id */
	struct pt_execution_function *function;	/* by id; of the result */
	uint32_t in;			/* the body that the pc is in */
	bool whole;			/* its entry was seen */
	uint64_t since, now, cycles;
	struct pt_runclock runclock;
	struct pt_survivals *survivals;	/* NULL: there was no window */
	struct pt_lengths *lengths;	/* by id and kind */
	uint64_t window;		/* clock at which one began */
};

struct range {
	const struct pt_function *functions;	/* by id - 1 */
	size_t n_bodies;		/* ids are below it */
	struct way core[PT_RUN_CORES], *way;	/* way: whose runs are taken */
	struct pt_runclock runclock;	/* as a core begins with it */
	struct pt_histlog log;
	struct pt_histogram_memory room;	/* of all histograms' buckets */
	uint32_t entry_cycles, chain_cycles;
	bool by_instructions;
	/* the result */
	struct pt_spans result;
	struct pt_span_core shown[PT_RUN_CORES];
	struct pt_span_figures *span;
};

static __attribute__((noinline, cold)) void make_hists(struct range *x, struct body *body)
{
	body->hist = pt_alloc_array(PT_N_TALLY_KINDS, sizeof(*body->hist));
	for (size_t k = 0; k < PT_N_TALLY_KINDS; k++) {
		body->hist[k].room = &x->room;
		body->run.stat[k].hist = &body->hist[k];
	}
}

static inline struct pt_stat *stats_of(struct range *x, struct body *body)
{
	if (__builtin_expect(body->hist == NULL, 0))
		make_hists(x, body);
	return body->run.stat;
}

static __attribute__((noinline, cold)) void note_extreme(const struct range *x, struct pt_stat *stat, uint64_t value)
{
	uint64_t ns = pt_runclock_at(&x->way->runclock, x->way->cycles);

	if (value < stat->min) {
		stat->min = value;
		stat->min_at = ns;
	}
	if (value > stat->max || stat->n == 0) {
		stat->max = value;
		stat->max_at = ns;
	}
}

/* pt_stat_add() of what happens now; extremes are few, and when it is matters to them alone. */
static inline void note(struct range *x, struct pt_stat *stat, uint64_t value)
{
	if (__builtin_expect(value < stat->min || value > stat->max || stat->n == 0, 0))
		note_extreme(x, stat, value);
	stat->n++;
	stat->total += value;
	if (stat->hist != NULL)
		pt_histlog_add(&x->log, stat->hist, value);
}

/* Something that began in the window that is open, if one is. */
static inline void note_length(struct range *x, uint16_t id, enum pt_tally_kind kind, uint64_t since,
			       enum pt_survival_end end)
{
	struct way *way = x->way;

	if (__builtin_expect(way->survivals != NULL, 0) && since >= way->window)
		pt_survivals_note(way->survivals, id, (size_t)kind, way->now - since, way->now - way->window, end);
}

static inline void enter(struct range *x, uint16_t id, bool seen)
{
	struct body *body = &x->way->body[id];
	struct pt_stat *stat = stats_of(x, body);
	struct seen *last = &x->way->seen[id];

	x->way->in = id;
	x->way->whole = seen;
	x->way->since = x->way->now;
	if (!seen)
		return;
	body->run.count++;
	if (last->entered != 0) {
		note(x, &stat[PT_TALLY_PERIOD], x->way->now + 1 - last->entered);
		note_length(x, id, PT_TALLY_PERIOD, last->entered - 1, PT_SURVIVAL_ENDED);
	}
	if (last->left != 0)
		note(x, &stat[PT_TALLY_INACTIVE], x->way->now + 1 - last->left);
	last->entered = x->way->now + 1;
}

static inline void leave(struct range *x, bool seen)
{
	struct body *body = &x->way->body[x->way->in];

	if (x->way->whole)
		note_length(x, (uint16_t)x->way->in, PT_TALLY_NET, x->way->since,
			    seen ? PT_SURVIVAL_ENDED : PT_SURVIVAL_RESTS);
	if (seen && x->way->whole) {
		note(x, &stats_of(x, body)[PT_TALLY_NET], x->way->now - x->way->since);
	} else {
		body->run.partial++;
		pt_stat_add_unended(&body->run.stat[PT_TALLY_NET], x->way->now - x->way->since, 0);
	}
	x->way->seen[x->way->in].left = seen ? x->way->now + 1 : 0;
	x->way->in = NOWHERE;
}

/* So long no entry of the body came behind the last one, and behind the last exit. */
static inline void add_waits(const struct way *way, size_t id, struct pt_stat *stat)
{
	if (way->seen[id].entered != 0)
		pt_stat_add_unended(&stat[PT_TALLY_PERIOD], way->now + 1 - way->seen[id].entered, 0);
	if (way->seen[id].left != 0 && way->in != id)
		pt_stat_add_unended(&stat[PT_TALLY_INACTIVE], way->now + 1 - way->seen[id].left, 0);
}

static void gap(struct range *x)
{
	if (x->way->in != NOWHERE)
		leave(x, false);
	for (size_t i = 0; i < x->n_bodies; i++)
		add_waits(x->way, i, x->way->body[i].run.stat);
	memset(x->way->seen, 0, x->n_bodies * sizeof(*x->way->seen));
}

/* What the run's cycles hold of entering the exception that left it. */
static uint32_t cost_of(const struct range *x, const struct pt_run *run)
{
	uint32_t cost = 0;

	if (run->left == PT_LEFT_EXCEPTION)
		cost = x->entry_cycles;
	else if (run->left == PT_LEFT_TAIL_CHAIN)
		cost = x->chain_cycles;
	return cost < run->cycles ? cost : run->cycles;
}

static inline void charge(struct range *x, uint16_t id, uint32_t instructions, uint32_t cycles)
{
	x->way->body[id].run.instructions += instructions;
	x->way->body[id].run.cycles += cycles;
	x->way->cycles += cycles;
	x->way->now += x->by_instructions ? instructions : cycles;
}

static void one(struct range *x, const struct pt_run *run)
{
	uint32_t cost = cost_of(x, run);
	bool unknown = run->left == PT_LEFT_GAP || (run->left == PT_LEFT_DEBUG && run->next != run->end);

	if (run->function >= x->n_bodies || run->next_function >= x->n_bodies)
		return;
	if (x->way->in == NOWHERE && run->instructions > 0)
		enter(x, run->function, false);
	charge(x, run->function, run->instructions, run->cycles - cost);
	if (unknown) {
		gap(x);
	} else if (run->next_function != run->function) {
		if (x->way->in != NOWHERE)
			leave(x, true);
		enter(x, run->next_function, true);
	}
	if (cost > 0)
		charge(x, run->next_function, 0, cost);
}

static void drop_way(const struct range *x, struct way *way)
{
	for (size_t i = 0; way->body != NULL && i < x->n_bodies; i++) {
		for (size_t k = 0; way->body[i].hist != NULL && k < PT_N_TALLY_KINDS; k++)
			pt_hist_fini(&way->body[i].hist[k]);
		free(way->body[i].hist);
	}
	free(way->body);
	free(way->seen);
	free(way->function);
	pt_survivals_free(way->survivals);
	free(way->lengths);
	*way = (struct way){ 0 };
}

static void make_way(const struct range *x, struct way *way)
{
	size_t n = x->n_bodies;

	*way = (struct way){
		.body = pt_alloc_array(n, sizeof(*way->body)), .seen = pt_alloc_array(n, sizeof(*way->seen)),
		.function = pt_alloc_array(n, sizeof(*way->function)), .in = NOWHERE, .runclock = x->runclock,
	};
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < PT_N_TALLY_KINDS; k++)
			way->body[i].run.stat[k] = pt_stat_empty();
}

/* What comes is of core, and its first run began at from. False: its number is too high. */
static bool begin(struct range *x, uint16_t core, struct pt_timestamp from)
{
	struct way *way = &x->core[core < PT_RUN_CORES ? core : 0];

	if (core >= PT_RUN_CORES)
		return false;
	x->way = way;
	if (way->body == NULL)
		make_way(x, way);
	pt_runclock_begin(&way->runclock, way->cycles, from);
	return true;
}

static void take_runs(void *analysis, const struct pt_run *run, size_t n, uint16_t core, struct pt_timestamp from)
{
	struct range *x = analysis;

	if (!begin(x, core, from))
		return;
	for (size_t i = 0; i < n; i++)
		one(x, &run[i]);
}

static inline uint16_t next_in(const struct pt_piece *piece, size_t i)
{
	return piece->span->code[(piece->offsets[i] >> 32) / PT_PIECE_UNIT_BYTES].function;
}

static void fetch_bodies(const struct range *x, const struct pt_piece *piece)
{
	for (size_t i = 0; i < piece->n_departures; i++) {
		const struct body *body = &x->way->body[next_in(piece, i)];

		__builtin_prefetch(&body->run, 1);
		__builtin_prefetch(&body->run.stat[PT_TALLY_NET].n, 1);
		__builtin_prefetch(&body->run.stat[PT_TALLY_PERIOD].n, 1);
		__builtin_prefetch(&body->run.stat[PT_TALLY_INACTIVE].n, 1);
		__builtin_prefetch(&body->hist, 1);
		__builtin_prefetch(&x->way->seen[next_in(piece, i)], 1);
	}
}

/* Between two departures the pc is in one body. */
static void take_piece(void *analysis, const struct pt_piece *piece, uint16_t core, struct pt_timestamp from)
{
	struct range *x = analysis;
	uint16_t in = piece->begin->function, next;
	uint64_t before = 0;

	if (!begin(x, core, from))
		return;
	fetch_bodies(x, piece);
	if (x->way->in == NOWHERE)
		enter(x, in, false);
	for (size_t i = 0; i < piece->n_departures; i++, in = next) {
		uint64_t spent = piece->sums[i] - before;

		before = piece->sums[i];
		next = next_in(piece, i);
		charge(x, in, pt_sum_instructions(spent), pt_sum_cycles(spent));
		if (next == in)
			continue;
		leave(x, true);
		enter(x, next, true);
	}
	before = piece->sums[piece->n_departures] - before;
	charge(x, in, pt_sum_instructions(before), pt_sum_cycles(before));
}

static void end_window(struct range *x, const struct pt_time_window *window)
{
	struct way *way = x->way;

	if (way->survivals == NULL)
		return;
	if (way->in != NOWHERE && way->whole)
		note_length(x, (uint16_t)way->in, PT_TALLY_NET, way->since, PT_SURVIVAL_GOES_ON);
	for (size_t i = 0; i < x->n_bodies; i++)
		if (way->seen[i].entered != 0)
			note_length(x, (uint16_t)i, PT_TALLY_PERIOD, way->seen[i].entered - 1, PT_SURVIVAL_GOES_ON);
	pt_survivals_end(way->survivals, window->cut, window->scale);
}

static void take_window(void *analysis, uint16_t core, const struct pt_time_window *window)
{
	struct range *x = analysis;
	struct way *way = &x->core[core < PT_RUN_CORES ? core : 0];

	if (core >= PT_RUN_CORES)
		return;
	if (way->body == NULL)
		make_way(x, way);
	x->way = way;
	if (window != NULL) {
		end_window(x, window);
		return;
	}
	if (way->survivals == NULL)
		way->survivals = pt_survivals_new(x->n_bodies, PT_N_TALLY_KINDS);
	pt_survivals_begin(way->survivals);
	way->window = way->now;
}

static void take_config(void *analysis, uint16_t source, const struct pt_config *config)
{
	struct range *x = analysis;

	(void)source;
	pt_runclock_config(&x->runclock, config);
	for (size_t i = 0; i < PT_RUN_CORES; i++)
		pt_runclock_config(&x->core[i].runclock, config);
}

/* --- result, life */

static void make_lengths(const struct range *x, struct way *way)
{
	if (way->survivals == NULL)
		return;
	if (way->lengths == NULL)
		way->lengths = pt_alloc_array(x->n_bodies * PT_N_TALLY_KINDS, sizeof(*way->lengths));
	for (size_t i = 0; i < x->n_bodies * PT_N_TALLY_KINDS; i++)
		way->lengths[i] = pt_survivals_lengths(way->survivals, i / PT_N_TALLY_KINDS, i % PT_N_TALLY_KINDS);
}

/* The figures of a core behind those of the cores before. */
static void give_core(struct range *x, uint16_t number, bool windowed)
{
	struct way *way = &x->core[number];
	struct pt_span_core *core = &x->shown[x->result.n_cores++];

	if (windowed)
		make_lengths(x, way);
	*core = (struct pt_span_core){
		.core = number, .observed = way->now, .function = way->function, .n_functions = x->n_bodies,
	};
	for (size_t i = 0; i < x->n_bodies; i++) {
		const struct pt_function *f = i != PT_NO_FUNCTION ? &x->functions[i - 1] : NULL;
		struct pt_execution_function *run = &way->function[i];

		*run = way->body[i].run;
		core->instructions += run->instructions;
		core->cycles += run->cycles;
		run->partial += way->in == i;
		add_waits(way, i, run->stat);
		if (way->in == i)
			pt_stat_add_unended(&run->stat[PT_TALLY_NET], way->now - way->since, 0);
		run->gross_total = PT_UNKNOWN;	/* nobody knows who called */
		if (run->instructions == 0 && run->count == 0)
			continue;
		x->span[x->result.n_spans++] = (struct pt_span_figures){
			.name = f != NULL ? f->name : "(no symbol)", .function = f, .id = (uint16_t)i, .core = number,
			.by = PT_SPAN_BY_RANGE, .begin = f != NULL ? f->address : PT_UNKNOWN,
			.end = f != NULL ? f->address + f->size : PT_UNKNOWN,
			.run = *run, .last_ns = PT_UNKNOWN, .last_address = PT_UNKNOWN,
			.lengths = windowed && way->lengths != NULL ? &way->lengths[i * PT_N_TALLY_KINDS] : NULL,
		};
	}
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct range *x = analysis;
	size_t n = 0;

	pt_histlog_flush(&x->log);
	pt_histogram_memory_touch(&x->room);
	for (size_t k = 0; k < PT_RUN_CORES; k++)
		n += x->core[k].body != NULL;
	x->span = pt_realloc_array(x->span, n * x->n_bodies + 1, sizeof(*x->span));
	x->result = (struct pt_spans){ .span = x->span, .core = x->shown };
	for (uint16_t k = 0; k < PT_RUN_CORES; k++)
		if (x->core[k].body != NULL)
			give_core(x, k, pt_profile_windowed(profile, k) != NULL);
	profile->ranges = &x->result;
}

static void range_free(void *analysis)
{
	struct range *x = analysis;

	for (size_t k = 0; k < PT_RUN_CORES; k++)
		drop_way(x, &x->core[k]);
	pt_histogram_memory_fini(&x->room);
	free(x->span);
	free(x);
}

static void *range_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct range *x = pt_alloc(sizeof(*x));
	struct pt_flow_settings flow = setup->flow != NULL ? *setup->flow : pt_flow_standards(setup->map->isa);
	size_t n;

	(void)err;
	x->n_bodies = setup->n_functions;
	pt_histogram_memory_init(&x->room, pt_histogram_memory_bytes(x->n_bodies));
	make_way(x, &x->core[0]);
	x->functions = setup->program != NULL ? pt_program_functions(setup->program, &n) : NULL;
	x->entry_cycles = flow.exception_entry_cycles;
	x->chain_cycles = flow.tail_chain_cycles;
	x->by_instructions = setup->by_instructions;
	x->runclock = x->core[0].runclock = pt_runclock_of(setup->words);
	return x;
}

const struct pt_analysis pt_analysis_range = {
	.name = "range", .help = "time by whose code the pc is in, without a stack: shared tails are their owner's",
	.open = range_new, .close = range_free, .runs = take_runs, .piece = take_piece, .window = take_window,
	.config = take_config, .result = give,
};
