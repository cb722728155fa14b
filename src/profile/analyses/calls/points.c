#include "profile/analyses/calls/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "program/code/exits.h"

static const struct pt_param functions_word = { .key = "functions", .type = PT_PARAM_LIST };

const struct pt_param pt_point_params[PT_POINT_PARAMS] = {
	{ "span", PT_PARAM_LIST, NULL, NULL, 0, 0,
	  "named spans for entry/exit analysis: NAME:START..END,... (points: main, main+0x1c, main_EXIT_2, uart.c:120, "
	  "0x1234)" },
	{ "exits", PT_PARAM_LIST, NULL, NULL, 0, 0,
	  "exits by hand, instead of those found: FUNCTION:POINT+POINT,..." },
};

struct named { char *name; uint64_t begin, end; };

struct piece {			/* a span of code */
	const struct pt_code_span *code;
	uint32_t *before;	/* by unit: points in front of it; one more at the end */
	size_t n_units;
};

struct pt_points {
	const struct pt_codemap *map;
	unsigned shift;		/* of a unit's bytes: this is asked for every run */
	const struct pt_function *functions;
	size_t n_functions;
	struct pt_exits *exits;
	uint16_t *chosen;	/* ids of functions, in order */
	size_t n_chosen;
	struct named *named;
	size_t n_named;
	struct pt_point *point;	/* by address */
	size_t n_points, room;
	struct piece *piece;	/* as the code map's spans */
};

/* --- which functions */

static bool is_chosen(const struct pt_function *function, const char *list)
{
	for (size_t len; *list != '\0'; list += len + (list[len] == ',')) {
		len = pt_function_list_first(list);
		if (len > 0 && pt_function_is(function, list, len))
			return true;
	}
	return false;
}

static void choose_functions(struct pt_points *p, const char *list)
{
	p->chosen = pt_alloc_array(p->n_functions + 1, sizeof(*p->chosen));
	for (size_t i = 0; i < p->n_functions && i + 1 < UINT16_MAX; i++)
		if (list == NULL || is_chosen(&p->functions[i], list))
			p->chosen[p->n_chosen++] = (uint16_t)(i + 1);
}

/* --- named spans: NAME:START..END */

/* The exit of this name, as monitor exits lists them: MAIN_EXIT_2. PT_UNKNOWN: there is none. */
static uint64_t exit_named(const struct pt_points *p, const char *name)
{
	for (size_t id = 1; id <= p->n_functions && strstr(name, "_EXIT_") != NULL; id++) {
		size_t n;
		const struct pt_function_exit *exit = pt_exits_of(p->exits, id, &n);

		for (size_t i = 0; i < n; i++)
			if (exit[i].name != NULL && strcmp(exit[i].name, name) == 0)
				return exit[i].addr;
	}
	return PT_UNKNOWN;
}

static int point_of(const struct pt_points *p, const char *text, size_t len, uint64_t *addr, struct pt_err *err)
{
	char copy[200];
	const struct pt_code_unit *unit;

	if (len >= sizeof(copy))
		return pt_fail(err, PT_EARG, "span: a code point of %zu characters is too long", len);
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (p->map->program == NULL)
		return pt_fail(err, PT_EARG, "span: '%s' needs an ELF", copy);
	*addr = exit_named(p, copy);
	if (*addr == PT_UNKNOWN && pt_program_point(p->map->program, copy, addr, err) < 0)
		return pt_wrap(err, "span");
	unit = pt_codemap_at(p->map, *addr);
	if (unit == NULL || unit->len_units == 0)
		return pt_fail(err, PT_EARG, "span: no instruction begins at '%s'", copy);
	return 0;
}

static const char *dots_in(const char *text, size_t len)	/* the last ".."; NULL: none */
{
	for (size_t i = len; i-- > 1;)
		if (text[i] == '.' && text[i - 1] == '.')
			return text + i - 1;
	return NULL;
}

