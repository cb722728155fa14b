/* See exits.h. Each function is walked from its start along its flow; what that does not reach (code behind a computed
 * jump, tails that only others jump into) is walked from where it begins, unless it is filler that runs into data. */
#include "program/exits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/reader.h"
#include "util.h"

enum { MOST_TARGETS = 1024, MOST_UNITS_BACK = 64, MAX_TEXT_BYTES = 64 << 20 };
/* Of all jump tables together: hostile code could have the same one read by every instruction. */
enum { MAX_TARGETS = 4 << 20 };

struct pt_exits {
	const struct pt_codemap *map;
	const struct pt_function *functions;
	size_t n_functions;		/* that have an id */
	uint16_t *owner;		/* by id: of a cold part the id of its function, else its own */
	struct pt_function_exit *list;	/* by function and address */
	size_t n, room;
	size_t *first;			/* by id: in list; one more entry ends the last */
	struct pt_arena names;
};

struct walker {
	struct pt_exits *out;
	const struct pt_program *program;
	uint8_t *seen;			/* a bit for each unit of all spans */
	size_t *seen_from;		/* of each span its first bit */
	uint64_t *todo;			/* addresses */
	size_t n_todo, todo_room;
	size_t left_targets;
	uint16_t owner;			/* that is walked */
	bool failed;			/* no memory */
};

/* --- the map ------------------------------------------------------------------------------------------------------ */

static uint16_t owner_at(const struct pt_exits *x, uint64_t addr)
{
	const struct pt_code_unit *unit = pt_codemap_at(x->map, addr);

	return unit != NULL ? x->owner[unit->function] : PT_NO_FUNCTION;
}

static bool is_instruction(const struct pt_exits *x, uint64_t addr)
{
	const struct pt_code_unit *unit = pt_codemap_at(x->map, addr);

	return unit != NULL && unit->len_units > 0 && addr % x->map->isa->unit_bytes == 0;
}

static bool is_start(const struct pt_exits *x, uint64_t addr)
{
	const struct pt_code_unit *unit = pt_codemap_at(x->map, addr);

	return unit != NULL && unit->function != PT_NO_FUNCTION && x->functions[unit->function - 1].address == addr;
}

/* True: it was seen before, or is no code of the function that is walked. */
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
	if (owner_at(w->out, addr) != w->owner || !is_instruction(w->out, addr) || seen(w, addr))
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

static struct pt_function_exit *add_exit(struct pt_exits *x, uint16_t function, uint64_t addr, enum pt_exit_by by)
{
	if (x->n == x->room) {
		size_t room = x->room > 0 ? 2 * x->room : 256;
		void *list = realloc(x->list, room * sizeof(*x->list));

		if (list == NULL)
			return NULL;
		x->list = list;
		x->room = room;
	}
	x->list[x->n] = (struct pt_function_exit){
		.addr = addr, .target = PT_UNKNOWN, .function = function, .by = (uint8_t)by,
	};
	return &x->list[x->n++];
}

static void found(struct walker *w, uint64_t addr, uint64_t target, enum pt_exit_by by, bool conditional)
{
	struct pt_function_exit *exit = add_exit(w->out, w->owner, addr, by);

	if (exit == NULL) {
		w->failed = true;
		return;
	}
	exit->target = target;
	exit->conditional = conditional;
}

static void jump_to(struct walker *w, uint64_t addr, uint64_t target, bool conditional)
{
	if (owner_at(w->out, target) == w->owner)
		push(w, target);
	else
		found(w, addr, target, is_start(w->out, target) ? PT_EXIT_BY_TAIL_CALL : PT_EXIT_BY_JUMP_INTO,
		      conditional);
}

/* --- computed jumps ----------------------------------------------------------------------------------------------- */

/* What start-up code copies once is constant; what the program writes is not, code aside. */
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

