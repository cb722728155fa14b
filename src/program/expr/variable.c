/* Variables for the analyses: an expression, its trace plan, and what is needed of its type. */
#include "program/expr/variable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/expr/expr.h"

static enum pt_variable_kind kind_of(const struct pt_type *type)
{
	switch (type->kind) {
	case PT_TYPE_BOOL: return PT_VARIABLE_BOOL;
	case PT_TYPE_CHAR: return PT_VARIABLE_CHAR;
	case PT_TYPE_FLOAT: return PT_VARIABLE_FLOAT;
	case PT_TYPE_ENUM: return PT_VARIABLE_ENUM;
	case PT_TYPE_POINTER: return PT_VARIABLE_POINTER;
	default: return type->is_signed ? PT_VARIABLE_SIGNED : PT_VARIABLE_UNSIGNED;
	}
}

static void copy_names(struct pt_types *types, const struct pt_type *type, struct pt_variable *var)
{
	const struct pt_enumerator *names;
	size_t n;

	names = pt_type_enumerators(types, type, &n);
	if (n == 0)
		return;
	var->names = pt_alloc_array(n, sizeof(*var->names));
	for (; var->n_names < n; var->n_names++) {
		struct pt_enumerator *to = &var->names[var->n_names];

		to->name = pt_strdup(names[var->n_names].name);
		to->value = names[var->n_names].value;
	}
}

/* Casts that narrow a value choose its low bytes: a bit-field that begins at bit 0. */
static void fill(struct pt_types *types, const struct pt_plan *plan, const char *expression, struct pt_variable *var)
{
	const struct pt_plan_leaf *leaf = &plan->leaf[0];
	const struct pt_type *type = pt_type_strip(types, leaf->type);

	*var = (struct pt_variable){
		.name = pt_strdup(expression), .addr = leaf->addr, .size_bytes = leaf->size_bytes,
		.kind = kind_of(type), .is_signed = type->is_signed, .big_endian = pt_types_big_endian(types),
		.first_bit = leaf->first_bit, .n_bits = leaf->n_bits,
	};
	if (plan->value_bytes > 0 && leaf->n_bits == 0)
		var->n_bits = (uint8_t)(8 * plan->value_bytes);
	copy_names(types, type, var);
}

/* A sentence for what is no single place. */
static int explain(struct pt_types *types, const struct pt_expr *expr, const struct pt_plan *plan, struct pt_err *err)
{
	struct pt_c_value value;
	char name[80];

	if (pt_expr_evaluate(expr, NULL, NULL, &value, err) == 0 && value.has_place && !value.loaded) {
		const struct pt_type *type = pt_type_strip(types, value.type);

		pt_type_print(types, value.type, name, sizeof(name));
		if (type->kind == PT_TYPE_STRUCT || type->kind == PT_TYPE_UNION)
			return pt_fail(err, PT_EARG, "%.100s is a %s: name a member of it", pt_expr_text(expr), name);
		if (type->kind == PT_TYPE_ARRAY)
			return pt_fail(err, PT_EARG, "%.100s is an array (%s): name an element of it",
				       pt_expr_text(expr), name);
		return pt_fail(err, PT_EARG, "%.100s (%s) is no variable that has a value", pt_expr_text(expr), name);
	}
	if (plan->kind == PT_PLAN_CONSTANT && plan->n_leaves == 0 && err != NULL && err->code < 0)
		return err->code;	/* an unknown name, most often */
	return pt_fail(err, PT_EARG, "%.100s is not one place in memory: %s", pt_expr_text(expr), plan->reason);
}

int pt_variable_of(struct pt_types *types, const char *expression, struct pt_variable *var, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	struct pt_plan plan;
	struct pt_expr *expr;
	int rc = 0;

	*var = (struct pt_variable){ 0 };
	if (err == NULL)
		err = &ignored;
	err->code = 0;
	expr = pt_expr_parse(types, expression, err);
	if (expr == NULL)
		return err->code;
	pt_expr_plan(expr, &plan);
	if (plan.kind == PT_PLAN_ONE)
		fill(types, &plan, expression, var);
	else
		rc = explain(types, expr, &plan, err);
	pt_expr_free(expr);
	return rc;
}

/* --- parts */

enum { PART_BYTES = 256, PART_DEPTH = 8 };

struct parts {
	struct pt_types *types;
	bool (*each)(void *arg, const char *part);
	void *arg;
	char text[PART_BYTES];
};

static bool walk(struct parts *p, const struct pt_type *type, size_t len, unsigned depth);

static bool walk_members(struct parts *p, const struct pt_type *type, size_t len, unsigned depth)
{
	size_t n;
	const struct pt_member *member = pt_type_members(p->types, type, &n);
	bool more = true;

	for (size_t i = 0; i < n && more; i++) {
		int added = member[i].name != NULL
				    ? snprintf(p->text + len, sizeof(p->text) - len, ".%s", member[i].name)
				    : 0;

		if (added >= 0 && len + (size_t)added < sizeof(p->text))
			more = walk(p, member[i].type, len + (size_t)added, depth + 1);
		p->text[len] = '\0';
	}
	return more;
}

static bool walk_elements(struct parts *p, const struct pt_type *type, size_t len, unsigned depth)
{
	const struct pt_type *element = pt_type_target(p->types, type);
	bool more = true;

	for (uint64_t i = 0; i < type->n_elements && more; i++) {
		int added = snprintf(p->text + len, sizeof(p->text) - len, "[%" PRIu64 "]", i);

		if (added >= 0 && len + (size_t)added < sizeof(p->text))
			more = walk(p, element, len + (size_t)added, depth + 1);
		p->text[len] = '\0';
	}
	return more;
}

