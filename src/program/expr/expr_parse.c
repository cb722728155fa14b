/* From text to nodes: recursive descent for what is unary, precedence climbing for what is binary, so that a long sum
 * costs no stack. Names are looked up at once; those that are not found stay as nodes that say so. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/expr/expr_lex.h"
#include "base/util.h"

enum { MAX_NAME_BYTES = 512 };

static int conditional(struct pt_expr_parser *p);
static int unary(struct pt_expr_parser *p);

/* --- names -------------------------------------------------------------------------------------------------------- */

/* "a::b::c" or "::a"; 0: no name. */
static size_t scoped_length(const char *s)
{
	size_t len = strncmp(s, "::", 2) == 0 ? 2 : 0, part = pt_parse_name_length(s + len);

	if (part == 0)
		return 0;
	len += part;
	while (strncmp(s + len, "::", 2) == 0 && (part = pt_parse_name_length(s + len + 2)) > 0)
		len += 2 + part;
	return len;
}

static bool is_source(const char *s, size_t len)
{
	static const char *const kinds[] = {
		".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".s", ".S", ".C", ".rs", ".inc"
	};

	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (len > strlen(kinds[i]) && strncmp(s + len - strlen(kinds[i]), kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

/* "main.c:" or "src/main.c:" in front of a name, or "'main.c'::"; 0: none. Between ? and : a colon may be the
 * condition's: only the quoted form counts there. */
static size_t file_length(const struct pt_expr_parser *p, const char *s)
{
	size_t len = 0;

	if (*s == '\'') {
		const char *end = strchr(s + 1, '\'');

		return end != NULL && strncmp(end + 1, "::", 2) == 0 ? (size_t)(end - s) + 3 : 0;
	}
	while (pt_parse_in_name(s[len]) ||
	       (s[len] != '\0' && strchr("./-+", s[len]) != NULL && pt_parse_in_name(s[len + 1])))
		len++;
	if (p->n_conditions > 0 || s[len] != ':' || s[len + 1] == ':' || !pt_parse_starts_name(s[len + 1]) ||
	    !is_source(s, len))
		return 0;
	return len + 1;
}

static int look_up(struct pt_expr_parser *p, size_t from, size_t len)
{
	struct pt_err why = { 0 };
	struct pt_entity entity;
	char name[MAX_NAME_BYTES];
	int node;

	if (len >= sizeof(name))
		return pt_parse_fail(p, "the name is too long");
	memcpy(name, p->text + from, len);
	name[len] = '\0';
	p->at = from + len;
	if (pt_types_find(p->expr->types, strncmp(name, "::", 2) == 0 ? name + 2 : name, &entity, &why) < 0)
		return pt_parse_add_named(p, PT_OP_BAD_NAME, from, -1, why.msg, strlen(why.msg));
	node = pt_parse_add(p, PT_OP_NAME, from, -1, -1, -1);
	if (node >= 0)
		p->expr->node[node].entity = entity;
	return node;
}

/* --- types -------------------------------------------------------------------------------------------------------- */

static const struct { const char *name; uint8_t size_bytes; bool is_signed; } usual[] = {
	{ "uint8_t", 1, false }, { "int8_t", 1, true }, { "uint16_t", 2, false }, { "int16_t", 2, true },
	{ "uint32_t", 4, false }, { "int32_t", 4, true }, { "uint64_t", 8, false }, { "int64_t", 8, true },
	{ "uint8", 1, false }, { "sint8", 1, true }, { "int8", 1, true }, { "uint16", 2, false }, { "sint16", 2, true },
	{ "int16", 2, true }, { "uint32", 4, false }, { "sint32", 4, true }, { "int32", 4, true },
	{ "uint64", 8, false }, { "sint64", 8, true }, { "int64", 8, true }, { "boolean", 1, false },
	{ "UINT8", 1, false }, { "UINT16", 2, false }, { "UINT32", 4, false }, { "INT8", 1, true },
	{ "INT16", 2, true }, { "INT32", 4, true },
};

static const struct pt_type *named_type(struct pt_expr_parser *p, const char *name)
{
	const struct pt_type *type = pt_types_named(p->expr->types, name);

	for (size_t i = 0; type == NULL && i < PT_LEN(usual); i++)
		if (strcmp(name, usual[i].name) == 0)
			type = pt_types_integer(p->expr->types, usual[i].size_bytes, usual[i].is_signed);
	return type;
}

static bool is_keyword(const char *s, const char *const *words)
{
	for (; *words != NULL; words++)
		if (pt_parse_is_word(s, *words))
			return true;
	return false;
}

static const char *const qualifiers[] = { "const", "volatile", "restrict", NULL };
static const char *const number_words[] = {
	"unsigned", "signed", "char", "short", "int", "long", "float", "double", "void", "_Bool", "bool", NULL,
};
static const char *const tag_words[] = { "struct", "union", "enum", "class", NULL };

static void put_word(char *name, size_t room, const char *word, size_t len)
{
	size_t used = strlen(name);

	snprintf(name + used, room - used, "%s%.*s", used > 0 ? " " : "", (int)len, word);
}

static void skip_qualifiers(struct pt_expr_parser *p)
{
	while (is_keyword(pt_parse_here(p), qualifiers))
		p->at += pt_parse_name_length(p->text + p->at);
}

/* The words of a type's name, and behind it; *sure: it can be nothing else. False: no type. */
static bool type_words(struct pt_expr_parser *p, char name[MAX_NAME_BYTES], bool *sure)
{
	size_t len;

	name[0] = '\0';
	skip_qualifiers(p);
	if (is_keyword(pt_parse_here(p), tag_words)) {
		len = pt_parse_name_length(pt_parse_here(p));
		put_word(name, MAX_NAME_BYTES, p->text + p->at, len);
		p->at += len;
		*sure = true;
		len = scoped_length(pt_parse_here(p));
	} else {
		while (is_keyword(pt_parse_here(p), number_words)) {
			len = pt_parse_name_length(p->text + p->at);
			put_word(name, MAX_NAME_BYTES, p->text + p->at, len);
			p->at += len;
			skip_qualifiers(p);
			*sure = true;
		}
		len = *sure ? 0 : scoped_length(pt_parse_here(p));
	}
	if (len >= MAX_NAME_BYTES / 2)
		return false;
	if (len > 0) {
		put_word(name, MAX_NAME_BYTES, p->text + p->at, len);
		p->at += len;
	}
	skip_qualifiers(p);
	return name[0] != '\0';
}

/* Does what stands here begin an operand that is none but behind a cast? */
static bool operand_follows(const char *s)
{
	return pt_parse_in_name(*s) || *s == '(' || *s == '\'' || *s == '!' || *s == '~';
}

/* A type in parentheses. 1: *type is it (NULL: there is no such type; name has it); 0: something else stands there,
 * nothing was taken. */
static int type_name(struct pt_expr_parser *p, const struct pt_type **type, char name[MAX_NAME_BYTES], bool cast)
{
	size_t start = p->at;
	bool sure = false, stars = false, known = false;
	struct pt_entity entity;

	if (!pt_parse_take(p, "(") || !type_words(p, name, &sure))
		goto no;
	*type = named_type(p, name);
	if (!sure)
		known = *type != NULL && pt_types_find(p->expr->types, name, &entity, NULL) < 0;
	while (pt_parse_take(p, "*")) {
		stars = true;
		if (*type != NULL)
			*type = pt_types_pointer_to(p->expr->types, *type);
		skip_qualifiers(p);
	}
	if (!pt_parse_take(p, ")"))
		goto no;
	if (sure ||
	    (known && (!cast || operand_follows(pt_parse_here(p)) || strchr("-+*&", *pt_parse_here(p)) != NULL)) ||
	    (*type == NULL && cast && (stars || operand_follows(pt_parse_here(p)))))
		return 1;
no:
	p->at = start;
	return 0;
}

/* --- grammar ------------------------------------------------------------------------------------------------------ */

static bool enter(struct pt_expr_parser *p)
{
	return ++p->depth <= PT_EXPR_MAX_DEPTH || (pt_parse_fail(p, "nested too deep"), false);
}

static int no_type(struct pt_expr_parser *p, size_t from, const char *name)
{
	char why[MAX_NAME_BYTES + 64];

	snprintf(why, sizeof(why), "there is no type \"%.200s\"", name);
	return pt_parse_add_named(p, PT_OP_BAD_NAME, from, -1, why, strlen(why));
}

static int in_parentheses(struct pt_expr_parser *p)
{
	int node;

	p->at++;
	if (!enter(p))
		return -1;
	node = conditional(p);
	p->depth--;
	if (node >= 0 && !pt_parse_take(p, ")"))
		return pt_parse_fail(p, "\")\" expected");
	return node;
}

static int primary(struct pt_expr_parser *p)
{
	const char *s = pt_parse_here(p);
	size_t file = file_length(p, s), len = scoped_length(s + file);

	if (len > 0 && (file > 0 || pt_parse_starts_name(*s) || *s == ':'))
		return look_up(p, p->at, file + len);
	if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1])))
		return pt_parse_number(p);
	if (*s == '\'')
		return pt_parse_character(p);
	if (*s == '(')
		return in_parentheses(p);
	return pt_parse_fail(p, *s == '\0' ? "it ends where a value is expected" : "a value is expected here");
}

