/* See exits.h: exits given by the user and the ELF, besides those found by analysis; their order and names. */
#include "base/alloc.h"
#include "program/code/exits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/code/exits_parts.h"

enum { MAX_TEXT_BYTES = 64 << 20 };

uint16_t pt_exits_owner_at(const struct pt_exits *x, uint64_t addr)
{
	const struct pt_code_unit *unit = pt_codemap_at(x->map, addr);

	return unit != NULL ? x->owner[unit->function] : PT_NO_FUNCTION;
}

bool pt_exits_is_instruction(const struct pt_exits *x, uint64_t addr)
{
	const struct pt_code_unit *unit = pt_codemap_at(x->map, addr);

	return unit != NULL && unit->len_units > 0 && addr % x->map->isa->unit_bytes == 0;
}

struct pt_function_exit *pt_exits_add(struct pt_exits *x, uint16_t function, uint64_t addr, enum pt_exit_by by)
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

/* If several functions have one file-local name, a cold part's function is unknown; it stays separate. */
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

bool pt_is_exit_name(const char *name)
{
	const char *exit = strstr(name, "_EXIT_");

	for (const char *next = exit; next != NULL; next = strstr(next + 1, "_EXIT_"))
		exit = next;
	return exit != NULL && exit > name && exit[strspn(exit + 6, "0123456789") + 6] == '\0';
}

/* Symbols with an exit's name are exits of the function around them, whatever analysis finds. */
static bool take_symbols(struct pt_exits *x)
{
	const struct pt_program *p = x->map->program;

	for (size_t i = 0; i < p->n_symbols; i++) {
		uint64_t addr = p->symbols[i].addr - p->symbols[i].addr % x->map->isa->unit_bytes;
		struct pt_function_exit *exit;

		if (!pt_is_exit_name(p->symbols[i].name) || pt_exits_owner_at(x, addr) == PT_NO_FUNCTION ||
		    !pt_exits_is_instruction(x, addr))
			continue;
		exit = pt_exits_add(x, pt_exits_owner_at(x, addr), addr, PT_EXIT_BY_SYMBOL);
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
	if (x->owner[id] != pt_exits_owner_at(x, addr))
		addr += f->address;
	if (x->owner[id] != pt_exits_owner_at(x, addr) || !pt_exits_is_instruction(x, addr))
		return pt_fail(err, PT_EARG, "%s is not at an instruction of %.100s", word, f->name);
	return pt_exits_add(x, x->owner[id], addr, PT_EXIT_BY_HAND) != NULL ? 0 : pt_fail(err, PT_ENOMEM, "no memory");
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
	if (x->by != y->by)	/* given exits come before found ones */
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

/* Names used by the function's symbols, at most MOST_TAKEN; hand-written code has fewer. */
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

/* Names the exits of one function, from index from on. Exits by symbols keep their names, the others get the next free
 * one. */
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
		x->list[i].name = pt_arena_name(&x->names, name);
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
	struct pt_exits *x = pt_alloc(sizeof(*x));
	struct pt_err failed;

	pt_fail(&failed, PT_ENOMEM, "no memory");
	x->map = map;
	x->names.room_bytes = MAX_TEXT_BYTES;
	if (map->program != NULL)
		x->functions = pt_program_functions(map->program, &x->n_functions);
	if (x->n_functions > PT_MAX_FUNCTIONS)
		x->n_functions = PT_MAX_FUNCTIONS;
	x->owner = calloc(x->n_functions + 1, sizeof(*x->owner));
	x->first = calloc(x->n_functions + 2, sizeof(*x->first));
	if (x->owner != NULL && x->first != NULL && find_owners(x) && (map->program == NULL || pt_exits_find(x)) &&
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
