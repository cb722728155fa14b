/* The types that C has by itself, and types by their names. */
#include <stdlib.h>
#include <string.h>

#include "program/dwarf/types_parts.h"
#include "base/util.h"

static const struct { enum pt_type_kind kind; bool is_signed; unsigned size; const char *name, *other; } c_types[] = {
	[PT_C_VOID] = { PT_TYPE_VOID, false, 0, "void", NULL },
	[PT_C_BOOL] = { PT_TYPE_BOOL, false, 1, "_Bool", "bool" },
	[PT_C_CHAR] = { PT_TYPE_CHAR, false, 1, "char", NULL },
	[PT_C_SCHAR] = { PT_TYPE_INT, true, 1, "signed char", NULL },
	[PT_C_UCHAR] = { PT_TYPE_INT, false, 1, "unsigned char", NULL },
	[PT_C_SHORT] = { PT_TYPE_INT, true, 2, "short int", "short" },
	[PT_C_USHORT] = { PT_TYPE_INT, false, 2, "short unsigned int", "unsigned short" },
	[PT_C_INT] = { PT_TYPE_INT, true, 4, "int", NULL },
	[PT_C_UINT] = { PT_TYPE_INT, false, 4, "unsigned int", NULL },
	[PT_C_LONG] = { PT_TYPE_INT, true, 4, "long int", "long" },
	[PT_C_ULONG] = { PT_TYPE_INT, false, 4, "long unsigned int", "unsigned long" },
	[PT_C_LLONG] = { PT_TYPE_INT, true, 8, "long long int", "long long" },
	[PT_C_ULLONG] = { PT_TYPE_INT, false, 8, "long long unsigned int", "unsigned long long" },
	[PT_C_FLOAT] = { PT_TYPE_FLOAT, true, 4, "float", NULL },
	[PT_C_DOUBLE] = { PT_TYPE_FLOAT, true, 8, "double", NULL },
	[PT_C_FUNCTION] = { PT_TYPE_FUNCTION, false, 0, NULL, NULL },
};

/* As this compiler has it, if it used the type at all. */
static const struct pt_type *as_compiled(struct pt_types *types, const char *name)
{
	const struct pt_name *names;
	size_t n = 0;

	names = name != NULL ? pt_types_names(types, name, strlen(name), &n) : NULL;
	for (size_t i = 0; i < n && i < PT_TYPES_MAX_ALIKE; i++) {
		struct pt_type_full *type;

		if (names[i].kind != PT_NAME_TYPE)
			continue;
		type = pt_types_of_key(types, names[i].key);
		if (type != NULL && type->type.kind != PT_TYPE_ALIAS && type->type.size_bytes >= 1 &&
		    type->type.size_bytes <= 8)
			return &type->type;
	}
	return NULL;
}

static unsigned usual_size(const struct pt_types *types, enum pt_builtin which)
{
	if ((which == PT_C_LONG || which == PT_C_ULONG) && types->address_bytes == 8)
		return 8;
	if ((which == PT_C_INT || which == PT_C_UINT) && types->address_bytes == 3)
		return 2;	/* S12Z */
	return c_types[which].size;
}

static void make_builtins(struct pt_types *types)
{
	types->have_builtins = true;
	for (int i = 0; i < PT_C_N; i++) {
		struct pt_type *type = &types->builtin[i].type;

		*type = (struct pt_type){ c_types[i].kind, c_types[i].is_signed, c_types[i].name,
					  usual_size(types, (enum pt_builtin)i), 0 };
	}
	for (int i = PT_C_BOOL; i <= PT_C_DOUBLE; i++) {
		const struct pt_type *compiled = as_compiled(types, c_types[i].name);

		if (compiled == NULL)
			compiled = as_compiled(types, c_types[i].other);
		if (compiled != NULL && compiled->kind == c_types[i].kind) {
			types->builtin[i].type.size_bytes = compiled->size_bytes;
			types->builtin[i].type.is_signed = compiled->is_signed;
		}
	}
}

struct pt_type_full *pt_types_builtin(struct pt_types *types, enum pt_builtin which)
{
	if (!types->have_builtins)
		make_builtins(types);
	return &types->builtin[which];
}

const struct pt_type *pt_types_integer(struct pt_types *types, unsigned size_bytes, bool is_signed)
{
	static const enum pt_builtin order[][2] = {
		{ PT_C_UINT, PT_C_INT }, { PT_C_ULONG, PT_C_LONG }, { PT_C_UCHAR, PT_C_SCHAR },
		{ PT_C_USHORT, PT_C_SHORT }, { PT_C_ULLONG, PT_C_LLONG },
	};

	for (size_t i = 0; i < PT_LEN(order); i++) {
		const struct pt_type *type = &pt_types_builtin(types, order[i][is_signed])->type;

		if (type->size_bytes == size_bytes)
			return type;
	}
	return NULL;
}

