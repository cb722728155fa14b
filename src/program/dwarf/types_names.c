/* The index of names: one pass over all entries of .debug_info, then a sorted array. Kept: variables, functions, types
 * and enumerators at file level, in namespaces and classes, and the static variables of functions; with the scope they
 * are in. */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/model/program_parts.h"
#include "program/dwarf/types_parts.h"

enum { MAX_SCOPE_BYTES = 512, MAX_NAME_BYTES = 512, LIKE_BYTES = 40, LIKE_NAMES = 100000, MAX_LIKES = 200 };

struct scope { const char *name; bool function; uint32_t enumeration; };

struct scan {
	struct pt_types *types;
	struct scope stack[PT_TYPES_MAX_DEPTH + 1];
};

static const char *join(struct pt_types *types, const char *outer, const char *inner)
{
	char text[MAX_SCOPE_BYTES];
	int len = snprintf(text, sizeof(text), "%s::%s", outer, inner);
	char *kept;

	if (len < 0 || (size_t)len >= sizeof(text))
		return outer;
	kept = pt_types_take(types, (size_t)len + 1);
	return kept != NULL ? memcpy(kept, text, (size_t)len + 1) : outer;
}

static void add(struct scan *s, const struct pt_name *name)
{
	struct pt_types *types = s->types;

	if (types->n_names == types->room_names) {
		size_t room = types->room_names > 0 ? 2 * types->room_names : 1024;
		void *names = room <= PT_TYPES_MAX_NAMES ? realloc(types->names, room * sizeof(*types->names)) : NULL;

		if (names == NULL) {
			types->cut = true;
			return;
		}
		types->names = names;
		types->room_names = room;
	}
	types->names[types->n_names++] = *name;
}

