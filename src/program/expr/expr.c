/* Evaluation: one recursive walk over the nodes. A value stays where it lies until something needs the number. */
#include "program/expr/expr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program/expr/expr_parts.h"

struct walk {
	const struct pt_expr *expr;
	struct pt_types *types;
	const struct pt_reader *reader;
	struct pt_err *err;
};

static int eval(struct walk *w, int index, struct pt_c_value *v);

static int no_memory(struct walk *w)
{
	return pt_fail(w->err, PT_ENOMEM, "the program has more types than fit");
}

static struct pt_c_value scalar(const struct pt_type *type, uint64_t bits)
{
	return (struct pt_c_value){ .type = type, .loaded = true, .bits = bits };
}

static struct pt_c_value truth(struct walk *w, bool is)
{
	return scalar(pt_types_named(w->types, "int"), is);
}

/* Part of the text, for sentences. */
static int length_of(const struct pt_node *n)
{
	return (int)(n->to - n->from > 80 ? 80 : n->to - n->from);
}

static const char *text_of(const struct walk *w, const struct pt_node *n)
{
	return w->expr->text + n->from;
}

/* Arrays become pointers to their first element, functions to themselves, the rest is read. */
static int decay(struct walk *w, struct pt_c_value *v)
{
	const struct pt_type *type = pt_type_strip(w->types, v->type), *to;

	if (v->loaded)
		return 0;
	if (type->kind != PT_TYPE_ARRAY && type->kind != PT_TYPE_FUNCTION)
		return pt_c_value_load(w->types, w->reader, v, w->err);
	to = pt_types_pointer_to(w->types, type->kind == PT_TYPE_ARRAY ? pt_type_target(w->types, type) : type);
	if (to == NULL)
		return no_memory(w);
	*v = scalar(to, v->addr);
	return 0;
}

/* A value that can be calculated with. */
static int operand(struct walk *w, int index, struct pt_c_value *v)
{
	if (eval(w, index, v) < 0)
		return w->err->code;
	return decay(w, v);
}

static bool is_pointer(struct walk *w, const struct pt_c_value *v)
{
	return pt_type_strip(w->types, v->type)->kind == PT_TYPE_POINTER;
}

static bool is_real(struct walk *w, const struct pt_c_value *v)
{
	return pt_type_strip(w->types, v->type)->kind == PT_TYPE_FLOAT;
}

static bool is_true(struct walk *w, const struct pt_c_value *v)
{
	return is_real(w, v) ? v->real != 0 : v->bits != 0;
}

