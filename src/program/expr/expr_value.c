/* Values: loading, converting, printing. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/expr/expr_parts.h"

enum { FIRST_PRINTABLE = 0x20, LAST_PRINTABLE = 0x7e };

bool pt_type_is_integer(const struct pt_type *type)
{
	switch (type->kind) {
	case PT_TYPE_BOOL: case PT_TYPE_CHAR: case PT_TYPE_INT: case PT_TYPE_ENUM:
		return type->size_bytes >= 1 && type->size_bytes <= 8;
	case PT_TYPE_NONE:
		return type->size_bytes == 1 || type->size_bytes == 2 || type->size_bytes == 4 || type->size_bytes == 8;
	default:
		return false;
	}
}

bool pt_type_is_scalar(const struct pt_type *type)
{
	if (type->kind == PT_TYPE_FLOAT)
		return type->size_bytes == 4 || type->size_bytes == 8;
	return pt_type_is_integer(type) ||
	       (type->kind == PT_TYPE_POINTER && type->size_bytes >= 1 && type->size_bytes <= 8);
}

static uint64_t extend(uint64_t bits, unsigned n_bits, bool is_signed)
{
	if (n_bits == 0 || n_bits >= 64)
		return bits;
	bits &= (UINT64_C(1) << n_bits) - 1;
	if (is_signed && (bits >> (n_bits - 1) & 1) != 0)
		bits |= UINT64_MAX << n_bits;
	return bits;
}

static bool signed_type(const struct pt_type *type)
{
	return type->is_signed && type->kind != PT_TYPE_POINTER && type->kind != PT_TYPE_BOOL;
}

static double real_of(uint64_t bits, uint64_t size_bytes)
{
	uint32_t half = (uint32_t)bits;
	double d;
	float f;

	if (size_bytes == 4) {
		memcpy(&f, &half, sizeof(f));
		return (double)f;
	}
	memcpy(&d, &bits, sizeof(d));
	return d;
}

static int read_bits(const struct pt_types *types, const struct pt_reader *reader, uint64_t addr, unsigned size_bytes,
		     uint64_t *bits, struct pt_err *err)
{
	uint8_t bytes[8];

	*bits = 0;
	if (reader == NULL || reader->read == NULL)
		return pt_fail(err, PT_EARG, "memory at 0x%" PRIx64 " cannot be read", addr);
	if (reader->read(reader->arg, addr, bytes, size_bytes, err) < 0)
		return pt_wrap(err, "read 0x%" PRIx64, addr);
	for (unsigned i = 0; i < size_bytes; i++)
		*bits |= (uint64_t)bytes[pt_types_big_endian(types) ? size_bytes - 1 - i : i] << 8 * i;
	return 0;
}

int pt_c_value_load(struct pt_types *types, const struct pt_reader *reader, struct pt_c_value *v, struct pt_err *err)
{
	const struct pt_type *type = pt_type_strip(types, v->type);
	unsigned size = v->n_bits > 0 ? v->unit_bytes : (unsigned)type->size_bytes;
	char name[80];

	if (v->loaded)
		return 0;
	if (!pt_type_is_scalar(type)) {
		pt_type_print(types, v->type, name, sizeof(name));
		return pt_fail(err, PT_EARG, "%s is no single value", name);
	}
	if (read_bits(types, reader, v->addr, size, &v->bits, err) < 0)
		return err != NULL ? err->code : PT_EARG;
	v->loaded = true;
	if (type->kind == PT_TYPE_FLOAT)
		v->real = real_of(v->bits, type->size_bytes);
	else if (v->n_bits > 0)
		v->bits = extend(v->bits >> v->first_bit, v->n_bits, signed_type(type));
	else
		v->bits = extend(v->bits, 8 * size, signed_type(type));
	return 0;
}

/* A float that does not fit is no value, in C as here. */
static int truncate_real(double real, bool is_signed, uint64_t *bits, struct pt_err *err)
{
	if (!(real > -9.3e18 && real < 1.85e19) || (real < 0 ? real <= -0x1p63 : is_signed && real >= 0x1p63) ||
	    real >= 0x1p64)
		return pt_fail(err, PT_EARG, "%g does not fit an integer", real);
	*bits = real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
	return 0;
}

int pt_c_value_convert(struct pt_types *types, struct pt_c_value *v, const struct pt_type *to, struct pt_err *err)
{
	const struct pt_type *from = pt_type_strip(types, v->type), *into = pt_type_strip(types, to);
	char name[80];

	if (!v->loaded || !pt_type_is_scalar(into)) {
		pt_type_print(types, v->loaded ? to : v->type, name, sizeof(name));
		return pt_fail(err, PT_EARG, "%s is no single value", name);
	}
	if (into->kind == PT_TYPE_BOOL)
		v->bits = from->kind == PT_TYPE_FLOAT ? v->real != 0 : v->bits != 0;
	else if (into->kind == PT_TYPE_FLOAT && from->kind != PT_TYPE_FLOAT)
		v->real = signed_type(from) ? (double)(int64_t)v->bits : (double)v->bits;
	else if (into->kind != PT_TYPE_FLOAT && from->kind == PT_TYPE_FLOAT &&
		 truncate_real(v->real, signed_type(into), &v->bits, err) < 0)
		return PT_EARG;
	if (into->kind == PT_TYPE_FLOAT && into->size_bytes == 4 && isfinite(v->real) && fabs(v->real) < 0x1p128)
		v->real = (double)(float)v->real;
	if (into->kind != PT_TYPE_FLOAT)
		v->bits = extend(v->bits, 8 * (unsigned)into->size_bytes, signed_type(into));
	v->type = to;
	v->has_place = false;
	v->n_bits = 0;
	return 0;
}

