/* The trace plan of an expression. What has a constant address is found by evaluating it with a memory that cannot be
 * read: a place that needs no reading is one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "program/expr/expr_parts.h"

struct planner {
	const struct pt_expr *expr;
	struct pt_plan *plan;
	bool follows;		/* a pointer that is in memory */
	bool looks_up;		/* an element whose index is in memory */
	bool too_many;
};

static int refuse(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *err)
{
	(void)arg;
	(void)bytes;
	(void)n_bytes;
	return pt_fail(err, PT_EUNSUPPORTED, "0x%" PRIx64 " would have to be read", addr);
}

/* The place of a node if it is the same for ever. */
static bool constant_place(const struct pt_expr *expr, int node, struct pt_c_value *v)
{
	static const struct pt_reader none = { refuse, NULL };

	return pt_expr_value(expr, node, &none, v, NULL) == 0 && v->has_place;
}

static uint32_t size_of_place(const struct pt_expr *expr, const struct pt_c_value *v)
{
	return v->n_bits > 0 ? v->unit_bytes : (uint32_t)pt_type_strip(expr->types, v->type)->size_bytes;
}

static bool is_scalar(const struct pt_expr *expr, const struct pt_c_value *v)
{
	return pt_type_is_scalar(pt_type_strip(expr->types, v->type));
}

/* The text of a node, without white space at its end. */
static void copy_text(const struct pt_expr *expr, int node, char text[PT_PLAN_NAME_BYTES])
{
	const struct pt_node *n = &expr->node[node];
	size_t len = n->to - n->from;

	while (len > 0 && strchr(" \t\r\n", expr->text[n->from + len - 1]) != NULL)
		len--;
	snprintf(text, PT_PLAN_NAME_BYTES, "%.*s", (int)(len < PT_PLAN_NAME_BYTES ? len : PT_PLAN_NAME_BYTES - 1),
		 expr->text + n->from);
}

static struct pt_plan_leaf leaf_of(const struct pt_expr *expr, int node, const struct pt_c_value *v, unsigned depth)
{
	struct pt_plan_leaf leaf = {
		.addr = v->addr, .type = v->type, .size_bytes = size_of_place(expr, v), .index_depth = depth,
		.first_bit = v->first_bit, .n_bits = v->n_bits,
	};

	copy_text(expr, node, leaf.name);
	return leaf;
}

static void add_leaf(struct planner *p, int node, const struct pt_c_value *v, unsigned depth)
{
	struct pt_plan *plan = p->plan;

	for (size_t i = 0; i < plan->n_leaves; i++)
		if (plan->leaf[i].addr == v->addr && plan->leaf[i].n_bits == v->n_bits &&
		    plan->leaf[i].first_bit == v->first_bit) {
			if (depth > plan->leaf[i].index_depth)
				plan->leaf[i].index_depth = depth;
			return;
		}
	if (plan->n_leaves == PT_PLAN_MAX_LEAVES)
		p->too_many = true;
	else
		plan->leaf[plan->n_leaves++] = leaf_of(p->expr, node, v, depth);
}

/* depth: in how many [ ]; value: is what is there looked at, or only where it is? */
static void collect(struct planner *p, int node, unsigned depth, bool value)
{
	const struct pt_node *n = &p->expr->node[node];
	struct pt_c_value v;

	if (n->op == PT_OP_SIZE_OF || n->op == PT_OP_SIZE_OF_TYPE)
		return;
	if (constant_place(p->expr, node, &v)) {
		if (value && is_scalar(p->expr, &v))
			add_leaf(p, node, &v, depth);
		return;
	}
	switch (n->op) {
	case PT_OP_MEMBER: case PT_OP_ADDRESS:
		collect(p, n->child[0], depth, false);
		return;
	case PT_OP_ARROW: case PT_OP_DEREF:
		p->follows = true;
		collect(p, n->child[0], depth, true);
		return;
	case PT_OP_INDEX:
		p->looks_up = true;
		collect(p, n->child[0], depth, true);
		collect(p, n->child[1], depth + 1, true);
		return;
	default:
		for (size_t i = 0; i < 3; i++)
			if (n->child[i] >= 0)
				collect(p, n->child[i], depth, true);
	}
}

