/* Formulas over named quantities: "instructions / cycles", "(hits + misses) * 64 / seconds". + - * / and parentheses,
 * numbers, names of letters, digits, '_' and '.', or in '...' where a name has others; sqrt(...). Pure. */
#ifndef PT_PROFILE_FORMULA_H
#define PT_PROFILE_FORMULA_H

#include <stdbool.h>

#include "base/error.h"

enum { PT_FORMULA_OPS = 64, PT_FORMULA_NAME = 32 };

struct pt_formula {		/* in reverse Polish order; the stack never needs more than PT_FORMULA_OPS */
	struct pt_formula_op {
		char what;	/* 'n' a number, 'v' a name, or + - * / and '~' for a minus in front, 'r' for sqrt */
		double number;
		char name[PT_FORMULA_NAME];
	} op[PT_FORMULA_OPS];
	unsigned n_ops;
};

/* PT_EARG: the sentence says where it stops making sense. */
int pt_formula_parse(struct pt_formula *formula, const char *text, struct pt_err *err);
/* NAN where a name's value is (value() says so of names it does not know), or where something is divided by 0, or the
 * root of less than 0. */
double pt_formula_value(const struct pt_formula *formula, double (*value)(void *arg, const char *name), void *arg);

#endif