static uint64_t address_mask(const struct walk *w)
{
	unsigned bytes = pt_types_address_bytes(w->types);

	return bytes < 8 ? (UINT64_C(1) << 8 * bytes) - 1 : UINT64_MAX;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

static int name(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	if (n->entity.kind == PT_ENTITY_CONSTANT) {
		const struct pt_type *type = pt_type_strip(w->types, n->entity.type);

		*v = scalar(n->entity.type, n->entity.value);
		if (type->kind == PT_TYPE_FLOAT || !pt_type_is_scalar(type))
			return pt_fail(w->err, PT_EARG, "%s is a constant that is nowhere in memory", n->entity.name);
		return pt_c_value_convert(w->types, v, n->entity.type, w->err);
	}
	*v = (struct pt_c_value){ .type = n->entity.type, .has_place = true, .addr = n->entity.addr };
	return 0;
}

/* What a pointer points to. read: the pointer itself came from memory, so 0 is none. */
static int follow(struct walk *w, const struct pt_node *n, struct pt_c_value *v, bool read)
{
	const struct pt_type *type = pt_type_strip(w->types, v->type);

	if (type->kind != PT_TYPE_POINTER)
		return pt_fail(w->err, PT_EARG, "%.*s is no pointer", length_of(n), text_of(w, n));
	if (v->bits == 0 && read)
		return pt_fail(w->err, PT_EARG, "%.*s is a null pointer", length_of(n), text_of(w, n));
	*v = (struct pt_c_value){ .type = pt_type_target(w->types, type), .has_place = true,
				.addr = v->bits & address_mask(w) };
	return 0;
}

static int dereference(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	const struct pt_type *type;
	bool in_memory;

	if (eval(w, n->child[0], v) < 0)
		return w->err->code;
	type = pt_type_strip(w->types, v->type);
	if (type->kind == PT_TYPE_STRUCT || type->kind == PT_TYPE_UNION)
		return follow(w, &w->expr->node[n->child[0]], v, false);
	in_memory = v->has_place && pt_type_strip(w->types, v->type)->kind == PT_TYPE_POINTER;
	if (decay(w, v) < 0)
		return w->err->code;
	return follow(w, &w->expr->node[n->child[0]], v, in_memory);
}

static int member(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	const struct pt_type *type;
	struct pt_member m;
	char of[80];

	if ((n->op == PT_OP_ARROW ? dereference(w, n, v) : eval(w, n->child[0], v)) < 0)
		return w->err->code;
	type = pt_type_strip(w->types, v->type);
	pt_type_print(w->types, type, of, sizeof(of));
	if (type->kind == PT_TYPE_NONE)
		return pt_fail(w->err, PT_EARG, "the members of %.*s are not known: no debug information",
			       length_of(&w->expr->node[n->child[0]]), text_of(w, &w->expr->node[n->child[0]]));
	if (type->kind != PT_TYPE_STRUCT && type->kind != PT_TYPE_UNION)
		return pt_fail(w->err, PT_EARG, "%s has no members%s", of,
			       type->kind == PT_TYPE_POINTER ? ": write -> for ." : "");
	if (!pt_type_member(w->types, type, n->name, &m))
		return pt_fail(w->err, PT_EARG, "%s has no member \"%.80s\"", of, n->name);
	if (!v->has_place)
		return pt_fail(w->err, PT_EARG, "%s is nowhere in memory", of);
	v->type = m.type;
	v->addr = (v->addr + m.offset) & address_mask(w);
	v->first_bit = m.first_bit;
	v->n_bits = m.n_bits;
	v->unit_bytes = m.unit_bytes;
	return 0;
}

static int index_array(struct walk *w, const struct pt_node *n, const struct pt_type *array, int64_t i,
		       struct pt_c_value *v)
{
	const struct pt_type *element = pt_type_target(w->types, array), *plain = pt_type_strip(w->types, element);

	if (array->n_elements > 1 && (i < 0 || (uint64_t)i >= array->n_elements))
		return pt_fail(w->err, PT_EARG, "index %" PRId64 " is outside of %.*s, which has %" PRIu64 " elements",
			       i, length_of(&w->expr->node[n->child[0]]), text_of(w, &w->expr->node[n->child[0]]),
			       array->n_elements);
	v->addr = (v->addr + (uint64_t)i * plain->size_bytes) & address_mask(w);
	v->type = element;
	return 0;
}

static int add_to_pointer(struct walk *w, struct pt_c_value *pointer, int64_t n)
{
	const struct pt_type *to;
	uint64_t size;

	to = pt_type_strip(w->types, pt_type_target(w->types, pt_type_strip(w->types, pointer->type)));
	size = to->kind == PT_TYPE_VOID || to->kind == PT_TYPE_FUNCTION ? 1 : to->size_bytes;	/* as GNU C does */
	if (size == 0)
		return pt_fail(w->err, PT_EARG, "the size of what a pointer points to is not known");
	pointer->bits = (pointer->bits + (uint64_t)n * size) & address_mask(w);
	pointer->has_place = false;
	return 0;
}

static int subscript(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	const struct pt_type *type;
	struct pt_c_value i;
	bool in_memory;

	if (eval(w, n->child[0], v) < 0 || eval(w, n->child[1], &i) < 0)
		return w->err->code;
	type = pt_type_strip(w->types, i.type);
	if (type->kind == PT_TYPE_ARRAY || type->kind == PT_TYPE_POINTER) {	/* 1[tab] */
		struct pt_c_value swap = *v;

		*v = i;
		i = swap;
	}
	if (decay(w, &i) < 0)
		return w->err->code;
	type = pt_type_strip(w->types, v->type);
	if (is_real(w, &i) || is_pointer(w, &i))
		return pt_fail(w->err, PT_EARG, "an index must be an integer");
	if (type->kind == PT_TYPE_ARRAY && v->has_place)
		return index_array(w, n, type, (int64_t)i.bits, v);
	if (type->kind == PT_TYPE_NONE)
		return pt_fail(w->err, PT_EARG, "the elements of %.*s are not known: no debug information",
			       length_of(&w->expr->node[n->child[0]]), text_of(w, &w->expr->node[n->child[0]]));
	in_memory = v->has_place;
	if (decay(w, v) < 0)
		return w->err->code;
	if (is_pointer(w, v) && !(v->bits == 0 && in_memory) && add_to_pointer(w, v, (int64_t)i.bits) < 0)
		return w->err->code;
	return follow(w, &w->expr->node[n->child[0]], v, in_memory);
}

static int address_of(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	const struct pt_type *to;

	if (eval(w, n->child[0], v) < 0)
		return w->err->code;
	if (!v->has_place || v->n_bits > 0)
		return pt_fail(w->err, PT_EARG, "%.*s has no address", length_of(&w->expr->node[n->child[0]]),
			       text_of(w, &w->expr->node[n->child[0]]));
	to = pt_types_pointer_to(w->types, v->type);
	if (to == NULL)
		return no_memory(w);
	*v = scalar(to, v->addr);
	return 0;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static int cast(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	if (operand(w, n->child[0], v) < 0)
		return w->err->code;
	return pt_c_value_convert(w->types, v, n->type, w->err);
}

static int unary(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	if (operand(w, n->child[0], v) < 0)
		return w->err->code;
	if (n->op == PT_OP_NOT) {
		*v = truth(w, !is_true(w, v));
		return 0;
	}
	if (is_pointer(w, v) || (is_real(w, v) && n->op == PT_OP_INVERT))
		return pt_fail(w->err, PT_EARG, "%.*s: not a number for this operator", length_of(n), text_of(w, n));
	if (pt_c_value_convert(w->types, v, pt_c_value_common(w->types, v->type, v->type), w->err) < 0)
		return w->err->code;
	if (n->op == PT_OP_MINUS) {
		v->real = -v->real;
		v->bits = 0 - v->bits;
	} else if (n->op == PT_OP_INVERT) {
		v->bits = ~v->bits;
	}
	return pt_c_value_convert(w->types, v, v->type, w->err);	/* back to its size */
}

static int real_binary(struct walk *w, enum pt_expr_op op, double a, double b, struct pt_c_value *v)
{
	v->type = pt_types_double(w->types);
	switch (op) {
	case PT_OP_MUL: v->real = a * b; return 0;
	case PT_OP_ADD: v->real = a + b; return 0;
	case PT_OP_SUB: v->real = a - b; return 0;
	case PT_OP_DIV:
		if (b == 0)
			return pt_fail(w->err, PT_EARG, "division by 0");
		v->real = a / b;
		return 0;
	case PT_OP_LT: *v = truth(w, a < b); return 0;
	case PT_OP_GT: *v = truth(w, a > b); return 0;
	case PT_OP_LE: *v = truth(w, a <= b); return 0;
	case PT_OP_GE: *v = truth(w, a >= b); return 0;
	case PT_OP_EQ: *v = truth(w, a == b); return 0;
	case PT_OP_NE: *v = truth(w, a != b); return 0;
	default: return pt_fail(w->err, PT_EARG, "this operator takes integers only");
	}
}

static int divide(struct walk *w, enum pt_expr_op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *result)
{
	if (b == 0)
		return pt_fail(w->err, PT_EARG, "division by 0");
	if (is_signed && b == UINT64_MAX)	/* by -1, where the smallest number has no opposite */
		*result = op == PT_OP_DIV ? 0 - a : 0;
	else if (is_signed)
		*result = op == PT_OP_DIV ? (uint64_t)((int64_t)a / (int64_t)b) : (uint64_t)((int64_t)a % (int64_t)b);
	else
		*result = op == PT_OP_DIV ? a / b : a % b;
	return 0;
}

static bool compare(enum pt_expr_op op, uint64_t a, uint64_t b, bool is_signed)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case PT_OP_LT: return less;
	case PT_OP_GT: return !less && a != b;
	case PT_OP_LE: return less || a == b;
	case PT_OP_GE: return !less;
	case PT_OP_EQ: return a == b;
	default: return a != b;
	}
}

