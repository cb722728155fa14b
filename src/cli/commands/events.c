/* proftap events: the command of this name (control/command.h), without a board. */
#include <stdio.h>

#include "control/commands.h"
#include "host/log.h"
#include "cli/app.h"
#include "cli/output.h"
#include "cli/subcommands.h"

static void fit(void *door, struct pt_query *query)
{
	const bool *json = door;

	if (!*json)		/* half a line would be invalid JSON */
		pt_output_fit_terminal(query);
}

static const struct pt_door_ops door_ops = { .name = "proftap", .fit = fit };

static void print_answer(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	int *status = cmd->caller;

	if (rc < 0)
		pt_error("%s", err->msg);
	else if (cmd->out.len_bytes > 0)
		fwrite(cmd->out.bytes, 1, cmd->out.len_bytes, stdout);
	*status = rc < 0 ? PT_EXIT_USAGE : PT_EXIT_DONE;
	pt_command_free(cmd);
}

static int run_events(const struct pt_options *options)
{
	bool json = options->json;
	const struct pt_command_ctx ctx = { .ops = &door_ops, .door = &json };
	const char *words[PT_MAX_REST + 2] = { "events" };
	int status = PT_EXIT_USAGE;
	struct pt_command *cmd;
	size_t n_words = 1;

	for (size_t i = 0; i < options->n_rest; i++)
		words[n_words++] = options->rest[i];
	if (options->json)
		words[n_words++] = "format=json";
	cmd = pt_command_new_words(&ctx, words, n_words, print_answer, &status);
	if (cmd == NULL)
		pt_error("events: that is too long");
	else
		pt_command_run(cmd);
	return status;
}

const struct pt_subcommand pt_subcommand_events = {
	"events", "e500v1|e500v2|e500mc|e5500|e6500 [TEXT] [--json]",
	"what a core's performance monitor can count",
	"proftap events e500v2 miss\n"
	"    those whose name or meaning has \"miss\" in it\n"
	"proftap events e500mc --json\n"
	"    all of them, for a program\n",
	run_events,
};