static bool walk(struct parts *p, const struct pt_type *type, size_t len, unsigned depth)
{
	const struct pt_type *is = pt_type_strip(p->types, type);

	if (depth > PART_DEPTH)
		return true;
	if (is->kind == PT_TYPE_STRUCT || is->kind == PT_TYPE_UNION)
		return walk_members(p, is, len, depth);
	if (is->kind == PT_TYPE_ARRAY)
		return walk_elements(p, is, len, depth);
	return p->each(p->arg, p->text);
}

static bool has_parts(struct pt_types *types, const struct pt_type *type)
{
	const struct pt_type *is = pt_type_strip(types, type);

	return is->kind == PT_TYPE_STRUCT || is->kind == PT_TYPE_UNION || is->kind == PT_TYPE_ARRAY;
}

int pt_variable_each_part(struct pt_types *types, const char *expression, bool (*each)(void *arg, const char *part),
			  void *arg, struct pt_err *err)
{
	struct parts p = { .types = types, .each = each, .arg = arg };
	struct pt_expr *expr = pt_expr_parse(types, expression, err);
	struct pt_c_value value;
	int rc;

	if (expr == NULL)
		return PT_EARG;
	rc = pt_expr_evaluate(expr, NULL, NULL, &value, err);
	if (rc == 0 &&
	    (!value.has_place || value.loaded || !has_parts(types, value.type) || strlen(expression) >= sizeof(p.text)))
		rc = pt_fail(err, PT_EARG, "%.100s has no parts", expression);
	if (rc == 0) {
		strcpy(p.text, expression);
		walk(&p, value.type, strlen(expression), 0);
	}
	pt_expr_free(expr);
	return rc;
}

int pt_variable_resolve(struct pt_program *program, const char *expression, struct pt_variable *var, struct pt_err *err)
{
	struct pt_types *types = pt_types_new(program);
	int rc;

	rc = pt_variable_of(types, expression, var, err);
	pt_types_free(types);
	return rc;
}

void pt_variable_fini(struct pt_variable *var)
{
	for (size_t i = 0; i < var->n_names; i++)
		free((char *)(uintptr_t)var->names[i].name);
	free(var->names);
	free(var->name);
	*var = (struct pt_variable){ 0 };
}

int64_t pt_variable_number(const struct pt_variable *var, uint64_t raw)
{
	unsigned n_bits = var->n_bits > 0 ? var->n_bits : 8 * var->size_bytes;

	raw >>= var->n_bits > 0 ? var->first_bit : 0;
	if (n_bits < 64) {
		raw &= (UINT64_C(1) << n_bits) - 1;
		if (var->is_signed && n_bits > 0 && (raw >> (n_bits - 1) & 1) != 0)
			raw |= UINT64_MAX << n_bits;
	}
	return (int64_t)raw;
}

double pt_variable_real(const struct pt_variable *var, uint64_t raw)
{
	uint32_t half = (uint32_t)raw;
	double d;
	float f;

	if (var->kind == PT_VARIABLE_FLOAT && var->size_bytes == 4) {
		memcpy(&f, &half, sizeof(f));
		return (double)f;
	}
	if (var->kind == PT_VARIABLE_FLOAT) {
		memcpy(&d, &raw, sizeof(d));
		return d;
	}
	if (var->is_signed || var->size_bytes < 8)
		return (double)pt_variable_number(var, raw);
	return (double)(uint64_t)pt_variable_number(var, raw);
}

uint64_t pt_variable_raw(const struct pt_variable *var, const uint8_t *bytes)
{
	uint64_t raw = 0;

	for (unsigned i = 0; i < var->size_bytes && i < 8; i++)
		raw |= (uint64_t)bytes[var->big_endian ? var->size_bytes - 1 - i : i] << 8 * i;
	return raw;
}

const char *pt_variable_name_of(const struct pt_variable *var, uint64_t raw)
{
	int64_t number = pt_variable_number(var, raw);

	for (size_t i = 0; i < var->n_names; i++)
		if (var->names[i].value == number)
			return var->names[i].name;
	return NULL;
}

void pt_variable_print(const struct pt_variable *var, uint64_t raw, char *text, size_t room)
{
	const char *name = pt_variable_name_of(var, raw);
	int64_t number = pt_variable_number(var, raw);

	if (name != NULL)
		snprintf(text, room, "%s", name);
	else if (var->kind == PT_VARIABLE_FLOAT)
		snprintf(text, room, "%.*g", var->size_bytes == 4 ? 7 : 15, pt_variable_real(var, raw));
	else if (var->kind == PT_VARIABLE_POINTER)
		snprintf(text, room, "0x%" PRIx64, (uint64_t)number);
	else if (var->kind == PT_VARIABLE_BOOL && (number == 0 || number == 1))
		snprintf(text, room, "%s", number != 0 ? "true" : "false");
	else if (var->kind == PT_VARIABLE_CHAR && number >= 0x20 && number < 0x7f)
		snprintf(text, room, "'%c' (%d)", (int)number, (int)number);
	else if (var->is_signed)
		snprintf(text, room, "%" PRId64, number);
	else
		snprintf(text, room, "%" PRIu64, (uint64_t)number);
}
