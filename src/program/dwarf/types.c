/* Types and variables: what is handed out. types_names.c has the index, types_read.c makes types from DWARF, types_c.c
 * has those of C. */
#include "program/dwarf/types.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/model/program_parts.h"
#include "program/dwarf/types_parts.h"

enum { BACKWARDS = 32, MAX_NESTING = 16 };

/* e_ident and e_machine are enough to know; what else the file is has been looked at when it was opened. */
static void know_target(struct pt_types *types)
{
	const struct pt_program_file *elf = types->program != NULL ? &types->program->elf : NULL;

	types->address_bytes = 4;
	if (elf == NULL || elf->bytes == NULL || elf->len_bytes <= EI_DATA)
		return;
	types->big_endian = elf->bytes[EI_DATA] == ELFDATA2MSB;
	if (elf->bytes[EI_CLASS] == ELFCLASS64)
		types->address_bytes = 8;
	else if (types->program->arch.elf_machine == PT_EM_S12Z)
		types->address_bytes = 3;
}

struct pt_types *pt_types_new(struct pt_program *program)
{
	struct pt_types *types = pt_alloc(sizeof(*types));
	const struct pt_program_file *file;

	types->program = program != NULL ? pt_program_ref(program) : NULL;
	know_target(types);
	if (program == NULL)
		return types;
	file = program->dwarf;
	if (file != NULL && file->bytes != NULL)
		types->dies = pt_dies_new(file->bytes, file->len_bytes);
	return types;
}

void pt_types_free(struct pt_types *types)
{
	if (types == NULL)
		return;
	pt_types_free_taken(types);
	pt_dies_free(types->dies);
	pt_program_unref(types->program);
	free(types->names);
	free(types->by_key);
	free(types->places);
	free(types);
}

bool pt_types_big_endian(const struct pt_types *types)
{
	return types->big_endian;
}

unsigned pt_types_address_bytes(const struct pt_types *types)
{
	return types->address_bytes;
}

bool pt_types_has_dwarf(struct pt_types *types)
{
	pt_types_index(types);
	return types->n_names > 0;
}

struct pt_type_full *pt_types_full(struct pt_types *types, const struct pt_type *type)
{
	/* the public part is its first member, and none is made elsewhere */
	return type != NULL ? (struct pt_type_full *)(uintptr_t)type : pt_types_builtin(types, PT_C_VOID);
}

const struct pt_type *pt_types_pointer_to(struct pt_types *types, const struct pt_type *type)
{
	struct pt_type_full *full = pt_types_full(types, type);

	if (full->pointer == NULL) {
		struct pt_type_full *pointer = pt_types_take(types, sizeof(*pointer));

		if (pointer == NULL)
			return NULL;
		pointer->type.kind = PT_TYPE_POINTER;
		pointer->type.size_bytes = types->address_bytes;
		pointer->target = full;
		full->pointer = pointer;
	}
	return &full->pointer->type;
}

/* --- looking into types ------------------------------------------------------------------------------------------- */

/* The complete type of the same name, if there is one in any unit. */
static struct pt_type_full *complete(struct pt_types *types, struct pt_type_full *type)
{
	const struct pt_name *names;
	size_t n;

	if (!type->declaration || type->complete != NULL || type->completing || type->type.name == NULL)
		return type->complete != NULL ? type->complete : type;
	type->completing = true;	/* asked once, whatever comes out */
	names = pt_types_names(types, type->type.name, strlen(type->type.name), &n);
	for (size_t i = 0; i < n && i < PT_TYPES_MAX_ALIKE; i++) {
		struct pt_type_full *other;

		if (names[i].declaration || (names[i].kind != PT_NAME_TAG && names[i].kind != PT_NAME_TYPE))
			continue;
		other = pt_types_of_key(types, names[i].key);
		if (other != NULL && other->tag == type->tag && !other->declaration) {
			type->complete = other;
			return other;
		}
	}
	return type;
}

const struct pt_type *pt_type_strip(struct pt_types *types, const struct pt_type *type)
{
	struct pt_type_full *full = pt_types_full(types, type);

	for (int i = 0; full->type.kind == PT_TYPE_ALIAS; i++) {
		if (i == PT_TYPES_MAX_DEPTH)
			return &pt_types_builtin(types, PT_C_VOID)->type;
		full = pt_types_target(types, full);
	}
	return &complete(types, full)->type;
}

const struct pt_type *pt_type_target(struct pt_types *types, const struct pt_type *type)
{
	return &pt_types_target(types, pt_types_full(types, type))->type;
}

const struct pt_member *pt_type_members(struct pt_types *types, const struct pt_type *type, size_t *n)
{
	struct pt_type_full *full = pt_types_full(types, pt_type_strip(types, type));

	*n = 0;
	if (full->type.kind != PT_TYPE_STRUCT && full->type.kind != PT_TYPE_UNION)
		return NULL;
	pt_types_read_members(types, full);
	*n = full->n_members;
	return full->members;
}

static bool find_member(struct pt_types *types, const struct pt_type *type, const char *name, unsigned nesting,
			unsigned *budget, struct pt_member *found)
{
	const struct pt_member *members;
	size_t n;

	members = pt_type_members(types, type, &n);
	for (size_t i = 0; i < n && *budget != 0; i++) {
		--*budget;
		if (members[i].name != NULL && strcmp(members[i].name, name) == 0) {
			*found = members[i];
			return true;
		}
		if (members[i].name == NULL && nesting < MAX_NESTING &&
		    find_member(types, members[i].type, name, nesting + 1, budget, found)) {
			found->offset += members[i].offset;
			return true;
		}
	}
	return false;
}

