/* help [TOPIC] */
#include <stdio.h>
#include <string.h>

#include "control/commands.h"

enum { USAGE_COLUMNS = 34 };

struct topic { struct pt_command *cmd; char text[64]; bool found; };

static bool is_served(const struct topic *topic, const struct pt_command_row *row)
{
	const struct pt_command_ctx *ctx = topic->cmd->ctx;

	return ctx->ops->serves == NULL || ctx->ops->serves(ctx->door, row);
}

static void put_row(void *arg, const struct pt_command_row *row)
{
	struct topic *topic = arg;
	char usage[128];

	if (strncmp(row->name, topic->text, strlen(topic->text)) != 0 || !is_served(topic, row))
		return;
	topic->found = true;
	snprintf(usage, sizeof(usage), "%s %s", row->name, row->usage);
	if (strlen(usage) < USAGE_COLUMNS)
		pt_command_say(topic->cmd, "%-*s%s", USAGE_COLUMNS, usage, row->help);
	else
		pt_command_say(topic->cmd, "%s\n%*s%s", usage, USAGE_COLUMNS, "", row->help);
}

static void put_details(void *arg, const struct pt_command_row *row)
{
	struct topic *topic = arg;

	if (strcmp(row->name, topic->text) != 0 || !is_served(topic, row))
		return;
	if (row->details != NULL)
		row->details(topic->cmd);
	for (size_t i = 0; row->param != NULL && row->param(i) != NULL; i++)
		pt_params_help(row->param(i), 1, pt_command_say_line, topic->cmd);
}

static void help(struct pt_command *cmd)
{
	const char *others = pt_command_hint(cmd, PT_COMMAND_OTHER_WORDS);
	struct topic topic = { .cmd = cmd };

	for (size_t i = 0; i < cmd->n_words; i++)
		snprintf(topic.text + strlen(topic.text), sizeof(topic.text) - strlen(topic.text), "%s%s",
			 i > 0 ? " " : "", cmd->words[i]);
	pt_commands_each(cmd->ctx, put_row, &topic);
	pt_commands_each(cmd->ctx, put_details, &topic);
	if (others != NULL && (!topic.found || cmd->n_words == 0))
		pt_command_say(cmd, "%s %s", topic.found ? "Any other word is" : "That word, if there is one, is",
			       others);
	if (topic.found || others != NULL)
		pt_command_done(cmd, 0, NULL);
	else
		pt_command_fail(cmd, PT_EARG, "no help for \"%s\"; `monitor help` lists everything", topic.text);
}

const struct pt_command_row pt_commands_help[] = {
	{ .name = "help", .usage = "[TOPIC]", .help = "this list, or what begins with TOPIC",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = help },
	{ 0 },
};
