/* From counters to tables. Instructions first: everything else is made of them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "profile/analyses/code/lines_count.h"

/* --- from what passed to what was counted */

/* They ended behind it, and it cost what it costs to branch instead of passing straight on. */
void pt_lines_left(const struct pt_span_count *s, size_t u, uint64_t n)
{
	const struct pt_code_unit *code = &s->span->code[u];
	struct pt_unit_count *behind = &s->unit[u + code->len_units];

	behind->ends += n;
	behind->left += n;
	if (!code->departs)
		s->unit[(code->target - 1) / PT_PIECE_UNIT_BYTES].begins += n;
	behind->extra += n * (code->leave_cycles - (uint64_t)pt_sum_cycles(code[code->len_units].sums - code->sums));
}

void pt_lines_move_passed(struct pt_lines_count *c)
{
	for (size_t i = 0; i < c->map->n_spans; i++) {
		struct pt_span_count *s = &c->span[i];

		for (size_t u = 0; s->passed.left != NULL && u < s->n_units; u++) {
			s->unit[u].begins += s->passed.arrived[u];
			if (s->passed.left[u] > 0)
				pt_lines_left(s, u, s->passed.left[u]);
			s->passed.left[u] = s->passed.arrived[u] = 0;
		}
	}
}

void pt_lines_sum(struct pt_lines_count *to, const struct pt_lines_count *from)
{
	to->result.elsewhere += from->result.elsewhere;
	for (size_t i = 0; i < to->map->n_spans; i++)
		for (size_t u = 0; u <= to->span[i].n_units; u++) {
			struct pt_unit_count *sum = &to->span[i].unit[u];
			const struct pt_unit_count *unit = &from->span[i].unit[u];

			sum->begins += unit->begins;
			sum->ends += unit->ends;
			sum->left += unit->left;
			sum->extra += unit->extra;
		}
}

/* One instruction, executed or not. */
struct insn {
	const struct pt_span_count *s;
	size_t u;		/* unit in the span */
	uint64_t address, count, cycles;
	uint64_t seen, seen_left;	/* count and left that were seen; the same but for estimates */
	const struct pt_code_unit *code;
	const struct pt_unit_count *here, *behind;	/* counters at it, and where it ends */
};

enum { MOST_PADDING = 8 };	/* instructions in a row */

/* Is the instruction at unit what an assembler fills up with? It never ran, and goes straight on into what is no code, as
 * a nop in front of a literal pool; or, outside of all functions, into the next one. */
static bool is_padding(const struct pt_code_unit *code)
{
	for (unsigned i = 0; i < MOST_PADDING && code->flow == PT_FLOW_NEXT; i++) {
		const struct pt_code_unit *next = code + code->len_units;

		if (next->len_units == 0 || (code->function == PT_NO_FUNCTION && next->function != PT_NO_FUNCTION))
			return true;
		if (next->function != code->function)
			return false;
		code = next;
	}
	return false;
}

/* Calls visit for each instruction of the map, by address. Padding is none. */
static void for_each_insn(struct pt_lines_count *c, void (*visit)(void *arg, const struct insn *insn), void *arg)
{
	for (size_t i = 0; i < c->map->n_spans; i++) {
		const struct pt_span_count *s = &c->span[i], *as_seen = c->as_seen != NULL ? &c->as_seen->span[i] : s;
		uint64_t count = 0, seen = 0;

		for (size_t u = 0; u < s->n_units; u++) {
			const struct pt_code_unit *code = &s->span->code[u], *next = code + code->len_units;
			struct insn insn = { .s = s, .u = u, .code = code, .here = &s->unit[u] };

			count += s->unit[u].begins - s->unit[u].ends;
			seen += as_seen->unit[u].begins - as_seen->unit[u].ends;
			if (code->len_units == 0 || u + code->len_units > s->n_units ||
			    (count == 0 && seen == 0 && is_padding(code)))
				continue;
			insn.address = s->span->base + ((uint64_t)u << c->shift);
			insn.count = count;
			insn.seen = seen;
			insn.seen_left = as_seen->unit[u + code->len_units].left;
			insn.behind = &s->unit[u + code->len_units];
			insn.cycles = count * pt_sum_cycles(next->sums - code->sums) + insn.behind->extra;
			visit(arg, &insn);
		}
	}
}

