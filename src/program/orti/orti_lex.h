/* Reading an ORTI file token by token, for orti_parse.c. On demand, so that after an error reading goes on behind the
 * next semicolon of the text itself: a quote that is missing must not turn the rest of the file inside out. */
#ifndef PT_PROGRAM_ORTI_LEX_H
#define PT_PROGRAM_ORTI_LEX_H

#include "program/orti/orti.h"

enum pt_orti_token { PT_TOKEN_END, PT_TOKEN_NAME, PT_TOKEN_STRING, PT_TOKEN_NUMBER, PT_TOKEN_MARK };

struct pt_orti_lexer { const char *at, *end; unsigned line; bool line_begins; };

struct pt_orti_parser {
	struct pt_orti_lexer lexer;
	struct pt_orti_lexer before;	/* where the present token began */
	enum pt_orti_token token;
	char mark;			/* MARK */
	const char *text;		/* NAME, STRING (without quotes), NUMBER */
	size_t len;
	struct pt_orti *orti;
	size_t n_things;		/* all that was kept: bounds memory */
	bool failed;			/* no memory, or too much */
};

enum { PT_ORTI_MAX_THINGS = 1 << 17 };

/* A warning for the line of the present token. */
void pt_orti_warn(struct pt_orti_parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void pt_orti_next(struct pt_orti_parser *p);
bool pt_orti_is(const struct pt_orti_parser *p, char mark);
bool pt_orti_is_name(const struct pt_orti_parser *p, const char *name);
bool pt_orti_take(struct pt_orti_parser *p, char mark);		/* goes on if the mark is here */
const char *pt_orti_peek(const struct pt_orti_parser *p);	/* what stands behind the present token; "": nothing */
bool pt_orti_in_name(char c);
bool pt_orti_is_keyword(const char *text, size_t len);
const char *pt_orti_shown(const struct pt_orti_parser *p);	/* "a string", for sentences */
/* The text of the token, for free(); NULL: failed is set. */
char *pt_orti_copy(struct pt_orti_parser *p);
char *pt_orti_copy_and_next(struct pt_orti_parser *p);
/* Goes on behind the next semicolon of the text, counted from the present token, or at a brace that closes. */
void pt_orti_recover(struct pt_orti_parser *p);
/* The semicolon behind something; where what follows shows that it was forgotten, it is taken as written. */
void pt_orti_end_of(struct pt_orti_parser *p, const char *what);
/* "I" and "MPLEMENTATION" on two lines are one word. */
void pt_orti_join_keyword(struct pt_orti_parser *p);

#endif
