/* From text to the model.
 *
 * Known deviations that are taken as meant: lines for the C preprocessor, trailing commas, arrays without index, types
 * without quotes, a keyword broken over two lines (copied from a PDF); with a warning a missing semicolon or comma. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/harmless.h"
#include "program/orti/orti_lex.h"
#include "program/orti/orti_parts.h"
#include "base/util.h"

enum { MAX_INDEX = 1023 };

/* --- VERSION ------------------------------------------------------------------------------------------------------ */

static void keep(char **to, char *text)
{
	free(*to);
	*to = text;
}

static void version_item(struct pt_orti_parser *p)
{
	bool koil = pt_orti_is_name(p, "KOIL"), semantics = pt_orti_is_name(p, "OSSEMANTICS");

	pt_orti_next(p);
	if (!pt_orti_take(p, '=') || p->token != PT_TOKEN_STRING) {
		pt_orti_warn(p, "a version is not told as = \"...\"");
		pt_orti_recover(p);
		return;
	}
	if (koil)
		keep(&p->orti->koil, pt_orti_copy_and_next(p));
	else if (semantics)
		keep(&p->orti->semantics, pt_orti_copy_and_next(p));
	else
		pt_orti_next(p);
	if (pt_orti_take(p, ',') && p->token == PT_TOKEN_STRING) {
		if (semantics)
			keep(&p->orti->version, pt_orti_copy(p));
		pt_orti_next(p);
	}
	pt_orti_end_of(p, "a version");
}

/* Anything up to the brace that closes, each piece by item; pieces that make no progress end in pt_orti_recover(). */
static void in_braces(struct pt_orti_parser *p, void (*item)(struct pt_orti_parser *p, void *arg), void *arg)
{
	while (p->token != PT_TOKEN_END && !pt_orti_is(p, '}') && !p->failed) {
		const char *before = p->before.at;

		pt_orti_join_keyword(p);
		item(p, arg);
		if (p->before.at <= before && p->token != PT_TOKEN_END)
			pt_orti_next(p);
	}
	if (!pt_orti_take(p, '}'))
		pt_orti_warn(p, "\"}\" expected, but the file ends");
}

static void version_piece(struct pt_orti_parser *p, void *arg)
{
	(void)arg;
	if (p->token == PT_TOKEN_NAME) {
		version_item(p);
	} else {
		pt_orti_warn(p, "KOIL or OSSEMANTICS expected");
		pt_orti_recover(p);
	}
}

/* --- IMPLEMENTATION ----------------------------------------------------------------------------------------------- */

static bool enum_value(struct pt_orti_parser *p, struct pt_orti_item *item)
{
	if (p->token != PT_TOKEN_STRING && p->token != PT_TOKEN_NUMBER && p->token != PT_TOKEN_NAME)
		return false;
	item->value = pt_orti_copy_and_next(p);
	return true;
}

/* "text" : link = value */
static bool enum_item(struct pt_orti_parser *p, struct pt_orti_attr *attr)
{
	struct pt_orti_item item = { 0 };
	bool good = p->token == PT_TOKEN_STRING;

	if (good)
		item.text = pt_orti_copy_and_next(p);
	if (good && pt_orti_take(p, ':')) {
		good = p->token == PT_TOKEN_NAME || p->token == PT_TOKEN_STRING;
		if (good)
			item.link = pt_orti_copy_and_next(p);
	}
	good = good && pt_orti_take(p, '=') && enum_value(p, &item);
	if (good && !p->failed)
		pt_orti_add_item(attr, item.text, item.link, item.value);
	free(item.text);
	free(item.link);
	free(item.value);
	return good;
}

static void enum_items(struct pt_orti_parser *p, struct pt_orti_attr *attr)
{
	while (!pt_orti_is(p, ']') && p->token != PT_TOKEN_END && !pt_orti_is(p, ';') && !pt_orti_is(p, '}') &&
	       !p->failed) {
		if (!enum_item(p, attr)) {
			pt_orti_warn(p, "an entry of an ENUM is not \"text\" = value: left out");
			while (p->token != PT_TOKEN_END && !pt_orti_is(p, ',') && !pt_orti_is(p, ']') &&
			       !pt_orti_is(p, ';') && !pt_orti_is(p, '}'))
				pt_orti_next(p);
		}
		if (!pt_orti_take(p, ',') && p->token == PT_TOKEN_STRING)
			pt_orti_warn(p, "\",\" is missing between two entries of an ENUM");
	}
	if (!pt_orti_take(p, ']'))
		pt_orti_warn(p, "\"]\" expected behind the entries of an ENUM");
}

