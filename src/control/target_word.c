/* What only some targets have: their own words, as rows. A word that another kind of target brings is there on every
 * board, and says that this one has none. */
#include <string.h>

#include "control/commands.h"

static const struct pt_target_word *find_own(const struct pt_target *target, const char *name)
{
	const struct pt_target_word *word = target->ops->words;

	while (word != NULL && word->name != NULL && strcmp(word->name, name) != 0)
		word++;
	return word != NULL && word->name != NULL ? word : NULL;
}

static int print_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const struct pt_target_word *word = find_own(target, cmd->row.name);

	(void)board;
	if (word == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "%s: target %s has none", cmd->row.name, target->ops->name);
	return word->print(target->state, cmd->words, cmd->n_words, pt_command_say_line, cmd, err);
}

static void run_word(struct pt_command *cmd)
{
	const struct pt_target_word *word = cmd->row.word;
	struct pt_err err;

	if (word->usage[0] == '\0' && !pt_command_no_words(cmd))
		return;
	if (word->needs_no_target)
		pt_command_done(cmd, word->print(NULL, cmd->words, cmd->n_words, pt_command_say_line, cmd, &err), &err);
	else
		pt_command_on_board(cmd, print_on_board, NULL);
}

struct pt_command_row pt_command_of_target(const struct pt_target_word *word)
{
	return (struct pt_command_row){ .name = word->name, .usage = word->usage, .help = word->help,
					.flags = PT_COMMAND_LOOKS_ONLY, .run = run_word, .word = word };
}