static int member(struct pt_expr_parser *p, int node, size_t from, enum pt_expr_op op)
{
	size_t len = pt_parse_name_length(pt_parse_here(p)), at = p->at;

	if (len == 0)
		return pt_parse_fail(p, "the name of a member is expected");
	p->at += len;
	return pt_parse_add_named(p, op, from, node, p->text + at, len);
}

static int postfix(struct pt_expr_parser *p)
{
	size_t from = (pt_parse_here(p), p->at);
	int node = primary(p), index;

	while (node >= 0) {
		const char *s = pt_parse_here(p);

		if (*s == '(')
			return pt_parse_fail(p, "functions cannot be called");
		if (strncmp(s, "++", 2) == 0 || strncmp(s, "--", 2) == 0)
			return pt_parse_fail(p, "an expression must not change anything");
		if (pt_parse_take(p, "->")) {
			node = member(p, node, from, PT_OP_ARROW);
		} else if (*s == '.' && !isdigit((unsigned char)s[1])) {
			p->at++;
			node = member(p, node, from, PT_OP_MEMBER);
		} else if (pt_parse_take(p, "[")) {
			if (!enter(p))
				return -1;
			index = conditional(p);
			p->depth--;
			if (index < 0 || !pt_parse_take(p, "]"))
				return index < 0 ? -1 : pt_parse_fail(p, "\"]\" expected");
			node = pt_parse_add(p, PT_OP_INDEX, from, node, index, -1);
		} else {
			break;
		}
	}
	return node;
}