/* Casts between numbers in front of a place, the outermost first. Returns what is behind them. */
static int strip_casts(const struct pt_expr *expr, int node, uint32_t *value_bytes)
{
	*value_bytes = 0;
	while (expr->node[node].op == PT_OP_CAST || expr->node[node].op == PT_OP_PLUS) {
		const struct pt_type *type = NULL;

		if (expr->node[node].op == PT_OP_CAST)
			type = pt_type_strip(expr->types, expr->node[node].type);
		if (type != NULL && (type->kind == PT_TYPE_FLOAT || type->kind == PT_TYPE_BOOL))
			break;
		if (type != NULL && (*value_bytes == 0 || type->size_bytes < *value_bytes))
			*value_bytes = (uint32_t)type->size_bytes;
		node = expr->node[node].child[0];
	}
	return node;
}

/* Members outside in: "link.id" of p->link.id. */
static bool member_path(struct planner *p, int node, char *path, size_t room)
{
	const struct pt_node *n = &p->expr->node[node];
	size_t used;

	if (n->op == PT_OP_DEREF)
		return true;
	if (n->op != PT_OP_MEMBER && n->op != PT_OP_ARROW)
		return false;
	if (n->op == PT_OP_MEMBER && !member_path(p, n->child[0], path, room))
		return false;
	used = strlen(path);
	return (size_t)snprintf(path + used, room - used, "%s%s", used > 0 ? "." : "", n->name) < room - used;
}

static int pointer_behind(const struct pt_expr *expr, int node)
{
	uint32_t ignored;

	while (expr->node[node].op == PT_OP_MEMBER)
		node = expr->node[node].child[0];
	if (expr->node[node].op != PT_OP_ARROW && expr->node[node].op != PT_OP_DEREF)
		return -1;
	return strip_casts(expr, expr->node[node].child[0], &ignored);
}

/* What the pointer behind node's members points to, as it is cast there. */
static int pointee_of(const struct pt_expr *expr, int node, const struct pt_reader *reader, struct pt_c_value *v)
{
	while (expr->node[node].op == PT_OP_MEMBER)
		node = expr->node[node].child[0];
	node = expr->node[node].child[0];
	if (pt_expr_value(expr, node, reader, v, NULL) < 0)
		return PT_EARG;
	v->type = pt_type_target(expr->types, pt_type_strip(expr->types, v->type));
	return 0;
}

/* Memory that hands out a stand-in for the pointer, so that the offset behind it shows. */
struct stand_in { uint64_t addr, value; unsigned size_bytes, n_reads; bool big_endian; };

static int read_stand_in(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *err)
{
	struct stand_in *s = arg;

	if (addr != s->addr || n_bytes != s->size_bytes || s->n_reads++ > 0)
		return pt_fail(err, PT_EUNSUPPORTED, "only the pointer can be read");
	for (size_t i = 0; i < n_bytes; i++)
		((uint8_t *)bytes)[i] = (uint8_t)(s->value >> 8 * (s->big_endian ? n_bytes - 1 - i : i));
	return 0;
}

