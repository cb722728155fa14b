/* Files of this host that a user names: the user who runs the daemon may name any file; others only files below --files
 * (host/named_file.h). */
#include <stdio.h>
#include <string.h>

#include "capture/write.h"
#include "control/command.h"
#include "host/named_file.h"

static void refuse_name(struct pt_command *cmd)
{
	pt_command_fail(cmd, PT_EPERM,
			"%s: %s is not the user that runs proftap, and may name %s; remote put and get move files",
			cmd->row.name, cmd->ctx->user,
			pt_named_has_folder() ? "files below the folder of --files only: a relative name"
					      : "no file of that host (proftap --files DIR: those below DIR)");
}

/* key: the text before the name, "" or "capture=". */
static const char *name_behind(struct pt_command *cmd, const char *key, const char *name)
{
	char *at = cmd->named + cmd->named_bytes;

	if (strlen(name) >= PT_COMMAND_NAME_BYTES) {
		pt_command_fail(cmd, PT_EARG, "%s: a name of more than %d characters", cmd->row.name,
				PT_COMMAND_NAME_BYTES - 1);
		return NULL;
	}
	if (!cmd->ctx->own && (!pt_named_has_folder() || name[0] == '/')) {
		refuse_name(cmd);
		return NULL;
	}
	cmd->named_bytes += (size_t)snprintf(at, sizeof(cmd->named) - cmd->named_bytes, "%s%s%s", key,
					     cmd->ctx->own || pt_named_is_below(name) ? "" : PT_NAMED_BELOW, name) +
			    1;
	return at;
}

const char *pt_command_name_file(struct pt_command *cmd, const char *name)
{
	return name_behind(cmd, "", name);
}

/* The temporary file is on this host's disk, so another user must not raise its limit. */
static bool may_spool(struct pt_command *cmd, const char *word)
{
	if (cmd->ctx->own || !pt_capture_spools_more(word))
		return true;
	pt_command_fail(cmd, PT_EPERM, "%s: %s is not the user that runs proftap, and may make spool smaller only",
			cmd->row.name, cmd->ctx->user);
	return false;
}

bool pt_command_name_files(struct pt_command *cmd)
{
	for (size_t i = 0; i < cmd->n_words; i++) {
		const char *name = pt_capture_file_of(cmd->words[i]), *named;

		if (!may_spool(cmd, cmd->words[i]))
			return false;
		if (name == NULL)
			continue;
		named = name_behind(cmd, "capture=", name);
		if (named == NULL)
			return false;	/* the command has failed, and may have been freed */
		cmd->words[i] = named;
	}
	return true;
}

bool pt_command_need_own(struct pt_command *cmd, const char *what)
{
	if (cmd->ctx->own)
		return true;
	pt_command_fail(cmd, PT_EPERM, "%s: %s is for the user that runs proftap, which %s is not", cmd->row.name, what,
			cmd->ctx->user);
	return false;
}
