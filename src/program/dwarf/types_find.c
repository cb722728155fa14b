/* From a name, as the user wrote it, to the one thing that it can mean, or a sentence about why not. */
#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "program/model/program_parts.h"
#include "program/dwarf/types_parts.h"

enum { WRITTEN_BYTES = 300, MAX_CANDIDATES = 64, SHOWN = 6 };

/* What was asked for, in parts; those that are not there have no length. */
struct wanted { const char *file, *scope, *name; size_t file_len, scope_len, name_len; };

/* Where a candidate stands: what is nearer to file level hides what is farther. */
enum level { AT_FILE_LEVEL, IN_SCOPE, IN_FUNCTION, N_LEVELS };

struct candidate { struct pt_entity entity; const struct pt_name *name; };

struct search {
	struct pt_types *types;
	struct wanted wanted;
	struct candidate found[MAX_CANDIDATES];
	size_t n_found;
	const struct pt_name *declared;		/* only declared; its type is known */
	struct pt_err why;			/* of one that was there, but cannot be used */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');

	if (back != NULL && (slash == NULL || back > slash))
		slash = back;
	return slash != NULL ? slash + 1 : path;
}

static const char *unit_path(struct pt_types *types, size_t unit)
{
	struct pt_die_attrs a;
	struct pt_die die;

	if (!pt_dies_unit(types->dies, unit, &die))
		return NULL;
	pt_die_read(types->dies, &die, &a);
	return a.name;
}

/* "main.c" and "src/main.c" both mean /build/src/main.c. */
static bool in_file(struct search *s, size_t unit)
{
	const char *path = s->wanted.file_len > 0 ? unit_path(s->types, unit) : "";
	size_t len = path != NULL ? strlen(path) : 0, want = s->wanted.file_len;

	return want == 0 || (len >= want && strncmp(path + len - want, s->wanted.file, want) == 0 &&
			     (len == want || path[len - want - 1] == '/' || path[len - want - 1] == '\\'));
}

static struct wanted split(const char *text)
{
	struct wanted w = { .name = text, .name_len = strlen(text) };
	const char *colon = strchr(text, ':'), *quote;

	if (text[0] == '\'' && (quote = strchr(text + 1, '\'')) != NULL && strncmp(quote + 1, "::", 2) == 0) {
		w.file = text + 1;
		w.file_len = (size_t)(quote - w.file);
		w.name = quote + 3;
	} else if (colon != NULL && colon[1] != ':' && colon > text) {
		w.file = text;
		w.file_len = (size_t)(colon - text);
		w.name = colon + 1;
	}
	for (const char *at = strstr(w.name, "::"); at != NULL; at = strstr(at + 2, "::")) {
		if (w.scope == NULL)
			w.scope = w.name;
		w.scope_len = (size_t)(at - w.scope);
	}
	if (w.scope != NULL)
		w.name = w.scope + w.scope_len + 2;
	w.name_len = strlen(w.name);
	return w;
}

/* --- one candidate ------------------------------------------------------------------------------------------------ */

/* The linker leaves the entries of what it throws away, with addresses from 0 up. */
static bool thrown_away(struct pt_types *types, uint64_t addr)
{
	const struct pt_program *p = types->program;

	const struct pt_symbol_place *place = pt_types_place(types, addr);

	if (place != NULL && (place->size > 0 || addr != 0))	/* names of files are symbols at 0 */
		return false;
	for (size_t i = 0; i < p->n_segments; i++)
		if (addr - p->segments[i].run < p->segments[i].size)
			return p->n_symbols > 0 && !p->segments[i].writable;
	return addr == 0 || p->n_symbols > 0;
}

/* The type stands with the declaration where a definition is apart from it. */
static uint64_t type_key(struct pt_types *types, const struct pt_die_attrs *a)
{
	struct pt_die_attrs from = *a;
	struct pt_die die;

	for (int i = 0; i < 4 && from.type == 0; i++) {
		uint64_t key = from.specification != 0 ? from.specification : from.origin;

		if (!pt_dies_at(types->dies, key, &die))
			return 0;
		pt_die_read(types->dies, &die, &from);
	}
	return from.type;
}

