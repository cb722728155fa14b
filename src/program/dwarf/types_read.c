/* From entries of .debug_info to types. A type is made once per entry; what it is made of is read at its first use,
 * so that structs may point to one another. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "program/dwarf/types_parts.h"

enum { FIRST_SLOTS = 256, MAX_TYPES = 1 << 20 };

/* --- the table ---------------------------------------------------------------------------------------------------- */

static size_t slot_of(const struct pt_types *types, uint64_t key)
{
	size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (types->n_slots - 1);

	while (types->by_key[slot] != NULL && types->by_key[slot]->key != key)
		slot = (slot + 1) & (types->n_slots - 1);
	return slot;
}

static bool grow_table(struct pt_types *types)
{
	size_t n_old = types->n_slots;
	struct pt_type_full **old = types->by_key;

	if (2 * (types->n_types + 1) <= n_old)
		return true;
	if (types->n_types >= MAX_TYPES)
		return false;
	types->n_slots = n_old > 0 ? 2 * n_old : FIRST_SLOTS;
	types->by_key = calloc(types->n_slots, sizeof(*types->by_key));
	if (types->by_key == NULL) {
		types->by_key = old;
		types->n_slots = n_old;
		return false;
	}
	for (size_t i = 0; i < n_old; i++)
		if (old[i] != NULL)
			types->by_key[slot_of(types, old[i]->key)] = old[i];
	free(old);
	return true;
}

bool pt_types_next(struct pt_types *types, struct pt_die *die, int *depth)
{
	if (types->n_steps >= PT_TYPES_MAX_STEPS)
		return false;
	types->n_steps++;
	return pt_die_next(types->dies, die, depth);
}

/* --- making one --------------------------------------------------------------------------------------------------- */

static enum pt_type_kind kind_of_base(const struct pt_die_attrs *a)
{
	switch (a->encoding) {
	case DW_ATE_boolean: return PT_TYPE_BOOL;
	case DW_ATE_float: return a->byte_size == 4 || a->byte_size == 8 ? PT_TYPE_FLOAT : PT_TYPE_NONE;
	case DW_ATE_signed_char: case DW_ATE_unsigned_char:
		return a->name != NULL && strcmp(a->name, "char") == 0 ? PT_TYPE_CHAR : PT_TYPE_INT;
	case DW_ATE_UTF: case DW_ATE_signed: case DW_ATE_unsigned: case DW_ATE_address: return PT_TYPE_INT;
	default: return PT_TYPE_NONE;
	}
}

static enum pt_type_kind kind_of(unsigned tag, const struct pt_die_attrs *a)
{
	switch (tag) {
	case DW_TAG_base_type: return kind_of_base(a);
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type: return PT_TYPE_POINTER;
	case DW_TAG_array_type: return PT_TYPE_ARRAY;
	case DW_TAG_structure_type: case DW_TAG_class_type: return PT_TYPE_STRUCT;
	case DW_TAG_union_type: return PT_TYPE_UNION;
	case DW_TAG_enumeration_type: return PT_TYPE_ENUM;
	case DW_TAG_subroutine_type: return PT_TYPE_FUNCTION;
	case DW_TAG_typedef: case DW_TAG_const_type: case DW_TAG_volatile_type: case DW_TAG_restrict_type:
	case DW_TAG_atomic_type: case DW_TAG_immutable_type: case DW_TAG_packed_type: case DW_TAG_shared_type:
		return PT_TYPE_ALIAS;
	default: return PT_TYPE_VOID;
	}
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

/* An enum without a stated type has a sign where one of its values has. */
static void read_enum_sign(struct pt_types *types, struct pt_type_full *type)
{
	struct pt_type_full *stored = type->target_key != 0 ? pt_types_target(types, type) : NULL;
	const struct pt_type *under = stored != NULL ? pt_type_strip(types, &stored->type) : NULL;

	if (under != NULL && under->kind != PT_TYPE_VOID) {
		type->type.is_signed = under->is_signed;
		return;
	}
	pt_types_read_enumerators(types, type);
	for (size_t i = 0; i < type->n_enumerators; i++)
		type->type.is_signed = type->type.is_signed || type->enumerators[i].value < 0;
}

static uint64_t n_of_subrange(struct pt_types *types, const struct pt_die *die)
{
	struct pt_die_attrs a;

	pt_die_read(types->dies, die, &a);
	if (a.has_count)
		return a.count;
	return a.has_upper_bound && a.upper_bound < (UINT64_C(1) << 48) ? a.upper_bound + 1 : 0;
}

/* Dimensions become arrays of arrays, the last one innermost. */
static void read_array(struct pt_types *types, const struct pt_die *die, struct pt_type_full *type)
{
	uint64_t n[PT_TYPES_MAX_DEPTH];
	struct pt_type_full *inner;
	struct pt_die child = *die;
	size_t n_dims = 0;
	int depth = 0;

	while (n_dims < PT_TYPES_MAX_DEPTH && pt_types_next(types, &child, &depth))
		if (depth == 1 && child.tag == DW_TAG_subrange_type)
			n[n_dims++] = n_of_subrange(types, &child);
	inner = pt_types_target(types, type);
	for (size_t i = n_dims; i > 1; i--) {
		struct pt_type_full *array = pt_types_take(types, sizeof(*array));

		if (array == NULL)
			return;
		array->type.kind = PT_TYPE_ARRAY;
		array->type.n_elements = n[i - 1];
		array->type.size_bytes = times(n[i - 1], inner->type.size_bytes);
		array->target = inner;
		inner = array;
	}
	type->target = inner;
	type->type.n_elements = n_dims > 0 ? n[0] : 0;
	if (type->type.size_bytes == 0 || n_dims > 1)
		type->type.size_bytes = times(type->type.n_elements, inner->type.size_bytes);
}

static void fill(struct pt_types *types, const struct pt_die *die, const struct pt_die_attrs *a,
		 struct pt_type_full *type)
{
	type->tag = die->tag;
	type->target_key = a->type;
	type->declaration = a->declaration;
	type->type.kind = kind_of(die->tag, a);
	type->type.name = a->name;
	type->type.size_bytes = a->has_byte_size ? a->byte_size : 0;
	type->type.is_signed = a->encoding == DW_ATE_signed || a->encoding == DW_ATE_signed_char;
	switch (type->type.kind) {
	case PT_TYPE_POINTER:
		if (type->type.size_bytes == 0)
			type->type.size_bytes = types->address_bytes;
		break;
	case PT_TYPE_ALIAS:
		type->type.size_bytes = pt_types_target(types, type)->type.size_bytes;
		break;
	case PT_TYPE_ARRAY:
		read_array(types, die, type);
		break;
	case PT_TYPE_ENUM:
		read_enum_sign(types, type);
		break;
	default:
		break;
	}
}

struct pt_type_full *pt_types_of_key(struct pt_types *types, uint64_t key)
{
	struct pt_type_full *type;
	struct pt_die_attrs a;
	struct pt_die die;

