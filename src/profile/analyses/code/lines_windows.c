/* The runs of a window are kept until it ends. Then they are counted as all runs are, each as often as the window's
 * weight says (in fixed point, so that sums stay exact), and what each instruction and each line got of the window goes
 * into the sums that intervals are made of. */
#include "profile/analyses/code/lines_windows.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

static const double POINT = 1024;	/* one, in fixed point: weights are ns, of some thousand ticks */

enum { NO_LINE = UINT32_MAX };

struct got {
	struct pt_cluster_sum time, executed;	/* ticks, and instructions */
	double most;		/* instructions per tick of a window */
	uint64_t ticks, instructions;	/* in the window */
	bool touched;
};

struct span {
	struct got *insn;	/* by unit */
	uint32_t *line;		/* by unit: index of its line + 1; 0: not looked for yet */
};

struct pt_lines_windows {
	struct pt_lines_count *weighted;
	bool by_instructions;
	bool open;
	struct pt_run *run;	/* of the window */
	size_t n_runs, room;
	struct span *span;	/* by span of the code map */
	struct got *line;	/* by index in the table of lines */
	struct got **touched;
	size_t n_touched, touched_room;
	struct pt_profile_place *rest_lines, *rest_insns;	/* sampled, and in no table */
};

/* --- what instructions and lines got */

static void add_part(struct pt_lines_windows *w, struct got *got, uint64_t instructions, uint64_t ticks)
{
	got->ticks += ticks;
	got->instructions += instructions;
	if (got->touched)
		return;
	if (w->n_touched == w->touched_room) {
		w->touched_room = w->touched_room * 2 + 1024;
		w->touched = pt_realloc_array(w->touched, w->touched_room, sizeof(*w->touched));
	}
	got->touched = true;
	w->touched[w->n_touched++] = got;
}

static uint32_t line_at(const struct pt_lines_count *c, uint64_t address)
{
	const struct pt_line_range *range = c->program != NULL ? pt_program_line_at(c->program, address) : NULL;
	const struct pt_lines_line *line;

	if (range == NULL || range->line == 0)
		return NO_LINE;
	line = pt_lines_line_at(&c->result, range->file, range->line);
	return line != NULL ? (uint32_t)(line - c->result.line) + 1 : NO_LINE;
}

static void take_insn(void *arg, size_t number, size_t unit, uint64_t instructions, uint64_t cycles)
{
	struct pt_lines_windows *w = arg;
	const struct pt_span_count *s = &w->weighted->span[number];
	struct span *span = &w->span[number];
	uint64_t ticks = w->by_instructions ? instructions : cycles;

	if (span->insn == NULL) {
		span->insn = pt_alloc_array(s->n_units, sizeof(*span->insn));
		span->line = pt_alloc_array(s->n_units, sizeof(*span->line));
	}
	if (span->line[unit] == 0)
		span->line[unit] = line_at(w->weighted, s->span->base + ((uint64_t)unit << w->weighted->shift));
	add_part(w, &span->insn[unit], instructions, ticks);
	if (span->line[unit] != NO_LINE)
		add_part(w, &w->line[span->line[unit] - 1], instructions, ticks);
}

/* --- windows */

void pt_lines_windows_runs(struct pt_lines_windows *w, const struct pt_run *run, size_t n)
{
	if (!w->open)
		return;
	if (w->n_runs + n > w->room) {
		w->room = 2 * (w->n_runs + n);
		w->run = pt_realloc_array(w->run, w->room, sizeof(*w->run));
	}
	for (size_t i = 0; i < n; i++)
		w->run[w->n_runs++] = run[i];
}

static void end_window(struct pt_lines_windows *w, const struct pt_time_window *window)
{
	pt_lines_count_runs(w->weighted, w->run, w->n_runs, (uint64_t)llround(window->scale * POINT));
	for (size_t i = 0; i < w->n_runs; i++)
		pt_lines_spread(w->weighted, &w->run[i], take_insn, w);
	for (size_t i = 0; i < w->n_touched; i++) {
		struct got *got = w->touched[i];

		pt_cluster_add(&got->time, (double)got->ticks * window->scale, window->weight);
		pt_cluster_add(&got->executed, (double)got->instructions * window->scale, window->weight);
		got->most = fmax(got->most, (double)got->instructions / (double)window->ticks);
		got->ticks = got->instructions = 0;
		got->touched = false;
	}
	w->n_touched = 0;
}

