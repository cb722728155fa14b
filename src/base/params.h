/* Parameters ("key=value") of monitor commands, command line, URIs and configuration file. Each module has a table with a
 * row per parameter. A value is checked against its row when it is added to a set, so a set holds only valid values; an
 * unknown key is refused with the list of the known ones. */
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
	const char *standard;	/* the default, in the same notation; NULL: absent */
	const char *choices;	/* CHOICE: the keywords; HZ: a keyword in place of the number, which then reads 0; else NULL */
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

/* The value in the set, else the row's default, else NULL / 0 / false. The row must be the one by which the key was
 * checked, or an equal one. params NULL: all defaults. */
const char *pt_params_text(const struct pt_params *params, const struct pt_param *row);
uint64_t pt_params_number(const struct pt_params *params, const struct pt_param *row);	/* NUMBER, HZ; TIME in ns */
bool pt_params_flag(const struct pt_params *params, const struct pt_param *row);
bool pt_params_span(const struct pt_params *params, const struct pt_param *row, uint64_t *addr, uint64_t *size);
/* true: the value was given, and is not the default */
bool pt_params_given(const struct pt_params *params, const struct pt_param *row);

/* Parse one value in the notation of a type; for options outside a table ("--for 2s"). */
int pt_params_parse(enum pt_param_type type, const char *text, uint64_t *out, struct pt_err *err);

/* A TIME whose bare number means seconds: "2" is 2s. */
int pt_params_parse_seconds(const char *text, uint64_t *out, struct pt_err *err);
/* As a user types it: in the largest unit up to s and MHz in which it is a whole number. Returns out. */
const char *pt_params_write(enum pt_param_type type, uint64_t value, char *out, size_t room);
bool pt_params_is_unit_of_time(const char *word);	/* "s", "ms", "us", "ns": alone it is a mistake ("2 ms") */
bool pt_params_is_unit_of_frequency(const char *word);	/* "MHz", "khz", "M": in the same way */

/* "key  default  help" for each row, as `monitor help` prints it. Calls say with one line each. */
void pt_params_help(const struct pt_param *rows, size_t n_rows, void (*say)(void *arg, const char *line), void *arg);

#endif