	if (key == 0 || types->dies == NULL || !grow_table(types))
		return NULL;
	type = types->by_key[slot_of(types, key)];
	if (type != NULL)
		return type->unit_type != NULL ? type->unit_type : type;
	if (types->depth >= PT_TYPES_MAX_DEPTH || !pt_dies_at(types->dies, key, &die))
		return NULL;
	type = pt_types_take(types, sizeof(*type));
	if (type == NULL)
		return NULL;
	pt_die_read(types->dies, &die, &a);
	type->key = key;
	types->by_key[slot_of(types, key)] = type;
	types->n_types++;
	types->depth++;
	fill(types, &die, &a, type);
	types->depth--;
	if (a.signature != 0 && a.signature != key)
		type->unit_type = pt_types_of_key(types, a.signature);
	return type->unit_type != NULL ? type->unit_type : type;
}

struct pt_type_full *pt_types_of_symbol(struct pt_types *types, uint64_t size_bytes)
{
	struct pt_type_full **kept = size_bytes < PT_TYPES_N_SIZES ? &types->by_size[size_bytes] : NULL;
	struct pt_type_full *type = kept != NULL ? *kept : NULL;

	if (type != NULL)
		return type;
	type = pt_types_take(types, sizeof(*type));
	if (type == NULL)
		return NULL;
	type->type.kind = PT_TYPE_NONE;
	type->type.size_bytes = size_bytes;
	if (kept != NULL)
		*kept = type;
	return type;
}

struct pt_type_full *pt_types_target(struct pt_types *types, struct pt_type_full *type)
{
	if (type->target == NULL)
		type->target = pt_types_of_key(types, type->target_key);
	if (type->target == NULL)
		type->target = pt_types_builtin(types, PT_C_VOID);
	return type->target;
}

/* --- members ------------------------------------------------------------------------------------------------------ */

static bool fits(unsigned unit, uint64_t at, uint64_t in_unit, unsigned n, uint64_t whole)
{
	return in_unit + n <= 8u * unit && (whole == 0 || at + unit <= whole);
}

/* The smallest naturally placed unit up to the declared one that holds the bits: what a compiler reads them with, but
 * never beyond the struct. bit is counted from the struct's first byte, in its byte order. */
static void place_bits(const struct pt_types *types, struct pt_member *m, uint64_t bit, unsigned n, uint64_t declared,
		       uint64_t whole)
{
	unsigned unit = declared == 1 || declared == 2 || declared == 4 || declared == 8 ? (unsigned)declared : 4;
	uint64_t at = bit / (8 * unit) * unit;

	for (unsigned smaller = unit; !fits(unit, at, bit - 8 * at, n, whole) && smaller > 1;) {
		smaller /= 2;
		if (fits(smaller, bit / (8 * smaller) * smaller, bit % (8 * smaller), n, whole)) {
			unit = smaller;
			at = bit / (8 * unit) * unit;
		}
	}
	if (!fits(unit, at, bit - 8 * at, n, 0)) {	/* across units: packed */
		at = bit / 8;
		for (unit = 1; unit < 8 && bit % 8 + n > 8 * unit; unit *= 2)
			;
	}
	m->offset = at;
	m->unit_bytes = (uint8_t)unit;
	m->n_bits = (uint8_t)n;
	m->first_bit = (uint8_t)(types->big_endian ? 8 * unit - (bit - 8 * at) - n : bit - 8 * at);
}

static void read_bits(const struct pt_types *types, struct pt_member *m, const struct pt_die_attrs *a, uint64_t whole)
{
	uint64_t declared = a->has_byte_size ? a->byte_size : m->type->size_bytes, bit = a->data_bit_offset;
	unsigned n = (unsigned)a->bit_size;

	if (a->has_bit_offset) {	/* DWARF 2, 3: from the most significant bit of the storage unit */
		uint64_t from_top = a->bit_offset;

		if (!types->big_endian)
			from_top = 8 * declared - from_top - n;
		bit = 8 * a->member_offset + from_top;
	} else if (!a->has_data_bit_offset) {
		bit = 8 * a->member_offset;
	}
	if (bit / 8 < UINT32_MAX)
		place_bits(types, m, bit, n, declared, whole);
}

static bool read_member(struct pt_types *types, const struct pt_die *die, const struct pt_type_full *outer,
			struct pt_member *m)
{
	struct pt_type_full *type;
	struct pt_die_attrs a;

