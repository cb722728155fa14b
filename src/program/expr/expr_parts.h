/* The inside of an expression, for expr*.c: nodes in an array, children before parents. */
#ifndef PT_PROGRAM_EXPR_PARTS_H
#define PT_PROGRAM_EXPR_PARTS_H

#include "program/expr/expr.h"

enum pt_expr_op {
	PT_OP_NUMBER, PT_OP_REAL, PT_OP_NAME, PT_OP_BAD_NAME, PT_OP_MEMBER, PT_OP_ARROW, PT_OP_INDEX, PT_OP_ADDRESS,
	PT_OP_DEREF, PT_OP_CAST, PT_OP_MINUS, PT_OP_PLUS, PT_OP_NOT, PT_OP_INVERT, PT_OP_SIZE_OF, PT_OP_SIZE_OF_TYPE,
	PT_OP_MUL, PT_OP_DIV, PT_OP_MOD, PT_OP_ADD, PT_OP_SUB, PT_OP_SHL, PT_OP_SHR, PT_OP_LT, PT_OP_GT, PT_OP_LE,
	PT_OP_GE, PT_OP_EQ, PT_OP_NE, PT_OP_AND, PT_OP_XOR, PT_OP_OR, PT_OP_AND_IF, PT_OP_OR_ELSE, PT_OP_COND,
};

struct pt_node {
	enum pt_expr_op op;
	int child[3];			/* indices; -1: none */
	size_t from, to;		/* in the text */
	const struct pt_type *type;	/* NUMBER, CAST, SIZE_OF_TYPE */
	uint64_t number;
	double real;
	char *name;			/* MEMBER, ARROW: the member; BAD_NAME: why it is bad */
	struct pt_entity entity;	/* NAME */
};

struct pt_expr {
	struct pt_types *types;
	char *text;
	struct pt_node node[PT_EXPR_MAX_NODES];
	size_t n_nodes;
	int root;
};

/* The value of one node, not loaded where it lies in memory. */
int pt_expr_value(const struct pt_expr *expr, int node, const struct pt_reader *reader, struct pt_c_value *value,
		  struct pt_err *err);
/* int, or larger where C says so: the type that both become. */
const struct pt_type *pt_c_value_common(struct pt_types *types, const struct pt_type *a, const struct pt_type *b);
bool pt_type_is_scalar(const struct pt_type *stripped);
bool pt_type_is_integer(const struct pt_type *stripped);	/* also enum, bool, char, symbols of 1, 2, 4, 8 bytes */

#endif
