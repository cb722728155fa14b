/* Exits by analysis (exits.h): walks each function from its start along its flow. Code not reached so (behind a
 * computed jump, or tails that only other functions jump into) is walked from its beginning, unless it is filler that
 * runs into data. */
#include <stdlib.h>

#include "program/code/exits_parts.h"

enum { MOST_TARGETS = 1024, MOST_UNITS_BACK = 64 };
/* For all jump tables together: in hostile code every instruction could use the same table. */
enum { MAX_TARGETS = 4 << 20 };

struct walker {
	struct pt_exits *out;
	const struct pt_program *program;
	uint8_t *seen;			/* one bit per unit of all spans */
	size_t *seen_from;		/* first bit of each span */
	uint64_t *todo;			/* addresses */
	size_t n_todo, todo_room;
	size_t left_targets;
	uint16_t owner;			/* the function being walked */
	bool failed;			/* no memory */
};

/* --- the map ------------------------------------------------------------------------------------------------------ */

static bool is_start(const struct pt_exits *x, uint64_t addr)
{
	const struct pt_code_unit *unit = pt_codemap_at(x->map, addr);

	return unit != NULL && unit->function != PT_NO_FUNCTION && x->functions[unit->function - 1].address == addr;
}

/* True: seen before, or not code of the function being walked. */
static bool mark(struct walker *w, uint64_t addr)
{
	const struct pt_codemap *map = w->out->map;

	for (size_t i = 0; i < map->n_spans; i++) {
		const struct pt_code_span *span = &map->span[i];
		size_t bit;

		if (addr - span->base >= span->end - span->base)
			continue;
		bit = w->seen_from[i] + (size_t)((addr - span->base) / map->isa->unit_bytes);
		if ((w->seen[bit / 8] >> bit % 8 & 1) != 0)
			return true;
		w->seen[bit / 8] |= (uint8_t)(1 << bit % 8);
		return false;
	}
	return true;
}

static bool seen(struct walker *w, uint64_t addr)
{
	const struct pt_codemap *map = w->out->map;

	for (size_t i = 0; i < map->n_spans; i++) {
		size_t bit = w->seen_from[i] + (size_t)((addr - map->span[i].base) / map->isa->unit_bytes);

		if (addr - map->span[i].base < map->span[i].end - map->span[i].base)
			return (w->seen[bit / 8] >> bit % 8 & 1) != 0;
	}
	return true;
}

static void push(struct walker *w, uint64_t addr)
{
	if (pt_exits_owner_at(w->out, addr) != w->owner || !pt_exits_is_instruction(w->out, addr) || seen(w, addr))
		return;
	if (w->n_todo == w->todo_room) {
		size_t room = w->todo_room > 0 ? 2 * w->todo_room : 256;
		void *todo = realloc(w->todo, room * sizeof(*w->todo));

		if (todo == NULL) {
			w->failed = true;
			return;
		}
		w->todo = todo;
		w->todo_room = room;
	}
	w->todo[w->n_todo++] = addr;
}

/* --- what is found ------------------------------------------------------------------------------------------------ */

static void found(struct walker *w, uint64_t addr, uint64_t target, enum pt_exit_by by, bool conditional)
{
	struct pt_function_exit *exit = pt_exits_add(w->out, w->owner, addr, by);

	if (exit == NULL) {
		w->failed = true;
		return;
	}
	exit->target = target;
	exit->conditional = conditional;
}

static void jump_to(struct walker *w, uint64_t addr, uint64_t target, bool conditional)
{
	if (pt_exits_owner_at(w->out, target) == w->owner)
		push(w, target);
	else
		found(w, addr, target, is_start(w->out, target) ? PT_EXIT_BY_TAIL_CALL : PT_EXIT_BY_JUMP_INTO,
		      conditional);
}

/* --- computed jumps ----------------------------------------------------------------------------------------------- */

/* Data that start-up code only copies is constant; writable data is not, except code. */
static const uint8_t *constant_bytes(const void *arg, uint64_t addr, size_t len_bytes)
{
	const struct pt_program *program = arg;
	const struct pt_segment *segments;
	size_t n;

	segments = pt_program_segments(program, &n);
	for (size_t i = 0; i < n; i++)
		if (addr - segments[i].run < segments[i].size && segments[i].writable && !segments[i].code)
			return NULL;
	return pt_program_bytes_at(program, addr, len_bytes);
}

static size_t instructions_before(const struct pt_exits *x, uint64_t addr, uint64_t from, uint64_t *before)
{
	unsigned unit = x->map->isa->unit_bytes;
	size_t n = 0;

	for (uint64_t back = 1; back <= MOST_UNITS_BACK && n < PT_ISA_MOST_BEFORE && addr - from >= back * unit;
	     back++) {
		const struct pt_code_unit *code = pt_codemap_at(x->map, addr - back * unit);

		if (code == NULL)
			break;
		if (code->len_units > 0)
			before[n++] = addr - back * unit;
	}
	return n;
}

