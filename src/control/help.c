/* help [WORD]: the commands that begin with WORD; else the meaning of the word (glossary.c). */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "control/commands.h"

enum { USAGE_COLUMNS = 34 };

struct topic {
	struct pt_command *cmd;
	char text[64];
	bool found, by_second;
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;
};

static bool is_served(const struct topic *topic, const struct pt_command_row *row)
{
	const struct pt_command_ctx *ctx = topic->cmd->ctx;

	return ctx->ops->serves == NULL || ctx->ops->serves(ctx->door, row);
}

/* WORD begins its name; or, if it begins no name, its second word. */
static bool is_asked_for(const struct topic *topic, const struct pt_command_row *row)
{
	const char *space = strchr(row->name, ' ');

	return topic->by_second ? space != NULL && strcmp(space + 1, topic->text) == 0
				: strncmp(row->name, topic->text, strlen(topic->text)) == 0;
}

static void put_row(void *arg, const struct pt_command_row *row)
{
	struct topic *topic = arg;
	char usage[128];

	if (!is_served(topic, row))
		return;
	pt_nearest_offer(&topic->near, row->name);
	if (!is_asked_for(topic, row))
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
	if (!is_served(topic, row) || !is_asked_for(topic, row) ||
	    (!topic->by_second && strcmp(row->name, topic->text) != 0))
		return;
	if (row->details != NULL)
		row->details(topic->cmd);
	for (size_t i = 0; row->param != NULL && row->param(i) != NULL; i++)
		pt_params_help(row->param(i), 1, pt_command_say_line, topic->cmd);
}

/* --- any other word ----------------------------------------------------------------------------------------------- */

/* Also "bursts" for "burst", "batches" for "batch". */
static bool is_same_word(const char *typed, const char *word)
{
	size_t len = strlen(word);

	return strncasecmp(typed, word, len) == 0 &&
	       (typed[len] == '\0' || strcmp(typed + len, "s") == 0 || strcmp(typed + len, "es") == 0);
}

static void put_meaning(void *arg, const char *word, const char *kind, const char *line)
{
	struct topic *topic = arg;

	pt_nearest_offer(&topic->near, word);
	if (!is_same_word(topic->text, word))
		return;
	topic->found = true;
	pt_command_say(topic->cmd, "%s (%s): %s", word, kind, line);
}

static void end(struct pt_command *cmd)
{
	struct topic *topic = cmd->data;
	const char *others = pt_command_hint(cmd, PT_COMMAND_OTHER_WORDS);

	if (others != NULL && topic->text[0] == '\0')
		pt_command_say(cmd, "Any other word is %s", others);
	else if (others != NULL && topic->by_second)	/* no command has this name */
		pt_command_say(cmd, "A command of that name, if there is one, is %s", others);
	if (topic->found || others != NULL)
		pt_command_done(cmd, 0, NULL);
	else
		pt_command_fail(cmd, PT_EARG, "no help for \"%s\"%s`%s help` lists all commands", topic->text,
				pt_nearest_question(&topic->near, topic->question, sizeof(topic->question)),
				cmd->ctx->ops->name);
}

static int explain_on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target,
			    struct pt_err *err)
{
	(void)board;
	(void)err;
	pt_glossary_each_of_target(target, put_meaning, cmd->data);
	return 0;
}

/* Help needs no target, but a target adds words. */
static void after_explain(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	(void)rc;
	(void)err;
	end(cmd);
}

/* "period=2ms" asks about period; ">=" is a word of its own. */
static void cut_value(char *text)
{
	char *equals = strchr(text, '=');

	if (equals != NULL && equals != text && strchr("<>", equals[-1]) == NULL)
		*equals = '\0';
}

static void take_topic(struct topic *topic)
{
	const struct pt_command *cmd = topic->cmd;
	size_t at = 0;

	for (size_t i = 0; i < cmd->n_words && at < sizeof(topic->text); i++)
		at += (size_t)snprintf(topic->text + at, sizeof(topic->text) - at, "%s%s", i > 0 ? " " : "",
				       cmd->words[i]);
	if (strncmp(topic->text, "--", 2) == 0)	/* an option of the command line, with its dashes */
		memmove(topic->text, topic->text + 2, strlen(topic->text + 2) + 1);
	cut_value(topic->text);
	pt_nearest_init(&topic->near, topic->text, strlen(topic->text));
}

static void help(struct pt_command *cmd)
{
	const struct pt_door_ops *ops = cmd->ctx->ops;
	struct topic *topic = pt_alloc(sizeof(*topic));

	cmd->data = topic;
	topic->cmd = cmd;
	take_topic(topic);
	pt_commands_each(cmd->ctx, put_row, topic);
	topic->by_second = !topic->found;
	if (topic->by_second)
		pt_commands_each(cmd->ctx, put_row, topic);
	pt_commands_each(cmd->ctx, put_details, topic);
	if (topic->text[0] == '\0') {
		end(cmd);
		return;
	}
	pt_glossary_each(cmd->ctx, put_meaning, topic);
	if (cmd->ctx->board != NULL && pt_board_get_state(cmd->ctx->board, NULL) == PT_BOARD_READY &&
	    !(ops->busy != NULL && ops->busy(cmd->ctx->door)))
		pt_command_on_board(cmd, explain_on_board, after_explain);
	else
		end(cmd);
}

const struct pt_command_row pt_commands_help[] = {
	{ .name = "help", .usage = "[WORD]", .help = "this list, or what WORD is: a command, setting, view, column, option",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = help },
	{ 0 },
};
