/* See orti_lex.h. */
#include "program/orti/orti_lex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/harmless.h"
#include "base/util.h"

/* --- warnings ----------------------------------------------------------------------------------------------------- */

static void warn_at(struct pt_orti_parser *p, unsigned line, const char *fmt, va_list args)
{
	struct pt_orti *orti = p->orti;
	char text[200];

	if (orti->n_warnings == PT_ORTI_MAX_WARNINGS) {
		orti->n_more_warnings++;
		return;
	}
	vsnprintf(text, sizeof(text), fmt, args);
	orti->warning = pt_realloc_array(orti->warning, orti->n_warnings + 1, sizeof(*orti->warning));
	orti->warning[orti->n_warnings++] = (struct pt_orti_warning){ line, pt_strdup(text) };
}

__attribute__((format(printf, 2, 3))) void pt_orti_warn(struct pt_orti_parser *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	warn_at(p, p->before.line, fmt, args);
	va_end(args);
}

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static void step(struct pt_orti_lexer *l)
{
	if (*l->at == '\n') {
		l->line++;
		l->line_begins = true;
	} else if (!isspace((unsigned char)*l->at) && *l->at != '\0') {
		l->line_begins = false;
	}
	l->at++;
}

static bool looking_at(const struct pt_orti_lexer *l, const char *text)
{
	return (size_t)(l->end - l->at) >= strlen(text) && strncmp(l->at, text, strlen(text)) == 0;
}

static void skip_line(struct pt_orti_lexer *l)
{
	while (l->at < l->end && *l->at != '\n')
		step(l);
}

static void skip_blanks(struct pt_orti_lexer *l)
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

bool pt_orti_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A string ends with its line at the latest. */
static void read_string(struct pt_orti_parser *p)
{
	struct pt_orti_lexer *l = &p->lexer;

	step(l);
	p->text = l->at;
	while (l->at < l->end && *l->at != '"' && *l->at != '\n')
		step(l);
	p->len = (size_t)(l->at - p->text);
	if (l->at < l->end && *l->at == '"')
		step(l);
	else
		pt_orti_warn(p, "a string has no end");
	p->token = PT_TOKEN_STRING;
}

void pt_orti_next(struct pt_orti_parser *p)
{
	struct pt_orti_lexer *l = &p->lexer;

	skip_blanks(l);
	p->before = *l;
	p->text = l->at;
	p->len = 0;
	p->mark = '\0';
	if (l->at >= l->end) {
		p->token = PT_TOKEN_END;
	} else if (*l->at == '"') {
		read_string(p);
	} else if (isdigit((unsigned char)*l->at) ||
		   (*l->at == '-' && l->end - l->at > 1 && isdigit((unsigned char)l->at[1]))) {
		step(l);
		while (l->at < l->end && pt_orti_in_name(*l->at))
			step(l);
		p->len = (size_t)(l->at - p->text);
		p->token = PT_TOKEN_NUMBER;
	} else if (isalpha((unsigned char)*l->at) || *l->at == '_') {
		while (l->at < l->end && pt_orti_in_name(*l->at))
			step(l);
		p->len = (size_t)(l->at - p->text);
		p->token = PT_TOKEN_NAME;
	} else {
		p->mark = *l->at;
		p->token = PT_TOKEN_MARK;
		step(l);
	}
}

bool pt_orti_is(const struct pt_orti_parser *p, char mark)
{
	return p->token == PT_TOKEN_MARK && p->mark == mark;
}

bool pt_orti_is_name(const struct pt_orti_parser *p, const char *name)
{
	return p->token == PT_TOKEN_NAME && p->len == strlen(name) && strncmp(p->text, name, p->len) == 0;
}

bool pt_orti_take(struct pt_orti_parser *p, char mark)
{
	if (!pt_orti_is(p, mark))
		return false;
	pt_orti_next(p);
	return true;
}

/* Copies are made of what the parser looks at, with a bound on all of them together. */
char *pt_orti_copy(struct pt_orti_parser *p)
{
	char *text = ++p->n_things <= PT_ORTI_MAX_THINGS ? pt_strndup(p->text, p->len) : NULL;

	if (text == NULL)
		p->failed = true;
	return text != NULL ? pt_harmless(text, "\t\n\r") : NULL;	/* formulas may be on several lines */
}

char *pt_orti_copy_and_next(struct pt_orti_parser *p)
{
	char *text = pt_orti_copy(p);

	pt_orti_next(p);
	return text;
}

/* Goes on behind the next semicolon of the text, counted from the present token, or at a brace that closes. */
void pt_orti_recover(struct pt_orti_parser *p)
{
	struct pt_orti_lexer *l = &p->lexer;

	*l = p->before;
	while (l->at < l->end && *l->at != ';' && *l->at != '}')
		step(l);
	if (l->at < l->end && *l->at == ';')
		step(l);
	pt_orti_next(p);
}

const char *pt_orti_shown(const struct pt_orti_parser *p)
{
	static const char *const names[] = { "the end of the file", "a name", "a string", "a number", "a mark" };

	return names[p->token];
}

static const char *const keywords[] = {
	"VERSION", "IMPLEMENTATION", "TOTRACE", "CTYPE", "ENUM", "STRING", "KOIL", "OSSEMANTICS",
};

bool pt_orti_is_keyword(const char *text, size_t len)
{
	for (size_t i = 0; i < PT_LEN(keywords); i++)
		if (len == strlen(keywords[i]) && strncmp(text, keywords[i], len) == 0)
			return true;
	return false;
}

/* What stands behind the present token; nothing is taken. */
const char *pt_orti_peek(const struct pt_orti_parser *p)
{
	struct pt_orti_lexer l = p->lexer;

	skip_blanks(&l);
	return l.at < l.end ? l.at : "";
}

/* The semicolon behind something; where what follows shows that it was forgotten, it is taken as written. */
void pt_orti_end_of(struct pt_orti_parser *p, const char *what)
{
	char behind = *pt_orti_peek(p);

	if (pt_orti_take(p, ';'))
		return;
	if (pt_orti_is(p, '}') || (p->token == PT_TOKEN_NAME && behind != '\0' &&
				   (pt_orti_in_name(behind) || strchr("=[{\"", behind) != NULL))) {
		pt_orti_warn(p, "\";\" is missing behind %.60s", what);
		return;
	}
	pt_orti_warn(p, "\";\" expected behind %.60s, not %s", what, pt_orti_shown(p));
	pt_orti_recover(p);
}

/* "I" and "MPLEMENTATION" on two lines. */
void pt_orti_join_keyword(struct pt_orti_parser *p)
{
	const char *rest = pt_orti_peek(p), *end = p->lexer.end;
	size_t len = 0;

	if (p->token != PT_TOKEN_NAME || pt_orti_is_keyword(p->text, p->len) || *rest == '\0')
		return;
	while (rest + len < end && pt_orti_in_name(rest[len]))
		len++;
	for (size_t i = 0; len > 0 && i < PT_LEN(keywords); i++)
		if (p->len + len == strlen(keywords[i]) && strncmp(p->text, keywords[i], p->len) == 0 &&
		    strncmp(rest, keywords[i] + p->len, len) == 0) {
			pt_orti_warn(p, "%s is broken in two", keywords[i]);
			pt_orti_next(p);
			p->text = keywords[i];
			p->len = strlen(keywords[i]);
			return;
		}
}
