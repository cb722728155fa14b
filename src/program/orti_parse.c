/* From text to the model. The lexer works on demand, so that after an error reading goes on behind the next semicolon
 * of the text itself: a quote that is missing must not turn the rest of the file inside out.
 *
 * Known deviations that are taken as meant: lines for the C preprocessor, trailing commas, arrays without index, types
 * without quotes, a keyword broken over two lines (copied from a PDF); with a warning a missing semicolon or comma. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/orti.h"
#include "util.h"

enum { MAX_THINGS = 1 << 17, MAX_INDEX = 1023 };

enum token { END, NAME, STRING, NUMBER, MARK };

struct lexer { const char *at, *end; unsigned line; bool line_begins; };

struct parser {
	struct lexer lexer;
	struct lexer before;		/* where the present token began */
	enum token token;
	char mark;			/* MARK */
	const char *text;		/* NAME, STRING (without quotes), NUMBER */
	size_t len;
	struct pt_orti *orti;
	size_t n_things;		/* all that was kept: bounds memory */
	bool failed;			/* no memory, or too much */
};

/* --- warnings ----------------------------------------------------------------------------------------------------- */

static void warn_at(struct parser *p, unsigned line, const char *fmt, va_list args)
{
	struct pt_orti *orti = p->orti;
	struct pt_orti_warning *all;
	char text[200];

	if (orti->n_warnings == PT_ORTI_MAX_WARNINGS) {
		orti->n_more_warnings++;
		return;
	}
	vsnprintf(text, sizeof(text), fmt, args);
	all = realloc(orti->warning, (orti->n_warnings + 1) * sizeof(*all));
	if (all == NULL) {
		p->failed = true;
		return;
	}
	orti->warning = all;
	all[orti->n_warnings] = (struct pt_orti_warning){ line, strdup(text) };
	if (all[orti->n_warnings].text == NULL)
		p->failed = true;
	else
		orti->n_warnings++;
}

__attribute__((format(printf, 2, 3))) static void warn(struct parser *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	warn_at(p, p->before.line, fmt, args);
	va_end(args);
}

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static void step(struct lexer *l)
{
	if (*l->at == '\n') {
		l->line++;
		l->line_begins = true;
	} else if (!isspace((unsigned char)*l->at) && *l->at != '\0') {
		l->line_begins = false;
	}
	l->at++;
}

static bool looking_at(const struct lexer *l, const char *text)
{
	return (size_t)(l->end - l->at) >= strlen(text) && strncmp(l->at, text, strlen(text)) == 0;
}

static void skip_line(struct lexer *l)
{
	while (l->at < l->end && *l->at != '\n')
		step(l);
}

