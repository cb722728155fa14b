/* A run touches two entries, where it began and where it ended, or was left; the rest is left to lines_settle.c. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "profile/analyses/code/lines_count.h"
#include "profile/analyses/code/lines_windows.h"
#include "base/util.h"

struct lines {
	/* by core; NULL: it gave no runs yet. There always is a first */
	struct pt_lines_count *count[PT_RUN_CORES];
	struct pt_lines_count *all;			/* of several cores together */
	const struct pt_lines *shown[PT_RUN_CORES];	/* of the result */
	struct pt_lines_windows *windows[PT_RUN_CORES];	/* likewise; NULL: there were none */
	struct pt_inlines *inlines;
	struct pt_analysis_setup setup;
};

/* --- runs */

static struct pt_span_count *find_span(struct pt_lines_count *c, uint64_t addr)
{
	for (size_t i = 0; i < c->map->n_spans; i++)
		if (addr - c->span[i].span->base <= c->span[i].span->end - c->span[i].span->base) {
			c->last = i;
			return &c->span[i];
		}
	return NULL;
}

/* Both ends of the run lie in one span, or it is none of the program's. */
static inline struct pt_span_count *span_of(struct pt_lines_count *c, const struct pt_run *run)
{
	struct pt_span_count *s = &c->span[c->last];
	uint64_t size = s->span->end - s->span->base;

	if (run->begin - s->span->base < size && run->end - s->span->base <= size)
		return s;
	s = find_span(c, run->begin);
	return s != NULL && run->end - s->span->base <= s->span->end - s->span->base && run->end >= run->begin ? s
													       : NULL;
}

/* Cycles for the instruction at addr: where it ends. */
static void charge(struct pt_lines_count *c, uint64_t addr, uint64_t cycles)
{
	struct pt_span_count *s = find_span(c, addr);
	size_t u = s != NULL ? (size_t)(addr - s->span->base) >> c->shift : 0;

	if (s != NULL && u < s->n_units && s->span->code[u].len_units > 0)
		s->unit[u + s->span->code[u].len_units].extra += cycles;
}

/* The part of the run's cycles that is not its code's: entering the handler that it went to. */
static uint64_t handlers_part(const struct pt_lines_count *c, const struct pt_run *run)
{
	uint64_t cost = run->left == PT_LEFT_EXCEPTION	  ? c->flow->exception_entry_cycles
			: run->left == PT_LEFT_TAIL_CHAIN ? c->flow->tail_chain_cycles
							  : 0;

	return cost < run->cycles ? cost : run->cycles;
}

static bool by_itself(const struct pt_run *run)
{
	return run->left != PT_LEFT_EXCEPTION && run->left != PT_LEFT_DEBUG && run->left != PT_LEFT_GAP &&
	       run->left != PT_LEFT_NEXT;
}

static inline void count(struct pt_lines_count *c, struct pt_span_count *s, const struct pt_run *run, uint64_t times)
{
	size_t b = (size_t)(run->begin - s->span->base) >> c->shift, e = (size_t)(run->end - s->span->base) >> c->shift;
	uint64_t passing = pt_sum_cycles(s->span->code[e].sums - s->span->code[b].sums), cycles = run->cycles;

	if (run->left == PT_LEFT_EXCEPTION || run->left == PT_LEFT_TAIL_CHAIN) {
		cycles -= handlers_part(c, run);
		charge(c, pt_codemap_handler(c->map, run->next), times * (run->cycles - cycles));
	}
	if (b == e) {
		charge(c, run->begin, times * cycles);
		return;
	}
	s->unit[b].begins += times;
	s->unit[e].ends += times;
	s->unit[e].left += by_itself(run) ? times : 0;
	s->unit[e].extra += times * (cycles - passing);
}

void pt_lines_count_runs(struct pt_lines_count *c, const struct pt_run *run, size_t n, uint64_t times)
{
	for (size_t i = 0; i < n; i++, run++) {
		struct pt_span_count *s = c->map->n_spans > 0 ? span_of(c, run) : NULL;

		if (s != NULL)
			count(c, s, run, times);
		else
			c->result.elsewhere += times;
	}
}

static void spread_charge(struct pt_lines_count *c, uint64_t addr, uint64_t cycles,
			  void (*visit)(void *arg, size_t span, size_t unit, uint64_t instructions, uint64_t cycles),
			  void *arg)
{
	struct pt_span_count *s = find_span(c, addr);
	size_t u = s != NULL ? (size_t)(addr - s->span->base) >> c->shift : 0;

	if (s != NULL && u < s->n_units && s->span->code[u].len_units > 0)
		visit(arg, (size_t)(s - c->span), u, 0, cycles);
}