void pt_lines_windows_edge(struct pt_lines_windows *w, const struct pt_time_window *window)
{
	if (window != NULL && w->open)
		end_window(w, window);
	w->open = window == NULL;
	w->n_runs = 0;
}

/* --- result, life */

static const struct got *got_at(const struct pt_lines_windows *w, uint64_t address)
{
	static const struct got none;
	const struct pt_lines_count *c = w->weighted;

	for (size_t i = 0; i < c->map->n_spans; i++) {
		const struct pt_code_span *span = c->span[i].span;

		if (address - span->base < span->end - span->base && w->span[i].insn != NULL)
			return &w->span[i].insn[(address - span->base) >> c->shift];
	}
	return &none;
}

/* --- fitted to samples */

/* The samples of this key, of this core; NULL: none. */
static const struct pt_profile_place *place_at(const struct pt_profile_place *place, size_t n, uint64_t key,
					       uint16_t core)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		bool before = place[middle].core != core ? place[middle].core < core : place[middle].place.key < key;

		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && place[low].core == core && place[low].place.key == key ? &place[low] : NULL;
}

/* A part of what samples found, in our convention of who has the cycles of entering an exception. Where in the function
 * it was interrupted is not known: all of that may have been here, or none of it. */
static struct pt_share put_right(const struct pt_profile_core *core, const struct pt_profile_place *place,
				 uint16_t function, double entered)
{
	const struct pt_cluster_sum none = { .x = 0 };
	const struct pt_calibration *c = &core->calibration[function];
	struct pt_share s = place != NULL ? place->place.share : pt_cluster_share(&core->batches, &none);
	double part = s.share * c->kept, error = entered > 0 ? c->entered_error : 0;
	double below = part - fmax(0, s.lo - fmax(0, 1 - c->kept) * c->by_samples.share), above = s.hi - part;

	s.share = part + entered;
	s.lo = fmax(0, s.share - hypot(fmax(0, below), error));
	s.hi = fmin(1, s.share + hypot(fmax(0, above), error));
	return s;
}

static double entered_at(const struct pt_lines_windows *w, const struct pt_profile_core *core, uint64_t address,
			 uint16_t function)
{
	const struct pt_function *f;
	size_t n;

	if (w->weighted->program == NULL || function == PT_NO_FUNCTION)
		return 0;
	f = pt_program_functions(w->weighted->program, &n);
	return function <= n && f[function - 1].address == address ? core->calibration[function].entered : 0;
}

/* What a line has by its instructions, so that both tables add up to the same. */
struct line_sum { double share, entered; };

static void add_to_line(const struct pt_lines_count *c, struct line_sum *sum, uint64_t address, double share,
			double entered)
{
	uint32_t line = line_at(c, address);

	if (line == NO_LINE)
		return;
	sum[line - 1].share += share;
	sum[line - 1].entered += entered;
}

static void fit_insns(struct pt_lines_windows *w, const struct pt_profile_core *core, const struct pt_profile *p,
		      struct line_sum *sum)
{
	struct pt_lines_count *c = w->weighted;

	for (size_t i = 0; i < c->result.n_insns; i++) {
		struct pt_lines_insn *insn = &c->insn[i];
		double entered = entered_at(w, core, insn->address, insn->function);

		insn->share = put_right(core, place_at(p->sampled_insn, p->n_sampled_insns, insn->address, core->core),
					insn->function, entered);
		insn->cycles = pt_profile_scaled(core, insn->share.share);
		add_to_line(c, sum, insn->address, insn->share.share, entered);
	}
}

static void keep_rest_of_insns(struct pt_lines_windows *w, const struct pt_profile_core *core,
			       const struct pt_profile *p, struct line_sum *sum, size_t *n_rest)
{
	w->rest_insns = pt_realloc_array(w->rest_insns, p->n_sampled_insns + 1, sizeof(*w->rest_insns));
	for (size_t i = 0; i < p->n_sampled_insns; i++) {
		struct pt_profile_place place = p->sampled_insn[i];

		if (place.core == core->core) {
			if (pt_lines_insn_at(&w->weighted->result, place.place.key) != NULL)
				continue;
			place.place.share = put_right(core, &place, place.function, 0);
			add_to_line(w->weighted, sum, place.place.key, place.place.share.share, 0);
		}
		w->rest_insns[(*n_rest)++] = place;
	}
}