/* Behind the last instruction of a stretch: in another function, or in no code at all. */
static void run_out(struct walker *w, uint64_t addr, uint64_t next, uint64_t last_call)
{
	bool called = last_call != PT_UNKNOWN;

	if (!(called && last_call == addr) && is_instruction(w->out, next) && owner_at(w->out, next) != PT_NO_FUNCTION)
		found(w, addr, next, PT_EXIT_BY_FALLING, false);
	else
		found(w, called ? last_call : addr, PT_UNKNOWN, PT_EXIT_NEVER, false);
}

/* Straight on from addr until a jump that is always taken, or code that was seen. */
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
		if (owner_at(w->out, next) != w->owner || !is_instruction(w->out, next)) {
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

/* Instructions that nobody reaches and that end in data or in padding: put there to align what follows. Those are
 * done with when this returns true. */
static bool is_filler(struct walker *w, uint64_t from)
{
	const struct pt_code_unit *unit = pt_codemap_at(w->out->map, from);
	unsigned unit_bytes = w->out->map->isa->unit_bytes;
	uint64_t to = from;
	bool filler;

	while (unit != NULL && unit->len_units > 0 && unit->flow == PT_FLOW_NEXT && owner_at(w->out, to) == w->owner) {
		to += unit->len_units * unit_bytes;
		unit = pt_codemap_at(w->out->map, to);
	}
	filler = unit == NULL || unit->len_units == 0 || owner_at(w->out, to) != w->owner;
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

static bool find_exits(struct pt_exits *x)
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

/* --- by the user and by the ELF ----------------------------------------------------------------------------------- */

/* NAME of NAME.cold and NAME.cold.7; 0: it is no cold part. */
static size_t warm_len(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold != NULL && (cold[5] == '\0' || cold[5] == '.') ? (size_t)(cold - name) : 0;
}

struct named { const char *name; uint16_t id; };

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : x->id - y->id;
}

static const struct named *find_name(const struct named *names, size_t n, const char *name, size_t len)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strncmp(names[middle].name, name, len);

		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && strncmp(names[low].name, name, len) == 0 && names[low].name[len] == '\0' ? &names[low] : NULL;
}

/* Several functions of one file-local name: which of them a cold part belongs to nobody can tell; it stays alone. */
static bool find_owners(struct pt_exits *x)
{
	struct named *names = calloc(x->n_functions + 1, sizeof(*names));

	for (size_t id = 0; id <= x->n_functions; id++)
		x->owner[id] = (uint16_t)id;
	for (size_t i = 0; names != NULL && i < x->n_functions; i++)
		names[i] = (struct named){ x->functions[i].linkage, (uint16_t)(i + 1) };
	if (names != NULL && x->n_functions > 0)
		qsort(names, x->n_functions, sizeof(*names), by_name);
	for (size_t id = 1; names != NULL && id <= x->n_functions; id++) {
		const char *linkage = x->functions[id - 1].linkage;
		size_t len = warm_len(linkage);
		const struct named *warm = len > 0 ? find_name(names, x->n_functions, linkage, len) : NULL;

		if (warm != NULL && (warm + 1 == names + x->n_functions || strcmp(warm[1].name, warm->name) != 0))
			x->owner[id] = warm->id;
	}
	free(names);
	return names != NULL;
}

/* Symbols with the name of an exit are exits of the function that they lie in, whatever analysis says. */
static bool take_symbols(struct pt_exits *x)
{
	const struct pt_program *p = x->map->program;

	for (size_t i = 0; i < p->n_symbols; i++) {
		uint64_t addr = p->symbols[i].addr - p->symbols[i].addr % x->map->isa->unit_bytes;
		struct pt_function_exit *exit;

		if (!pt_elf_names_exit(p->symbols[i].name) || owner_at(x, addr) == PT_NO_FUNCTION ||
		    !is_instruction(x, addr))
			continue;
		exit = add_exit(x, owner_at(x, addr), addr, PT_EXIT_BY_SYMBOL);
		if (exit == NULL)
			return false;
		exit->name = p->symbols[i].name;
	}
	return true;
}