static int size_of(struct pt_expr_parser *p, size_t from)
{
	const struct pt_type *type;
	char name[MAX_NAME_BYTES];
	int node;

	p->at += strlen("sizeof");
	pt_parse_here(p);
	if (type_name(p, &type, name, false) > 0)
		return type != NULL ? pt_parse_add_type(p, PT_OP_SIZE_OF_TYPE, from, -1, type) : no_type(p, from, name);
	node = unary(p);
	return node < 0 ? node : pt_parse_add(p, PT_OP_SIZE_OF, from, node, -1, -1);
}

static int prefixed(struct pt_expr_parser *p, size_t from)
{
	static const struct { const char *text; enum pt_expr_op op; } ops[] = {
		{ "-", PT_OP_MINUS }, { "+", PT_OP_PLUS }, { "!", PT_OP_NOT }, { "~", PT_OP_INVERT },
		{ "*", PT_OP_DEREF }, { "&", PT_OP_ADDRESS },
	};
	const struct pt_type *type = NULL;
	char name[MAX_NAME_BYTES];
	int node;

	if (pt_parse_is_word(p->text + p->at, "sizeof"))
		return size_of(p, from);
	if (type_name(p, &type, name, true) > 0) {
		node = unary(p);
		if (node < 0)
			return node;
		return type != NULL ? pt_parse_add_type(p, PT_OP_CAST, from, node, type) : no_type(p, from, name);
	}
	if (strncmp(p->text + p->at, "++", 2) == 0 || strncmp(p->text + p->at, "--", 2) == 0)
		return pt_parse_fail(p, "an expression must not change anything");
	for (size_t i = 0; i < PT_LEN(ops); i++)
		if (pt_parse_take(p, ops[i].text)) {
			node = unary(p);
			return node < 0 ? node : pt_parse_add(p, ops[i].op, from, node, -1, -1);
		}
	return postfix(p);
}