	pt_die_read(types->dies, die, &a);
	if (a.external && a.declaration)	/* a static member of a class */
		return false;
	type = pt_types_of_key(types, a.type);
	if (type == NULL)
		return false;
	*m = (struct pt_member){ .name = die->tag == DW_TAG_inheritance ? NULL : a.name, .type = &type->type,
				 .offset = a.member_offset };
	if (a.has_bit_size && a.bit_size > 0 && a.bit_size <= 64)
		read_bits(types, m, &a, outer->type.size_bytes);
	return true;
}

/* The children of type's entry, each through read into an array of items, copied to where it stays. */
static const void *read_children(struct pt_types *types, const struct pt_type_full *type, size_t *n, size_t size,
				 bool (*read)(struct pt_types *types, const struct pt_die *die,
					      const struct pt_type_full *outer, void *item))
{
	size_t room = 0, count = 0;
	uint8_t *items = NULL;
	struct pt_die die;
	void *kept = NULL;
	int depth = 0;

	if (types->dies == NULL || !pt_dies_at(types->dies, type->key, &die))
		return NULL;
	while (count < PT_TYPES_MAX_MEMBERS && pt_types_next(types, &die, &depth)) {
		if (depth != 1)
			continue;
		if (count == room) {
			void *more = realloc(items, (room = room > 0 ? 2 * room : 16) * size);

			if (more == NULL)
				break;
			items = more;
		}
		count += read(types, &die, type, items + count * size);
	}
	if (count > 0)
		kept = pt_types_take(types, count * size);
	if (kept != NULL)
		memcpy(kept, items, count * size);
	free(items);
	*n = kept != NULL ? count : 0;
	return kept;
}

static bool member_item(struct pt_types *types, const struct pt_die *die, const struct pt_type_full *outer, void *item)
{
	return (die->tag == DW_TAG_member || die->tag == DW_TAG_inheritance) && read_member(types, die, outer, item);
}

void pt_types_read_members(struct pt_types *types, struct pt_type_full *type)
{
	if (type->has_members)
		return;
	type->has_members = true;
	type->members = read_children(types, type, &type->n_members, sizeof(struct pt_member), member_item);
}

static bool enumerator_item(struct pt_types *types, const struct pt_die *die, const struct pt_type_full *outer,
			    void *item)
{
	struct pt_die_attrs a;

	(void)outer;
	if (die->tag != DW_TAG_enumerator)
		return false;
	pt_die_read(types->dies, die, &a);
	*(struct pt_enumerator *)item = (struct pt_enumerator){ a.name, (int64_t)a.const_value };
	return a.name != NULL && a.has_const;
}

void pt_types_read_enumerators(struct pt_types *types, struct pt_type_full *type)
{
	if (type->has_enumerators)
		return;
	type->has_enumerators = true;
	type->enumerators =
		read_children(types, type, &type->n_enumerators, sizeof(struct pt_enumerator), enumerator_item);
}