/* Names without quotes are the C type, as long as another name follows: CTYPE unsigned char NAME. */
static void bare_type(struct pt_orti_parser *p, struct pt_orti_attr *attr, bool of_enum)
{
	char text[128] = "";

	while (p->token == PT_TOKEN_NAME && strlen(text) + p->len + 2 < sizeof(text)) {
		const char *behind = pt_orti_peek(p);
		size_t used = strlen(text), len = 0;

		while (behind + len < p->lexer.end && pt_orti_in_name(behind[len]))
			len++;
		if (!of_enum && ((len == 0 && *behind != '*') || pt_orti_is_keyword(behind, len)))
			break;
		snprintf(text + used, sizeof(text) - used, "%s%.*s", used > 0 ? " " : "", (int)p->len, p->text);
		pt_orti_next(p);
		while (pt_orti_take(p, '*') && strlen(text) + 3 < sizeof(text))
			strcat(text, " *");
	}
	if (text[0] != '\0')
		attr->c_type = pt_strdup(text);
}

static bool attr_kind(struct pt_orti_parser *p, struct pt_orti_attr *attr)
{
	if (pt_orti_is_name(p, "TOTRACE")) {
		attr->to_trace = true;
		pt_orti_next(p);
		pt_orti_join_keyword(p);
	}
	if (pt_orti_is_name(p, "CTYPE"))
		attr->kind = PT_ORTI_CTYPE;
	else if (pt_orti_is_name(p, "ENUM"))
		attr->kind = PT_ORTI_ENUM;
	else if (pt_orti_is_name(p, "STRING"))
		attr->kind = PT_ORTI_STRING;
	else
		return false;
	pt_orti_next(p);
	return true;
}

static bool attr_decl(struct pt_orti_parser *p, struct pt_orti_attr *attr)
{
	if (!attr_kind(p, attr))
		return false;
	if (p->token == PT_TOKEN_STRING && attr->kind != PT_ORTI_STRING)
		attr->c_type = pt_orti_copy_and_next(p);
	else if (p->token == PT_TOKEN_NAME && attr->kind != PT_ORTI_STRING)
		bare_type(p, attr, attr->kind == PT_ORTI_ENUM);
	if (attr->kind == PT_ORTI_ENUM) {
		if (!pt_orti_take(p, '['))
			return false;
		enum_items(p, attr);
	}
	if (p->token != PT_TOKEN_NAME)
		return false;
	attr->name = pt_orti_copy_and_next(p);
	if (pt_orti_take(p, '[')) {
		attr->array = true;
		if (p->token == PT_TOKEN_NUMBER)
			pt_orti_next(p);
		if (!pt_orti_take(p, ']'))
			return false;
	}
	if (pt_orti_take(p, ',') && p->token == PT_TOKEN_STRING)
		attr->display = pt_orti_copy_and_next(p);
	return true;
}

static void attr_piece(struct pt_orti_parser *p, void *arg)
{
	struct pt_orti_type *type = arg;
	struct pt_orti_attr attr = { 0 };

	if (!attr_decl(p, &attr)) {
		pt_orti_warn(p, "%s: no declaration of an attribute: left out", type->name);
		pt_orti_attr_fini(&attr);
		pt_orti_recover(p);
		return;
	}
	if (p->failed) {
		pt_orti_attr_fini(&attr);
		return;
	}
	*pt_orti_add_attr(type, attr.kind, NULL, NULL, NULL) = attr;
	pt_orti_end_of(p, "an attribute");
}

