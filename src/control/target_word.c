/* Commands of targets, as rows. Commands of other kinds of targets exist on every board, and say that this target does
 * not have them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/commands.h"

static const struct pt_target_word *find_own(const struct pt_target *target, const char *name)
{
	const struct pt_target_word *word = target->ops->words;

	while (word != NULL && word->name != NULL && strcmp(word->name, name) != 0)
		word++;
	return word != NULL && word->name != NULL ? word : NULL;
}

/* --- addresses of code -------------------------------------------------------------------------------------------- */

static void put_place(struct pt_text *out, const struct pt_program *program, uint64_t addr)
{
	const struct pt_function *function = program != NULL ? pt_program_function_at(program, addr) : NULL;
	const char *file;
	uint32_t line;

	pt_text_add(out, "0x%08" PRIx64, addr);
	if (function != NULL)
		pt_text_add(out, " in %s", function->name);
	if (program != NULL && pt_program_line(program, addr, &file, &line))
		pt_text_add(out, " at %s:%" PRIu32, file, line);
}

/* "<0x1234>" as "0x00001234 in main at main.c:12". */
static void place_addresses(struct pt_command *cmd)
{
	const struct pt_program *program = pt_session_program(cmd->ctx->session);
	struct pt_text from = cmd->out;
	size_t at = 0;

	cmd->out = (struct pt_text){ 0 };
	pt_text_bytes(&from, "", 1);	/* an end for strtoull */
	while (at + 1 < from.len_bytes) {
		char *end = NULL;
		uint64_t addr = strncmp(from.bytes + at, "<0x", 3) == 0 ? strtoull(from.bytes + at + 1, &end, 16) : 0;

		if (end != NULL && *end == '>') {
			put_place(&cmd->out, program, addr);
			at = (size_t)(end + 1 - from.bytes);
		} else {
			pt_text_bytes(&cmd->out, from.bytes + at++, 1);
		}
	}
	pt_text_free(&from);
}

static void after_word(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	if (cmd->row.word->names_code)
		place_addresses(cmd);
	pt_command_done(cmd, rc, err);
}

/* --- the word ----------------------------------------------------------------------------------------------------- */

static int print_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const struct pt_target_word *word = find_own(target, cmd->row.name);

	(void)board;
	if (word == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "%s: target %s has none; %s status says what this one has",
			       cmd->row.name, target->ops->name, cmd->ctx->ops->name);
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
		pt_command_on_board(cmd, print_on_board, after_word);
}

struct pt_command_row pt_command_of_target(const struct pt_target_word *word)
{
	return (struct pt_command_row){ .name = word->name, .usage = word->usage, .help = word->help,
					.flags = word->changes ? 0 : PT_COMMAND_LOOKS_ONLY, .run = run_word, .word = word };
}