/* PLACE: an address in the function, or an offset. */
static int take_place(struct pt_exits *x, uint16_t id, const char *text, size_t len, struct pt_err *err)
{
	const struct pt_function *f = &x->functions[id - 1];
	char word[32], *end;
	uint64_t addr;

	snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word) - 1), text);
	addr = strtoull(word, &end, 0);
	if (len >= sizeof(word) || end == word || *end != '\0' || word[0] == '-' || word[0] == '+')
		return pt_fail(err, PT_EARG, "'%.*s' is not an address in %.100s", len > 60 ? 60 : (int)len, text,
			       f->name);
	addr -= addr % x->map->isa->unit_bytes;
	if (x->owner[id] != owner_at(x, addr))
		addr += f->address;
	if (x->owner[id] != owner_at(x, addr) || !is_instruction(x, addr))
		return pt_fail(err, PT_EARG, "%s is not at an instruction of %.100s", word, f->name);
	return add_exit(x, x->owner[id], addr, PT_EXIT_BY_HAND) != NULL ? 0 : pt_fail(err, PT_ENOMEM, "no memory");
}

static void forget_found(struct pt_exits *x, uint16_t owner)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++)
		if (x->list[i].function != owner || x->list[i].by == PT_EXIT_BY_HAND)
			x->list[n++] = x->list[i];
	x->n = n;
}

static int take_function(struct pt_exits *x, const char *item, size_t len, struct pt_err *err)
{
	size_t name_len = len, n_fit = 0, id = 0;

	while (name_len > 0 && item[name_len - 1] != ':')
		name_len--;
	if (name_len < 2 || name_len == len)
		return pt_fail(err, PT_EARG, "'%.*s' is not FUNCTION:ADDRESS+ADDRESS", len > 60 ? 60 : (int)len, item);
	for (size_t i = 0; i < x->n_functions; i++)
		if (x->owner[i + 1] == i + 1 && pt_function_is(&x->functions[i], item, name_len - 1)) {
			id = i + 1;
			n_fit++;
		}
	if (n_fit != 1)
		return pt_fail(err, PT_EARG, "%s function is called '%.*s'", n_fit == 0 ? "no" : "more than one",
			       name_len > 100 ? 100 : (int)name_len - 1, item);
	forget_found(x, (uint16_t)id);
	for (const char *at = item + name_len, *plus = at; plus != NULL; at = plus + 1) {
		plus = memchr(at, '+', (size_t)(item + len - at));
		if (take_place(x, (uint16_t)id, at, (size_t)((plus != NULL ? plus : item + len) - at), err) < 0)
			return err->code;
	}
	return 0;
}

static int take_by_hand(struct pt_exits *x, const char *list, struct pt_err *err)
{
	while (list != NULL && *list != '\0') {
		size_t len = pt_function_list_first(list);

		if (len > 0 && take_function(x, list, len, err) < 0)
			return err->code;
		list += len + (list[len] == ',');
	}
	return 0;
}

/* --- order and names ---------------------------------------------------------------------------------------------- */

static int in_order(const void *a, const void *b)
{
	const struct pt_function_exit *x = a, *y = b;
	bool never_x = x->by == PT_EXIT_NEVER, never_y = y->by == PT_EXIT_NEVER;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (never_x != never_y)
		return never_x ? 1 : -1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->by != y->by)	/* what somebody says stands before what is found */
		return x->by > y->by ? -1 : 1;
	return x->target < y->target ? -1 : x->target > y->target;
}

/* One exit for each address: a branch at a function's end both jumps and falls, a table may have many ways out. */
static void merge(struct pt_exits *x)
{
	size_t n = 0;

	if (x->n > 0)
		qsort(x->list, x->n, sizeof(*x->list), in_order);
	for (size_t i = 0; i < x->n; i++) {
		struct pt_function_exit *last = n > 0 ? &x->list[n - 1] : NULL;

		if (last == NULL || last->function != x->list[i].function || last->addr != x->list[i].addr)
			x->list[n++] = x->list[i];
		else if (last->by < PT_EXIT_BY_SYMBOL && x->list[i].by < PT_EXIT_BY_SYMBOL)
			last->conditional = false;
	}
	x->n = n;
}