static void type_piece(struct pt_orti_parser *p, void *arg)
{
	struct pt_orti_type *type;
	char *name;

	(void)arg;
	if (p->token != PT_TOKEN_NAME) {
		pt_orti_warn(p, "a type of objects expected");
		pt_orti_recover(p);
		return;
	}
	name = pt_orti_copy_and_next(p);
	type = name != NULL && pt_orti_is(p, '{') ? pt_orti_add_type(p->orti, name, NULL) : NULL;
	if (name != NULL && type == NULL)
		pt_orti_warn(p, "%.60s: \"{\" expected", name);
	free(name);
	if (type == NULL) {
		pt_orti_recover(p);
		return;
	}
	pt_orti_next(p);
	in_braces(p, attr_piece, type);
	if (pt_orti_take(p, ',') && p->token == PT_TOKEN_STRING)
		type->display = pt_orti_copy_and_next(p);
	pt_orti_end_of(p, "a type of objects");
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

static bool index_in_brackets(struct pt_orti_parser *p, int *index)
{
	if (!pt_orti_take(p, '['))
		return true;
	if (p->token != PT_TOKEN_NUMBER)
		return pt_orti_is(p, ']') && pt_orti_take(p, ']');	/* the array as a whole, as if it were one */
	*index = (int)strtoul(p->text, NULL, 0) & MAX_INDEX;
	pt_orti_next(p);
	return pt_orti_take(p, ']');
}

/* Strings that stand next to one another are one, as in C. */
static char *quoted_text(struct pt_orti_parser *p)
{
	char *text = pt_orti_copy_and_next(p);

	if (text == NULL)
		return NULL;
	while (p->token == PT_TOKEN_STRING && p->n_things++ < PT_ORTI_MAX_THINGS) {
		text = pt_realloc_array(text, strlen(text) + p->len + 1, 1);
		strncat(text, p->text, p->len);
		pt_orti_next(p);
	}
	return pt_harmless(text, "\t\n\r");
}

static void add_value(struct pt_orti_parser *p, struct pt_orti_object *object, const char *attr, int index,
		      unsigned line)
{
	bool quoted = p->token == PT_TOKEN_STRING;
	char *formula = quoted ? quoted_text(p) : pt_orti_copy_and_next(p);

	if (formula != NULL && !p->failed)
		pt_orti_add_value(object, attr, index, formula, quoted)->line = line;
	free(formula);
}

static void value_piece(struct pt_orti_parser *p, void *arg)
{
	struct pt_orti_object *object = arg;
	unsigned line = p->before.line;
	char attr[128] = "";
	int index = -1;

	if (p->token != PT_TOKEN_NAME || p->len >= sizeof(attr)) {
		pt_orti_warn(p, "%s: the name of an attribute expected, not %s", object->name, pt_orti_shown(p));
		pt_orti_recover(p);
		return;
	}
	memcpy(attr, p->text, p->len);
	pt_orti_next(p);
	if (!index_in_brackets(p, &index) || !pt_orti_take(p, '=') ||
	    (p->token != PT_TOKEN_STRING && p->token != PT_TOKEN_NUMBER)) {
		pt_orti_warn(p, "%s: %s has no value that could be read: left out", object->name, attr);
		pt_orti_recover(p);
		return;
	}
	add_value(p, object, attr, index, line);
	pt_orti_end_of(p, attr);
}

static void object_in_braces(struct pt_orti_parser *p, const char *type, const char *name, unsigned line)
{
	struct pt_orti_object *object = pt_orti_add_object(p->orti, type, name);

	object->line = line;
	in_braces(p, value_piece, object);
	pt_orti_end_of(p, "an object");
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* Goes on behind the brace that closes at the present depth. */
static void skip_block(struct pt_orti_parser *p)
{
	unsigned depth = 0;

	while (p->token != PT_TOKEN_END) {
		if (pt_orti_is(p, '{'))
			depth++;
		if (pt_orti_is(p, '}') && depth <= 1) {
			pt_orti_next(p);
			pt_orti_take(p, ';');
			return;
		}
		if (pt_orti_is(p, '}'))
			depth--;
		if (pt_orti_is(p, ';') && depth == 0) {
			pt_orti_next(p);
			return;
		}
		pt_orti_next(p);
	}
}

static void top_piece(struct pt_orti_parser *p)
{
	unsigned line = p->before.line;
	bool implementation = pt_orti_is_name(p, "IMPLEMENTATION"), version = pt_orti_is_name(p, "VERSION");
	char *type = p->token == PT_TOKEN_NAME ? pt_orti_copy_and_next(p) : NULL, *name = NULL;

	if (type != NULL && !version && (p->token == PT_TOKEN_NAME || p->token == PT_TOKEN_STRING))
		name = pt_orti_copy_and_next(p);
	if (type == NULL || (!version && !implementation && name == NULL) || !pt_orti_is(p, '{')) {
		pt_orti_warn(p, "neither VERSION nor IMPLEMENTATION nor an object: left out");
		if (type == NULL && !pt_orti_is(p, '{') && !pt_orti_is(p, '}'))
			pt_orti_next(p);
		if (pt_orti_is(p, '{') || pt_orti_is(p, '}'))
			skip_block(p);
		else
			pt_orti_recover(p);
	} else {
		pt_orti_next(p);
		if (version) {
			in_braces(p, version_piece, NULL);
			pt_orti_end_of(p, "VERSION");
		} else if (implementation) {
			if (name != NULL)
				keep(&p->orti->name, name);
			name = NULL;
			in_braces(p, type_piece, NULL);
			pt_orti_end_of(p, "IMPLEMENTATION");
		} else {
			object_in_braces(p, type, name, line);
		}
	}
	free(type);
	free(name);
}

struct declared { const char *type, *attr; };

static int by_declaration(const void *a, const void *b)
{
	const struct declared *x = a, *y = b;
	int order = strcmp(x->type, y->type);

	return order != 0 ? order : strcmp(x->attr, y->attr);
}

/* All that is declared, sorted. */
static struct declared *declarations(const struct pt_orti *orti, size_t *n)
{
	struct declared *all;

	*n = 0;
	for (size_t i = 0; i < orti->n_types; i++)
		*n += orti->type[i].n_attrs;
	all = pt_alloc_array(*n + 1, sizeof(*all));
	*n = 0;
	for (size_t i = 0; i < orti->n_types; i++)
		for (size_t k = 0; k < orti->type[i].n_attrs; k++)
			all[(*n)++] = (struct declared){ orti->type[i].name, orti->type[i].attr[k].name };
	if (*n > 0)
		qsort(all, *n, sizeof(*all), by_declaration);
	return all;
}

static void check_attributes(struct pt_orti_parser *p)
{
	const struct pt_orti *orti = p->orti;
	struct declared *all;
	size_t n;

	all = declarations(orti, &n);
	for (size_t i = 0; i < orti->n_objects; i++)
		for (size_t k = 0; k < orti->object[i].n_values; k++) {
			const struct pt_orti_object *object = &orti->object[i];
			struct declared key = { object->type, object->value[k].attr };

			p->before.line = object->value[k].line;
			if (n == 0 || bsearch(&key, all, n, sizeof(key), by_declaration) == NULL)
				pt_orti_warn(p, "%.60s: %.60s is not declared for %.60s: shown as a number",
					     object->name, object->value[k].attr, object->type);
		}
	free(all);
}

static int by_line(const void *a, const void *b)
{
	const struct pt_orti_warning *x = a, *y = b;

	return x->line < y->line ? -1 : x->line > y->line;
}

/* Many a language has blocks that look like objects. */
static bool has_os(const struct pt_orti *orti)
{
	for (size_t i = 0; i < orti->n_objects; i++)
		if (strcmp(orti->object[i].type, "OS") == 0)
			return true;
	return false;
}

struct pt_orti *pt_orti_parse(const char *text, size_t len_bytes, struct pt_err *err)
{
	struct pt_orti_parser p = { .lexer = { text, text + len_bytes, 1, true } };

	if (len_bytes > PT_ORTI_MAX_BYTES) {
		pt_fail(err, PT_EARG, "an ORTI file of more than %d MiB", PT_ORTI_MAX_BYTES >> 20);
		return NULL;
	}
	p.orti = pt_alloc(sizeof(*p.orti));
	pt_orti_next(&p);
	while (p.token != PT_TOKEN_END && !p.failed) {
		const char *before = p.before.at;

		pt_orti_join_keyword(&p);
		top_piece(&p);
		if (p.before.at <= before && p.token != PT_TOKEN_END)
			pt_orti_next(&p);
	}
	if (p.failed)
		pt_fail(err, PT_EARG, "the ORTI file describes more than fits into memory");
	else if (p.orti->n_types == 0 && !has_os(p.orti))
		pt_fail(err, PT_EARG, "this is no ORTI file: neither IMPLEMENTATION nor an OS object in it");
	else {
		check_attributes(&p);
		if (p.orti->n_warnings > 0)
			qsort(p.orti->warning, p.orti->n_warnings, sizeof(*p.orti->warning), by_line);
		return p.orti;
	}
	pt_orti_free(p.orti);
	return NULL;
}