/* The entry of a key that was added already: they are in order of their keys while the pass goes on. */
static const struct pt_name *added(const struct pt_types *types, uint64_t key)
{
	size_t low = 0, high = types->n_names;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (types->names[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < types->n_names && types->names[low].key == key ? &types->names[low] : NULL;
}

/* A definition apart from its declaration, or one instance of an inline function, is named by what it refers to. */
static void borrow_name(struct scan *s, struct pt_die_attrs *a, const char **scope)
{
	uint64_t from = a->specification != 0 ? a->specification : a->origin;
	const struct pt_name *declared = added(s->types, from);
	struct pt_die_attrs other;
	struct pt_die die;

	if (a->name != NULL || from == 0)
		return;
	if (declared != NULL) {
		a->name = declared->name;
		*scope = declared->scope;
	} else if (pt_dies_at(s->types->dies, from, &die)) {
		pt_die_read(s->types->dies, &die, &other);
		a->name = other.name;
	}
}

static bool worth(const struct pt_die_attrs *a, enum pt_name_kind kind, bool in_function)
{
	if (kind == PT_NAME_VARIABLE && in_function)
		return a->has_location;
	if (kind == PT_NAME_FUNCTION)
		return a->has_low_pc;
	return true;
}

static void note(struct scan *s, const struct pt_die *die, enum pt_name_kind kind, struct pt_die_attrs *a,
		 const struct scope *in)
{
	const char *scope = in->name;

	if (!worth(a, kind, in->function))
		return;
	borrow_name(s, a, &scope);
	if (a->name == NULL || a->name[0] == '\0' || strlen(a->name) >= MAX_NAME_BYTES)
		return;
	add(s, &(struct pt_name){
		       .name = a->name,
		       .scope = scope,
		       .key = (uint32_t)die->key,
		       .unit = die->unit,
		       .kind = (uint8_t)kind,
		       .parent = kind == PT_NAME_ENUMERATOR ? in->enumeration : (uint32_t)a->specification,
		       .in_function = in->function,
		       .declaration = a->declaration,
	       });
}

static void enter(struct scan *s, struct scope *inner, struct pt_die_attrs *a)
{
	const char *scope = inner->name;

	borrow_name(s, a, &scope);
	if (a->name != NULL && a->name[0] != '\0')
		inner->name = scope != NULL ? join(s->types, scope, a->name) : a->name;
}

static void look_at(struct scan *s, const struct pt_die *die, const struct scope *in, struct scope *inner)
{
	struct pt_die_attrs a;

	switch (die->tag) {
	case DW_TAG_variable: case DW_TAG_member: case DW_TAG_subprogram: case DW_TAG_enumerator: case DW_TAG_typedef:
	case DW_TAG_base_type: case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type:
	case DW_TAG_enumeration_type: case DW_TAG_namespace:
		pt_die_read(s->types->dies, die, &a);
		break;
	default:
		return;
	}
	switch (die->tag) {
	case DW_TAG_member:	/* static ones only; DWARF 5 calls them variables */
		if (a.external && a.declaration)
			note(s, die, PT_NAME_VARIABLE, &a, in);
		break;
	case DW_TAG_variable:
		note(s, die, PT_NAME_VARIABLE, &a, in);
		break;
	case DW_TAG_enumerator:
		note(s, die, PT_NAME_ENUMERATOR, &a, in);
		break;
	case DW_TAG_typedef: case DW_TAG_base_type: case DW_TAG_class_type:
		note(s, die, PT_NAME_TYPE, &a, in);
		break;
	case DW_TAG_structure_type: case DW_TAG_union_type: case DW_TAG_enumeration_type:
		note(s, die, PT_NAME_TAG, &a, in);
		break;
	case DW_TAG_subprogram:
		note(s, die, PT_NAME_FUNCTION, &a, in);
		inner->function = true;
		break;
	default:
		break;
	}
	if (die->tag == DW_TAG_enumeration_type)
		inner->enumeration = (uint32_t)die->key;
	else if (die->children && die->tag != DW_TAG_variable)
		enter(s, inner, &a);
}

static void scan_unit(struct scan *s, size_t unit)
{
	struct pt_die die;
	int depth = 0;

	if (!pt_dies_unit(s->types->dies, unit, &die))
		return;
	s->stack[0] = (struct scope){ NULL, false, 0 };
	while (pt_die_next(s->types->dies, &die, &depth)) {
		if (depth < 1 || depth > PT_TYPES_MAX_DEPTH)
			continue;
		s->stack[depth] = s->stack[depth - 1];
		look_at(s, &die, &s->stack[depth - 1], &s->stack[depth]);
	}
}

static int by_name(const void *a, const void *b)
{
	const struct pt_name *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order != 0)
		return order;
	return x->key < y->key ? -1 : x->key > y->key;
}

void pt_types_index(struct pt_types *types)
{
	struct scan scan = { .types = types };

	if (types->indexed)
		return;
	types->indexed = true;
	for (size_t i = 0; types->dies != NULL && i < pt_dies_n_units(types->dies); i++)
		scan_unit(&scan, i);
	if (types->n_names > 0)
		qsort(types->names, types->n_names, sizeof(*types->names), by_name);
}

bool pt_name_in_scope(const struct pt_name *name, const char *scope, size_t len)
{
	size_t full = name->scope != NULL ? strlen(name->scope) : 0;

	if (len == 0)
		return true;
	return full >= len && strncmp(name->scope + full - len, scope, len) == 0 &&
	       (full == len || (full >= len + 2 && strncmp(name->scope + full - len - 2, "::", 2) == 0));
}

static int compare(const char *name, const char *text, size_t len)
{
	int order = strncmp(name, text, len);

	return order != 0 ? order : name[len] != '\0';
}

const struct pt_name *pt_types_names(struct pt_types *types, const char *name, size_t len, size_t *n)
{
	size_t low = 0, high;

	pt_types_index(types);
	high = types->n_names;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(types->names[middle].name, name, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < types->n_names && compare(types->names[high].name, name, len) == 0; high++)
		;
	*n = high - low;
	return *n > 0 ? &types->names[low] : NULL;
}

/* How many letters have to be changed, put in or taken out; more than 2 is "many". */
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned row[LIKE_BYTES + 1], before, above;

	for (size_t k = 0; k <= b_len; k++)
		row[k] = (unsigned)k;
	for (size_t i = 1; i <= a_len; i++) {
		before = row[0];
		row[0] = (unsigned)i;
		for (size_t k = 1; k <= b_len; k++) {
			above = row[k];
			row[k] = before + (a[i - 1] != b[k - 1]);
			if (above + 1 < row[k])
				row[k] = above + 1;
			if (row[k - 1] + 1 < row[k])
				row[k] = row[k - 1] + 1;
			before = above;
		}
	}
	return row[b_len];
}

static void closer(const char *candidate, const char *name, size_t len, const char **best, unsigned *least)
{
	size_t candidate_len = strnlen(candidate, LIKE_BYTES + 1);
	unsigned d;

	if (candidate_len == 0 || candidate_len > LIKE_BYTES || candidate_len + 2 < len || candidate_len > len + 2 ||
	    (candidate[0] != name[0] && candidate[candidate_len - 1] != name[len - 1]))
		return;
	d = distance(name, len, candidate, candidate_len);
	if (d < *least && d < len) {
		*least = d;
		*best = candidate;
	}
}

const char *pt_types_like(struct pt_types *types, const char *name, size_t len)
{
	const struct pt_program *program = types->program;
	const char *best = NULL;
	unsigned least = 3;

	/* a help for people, not for long files */
	if (len < 3 || len > LIKE_BYTES || types->n_likes++ >= MAX_LIKES)
		return NULL;
	for (size_t i = 0; i < types->n_names && i < LIKE_NAMES; i++)
		if (types->names[i].kind <= PT_NAME_ENUMERATOR)
			closer(types->names[i].name, name, len, &best, &least);
	for (size_t i = 0; program != NULL && i < program->n_symbols && i < LIKE_NAMES; i++)
		closer(program->symbols[i].name, name, len, &best, &least);
	return best;
}