bool pt_type_member(struct pt_types *types, const struct pt_type *type, const char *name, struct pt_member *member)
{
	unsigned budget = 4 * PT_TYPES_MAX_MEMBERS;

	return find_member(types, type, name, 0, &budget, member);
}

const struct pt_enumerator *pt_type_enumerators(struct pt_types *types, const struct pt_type *type, size_t *n)
{
	struct pt_type_full *full = pt_types_full(types, pt_type_strip(types, type));

	*n = 0;
	if (full->type.kind != PT_TYPE_ENUM)
		return NULL;
	pt_types_read_enumerators(types, full);
	*n = full->n_enumerators;
	return full->enumerators;
}

static void put_text(char *text, size_t room, const char *more)
{
	size_t len = strlen(text);

	snprintf(text + len, room - len, "%s", more);
}

static const char *tag_of(const struct pt_type *type)
{
	switch (type->kind) {
	case PT_TYPE_STRUCT: return "struct ";
	case PT_TYPE_UNION: return "union ";
	case PT_TYPE_ENUM: return "enum ";
	default: return "";
	}
}

static void print_type(struct pt_types *types, const struct pt_type *type, char *text, size_t room, unsigned depth);

/* C has the dimensions from the outermost to the innermost. */
static void print_array(struct pt_types *types, const struct pt_type *type, char *text, size_t room, unsigned depth)
{
	const struct pt_type *element = type;
	char number[32];

	for (unsigned i = 0; element->kind == PT_TYPE_ARRAY && i < PT_TYPES_MAX_DEPTH; i++)
		element = pt_type_target(types, element);
	print_type(types, element, text, room, depth + PT_TYPES_MAX_DEPTH / 4);
	for (; type != element; type = pt_type_target(types, type)) {
		snprintf(number, sizeof(number), "[%llu]", (unsigned long long)type->n_elements);
		put_text(text, room, number);
	}
}

static void print_type(struct pt_types *types, const struct pt_type *type, char *text, size_t room, unsigned depth)
{
	char number[32];

	if (depth > PT_TYPES_MAX_DEPTH) {
		put_text(text, room, "...");
	} else if (type->kind == PT_TYPE_POINTER) {
		const struct pt_type *to = pt_type_target(types, type);

		print_type(types, to, text, room, depth + 1);
		put_text(text, room, to->kind == PT_TYPE_POINTER ? "*" : " *");
	} else if (type->kind == PT_TYPE_ARRAY) {
		print_array(types, type, text, room, depth);
	} else if (type->kind == PT_TYPE_FUNCTION) {
		put_text(text, room, "function");
	} else if (type->kind == PT_TYPE_ALIAS && type->name == NULL) {
		print_type(types, pt_type_target(types, type), text, room, depth + 1);
	} else if (type->kind == PT_TYPE_NONE && type->name == NULL) {
		snprintf(number, sizeof(number), "%llu bytes", (unsigned long long)type->size_bytes);
		put_text(text, room, number);
	} else {
		put_text(text, room, tag_of(type));
		put_text(text, room, type->name != NULL ? type->name : type->kind == PT_TYPE_VOID ? "void" : "{...}");
	}
}

void pt_type_print(struct pt_types *types, const struct pt_type *type, char *text, size_t room)
{
	if (room == 0)
		return;
	text[0] = '\0';
	print_type(types, &pt_types_full(types, type)->type, text, room, 0);
}

/* --- symbols by address ------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct pt_symbol_place *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return strcmp(y->name, x->name);
}

static void make_places(struct pt_types *types)
{
	const struct pt_program *program = types->program;
	bool thumb = program != NULL && program->arch.elf_machine == EM_ARM;

	types->have_places = true;
	if (program == NULL || program->n_symbols + program->n_functions == 0)
		return;
	types->places = calloc(program->n_symbols + program->n_functions, sizeof(*types->places));
	if (types->places == NULL)
		return;
	for (size_t i = 0; i < program->n_functions; i++)
		types->places[types->n_places++] = (struct pt_symbol_place){
			program->functions[i].address, program->functions[i].size, program->functions[i].name };
	for (size_t i = 0; i < program->n_symbols; i++)
		if (!thumb || (program->symbols[i].addr & 1) == 0 ||
		    pt_program_function_at(program, program->symbols[i].addr) == NULL)
			types->places[types->n_places++] = (struct pt_symbol_place){
				program->symbols[i].addr, program->symbols[i].size, program->symbols[i].name };
	qsort(types->places, types->n_places, sizeof(*types->places), by_place);
}

/* How many places begin at or before addr. */
static size_t places_before(struct pt_types *types, uint64_t addr)
{
	size_t low = 0, high;

	if (!types->have_places)
		make_places(types);
	high = types->n_places;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (types->places[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct pt_symbol_place *pt_types_place(struct pt_types *types, uint64_t addr)
{
	size_t n = places_before(types, addr);

	return n > 0 && types->places[n - 1].addr == addr ? &types->places[n - 1] : NULL;
}

/* Marks of the linker script have no size: they count only where nothing else begins. */
const char *pt_types_symbol_at(struct pt_types *types, uint64_t addr, uint64_t *offset)
{
	size_t n = places_before(types, addr);

	for (size_t i = 0; i < BACKWARDS && i < n; i++) {
		const struct pt_symbol_place *place = &types->places[n - 1 - i];

		*offset = addr - place->addr;
		if (*offset < place->size || (*offset == 0 && i == 0 && place->size == 0))
			return place->name;
	}
	return NULL;
}
