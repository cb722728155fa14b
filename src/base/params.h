/* The one mechanism for "key=value" words: monitor, command line, URI, config file. A module owns a table of rows; a
 * set of values is checked against rows when a word is added, so that what is in a set is always well-formed, and a
 * wrong word is answered with the right ones. */
#ifndef PT_PARAMS_H
#define PT_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum pt_param_type {
	PT_PARAM_TEXT,
	PT_PARAM_CHOICE,	/* one of choices, "burst|stream|halt" */
	PT_PARAM_NUMBER,	/* decimal or 0x..., with k or M (1000, 1000000) */
	PT_PARAM_TIME,		/* 500ms, 2s, 20us, 100ns; kept in ns */
	PT_PARAM_HZ,		/* 48000000, 48M, 48MHz, 400k */
	PT_PARAM_FLAG,		/* on|off, yes|no, 1|0; the bare key means on */
	PT_PARAM_SPAN,		/* ADDR:SIZE */
	PT_PARAM_LIST,		/* a,b,c */
	PT_PARAM_PLACE,		/* text; a profile puts the address of a function or variable in the place of its name */
};

struct pt_param {
	const char *key;
	enum pt_param_type type;
	const char *standard;	/* the value when none is given, in the same notation; NULL: absent */
	const char *choices;	/* of a CHOICE; of a HZ: a word that may stand for the number, which then reads 0; else NULL */
	uint64_t min, max;	/* NUMBER, TIME (ns), HZ; 0, 0: any */
	const char *help;	/* one line, with the unit and the source of the default where it is unverified */
};

struct pt_params;

struct pt_params *pt_params_new(void);
struct pt_params *pt_params_copy(const struct pt_params *params);	/* of NULL: an empty set */
void pt_params_free(struct pt_params *params);

/* Add or replace one word. PT_EARG: unknown key (the sentence lists the rows' keys) or value out of range (it says
 * what is allowed). */
int pt_params_add(struct pt_params *params, const struct pt_param *rows, size_t n_rows, const char *word,
		  struct pt_err *err);

/* The value in the set, else the row's standard, else NULL / 0 / false. The row must be one the key was checked by,
 * or an equal one. params may be NULL: all standards. */
const char *pt_params_text(const struct pt_params *params, const struct pt_param *row);
uint64_t pt_params_number(const struct pt_params *params, const struct pt_param *row);	/* NUMBER, HZ; TIME in ns */
bool pt_params_flag(const struct pt_params *params, const struct pt_param *row);
bool pt_params_span(const struct pt_params *params, const struct pt_param *row, uint64_t *addr, uint64_t *size);
/* set by someone, not the standard */
bool pt_params_given(const struct pt_params *params, const struct pt_param *row);

/* Parse one value in the notation of a type; for options outside a table ("--for 2s"). */
int pt_params_parse(enum pt_param_type type, const char *text, uint64_t *out, struct pt_err *err);

/* TIME where a bare number means seconds, as a user's "for how long" does: "2" is 2s. */
int pt_params_parse_seconds(const char *text, uint64_t *out, struct pt_err *err);
bool pt_params_is_unit_of_time(const char *word);	/* "s", "ms", "us", "ns": a slip, where it is alone */
bool pt_params_is_unit_of_frequency(const char *word);	/* "MHz", "khz", "M": likewise */

/* "key  default  help" for each row, as `monitor help` prints it. Calls say with one line each. */
void pt_params_help(const struct pt_param *rows, size_t n_rows, void (*say)(void *arg, const char *line), void *arg);

#endif
