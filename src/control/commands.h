/* The list of all rows: of this room, of targets, and of a door. */
#ifndef PT_COMMANDS_H
#define PT_COMMANDS_H

#include "control/command.h"

/* Each file of rows has such a list, pt_commands_NAME, ended by a row without a name; one word here. */
#define PT_COMMAND_LISTS(X) \
	X(help) X(profile) X(profile_run) X(symbols) X(exits) X(limits) X(write) X(orti) X(core) X(semihost) X(threads) \
	X(history) X(log)
#define X(list) extern const struct pt_command_row pt_commands_##list[];
PT_COMMAND_LISTS(X)
#undef X

/* first_steps.c: what a line without a command, and the word `profile` alone, print. */
extern const struct pt_command_row pt_command_first_steps, pt_command_profile_steps;

/* target_word.c: the row of a target's own word. */
struct pt_command_row pt_command_of_target(const struct pt_target_word *word);

/* Calls each with every row that there is at this door, in order. A row is a copy where it is a target's. */
void pt_commands_each(const struct pt_command_ctx *ctx, void (*each)(void *arg, const struct pt_command_row *row),
		      void *arg);
/* glossary.c: a word, what kind of word it is ("view", "column", "option"), and a line that explains it. The texts are for
 * the call only. */
#define PT_PROFILE_SETTING "setting of a profile"
typedef void pt_glossary_fn(void *arg, const char *word, const char *kind, const char *line);
/* Calls each with every word that is known without a target: settings of a profile and of programs, views, columns,
 * formats, analyses, words of a report, options of the command line. One word may have several meanings. */
void pt_glossary_each(const struct pt_command_ctx *ctx, pt_glossary_fn *each, void *arg);
/* The same with the target's: its sources, their modes and settings, and its own settings. Board thread. */
void pt_glossary_each_of_target(struct pt_target *target, pt_glossary_fn *each, void *arg);
/* How a line that begins so can go on: each possible last word, with a line feed. Words of rows, names of parameters
 * ("window="), and what usage means as it is written. */
void pt_commands_complete(const struct pt_command_ctx *ctx, const char *text, struct pt_text *out);

#endif