static void skip_blanks(struct lexer *l)
{
	while (l->at < l->end) {
		if (looking_at(l, "//") || (*l->at == '#' && l->line_begins)) {
			skip_line(l);
		} else if (looking_at(l, "/*")) {
			while (l->at < l->end && !looking_at(l, "*/"))
				step(l);
			for (int i = 0; i < 2 && l->at < l->end; i++)
				step(l);
		} else if (isspace((unsigned char)*l->at) || *l->at == '\0') {
			step(l);
		} else {
			return;
		}
	}
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A string ends with its line at the latest. */
static void read_string(struct parser *p)
{
	struct lexer *l = &p->lexer;

	step(l);
	p->text = l->at;
	while (l->at < l->end && *l->at != '"' && *l->at != '\n')
		step(l);
	p->len = (size_t)(l->at - p->text);
	if (l->at < l->end && *l->at == '"')
		step(l);
	else
		warn(p, "a string has no end");
	p->token = STRING;
}

static void next(struct parser *p)
{
	struct lexer *l = &p->lexer;

	skip_blanks(l);
	p->before = *l;
	p->text = l->at;
	p->len = 0;
	p->mark = '\0';
	if (l->at >= l->end) {
		p->token = END;
	} else if (*l->at == '"') {
		read_string(p);
	} else if (isdigit((unsigned char)*l->at) ||
		   (*l->at == '-' && l->end - l->at > 1 && isdigit((unsigned char)l->at[1]))) {
		step(l);
		while (l->at < l->end && in_name(*l->at))
			step(l);
		p->len = (size_t)(l->at - p->text);
		p->token = NUMBER;
	} else if (isalpha((unsigned char)*l->at) || *l->at == '_') {
		while (l->at < l->end && in_name(*l->at))
			step(l);
		p->len = (size_t)(l->at - p->text);
		p->token = NAME;
	} else {
		p->mark = *l->at;
		p->token = MARK;
		step(l);
	}
}

static bool is(const struct parser *p, char mark)
{
	return p->token == MARK && p->mark == mark;
}

static bool is_name(const struct parser *p, const char *name)
{
	return p->token == NAME && p->len == strlen(name) && strncmp(p->text, name, p->len) == 0;
}

static bool take(struct parser *p, char mark)
{
	if (!is(p, mark))
		return false;
	next(p);
	return true;
}

/* Copies are made of what the parser looks at, with a bound on all of them together. */
static char *copy(struct parser *p)
{
	char *text = ++p->n_things <= MAX_THINGS ? strndup(p->text, p->len) : NULL;

	if (text == NULL)
		p->failed = true;
	return text;
}

static char *copy_and_next(struct parser *p)
{
	char *text = copy(p);

	next(p);
	return text;
}

/* Goes on behind the next semicolon of the text, counted from the present token, or at a brace that closes. */
static void recover(struct parser *p)
{
	struct lexer *l = &p->lexer;

	*l = p->before;
	while (l->at < l->end && *l->at != ';' && *l->at != '}')
		step(l);
	if (l->at < l->end && *l->at == ';')
		step(l);
	next(p);
}

static const char *shown(const struct parser *p)
{
	static const char *const names[] = { "the end of the file", "a name", "a string", "a number", "a mark" };

	return names[p->token];
}

static const char *const keywords[] = {
	"VERSION", "IMPLEMENTATION", "TOTRACE", "CTYPE", "ENUM", "STRING", "KOIL", "OSSEMANTICS",
};

static bool is_keyword(const char *text, size_t len)
{
	for (size_t i = 0; i < PT_LEN(keywords); i++)
		if (len == strlen(keywords[i]) && strncmp(text, keywords[i], len) == 0)
			return true;
	return false;
}

/* What stands behind the present token; nothing is taken. */
static const char *peek(const struct parser *p)
{
	struct lexer l = p->lexer;

	skip_blanks(&l);
	return l.at < l.end ? l.at : "";
}

/* The semicolon behind something; where what follows shows that it was forgotten, it is taken as written. */
static void end_of(struct parser *p, const char *what)
{
	char behind = *peek(p);

	if (take(p, ';'))
		return;
	if (is(p, '}') ||
	    (p->token == NAME && behind != '\0' && (in_name(behind) || strchr("=[{\"", behind) != NULL))) {
		warn(p, "\";\" is missing behind %.60s", what);
		return;
	}
	warn(p, "\";\" expected behind %.60s, but %s stands there", what, shown(p));
	recover(p);
}

/* "I" and "MPLEMENTATION" on two lines. */
static void join_keyword(struct parser *p)
{
	const char *rest = peek(p), *end = p->lexer.end;
	size_t len = 0;

	if (p->token != NAME || is_keyword(p->text, p->len) || *rest == '\0')
		return;
	while (rest + len < end && in_name(rest[len]))
		len++;
	for (size_t i = 0; len > 0 && i < PT_LEN(keywords); i++)
		if (p->len + len == strlen(keywords[i]) && strncmp(p->text, keywords[i], p->len) == 0 &&
		    strncmp(rest, keywords[i] + p->len, len) == 0) {
			warn(p, "%s is broken in two", keywords[i]);
			next(p);
			p->text = keywords[i];
			p->len = strlen(keywords[i]);
			return;
		}
}

/* --- VERSION ------------------------------------------------------------------------------------------------------ */

static void keep(char **to, char *text)
{
	free(*to);
	*to = text;
}

static void version_item(struct parser *p)
{
	bool koil = is_name(p, "KOIL"), semantics = is_name(p, "OSSEMANTICS");

	next(p);
	if (!take(p, '=') || p->token != STRING) {
		warn(p, "a version is not told as = \"...\"");
		recover(p);
		return;
	}
	if (koil)
		keep(&p->orti->koil, copy_and_next(p));
	else if (semantics)
		keep(&p->orti->semantics, copy_and_next(p));
	else
		next(p);
	if (take(p, ',') && p->token == STRING) {
		if (semantics)
			keep(&p->orti->version, copy(p));
		next(p);
	}
	end_of(p, "a version");
}

/* Anything up to the brace that closes, each piece by item; pieces that make no progress end in recover(). */
static void in_braces(struct parser *p, void (*item)(struct parser *p, void *arg), void *arg)
{
	while (p->token != END && !is(p, '}') && !p->failed) {
		const char *before = p->before.at;

		join_keyword(p);
		item(p, arg);
		if (p->before.at <= before && p->token != END)
			next(p);
	}
	if (!take(p, '}'))
		warn(p, "\"}\" expected, but the file ends");
}

static void version_piece(struct parser *p, void *arg)
{
	(void)arg;
	if (p->token == NAME) {
		version_item(p);
	} else {
		warn(p, "KOIL or OSSEMANTICS expected");
		recover(p);
	}
}

/* --- IMPLEMENTATION ----------------------------------------------------------------------------------------------- */

static bool enum_value(struct parser *p, struct pt_orti_item *item)
{
	if (p->token != STRING && p->token != NUMBER && p->token != NAME)
		return false;
	item->value = copy_and_next(p);
	return true;
}

/* "text" : link = value */
static bool enum_item(struct parser *p, struct pt_orti_attr *attr)
{
	struct pt_orti_item item = { 0 }, *kept;
	bool good = p->token == STRING;

	if (good)
		item.text = copy_and_next(p);
	if (good && take(p, ':')) {
		good = p->token == NAME || p->token == STRING;
		if (good)
			item.link = copy_and_next(p);
	}
	good = good && take(p, '=') && enum_value(p, &item);
	if (good && !p->failed) {
		kept = pt_orti_add_item(attr, item.text, item.link, item.value);
		p->failed = p->failed || kept == NULL;
	}
	free(item.text);
	free(item.link);
	free(item.value);
	return good;
}

static void enum_items(struct parser *p, struct pt_orti_attr *attr)
{
	while (!is(p, ']') && p->token != END && !is(p, ';') && !is(p, '}') && !p->failed) {
		if (!enum_item(p, attr)) {
			warn(p, "an entry of an ENUM is not \"text\" = value: left out");
			while (p->token != END && !is(p, ',') && !is(p, ']') && !is(p, ';') && !is(p, '}'))
				next(p);
		}
		if (!take(p, ',') && p->token == STRING)
			warn(p, "\",\" is missing between two entries of an ENUM");
	}
	if (!take(p, ']'))
		warn(p, "\"]\" expected behind the entries of an ENUM");
}

/* Names without quotes are the C type, as long as another name follows: CTYPE unsigned char NAME. */
static void bare_type(struct parser *p, struct pt_orti_attr *attr, bool of_enum)
{
	char text[128] = "";

	while (p->token == NAME && strlen(text) + p->len + 2 < sizeof(text)) {
		const char *behind = peek(p);
		size_t used = strlen(text), len = 0;

		while (behind + len < p->lexer.end && in_name(behind[len]))
			len++;
		if (!of_enum && ((len == 0 && *behind != '*') || is_keyword(behind, len)))
			break;
		snprintf(text + used, sizeof(text) - used, "%s%.*s", used > 0 ? " " : "", (int)p->len, p->text);
		next(p);
		while (take(p, '*') && strlen(text) + 3 < sizeof(text))
			strcat(text, " *");
	}
	if (text[0] != '\0') {
		attr->c_type = strdup(text);
		p->failed = p->failed || attr->c_type == NULL;
	}
}

static bool attr_kind(struct parser *p, struct pt_orti_attr *attr)
{
	if (is_name(p, "TOTRACE")) {
		attr->to_trace = true;
		next(p);
		join_keyword(p);
	}
	if (is_name(p, "CTYPE"))
		attr->kind = PT_ORTI_CTYPE;
	else if (is_name(p, "ENUM"))
		attr->kind = PT_ORTI_ENUM;
	else if (is_name(p, "STRING"))
		attr->kind = PT_ORTI_STRING;
	else
		return false;
	next(p);
	return true;
}

static bool attr_decl(struct parser *p, struct pt_orti_attr *attr)
{
	if (!attr_kind(p, attr))
		return false;
	if (p->token == STRING && attr->kind != PT_ORTI_STRING)
		attr->c_type = copy_and_next(p);
	else if (p->token == NAME && attr->kind != PT_ORTI_STRING)
		bare_type(p, attr, attr->kind == PT_ORTI_ENUM);
	if (attr->kind == PT_ORTI_ENUM) {
		if (!take(p, '['))
			return false;
		enum_items(p, attr);
	}
	if (p->token != NAME)
		return false;
	attr->name = copy_and_next(p);
	if (take(p, '[')) {
		attr->array = true;
		if (p->token == NUMBER)
			next(p);
		if (!take(p, ']'))
			return false;
	}
	if (take(p, ',') && p->token == STRING)
		attr->display = copy_and_next(p);
	return true;
}

static void forget_attr(struct pt_orti_attr *attr)
{
	for (size_t i = 0; i < attr->n_items; i++) {
		free(attr->item[i].text);
		free(attr->item[i].link);
		free(attr->item[i].value);
	}
	free(attr->item);
	free(attr->name);
	free(attr->c_type);
	free(attr->display);
}

static void attr_piece(struct parser *p, void *arg)
{
	struct pt_orti_type *type = arg;
	struct pt_orti_attr attr = { 0 }, *kept;

	if (!attr_decl(p, &attr)) {
		warn(p, "%s: no declaration of an attribute: left out", type->name);
		forget_attr(&attr);
		recover(p);
		return;
	}
	kept = p->failed ? NULL : pt_orti_add_attr(type, attr.kind, NULL, NULL, NULL);
	if (kept == NULL) {
		p->failed = true;
		forget_attr(&attr);
		return;
	}
	*kept = attr;
	end_of(p, "an attribute");
}

static void type_piece(struct parser *p, void *arg)
{
	struct pt_orti_type *type;
	char *name;

	(void)arg;
	if (p->token != NAME) {
		warn(p, "a type of objects expected");
		recover(p);
		return;
	}
	name = copy_and_next(p);
	type = name != NULL && is(p, '{') ? pt_orti_add_type(p->orti, name, NULL) : NULL;
	if (name != NULL && !is(p, '{'))
		warn(p, "%.60s: \"{\" expected", name);
	else if (type == NULL)
		p->failed = true;
	free(name);
	if (type == NULL) {
		recover(p);
		return;
	}
	next(p);
	in_braces(p, attr_piece, type);
	if (take(p, ',') && p->token == STRING)
		type->display = copy_and_next(p);
	end_of(p, "a type of objects");
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

static bool index_in_brackets(struct parser *p, int *index)
{
	if (!take(p, '['))
		return true;
	if (p->token != NUMBER)
		return is(p, ']') && take(p, ']');	/* the array as a whole, as if it were one */
	*index = (int)strtoul(p->text, NULL, 0) & MAX_INDEX;
	next(p);
	return take(p, ']');
}

/* Strings that stand next to one another are one, as in C. */
static char *quoted_text(struct parser *p)
{
	char *text = copy_and_next(p);

	while (p->token == STRING && text != NULL && p->n_things++ < MAX_THINGS) {
		char *more = realloc(text, strlen(text) + p->len + 1);

		if (more == NULL) {
			p->failed = true;
			break;
		}
		text = more;
		strncat(text, p->text, p->len);
		next(p);
	}
	return text;
}

static void add_value(struct parser *p, struct pt_orti_object *object, const char *attr, int index, unsigned line)
{
	bool quoted = p->token == STRING;
	char *formula = quoted ? quoted_text(p) : copy_and_next(p);
	struct pt_orti_value *value = NULL;

	if (formula != NULL && !p->failed)
		value = pt_orti_add_value(object, attr, index, formula, quoted);
	if (value == NULL)
		p->failed = true;
	else
		value->line = line;
	free(formula);
}

static void value_piece(struct parser *p, void *arg)
{
	struct pt_orti_object *object = arg;
	unsigned line = p->before.line;
	char attr[128] = "";
	int index = -1;

	if (p->token != NAME || p->len >= sizeof(attr)) {
		warn(p, "%s: the name of an attribute expected, but %s stands there", object->name, shown(p));
		recover(p);
		return;
	}
	memcpy(attr, p->text, p->len);
	next(p);
	if (!index_in_brackets(p, &index) || !take(p, '=') || (p->token != STRING && p->token != NUMBER)) {
		warn(p, "%s: %s has no value that could be read: left out", object->name, attr);
		recover(p);
		return;
	}
	add_value(p, object, attr, index, line);
	end_of(p, attr);
}

static void object_in_braces(struct parser *p, const char *type, const char *name, unsigned line)
{
	struct pt_orti_object *object = pt_orti_add_object(p->orti, type, name);

	if (object == NULL) {
		p->failed = true;
		return;
	}
	object->line = line;
	in_braces(p, value_piece, object);
	end_of(p, "an object");
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* Goes on behind the brace that closes at the present depth. */
static void skip_block(struct parser *p)
{
	unsigned depth = 0;

	while (p->token != END) {
		if (is(p, '{'))
			depth++;
		if (is(p, '}') && depth <= 1) {
			next(p);
			take(p, ';');
			return;
		}
		if (is(p, '}'))
			depth--;
		if (is(p, ';') && depth == 0) {
			next(p);
			return;
		}
		next(p);
	}
}

static void top_piece(struct parser *p)
{
	unsigned line = p->before.line;
	bool implementation = is_name(p, "IMPLEMENTATION"), version = is_name(p, "VERSION");
	char *type = p->token == NAME ? copy_and_next(p) : NULL, *name = NULL;

	if (type != NULL && !version && (p->token == NAME || p->token == STRING))
		name = copy_and_next(p);
	if (type == NULL || (!version && !implementation && name == NULL) || !is(p, '{')) {
		warn(p, "neither VERSION nor IMPLEMENTATION nor an object: left out");
		if (type == NULL && !is(p, '{') && !is(p, '}'))
			next(p);
		if (is(p, '{') || is(p, '}'))
			skip_block(p);
		else
			recover(p);
	} else {
		next(p);
		if (version) {
			in_braces(p, version_piece, NULL);
			end_of(p, "VERSION");
		} else if (implementation) {
			if (name != NULL)
				keep(&p->orti->name, name);
			name = NULL;
			in_braces(p, type_piece, NULL);
			end_of(p, "IMPLEMENTATION");
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

/* All that is declared, sorted; NULL: nothing is. */
static struct declared *declarations(const struct pt_orti *orti, size_t *n)
{
	struct declared *all;

	*n = 0;
	for (size_t i = 0; i < orti->n_types; i++)
		*n += orti->type[i].n_attrs;
	all = calloc(*n + 1, sizeof(*all));
	*n = 0;
	for (size_t i = 0; all != NULL && i < orti->n_types; i++)
		for (size_t k = 0; k < orti->type[i].n_attrs; k++)
			all[(*n)++] = (struct declared){ orti->type[i].name, orti->type[i].attr[k].name };
	if (*n > 0)
		qsort(all, *n, sizeof(*all), by_declaration);
	return all;
}

static void check_attributes(struct parser *p)
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
				warn(p, "%.60s: %.60s is not declared for %.60s: shown as a number", object->name,
				     object->value[k].attr, object->type);
		}
	free(all);
}

static int by_line(const void *a, const void *b)
{
	const struct pt_orti_warning *x = a, *y = b;

	return x->line < y->line ? -1 : x->line > y->line;
}

struct pt_orti *pt_orti_parse(const char *text, size_t len_bytes, struct pt_err *err)
{
	struct parser p = { .lexer = { text, text + len_bytes, 1, true } };

	if (len_bytes > PT_ORTI_MAX_BYTES) {
		pt_fail(err, PT_EARG, "an ORTI file of more than %d MiB", PT_ORTI_MAX_BYTES >> 20);
		return NULL;
	}
	p.orti = calloc(1, sizeof(*p.orti));
	if (p.orti == NULL) {
		pt_fail(err, PT_ENOMEM, "no memory");
		return NULL;
	}
	next(&p);
	while (p.token != END && !p.failed) {
		const char *before = p.before.at;

		join_keyword(&p);
		top_piece(&p);
		if (p.before.at <= before && p.token != END)
			next(&p);
	}
	if (p.failed)
		pt_fail(err, PT_EARG, "the ORTI file describes more than fits into memory");
	else if (p.orti->n_types == 0 && p.orti->n_objects == 0)
		pt_fail(err, PT_EARG, "this is no ORTI file: neither IMPLEMENTATION nor objects in it");
	else {
		check_attributes(&p);
		if (p.orti->n_warnings > 0)
			qsort(p.orti->warning, p.orti->n_warnings, sizeof(*p.orti->warning), by_line);
		return p.orti;
	}
	pt_orti_free(p.orti);
	return NULL;
}