/* --- instructions, and coverage of functions by them */

struct listing { struct pt_lines_count *c; size_t n; };

static void list_insn(void *arg, const struct insn *insn)
{
	struct listing *l = arg;
	struct pt_lines_count *c = l->c;
	struct pt_lines_function *f = &c->function[insn->code->function];
	bool decides = insn->code->flow == PT_FLOW_BRANCH_IF;

	f->n_insns++;
	f->n_observed += insn->seen > 0;
	f->n_branches += decides;
	f->n_ways_observed += decides && insn->seen_left > 0;
	f->n_ways_observed += decides && insn->seen > insn->seen_left;
	if (insn->seen == 0 && insn->cycles == 0)
		return;
	c->insn[l->n++] = (struct pt_lines_insn){
		.address = insn->address, .count = insn->count, .left = insn->behind->left, .cycles = insn->cycles,
		.function = insn->code->function,
	};
}

static void count_insn(void *n_insns, const struct insn *insn)
{
	(void)insn;
	++*(size_t *)n_insns;
}

/* For all that the code map has: a result late in a profile needs no more memory than an early one. */
static void make_room(struct pt_lines_count *c)
{
	if (c->insn != NULL)
		return;
	c->n_insns = 0;
	for_each_insn(c, count_insn, &c->n_insns);
	c->insn = pt_big_alloc(c->n_insns + 1, sizeof(*c->insn));
	pt_big_touch(c->insn, (c->n_insns + 1) * sizeof(*c->insn));
}

static void list_insns(struct pt_lines_count *c)
{
	struct listing l = { .c = c };

	make_room(c);
	memset(c->function, 0, c->result.n_functions * sizeof(*c->function));
	for_each_insn(c, list_insn, &l);
	c->result.insn = c->insn;
	c->result.n_insns = l.n;
	c->result.function = c->function;
}

/* --- lines */

/* A statement of a line in one place: a function, or an inlined call in it. The count of its most executed one
 * counts. */
struct place { uint64_t count, seen; size_t line; uint32_t function, inlined; bool is_stmt; };

struct lines_work {
	struct pt_lines_count *c;
	const struct pt_line_range *range;
	size_t n_ranges, at;	/* range that the walk has come to */
	struct place *place;
	size_t n_places;
	uint64_t from;		/* range whose first instruction has been seen */
};

static bool add_lines(struct pt_lines_count *c)
{
	size_t n = 0, n_lines = 0;
	struct pt_code_line *all = c->program != NULL ? pt_program_code_lines(c->program, &n) : NULL;

	free(c->line);
	c->line = pt_alloc_array(n + 1, sizeof(*c->line));
	for (size_t i = 0; i < n; i++) {
		if (n_lines > 0 && c->line[n_lines - 1].file == all[i].file && c->line[n_lines - 1].line == all[i].line)
			continue;
		c->line[n_lines++] = (struct pt_lines_line){ .file = all[i].file, .line = all[i].line };
	}
	free(all);
	c->result.line = c->line;
	c->result.n_lines = n_lines;
	return n_lines > 0;
}

static const struct pt_line_range *range_of(struct lines_work *w, uint64_t address)
{
	while (w->at < w->n_ranges && w->range[w->at].to <= address)
		w->at++;
	return w->at < w->n_ranges && w->range[w->at].from <= address ? &w->range[w->at] : NULL;
}

static void note_place(struct lines_work *w, const struct pt_line_range *range, size_t line, const struct insn *insn)
{
	if (w->n_places > 0 && w->from == range->from)
		return;		/* not the first instruction of the statement */
	w->from = range->from;
	w->place[w->n_places++] = (struct place){
		.line = line, .function = range->function, .inlined = pt_inlines_at(w->c->inlines, range->from),
		.count = insn->count, .seen = insn->seen, .is_stmt = range->is_stmt,
	};
}