struct pt_c_value pt_c_value_of(struct pt_types *types, int64_t number)
{
	const struct pt_type *type = pt_types_named(types, "int");
	unsigned n_bits = 8 * (unsigned)type->size_bytes;

	if (n_bits < 64 && (number < -(INT64_C(1) << (n_bits - 1)) || number >= INT64_C(1) << (n_bits - 1)))
		type = pt_types_named(types, "long long");
	return (struct pt_c_value){ .type = type, .loaded = true, .bits = (uint64_t)number };
}

/* C11, 6.3.1.8, by sizes: what is smaller than int becomes int; of two of one size the unsigned one wins. */
const struct pt_type *pt_c_value_common(struct pt_types *types, const struct pt_type *a, const struct pt_type *b)
{
	const struct pt_type *of_int = pt_types_named(types, "int"), *common;
	uint64_t size = of_int->size_bytes;
	bool is_unsigned = false;

	a = pt_type_strip(types, a);
	b = pt_type_strip(types, b);
	if (a->kind == PT_TYPE_FLOAT || b->kind == PT_TYPE_FLOAT)
		return pt_types_double(types);
	if (a->size_bytes > size)
		size = a->size_bytes;
	if (b->size_bytes > size)
		size = b->size_bytes;
	if (size > 4)
		size = 8;
	else if (size == 3)
		size = 4;
	is_unsigned = (a->size_bytes == size && !signed_type(a)) || (b->size_bytes == size && !signed_type(b));
	common = pt_types_integer(types, (unsigned)size, !is_unsigned);
	return common != NULL ? common : of_int;
}

/* --- printing ----------------------------------------------------------------------------------------------------- */

static void print_pointer(struct pt_types *types, const struct pt_type *type, uint64_t addr, char *text, size_t room)
{
	const struct pt_type *to = pt_type_strip(types, pt_type_target(types, type));
	uint64_t offset, plain = to->kind == PT_TYPE_FUNCTION ? addr & ~UINT64_C(1) : addr;
	const char *name = addr != 0 ? pt_types_symbol_at(types, plain, &offset) : NULL;

	if (addr == 0)
		snprintf(text, room, "0");
	else if (name == NULL)
		snprintf(text, room, "0x%" PRIx64, addr);
	else if (offset == 0)
		snprintf(text, room, "%s%s", to->kind == PT_TYPE_FUNCTION ? "" : "&", name);
	else
		snprintf(text, room, "0x%" PRIx64 " <%s+%" PRIu64 ">", addr, name, offset);
}

static const char *enumerator_of(struct pt_types *types, const struct pt_type *type, uint64_t bits)
{
	const struct pt_enumerator *names;
	size_t n;

	names = pt_type_enumerators(types, type, &n);
	for (size_t i = 0; i < n; i++)
		if (names[i].value == (int64_t)bits)
			return names[i].name;
	return NULL;
}

/* As few digits as read back to the same number. */
static void print_real(double real, bool single, char *text, size_t room)
{
	int most = single ? 9 : 17;

	for (int digits = 6; digits <= most; digits++) {
		double back;

		snprintf(text, room, "%.*g", digits, real);
		back = strtod(text, NULL);
		if (single ? (float)back == (float)real : back == real)
			return;
	}
}

static void print_integer(const struct pt_type *type, uint64_t bits, char *text, size_t room)
{
	if (type->kind == PT_TYPE_BOOL && bits <= 1)
		snprintf(text, room, "%s", bits != 0 ? "true" : "false");
	else if (type->kind == PT_TYPE_CHAR && bits >= FIRST_PRINTABLE && bits <= LAST_PRINTABLE)
		snprintf(text, room, "'%c' (%d)", (int)bits, (int)bits);
	else if (signed_type(type))
		snprintf(text, room, "%" PRId64, (int64_t)bits);
	else
		snprintf(text, room, "%" PRIu64, bits);
}

void pt_c_value_print(struct pt_types *types, const struct pt_c_value *v, bool hex, char *text, size_t room)
{
	const struct pt_type *type = pt_type_strip(types, v->type);
	uint64_t mask =
		type->size_bytes > 0 && type->size_bytes < 8 ? (UINT64_C(1) << 8 * type->size_bytes) - 1 : UINT64_MAX;
	const char *name = type->kind == PT_TYPE_ENUM ? enumerator_of(types, type, v->bits) : NULL;
	char of[96];

	if (!v->loaded) {
		pt_type_print(types, v->type, of, sizeof(of));
		snprintf(text, room, "%s at 0x%" PRIx64, of, v->addr);
	} else if (type->kind == PT_TYPE_FLOAT) {
		print_real(v->real, type->size_bytes == 4, text, room);
	} else if (hex) {
		snprintf(text, room, "0x%" PRIx64, v->bits & mask);
	} else if (name != NULL) {
		snprintf(text, room, "%s", name);
	} else if (type->kind == PT_TYPE_POINTER) {
		print_pointer(types, type, v->bits & mask, text, room);
	} else {
		print_integer(type, v->bits, text, room);
	}
}
