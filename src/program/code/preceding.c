/* One sweep through the map lists all jumps by target; queries look into these lists. The returns of a call are found
 * by following the jumps that leave the called function (tail calls, and functions that fall through into the next
 * one). */
#include "program/code/preceding.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "program/code/codemap.h"

struct edge { uint64_t to, from; };
struct list { uint64_t *at; size_t n, room; };

struct pt_preceding {
	const struct pt_codemap *map;
	const struct pt_function *functions;
	size_t n_functions;
	struct edge *to;		/* direct jumps and calls, by target */
	struct edge *out;		/* jumps that leave a function for good, by address */
	size_t n_to, room_to, n_out, room_out;
	struct list pointers, returns;	/* by address */
	uint8_t *visited;		/* by function id */
	uint16_t *pending;		/* functions whose ends must still be examined */
};

static void add_edge(struct edge **edges, size_t *n, size_t *room, struct edge edge)
{
	if (*n == *room) {
		*room = *room > 0 ? 2 * *room : 256;
		*edges = pt_realloc_array(*edges, *room, sizeof(**edges));
	}
	(*edges)[(*n)++] = edge;
}

static void add_address(struct list *list, uint64_t address)
{
	if (list->n == list->room) {
		list->room = list->room > 0 ? 2 * list->room : 256;
		list->at = pt_realloc_array(list->at, list->room, sizeof(*list->at));
	}
	list->at[list->n++] = address;
}

/* True: not an unconditional jump, a call, a return, or data. */
static bool goes_on(const struct pt_code_unit *unit)
{
	return pt_sum_breaks(unit[unit->len_units].sums - unit->sums) == 0;
}

static void list_unit(struct pt_preceding *p, const struct pt_code_unit *unit, uint64_t from, uint64_t behind)
{
	bool calls = unit->flow == PT_FLOW_CALL || unit->flow == PT_FLOW_INDIRECT_CALL;
	uint64_t to = (unit->flow & PT_FLOW_LEAVES) != 0 ? pt_codemap_target(p->map, from) : PT_UNKNOWN;
	bool in_code;

	if (unit->flow == PT_FLOW_RETURN)
		add_address(&p->returns, from);
	else if (unit->flow == PT_FLOW_INDIRECT || unit->flow == PT_FLOW_INDIRECT_CALL)
		add_address(&p->pointers, from);
	else if (to != PT_UNKNOWN)
		add_edge(&p->to, &p->n_to, &p->room_to, (struct edge){ to, from });
	if (to != PT_UNKNOWN && !calls && pt_codemap_function(p->map, to, &in_code) != unit->function)
		add_edge(&p->out, &p->n_out, &p->room_out, (struct edge){ to, from });
	if (goes_on(unit) && unit[unit->len_units].function != unit->function && unit[unit->len_units].len_units > 0)
		add_edge(&p->out, &p->n_out, &p->room_out, (struct edge){ behind, from });
}

static int by_target(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->to != y->to ? (x->to > y->to) - (x->to < y->to) : (x->from > y->from) - (x->from < y->from);
}

struct pt_preceding *pt_preceding_new(const struct pt_codemap *map)
{
	unsigned unit_bytes = map->isa->unit_bytes;
	struct pt_preceding *p;

	if (map->program == NULL || map->isa == &pt_isa_none)
		return NULL;
	p = pt_alloc(sizeof(*p));
	p->map = map;
	p->functions = pt_program_functions(map->program, &p->n_functions);
	p->n_functions = p->n_functions < PT_MAX_FUNCTIONS ? p->n_functions : PT_MAX_FUNCTIONS;
	p->visited = pt_alloc_array(p->n_functions + 1, sizeof(*p->visited));
	p->pending = pt_alloc_array(p->n_functions + 1, sizeof(*p->pending));
	for (size_t i = 0; i < map->n_spans; i++)
		for (uint64_t at = map->span[i].base; at < map->span[i].end;) {
			const struct pt_code_unit *unit = &map->span[i].code[(at - map->span[i].base) / unit_bytes];
			uint64_t behind = at + (uint64_t)unit->len_units * unit_bytes;

			if (unit->len_units > 0)
				list_unit(p, unit, at, behind);
			at = unit->len_units > 0 ? behind : at + unit_bytes;
		}
	if (p->n_to > 0)
		qsort(p->to, p->n_to, sizeof(*p->to), by_target);
	return p;
}

void pt_preceding_free(struct pt_preceding *preceding)
{
	if (preceding == NULL)
		return;
	free(preceding->to);
	free(preceding->out);
	free(preceding->pointers.at);
	free(preceding->returns.at);
	free(preceding->visited);
	free(preceding->pending);
	free(preceding);
}

/* --- what a call comes back from */