static int unary(struct pt_expr_parser *p)
{
	int node;

	if (!enter(p))
		return -1;
	pt_parse_here(p);
	node = prefixed(p, p->at);
	p->depth--;
	return node;
}

/* Longer ones first. "&" is no "&&"; "=" alone is an assignment. */
static const struct { const char *text; enum pt_expr_op op; int level; } binaries[] = {
	{ "||", PT_OP_OR_ELSE, 1 }, { "&&", PT_OP_AND_IF, 2 }, { "==", PT_OP_EQ, 6 }, { "!=", PT_OP_NE, 6 },
	{ "<<", PT_OP_SHL, 8 }, { ">>", PT_OP_SHR, 8 }, { "<=", PT_OP_LE, 7 }, { ">=", PT_OP_GE, 7 },
	{ "|", PT_OP_OR, 3 }, { "^", PT_OP_XOR, 4 }, { "&", PT_OP_AND, 5 }, { "<", PT_OP_LT, 7 }, { ">", PT_OP_GT, 7 },
	{ "+", PT_OP_ADD, 9 }, { "-", PT_OP_SUB, 9 }, { "*", PT_OP_MUL, 10 }, { "/", PT_OP_DIV, 10 },
	{ "%", PT_OP_MOD, 10 },
};
enum { LOWEST = 1 };

/* Which binary operator stands here, and is there an "=" behind it that makes it an assignment? */
static int operator_here(struct pt_expr_parser *p, bool *assigns)
{
	const char *s = pt_parse_here(p);

	*assigns = *s == '=' && s[1] != '=';
	for (size_t i = 0; i < PT_LEN(binaries); i++) {
		size_t len = strlen(binaries[i].text);

		if (strncmp(s, binaries[i].text, len) == 0) {
			*assigns = s[len] == '=' && s[len + 1] != '=' && binaries[i].op != PT_OP_LT &&
				   binaries[i].op != PT_OP_GT && binaries[i].level != 6 && binaries[i].level != 7;
			return (int)i;
		}
	}
	return -1;
}

static int binary(struct pt_expr_parser *p, int lowest)
{
	size_t from = (pt_parse_here(p), p->at);
	int left = unary(p), right, which;
	bool assigns;

	while (left >= 0) {
		which = operator_here(p, &assigns);
		if (assigns)
			return pt_parse_fail(p, "an expression must not change anything; == compares");
		if (which < 0 || binaries[which].level < lowest)
			break;
		p->at += strlen(binaries[which].text);
		right = binary(p, binaries[which].level + 1);
		if (right < 0)
			return right;
		left = pt_parse_add(p, binaries[which].op, from, left, right, -1);
	}
	return left;
}

static int conditional(struct pt_expr_parser *p)
{
	size_t from = (pt_parse_here(p), p->at);
	int condition = binary(p, LOWEST), yes, no;

	if (condition < 0 || !pt_parse_take(p, "?"))
		return condition;
	if (!enter(p))
		return -1;
	p->n_conditions++;
	yes = conditional(p);
	if (yes >= 0 && !pt_parse_take(p, ":"))
		return pt_parse_fail(p, "\":\" expected");
	p->n_conditions--;
	no = yes < 0 ? yes : conditional(p);
	p->depth--;
	return no < 0 ? no : pt_parse_add(p, PT_OP_COND, from, condition, yes, no);
}

struct pt_expr *pt_expr_parse(struct pt_types *types, const char *text, struct pt_err *err)
{
	/* not zeroed: most of it is nodes that most expressions do not have */
	struct pt_expr *expr = pt_realloc_array(NULL, 1, sizeof(*expr));
	struct pt_expr_parser p = { .expr = expr, .text = text, .err = err };

	expr->types = types;
	expr->text = NULL;
	expr->n_nodes = 0;
	if (strlen(text) > PT_EXPR_MAX_BYTES) {
		pt_fail(err, PT_EARG, "an expression of more than %d characters", PT_EXPR_MAX_BYTES);
		goto bad;
	}
	expr->text = pt_strdup(text);
	expr->root = conditional(&p);
	if (expr->root < 0)
		goto bad;
	if (*pt_parse_here(&p) != '\0') {
		pt_parse_fail(&p, *pt_parse_here(&p) == ',' ? "one expression at a time" : "not expected here");
		goto bad;
	}
	return expr;
bad:
	pt_expr_free(expr);
	return NULL;
}
