/* proftap status: the boards of a daemon that runs: what is attached, or why not, and who uses it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app.h"
#include "cli/ctl_client.h"
#include "cli/output.h"
#include "cli/subcommands.h"
#include "host/log.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

static void add_duration(struct pt_text *out, json_int_t seconds)
{
	if (seconds < 120)
		pt_text_add(out, "%d s", (int)seconds);
	else if (seconds < 2 * 3600)
		pt_text_add(out, "%d min", (int)(seconds / 60));
	else
		pt_text_add(out, "%d h", (int)(seconds / 3600));
}

static void add_client(struct pt_text *out, const json_t *client)
{
	pt_text_add(out, "%-16s  %-10s  %s, connected for ", "",
		    json_is_true(json_object_get(client, "controls")) ? "  in use by" : "  client",
		    text_of(client, "peer"));
	add_duration(out, json_integer_value(json_object_get(client, "connected_s")));
	pt_text_add(out, "\n");
}

static void add_board(struct pt_text *out, const json_t *board)
{
	const json_t *clients = json_object_get(board, "clients");
	const char *profile = text_of(json_object_get(board, "profile"), "state");
	bool has_profile = profile[0] != '\0' && strcmp(profile, "idle") != 0;

	pt_text_add(out, "%-16s  %-10s  %s%s%s\n", text_of(board, "name"), text_of(board, "state"),
		    text_of(board, "details"), has_profile ? "; profile: " : "", has_profile ? profile : "");
	for (size_t i = 0; i < json_array_size(clients); i++)
		add_client(out, json_array_get(clients, i));
}

static void print_text(const json_t *answer)
{
	const json_t *boards = json_object_get(answer, "boards");
	struct pt_text out = { 0 };

	for (size_t i = 0; i < json_array_size(boards); i++)
		add_board(&out, json_array_get(boards, i));
	pt_output_lines(&out);
	pt_text_free(&out);
}

static void print_json(json_t *answer)
{
	char *text;

	json_object_del(answer, "code");
	text = json_dumps(answer, JSON_INDENT(1));
	if (text != NULL)
		puts(text);
	free(text);
}

static void print(json_t *answer, bool as_json)
{
	if (as_json)
		print_json(answer);
	else
		print_text(answer);
}

static int run_status(const struct pt_options *options)
{
	struct pt_err err = { 0 };
	json_t *answer = pt_ctl_ask(options, json_pack("{s:b}", "status", 1), &err);

	if (answer != NULL && err.code == 0)
		print(answer, options->json);
	else
		pt_error("%s", err.msg);
	json_decref(answer);
	return err.code == 0 ? PT_EXIT_DONE : PT_EXIT_DEVICE;
}

const struct pt_subcommand pt_subcommand_status = {
	"status", "", "the boards of the daemon that runs, and who uses them",
	"proftap status\n"
	"    each board of the service: attached, or why not, and its GDBs\n"
	"proftap status --json\n"
	"    the same for a script\n",
	run_status,
};