/* pActiveTCB->ID and its like: one pointer variable at a constant address, and a fixed offset behind it. */
static void find_simple_pointer(struct planner *p, int node)
{
	struct stand_in s = { .value = 0x10000, .big_endian = pt_types_big_endian(p->expr->types) };
	struct pt_reader reader = { read_stand_in, &s };
	struct pt_plan *plan = p->plan;
	struct pt_c_value pointer, target, pointee;
	int at = pointer_behind(p->expr, node);

	if (at < 0 || !constant_place(p->expr, at, &pointer) || !is_scalar(p->expr, &pointer))
		return;
	s.addr = pointer.addr;
	s.size_bytes = size_of_place(p->expr, &pointer);
	if (pointer.n_bits > 0 || pt_expr_value(p->expr, node, &reader, &target, NULL) < 0 || !target.has_place ||
	    target.n_bits > 0 || !is_scalar(p->expr, &target) ||
	    !member_path(p, node, plan->member, sizeof(plan->member)))
		return;
	s.n_reads = 0;
	if (pointee_of(p->expr, node, &reader, &pointee) < 0)
		return;
	plan->simple = true;
	plan->pointee = pointee.type;
	plan->offset = target.addr - s.value;
	plan->behind = target.type;
	plan->leaf[0] = leaf_of(p->expr, at, &pointer, 0);
	plan->n_leaves = 1;
	plan->watch = 0;
}

static void choose_watch(struct pt_plan *plan, bool pointers_first, struct pt_types *types)
{
	unsigned best = 0;

	for (size_t i = 0; i < plan->n_leaves; i++) {
		bool pointer = pt_type_strip(types, plan->leaf[i].type)->kind == PT_TYPE_POINTER;
		unsigned rank = 2 * plan->leaf[i].index_depth + 1 + (pointers_first && pointer ? 1 : 0);

		if (rank > best) {
			best = rank;
			plan->watch = i;
		}
	}
}

static void explain_leaves(const struct planner *p)
{
	struct pt_plan *plan = p->plan;
	const char *watch = plan->leaf[plan->watch].name;

	if (plan->pure)
		snprintf(plan->reason, sizeof(plan->reason),
			 "it is calculated from %.80s%s: watch %s, and calculate again", watch,
			 plan->n_leaves > 1 ? " and others" : "", plan->n_leaves > 1 ? "each of them" : "that");
	else
		snprintf(plan->reason, sizeof(plan->reason),
			 "where it lies depends on %.80s: watch %.80s, and look again "
			 "when it changes",
			 watch, watch);
}

static void explain_pointer(const struct planner *p)
{
	struct pt_plan *plan = p->plan;
	const char *pointer = plan->n_leaves > 0 ? plan->leaf[plan->watch].name : "a pointer";

	if (plan->simple)
		snprintf(plan->reason, sizeof(plan->reason),
			 "a data trace of %.80s shows the pointer that is written there, "
			 "not what %s%.80s is behind it: trace %.80s, and tell its values apart by address",
			 pointer, plan->member[0] != '\0' ? "the member " : "", plan->member, pointer);
	else
		snprintf(plan->reason, sizeof(plan->reason),
			 "it lies behind %.80s: a data trace shows what is written to "
			 "%.80s, not what it leads to",
			 pointer, pointer);
}

void pt_expr_plan(const struct pt_expr *expr, struct pt_plan *plan)
{
	struct planner p = { .expr = expr, .plan = plan };
	struct pt_c_value v;
	uint32_t value_bytes;
	int node = strip_casts(expr, expr->root, &value_bytes);

	*plan = (struct pt_plan){ .kind = PT_PLAN_CONSTANT, .pure = true };
	if (constant_place(expr, node, &v) && is_scalar(expr, &v)) {
		plan->kind = PT_PLAN_ONE;
		plan->leaf[0] = leaf_of(expr, node, &v, 0);
		plan->n_leaves = 1;
		plan->value_bytes = value_bytes < plan->leaf[0].size_bytes ? value_bytes : 0;
		return;
	}
	collect(&p, expr->root, 0, true);
	plan->pure = !p.follows && !p.looks_up && !p.too_many;
	choose_watch(plan, p.follows, expr->types);
	if (p.follows) {
		plan->kind = PT_PLAN_POINTER;
		find_simple_pointer(&p, node);
		explain_pointer(&p);
	} else if (plan->n_leaves > 0) {
		plan->kind = PT_PLAN_LEAVES;
		explain_leaves(&p);
	} else {
		snprintf(plan->reason, sizeof(plan->reason), "nothing of it is a variable that is written");
	}
}
