/* The list of all rows: of this folder, of targets, and of a door. */
#ifndef PT_COMMANDS_H
#define PT_COMMANDS_H

#include "control/command.h"

/* Each file of rows has a list pt_commands_NAME, ended by a row without a name, and one word here. */
#define PT_COMMAND_LISTS(X) \
	X(help) X(profile) X(profile_run) X(symbols) X(exits) X(limits) X(write) X(orti) X(core) X(semihost) X(threads) \
	X(history) X(log)
#define X(list) extern const struct pt_command_row pt_commands_##list[];
PT_COMMAND_LISTS(X)
#undef X

/* first_steps.c: what a line without a command, and the word `profile` alone, print. */
extern const struct pt_command_row pt_command_first_steps, pt_command_profile_steps;

/* In target_word.c: the row for a target's own command. */
struct pt_command_row pt_command_of_target(const struct pt_target_word *word);

/* Calls each with every row of this door, in order. For a target's command row is a temporary copy. */
void pt_commands_each(const struct pt_command_ctx *ctx, void (*each)(void *arg, const struct pt_command_row *row),
		      void *arg);
/* In glossary.c: a word, its kind ("view", "column", "option"), and a line that explains it. The texts are valid during
 * the call only. */
#define PT_PROFILE_SETTING "setting of a profile"
typedef void pt_glossary_fn(void *arg, const char *word, const char *kind, const char *line);
/* Calls each with every word that can be explained without a target: settings of profiles and programs, views, columns,
 * formats, analyses, words of reports, options of the command line. One word may have several meanings. */
void pt_glossary_each(const struct pt_command_ctx *ctx, pt_glossary_fn *each, void *arg);
/* The same for the target's words: its sources with modes and settings, and its own settings. Board thread. */
void pt_glossary_each_of_target(struct pt_target *target, pt_glossary_fn *each, void *arg);
/* Completions of a line: adds each possible last word, with a line feed. They are words of rows, parameters
 * ("window="), and keywords in usage. */
void pt_commands_complete(const struct pt_command_ctx *ctx, const char *text, struct pt_text *out);

#endif
