#include "profile/analyses/counters/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32 };		/* parentheses inside one another */

struct parser {
	struct pt_formula *out;
	const char *text, *at;
	int depth;
	struct pt_err *err;
};

static bool fail(struct parser *p, const char *what)
{
	pt_fail(p->err, PT_EARG, "'%.60s': %s at '%.20s'", p->text, what, p->at);
	return false;
}

static char peek(struct parser *p)
{
	while (*p->at == ' ')
		p->at++;
	return *p->at;
}

static struct pt_formula_op *add(struct parser *p, char what)
{
	struct pt_formula_op *op = &p->out->op[p->out->n_ops];

	if (p->out->n_ops == PT_FORMULA_OPS) {
		fail(p, "the formula is too long");
		return NULL;
	}
	*op = (struct pt_formula_op){ .what = what };
	p->out->n_ops++;
	return op;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) != 0 || c == '_' || c == '.';
}

static bool name(struct parser *p)
{
	bool quoted = *p->at == '\'';
	const char *begin = p->at + quoted;
	struct pt_formula_op *op;
	size_t len = 0;

	while (quoted ? begin[len] != '\'' && begin[len] != '\0' : is_name(begin[len]))
		len++;
	if (len == 0 || len >= PT_FORMULA_NAME || (quoted && begin[len] == '\0'))
		return fail(p, "that is no name");
	op = add(p, 'v');
	if (op == NULL)
		return false;
	memcpy(op->name, begin, len);
	p->at = begin + len + quoted;
	return true;
}

static bool number(struct parser *p)
{
	struct pt_formula_op *op = add(p, 'n');
	char *end;

	if (op == NULL)
		return false;
	op->number = strtod(p->at, &end);
	if (end == p->at || !isfinite(op->number) || is_name(*end))
		return fail(p, "that is no number");
	p->at = end;
	return true;
}

static bool sum(struct parser *p);

static bool factor(struct parser *p);

/* "sqrt" and what stands in parentheses behind it. */
static bool root(struct parser *p)
{
	p->at += strlen("sqrt");
	return peek(p) == '(' && factor(p) && add(p, 'r') != NULL;
}

static bool factor(struct parser *p)
{
	char c = peek(p);

	if (++p->depth > DEPTH)
		return fail(p, "too many parentheses");
	if (c == '(') {
		p->at++;
		if (!sum(p))
			return false;
		if (peek(p) != ')')
			return fail(p, "a ) is missing");
		p->at++;
	} else if (c == '-') {
		p->at++;
		if (!factor(p) || add(p, '~') == NULL)
			return false;
	} else if (isdigit((unsigned char)c) != 0) {
		if (!number(p))
			return false;
	} else if (strncmp(p->at, "sqrt(", 5) == 0) {
		if (!root(p))
			return false;
	} else if (!name(p)) {
		return false;
	}
	p->depth--;
	return true;
}

static bool product(struct parser *p)
{
	if (!factor(p))
		return false;
	for (char c; (c = peek(p)) == '*' || c == '/';) {
		p->at++;
		if (!factor(p) || add(p, c) == NULL)
			return false;
	}
	return true;
}

static bool sum(struct parser *p)
{
	if (!product(p))
		return false;
	for (char c; (c = peek(p)) == '+' || c == '-';) {
		p->at++;
		if (!product(p) || add(p, c) == NULL)
			return false;
	}
	return true;
}

int pt_formula_parse(struct pt_formula *formula, const char *text, struct pt_err *err)
{
	struct parser p = { .out = formula, .text = text, .at = text, .err = err };

	formula->n_ops = 0;
	if (!sum(&p))
		return PT_EARG;
	if (peek(&p) != '\0') {
		fail(&p, "it should end");
		return PT_EARG;
	}
	return 0;
}

static double apply(char what, double a, double b)
{
	switch (what) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	default:
		return b != 0 ? a / b : NAN;
	}
}

double pt_formula_value(const struct pt_formula *f, double (*value)(void *arg, const char *name), void *arg)
{
	double stack[PT_FORMULA_OPS + 1] = { NAN };
	unsigned n = 0;

	for (unsigned i = 0; i < f->n_ops; i++) {
		const struct pt_formula_op *op = &f->op[i];

		if (op->what == 'n')
			stack[n++] = op->number;
		else if (op->what == 'v')
			stack[n++] = value(arg, op->name);
		else if (op->what == '~')
			stack[n - 1] = -stack[n - 1];
		else if (op->what == 'r')
			stack[n - 1] = stack[n - 1] >= 0 ? sqrt(stack[n - 1]) : NAN;
		else
			n--, stack[n - 1] = apply(op->what, stack[n - 1], stack[n]);
	}
	return stack[0];
}