static void add_to_line(void *arg, const struct insn *insn)
{
	struct lines_work *w = arg;
	const struct pt_line_range *range = range_of(w, insn->address);
	struct pt_lines_line *line;

	if (range == NULL || range->line == 0)
		return;
	line = (struct pt_lines_line *)pt_lines_line_at(&w->c->result, range->file, range->line);
	if (line == NULL)
		return;
	if (line->n_insns == 0)
		line->function = insn->code->function;
	line->n_insns++;
	line->n_observed += insn->seen > 0;
	line->instructions += insn->count;
	line->cycles += insn->cycles;
	note_place(w, range, (size_t)(line - w->c->line), insn);
}

/* By line and place; statements before what is none, the largest count first. */
static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->inlined != y->inlined)
		return x->inlined < y->inlined ? -1 : 1;
	if (x->is_stmt != y->is_stmt)
		return x->is_stmt ? -1 : 1;
	return (x->count < y->count) - (x->count > y->count);
}

static void count_lines(struct lines_work *w)
{
	qsort(w->place, w->n_places, sizeof(*w->place), compare_places);
	for (size_t i = 0; i < w->n_places; i++) {
		const struct place *p = &w->place[i];

		if (i == 0 || p->line != p[-1].line || p->function != p[-1].function || p->inlined != p[-1].inlined)
			w->c->line[p->line].count += p->count;
	}
}

/* Which lines of a function were seen: places again, by function. */
static void cover_functions(struct lines_work *w)
{
	bool seen = false;

	for (size_t i = 0; i < w->n_places; i++) {
		const struct place *p = &w->place[i];
		bool first = i == 0 || p->line != p[-1].line || p->function != p[-1].function;
		bool known = p->function + 1 < w->c->result.n_functions;
		struct pt_lines_function *f = &w->c->function[known ? p->function + 1 : PT_NO_FUNCTION];

		seen = !first && seen;
		f->n_lines += first;
		f->n_lines_observed += !seen && p->seen > 0;
		seen |= p->seen > 0;
	}
}

static void list_seen(struct pt_lines_count *c)
{
	free(c->seen);
	c->seen = pt_alloc_array(c->result.n_lines + 1, sizeof(*c->seen));
	c->result.seen = c->seen;
	c->result.n_seen = 0;
	for (size_t i = 0; i < c->result.n_lines; i++)
		if (c->line[i].n_observed > 0 || c->line[i].cycles > 0)
			c->seen[c->result.n_seen++] = (uint32_t)i;
}

static void settle_lines(struct pt_lines_count *c)
{
	struct lines_work w = { .c = c };

	if (!add_lines(c))
		return;
	w.range = pt_program_lines(c->program, &w.n_ranges);
	w.place = pt_alloc_array(w.n_ranges + 1, sizeof(*w.place));
	for_each_insn(c, add_to_line, &w);
	count_lines(&w);
	cover_functions(&w);
	list_seen(c);
	free(w.place);
}

/* --- inlined calls */

struct inline_work {
	struct pt_lines_count *c;
	const struct pt_inline *call;	/* by id */
	size_t n_calls;
	const struct pt_inline_range *range;
	size_t n_ranges, at;
	struct pt_lines_inline *sum;	/* by id; count wraps until all of it is added up */
	uint32_t before;		/* the inlined call that the instruction before is in */
	uint64_t end;			/* where that one ends */
};

static uint32_t inline_at(struct inline_work *w, uint64_t address)
{
	while (w->at < w->n_ranges && w->range[w->at].to <= address)
		w->at++;
	return w->at < w->n_ranges && w->range[w->at].from <= address ? w->range[w->at].id : PT_NO_INLINE;
}

/* Is the inlined call inner part of outer, or the same? Parents have smaller ids. */
static bool is_inside(const struct inline_work *w, uint32_t inner, uint32_t outer)
{
	while (inner > outer)
		inner = w->call[inner].parent;
	return inner == outer;
}