/* A line that is inlined has code of several functions, each with a calibration of its own: the sum of its instructions
 * is right, and the interval of its samples by one of them is moved there. */
static struct pt_share share_of_line(const struct pt_profile_core *core, const struct pt_profile_place *place,
				     uint16_t function, const struct line_sum *sum)
{
	struct pt_share s = put_right(core, place, function, sum->entered);
	double by = sum->share - s.share;

	s.share = sum->share;
	s.lo = fmax(0, s.lo + fmin(0, by));
	s.hi = fmin(1, s.hi + fmax(0, by));
	return s;
}

static void fit_lines(struct pt_lines_windows *w, const struct pt_profile_core *core, const struct pt_profile *p,
		      const struct line_sum *sum)
{
	struct pt_lines_count *c = w->weighted;

	for (size_t i = 0; i < c->result.n_lines; i++) {
		struct pt_lines_line *line = &c->line[i];
		uint64_t key = ((uint64_t)line->file << 32) + line->line;

		if (line->n_observed == 0)
			continue;
		line->share = share_of_line(core, place_at(p->sampled_line, p->n_sampled_lines, key, core->core),
					    line->function, &sum[i]);
		line->cycles = pt_profile_scaled(core, line->share.share);
	}
}

static void keep_rest_of_lines(struct pt_lines_windows *w, const struct pt_profile_core *core,
			       const struct pt_profile *p, const struct line_sum *sum, size_t *n_rest)
{
	const struct pt_lines *lines = &w->weighted->result;

	w->rest_lines = pt_realloc_array(w->rest_lines, p->n_sampled_lines + 1, sizeof(*w->rest_lines));
	for (size_t i = 0; i < p->n_sampled_lines; i++) {
		struct pt_profile_place place = p->sampled_line[i];
		const struct pt_lines_line *row =
			pt_lines_line_at(lines, (uint32_t)(place.place.key >> 32), (uint32_t)place.place.key);

		if (place.core == core->core) {
			if (row != NULL && row->n_observed > 0)
				continue;
			place.place.share =
				row != NULL ? share_of_line(core, &place, place.function, &sum[row - lines->line])
					    : put_right(core, &place, place.function, 0);
		}
		w->rest_lines[(*n_rest)++] = place;
	}
}

static void fit(struct pt_lines_windows *w, const struct pt_profile_core *core, struct pt_profile *p)
{
	struct line_sum *sum = pt_alloc_array(w->weighted->result.n_lines + 1, sizeof(*sum));
	size_t n_insns = 0, n_lines = 0;

	fit_insns(w, core, p, sum);
	keep_rest_of_insns(w, core, p, sum, &n_insns);
	fit_lines(w, core, p, sum);
	keep_rest_of_lines(w, core, p, sum, &n_lines);
	free(sum);
	p->sampled_insn = w->rest_insns;
	p->n_sampled_insns = n_insns;
	p->sampled_line = w->rest_lines;
	p->n_sampled_lines = n_lines;
}

static struct pt_estimate executed_of(const struct got *got, const struct pt_profile_core *core)
{
	return pt_profile_in_all(core, pt_cluster_rate(&core->windows, &got->executed, got->most));
}

static void estimate_counts(const struct pt_lines_windows *w, const struct pt_profile_core *core)
{
	struct pt_lines_count *c = w->weighted;

	for (size_t i = 0; i < c->result.n_insns; i++)
		c->insn[i].executed = executed_of(got_at(w, c->insn[i].address), core);
	for (size_t i = 0; i < c->result.n_lines; i++)
		c->line[i].executed = executed_of(&w->line[i], core);
}