static int add_named(struct pt_points *p, const char *text, size_t len, struct pt_err *err)
{
	const char *colon = memchr(text, ':', len), *dots = dots_in(text, len);
	struct named *named = &p->named[p->n_named];

	if (colon == NULL || colon == text || dots == NULL || dots < colon)
		return pt_fail(err, PT_EARG, "span: '%.*s' is not NAME:START..END", len > 60 ? 60 : (int)len, text);
	if (point_of(p, colon + 1, (size_t)(dots - colon) - 1, &named->begin, err) < 0 ||
	    point_of(p, dots + 2, len - (size_t)(dots - text) - 2, &named->end, err) < 0)
		return PT_EARG;
	named->name = pt_strndup(text, (size_t)(colon - text));
	p->n_named++;
	return 0;
}

static int name_spans(struct pt_points *p, const char *list, struct pt_err *err)
{
	size_t n = 1;

	for (const char *c = list; c != NULL && *c != '\0'; c++)
		n += *c == ',';
	p->named = pt_alloc_array(n, sizeof(*p->named));
	for (size_t len; list != NULL && *list != '\0'; list += len + (list[len] == ',')) {
		len = pt_function_list_first(list);
		if (len > 0 && add_named(p, list, len, err) < 0)
			return PT_EARG;
	}
	return 0;
}

/* --- points */

static void add(struct pt_points *p, struct pt_point point)
{
	if (p->n_points == p->room) {
		p->room = p->room * 2 + 64;
		p->point = pt_realloc_array(p->point, p->room, sizeof(*p->point));
	}
	p->point[p->n_points++] = point;
}

/* Only of a chosen function are the exits known. */
static uint16_t chosen_at(const struct pt_points *p, uint64_t address)
{
	const struct pt_code_unit *unit = pt_codemap_at(p->map, address);

	for (size_t i = 0; unit != NULL && i < p->n_chosen; i++)
		if (p->chosen[i] == unit->function)
			return unit->function;
	return PT_NO_FUNCTION;
}

static struct pt_point exit_point(const struct pt_points *p, const struct pt_function_exit *exit, uint32_t span)
{
	return (struct pt_point){
		.address = exit->addr, .span = span, .what = PT_POINT_EXIT, .computed = exit->by == PT_EXIT_BY_COMPUTED,
		.falls = exit->by == PT_EXIT_BY_FALLING,
		.into = exit->by == PT_EXIT_BY_JUMP_INTO ? chosen_at(p, exit->target) : PT_NO_FUNCTION,
	};
}

static void add_function(struct pt_points *p, uint32_t span, uint16_t id)
{
	size_t n;
	const struct pt_function_exit *exit = pt_exits_of(p->exits, id, &n);
	uint64_t entry = p->functions[id - 1].address;

	add(p, (struct pt_point){ .address = entry, .span = span, .what = PT_POINT_ENTRY });
	for (size_t i = 0; i < n; i++)
		if (exit[i].by != PT_EXIT_NEVER)
			add(p, exit_point(p, &exit[i], span));
}

static int by_address(const void *a, const void *b)
{
	const struct pt_point *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return (x->span > y->span) - (x->span < y->span);
}

static void add_all(struct pt_points *p)
{
	for (size_t i = 0; i < p->n_chosen; i++)
		add_function(p, (uint32_t)i, p->chosen[i]);
	for (size_t i = 0; i < p->n_named; i++) {
		const struct named *named = &p->named[i];
		uint32_t span = (uint32_t)(p->n_chosen + i);

		add(p, (struct pt_point){ .address = named->begin, .span = span, .what = PT_POINT_BEGIN });
		add(p, (struct pt_point){ .address = named->end, .span = span, .what = PT_POINT_END });
	}
	if (p->n_points > 0)
		qsort(p->point, p->n_points, sizeof(*p->point), by_address);
}

/* --- prefix sums */