enum { MOST_TAKEN = 64 };

/* Names that the function's symbols have, at most MOST_TAKEN of them: nobody writes more. */
static size_t taken_names(const struct pt_exits *x, size_t from, const char **taken)
{
	size_t n = 0;

	for (size_t i = from; i < x->n && x->list[i].function == x->list[from].function && n < MOST_TAKEN; i++)
		if (x->list[i].by == PT_EXIT_BY_SYMBOL)
			taken[n++] = x->list[i].name;
	return n;
}

static bool is_taken(const char *const *taken, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(taken[i], name) == 0)
			return true;
	return false;
}

/* Those of one function, from index from on. Symbols keep their names, the others get the next free one. */
static bool name_exits(struct pt_exits *x, size_t from)
{
	const char *function = x->functions[x->list[from].function - 1].linkage, *taken[MOST_TAKEN];
	size_t n_taken = taken_names(x, from, taken);
	unsigned number = 0;
	char name[PT_EXIT_NAME_BYTES];

	for (size_t i = from; i < x->n && x->list[i].function == x->list[from].function; i++) {
		if (x->list[i].by == PT_EXIT_BY_SYMBOL || x->list[i].by == PT_EXIT_NEVER)
			continue;
		do {
			if (++number == 1)
				snprintf(name, sizeof(name), "%.*s_EXIT_", PT_EXIT_NAME_BYTES - 20, function);
			else
				snprintf(name, sizeof(name), "%.*s_EXIT_%u", PT_EXIT_NAME_BYTES - 20, function, number);
		} while (is_taken(taken, n_taken, name));
		x->list[i].name = pt_arena_text(&x->names, name);
		if (x->list[i].name == NULL)
			return false;
	}
	return true;
}

static bool settle(struct pt_exits *x)
{
	size_t at = 0;

	merge(x);
	for (size_t id = 0; id <= x->n_functions + 1; id++) {
		while (at < x->n && x->list[at].function < id)
			at++;
		x->first[id] = at;
		if (at < x->n && x->list[at].function == id && !name_exits(x, at))
			return false;
	}
	return true;
}

struct pt_exits *pt_exits_new(const struct pt_codemap *map, const char *by_hand, struct pt_err *err)
{
	struct pt_exits *x = calloc(1, sizeof(*x));
	struct pt_err failed;

	pt_fail(&failed, PT_ENOMEM, "no memory");
	if (x == NULL) {
		pt_fail(err, failed.code, "%s", failed.msg);
		return NULL;
	}
	x->map = map;
	x->names.room_bytes = MAX_TEXT_BYTES;
	if (map->program != NULL)
		x->functions = pt_program_functions(map->program, &x->n_functions);
	if (x->n_functions > PT_MAX_FUNCTIONS)
		x->n_functions = PT_MAX_FUNCTIONS;
	x->owner = calloc(x->n_functions + 1, sizeof(*x->owner));
	x->first = calloc(x->n_functions + 2, sizeof(*x->first));
	if (x->owner != NULL && x->first != NULL && find_owners(x) && (map->program == NULL || find_exits(x)) &&
	    (map->program == NULL || take_symbols(x)) && take_by_hand(x, by_hand, &failed) == 0 && settle(x))
		return x;
	pt_fail(err, failed.code, "%s", failed.msg);
	pt_exits_free(x);
	return NULL;
}

void pt_exits_free(struct pt_exits *exits)
{
	if (exits == NULL)
		return;
	pt_arena_free(&exits->names);
	free(exits->owner);
	free(exits->first);
	free(exits->list);
	free(exits);
}

const struct pt_codemap *pt_exits_map(const struct pt_exits *exits)
{
	return exits->map;
}

const struct pt_function_exit *pt_exits_of(const struct pt_exits *exits, size_t id, size_t *n)
{
	*n = 0;
	if (id == PT_NO_FUNCTION || id > exits->n_functions)
		return NULL;
	id = exits->owner[id];
	*n = exits->first[id + 1] - exits->first[id];
	return *n > 0 ? exits->list + exits->first[id] : NULL;
}