/* As count() adds them up. */
void pt_lines_spread(struct pt_lines_count *c, const struct pt_run *run,
		     void (*visit)(void *arg, size_t span, size_t unit, uint64_t instructions, uint64_t cycles),
		     void *arg)
{
	struct pt_span_count *s = c->map->n_spans > 0 ? span_of(c, run) : NULL;
	uint64_t handlers = handlers_part(c, run), extra = run->cycles - handlers;
	size_t u, e;

	if (s == NULL)
		return;
	if (handlers != 0)
		spread_charge(c, pt_codemap_handler(c->map, run->next), handlers, visit, arg);
	if (run->begin == run->end) {
		spread_charge(c, run->begin, extra, visit, arg);
		return;
	}
	u = (size_t)(run->begin - s->span->base) >> c->shift;
	e = (size_t)(run->end - s->span->base) >> c->shift;
	while (u < e) {
		const struct pt_code_unit *code = &s->span->code[u];
		size_t next = u + (code->len_units > 0 ? code->len_units : 1);
		uint64_t passing = next <= s->n_units ? pt_sum_cycles(s->span->code[next].sums - code->sums) : 0;

		extra -= passing;
		visit(arg, (size_t)(s - c->span), u, 1, next < e ? passing : passing + extra);
		u = next;
	}
}

/* NULL: its number is too high. */
static struct pt_lines_count *count_of_core(struct lines *l, uint16_t core)
{
	if (core >= PT_RUN_CORES)
		return NULL;
	if (__builtin_expect(l->count[core] == NULL, 0))
		l->count[core] = pt_lines_count_new(&l->setup, l->inlines);
	return l->count[core];
}

static void take_runs(void *analysis, const struct pt_run *run, size_t n, uint16_t core, struct pt_timestamp from)
{
	struct pt_lines_count *c = count_of_core(analysis, core);

	(void)from;
	if (c == NULL)
		return;
	c->ran = true;
	pt_lines_count_runs(c, run, n, 1);
	if (((struct lines *)analysis)->windows[core] != NULL)
		pt_lines_windows_runs(((struct lines *)analysis)->windows[core], run, n);
}

static void take_window(void *analysis, uint16_t core, const struct pt_time_window *window)
{
	struct lines *l = analysis;

	if (core >= PT_RUN_CORES)
		return;
	if (l->windows[core] == NULL)
		l->windows[core] = pt_lines_windows_new(&l->setup, l->inlines);
	pt_lines_windows_edge(l->windows[core], window);
}

/* --- the same in brief */

static struct pt_span_count *count_of(struct pt_lines_count *c, const struct pt_code_span *span)
{
	struct pt_span_count *s = &c->span[span - c->map->span];

	if (s->passed.left == NULL) {
		s->passed.left = pt_big_alloc(2, s->n_units + 1);
		s->passed.arrived = s->passed.left + s->n_units + 1;
	}
	return s;
}

static void count_piece(struct pt_lines_count *c, const struct pt_piece *piece)
{
	struct pt_span_count *s = count_of(c, piece->span);
	const uint8_t *pair = piece->pairs, *end = pair + piece->n_pairs * PT_PAIR_BYTES;
	const struct pt_lines_passed passed = s->passed;
	const uint32_t base = (uint32_t)piece->span->base;

	for (; pair < end; pair += PT_PAIR_BYTES) {
		size_t u = (pt_le32(pair) - base) / PT_PIECE_UNIT_BYTES;

		if (__builtin_expect(++passed.left[u] == 0, 0))
			pt_lines_left(s, u, PT_LINES_FULL);
	}
	for (size_t i = 0; i < piece->n_departures; i++) {
		size_t u = (size_t)(piece->offsets[i] >> 32) / PT_PIECE_UNIT_BYTES;

		if (__builtin_expect(++passed.arrived[u] == 0, 0))
			s->unit[u].begins += PT_LINES_FULL;
	}
	s->unit[piece->begin - piece->span->code].begins++;
	/* that run is not over; until it is, this may be "negative" */
	s->unit[piece->unit - piece->span->code].begins--;
}

static void take_piece(void *analysis, const struct pt_piece *piece, uint16_t core, struct pt_timestamp from)
{
	struct pt_lines_count *c = count_of_core(analysis, core);

	(void)from;
	if (c == NULL)
		return;
	c->ran = true;
	count_piece(c, piece);
}

/* --- result, life */