static size_t first_from(const struct pt_points *p, uint64_t address)	/* the first point not before it */
{
	size_t from = 0, to = p->n_points;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (p->point[middle].address < address)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static void sum_up(const struct pt_points *p, struct piece *piece, const struct pt_code_span *code)
{
	unsigned unit = p->map->isa->unit_bytes;
	size_t next = first_from(p, code->base);

	piece->code = code;
	piece->n_units = (size_t)((code->end - code->base) / unit);
	piece->before = pt_big_alloc(piece->n_units + 1, sizeof(*piece->before));
	for (size_t i = 0; i <= piece->n_units; i++) {
		piece->before[i] = (uint32_t)next;
		while (next < p->n_points && p->point[next].address < code->base + (i + 1) * unit)
			next++;
	}
}

static void make_pieces(struct pt_points *p)
{
	p->piece = pt_alloc_array(p->map->n_spans + 1, sizeof(*p->piece));
	for (size_t i = 0; i < p->map->n_spans; i++)
		sum_up(p, &p->piece[i], &p->map->span[i]);
}

bool pt_points_passed(const struct pt_points *p, uint64_t begin, uint64_t end, struct pt_points_passed *out)
{
	for (size_t i = 0; i < p->map->n_spans; i++) {
		const struct piece *piece = &p->piece[i];
		uint64_t from = begin - piece->code->base, to = end - piece->code->base;
		uint64_t bytes = piece->code->end - piece->code->base;
		uint32_t first, behind;

		if (from >= bytes || to > bytes)
			continue;
		first = piece->before[from >> p->shift];
		behind = piece->before[to >> p->shift];
		if (first >= behind)
			return false;
		*out = (struct pt_points_passed){ p->point + first, p->point + behind,
						  piece->code->code + (from >> p->shift), p->shift };
		return true;
	}
	return false;
}

/* --- life */

struct pt_points *pt_points_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct pt_points *p = pt_alloc(sizeof(*p));

	p->map = setup->map;
	while (1u << p->shift < setup->map->isa->unit_bytes)
		p->shift++;
	if (setup->program != NULL)
		p->functions = pt_program_functions(setup->program, &p->n_functions);
	p->exits = pt_exits_new(setup->map, pt_params_text(setup->words, &pt_point_params[1]), err);
	choose_functions(p, pt_params_text(setup->words, &functions_word));
	if (p->exits == NULL || name_spans(p, pt_params_text(setup->words, &pt_point_params[0]), err) < 0) {
		pt_points_free(p);
		return NULL;
	}
	add_all(p);
	make_pieces(p);
	return p;
}

void pt_points_free(struct pt_points *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; p->piece != NULL && i < p->map->n_spans; i++)
		pt_big_free(p->piece[i].before, (p->piece[i].n_units + 1) * sizeof(*p->piece[i].before));
	for (size_t i = 0; i < p->n_named; i++)
		free(p->named[i].name);
	pt_exits_free(p->exits);
	free(p->piece);
	free(p->named);
	free(p->chosen);
	free(p->point);
	free(p);
}

size_t pt_points_spans(const struct pt_points *p)
{
	return p->n_chosen + p->n_named;
}

void pt_points_name(const struct pt_points *p, size_t i, struct pt_span_figures *row)
{
	const struct pt_code_unit *unit;

	if (i < p->n_chosen) {
		row->by = PT_SPAN_BY_FUNCTION;
		row->id = p->chosen[i];
		row->function = &p->functions[row->id - 1];
		row->name = row->function->name;
		row->begin = row->function->address;
		return;
	}
	row->by = PT_SPAN_BY_POINTS;
	row->name = p->named[i - p->n_chosen].name;
	row->begin = p->named[i - p->n_chosen].begin;
	row->end = p->named[i - p->n_chosen].end;
	unit = pt_codemap_at(p->map, row->begin);
	row->id = unit->function;
	row->function = unit->function != PT_NO_FUNCTION ? &p->functions[unit->function - 1] : NULL;
}
