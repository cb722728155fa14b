/* See expr_lex.h. */
#include "program/expr/expr_lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"

/* --- characters --------------------------------------------------------------------------------------------------- */

const char *pt_parse_here(struct pt_expr_parser *p)
{
	p->at += strspn(p->text + p->at, " \t\r\n\f\v");
	return p->text + p->at;
}

int pt_parse_fail(struct pt_expr_parser *p, const char *what)
{
	pt_fail(p->err, PT_EARG, "\"%.100s\", position %zu: %s", p->text, p->at + 1, what);
	return -1;
}

bool pt_parse_starts_name(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

bool pt_parse_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

size_t pt_parse_name_length(const char *s)
{
	size_t len = 0;

	if (pt_parse_starts_name(*s))
		while (pt_parse_in_name(s[len]))
			len++;
	return len;
}

/* An operator, but not the beginning of a longer one. */
bool pt_parse_take(struct pt_expr_parser *p, const char *op)
{
	size_t len = strlen(op);

	if (strncmp(pt_parse_here(p), op, len) != 0)
		return false;
	p->at += len;
	return true;
}

bool pt_parse_is_word(const char *s, const char *word)
{
	return pt_parse_name_length(s) == strlen(word) && strncmp(s, word, strlen(word)) == 0;
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

int pt_parse_add(struct pt_expr_parser *p, enum pt_expr_op op, size_t from, int a, int b, int c)
{
	struct pt_expr *e = p->expr;

	if (e->n_nodes == PT_EXPR_MAX_NODES)
		return pt_parse_fail(p, "too long");
	e->node[e->n_nodes] = (struct pt_node){ .op = op, .child = { a, b, c }, .from = from, .to = p->at };
	return (int)e->n_nodes++;
}

int pt_parse_add_type(struct pt_expr_parser *p, enum pt_expr_op op, size_t from, int a, const struct pt_type *type)
{
	int node = pt_parse_add(p, op, from, a, -1, -1);

	if (node >= 0)
		p->expr->node[node].type = type;
	return node;
}

int pt_parse_add_named(struct pt_expr_parser *p, enum pt_expr_op op, size_t from, int a, const char *name, size_t len)
{
	int node = pt_parse_add(p, op, from, a, -1, -1);

	if (node < 0)
		return node;
	p->expr->node[node].name = pt_strndup(name, len);
	return node;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

/* C11, 6.4.4.1: the first type that the number fits; only hexadecimal ones become unsigned by themselves. */
static const struct pt_type *type_of_number(struct pt_expr_parser *p, uint64_t value, bool decimal, bool is_unsigned,
					    unsigned n_long)
{
	static const char *const names[][2] = {
		{ "int", "unsigned int" }, { "long", "unsigned long" }, { "long long", "unsigned long long" },
	};

	for (size_t i = n_long; i < PT_LEN(names); i++)
		for (unsigned u = is_unsigned ? 1 : 0; u < (decimal && !is_unsigned ? 1u : 2u); u++) {
			const struct pt_type *type = pt_types_named(p->expr->types, names[i][u]);
			unsigned n_bits = 8 * (unsigned)type->size_bytes - (u == 0);

			if (n_bits >= 64 || value >> n_bits == 0)
				return type;
		}
	return pt_types_named(p->expr->types, "unsigned long long");
}

static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

static int real_number(struct pt_expr_parser *p, size_t from)
{
	char *end;
	double real = strtod(p->text + from, &end);
	int node;

	p->at = (size_t)(end - p->text);
	if (*end == 'f' || *end == 'F' || *end == 'l' || *end == 'L')
		p->at++;
	if (pt_parse_in_name(p->text[p->at]))
		return pt_parse_fail(p, "not a number");
	node = pt_parse_add_type(p, PT_OP_REAL, from, -1, pt_types_double(p->expr->types));
	if (node >= 0)
		p->expr->node[node].real = real;
	return node;
}

static bool looks_real(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return s[n] == '.' || ((s[n] == 'e' || s[n] == 'E') && n > 0);
}

int pt_parse_number(struct pt_expr_parser *p)
{
	size_t from = p->at;
	unsigned base = 10, n_long = 0;
	bool is_unsigned = false;
	uint64_t value = 0;
	int node;

	if (looks_real(p->text + p->at))
		return real_number(p, from);
	if (p->text[p->at] == '0') {
		char kind = (char)tolower((unsigned char)p->text[p->at + 1]);

		base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
		p->at += base == 8 ? 0 : 2;
		if (base != 8 && digit(p->text[p->at]) >= base)
			return pt_parse_fail(p, "not a number");
	}
	for (; digit(p->text[p->at]) < base; p->at++)
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit(p->text[p->at]), &value))
			return pt_parse_fail(p, "the number has more than 64 bits");
	for (;; p->at++) {
		char c = (char)tolower((unsigned char)p->text[p->at]);

		if (c == 'u' && !is_unsigned)
			is_unsigned = true;
		else if (c == 'l' && n_long < 2)
			n_long++;
		else
			break;
	}
	if (pt_parse_in_name(p->text[p->at]))
		return pt_parse_fail(p, "not a number");
	node = pt_parse_add_type(p, PT_OP_NUMBER, from, -1, type_of_number(p, value, base == 10, is_unsigned, n_long));
	if (node >= 0)
		p->expr->node[node].number = value;
	return node;
}

/* 'a', '\n', '\x1b', '\033' */
int pt_parse_character(struct pt_expr_parser *p)
{
	static const char escapes[] = "n\nt\tr\ra\ab\bf\fv\v\\\\''\"\"";
	const char *s = p->text + p->at + 1;
	size_t from = p->at;
	unsigned value = (unsigned char)*s;
	int node;

	if (*s == '\\') {
		const char *e = strchr(escapes, s[1]);

		s++;
		value = 0;
		if (*s == 'x') {
			for (s++; digit(*s) < 16 && value < 256; s++)
				value = 16 * value + digit(*s);
			s--;
		} else if (digit(*s) < 8) {
			for (; digit(*s) < 8 && value < 256; s++)
				value = 8 * value + digit(*s);
			s--;
		} else if (*s != '\0' && e != NULL && (e - escapes) % 2 == 0) {
			value = (unsigned char)e[1];
		} else {
			return pt_parse_fail(p, "not a character");
		}
	}
	if (*s == '\0' || s[1] != '\'' || value > 255)
		return pt_parse_fail(p, "not a character");
	p->at = (size_t)(s + 2 - p->text);
	node = pt_parse_add_type(p, PT_OP_NUMBER, from, -1, pt_types_named(p->expr->types, "int"));
	if (node >= 0)
		p->expr->node[node].number = value;
	return node;
}