/* With -g1 a compiler tells places, but no types: the symbol's size is all there is. */
static const struct pt_type *variable_type(struct pt_types *types, const struct pt_die_attrs *a)
{
	uint64_t key = type_key(types, a);
	const struct pt_symbol_place *place = key == 0 && a->has_location ? pt_types_place(types, a->location) : NULL;
	struct pt_type_full *type =
		place != NULL ? pt_types_of_symbol(types, place->size) : pt_types_of_key(types, key);

	return &(type != NULL ? type : pt_types_builtin(types, PT_C_VOID))->type;
}

/* Bytes as the target has them; only what fits a number is of use. */
static bool constant(struct pt_types *types, const struct pt_die_attrs *a, struct pt_entity *e)
{
	e->kind = PT_ENTITY_CONSTANT;
	e->value = a->const_value;
	if (a->const_block == NULL)
		return true;
	if (a->const_block_bytes > 8)
		return false;
	e->value = 0;
	for (size_t i = 0; i < a->const_block_bytes; i++)
		e->value |= (uint64_t)a->const_block[types->big_endian ? a->const_block_bytes - 1 - i : i] << 8 * i;
	return true;
}

static bool take_variable(struct search *s, const struct pt_die_attrs *a, struct pt_entity *e)
{
	e->type = variable_type(s->types, a);
	e->addr = a->location;
	if (a->has_location && !thrown_away(s->types, a->location))
		return true;
	if (a->has_location)
		pt_fail(&s->why, PT_EARG, "the linker left %s out: nothing uses it", e->name);
	else if (a->has_const)
		return constant(s->types, a, e);
	else if (a->moves)
		pt_fail(&s->why, PT_EARG, "%s has no fixed address: it is in a register, on a stack or one per thread",
			e->name);
	else if (s->why.code == 0 && !a->declaration)
		pt_fail(&s->why, PT_EARG, "%s is optimised out: the compiler gave it no memory", e->name);
	return false;
}

static bool take_enumerator(struct search *s, const struct pt_name *name, const struct pt_die_attrs *a,
			    struct pt_entity *e)
{
	struct pt_type_full *type = pt_types_of_key(s->types, name->parent);

	e->kind = PT_ENTITY_CONSTANT;
	e->value = a->const_value;
	e->type = &(type != NULL ? type : pt_types_builtin(s->types, PT_C_INT))->type;
	return a->has_const;
}

static bool take(struct search *s, const struct pt_name *name, struct pt_entity *e)
{
	const char *path = unit_path(s->types, name->unit);
	struct pt_die_attrs a;
	struct pt_die die;

	*e = (struct pt_entity){ .name = name->name, .file = path != NULL ? base_name(path) : NULL };
	if (!pt_dies_at(s->types->dies, name->key, &die))
		return false;
	pt_die_read(s->types->dies, &die, &a);
	switch (name->kind) {
	case PT_NAME_VARIABLE:
		if (a.declaration && !a.has_const)
			s->declared = name;
		return take_variable(s, &a, e);
	case PT_NAME_ENUMERATOR:
		return take_enumerator(s, name, &a, e);
	case PT_NAME_FUNCTION:
		e->kind = PT_ENTITY_FUNCTION;
		e->type = &pt_types_builtin(s->types, PT_C_FUNCTION)->type;
		e->addr = s->types->program->arch.elf_machine == EM_ARM ? a.low_pc & ~UINT64_C(1) : a.low_pc;
		if (pt_program_function_at(s->types->program, e->addr) != NULL)
			return true;
		pt_fail(&s->why, PT_EARG, "the linker left %s out: nothing calls it", e->name);
		return false;
	default:
		return false;
	}
}

static bool same(const struct pt_entity *a, const struct pt_entity *b)
{
	return a->kind == b->kind && a->addr == b->addr && a->value == b->value;
}

static enum level level_of(const struct pt_name *name)
{
	return name->in_function ? IN_FUNCTION : name->scope != NULL ? IN_SCOPE : AT_FILE_LEVEL;
}