static size_t first_from(const struct list *list, uint64_t address)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list->at[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t first_out(const struct pt_preceding *p, uint64_t address)
{
	size_t low = 0, high = p->n_out;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->out[middle].from < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void visit(struct pt_preceding *p, uint64_t address, size_t *n_pending)
{
	bool in_code;
	uint16_t id = pt_codemap_function(p->map, address, &in_code);

	if (id == PT_NO_FUNCTION || p->visited[id])
		return;
	p->visited[id] = 1;
	p->pending[(*n_pending)++] = id;
}

/* True: the range has a computed jump without a link, which may be a tail call of any function. */
static bool jumps_anywhere(const struct pt_preceding *p, uint64_t address, uint64_t end)
{
	for (size_t i = first_from(&p->pointers, address); i < p->pointers.n && p->pointers.at[i] < end; i++)
		if (pt_codemap_at(p->map, p->pointers.at[i])->flow == PT_FLOW_INDIRECT)
			return true;
	return false;
}

static unsigned returns_from(struct pt_preceding *p, uint64_t called, pt_preceding_at at, void *arg)
{
	size_t n_pending = 0;
	unsigned besides = 0;
	bool in_code;

	if (pt_codemap_function(p->map, called, &in_code) == PT_NO_FUNCTION)
		return PT_PRECEDED_BY_RETURN;
	memset(p->visited, 0, p->n_functions + 1);
	visit(p, called, &n_pending);
	for (size_t i = 0; i < n_pending; i++) {
		const struct pt_function *f = &p->functions[p->pending[i] - 1];
		uint64_t end = f->address + f->size;

		for (size_t k = first_from(&p->returns, f->address); k < p->returns.n && p->returns.at[k] < end; k++)
			at(arg, p->returns.at[k]);
		for (size_t k = first_out(p, f->address); k < p->n_out && p->out[k].from < end; k++)
			visit(p, p->out[k].to, &n_pending);
		if (jumps_anywhere(p, f->address, end))
			besides = PT_PRECEDED_BY_RETURN;
	}
	return besides;
}

/* --- what is before an address */

/* The instruction that ends at the address; NULL: none does. */
static const struct pt_code_unit *in_front(const struct pt_preceding *p, uint64_t address, uint64_t *from)
{
	unsigned unit_bytes = p->map->isa->unit_bytes;

	for (unsigned k = 1; k <= PT_ISA_MOST_UNITS; k++) {
		const struct pt_code_unit *unit;

		*from = address - (uint64_t)k * unit_bytes;
		unit = pt_codemap_at(p->map, *from);
		if (unit == NULL || unit->len_units > 0)
			return unit != NULL && unit->len_units == k ? unit : NULL;
	}
	return NULL;
}

static unsigned fall_in(struct pt_preceding *p, uint64_t address, bool *any, pt_preceding_at at, void *arg)
{
	uint64_t from;
	const struct pt_code_unit *unit = in_front(p, address, &from);

	if (unit == NULL)
		return 0;
	*any = true;
	if (unit->flow == PT_FLOW_CALL)
		return returns_from(p, pt_codemap_target(p->map, from), at, arg);
	if (unit->flow == PT_FLOW_INDIRECT_CALL)
		return PT_PRECEDED_BY_RETURN;
	*any = goes_on(unit);
	if (*any)
		at(arg, from);
	return 0;
}

static bool jump_in(const struct pt_preceding *p, uint64_t address, pt_preceding_at at, void *arg)
{
	size_t low = 0, high = p->n_to;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->to[middle].to < address)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < p->n_to && p->to[high].to == address; high++)
		at(arg, p->to[high].from);
	return high > low;
}

/* Adds all computed jumps of the function: one of their tables contains the address. */
static void jumps_of(const struct pt_preceding *p, const struct pt_function *f, pt_preceding_at at, void *arg)
{
	for (size_t i = first_from(&p->pointers, f->address); i < p->pointers.n; i++) {
		if (p->pointers.at[i] >= f->address + f->size)
			break;
		if (pt_codemap_at(p->map, p->pointers.at[i])->flow == PT_FLOW_INDIRECT)
			at(arg, p->pointers.at[i]);
	}
}

unsigned pt_preceding_of(struct pt_preceding *p, uint64_t address, pt_preceding_at at, void *arg)
{
	bool in_code, fallen = false, jumped;
	uint16_t id = pt_codemap_function(p->map, address, &in_code);
	unsigned besides = fall_in(p, address, &fallen, at, arg);

	jumped = jump_in(p, address, at, arg);
	if (id == PT_NO_FUNCTION || p->functions[id - 1].address == address)
		return besides | PT_PRECEDED_BY_POINTER;
	if (!fallen && !jumped)
		jumps_of(p, &p->functions[id - 1], at, arg);
	return besides;
}

void pt_preceding_all(const struct pt_preceding *p, unsigned kind, pt_preceding_at at, void *arg)
{
	const struct list *list = kind == PT_PRECEDED_BY_POINTER ? &p->pointers : &p->returns;

	for (size_t i = 0; i < list->n; i++)
		at(arg, list->at[i]);
}