static uint32_t target_inline(const struct inline_work *w, const struct insn *insn)
{
	const struct pt_code_unit *code = insn->code;
	uint64_t behind = insn->address + ((uint64_t)code->len_units << w->c->shift), target = behind;

	if ((code->flow & PT_FLOW_LEAVES) == (PT_FLOW_BRANCH & PT_FLOW_LEAVES))
		target = pt_codemap_target(w->c->map, insn->address);
	else if ((code->flow & PT_FLOW_LEAVES) != (PT_FLOW_CALL & PT_FLOW_LEAVES))
		return PT_NO_INLINE;	/* a return leaves all of it */
	return target != PT_UNKNOWN ? pt_inlines_at(w->c->inlines, target) : PT_NO_INLINE;
}

/* Entries of id by this instruction: arrivals at it, less those from inside. Where the instruction before is inside
 * too, who comes straight on does not count, and neither does who goes on after an interrupt; jumps from inside and
 * returns to it never do. */
static uint64_t entries(const struct inline_work *w, const struct insn *insn, uint32_t id, uint32_t target)
{
	const struct pt_unit_count *here = insn->here;
	bool follows = w->end == insn->address && is_inside(w, w->before, id);
	uint64_t n = follows ? here->begins - (here->ends - here->left) : insn->count;

	if (target != PT_NO_INLINE && is_inside(w, target, id))
		n -= insn->behind->left;
	return n;
}

static void add_to_inlined(void *arg, const struct insn *insn)
{
	struct inline_work *w = arg;
	uint32_t innermost = inline_at(w, insn->address), target;

	if (innermost != PT_NO_INLINE) {
		target = target_inline(w, insn);
		w->sum[innermost].instructions += insn->count;
		w->sum[innermost].cycles += insn->cycles;
		for (uint32_t id = innermost; id != PT_NO_INLINE; id = w->call[id].parent) {
			w->sum[id].function = insn->code->function;
			w->sum[id].cycles_inside += insn->cycles;
			w->sum[id].count += entries(w, insn, id, target);
		}
	}
	w->before = innermost;
	w->end = insn->address + ((uint64_t)insn->code->len_units << w->c->shift);
}

static void settle_inlined(struct pt_lines_count *c)
{
	struct inline_work w = { .c = c };

	w.call = pt_inlines_calls(c->inlines, &w.n_calls);
	w.range = pt_inlines_ranges(c->inlines, &w.n_ranges);
	free(c->inlined);
	c->inlined = w.sum = pt_alloc_array(w.n_calls + 1, sizeof(*w.sum));
	c->result.inlined = c->inlined;
	c->result.n_inlined = 0;
	for_each_insn(c, add_to_inlined, &w);
	for (uint32_t id = 1; id < w.n_calls; id++) {
		if (w.sum[id].cycles_inside == 0)
			continue;
		if ((int64_t)w.sum[id].count < 0)	/* cut off by a gap, in the middle */
			w.sum[id].count = 0;
		w.sum[id].id = id;
		c->inlined[c->result.n_inlined++] = w.sum[id];
	}
}

/* --- from weighted windows to the whole profile */

static void scale(uint64_t *value, double by)
{
	*value = (uint64_t)((double)*value * by + 0.5);
}

static void scale_all(struct pt_lines_count *c)
{
	for (size_t i = 0; i < c->result.n_insns; i++) {
		scale(&c->insn[i].count, c->scale);
		scale(&c->insn[i].left, c->scale);
		scale(&c->insn[i].cycles, c->scale);
	}
	for (size_t i = 0; i < c->result.n_lines; i++) {
		scale(&c->line[i].count, c->scale);
		scale(&c->line[i].instructions, c->scale);
		scale(&c->line[i].cycles, c->scale);
	}
	for (size_t i = 0; i < c->result.n_inlined; i++) {
		scale(&c->inlined[i].count, c->scale);
		scale(&c->inlined[i].instructions, c->scale);
		scale(&c->inlined[i].cycles, c->scale);
		scale(&c->inlined[i].cycles_inside, c->scale);
	}
}

void pt_lines_settle(struct pt_lines_count *c)
{
	list_insns(c);
	settle_lines(c);
	settle_inlined(c);
	if (c->scale != 1)
		scale_all(c);
}
