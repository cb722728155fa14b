/* The options of the command line, one row each: parsing, help, the configuration file, the manual and shell completion
 * use them. To add an option: a row; for kinds FIELD and FLAG also a member of struct pt_options. */
#ifndef PT_OPTION_TABLE_H
#define PT_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum pt_option_kind {
	PT_OPTION_FIELD,	/* a text member of struct pt_options */
	PT_OPTION_FLAG,		/* a bool member */
	PT_OPTION_PROBE,
	PT_OPTION_WORD,		/* an option for a setting: "--core-clock HZ" */
	PT_OPTION_SET,
	PT_OPTION_TIME,
	PT_OPTION_PERCENT,
	PT_OPTION_LOG,
	PT_OPTION_LIMITS,
	PT_OPTION_ORTI,
};

/* The kind of value; option_values.h checks and lists them. */
enum pt_option_value {
	PT_VALUE_TEXT,
	PT_VALUE_CHOICE,	/* one of argument, "auto|run|halt" */
	PT_VALUE_ADDRESS,	/* to listen on */
	PT_VALUE_PROBE,
	PT_VALUE_TARGET,
	PT_VALUE_BOARD,
	PT_VALUE_FILE,		/* read by proftap */
	PT_VALUE_NEW_FILE,	/* written by proftap */
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
	const char *argument;		/* name of its value in help; NULL: it takes none */
	const char *help;
	enum pt_option_kind kind;
	enum pt_option_value value;
	size_t at;			/* FIELD, FLAG: offset in struct pt_options */
	const char *taken_by;		/* "serve, profile": other subcommands refuse it; NULL: taken by all */
	/* The subcommands that use it, of those that accept it; NULL: each. A configuration file or a script may give
	 * an option that all accept for several subcommands. */
	const char *used_by;
	char letter;			/* -o; 0: none */
	bool not_in_file;		/* for the command line alone */
	bool seldom;			/* rarely used: a subcommand's help, limited to one screen, lists only its
					 * name */
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