const struct pt_lines_insn *pt_lines_insn_at(const struct pt_lines *lines, uint64_t address)
{
	size_t low = 0, high = lines->n_insns;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (lines->insn[middle].address == address)
			return &lines->insn[middle];
		if (lines->insn[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct pt_lines_line *pt_lines_line_at(const struct pt_lines *lines, uint32_t file, uint32_t line)
{
	size_t low = 0, high = lines->n_lines;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct pt_lines_line *at = &lines->line[middle];

		if (at->file == file && at->line == line)
			return at;
		if (at->file < file || (at->file == file && at->line < line))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool pt_lines_whole(const struct pt_profile *profile)
{
	uint64_t reset = profile->program != NULL ? pt_program_reset(profile->program) : PT_UNKNOWN;

	return profile->counts == PT_BASIS_EXACT && profile->lines != NULL && reset != PT_UNKNOWN &&
	       pt_lines_insn_at(profile->lines, reset) != NULL;
}

static void make_spans(struct pt_lines_count *c)
{
	c->span = pt_alloc_array(c->map->n_spans + 1, sizeof(*c->span));
	for (size_t i = 0; i < c->map->n_spans; i++) {
		struct pt_span_count *s = &c->span[i];

		s->span = &c->map->span[i];
		s->n_units = (size_t)(s->span->end - s->span->base) >> c->shift;
		s->unit = pt_big_alloc(s->n_units + 1, sizeof(*s->unit));
	}
}

void pt_lines_count_free(struct pt_lines_count *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->map->n_spans; i++) {
		pt_big_free(c->span[i].unit, (c->span[i].n_units + 1) * sizeof(*c->span[i].unit));
		pt_big_free(c->span[i].passed.left, 2 * (c->span[i].n_units + 1));
	}
	free(c->span);
	pt_big_free(c->insn, (c->n_insns + 1) * sizeof(*c->insn));
	free(c->line);
	free(c->seen);
	free(c->inlined);
	free(c->function);
	free(c);
}

struct pt_lines_count *pt_lines_count_new(const struct pt_analysis_setup *setup, const struct pt_inlines *inlines)
{
	struct pt_lines_count *c = pt_alloc(sizeof(*c));

	c->scale = 1;
	c->map = c->result.map = setup->map;
	c->flow = setup->flow;
	c->program = setup->program;
	c->shift = (unsigned)__builtin_ctz(c->map->isa->unit_bytes);
	c->inlines = c->result.inlines = inlines;
	c->result.n_functions = setup->n_functions;
	c->function = pt_alloc_array(setup->n_functions + 1, sizeof(*c->function));
	make_spans(c);
	return c;
}

static void forget(struct pt_lines_count *c)
{
	for (size_t i = 0; i < c->map->n_spans; i++)
		memset(c->span[i].unit, 0, (c->span[i].n_units + 1) * sizeof(*c->span[i].unit));
	c->result.elsewhere = 0;
}

static const struct pt_lines *of_all(struct lines *l, size_t n_cores)
{
	struct pt_lines_count *all = l->all;

	if (all == NULL)
		l->all = all = pt_lines_count_new(&l->setup, l->inlines);
	forget(all);
	for (size_t i = 0; i < PT_RUN_CORES; i++)
		if (l->count[i] != NULL && l->count[i]->ran)
			pt_lines_sum(all, l->count[i]);
	pt_lines_settle(all);
	all->result.cores = l->shown;
	all->result.n_cores = n_cores;
	return &all->result;
}

/* Where nothing ran, there still is what could have. */
static void give(void *analysis, struct pt_profile *profile)
{
	struct lines *l = analysis;
	size_t n = 0, any = 0;

	for (size_t i = 0; i < PT_RUN_CORES; i++)
		any += l->count[i] != NULL && l->count[i]->ran;
	for (uint16_t i = 0; i < PT_RUN_CORES; i++) {
		struct pt_lines_count *c = l->count[i];

		if (c == NULL || (!c->ran && (any > 0 || i > 0)))
			continue;
		pt_lines_move_passed(c);
		if (l->windows[i] != NULL && pt_profile_windowed(profile, i) != NULL) {
			l->shown[n++] =
				pt_lines_windows_give(l->windows[i], c, pt_profile_windowed(profile, i), profile);
			continue;
		}
		pt_lines_settle(c);
		c->result.core = i;
		l->shown[n++] = &c->result;
	}
	profile->lines = n > 1 ? of_all(l, n) : l->shown[0];
}

static void lines_free(void *analysis)
{
	struct lines *l = analysis;

	for (size_t i = 0; i < PT_RUN_CORES; i++) {
		pt_lines_count_free(l->count[i]);
		pt_lines_windows_free(l->windows[i]);
	}
	pt_lines_count_free(l->all);
	pt_inlines_free(l->inlines);
	free(l);
}

static void *lines_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct lines *l = pt_alloc(sizeof(*l));

	l->setup = *setup;
	l->inlines = pt_inlines_new(setup->program);
	if (l->inlines == NULL) {
		free(l);
		pt_fail(err, PT_ENOMEM, "not enough memory for counts per line");
		return NULL;
	}
	count_of_core(l, 0);
	return l;
}

const struct pt_analysis pt_analysis_lines = {
	.name = "lines", .help = "counts and time per line, instruction and inlined call; coverage", .standard = true,
	.open = lines_new, .close = lines_free, .runs = take_runs, .piece = take_piece, .window = take_window, .result = give,
};