static void look_at(struct search *s, const struct pt_name *name)
{
	struct candidate c = { .name = name };

	if (name->kind > PT_NAME_ENUMERATOR || !pt_name_in_scope(name, s->wanted.scope, s->wanted.scope_len) ||
	    !in_file(s, name->unit) || !take(s, name, &c.entity))
		return;
	for (size_t i = 0; i < s->n_found; i++)
		if (same(&s->found[i].entity, &c.entity))
			return;
	if (s->n_found < MAX_CANDIDATES)
		s->found[s->n_found++] = c;
}

/* --- symbols without debug information ---------------------------------------------------------------------------- */

static bool function_named(struct pt_types *types, const struct pt_symbol *symbol, struct pt_entity *e)
{
	const struct pt_function *f = pt_program_function_at(types->program, symbol->addr);

	if (f == NULL || (f->address != symbol->addr && f->address != symbol->addr - 1))
		return false;
	e->kind = PT_ENTITY_FUNCTION;
	e->addr = f->address;
	e->type = &pt_types_builtin(types, PT_C_FUNCTION)->type;
	return true;
}

static const struct pt_type *declared_type(struct search *s, uint64_t size)
{
	struct pt_type_full *type = NULL;
	struct pt_die_attrs a;
	struct pt_die die;

	if (s->declared != NULL && pt_dies_at(s->types->dies, s->declared->key, &die)) {
		pt_die_read(s->types->dies, &die, &a);
		type = pt_types_of_key(s->types, type_key(s->types, &a));
	}
	if (type == NULL)
		type = pt_types_of_symbol(s->types, size);
	return &(type != NULL ? type : pt_types_builtin(s->types, PT_C_VOID))->type;
}

static void look_at_symbol(struct search *s, const struct pt_symbol *symbol)
{
	struct candidate c = { .entity = { .kind = PT_ENTITY_VARIABLE, .name = symbol->name, .addr = symbol->addr } };

	if (!function_named(s->types, symbol, &c.entity))
		c.entity.type = declared_type(s, symbol->size);
	for (size_t i = 0; i < s->n_found; i++)
		if (same(&s->found[i].entity, &c.entity))
			return;
	if (s->n_found < MAX_CANDIDATES)
		s->found[s->n_found++] = c;
}

static int compare(const struct pt_symbol *symbol, const struct wanted *w)
{
	int order = strncmp(symbol->name, w->name, w->name_len);

	return order != 0 ? order : symbol->name[w->name_len] != '\0';
}

static void look_at_symbols(struct search *s)
{
	const struct pt_program *p = s->types->program;
	size_t low = 0, high = p->n_symbols;

	if (s->wanted.file_len > 0 || s->wanted.scope_len > 0)
		return;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&p->symbols[middle], &s->wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < p->n_symbols && compare(&p->symbols[low], &s->wanted) == 0; low++)
		look_at_symbol(s, &p->symbols[low]);
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

static void add_candidate(char *list, size_t room, const struct candidate *c)
{
	size_t len = strlen(list);
	const char *comma = len > 0 ? ", " : "", *name = c->entity.name;

	if (c->name == NULL)
		snprintf(list + len, room - len, "%s0x%llx", comma, (unsigned long long)c->entity.addr);
	else if (c->name->scope != NULL)
		snprintf(list + len, room - len, "%s%s%s%s::%s", comma, c->entity.file != NULL ? c->entity.file : "",
			 c->entity.file != NULL ? ":" : "", c->name->scope, name);
	else
		snprintf(list + len, room - len, "%s%s:%s", comma, c->entity.file != NULL ? c->entity.file : "?", name);
}

static int ambiguous(const struct search *s, const char *name, struct pt_err *err)
{
	char list[280] = "";

	for (size_t i = 0; i < s->n_found && i < SHOWN; i++)
		add_candidate(list, sizeof(list), &s->found[i]);
	return pt_fail(err, PT_EARG, "\"%.60s\" can mean %zu things: %s%s", name, s->n_found, list,
		       s->n_found > SHOWN ? ", ..." : "");
}