static void computed_jump(struct walker *w, uint64_t addr)
{
	const struct pt_exits *x = w->out;
	const struct pt_code_unit *unit = pt_codemap_at(x->map, addr);
	const struct pt_function *f = &x->functions[unit->function - 1];
	uint64_t before[PT_ISA_MOST_BEFORE], targets[MOST_TARGETS];
	struct pt_isa_jump jump = {
		.addr = addr, .before = before, .from = f->address, .to = f->address + f->size,
		.bytes = constant_bytes, .arg = w->program,
	};
	size_t n = 0;

	jump.n_before = instructions_before(x, addr, f->address, before);
	if (x->map->isa->jump_targets != NULL && w->left_targets >= MOST_TARGETS)
		n = x->map->isa->jump_targets(&jump, targets, MOST_TARGETS);
	w->left_targets -= n;
	for (size_t i = 0; i < n; i++)
		jump_to(w, addr, targets[i], false);
	if (n == 0)
		found(w, addr, PT_UNKNOWN, PT_EXIT_BY_COMPUTED, false);
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

/* Handles the end of a stretch: the next address is in another function, or not in code. */
static void run_out(struct walker *w, uint64_t addr, uint64_t next, uint64_t last_call)
{
	bool called = last_call != PT_UNKNOWN;

	if (!(called && last_call == addr) && pt_exits_is_instruction(w->out, next) &&
	    pt_exits_owner_at(w->out, next) != PT_NO_FUNCTION)
		found(w, addr, next, PT_EXIT_BY_FALLING, false);
	else
		found(w, called ? last_call : addr, PT_UNKNOWN, PT_EXIT_NEVER, false);
}

/* Walks straight on from addr up to an unconditional jump, or to code seen before. */
static void walk_from(struct walker *w, uint64_t addr)
{
	uint64_t last_call = PT_UNKNOWN;

	while (!mark(w, addr)) {
		const struct pt_code_unit *unit = pt_codemap_at(w->out->map, addr);
		uint64_t next = addr + unit->len_units * (uint64_t)w->out->map->isa->unit_bytes;

		switch (unit->flow) {
		case PT_FLOW_RETURN: case PT_FLOW_EXCEPTION_RETURN:
			found(w, addr, PT_UNKNOWN, PT_EXIT_BY_RETURN, false);
			return;
		case PT_FLOW_INDIRECT:
			computed_jump(w, addr);
			return;
		case PT_FLOW_BRANCH:
			jump_to(w, addr, pt_codemap_target(w->out->map, addr), false);
			return;
		case PT_FLOW_BRANCH_IF:
			jump_to(w, addr, pt_codemap_target(w->out->map, addr), true);
			break;
		case PT_FLOW_CALL: case PT_FLOW_INDIRECT_CALL: case PT_FLOW_TRAP:
			last_call = addr;
			break;
		}
		if (pt_exits_owner_at(w->out, next) != w->owner || !pt_exits_is_instruction(w->out, next)) {
			run_out(w, addr, next, last_call);
			return;
		}
		addr = next;
	}
}

static void walk(struct walker *w, uint64_t addr)
{
	push(w, addr);
	while (w->n_todo > 0 && !w->failed)
		walk_from(w, w->todo[--w->n_todo]);
}

/* True: unreachable instructions that end in data or padding, which align the following code. They are marked as seen
 * then. */
static bool is_filler(struct walker *w, uint64_t from)
{
	const struct pt_code_unit *unit = pt_codemap_at(w->out->map, from);
	unsigned unit_bytes = w->out->map->isa->unit_bytes;
	uint64_t to = from;
	bool filler;

	while (unit != NULL && unit->len_units > 0 && unit->flow == PT_FLOW_NEXT &&
	       pt_exits_owner_at(w->out, to) == w->owner) {
		to += unit->len_units * unit_bytes;
		unit = pt_codemap_at(w->out->map, to);
	}
	filler = unit == NULL || unit->len_units == 0 || pt_exits_owner_at(w->out, to) != w->owner;
	for (; filler && from < to; from += unit_bytes)
		mark(w, from);
	return filler;
}

static void walk_rest(struct walker *w, const struct pt_function *f)
{
	unsigned unit = w->out->map->isa->unit_bytes;

	for (uint64_t addr = f->address; addr - f->address < f->size && !w->failed; addr += unit) {
		const struct pt_code_unit *code = pt_codemap_at(w->out->map, addr);

		if (code == NULL)
			return;
		if (code->len_units > 0 && w->out->owner[code->function] == w->owner && !seen(w, addr) &&
		    !is_filler(w, addr))
			walk(w, addr);
	}
}

static void walk_functions(struct walker *w)
{
	struct pt_exits *x = w->out;

	for (size_t id = 1; id <= x->n_functions && !w->failed; id++) {
		w->owner = (uint16_t)id;
		if (x->owner[id] == id)
			walk(w, x->functions[id - 1].address);
	}
	for (size_t id = 1; id <= x->n_functions && !w->failed; id++) {
		w->owner = x->owner[id];
		walk_rest(w, &x->functions[id - 1]);
	}
}

bool pt_exits_find(struct pt_exits *x)
{
	struct walker w = { .out = x, .program = x->map->program, .left_targets = MAX_TARGETS };
	size_t units = 0;

	w.seen_from = calloc(x->map->n_spans + 1, sizeof(*w.seen_from));
	for (size_t i = 0; w.seen_from != NULL && i < x->map->n_spans; i++) {
		w.seen_from[i] = units;
		units += (size_t)((x->map->span[i].end - x->map->span[i].base) / x->map->isa->unit_bytes) + 1;
	}
	w.seen = calloc(units / 8 + 1, 1);
	w.failed = w.seen_from == NULL || w.seen == NULL;
	if (!w.failed)
		walk_functions(&w);
	free(w.seen_from);
	free(w.seen);
	free(w.todo);
	return !w.failed;
}