/* NULL: it was not seen. */
static struct pt_lines_inline *inlined_of(struct pt_lines_count *c, uint32_t id)
{
	size_t low = 0, high = c->result.n_inlined;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->inlined[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->result.n_inlined && c->inlined[low].id == id ? &c->inlined[low] : NULL;
}

static void add_inlined(struct pt_lines_inline *sum, const struct pt_lines_insn *insn)
{
	pt_share_add(&sum->share, &insn->share);
	sum->cycles += insn->cycles;
	sum->executed.value += insn->executed.value;	/* NAN of one makes the sum NAN: it has no interval */
	sum->executed.lo += insn->executed.lo;
	sum->executed.hi += insn->executed.hi;
}

/* Inlined calls are their instructions, whose time may be the samples'. */
static void estimate_inlined(struct pt_lines_count *c)
{
	const struct pt_inline *call;
	size_t n;

	call = pt_inlines_calls(c->inlines, &n);
	for (size_t i = 0; i < c->result.n_inlined; i++) {
		struct pt_lines_inline *sum = &c->inlined[i];

		sum->share = (struct pt_share){ 0 };
		sum->executed = (struct pt_estimate){ 0, 0, 0 };
		sum->cycles = sum->cycles_inside = 0;
	}
	for (size_t i = 0; i < c->result.n_insns; i++) {
		struct pt_lines_inline *sum = inlined_of(c, pt_inlines_at(c->inlines, c->insn[i].address));

		if (sum != NULL)
			add_inlined(sum, &c->insn[i]);
	}
	for (size_t i = c->result.n_inlined; i-- > 0;) {	/* parents have smaller ids */
		struct pt_lines_inline *sum = &c->inlined[i], *in;

		sum->cycles_inside += sum->cycles;
		in = call[sum->id].parent != PT_NO_INLINE ? inlined_of(c, call[sum->id].parent) : NULL;
		if (in != NULL)
			in->cycles_inside += sum->cycles_inside;
	}
}

/* Times are their shares, not what the fixed point says: all views say the same, and add up. */
static void estimate_time(const struct pt_lines_windows *w, const struct pt_profile_core *core)
{
	struct pt_lines_count *c = w->weighted;

	for (size_t i = 0; i < c->result.n_insns; i++) {
		struct pt_lines_insn *insn = &c->insn[i];

		insn->share = pt_cluster_share(&core->windows, &got_at(w, insn->address)->time);
		*(w->by_instructions ? &insn->count : &insn->cycles) = pt_profile_scaled(core, insn->share.share);
	}
	for (size_t i = 0; i < c->result.n_lines; i++) {
		struct pt_lines_line *line = &c->line[i];

		if (line->n_observed == 0)
			continue;
		line->share = pt_cluster_share(&core->windows, &w->line[i].time);
		*(w->by_instructions ? &line->instructions : &line->cycles) =
			pt_profile_scaled(core, line->share.share);
	}
}

const struct pt_lines *pt_lines_windows_give(struct pt_lines_windows *w, const struct pt_lines_count *seen,
					     const struct pt_profile_core *core, struct pt_profile *profile)
{
	struct pt_lines_count *c = w->weighted;

	c->as_seen = seen;
	c->scale = core->windows.y > 0 ? (double)core->ticks / core->windows.y / POINT : 0;
	pt_lines_settle(c);
	c->result.core = core->core;
	c->result.elsewhere = seen->result.elsewhere;
	estimate_counts(w, core);
	if (core->calibration != NULL)
		fit(w, core, profile);
	else
		estimate_time(w, core);
	estimate_inlined(c);
	return &c->result;
}

void pt_lines_windows_free(struct pt_lines_windows *w)
{
	if (w == NULL)
		return;
	for (size_t i = 0; i < w->weighted->map->n_spans; i++) {
		free(w->span[i].insn);
		free(w->span[i].line);
	}
	free(w->span);
	free(w->line);
	free(w->run);
	free(w->rest_lines);
	free(w->rest_insns);
	free(w->touched);
	pt_lines_count_free(w->weighted);
	free(w);
}

struct pt_lines_windows *pt_lines_windows_new(const struct pt_analysis_setup *setup, const struct pt_inlines *inlines)
{
	struct pt_lines_windows *w = pt_alloc(sizeof(*w));

	w->weighted = pt_lines_count_new(setup, inlines);
	w->by_instructions = setup->by_instructions;
	pt_lines_settle(w->weighted);	/* makes the table of lines */
	w->span = pt_alloc_array(setup->map->n_spans, sizeof(*w->span));
	w->line = pt_alloc_array(w->weighted->result.n_lines, sizeof(*w->line));
	return w;
}