static bool is_comparison(enum pt_expr_op op)
{
	return op >= PT_OP_LT && op <= PT_OP_NE;
}

static int integer_binary(struct walk *w, enum pt_expr_op op, const struct pt_c_value *a, const struct pt_c_value *b,
			  const struct pt_type *type, struct pt_c_value *v)
{
	bool is_signed = pt_type_strip(w->types, type)->is_signed;
	uint64_t bits = 0;

	if (is_comparison(op)) {
		*v = truth(w, compare(op, a->bits, b->bits, is_signed));
		return 0;
	}
	switch (op) {
	case PT_OP_MUL: bits = a->bits * b->bits; break;
	case PT_OP_ADD: bits = a->bits + b->bits; break;
	case PT_OP_SUB: bits = a->bits - b->bits; break;
	case PT_OP_AND: bits = a->bits & b->bits; break;
	case PT_OP_XOR: bits = a->bits ^ b->bits; break;
	case PT_OP_OR: bits = a->bits | b->bits; break;
	default:
		if (divide(w, op, a->bits, b->bits, is_signed, &bits) < 0)
			return w->err->code;
	}
	*v = scalar(type, bits);
	return pt_c_value_convert(w->types, v, type, w->err);
}

static int shift(struct walk *w, enum pt_expr_op op, struct pt_c_value *a, struct pt_c_value *b, struct pt_c_value *v)
{
	const struct pt_type *type = pt_c_value_common(w->types, a->type, a->type);
	bool is_signed = pt_type_strip(w->types, type)->is_signed;

	if (pt_c_value_convert(w->types, a, type, w->err) < 0)
		return w->err->code;
	if (b->bits >= 8 * pt_type_strip(w->types, type)->size_bytes)
		return pt_fail(w->err, PT_EARG, "a shift by %" PRId64 " bits is none", (int64_t)b->bits);
	if (op == PT_OP_SHL)
		*v = scalar(type, a->bits << b->bits);
	else if (is_signed && (int64_t)a->bits < 0)
		*v = scalar(type, ~(~a->bits >> b->bits));
	else
		*v = scalar(type, a->bits >> b->bits);
	return pt_c_value_convert(w->types, v, type, w->err);
}