const struct pt_type *pt_types_double(struct pt_types *types)
{
	return &pt_types_builtin(types, PT_C_DOUBLE)->type;
}

/* Words of a type's name in any order: what they make, or PT_C_N: no such type of C. */
static enum pt_builtin combine(unsigned n_long, bool is_short, bool is_unsigned, bool is_signed, const char *core)
{
	if (strcmp(core, "char") == 0)
		return is_unsigned ? PT_C_UCHAR : is_signed ? PT_C_SCHAR : PT_C_CHAR;
	if (strcmp(core, "double") == 0)
		return n_long <= 1 ? PT_C_DOUBLE : PT_C_N;
	if (strcmp(core, "int") != 0)
		return PT_C_N;
	if (is_short)
		return is_unsigned ? PT_C_USHORT : PT_C_SHORT;
	if (n_long >= 2)
		return is_unsigned ? PT_C_ULLONG : PT_C_LLONG;
	if (n_long == 1)
		return is_unsigned ? PT_C_ULONG : PT_C_LONG;
	return is_unsigned ? PT_C_UINT : PT_C_INT;
}

static enum pt_builtin keyword_type(const char *name)
{
	bool is_short = false, is_unsigned = false, is_signed = false;
	const char *core = "int";
	unsigned n_long = 0;

	while (*name != '\0') {
		static const struct { const char *word; enum pt_builtin alone; } alone[] = {
			{ "void", PT_C_VOID }, { "_Bool", PT_C_BOOL }, { "bool", PT_C_BOOL }, { "float", PT_C_FLOAT },
		};
		size_t len = strcspn(name, " ");

		for (size_t i = 0; i < PT_LEN(alone); i++)
			if (strcmp(name, alone[i].word) == 0)
				return alone[i].alone;
		if (len == 4 && strncmp(name, "long", 4) == 0)
			n_long++;
		else if (len == 5 && strncmp(name, "short", 5) == 0)
			is_short = true;
		else if (len == 8 && strncmp(name, "unsigned", 8) == 0)
			is_unsigned = true;
		else if (len == 6 && strncmp(name, "signed", 6) == 0)
			is_signed = true;
		else if (len == 4 && strncmp(name, "char", 4) == 0)
			core = "char";
		else if (len == 6 && strncmp(name, "double", 6) == 0)
			core = "double";
		else if (len != 3 || strncmp(name, "int", 3) != 0)
			return PT_C_N;
		name += len;
		name += strspn(name, " ");
	}
	return combine(n_long, is_short, is_unsigned, is_signed, core);
}

/* The part in front of the last "::", and what is behind it. */
static const char *split_scope(const char *name, size_t *scope_len)
{
	const char *last = name;

	for (const char *at = strstr(name, "::"); at != NULL; at = strstr(at + 2, "::"))
		last = at + 2;
	*scope_len = last > name ? (size_t)(last - name) - 2 : 0;
	return last;
}

static const struct pt_type *find_type(struct pt_types *types, const char *name, const char *tag)
{
	size_t scope_len, n;
	const char *plain = split_scope(name, &scope_len);
	const struct pt_name *names = pt_types_names(types, plain, strlen(plain), &n);
	struct pt_type_full *found = NULL;

	for (size_t i = 0; i < n && i < PT_TYPES_MAX_ALIKE; i++) {
		struct pt_type_full *type;

		if ((names[i].kind != PT_NAME_TYPE && names[i].kind != PT_NAME_TAG) ||
		    !pt_name_in_scope(&names[i], name, scope_len) || (tag != NULL && names[i].kind != PT_NAME_TAG))
			continue;
		type = pt_types_of_key(types, names[i].key);
		if (type != NULL &&
		    (found == NULL || (found->declaration && !type->declaration) ||
		     (found->type.kind != PT_TYPE_ALIAS && type->type.kind == PT_TYPE_ALIAS && tag == NULL)))
			found = type;
		if (found != NULL && !found->declaration && tag == NULL && found->type.kind == PT_TYPE_ALIAS)
			break;
	}
	return found != NULL ? &found->type : NULL;
}

const struct pt_type *pt_types_named(struct pt_types *types, const char *name)
{
	static const char *const tags[] = { "struct ", "union ", "enum ", "class " };
	enum pt_builtin c_type = keyword_type(name);

	if (c_type != PT_C_N)
		return *name != '\0' ? &pt_types_builtin(types, c_type)->type : NULL;
	for (size_t i = 0; i < PT_LEN(tags); i++)
		if (strncmp(name, tags[i], strlen(tags[i])) == 0)
			return find_type(types, name + strlen(tags[i]), i < 3 ? tags[i] : NULL);
	return find_type(types, name, NULL);
}
