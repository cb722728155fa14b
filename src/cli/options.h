/* The command line of every subcommand: one table of options, and a struct of the given ones. */
#ifndef PT_OPTIONS_H
#define PT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum { PT_MAX_PROBES = 4, PT_MAX_WORDS = 64, PT_MAX_REST = 32, PT_MAX_ALIASES = 16,
       PT_MAX_MADE = PT_MAX_WORDS + 32, PT_MAX_BOARDS = 32, PT_BOARD_NAME = 32 };

struct pt_tables;

struct pt_options {
	const char *probe[PT_MAX_PROBES];	/* NULL behind the last */
	const char *target, *board, *elf, *gdb, *attach, *second, *allow, *swo, *swo_text, *source, *mode, *analysis, *format, *output, *listen;
	const char *files;
	const char *http, *http_host, *control;
	const char *config;
	const char *junit, *limits, *report;
	uint64_t for_ns;		/* 0: not given */
	double max_loss;		/* 0..1; < 0: not given */
	const char *token_file;
	bool allow_remote, allow_unidentified;
	bool intrusive, restricted, reset, live, strict, lenient, replace, self_check, json, measure, network, udev, check_config, print_ports, help, version;
	const char *words[PT_MAX_WORDS];	/* "key=value" from --set and from options for settings */
	const char *aliases[PT_MAX_ALIASES];	/* "NAME=URI", of a configuration file */
	size_t n_aliases;
	size_t n_words, n_file_words;	/* n_file_words: the first ones, from a configuration file; the command line's
					 * follow, and win */
	unsigned probe_line[PT_MAX_PROBES];	/* line in the configuration file; 0: command line */
	/* The sections [board NAME] of a configuration file (sections.h); if there is only one, its options are also in
	 * the members above */
	struct pt_options *boards[PT_MAX_BOARDS];
	unsigned n_boards;
	const char *name;		/* of a section; NULL: not a section */
	unsigned line;			/* line where it begins */
	struct pt_err fault;		/* the first mistake in it, with file and line; code 0: none */
	const char *rest[PT_MAX_REST];	/* arguments that are no options */
	size_t n_rest;
	uint64_t given;			/* one bit per option, for pt_options_check_subcommand() */
	char *made[PT_MAX_MADE];	/* memory of words, and of values from a configuration file */
	size_t n_made;
	const struct pt_tables *tables;	/* subcommands.h; set by main */
};

/* argv[0] is the subcommand or the program. PT_EARG: the sentence says what is wrong. Pointers go into argv. */
int pt_options_parse(struct pt_options *options, int argc, char **argv, struct pt_err *err);
bool pt_options_given(const struct pt_options *options, const char *name);	/* on the command line */
bool pt_options_has(const char *name, const char *subcommand);	/* is there such an option for this subcommand? */
/* Adds a line of a configuration file: an option's name without dashes, or a parameter. An option given on the command
 * line is kept; options of other subcommands are ignored (subcommand NULL: none is). PT_EARG, as for the command
 * line. */
int pt_options_add(struct pt_options *options, const char *subcommand, const char *key, const char *value,
		   struct pt_err *err);
/* Number of --probe options or probe = lines so far; and whether that probe, with aliases replaced, is valid:
 * PT_EARG. */
size_t pt_options_count_probes(const struct pt_options *options);
int pt_options_check_probe(const struct pt_options *options, size_t i, struct pt_err *err);
/* Replaces aliases of probes by their addresses. */
void pt_options_replace_aliases(struct pt_options *options);
/* PT_EARG: an option was given that this subcommand does not have. */
int pt_options_check_subcommand(const struct pt_options *options, const char *subcommand, struct pt_err *err);
void pt_options_free(struct pt_options *options);
/* Calls each with every option, without dashes, and its help. */
void pt_options_each(void (*each)(void *arg, const char *name, const char *help), void *arg);
/* Lists options: those that a subcommand uses, rare ones by name alone, or all (NULL). */
void pt_options_help(struct pt_text *out, const char *subcommand);

#endif
