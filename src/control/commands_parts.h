/* What commands.c, which finds the row of a line of words, and refusals.c, which says why there is none, share. */
#ifndef PT_COMMANDS_PARTS_H
#define PT_COMMANDS_PARTS_H

#include "control/commands.h"

enum { PT_NAMES_MOST = 96 };

struct pt_names {		/* rows that the words read so far may mean */
	const struct pt_command *cmd;
	struct pt_command_row row[PT_NAMES_MOST];
	size_t n;
};

static inline bool pt_names_serve(const struct pt_names *names, const struct pt_command_row *row)
{
	const struct pt_command_ctx *ctx = names->cmd->ctx;

	return ctx->ops->serves == NULL || ctx->ops->serves(ctx->door, row);
}

/* refusals.c: word means several of these rows, or is too short for the only one. */
int pt_names_refuse_several(const struct pt_names *names, const char *word, struct pt_err *err);
/* The command's first word means none of them; group: its second behind that first word does not. May narrow them. */
int pt_names_refuse(struct pt_names *names, const char *group, struct pt_err *err);
/* "exit" shall not be short for exits. */
bool pt_command_ends_session(const char *word);
int pt_command_refuse_to_end(const struct pt_command *cmd, struct pt_err *err);

#endif
