/* The small pieces of expressions: characters, numbers, nodes. For expr_parse.c. */
#ifndef PT_PROGRAM_EXPR_LEX_H
#define PT_PROGRAM_EXPR_LEX_H

#include "program/expr/expr_parts.h"

struct pt_expr_parser {
	struct pt_expr *expr;
	const char *text;
	size_t at;			/* in text */
	unsigned depth, n_conditions;	/* nesting; of ?: that wait for their colon */
	struct pt_err *err;
};

/* What stands here, behind blanks. */
const char *pt_parse_here(struct pt_expr_parser *p);
/* Fills err with the place and what is wrong there; returns -1. */
int pt_parse_fail(struct pt_expr_parser *p, const char *what);
bool pt_parse_starts_name(char c);
bool pt_parse_in_name(char c);
size_t pt_parse_name_length(const char *s);		/* 0: no name */
bool pt_parse_is_word(const char *s, const char *word);
bool pt_parse_take(struct pt_expr_parser *p, const char *op);	/* goes on if op stands here */

/* Nodes; those that return int return the node, or -1. */
int pt_parse_add(struct pt_expr_parser *p, enum pt_expr_op op, size_t from, int a, int b, int c);
int pt_parse_add_type(struct pt_expr_parser *p, enum pt_expr_op op, size_t from, int a, const struct pt_type *type);
int pt_parse_add_named(struct pt_expr_parser *p, enum pt_expr_op op, size_t from, int a, const char *name, size_t len);
int pt_parse_number(struct pt_expr_parser *p);		/* a digit stands here */
int pt_parse_character(struct pt_expr_parser *p);	/* a quote */

#endif