static int not_found(struct search *s, const char *name, struct pt_err *err)
{
	const char *like;

	if (err == NULL)
		return PT_EARG;
	if (s->why.code < 0) {
		*err = s->why;
		return s->why.code;
	}
	like = pt_types_like(s->types, s->wanted.name, s->wanted.name_len);
	if (like != NULL)
		return pt_fail(err, PT_EARG, "there is no variable \"%.100s\"; is \"%.100s\" meant?", name, like);
	return pt_fail(err, PT_EARG, "there is no variable \"%.100s\"%s", name,
		       s->types->n_names > 0 ? "" : "; the ELF has no debug information, only its symbols are known");
}

int pt_types_find(struct pt_types *types, const char *name, struct pt_entity *found, struct pt_err *err)
{
	struct search s = { .types = types, .wanted = split(name) };
	const struct pt_name *names;
	size_t n;

	if (types->program == NULL)
		return pt_fail(err, PT_EARG, "there is no variable \"%.100s\": no ELF is loaded", name);
	names = pt_types_names(types, s.wanted.name, s.wanted.name_len, &n);
	for (int level = AT_FILE_LEVEL; level < N_LEVELS && s.n_found == 0; level++)
		for (size_t i = 0; i < n && i < PT_TYPES_MAX_ALIKE; i++)
			if ((int)level_of(&names[i]) == level)
				look_at(&s, &names[i]);
	if (s.n_found == 0)
		look_at_symbols(&s);
	if (s.n_found == 0)
		return not_found(&s, name, err);
	if (s.n_found > 1)
		return ambiguous(&s, name, err);
	*found = s.found[0].entity;
	return 0;
}

/* --- variables by type -------------------------------------------------------------------------------------------- */

/* The name that a type was given at last: a typedef's where the struct has none of its own. */
static const char *name_of_type(struct pt_types *types, const struct pt_type *type)
{
	const char *name = type->name;

	for (int i = 0; type->kind == PT_TYPE_ALIAS && i < PT_TYPES_MAX_DEPTH; i++) {
		type = pt_type_target(types, type);
		if (type->name != NULL)
			name = type->name;
	}
	return name;
}

static bool same_type(struct pt_types *types, const struct pt_type *a, const struct pt_type *b)
{
	const struct pt_type *x = pt_type_strip(types, a), *y = pt_type_strip(types, b);
	const char *x_name = name_of_type(types, a), *y_name = name_of_type(types, b);

	if (x == y)
		return true;
	return x->kind == y->kind && x->size_bytes == y->size_bytes && x_name != NULL && y_name != NULL &&
	       strcmp(x_name, y_name) == 0;
}

/* The shortest way to write it that means this one and no other. */
static bool write_name(struct pt_types *types, const struct candidate *c, char *text, size_t room)
{
	const char *scope = c->name->scope, *file = c->entity.file != NULL ? c->entity.file : "?";
	struct pt_entity found;

	for (int how = 0; how < 4; how++) {
		if ((how == 1 || how == 3) && scope == NULL)
			continue;
		snprintf(text, room, "%s%s%s%s%s", how >= 2 ? file : "", how >= 2 ? ":" : "", how % 2 != 0 ? scope : "",
			 how % 2 != 0 ? "::" : "", c->name->name);
		if (pt_types_find(types, text, &found, NULL) == 0 && same(&found, &c->entity))
			return true;
	}
	return false;
}

void pt_types_each_of(struct pt_types *types, const struct pt_type *type,
		      bool (*each)(void *arg, const struct pt_entity *variable, const char *written), void *arg)
{
	struct search s = { .types = types };
	char written[WRITTEN_BYTES];

	pt_types_index(types);
	for (size_t i = 0; i < types->n_names; i++) {
		struct candidate c = { .name = &types->names[i] };
		const struct pt_type *of;

		if (c.name->kind != PT_NAME_VARIABLE || c.name->declaration || !take(&s, c.name, &c.entity) ||
		    c.entity.kind != PT_ENTITY_VARIABLE)
			continue;
		of = pt_type_strip(types, c.entity.type);
		of = of->kind == PT_TYPE_ARRAY ? pt_type_target(types, of) : c.entity.type;
		if (same_type(types, of, type) && write_name(types, &c, written, sizeof(written)) &&
		    !each(arg, &c.entity, written))
			return;
	}
}
