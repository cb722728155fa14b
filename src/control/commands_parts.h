/* Shared by commands.c, which finds the row of a line, and refusals.c, which says why there is none. */
#ifndef PT_COMMANDS_PARTS_H
#define PT_COMMANDS_PARTS_H

#include "control/commands.h"

enum { PT_NAMES_MOST = 96 };

struct pt_names {		/* rows that the words so far may mean */
	const struct pt_command *cmd;
	struct pt_command_row row[PT_NAMES_MOST];
	size_t n;
};

static inline bool pt_names_serve(const struct pt_names *names, const struct pt_command_row *row)
{
	const struct pt_command_ctx *ctx = names->cmd->ctx;

	return ctx->ops->serves == NULL || ctx->ops->serves(ctx->door, row);
}

/* In refusals.c: the error when word means several of these rows, or is too short for the only one. */
int pt_names_refuse_several(const struct pt_names *names, const char *word, struct pt_err *err);
/* The error when the first word means no row; with group, when the second word does not after that first one. May
 * narrow them. */
int pt_names_refuse(struct pt_names *names, const char *group, struct pt_err *err);
/* "exit" must not abbreviate exits. */
bool pt_command_ends_session(const char *word);
int pt_command_refuse_to_end(const struct pt_command *cmd, struct pt_err *err);

#endif
