/* The options of the command line: one row each, from which parsing, help, the configuration file, the manual and shells'
 * completion are made. To add one: a row; of kind FIELD or FLAG also its field in struct pt_options. */
#ifndef PT_OPTION_TABLE_H
#define PT_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum pt_option_kind {
	PT_OPTION_FIELD,	/* a text in struct pt_options */
	PT_OPTION_FLAG,		/* a bool there */
	PT_OPTION_PROBE,
	PT_OPTION_WORD,		/* a setting that is an option as well: "--core-clock HZ" */
	PT_OPTION_SET,
	PT_OPTION_TIME,
	PT_OPTION_PERCENT,
	PT_OPTION_LOG,
	PT_OPTION_LIMITS,
	PT_OPTION_ORTI,
};

/* What the value names; option_values.h checks and lists it. */
enum pt_option_value {
	PT_VALUE_TEXT,
	PT_VALUE_CHOICE,	/* one of argument, "auto|run|halt" */
	PT_VALUE_ADDRESS,	/* to listen on */
	PT_VALUE_PROBE,
	PT_VALUE_TARGET,
	PT_VALUE_BOARD,
	PT_VALUE_FILE,		/* that is read */
	PT_VALUE_NEW_FILE,	/* that is written */
	PT_VALUE_FOLDER,
	PT_VALUE_SOURCE,
	PT_VALUE_MODE,
	PT_VALUE_ANALYSIS,
	PT_VALUE_FORMAT,
	PT_VALUE_SETTING,	/* KEY=VALUE */
	PT_VALUE_LOG,
};

struct pt_option {
	const char *name;		/* without dashes */
	const char *argument;		/* what help calls its value; NULL: it has none */
	const char *help;
	enum pt_option_kind kind;
	enum pt_option_value value;
	size_t at;			/* FIELD, FLAG: offset in struct pt_options */
	const char *taken_by;		/* "serve, profile": refused by other subcommands; NULL: taken by all */
	/* Of those that take it, the subcommands to which it is of use; NULL: each. An option that all take may be in a
	 * configuration file, or a script, for several of them. */
	const char *used_by;
	char letter;			/* -o; 0: none */
	bool not_in_file;		/* for the command line alone */
	bool seldom;			/* the help of a subcommand, which is to fit one screen, only names it */
};

enum { PT_MAX_OPTIONS = 64 };	/* struct pt_options has a bit for each */
extern const struct pt_option pt_option_table[];
extern const size_t pt_n_options;

const struct pt_option *pt_option_named(const char *name);	/* NULL: there is none */
const struct pt_option *pt_option_of_letter(int letter);	/* NULL: there is none */
bool pt_option_taken_by(const struct pt_option *option, const char *subcommand);
bool pt_option_used_by(const struct pt_option *option, const char *subcommand);
/* "serve, profile"; NULL: all. */
const char *pt_option_users(const struct pt_option *option);

#endif