static int pointer_binary(struct walk *w, enum pt_expr_op op, struct pt_c_value *a, struct pt_c_value *b,
			  struct pt_c_value *v)
{
	bool both = is_pointer(w, a) && is_pointer(w, b);

	if (is_comparison(op)) {	/* functions: with or without Thumb bit as they were written */
		*v = truth(w, compare(op, a->bits & address_mask(w), b->bits & address_mask(w), false));
		return 0;
	}
	if (op == PT_OP_SUB && both) {
		const struct pt_type *to;
		uint64_t size;

		to = pt_type_strip(w->types, pt_type_target(w->types, pt_type_strip(w->types, a->type)));
		size = to->size_bytes > 0 ? to->size_bytes : 1;
		*v = pt_c_value_of(w->types, (int64_t)(a->bits - b->bits) / (int64_t)(size <= INT64_MAX ? size : 1));
		return 0;
	}
	if (both || (op != PT_OP_ADD && op != PT_OP_SUB) || (op == PT_OP_SUB && is_pointer(w, b)))
		return pt_fail(w->err, PT_EARG, "this operator takes no pointer");
	if (is_pointer(w, b)) {
		struct pt_c_value swap = *a;

		*a = *b;
		*b = swap;
	}
	*v = *a;
	return add_to_pointer(w, v, op == PT_OP_SUB ? (int64_t)(0 - b->bits) : (int64_t)b->bits);
}

static int binary(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	const struct pt_type *type;
	struct pt_c_value a, b;

	if (operand(w, n->child[0], &a) < 0 || operand(w, n->child[1], &b) < 0)
		return w->err->code;
	if (is_real(w, &a) || is_real(w, &b)) {
		if ((is_pointer(w, &a) || is_pointer(w, &b)))
			return pt_fail(w->err, PT_EARG, "a pointer and a fraction do not go together");
		if (pt_c_value_convert(w->types, &a, pt_types_double(w->types), w->err) < 0 ||
		    pt_c_value_convert(w->types, &b, pt_types_double(w->types), w->err) < 0)
			return w->err->code;
		*v = a;
		return real_binary(w, n->op, a.real, b.real, v);
	}
	if (is_pointer(w, &a) || is_pointer(w, &b))
		return pointer_binary(w, n->op, &a, &b, v);
	if (n->op == PT_OP_SHL || n->op == PT_OP_SHR)
		return shift(w, n->op, &a, &b, v);
	type = pt_c_value_common(w->types, a.type, b.type);
	if (pt_c_value_convert(w->types, &a, type, w->err) < 0 || pt_c_value_convert(w->types, &b, type, w->err) < 0)
		return w->err->code;
	return integer_binary(w, n->op, &a, &b, type, v);
}

static int logical(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	bool is;

	if (operand(w, n->child[0], v) < 0)
		return w->err->code;
	is = is_true(w, v);
	if (is == (n->op == PT_OP_AND_IF)) {	/* the first did not decide */
		if (operand(w, n->child[1], v) < 0)
			return w->err->code;
		is = is_true(w, v);
	}
	*v = truth(w, is);
	return 0;
}

static int conditional(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	if (operand(w, n->child[0], v) < 0)
		return w->err->code;
	return eval(w, n->child[is_true(w, v) ? 1 : 2], v);
}

static int size_of(struct walk *w, const struct pt_node *n, struct pt_c_value *v)
{
	static const struct pt_reader none;
	const struct pt_reader *reader = w->reader;
	const struct pt_type *type = n->type, *number;

	if (n->op == PT_OP_SIZE_OF) {	/* only the type is asked for: nothing is read unless a pointer is in the way */
		w->reader = reader != NULL ? reader : &none;
		if (eval(w, n->child[0], v) < 0)
			return w->err->code;
		type = v->type;
	}
	number = pt_types_integer(w->types, pt_types_address_bytes(w->types) == 8 ? 8 : 4, false);
	type = pt_type_strip(w->types, type);
	if (type->size_bytes == 0)
		return pt_fail(w->err, PT_EARG, "the size of %.*s is not known", length_of(n), text_of(w, n));
	*v = scalar(number != NULL ? number : pt_types_named(w->types, "unsigned"), type->size_bytes);
	return 0;
}

static int eval(struct walk *w, int index, struct pt_c_value *v)
{
	const struct pt_node *n = &w->expr->node[index];

	*v = (struct pt_c_value){ 0 };
	switch (n->op) {
	case PT_OP_NUMBER: *v = scalar(n->type, n->number); return 0;
	case PT_OP_REAL:
		*v = scalar(n->type, 0);
		v->real = n->real;
		return 0;
	case PT_OP_NAME: return name(w, n, v);
	case PT_OP_BAD_NAME: return pt_fail(w->err, PT_EARG, "%s", n->name);
	case PT_OP_MEMBER: case PT_OP_ARROW: return member(w, n, v);
	case PT_OP_INDEX: return subscript(w, n, v);
	case PT_OP_ADDRESS: return address_of(w, n, v);
	case PT_OP_DEREF: return dereference(w, n, v);
	case PT_OP_CAST: return cast(w, n, v);
	case PT_OP_MINUS: case PT_OP_PLUS: case PT_OP_NOT: case PT_OP_INVERT: return unary(w, n, v);
	case PT_OP_SIZE_OF: case PT_OP_SIZE_OF_TYPE: return size_of(w, n, v);
	case PT_OP_AND_IF: case PT_OP_OR_ELSE: return logical(w, n, v);
	case PT_OP_COND: return conditional(w, n, v);
	default: return binary(w, n, v);
	}
}

int pt_expr_value(const struct pt_expr *expr, int node, const struct pt_reader *reader, struct pt_c_value *value,
		  struct pt_err *err)
{
	struct pt_err ignored;
	struct walk w = { expr, expr->types, reader, err != NULL ? err : &ignored };

	return eval(&w, node, value);
}

int pt_expr_evaluate(const struct pt_expr *expr, const struct pt_reader *reader, const struct pt_type *hint,
		     struct pt_c_value *value, struct pt_err *err)
{
	const struct pt_type *type;
	struct pt_err ignored;

	if (err == NULL)
		err = &ignored;
	if (pt_expr_value(expr, expr->root, reader, value, err) < 0)
		return err->code;
	type = pt_type_strip(expr->types, value->type);
	if (hint != NULL && value->has_place && type->kind == PT_TYPE_NONE && !pt_type_is_scalar(type))
		value->type = hint;
	type = pt_type_strip(expr->types, value->type);
	if (type->kind == PT_TYPE_FUNCTION) {	/* as in C: its address */
		const struct pt_type *to = pt_types_pointer_to(expr->types, value->type);

		if (to == NULL)
			return pt_fail(err, PT_ENOMEM, "the program has more types than fit");
		*value = scalar(to, value->addr);
	}
	if (value->loaded || !pt_type_is_scalar(type))
		return 0;
	return pt_c_value_load(expr->types, reader, value, err);
}

const char *pt_expr_text(const struct pt_expr *expr)
{
	return expr->text;
}

void pt_expr_free(struct pt_expr *expr)
{
	if (expr == NULL)
		return;
	for (size_t i = 0; i < expr->n_nodes; i++)
		free(expr->node[i].name);
	free(expr->text);
	free(expr);
}
